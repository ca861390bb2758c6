//! sysbench's log: its head, its interval lines, and the command line where one was kept.
//!
//! ```text
//! [ 10s ] thds: 56 tps: 8429.10 qps: ... lat (ms,95%): 9.91 err/s: 0.00 reconn/s: 0.00      sysbench 1.0
//! [  10s] threads: 56, tps: 8429.10, reads: ..., response time: 9.91ms (95%), errors: 0.00  sysbench 0.5
//! 10,56,8429.10,168582.00,118007.40,33716.40,16858.20,9.91,0.00,0.00                       --report_csv
//! ```
//!
//! Times are those since the start of the run. Where each line has a time before it (seconds since 1970, or a date),
//! the log is on that clock; otherwise `assemble` finds its place.

use super::{Clock, Part, parse_date_time};
use crate::RecordingError;
use std::path::Path;

/// Columns of an interval line in CSV: time, threads, transactions, queries, reads, writes, others, latency, errors,
/// reconnects.
const CSV_COLUMNS: usize = 10;
/// From here on a rate or a latency is no measurement: sysbench 0.5 prints a counter that went below zero as nearly 2^64.
const IMPOSSIBLE: f64 = 1e9;

/// Which load generator wrote a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Program {
    #[default]
    Sysbench,
    HammerDb,
    TpccMysql,
    Ycsb,
}

impl Program {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Sysbench => "sysbench",
            Program::HammerDb => "HammerDB",
            Program::TpccMysql => "tpcc-mysql",
            Program::Ycsb => "YCSB",
        }
    }
}

/// One run of a load generator.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LoadLog {
    pub(crate) program: Program,
    /// Time at which the run began, on the part's clock, if that is known.
    pub(crate) start: Option<f64>,
    /// `sysbench oltp_write_only --tables=8 ... run`.
    pub(crate) command: Option<String>,
    pub(crate) threads: Option<u32>,
    /// Transactions a second that were asked for.
    pub(crate) rate: Option<f64>,
    /// The percentile of its latencies, percent, if its lines say so.
    pub(crate) percentile: Option<f64>,
    pub(crate) intervals: Vec<Interval>,
}

/// One interval line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    /// Seconds since the start of the run at which it ends.
    pub(crate) end: f64,
    /// Seconds.
    pub(crate) length: f64,
    pub(crate) tps: f64,
    /// Latency at the log's percentile, ms.
    pub(crate) latency_ms: f64,
    /// Transactions waiting for a thread; NaN in a closed loop.
    pub(crate) queue: f64,
}

impl LoadLog {
    /// The same second again adds nothing.
    fn push(&mut self, interval: Interval) {
        if self.intervals.last().is_none_or(|last| interval.end > last.end) {
            self.intervals.push(interval);
        }
    }
}

impl Interval {
    /// Leaves gaps where a figure is impossible; the number of them.
    fn leave_gaps(&mut self) -> usize {
        let figures = [&mut self.tps, &mut self.latency_ms, &mut self.queue];
        let impossible = figures.into_iter().filter(|figure| **figure >= IMPOSSIBLE);
        impossible.map(|figure| *figure = f64::NAN).count()
    }
}

/// Whether the text has interval lines.
pub(super) fn is_log(text: &str) -> bool {
    text.lines().any(|line| interval_line(line).is_some()) || is_csv_log(text)
}

/// Whether its interval lines are in CSV: ten numbers mean nothing elsewhere.
fn is_csv_log(text: &str) -> bool {
    let is_sysbench = |line: &str| line.starts_with("sysbench ") || line.starts_with("Threads started!");
    let is_head = |line: &str| line.starts_with("time,thds,tps") || line.starts_with("seconds,thds,tps");
    let mut lines = text.lines().map(str::trim);
    lines.any(|line| is_sysbench(line) || is_head(line)) && lines.any(|line| csv_line(line).is_some())
}

