//! A device from fio's output: `[device] fio = ["a.json", ...]`.
//!
//! fio's JSON (`--output-format=json` or `json+`) holds a closed loop's operations a second and latency percentiles at
//! one depth. Some such jobs together determine a device ([`fit`]); jobs that don't are refused with the jobs to run.
//! `docs/devices.md` states the method.

mod fit;
mod job;
mod profile;
mod throttle;

pub use job::{FioJob, FioLatency, JobKind, JobToRun};

use crate::diagnostic::{Diagnostics, Problem, Report};
use crate::node::{Data, Entry, Node, Table, parse};
use crate::source::{SourceMap, Span};
use crate::text_file::{read_text, stem};
use innosim_core::storage::DeviceSpec;
use std::path::{Path, PathBuf};

const WANTED: &str = "give the file that fio --output-format=json --output=FILE writes";

/// The jobs in files of fio's output.
pub fn read_fio_jobs(paths: &[PathBuf]) -> Result<Vec<FioJob>, Diagnostics> {
    let (mut sources, report) = (SourceMap::default(), Report::default());
    let jobs = read_jobs(paths, None, &mut sources, &report);
    report.finish(&sources).map(|_| jobs)
}

/// What files of fio's output hold.
#[derive(Debug, Clone, Default)]
pub struct FioEvidence {
    /// Jobs that are of use.
    pub good: Vec<FioJob>,
    /// Files and jobs that are not, with why.
    pub left_out: Vec<String>,
}

impl FioEvidence {
    /// Reads files; those that can't be read, and jobs that are of no use, are left out.
    pub fn read(paths: &[PathBuf]) -> FioEvidence {
        let (mut jobs, mut left_out) = (Vec::new(), Vec::new());
        for path in paths {
            match read_fio_jobs(std::slice::from_ref(path)) {
                Ok(more) => jobs.extend(more),
                Err(problems) => left_out.extend(problems.iter().map(|problem| {
                    let place = problem.place.is_some().then(|| format!("{}: ", stem(path)));
                    format!("{}{}", place.unwrap_or_default(), problem.message)
                })),
            }
        }
        let evidence = FioEvidence::from_jobs(jobs);
        left_out.extend(evidence.left_out);
        FioEvidence { left_out, ..evidence }
    }

    /// Leaves out the jobs that are of no use.
    pub fn from_jobs(jobs: Vec<FioJob>) -> FioEvidence {
        let (good, bad) = fit::select(jobs);
        FioEvidence { good, left_out: bad.into_iter().map(|problem| problem.message).collect() }
    }

    /// The jobs that a device needs besides the good ones.
    pub fn missing(&self) -> Vec<JobToRun> {
        fit::not_measured(&self.good)
    }
}

/// The device that jobs determine, as TOML, behind `cap`, which is written as in `[device]`: `{ write_iops = 3000 }`.
pub(crate) fn fitted_toml(jobs: &[FioJob], cap: Option<&str>, sources: &mut SourceMap) -> Result<String, Problem> {
    let toml = device_toml(jobs, cap.is_some())?;
    let Some(cap) = cap else { return Ok(toml) };
    // Above the lists of tables, which would swallow it.
    let cap_line = format!("cap = {cap}\n");
    let source = sources.add_argument("--cap", cap);
    if let Err(problems) = parse(source, &cap_line) {
        let why = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
        let help = "write it as in TOML: { write_iops = 3000, write_bytes_per_s = \"60MB\", slice = \"100ms\" }";
        let problem = Problem::new(format!("the cap is {why}")).at(Span::whole(source, cap.len()));
        return Err(problem.help(help));
    }
    Ok(profile::insert_before_tables(&toml, &cap_line))
}

/// The device that the jobs determine. A cap that is given beside them is the one meant, whatever they ran behind.
fn device_toml(jobs: &[FioJob], has_own_cap: bool) -> Result<String, Problem> {
    let spec = fit::fit(jobs)?;
    Ok(profile::to_toml(&DeviceSpec { cap: spec.cap.filter(|_| !has_own_cap), ..spec }, jobs))
}

