//! `innosim explain`: what happened, in sentences with times.
//!
//! The rules are in the crate `innosim-explain`, the words in `innosim_report::explanation`. Here: where the series
//! comes from (a scenario that is run, a folder that a run left, a recording), and the settings that are tried.

use super::replay::recordings_in;
use super::sweep::refuse_sweep;
use crate::args::{ExplainArgs, Format};
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::outcome::{VERSION, too_short_to_tell};
use crate::output::{note, note_warnings, print, print_json, wrapped};
use crate::runner::{refuse_too_short, run_with_bar};
use innosim_core::metrics::RunOutput;
use innosim_experiments::explain::{
    Trial, changed, course_of_samples, events_of_recording, events_of_run, model_of_layout, refused_settings, tried,
};
use innosim_experiments::runner::Job;
use innosim_explain::{Course, Event, Track, What, explain};
use innosim_recordings::{FileKind, Recording, SAMPLES, look_at};
use innosim_report::csv::read_series_csv;
use innosim_report::explanation::{Sentence, sentences};
use innosim_report::numbers::tidy;
use innosim_scenario::{Overrides, Scenario, Source, is_option_file, load, option_file_help};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What a run leaves of its series, and of itself.
const SERIES: &str = "series.csv";
const RESOLVED: &str = "scenario.resolved.toml";
/// Columns of the series that came later, and what they are to the rules.
const LATER: [(&str, Track); 4] = [
    ("oldest_page_age", Track::OldestAge),
    ("free_check_waits", Track::CheckpointWaits),
    ("buffer_LRU_single_flush_pages", Track::SinglePages),
    ("arrivals_waiting", Track::Waiting),
];

/// What was explained.
struct Explained {
    kind: &'static str,
    name: String,
    model: String,
    events: Vec<Event>,
    /// Why the series is too short to tell.
    too_short: Option<String>,
}

/// Explains a scenario, a result or a recording.
pub(crate) fn run(args: &ExplainArgs) -> Done {
    let path = Path::new(&args.what);
    let explained = if is_result(path) {
        vec![of_result(args, path)?]
    } else if is_scenario(&args.what, path) {
        vec![of_scenario(args)?]
    } else {
        refuse_file_of_result(path)?;
        refuse_option_file(path)?;
        refuse_several_results(path)?;
        of_recordings(args, path)?
    };
    match (args.format, &explained[..]) {
        (Format::Json, [one]) => print_json(&document(one)),
        (Format::Json, runs) => {
            let runs: Vec<Value> = runs.iter().map(document).collect();
            print_json(&json!({ "innosim_version": VERSION, "kind": "recordings", "recordings": runs }))
        }
        (Format::Human, all) => print(&all.iter().map(text).collect::<Vec<String>>().join("\n")),
    }
}

/// A folder that a run left.
fn is_result(path: &Path) -> bool {
    path.join(SERIES).is_file() && path.join(RESOLVED).is_file()
}

