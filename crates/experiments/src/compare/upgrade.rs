//! An upgrade: the same files under two versions, and what each default that changes with them does alone.
//!
//! The settings that nobody wrote have the value of their version. Those that differ change silently. Each is set alone on
//! the old version, as far as that takes the new value, so that its difference to the first variant is what it does.
//! The size of the redo log is one change, whether it is that of some files or a capacity.
//! Settings that one version derives from another (`innodb_io_capacity_max` from `innodb_io_capacity`) come along with it.

use super::variant::{Asked, CompareError, Variant, loaded_alone, refused};
use innosim_flush_models::registry::{Settings, Value, lookup};
use innosim_scenario::Source;

/// A setting whose value changes with the version alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SilentChange {
    /// The setting.
    pub setting: &'static str,
    /// Its value before; `None` where the old version has no such setting.
    pub before: Option<String>,
    /// Its value after; `None` where the new version has no such setting.
    pub after: Option<String>,
    /// The variant in which the old version has only this changed; `None` where it does not take that value.
    pub alone: Option<String>,
}

/// An upgrade to compare: the old version, the new one, then the old one with one change each.
#[derive(Debug, Clone)]
pub struct Upgrade {
    /// What changes silently, by name.
    pub changes: Vec<SilentChange>,
    /// The runs, in this order.
    pub variants: Vec<Variant>,
}

/// The upgrade of `source` from the first of the two models asked for to the second.
///
/// # Errors
/// [`CompareError`] unless two models and no variants or rules are asked for, or where the scenario is wrong.
pub fn upgrade(source: Source<'_>, asked: &Asked) -> Result<Upgrade, CompareError> {
    let [_, _] = asked.models.as_slice() else {
        let help = "name the version before and the one after: --as-upgraded --model 8.0 --model 8.4";
        return Err(refused(
            format!("an upgrade is from one model to another, and {} are named", asked.models.len()),
            help,
        ));
    };
    if !asked.variants.is_empty() || !asked.rules.is_empty() {
        let help = "leave out --variant and --rule; --set changes a setting before and after";
        return Err(refused("an upgrade compares two versions and the defaults that differ", help));
    }
    let mut variants = super::variants(source, asked)?;
    let (old, new) = (variants[0].scenario.settings.clone(), variants[1].scenario.settings.clone());
    let mut changes = silent_changes(&old, &new);
    for change in &mut changes {
        let (Some(_), Some(after)) = (&change.before, &change.after) else { continue };
        let (name, set) = match file_of_redo(&old, &new) {
            Some(file) if change.setting == CAPACITY => (FILE_SIZE, format!("{FILE_SIZE} = {file}")),
            _ => (change.setting, format!("{} = {after}", change.setting)),
        };
        // A version that does not take the value is no error of the scenario: the change has no row of its own.
        let Ok(alone) = loaded_alone(source, asked, &asked.models[0], &set) else { continue };
        if alone.scenario.settings.get(name) == old.get(name) {
            continue;
        }
        change.alone = Some(set);
        variants.push(alone);
    }
    Ok(Upgrade { changes, variants })
}

/// Settings of which a version has another value than the other, or none.
fn silent_changes(old: &Settings, new: &Settings) -> Vec<SilentChange> {
    let spelled = |settings: &Settings, name: &str| {
        let setting = lookup(settings.model, name).ok()?;
        settings.get(name).map(|value: Value| setting.spell(value))
    };
    let one_size = file_of_redo(old, new).is_some();
    let of_redo = |name: &str| [CAPACITY, FILE_SIZE, FILES].contains(&name);
    let mut names: Vec<&'static str> = old.values.keys().chain(new.values.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter(|name| old.get(name) != new.get(name) && !(one_size && of_redo(name)))
        .map(|setting| SilentChange {
            setting,
            before: spelled(old, setting),
            after: spelled(new, setting),
            alone: None,
        })
        .chain(redo_log(old, new))
        .filter(|change| change.before != change.after)
        .collect()
}