/// The columns of an interval line in CSV.
fn csv_line(line: &str) -> Option<[f64; CSV_COLUMNS]> {
    let fields: Option<Vec<f64>> = line.split(',').map(|field| field.trim().parse().ok()).collect();
    let fields: [f64; CSV_COLUMNS] = fields?.try_into().ok()?;
    let known = fields.iter().all(|field| field.is_finite() && *field >= 0.0);
    (known && fields[1] >= 1.0 && fields[1].fract() == 0.0).then_some(fields)
}

/// Reads a log; there may be several runs below each other.
pub(super) fn parse(path: &Path, text: &str) -> Result<Part, RecordingError> {
    let mut part = Part::default();
    let mut clock = Clock::Own;
    let mut log = LoadLog::default();
    let mut command = None;
    let in_csv = is_csv_log(text);
    for (index, line) in text.lines().enumerate() {
        if let Some([elapsed, threads, tps, _, _, _, _, latency_ms, ..]) = in_csv.then(|| csv_line(line)).flatten() {
            if log.intervals.last().is_some_and(|last| elapsed < last.end) {
                part.loads.push(std::mem::take(&mut log));
                log.command = command.clone();
            }
            log.threads = log.threads.or(Some(threads as u32));
            log.push(Interval { end: elapsed, length: 0.0, tps, latency_ms, queue: f64::NAN });
        } else if let Some((elapsed, rest)) = interval_line(line) {
            if log.intervals.last().is_some_and(|last| elapsed < last.end) {
                part.loads.push(std::mem::take(&mut log));
                log.command = command.clone();
            }
            read_interval(&mut log, elapsed, rest).map_err(|problem| broken(path, index, &problem, line))?;
            if let Some((stamp_clock, time)) = stamp(line).filter(|_| log.start.is_none()) {
                (clock, log.start) = (stamp_clock, Some(time - elapsed));
            }
        } else if let Some(found) = commands(line).pop() {
            command = Some(found);
            if log.intervals.is_empty() {
                log.command = command.clone();
            }
        } else {
            if line.contains("Running the test with following options") && !log.intervals.is_empty() {
                part.loads.push(std::mem::take(&mut log));
                log.command = command.clone();
            }
            if let Some(threads) = number_after(line, "Number of threads:") {
                log.threads = Some(threads as u32);
            }
            log.rate = number_after(line, "Target transaction rate:").or(log.rate);
        }
    }
    part.loads.push(log);
    let mut impossible = 0;
    for log in &mut part.loads {
        measure(&mut log.intervals);
        impossible += log.intervals.iter_mut().map(Interval::leave_gaps).sum::<usize>();
    }
    if impossible > 0 {
        part.remarks
            .push(format!("{impossible} of its figures are impossible (a counter that went below zero) and are gaps"));
    }
    part.clock = clock;
    Ok(part)
}

/// An interval that is much longer than most has lines missing before its own, and stands for as long as most.
pub(super) fn measure(intervals: &mut [Interval]) {
    let ends = std::iter::once(0.0).chain(intervals.iter().map(|interval| interval.end));
    let distances: Vec<f64> = ends.zip(intervals.iter()).map(|(before, interval)| interval.end - before).collect();
    let mut sorted = distances.clone();
    sorted.sort_by(f64::total_cmp);
    let Some(&median) = sorted.get(sorted.len() / 2) else { return };
    for (interval, distance) in intervals.iter_mut().zip(distances) {
        interval.length = if distance > 1.5 * median { median } else { distance };
    }
}

fn broken(path: &Path, index: usize, problem: &str, line: &str) -> RecordingError {
    let found: String = line.trim().chars().take(80).collect();
    let help = "an interval line reads: [ 10s ] thds: 56 tps: 8429.10 ... lat (ms,95%): 9.91";
    RecordingError::new(path, format!("{problem}: {found}"), help).at_line(Some(index as u64 + 1))
}

/// `[ 10s ]` in a line, wherever it begins: seconds, and what follows.
fn interval_line(line: &str) -> Option<(f64, &str)> {
    let open = line.find('[')?;
    let inner = &line[open + 1..];
    let close = inner.find(']')?;
    let elapsed: f64 = inner[..close].trim().strip_suffix('s')?.trim().parse().ok()?;
    let rest = &inner[close + 1..];
    let known = rest.contains("tps:") || rest.contains("queue length:");
    (known && elapsed.is_finite() && elapsed >= 0.0).then_some((elapsed, rest))
}

