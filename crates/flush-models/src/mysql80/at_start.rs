//! What MySQL 8.0 and later make of their settings at start.

use super::Mysql80;
use crate::settings::{Resolver, Servers, SettingsError, Value, lookup, spell_bytes};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// Largest redo log that a dedicated server gives itself.
const MOST_DEDICATED_REDO_GIB: u64 = 16;

/// Buffer pool that a dedicated server gives itself (manual of 8.4).
fn dedicated_pool(memory: u64) -> u64 {
    let pool = match memory {
        _ if memory < GIB => 128 * MIB,
        _ if memory <= 4 * GIB => memory / 2,
        _ => memory / 4 * 3,
    };
    pool / MIB * MIB
}

/// All rules, in the server's order.
pub(super) fn run(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    if r.since_84() {
        let purge_threads = if r.host.logical_cpus <= 16 { 1 } else { 4 };
        r.derive("innodb_purge_threads", Value::Integer(purge_threads));
        r.dedicated_server()?;
    }
    r.io_capacity()?;
    r.dirty_pages_pct()?;
    r.buffer_pool()?;
    r.threads()?;
    r.doublewrite()?;
    r.redo()?;
    r.write_ahead()
}

impl Resolver<'_> {
    fn since_84(&self) -> bool {
        self.s.model.is_of(Servers::MYSQL.from(8, 4, 0))
    }

    /// A server that has its machine for itself chooses the sizes that nobody set.
    fn dedicated_server(&mut self) -> Result<(), SettingsError> {
        if !self.s.switch("innodb_dedicated_server")? {
            return Ok(());
        }
        let redo = ["innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group"];
        if !redo.into_iter().any(|name| self.is_explicit(name)) {
            let gib = u64::from(self.host.logical_cpus / 2).clamp(1, MOST_DEDICATED_REDO_GIB);
            let why = "innodb_dedicated_server: 1G for each two CPUs, 16G at most".to_owned();
            self.adjust("innodb_redo_log_capacity", Value::Integer(gib * GIB), why);
        }
        if self.is_explicit("innodb_buffer_pool_size") {
            return Ok(());
        }
        match self.host.memory_bytes {
            Some(memory) => {
                let pool = dedicated_pool(memory);
                let why = "innodb_dedicated_server: half of the memory, three quarters from 4G on".to_owned();
                self.adjust("innodb_buffer_pool_size", Value::Integer(pool), why);
            }
            None => self.note(
                "innodb_dedicated_server",
                "the buffer pool is half to three quarters of the machine's memory, which is not known, so the default holds here: set \
                 innodb_buffer_pool_size, or memory_gib in [host]",
            ),
        }
        Ok(())
    }

    fn io_capacity(&mut self) -> Result<(), SettingsError> {
        let io = self.s.integer("innodb_io_capacity")?;
        let least = if self.since_84() { 0 } else { 2000 };
        let max = (2 * io).max(least).min(u64::from(u32::MAX));
        self.derive("innodb_io_capacity_max", Value::Integer(max));
        self.io_capacity_within_max()
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
            let from =
                if self.s.model.is_of(Servers::MYSQL.from(9, 0, 0)) && !self.s.switch("log_bin")? { 5 } else { 32 };
            self.derive("innodb_log_writer_threads", Value::Switch(cpus >= from));
        }
        Ok(())
    }

    /// The sizes of the doublewrite buffer that 0 stands for, which the server's variables show from its start on.
    fn doublewrite(&mut self) -> Result<(), SettingsError> {
        let files = if self.s.model.is_of(Servers::PERCONA) {
            (2 * self.s.integer("innodb_buffer_pool_instances")?, "0 stands for 2 x innodb_buffer_pool_instances")
        } else {
            (2, "0 stands for 2")
        };
        let pages = (self.s.integer("innodb_write_io_threads")?, "0 stands for innodb_write_io_threads");
        for (name, (size, why)) in [("innodb_doublewrite_files", files), ("innodb_doublewrite_pages", pages)] {
            if lookup(self.s.model, name).is_err() {
                continue;
            }
            self.derive(name, Value::Integer(size));
            if self.s.integer(name)? == 0 {
                self.adjust(name, Value::Integer(size), why.to_owned());
            }
        }
        Ok(())
    }

    /// Capacity of the redo log and what must fit it.
    fn redo(&mut self) -> Result<(), SettingsError> {
        let files = self.s.integer("innodb_log_file_size")? * self.s.integer("innodb_log_files_in_group")?;
        let legacy = self.is_explicit("innodb_log_file_size") || self.is_explicit("innodb_log_files_in_group");
        let (blame, bytes) = if self.s.model.has_files_in_group() {
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
}
