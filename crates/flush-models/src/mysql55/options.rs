//! The settings that MySQL 5.5 and Percona Server 5.5 read, with their types, and the machine that follows from them.

use super::lru::LruMargins;
use crate::legacy::doublewrite::{BLOCK_PAGES, CAPACITY_55};
use crate::legacy::neighbors::flush_area;
use crate::legacy::redo_geometry::LogAges;
use crate::settings::{ModelId, Settings, SettingsError};
use innosim_core::config::{
    BatchEnd, BufferPoolConfig, CommitDurability, DataSync, DoublewriteConfig, FlushNeighbors, FreePagePolicy,
    LeavesFlushList, LruWritten, MachineConfig, PAGE_BYTES, RedoConfig, RedoIo, RedoPipeline, SharedCollecting,
    SyncHolds, SyncRound,
};
use innosim_core::kernel::time::SimDuration;

/// First LSN of a new redo log: 16 blocks of 512 bytes and the header of the next.
const START_LSN: u64 = 8192 + 12;
/// Places for asynchronous writes of one write I/O thread.
const AIO_SLOTS_PER_THREAD: u64 = 256;
/// The longest sleep of a thread that finds no free page, from its eleventh round on.
const FREE_BLOCK_SLEEP: SimDuration = SimDuration::from_millis(500);
/// Period of the master thread's sync of the redo log.
const REDO_SYNC_PERIOD: SimDuration = SimDuration::from_secs(1);

/// What decides about adaptive flushing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// `innodb_adaptive_flushing = OFF`.
    Off,
    /// The desired rate of 5.5.
    Native,
    /// `estimate` of Percona Server 5.5.
    Estimate,
    /// `keep_average` of Percona Server 5.5.
    KeepAverage,
    /// `reflex` of XtraDB 5.1.
    Reflex,
}

/// Typed settings; sizes in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    pub(crate) buffer_pool_size: u64,
    pub(crate) buffer_pool_instances: u64,
    pub(crate) ages: LogAges,
    pub(crate) log_buffer_size: u64,
    pub(crate) commit: CommitDurability,
    pub(crate) io_capacity: u64,
    /// Whole percent.
    pub(crate) max_dirty_pages_pct: u64,
    pub(crate) method: Method,
    /// One mutex covers lists and page hash of an instance; Percona Server split it.
    pub(crate) accesses_take_mutex: bool,
    pub(crate) flush_neighbors: FlushNeighbors,
    pub(crate) doublewrite: bool,
    /// The master thread purges: there is no purge thread.
    pub(crate) master_purges: bool,
    pub(crate) write_io_threads: u64,
    pub(crate) native_aio: bool,
    /// Percent.
    pub(crate) old_blocks_pct: u64,
    pub(crate) old_blocks_time: SimDuration,
    pub(crate) redo_io: RedoIo,
    pub(crate) data_sync: DataSync,
}

impl Options {
    /// Reads resolved settings.
    pub(crate) fn new(s: &Settings) -> Result<Self, SettingsError> {
        let method = s.flush_method()?;
        Ok(Options {
            buffer_pool_size: s.integer("innodb_buffer_pool_size")?,
            buffer_pool_instances: s.integer("innodb_buffer_pool_instances")?,
            ages: ages(s)?,
            log_buffer_size: s.integer("innodb_log_buffer_size")?,
            commit: s.commit_durability()?,
            io_capacity: s.integer("innodb_io_capacity")?,
            max_dirty_pages_pct: s.integer("innodb_max_dirty_pages_pct")?,
            method: adaptive_method(s)?,
            accesses_take_mutex: s.model == ModelId::Mysql55,
            flush_neighbors: flush_neighbors(s)?,
            doublewrite: s.choice("innodb_doublewrite")? == "ON",
            master_purges: s.integer("innodb_purge_threads")? == 0,
            write_io_threads: s.integer("innodb_write_io_threads")?,
            native_aio: s.switch("innodb_use_native_aio")?,
            old_blocks_pct: s.integer("innodb_old_blocks_pct")?,
            old_blocks_time: SimDuration::from_millis(s.integer("innodb_old_blocks_time")?),
            redo_io: method.redo_io(),
            data_sync: method.data_sync(),
        })
    }

    /// Pages of one instance.
    pub(crate) fn instance_pages(&self) -> u64 {
        self.buffer_pool_size / PAGE_BYTES / self.buffer_pool_instances
    }

