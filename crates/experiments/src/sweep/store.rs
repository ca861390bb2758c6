//! The folder of a sweep: what was planned, and a journal of finished runs that survives anything.
//!
//! `runs.jsonl` holds a line for each finished run: a checksum, a blank, the run as JSON. Lines are appended whole and
//! brought to the disk one by one. A process that dies while it writes leaves a torn last line; the next one cuts it
//! off. A line whose checksum doesn't fit is skipped, and its run made again.
//!
//! When a sweep is done, the journal is written anew in the order of the plan, so that it holds the same bytes however
//! the runs came to be; runs of other plans follow, in the order of their identities.

use super::SweepError;
use super::plan::{Plan, RunId};
use super::record::Record;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const JOURNAL: &str = "runs.jsonl";
/// Name of the note that says who works in the folder, before the number of its process.
const NOTE: &str = "working";
const PLAN: &str = "sweep.json";
/// Digits of a line's checksum.
const CHECKSUM: usize = 16;
const ROOM: &str = "make room or give another folder; the same command continues where it stopped";

/// Finished runs by identity.
type Runs = BTreeMap<RunId, Record>;

/// A folder that is open for a sweep. Nobody else writes to it meanwhile.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    journal: Mutex<File>,
    /// Held until the sweep is over; the system lets go of it whatever happens to the process.
    _lock: Option<Lock>,
}

/// The lock on a folder, with a note in it for those who find it taken.
#[derive(Debug)]
struct Lock {
    _folder: File,
    note: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // It may never have been written; one that stays is removed by the next sweep here.
        let _ = fs::remove_file(&self.note);
    }
}

/// What was found in a folder.
#[derive(Debug, Default)]
pub struct Opened {
    /// Finished runs, of this and of other plans.
    pub runs: Runs,
    /// Lines that had to be skipped.
    pub damaged: usize,
}

impl Store {
    /// Opens the folder `dir`, which must be there, and reads its journal.
    ///
    /// # Errors
    /// [`SweepError`] if it can't be read or written, or if another process works in it.
    pub fn open(dir: &Path) -> Result<(Store, Opened), SweepError> {
        let lock = lock(dir)?;
        remove_leftovers(dir);
        if let Some(lock) = &lock {
            // Without the note others still find the folder taken.
            let _ = fs::write(&lock.note, note_text());
        }
        let path = dir.join(JOURNAL);
        let failed = |source| io_error("write", &path, source);
        let bytes = read_if_there(&path).map_err(|source| io_error("read", &path, source))?;
        let (opened, whole) = read_journal(&bytes);
        let journal = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        sync_folder_of(&path).map_err(failed)?;
        if whole < bytes.len() {
            journal.set_len(whole as u64).map_err(failed)?;
        }
        let store = Store { dir: dir.to_path_buf(), journal: Mutex::new(journal), _lock: lock };
        Ok((store, opened))
    }

    /// The plan of the sweep that worked here last.
    ///
    /// # Errors
    /// [`SweepError`] if there is something else in its place.
    pub fn earlier(&self) -> Result<Option<Plan>, SweepError> {
        read_plan(&self.dir.join(PLAN), "give another folder")
    }

    /// Saves what is planned.
    ///
    /// # Errors
    /// [`SweepError`] if it can't be written.
    pub fn save_plan(&self, plan: &Plan) -> Result<(), SweepError> {
        let path = self.dir.join(PLAN);
        let text = serde_json::to_string_pretty(plan).map_err(|e| io_error("write", &path, e.into()))?;
        replace(&path, (text + "\n").as_bytes())
    }

    /// Saves a finished run: when this returns, it is on the disk.
    ///
    /// # Errors
    /// [`SweepError`] if it can't be written; what was saved before stays.
    pub fn append(&self, record: &Record) -> Result<(), SweepError> {
        let path = self.dir.join(JOURNAL);
        let line = line(record).map_err(|e| io_error("write", &path, e.into()))?;
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let before = journal.metadata().map(|data| data.len());
        journal.write_all(line.as_bytes()).and_then(|()| journal.sync_data()).map_err(|source| {
            // A part of a line must not stand before the next one.
            if let Ok(before) = before {
                let _ = journal.set_len(before);
            }
            io_error("write", &path, source)
        })
    }

