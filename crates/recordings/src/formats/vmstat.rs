//! vmstat's reports (`vmstat 1`, with or without `-t`, `-w`, `-n`): the shares of the processors.
//!
//! The first report is of the time since the machine started and is left out. Shares become ticks of one processor on a
//! clock of the file's own, or of the times that `-t` prints; `assemble` finds their place and multiplies them by the
//! processors.

use super::{Clock, Part, parse_date_time};

/// The columns that are shares of the processors, and what they become.
const SHARES: [(&str, &str); 5] =
    [("us", "cpu.user"), ("sy", "cpu.system"), ("id", "cpu.idle"), ("wa", "cpu.iowait"), ("st", "cpu.steal")];
/// Ticks of a processor a second.
const TICKS: f64 = 100.0;

/// The head that a line is.
fn head_of(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.split_whitespace().collect();
    let known = names.first() == Some(&"r") && ["b", "us", "sy", "id", "wa"].iter().all(|name| names.contains(name));
    known.then_some(names)
}

/// Whether a text is vmstat's.
pub(super) fn is_one(text: &str) -> bool {
    text.lines().take(40).any(|line| head_of(line).is_some())
}

/// Reads the reports.
pub(super) fn parse(text: &str) -> Part {
    let mut rows: Vec<Shares> = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    for line in text.lines() {
        if let Some(found) = head_of(line) {
            head = found;
            continue;
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        let value = |name: &str| {
            let place = head.iter().position(|head| *head == name)?;
            fields.get(place)?.parse::<f64>().ok().filter(|share| (0.0..=100.0).contains(share))
        };
        let shares = SHARES.map(|(name, _)| value(name));
        if let [Some(user), Some(system), Some(idle), Some(wait), stolen] = shares {
            let stamp = fields.get(fields.len().saturating_sub(2)..).map(|words| words.join(" "));
            let time = stamp.and_then(|stamp| parse_date_time(&stamp).map(|(time, _)| time));
            rows.push((time, [user, system, idle, wait, stolen.unwrap_or(0.0)]));
        }
    }
    // Of the time since the machine started.
    rows.drain(..rows.len().min(1));
    part_of("vmstat", &rows)
}

/// A report of the processors: its time, and the shares in the order of [`SHARES`], percent.
pub(super) type Shares = (Option<f64>, [f64; SHARES.len()]);

/// Shares as ticks of one processor, on the clock of the reports' times or, where one has none, on their own.
pub(super) fn part_of(program: &'static str, rows: &[Shares]) -> Part {
    let mut part = Part { shares_of_processors: Some(program), ..Part::default() };
    let times = rows.iter().map(|(time, _)| *time).collect::<Option<Vec<f64>>>().filter(|times| !times.is_empty());
    let clock = if times.is_some() { Clock::Local } else { Clock::Own };
    let seconds = times.unwrap_or_else(|| (1..=rows.len()).map(|number| number as f64).collect());
    for (i, (_, name)) in SHARES.iter().enumerate() {
        let mut sum = 0.0;
        let column = rows.iter().enumerate().map(|(row, (_, shares))| {
            let step = if row == 0 { 1.0 } else { (seconds[row] - seconds[row - 1]).max(0.0) };
            sum += step * TICKS * shares[i] / 100.0;
            sum
        });
        part.columns.insert((*name).to_owned(), column.collect());
    }
    (part.clock, part.seconds) = (clock, seconds);
    super::samples::forward_only(&mut part);
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                        r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";

    #[test]
    fn shares_become_ticks_of_a_processor() {
        let text = format!(
            "{HEAD} 1  0  0 100 10 50 0 0 1 2 3 4  1  1 98  0  0\n{HEAD} 9  0  0 100 10 50 0 0 1 2 3 4 60 20 15  5  0\n \
             9  0  0 100 10 50 0 0 1 2 3 4 70 20 10  0  0\n"
        );
        assert!(is_one(&text));
        let part = parse(&text);
        assert_eq!((part.clock, part.seconds.as_slice()), (Clock::Own, &[1.0, 2.0][..]));
        assert_eq!(part.columns["cpu.user"], [60.0, 130.0]);
        assert_eq!(part.columns["cpu.iowait"], [5.0, 5.0]);
        let stamped = text.lines().map(|line| {
            let is_row = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
            if is_row { format!("{line} 2026-11-21 15:20:2{}\n", line.len() % 10) } else { format!("{line}\n") }
        });
        assert_eq!(parse(&stamped.collect::<String>()).clock, Clock::Local);
        assert!(!is_one("r b\n1 2\n"));
    }
}
