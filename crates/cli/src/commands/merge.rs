//! `innosim merge`: the folders of a sweep's shards as one, to the same bytes as a sweep in one piece.

use super::sweep::{folder, print_results, warn};
use crate::args::MergeArgs;
use crate::exit::{Done, Failure};
use crate::out_dir::OutDir;
use crate::output::note;
use innosim_experiments::sweep::{Plan, Record, Results, RunId, Store, read_folder};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Missing runs that are named.
const NAMED: usize = 5;

/// Joins the folders.
pub(crate) fn run(args: &MergeArgs) -> Done {
    let (plan, mut runs) = read_all(args)?;
    if !args.allow_missing {
        refuse_missing(&Results::of(&plan, &runs))?;
    }
    let out = OutDir::prepare(&args.out)?;
    let dir = out.path();
    let (store, there) = Store::open(dir)?;
    folder::refuse_to_replace(dir, &store, &plan, &there.runs)?;
    runs.extend(there.runs);
    store.save_plan(&plan)?;
    let results = Results::of(&plan, &runs);
    folder::write(dir, &store, &results, &runs, true, &scenario(&args.folders)?)?;
    print_results(args.form.format, &results, None, dir)?;
    if !args.common.quiet {
        warn(&results);
        note(&format!("\nIn {}: {}", dir.display(), folder::FILES));
    }
    Ok(())
}

/// The plan that all folders share, and their runs.
fn read_all(args: &MergeArgs) -> Result<(Plan, BTreeMap<RunId, Record>), Failure> {
    let (mut first, mut runs) = (None::<Plan>, BTreeMap::new());
    for folder in &args.folders {
        let (plan, opened) = read_folder(folder)?;
        runs.extend(opened.runs);
        match &first {
            None => first = Some(plan),
            Some(first) if first.is_same(&plan) => {}
            Some(first) => {
                return Err(Failure::Input(format!(
                    "{} and {} are of different sweeps: {}\n  = help: give all shards the same command but for --shard and \
                     --out, and the same version of innosim",
                    args.folders[0].display(),
                    folder.display(),
                    difference(first, &plan)
                )));
            }
        }
    }
    match first {
        Some(plan) => Ok((plan, runs)),
        None => Err(Failure::Input("no folder to join".to_owned())),
    }
}

/// The first thing in which two plans differ, in words.
fn difference(a: &Plan, b: &Plan) -> String {
    let vary = |plan: &Plan| {
        let of = |d: &innosim_experiments::sweep::Dimension| format!("{} ({} values)", d.name(), d.values.len());
        plan.dimensions.iter().map(of).collect::<Vec<String>>().join(", ")
    };
    let pairs = [
        ("innosim", a.innosim_version.clone(), b.innosim_version.clone()),
        ("innosim built of other sources:", a.build.clone(), b.build.clone()),
        ("scenario", a.scenario.clone(), b.scenario.clone()),
        ("what varies:", vary(a), vary(b)),
        ("seed", a.seed.to_string(), b.seed.to_string()),
        ("replications", a.replications.to_string(), b.replications.to_string()),
        ("runs that end", how_runs_end(a), how_runs_end(b)),
        ("--tier", a.tier.name().to_owned(), b.tier.name().to_owned()),
    ];
    match pairs.into_iter().find(|(_, a, b)| a != b) {
        Some((what, a, b)) => format!("{what} {a} and {b}"),
        None => "the scenario was changed, or its settings".to_owned(),
    }
}

fn how_runs_end(plan: &Plan) -> String {
    let copies = if plan.warm_copies { " --warm-copies" } else { "" };
    plan.until_rest.map_or("as planned".to_owned(), |still| format!("at rest (--until-rest={still}{copies})"))
}

fn refuse_missing(results: &Results<'_>) -> Done {
    if results.missing.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = results
        .missing
        .iter()
        .take(NAMED)
        .map(|(point, replication)| format!("  {}, replication {replication}", results.plan.label(*point)))
        .collect();
    let more = if results.missing.len() > NAMED { "\n  ..." } else { "" };
    Err(Failure::Input(format!(
        "{} of {} runs are missing:\n{}{more}\n  = help: run the shards that are not done (the same command continues one), \
         name all their folders, or give --allow-missing",
        results.missing.len(),
        results.missing.len() + results.count(),
        named.join("\n")
    )))
}

/// The scenario that was varied, from the first folder that has it: a shard that did not come to its end has none.
fn scenario(folders: &[PathBuf]) -> Result<String, Failure> {
    let read = |folder: &PathBuf| fs::read_to_string(folder.join(folder::SCENARIO)).ok();
    folders.iter().find_map(read).ok_or_else(|| {
        let help = "run one of the shards to its end (the same command continues it)";
        Failure::Input(format!("none of the folders holds {}\n  = help: {help}", folder::SCENARIO))
    })
}
