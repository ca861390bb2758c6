//! Names: of models and of every setting that a model knows, with each model's default and range.
//!
//! The registry is the one place where a setting is declared. `innosim settings`, the JSON Schema, the checks on
//! scenarios and the models themselves all read it.
//!
//! ```text
//!   ModelId::parse("8.0")             which server
//!   lookup(model, "innodb-io-capacity")   -> Setting      what the name means there, or what to use instead
//!   parse_value(&setting, "2000")         -> Value        checked against that server's range
//!   Settings::resolve(model, &explicit)   -> Settings     every setting has a value; what the server would adjust
//!   build(&settings)                      -> ServerModel
//! ```
//!
//! Names are compared without case and with `-` for `_`. A name that the server knows but the model has no use for is
//! in [`without_effect`]; one that exists only in other versions is an error that says which and what to use instead.

mod declarations;
mod lookup;
mod model_id;
mod not_modelled;
mod other_names;
mod other_names_mariadb;
mod other_names_percona;
mod other_names_tnt;
mod resolve;
mod server_version;
mod value;

#[cfg(test)]
mod tests;

pub use lookup::{UnknownReason, UnknownSetting, lookup, normal_name, without_effect};
pub use model_id::{Machinery, ModelId, UnknownModel};
pub use resolve::{Adjustment, Host, Note, SettingsError};
pub use server_version::{ServerVersion, StandIn};
pub use value::{Kind, Value, ValueError, adjusted_value, parse_value};

use crate::mariadb::Mariadb;
use crate::mariadb::mistakes::Mistake;
use crate::mysql55::Mysql55;
use crate::mysql56::Mysql56;
use crate::mysql57::Mysql57;
use crate::mysql80::Mysql80;
use crate::tnt::Tnt;
use innosim_core::config::{BinaryLogConfig, ChangeBufferConfig, Merging, PAGE_BYTES};
use innosim_core::seam::{AdaptiveFlushing, ServerModel};
use std::collections::BTreeMap;

/// A setting as one model knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Real name, with underscores.
    pub name: &'static str,
    /// Values it takes.
    pub kind: Kind,
    /// Default; `None` where the default follows from other settings (see `default_text`).
    pub default: Option<Value>,
    /// The default in words, for people: `200`, `2 x innodb_io_capacity`, ...
    pub default_text: &'static str,
    /// Unit of whole and real numbers: `pages/s`, `%`, `bytes`, `` for none.
    pub unit: &'static str,
    /// What it does in the model, one or two sentences.
    pub help: &'static str,
    /// More for who wants it: how it acts, what to watch; may be empty.
    pub long_help: &'static str,
}

/// Resolved settings of one model: every setting the model knows has a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The model they belong to.
    pub model: ModelId,
    /// By name.
    pub values: BTreeMap<&'static str, Value>,
    /// What the server would change at start, as it would say in its error log.
    pub adjustments: Vec<Adjustment>,
    /// What is worth knowing about the combination.
    pub notes: Vec<Note>,
}

impl Settings {
    /// Value of a setting of this model.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.values.get(name).copied()
    }

    /// Value of a whole number or a size, in its unit or bytes.
    pub fn integer(&self, name: &'static str) -> Result<u64, SettingsError> {
        match self.get(name) {
            Some(Value::Integer(value)) => Ok(value),
            other => Err(SettingsError::wrong_type(name, other, "a whole number")),
        }
    }

    /// The same, or `default` if the model has no such setting.
    pub fn integer_or(&self, name: &'static str, default: u64) -> Result<u64, SettingsError> {
        if self.values.contains_key(name) { self.integer(name) } else { Ok(default) }
    }

    /// Value of a number with a fraction, in its unit.
    pub fn real(&self, name: &'static str) -> Result<f64, SettingsError> {
        match self.get(name) {
            Some(Value::Real(value)) => Ok(value),
            Some(Value::Integer(value)) => Ok(value as f64),
            other => Err(SettingsError::wrong_type(name, other, "a number")),
        }
    }

    /// Value of a switch.
    pub fn switch(&self, name: &'static str) -> Result<bool, SettingsError> {
        match self.get(name) {
            Some(Value::Switch(value)) => Ok(value),
            other => Err(SettingsError::wrong_type(name, other, "ON or OFF")),
        }
    }

    /// The same, or `default` if the model has no such setting.
    pub fn switch_or(&self, name: &'static str, default: bool) -> Result<bool, SettingsError> {
        if self.values.contains_key(name) { self.switch(name) } else { Ok(default) }
    }

    /// Value of a named choice.
    pub fn choice(&self, name: &'static str) -> Result<&'static str, SettingsError> {
        match self.get(name) {
            Some(Value::Choice(value)) => Ok(value),
            other => Err(SettingsError::wrong_type(name, other, "one of its names")),
        }
    }

    /// A setting and its value as a my.cnf line would hold them: `innodb_log_buffer_size = 16M`.
    pub fn line(&self, name: &str) -> Option<String> {
        let setting = lookup(self.model, name).ok()?;
        let value = self.get(setting.name)?;
        Some(format!("{} = {}", setting.name, setting.spell(value)))
    }
}

