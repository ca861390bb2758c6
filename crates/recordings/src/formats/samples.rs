//! Texts of samples, one below the other, as clients and scripts print them.
//!
//! A sample is a set of names and values: rows in one of the layouts of [`super::tables`], counters in a text of SHOW
//! ENGINE INNODB STATUS, a line `cpu` of /proc/stat. A new one begins
//!
//! - at a line `TS 1795274467.003 2026-11-21 15:21:07` (pt-stalk's; the date may be missing; small numbers are seconds on
//!   a clock of the file's own),
//! - at a head of SHOW ENGINE INNODB STATUS, which has a time, if the sample has one already,
//! - where a name comes again: `mysqladmin -i` prints no times.
//!
//! Whose name it is, its spelling tells, or the head of its table: SHOW GLOBAL STATUS begins with a capital, SHOW
//! GLOBAL VARIABLES and INNODB_METRICS don't, and the latter has the heads `NAME` and `COUNT`. Heads `COLUMN` and
//! `VALUE` stand above names that are columns of a recording as they are. Names in capitals, as tables of the
//! information schema have them, are spelt as SHOW does. All other lines are passed over.

use super::innodb_status::Section;
use super::relative::{accumulate, is_relative};
use super::tables::Tables;
use super::{Clock, Link, Part, parse_date_time, sysbench};
use crate::RecordingError;
use crate::recording::Cap;
use innosim_flush_models::registry::{ModelId, UnknownReason, lookup, normal_name};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// Beginnings of names of INNODB_METRICS, for tables without heads; no variable begins so.
const METRICS: [&str; 7] = ["buffer_", "log_lsn_", "log_max_modified_", "os_", "trx_", "dml_", "purge_"];
/// A table without heads holds variables if it holds this one.
const A_VARIABLE: &str = "innodb_buffer_pool_size";
/// `mysqladmin -i` samples evenly; the server's age is in whole seconds.
const UPTIME_JITTER_S: f64 = 1.6;

/// What the names of a table are, by its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Head {
    #[default]
    None,
    Variables,
    Metrics,
    Columns,
}

#[derive(Debug, Clone, Default)]
struct Sample {
    unix: Option<f64>,
    local: Option<f64>,
    /// Seconds since something else, such as the start of the recording.
    own: Option<f64>,
    values: BTreeMap<String, f64>,
}

#[derive(Default)]
struct Scanner {
    samples: Vec<Sample>,
    current: Sample,
    head: Head,
    tables: Tables,
    /// Names in capitals, as SHOW prints them: the same come in each sample, and a look at every model's takes long.
    shown: HashMap<String, String>,
    /// Inside a text of SHOW ENGINE INNODB STATUS.
    innodb: Option<Section>,
    part: Part,
    variables_had_head: bool,
    table_bytes: [Option<u64>; 2],
    cpus: u32,
}

/// Reads the samples, and what stands once beside them; a part without samples if there are none.
pub(super) fn parse(path: &Path, text: &str) -> Result<Part, RecordingError> {
    let mut scanner = Scanner::default();
    for line in text.lines() {
        if line.contains("INNODB MONITOR OUTPUT") && line.contains("\\n") {
            // `mysql --batch` writes the whole text in one line.
            line.split("\\n").for_each(|line| scanner.line(line));
        } else {
            scanner.line(line);
        }
    }
    scanner.finish(path)
}