    /// Writes the journal anew, `first` in its order and then all others of `runs`.
    ///
    /// # Errors
    /// [`SweepError`] if it can't be written; the old one stays.
    pub fn settle(&self, first: &[RunId], runs: &Runs) -> Result<(), SweepError> {
        let path = self.dir.join(JOURNAL);
        let listed: std::collections::BTreeSet<&RunId> = first.iter().collect();
        let others = runs.iter().filter(|(id, _)| !listed.contains(id)).map(|(_, record)| record);
        let mut text = String::new();
        for record in first.iter().filter_map(|id| runs.get(id)).chain(others) {
            text.push_str(&line(record).map_err(|e| io_error("write", &path, e.into()))?);
        }
        replace(&path, text.as_bytes())
    }
}

/// Plan and finished runs of a folder that some sweep left.
///
/// # Errors
/// [`SweepError`] if it is not such a folder.
pub fn read_folder(dir: &Path) -> Result<(Plan, Opened), SweepError> {
    let path = dir.join(PLAN);
    let help = "give folders that `innosim sweep --out` left";
    if !dir.is_dir() {
        let what = if dir.exists() { "is a file, not a folder" } else { "is not there" };
        return Err(SweepError::usage(format!("{} {what}", dir.display()), help));
    }
    let plan = read_plan(&path, help)?.ok_or_else(|| {
        SweepError::usage(format!("{} holds no sweep: there is no {PLAN} in it", dir.display()), help)
    })?;
    let journal = dir.join(JOURNAL);
    let bytes = read_if_there(&journal).map_err(|source| io_error("read", &journal, source))?;
    Ok((plan, read_journal(&bytes).0))
}

/// The plan that a sweep left, if there is one.
fn read_plan(path: &Path, help: &str) -> Result<Option<Plan>, SweepError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(SweepError::Io { what: "read", path: path.to_path_buf(), source, help: help.to_owned() });
        }
    };
    let plan: Plan = serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("{} is not the plan of a sweep: {error}", path.display());
        SweepError::usage(message, "was it left by another version of innosim?")
    })?;
    if !plan.is_readable() {
        let message = format!("{} has the layout of another version of innosim", path.display());
        return Err(SweepError::usage(message, format!("read it with innosim {}", plan.innosim_version)));
    }
    Ok(Some(plan))
}

/// Locks the folder, where the system can.
fn lock(dir: &Path) -> Result<Option<Lock>, SweepError> {
    let Ok(folder) = File::open(dir) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => {
            let note = dir.join(format!("{NOTE}.{}.tmp", std::process::id()));
            Ok(Some(Lock { _folder: folder, note }))
        }
        Err(TryLockError::WouldBlock) => Err(SweepError::usage(
            format!("another innosim works in {}{}", dir.display(), holder(dir)),
            "wait for it, or give each shard a folder of its own and join them with `innosim merge`",
        )),
        // Some network file systems have no locks.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// What the note says: the process, its host, where the system tells it (folders may be shared), and its command.
fn note_text() -> String {
    let command: Vec<String> = std::env::args_os().map(|part| part.to_string_lossy().into_owned()).collect();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let on = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
    format!("process {}{on}: {}", std::process::id(), command.join(" "))
}

/// Who works in a folder, as its note says; nothing if there is none.
fn holder(dir: &Path) -> String {
    let is_note = |name: &str| name.starts_with(NOTE) && name.ends_with(".tmp");
    let mut entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let note = entries.find(|entry| entry.file_name().to_str().is_some_and(is_note));
    let text = note.and_then(|entry| fs::read_to_string(entry.path()).ok()).unwrap_or_default();
    // A note is one line of our own; whatever else is there is not printed at length.
    let text: String = text.chars().filter(|c| !c.is_control()).take(300).collect();
    if text.is_empty() { text } else { format!(" ({text})") }
}

/// Removes temporary files and folders of processes that were killed: `NAME.PID.tmp`.
fn remove_leftovers(dir: &Path) {
    let is_leftover = |name: &str| {
        let number = name.strip_suffix(".tmp").and_then(|rest| rest.rsplit_once('.')).map(|(_, number)| number);
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_leftover) {
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
}

fn checksum(json: &str) -> String {
    blake3::hash(json.as_bytes()).to_hex()[..CHECKSUM].to_owned()
}

fn line(record: &Record) -> serde_json::Result<String> {
    let json = serde_json::to_string(record)?;
    Ok(format!("{} {json}\n", checksum(&json)))
}

/// Reads the lines, and how many bytes up to the last whole line.
fn read_journal(bytes: &[u8]) -> (Opened, usize) {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut opened = Opened::default();
    for line in bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match read_line(line) {
            Some(record) => {
                opened.runs.insert(record.id.clone(), record);
            }
            None => opened.damaged += 1,
        }
    }
    (opened, whole)
}

fn read_line(line: &[u8]) -> Option<Record> {
    let (sum, json) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    if sum == checksum(json) { serde_json::from_str(json).ok() } else { None }
}

fn read_if_there(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// Brings names of a folder to the disk: of a file that was made or renamed its own sync says nothing. Only Unix opens
/// folders as files; elsewhere the file system is trusted.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Writes beside the place and renames, so that a reader sees the old file or the new one.
fn replace(path: &Path, contents: &[u8]) -> Result<(), SweepError> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(contents).and_then(|()| file.sync_data()))
        .and_then(|()| fs::rename(&temporary, path))
        .and_then(|()| sync_folder_of(path));
    written.map_err(|source| {
        let _ = fs::remove_file(&temporary);
        io_error("write", path, source)
    })
}

