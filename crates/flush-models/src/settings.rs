//! The ground: names of settings, with each server's defaults and ranges, and their values.
//!
//! The one place where a setting is declared. `innosim settings`, the JSON Schema, the checks on scenarios and the models
//! themselves all read it. It knows servers by product and version alone ([`ModelId`], [`Servers`]): what a server makes of
//! its settings stands with the server.
//!
//! ```text
//!   lookup(model, "innodb-io-capacity")   -> Setting      what the name means there, or what to use instead
//!   parse_value(&setting, "2000")         -> Value        checked against that server's range
//! ```
//!
//! Names are compared without case and with `-` for `_`. A name that the server knows but the model has no use for is
//! in [`without_effect`]; one that exists only in other versions is an error that says which and what to use instead.

mod at_start;
mod declarations;
mod lookup;
mod model_id;
mod other_names;
mod removed;
mod server_list;
mod servers;
mod typed;
mod value;

pub use at_start::{Adjustment, Host, Note, Resolver, SettingsError};
pub use lookup::{UnknownReason, UnknownSetting, lookup, normal_name, without_effect};
pub use model_id::ModelId;
pub use removed::removed_value;
pub use servers::{Product, Servers, Version};
pub(crate) use typed::FlushMethod;
pub(crate) use value::spell_bytes;
pub use value::{Kind, Value, ValueError, adjusted_value, parse_value};

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

/// A table of this folder, which is part of the program.
fn read_table<T: serde::Deserialize<'static>>(text: &'static str) -> T {
    match toml::from_str(text) {
        Ok(table) => table,
        Err(error) => unreachable!("a table of settings: {error}"),
    }
}

/// Every setting that `model` knows, by name.
pub fn settings(model: ModelId) -> Vec<Setting> {
    let mut all: Vec<Setting> = declarations::declarations().filter_map(|d| d.setting(model)).collect();
    all.sort_by_key(|setting| setting.name);
    all
}
