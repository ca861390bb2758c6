//! iostat's extended reports (`iostat -dxmt 1`, with or without `-m`, `-k`, `-t`, `-y`, or as `-o JSON`).
//!
//! `--pretty`, `--human` and `-h` print a report in four tables whose last column is the disk, with units behind the numbers.
//! Where reports have no time they are numbered, and `assemble` finds their place.
//!
//! A report has a row a disk. The disk that writes most is taken for the server's; of several that write alike (a RAID
//! and its members) the busiest. The first report is of the time since the machine started and is left out. Where reports
//! have a time, the rates become counters `disk.` on the time axis, as the kernel's own are.
//!
//! Simplifications: with `-y` the first report is left out too. A date in an order of the country's is read as month, day,
//! year; a file whose days would be later than the twelfth month as day, month, year.

use super::{Clock, Part, parse_date_time};
use crate::RecordingError;
use crate::disk::{DiskReport, DiskReports, SECTOR_BYTES};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Disks that write this share of the most are alike.
const ALIKE: f64 = 0.95;
/// Longest distance between two reports whose rates are summed up, seconds.
const LONGEST_STEP_S: f64 = 3600.0;

/// A counter of the kernel, and how much it grows in a second.
type Counter = (&'static str, fn(&DiskReport) -> f64);

/// One report: its time, and a row a disk.
#[derive(Debug, Default)]
struct Report {
    time: Option<f64>,
    disks: Vec<(String, BTreeMap<String, f64>)>,
}

/// Whether a text is iostat's.
pub(super) fn is_one(text: &str) -> bool {
    if text.starts_with('{') {
        return text.get(..64).unwrap_or(text).contains("\"sysstat\"");
    }
    text.lines().take(40).any(|line| head_of(line).is_some())
}

/// Reads the reports; a part without any where they are not extended.
pub(super) fn parse(path: &Path, text: &str) -> Result<Part, RecordingError> {
    let reports = if text.starts_with('{') { of_json(path, text)? } else { of_text(text) };
    let mut part = Part::default();
    let is_extended =
        |report: &Report| report.disks.iter().any(|(_, row)| row.contains_key("w/s") && row.contains_key("util"));
    if !reports.iter().any(is_extended) {
        part.remarks.push("its reports tell no writes and no queue; iostat -dxmt 1 does".to_owned());
        return Ok(part);
    }
    // Of the time since the machine started.
    let reports = &reports[1..];
    let Some(name) = busiest(reports) else {
        part.remarks.push("holds one report, of the time since the machine started; iostat -dxmt 1 goes on".to_owned());
        return Ok(part);
    };
    let of_disk: Vec<(Option<f64>, DiskReport)> = reports
        .iter()
        .filter_map(|report| {
            let (_, row) = report.disks.iter().find(|(disk, _)| *disk == name)?;
            Some((report.time, figures(row)?))
        })
        .collect();
    let others = reports.iter().flat_map(|report| &report.disks).any(|(disk, _)| *disk != name);
    if others {
        part.remarks.push(format!("of its disks {name} writes most and is taken for the server's"));
    }
    part.cpus = cpus_of(text);
    match of_disk.iter().map(|(time, _)| *time).collect::<Option<Vec<f64>>>() {
        Some(times) => lay(&mut part, Clock::Local, &times, &of_disk),
        None => {
            let numbers: Vec<f64> = (1..=of_disk.len()).map(|number| number as f64).collect();
            lay(&mut part, Clock::Own, &numbers, &of_disk);
        }
    }
    let reports = of_disk.into_iter().map(|(_, report)| report).collect();
    part.disk = Some(DiskReports { name, source: "iostat", reports });
    Ok(part)
}

/// The reports as counters on the clock of their times, as the kernel counts.
fn lay(part: &mut Part, clock: Clock, times: &[f64], reports: &[(Option<f64>, DiskReport)]) {
    let counters: [Counter; 8] = [
        ("disk.rd_ios", |report| report.reads),
        ("disk.wr_ios", |report| report.writes),
        ("disk.rd_sectors", |report| report.read_bytes / SECTOR_BYTES),
        ("disk.wr_sectors", |report| report.write_bytes / SECTOR_BYTES),
        ("disk.io_ms", |report| 1000.0 * report.busy),
        ("disk.weighted_ms", |report| 1000.0 * report.queue),
        ("disk.flush_ios", |report| report.flushes.unwrap_or(f64::NAN)),
        ("disk.flush_ms", |report| report.flushes.zip(report.flush_ms).map_or(f64::NAN, |(flushes, ms)| flushes * ms)),
    ];
    for (name, rate) in counters {
        let mut sum = 0.0;
        let at = |i: usize| {
            let step = if i == 0 { 0.0 } else { times[i] - times[i - 1] };
            // A sum that goes on from zero: rates of its growth are those of the reports.
            sum += if (0.0..LONGEST_STEP_S).contains(&step) { step * rate(&reports[i].1) } else { 0.0 };
            sum
        };
        part.columns.insert(name.to_owned(), (0..times.len()).map(at).collect());
    }
    (part.clock, part.seconds) = (clock, times.to_vec());
    super::samples::forward_only(part);
}

/// The disk that writes most bytes, or the busiest of those that write nearly as many.
fn busiest(reports: &[Report]) -> Option<String> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (disk, row) in reports.iter().flat_map(|report| &report.disks) {
        let Some(report) = figures(row) else { continue };
        let sum = sums.entry(disk).or_default();
        (sum.0, sum.1) = (sum.0 + report.write_bytes, sum.1 + report.busy);
    }
    let most = sums.values().map(|sum| sum.0).fold(0.0, f64::max);
    let alike = sums.iter().filter(|(_, sum)| sum.0 >= ALIKE * most);
    alike.max_by(|a, b| a.1.1.total_cmp(&b.1.1).then(b.0.cmp(a.0))).map(|(name, _)| (*name).to_owned())
}

