//! Reads a `series.csv` that a run left.
//!
//! Columns are known by their names, in any order; others are passed over. A few came later than the first releases:
//! where they are absent it is said, so that nobody takes a 0 for a measurement.

use innosim_core::metrics::SecondSample;
use std::fs::File;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What is wrong with a `series.csv`.
#[derive(Debug, Error)]
pub enum SeriesError {
    /// It can't be opened.
    #[error("can't read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line is wrong.
    #[error("{path}, line {line}: {problem}\n  = help: {help}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        problem: String,
        /// What helps.
        help: &'static str,
    },
}

/// A series that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadSeries {
    /// A row a second.
    pub samples: Vec<SecondSample>,
    /// Columns of later releases that are absent.
    pub absent: Vec<&'static str>,
}

/// Puts a number into its field.
type Field = (&'static str, fn(&mut SecondSample, f64));

const WROTE: &str = "give a folder as `innosim run --out` leaves it";

/// Columns without which a series says nothing.
const NEEDED: [Field; 17] = [
    ("second", |s, v| s.second = v as u64),
    ("tps", |s, v| s.transactions = v as u64),
    ("innodb_checkpoint_age", |s, v| s.checkpoint_age_bytes = v as u64),
    ("log_max_modified_age_async", |s, v| s.age_async_bytes = v as u64),
    ("log_max_modified_age_sync", |s, v| s.age_sync_bytes = v as u64),
    ("innodb_buffer_pool_pages_dirty", |s, v| s.dirty_pages = v as u64),
    ("innodb_buffer_pool_pages_free", |s, v| s.free_pages = v as u64),
    ("pages_flushed", |s, v| s.pages_flushed = v as u64),
    ("buffer_flush_sync_pages", |s, v| s.sync_pages = v as u64),
    ("buffer_LRU_batch_flush_pages", |s, v| s.lru_pages = v as u64),
    ("buffer_flush_n_to_flush_requested", |s, v| s.n_to_flush_requested = v as u64),
    ("innodb_os_log_written", |s, v| s.redo_written_bytes = v as u64),
    ("innodb_log_waits", |s, v| s.log_waits = v as u64),
    ("innodb_buffer_pool_wait_free", |s, v| s.wait_free = v as u64),
    ("innodb_dblwr_pages_written", |s, v| s.dblwr_pages = v as u64),
    ("innodb_dblwr_writes", |s, v| s.dblwr_writes = v as u64),
    ("device_utilization", |s, v| s.device_utilization = v),
];

/// Columns that came later.
const LATER: [Field; 6] = [
    ("redo_generated_bytes", |s, v| s.redo_generated_bytes = v as u64),
    ("oldest_page_age", |s, v| s.oldest_page_age_bytes = v as u64),
    ("free_check_waits", |s, v| s.free_check_waits = v as u64),
    ("buffer_LRU_single_flush_pages", |s, v| s.single_pages = v as u64),
    ("arrivals_waiting", |s, v| s.arrivals_waiting = v as u64),
    ("stopped", |s, v| s.stopped = v > 0.0),
];

/// Reads `path`. Where the redo generated is absent, the redo written stands in for it.
///
/// # Errors
/// [`SeriesError`] with the line.
pub fn read_series_csv(path: &Path) -> Result<ReadSeries, SeriesError> {
    let file = File::open(path).map_err(|source| SeriesError::Io { path: path.to_path_buf(), source })?;
    let wrong = |line: u64, problem: String, help| SeriesError::Line { path: path.to_path_buf(), line, problem, help };
    let unreadable = |error: ::csv::Error| {
        let line = error.position().map_or(1, ::csv::Position::line);
        wrong(line, format!("is no row of a table: {error}"), WROTE)
    };
    let mut reader = ::csv::Reader::from_reader(file);
    let head = reader.headers().map_err(unreadable)?.clone();
    let place = |name: &str| head.iter().position(|column| column == name);
    let mut fields = Vec::new();
    for (name, set) in NEEDED {
        let Some(at) = place(name) else {
            return Err(wrong(1, format!("there is no column `{name}`"), WROTE));
        };
        fields.push((name, at, set));
    }
    let mut read = ReadSeries::default();
    for (name, set) in LATER {
        match place(name) {
            Some(at) => fields.push((name, at, set)),
            None => read.absent.push(name),
        }
    }
    for (row, record) in reader.records().enumerate() {
        let record = record.map_err(unreadable)?;
        let line = record.position().map_or(0, ::csv::Position::line);
        let mut sample = SecondSample::default();
        for (name, at, set) in &fields {
            let text = record.get(*at).unwrap_or_default().trim();
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
            let number =
                number.ok_or_else(|| wrong(line, format!("`{name}` is `{text}`, no number from 0 up"), WROTE))?;
            set(&mut sample, number);
        }
        if sample.second != row as u64 + 1 {
            let problem = format!("second {} stands where second {} is due", sample.second, row + 1);
            return Err(wrong(line, problem, "keep the rows as the run left them, one a second from 1 on"));
        }
        if read.absent.contains(&"redo_generated_bytes") {
            sample.redo_generated_bytes = sample.redo_written_bytes;
        }
        read.samples.push(sample);
    }
    if read.samples.is_empty() {
        return Err(wrong(1, "there is no row below the head".to_owned(), WROTE));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::series_csv;
    use innosim_core::metrics::RunOutput;

    fn written(rows: u64) -> String {
        let row = |second| SecondSample {
            second,
            transactions: 10 * second,
            redo_generated_bytes: 7,
            redo_written_bytes: 9,
            oldest_page_age_bytes: 5,
            device_utilization: 0.25,
            stopped: second == 2,
            ..SecondSample::default()
        };
        let output = RunOutput { series: (1..=rows).map(row).collect(), ..RunOutput::default() };
        String::from_utf8(series_csv(&output).unwrap()).unwrap()
    }

    fn read(text: &str) -> Result<ReadSeries, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("series.csv");
        std::fs::write(&path, text).unwrap();
        read_series_csv(&path).map_err(|error| error.to_string().replace(&*folder.path().to_string_lossy(), "DIR"))
    }

    #[test]
    fn what_was_written_is_read() {
        let read = read(&written(3)).unwrap();
        assert!(read.absent.is_empty());
        let second = &read.samples[1];
        assert_eq!((second.second, second.transactions, second.redo_generated_bytes), (2, 20, 7));
        assert_eq!((second.oldest_page_age_bytes, second.device_utilization, second.stopped), (5, 0.25, true));
    }

    #[test]
    fn columns_of_later_releases_may_be_absent() {
        let text = written(2).replace("redo_generated_bytes", "x").replace("oldest_page_age", "y");
        let read = read(&text).unwrap();
        assert_eq!(read.absent, ["redo_generated_bytes", "oldest_page_age"]);
        assert_eq!(read.samples[0].redo_generated_bytes, 9, "as written");
    }

    #[test]
    fn mistakes_name_file_line_and_column() {
        let broken = |from: &str, to: &str| read(&written(3).replacen(from, to, 1)).unwrap_err();
        let errors = [
            read("").unwrap_err(),
            broken("pages_flushed", "pages"),
            broken("\n2,20,", "\n2,many,"),
            broken("\n2,20,", "\n5,20,"),
            broken("\n2,20,", "\n2,20,0,0,0,0,0,0,0,0,0,0,0,0,"),
            read(written(3).lines().next().unwrap()).unwrap_err(),
        ];
        insta::assert_snapshot!(errors.join("\n"));
    }
}
