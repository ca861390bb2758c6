//! `report.html`: the whole advice, the back-test as a picture, and the present setting beside the advised one to explore.

use super::super::validate::overlay;
use crate::outcome::VERSION;
use crate::output::command;
use innosim_core::metrics::RunOutput;
use innosim_experiments::advise::{Advice, Backtest, Course};
use innosim_experiments::explain::course_of_run;
use innosim_explain::explain;
use innosim_report::explanation::sentences;
use innosim_report::numbers::{bytes, rate, seconds};
use innosim_report::{Block, Explorer, ExplorerRun, Recipe, ReportError, write_explorer};
use std::path::Path;

/// Figures of a run.
const HEADS: [&str; 6] = ["tps", "latency, 99 %", "stalls", "age used", "written a day", "recovery"];

/// Writes the page: the parts of the advice, with the answer first.
pub(super) fn write(
    path: &Path,
    name: &str,
    advice: &Advice,
    test: &Backtest,
    blocks: Vec<Block>,
) -> Result<(), ReportError> {
    let validation = &test.validation;
    let predicted = second_half_of(test.output.clone(), test);
    let observed = second_half_of(validation.observed_run(&test.output), test);
    let mut overlay = overlay(validation, &observed, &predicted);
    overlay.subtitle = "The second half of the recording, predicted from the first".to_owned();
    let picture = Block::Picture { svg: overlay.draw_svg()?, about: overlay.subtitle.clone() };
    let explorer = Explorer {
        title: format!("Advice for {name}"),
        subtitle: format!("{}, on the device: {}", validation.model.name(), test.device),
        recipe: recipe(advice),
        intro: ordered(blocks, picture, advice.courses.is_empty()),
        heads: HEADS.to_vec(),
        runs: runs(advice, test),
        warmup_s: advice.courses.iter().map(|course| course.warmup_s as f64).fold(0.0, f64::max),
        remark: match advice.courses.is_empty() {
            true => "The back-test's prediction of the recorded time.".to_owned(),
            false => {
                "One run each, under the same random numbers; figures of the table are means of all runs.".to_owned()
            }
        },
    };
    write_explorer(path, &explorer)
}

/// A run of the back-test, from where it is compared on.
fn second_half_of(mut run: RunOutput, test: &Backtest) -> RunOutput {
    let seconds = test.validation.trajectories.first().and_then(|course| course.seconds.first().copied());
    let from = seconds.unwrap_or(0.0);
    run.series.retain(|second| second.second as f64 >= from);
    run
}

/// The answer first, then what it stands on, then the charts.
fn ordered(blocks: Vec<Block>, picture: Block, is_refused: bool) -> Vec<Block> {
    let is = |block: &Block, text: &str| *block == Block::Heading(text.to_owned());
    let at = blocks.iter().position(|block| is(block, super::blocks::ANSWER)).unwrap_or(blocks.len());
    let (mut grounds, mut ordered) = (blocks, Vec::new());
    ordered.extend(grounds.drain(at..));
    ordered.append(&mut grounds);
    ordered.push(picture);
    let charts = if is_refused { "The back-test" } else { "The present setting beside the advised one" };
    ordered.push(Block::Heading(charts.to_owned()));
    ordered
}

fn recipe(advice: &Advice) -> Recipe {
    let named = |course: &Course| {
        (format!("{} = {}", searched(advice), course.point.io_capacity_max), course.scenario.to_resolved_toml(VERSION))
    };
    let mut scenarios: Vec<(String, String)> = advice.courses.iter().map(named).collect();
    if scenarios.is_empty() {
        scenarios.push(("what would be searched".to_owned(), advice.scenario.clone()));
    }
    let seed = advice.answer.as_ref().map_or(1, |answer| answer.scenario.run.seed);
    Recipe { command: command(), version: VERSION.to_owned(), seed, scenarios }
}

fn searched(advice: &Advice) -> &'static str {
    advice.answer.as_ref().map_or("innodb_io_capacity_max", |answer| answer.space.searched())
}

fn runs<'a>(advice: &'a Advice, test: &'a Backtest) -> Vec<ExplorerRun<'a>> {
    let of_course = |course: &'_ Course| -> Option<(String, Vec<String>)> {
        let answer = advice.answer.as_ref()?;
        let is_now = course.point == answer.current.point;
        let row = if is_now { &answer.current } else { &answer.best };
        let mark = if is_now { "now" } else { "best" };
        let redo = if course.point.redo_bytes == answer.current.point.redo_bytes {
            String::new()
        } else {
            format!(", redo {}", bytes(course.point.redo_bytes as f64))
        };
        let label = format!("{mark}: {}{redo}", course.point.io_capacity_max);
        let figures = vec![
            rate(row.mean("tps_mean")),
            match advice.latency_is_predicted() {
                true => format!("{:.1} ms", row.mean("latency_ms_p99")),
                false => "?".to_owned(),
            },
            format!("{} s", rate(row.mean("stall_seconds"))),
            format!("{:.0} %", 100.0 * (1.0 - row.mean("checkpoint_age_headroom"))),
            bytes(row.mean("write_bytes_per_day")),
            seconds(row.mean("recovery_s")),
        ];
        Some((label, figures))
    };
    let mut runs = Vec::new();
    for course in &advice.courses {
        let Some((label, figures)) = of_course(course) else { continue };
        let story = sentences(&explain(&course_of_run(&course.scenario, &course.output)));
        runs.push(ExplorerRun { label, figures, story, output: &course.output });
    }
    if runs.is_empty() {
        let none = vec![String::new(); HEADS.len()];
        let label = "predicted".to_owned();
        runs.push(ExplorerRun { label, figures: none, story: Vec::new(), output: &test.output });
    }
    runs
}