/// Fits the device that a table's `fio` names and lays it under the table's other keys. `false` if none can be fitted.
pub(crate) fn lay_fio(device: &mut Table, path: &str, sources: &mut SourceMap, report: &Report) -> bool {
    let Some(entry) = device.remove("fio") else { return true };
    if let Some(profile) = device.remove("profile") {
        let problem = Problem::new(format!("`{path}` has both a profile and fio")).at(profile.key_at);
        report.add(problem.help("keep one of the two; single fields can be changed beside either"));
    }
    let files = files_of(&entry, path, report);
    let jobs = read_jobs(&files, Some(entry.node.at), sources, report);
    let own_cap = device.entry("cap").is_some();
    let laid = if report.has_errors() { None } else { fitted(&jobs, own_cap, &entry, sources, report) };
    let Some(mut laid) = laid else { return false };
    laid.lay(std::mem::replace(device, Table::empty(device.at)));
    *device = laid;
    true
}

fn fitted(jobs: &[FioJob], own_cap: bool, entry: &Entry, sources: &mut SourceMap, report: &Report) -> Option<Table> {
    let toml = device_toml(jobs, own_cap).map_err(|problem| report.add(problem.at(entry.node.at))).ok()?;
    let source = sources.add_file("device from fio", &toml);
    parse(source, &toml).ok()
}

fn files_of(entry: &Entry, path: &str, report: &Report) -> Vec<PathBuf> {
    let single = [entry.node.clone()];
    let items: &[Node] = match &entry.node.data {
        Data::List(items) => items,
        _ => &single,
    };
    let mut files = Vec::new();
    for item in items {
        match &item.data {
            Data::Text(file) => files.push(PathBuf::from(file)),
            _ => {
                let problem = Problem::new(format!("`{path}.fio` holds {}", item.describe())).at(item.at);
                report
                    .add(problem.allowed("a list of paths, such as [\"randwrite-qd1.json\", \"randwrite-qd16.json\"]"));
            }
        }
    }
    if items.is_empty() {
        let problem = Problem::new(format!("`{path}.fio` is empty")).at(entry.node.at);
        report.add(problem.help("name the files of fio's output"));
    }
    files
}

fn read_jobs(files: &[PathBuf], place: Option<Span>, sources: &mut SourceMap, report: &Report) -> Vec<FioJob> {
    let mut jobs = Vec::new();
    for file in files {
        match read_text(file, WANTED) {
            Ok(text) => {
                let source = sources.add_file(&file.display().to_string(), &text);
                jobs.extend(job::parse_jobs(source, &stem(file), &text, report));
            }
            Err(problem) => report.add(Problem { at: place, ..problem }),
        }
    }
    jobs
}

/// Writes a list of paths of a layer relative to its folder.
pub(crate) fn anchor(device: &mut Table, folder: Option<&Path>) {
    let Some(folder) = folder else { return };
    let Some(mut entry) = device.remove("fio") else { return };
    let join = |node: &mut Node| {
        if let Data::Text(path) = &mut node.data {
            *path = folder.join(path.as_str()).display().to_string();
        }
    };
    match &mut entry.node.data {
        Data::List(items) => items.iter_mut().for_each(join),
        _ => join(&mut entry.node),
    }
    device.entries.push(entry);
}

/// What a fuzzer calls.
#[doc(hidden)]
pub fn fuzz_fio(text: &str) -> usize {
    let (mut sources, report) = (SourceMap::default(), Report::default());
    let source = sources.add_file("fio.json", text);
    let jobs = job::parse_jobs(source, "fio", text, &report);
    let fitted = fit::fit(&jobs);
    if let Ok(spec) = &fitted {
        assert_eq!(spec.validate(), Ok(()));
    }
    jobs.len() + report.finish(&sources).map_or_else(|errors| errors.to_string().len(), |notes| notes.len())
}
