//! Values of settings, and how a my.cnf spells them.

use super::Setting;
use serde::Deserialize;
use std::fmt;

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
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "String")]
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

impl Kind {
    /// Whether values are sizes in bytes.
    pub fn is_bytes(&self) -> bool {
        matches!(self, Kind::Bytes { .. })
    }
}

impl TryFrom<String> for Kind {
    type Error = String;

    /// From its words, as [`Setting::allowed`] has them; real numbers have a decimal point.
    fn try_from(words: String) -> Result<Self, String> {
        if words == "ON, OFF" {
            return Ok(Kind::Switch);
        }
        let Some((min, rest)) = words.split_once(" to ") else {
            let names: Vec<&str> = words.leak().split(", ").collect();
            return Ok(Kind::Choice(names.leak()));
        };
        let (max, step) = rest.split_once(" in steps of ").unwrap_or((rest, "1"));
        let range = if words.contains('.') {
            min.parse().ok().zip(max.parse().ok()).map(|(min, max)| Kind::Real { min, max })
        } else if words.contains(|c: char| c.is_ascii_uppercase()) {
            let ends = read_bytes(min).zip(read_bytes(max)).zip(read_bytes(step));
            ends.map(|((min, max), step)| Kind::Bytes { min, max, step })
        } else {
            min.parse().ok().zip(max.parse().ok()).map(|(min, max)| Kind::Integer { min, max })
        };
        range.ok_or_else(|| format!("`{words}` is no range of values"))
    }
}

/// A value that a setting doesn't take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} = {given}: {problem}")]
pub struct ValueError {
    /// The setting.
    pub setting: &'static str,
    /// What was given.
    pub given: String,
    /// What is wrong with it.
    pub problem: String,
    /// What is allowed, or the likely fix.
    pub help: String,
}

/// Size suffixes and their powers of two.
const SUFFIXES: &[(char, u32)] = &[('k', 10), ('m', 20), ('g', 30), ('t', 40), ('p', 50), ('e', 60)];

impl fmt::Display for Value {
    /// Plain: sizes in bytes. [`Setting::spell`] knows which numbers are sizes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(f, "{value}"),
            Value::Real(value) => write!(f, "{value}"),
            Value::Switch(on) => f.write_str(if *on { "ON" } else { "OFF" }),
            Value::Choice(name) => f.write_str(name),
        }
    }
}

/// `bytes` with the largest suffix that is exact: `20G`, `1536M`, `4194303K`, `1000`.
pub(crate) fn spell_bytes(bytes: u64) -> String {
    let exact = SUFFIXES.iter().rev().find(|(_, power)| bytes > 0 && bytes.is_multiple_of(1 << power));
    match exact {
        Some((suffix, power)) => format!("{}{}", bytes >> power, suffix.to_ascii_uppercase()),
        None => bytes.to_string(),
    }
}

/// What [`spell_bytes`] writes.
fn read_bytes(text: &str) -> Option<u64> {
    let scaled = |(suffix, power): &(char, u32)| Some((text.strip_suffix(suffix.to_ascii_uppercase())?, *power));
    let (digits, power) = SUFFIXES.iter().find_map(scaled).unwrap_or((text, 0));
    digits.parse::<u64>().ok()?.checked_mul(1 << power)
}

impl Setting {
    /// `value` as a my.cnf spells it.
    pub fn spell(&self, value: Value) -> String {
        match (self.kind, value) {
            (Kind::Bytes { .. }, Value::Integer(bytes)) => spell_bytes(bytes),
            _ => value.to_string(),
        }
    }

    /// What values it takes, in words: `100 to 4294967295`, `8M to 512G in steps of 1M`, `ON, OFF`.
    pub fn allowed(&self) -> String {
        match self.kind {
            Kind::Integer { min, max } => format!("{min} to {max}"),
            Kind::Bytes { min, max, .. } if min == max => format!("only {min}"),
            Kind::Bytes { min, max, step: 1 } => format!("{} to {}", spell_bytes(min), spell_bytes(max)),
            Kind::Bytes { min, max, step } => {
                format!("{} to {} in steps of {}", spell_bytes(min), spell_bytes(max), spell_bytes(step))
            }
            Kind::Real { min, max } => format!("{min} to {max}"),
            Kind::Switch => "ON, OFF".to_owned(),
            Kind::Choice(names) => names.join(", "),
        }
    }

