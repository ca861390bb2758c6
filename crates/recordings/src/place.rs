//! Where a file without a clock belongs: where what it reports moves as the server's counters do.
//!
//! Its rates are averaged over the steps of the axis for every place that it may have; the one with the highest
//! correlation is believed if it is high and clearly less a few seconds away. A log of sysbench says that the load was
//! there, and that it was not before and after; reports of a device say nothing of the time outside of them.

use crate::Column;
use crate::formats::{LoadLog, Part};
use std::collections::BTreeMap;

/// Step in which a place is searched, seconds.
const SEARCH_STEP_S: f64 = 0.5;
/// Most places that are tried.
const MOST_PLACES: f64 = 20_000.0;
/// Least correlation at a place that is believed.
const MIN_CORRELATION: f64 = 0.8;
/// By how much the correlation must fall further away than [`NEAR_S`].
const CLEARLY: f64 = 0.05;
const NEAR_S: f64 = 3.0;
/// Fewest steps of the axis that are compared.
const LEAST_STEPS: usize = 4;
/// Counters that grow with transactions, best first; those of a row are added up.
const COMMITS: [&[&str]; 9] = [
    &["Com_commit"],
    &["Com_update"],
    &["Com_insert"],
    &["Handler_commit"],
    &["m.trx_rw_commits"],
    &["m.dml_inserts", "m.dml_updates", "m.dml_deletes"],
    &["m.log_lsn_current"],
    &["Questions"],
    &["Queries"],
];
/// Counters that grow with bytes written to the device, best first.
const WRITES: [&[&str]; 7] = [
    &["m.buffer_pages_written"],
    &["Innodb_pages_written"],
    &["Innodb_data_written"],
    &["m.os_data_writes"],
    &["m.log_lsn_current"],
    &["Innodb_lsn_current"],
    &["sb.tps"],
];

/// Rates over consecutive intervals on a clock of their own.
struct Reported {
    /// End of each interval.
    ends: Vec<f64>,
    /// Amount since the beginning of the first interval, at each end.
    sums: Vec<f64>,
    begin: f64,
    /// Whether nothing happened outside.
    alone: bool,
}

impl Reported {
    fn new(intervals: impl Iterator<Item = (f64, f64, f64)>, alone: bool) -> Option<Self> {
        let (mut ends, mut sums, mut sum, mut begin) = (Vec::new(), Vec::new(), 0.0, None);
        for (end, length, rate) in intervals {
            begin = begin.or(Some(end - length));
            sum += if rate.is_finite() { rate * length } else { 0.0 };
            ends.push(end);
            sums.push(sum);
        }
        Some(Reported { ends, sums, begin: begin?, alone })
    }

    fn last(&self) -> f64 {
        self.ends.last().copied().unwrap_or(self.begin)
    }

    /// The amount up to each of the ascending times of the axis, with the zero of the reports' clock at `start`.
    fn amounts(&self, start: f64, seconds: &[f64]) -> impl Iterator<Item = f64> {
        let mut after = 0;
        seconds.iter().map(move |second| {
            let time = second - start;
            while self.ends.get(after).is_some_and(|end| *end < time) {
                after += 1;
            }
            let (from, before) = after.checked_sub(1).map_or((self.begin, 0.0), |i| (self.ends[i], self.sums[i]));
            match (self.ends.get(after), self.sums.get(after)) {
                (Some(end), Some(sum)) if *end > from => {
                    before + (sum - before) * ((time - from) / (end - from)).clamp(0.0, 1.0)
                }
                _ => before,
            }
        })
    }

    /// The pairs of rates over the steps of the axis, with the zero of the reports' clock at `start`.
    fn pairs(&self, start: f64, seconds: &[f64], grown: &[f64]) -> Vec<(f64, f64)> {
        let mut pairs = Vec::with_capacity(seconds.len());
        let mut amounts = self.amounts(start, seconds);
        let mut before = amounts.next().unwrap_or_default();
        for (i, amount) in (1..seconds.len()).zip(amounts) {
            let (from, to) = (seconds[i - 1] - start, seconds[i] - start);
            let within = from >= self.begin && to <= self.last();
            if to > from && grown[i].is_finite() && (self.alone || within) {
                pairs.push(((amount - before) / (to - from), grown[i]));
            }
            before = amount;
        }
        pairs
    }

