//! What lies in a folder: each file by what is read from it.

use crate::RecordingError;
use crate::find::entries;
use crate::formats::{Part, read_part, read_text};
use crate::lab::is_of_lab;
use innosim_scenario::as_option_file;
use std::path::{Path, PathBuf};

/// How deep below the folder is looked.
const MAX_DEPTH: u32 = 2;
/// Most files that are looked at.
const MOST_FILES: usize = 2000;
/// Endings of option files.
const OPTION_FILES: [&str; 2] = ["cnf", "ini"];

/// What a file is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Samples over time: of a server's counters, or of a load generator.
    Samples,
    /// Something that stands beside samples: settings, a device, page ages.
    Beside,
    /// An option file of a server.
    Options,
    /// It is of a kind that is read, and broken.
    Broken,
    /// It is of no kind that is read.
    Other,
}

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Its path within the folder.
    pub path: PathBuf,
    /// What it is good for.
    pub kind: FileKind,
    /// What it holds, in words.
    pub holds: String,
}

/// The files in `folder`, by name, each with what it holds. A file that is broken is said to be.
///
/// # Errors
/// [`RecordingError`] if the folder can't be read.
pub fn inventory(folder: &Path) -> Result<Vec<FoundFile>, RecordingError> {
    let mut found = Vec::new();
    look(folder, folder, MAX_DEPTH, &mut found)?;
    Ok(found)
}

fn look(root: &Path, folder: &Path, depth: u32, found: &mut Vec<FoundFile>) -> Result<(), RecordingError> {
    for path in entries(folder)? {
        if found.len() >= MOST_FILES {
            return Ok(());
        }
        if path.is_dir() {
            if depth > 0 {
                look(root, &path, depth - 1, found)?;
            }
            continue;
        }
        let (kind, holds) = kind_of(&path);
        found.push(FoundFile { path: path.strip_prefix(root).unwrap_or(&path).to_owned(), kind, holds });
    }
    Ok(())
}

/// What one file holds.
pub fn look_at(path: &Path) -> FoundFile {
    let (kind, holds) = kind_of(path);
    FoundFile { path: path.to_owned(), kind, holds }
}

fn kind_of(path: &Path) -> (FileKind, String) {
    let ends_so = |ending: &std::ffi::OsStr| OPTION_FILES.iter().any(|known| ending.eq_ignore_ascii_case(known));
    if path.extension().is_some_and(ends_so) {
        return (FileKind::Options, "option file".to_owned());
    }
    match read_part(path) {
        Ok(None) if has_option_group(path) => (FileKind::Options, "option file".to_owned()),
        _ if is_of_lab(path) => (FileKind::Samples, "innosim's own recorder".to_owned()),
        Ok(Some(part)) if part.is_series() => (FileKind::Samples, described(&part)),
        Ok(Some(part)) => (FileKind::Beside, described(&part)),
        Ok(None) => (FileKind::Other, "of no kind that is read".to_owned()),
        Err(error) => (FileKind::Broken, format!("broken: {}", error.problem)),
    }
}

/// Whether a text has options of a server, in a group or as other programs hold them, whatever its name.
fn has_option_group(path: &Path) -> bool {
    let text = read_text(path).ok().flatten().unwrap_or_default();
    text.lines()
        .any(|line| line.trim().starts_with("[mysqld") || line.trim() == "[mariadb]" || line.trim() == "[server]")
        || as_option_file(&text).is_some()
}

/// What a part holds, in words.
fn described(part: &Part) -> String {
    let mut words = Vec::new();
    if part.columns.is_empty() && part.disk.is_none() && !part.remarks.is_empty() && !part.is_series() {
        // Of a known kind, and nothing in it is of use: the remark says why.
        return part.remarks.join("; ");
    }
    let has = |beginning: &str| part.columns.keys().any(|name| name.starts_with(beginning));
    if !part.seconds.is_empty() && !part.is_of_the_machine() {
        let kinds = [
            (part.columns.keys().any(|name| name.starts_with(|c: char| c.is_ascii_uppercase())), "SHOW GLOBAL STATUS"),
            (has("log."), "SHOW ENGINE INNODB STATUS"),
            (has("m."), "INNODB_METRICS"),
            (has("cpu."), "/proc/stat"),
        ];
        let kinds: Vec<&str> = kinds.into_iter().filter(|(there, _)| *there).map(|(_, name)| name).collect();
        let kinds = if kinds.is_empty() { "counters".to_owned() } else { kinds.join(", ") };
        words.push(format!("{} samples of {kinds}", part.seconds.len()));
    }
    if !part.variables.is_empty() {
        words.push(format!("{} variables", part.variables.len()));
    }
    if !part.loads.is_empty() {
        words.push(format!("{}'s log", part.loads[0].program.name()));
    }
    if let Some(disk) = &part.disk {
        words.push(format!("{} reports of iostat on {}", disk.reports.len(), disk.name));
    }
    if let Some(program) = part.shares_of_processors {
        words.push(format!("{} reports of {program}", part.seconds.len()));
    }
    if !part.slow_loops.is_empty() {
        words.push(format!("error log, {} messages about slow page cleaning", part.slow_loops.len()));
    }
    if part.fio {
        words.push("fio's output".to_owned());
    }
    if part.page_ages.is_some() {
        words.push("ages of pages".to_owned());
    }
    if part.table_bytes.is_some() {
        words.push("sizes of tables".to_owned());
    }
    if part.cpus.is_some() {
        words.push("number of processors".to_owned());
    }
    if part.rotational.is_some() {
        words.push("what the disk says of itself".to_owned());
    }
    if part.file_system.is_some() {
        words.push("file system".to_owned());
    }
    if part.cap.is_some() {
        words.push("caps of the control group".to_owned());
    }
    if words.is_empty() { "sysbench's command line".to_owned() } else { words.join(", ") }
}
