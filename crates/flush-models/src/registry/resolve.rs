//! From what somebody set to a value for every setting, as the server would do it at start.
//!
//! Defaults are filled in, first the fixed and then the derived ones; then the server's own adjustments are applied, in
//! its order, and recorded; at last combinations that can't run are refused.

mod mariadb;
mod mysql55;
mod mysql56;
mod mysql80;
mod tnt;

use super::value::spell_bytes;
use super::{Machinery, ModelId, Settings, Value, build, lookup, settings};
use std::collections::BTreeMap;

/// What a server finds on its machine and takes defaults from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host {
    /// Logical CPUs.
    pub logical_cpus: u32,
}

impl Default for Host {
    /// 16 logical CPUs.
    fn default() -> Self {
        Host { logical_cpus: 16 }
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

impl Settings {
    /// Resolves `explicit` settings on the default [`Host`]; see [`Settings::resolve_on`].
    pub fn resolve(model: ModelId, explicit: &BTreeMap<&'static str, Value>) -> Result<Self, SettingsError> {
        Self::resolve_on(model, explicit, Host::default())
    }

    /// Fills in the defaults of `model`, applies what the server adjusts at start, and refuses what can't run.
    pub fn resolve_on(
        model: ModelId,
        explicit: &BTreeMap<&'static str, Value>,
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
        let resolved = Settings { model, values, adjustments: Vec::new(), notes: Vec::new() };
        let mut resolver = Resolver { explicit, host, s: resolved };
        resolver.run()?;
        build(&resolver.s)?;
        Ok(resolver.s)
    }
}

/// Settings on their way.
struct Resolver<'a> {
    explicit: &'a BTreeMap<&'static str, Value>,
    host: Host,
    s: Settings,
}

impl Resolver<'_> {
    /// The rules of the model's family.
    fn run(&mut self) -> Result<(), SettingsError> {
        let model = self.s.model;
        let purge_threads = if self.host.logical_cpus <= 16 { 1 } else { 4 };
        if model.mysql_release().is_some_and(|release| release >= 84) {
            self.derive("innodb_purge_threads", Value::Integer(purge_threads));
        }
        if model != ModelId::Tnt {
            self.remark_on_purge()?;
        }
        match model.machinery() {
            Machinery::Mysql55 => mysql55::run(self),
            Machinery::Mysql56 | Machinery::Mysql57 => mysql56::run(self),
            Machinery::Mysql8021 | Machinery::Mysql8027 | Machinery::Mysql8030 => mysql80::run(self),
            Machinery::Mariadb => mariadb::run(self),
            Machinery::Tnt => tnt::run(self),
        }
    }

    /// Combinations of settings of purge that do nothing.
    fn remark_on_purge(&mut self) -> Result<(), SettingsError> {
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

    fn is_explicit(&self, name: &str) -> bool {
        self.explicit.contains_key(name)
    }

    /// The default that follows from other settings, unless the setting was set.
    fn derive(&mut self, name: &'static str, value: Value) {
        self.s.values.entry(name).or_insert(value);
    }

    fn adjust(&mut self, setting: &'static str, to: Value, why: String) {
        if let Some(from) = self.s.values.insert(setting, to) {
            self.s.adjustments.push(Adjustment { setting, from, to, why });
        }
    }

    fn note(&mut self, setting: &'static str, text: impl Into<String>) {
        self.s.notes.push(Note { setting, text: text.into() });
    }

    /// Servers start and run with a log buffer that is larger than the redo log.
    fn remark_on_large_log_buffer(&mut self, buffer: u64, redo: u64) {
        if buffer > redo {
            let (buffer, redo) = (spell_bytes(buffer), spell_bytes(redo));
            self.note("innodb_log_buffer_size", format!("{buffer} is more than the whole redo log ({redo})"));
        }
    }
}