    /// The machine of these options.
    pub(crate) fn machine_config(&self) -> MachineConfig {
        let margins = LruMargins::new(self.instance_pages(), self.buffer_pool_instances);
        let slots = if self.native_aio { AIO_SLOTS_PER_THREAD } else { 1 };
        MachineConfig {
            buffer_pool: BufferPoolConfig {
                pages: self.buffer_pool_size / PAGE_BYTES,
                instances: self.buffer_pool_instances as u32,
                lru_scan_depth: margins.target() as u32,
                lru_min_len: 0,
                old_blocks_pct: self.old_blocks_pct as u32,
                old_blocks_time: self.old_blocks_time,
                free_pages: FreePagePolicy::Margin {
                    margin: margins.free_block_margin,
                    extra: margins.extra_margin,
                    search: margins.search_len,
                    sleep: FREE_BLOCK_SLEEP,
                },
                lru_written: LruWritten::MovedToTail,
                leaves_flush_list: LeavesFlushList::WhenWritten,
                sync_holds: SyncHolds::Nothing,
                accesses_take_mutex: self.accesses_take_mutex,
                flush_area_pages: flush_area(self.instance_pages()) as u32,
            },
            cleaner_threads: 1,
            redo: RedoConfig {
                log_buffer_bytes: self.log_buffer_size,
                write_ahead_bytes: innosim_core::redo::lsn::BLOCK_BYTES,
                start_lsn: START_LSN,
                commit: self.commit,
                flush_timeout: REDO_SYNC_PERIOD,
                pipeline: RedoPipeline::LogMutex,
                io: self.redo_io,
                framed: true,
                checkpoint_record_bytes: 0,
                checkpoint_holds_writes: false,
                files: None,
                log_threads: None,
            },
            doublewrite: if self.doublewrite {
                DoublewriteConfig::Shared {
                    batch_pages: CAPACITY_55 as u32,
                    area_pages: BLOCK_PAGES as u32,
                    collecting: SharedCollecting::OneThread,
                    sync_file: self.data_sync != DataSync::Never,
                }
            } else {
                DoublewriteConfig::Off
            },
            data_sync: self.data_sync,
            sync_round: SyncRound::Listed,
            batch_end: BatchEnd::Poster,
            aio_write_slots: (slots * self.write_io_threads) as u32,
            merges_adjacent_writes: !self.native_aio,
            write_io_threads: self.write_io_threads as u32,
            flush_neighbors: self.flush_neighbors,
            lru_managers: None,
            waits_for_all_writes: false,
            monitor: true,
            records: None,
        }
    }
}

/// Limits of the ages, or why the server refuses to start.
fn ages(s: &Settings) -> Result<LogAges, SettingsError> {
    let (size, files) = (s.integer("innodb_log_file_size")?, s.integer("innodb_log_files_in_group")?);
    let threads = s.integer("innodb_thread_concurrency")?;
    LogAges::new(size, files, PAGE_BYTES, threads).map_err(|too_large| SettingsError {
        setting: "innodb_log_file_size".to_owned(),
        problem: format!(
            "the redo log is too small for innodb_thread_concurrency = {threads}: the server keeps {} bytes free for \
             running threads and refuses to start, as that is half of what it can use or more",
            too_large.reserve
        ),
        help: "make the redo log larger or lower innodb_thread_concurrency".to_owned(),
    })
}

fn adaptive_method(s: &Settings) -> Result<Method, SettingsError> {
    if !s.switch("innodb_adaptive_flushing")? {
        return Ok(Method::Off);
    }
    if s.get("innodb_adaptive_flushing_method").is_none() {
        return Ok(Method::Native);
    }
    Ok(match s.choice("innodb_adaptive_flushing_method")? {
        "native" => Method::Native,
        "keep_average" => Method::KeepAverage,
        "reflex" => Method::Reflex,
        _ => Method::Estimate,
    })
}

/// MySQL always flushes the dirty neighbours of a page; Percona Server has a setting for it.
fn flush_neighbors(s: &Settings) -> Result<FlushNeighbors, SettingsError> {
    if s.get("innodb_flush_neighbor_pages").is_none() {
        return Ok(FlushNeighbors::Area);
    }
    Ok(match s.choice("innodb_flush_neighbor_pages")? {
        "none" => FlushNeighbors::None,
        "cont" => FlushNeighbors::Contiguous,
        _ => FlushNeighbors::Area,
    })
}
