//! The settings that the 8.0 models read, with their types.

use super::adaptive::AdaptiveConfig;
use crate::percona80::PerconaOptions;
use crate::settings::FlushMethod;
use crate::settings::{Servers, Settings, SettingsError};
use innosim_core::config::{CommitDurability, FlushNeighbors, RedoPipeline};
use innosim_core::kernel::time::SimDuration;

/// Tables with unpersisted auto-increment or corruption metadata: the model has none.
pub(super) const DIRTY_TABLES: u64 = 0;

/// `innodb_doublewrite`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doublewrite {
    /// No doublewrite.
    Off,
    /// Whole pages.
    Pages,
    /// Page numbers and LSNs only.
    DetectOnly,
}

/// Typed settings; sizes in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    pub(crate) buffer_pool_size: u64,
    pub(crate) buffer_pool_instances: u32,
    /// Before 8.0.30.
    pub(crate) log_file_size: u64,
    /// Before 8.0.30.
    pub(crate) log_files_in_group: u64,
    /// From 8.0.30.
    pub(crate) redo_log_capacity: u64,
    pub(crate) log_buffer_size: u64,
    pub(crate) log_write_ahead_size: u64,
    pub(crate) commit: CommitDurability,
    pub(crate) flush_log_at_timeout: SimDuration,
    pub(crate) pipeline: RedoPipeline,
    /// Percent of a processor.
    pub(crate) log_spin_cpu_abs_lwm: u64,
    pub(crate) thread_concurrency: u64,
    pub(crate) adaptive: AdaptiveConfig,
    pub(crate) flush_sync: bool,
    /// Percent of `innodb_io_capacity`.
    pub(crate) idle_flush_pct: u64,
    pub(crate) lru_scan_depth: u32,
    pub(crate) page_cleaners: u32,
    pub(crate) flush_neighbors: FlushNeighbors,
    pub(crate) write_io_threads: u32,
    pub(crate) doublewrite: Doublewrite,
    /// Before 8.0.20: one doublewrite buffer for the whole server.
    pub(crate) shares_doublewrite: bool,
    pub(crate) doublewrite_files: u64,
    pub(crate) doublewrite_pages: u64,
    /// Percent.
    pub(crate) old_blocks_pct: u32,
    pub(crate) old_blocks_time: SimDuration,
    pub(crate) flush_method: FlushMethod,
    /// Percona Server.
    pub(crate) percona: Option<PerconaOptions>,
}

impl Options {
    /// Whether threads of their own do the LRU batches, as in Percona Server 8.0.
    pub(crate) fn has_lru_managers(&self) -> bool {
        self.percona.is_some_and(|percona| percona.lru_managers)
    }

    /// Reads resolved settings.
    pub(crate) fn new(s: &Settings) -> Result<Self, SettingsError> {
        Ok(Options {
            buffer_pool_size: s.integer("innodb_buffer_pool_size")?,
            buffer_pool_instances: s.small("innodb_buffer_pool_instances")?,
            log_file_size: s.integer("innodb_log_file_size")?,
            log_files_in_group: s.integer("innodb_log_files_in_group")?,
            redo_log_capacity: s.integer_or("innodb_redo_log_capacity", 0)?,
            log_buffer_size: s.integer("innodb_log_buffer_size")?,
            log_write_ahead_size: s.integer("innodb_log_write_ahead_size")?,
            commit: s.commit_durability()?,
            flush_log_at_timeout: SimDuration::from_secs(s.integer("innodb_flush_log_at_timeout")?),
            pipeline: if s.switch_or("innodb_log_writer_threads", true)? {
                RedoPipeline::DedicatedThreads
            } else {
                RedoPipeline::CommittingThread
            },
            log_spin_cpu_abs_lwm: s.integer("innodb_log_spin_cpu_abs_lwm")?,
            thread_concurrency: s.integer("innodb_thread_concurrency")?,
            adaptive: adaptive(s)?,
            flush_sync: s.switch("innodb_flush_sync")?,
            idle_flush_pct: s.integer_or("innodb_idle_flush_pct", 100)?,
            lru_scan_depth: s.small("innodb_lru_scan_depth")?,
            page_cleaners: s.small("innodb_page_cleaners")?,
            flush_neighbors: s.flush_neighbors()?,
            write_io_threads: s.small("innodb_write_io_threads")?,
            doublewrite: match s.choice("innodb_doublewrite")? {
                "OFF" => Doublewrite::Off,
                "DETECT_ONLY" => Doublewrite::DetectOnly,
                _ => Doublewrite::Pages,
            },
            shares_doublewrite: s.model.is_of(Servers::MYSQL.until(8, 0, 20)),
            doublewrite_files: s.integer_or("innodb_doublewrite_files", 0)?,
            doublewrite_pages: s.integer_or("innodb_doublewrite_pages", 0)?,
            old_blocks_pct: s.small("innodb_old_blocks_pct")?,
            old_blocks_time: SimDuration::from_millis(s.integer("innodb_old_blocks_time")?),
            flush_method: s.flush_method()?,
            percona: PerconaOptions::new(s)?,
        })
    }
}

fn adaptive(s: &Settings) -> Result<AdaptiveConfig, SettingsError> {
    Ok(AdaptiveConfig {
        flushing_avg_loops: s.integer("innodb_flushing_avg_loops")?,
        io_capacity: s.integer("innodb_io_capacity")?,
        io_capacity_max: s.integer("innodb_io_capacity_max")?,
        max_dirty_pages_pct: s.real("innodb_max_dirty_pages_pct")?,
        max_dirty_pages_pct_lwm: s.real("innodb_max_dirty_pages_pct_lwm")?,
        adaptive_flushing: s.switch("innodb_adaptive_flushing")?,
        adaptive_flushing_lwm: s.integer("innodb_adaptive_flushing_lwm")?,
    })
}

/// The error for a redo log that its own margins use up.
pub(super) fn margin_error(setting: &str, options: &Options) -> SettingsError {
    SettingsError {
        setting: setting.to_owned(),
        problem: format!(
            "the redo log is smaller than the margin it keeps free for running threads \
             (innodb_thread_concurrency = {})",
            options.thread_concurrency
        ),
        help: "make the redo log larger or lower innodb_thread_concurrency".to_owned(),
    }
}
