//! pt-mext: a row a counter, a column a sample, absolute or (`-r`) as differences.

use super::relative::{accumulate, is_relative};
use super::{Clock, Part};
use crate::RecordingError;
use std::collections::BTreeMap;
use std::path::Path;

/// Rows of numbers that must be there.
const MIN_ROWS: usize = 3;

/// Reads the table; none if the text is no such table.
pub(super) fn parse(path: &Path, text: &str) -> Result<Option<Part>, RecordingError> {
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(name) = words.next().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())) else {
            continue;
        };
        // A row of texts has other words; it holds no counter.
        let values: Option<Vec<f64>> = words.map(|word| word.parse().ok().filter(|v: &f64| v.is_finite())).collect();
        if let Some(values) = values.filter(|values| values.len() > 1) {
            columns.insert(name.to_owned(), values);
        }
    }
    // The last sample may be missing from counters that did not change.
    let samples = columns.values().map(Vec::len).max().unwrap_or(0);
    let known = ["Uptime", "Questions", "Innodb_pages_written", "Innodb_page_size", "Threads_running"];
    if columns.len() < MIN_ROWS || !known.iter().any(|name| columns.contains_key(*name)) {
        return Ok(None);
    }
    columns.values_mut().for_each(|values| values.resize(samples, f64::NAN));
    let mut part = Part::default();
    if is_relative(&columns) {
        accumulate(&mut columns);
        part.remarks.push("holds differences (-r), which were summed up".to_owned());
    }
    let Some(uptime) = columns.get("Uptime") else {
        let help = "keep the row Uptime, from which the times of the samples follow";
        return Err(RecordingError::new(path, format!("holds {samples} samples without any time"), help));
    };
    let (seconds, remark) = super::samples::from_uptime(uptime);
    part.remarks.extend(remark);
    (part.clock, part.seconds, part.columns) = (Clock::Uptime, seconds, columns);
    super::samples::forward_only(&mut part);
    Ok(Some(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "Aborted_clients    0    0    0\nInnodb_buffer_pool_load_status  Buffer pool(s) load completed\n\
                         Innodb_lsn_current  10659097  280  0\nInnodb_page_size  16384  0  0\nUptime  39  1  1\n";

    #[test]
    fn differences_become_samples() {
        let part = parse(Path::new("x"), TABLE).unwrap().unwrap();
        assert_eq!((part.clock, part.seconds), (Clock::Uptime, vec![39.0, 40.0, 41.0]));
        assert_eq!(part.columns["Innodb_lsn_current"], [10_659_097.0, 10_659_377.0, 10_659_377.0]);
    }

    #[test]
    fn other_texts_are_no_table() {
        for text in ["", "Uptime 1 2\n", "Alpha 1 2\nBeta 1 2\nGamma 1 2\n", "The quick brown fox\n"] {
            assert!(parse(Path::new("x"), text).unwrap().is_none(), "{text}");
        }
    }

    #[test]
    fn a_table_without_times_is_refused() {
        let error = parse(Path::new("x"), &TABLE.replace("Uptime", "Downtime")).unwrap_err();
        assert!(error.to_string().contains("3 samples without any time"), "{error}");
    }
}
