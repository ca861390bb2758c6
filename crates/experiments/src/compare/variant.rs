//! From the words of a command line to loaded scenarios.
//!
//! Models and variants multiply: two models and two variants are four runs to compare. A setting that the scenario's
//! file holds and that a model does not know is dropped with a note; one that was asked for by name is an error.

use innosim_flush_models::registry::ModelId;
use innosim_scenario::{Diagnostic, Diagnostics, Overrides, Place, Scenario, Source, in_one_line, load};
use std::path::Path;

/// The name of the rule that every server has.
const OWN_RULE: &str = "server";

/// How a variant is written.
const USAGE: &str = "write LABEL:SETTING=VALUE,SETTING=VALUE, such as \"big redo:innodb_redo_log_capacity=20G\"; \
                     a label with nothing behind its colon is the scenario as it stands";

/// What somebody wants compared.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Server models; none: the scenario's own.
    pub models: Vec<String>,
    /// Variants as `label:setting=value,setting=value`; none: the scenario's settings.
    pub variants: Vec<String>,
    /// Flushing rules that each of these runs with, beside the server's own; none: the scenario's rule.
    pub rules: Vec<String>,
    /// Changes that all variants share.
    pub common: Overrides,
}

/// A scenario that is compared with others.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its short name.
    pub label: String,
    /// Settings that set it apart, as written: `SETTING=VALUE`.
    pub set: Vec<String>,
    /// The scenario with its model and settings.
    pub scenario: Scenario,
    /// What became of settings that its model does not have, and other remarks.
    pub notes: Vec<String>,
}

/// Why there is nothing to compare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The variants as such are wrong.
    #[error("{problem}\n  = help: {help}")]
    Asked {
        /// What is wrong.
        problem: String,
        /// The likely fix.
        help: String,
    },
    /// The scenario is wrong before anything is changed.
    #[error("{0}")]
    Plain(Diagnostics),
    /// A variant's scenario is wrong.
    #[error("variant `{label}`: {errors}")]
    Scenario {
        /// The variant.
        label: String,
        /// What is wrong with it.
        errors: Diagnostics,
    },
}

pub(super) fn refused(problem: impl Into<String>, help: impl Into<String>) -> CompareError {
    CompareError::Asked { problem: problem.into(), help: help.into() }
}

/// A variant before its scenario is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Wanted {
    label: String,
    model: Option<String>,
    rule: Option<String>,
    set: Vec<String>,
    /// What followed `--variant`; empty without one.
    argument: String,
}

/// Loads every variant of `source` that is asked for, in the order of models and variants.
///
/// # Errors
/// [`CompareError`] for fewer than two variants, two of the same name, or a scenario that is wrong.
pub fn variants(source: Source<'_>, asked: &Asked) -> Result<Vec<Variant>, CompareError> {
    let wanted = wanted(asked)?;
    for (i, one) in wanted.iter().enumerate() {
        if wanted[..i].iter().any(|other| other.label == one.label) {
            let help = "give each variant a label of its own, and each model once";
            return Err(refused(format!("two variants are called `{}`", one.label), help));
        }
    }
    if wanted.len() < 2 {
        let help = "name two models (--model 5.7 --model 8.0), or two variants (--variant \"as is:\" --variant \"more:\
                    innodb_io_capacity_max=8000\")";
        return Err(refused("a comparison takes at least two variants", help));
    }
    // What is wrong with the scenario itself is no variant's fault.
    load(source, &Overrides::default()).map_err(CompareError::Plain)?;
    wanted.into_iter().map(|one| loaded(source, asked, one)).collect()
}

fn wanted(asked: &Asked) -> Result<Vec<Wanted>, CompareError> {
    let models: Vec<ModelId> = asked
        .models
        .iter()
        .map(|text| ModelId::parse(text).map_err(|unknown| refused(unknown.to_string(), unknown.suggestion)))
        .collect::<Result<_, _>>()?;
    let rules = &asked.rules;
    let settings: Vec<Wanted> = asked.variants.iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
    // The text as it was asked for: loading it says what may differ in a version without a model of its own.
    let by_model = models.iter().zip(&asked.models).map(|(model, text)| (model.name(), Some(text.clone())));
    let wanted: Vec<Wanted> = match (models.len(), settings.len()) {
        (0, _) => settings,
        (_, 0) => by_model.map(|(name, model)| Wanted { label: name.to_owned(), model, ..Wanted::default() }).collect(),
        // One model says where all variants run, and need not stand in every label.
        (1, _) => settings.into_iter().map(|one| Wanted { model: asked.models.first().cloned(), ..one }).collect(),
        _ => by_model
            .flat_map(|(name, model)| {
                settings.iter().map(move |one| Wanted {
                    label: format!("{name}, {}", one.label),
                    model: model.clone(),
                    ..one.clone()
                })
            })
            .collect(),
    };
    Ok(if rules.is_empty() { wanted } else { with_rules(wanted, rules) })
}

