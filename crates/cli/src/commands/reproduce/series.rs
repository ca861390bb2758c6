//! `innosim reproduce --series`: the runs of a series beside what was published of them.

use super::picture;
use super::table::{amount, signed_percent};
use crate::args::ReproduceArgs;
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::out_dir::OutDir;
use crate::outcome::{Outcome, VERSION};
use crate::output::{print, wrapped};
use crate::progress::Progress;
use crate::runner::{pool, refuse_too_short, run_all};
use crate::show::show;
use crate::text_table::TextTable;
use innosim_experiments::reproduce::{
    Course, Figure, SERIES, Series, SeriesRow, SeriesRun, error_sizes, rank_correlations,
};
use innosim_experiments::runner::{Job, in_parallel};
use innosim_recordings::Recording;
use innosim_report::numbers::{decimal, rounded};
use innosim_report::write_json;
use innosim_scenario::Scenario;
use serde_json::{Value, json};
use std::time::Instant;

/// What is left beside the folders of the runs.
const RESULT: &str = "series.json";
/// Figures side by side in one table.
const SIDE_BY_SIDE: usize = 2;

/// The published series that is a folder of scenarios.
pub(super) const FOLDER_SERIES: (&str, &str) = ("percona-2020", "percona-2020-08");

/// Prints the names of the series.
pub(super) fn list() -> Done {
    let mut table = TextTable::new(&["series", "what it is", ">runs"]);
    table.row(vec![
        FOLDER_SERIES.0.into(),
        "Waves of MySQL 8.0.21 on a SATA SSD, August 2020 (the default)".into(),
        "9".into(),
    ]);
    for (name, _) in SERIES {
        let series = find(name)?;
        table.row(vec![(*name).to_owned(), series.title.clone(), series.runs.len().to_string()]);
    }
    print(&table.render())
}

fn find(name: &str) -> Result<Series, Failure> {
    let names: Vec<&str> = std::iter::once(FOLDER_SERIES.0).chain(SERIES.iter().map(|(name, _)| *name)).collect();
    Series::find(name)
        .map_err(|error| Failure::Input(format!("{name}: {error}")))?
        .ok_or_else(|| Failure::Input(format!("{name}: not a series\n  = help: the series are {}", names.join(", "))))
}

/// Runs a series.
pub(super) fn run(args: &ReproduceArgs, name: &str) -> Done {
    let mut series = find(name)?;
    let all = series.runs.len();
    keep_only(&mut series, &args.only)?;
    if args.until_rest {
        return Err(Failure::Input(format!(
            "--until-rest: a run of the series {name} is compared over the time that was recorded, and can't end before it\n  \
             = help: leave it out; --duration TIME makes all runs shorter"
        )));
    }
    let courses = args.recorded.as_deref().map(|folder| picture::courses(folder, &series)).transpose()?;
    let courses = courses.unwrap_or_default();
    let mut scenarios: Vec<(&SeriesRun, Scenario)> = Vec::new();
    for run in &series.runs {
        let overrides = Series::overrides(run, args.duration.as_ref(), args.common.seed);
        let scenario = series.scenario(run, &overrides)?;
        refuse_too_short(&scenario)?;
        scenarios.push((run, scenario));
    }
    let out = args.out.as_deref().map(OutDir::prepare).transpose()?;
    interrupt::listen();
    let seconds: u64 = scenarios.iter().flat_map(|(_, scenario)| Job::all(scenario)).map(|job| job.seconds()).sum();
    let progress = Progress::new(name, seconds, args.common.quiet);
    let made: Vec<Result<SeriesRow, Failure>> = pool(args.common.jobs)?.install(|| {
        in_parallel(&scenarios, |(run, scenario)| {
            row(args, &series, (run, scenario), courses.get(&run.name), &progress)
        })
    });
    progress.finish();
    let rows: Vec<SeriesRow> = made.into_iter().collect::<Result<_, _>>()?;
    // Marks are of whole series.
    let judged = args.only.is_empty().then(|| misses(&series, &rows));
    let document = document(name, &series, &rows, judged.as_deref());
    let misses = judged.unwrap_or_default();
    if let Some(dir) = &out {
        write_json(&dir.path().join(RESULT), &document)?;
    }
    let mut text = render(&series, &rows, args.duration.is_some(), &misses);
    if rows.len() < all {
        text.push_str(&format!("{} of the {all} runs of {name}; its marks are of all\n", rows.len()));
    }
    show(args.form.format, &document, &text)?;
    if let Some(dir) = out {
        dir.tell(
            args.common.quiet,
            &format!("{RESULT}, a folder for each run, and a picture where a recorded figure can be drawn beside it"),
        );
    }
    if args.strict && !misses.is_empty() {
        return Err(Failure::Check(format!("{name}: {}", misses.join("; "))));
    }
    Ok(())
}