/// The figures of a row; `None` if they are not extended.
fn figures(row: &BTreeMap<String, f64>) -> Option<DiskReport> {
    let get = |name: &str| row.get(name).copied();
    let bytes = |letter: &str| {
        let units = [("kB/s", 1024.0), ("MB/s", 1_048_576.0), ("sec/s", SECTOR_BYTES)];
        units.iter().find_map(|(unit, bytes)| Some(get(&format!("{letter}{unit}"))? * bytes))
    };
    Some(DiskReport {
        reads: get("r/s")?,
        writes: get("w/s")?,
        read_bytes: bytes("r")?,
        write_bytes: bytes("w")?,
        // Versions before 11.5 call it so.
        queue: get("aqu-sz").or_else(|| get("avgqu-sz"))?,
        busy: (get("util")? / 100.0).clamp(0.0, 1.0),
        flushes: get("f/s"),
        flush_ms: get("f_await"),
    })
}

/// Columns with which a table may begin whose last column is the disk.
const FIRST_OF_PRETTY: [&str; 6] = ["r/s", "w/s", "d/s", "f/s", "tps", "rrqm/s"];

/// The head of a table.
#[derive(Debug, Clone, PartialEq)]
struct Head {
    columns: Vec<String>,
    /// Whether the disk's name stands behind its figures.
    disk_last: bool,
}

/// The head that a line is.
fn head_of(line: &str) -> Option<Head> {
    let mut fields: Vec<&str> = line.split_whitespace().collect();
    let disk_last = fields.last() == Some(&"Device") && fields.first().is_some_and(|f| FIRST_OF_PRETTY.contains(f));
    let disk_first = fields.first()?.trim_end_matches(':') == "Device";
    if disk_last {
        fields.pop();
    } else if disk_first {
        fields.remove(0);
    }
    let columns: Vec<String> = fields.iter().map(|head| head.trim_start_matches('%').to_owned()).collect();
    let known = |head: &String| ["w/s", "tps", "kB_wrtn/s", "MB_wrtn/s"].contains(&head.as_str());
    (disk_last || (disk_first && columns.iter().any(known))).then_some(Head { columns, disk_last })
}

/// Processors of the machine: `Linux 6.1 (db1)  11/20/26  _x86_64_  (16 CPU)`.
pub(super) fn cpus_of(text: &str) -> Option<u32> {
    let line = text.lines().find(|line| line.starts_with("Linux ") && line.trim_end().ends_with("CPU)"))?;
    line.rsplit('(').next()?.split_whitespace().next()?.parse().ok().filter(|cpus| *cpus > 0)
}

