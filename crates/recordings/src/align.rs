//! Placing the files of a recording on one time axis.
//!
//! Times of two files are comparable if they are of the same clock, or if some file ties the two clocks together:
//! pt-stalk writes seconds since 1970 and the date in one line, a sample with both a time and `Uptime` ties those two,
//! the name of pt-stalk's files holds the date at which it began to collect. Where only a date and seconds since 1970
//! are to be compared, the zone is taken that brings them closest: zones are quarters of an hour apart.
//!
//! A log of sysbench without times is placed by what it counts: where its throughput follows the server's own counters
//! best, and nowhere if there is no such place.

use crate::formats::{Clock, Interval, Link, LoadLog, Part, parse_date_time};
use crate::gap::rates;

/// Step in which the place of a log is searched, seconds.
const SEARCH_STEP_S: f64 = 0.5;
/// Least correlation between sysbench's throughput and the server's counters at a place that is believed.
const MIN_CORRELATION: f64 = 0.8;
/// By how much the correlation must fall further away than [`NEAR_S`].
const CLEARLY: f64 = 0.05;
const NEAR_S: f64 = 3.0;
/// Counters that grow with transactions, best first.
const COMMITS: [&str; 6] = ["Com_commit", "Com_update", "Com_insert", "Handler_commit", "Questions", "Queries"];

/// How clocks are tied together by all files.
pub(crate) fn links(parts: &[Part]) -> Vec<Link> {
    let mut links: Vec<Link> = parts.iter().flat_map(|part| part.links.iter().copied()).collect();
    for part in parts.iter().filter(|part| matches!(part.clock, Clock::Unix | Clock::Local)) {
        if let Some(uptime) = part.columns.get("Uptime") {
            let mut differences: Vec<f64> =
                part.seconds.iter().zip(uptime).map(|(t, u)| t - u).filter(|d| d.is_finite()).collect();
            differences.sort_by(f64::total_cmp);
            if let Some(offset) = differences.get(differences.len() / 2) {
                links.push(Link { from: Clock::Uptime, to: part.clock, offset: *offset });
            }
        }
    }
    for part in parts.iter().filter(|part| part.clock == Clock::Uptime) {
        if let (Some(begin), Some(first)) = (pt_stalk_time(&part.label()), part.seconds.first()) {
            links.push(Link { from: Clock::Uptime, to: Clock::Local, offset: begin - first });
        }
    }
    links
}

/// `2026_11_21_15_21_05-mysqladmin`: when pt-stalk began to collect.
pub(crate) fn pt_stalk_time(name: &str) -> Option<f64> {
    let prefix = pt_stalk_prefix(name)?;
    let time = prefix[11..].replace('_', ":");
    parse_date_time(&format!("{} {time}", &prefix[..10])).map(|(time, _)| time)
}

/// `2026_11_21_15_21_05` of the name of one of pt-stalk's files.
pub(crate) fn pt_stalk_prefix(name: &str) -> Option<&str> {
    let prefix = name.get(..19).filter(|_| name.as_bytes().get(19) == Some(&b'-'))?;
    let digits = |(i, c): (usize, char)| if [4, 7, 10, 13, 16].contains(&i) { c == '_' } else { c.is_ascii_digit() };
    prefix.char_indices().all(digits).then_some(prefix)
}

/// What to add to times of clock `from` to have times of clock `to`. `near` are two times that should be close to each
/// other, for zones.
pub(crate) fn offset(links: &[Link], from: Clock, to: Clock, near: Option<(f64, f64)>) -> Option<f64> {
    if from == to {
        return (from != Clock::Own).then_some(0.0);
    }
    let direct = |a: Clock, b: Clock| {
        let forth = links.iter().find(|link| link.from == a && link.to == b).map(|link| link.offset);
        forth.or_else(|| links.iter().find(|link| link.from == b && link.to == a).map(|link| -link.offset))
    };
    if let Some(offset) = direct(from, to) {
        return Some(offset);
    }
    for between in [Clock::Unix, Clock::Local, Clock::Uptime] {
        if let (Some(a), Some(b)) = (direct(from, between), direct(between, to)) {
            return Some(a + b);
        }
    }
    let zones = [(Clock::Local, Clock::Unix), (Clock::Unix, Clock::Local)].contains(&(from, to));
    let (a, b) = near.filter(|_| zones)?;
    Some(((b - a) / 900.0).round() * 900.0)
}