fn io_error(what: &'static str, path: &Path, source: io::Error) -> SweepError {
    SweepError::Io { what, path: path.to_path_buf(), source, help: ROOM.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{MadeAs, ThinSeries};
    use innosim_core::metrics::Summary;

    fn record(id: &str) -> Record {
        Record {
            id: RunId(id.to_owned()),
            early: None,
            begun_warm: None,
            made_as: MadeAs::Exact,
            warmup_s: 0,
            warmup_converged: true,
            summary: Summary::default(),
            batches: None,
            series: ThinSeries::default(),
        }
    }

    fn ids(opened: &Opened) -> Vec<&str> {
        opened.runs.keys().map(|id| id.0.as_str()).collect()
    }

    #[test]
    fn a_torn_line_is_cut_off_and_a_damaged_one_skipped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(JOURNAL);
        {
            let (store, _) = Store::open(dir.path()).unwrap();
            ["a", "b", "c"].iter().for_each(|id| store.append(&record(id)).unwrap());
        }
        let whole = fs::read(&path).unwrap();
        let line = whole.len() / 3;
        for cut in [2 * line, 2 * line + 1, 3 * line - 1] {
            fs::write(&path, &whole[..cut]).unwrap();
            let (store, opened) = Store::open(dir.path()).unwrap();
            assert_eq!((ids(&opened), opened.damaged), (vec!["a", "b"], 0));
            store.append(&record("d")).unwrap();
            drop(store);
            assert_eq!(ids(&Store::open(dir.path()).unwrap().1), ["a", "b", "d"]);
        }
        let mut damaged = whole.clone();
        damaged[line + 40] ^= 1;
        fs::write(&path, damaged).unwrap();
        let (_, opened) = Store::open(dir.path()).unwrap();
        assert_eq!((ids(&opened), opened.damaged), (vec!["a", "c"], 1));
    }

    #[test]
    fn a_folder_that_is_taken_says_by_whom() {
        let dir = tempfile::tempdir().unwrap();
        let held = Store::open(dir.path()).unwrap();
        let refused = Store::open(dir.path()).unwrap_err().to_string();
        assert!(refused.contains("another innosim works in"), "{refused}");
        assert!(refused.contains(&format!("(process {}", std::process::id())), "{refused}");
        drop(held);
        assert!(
            fs::read_dir(dir.path()).unwrap().all(|entry| entry.unwrap().path().extension() != Some("tmp".as_ref()))
        );
        Store::open(dir.path()).unwrap();
    }

    #[test]
    fn settled_journals_are_the_same_bytes_in_any_order() {
        let journal_of = |order: &[&str]| {
            let dir = tempfile::tempdir().unwrap();
            let (store, _) = Store::open(dir.path()).unwrap();
            order.iter().for_each(|id| store.append(&record(id)).unwrap());
            drop(store);
            let (store, opened) = Store::open(dir.path()).unwrap();
            store.settle(&["b", "a"].map(|id| RunId(id.to_owned())), &opened.runs).unwrap();
            fs::read_to_string(dir.path().join(JOURNAL)).unwrap()
        };
        let journal = journal_of(&["a", "x", "b", "y"]);
        assert_eq!(journal, journal_of(&["y", "b", "a", "x"]));
        let order: Vec<char> = journal.lines().filter_map(|l| l.split_once("\"id\":\"")?.1.chars().next()).collect();
        assert_eq!(order, ['b', 'a', 'x', 'y']);
    }

    #[test]
    fn one_process_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let (_held, _) = Store::open(dir.path()).unwrap();
        let error = Store::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains("another innosim"), "{error}");
    }
}
