//! The settings that TNT reads, with their types, and the machine that follows from them.

use crate::settings::{Settings, SettingsError};
use innosim_core::config::{
    BatchEnd, BufferPoolConfig, CommitDurability, DataSync, DoublewriteConfig, FlushNeighbors, FreePagePolicy,
    LeavesFlushList, LruWritten, MachineConfig, PAGE_BYTES, RecordsConfig, RedoConfig, RedoIo, RedoPipeline, SyncHolds,
    SyncRound,
};
use innosim_core::kernel::time::SimDuration;

/// Longest time between two looks of the purge thread whether a pass is due (published source).
const PURGE_POLL_S: u64 = 3;
/// Records of the row cache written back at a time for each page of the I/O capacity (published source).
const RECORDS_A_PAGE_OF_CAPACITY: u64 = 200;
/// Places of the queue for asynchronous writes (published source).
const AIO_SLOTS: u32 = 256;
/// Pages that a thread looks at for a clean one before it calls the scavenger (published source).
const FREE_SEARCH_PAGES: u64 = 2000;
/// Share of the LRU list behind the midpoint, percent (published source: the old generation).
const OLD_PCT: u32 = 30;
/// Accesses within this time are one access (published source).
const CORRELATED: SimDuration = SimDuration::from_secs(10);
/// Free pages that the scavenger keeps, at most (assumed).
const FREE_PAGES: u64 = 1024;
/// Bytes of a record where the workload does not say (assumed: rows of sysbench).
const RECORD_BYTES: u32 = 200;
/// Hash entry, header and index entries of a record in the buffer, bytes (assumed).
const OVERHEAD_BYTES: u32 = 64;
/// Pages of an area that are written together, for the order of a pass (see [`super`]).
const AREA_PAGES: u32 = 64;
/// A log page's header, where the first redo begins.
const START_LSN: u64 = 8192;

/// Typed settings; sizes in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Options {
    buf_size: u64,
    page_buf_size: u64,
    rec_buf_size: u64,
    purge_interval_s: u64,
    purge_threshold: u64,
    dump_interval: u64,
    log_file_size: u64,
    log_files: u64,
    log_overflow: bool,
    log_buf_size: u64,
    commit: CommitDurability,
    /// Pages a second.
    pub(super) io_capacity: u64,
    /// Pages freed at a time.
    pub(super) scavenger_pages: u64,
    pub(super) checkpoint_interval: SimDuration,
}

impl Options {
    /// Reads resolved settings.
    pub(super) fn new(s: &Settings) -> Result<Self, SettingsError> {
        Ok(Options {
            buf_size: s.integer("tnt_buf_size")?,
            page_buf_size: s.integer("ntse_page_buf_size")?,
            rec_buf_size: s.integer("ntse_rec_buf_size")?,
            purge_interval_s: s.integer("tnt_purge_interval")?,
            purge_threshold: s.integer("tnt_purge_threshold")?,
            dump_interval: s.integer("tnt_dump_interval")?,
            log_file_size: s.integer("ntse_log_file_size")?,
            log_files: s.integer("ntse_log_file_cnt_hwm")?,
            log_overflow: s.switch("ntse_log_overflow")?,
            log_buf_size: s.integer("ntse_log_buf_size")?,
            commit: match s.integer("tnt_trx_flush_mode")? {
                0 => CommitDurability::Lazy,
                2 => CommitDurability::Write,
                _ => CommitDurability::Sync,
            },
            io_capacity: s.integer("ntse_system_io_capacity")?,
            scavenger_pages: s.integer("ntse_scavenger_pages")?,
            checkpoint_interval: SimDuration::from_secs(s.integer("ntse_checkpoint_interval")?),
        })
    }

    /// Size of the redo log, bytes.
    pub(super) fn redo_bytes(&self) -> u64 {
        let files = self.log_file_size.saturating_mul(self.log_files);
        // Far more than any run writes, and far from the end of the numbers.
        if self.log_overflow { 1 << 60 } else { files.min(1 << 60) }
    }

    /// The machine of these options.
    pub(super) fn machine_config(&self) -> MachineConfig {
        MachineConfig {
            buffer_pool: self.buffer_pool(),
            cleaner_threads: 1,
            redo: RedoConfig {
                log_buffer_bytes: self.log_buf_size,
                write_ahead_bytes: START_LSN,
                start_lsn: START_LSN,
                commit: self.commit,
                flush_timeout: SimDuration::from_secs(1),
                pipeline: RedoPipeline::DedicatedThreads,
                io: RedoIo::Buffered,
                framed: false,
                checkpoint_record_bytes: 0,
                checkpoint_holds_writes: false,
                files: None,
                log_threads: None,
            },
            doublewrite: DoublewriteConfig::Off,
            data_sync: DataSync::AtCheckpoint,
            sync_round: SyncRound::Listed,
            batch_end: BatchEnd::Poster,
            aio_write_slots: AIO_SLOTS,
            merges_adjacent_writes: false,
            write_io_threads: 1,
            flush_neighbors: FlushNeighbors::Area,
            lru_managers: None,
            waits_for_all_writes: false,
            monitor: false,
            records: Some(self.records()),
        }
    }

    fn buffer_pool(&self) -> BufferPoolConfig {
        let pages = self.page_buf_size / PAGE_BYTES;
        BufferPoolConfig {
            pages,
            instances: 1,
            lru_scan_depth: FREE_PAGES.min(pages / 10).max(1) as u32,
            lru_min_len: 0,
            old_blocks_pct: OLD_PCT,
            old_blocks_time: CORRELATED,
            free_pages: FreePagePolicy::WaitForCleaner { first_scan: FREE_SEARCH_PAGES },
            lru_written: LruWritten::Stays,
            leaves_flush_list: LeavesFlushList::WhenWritten,
            sync_holds: SyncHolds::Nothing,
            accesses_take_mutex: false,
            flush_area_pages: AREA_PAGES,
        }
    }

    fn records(&self) -> RecordsConfig {
        RecordsConfig {
            buffer_bytes: self.buf_size,
            purge_poll: SimDuration::from_secs(self.purge_interval_s.min(PURGE_POLL_S)),
            purge_interval: SimDuration::from_secs(self.purge_interval_s),
            purge_threshold_pct: self.purge_threshold as u32,
            passes_a_release: u32::try_from(self.dump_interval).unwrap_or(u32::MAX),
            row_cache_bytes: self.rec_buf_size,
            write_back_every: self.checkpoint_interval,
            write_back_records: self.io_capacity.saturating_mul(RECORDS_A_PAGE_OF_CAPACITY),
            record_bytes: RECORD_BYTES,
            overhead_bytes: OVERHEAD_BYTES,
            redo_grows: self.log_overflow,
        }
    }
}