/// Where on the axis `seconds` a log without times began, by the server's counters.
pub(crate) fn place_log(log: &LoadLog, seconds: &[f64], part: &Part) -> Option<f64> {
    let counter = COMMITS.iter().find_map(|name| {
        let counter = part.columns.get(*name)?;
        let grown = rates(seconds, counter);
        grown.iter().any(|rate| *rate > 0.0).then_some(grown)
    })?;
    let (first, last) = (*seconds.first()?, *seconds.last()?);
    let length = log.intervals.last()?.end;
    let steps = ((last - first + length) / SEARCH_STEP_S).ceil().min(200_000.0) as u32;
    let mut tried: Vec<(f64, f64)> = (0..=steps)
        .map(|step| first - length + f64::from(step) * SEARCH_STEP_S)
        .filter_map(|start| Some((start, correlation(log, start, seconds, &counter)?)))
        .collect();
    tried.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (start, best) = *tried.first()?;
    let elsewhere = tried.iter().find(|(other, _)| (other - start).abs() > NEAR_S).map_or(-1.0, |(_, c)| *c);
    (best >= MIN_CORRELATION && best - elsewhere >= CLEARLY).then_some(start)
}

/// Correlation of the log's throughput, 0 outside it, with a counter's growth.
fn correlation(log: &LoadLog, start: f64, seconds: &[f64], grown: &[f64]) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = seconds
        .iter()
        .zip(grown)
        .filter(|(_, rate)| rate.is_finite())
        .map(|(t, rate)| (tps_at(log, t - start).unwrap_or(0.0), *rate))
        .collect();
    let n = pairs.len() as f64;
    // Half of the run must lie on the axis.
    let covered = pairs.iter().filter(|pair| pair.0 > 0.0).count() as f64;
    if pairs.len() < 4 || covered < 3.0 {
        return None;
    }
    let (mean_x, mean_y) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |f: fn(f64, f64) -> f64| pairs.iter().map(|(x, y)| f(x - mean_x, y - mean_y)).sum::<f64>();
    let (xx, yy) = (sum(|x, _| x * x), sum(|_, y| y * y));
    (xx > 0.0 && yy > 0.0).then(|| sum(|x, y| x * y) / (xx * yy).sqrt())
}

/// Throughput of the interval that `elapsed` lies in.
fn tps_at(log: &LoadLog, elapsed: f64) -> Option<f64> {
    interval_at(log, elapsed).map(|i| log.intervals[i].tps)
}

/// The interval whose report belongs to a sample `elapsed` seconds into the run: the one that ends nearest, if samples
/// and intervals are about as long; the one it lies in, if intervals are longer.
pub(crate) fn interval_at(log: &LoadLog, elapsed: f64) -> Option<usize> {
    let ends = &log.intervals;
    let after = ends.partition_point(|interval| interval.end < elapsed - 1e-9);
    // Just behind an end, that interval's report is still the nearest one.
    if after > 0 && elapsed - ends[after - 1].end <= 0.5 {
        return Some(after - 1);
    }
    let interval = ends.get(after)?;
    (elapsed > interval.end - interval.length).then_some(after)
}

/// The intervals whose reports belong to a sample `elapsed` seconds into the run, which comes `step` seconds after the
/// one before: all since that one, if intervals are shorter than the samples' distance.
pub(crate) fn intervals_at(log: &LoadLog, elapsed: f64, step: f64) -> &[Interval] {
    let Some(last) = interval_at(log, elapsed) else { return &[] };
    let first = match interval_at(log, elapsed - step) {
        Some(before) => (before + 1).min(last),
        None => log.intervals.partition_point(|interval| interval.end <= elapsed - step).min(last),
    };
    &log.intervals[first..=last]
}
