//! Placing the files of a recording on one time axis.
//!
//! Times of two files are comparable if they are of the same clock, or if some file ties the two clocks together:
//! pt-stalk writes seconds since 1970 and the date in one line, a sample with both a time and `Uptime` ties those two,
//! the name of pt-stalk's files holds the date at which it began to collect. Where only a date and seconds since 1970
//! are to be compared, the zone is taken that brings them closest: zones are quarters of an hour apart.
//! Files without any clock are placed by what they report ([`crate::place`]).

use crate::formats::{Clock, Interval, Link, LoadLog, Part, parse_date_time};

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
