//! HammerDB's logs: the transaction counter's, and the result of a timed run.
//!
//! ```text
//! 0 MySQL tpm @ Thu Mar 12 10:00:01 UTC 2026          its transaction counter (hdbtcount.log), every ten seconds
//! 45060 MySQL tpm @ Thu Mar 12 10:00:11 UTC 2026
//! Vuser 1:Timing test period of 5 in minutes          its own log
//! Vuser 1:64 Active Virtual Users configured
//! Vuser 1:TEST RESULT : System achieved 12000 NOPM from 27600 MySQL TPM
//! ```
//!
//! A transaction is one of the server's, a sixtieth of its TPM a second; new orders (NOPM) are less than half of them. The
//! counter's times are taken as distances from the first line alone: their dates are in words.

use super::clock::{DAY_S, parse_time_of_day};
use super::sysbench::{Interval, LoadLog, Program, measure, number_after};
use super::{Clock, Part};

/// Seconds between two lines of the counter that has no readable times.
const EVERY_S: f64 = 10.0;
/// Longest test that is believed, minutes.
const LONGEST_MIN: f64 = 1e5;

/// Reads a log; `None` if the text is none.
pub(super) fn parse(text: &str) -> Option<Part> {
    let mut log = LoadLog { program: Program::HammerDb, ..LoadLog::default() };
    let mut counted: Vec<(f64, Option<f64>)> = Vec::new();
    let mut minutes = None;
    let mut tpm = None;
    for line in text.lines() {
        if let Some((before, at)) = line.split_once(" tpm @ ") {
            let rate = before.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
            counted.extend(rate.filter(|rate| rate.is_finite() && *rate >= 0.0).map(|rate| (rate, time_in(at))));
        }
        let threads = ["Active Virtual Users configured", "Virtual Users Created with Monitor VU"];
        if let Some(end) = threads.iter().find_map(|words| line.find(words)) {
            let word = line[..end].split([' ', ':']).rfind(|word| !word.is_empty());
            log.threads = word.and_then(|word| word.parse().ok()).or(log.threads);
        }
        minutes = number_after(line, "Timing test period of").or(minutes);
        if line.contains("TEST RESULT") {
            tpm = number_after(line, "NOPM from").or(tpm);
        }
    }
    let mut remarks = Vec::new();
    if counted.len() > 1 {
        log.intervals = intervals(&counted);
    } else {
        let length = 60.0 * minutes.unwrap_or(1.0).clamp(1.0, LONGEST_MIN);
        let tps = tpm? / 60.0;
        log.intervals.push(interval(length, length, tps));
        remarks.push(format!(
            "tells the mean of its test alone, {tps:.0} transactions a second: the log of HammerDB's transaction counter tells the course"
        ));
    }
    Some(Part { loads: vec![log], clock: Clock::Own, remarks, ..Part::default() })
}

fn interval(end: f64, length: f64, tps: f64) -> Interval {
    Interval { end, length, tps, latency_ms: f64::NAN, queue: f64::NAN }
}

/// The counter's lines: each is the mean since the line before.
fn intervals(counted: &[(f64, Option<f64>)]) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = Vec::new();
    let mut end = 0.0;
    for pair in counted.windows(2) {
        let step = match (pair[0].1, pair[1].1) {
            (Some(from), Some(to)) => (to - from).rem_euclid(DAY_S),
            _ => EVERY_S,
        };
        if step > 0.0 {
            end += step;
            intervals.push(interval(end, step, pair[1].0 / 60.0));
        }
    }
    measure(&mut intervals);
    intervals
}

/// Seconds since midnight of `Thu Mar 12 10:00:11 UTC 2026`.
fn time_in(date: &str) -> Option<f64> {
    date.split_whitespace().find_map(parse_time_of_day).map(|(seconds, _)| seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_log_tells_the_course() {
        let part = parse(
            "Hammerdb Transaction Counter Log @ Thu Mar 12 23:59:40 UTC 2026\n+-+-+\n\
             0 MySQL tpm @ Thu Mar 12 23:59:50 UTC 2026\n36000 MySQL tpm @ Fri Mar 13 00:00:00 UTC 2026\n\
             42000 MySQL tpm @ Fri Mar 13 00:00:10 UTC 2026\n",
        )
        .unwrap();
        let log = &part.loads[0];
        let of = |i: usize| (log.intervals[i].end, log.intervals[i].length, log.intervals[i].tps);
        assert_eq!((log.intervals.len(), of(0), of(1)), (2, (10.0, 10.0, 600.0), (20.0, 10.0, 700.0)));
    }

    #[test]
    fn a_timed_run_tells_its_mean() {
        let part = parse(
            "Vuser 1:Timing test period of 5 in minutes\nVuser 1:1 ...,\nVuser 1:64 Active Virtual Users configured\n\
             Vuser 1:TEST RESULT : System achieved 12000 NOPM from 27600 MySQL TPM\n",
        )
        .unwrap();
        let log = &part.loads[0];
        assert_eq!((log.threads, log.intervals[0].end, log.intervals[0].tps), (Some(64), 300.0, 460.0));
        assert!(parse("tpm\nTEST RESULT of something\n").is_none());
    }
}
