//! Recoveries of a real server, as `live/recovery` measured them, beside innosim's estimate for the same redo and pages.
//!
//! ```text
//! cargo run --release -p innosim-experiments --example recovery_time -- FOLDER
//! ```
//!
//! FOLDER is what `live/recovery` left: `recovery.txt`, a line a recovery, and fio's jobs on the same disk. Processor time is
//! estimated by the same constants, with a device that takes no time and a single thread, which adds it all up.

use innosim_core::metrics::RecoverySpeed;
use innosim_core::storage::{DeviceSpec, StorageSpec};
use innosim_scenario::{device_of, read_fio_jobs};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A recovery, as measured.
struct Measured<'a> {
    load: &'a str,
    redo_bytes: u64,
    records: u64,
    pages: u64,
    /// Up to the first answer, less those of a start with nothing to recover.
    seconds: f64,
    processor_s: f64,
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: recovery_time FOLDER");
        return ExitCode::from(2);
    };
    match table(Path::new(&folder)) {
        Ok(table) => {
            print!("{table}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn table(folder: &Path) -> Result<String, String> {
    let device = read_fio_jobs(&files_in(&folder.join("fio"))?).and_then(|jobs| device_of(&jobs, None));
    let device = device.map_err(|error| error.to_string())?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let disk = RecoverySpeed::of(&StorageSpec { data: device.spec, redo: None }, cores);
    let processor = RecoverySpeed::of(&StorageSpec { data: DeviceSpec::instant("none"), redo: None }, 1);
    let path = folder.join("recovery.txt");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut table = format!(
        "{:<8} {:>8} {:>8} {:>8}  {:>21}  {:>21}\n",
        "load", "redo MB", "records", "pages", "processor s", "seconds"
    );
    for (line, number) in text.lines().zip(1..) {
        let m = parse(line).ok_or_else(|| format!("{}: line {number} is no recovery: {line}", path.display()))?;
        let estimate = |speed: RecoverySpeed| {
            speed.with_records(m.records, m.redo_bytes).seconds(m.redo_bytes as f64, m.pages as f64)
        };
        let beside = |measured: f64, estimate: f64| {
            format!("{measured:>6.2} {estimate:>6.2} {:>+5.0} %", (estimate / measured - 1.0) * 100.0)
        };
        let (seconds, processor_s) = (beside(m.seconds, estimate(disk)), beside(m.processor_s, estimate(processor)));
        let redo_mb = m.redo_bytes as f64 / 1e6;
        table += &format!(
            "{:<8} {redo_mb:>8.0} {:>8} {:>8}  {processor_s:>21}  {seconds:>21}\n",
            m.load, m.records, m.pages
        );
    }
    Ok(table)
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let files = std::fs::read_dir(folder).and_then(|entries| entries.map(|entry| entry.map(|e| e.path())).collect());
    let mut files: Vec<PathBuf> = files.map_err(|error| format!("{}: {error}", folder.display()))?;
    files.sort();
    Ok(files)
}

fn parse(line: &str) -> Option<Measured<'_>> {
    let mut fields = line.split_whitespace();
    let load = fields.next()?;
    let mut whole = || fields.next()?.parse().ok();
    let (redo_bytes, records, pages) = (whole()?, whole()?, whole()?);
    let mut real = || fields.next()?.parse().ok();
    Some(Measured { load, redo_bytes, records, pages, seconds: real()?, processor_s: real()? })
}
