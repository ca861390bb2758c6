//! From what somebody set to a value for every setting, as the server would do it at start.
//!
//! Defaults are filled in, first the fixed and then the derived ones; then the server's own adjustments are applied, in
//! its order, and recorded; at last combinations that can't run are refused. What is each server's own stands with it, in its
//! `at_start`; here is what several of them do alike.

use super::value::spell_bytes;
use super::{ModelId, Settings, Value, lookup, settings};
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;

/// What a server finds on its machine and takes defaults from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host {
    /// Logical CPUs.
    pub logical_cpus: u32,
    /// Memory, if it is known.
    pub memory_bytes: Option<u64>,
}

impl Default for Host {
    /// 16 logical CPUs, and nothing known of the memory.
    fn default() -> Self {
        Host { logical_cpus: 16, memory_bytes: None }
    }
}

/// A change that the server makes to a setting at start.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjustment {
    /// The setting.
    pub setting: &'static str,
    /// What was set or is the default.
    pub from: Value,
    /// What the server uses.
    pub to: Value,
    /// Why.
    pub why: String,
}

/// Something worth knowing about a combination of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The setting it is about.
    pub setting: &'static str,
    /// The remark.
    pub text: String,
}

/// What is wrong with a combination of settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct SettingsError {
    /// The setting to blame.
    pub setting: String,
    /// What is wrong, what is allowed.
    pub problem: String,
    /// The likely fix.
    pub help: String,
}

impl SettingsError {
    /// A flushing rule for a server that takes none.
    pub(crate) fn no_rule(model: ModelId) -> Self {
        SettingsError {
            setting: "innodb_adaptive_flushing".to_owned(),
            problem: format!("{model} takes no flushing rule of another kind"),
            help: "use a model of MySQL 5.6 or later, or of MariaDB".to_owned(),
        }
    }

    /// A setting that holds no value of the type that the model reads.
    pub(super) fn wrong_type(name: &str, found: Option<Value>, wanted: &str) -> Self {
        let found = found.map_or_else(|| "nothing".to_owned(), |value| value.to_string());
        SettingsError {
            setting: name.to_owned(),
            problem: format!("{wanted} is needed, {found} was found"),
            help: "resolve settings with Settings::resolve".to_owned(),
        }
    }
}

/// Settings on their way: what a server's `at_start` works on.
#[derive(Debug)]
pub struct Resolver<'a> {
    explicit: &'a BTreeMap<&'static str, Value>,
    pub(crate) host: Host,
    pub(crate) s: Settings,
}

impl<'a> Resolver<'a> {
    /// What was set, checked, and the defaults of `model` that follow from no other setting.
    pub(crate) fn new(
        model: ModelId,
        explicit: &'a BTreeMap<&'static str, Value>,
        host: Host,
    ) -> Result<Self, SettingsError> {
        let mut values = BTreeMap::new();
        for (name, value) in explicit {
            let setting = lookup(model, name).map_err(|error| SettingsError {
                setting: error.name.clone(),
                problem: error.why.clone(),
                help: error.help,
            })?;
            let value = setting.check(*value).map_err(|error| SettingsError {
                setting: setting.name.to_owned(),
                problem: format!("{} is {}", error.given, error.problem),
                help: error.help,
            })?;
            values.insert(setting.name, value);
        }
        for setting in settings(model) {
            if let (None, Some(value)) = (values.get(setting.name), setting.default) {
                values.insert(setting.name, value);
            }
        }
        Ok(Resolver { explicit, host, s: Settings { model, values, adjustments: Vec::new(), notes: Vec::new() } })
    }

    /// Combinations of settings of purge that do nothing.
    pub(crate) fn remark_on_purge(&mut self) -> Result<(), SettingsError> {
        let lag = self.s.integer("innodb_max_purge_lag")?;
        if lag > 0 && self.s.integer_or("innodb_max_purge_lag_delay", 1)? == 0 {
            let text = "nothing is delayed while innodb_max_purge_lag_delay is 0";
            self.note("innodb_max_purge_lag", text);
        }
        if self.s.switch_or("innodb_undo_log_truncate", false)? && self.s.integer("innodb_undo_tablespaces")? < 2 {
            self.note("innodb_undo_log_truncate", "nothing is truncated with fewer than 2 innodb_undo_tablespaces");
        }
        Ok(())
    }

    pub(crate) fn is_explicit(&self, name: &str) -> bool {
        self.explicit.contains_key(name)
    }

    /// The default that follows from other settings, unless the setting was set.
    pub(crate) fn derive(&mut self, name: &'static str, value: Value) {
        self.s.values.entry(name).or_insert(value);
    }

    pub(crate) fn adjust(&mut self, setting: &'static str, to: Value, why: String) {
        if let Some(from) = self.s.values.insert(setting, to) {
            self.s.adjustments.push(Adjustment { setting, from, to, why });
        }
    }

    pub(crate) fn note(&mut self, setting: &'static str, text: impl Into<String>) {
        self.s.notes.push(Note { setting, text: text.into() });
    }

    /// Servers start and run with a log buffer that is larger than the redo log.
    pub(crate) fn remark_on_large_log_buffer(&mut self, buffer: u64, redo: u64) {
        if buffer > redo {
            let (buffer, redo) = (spell_bytes(buffer), spell_bytes(redo));
            self.note("innodb_log_buffer_size", format!("{buffer} is more than the whole redo log ({redo})"));
        }
    }

    /// The maximum is not below the capacity, and best a multiple of it.
    pub(crate) fn io_capacity_within_max(&mut self) -> Result<(), SettingsError> {
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
    pub(crate) fn note_whole_quotient(&mut self, max: u64, io: u64) {
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

    /// The low-water mark is not above the share itself.
    pub(crate) fn dirty_pages_pct(&mut self) -> Result<(), SettingsError> {
        let pct = self.s.real("innodb_max_dirty_pages_pct")?;
        if self.s.real("innodb_max_dirty_pages_pct_lwm")? > pct {
            let why = "innodb_max_dirty_pages_pct_lwm cannot be higher than innodb_max_dirty_pages_pct".to_owned();
            self.adjust("innodb_max_dirty_pages_pct_lwm", Value::Real(pct), why);
        }
        Ok(())
    }

    /// The pool is a multiple of chunk size x instances.
    pub(crate) fn whole_chunks(&mut self) -> Result<(), SettingsError> {
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

    /// A page cleaner for each instance at most.
    pub(crate) fn cleaners_within_instances(&mut self) -> Result<(), SettingsError> {
        let instances = self.s.integer("innodb_buffer_pool_instances")?;
        if self.s.integer("innodb_page_cleaners")? > instances {
            let why = "there are no more page cleaners than buffer pool instances".to_owned();
            self.adjust("innodb_page_cleaners", Value::Integer(instances), why);
        }
        Ok(())
    }

    /// A power of two.
    pub(crate) fn write_ahead(&mut self) -> Result<(), SettingsError> {
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
