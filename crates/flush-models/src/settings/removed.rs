//! Values of options that later versions of MySQL removed.

use super::{ModelId, Servers};

/// Why the server of `model` does not start with this value of an option that it still has.
pub fn removed_value(model: ModelId, name: &str, value: &str) -> Option<&'static str> {
    let modes = || value.to_ascii_uppercase().contains("NO_AUTO_CREATE_USER");
    (name == "sql_mode" && model.is_of(Servers::MYSQL.from(8, 0, 0)) && modes())
        .then_some("the mode NO_AUTO_CREATE_USER exists until MySQL 5.7")
}
