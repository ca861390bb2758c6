//! What people have of a server, file by file: each is known by its content, whatever its name, and read into a
//! [`Part`].
//!
//! | content | from |
//! |---|---|
//! | samples of SHOW GLOBAL STATUS, INNODB_METRICS, SHOW ENGINE INNODB STATUS, /proc/stat, with or without time stamps | `mysqladmin extended-status -i N` (also `-r`), pt-stalk, loops of their own, `live/record` |
//! | a column a sample | pt-mext (also `-r`) |
//! | a column a counter | CSV of INNODB_METRICS or SHOW GLOBAL STATUS |
//! | matrix of a range query | Prometheus with mysqld_exporter |
//! | interval lines | sysbench |
//! | SHOW GLOBAL VARIABLES, SHOW TABLE STATUS, `lscpu`, sysbench's command line | once, beside the others |
//! | scrapes | an exporter's own text |
//! | throughput of a run | HammerDB: its counter's log, or the result of a timed run |
//! | reports of the processors | vmstat, mpstat, sar -u |
//! | a summary for people | pt-mysql-summary: settings and rates |
//! | messages about slow loops | the server's error log |
//! | output of fio | the device; read by the scenario |
//! | extended reports | iostat |
//! | histogram of page ages | `innosim page-ages`, or the query on INNODB_BUFFER_PAGE |
//!
//! Nothing is made up: a value that is not in the file is NaN, a file without times has a clock of its own
//! ([`Clock`]), and what `assemble` can't place beside the rest it leaves out with a remark.

mod benchmarks;
mod clock;
mod exposition;
mod hammerdb;
mod innodb_status;
mod iostat;
mod mext;
mod mpstat;
mod mysql_summary;
mod page_ages;
mod page_cleaner_log;
mod pasted;
mod prometheus;
mod relative;
mod reports;
mod samples;
mod sysbench;
mod tables;
mod vmstat;
mod wide_csv;

pub(crate) use clock::{Clock, Link, parse_date_time};
pub use page_ages::BUFFER_PAGE_QUERY;
pub use page_cleaner_log::SlowLoop;
pub(crate) use page_cleaner_log::logs_of_one_time;
pub(crate) use sysbench::{Interval, LoadLog, Program};

use crate::RecordingError;
use crate::disk::DiskReports;
use crate::recording::Cap;
use flate2::read::MultiGzDecoder;
use innosim_scenario::{as_rows, from_utf16, is_utf16};
use innosim_spectrum::PageAges;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// Largest file that is read, also after decompression.
pub(crate) const MAX_BYTES: u64 = 256 << 20;
/// No counter of a server is that large.
const WRAPPED: f64 = 9_223_372_036_854_775_808.0;
/// As much of a file tells what it is.
const HEAD_BYTES: usize = 256 << 10;
/// What can be read, for messages.
pub(crate) const READABLE: &str = "what can be read: mysqladmin extended-status -i, pt-stalk and pt-mext files, samples of SHOW \
     GLOBAL STATUS or SHOW ENGINE INNODB STATUS, a CSV with a column a counter, a Prometheus range query, the logs of sysbench, HammerDB, tpcc-mysql and YCSB, and next to them SHOW GLOBAL \
     VARIABLES, the reports of pt-mysql-summary and MySQLTuner, the reports of iostat, vmstat and mpstat, and fio's JSON";

/// What one file holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    pub(crate) path: PathBuf,
    pub(crate) clock: Clock,
    /// Time of each sample, on the file's clock.
    pub(crate) seconds: Vec<f64>,
    /// One value a sample, NaN in gaps.
    pub(crate) columns: BTreeMap<String, Vec<f64>>,
    /// How this file ties two clocks together.
    pub(crate) links: Vec<Link>,
    /// SHOW GLOBAL VARIABLES.
    pub(crate) variables: BTreeMap<String, String>,
    /// Runs of sysbench.
    pub(crate) loads: Vec<LoadLog>,
    /// Command lines of sysbench that stand in the file.
    pub(crate) commands: Vec<String>,
    /// Bytes of clustered and secondary indexes.
    pub(crate) table_bytes: Option<(u64, u64)>,
    pub(crate) cpus: Option<u32>,
    /// Whether the disk says that it rotates.
    pub(crate) rotational: Option<bool>,
    /// Type of the file system that holds the data.
    pub(crate) file_system: Option<String>,
    /// What the server's control group may do.
    pub(crate) cap: Option<Cap>,
    /// Ages of pages.
    pub(crate) page_ages: Option<PageAges>,
    /// What iostat says of the disk.
    pub(crate) disk: Option<DiskReports>,
    /// The program that says what the processors did, in ticks of one of them.
    pub(crate) shares_of_processors: Option<&'static str>,
    /// Loops of the page cleaner that the server found too slow.
    pub(crate) slow_loops: Vec<SlowLoop>,
    /// Whether it is output of fio.
    pub(crate) fio: bool,
    pub(crate) remarks: Vec<String>,
}

