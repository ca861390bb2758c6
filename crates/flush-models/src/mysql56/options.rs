//! The settings that the models of 5.6 and 5.7 read, with their types.

use crate::legacy::adaptive::AdaptiveConfig;
use crate::legacy::redo_geometry::LogAges;
use crate::percona80::PerconaOptions;
use crate::settings::{FlushMethod, Settings, SettingsError};
use innosim_core::config::{CommitDurability, DataSync, FlushNeighbors, PAGE_BYTES, RedoIo};
use innosim_core::kernel::time::SimDuration;

/// Typed settings; sizes in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    pub(crate) buffer_pool_size: u64,
    pub(crate) buffer_pool_instances: u32,
    pub(crate) ages: LogAges,
    pub(crate) log_buffer_size: u64,
    /// 5.7.
    pub(crate) log_write_ahead_size: u64,
    pub(crate) commit: CommitDurability,
    pub(crate) flush_log_at_timeout: SimDuration,
    pub(crate) adaptive: AdaptiveConfig,
    /// 5.7.
    pub(crate) flush_sync: bool,
    /// 5.7.
    pub(crate) page_cleaners: u32,
    pub(crate) lru_scan_depth: u32,
    pub(crate) flush_neighbors: FlushNeighbors,
    pub(crate) write_io_threads: u32,
    pub(crate) doublewrite: bool,
    /// Percent.
    pub(crate) old_blocks_pct: u32,
    pub(crate) old_blocks_time: SimDuration,
    pub(crate) data_sync: DataSync,
    pub(crate) redo_io: RedoIo,
    pub(crate) flush_method: FlushMethod,
    /// Percona Server 5.7.
    pub(crate) percona: Option<PerconaOptions>,
}

impl Options {
    /// Reads resolved settings.
    pub(crate) fn new(s: &Settings) -> Result<Self, SettingsError> {
        let ages = ages(s)?;
        let method = s.flush_method()?;
        Ok(Options {
            buffer_pool_size: s.integer("innodb_buffer_pool_size")?,
            buffer_pool_instances: s.small("innodb_buffer_pool_instances")?.max(1),
            ages,
            log_buffer_size: s.integer("innodb_log_buffer_size")?,
            log_write_ahead_size: s.integer_or("innodb_log_write_ahead_size", 512)?,
            commit: s.commit_durability()?,
            flush_log_at_timeout: SimDuration::from_secs(s.integer("innodb_flush_log_at_timeout")?),
            adaptive: adaptive(s, &ages)?,
            flush_sync: s.switch_or("innodb_flush_sync", true)?,
            page_cleaners: u32::try_from(s.integer_or("innodb_page_cleaners", 1)?).unwrap_or(1),
            lru_scan_depth: s.small("innodb_lru_scan_depth")?,
            flush_neighbors: s.flush_neighbors()?,
            write_io_threads: s.small("innodb_write_io_threads")?,
            doublewrite: s.choice("innodb_doublewrite")? != "OFF",
            old_blocks_pct: s.small("innodb_old_blocks_pct")?,
            old_blocks_time: SimDuration::from_millis(s.integer("innodb_old_blocks_time")?),
            data_sync: method.data_sync(),
            redo_io: method.redo_io(),
            flush_method: method,
            percona: PerconaOptions::new(s)?,
        })
    }

    /// Whether threads of their own do the LRU batches.
    pub(crate) fn has_lru_managers(&self) -> bool {
        self.percona.is_some_and(|percona| percona.lru_managers)
    }

    /// Buffer pool instances.
    pub(crate) fn instances(&self) -> usize {
        self.buffer_pool_instances as usize
    }
}

fn ages(s: &Settings) -> Result<LogAges, SettingsError> {
    let threads = s.integer("innodb_thread_concurrency")?;
    let size = s.integer("innodb_log_file_size")?;
    LogAges::new(size, s.integer("innodb_log_files_in_group")?, PAGE_BYTES, threads).map_err(|refused| SettingsError {
        setting: "innodb_log_file_size".to_owned(),
        problem: format!(
            "the server would not start: {} bytes must stay free for running threads (innodb_thread_concurrency = \
             {threads}), which is half of the redo log or more",
            refused.reserve
        ),
        help: "make the redo log larger or lower innodb_thread_concurrency".to_owned(),
    })
}

fn adaptive(s: &Settings, ages: &LogAges) -> Result<AdaptiveConfig, SettingsError> {
    let percona = PerconaOptions::new(s)?;
    Ok(AdaptiveConfig {
        flushing_avg_loops: s.integer("innodb_flushing_avg_loops")?,
        io_capacity: s.integer("innodb_io_capacity")?,
        io_capacity_max: s.integer("innodb_io_capacity_max")?,
        max_dirty_pages_pct: s.real("innodb_max_dirty_pages_pct")?,
        max_dirty_pages_pct_lwm: s.real("innodb_max_dirty_pages_pct_lwm")?,
        adaptive_flushing: s.switch("innodb_adaptive_flushing")?,
        adaptive_flushing_lwm: s.integer("innodb_adaptive_flushing_lwm")?,
        log_group_capacity: ages.log_group_capacity,
        max_modified_age_async: ages.max_modified_age_async,
        high_checkpoint: percona.is_some_and(|percona| percona.high_checkpoint),
        percentages_alone_past_async: percona.is_some(),
    })
}