    /// Checks a value against the setting's type and range.
    pub fn check(&self, value: Value) -> Result<Value, ValueError> {
        let given = self.spell(value);
        match (self.kind, value) {
            (Kind::Integer { min, max }, Value::Integer(v)) if v < min || v > max => Err(self.out_of_range(&given)),
            (Kind::Bytes { min, max, .. }, Value::Integer(v)) if v < min || v > max => Err(self.out_of_range(&given)),
            (Kind::Bytes { min, step, .. }, Value::Integer(v)) if !v.is_multiple_of(step) => {
                let below = (v / step * step).max(min);
                let help = format!("use {} or {}", spell_bytes(below), spell_bytes(v.div_ceil(step) * step));
                Err(self.error(&given, format!("not a multiple of {}", spell_bytes(step)), help))
            }
            (Kind::Real { min, max }, Value::Real(v)) if !(min..=max).contains(&v) => Err(self.out_of_range(&given)),
            (Kind::Choice(names), Value::Choice(name)) if !names.contains(&name) => Err(self.out_of_range(&given)),
            (Kind::Integer { .. } | Kind::Bytes { .. }, Value::Integer(_))
            | (Kind::Real { .. }, Value::Real(_))
            | (Kind::Switch, Value::Switch(_))
            | (Kind::Choice(_), Value::Choice(_)) => Ok(value),
            _ => Err(self.error(&given, "wrong kind of value".to_owned(), self.allowed_help())),
        }
    }

    fn error(&self, given: &str, problem: String, help: String) -> ValueError {
        ValueError { setting: self.name, given: given.to_owned(), problem, help }
    }

    fn out_of_range(&self, given: &str) -> ValueError {
        let problem = if matches!(self.kind, Kind::Choice(_)) { "not one of its values" } else { "out of range" };
        self.error(given, problem.to_owned(), self.allowed_help())
    }

    fn allowed_help(&self) -> String {
        let unit =
            if self.unit.is_empty() || self.unit == "bytes" { String::new() } else { format!(" ({})", self.unit) };
        format!("allowed: {}{unit}", self.allowed())
    }
}

/// Reads a value as a my.cnf or `SET GLOBAL` spells it, and checks it: `10G`, `512M`, `20GB`, `ON`, `1`, `O_DIRECT`.
pub fn parse_value(setting: &Setting, text: &str) -> Result<Value, ValueError> {
    let given = text.trim();
    if given.is_empty() {
        return Err(setting.error(given, "no value".to_owned(), setting.allowed_help()));
    }
    let value = match setting.kind {
        Kind::Integer { .. } | Kind::Bytes { .. } => Value::Integer(parse_whole(setting, given)?),
        Kind::Real { .. } => match given.trim_end_matches('%').trim_end().parse::<f64>() {
            Ok(number) if number.is_finite() => Value::Real(number),
            _ => return Err(setting.error(given, "not a number".to_owned(), setting.allowed_help())),
        },
        Kind::Switch => Value::Switch(parse_switch(given).ok_or_else(|| {
            setting.error(given, "neither ON nor OFF".to_owned(), "use ON or OFF (or 1 or 0)".to_owned())
        })?),
        Kind::Choice(names) => Value::Choice(parse_choice(setting, names, given)?),
    };
    let forgotten = |error: &ValueError| match (setting.kind, value) {
        // 8 is eight bytes, and never meant so.
        (Kind::Bytes { min, .. }, Value::Integer(bytes)) if bytes < min && given.parse() == Ok(bytes) => {
            format!("without a suffix it is {given} bytes: write {given}M or {given}G, {}", error.help)
        }
        _ => error.help.clone(),
    };
    setting.check(value).map_err(|error| ValueError { given: given.to_owned(), help: forgotten(&error), ..error })
}

