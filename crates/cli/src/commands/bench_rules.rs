//! `innosim bench-rules`: where flushing rules stand on a fixed suite.
//!
//! The suite and the scores are in `innosim_experiments::rule_bench`. Here: `table` for people, `json` for scripts; the
//! page comes from the report crate.

mod json;
mod table;

use crate::args::BenchRulesArgs;
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::out_dir::{OutDir, fill};
use crate::output::note;
use crate::progress::Progress;
use crate::runner::pool;
use crate::show::show;
use innosim_core::server::RunError;
use innosim_experiments::rule_bench::{Bench, BenchError, Entrant, OWN, Prepared, SUITE, SUITE_VERSION, Score};
use innosim_report::{write_file, write_json, write_rules_page};
use innosim_rules::{Rule, shipped};
use std::path::Path;

/// What is left last: where it is, the rest is there too.
const LAST: &str = "bench-rules.json";
/// Level of the headings of the Markdown, which goes below one of a document's sections.
const MARKDOWN_LEVEL: usize = 3;
/// Seed if none is given.
const SEED: u64 = 1;

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Failure {
        match error {
            BenchError::Scenario(errors) => Failure::Scenario(errors),
            BenchError::Run(RunError::Stopped { .. }) => Failure::Interrupted,
            BenchError::Run(error) => Failure::Check(format!(
                "{error}\n  = help: this is a defect of the simulator, not of a rule; the same command shows it again"
            )),
        }
    }
}

/// What there is to show.
pub(super) struct Shown {
    pub(super) bench: Bench,
    pub(super) scores: Vec<Score>,
}

/// Runs the suite, or lists it.
pub(crate) fn run(args: &BenchRulesArgs) -> Done {
    if args.list {
        return show(args.form.format, &json::list(), &table::list());
    }
    let prepared = Prepared::load(entrants(args)?, args.common.seed.unwrap_or(SEED), args.quick)?;
    let out = args.out.as_deref().map(OutDir::prepare).transpose()?;
    interrupt::listen();
    let progress = Progress::new("bench-rules", prepared.seconds(), args.common.quiet);
    let bench = pool(args.common.jobs)?.install(|| prepared.run(&progress));
    progress.finish();
    let bench = bench?;
    let shown = Shown { scores: bench.scores(), bench };
    let document = json::document(&shown);
    let written = out.as_ref().map_or(Ok(()), |out| write(out.path(), &shown, &document));
    show(args.form.format, &document, &table::render(&shown))?;
    written?;
    if let Some(out) = out.filter(|_| !args.common.quiet) {
        note(&format!(
            "\nIn {}: bench-rules.html, bench-rules.txt, bench-rules.md, bench-rules.json",
            out.path().display()
        ));
    }
    failed(&shown)
}

/// Rules that failed make it an error, after the others have been shown.
fn failed(shown: &Shown) -> Done {
    let of = |score: &Score| Some((score.entrant, score.failure.clone()?));
    let failures: Vec<(usize, String)> = shown.scores.iter().filter_map(of).collect();
    let Some((entrant, first)) = failures.first() else { return Ok(()) };
    let rules: std::collections::BTreeSet<usize> = failures.iter().map(|(entrant, _)| *entrant).collect();
    Err(Failure::Input(format!(
        "{} of {} rules failed, in {} of their cases; the figures of the others are whole. {} in {first}",
        rules.len(),
        shown.bench.entrants.len(),
        failures.len(),
        shown.bench.entrants[*entrant].name
    )))
}

/// The server's own rule, the shipped ones unless others alone are asked for, and those that are asked for.
fn entrants(args: &BenchRulesArgs) -> Result<Vec<Entrant>, Failure> {
    let mut entrants = vec![Entrant { name: OWN.to_owned(), rule: OWN.to_owned() }];
    let named = |name: &str| Entrant { name: name.to_owned(), rule: name.to_owned() };
    if !args.only {
        entrants.extend(shipped().iter().map(|rule| named(rule.name)));
    }
    for rule in &args.rule {
        let known = Rule::names().iter().any(|name| name == rule) && !Path::new(rule).is_file();
        let stem = Path::new(rule).file_stem().map_or_else(|| rule.clone(), |stem| stem.to_string_lossy().into_owned());
        let name = if known { rule.clone() } else { stem };
        if entrants.iter().any(|other| other.name == name) {
            if known {
                continue;
            }
            let help = "give the file another name, or leave the shipped rules out with --only";
            return Err(Failure::Input(format!("two rules are called `{name}`\n  = help: {help}")));
        }
        entrants.push(Entrant { name, rule: rule.clone() });
    }
    if entrants.len() == 1 {
        let help = "name a rule with --rule FILE, or leave out --only";
        return Err(Failure::Input(format!("there is no rule to compare\n  = help: {help}")));
    }
    Ok(entrants)
}

fn write(dir: &Path, shown: &Shown, document: &serde_json::Value) -> Done {
    fill(dir, LAST, |staging| {
        write_file(&staging.join("bench-rules.txt"), table::render(shown).as_bytes())?;
        write_file(&staging.join("bench-rules.md"), table::markdown(shown, MARKDOWN_LEVEL).as_bytes())?;
        write_rules_page(&staging.join("bench-rules.html"), &table::page(shown))?;
        write_json(&staging.join(LAST), document)
    })
}

/// Title of tables and pages.
pub(super) fn title(quick: bool) -> String {
    let quick = if quick { " - a quick look, not the suite" } else { "" };
    format!("Flushing rules on the suite {SUITE_VERSION}: {} cases{quick}", SUITE.len())
}