/// A file inside the folder that a run left.
fn refuse_file_of_result(path: &Path) -> Done {
    let folder = path.parent().filter(|folder| path.is_file() && is_result(folder));
    let Some(folder) = folder else { return Ok(()) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let message = format!("{} is one file of a result", path.display());
    Err(Failure::Input(format!("{message}\n  = help: give the folder: innosim explain {}", folder.display())))
}

/// An option file of a server is neither a recording nor a scenario.
pub(crate) fn refuse_option_file(path: &Path) -> Done {
    let text = if path.is_file() { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    // A report for people may quote one.
    if !is_option_file(&text) || look_at(path).kind != FileKind::Options {
        return Ok(());
    }
    let message = format!("{} is an option file of a server, not a recording", path.display());
    Err(Failure::Input(format!("{message}\n  = help: {}", option_file_help(path))))
}

/// A comparison leaves a folder for each variant.
fn refuse_several_results(path: &Path) -> Done {
    let inside = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut results: Vec<PathBuf> = inside.filter(|inside| is_result(inside)).collect();
    results.sort();
    if results.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = results.iter().map(|result| result.display().to_string()).collect();
    Err(Failure::Input(format!(
        "{} holds the results of {} runs\n  = help: give one of them: {}",
        path.display(),
        results.len(),
        names.join(", ")
    )))
}

/// A file of TOML, or a name that no file and no folder has.
fn is_scenario(what: &str, path: &Path) -> bool {
    !path.exists() || (path.is_file() && what.ends_with(".toml"))
}

fn overrides(args: &ExplainArgs) -> Overrides {
    Overrides {
        model: args.model.clone(),
        duration: args.length.duration.clone(),
        replications: Some(1),
        ..args.changes.overrides(&args.common)
    }
}

fn of_scenario(args: &ExplainArgs) -> Result<Explained, Failure> {
    refuse_sweep(&args.what)?;
    let source = Source::Named(&args.what);
    let common = overrides(args);
    let scenario = load(source, &common)?;
    refuse_too_short(&scenario)?;
    note_warnings(&scenario.notes, args.common.quiet);
    interrupt::listen();
    let output = simulated(args, &scenario.name, &[&scenario])?.remove(0);
    let mut events = events_of_run(&scenario, &output);
    let too_short = drop_regime_if_too_short(&scenario, &output, &mut events);
    if args.try_settings {
        events.extend(trials(args, source, &common, (&scenario, &output), &events)?);
    }
    let (name, model) = (scenario.title.clone(), scenario.model.name().to_owned());
    Ok(Explained { kind: "scenario", name, model, events, too_short })
}

fn of_result(args: &ExplainArgs, folder: &Path) -> Result<Explained, Failure> {
    refuse(args, "is a result, which stands as it is", true)?;
    let resolved = folder.join(RESOLVED);
    let source = Source::File(&resolved);
    let common = Overrides { replications: Some(1), ..Overrides::default() };
    let scenario = load(source, &common)?;
    let series = folder.join(SERIES);
    let read = read_series_csv(&series).map_err(|error| Failure::Input(error.to_string()))?;
    let output = RunOutput { series: read.samples, ..RunOutput::default() };
    let mut course: Course = course_of_samples(&scenario, &output);
    for (_, track) in LATER.iter().filter(|(column, _)| read.absent.contains(column)) {
        course.tracks.remove(track);
    }
    let mut events = explain(&course);
    let too_short = drop_regime_if_too_short(&scenario, &output, &mut events);
    if args.try_settings {
        // A result has no latencies of all its transactions: the run is made again, to the same bytes.
        interrupt::listen();
        let again = simulated(args, "as it was", &[&scenario])?.remove(0);
        events.extend(trials(args, source, &common, (&scenario, &again), &events)?);
    }
    let (name, model) = (scenario.title.clone(), scenario.model.name().to_owned());
    Ok(Explained { kind: "result", name, model, events, too_short })
}

/// A run that is too short to tell has no regime: why it is.
fn drop_regime_if_too_short(scenario: &Scenario, output: &RunOutput, events: &mut Vec<Event>) -> Option<String> {
    let why = too_short_to_tell(scenario, std::slice::from_ref(output))?;
    events.retain(|event| !matches!(event.what, What::RegimeOfAll { .. }));
    Some(why)
}

/// The recording at a path, or the runs of a benchmark in a folder: these have no folders of their own that could be named.
fn of_recordings(args: &ExplainArgs, path: &Path) -> Result<Vec<Explained>, Failure> {
    refuse(args, "is a recording, which stands as it is", false)?;
    if args.try_settings {
        let help = format!("make a scenario of it first: innosim calibrate {} -o SCENARIO.toml", path.display());
        return Err(Failure::Input(format!(
            "--try needs a scenario to run, and {} is a recording\n  = help: {help}",
            args.what
        )));
    }
    let recordings = recordings_in(&[PathBuf::from(path)], args.model.as_deref(), args.common.quiet)?;
    let are_runs = recordings.iter().all(|recording| !recording.path.exists());
    if recordings.len() > 1 && !are_runs {
        let names: Vec<String> = recordings.iter().map(|recording| recording.path.display().to_string()).collect();
        return Err(Failure::Input(format!(
            "{} holds {} recordings\n  = help: give one of them: {}",
            path.display(),
            recordings.len(),
            names.join(", ")
        )));
    }
    recordings.iter().map(|recording| of_recording(args, recording)).collect()
}

fn of_recording(args: &ExplainArgs, recording: &Recording) -> Result<Explained, Failure> {
    let quiet = args.common.quiet;
    let mut model = recording.model().ok();
    if model.is_none() && recording.server.version.is_empty() {
        model = model_of_layout(recording);
        if let Some(model) = model.filter(|_| !quiet) {
            let by = "no version of the server is known; by the layout of its text it is taken for one of";
            note(&format!("{}: {by} {model}; --model NAME names another", recording.name));
        }
    } else if let (Err(why), false) = (recording.model(), quiet) {
        note(&format!("settings and age limits are not known: {why}"));
    }
    if let Some(why) = refused_settings(recording).filter(|_| !quiet) {
        note(&format!("{}: settings and age limits are not known: {why}", recording.name));
    }
    let events = events_of_recording(recording, model).map_err(|missing| Failure::Input(missing.to_string()))?;
    if sentences(&events).is_empty() {
        let help = format!("record {SAMPLES}");
        return Err(Failure::Input(format!(
            "{}: holds nothing that can be explained\n  = help: {help}",
            recording.path.display()
        )));
    }
    let name = model.map_or_else(|| recording.server.product.clone(), |model| model.name().to_owned());
    Ok(Explained { kind: "recording", name: recording.name.clone(), model: name, events, too_short: None })
}

/// Options that change a scenario have no meaning for what has run already.
fn refuse(args: &ExplainArgs, why: &str, model_too: bool) -> Done {
    let given = [
        ("--set", !args.changes.set.is_empty()),
        ("--duration", args.length.duration.is_some()),
        ("--my-cnf", args.changes.my_cnf.is_some()),
        ("--show-variables", args.changes.show_variables.is_some()),
        ("--device", args.changes.device.is_some()),
        ("--model", model_too && args.model.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Input(format!(
            "{option} changes a scenario, and {} {why}\n  = help: leave it out, or give the scenario",
            args.what
        ))),
    }
}

/// Runs of one replication each, side by side.
fn simulated(args: &ExplainArgs, title: &str, scenarios: &[&Scenario]) -> Result<Vec<RunOutput>, Failure> {
    let jobs: Vec<Job<'_>> = scenarios.iter().map(|scenario| Job { scenario, replication: 0 }).collect();
    run_with_bar(title, &jobs, false, &args.common)
}

/// The settings that the events point to, tried.
fn trials(
    args: &ExplainArgs,
    source: Source<'_>,
    common: &Overrides,
    now: (&Scenario, &RunOutput),
    events: &[Event],
) -> Result<Vec<Event>, Failure> {
    let trials = Trial::of(events);
    let scenarios: Vec<Scenario> =
        trials.iter().map(|trial| changed(source, common, now.0, trial)).collect::<Result<_, _>>()?;
    let all: Vec<&Scenario> = scenarios.iter().collect();
    let title = if all.len() == 1 { "1 setting tried".to_owned() } else { format!("{} settings tried", all.len()) };
    let outputs = if all.is_empty() { Vec::new() } else { simulated(args, &title, &all)? };
    let each = trials.iter().zip(&scenarios).zip(&outputs);
    Ok(each.map(|((trial, scenario), output)| tried(trial, now, (scenario, output))).collect())
}

/// The sentences, a column of times before them.
fn text(explained: &Explained) -> String {
    let sentences = sentences(&explained.events);
    let of_log = |event: &Event| matches!(event.what, What::LoopsUnsaid { .. });
    let what = if sentences.iter().all(|sentence| sentence.at.is_empty()) {
        "where it stands"
    } else if explained.events.last().is_some_and(of_log) {
        "what its error log says, since the first message"
    } else {
        "what happened, since the load began"
    };
    let too_short = explained.too_short.as_ref().map_or(String::new(), |why| wrapped(why, 0) + "\n");
    format!("{} on {}: {what}\n\n{too_short}{}", explained.name, explained.model, table(&sentences))
}

/// Sentences for people: first those with a time, then what holds for the whole.
pub(crate) fn table(sentences: &[Sentence]) -> String {
    let (timed, whole): (Vec<&Sentence>, Vec<&Sentence>) =
        sentences.iter().partition(|sentence| !sentence.at.is_empty());
    let width = timed.iter().map(|sentence| sentence.at.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for sentence in timed {
        let lines = wrapped(&sentence.text, width + 4);
        text.push_str(&format!("  {:>width$}  {}", sentence.at, lines.trim_start()));
    }
    if !whole.is_empty() && !text.is_empty() {
        text.push('\n');
    }
    for sentence in whole {
        text.push_str(&format!("- {}", wrapped(&sentence.text, 2).trim_start()));
    }
    text
}

fn document(explained: &Explained) -> Value {
    json!({
        "innosim_version": VERSION,
        "kind": explained.kind,
        "name": explained.name,
        "model": explained.model,
        "events": events_json(&explained.events),
        "sentences": sentences(&explained.events).iter().map(Sentence::line).collect::<Vec<String>>(),
        "too_short": explained.too_short,
    })
}

/// Events as `{"at_s", "what", "figures"}`, numbers with nine digits.
pub(crate) fn events_json(events: &[Event]) -> Value {
    tidy(json!(events))
}
