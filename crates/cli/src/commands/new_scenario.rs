//! `innosim new-scenario`: a commented scenario of a server, its settings taken from the files that its people have.

pub(crate) mod template;

use self::template::TEMPLATE;
use crate::args::{Format, NewScenarioArgs};
use crate::commands::settings_files::model_of_file;
use crate::exit::{Done, Failure};
use crate::outcome::redo_bytes;
use crate::output::{note, note_warnings, print_json, shell_line};
use crate::show::show;
use innosim_flush_models::registry::ModelId;
use innosim_report::write_file;
use innosim_scenario::{Overrides, Scenario, Source, load};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Model of a server of which no version is known.
const DEFAULT_MODEL: &str = "mysql-8.0.30";
/// Redo of a busy server a second, by which a first run is long enough.
const REDO_BYTES_PER_S: u64 = 10_000_000;

/// Writes the scenario, after it has been read back.
pub(crate) fn run(args: &NewScenarioArgs) -> Done {
    let text = text(args)?;
    let name = "new scenario";
    let scenario = load(Source::Text { name, text: &text.replace("@DURATION@", "\"1s\"") }, &Overrides::default())?;
    let text = aligned(&text.replace("@DURATION@", &format!("\"{}s\"", seconds(&scenario))));
    let scenario = load(Source::Text { name, text: &text }, &Overrides::default())?;
    note_warnings(&scenario.notes, args.unused.quiet);
    let Some(path) = &args.out else {
        return show(args.format, &json!({ "scenario": text }), &text);
    };
    if path.exists() {
        let help = "choose another name: what you filled in there would be lost";
        return Err(Failure::Input(format!("{} is there already\n  = help: {help}", path.display())));
    }
    write_file(path, text.as_bytes())?;
    let command = |word: &str| shell_line(["innosim", word, &path.display().to_string()].map(str::to_owned));
    let (run, search) = (command("run"), command("recommend"));
    let next =
        format!("Describe your load in [workload] and [drive] of {}, then: {run}\nand: {search}", path.display());
    match args.format {
        Format::Human => note(&next),
        Format::Json => print_json(&json!({ "file": path, "next": run }))?,
    }
    Ok(())
}

fn text(args: &NewScenarioArgs) -> Result<String, Failure> {
    let mut files = String::new();
    for (key, path) in [("my_cnf", &args.my_cnf), ("show_variables", &args.show_variables)] {
        if let Some(path) = path {
            let path = absolute(path)?;
            files.push_str(&format!("{key} = {}\n", toml_text(&path.display().to_string())));
        }
    }
    let of_file = model_of_file(args.show_variables.as_deref().filter(|_| args.model.is_none()))?;
    let model = args.model.as_deref().or(of_file.map(ModelId::name)).unwrap_or(DEFAULT_MODEL);
    let text = TEMPLATE.replace("@MODEL@", &toml_text(model)).replace("@DEVICE@", &toml_text(&args.device));
    Ok(text.replace("@FILES@\n", &files))
}

/// Seconds in which the redo log fills three times, of a load that is not known yet: what a search takes, and some.
fn seconds(scenario: &Scenario) -> u64 {
    let redo = redo_bytes(&scenario.settings).unwrap_or(0);
    (3 * redo / REDO_BYTES_PER_S).next_multiple_of(100).clamp(600, 3600)
}

/// The text with its comments below each other, whatever was put before them.
fn aligned(text: &str) -> String {
    let align = |line: &str| match line.split_once("  #") {
        Some((code, comment)) if !line.starts_with('#') => format!("{:<32} #{comment}\n", code.trim_end()),
        _ => format!("{line}\n"),
    };
    text.lines().map(align).collect()
}

/// The file wherever the scenario is put.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| {
        let help = "give the path of the server's option file, or of the text of SHOW GLOBAL VARIABLES";
        Failure::Input(format!("{}: can't be read: {error}\n  = help: {help}", path.display()))
    })
}

/// A string of TOML.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