fn of_text(text: &str) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    let mut head: Option<Head> = None;
    let mut time = None;
    for line in text.lines() {
        if let Some(found) = head_of(line) {
            // A report in several tables goes on until a column comes again.
            let goes_on = found.disk_last && !columns.is_empty() && !found.columns.iter().any(|c| columns.contains(c));
            if !goes_on {
                reports.push(Report { time: time.take(), disks: Vec::new() });
                columns.clear();
            }
            columns.extend(found.columns.iter().cloned());
            head = Some(found);
        } else if line.trim().is_empty() {
            head = None;
        } else if let Some(head) = &head {
            if let (Some((disk, row)), Some(report)) = (row_of(line, head), reports.last_mut()) {
                match report.disks.iter_mut().find(|(other, _)| *other == disk) {
                    Some((_, known)) => known.extend(row),
                    None => report.disks.push((disk, row)),
                }
            }
        } else if let Some(stamp) = time_of(line) {
            time = Some(stamp);
        }
    }
    reports
}

/// A disk's row.
fn row_of(line: &str, head: &Head) -> Option<(String, BTreeMap<String, f64>)> {
    let mut fields: Vec<&str> = line.split_whitespace().collect();
    let disk = if head.disk_last { fields.pop()? } else { (!fields.is_empty()).then(|| fields.remove(0))? };
    let figures = head.columns.iter().zip(&fields).map(|(column, field)| number(field, column));
    let values: Option<Vec<f64>> = figures.collect();
    let values = values.filter(|values| values.len() == head.columns.len() && fields.len() == values.len())?;
    Some((disk.to_owned(), head.columns.iter().cloned().zip(values).collect()))
}

/// A figure in the unit of its column; a comma is a point in some countries, and `--human` writes the unit that fits.
fn number(field: &str, column: &str) -> Option<f64> {
    let field = field.trim_end_matches('%').replace(',', ".");
    let letter = field.chars().last().filter(char::is_ascii_alphabetic);
    let digits = letter.map_or(field.as_str(), |_| &field[..field.len() - 1]);
    let value: f64 = digits.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)?;
    let Some(letter) = letter else { return Some(value) };
    let bytes = match letter {
        's' => SECTOR_BYTES,
        'B' => 1.0,
        'k' => 1024.0,
        'M' => 1_048_576.0,
        'G' => 1_073_741_824.0,
        'T' => 1_099_511_627_776.0,
        _ => return None,
    };
    let unit = if column.contains("MB") { 1_048_576.0 } else { 1024.0 };
    Some(value * bytes / unit)
}

fn of_json(path: &Path, text: &str) -> Result<Vec<Report>, RecordingError> {
    let document: Value = serde_json::from_str(text).map_err(|error| {
        let help =
            "iostat ends its JSON when Ctrl-C stops it, or after its COUNT of reports; iostat -dxmt 1 needs no end";
        RecordingError::new(path, format!("is iostat's JSON, and broken: {error}"), help)
    })?;
    let lists = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let hosts = document.get("sysstat").map(|sysstat| lists(sysstat, "hosts")).unwrap_or_default();
    let reports = hosts.iter().flat_map(|host| lists(host, "statistics")).map(|statistic| {
        let row = |disk: &Value| {
            let fields = disk.as_object()?;
            let name = fields.get("disk_device")?.as_str()?.to_owned();
            let known = |(head, value): (&String, &Value)| Some((head.clone(), value.as_f64()?));
            Some((name, fields.iter().filter_map(known).collect::<BTreeMap<String, f64>>()))
        };
        Report {
            time: statistic.get("timestamp").and_then(Value::as_str).and_then(time_of),
            disks: lists(&statistic, "disk").iter().filter_map(row).collect(),
        }
    });
    Ok(reports.filter(|report| !report.disks.is_empty()).collect())
}

