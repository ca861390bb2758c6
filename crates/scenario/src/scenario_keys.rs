//! Where a scenario key lives.

use crate::key::{Kind, keys, variants};

/// The dotted path of a scenario key of this name below the root, if there is one.
pub(crate) fn home_of(name: &str) -> Option<String> {
    let root = keys("scenario").iter().find(|root| match root.kind {
        Kind::Table(table) => keys(table).iter().any(|key| key.name == name),
        Kind::Variant(group) => variants(group).iter().any(|(_, keys)| keys.iter().any(|key| key.name == name)),
        _ => false,
    })?;
    Some(format!("{}.{name}", root.name))
}

/// Whether the root has a key of this name.
pub(crate) fn is_root(name: &str) -> bool {
    keys("scenario").iter().any(|key| key.name == name)
}