impl Scanner {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if let Some(stamp) = trimmed.strip_prefix("TS ") {
            self.stamp(stamp);
        } else if let Some(before) = trimmed.strip_suffix("INNODB MONITOR OUTPUT") {
            self.monitor(before);
        } else if self.innodb.is_some() {
            self.monitor_line(trimmed);
        } else if let Some(rest) = line.strip_prefix("cpu") {
            self.processor(rest);
        } else if let Some((name, value)) = self.tables.pair(trimmed) {
            self.pair(&name, &value);
        } else if let Some((key, value)) = trimmed.split_once(':') {
            match self.tables.vertical(key, value.trim()) {
                Some((name, value)) => self.pair(&name, &value),
                None => self.once(key, value.trim()),
            }
        }
    }

    /// A name as SHOW prints it: tables of the information schema have it in capitals.
    fn as_shown<'a>(&mut self, name: &'a str) -> Cow<'a, str> {
        if name.chars().any(|c| c.is_ascii_lowercase()) || !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            return name.into();
        }
        self.shown.entry(name.to_owned()).or_insert_with(|| without_capitals(name)).clone().into()
    }

    fn next_sample(&mut self) {
        let done = std::mem::take(&mut self.current);
        if !done.values.is_empty() {
            self.samples.push(done);
        }
    }

    fn stamp(&mut self, text: &str) {
        self.innodb = None;
        let (number, rest) = text.split_once(' ').unwrap_or((text, ""));
        let Ok(unix) = number.parse::<f64>() else { return };
        if (0.0..1e8).contains(&unix) && rest.is_empty() {
            self.next_sample();
            self.current.own = Some(unix);
            return;
        }
        if !(1e8..1e11).contains(&unix) {
            return;
        }
        self.next_sample();
        self.current.unix = Some(unix);
        if let Some((local, _)) = parse_date_time(rest) {
            self.current.local = Some(local);
            if self.part.links.is_empty() {
                // The date is in whole seconds; zones are in quarters of an hour.
                let offset = ((unix - local) / 900.0).round() * 900.0;
                self.part.links.push(Link { from: Clock::Local, to: Clock::Unix, offset });
            }
        }
    }

    fn monitor(&mut self, before: &str) {
        if before.contains("END OF") {
            self.innodb = None;
            return;
        }
        if self.current.values.keys().any(|name| name.starts_with("log.")) {
            self.next_sample();
        }
        if self.current.local.is_none() {
            self.current.local = parse_date_time(before).map(|(local, _)| local);
        }
        self.innodb = Some(Section::default());
    }

    fn monitor_line(&mut self, line: &str) {
        let Some(mut section) = self.innodb else { return };
        let values = &mut self.current.values;
        section.line(line, |name, value| {
            // Of threads that wait, the longest counts; of other lines that come again, the first.
            let is_wait = name.starts_with("wait.");
            let known = values.entry(name).or_insert(value);
            *known = if is_wait { known.max(value) } else { *known };
        });
        self.innodb = Some(section);
    }

    /// `cpu  user nice system idle iowait irq softirq steal ...`, `cpu0 ...`: ticks since the machine's start.
    fn processor(&mut self, rest: &str) {
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            let number = rest.split_whitespace().next().and_then(|n| n.parse::<u32>().ok());
            self.cpus = self.cpus.max(number.map_or(0, |n| n.saturating_add(1)));
            return;
        }
        let ticks: Option<Vec<f64>> = rest.split_whitespace().map(|field| field.parse().ok()).collect();
        if let Some([user, nice, system, idle, iowait, irq, softirq, rest @ ..]) = ticks.as_deref() {
            let values = &mut self.current.values;
            if let Some(&steal) = rest.first() {
                values.insert("cpu.steal".to_owned(), steal);
            }
            for (name, value) in [
                ("cpu.user", user + nice),
                ("cpu.system", system + irq + softirq),
                ("cpu.idle", *idle),
                ("cpu.iowait", *iowait),
            ] {
                values.insert(name.to_owned(), value);
            }
        }
    }

    fn pair(&mut self, name: &str, value: &str) {
        match name.to_ascii_uppercase().as_str() {
            "VARIABLE_NAME" => return self.head = Head::Variables,
            "NAME" if value.eq_ignore_ascii_case("count") => return self.head = Head::Metrics,
            "COLUMN" if value.eq_ignore_ascii_case("value") => return self.head = Head::Columns,
            _ => {}
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || name.len() > 128 || !name.chars().all(plain) {
            return;
        }
        let shown = self.as_shown(name);
        let name = shown.as_ref();
        let status = name.starts_with(|c: char| c.is_ascii_uppercase());
        let metric = METRICS.iter().any(|beginning| name.starts_with(beginning));
        let key = match self.head {
            Head::Columns => name.to_owned(),
            Head::Metrics => format!("m.{name}"),
            Head::Variables | Head::None if status => name.to_owned(),
            Head::None if metric => format!("m.{name}"),
            Head::Variables | Head::None => {
                self.variables_had_head |= self.head == Head::Variables;
                if !value.contains('\t') {
                    self.part.variables.insert(normal_name(name), value.to_owned());
                }
                return;
            }
        };
        let Ok(value) = value.parse::<f64>() else { return };
        if !value.is_finite() {
            return;
        }
        if self.current.values.contains_key(&key) {
            self.next_sample();
        }
        self.current.values.insert(key, value);
    }

    /// What SHOW TABLE STATUS and `lscpu` say.
    fn once(&mut self, key: &str, value: &str) {
        let number = || value.parse::<u64>().ok();
        match key {
            "Data_length" | "Index_length" => {
                let sum = &mut self.table_bytes[usize::from(key == "Index_length")];
                *sum = number().map_or(*sum, |bytes| Some(sum.unwrap_or(0).saturating_add(bytes)));
            }
            "CPU(s)" => self.part.cpus = number().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0),
            // As `innosim collect` writes them, this one of /sys/block/DISK/queue/rotational.
            "rotational" => self.part.rotational = number().filter(|flag| *flag <= 1).map(|flag| flag == 1),
            "file system" => self.part.file_system = Some(value.to_owned()),
            key if key.starts_with("cap ") => self.cap(&key[4..], value),
            key if key.ends_with("sysbench") || value.contains("sysbench ") => {
                self.part.commands.extend(sysbench::commands(&format!("{key}:{value}")));
            }
            _ => {}
        }
    }

    /// A cap of the control group as `live/record` and `innosim collect` write it: the file's name, then its line, which
    /// begins with the disk (`254:0 3000`; `254:0 rbps=max wbps=60000000 riops=max wiops=3000`).
    fn cap(&mut self, file: &str, line: &str) {
        let file = file.rsplit('/').next().unwrap_or(file);
        let cap = self.part.cap.get_or_insert_with(|| Cap { name: "control group".to_owned(), ..Cap::default() });
        for word in line.split_whitespace().skip(1) {
            let (key, number) = word.split_once('=').unwrap_or((file, word));
            let limit = match key {
                "blkio.throttle.write_iops_device" | "wiops" => &mut cap.write_iops,
                "blkio.throttle.read_iops_device" | "riops" => &mut cap.read_iops,
                "blkio.throttle.write_bps_device" | "wbps" => &mut cap.write_bytes_per_s,
                "blkio.throttle.read_bps_device" | "rbps" => &mut cap.read_bytes_per_s,
                _ => continue,
            };
            // Of several groups, or disks, the tightest.
            if let Some(number) = number.parse::<f64>().ok().filter(|number| *number >= 1.0) {
                *limit = if *limit > 0.0 { limit.min(number) } else { number };
            }
        }
    }

    fn finish(mut self, path: &Path) -> Result<Part, RecordingError> {
        self.next_sample();
        let mut part = self.part;
        if !self.variables_had_head && !part.variables.contains_key(A_VARIABLE) {
            part.variables.clear();
        }
        if let [Some(data), index] = self.table_bytes {
            part.table_bytes = Some((data, index.unwrap_or(0)));
        }
        if self.cpus > 0 {
            part.cpus = Some(self.cpus);
        }
        let stamped = self.samples.iter().filter(|sample| sample.unix.is_some()).count();
        if stamped > 0 && stamped < self.samples.len() {
            let without = self.samples.len() - stamped;
            part.remarks.push(format!("{without} samples without a line `TS` are left out"));
            self.samples.retain(|sample| sample.unix.is_some());
        }
        timed(path, part, &self.samples)
    }
}

