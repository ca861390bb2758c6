//! `innosim compare`: one scenario with several models or settings, under the same random numbers.
//!
//! What is compared and how comes from `innosim_experiments::compare`. Here: `table` for people, `files` for the folder
//! of `--out` and for JSON, `picture` for the runs laid over each other.

mod files;
mod picture;
mod table;

use super::sweep::refuse_sweep;
use crate::args::{CompareArgs, Format};
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::out_dir::{OutDir, fill};
use crate::output::{command, note_error};
use crate::progress::Progress;
use crate::runner::{failure, pool, refuse_too_short};
use crate::show::show;
use innosim_core::metrics::RunOutput;
use innosim_core::server::RunError;
use innosim_experiments::compare::{
    Asked, CompareError, Comparison, SilentChange, Upgrade, Variant, jobs, upgrade, variants,
};
use innosim_experiments::runner::{Job, run_many};
use innosim_flush_models::registry::ModelId;
use innosim_report::{Overlay, ReportError, write_explorer, write_file, write_json, write_overlay};
use innosim_scenario::{Overrides, SettingRow, SettingStatus, Source, removed_lines};
use std::path::Path;
use std::time::Instant;

/// Replications if neither the command line nor the scenario asks for several: the fewest with a usable interval.
const REPLICATIONS: u32 = 3;

/// What is left last: where it is, the rest is there too.
const LAST: &str = "compare.json";

/// A comparison that ran.
#[derive(Debug)]
struct Compared {
    variants: Vec<Variant>,
    comparison: Comparison,
    /// For each variant the outputs of its replications.
    outputs: Vec<Vec<RunOutput>>,
    wall_s: f64,
    /// What an upgrade changes silently; nothing for another comparison.
    changes: Vec<SilentChange>,
}

impl Compared {
    /// The first variant, with which all are compared.
    fn first(&self) -> &Variant {
        &self.variants[0]
    }

    /// The variants that have rows of their own: of an upgrade the two versions.
    fn shown(&self) -> &[Variant] {
        if self.changes.is_empty() { &self.variants } else { &self.variants[..self.variants.len().min(2)] }
    }

    /// Lines of an option file with which a server does not start, each server once.
    fn removed(&self) -> Vec<(ModelId, &SettingRow)> {
        let mut models: Vec<ModelId> = Vec::new();
        let mut removed = Vec::new();
        for scenario in self.shown().iter().map(|variant| &variant.scenario) {
            if models.contains(&scenario.model) {
                continue;
            }
            models.push(scenario.model);
            let rows = scenario.settings_files.iter().flat_map(|file| &file.rows);
            let rows = rows.filter(|row| row.status == SettingStatus::Removed);
            removed.extend(rows.map(|row| (scenario.model, row)));
        }
        removed
    }

    fn simulated_s(&self) -> f64 {
        self.first().scenario.run.duration.0 as f64 / 1e9
    }

    /// Variants that ran exactly as an earlier one did, event by event, each with the earlier one.
    fn twins(&self) -> Vec<(&str, &str)> {
        let hashes: Vec<Vec<u64>> =
            self.outputs.iter().map(|runs| runs.iter().map(|run| run.event_hash).collect()).collect();
        let first_alike = |i: usize| hashes[..i].iter().position(|earlier| *earlier == hashes[i]);
        let pairs = (1..hashes.len()).filter_map(|i| Some((i, first_alike(i)?)));
        pairs.map(|(i, earlier)| (self.variants[i].label.as_str(), self.variants[earlier].label.as_str())).collect()
    }