/// Each variant with the server's own rule and with each of `rules`.
fn with_rules(wanted: Vec<Wanted>, rules: &[String]) -> Vec<Wanted> {
    let bare = wanted.is_empty();
    let wanted = if bare { vec![Wanted::default()] } else { wanted };
    let rules = std::iter::once(OWN_RULE).chain(rules.iter().map(String::as_str));
    let named = |one: &Wanted, rule: &str| {
        let name = Path::new(rule).file_stem().map_or_else(|| rule.into(), |stem| stem.to_string_lossy());
        let name = in_one_line(if rule == OWN_RULE { "server's own rule" } else { &name });
        if bare || one.label.is_empty() { name } else { format!("{}, {name}", one.label) }
    };
    let of_rule = |rule: &str| -> Vec<Wanted> {
        let one = |one: &Wanted| Wanted { label: named(one, rule), rule: Some(rule.to_owned()), ..one.clone() };
        wanted.iter().map(one).collect()
    };
    rules.flat_map(of_rule).collect()
}

fn loaded(source: Source<'_>, asked: &Asked, wanted: Wanted) -> Result<Variant, CompareError> {
    let mut overrides = asked.common.clone();
    if wanted.model.is_some() {
        overrides.model.clone_from(&wanted.model);
    }
    if wanted.rule.is_some() {
        overrides.rule.clone_from(&wanted.rule);
    }
    if let Some(key) = fixed_twice(&overrides, &wanted) {
        let problem = format!("variant `{}` sets `{key}`, and one value is given for all variants too", wanted.label);
        return Err(refused(problem, format!("leave out --{key}, or `{key}` of the variant")));
    }
    // A variant's own settings come last, which lays them over the common ones.
    overrides.set.extend(wanted.set.iter().cloned());
    match load(source, &overrides) {
        Ok(mut scenario) => {
            let notes = std::mem::take(&mut scenario.notes);
            let notes = notes.into_iter().map(|note| match note.help {
                Some(help) => format!("{} ({help})", note.message),
                None => note.message,
            });
            Ok(Variant { label: wanted.label, set: wanted.set, notes: notes.collect(), scenario })
        }
        Err(errors) => {
            let errors = errors.map(|error| relabelled(error, &wanted));
            Err(CompareError::Scenario { label: wanted.label, errors })
        }
    }
}

/// The scenario under a model with one setting, labelled by it.
pub(super) fn loaded_alone(source: Source<'_>, asked: &Asked, model: &str, set: &str) -> Result<Variant, CompareError> {
    let set = vec![set.to_owned()];
    loaded(source, asked, Wanted { label: set[0].clone(), model: Some(model.to_owned()), set, ..Wanted::default() })
}

/// An error in a setting of a variant shows the whole argument that it stands in.
fn relabelled(mut error: Diagnostic, wanted: &Wanted) -> Diagnostic {
    let own = |place: &Place| place.on_command_line && place.file == "--set" && wanted.set.contains(&place.source_line);
    error.place =
        error.place.map(|place| if own(&place) { place.within("--variant", &wanted.argument) } else { place });
    error
}

/// What a variant sets though an option gives it: the option would win.
fn fixed_twice<'a>(overrides: &Overrides, wanted: &'a Wanted) -> Option<&'a str> {
    let key = |set: &'a String| set.split('=').next().map(str::trim);
    wanted.set.iter().filter_map(key).find(|key| overrides.has_option_for(key))
}

/// The variant that `label:setting=value,setting=value` asks for.
fn parse(text: &str) -> Result<Wanted, CompareError> {
    let Some((label, settings)) = text.split_once(':') else {
        return Err(refused(format!("--variant `{text}` has no `:` after its label"), USAGE));
    };
    let label = label.trim();
    if label.is_empty() || label.contains('=') {
        return Err(refused(format!("--variant `{text}` has no label before its `:`"), USAGE));
    }
    let settings = split(settings);
    if let Some(wrong) = settings.iter().find(|setting| !setting.contains('=')) {
        let problem = format!("--variant `{text}`: `{wrong}` is not SETTING=VALUE");
        return Err(refused(problem, USAGE));
    }
    Ok(Wanted { label: in_one_line(label), set: settings, argument: text.to_owned(), ..Wanted::default() })
}