    /// The place on the axis of the zero of its clock, and how well it fits.
    fn place(&self, seconds: &[f64], grown: &[f64]) -> Option<(f64, f64)> {
        let (first, last) = (*seconds.first()?, *seconds.last()?);
        let length = self.last() - self.begin;
        // Half of the shorter one must be covered by the other.
        let covered = 0.5 * length.min(last - first);
        let (from, to) = (first - self.last() + covered, last - self.begin - covered);
        let steps = ((to - from) / SEARCH_STEP_S).ceil().clamp(0.0, MOST_PLACES) as u32;
        let at = |step: u32| from + f64::from(step) * SEARCH_STEP_S;
        let mut tried: Vec<(f64, f64)> =
            (0..=steps).filter_map(|s| Some((at(s), correlation(&self.pairs(at(s), seconds, grown))?))).collect();
        tried.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (start, best) = *tried.first()?;
        let elsewhere = tried.iter().find(|(other, _)| (other - start).abs() > NEAR_S).map_or(-1.0, |(_, c)| *c);
        (best >= MIN_CORRELATION && best - elsewhere >= CLEARLY).then_some((start, best))
    }

    /// The best place by any of the counters, with the counter.
    fn place_by(
        &self,
        counters: &[&'static [&'static str]],
        seconds: &[f64],
        columns: &BTreeMap<String, Vec<f64>>,
    ) -> Option<(f64, &'static str)> {
        let placed = counters.iter().filter_map(|names| {
            let grown = growth(names, seconds, columns)?;
            let (start, fit) = self.place(seconds, &grown)?;
            Some((start, fit, names[0]))
        });
        // The first that fits about as well as any.
        placed.reduce(|best, other| if other.1 > best.1 + CLEARLY { other } else { best }).map(|(s, _, name)| (s, name))
    }
}

fn rates(counter: &[f64], seconds: &[f64]) -> Vec<f64> {
    Column::from(counter.to_vec()).rates(seconds).with_nan()
}

/// Growth a second of a sum of counters; none if it never grows.
fn growth(names: &[&str], seconds: &[f64], columns: &BTreeMap<String, Vec<f64>>) -> Option<Vec<f64>> {
    let known: Vec<Vec<f64>> = names
        .iter()
        .filter_map(|name| {
            let values = columns.get(*name)?;
            // Throughput is a rate already.
            Some(if name.starts_with("sb.") { values.clone() } else { rates(values, seconds) })
        })
        .collect();
    let sum: Vec<f64> = (0..seconds.len()).map(|i| known.iter().map(|values| values[i]).sum()).collect();
    (!known.is_empty() && sum.iter().any(|rate| *rate > 0.0)).then_some(sum)
}

fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let covered = pairs.iter().filter(|pair| pair.0 > 0.0).count();
    if pairs.len() < LEAST_STEPS || covered < LEAST_STEPS - 1 {
        return None;
    }
    let (mean_x, mean_y) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |f: fn(f64, f64) -> f64| pairs.iter().map(|(x, y)| f(x - mean_x, y - mean_y)).sum::<f64>();
    let (xx, yy) = (sum(|x, _| x * x), sum(|_, y| y * y));
    (xx > 0.0 && yy > 0.0).then(|| sum(|x, y| x * y) / (xx * yy).sqrt())
}

/// Where on the axis of `base` a log without times began, by the server's counters.
pub(crate) fn place_log(log: &LoadLog, base: &Part) -> Option<f64> {
    let intervals = log.intervals.iter().map(|interval| (interval.end, interval.length, interval.tps));
    let reported = Reported::new(intervals, true)?;
    reported.place_by(&COMMITS, &base.seconds, &base.columns).map(|(start, _)| start)
}