/// Seconds since 1970 on the clock on the wall: `2026-11-25T01:22:40+0000`, `11/25/26 01:22:38`, `11/25/2026 01:22:38 PM`.
pub(super) fn time_of(line: &str) -> Option<f64> {
    let line = line.trim();
    if let Some((time, _)) = parse_date_time(line) {
        return Some(time);
    }
    let mut words = line.split_whitespace();
    let (date, time, half) = (words.next()?, words.next()?, words.next());
    let numbers: Option<Vec<u32>> = date.split(['/', '.']).map(|field| field.parse().ok()).collect();
    let [a, b, year] = numbers?[..] else { return None };
    let (month, day) = if a > 12 { (b, a) } else { (a, b) };
    let year = if year < 100 { 2000 + year } else { year };
    let normal = format!("{year:04}-{month:02}-{day:02} {time}");
    let (at, rest) = parse_date_time(&normal)?;
    let noon = 12.0 * 3600.0;
    let of_day = at % (2.0 * noon);
    let moved = match half {
        Some("PM") if of_day < noon => noon,
        Some("AM") if of_day >= noon => -noon,
        _ => 0.0,
    };
    rest.is_empty().then_some(at + moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Part {
        assert!(is_one(text), "{text}");
        parse(Path::new("iostat.txt"), text).unwrap()
    }

    #[test]
    fn times_of_several_countries() {
        let at = time_of("2026-11-25T13:22:40+0000").unwrap();
        for text in ["11/25/26 13:22:40", "11/25/2026 01:22:40 PM", "25.11.2026 13:22:40", "25/11/26 13:22:40"] {
            assert_eq!(time_of(text), Some(at), "{text}");
        }
        assert_eq!(time_of("11/25/2026 12:22:40 AM"), Some(at - 13.0 * 3600.0));
        for text in ["", "sda 1 2 3", "99/99/26 01:02:03", "avg-cpu:  %user"] {
            assert_eq!(time_of(text), None, "{text}");
        }
    }

    #[test]
    fn the_disk_that_writes_most_counts_from_the_second_report_on() {
        let head = "Device:  rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util\n";
        let report = |w: u32| {
            format!(
                "{head}sda 0 0 1,00 {w},00 4,00 {},00 8 0,50 1 1 1 1 25,00\nsdb 0 0 9 1 36 4 8 0 0 0 0 0 1\n\n",
                16 * w
            )
        };
        let part = read(&[report(999), report(100), report(300)].concat());
        let disk = part.disk.unwrap();
        assert_eq!((disk.name.as_str(), disk.reports.len()), ("sda", 2));
        assert_eq!((disk.mean(|r| r.writes), disk.mean(|r| r.write_bytes)), (200.0, 200.0 * 16_384.0));
        assert_eq!((disk.mean(|r| r.queue), disk.mean(|r| r.busy)), (0.5, 0.25));
        assert_eq!((part.clock, part.seconds.as_slice()), (Clock::Own, &[1.0, 2.0][..]), "numbered");
        assert!(part.remarks[0].contains("sda writes most"), "{:?}", part.remarks);
        assert!(read(&report(5)).remarks[0].contains("one report"));
        let plain = "Device  tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 1 2 3 4 5\n\n";
        assert!(read(plain).remarks[0].contains("iostat -dxmt 1"));
    }

    #[test]
    fn tables_that_name_the_disk_last() {
        let report = |r: &str, w: &str| {
            format!(
                "     r/s     rkB/s   rrqm/s Device\n   12.00    {r}     0.00 nvme0n1\n    0.10      0.40     0.00 sda\n\n\
                 {:>8}     wkB/s   wrqm/s Device\n 4200.00  {w}    20.00 nvme0n1\n    1.00      4.00     0.00 sda\n\n\
                 {:>8} f_await  aqu-sz  %util Device\n  310.00    0.08    0.55   41.20% nvme0n1\n    0.20    0.10    0.00   0.10% sda\n\n",
                "w/s", "f/s"
            )
        };
        let head = "Linux 6.1.0-28-amd64 (db1) \t11/20/26 \t_x86_64_\t(16 CPU)\n\n";
        for (r, w) in [("192.00", "76800.00"), ("192.0k", "75.0M")] {
            let part = read(&format!("{head}{}", report(r, w).repeat(3)));
            let disk = part.disk.unwrap();
            assert_eq!((disk.name.as_str(), disk.reports.len(), part.cpus), ("nvme0n1", 2, Some(16)));
            assert_eq!((disk.mean(|d| d.writes), disk.mean(|d| d.write_bytes)), (4200.0, 75.0 * 1_048_576.0), "{w}");
            assert!((disk.mean(|d| d.busy) - 0.412).abs() < 1e-9 && disk.mean(|d| d.read_bytes) == 196_608.0);
        }
    }

    #[test]
    fn a_raid_counts_by_its_busiest_member() {
        let report =
            "Device r/s rMB/s w/s wMB/s aqu-sz %util\nmd0 0 0 10 4 0 0\nsda 0 0 12 4.1 1 40\nsdb 0 0 12 4.1 2 60\n\n";
        assert_eq!(read(&report.repeat(3)).disk.unwrap().name, "sdb");
    }
}