/// The change of the redo log's size from that of some files to a capacity.
fn redo_log(old: &Settings, new: &Settings) -> Option<SilentChange> {
    file_of_redo(old, new)?;
    let capacity = lookup(new.model, CAPACITY).ok()?;
    let files = old.integer(FILE_SIZE).ok()? * old.integer(FILES).ok()?;
    Some(SilentChange {
        setting: CAPACITY,
        before: Some(capacity.spell(Value::Integer(files))),
        after: Some(capacity.spell(new.get(CAPACITY)?)),
        alone: None,
    })
}

/// The size of a file (bytes) with which the old version's files have the new version's capacity; `None` unless the old one has
/// files and the new one a capacity.
fn file_of_redo(old: &Settings, new: &Settings) -> Option<u64> {
    if old.get(CAPACITY).is_some() {
        return None;
    }
    Some(new.integer(CAPACITY).ok()? / old.integer(FILES).ok()?)
}

const CAPACITY: &str = "innodb_redo_log_capacity";
const FILE_SIZE: &str = "innodb_log_file_size";
const FILES: &str = "innodb_log_files_in_group";

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_flush_models::registry::{ModelId, parse_value};
    use std::collections::BTreeMap;

    fn settings(model: ModelId, lines: &[(&str, &str)]) -> Settings {
        let explicit: BTreeMap<_, _> = lines
            .iter()
            .map(|(name, text)| {
                let setting = lookup(model, name).unwrap();
                (setting.name, parse_value(&setting, text).unwrap())
            })
            .collect();
        Settings::resolve(model, &explicit).unwrap()
    }

    fn changes(old: Settings, new: Settings) -> Vec<(&'static str, Option<String>, Option<String>)> {
        silent_changes(&old, &new).into_iter().map(|change| (change.setting, change.before, change.after)).collect()
    }

    /// Files of 48M that became a capacity are one change of one size, and the unused default of the files is none.
    #[test]
    fn files_and_a_capacity_are_compared_by_what_they_hold() {
        let of_redo = |changes: Vec<(&'static str, Option<String>, Option<String>)>| {
            changes.into_iter().filter(|(name, ..)| name.contains("_log_f") || *name == CAPACITY).collect::<Vec<_>>()
        };
        let sizes = |before: &str, after: &str| vec![(CAPACITY, Some(before.to_owned()), Some(after.to_owned()))];
        for old in [ModelId::Mysql57, ModelId::Percona57, ModelId::Mysql8021] {
            let of = changes(settings(old, &[]), settings(ModelId::Mysql84, &[]));
            assert_eq!(of_redo(of), sizes("96M", "100M"), "{old}");
        }
        let files = [(FILE_SIZE, "2G"), (FILES, "2")];
        let kept = changes(settings(ModelId::Mysql57, &files), settings(ModelId::Mysql84, &files));
        assert_eq!(of_redo(kept), vec![], "4G either way");
        let same = changes(settings(ModelId::Mysql8030, &[]), settings(ModelId::Mysql84, &[]));
        assert_eq!(of_redo(same), vec![]);
    }

    /// What people who go from 8.0 to 8.4 meet.
    #[test]
    fn the_changes_from_80_to_84_are_all_there() {
        let all = changes(settings(ModelId::Mysql8030, &[]), settings(ModelId::Mysql84, &[]));
        let of = |name: &str| {
            let found = all.iter().find(|(setting, ..)| *setting == name);
            found.and_then(|(_, before, after)| Some((before.as_deref()?, after.as_deref()?)))
        };
        for (name, before, after) in [
            ("innodb_doublewrite_pages", "4", "128"),
            ("innodb_adaptive_hash_index", "ON", "OFF"),
            ("innodb_change_buffering", "all", "none"),
            ("innodb_io_capacity", "200", "10000"),
            ("innodb_io_capacity_max", "2000", "20000"),
            ("innodb_use_fdatasync", "OFF", "ON"),
            ("innodb_flush_method", "fsync", "O_DIRECT"),
            ("innodb_log_buffer_size", "16M", "64M"),
        ] {
            assert_eq!(of(name), Some((before, after)), "{name} of {all:?}");
        }
        let large = [("innodb_buffer_pool_size", "64G"), ("innodb_buffer_pool_instances", "8")];
        let large = changes(settings(ModelId::Mysql8030, &large), settings(ModelId::Mysql84, &large));
        assert!(large.contains(&("innodb_page_cleaners", Some("4".to_owned()), Some("8".to_owned()))), "{large:?}");
    }
}
