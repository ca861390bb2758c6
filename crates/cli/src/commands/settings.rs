//! `innosim settings`: what a model can be told, each setting with default, range, unit and meaning.

use crate::args::{Format, SettingsArgs};
use crate::commands::settings_files::{self, DEFAULT_MODEL, model_of_file};
use crate::exit::{Done, Failure};
use crate::output::{print, print_json, wrapped};
use innosim_flush_models::registry::{Kind, ModelId, Setting, Value, lookup, settings};
use serde_json::{Map, json};
use std::path::Path;

/// Lists the settings, or explains one.
pub(crate) fn run(args: &SettingsArgs) -> Done {
    let (model, shown) = chosen(args)?;
    if args.my_cnf.is_some() || args.show_variables.is_some() {
        return settings_files::run(model, args);
    }
    match args.form.format {
        Format::Json => {
            let list: Vec<serde_json::Value> = shown.iter().map(as_json).collect();
            print_json(&json!({ "model": model.name(), "settings": list }))
        }
        Format::Human => match shown.as_slice() {
            [one] if args.name.is_some() => print(&explained(model, one)),
            all => print(&listed(model, all)),
        },
    }
}

/// The model, and its settings or the one asked for. Without `--model`, a setting is looked for in the other models too.
fn chosen(args: &SettingsArgs) -> Result<(ModelId, Vec<Setting>), Failure> {
    let named = match &args.model {
        Some(name) => Some(super::models::named(name)?),
        None => model_of_file(args.show_variables.as_deref())?,
    };
    let model = named.unwrap_or(DEFAULT_MODEL);
    let Some(name) = &args.name else { return Ok((model, settings(model))) };
    if name.trim().is_empty() {
        return Err(Failure::Input(
            "no setting is named\n  = help: give a name, or none at all to list them".to_owned(),
        ));
    }
    if Path::new(name).is_file() {
        return Err(Failure::Input(format!(
            "{name} is a file, not the name of a setting\n  = help: innosim settings --my-cnf {name} reads an option file, \
             --show-variables {name} the text of SHOW GLOBAL VARIABLES"
        )));
    }
    let others = ModelId::ALL.iter().copied().filter(|_| named.is_none());
    match lookup(model, name) {
        Ok(setting) => Ok((model, vec![setting])),
        Err(unknown) => {
            let elsewhere = others.rev().find_map(|other| Some((other, vec![lookup(other, name).ok()?])));
            elsewhere.ok_or_else(|| Failure::Input(format!("{unknown}\n  = help: {}", unknown.help)))
        }
    }
}

fn as_json(setting: &Setting) -> serde_json::Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(setting.name));
    let kind = match setting.kind {
        Kind::Integer { min, max } => {
            object.insert("min".to_owned(), json!(min));
            object.insert("max".to_owned(), json!(max));
            "integer"
        }
        Kind::Bytes { min, max, step } => {
            object.insert("min".to_owned(), json!(min));
            object.insert("max".to_owned(), json!(max));
            object.insert("step".to_owned(), json!(step));
            "bytes"
        }
        Kind::Real { min, max } => {
            object.insert("min".to_owned(), json!(min));
            object.insert("max".to_owned(), json!(max));
            "real"
        }
        Kind::Switch => "switch",
        Kind::Choice(names) => {
            object.insert("choices".to_owned(), json!(names));
            "choice"
        }
    };
    let default = match setting.default {
        None => serde_json::Value::Null,
        Some(Value::Integer(value)) => json!(value),
        Some(Value::Real(value)) => json!(value),
        Some(Value::Switch(on)) => json!(on),
        Some(Value::Choice(name)) => json!(name),
    };
    object.insert("kind".to_owned(), json!(kind));
    object.insert("default".to_owned(), default);
    object.insert("default_text".to_owned(), json!(setting.default_text));
    object.insert("unit".to_owned(), json!(setting.unit));
    object.insert("allowed".to_owned(), json!(setting.allowed()));
    object.insert("help".to_owned(), json!(setting.help));
    object.insert("long_help".to_owned(), json!(setting.long_help));
    serde_json::Value::Object(object)
}

fn listed(model: ModelId, all: &[Setting]) -> String {
    let mut text = format!("Settings of {model}; another model: --model NAME\n");
    for setting in all {
        text.push_str(&format!("\n{}\n", setting.name));
        text.push_str(&wrapped(&format!("default {}; allowed {}", setting.default_text, range(setting)), 4));
        text.push_str(&wrapped(setting.help, 4));
    }
    text
}

fn range(setting: &Setting) -> String {
    // Sizes carry their unit.
    let unit =
        if setting.unit.is_empty() || setting.kind.is_bytes() { String::new() } else { format!(" {}", setting.unit) };
    format!("{}{unit}", setting.allowed())
}

fn explained(model: ModelId, setting: &Setting) -> String {
    let mut text = format!("{} ({model})\n\n", setting.name);
    text.push_str(&format!("    default  {}\n    allowed  {}\n\n", setting.default_text, range(setting)));
    text.push_str(&wrapped(setting.help, 0));
    if !setting.long_help.is_empty() {
        text.push('\n');
        text.push_str(&wrapped(setting.long_help, 0));
    }
    text.push_str("\nDefaults by model:\n");
    for other in ModelId::ALL {
        let default = lookup(*other, setting.name).map_or("no such setting", |setting| setting.default_text);
        text.push_str(&format!("    {:<14} {default}\n", other.name()));
    }
    text
}
