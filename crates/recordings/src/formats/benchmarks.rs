//! Logs of other load generators that print a line every few seconds.
//!
//! ```text
//!   10, trx: 12920, 95%: 9.483, 99%: 18.738, max_rt: 213.169, 12919|98.778, ...                        tpcc-mysql
//! 2026-02-11 10:14:12:029 10 sec: 61234 operations; 6123.4 current ops/sec; est completion in ...       YCSB
//! ```
//!
//! tpcc-mysql counts new orders, less than half of its transactions. YCSB counts operations, each of which is a transaction of its
//! own unless it was told otherwise. Times are those since the beginning of the run: YCSB's dates have no zone.

use super::sysbench::{Interval, LoadLog, Program, measure};
use super::{Clock, Part};

/// Reads a log; `None` if the text is none.
pub(super) fn parse(text: &str) -> Option<Part> {
    let (program, remark, lines): (Program, &str, Vec<Line>) = if text.contains("TPC-C Load Generator") {
        let remark = "counts new orders, less than half of tpcc-mysql's transactions";
        (Program::TpccMysql, remark, tpcc_mysql(text))
    } else if text.contains("YCSB Client") || text.contains(" current ops/sec;") {
        (Program::Ycsb, "counts YCSB's operations, each taken for a transaction", ycsb(text))
    } else {
        return None;
    };
    let percentile = Some(if program == Program::Ycsb { 99.0 } else { 95.0 });
    let mut log = LoadLog { program, threads: threads(text, program), percentile, ..LoadLog::default() };
    let mut before = 0.0;
    for line in lines.into_iter().filter(|line| line.end.is_finite() && line.count.is_finite()) {
        if line.end > before {
            let length = line.end - before;
            let interval = Interval {
                end: line.end,
                length,
                tps: line.count / if line.is_rate { 1.0 } else { length },
                latency_ms: line.latency_ms,
                queue: f64::NAN,
            };
            log.intervals.push(interval);
            before = line.end;
        }
    }
    if log.intervals.is_empty() {
        let remarks = vec![format!("is {}'s log, but has no lines of its course", program.name())];
        return Some(Part { remarks, ..Part::default() });
    }
    measure(&mut log.intervals);
    Some(Part { loads: vec![log], clock: Clock::Own, remarks: vec![remark.to_owned()], ..Part::default() })
}

/// A line of the course: its end, what was done since the line before or how much a second, and a latency.
struct Line {
    end: f64,
    count: f64,
    is_rate: bool,
    latency_ms: f64,
}

fn tpcc_mysql(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let figure = |key: &str| fields.iter().find_map(|field| field.strip_prefix(key)?.trim().parse::<f64>().ok());
        let (end, count) = (fields.first()?.parse().ok()?, figure("trx:")?);
        Some(Line { end, count, is_rate: false, latency_ms: figure("95%:").unwrap_or(f64::NAN) })
    };
    text.lines().filter_map(line).collect()
}

fn ycsb(text: &str) -> Vec<Line> {
    let word_before = |line: &str, words: &str| line.split_once(words)?.0.rsplit(' ').next()?.parse::<f64>().ok();
    let line = |line: &str| {
        let (end, count) = (word_before(line, " sec: ")?, word_before(line, " current ops/sec;")?);
        // Latencies are in microseconds, of each kind of operation; an update is what flushes.
        let of_updates = line.split_once("[UPDATE: ").map_or("", |(_, rest)| rest);
        let latency =
            of_updates.split_once(" 99=").and_then(|(_, rest)| rest.split([',', ']']).next()?.parse::<f64>().ok());
        Some(Line { end, count, is_rate: true, latency_ms: latency.map_or(f64::NAN, |us| us / 1e3) })
    };
    text.lines().filter_map(line).collect()
}

fn threads(text: &str, program: Program) -> Option<u32> {
    let key = if program == Program::Ycsb { "-threads " } else { "[connection]:" };
    text.split_once(key)?.1.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_of_tpcc_mysql_and_ycsb() {
        let tpcc = "*** ###easy### TPC-C Load Generator ***\n [connection]: 32\n  10, trx: 1200, 95%: 9.5, 99%: 18.7, max_rt: 213.1, 1|2\n  \
                    20, trx: 600, 95%: 19.5, 99%: 38.7, max_rt: 213.1, 1|2\n";
        let log = &parse(tpcc).unwrap().loads[0];
        let of = |log: &LoadLog, i: usize| (log.intervals[i].end, log.intervals[i].tps, log.intervals[i].latency_ms);
        assert_eq!((log.threads, of(log, 0), of(log, 1)), (Some(32), (10.0, 120.0, 9.5), (20.0, 60.0, 19.5)));
        let ycsb = "Command line: -threads 8 -s -t\nYCSB Client 0.17.0\n2026-02-11 10:14:02:031 0 sec: 0 operations; est completion in 0 second\n\
                    2026-02-11 10:14:12:029 10 sec: 61234 operations; 6123.4 current ops/sec; est completion in 2 minutes [READ: Count=3, Max=8, \
                    99=1] [UPDATE: Count=3, 90=7501, 99=21831, 99.9=5]\n";
        let log = &parse(ycsb).unwrap().loads[0];
        assert_eq!((log.threads, log.percentile, of(log, 0)), (Some(8), Some(99.0), (10.0, 6123.4, 21.831)));
        assert!(parse("10, trx: 5\n").is_none() && parse("YCSB Client 1\n").unwrap().loads.is_empty());
    }
}
