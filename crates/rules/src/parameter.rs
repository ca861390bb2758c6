//! Parameters of a rule: what it declares, and the values that a run gives them.

use crate::Fault;
use std::collections::BTreeMap;

/// A number that a rule leaves open. Every parameter is a real number; what it measures stands in its help.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name, as in `--set rule.NAME=VALUE`.
    pub name: String,
    /// Value if nobody gives one.
    pub default: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// What it does, with its unit.
    pub help: String,
}

/// Keys of a scenario's `[rule]` that are no parameters.
const RESERVED: [&str; 2] = ["file", "text"];

impl Parameter {
    /// Checks a declaration: a plain name that is not taken, a finite range, a default inside it.
    ///
    /// # Errors
    /// [`Fault`] without a place.
    pub fn checked(self, others: &[Parameter]) -> Result<Parameter, Fault> {
        let name = &self.name;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(plain) || name.len() > 40 {
            let help = "a name has small letters, digits and `_`, begins with a letter, and at most 40 characters";
            return Err(Fault::new(format!("{name:?} is no name of a parameter")).help(help));
        }
        if RESERVED.contains(&name.as_str()) {
            let help = format!("take another name: {} are keys of [rule] already", RESERVED.join(" and "));
            return Err(Fault::new(format!("a parameter can't be called `{name}`")).help(help));
        }
        if others.iter().any(|other| other.name == *name) {
            return Err(Fault::new(format!("parameter `{name}` is declared twice")).help("keep one of the two"));
        }
        let (min, max, default) = (self.min, self.max, self.default);
        if !(min.is_finite() && max.is_finite() && min < max) {
            let help = "give the smallest value before the largest: param(name, default, smallest, largest, help)";
            return Err(Fault::new(format!("parameter `{name}` ranges from {min} to {max}")).help(help));
        }
        if !(min..=max).contains(&default) {
            let help = "give a default inside the range";
            return Err(Fault::new(format!("parameter `{name}`: {default} is outside {min} to {max}")).help(help));
        }
        Ok(self)
    }

    /// Whether the parameter takes `value`.
    pub fn takes(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }

    /// The values that it takes, in words.
    pub fn allowed(&self) -> String {
        format!("a number from {} to {}; default {}", self.min, self.max, self.default)
    }
}

/// Values that a run gives the parameters of its rule; the others keep their defaults.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values(pub BTreeMap<String, f64>);

impl Values {
    /// The value of a parameter.
    pub fn of(&self, parameter: &Parameter) -> f64 {
        self.0.get(&parameter.name).copied().unwrap_or(parameter.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, default: f64, min: f64, max: f64) -> Parameter {
        Parameter { name: name.to_owned(), default, min, max, help: String::new() }
    }

    #[test]
    fn a_declaration_is_checked() {
        let good = parameter("gain", 1.0, 0.0, 2.0);
        assert!(good.clone().checked(&[]).is_ok());
        assert!(good.takes(2.0) && !good.takes(2.1) && !good.takes(f64::NAN));
        for (bad, words) in [
            (parameter("Gain", 1.0, 0.0, 2.0), "no name"),
            (parameter("", 1.0, 0.0, 2.0), "no name"),
            (parameter("text", 1.0, 0.0, 2.0), "can't be called"),
            (parameter("gain", 1.0, 0.0, 2.0), "twice"),
            (parameter("x", 1.0, 2.0, 2.0), "ranges from"),
            (parameter("x", 1.0, f64::NAN, 2.0), "ranges from"),
            (parameter("x", 3.0, 0.0, 2.0), "outside"),
        ] {
            let fault = bad.checked(std::slice::from_ref(&good)).unwrap_err();
            assert!(fault.message.contains(words), "{fault}");
        }
    }
}
