//! From what a person names to recordings.

use crate::lab::{SERIES, is_lab, read_lab};
use crate::{Recording, RecordingError};
use std::fs;
use std::path::{Path, PathBuf};

/// How deep below a folder recordings are looked for.
const MAX_DEPTH: u32 = 4;

/// The recordings at `path`: the folder of one, or a folder of many, by name.
pub fn find(path: &Path) -> Result<Vec<Recording>, RecordingError> {
    if !path.exists() {
        let help = "give the folder of a recording, or a folder of such folders";
        return Err(RecordingError::new(path, "there is no such file or folder", help));
    }
    let folder = if path.is_file() { path.parent().unwrap_or(path) } else { path };
    let mut folders = Vec::new();
    collect(folder, MAX_DEPTH, &mut folders)?;
    if folders.is_empty() {
        let help = format!("a recording is a folder that holds {SERIES} and run.json");
        return Err(RecordingError::new(path, "there is no recording here", help));
    }
    folders.sort();
    folders.iter().map(|folder| read_lab(folder)).collect()
}

fn collect(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) -> Result<(), RecordingError> {
    if is_lab(folder) {
        found.push(folder.to_owned());
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    let unreadable = |error: std::io::Error| {
        RecordingError::new(folder, format!("the folder can't be read: {error}"), "check its permissions")
    };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(&path, depth - 1, found)?;
        }
    }
    Ok(())
}
