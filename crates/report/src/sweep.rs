//! The tables of a sweep: `runs.csv`, a row a run, and `points.csv`, a row a point with means and intervals.
//!
//! Tidy: a column a variable, its name in the first line. The settings that varied come after the point's number, sizes
//! in bytes; then which run it was; then every field of the summary. There is no wall time in them: the same sweep
//! gives the same bytes, however it was run.

use crate::files::ReportError;
use crate::replications::Replications;
use crate::sheet::{Cell, Sheet};
use innosim_core::metrics::Summary;

/// The table of all runs.
#[derive(Debug, Clone)]
pub struct SweepTable<'a> {
    /// Version of the program.
    pub innosim_version: &'a str,
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Names of the settings that varied.
    pub columns: &'a [String],
    /// Whether runs were made in the coarse tier, or would have been.
    pub coarse: bool,
    /// Points in order.
    pub points: Vec<PointRows<'a>>,
}

/// A point and its runs.
#[derive(Debug, Clone)]
pub struct PointRows<'a> {
    /// Values of the columns.
    pub values: &'a [String],
    /// Server model.
    pub model: &'a str,
    /// Seed.
    pub seed: u64,
    /// Simulated time of a run, in the mean, seconds.
    pub simulated_s: f64,
    /// How far its runs in the coarse tier are off: throughput, checkpoint age, pages flushed, as shares.
    pub off_by: Option<[f64; 3]>,
    /// Its runs.
    pub runs: Vec<RunRow<'a>>,
}

/// A run.
#[derive(Debug, Clone)]
pub struct RunRow<'a> {
    /// Number of the replication, from 0.
    pub replication: u32,
    /// Simulated time, seconds.
    pub simulated_s: f64,
    /// How many of its first seconds are of the warm server that it began from; 0 from a cold start.
    pub warm_s: u64,
    /// If it is the same as a run of an earlier point: the number of that, from 1.
    pub same_as: Option<usize>,
    /// How it ended: as `planned`, or why before.
    pub ended: &'a str,
    /// Seconds left out at the start.
    pub warmup_s: u64,
    /// Whether the warm-up was given, or seen to end.
    pub warmup_converged: bool,
    /// Its figures.
    pub summary: &'a Summary,
    /// Half-width of throughput's 95 % interval from batches inside the run, and whether they look independent.
    pub batches: Option<(f64, bool)>,
    /// Exact windows that it had for itself, if it was made in the coarse tier.
    pub own_windows: Option<usize>,
    /// Why it was not, if it was to be.
    pub why_exact: Option<&'a str>,
}

/// Where the regime stands among the fields of a summary: before this one.
const REGIME_BEFORE: &str = "sync_flush_seconds";

/// Columns of a point in both tiers: how far the coarse one is off, as shares.
const OFF_BY: [&str; 3] = ["tps_off_by", "checkpoint_age_off_by", "pages_flushed_off_by"];

/// The text of `runs.csv`.
pub fn runs_csv(table: &SweepTable<'_>) -> Result<Vec<u8>, ReportError> {
    runs_sheet(table).csv()
}

/// The text of `points.csv`: means over the runs of a point, each followed by the half-width of its 95 % interval,
/// which is empty for a single run. Points without a run are left out.
pub fn points_csv(table: &SweepTable<'_>) -> Result<Vec<u8>, ReportError> {
    points_sheet(table).csv()
}

/// A row a run.
pub(crate) fn runs_sheet(table: &SweepTable<'_>) -> Sheet {
    let mut heads = identity_heads(table, &["replication", "seed", "simulated_s", "warmup_s", "warmup_converged"]);
    for name in Summary::NAMES {
        heads.extend((*name == REGIME_BEFORE).then(|| "regime".to_owned()));
        heads.push((*name).to_owned());
    }
    heads.extend(["tps_mean_batch_ci95", "batches_independent", "warm_s", "same_as", "ended"].map(str::to_owned));
    heads.extend(["tier", "own_windows", "why_exact"].iter().filter(|_| table.coarse).map(|head| (*head).to_owned()));
    let of_point = |(number, point): (usize, &PointRows<'_>)| {
        point.runs.iter().map(|run| run_row(table, number, point, run)).collect::<Vec<Vec<Cell>>>()
    };
    Sheet { heads, rows: table.points.iter().enumerate().flat_map(of_point).collect() }
}

