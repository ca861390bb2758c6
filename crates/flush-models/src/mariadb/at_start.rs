//! What MariaDB derives and adjusts at start (`mariadb-10.11` section 10).

use super::options::header_bytes;
use super::redo_geometry::LogCapacity;
use crate::settings::{Resolver, SettingsError, Value, spell_bytes};
use innosim_core::config::PAGE_BYTES;

/// Smallest default of `innodb_io_capacity_max`, pages a second.
const LEAST_IO_CAPACITY_MAX: u64 = 2000;

/// Largest redo file that is kept.
const LARGEST_ARCHIVED: u64 = 4 << 30;

/// All rules, in the server's order.
pub(super) fn run(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    // The server's default is 1, which it takes as 0 on all devices but rotating disks; the model doesn't see the device.
    r.derive("innodb_flush_neighbors", Value::Integer(0));
    r.mariadb_io_capacity()?;
    r.dirty_pages_pct()?;
    r.write_ahead()?;
    r.mariadb_redo()?;
    r.mariadb_binary_log()?;
    r.mariadb_notes()
}

impl Resolver<'_> {
    fn mariadb_io_capacity(&mut self) -> Result<(), SettingsError> {
        let io = self.s.integer("innodb_io_capacity")?;
        let max = (2 * io).max(LEAST_IO_CAPACITY_MAX).min(u64::from(u32::MAX));
        self.derive("innodb_io_capacity_max", Value::Integer(max));
        self.io_capacity_within_max()
    }

    /// A log of which nothing would be left after its margins is refused.
    fn mariadb_redo(&mut self) -> Result<(), SettingsError> {
        let bytes = self.s.integer("innodb_log_file_size")?;
        if LogCapacity::with_header(bytes, PAGE_BYTES, header_bytes(&self.s)).is_some() {
            return Ok(());
        }
        Err(SettingsError {
            setting: "innodb_log_file_size".to_owned(),
            problem: format!("{} is used up by the margin of redo kept free", spell_bytes(bytes)),
            help: "make it larger".to_owned(),
        })
    }

    /// A binary log in the engine has no syncs of its own.
    fn mariadb_binary_log(&mut self) -> Result<(), SettingsError> {
        let in_engine = matches!(self.s.get("binlog_storage_engine"), Some(Value::Choice("innodb")));
        if in_engine && self.s.switch("log_bin")? && self.is_explicit("sync_binlog") {
            self.note(
                "sync_binlog",
                "it does nothing with binlog_storage_engine = innodb: a commit's redo holds its events",
            );
        }
        let archived = self.s.switch_or("innodb_log_archive", false)?;
        let size = self.s.integer("innodb_log_file_size")?;
        if archived && size > LARGEST_ARCHIVED {
            let why = "archived redo files have 4G at most".to_owned();
            self.adjust("innodb_log_file_size", Value::Integer(LARGEST_ARCHIVED), why);
        }
        Ok(())
    }

    /// The default that surprises most, and the setting that SHOW VARIABLES shows on disks where it does nothing.
    fn mariadb_notes(&mut self) -> Result<(), SettingsError> {
        if self.s.integer("innodb_flush_neighbors")? > 0 {
            self.note(
                "innodb_flush_neighbors",
                "neighbours are flushed, as the server does on a disk that calls itself rotating \
                 (/sys/block/*/queue/rotational); on any other it takes the setting as 0, though it shows its default of 1: \
                 set 0 for those",
            );
        }
        if self.s.real("innodb_max_dirty_pages_pct_lwm")? == 0.0 && self.is_explicit("innodb_max_dirty_pages_pct_lwm") {
            self.note(
                "innodb_max_dirty_pages_pct_lwm",
                "with 0 nothing is flushed from rest before the checkpoint age passes 7/8 of its maximum or the share of \
                 dirty pages passes innodb_max_dirty_pages_pct",
            );
        }
        Ok(())
    }
}