/// Drops the runs whose names begin with none of `names`, if any is given; a whole name is that of its run alone.
fn keep_only(series: &mut Series, names: &[String]) -> Result<(), Failure> {
    let known: Vec<String> = series.runs.iter().map(|run| run.name.clone()).collect();
    if let Some(name) = names.iter().find(|&name| !known.iter().any(|run| run.starts_with(name.as_str()))) {
        return Err(Failure::Input(format!(
            "--only {name}: no run of the series begins so\n  = help: its runs are {}",
            known.join(", ")
        )));
    }
    let is_wanted = |run: &str, name: &String| if known.contains(name) { run == name } else { run.starts_with(name) };
    series.runs.retain(|run| names.is_empty() || names.iter().any(|name| is_wanted(&run.name, name)));
    Ok(())
}

/// Simulates a run, and lays it beside what was published.
fn row(
    args: &ReproduceArgs,
    series: &Series,
    (run, scenario): (&SeriesRun, &Scenario),
    recorded: Option<&Recording>,
    progress: &Progress,
) -> Result<SeriesRow, Failure> {
    let began = Instant::now();
    let outputs = run_all(&Job::all(scenario).collect::<Vec<Job<'_>>>(), false, progress)?;
    let Some(outcome) = Outcome::of(scenario.clone(), outputs, began.elapsed()) else {
        return Err(Failure::Input(format!("{}: a scenario without replications", run.name)));
    };
    let (summary, warmup_s) = (&outcome.replications.summary, outcome.identity.warmup_s);
    let simulated = run.published.keys().filter_map(|&figure| {
        figure.simulated(summary, &outcome.output, warmup_s).map(|value| (figure, rounded(value)))
    });
    let row = SeriesRow {
        run: run.name.clone(),
        group: run.group.clone(),
        simulated_s: outcome.identity.simulated_s,
        warmup_s,
        published: run.published.clone(),
        simulated: simulated.collect(),
        undecided_log_threads_us: outcome.output.undecided_log_threads_us(warmup_s),
        threads_modelled: scenario.threads_beyond_model().map(|(from, _)| from),
    };
    if let Some(dir) = &args.out {
        OutDir::prepare(&dir.join(&run.name))?.write(&outcome)?;
        picture::write(dir, series, &row, &outcome, recorded)?;
    }
    Ok(row)
}

/// What is further off than the marks of the series, in words.
fn misses(series: &Series, rows: &[SeriesRow]) -> Vec<String> {
    let mut misses = Vec::new();
    for (&figure, marks) in &series.figures {
        let group = marks.group.as_deref();
        let Some((median, worst)) = error_sizes(rows, figure, group) else { continue };
        let figure = of_group(figure, group);
        for (what, size, mark) in [("median", median, marks.median), ("worst", worst, marks.worst)] {
            if let Some(mark) = mark.filter(|mark| size > *mark) {
                let [size, mark] = [size, mark].map(|share| decimal(share * 100.0, 1));
                misses.push(format!("{figure}: {what} error {size} %, mark {mark} %"));
            }
        }
    }
    misses
}

/// A figure of the runs of a group, or of all.
fn of_group(figure: Figure, group: Option<&str>) -> String {
    group.map_or_else(|| figure.head().to_owned(), |group| format!("{}, {group}", figure.head()))
}

/// `misses` are none if marks were not judged.
fn document(name: &str, series: &Series, rows: &[SeriesRow], misses: Option<&[String]>) -> Value {
    let errors = |row: &SeriesRow| -> Value {
        let of = |figure: &Figure| row.error(*figure).map(rounded);
        row.published
            .keys()
            .map(|figure| (json!(figure).as_str().unwrap_or_default().to_owned(), json!(of(figure))))
            .collect()
    };
    let row = |row: &SeriesRow| {
        let mut value = json!(row);
        value["errors"] = errors(row);
        value
    };
    json!({
        "innosim_version": VERSION,
        "series": name,
        "source": series.source,
        "inputs": series.inputs,
        "tolerance": series.figures,
        "runs": rows.iter().map(row).collect::<Vec<Value>>(),
        "right_courses": rows.iter().filter_map(Course::of_row).filter(|(one, other)| one == other).count(),
        "rank_correlations": rank_correlations(rows),
        "misses": misses.unwrap_or_default(),
        "passed": misses.map(<[String]>::is_empty),
    })
}

fn render(series: &Series, rows: &[SeriesRow], shortened: bool, misses: &[String]) -> String {
    let mut text = format!("{}\n", series.title);
    text.push_str(&wrapped(&format!("Published: {}", series.source), 0));
    text.push_str(&wrapped(&format!("Inputs, not predicted: {}", series.inputs), 0));
    if shortened {
        text.push_str(&wrapped(
            "These runs have another length than the series asks for. Don't expect them to agree.",
            0,
        ));
    }
    let figures: Vec<Figure> = series.figures.keys().copied().collect();
    for figures in figures.chunks(SIDE_BY_SIDE) {
        text.push('\n');
        text.push_str(&table(figures, rows));
    }
    text.push('\n');
    for (&figure, marks) in &series.figures {
        for group in std::iter::once(None).chain(marks.group.as_deref().map(Some)) {
            let Some((median, worst)) = error_sizes(rows, figure, group) else { continue };
            let [median, worst] = [median, worst].map(|share| decimal(share * 100.0, 1));
            let figure = of_group(figure, group);
            text.push_str(&format!("{figure}: error {median} % in the median, {worst} % in the worst run\n"));
        }
    }
    text.push_str(&courses(rows));
    text.push_str(&undecided(series, rows));
    text.push_str(&beyond_model(rows));
    for miss in misses {
        text.push_str(&format!("Missed: {miss}\n"));
    }
    text
}

/// The runs whose redo syncs and writes are not certain.
fn undecided(series: &Series, rows: &[SeriesRow]) -> String {
    let runs: Vec<&str> =
        rows.iter().filter(|row| row.undecided_log_threads_us.is_some()).map(|row| row.run.as_str()).collect();
    if runs.is_empty() || !series.figures.contains_key(&Figure::RedoSyncsPerS) {
        return String::new();
    }
    wrapped(
        &format!(
            "Not certain: redo syncs and writes of {}. Requests for redo come near once a millisecond there, where the log threads \
             of a server may sleep or spin, and keep doing so.",
            runs.join(", ")
        ),
        0,
    )
}

/// The runs with more threads than those up to which throughput follows from the model.
fn beyond_model(rows: &[SeriesRow]) -> String {
    let runs: Vec<&str> =
        rows.iter().filter(|row| row.threads_modelled.is_some()).map(|row| row.run.as_str()).collect();
    if runs.is_empty() {
        return String::new();
    }
    wrapped(
        &format!(
            "Not certain: throughput of {}. What limits a server with so many threads is not modelled; expect less than simulated.",
            runs.join(", ")
        ),
        0,
    )
}

/// In how many runs the course is right, and how far servers stand in the published order.
fn courses(rows: &[SeriesRow]) -> String {
    let courses: Vec<(Course, Course)> = rows.iter().filter_map(Course::of_row).collect();
    let right = courses.iter().filter(|(published, simulated)| published == simulated).count();
    let mut text = String::new();
    if !courses.is_empty() {
        text.push_str(&format!("steady, rippled or waves: right in {right} of {} runs\n", courses.len()));
    }
    for (group, correlation) in rank_correlations(rows) {
        text.push_str(&format!(
            "order of the servers, {group}: Spearman's rank correlation {}\n",
            decimal(correlation, 2)
        ));
    }
    text
}

fn table(figures: &[Figure], rows: &[SeriesRow]) -> String {
    let mut heads = vec!["run".to_owned()];
    heads.extend(figures.iter().flat_map(|figure| [format!(">{}", figure.head()), ">sim.".into(), ">error".into()]));
    let mut table = TextTable::new(&heads);
    let number = |value: Option<&f64>| value.map_or("-".to_owned(), |&value| amount(value));
    for row in rows {
        let mut fields = vec![row.run.clone()];
        for figure in figures {
            let error = row.error(*figure).map_or("-".to_owned(), signed_percent);
            fields.extend([number(row.published.get(figure)), number(row.simulated.get(figure)), error]);
        }
        table.row(fields);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_name_is_that_of_its_run_alone() {
        let runs = |name: &str| {
            let mut series = find("percona-2026").ok().unwrap();
            keep_only(&mut series, &[name.to_owned()]).ok().unwrap();
            series.runs.into_iter().map(|run| run.name).collect::<Vec<String>>()
        };
        assert_eq!(runs("mysql-8.0.45-32g-1"), ["mysql-8.0.45-32g-1"]);
        assert_eq!(runs("mysql-8.0.45-32g").len(), 5);
    }
}
