//! An upgrade: the same files under two versions, and what each default that changes with them does alone.
//!
//! The settings that nobody wrote have the value of their version. Those that differ change silently. Each is set alone on
//! the old version, as far as that takes the new value, so that its difference to the first variant is what it does.
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
        let set = format!("{} = {after}", change.setting);
        // A version that does not take the value is no error of the scenario: the change has no row of its own.
        let Ok(alone) = loaded_alone(source, asked, &asked.models[0], &set) else { continue };
        if alone.scenario.settings.get(change.setting) == old.get(change.setting) {
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
    let mut names: Vec<&'static str> = old.values.keys().chain(new.values.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter(|name| old.get(name) != new.get(name))
        .map(|setting| SilentChange {
            setting,
            before: spelled(old, setting),
            after: spelled(new, setting),
            alone: None,
        })
        .filter(|change| change.before != change.after)
        .collect()
}
