//! What the machine is built with: the plain numbers that follow from the settings.

use super::doublewrite_layout::DoublewriteLayout;
use super::lsn::{LOG_BLOCK_HEADER_BYTES, LOG_START_LSN};
use super::options::{Doublewrite, FlushMethod, Options};
use innosim_core::config::{
    BatchEnd, BufferPoolConfig, DataSync, DoublewriteConfig, FreePagePolicy, MachineConfig, PAGE_BYTES, RedoConfig,
    RedoIo,
};
use innosim_core::kernel::time::SimDuration;

/// LRU lists of this many pages or fewer are not scanned.
const BUF_LRU_MIN_LEN: u32 = 256;
/// Places for asynchronous writes of one write I/O thread.
const AIO_SLOTS_PER_THREAD: u32 = 256;
/// Bytes that `DETECT_ONLY` writes for a batch.
const REDUCED_BATCH_BYTES: u64 = 8192;

/// Section 5.1: the first search looks at 100 pages, each round without success wakes the page cleaner, and from the second
/// retry on 10 ms of sleep come before a single-page flush.
const FREE_PAGES: FreePagePolicy = FreePagePolicy::SinglePage {
    first_scan: 100,
    sleep: SimDuration::from_millis(10),
    wakes_cleaner: true,
    waits_for_batch: false,
};

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
            free_pages: FREE_PAGES,
            lru_frees_written: true,
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
            io: match options.flush_method {
                FlushMethod::ODsync => RedoIo::WriteThrough,
                FlushMethod::Nosync => RedoIo::NoSync,
                FlushMethod::Fsync | FlushMethod::ODirect | FlushMethod::ODirectNoFsync => RedoIo::Buffered,
            },
            framed: true,
            checkpoint_record_bytes: 0,
        },
        doublewrite: doublewrite_config(options),
        data_sync: match options.flush_method {
            FlushMethod::Nosync | FlushMethod::ODirectNoFsync => DataSync::Never,
            FlushMethod::Fsync | FlushMethod::ODsync | FlushMethod::ODirect => DataSync::EveryBatch,
        },
        batch_end: BatchEnd::IoThread,
        aio_write_slots: AIO_SLOTS_PER_THREAD * options.write_io_threads,
        write_io_threads: options.write_io_threads,
        flush_neighbors: options.flush_neighbors,
        monitor: false,
    }
}

/// Pages of a flush area: an extent, less in instances under 1024 pages.
fn flush_area_pages(options: &Options) -> u32 {
    let instance_pages = options.buffer_pool_size / PAGE_BYTES / u64::from(options.buffer_pool_instances.max(1));
    (instance_pages / 16).max(1).next_power_of_two().min(64) as u32
}

fn doublewrite_config(options: &Options) -> DoublewriteConfig {
    if options.doublewrite == Doublewrite::Off {
        return DoublewriteConfig::Off;
    }
    let layout = DoublewriteLayout::new(
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
