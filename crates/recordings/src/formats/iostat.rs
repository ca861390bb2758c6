//! iostat's extended reports (`iostat -dxmt 1`, with or without `-m`, `-k`, `-t`, `-y`, or as `-o JSON`).
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
    text.lines().take(40).any(|line| heads_of(line).is_some())
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
    if let Some(times) = of_disk.iter().map(|(time, _)| *time).collect::<Option<Vec<f64>>>() {
        lay(&mut part, &times, &of_disk);
    }
    let reports = of_disk.into_iter().map(|(_, report)| report).collect();
    part.disk = Some(DiskReports { name, source: "iostat", reports });
    Ok(part)
}

/// The reports as counters on the clock of their times, as the kernel counts.
fn lay(part: &mut Part, times: &[f64], reports: &[(Option<f64>, DiskReport)]) {
    let counters: [Counter; 6] = [
        ("disk.rd_ios", |report| report.reads),
        ("disk.wr_ios", |report| report.writes),
        ("disk.rd_sectors", |report| report.read_bytes / SECTOR_BYTES),
        ("disk.wr_sectors", |report| report.write_bytes / SECTOR_BYTES),
        ("disk.io_ms", |report| 1000.0 * report.busy),
        ("disk.weighted_ms", |report| 1000.0 * report.queue),
    ];
    for (name, rate) in counters {
        let mut sum = 0.0;
        let at = |i: usize| {
            let step = if i == 0 { 0.0 } else { times[i] - times[i - 1] };
            sum += if (0.0..LONGEST_STEP_S).contains(&step) { step * rate(&reports[i].1) } else { 0.0 };
            sum
        };
        part.columns.insert(name.to_owned(), (0..times.len()).map(at).collect());
    }
    (part.clock, part.seconds) = (Clock::Local, times.to_vec());
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
    })
}

/// The names of a table's columns, if the line is its head.
fn heads_of(line: &str) -> Option<Vec<String>> {
    let mut fields = line.split_whitespace();
    (fields.next()?.trim_end_matches(':') == "Device").then_some(())?;
    let heads: Vec<String> = fields.map(|head| head.trim_start_matches('%').to_owned()).collect();
    heads.iter().any(|head| ["w/s", "tps", "kB_wrtn/s", "MB_wrtn/s"].contains(&head.as_str())).then_some(heads)
}

fn of_text(text: &str) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    let mut heads: Option<Vec<String>> = None;
    let mut time = None;
    for line in text.lines() {
        if let Some(found) = heads_of(line) {
            reports.push(Report { time: time.take(), disks: Vec::new() });
            heads = Some(found);
        } else if line.trim().is_empty() {
            heads = None;
        } else if let Some(heads) = &heads {
            if let (Some((disk, row)), Some(report)) = (row_of(line, heads), reports.last_mut()) {
                report.disks.push((disk, row));
            }
        } else if let Some(stamp) = time_of(line) {
            time = Some(stamp);
        }
    }
    reports
}

/// A disk's row; a comma is a point in some countries.
fn row_of(line: &str, heads: &[String]) -> Option<(String, BTreeMap<String, f64>)> {
    let mut fields = line.split_whitespace();
    let disk = fields.next()?.to_owned();
    let values: Option<Vec<f64>> = fields.map(number).collect();
    let values = values.filter(|values| values.len() == heads.len())?;
    Some((disk, heads.iter().cloned().zip(values).collect()))
}

fn number(field: &str) -> Option<f64> {
    field.replace(',', ".").parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)
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
fn time_of(line: &str) -> Option<f64> {
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
        assert!(part.seconds.is_empty() && part.remarks[0].contains("sda writes most"), "{:?}", part.remarks);
        assert!(read(&report(5)).remarks[0].contains("one report"));
        let plain = "Device  tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 1 2 3 4 5\n\n";
        assert!(read(plain).remarks[0].contains("iostat -dxmt 1"));
    }

    #[test]
    fn a_raid_counts_by_its_busiest_member() {
        let report =
            "Device r/s rMB/s w/s wMB/s aqu-sz %util\nmd0 0 0 10 4 0 0\nsda 0 0 12 4.1 1 40\nsdb 0 0 12 4.1 2 60\n\n";
        assert_eq!(read(&report.repeat(3)).disk.unwrap().name, "sdb");
    }
}
