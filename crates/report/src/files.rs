//! Files that are whole or not there: written beside their place under a temporary name, then renamed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Why a result could not be written or drawn.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file could not be written.
    #[error("can't write {}: {source}", path.display())]
    Io {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A row could not be put into CSV.
    #[error("can't put the series into CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// A summary could not be put into JSON.
    #[error("can't put the summary into JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A table could not be put into Parquet.
    #[cfg(feature = "parquet")]
    #[error("can't put the runs into Parquet: {0}")]
    Parquet(String),
    /// A picture could not be drawn.
    #[error("can't draw the dashboard: {0}")]
    Drawing(String),
}

/// Writes `contents` to `path`, so that a reader sees the old file or the new one, never a part.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<(), ReportError> {
    let mut name = path.file_name().map_or_else(|| OsString::from("result"), OsString::from);
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::write(&temporary, contents).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        // Nothing to do if it can't be removed: it may never have come to be.
        let _ = fs::remove_file(&temporary);
        ReportError::Io { path: path.to_owned(), source }
    })
}

/// Writes a JSON document to `path`, as [`write_file`] does.
pub fn write_json(path: &Path, document: &serde_json::Value) -> Result<(), ReportError> {
    write_file(path, (serde_json::to_string_pretty(document)? + "\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.csv");
        write_file(&path, b"one").unwrap();
        write_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_error_names_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("no such folder").join("series.csv");
        let message = write_file(&path, b"one").unwrap_err().to_string();
        assert!(message.contains("no such folder") && message.contains("series.csv"), "{message}");
    }
}
