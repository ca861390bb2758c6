//! Which files of a folder hold pages.
//!
//! Links are not followed: one may lead out of the folder or back into it. Tablespaces elsewhere (`*.isl`) are named.

use crate::RecordingError;
use std::fs;
use std::path::{Path, PathBuf};

/// How deep below the data directory files are looked for: a folder a database.
const MAX_DEPTH: u32 = 2;

/// What a data file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A part of the system tablespace.
    System,
    /// A tablespace of its own.
    Own,
}

/// A file that holds pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DataFile {
    pub(super) path: PathBuf,
    pub(super) role: Role,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) files: Vec<DataFile>,
    pub(super) remarks: Vec<String>,
    /// Whether there are files of a packed backup.
    pub(super) packed: bool,
    links: u64,
    elsewhere: u64,
}

/// The data files below `root`, the system tablespace first and in order.
pub(super) fn data_files(root: &Path) -> Result<Walked, RecordingError> {
    let mut walked = Walked::default();
    walked.folder(root, MAX_DEPTH)?;
    walked.files.sort_by(|a, b| {
        let key = |file: &DataFile| (file.role != Role::System, number_in(&file.path), file.path.clone());
        key(a).cmp(&key(b))
    });
    if walked.links > 0 {
        walked.remarks.push(format!("links are not followed: {} left out", walked.links));
    }
    if walked.elsewhere > 0 {
        let count = walked.elsewhere;
        walked.remarks.push(format!("{count} tablespaces lie elsewhere (*.isl) and are left out"));
    }
    if walked.packed && !walked.files.is_empty() {
        walked.remarks.push("some files are packed, or pieces of an incremental backup, and are left out".to_owned());
    }
    Ok(walked)
}

impl Walked {
    fn folder(&mut self, folder: &Path, depth: u32) -> Result<(), RecordingError> {
        let unreadable = |error: std::io::Error| {
            RecordingError::new(folder, format!("the folder can't be read: {error}"), "check its permissions")
        };
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            entries.push(entry.map_err(unreadable)?);
        }
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_symlink() {
                self.links += u64::from(role_of(&name).is_some() || path.is_dir());
            } else if kind.is_dir() {
                // Temporary tablespaces, redo logs.
                if depth > 0 && !name.starts_with("#innodb") {
                    match self.folder(&path, depth - 1) {
                        Err(error) if depth < MAX_DEPTH => self.remarks.push(error.to_string()),
                        other => other?,
                    }
                }
            } else if kind.is_file() {
                self.file(path, &name);
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, name: &str) {
        if let Some(role) = role_of(name) {
            self.files.push(DataFile { path, role });
        } else if name.ends_with(".isl") {
            self.elsewhere += 1;
        } else {
            let packed = [".qp", ".zst", ".lz4", ".gz", ".xbstream", ".xbcrypt", ".delta", ".mbstream"];
            let of_pages = name.contains(".ibd") || name.contains("ibdata") || name.contains("stream");
            self.packed |= of_pages && packed.iter().any(|ending| name.ends_with(ending));
        }
    }
}

/// What a file of this name is, if it holds pages that last.
fn role_of(name: &str) -> Option<Role> {
    let digits = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit());
    if name.strip_prefix("ibdata").is_some_and(digits) {
        return Some(Role::System);
    }
    let undo = ["undo_", "undo"].iter().any(|prefix| name.strip_prefix(prefix).is_some_and(digits));
    // `#sql-ib...ibd` are tables of a statement that failed.
    let table = name.ends_with(".ibd") && !name.starts_with("#sql");
    (undo || table || name.ends_with(".ibu")).then_some(Role::Own)
}

/// The number at the end of a name: `ibdata10` comes after `ibdata9`.
fn number_in(path: &Path) -> u64 {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_holds_pages() {
        assert_eq!(role_of("ibdata1"), Some(Role::System));
        for name in ["t.ibd", "t#p#p0.ibd", "undo_001", "undo002", "more.ibu", "mysql.ibd"] {
            assert_eq!(role_of(name), Some(Role::Own), "{name}");
        }
        for name in ["ibtmp1", "ib_logfile0", "#ib_16384_0.dblwr", "ibdata", "t.ibd.qp", "undo_x", "#sql-ib1-2.ibd"] {
            assert_eq!(role_of(name), None, "{name}");
        }
        assert!(number_in(Path::new("ibdata10")) > number_in(Path::new("ibdata9")));
    }
}