fn run_row(table: &SweepTable<'_>, number: usize, point: &PointRows<'_>, run: &RunRow<'_>) -> Vec<Cell> {
    let mut cells = identity_cells(table, number, point);
    cells.extend([
        Cell::Whole(i64::from(run.replication)),
        whole(point.seed),
        Cell::Number(run.simulated_s),
        whole(run.warmup_s),
        Cell::Flag(run.warmup_converged),
    ]);
    for value in run.summary.values() {
        cells.extend((value.name == REGIME_BEFORE).then(|| Cell::Text(run.summary.regime.name().to_owned())));
        cells.push(Cell::Number(value.value));
    }
    cells.push(run.batches.map_or(Cell::Missing, |(half, _)| Cell::Number(half)));
    cells.push(run.batches.map_or(Cell::Missing, |(_, independent)| Cell::Flag(independent)));
    cells.push(whole(run.warm_s));
    cells.push(run.same_as.map_or(Cell::Missing, |point| whole(point as u64)));
    cells.push(Cell::Text(run.ended.to_owned()));
    if table.coarse {
        cells.push(Cell::Text(if run.own_windows.is_some() { "flow" } else { "exact" }.to_owned()));
        cells.push(run.own_windows.map_or(Cell::Missing, |windows| whole(windows as u64)));
        cells.push(run.why_exact.map_or(Cell::Missing, |why| Cell::Text(why.to_owned())));
    }
    cells
}

/// A row a point.
pub(crate) fn points_sheet(table: &SweepTable<'_>) -> Sheet {
    let mut heads = identity_heads(table, &["replications", "simulated_s", "regime"]);
    heads.extend(Summary::NAMES.iter().flat_map(|name| [(*name).to_owned(), format!("{name}_ci95")]));
    let compared = table.points.iter().any(|point| point.off_by.is_some());
    heads.extend(OFF_BY.iter().filter(|_| compared).map(|head| (*head).to_owned()));
    let row = |(number, point): (usize, &PointRows<'_>)| {
        let summaries: Vec<Summary> = point.runs.iter().map(|run| run.summary.clone()).collect();
        let together = Replications::of(&summaries);
        let mut cells = identity_cells(table, number, point);
        cells.extend([
            whole(point.runs.len() as u64),
            Cell::Number(point.simulated_s),
            Cell::Text(together.summary.regime.name().to_owned()),
        ]);
        for value in together.summary.values() {
            cells.push(Cell::Number(value.value));
            cells.push(together.half_width(value.name).map_or(Cell::Missing, Cell::Number));
        }
        if compared {
            let off_by = point.off_by.map(|off_by| off_by.map(Cell::Number));
            cells.extend(off_by.unwrap_or([Cell::Missing, Cell::Missing, Cell::Missing]));
        }
        cells
    };
    let with_runs = table.points.iter().enumerate().filter(|(_, point)| !point.runs.is_empty());
    Sheet { heads, rows: with_runs.map(row).collect() }
}

/// A seed beyond the range of a whole number of a table is text: no digit of it may be lost.
fn whole(number: u64) -> Cell {
    i64::try_from(number).map_or_else(|_| Cell::Text(number.to_string()), Cell::Whole)
}

/// A setting that varied and is part of every row anyway.
fn is_repeated(column: &str) -> bool {
    column == "model"
}

fn identity_heads(table: &SweepTable<'_>, more: &[&str]) -> Vec<String> {
    let settings = table.columns.iter().map(String::as_str).filter(|column| !is_repeated(column));
    let first = ["innosim_version", "scenario", "model", "point"].into_iter();
    first.chain(settings).chain(more.iter().copied()).map(str::to_owned).collect()
}

