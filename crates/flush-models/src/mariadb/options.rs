//! The settings that the MariaDB models read, with their types.

use super::adaptive::AdaptiveConfig;
use super::redo_geometry::LogCapacity;
use crate::registry::{Settings, SettingsError};
use innosim_core::config::{CommitDurability, FlushNeighbors, PAGE_BYTES};
use innosim_core::kernel::time::SimDuration;

/// `innodb_flush_method`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlushMethod {
    /// `fsync`; `littlesync`, a variant for tests of the server, is taken as the same.
    Fsync,
    /// `O_DSYNC`.
    ODsync,
    /// `nosync`.
    Nosync,
    /// `O_DIRECT`.
    ODirect,
    /// `O_DIRECT_NO_FSYNC`.
    ODirectNoFsync,
}

/// Typed settings; sizes in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    pub(crate) buffer_pool_size: u64,
    pub(crate) log_file_size: u64,
    pub(crate) log_limits: LogCapacity,
    pub(crate) log_buffer_size: u64,
    pub(crate) log_write_ahead_size: u64,
    pub(crate) commit: CommitDurability,
    pub(crate) flush_log_at_timeout: SimDuration,
    pub(crate) adaptive: AdaptiveConfig,
    pub(crate) adaptive_flushing: bool,
    pub(crate) flush_sync: bool,
    pub(crate) lru_scan_depth: u32,
    pub(crate) flush_neighbors: FlushNeighbors,
    pub(crate) write_io_threads: u32,
    pub(crate) doublewrite: bool,
    /// Percent.
    pub(crate) old_blocks_pct: u32,
    pub(crate) old_blocks_time: SimDuration,
    pub(crate) flush_method: FlushMethod,
}

impl Options {
    /// Reads resolved settings.
    pub(crate) fn new(s: &Settings) -> Result<Self, SettingsError> {
        let log_file_size = s.integer("innodb_log_file_size")?;
        let log_limits = LogCapacity::new(log_file_size, PAGE_BYTES).ok_or_else(|| SettingsError {
            setting: "innodb_log_file_size".to_owned(),
            problem: "the redo log is used up by the margin kept free in it".to_owned(),
            help: "make it larger".to_owned(),
        })?;
        Ok(Options {
            buffer_pool_size: s.integer("innodb_buffer_pool_size")?,
            log_file_size,
            log_limits,
            log_buffer_size: s.integer("innodb_log_buffer_size")?,
            log_write_ahead_size: s.integer("innodb_log_write_ahead_size")?,
            commit: match s.integer("innodb_flush_log_at_trx_commit")? {
                0 => CommitDurability::Lazy,
                2 => CommitDurability::Write,
                _ => CommitDurability::Sync,
            },
            flush_log_at_timeout: SimDuration::from_secs(s.integer("innodb_flush_log_at_timeout")?),
            adaptive: adaptive(s, &log_limits)?,
            adaptive_flushing: s.switch("innodb_adaptive_flushing")?,
            flush_sync: s.switch("innodb_flush_sync")?,
            lru_scan_depth: small(s, "innodb_lru_scan_depth")?,
            flush_neighbors: match s.integer("innodb_flush_neighbors")? {
                0 => FlushNeighbors::None,
                1 => FlushNeighbors::Contiguous,
                _ => FlushNeighbors::Area,
            },
            write_io_threads: small(s, "innodb_write_io_threads")?,
            doublewrite: s.choice("innodb_doublewrite")? == "ON",
            old_blocks_pct: small(s, "innodb_old_blocks_pct")?,
            old_blocks_time: SimDuration::from_millis(s.integer("innodb_old_blocks_time")?),
            flush_method: match s.choice("innodb_flush_method")? {
                "O_DSYNC" => FlushMethod::ODsync,
                "nosync" => FlushMethod::Nosync,
                "O_DIRECT" => FlushMethod::ODirect,
                "O_DIRECT_NO_FSYNC" => FlushMethod::ODirectNoFsync,
                _ => FlushMethod::Fsync,
            },
        })
    }
}

fn adaptive(s: &Settings, limits: &LogCapacity) -> Result<AdaptiveConfig, SettingsError> {
    Ok(AdaptiveConfig {
        flushing_avg_loops: s.integer("innodb_flushing_avg_loops")?,
        io_capacity: s.integer("innodb_io_capacity")?,
        io_capacity_max: s.integer("innodb_io_capacity_max")?,
        max_dirty_pages_pct: s.real("innodb_max_dirty_pages_pct")?,
        max_dirty_pages_pct_lwm: s.real("innodb_max_dirty_pages_pct_lwm")?,
        adaptive_flushing_lwm: s.real("innodb_adaptive_flushing_lwm")?,
        log_capacity: limits.log_capacity,
        max_modified_age_async: limits.max_modified_age_async,
    })
}

/// A whole number that the machine keeps in 32 bits; larger ones mean "without limit" there.
fn small(s: &Settings, name: &'static str) -> Result<u32, SettingsError> {
    Ok(u32::try_from(s.integer(name)?).unwrap_or(u32::MAX))
}
