//! What the machine is built with: the plain numbers that follow from the settings.
//!
//! Sources: `mariadb-10.11` sections 3 (redo), 6 (LRU), 7 (doublewrite), 10 (settings). Three numbers are from
//! recordings of 10.11.19: a pool of 4 GiB holds 259584 pages, 507 for each 512 of its size; a doublewrite batch of 128
//! pages is one write, as the two extents lie side by side; a checkpoint after changes to eight tables appends 208
//! bytes.

use super::options::{Doublewrite, Options};
use super::page_cleaner::BUF_LRU_MIN_LEN;
use super::redo_geometry::LOG_HEADER_BYTES;
use crate::settings::FlushMethod;
use innosim_core::config::{
    BatchEnd, BufferPoolConfig, DataSync, DoublewriteConfig, FreePagePolicy, LeavesFlushList, LruWritten,
    MachineConfig, PAGE_BYTES, RedoConfig, RedoPipeline, SharedCollecting, SyncHolds, SyncRound,
};

/// Pages in 8 MiB of buffer pool, and how many of them describe the others.
const POOL_EXTENT_PAGES: u64 = 512;
const DESCRIPTOR_PAGES: u64 = 5;
/// Places for asynchronous writes of one write I/O thread.
const AIO_SLOTS_PER_THREAD: u32 = 256;
/// Pages of a doublewrite slot: two extents of 64.
const DOUBLEWRITE_PAGES: u32 = 128;
/// Pages of a flush area, an extent.
const FLUSH_AREA_PAGES: u32 = 64;
/// Pages that the first search for a free page looks at.
const FREE_SEARCH_PAGES: u64 = 100;
/// A FILE_CHECKPOINT record of 16 bytes, and FILE_MODIFY records of some 24 bytes for eight files.
const CHECKPOINT_RECORD_BYTES: u64 = 208;

/// First LSN of a redo log in blocks, behind the header of its block.
const FIRST_LSN_106: u64 = 8192 + 12;

/// The machine of these options.
pub(super) fn machine_config(options: &Options) -> MachineConfig {
    let pages = options.buffer_pool_size / PAGE_BYTES;
    MachineConfig {
        buffer_pool: BufferPoolConfig {
            pages: pages - pages.div_ceil(POOL_EXTENT_PAGES) * DESCRIPTOR_PAGES,
            instances: 1,
            lru_scan_depth: options.lru_scan_depth,
            lru_min_len: BUF_LRU_MIN_LEN as u32,
            old_blocks_pct: options.old_blocks_pct,
            old_blocks_time: options.old_blocks_time,
            free_pages: FreePagePolicy::WaitForCleaner { first_scan: FREE_SEARCH_PAGES },
            lru_written: LruWritten::Stays,
            leaves_flush_list: LeavesFlushList::AtNextLook,
            sync_holds: SyncHolds::Nothing,
            accesses_take_mutex: false,
            flush_area_pages: FLUSH_AREA_PAGES,
        },
        cleaner_threads: 1,
        redo: RedoConfig {
            // Appended to one half while the other is written.
            log_buffer_bytes: 2 * options.log_buffer_size,
            write_ahead_bytes: options.log_write_ahead_size,
            start_lsn: if options.framed { FIRST_LSN_106 } else { LOG_HEADER_BYTES },
            commit: options.commit,
            flush_timeout: options.flush_log_at_timeout,
            pipeline: RedoPipeline::CommittingThread,
            io: options.flush_method.redo_io(),
            framed: options.framed,
            checkpoint_record_bytes: CHECKPOINT_RECORD_BYTES,
            checkpoint_holds_writes: true,
            files: None,
            log_threads: None,
        },
        doublewrite: doublewrite_config(options),
        data_sync: match (options.doublewrite, options.flush_method.data_sync()) {
            (Doublewrite::Fast, _) => DataSync::Never,
            (Doublewrite::Off, DataSync::EveryBatch) => DataSync::AtCheckpoint,
            (_, syncs) => syncs,
        },
        sync_round: SyncRound::UntilNoneLeft,
        batch_end: BatchEnd::IoThread,
        aio_write_slots: AIO_SLOTS_PER_THREAD * options.write_io_threads,
        merges_adjacent_writes: false,
        write_io_threads: options.write_io_threads,
        flush_neighbors: options.flush_neighbors,
        lru_managers: None,
        waits_for_all_writes: true,
        monitor: false,
        records: None,
    }
}

fn doublewrite_config(options: &Options) -> DoublewriteConfig {
    let sync_file = match options.doublewrite {
        Doublewrite::Off => return DoublewriteConfig::Off,
        Doublewrite::Fast => options.flush_method != FlushMethod::Nosync,
        Doublewrite::ByFlushMethod => {
            !matches!(options.flush_method, FlushMethod::Nosync | FlushMethod::ODirectNoFsync)
        }
    };
    DoublewriteConfig::Shared {
        batch_pages: DOUBLEWRITE_PAGES,
        area_pages: DOUBLEWRITE_PAGES,
        collecting: SharedCollecting::Ahead,
        sync_file,
    }
}