fn identity_cells(table: &SweepTable<'_>, number: usize, point: &PointRows<'_>) -> Vec<Cell> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let mut cells =
        vec![text(table.innosim_version), text(table.scenario), text(point.model), whole(number as u64 + 1)];
    let values = table.columns.iter().zip(point.values).filter(|(column, _)| !is_repeated(column));
    cells.extend(values.map(|(_, value)| Cell::of_setting(value)));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_core::metrics::Regime;

    fn rows(text: Vec<u8>) -> Vec<Vec<String>> {
        let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_slice());
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn a_row_a_run_and_a_row_a_point() {
        let summary = |tps_mean| Summary { tps_mean, regime: Regime::Waves, ..Summary::default() };
        let summaries = [summary(98.0), summary(100.0), summary(102.0)];
        let run = |(i, summary)| RunRow {
            replication: i as u32,
            simulated_s: if i == 2 { 90.0 } else { 600.0 },
            warm_s: if i == 2 { 10 } else { 0 },
            same_as: (i == 2).then_some(1),
            ended: if i == 2 { "at_rest" } else { "planned" },
            warmup_s: 30,
            warmup_converged: true,
            summary,
            batches: Some((0.5, false)),
            own_windows: (i == 2).then_some(4),
            why_exact: (i == 1).then_some("the log is small"),
        };
        let (columns, values) = (["model".to_owned(), "a".to_owned()], ["mysql-8.4".to_owned(), "1024".to_owned()]);
        let point = PointRows {
            values: &values,
            model: "mysql-8.4",
            seed: 7,
            simulated_s: 430.0,
            off_by: None,
            runs: summaries.iter().enumerate().map(run).collect(),
        };
        let empty = PointRows { runs: Vec::new(), ..point.clone() };
        let points = vec![empty, point];
        let table = SweepTable { innosim_version: "0.1.0", scenario: "s", columns: &columns, coarse: false, points };
        let runs = rows(runs_csv(&table).unwrap());
        assert_eq!(
            runs[0][..10].join(" "),
            "innosim_version scenario model point a replication seed simulated_s warmup_s warmup_converged"
        );
        assert_eq!(runs[3][..11].join(" "), "0.1.0 s mysql-8.4 2 1024 2 7 90 30 true 102");
        assert_eq!((runs[0].last().unwrap().as_str(), runs[3].last().unwrap().as_str()), ("ended", "at_rest"));
        assert!(runs.iter().all(|row| row.len() == 10 + Summary::NAMES.len() + 6));
        assert_eq!(runs[3][runs[3].len() - 3..].join(" "), "10 1 at_rest");
        assert_eq!(runs[1][runs[1].len() - 3..].join(" "), "0  planned");
        assert_eq!(runs[3][runs[0].iter().position(|head| head == "regime").unwrap()], "waves");
        let points = rows(points_csv(&table).unwrap());
        assert_eq!(points.len(), 2);
        assert_eq!(points[1][..9].join(" "), "0.1.0 s mysql-8.4 2 1024 3 430 waves 100");
        assert_eq!(points[1][9], "4.96827542", "Student's interval of three runs");
        assert_eq!(points[0][8..10].join(" "), "tps_mean tps_mean_ci95");
        let compared = PointRows { off_by: Some([0.01, -0.02, 0.0]), ..table.points[1].clone() };
        let coarse = SweepTable { coarse: true, points: vec![compared], ..table };
        let runs = rows(runs_csv(&coarse).unwrap());
        let last = |row: &[String]| row[row.len() - 3..].join(" ");
        assert_eq!(last(&runs[0]), "tier own_windows why_exact");
        assert_eq!((last(&runs[2]).as_str(), last(&runs[3]).as_str()), ("exact  the log is small", "flow 4 "));
        let points = rows(points_csv(&coarse).unwrap());
        assert_eq!(last(&points[0]), OFF_BY.join(" "));
        assert_eq!(last(&points[1]), "0.01 -0.02 0");
    }
}