/// Where on an axis the zero of a load generator's reports is, by the server's counters.
pub(crate) fn place_throughput(part: &Part, seconds: &[f64], columns: &BTreeMap<String, Vec<f64>>) -> Option<f64> {
    let tps = part.columns.get("sb.tps")?;
    let steps = (1..part.seconds.len()).map(|i| (part.seconds[i], part.seconds[i] - part.seconds[i - 1], tps[i]));
    Reported::new(steps, true)?.place_by(&COMMITS, seconds, columns).map(|(start, _)| start)
}

/// Where on an axis the zero of a report's own clock is, by the bytes that the device writes and what the server counts;
/// with the counter.
pub(crate) fn place_reports(
    part: &Part,
    seconds: &[f64],
    columns: &BTreeMap<String, Vec<f64>>,
) -> Option<(f64, &'static str)> {
    let written = rates(part.columns.get("disk.wr_sectors")?, &part.seconds);
    let steps = (1..part.seconds.len()).map(|i| (part.seconds[i], part.seconds[i] - part.seconds[i - 1], written[i]));
    Reported::new(steps, false)?.place_by(&WRITES, seconds, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Interval;

    /// A rate that wanders as real ones do, in 0.5 .. 1.5.
    fn wandering(second: f64) -> f64 {
        1.0 + 0.3 * (second / 7.0).sin() + 0.2 * (second / 2.3).cos()
    }

    /// Counters each 1.08 s of a load of `length` seconds that begins at `start`.
    fn base(start: f64, length: f64, counters: &[&str]) -> Part {
        let seconds: Vec<f64> = (0..200).map(|i| 1000.0 + 1.08 * f64::from(i)).collect();
        let mut sum = 0.0;
        let grown: Vec<f64> = seconds
            .iter()
            .map(|t| {
                let into = t - start - 0.54;
                sum += if (0.0..length).contains(&into) { 1080.0 * wandering(into) } else { 0.0 };
                sum
            })
            .collect();
        let columns = counters.iter().map(|name| ((*name).to_owned(), grown.clone())).collect();
        Part { seconds, columns, ..Part::default() }
    }

    #[test]
    fn a_log_is_placed_by_counters_of_metrics_alone() {
        let interval = |i: u32| Interval {
            end: f64::from(i),
            length: 1.0,
            tps: 500.0 * wandering(f64::from(i) - 0.5),
            latency_ms: 1.0,
            queue: f64::NAN,
        };
        let log = LoadLog { intervals: (1..=180).map(interval).collect(), ..LoadLog::default() };
        for counters in [&["m.trx_rw_commits"][..], &["m.dml_updates"], &["m.log_lsn_current"]] {
            let start = place_log(&log, &base(1013.0, 180.0, counters)).expect("a place");
            assert!((start - 1013.0).abs() <= 1.0, "{counters:?}: {start}");
        }
        let steady = LoadLog {
            intervals: (1..=180).map(|i| Interval { tps: 500.0, ..interval(i) }).collect(),
            ..LoadLog::default()
        };
        assert_eq!(place_log(&steady, &base(900.0, 999.0, &["m.trx_rw_commits"])), None, "nothing moves with it");
    }

    #[test]
    fn reports_of_a_disk_are_placed_by_pages_written() {
        let mut sum = 0.0;
        let sectors = (1..=150).map(|i| {
            sum += 2e5 * wandering(f64::from(i) + 19.5);
            sum
        });
        let columns = BTreeMap::from([("disk.wr_sectors".to_owned(), sectors.collect())]);
        let part = Part { seconds: (1..=150).map(f64::from).collect(), columns, ..Part::default() };
        let base = base(1005.0, 190.0, &["m.buffer_pages_written"]);
        let (start, counter) = place_reports(&part, &base.seconds, &base.columns).expect("a place");
        assert!((start - 1025.0).abs() <= 1.5 && counter == "m.buffer_pages_written", "{start} by {counter}");
    }
}