impl Part {
    /// Whether it says how a server fared over time.
    pub(crate) fn is_series(&self) -> bool {
        let counts = !self.seconds.is_empty() && !self.is_of_the_machine();
        counts || !self.loads.is_empty() || !self.slow_loops.is_empty()
    }

    /// Whether it tells of the machine alone, beside which the server's samples give the axis.
    pub(crate) fn is_of_the_machine(&self) -> bool {
        self.disk.is_some() || self.shares_of_processors.is_some()
    }

    /// Whether it holds a load generator's reports alone, without times: they belong where the server's counters follow them.
    pub(crate) fn is_of_a_load_generator(&self) -> bool {
        self.clock == Clock::Own && !self.columns.is_empty() && self.columns.keys().all(|name| name.starts_with("sb."))
    }

    /// Leaves gaps where a counter went below zero, whether it was printed so or as nearly 2^64.
    fn leave_gaps(&mut self) {
        let mut names = Vec::new();
        for (name, values) in &mut self.columns {
            let wrapped = values.iter_mut().filter(|value| **value >= WRAPPED || **value < 0.0);
            if wrapped.map(|value| *value = f64::NAN).count() > 0 {
                names.push(name.as_str());
            }
        }
        if !names.is_empty() {
            let names = names.join(", ");
            self.remarks.push(format!(
                "values below zero, or near 2^64 as of counters that went below zero, are gaps: {names}"
            ));
        }
    }

    /// Leaves out the samples that `keep` says no to.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let kept = |values: &[f64]| values.iter().zip(keep).filter(|(_, keep)| **keep).map(|(v, _)| *v).collect();
        self.seconds = kept(&self.seconds);
        for values in self.columns.values_mut() {
            *values = kept(values);
        }
    }

    /// Name for remarks.
    pub(crate) fn label(&self) -> String {
        self.path
            .file_name()
            .map_or_else(|| self.path.display().to_string(), |name| name.to_string_lossy().into_owned())
    }
}

/// Reads a file if it is of a known kind.
pub(crate) fn read_part(path: &Path) -> Result<Option<Part>, RecordingError> {
    let Some(text) = read_text(path)? else { return Ok(None) };
    parse(path, &text).map(|part| part.map(|part| Part { path: path.to_owned(), ..part }))
}

/// Reads a text if it is of a known kind.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Option<Part>, RecordingError> {
    let part = parse_kind(path, text)?;
    Ok(part.map(|mut part| {
        part.leave_gaps();
        part
    }))
}

/// A text that was quoted in a mail, without the marks before its lines; `None` if it was not.
fn unquoted(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty());
    let first = lines.next()?.starts_with('>');
    if !first || !lines.all(|line| line.starts_with('>')) {
        return None;
    }
    let plain = |line: &str| {
        let line = line.trim_start().trim_start_matches('>');
        format!("{}\n", line.strip_prefix(' ').unwrap_or(line))
    };
    Some(text.lines().map(plain).collect())
}

