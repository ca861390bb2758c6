//! From a name as people write it to a setting of a model, or to an error that names the right one.

use super::declarations::{declarations, setting};
use super::other_names::{OTHER_NAMES, leave_it_out};
use super::{ModelId, Servers, Setting};

/// Why a name is not a setting of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownReason {
    /// Earlier versions have it, and this one no longer: an option file with it is an old one.
    Removed,
    /// It exists in later versions or other servers.
    OtherVersion,
    /// The server has it, but it acts on nothing that is modelled.
    WithoutEffect,
    /// It looks like a misspelt name.
    Misspelt,
    /// Nothing is like it.
    Unknown,
}

/// A name that is not a setting of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {why}")]
pub struct UnknownSetting {
    /// The name as given.
    pub name: String,
    /// The model.
    pub model: ModelId,
    /// Which kind of mistake it is.
    pub reason: UnknownReason,
    /// What is wrong: from or until which version it exists, why it does nothing.
    pub why: String,
    /// What to do instead.
    pub help: String,
    /// The name to use instead, if there is one.
    pub suggestion: Option<&'static str>,
}

/// A setting's name in its one spelling: with underscores, without capitals.
pub fn normal_name(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('-', "_")
}

/// What `name` means to `model`.
pub fn lookup(model: ModelId, name: &str) -> Result<Setting, UnknownSetting> {
    let wanted = normal_name(name);
    if let Some(setting) = setting(model, &wanted) {
        return Ok(setting);
    }
    let error = |reason, why: String, help: String, suggestion| UnknownSetting {
        name: name.trim().to_owned(),
        model,
        reason,
        why,
        help,
        suggestion,
    };
    if let Some((history, instead)) = elsewhere(model, &wanted) {
        let why = format!("not a setting of {model}; {history}");
        let suggestion = first_setting(model, instead);
        let reason = if is_removed(model, &wanted) { UnknownReason::Removed } else { UnknownReason::OtherVersion };
        return Err(error(reason, why, instead.to_owned(), suggestion));
    }
    if let Some(why) = without_effect(model, &wanted) {
        let help = "leave it out".to_owned();
        return Err(error(UnknownReason::WithoutEffect, format!("no effect in {model}: {why}"), help, None));
    }
    match closest(model, &wanted) {
        Some(near) => {
            let why = format!("not a setting of {model}");
            Err(error(UnknownReason::Misspelt, why, format!("did you mean {near}?"), Some(near)))
        }
        None => {
            let help = format!("`innosim settings --model {model}` lists the settings");
            Err(error(UnknownReason::Unknown, format!("not a setting of {model}"), help, None))
        }
    }
}

/// Where a name that `model` does not have exists, and what to use instead.
fn elsewhere(model: ModelId, name: &str) -> Option<(&'static str, &'static str)> {
    if OTHER_NAMES.own_without_effect(model, name).is_some() {
        return None;
    }
    if let Some(row) = OTHER_NAMES.elsewhere(model, name) {
        return Some((row.history, row.instead));
    }
    if !model.is_innodb() {
        let of_innodb = name.starts_with("innodb_") || declarations().any(|d| d.name == name);
        return of_innodb.then(|| ("it belongs to InnoDB", leave_it_out()));
    }
    let declared = declarations().find(|d| d.name == name && !d.history.is_empty()).map(|d| (d.history, d.instead));
    let of_one_family = || OTHER_NAMES.of_one_family(name).map(|history| (history, leave_it_out()));
    declared.or_else(|| of_one_family().filter(|_| without_effect(model, name).is_none()))
}

/// Whether a name that `model` does not have is one of earlier versions of its server.
fn is_removed(model: ModelId, name: &str) -> bool {
    let declared = || declarations().any(|d| d.name == name && d.began_before(model));
    let of_percona = || model.is_of(Servers::PERCONA.from(5, 6, 0)) && OTHER_NAMES.of_one_family(name).is_some();
    model.is_innodb() && (OTHER_NAMES.was_removed(model, name) || declared() || of_percona())
}

/// Why a setting that the server of `model` knows does nothing in the model; `None` for any other name.
pub fn without_effect(model: ModelId, name: &str) -> Option<&'static str> {
    let wanted = normal_name(name);
    if setting(model, &wanted).is_some() {
        return None;
    }
    OTHER_NAMES.own_without_effect(model, &wanted).or_else(|| OTHER_NAMES.without_effect(&wanted))
}

/// The first setting of `model` that `text` names.
fn first_setting(model: ModelId, text: &str) -> Option<&'static str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .find_map(|word| setting(model, word))
        .map(|setting| setting.name)
}

/// The setting of `model` whose name is most like `wanted`, with or without the prefix; `None` if none is close.
fn closest(model: ModelId, wanted: &str) -> Option<&'static str> {
    let wanted = stem(wanted);
    let most = |name: &str| 1 + stem(name).len() / 5;
    declarations()
        .filter_map(|d| d.setting(model).map(|setting| setting.name))
        // Names that differ in length by more are not compared letter by letter: an option file has many of the rest of the server.
        .filter(|name| stem(name).len().abs_diff(wanted.len()) <= most(name))
        .map(|name| (strsim::damerau_levenshtein(wanted, stem(name)), name))
        .min()
        .filter(|(distance, name)| *distance <= most(name))
        .map(|(_, name)| name)
}

/// A name without the prefix that most have.
fn stem(name: &str) -> &str {
    name.strip_prefix("innodb_").unwrap_or(name)
}