/// The parts of a list with commas, except for commas inside brackets, braces and quotes.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut quoted) = (0i32, false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        if c == ',' && depth <= 0 && !quoted {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(models: &[&str], variants: &[&str]) -> Asked {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Asked { models: owned(models), variants: owned(variants), ..Asked::default() }
    }

    fn labels(asked: &Asked) -> Vec<String> {
        let source = Source::Shipped("teaching/redo-too-small");
        variants(source, asked).unwrap().into_iter().map(|variant| variant.label).collect()
    }

    #[test]
    fn what_an_option_gives_to_all_no_variant_sets() {
        let common = Overrides { duration: Some("5s".to_owned()), ..Overrides::default() };
        let asked = Asked { common, ..asked(&[], &["a:duration=3s", "b:"]) };
        let error = variants(Source::Shipped("teaching/redo-too-small"), &asked).unwrap_err().to_string();
        assert!(error.starts_with("variant `a` sets `duration`, and one value"), "{error}");
    }

    #[test]
    fn commas_in_values_stay() {
        assert_eq!(split("a=1, b=[2,3] ,c=\"x,y\",,d={e=1,f=2}"), ["a=1", "b=[2,3]", "c=\"x,y\"", "d={e=1,f=2}"]);
        let parsed = |text| parse(text).map(|one| (one.label, one.set));
        assert_eq!(parsed("as is:"), Ok(("as is".to_owned(), vec![])));
        assert_eq!(parsed(" a : b=c:d"), Ok(("a".to_owned(), vec!["b=c:d".to_owned()])));
    }

    #[test]
    fn models_and_variants_multiply() {
        assert_eq!(labels(&asked(&["8.0", "8.4"], &[])), ["mysql-8.0.30", "mysql-8.4"]);
        assert_eq!(labels(&asked(&[], &["a:", "b:drive.clients=2"])), ["a", "b"]);
        assert_eq!(labels(&asked(&[], &["a\u{1b}[31m\tb:", "c:"])), ["a\\u{1b}[31m b", "c"]);
        assert_eq!(labels(&asked(&["8.4"], &["a:", "b:drive.clients=2"])), ["a", "b"]);
        let four = ["mysql-8.0.30, a", "mysql-8.0.30, b", "mysql-8.4, a", "mysql-8.4, b"];
        assert_eq!(labels(&asked(&["8.0", "8.4"], &["a:", "b:drive.clients=2"])), four);
    }

    #[test]
    fn rules_multiply_too_and_come_beside_the_servers_own() {
        let with = |asked: Asked| Asked { rules: vec!["hold-age".to_owned()], ..asked };
        assert_eq!(labels(&with(asked(&[], &[]))), ["server's own rule", "hold-age"]);
        let four = ["a, server's own rule", "b, server's own rule", "a, hold-age", "b, hold-age"];
        assert_eq!(labels(&with(asked(&[], &["a:", "b:drive.clients=2"]))), four);
        let twice = Asked { rules: vec!["pi-age".to_owned(); 2], ..asked(&[], &[]) };
        let error = variants(Source::Shipped("teaching/redo-too-small"), &twice).unwrap_err().to_string();
        assert!(error.contains("two variants are called `pi-age`"), "{error}");
    }

    #[test]
    fn a_variants_own_setting_wins_over_the_common_one() {
        let mut both = asked(&[], &["a:", "b:innodb_io_capacity_max=9000"]);
        both.common.set.push("innodb_io_capacity_max=5000".to_owned());
        let loaded = variants(Source::Shipped("teaching/redo-too-small"), &both).unwrap();
        let max = |i: usize| loaded[i].scenario.settings.integer("innodb_io_capacity_max").unwrap();
        assert_eq!((max(0), max(1)), (5000, 9000));
        assert_eq!(loaded[0].scenario.run, loaded[1].scenario.run);
    }

    #[test]
    fn a_setting_of_the_file_is_dropped_and_one_that_is_named_is_an_error() {
        let source = Source::Shipped("teaching/redo-too-small");
        let loaded = variants(source, &asked(&["8.0.30", "8.0.21"], &[])).unwrap();
        assert!(loaded[0].notes.is_empty(), "{:?}", loaded[0].notes);
        assert!(loaded[1].notes.iter().any(|note| note.contains("innodb_redo_log_capacity")), "{:?}", loaded[1].notes);
        let files = loaded[1].scenario.settings.integer("innodb_log_file_size").unwrap();
        assert_eq!(files * 2, 192 << 20);
        let mut named = asked(&["8.0.30", "8.0.21"], &[]);
        named.common.set.push("innodb_redo_log_capacity=1G".to_owned());
        let error = variants(source, &named).unwrap_err().to_string();
        assert!(error.starts_with("variant `mysql-8.0.21`: error: innodb_redo_log_capacity"), "{error}");
    }

    #[test]
    fn an_error_points_into_the_variant() {
        let source = Source::Shipped("teaching/redo-too-small");
        let wrong = asked(&[], &["a:", "b: innodb_io_capacity=4000, drive.clients=none"]);
        let error = variants(source, &wrong).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert!(error.starts_with("variant `b`: ") && lines[1].ends_with("command line, --variant"), "{error}");
        assert!(lines[3].ends_with("| b: innodb_io_capacity=4000, drive.clients=none"), "{error}");
        let marked: String =
            lines[3].chars().zip(lines[4].chars()).filter(|(_, mark)| *mark == '^').map(|c| c.0).collect();
        assert_eq!(marked, "none");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let source = Source::Shipped("teaching/redo-too-small");
        for (models, variants_asked, problem) in [
            (&["8.0"][..], &[][..], "at least two"),
            (&[], &["a:drive.clients=3"], "at least two"),
            (&["8.0", "mysql-8.0.30"], &[], "two variants are called `mysql-8.0.30`"),
            (&["8.0", "7.5"], &[], "there is no model `7.5`"),
            (&[], &["a:", "drive.clients=3"], "has no `:`"),
            (&[], &["a:", ":drive.clients=3"], "has no label"),
            (&[], &["a:", "b:fast"], "`fast` is not SETTING=VALUE"),
        ] {
            let error = variants(source, &asked(models, variants_asked)).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