    fn replications(&self) -> u32 {
        self.first().scenario.replications
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Failure {
        match error {
            CompareError::Asked { .. } => Failure::Input(error.to_string()),
            CompareError::Plain(errors) => Failure::Scenario(errors),
            // Each of several errors says whose it is.
            CompareError::Scenario { label, errors } => {
                let text = errors.to_string().replace("\n\nerror: ", &format!("\n\nerror: variant `{label}`: "));
                Failure::Input(format!("variant `{label}`: {}", text.trim_start_matches("error: ")))
            }
        }
    }
}

/// Compares variants of a scenario.
pub(crate) fn run(args: &CompareArgs) -> Done {
    refuse_sweep(&args.scenario)?;
    let Upgrade { variants, changes } = loaded(args)?;
    variants.iter().try_for_each(|variant| refuse_too_short(&variant.scenario))?;
    let out = args.out.as_deref().map(|dir| files::folders(dir, &variants)).transpose()?;
    let labels: Vec<String> = variants.iter().map(|variant| variant.label.clone()).collect();
    // People find them under the table.
    if !args.common.quiet && args.form.format == Format::Json {
        remarks(&variants).iter().for_each(|text| note_error(&format!("warning: {text}")));
    }
    interrupt::listen();
    let (mut compared, failures) = simulated(variants, args)?;
    compared.changes = changes;
    let document = files::document(&compared)?;
    // What was found is told even where it can't be written.
    let ran = |label: &String| compared.variants.iter().any(|variant| variant.label == *label);
    let written = out.as_ref().map_or(Ok(()), |(each, dir)| {
        let each: Vec<&OutDir> = each.iter().zip(&labels).filter(|(_, label)| ran(label)).map(|(dir, _)| dir).collect();
        write_all(dir.path(), &each, &compared, &document)
    });
    show(args.form.format, &document, &table::render(&compared))?;
    written?;
    if let Some((_, dir)) = out {
        let files = "compare.json, compare.csv, compare.svg, compare.png, report.html, and a folder for each variant";
        dir.tell(args.common.quiet, files);
    }
    failures.into_iter().next().map_or(Ok(()), Err)
}

/// Notes of the variants, each with the labels of those it is about.
fn remarks(variants: &[Variant]) -> Vec<String> {
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for variant in variants {
        let files = variant.scenario.settings_files.iter();
        let removed: Vec<String> = files.filter_map(|file| removed_lines(variant.scenario.model, &file.rows)).collect();
        // They have a table of their own.
        let others = variant.notes.iter().filter(|note| !removed.iter().any(|lines| note.starts_with(lines.as_str())));
        for text in others {
            match notes.iter_mut().find(|(other, _)| other == text) {
                Some((_, labels)) => labels.push(&variant.label),
                None => notes.push((text, vec![&variant.label])),
            }
        }
    }
    let of_all = |labels: &[&str]| if labels.len() == variants.len() { "all".to_owned() } else { labels.join(", ") };
    notes.into_iter().map(|(text, labels)| format!("{}: {text}", of_all(&labels))).collect()
}

fn loaded(args: &CompareArgs) -> Result<Upgrade, Failure> {
    let load = |source, asked: &Asked| match args.as_upgraded {
        true => upgrade(source, asked),
        false => variants(source, asked).map(|variants| Upgrade { variants, changes: Vec::new() }),
    };
    let mut asked = Asked {
        models: args.model.clone(),
        variants: args.variant.clone(),
        rules: args.rule.clone(),
        common: Overrides {
            duration: args.length.duration.clone(),
            replications: args.replications,
            ..args.changes.overrides(&args.common)
        },
    };
    let source = Source::Named(&args.scenario);
    let mut loaded = load(source, &asked)?;
    if args.replications.is_none() && loaded.variants.iter().all(|variant| variant.scenario.replications == 1) {
        asked.common.replications = Some(REPLICATIONS);
        loaded = load(source, &asked)?;
    }
    let first = &loaded.variants[0].scenario;
    let unlike = loaded.variants.iter().find(|variant| {
        let other = &variant.scenario;
        (other.replications, other.run.duration, other.run.seed)
            != (first.replications, first.run.duration, first.run.seed)
    });
    match unlike {
        None => Ok(loaded),
        Some(variant) => Err(Failure::Input(format!(
            "variant `{}` has another duration, seed or number of replications than `{}`\n  = help: set them for all \
             variants, with --duration, --seed and --replications",
            variant.label, loaded.variants[0].label
        ))),
    }
}

fn simulated(variants: Vec<Variant>, args: &CompareArgs) -> Result<(Compared, Vec<Failure>), Failure> {
    let jobs = jobs(&variants);
    let progress = Progress::new(&args.scenario, jobs.iter().map(Job::seconds).sum(), args.common.quiet);
    let began = Instant::now();
    let ended = pool(args.common.jobs)?.install(|| {
        run_many(&jobs, args.check, &progress, |job, output| output.map_err(|error| (failure(job, &error), error)))
    });
    progress.finish();
    let mut ended = ended.into_iter();
    let (mut kept, mut outputs, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for variant in variants {
        let runs = ended.by_ref().take(variant.scenario.replications as usize);
        match runs.collect::<Result<Vec<RunOutput>, _>>() {
            Ok(runs) => {
                outputs.push(runs);
                kept.push(variant);
            }
            // A rule that fails is the fault of its variant alone.
            Err((Failure::Input(text), RunError::Rule { .. })) => {
                failures.push(Failure::Input(format!("variant `{}`: {text}", variant.label)));
            }
            Err((failure, _)) => return Err(failure),
        }
    }
    if kept.is_empty() {
        return Err(failures.into_iter().next().unwrap_or(Failure::NoReader));
    }
    let comparison = Comparison::of(&kept, &outputs);
    let wall_s = began.elapsed().as_secs_f64();
    Ok((Compared { comparison, outputs, wall_s, variants: kept, changes: Vec::new() }, failures))
}

/// Writes everything that a comparison leaves, or nothing.
fn write_all(dir: &Path, each: &[&OutDir], compared: &Compared, document: &serde_json::Value) -> Done {
    let csv = files::csv(compared)?;
    let overlay: Overlay<'_> = picture::of(compared);
    fill(dir, LAST, |staging| {
        for ((variant, outputs), folder) in compared.variants.iter().zip(&compared.outputs).zip(each) {
            let inside = staging.join(folder.path().file_name().unwrap_or_default());
            create_folder(&inside)?;
            files::write_variant(&inside, variant, outputs)?;
        }
        write_file(&staging.join("compare.csv"), &csv)?;
        write_overlay(staging, "compare", &overlay)?;
        write_explorer(&staging.join("report.html"), &picture::explorer(compared, &overlay, command()))?;
        write_json(&staging.join(LAST), document)
    })
}

fn create_folder(path: &Path) -> Result<(), ReportError> {
    std::fs::create_dir_all(path).map_err(|source| ReportError::Io { path: path.to_path_buf(), source })
}