fn read_interval(log: &mut LoadLog, elapsed: f64, rest: &str) -> Result<(), String> {
    if rest.contains("queue length:") {
        if let Some(last) = log.intervals.last_mut().filter(|last| last.end == elapsed) {
            last.queue = number_after(rest, "queue length:").unwrap_or(f64::NAN);
        }
        return Ok(());
    }
    let tps = number_after(rest, "tps:").ok_or("tps is not a number")?;
    let latency = number_after(rest, "%):").or_else(|| number_after(rest, "response time:"));
    let threads = number_after(rest, "thds:").or_else(|| number_after(rest, "threads:"));
    log.threads = log.threads.or(threads.map(|threads| threads as u32));
    log.percentile = log.percentile.or(number_after(rest, "lat (ms,")).or(number_after(rest, "ms ("));
    let latency_ms = latency.unwrap_or(f64::NAN);
    log.push(Interval { end: elapsed, length: 0.0, tps, latency_ms, queue: f64::NAN });
    Ok(())
}

/// The number that follows `key`.
pub(super) fn number_after(line: &str, key: &str) -> Option<f64> {
    let rest = line[line.find(key)? + key.len()..].trim_start();
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    rest[..end].parse().ok().filter(|number: &f64| number.is_finite())
}

/// The time before a line.
fn stamp(line: &str) -> Option<(Clock, f64)> {
    let before = line[..line.find('[')?].trim();
    match before.split_whitespace().next_back()?.parse::<f64>() {
        Ok(unix) if (1e8..1e11).contains(&unix) => Some((Clock::Unix, unix)),
        _ => parse_date_time(before).map(|(local, _)| (Clock::Local, local)),
    }
}

/// The command lines that run sysbench in a text; lines may be continued with a backslash.
pub(super) fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut begun = String::new();
    for line in text.lines() {
        let line = line.trim();
        begun.push_str(line.strip_suffix('\\').unwrap_or(line));
        begun.push(' ');
        if line.ends_with('\\') && begun.len() < 100_000 {
            continue;
        }
        found.extend(command_in(&begun));
        begun.clear();
    }
    found.extend(command_in(&begun));
    found
}

