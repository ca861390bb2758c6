//! Makes rules of other programs known.

use crate::Rule;
use crate::native::{self, NativeRule};

/// Why a rule can't be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterError(pub String);

impl std::fmt::Display for RegisterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RegisterError {}

/// Makes a rule known under its name for the rest of the program's life.
///
/// # Errors
/// [`RegisterError`] for a name that is none or is taken, and for parameters that are wrong.
pub fn register(rule: NativeRule) -> Result<(), RegisterError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if rule.name.is_empty() || !rule.name.chars().all(plain) {
        let text = format!("{:?} is no name of a rule: it has small letters, digits and `-`", rule.name);
        return Err(RegisterError(text));
    }
    if Rule::named(&rule.name).is_some() {
        return Err(RegisterError(format!("there is a rule `{}` already", rule.name)));
    }
    for (i, parameter) in rule.parameters.iter().enumerate() {
        let checked = parameter.clone().checked(&rule.parameters[..i]);
        checked.map_err(|fault| RegisterError(format!("rule `{}`: {}", rule.name, fault.message)))?;
    }
    native::keep(rule);
    Ok(())
}
