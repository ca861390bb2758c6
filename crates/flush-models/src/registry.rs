//! Names: of models and of every setting that a model knows, with each model's default and range.
//!
//! The registry is the one place where a setting is declared. `innosim settings`, the JSON Schema, the checks on
//! scenarios and the models themselves all read it.

use innosim_core::seam::ServerModel;
use std::collections::BTreeMap;

/// A shipped server model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelId {
    /// MySQL 8.0.21 (stands for 8.0.20 .. 8.0.22).
    Mysql8021,
    /// MySQL 8.0.30 and later 8.0.
    Mysql8030,
}

/// A setting's value, resolved: bytes for sizes, the unit of the setting otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// Whole numbers, sizes in bytes.
    Integer(u64),
    /// Percentages with fractions.
    Real(f64),
    /// ON / OFF.
    Switch(bool),
    /// One of the setting's named choices.
    Choice(&'static str),
}

/// What values a setting takes, with this model's default and range.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A whole number.
    Integer {
        /// Smallest allowed.
        min: u64,
        /// Largest allowed.
        max: u64,
    },
    /// A size in bytes; accepts K, M, G, T.
    Bytes {
        /// Smallest allowed.
        min: u64,
        /// Largest allowed.
        max: u64,
        /// Must be a multiple of this.
        step: u64,
    },
    /// A number with a fraction.
    Real {
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// ON or OFF.
    Switch,
    /// One of these names (compared without case).
    Choice(&'static [&'static str]),
}

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
}

/// Resolved settings of one model: every setting the model knows has a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The model they belong to.
    pub model: ModelId,
    /// By name.
    pub values: BTreeMap<&'static str, Value>,
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

/// Builds the model's machinery from its settings.
pub fn build(_settings: &Settings) -> Result<Box<dyn ServerModel>, SettingsError> {
    unreachable!("written with the models")
}
