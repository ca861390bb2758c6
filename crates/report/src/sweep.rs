//! The tables of a sweep: `runs.csv`, a row a run, and `points.csv`, a row a point with means and intervals.
//!
//! Tidy: a column a variable, its name in the first line. The settings that varied come after the point's number, sizes in
//! bytes; then which run it was; then every field of the summary. There is no wall time in them: the same sweep gives
//! the same bytes, however it was run.

use crate::files::ReportError;
use crate::numbers::compact;
use crate::replications::Replications;
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
    /// Simulated time, seconds.
    pub simulated_s: f64,
    /// Its runs.
    pub runs: Vec<RunRow<'a>>,
}

/// A run.
#[derive(Debug, Clone)]
pub struct RunRow<'a> {
    /// Number of the replication, from 0.
    pub replication: u32,
    /// Seconds left out at the start.
    pub warmup_s: u64,
    /// Whether the warm-up was given, or seen to end.
    pub warmup_converged: bool,
    /// Its figures.
    pub summary: &'a Summary,
    /// Half-width of throughput's 95 % interval from batches inside the run, and whether they look independent.
    pub batches: Option<(f64, bool)>,
}

/// Where the regime stands among the fields of a summary: before this one.
const REGIME_BEFORE: &str = "sync_flush_seconds";

/// The text of `runs.csv`.
pub fn runs_csv(table: &SweepTable<'_>) -> Result<Vec<u8>, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let mut heads = identity_heads(table, &["replication", "seed", "simulated_s", "warmup_s", "warmup_converged"]);
    for name in Summary::NAMES {
        if *name == REGIME_BEFORE {
            heads.push("regime");
        }
        heads.push(name);
    }
    heads.extend(["tps_mean_batch_ci95", "batches_independent"]);
    writer.write_record(&heads)?;
    for (number, point) in table.points.iter().enumerate() {
        for run in &point.runs {
            let mut fields = identity_fields(table, number, point);
            fields.extend([
                run.replication.to_string(),
                point.seed.to_string(),
                compact(point.simulated_s),
                run.warmup_s.to_string(),
                run.warmup_converged.to_string(),
            ]);
            for value in run.summary.values() {
                if value.name == REGIME_BEFORE {
                    fields.push(run.summary.regime.name().to_owned());
                }
                fields.push(compact(value.value));
            }
            fields.push(run.batches.map_or(String::new(), |(half, _)| compact(half)));
            fields.push(run.batches.map_or(String::new(), |(_, independent)| independent.to_string()));
            writer.write_record(&fields)?;
        }
    }
    finish(writer)
}

/// The text of `points.csv`: means over the runs of a point, each followed by the half-width of its 95 % interval, which
/// is empty for a single run. Points without a run are left out.
pub fn points_csv(table: &SweepTable<'_>) -> Result<Vec<u8>, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let mut heads: Vec<String> =
        identity_heads(table, &["replications", "simulated_s", "regime"]).into_iter().map(str::to_owned).collect();
    heads.extend(Summary::NAMES.iter().flat_map(|name| [(*name).to_owned(), format!("{name}_ci95")]));
    writer.write_record(&heads)?;
    for (number, point) in table.points.iter().enumerate().filter(|(_, point)| !point.runs.is_empty()) {
        let summaries: Vec<Summary> = point.runs.iter().map(|run| run.summary.clone()).collect();
        let together = Replications::of(&summaries);
        let mut fields = identity_fields(table, number, point);
        fields.push(point.runs.len().to_string());
        fields.push(compact(point.simulated_s));
        fields.push(together.summary.regime.name().to_owned());
        for value in together.summary.values() {
            fields.push(compact(value.value));
            fields.push(together.half_width(value.name).map_or(String::new(), compact));
        }
        writer.write_record(&fields)?;
    }
    finish(writer)
}

/// A setting that varied and is part of every row anyway.
fn is_repeated(column: &str) -> bool {
    column == "model"
}

fn identity_heads<'a>(table: &SweepTable<'a>, more: &[&'a str]) -> Vec<&'a str> {
    let mut heads = vec!["innosim_version", "scenario", "model", "point"];
    heads.extend(table.columns.iter().map(String::as_str).filter(|column| !is_repeated(column)));
    heads.extend(more);
    heads
}

fn identity_fields(table: &SweepTable<'_>, number: usize, point: &PointRows<'_>) -> Vec<String> {
    let mut fields = vec![
        table.innosim_version.to_owned(),
        table.scenario.to_owned(),
        point.model.to_owned(),
        (number + 1).to_string(),
    ];
    let values = table.columns.iter().zip(point.values).filter(|(column, _)| !is_repeated(column));
    fields.extend(values.map(|(_, value)| value.clone()));
    fields
}

fn finish(writer: ::csv::Writer<Vec<u8>>) -> Result<Vec<u8>, ReportError> {
    writer.into_inner().map_err(|error| ReportError::Csv(error.into_error().into()))
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
            warmup_s: 30,
            warmup_converged: true,
            summary,
            batches: Some((0.5, false)),
        };
        let (columns, values) = (["model".to_owned(), "a".to_owned()], ["mysql-8.4".to_owned(), "1024".to_owned()]);
        let point = PointRows {
            values: &values,
            model: "mysql-8.4",
            seed: 7,
            simulated_s: 600.0,
            runs: summaries.iter().enumerate().map(run).collect(),
        };
        let empty = PointRows { runs: Vec::new(), ..point.clone() };
        let points = vec![empty, point];
        let table = SweepTable { innosim_version: "0.1.0", scenario: "s", columns: &columns, points };
        let runs = rows(runs_csv(&table).unwrap());
        assert_eq!(
            runs[0][..10].join(" "),
            "innosim_version scenario model point a replication seed simulated_s warmup_s warmup_converged"
        );
        assert_eq!(runs[3][..11].join(" "), "0.1.0 s mysql-8.4 2 1024 2 7 600 30 true 102");
        assert!(runs.iter().all(|row| row.len() == 10 + Summary::NAMES.len() + 3));
        assert_eq!(runs[3][runs[0].iter().position(|head| head == "regime").unwrap()], "waves");
        let points = rows(points_csv(&table).unwrap());
        assert_eq!(points.len(), 2);
        assert_eq!(points[1][..9].join(" "), "0.1.0 s mysql-8.4 2 1024 3 600 waves 100");
        assert_eq!(points[1][9], "4.96827", "Student's interval of three runs");
        assert_eq!(points[0][8..10].join(" "), "tps_mean tps_mean_ci95");
    }
}