/// Every setting that `model` knows, by name.
pub fn settings(model: ModelId) -> Vec<Setting> {
    let mut all: Vec<Setting> = declarations::declarations().filter_map(|d| d.setting(model)).collect();
    all.sort_by_key(|setting| setting.name);
    all
}

/// The binary log that these settings ask for, with this many bytes of events a transaction.
pub fn binary_log(settings: &Settings, bytes_per_transaction: f64) -> Result<Option<BinaryLogConfig>, SettingsError> {
    let config = BinaryLogConfig {
        sync_every: u32::try_from(settings.integer("sync_binlog")?).unwrap_or(u32::MAX),
        grouped: settings.model.groups_binary_log(),
        leader_asks_for_redo: matches!(
            settings.model.machinery(),
            Machinery::Mysql8021 | Machinery::Mysql8027 | Machinery::Mysql8030
        ),
        bytes_per_transaction,
    };
    Ok(settings.switch("log_bin")?.then_some(config))
}

/// The change buffer that these settings ask for; none of a server that has given it up.
pub fn change_buffer(settings: &Settings) -> Result<Option<ChangeBufferConfig>, SettingsError> {
    if settings.get("innodb_change_buffering").is_none() {
        return Ok(None);
    }
    let pool_pages = settings.integer("innodb_buffer_pool_size")? / PAGE_BYTES;
    let buffering = settings.choice("innodb_change_buffering")?;
    let config = ChangeBufferConfig {
        changes: matches!(buffering, "all" | "changes" | "inserts"),
        purges: matches!(buffering, "all" | "purges"),
        max_pages: pool_pages * settings.integer("innodb_change_buffer_max_size")? / 100,
        io_capacity: settings.integer("innodb_io_capacity")?,
        merging: match settings.model.machinery() {
            Machinery::Mysql55 => Merging::PageCleaner,
            // Gave it up in 10.5.
            Machinery::Mariadb => Merging::Nobody,
            _ => Merging::EachSecond,
        },
    };
    Ok(((config.changes || config.purges) && config.max_pages > 0).then_some(config))
}

/// Builds the model's machinery from its settings.
pub fn build(settings: &Settings) -> Result<Box<dyn ServerModel>, SettingsError> {
    Ok(match settings.model.machinery() {
        Machinery::Mysql55 => Box::new(Mysql55::build(settings)?),
        Machinery::Mysql56 => Box::new(Mysql56::build(settings)?),
        Machinery::Mysql57 => Box::new(Mysql57::build(settings)?),
        Machinery::Mysql8021 | Machinery::Mysql8027 | Machinery::Mysql8030 => Box::new(Mysql80::build(settings)?),
        Machinery::Mariadb => Box::new(Mariadb::build(settings)?),
        Machinery::Tnt => Box::new(Tnt::build(settings)?),
    })
}

/// Builds the machinery of MariaDB as it was before a fix.
///
/// # Errors
/// No other model has these mistakes.
pub fn build_with_mistake(settings: &Settings, mistake: Mistake) -> Result<Box<dyn ServerModel>, SettingsError> {
    if settings.model.is_mariadb() {
        return Ok(Box::new(Mariadb::build_with_mistake(settings, mistake)?));
    }
    Err(SettingsError {
        setting: "innodb_adaptive_flushing".to_owned(),
        problem: format!("{} never had the mistake {}", settings.model, mistake.name()),
        help: "it is one of MariaDB's: use the model mariadb-10.11".to_owned(),
    })
}

/// Builds the model's machinery with `rule` in place of the server's adaptive flushing.
///
/// # Errors
/// Models of 5.5 take no rule: they flush at several places, by several rules; nor does TNT, which has none.
pub fn build_with_rule(
    settings: &Settings,
    rule: Box<dyn AdaptiveFlushing>,
) -> Result<Box<dyn ServerModel>, SettingsError> {
    match settings.model.machinery() {
        Machinery::Mysql8021 | Machinery::Mysql8027 | Machinery::Mysql8030 => {
            Ok(Box::new(Mysql80::build_with_rule(settings, rule)?))
        }
        Machinery::Mysql56 => Ok(Box::new(Mysql56::build_with_rule(settings, rule)?)),
        Machinery::Mysql57 => Ok(Box::new(Mysql57::build_with_rule(settings, rule)?)),
        Machinery::Mysql55 | Machinery::Tnt => Err(SettingsError {
            setting: "innodb_adaptive_flushing".to_owned(),
            problem: format!("{} takes no flushing rule of another kind", settings.model),
            help: "use a model of MySQL 5.6 or later, or of MariaDB".to_owned(),
        }),
        Machinery::Mariadb => Ok(Box::new(Mariadb::build_with_rule(settings, rule)?)),
    }
}