/// What a server that starts with a number it does not take makes of it: the nearer end of the range, or the multiple
/// below; `None` of what is no number, or where the model is stricter than the servers.
pub fn adjusted_value(setting: &Setting, text: &str) -> Option<Value> {
    if let Kind::Real { min, max } = setting.kind {
        let given: f64 = text.trim().parse().ok().filter(|given: &f64| given.is_finite())?;
        return Some(Value::Real(given.clamp(min, max)));
    }
    let given = parse_whole(setting, text.trim()).ok()?;
    match setting.kind {
        Kind::Integer { min, max } => Some(Value::Integer(given.clamp(min, max))),
        Kind::Bytes { min, max, step } if min < max => {
            Some(Value::Integer((given.clamp(min, max) / step * step).max(min)))
        }
        _ => None,
    }
}

fn parse_switch(given: &str) -> Option<bool> {
    match given.to_ascii_uppercase().as_str() {
        "ON" | "1" | "TRUE" => Some(true),
        "OFF" | "0" | "FALSE" => Some(false),
        _ => None,
    }
}

/// A choice by name, by position from 0, or by the words for ON and OFF where these are among the names.
fn parse_choice(setting: &Setting, names: &'static [&'static str], given: &str) -> Result<&'static str, ValueError> {
    if let Some(name) = names.iter().find(|name| name.eq_ignore_ascii_case(given)) {
        return Ok(name);
    }
    if let Some(name) = given.parse::<usize>().ok().and_then(|position| names.get(position)) {
        return Ok(name);
    }
    let word = parse_switch(given).map(|on| if on { "ON" } else { "OFF" });
    if let Some(name) = names.iter().find(|name| Some(**name) == word) {
        return Ok(name);
    }
    let lowered = given.to_ascii_uppercase();
    let close = names
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&lowered, &name.to_ascii_uppercase()), *name))
        .min()
        .filter(|(distance, name)| *distance <= 3 && *distance < name.len());
    let help = match close {
        Some((_, name)) => format!("did you mean {name}? {}", setting.allowed_help()),
        None => setting.allowed_help(),
    };
    Err(setting.error(given, "not one of its values".to_owned(), help))
}

/// A whole number with an optional size suffix; sizes may end in `B` as in `20GB`.
fn parse_whole(setting: &Setting, given: &str) -> Result<u64, ValueError> {
    let digits_end = given.find(|c: char| !c.is_ascii_digit()).unwrap_or(given.len());
    let (digits, rest) = given.split_at(digits_end);
    let suffix = rest.trim_start();
    if suffix.len() < rest.len() && !digits.is_empty() && suffix.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let problem = "a space before its suffix, at which the server does not start".to_owned();
        return Err(setting.error(given, problem, format!("write {digits}{suffix}")));
    }
    let not_whole = || {
        let problem = if given.starts_with('-') { "negative" } else { "not a whole number" };
        setting.error(given, problem.to_owned(), setting.allowed_help())
    };
    if suffix.starts_with(['.', ',']) && !digits.is_empty() {
        let help = "sizes are whole numbers of a unit: 1536M instead of 1.5G".to_owned();
        let help = if matches!(setting.kind, Kind::Bytes { .. }) { help } else { setting.allowed_help() };
        return Err(setting.error(given, "not a whole number".to_owned(), help));
    }
    let number: u64 = digits.parse().map_err(|_| not_whole())?;
    let lowered = suffix.to_ascii_lowercase();
    if lowered.ends_with('b') && !setting.kind.is_bytes() {
        // Servers multiply any number by K, M, G; whoever writes bytes takes a count for a size.
        let help = format!("write a plain number, {}", setting.allowed_help());
        return Err(setting.error(given, "a size in bytes, but the setting is no size".to_owned(), help));
    }
    let unit = lowered.strip_suffix('b').map_or(lowered.as_str(), |unit| unit.strip_suffix('i').unwrap_or(unit));
    let mut letters = unit.chars();
    let power = match (letters.next(), letters.next()) {
        (None, _) => Some(0),
        (Some(letter), None) => SUFFIXES.iter().find(|(suffix, _)| *suffix == letter).map(|(_, power)| *power),
        _ => None,
    };
    let Some(power) = power else {
        let problem = format!("unknown size suffix `{suffix}`");
        return Err(setting.error(given, problem, "use K, M, G, T, P or E".to_owned()));
    };
    number.checked_mul(1 << power).ok_or_else(|| setting.out_of_range(given))
}
