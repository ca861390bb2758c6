//! What the machine is built with: the plain numbers that follow from the settings.

use super::doublewrite_layout::DoublewriteLayout;
use super::lsn::{LOG_BLOCK_HEADER_BYTES, LOG_START_LSN};
use super::options::{Doublewrite, Options};
use crate::legacy::doublewrite::{BLOCK_PAGES, CAPACITY_56};
use crate::legacy::neighbors::flush_area;
use crate::percona80::PerconaOptions;
use crate::percona80::lru_manager::LONGEST_SLEEP_MS;
use crate::settings::FlushMethod;
use innosim_core::config::{
    BatchEnd, BufferPoolConfig, DataSync, DoublewriteConfig, FreePagePolicy, LeavesFlushList, LogThreadsConfig,
    LruWritten, MachineConfig, PAGE_BYTES, RedoConfig, RedoPipeline, SharedCollecting, SyncHolds, SyncRound,
};
use innosim_core::kernel::time::SimDuration;

/// LRU lists of this many pages or fewer are not scanned.
const BUF_LRU_MIN_LEN: u32 = 256;
/// Places for asynchronous writes of one write I/O thread.
const AIO_SLOTS_PER_THREAD: u32 = 256;
/// Bytes that `DETECT_ONLY` writes for a batch.
const REDUCED_BATCH_BYTES: u64 = 8192;

/// Section 5.1: the first search looks at 100 pages, each round without success wakes the page cleaner, and from the
/// second retry on 10 ms of sleep come before a single-page flush, which goes about as in 5.7 (known of the server).
const FREE_PAGES: FreePagePolicy = FreePagePolicy::SinglePage {
    first_scan: 100,
    sleep: SimDuration::from_millis(10),
    wakes_cleaner: true,
    waits_for_batch: false,
    clean_first: true,
};

/// What a user thread does that finds no free page (`percona` section 4.3 where it is Percona Server).
fn free_pages(options: &Options) -> FreePagePolicy {
    match (FREE_PAGES, options.percona) {
        (_, Some(PerconaOptions { backoff: true, lru_managers, .. })) => {
            FreePagePolicy::Pause { wakes_cleaner: !lru_managers }
        }
        (FreePagePolicy::SinglePage { first_scan, sleep, wakes_cleaner, clean_first, .. }, Some(_)) => {
            let waits_for_batch = options.doublewrite != Doublewrite::Off;
            FreePagePolicy::SinglePage { first_scan, sleep, wakes_cleaner, waits_for_batch, clean_first }
        }
        (policy, _) => policy,
    }
}

/// The machine of these options.
pub(crate) fn machine_config(options: &Options) -> MachineConfig {
    MachineConfig {
        buffer_pool: BufferPoolConfig {
            pages: options.buffer_pool_size / PAGE_BYTES,
            instances: options.buffer_pool_instances,
            lru_scan_depth: options.lru_scan_depth,
            lru_min_len: BUF_LRU_MIN_LEN,
            old_blocks_pct: options.old_blocks_pct,
            old_blocks_time: options.old_blocks_time,
            free_pages: free_pages(options),
            lru_written: LruWritten::Freed,
            leaves_flush_list: LeavesFlushList::WhenWritten,
            sync_holds: SyncHolds::LruList,
            accesses_take_mutex: false,
            flush_area_pages: flush_area_pages(options),
        },
        cleaner_threads: options.page_cleaners,
        redo: RedoConfig {
            log_buffer_bytes: options.log_buffer_size,
            write_ahead_bytes: options.log_write_ahead_size,
            start_lsn: LOG_START_LSN + LOG_BLOCK_HEADER_BYTES,
            commit: options.commit,
            flush_timeout: options.flush_log_at_timeout,
            pipeline: options.pipeline,
            io: options.flush_method.redo_io(),
            framed: true,
            checkpoint_record_bytes: 0,
            checkpoint_holds_writes: true,
            files: None,
            log_threads: (options.pipeline == RedoPipeline::DedicatedThreads).then_some(LogThreadsConfig {
                spin_cpu_abs_lwm: options.log_spin_cpu_abs_lwm,
                checkpoint_takes_writer_mutex: false,
            }),
        },
        doublewrite: doublewrite_config(options),
        data_sync: match options.flush_method {
            // Without a sync of the redo log none comes before a checkpoint either, but batches end as ever.
            FlushMethod::Nosync => DataSync::AfterBatch,
            method => method.data_sync(),
        },
        sync_round: SyncRound::Listed,
        batch_end: if options.doublewrite == Doublewrite::Off { BatchEnd::Poster } else { BatchEnd::IoThread },
        aio_write_slots: AIO_SLOTS_PER_THREAD * options.write_io_threads,
        merges_adjacent_writes: false,
        write_io_threads: options.write_io_threads,
        flush_neighbors: options.flush_neighbors,
        lru_managers: options.has_lru_managers().then_some(SimDuration::from_millis(LONGEST_SLEEP_MS)),
        waits_for_all_writes: false,
        monitor: false,
        records: None,
    }
}

/// Pages of a flush area: an extent, less in instances under 1984 pages.
fn flush_area_pages(options: &Options) -> u32 {
    let instance_pages = options.buffer_pool_size / PAGE_BYTES / u64::from(options.buffer_pool_instances);
    flush_area(instance_pages) as u32
}

fn doublewrite_config(options: &Options) -> DoublewriteConfig {
    if options.doublewrite == Doublewrite::Off {
        return DoublewriteConfig::Off;
    }
    if options.shares_doublewrite {
        return DoublewriteConfig::Shared {
            batch_pages: CAPACITY_56 as u32,
            area_pages: BLOCK_PAGES as u32,
            collecting: SharedCollecting::Together,
            sync_file: !matches!(options.flush_method, FlushMethod::Nosync | FlushMethod::ODirectNoFsync),
        };
    }
    let layout = if options.percona.is_some() { DoublewriteLayout::percona } else { DoublewriteLayout::new };
    let layout = layout(
        u64::from(options.buffer_pool_instances),
        options.doublewrite_files,
        options.doublewrite_pages,
        u64::from(options.write_io_threads),
    );
    DoublewriteConfig::PerInstance {
        batch_pages: layout.pages_per_batch as u32,
        flush_list_segments: layout.flush_list_segments as u32,
        lru_segments: layout.lru_segments as u32,
        instances: (layout.instances / 2) as u32,
        sync_file: !matches!(options.flush_method, FlushMethod::ODirect | FlushMethod::ODirectNoFsync),
        fixed_bytes: (options.doublewrite == Doublewrite::DetectOnly).then_some(REDUCED_BATCH_BYTES),
    }
}