/// From the program to `run`; what stands before and after (a prompt, a redirection) is not part of it.
fn command_in(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let begin = words.iter().position(|word| *word == "sysbench" || word.ends_with("/sysbench"))?;
    let length = words[begin..].iter().position(|word| *word == "run")?;
    let quoted = |word: &&str| word.trim_matches(['"', '\'']).to_owned();
    Some(words[begin..=begin + length].iter().map(quoted).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Part {
        parse(Path::new("sysbench.log"), text).unwrap()
    }

    #[test]
    fn interval_lines_of_both_versions() {
        let new = "Number of threads: 16\nTarget transaction rate: 4000/sec\n\
                   [ 1s ] thds: 16 tps: 3794.70 qps: 3794.70 (r/w/o: 0.00/3794.70/0.00) lat (ms,99%): 5.37 err/s: 0.00\n\
                   [ 1s ] queue length: 8, concurrency: 16\n[ 2s ] thds: 16 tps: 4003.73 qps: 1 lat (ms,99%): 5.09\n";
        let part = read(new);
        let log = &part.loads[0];
        assert_eq!((log.threads, log.rate, log.start, part.clock), (Some(16), Some(4000.0), None, Clock::Own));
        assert_eq!(log.intervals[0], Interval { end: 1.0, length: 1.0, tps: 3794.7, latency_ms: 5.37, queue: 8.0 });
        assert_eq!(log.percentile, Some(99.0));
        let old =
            "[  10s] threads: 56, tps: 8429.10, reads: 1.0, writes: 2.0, response time: 9.91ms (95%), errors: 0.00\n";
        let log = &read(old).loads[0];
        assert_eq!((log.threads, log.intervals[0].tps, log.intervals[0].latency_ms), (Some(56), 8429.1, 9.91));
        assert_eq!(log.percentile, Some(95.0));
    }

    #[test]
    fn times_before_the_lines_are_its_clock() {
        let part = read("1795238384.617 [ 1s ] thds: 16 tps: 3794.70\n1795238385.616 [ 2s ] thds: 16 tps: 1\n");
        assert_eq!((part.clock, part.loads[0].start), (Clock::Unix, Some(1_795_238_383.617)));
        let part = read("2026-11-21 15:20:23 [ 10s ] thds: 16 tps: 3794.70\n");
        assert_eq!((part.clock, part.loads[0].start), (Clock::Local, Some(1_795_274_413.0)));
    }

    #[test]
    fn several_runs_in_a_log_are_several_loads() {
        let part =
            read("+ sysbench oltp_insert run\n[ 1s ] thds: 1 tps: 5\n[ 2s ] thds: 1 tps: 6\n[ 1s ] thds: 2 tps: 7\n");
        assert_eq!(part.loads.len(), 2);
        assert_eq!(part.loads[1].command.as_deref(), Some("sysbench oltp_insert run"));
        assert_eq!((part.loads[0].threads, part.loads[1].threads), (Some(1), Some(2)));
    }

    #[test]
    fn missing_lines_are_not_filled_with_the_next() {
        let part = read("[ 1s ] thds: 1 tps: 5\n[ 2s ] thds: 1 tps: 6\n[ 62s ] thds: 1 tps: 7\n");
        let lengths: Vec<f64> = part.loads[0].intervals.iter().map(|interval| interval.length).collect();
        assert_eq!(lengths, [1.0, 1.0, 1.0]);
    }

    #[test]
    fn interval_lines_in_csv() {
        let head = "sysbench 1.0.20 (using bundled LuaJIT)\n\nNumber of threads: 56\n\nThreads started!\n\n";
        let lines = "1,56,382.28,10862.41,4925.67,4948.62,988.13,231.53,2.00,0.00\n2,56,489.16,13314.46,6076.04,6260.10,978.33,502.20,3.00,0.00\n";
        let log = read(&format!("{head}{lines}SQL statistics:\n")).loads.remove(0);
        let of = |i: usize| (log.intervals[i].end, log.intervals[i].tps, log.intervals[i].latency_ms);
        assert_eq!((log.threads, of(0), of(1)), (Some(56), (1.0, 382.28, 231.53), (2.0, 489.16, 502.2)));
        assert!(is_log(&format!("time,thds,tps,qps,r,w,o,lat,err,reconn\n{lines}")));
        assert!(!is_log(lines), "ten numbers may be anything");
    }

    #[test]
    fn a_counter_below_zero_is_a_gap() {
        let part = read(
            "[ 1s] threads: 16, tps: 1440.03, response time: 15.76ms (95%)\n\
                         [ 2s] threads: 16, tps: 18446842801212211200.00, response time: 60.10ms (95%)\n",
        );
        let intervals = &part.loads[0].intervals;
        assert!(intervals[0].tps == 1440.03 && intervals[1].tps.is_nan() && intervals[1].latency_ms == 60.1);
        assert_eq!(part.remarks.len(), 1, "{:?}", part.remarks);
    }

    #[test]
    fn a_broken_line_is_named() {
        let error = parse(Path::new("sysbench.log"), "ok\n[ 1s ] thds: 1 tps: many\n").unwrap_err().to_string();
        assert!(error.starts_with("sysbench.log:2: tps is not a number: [ 1s ] thds: 1 tps: many"), "{error}");
    }

    #[test]
    fn commands_are_found_in_scripts() {
        let script = "#!/bin/sh\nsysbench --threads=4 \\\n  oltp_write_only --tables=8 \\\n  run > log 2>&1\n/usr/bin/sysbench x run\n";
        assert_eq!(
            commands(script),
            ["sysbench --threads=4 oltp_write_only --tables=8 run", "/usr/bin/sysbench x run"]
        );
        assert!(commands("sysbench oltp_insert prepare\nno run").is_empty());
    }
}
