//! Restarts of the server in the middle of a recording: its counters begin anew, so that no two samples on either side
//! can be compared.

use crate::{Column, LoadPhase, Series};

/// Counters of SHOW GLOBAL STATUS that only a restart lowers, where `Uptime` is missing.
const COUNTERS: [&str; 4] =
    ["Innodb_data_written", "Innodb_os_log_written", "Innodb_pages_written", "Innodb_buffer_pool_write_requests"];

/// The same of INNODB_METRICS, which `innodb_monitor_reset_all` lowers too.
const METRICS: [&str; 5] = [
    "m.buffer_flush_batch_total_pages",
    "m.buffer_pool_write_requests",
    "m.log_writes",
    "m.os_data_writes",
    "m.trx_rw_commits",
];
/// What a restart leaves next to nothing of, and a reset of counters as it is: the pages in the pool, and the age of the checkpoint
/// that a shutdown or a recovery takes.
const STATE: [&str; 2] = ["m.buffer_pool_pages_data", "m.log_lsn_checkpoint_age"];
/// As much of it at most is there after a restart.
const LEFT: f64 = 0.5;

/// Keeps the longest stretch without a restart, and says what was left out; nothing if the server ran throughout.
pub(crate) fn keep_longest_stretch(series: &mut Series) -> Option<String> {
    let restarts = restarts(series);
    if restarts.is_empty() {
        return None;
    }
    let samples = series.len();
    let bounds: Vec<usize> = [0].into_iter().chain(restarts.iter().copied()).chain([samples]).collect();
    let length = |from: usize, to: usize| series.seconds[to - 1] - series.seconds[from];
    let longest = bounds
        .windows(2)
        .map(|pair| (pair[0], pair[1]))
        .reduce(|best, next| if length(next.0, next.1) > length(best.0, best.1) { next } else { best });
    let (from, to) = longest?;
    let after = |sample: usize| format!("{:.0}", series.seconds[sample] - series.seconds[0]);
    let when: Vec<String> = restarts.iter().map(|&sample| after(sample)).collect();
    let remark = format!(
        "the server was started anew before the sample{} {} s after the first, and its counters with it: only the \
         longest stretch without a restart is used, from {} to {} s ({} of {samples} samples)",
        if when.len() > 1 { "s" } else { "" },
        when.join(", "),
        after(from),
        after(to - 1),
        to - from,
    );
    series.seconds = series.seconds[from..to].to_vec();
    series.columns.values_mut().for_each(|values| *values = values[from..to].to_vec());
    Some(remark)
}

/// The samples before which the server was started anew.
fn restarts(series: &Series) -> Vec<usize> {
    let all = |names: &[&str], most: f64| -> Vec<usize> {
        names.iter().filter_map(|name| series.column(name)).flat_map(|values| falls(&values, most)).collect()
    };
    let mut restarts = match series.column("Uptime") {
        Some(uptime) => falls(&uptime, 1.0),
        None => {
            let lost = all(&STATE, LEFT);
            let anew = all(&METRICS, 1.0).into_iter().filter(|place| lost.contains(place));
            anew.chain(all(&COUNTERS, 1.0)).collect()
        }
    };
    restarts.sort_unstable();
    restarts.dedup();
    restarts
}

/// The places at which a column is below `most` of what it was where it was last known.
fn falls(column: &Column, most: f64) -> Vec<usize> {
    let known: Vec<(usize, f64)> = column.placed().collect();
    known.windows(2).filter(|pair| pair[1].1 < most * pair[0].1).map(|pair| pair[1].0).collect()
}

/// Cuts loads to the stretch of `series` that is left; those outside of it go.
pub(crate) fn cut_loads(phases: &mut Vec<LoadPhase>, series: &Series) {
    let (Some(&first), Some(&last)) = (series.seconds.first(), series.seconds.last()) else { return };
    for phase in phases.iter_mut() {
        (phase.start_s, phase.end_s) = (phase.start_s.max(first), phase.end_s.min(last));
    }
    phases.retain(|phase| phase.end_s > phase.start_s);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn series(columns: &[(&str, &[f64])]) -> Series {
        let columns: BTreeMap<String, Vec<f64>> =
            columns.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())).collect();
        let seconds = (0..columns.values().map(Vec::len).max().unwrap_or(0)).map(|i| 10.0 * i as f64).collect();
        Series { seconds, columns, zero: BTreeSet::new() }
    }

    #[test]
    fn the_longest_stretch_stays() {
        let gap = f64::NAN;
        let mut cut =
            series(&[("Uptime", &[50.0, 60.0, 3.0, gap, 23.0, 33.0, 1.0]), ("a", &[0., 1., 2., 3., 4., 5., 6.])]);
        let remark = keep_longest_stretch(&mut cut).expect("a restart");
        assert!(
            remark.contains("samples 20, 60 s after the first") && remark.contains("from 20 to 50 s (4 of 7"),
            "{remark}"
        );
        assert_eq!(
            (cut.seconds.as_slice(), cut.columns["a"].as_slice()),
            (&[20., 30., 40., 50.][..], &[2., 3., 4., 5.][..])
        );
        let mut whole = series(&[("Uptime", &[50.0, gap, 60.0, 70.0]), ("Innodb_data_written", &[5.0, 6.0, 4.0, 8.0])]);
        assert_eq!(keep_longest_stretch(&mut whole), None, "Uptime knows");
        let mut counters = series(&[("Innodb_data_written", &[5.0, 6.0, 1.0])]);
        assert!(keep_longest_stretch(&mut counters).is_some());
    }

    #[test]
    fn metrics_that_were_reset_are_no_restart() {
        let metrics = |age| {
            let writes = ("m.os_data_writes", &[500.0, 900.0, 7.0, 400.0][..]);
            series(&[writes, ("m.log_lsn_checkpoint_age", age), ("m.trx_rw_commits", &[1., 2., 3., 4.])])
        };
        let told = keep_longest_stretch(&mut metrics(&[8e9, 8.1e9, 1e6, 9e7])).expect("a restart");
        assert!(told.contains("before the sample 20 s after the first"), "{told}");
        assert_eq!(keep_longest_stretch(&mut metrics(&[8e9, 8.1e9, 8.2e9, 8.1e9])), None, "a reset");
        let mut flushed = series(&[("m.log_lsn_checkpoint_age", &[8e9, 1e6]), ("m.trx_rw_commits", &[1., 2.])]);
        assert_eq!(keep_longest_stretch(&mut flushed), None, "a checkpoint");
    }
}
