//! mpstat's reports (`mpstat 1`, also `-P ALL`) and those of `sar -u`: the shares of the processors.
//!
//! ```text
//! Linux 6.8.0 (node1)  03/13/2026  _x86_64_  (80 CPU)
//! 10:00:01 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
//! 10:00:02 AM  all   61.20    0.00   14.10    3.02    0.00    1.20    0.00    0.00    0.00   20.48
//! ```
//!
//! The row `all` counts, or the sum over the processors where there is none. The date stands in the head of the file; a
//! time of day that falls back has passed midnight. The averages at the end are left out.

use super::clock::DAY_S;
use super::vmstat::{Shares, part_of};
use super::{Part, iostat};

/// Where the head of a table has its first column.
fn head_of(line: &str) -> Option<(usize, Vec<&str>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let cpu = words.iter().position(|word| *word == "CPU")?;
    let has = |names: [&str; 2]| names.iter().any(|name| words.contains(name));
    let known = cpu <= 2 && has(["%usr", "%user"]) && has(["%sys", "%system"]) && words.contains(&"%idle");
    (known && !line.starts_with("Average")).then(|| (cpu, words[cpu..].to_vec()))
}

/// Whether a text is mpstat's.
pub(super) fn is_one(text: &str) -> bool {
    text.lines().take(40).any(|line| head_of(line).is_some())
}

/// Reads the reports.
pub(super) fn parse(text: &str) -> Part {
    let date = text.lines().find(|line| line.starts_with("Linux ")).and_then(date_of);
    let mut rows: Vec<Shares> = Vec::new();
    let mut head: Option<(usize, Vec<&str>)> = None;
    let mut midnights = 0.0;
    for line in text.lines() {
        if let Some(found) = head_of(line) {
            head = Some(found);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((first, columns)) = &head else { continue };
        if line.starts_with("Average") || words.get(*first) != Some(&"all") {
            continue;
        }
        let share = |names: &[&str]| -> Option<f64> {
            let places = columns.iter().enumerate().filter(|(_, column)| names.contains(column));
            let values: Option<Vec<f64>> =
                places.map(|(i, _)| words.get(first + i)?.replace(',', ".").parse().ok()).collect();
            let sum: f64 = values?.iter().sum();
            (0.0..=101.0).contains(&sum).then_some(sum)
        };
        let [Some(user), Some(system), Some(idle)] =
            [&["%usr", "%user", "%nice"][..], &["%sys", "%system", "%irq", "%soft"], &["%idle"]].map(share)
        else {
            continue;
        };
        let of_day = date.and_then(|date| iostat::time_of(&format!("{date} {}", words[..*first].join(" "))));
        let mut time = of_day.map(|time| time + midnights);
        if let (Some(now), Some((Some(before), _))) = (time, rows.last())
            && now < *before
        {
            midnights += DAY_S;
            time = Some(now + DAY_S);
        }
        let part_of_idle = [share(&["%iowait"]), share(&["%steal"])].map(Option::unwrap_or_default);
        rows.push((time, [user, system, idle, part_of_idle[0], part_of_idle[1]]));
    }
    Part { cpus: iostat::cpus_of(text), ..part_of("mpstat", &rows) }
}

/// The date in the head of the file.
fn date_of(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        digits >= 6 && word.chars().all(|c| c.is_ascii_digit() || "/-.".contains(c)) && word.contains(['/', '-'])
    })
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;

    const HEAD: &str = "Linux 6.8.0-60-generic (node1) \t03/13/2026 \t_x86_64_\t(80 CPU)\n\n";
    const COLUMNS: &str = " CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n";

    #[test]
    fn the_row_of_all_processors_counts() {
        let row = |time: &str, cpu: &str| {
            format!("{time} {cpu}   60.00    1.00   14.00    3.00    0.50    1.50    0.00    0.00    0.00   20.00\n")
        };
        let mut text = format!("{HEAD}11:59:58 PM {COLUMNS}");
        for time in ["11:59:59 PM", "12:00:00 AM", "12:00:01 AM"] {
            text.push_str(&(row(time, "all") + row(time, "0").as_str()));
        }
        text.push_str(&format!("\nAverage: {COLUMNS}{}", row("Average:", "all")));
        assert!(is_one(&text));
        let part = parse(&text);
        assert_eq!((part.clock, part.seconds.len(), part.cpus), (Clock::Local, 3, Some(80)));
        assert_eq!(part.seconds[2] - part.seconds[0], 2.0, "past midnight");
        assert_eq!((part.columns["cpu.user"][2], part.columns["cpu.system"][2]), (183.0, 48.0));
        let sar = text.replace("%usr", "%user").replace("%sys ", "%system ");
        assert_eq!(parse(&sar).columns["cpu.user"][2], 183.0);
        assert!(!is_one("CPU 1 2 3\n"));
    }
}
