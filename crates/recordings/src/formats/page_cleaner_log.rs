//! What a server says of its page cleaner in its error log, the message about flushing that people ask about most:
//!
//! ```text
//! ... [Note] InnoDB: page_cleaner: 1000ms intended loop took 4612ms. The settings might not be optimal. (flushed=2003 and evicted=0, during the time.)
//! ... [Note] [MY-011953] [InnoDB] Page cleaner took 4218ms to flush 1874 and evict 0 pages
//! ... [ERROR] InnoDB: The age of the last checkpoint is 966373838, which exceeds the log capacity 966365799.
//! ```
//!
//! A line is written for a loop that ends 3 s late or more. While loops stay that slow, the next lines are left out: one,
//! three, seven, and so on.

use super::{Clock, Part, parse_date_time};

/// The status variable that says the same.
const AGE: &str = "Innodb_checkpoint_age";

/// A loop of the page cleaner that was too slow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowLoop {
    /// Seconds since 1970, as the log says; NaN where the line has no time.
    pub at: f64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Pages that it flushed.
    pub flushed: f64,
    /// Pages that it evicted.
    pub evicted: f64,
}

/// The loops that a text tells of; none if it is no such log.
pub(super) fn parse(text: &str) -> Option<Part> {
    let slow_loops: Vec<SlowLoop> = text.lines().filter_map(slow_loop).collect();
    let ages: Vec<(f64, f64, f64)> = text.lines().filter_map(age_beyond_the_log).collect();
    if slow_loops.is_empty() && ages.is_empty() {
        return None;
    }
    let mut part = Part { slow_loops, clock: Clock::Local, ..Part::default() };
    if let Some((_, _, capacity)) = ages.last() {
        part.seconds = ages.iter().map(|(at, _, _)| *at).collect();
        part.columns.insert(AGE.to_owned(), ages.iter().map(|(_, age, _)| *age).collect());
        let largest = ages.iter().map(|(_, age, _)| *age).fold(0.0, f64::max);
        let [largest, most] = [largest, *capacity].map(|bytes| bytes / 1_048_576.0);
        part.remarks.push(format!(
            "the server says that its checkpoint age, up to {largest:.0} MiB, is beyond what its redo log holds, {most:.0} MiB"
        ));
    }
    // `mysqld: ready for connections. Version: '8.0.41'  socket: ...  MySQL Community Server - GPL.`
    let ready = text.lines().rev().find_map(|line| line.split_once("Version: '"));
    if let Some((version, rest)) = ready.and_then(|(_, rest)| rest.split_once('\'')) {
        part.variables.insert("version".to_owned(), version.to_owned());
        let comment = rest.rsplit("  ").next().unwrap_or_default().trim().trim_end_matches('.');
        part.variables.insert("version_comment".to_owned(), comment.to_owned());
    }
    Some(part)
}

/// A checkpoint age larger than the redo log, as MySQL before 5.7 and MariaDB say it: when, age, capacity.
fn age_beyond_the_log(line: &str) -> Option<(f64, f64, f64)> {
    let rest = line.split_once("The age of the last checkpoint is ")?.1;
    let (age, rest) = rest.split_once(',')?;
    let capacity = rest.split_once("capacity ")?.1.trim_end().trim_end_matches('.');
    let number = |text: &str| text.trim().parse::<u64>().ok().map(|number| number as f64);
    Some((time_in(line)?, number(age)?, number(capacity)?))
}

/// The first time in a line: before the server's own a syslog or a journal may have written one in words, and a host.
fn time_in(line: &str) -> Option<f64> {
    let words = std::iter::once(0).chain(line.match_indices(' ').map(|(at, _)| at + 1));
    words.take(12).find_map(|at| parse_date_time(&line[at..]).map(|(time, _)| time))
}

fn slow_loop(line: &str) -> Option<SlowLoop> {
    let (took, flushed, evicted) = if line.contains("page_cleaner:") && line.contains("intended loop took") {
        ("intended loop took ", "flushed=", "evicted=")
    } else if line.contains("Page cleaner took ") {
        ("Page cleaner took ", "to flush ", "and evict ")
    } else {
        return None;
    };
    let number = |key: &str| {
        let rest = line.split_once(key)?.1;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse::<f64>().ok().filter(|number| *number < 1e12)
    };
    Some(SlowLoop {
        at: time_in(line).unwrap_or(f64::NAN),
        seconds: number(took)? / 1000.0,
        flushed: number(flushed)?,
        // Some versions say nothing of it.
        evicted: number(evicted).unwrap_or(0.0),
    })
}

/// Error logs whose messages lie further apart are of different times, and perhaps of different servers.
const APART_S: f64 = 30.0 * 86_400.0;

/// Leaves out error logs that end long before the newest one begins: no axis of seconds holds both.
pub(crate) fn logs_of_one_time(mut parts: Vec<Part>, remarks: &mut Vec<String>) -> Vec<Part> {
    let times = |part: &Part| -> Option<(f64, f64)> {
        let at = || part.slow_loops.iter().map(|l| l.at).filter(|at| at.is_finite());
        Some((at().reduce(f64::min)?, at().reduce(f64::max)?))
    };
    let newest =
        parts.iter().filter_map(|part| Some((times(part)?, part.label()))).max_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let Some(((begins, _), name)) = newest else { return parts };
    let is_old = |part: &Part| times(part).is_some_and(|(_, ends)| begins - ends > APART_S);
    for part in parts.iter().filter(|part| is_old(part)) {
        let days = times(part).map_or(0.0, |(_, ends)| (begins - ends) / 86_400.0);
        remarks.push(format!(
            "{}: its messages end {days:.0} days before those of {name} begin, so they are left out; give it alone",
            part.label()
        ));
    }
    parts.retain(|part| !is_old(part) || !part.seconds.is_empty());
    parts.iter_mut().filter(|part| is_old(part)).for_each(|part| part.slow_loops.clear());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_57_and_80() {
        let text = "2026-03-02T09:10:02.551902Z 0 [System] [MY-010931] [Server] /usr/sbin/mysqld: ready for connections. \
                    Version: '8.0.41'  socket: '/run/mysqld.sock'  port: 3306  MySQL Community Server - GPL.\n\
                    2026-03-02T09:14:11.120933Z 0 [Note] [MY-011953] [InnoDB] Page cleaner took 4218ms to flush 1874 and evict 7 pages\n\
                    2018-06-11T22:40:05.113391Z 0 [Note] InnoDB: page_cleaner: 1000ms intended loop took 4612ms. The settings might \
                    not be optimal. (flushed=2003 and evicted=0, during the time.)\n\
                    InnoDB: page_cleaner: 1000ms intended loop took ms.\n";
        let part = parse(text).unwrap();
        assert_eq!(part.slow_loops.len(), 2);
        let first = part.slow_loops[0];
        assert_eq!((first.seconds, first.flushed, first.evicted), (4.218, 1874.0, 7.0));
        assert_eq!((part.slow_loops[1].seconds, part.slow_loops[1].flushed), (4.612, 2003.0));
        assert_eq!(part.variables["version"], "8.0.41");
        assert_eq!(part.variables["version_comment"], "MySQL Community Server - GPL");
        assert!(parse("Page cleaner took a while\n").is_none());
        let age = "2022-10-24 23:57:37 0 [ERROR] InnoDB: The age of the last checkpoint is 966373838, which exceeds the log capacity \
                   966365799.\n";
        let part = parse(age).unwrap();
        assert!(part.columns[AGE][0] == 966_373_838.0 && part.remarks[0].ends_with("922 MiB"), "{part:?}");
    }
}
