//! What the machine is built with: the plain numbers that follow from the settings of 5.6, and where those of 5.7
//! differ (`innodb-5.6` and `innodb-5.7`, sections 4 to 7).
//!
//! Simplifications: the 8 doublewrite places of single-page flushes never run out (errs towards faster single-page
//! flushes); a checkpoint of 5.7 appends its marker only, no records of file names, whose volume is not known (errs by
//! some hundred bytes a checkpoint).

use super::options::Options;
use crate::legacy::doublewrite::{BLOCK_PAGES, CAPACITY_56};
use crate::legacy::neighbors::flush_area;
use crate::percona80::PerconaOptions;
use crate::percona80::lru_manager::LONGEST_SLEEP_MS;
use crate::settings::FlushMethod;
use innosim_core::config::{
    BatchEnd, BufferPoolConfig, DataSync, DoublewriteConfig, FreePagePolicy, LeavesFlushList, LruWritten,
    MachineConfig, PAGE_BYTES, RedoConfig, RedoPipeline, SharedCollecting, SyncHolds, SyncRound,
};
use innosim_core::kernel::time::SimDuration;

/// LRU lists of this many pages or fewer are not scanned.
const BUF_LRU_MIN_LEN: u32 = 256;
/// Places for asynchronous writes of one write I/O thread.
const AIO_SLOTS_PER_THREAD: u32 = 256;
/// First LSN of a new redo log, behind the header of its block.
const LOG_START_LSN: u64 = 16 * 512 + 12;
/// The marker that a checkpoint of 5.7 appends.
const CHECKPOINT_MARKER_BYTES: u64 = 9;
/// Redo writes of 5.6 are whole blocks.
const BLOCK_BYTES: u64 = 512;
/// Pages that the first search for a free page looks at in 5.7.
const FIRST_SCAN_57: u64 = 100;

/// The machine of MySQL 5.6.
pub(crate) fn machine_56(options: &Options) -> MachineConfig {
    let free_pages = FreePagePolicy::SinglePage {
        first_scan: u64::from(options.lru_scan_depth).saturating_sub(1),
        sleep: SimDuration::from_millis(100),
        wakes_cleaner: false,
        waits_for_batch: options.doublewrite,
        clean_first: false,
    };
    let redo = RedoConfig {
        log_buffer_bytes: options.log_buffer_size,
        write_ahead_bytes: BLOCK_BYTES,
        start_lsn: LOG_START_LSN,
        commit: options.commit,
        flush_timeout: options.flush_log_at_timeout,
        pipeline: RedoPipeline::LogMutex,
        io: options.redo_io,
        framed: true,
        checkpoint_record_bytes: 0,
        checkpoint_holds_writes: false,
        files: None,
        log_threads: None,
    };
    MachineConfig {
        buffer_pool: BufferPoolConfig {
            pages: options.buffer_pool_size / PAGE_BYTES,
            instances: options.buffer_pool_instances,
            lru_scan_depth: options.lru_scan_depth,
            lru_min_len: BUF_LRU_MIN_LEN,
            old_blocks_pct: options.old_blocks_pct,
            old_blocks_time: options.old_blocks_time,
            free_pages,
            lru_written: LruWritten::Stays,
            leaves_flush_list: LeavesFlushList::WhenWritten,
            sync_holds: SyncHolds::Instance,
            accesses_take_mutex: false,
            flush_area_pages: area_pages(options),
        },
        cleaner_threads: 1,
        redo,
        doublewrite: doublewrite(options),
        data_sync: options.data_sync,
        sync_round: SyncRound::Listed,
        batch_end: if options.doublewrite { BatchEnd::IoThread } else { BatchEnd::Poster },
        aio_write_slots: AIO_SLOTS_PER_THREAD * options.write_io_threads,
        merges_adjacent_writes: false,
        write_io_threads: options.write_io_threads,
        flush_neighbors: options.flush_neighbors,
        lru_managers: None,
        waits_for_all_writes: false,
        monitor: false,
        records: None,
    }
}

/// The machine of MySQL 5.7: pages of LRU batches are freed when they are written, mini-transactions commit while redo
/// is written, and there are several cleaners.
pub(crate) fn machine_57(options: &Options) -> MachineConfig {
    let mut machine = machine_56(options);
    machine.buffer_pool.free_pages = FreePagePolicy::SinglePage {
        first_scan: FIRST_SCAN_57,
        sleep: SimDuration::from_millis(10),
        wakes_cleaner: true,
        waits_for_batch: false,
        clean_first: true,
    };
    machine.buffer_pool.lru_written = LruWritten::Freed;
    machine.cleaner_threads = options.page_cleaners;
    // Two buffers: one is written while the other fills.
    machine.redo.log_buffer_bytes = 2 * options.log_buffer_size;
    machine.redo.write_ahead_bytes = options.log_write_ahead_size;
    machine.redo.pipeline = RedoPipeline::CommittingThread;
    machine.redo.checkpoint_record_bytes = CHECKPOINT_MARKER_BYTES;
    machine
}

/// The machine of Percona Server 5.7 (`percona` section 3): LRU manager threads, and a doublewrite file with a place for each
/// instance and kind of flushing, whose batch the thread that wrote it waits for and syncs the data files after.
pub(crate) fn machine_percona57(options: &Options, percona: PerconaOptions) -> MachineConfig {
    let mut machine = machine_57(options);
    if percona.backoff {
        machine.buffer_pool.free_pages = FreePagePolicy::Pause { wakes_cleaner: false };
    } else if let FreePagePolicy::SinglePage { waits_for_batch, .. } = &mut machine.buffer_pool.free_pages {
        *waits_for_batch = options.doublewrite;
    }
    machine.lru_managers = Some(SimDuration::from_millis(LONGEST_SLEEP_MS));
    machine.buffer_pool.sync_holds = SyncHolds::Nothing;
    machine.batch_end = BatchEnd::Poster;
    if options.doublewrite {
        let instances = options.buffer_pool_instances;
        machine.doublewrite = DoublewriteConfig::PerInstance {
            batch_pages: CAPACITY_56 as u32,
            flush_list_segments: instances,
            lru_segments: instances,
            instances,
            // Opened with O_DIRECT whatever the method, and synced where data files are.
            sync_file: !matches!(
                options.flush_method,
                FlushMethod::Nosync | FlushMethod::ODsync | FlushMethod::ODirectNoFsync
            ),
            fixed_bytes: None,
        };
    }
    machine
}

fn area_pages(options: &Options) -> u32 {
    let instance_pages = options.buffer_pool_size / PAGE_BYTES / u64::from(options.buffer_pool_instances);
    flush_area(instance_pages) as u32
}

fn doublewrite(options: &Options) -> DoublewriteConfig {
    if !options.doublewrite {
        return DoublewriteConfig::Off;
    }
    DoublewriteConfig::Shared {
        batch_pages: CAPACITY_56 as u32,
        area_pages: BLOCK_PAGES as u32,
        collecting: SharedCollecting::Together,
        sync_file: options.data_sync != DataSync::Never,
    }
}
