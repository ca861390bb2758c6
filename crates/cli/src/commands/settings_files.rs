//! `innosim settings --my-cnf PATH`: what a model makes of a real server's settings.

use crate::args::SettingsArgs;
use crate::exit::{Done, Failure};
use crate::output::note_warnings;
use crate::show::show;
use crate::text_table::TextTable;
use innosim_flush_models::registry::{Kind, ModelId, Value as Registered, lookup, parse_value};
use innosim_report::numbers::bytes;
use innosim_scenario::{
    Diagnostic, Diagnostics, ServerFiles, SettingRow, SettingStatus, SettingsFileKind, SettingsReading,
    read_settings_files, server_of_variables,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Hardware threads of the host, from which some defaults follow: those of a scenario that says nothing.
const CORES: u32 = 16;

/// The model whose settings are shown if none is named.
pub(crate) const DEFAULT_MODEL: ModelId = ModelId::Mysql8030;

/// The model that stands for the server whose variables are given, if they say which it is.
pub(crate) fn model_of_file(show_variables: Option<&Path>) -> Result<Option<ModelId>, Failure> {
    let Some(said) = show_variables.and_then(server_of_variables) else { return Ok(None) };
    let found = said.model().map_err(|why| {
        Failure::Input(format!("{why}\n  = help: --model NAME reads the variables for the server of that name"))
    })?;
    Ok(Some(found.model))
}

/// Reads the files for a model: the one that is named or that the variables tell, or the usual one.
pub(crate) fn read(files: &ServerFiles, model: Option<&str>) -> Result<(SettingsReading, ModelId), Failure> {
    let model = match model {
        None => model_of_file(files.show_variables.as_deref())?.unwrap_or(DEFAULT_MODEL),
        Some(name) => super::models::named(name)?,
    };
    Ok((read_for(model, &files.my_cnf, &files.show_variables), model))
}

fn read_for(model: ModelId, my_cnf: &Option<PathBuf>, show_variables: &Option<PathBuf>) -> SettingsReading {
    let named = [(SettingsFileKind::MyCnf, my_cnf), (SettingsFileKind::ShowVariables, show_variables)];
    let named: Vec<(SettingsFileKind, &Path)> =
        named.into_iter().filter_map(|(kind, path)| Some((kind, path.as_deref()?))).collect();
    read_settings_files(model, &named, CORES)
}

/// Prints the table; bad input if something in the files is wrong.
pub(crate) fn run(model: ModelId, args: &SettingsArgs) -> Done {
    let reading = read_for(model, &args.my_cnf, &args.show_variables);
    if !reading.files.is_empty() {
        show(args.form.format, &document(model, &reading), &table(model, &reading))?;
    }
    match reading.diagnostics {
        Ok(warnings) => {
            note_warnings(&warnings, false);
            Ok(())
        }
        Err(errors) => Err(Failure::Scenario(errors)),
    }
}

fn rows(reading: &SettingsReading) -> impl Iterator<Item = &SettingRow> {
    reading.files.iter().flat_map(|file| &file.rows)
}

const PARTS: [(SettingStatus, &str); 5] = [
    (SettingStatus::Understood, "Understood"),
    (SettingStatus::Superseded, "Set again further down"),
    (SettingStatus::NoEffect, "No effect in the model"),
    (SettingStatus::Removed, "Removed: the server does not start with these, left out here"),
    (SettingStatus::Wrong, "Wrong"),
];

fn table(model: ModelId, reading: &SettingsReading) -> String {
    let mut text = String::new();
    for file in &reading.files {
        text.push_str(&format!("{}, read for {model}\n", file.path));
    }
    for (status, title) in PARTS {
        let rows: Vec<&SettingRow> = rows(reading).filter(|row| row.status == status).collect();
        if rows.is_empty() {
            continue;
        }
        if status == SettingStatus::Wrong {
            // What is wrong with them stands below, with its place.
            let names: Vec<String> =
                rows.iter().map(|row| format!("{} ({}:{})", row.name, short(&row.file), row.line)).collect();
            text.push_str(&format!("\n{title} ({}): {}\n", rows.len(), names.join(", ")));
            continue;
        }
        text.push_str(&format!("\n{title} ({})\n\n", rows.len()));
        let mut table = TextTable::new(&["setting", "value", "at", "remark"]);
        for row in rows {
            let remark = if status == SettingStatus::Understood { in_force(model, reading, row) } else { None };
            table.row(vec![
                row.name.clone(),
                row.value.clone(),
                format!("{}:{}", short(&row.file), row.line),
                remark.unwrap_or_else(|| row.remark.clone()),
            ]);
        }
        text.push_str(&table.render());
    }
    text
}

/// The name of a file without its folder.
fn short(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// Where the server uses another value than the one that is written, or what a size is that is no plain `8G`: servers count
/// in powers of two, whatever stands behind the letter.
fn in_force(model: ModelId, reading: &SettingsReading, row: &SettingRow) -> Option<String> {
    let setting = lookup(model, &row.name).ok()?;
    let changes = reading.settings.iter().flat_map(|settings| &settings.adjustments);
    if let Some(change) = changes.into_iter().find(|change| change.setting == setting.name) {
        return Some(format!("the server uses {}: {}", setting.spell(change.to), change.why));
    }
    let is_plain = row.value.ends_with(|c: char| c.is_ascii_alphabetic() && !c.eq_ignore_ascii_case(&'b'));
    match parse_value(&setting, &row.value) {
        Ok(Registered::Integer(size)) if matches!(setting.kind, Kind::Bytes { .. }) && size >= 1024 && !is_plain => {
            Some(format!("= {}", bytes(size as f64)))
        }
        _ => None,
    }
}

fn document(model: ModelId, reading: &SettingsReading) -> Value {
    let one = |row: &SettingRow| {
        json!({
            "name": row.name,
            "value": row.value,
            "file": row.file,
            "line": row.line,
            "remark": in_force(model, reading, row).unwrap_or_else(|| row.remark.clone()),
        })
    };
    let mut object = serde_json::Map::new();
    object.insert("model".to_owned(), json!(model.name()));
    for (status, _) in PARTS {
        let rows: Vec<Value> = rows(reading).filter(|row| row.status == status).map(one).collect();
        object.insert(status.name().to_owned(), json!(rows));
    }
    let resolved: Option<serde_json::Map<String, Value>> = reading.settings.as_ref().map(|settings| {
        let values = settings.values.iter();
        values.filter_map(|(name, value)| Some(((*name).to_owned(), spelt(model, name, *value)?))).collect()
    });
    object.insert("settings".to_owned(), json!(resolved));
    object.insert("messages".to_owned(), json!(messages(&reading.diagnostics)));
    Value::Object(object)
}

fn spelt(model: ModelId, name: &str, value: innosim_flush_models::registry::Value) -> Option<Value> {
    Some(json!(lookup(model, name).ok()?.spell(value)))
}

fn messages(diagnostics: &Result<Vec<Diagnostic>, Diagnostics>) -> Vec<String> {
    match diagnostics {
        Ok(warnings) => warnings.iter().map(ToString::to_string).collect(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}