fn parse_kind(path: &Path, text: &str) -> Result<Option<Part>, RecordingError> {
    let plain = unquoted(text);
    let text = plain.as_deref().unwrap_or(text);
    let whole = pasted::in_json(text).or_else(|| as_rows(text));
    let text = whole.as_deref().unwrap_or(text);
    let whole = pasted::unfolded(text).or_else(|| pasted::with_head(text));
    let text = whole.as_deref().unwrap_or(text);
    let head = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(part) = page_ages::parse(path, head)? {
        return Ok(Some(part));
    }
    if let Some(part) = one_word(path, head.trim()) {
        return Ok(Some(part));
    }
    if is_fio(head) {
        return Ok(Some(Part { fio: true, ..Part::default() }));
    }
    if exposition::is_one(head) {
        return exposition::parse(path, head).map(Some);
    }
    if vmstat::is_one(head) {
        return Ok(Some(vmstat::parse(head)));
    }
    if mpstat::is_one(head) {
        return Ok(Some(mpstat::parse(head)));
    }
    if mysql_summary::is_one(head) {
        return Ok(Some(mysql_summary::parse(head)));
    }
    if let Some(part) = hammerdb::parse(head).or_else(|| benchmarks::parse(head)).or_else(|| reports::parse(head)) {
        return Ok(Some(part));
    }
    let slow_loops = page_cleaner_log::parse(head);
    if let Some(part) = slow_loops.as_ref().filter(|_| !head.contains("INNODB MONITOR OUTPUT")) {
        return Ok(Some(part.clone()));
    }
    if iostat::is_one(head) {
        return iostat::parse(path, head).map(Some);
    }
    if head.starts_with(['{', '[']) && !sysbench::is_log(head) {
        return prometheus::parse(path, head);
    }
    if sysbench::is_log(text) {
        return sysbench::parse(path, text).map(Some);
    }
    if let Some(part) = wide_csv::parse(path, head)? {
        return Ok(Some(part));
    }
    let mut part = samples::parse(path, text)?;
    part.slow_loops = slow_loops.map(|part| part.slow_loops).unwrap_or_default();
    if part.seconds.is_empty() && part.variables.is_empty() {
        if let Some(mext) = mext::parse(path, text)? {
            return Ok(Some(mext));
        }
        part.commands = sysbench::commands(text);
    }
    if part.seconds.is_empty() && part.variables.is_empty() && reports::is_error_log(head) {
        return Ok(Some(reports::error_log(head)));
    }
    let known = !part.seconds.is_empty()
        || !part.variables.is_empty()
        || !part.commands.is_empty()
        || part.table_bytes.is_some()
        || part.cpus.is_some()
        || part.rotational.is_some()
        || part.file_system.is_some()
        || part.cap.is_some();
    Ok(known.then_some(part))
}

/// What a file with a word alone says by its name, as `live/record` leaves it: a copy of `/sys/block/DISK/queue/rotational`, or
/// the type of the file system (`findmnt --output FSTYPE`).
fn one_word(path: &Path, word: &str) -> Option<Part> {
    match (path.file_name()?.to_str()?, word) {
        ("rotational", "0" | "1") => Some(Part { rotational: Some(word == "1"), ..Part::default() }),
        ("filesystem", _) if !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric()) => {
            Some(Part { file_system: Some(word.to_owned()), ..Part::default() })
        }
        _ => None,
    }
}

/// Whether a text is fio's JSON, which may stand between a banner, warnings and its report for people.
fn is_fio(text: &str) -> bool {
    text.find("\"fio version\"").is_some_and(|at| text[..at].contains('{'))
}

/// Whether a file that is of no known kind is sysbench's output without interval lines.
pub(crate) fn is_log_without_intervals(path: &Path) -> bool {
    read_text(path).ok().flatten().is_some_and(|text| {
        text.lines()
            .any(|line| line.starts_with("Running the test with following options") || line == "SQL statistics:")
    })
}

/// The text of a file, decompressed if need be; none if it holds no text.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, RecordingError> {
    let unreadable = |error: std::io::Error| {
        RecordingError::new(path, format!("can't be read: {error}"), "check that it is whole and its permissions")
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(unreadable)?;
    let compressed = head.starts_with(&[0x1f, 0x8b]);
    if !compressed && !is_utf16(&head) && head.contains(&0) {
        return Ok(None);
    }
    let whole = Cursor::new(head).chain(file);
    let mut bytes = Vec::new();
    if compressed {
        MultiGzDecoder::new(whole).take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    } else {
        whole.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        let help = "cut it into the minutes that matter";
        return Err(RecordingError::new(path, format!("is longer than {} MiB", MAX_BYTES >> 20), help));
    }
    if is_utf16(&bytes) {
        return Ok(Some(from_utf16(&bytes)));
    }
    // Statements and keys in SHOW ENGINE INNODB STATUS may be of any encoding, or of none.
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
