//! A picture of a run of a series, with what was recorded over it: its course, where the files are at hand, or else the
//! published means as levels.

use super::table::amount;
use crate::exit::Failure;
use crate::outcome::{Outcome, VERSION};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_experiments::reproduce::{Figure, Series, SeriesRow};
use innosim_recordings::{Column, Quantity, Recording, find};
use innosim_report::{Overlay, OverlayRun, write_overlay};
use std::collections::BTreeMap;
use std::path::Path;

/// Figures of a head.
const MOST_FIGURES: usize = 4;
/// Endings of files with a recorded course.
const ENDINGS: [&str; 2] = [".csv", ".csv.gz"];
const COURSE: &str = "Recorded: the course since the load began; figures are those of the series.";
const LEVELS: &str = "Recorded: means, drawn as levels.";

/// The recorded courses of a series, `FOLDER/RUN.csv`, by run.
pub(super) fn courses(folder: &Path, series: &Series) -> Result<BTreeMap<String, Recording>, Failure> {
    let mut courses = BTreeMap::new();
    for run in series.runs.iter().map(|run| &run.name) {
        let files = ENDINGS.map(|ending| folder.join(format!("{run}{ending}")));
        if let Some(file) = files.into_iter().find(|file| file.is_file()) {
            let mut found = find(&file).map_err(|error| Failure::Input(error.to_string()))?;
            courses.insert(run.clone(), found.remove(0));
        }
    }
    if courses.is_empty() {
        let example = series.runs.first().map_or("RUN", |run| &run.name);
        return Err(Failure::Input(format!(
            "--recorded {}: holds the course of no run of this series\n  = help: files are called after runs, such as {example}.csv or {example}.csv.gz",
            folder.display()
        )));
    }
    Ok(courses)
}

/// Writes `RUN.svg` and `RUN.png` into the folder `dir`; nothing if there is nothing to lay over the run.
pub(super) fn write(
    dir: &Path,
    series: &Series,
    row: &SeriesRow,
    outcome: &Outcome,
    recorded: Option<&Recording>,
) -> Result<(), Failure> {
    let course = recorded.map(|recording| ("recorded", COURSE, course(recording, &outcome.output)));
    let levels = || Some(("recorded mean", LEVELS, levels(row, outcome)?));
    let Some((label, remark, other)) = course.or_else(levels) else { return Ok(()) };
    let figures: Vec<Figure> = row.published.keys().copied().take(MOST_FIGURES).collect();
    let one = |label: &str, recorded, output, of: &dyn Fn(&Figure) -> Option<f64>| {
        let text = |figure| of(figure).map_or_else(|| "-".to_owned(), amount);
        let figures = figures.iter().map(text).collect();
        OverlayRun { label: label.to_owned(), about: String::new(), figures, output, recorded }
    };
    let overlay = Overlay {
        title: row.run.clone(),
        subtitle: series.title.clone(),
        origin: format!("innosim {VERSION}, seed {}", outcome.identity.seed),
        heads: figures.iter().map(|figure| figure.head()).collect(),
        runs: vec![
            one(label, true, &other, &|figure| row.published.get(figure).copied()),
            one("simulated", false, &outcome.output, &|figure| row.simulated.get(figure).copied()),
        ],
        warmup_s: row.warmup_s,
        remark: remark.to_owned(),
        latency: false,
    };
    Ok(write_overlay(dir, &row.run, &overlay)?)
}

/// What was recorded in each second of the run.
fn course(recording: &Recording, simulated: &RunOutput) -> RunOutput {
    let of = |quantity| recording.get(quantity).unwrap_or_default();
    let lsn = of(Quantity::Lsn);
    let age = lsn.with(&of(Quantity::CheckpointLsn), |lsn, checkpoint| lsn - checkpoint);
    let flushed = of(Quantity::PagesWritten).rates(&recording.series.seconds);
    // Without a load generator's reports, what the server has committed.
    let commits = || Some(recording.series.column("m.trx_rw_commits")?.rates(&recording.series.seconds));
    let tps = recording.get(Quantity::Tps).or_else(commits).unwrap_or_default();
    let dirty = of(Quantity::DirtyPages);
    let begun = recording.load_start();
    let at = |column: &Column, second: f64| -> u64 {
        let known = column.timed(&recording.series.seconds).take_while(|(at, _)| at - begun < second + 0.5);
        known.last().map_or(0, |(_, value)| value.max(0.0) as u64)
    };
    let sample = |beside: &SecondSample| SecondSample {
        second: beside.second,
        transactions: at(&tps, beside.second as f64),
        checkpoint_age_bytes: at(&age, beside.second as f64),
        age_async_bytes: beside.age_async_bytes,
        dirty_pages: at(&dirty, beside.second as f64),
        pages_flushed: at(&flushed, beside.second as f64),
        ..SecondSample::default()
    };
    let last = recording.series.seconds.last().map_or(0.0, |last| last - begun + 1.0);
    let seconds = simulated.series.iter().take_while(|second| (second.second as f64) <= last);
    RunOutput { series: seconds.map(sample).collect(), ..RunOutput::default() }
}

/// The published means over the time that figures count.
fn levels(row: &SeriesRow, outcome: &Outcome) -> Option<RunOutput> {
    let level = |figure: Figure| row.published.get(&figure).copied();
    let tps = level(Figure::Tps).or_else(|| level(Figure::TpsMean));
    let (age, dirty, flushed) =
        (level(Figure::CheckpointAgeGb), level(Figure::DirtyPages), level(Figure::PagesFlushedPerS));
    tps.or(age).or(dirty).or(flushed)?;
    let whole = |value: Option<f64>| value.unwrap_or_default() as u64;
    let counted = outcome.output.series.iter().filter(|second| second.second as f64 > row.warmup_s);
    let mean = |second: &SecondSample| SecondSample {
        second: second.second,
        transactions: whole(tps),
        checkpoint_age_bytes: whole(age.map(|age| age * 1e9)),
        age_async_bytes: second.age_async_bytes,
        dirty_pages: whole(dirty),
        pages_flushed: whole(flushed),
        ..SecondSample::default()
    };
    Some(RunOutput { series: counted.map(mean).collect(), ..RunOutput::default() })
}