/// A name in capitals as SHOW prints it.
fn without_capitals(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let is_setting = |model: &ModelId| match lookup(*model, &lower) {
        Ok(_) => true,
        Err(unknown) => !matches!(unknown.reason, UnknownReason::Misspelt | UnknownReason::Unknown),
    };
    if lower.starts_with("version") || ModelId::INNODB.iter().any(is_setting) {
        return lower;
    }
    name[..1].to_owned() + &lower[1..]
}

/// Puts samples on the best clock that they have.
fn timed(path: &Path, mut part: Part, samples: &[Sample]) -> Result<Part, RecordingError> {
    part.columns = columns_of(samples.iter().map(|sample| &sample.values).collect());
    let all = |time: fn(&Sample) -> Option<f64>| samples.iter().map(time).collect::<Option<Vec<f64>>>();
    let times = [(Clock::Unix, all(|s| s.unix)), (Clock::Local, all(|s| s.local)), (Clock::Own, all(|s| s.own))];
    let stamped = times.into_iter().find_map(|(clock, times)| Some((clock, times.filter(|t| !t.is_empty())?)));
    if stamped.is_none() && is_relative(&part.columns) {
        accumulate(&mut part.columns);
        part.remarks.push("holds differences (-r), which were summed up".to_owned());
    }
    let help = "keep the line Uptime in the output, or print `TS` and the seconds since 1970 before each sample \
                (date +'TS %s.%N')";
    lay(path, part, stamped, samples.len(), ("samples", help))
}

