//! What MySQL 8.0 and later make of their settings at start.

use super::super::value::spell_bytes;
use super::super::{ModelId, Value};
use super::{Resolver, SettingsError};
use crate::mysql80::Mysql80;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// All rules, in the server's order.
pub(super) fn run(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    r.io_capacity()?;
    r.dirty_pages_pct()?;
    r.buffer_pool()?;
    r.threads()?;
    r.redo()?;
    r.write_ahead()
}

impl Resolver<'_> {
    fn since_84(&self) -> bool {
        self.s.model.mysql_release().is_some_and(|release| release >= 84)
    }

    fn io_capacity(&mut self) -> Result<(), SettingsError> {
        let io = self.s.integer("innodb_io_capacity")?;
        let least = if self.since_84() { 0 } else { 2000 };
        let max = (2 * io).max(least).min(u64::from(u32::MAX));
        self.derive("innodb_io_capacity_max", Value::Integer(max));
        self.io_capacity_within_max()
    }

    /// The maximum is not below the capacity, and best a multiple of it.
    pub(super) fn io_capacity_within_max(&mut self) -> Result<(), SettingsError> {
        let io = self.s.integer("innodb_io_capacity")?;
        let max = self.s.integer("innodb_io_capacity_max")?;
        if max < io {
            let why = "innodb_io_capacity cannot be higher than innodb_io_capacity_max".to_owned();
            self.adjust("innodb_io_capacity", Value::Integer(max), why);
        } else {
            self.note_whole_quotient(max, io);
        }
        Ok(())
    }

    /// Remarks that the age factor divides whole numbers, where that makes a difference.
    pub(super) fn note_whole_quotient(&mut self, max: u64, io: u64) {
        if max.is_multiple_of(io) {
            return;
        }
        let steps = max / io;
        self.note(
            "innodb_io_capacity_max",
            format!(
                "the age factor of adaptive flushing divides innodb_io_capacity_max by innodb_io_capacity as whole \
                 numbers: {max} / {io} counts as {steps}"
            ),
        );
    }

    pub(super) fn dirty_pages_pct(&mut self) -> Result<(), SettingsError> {
        let pct = self.s.real("innodb_max_dirty_pages_pct")?;
        if self.s.real("innodb_max_dirty_pages_pct_lwm")? > pct {
            let why = "innodb_max_dirty_pages_pct_lwm cannot be higher than innodb_max_dirty_pages_pct".to_owned();
            self.adjust("innodb_max_dirty_pages_pct_lwm", Value::Real(pct), why);
        }
        Ok(())
    }

    fn buffer_pool(&mut self) -> Result<(), SettingsError> {
        let size = self.s.integer("innodb_buffer_pool_size")?;
        let chunk = self.s.integer("innodb_buffer_pool_chunk_size")?;
        let instances = self.default_instances(size, chunk);
        self.derive("innodb_buffer_pool_instances", Value::Integer(instances));
        let instances = self.s.integer("innodb_buffer_pool_instances")?;
        if size < GIB && instances > 1 {
            let why = "a buffer pool of less than 1G has one instance".to_owned();
            self.adjust("innodb_buffer_pool_instances", Value::Integer(1), why);
        }
        self.whole_chunks()
    }

    /// The pool is a multiple of chunk size x instances.
    pub(super) fn whole_chunks(&mut self) -> Result<(), SettingsError> {
        let size = self.s.integer("innodb_buffer_pool_size")?;
        let chunk = self.s.integer("innodb_buffer_pool_chunk_size")?;
        let instances = self.s.integer("innodb_buffer_pool_instances")?;
        let mut unit = chunk * instances;
        if unit > size {
            let smaller = (size / instances / MIB * MIB).max(MIB);
            let why = format!("{instances} instances of one chunk each must fit the buffer pool");
            self.adjust("innodb_buffer_pool_chunk_size", Value::Integer(smaller), why);
            unit = smaller * instances;
        }
        let rounded = size.div_ceil(unit) * unit;
        if rounded != size {
            let why = format!(
                "the buffer pool is a multiple of innodb_buffer_pool_chunk_size x innodb_buffer_pool_instances = {}",
                spell_bytes(unit)
            );
            self.adjust("innodb_buffer_pool_size", Value::Integer(rounded), why);
        }
        Ok(())
    }

    fn default_instances(&self, size: u64, chunk: u64) -> u64 {
        if !self.since_84() {
            return if size >= GIB { 8 } else { 1 };
        }
        let by_size = size / chunk / 2;
        let by_cpus = u64::from(self.host.logical_cpus / 4);
        if size <= GIB { 1 } else { by_size.min(by_cpus).clamp(1, 64) }
    }

    fn threads(&mut self) -> Result<(), SettingsError> {
        let instances = self.s.integer("innodb_buffer_pool_instances")?;
        self.derive("innodb_page_cleaners", Value::Integer(instances));
        self.cleaners_within_instances()?;
        let cpus = u64::from(self.host.logical_cpus);
        self.derive("innodb_read_io_threads", Value::Integer((cpus / 2).clamp(4, 64)));
        if self.since_84() {
            let from = if self.s.model == ModelId::Mysql97 && !self.s.switch("log_bin")? { 5 } else { 32 };
            self.derive("innodb_log_writer_threads", Value::Switch(cpus >= from));
        }
        Ok(())
    }

    pub(super) fn cleaners_within_instances(&mut self) -> Result<(), SettingsError> {
        let instances = self.s.integer("innodb_buffer_pool_instances")?;
        if self.s.integer("innodb_page_cleaners")? > instances {
            let why = "there are no more page cleaners than buffer pool instances".to_owned();
            self.adjust("innodb_page_cleaners", Value::Integer(instances), why);
        }
        Ok(())
    }

    /// Capacity of the redo log and what must fit it.
    fn redo(&mut self) -> Result<(), SettingsError> {
        let files = self.s.integer("innodb_log_file_size")? * self.s.integer("innodb_log_files_in_group")?;
        let legacy = self.is_explicit("innodb_log_file_size") || self.is_explicit("innodb_log_files_in_group");
        let (blame, bytes) = if self.s.model.has_fixed_redo_files() {
            ("innodb_log_file_size", files)
        } else if self.is_explicit("innodb_redo_log_capacity") || !legacy {
            if legacy {
                self.note(
                    "innodb_redo_log_capacity",
                    "it is set, so innodb_log_file_size and innodb_log_files_in_group are ignored",
                );
            }
            ("innodb_redo_log_capacity", self.s.integer("innodb_redo_log_capacity")?)
        } else {
            let why = "innodb_log_file_size x innodb_log_files_in_group, as innodb_redo_log_capacity is not set";
            self.adjust("innodb_redo_log_capacity", Value::Integer(files), why.to_owned());
            self.note("innodb_log_file_size", "deprecated; set innodb_redo_log_capacity instead");
            ("innodb_log_file_size", files)
        };
        if bytes > 512 * GIB {
            return Err(SettingsError {
                setting: blame.to_owned(),
                problem: format!("the redo log would be {}; at most 512G are allowed", spell_bytes(bytes)),
                help: "lower innodb_log_file_size or innodb_log_files_in_group".to_owned(),
            });
        }
        let buffer = self.s.integer("innodb_log_buffer_size")?;
        self.remark_on_large_log_buffer(buffer, bytes);
        if let Some(text) = Mysql80::margin_warning(&self.s)? {
            self.note(blame, text);
        }
        Ok(())
    }

    pub(super) fn write_ahead(&mut self) -> Result<(), SettingsError> {
        let bytes = self.s.integer("innodb_log_write_ahead_size")?;
        if bytes.is_power_of_two() {
            return Ok(());
        }
        Err(SettingsError {
            setting: "innodb_log_write_ahead_size".to_owned(),
            problem: format!("{bytes} is not a power of two"),
            help: format!("use {} or {}", bytes.next_power_of_two() / 2, bytes.next_power_of_two().min(16_384)),
        })
    }
}
