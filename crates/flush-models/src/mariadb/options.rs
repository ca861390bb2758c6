//! The settings that the MariaDB models read, with their types.

use super::adaptive::AdaptiveConfig;
use super::redo_geometry::{LOG_HEADER_BYTES, LOG_HEADER_BYTES_106, LogCapacity};
use crate::settings::FlushMethod;
use crate::settings::{Servers, Settings, SettingsError};
use innosim_core::config::{CommitDurability, FlushNeighbors, PAGE_BYTES};
use innosim_core::kernel::time::SimDuration;

/// Typed settings; sizes in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    pub(crate) buffer_pool_size: u64,
    pub(crate) log_file_size: u64,
    /// Before 10.8: redo in blocks of 512 bytes behind a small header.
    pub(crate) framed: bool,
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
    pub(crate) doublewrite: Doublewrite,
    /// Percent.
    pub(crate) old_blocks_pct: u32,
    pub(crate) old_blocks_time: SimDuration,
    pub(crate) flush_method: FlushMethod,
}

/// What is synced where pages are written twice (`mariadb-10.11` section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doublewrite {
    /// Pages are written once.
    Off,
    /// The doublewrite buffer and the data files are synced as `innodb_flush_method` says.
    ByFlushMethod,
    /// The doublewrite buffer is always synced, the data files never (11.0 and later).
    Fast,
}

/// `innodb_doublewrite`. From 11.0 on a flush method that spares syncs spares those of the data files alone.
fn doublewrite(s: &Settings) -> Result<Doublewrite, SettingsError> {
    let spared = s.model.is_of(Servers::MARIADB.from(11, 0, 0)) && s.flush_method()? == FlushMethod::ODirectNoFsync;
    Ok(match s.choice("innodb_doublewrite")? {
        "OFF" => Doublewrite::Off,
        "ON" if !spared => Doublewrite::ByFlushMethod,
        _ => Doublewrite::Fast,
    })
}

/// Whether the redo log is written in blocks of 512 bytes (before 10.8).
pub(super) fn is_framed(s: &Settings) -> bool {
    s.model.is_of(Servers::MARIADB.until(10, 8, 0))
}

/// Header of the redo file.
pub(super) fn header_bytes(s: &Settings) -> u64 {
    if is_framed(s) { LOG_HEADER_BYTES_106 } else { LOG_HEADER_BYTES }
}

impl Options {
    /// Header of the redo file.
    pub(crate) fn log_header_bytes(&self) -> u64 {
        if self.framed { LOG_HEADER_BYTES_106 } else { LOG_HEADER_BYTES }
    }

    /// Reads resolved settings.
    pub(crate) fn new(s: &Settings) -> Result<Self, SettingsError> {
        let log_file_size = s.integer("innodb_log_file_size")?;
        let log_limits =
            LogCapacity::with_header(log_file_size, PAGE_BYTES, header_bytes(s)).ok_or_else(|| SettingsError {
                setting: "innodb_log_file_size".to_owned(),
                problem: "the redo log is used up by the margin kept free in it".to_owned(),
                help: "make it larger".to_owned(),
            })?;
        Ok(Options {
            buffer_pool_size: s.integer("innodb_buffer_pool_size")?,
            log_file_size,
            framed: is_framed(s),
            log_limits,
            log_buffer_size: s.integer("innodb_log_buffer_size")?,
            log_write_ahead_size: s.integer("innodb_log_write_ahead_size")?,
            commit: s.commit_durability()?,
            flush_log_at_timeout: SimDuration::from_secs(s.integer("innodb_flush_log_at_timeout")?),
            adaptive: adaptive(s, &log_limits)?,
            adaptive_flushing: s.switch("innodb_adaptive_flushing")?,
            flush_sync: s.switch("innodb_flush_sync")?,
            lru_scan_depth: s.small("innodb_lru_scan_depth")?,
            flush_neighbors: s.flush_neighbors()?,
            write_io_threads: s.small("innodb_write_io_threads")?,
            doublewrite: doublewrite(s)?,
            old_blocks_pct: s.small("innodb_old_blocks_pct")?,
            old_blocks_time: SimDuration::from_millis(s.integer("innodb_old_blocks_time")?),
            flush_method: s.flush_method()?,
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
