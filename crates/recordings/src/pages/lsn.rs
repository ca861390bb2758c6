//! The log sequence number that ages are counted back from.
//!
//! It is told, or what a backup notes, or the last checkpoint in the redo log or the newest page, whichever is later.
//! After a clean shutdown the checkpoint is the end of the log. Where the newest page is later than the checkpoint, the
//! server was killed, or the files are a snapshot: pages that were dirty in memory are as old as their last write.
//!
//! Redo logs: up to 8.0.29, and MariaDB up to 10.7, `ib_logfile0` has its checkpoints in blocks of 512 bytes, at 512 and
//! 1536, their LSN at 8; from 8.0.30 the files `#innodb_redo/#ib_redo*` have the same; from 10.8 `ib_logfile0` of MariaDB
//! has them at 4096 and 8192, their LSN at 0.

use super::header::array_at;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where a redo log of MySQL has its checkpoints' numbers.
const OF_MYSQL: [usize; 2] = [512 + 8, 1536 + 8];
/// Where a redo log of MariaDB 10.8 has them.
const OF_MARIADB: [usize; 2] = [4096, 8192];
/// How that begins: "Phys".
const MARIADB_FORMAT: [u8; 4] = *b"Phys";
/// Bytes of a redo file that hold them.
const HEAD_BYTES: u64 = 8192 + 16;
/// What backups note, best first.
const OF_BACKUPS: [&str; 3] = ["xtrabackup_checkpoints", "mariadb_backup_checkpoints", "xtrabackup_info"];
/// Their lines, best first.
const NOTED: [&str; 3] = ["last_lsn", "to_lsn", "innodb_to_lsn"];
/// A checkpoint further behind the newest page than this is no rounding.
const BEHIND: u64 = 4096;

/// A log sequence number.
#[derive(Debug)]
pub(super) struct Now {
    pub(super) lsn: u64,
    pub(super) known: bool,
    pub(super) from: String,
    pub(super) remarks: Vec<String>,
}

/// The log sequence number of a data directory whose newest page is at `newest`.
pub(super) fn now(root: &Path, told: Option<u64>, newest: u64) -> Now {
    let mut remarks = Vec::new();
    if let Some(lsn) = told {
        if lsn < newest {
            remarks.push(format!("a page is newer ({newest}) than the log sequence number that was given ({lsn})"));
        }
        return Now { lsn, known: true, from: "as given".to_owned(), remarks };
    }
    if let Some((lsn, name)) = OF_BACKUPS.iter().find_map(|name| Some((noted(&root.join(name))?, *name)))
        && lsn >= newest
    {
        return Now { lsn, known: true, from: name.to_owned(), remarks };
    }
    let Some((checkpoint, file)) = checkpoint(root) else {
        let why = "the newest page's, as there is no redo log and no note of a backup".to_owned();
        return Now { lsn: newest, known: false, from: why, remarks };
    };
    if checkpoint >= newest {
        return Now { lsn: checkpoint, known: true, from: format!("the last checkpoint, in {file}"), remarks };
    }
    if newest - checkpoint > BEHIND {
        remarks.push(format!(
            "the last checkpoint is {} bytes of redo behind the newest page: the server was killed, or this is a snapshot. \
             Pages that were dirty in memory look as old as their last write, so ages below that are too few",
            newest - checkpoint
        ));
    }
    Now { lsn: newest, known: false, from: format!("the newest page's, later than the checkpoint in {file}"), remarks }
}

/// The number in a backup's note.
fn noted(path: &Path) -> Option<u64> {
    let mut text = String::new();
    File::open(path).ok()?.take(64 << 10).read_to_string(&mut text).ok()?;
    let line = |name: &str| {
        let of = |line: &str| line.split_once('=').filter(|(key, _)| key.trim() == name)?.1.trim().parse().ok();
        text.lines().find_map(of)
    };
    NOTED.iter().find_map(|name| line(name)).filter(|lsn| *lsn > 0)
}

/// The latest checkpoint in the redo log, and the file that it is in.
fn checkpoint(root: &Path) -> Option<(u64, String)> {
    let mut files: Vec<PathBuf> = vec![root.join("ib_logfile0"), root.join("ib_logfile1")];
    let redo = std::fs::read_dir(root.join("#innodb_redo")).into_iter().flatten().flatten();
    files.extend(redo.map(|entry| entry.path()).filter(|path| path.is_file()));
    files.sort();
    let of = |path: &PathBuf| {
        let lsn = latest(path).filter(|lsn| *lsn > 0)?;
        Some((lsn, path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()))
    };
    files.iter().filter_map(of).max()
}

/// The latest checkpoint in a redo file.
fn latest(path: &Path) -> Option<u64> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let places = if head.starts_with(&MARIADB_FORMAT) { OF_MARIADB } else { OF_MYSQL };
    places.iter().map(|at| u64::from_be_bytes(array_at(&head, *at))).filter(|lsn| *lsn < 1 << 60).max()
}