/// Columns of samples each of which has some of them.
pub(super) fn columns_of(samples: Vec<&BTreeMap<String, f64>>) -> BTreeMap<String, Vec<f64>> {
    let names: BTreeSet<&String> = samples.iter().flat_map(|values| values.keys()).collect();
    let column = |name| samples.iter().map(|values| values.get(name).copied().unwrap_or(f64::NAN)).collect();
    names.into_iter().map(|name| (name.clone(), column(name))).collect()
}

/// Times of `samples` samples: the given ones, or else the server's uptime; `words` are what they are called, and how to
/// have times.
pub(super) fn lay(
    path: &Path,
    mut part: Part,
    stamped: Option<(Clock, Vec<f64>)>,
    samples: usize,
    words: (&str, &str),
) -> Result<Part, RecordingError> {
    let is_whole = |uptime: &&Vec<f64>| !uptime.is_empty() && uptime.iter().all(|t| t.is_finite());
    if let Some((clock, times)) = stamped {
        (part.clock, part.seconds) = (clock, times);
    } else if let Some(uptime) = part.columns.get("Uptime").filter(is_whole) {
        let (seconds, remark) = from_uptime(uptime);
        (part.clock, part.seconds) = (Clock::Uptime, seconds);
        part.remarks.extend(remark);
    } else if samples > 1 {
        return Err(RecordingError::new(path, format!("holds {samples} {} without any time", words.0), words.1));
    } else {
        part.seconds = vec![0.0; samples];
    }
    forward_only(&mut part);
    Ok(part)
}

/// Time of samples from the age of the server, which is in whole seconds: even steps if they explain it.
pub(super) fn from_uptime(uptime: &[f64]) -> (Vec<f64>, Option<String>) {
    let mut seconds = uptime.to_vec();
    let mut remark = None;
    for i in 1..uptime.len() {
        if uptime[i] < uptime[i - 1] {
            let step = if i > 1 { seconds[i - 1] - seconds[i - 2] } else { 1.0 }.max(1.0);
            let shift = seconds[i - 1] + step - uptime[i];
            (i..uptime.len()).for_each(|j| seconds[j] = uptime[j] + shift);
            remark =
                Some(format!("the server was started anew before sample {}; how long it was down is not known", i + 1));
        }
    }
    let last = seconds.len() - 1;
    let step = (seconds[last] - seconds[0]) / (last.max(1)) as f64;
    let even = |i: usize| seconds[0] + step * i as f64;
    if step > 0.0 && (0..=last).all(|i| (seconds[i] - even(i)).abs() <= UPTIME_JITTER_S) {
        return ((0..=last).map(even).collect(), remark);
    }
    (seconds, remark)
}

/// Leaves out samples that are not later than the one before.
pub(super) fn forward_only(part: &mut Part) {
    let mut last = f64::NEG_INFINITY;
    let keep: Vec<bool> = part
        .seconds
        .iter()
        .map(|t| {
            let later = *t > last;
            last = last.max(*t);
            later
        })
        .collect();
    let dropped = keep.iter().filter(|keep| !**keep).count();
    if dropped == 0 {
        return;
    }
    let samples = if dropped == 1 { "sample that is" } else { "samples that are" };
    part.remarks.push(format!("{dropped} {samples} not later than the one before: left out"));
    part.retain(&keep);
}
