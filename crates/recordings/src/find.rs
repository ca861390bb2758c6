//! From what a person names to recordings.
//!
//! | path | recordings |
//! |---|---|
//! | folder with `series.csv.gz` and `run.json`, or one of the two | one, in the layout of our own recorder |
//! | a file of samples, or sysbench's log | one, of that file alone |
//! | folder with such files | one, of all its files (and those in a folder `fio`); with files of several runs of pt-stalk, one a run |
//! | folder with several logs of a load generator and no clock | one a log: runs of one server, one after the other |
//! | folder of such folders | all of them, by name |
//!
//! The two files of our own recorder may be packed or not, and may have other names.

use crate::align::pt_stalk_prefix;
use crate::assemble::assemble;
use crate::formats::{Part, READABLE, is_log_without_intervals, read_part};
use crate::lab::{complement, is_beside, is_lab, is_of_lab, name_of, read_lab};
use crate::ladder;
use crate::{Recording, RecordingError};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// How deep below a folder recordings are looked for.
const MAX_DEPTH: u32 = 4;
/// Subfolder of a recording for output of fio.
const FIO: &str = "fio";

/// The recordings at `path`.
pub fn find(path: &Path) -> Result<Vec<Recording>, RecordingError> {
    if !path.exists() {
        let help = "give a file or folder of a recording, or a folder of such folders";
        return Err(RecordingError::new(path, "there is no such file or folder", help));
    }
    if path.is_file() {
        let folder = path.parent().unwrap_or(path);
        return Ok(vec![if is_of_lab(path) { of_lab(folder)? } else { single(path)? }]);
    }
    let mut found = Vec::new();
    collect(path, MAX_DEPTH, &mut found)?;
    if found.is_empty() {
        return Err(RecordingError::new(path, "there is no recording here", READABLE));
    }
    Ok(found)
}

/// The recording in one file.
fn single(path: &Path) -> Result<Recording, RecordingError> {
    match read_part(path)? {
        Some(part) if part.is_series() => assemble(name_of(&path.with_extension("")), path, vec![part]),
        // Of a known kind, and nothing in it is of use.
        Some(part) if part.columns.is_empty() && part.variables.is_empty() && !part.remarks.is_empty() => {
            Err(RecordingError::new(path, part.remarks.join("; "), READABLE))
        }
        Some(_) => Err(RecordingError::new(path, "holds no samples; give the folder that it is in", READABLE)),
        None if is_log_without_intervals(path) => {
            let help = "run sysbench with --report-interval=1: its closing statistics alone say nothing of the course";
            Err(RecordingError::new(path, "is sysbench's log, but has no interval lines", help))
        }
        None if fs::metadata(path).is_ok_and(|of| of.len() == 0) => {
            Err(RecordingError::new(path, "is empty", READABLE))
        }
        None => Err(RecordingError::new(path, "is of no known format", READABLE)),
    }
}

/// A recording of our own recorder, with what its two files lack and others of its folder have.
fn of_lab(folder: &Path) -> Result<Recording, RecordingError> {
    let mut recording = read_lab(folder)?;
    let beside = entries(folder)?.into_iter().filter(|path| path.is_file() && is_beside(folder, path));
    complement(&mut recording, beside)?;
    Ok(recording)
}

fn collect(folder: &Path, depth: u32, found: &mut Vec<Recording>) -> Result<(), RecordingError> {
    if is_lab(folder) {
        found.push(of_lab(folder)?);
        return Ok(());
    }
    let entries = entries(folder)?;
    let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) = entries.iter().partition(|path| path.is_dir());
    let parts: Vec<Part> =
        files.into_iter().map(|file| read_part(file)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    if parts.iter().any(Part::is_series) {
        return of_files(folder, parts, found);
    }
    if depth > 0 {
        for folder in folders {
            collect(folder, depth - 1, found)?;
        }
    }
    Ok(())
}

/// What stands in a folder, by name.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, RecordingError> {
    let unreadable = |error: std::io::Error| {
        RecordingError::new(folder, format!("the folder can't be read: {error}"), "check its permissions")
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden && (path.is_dir() || path.is_file()) {
            entries.push(path);
        }
    }
    entries.sort();
    Ok(entries)
}

/// The recording of a folder's files, or one for each run of pt-stalk.
fn of_files(folder: &Path, mut parts: Vec<Part>, found: &mut Vec<Recording>) -> Result<(), RecordingError> {
    let fio = folder.join(FIO);
    if fio.is_dir() {
        for file in entries(&fio)?.iter().filter(|path| path.is_file()) {
            parts.extend(read_part(file)?.filter(|part| part.fio));
        }
    }
    if let Some(runs) = ladder::runs(&parts) {
        for (name, own) in runs {
            let path = folder.join(&name);
            found.push(assemble(name_of(&path), &path, own)?);
        }
        return Ok(());
    }
    let runs: BTreeSet<String> =
        parts.iter().filter_map(|part| pt_stalk_prefix(&part.label()).map(str::to_owned)).collect();
    if runs.len() < 2 {
        found.push(assemble(name_of(folder), folder, parts)?);
        return Ok(());
    }
    for run in &runs {
        let of_run = |part: &&Part| part.label().starts_with(run.as_str()) || pt_stalk_prefix(&part.label()).is_none();
        let own: Vec<Part> = parts.iter().filter(of_run).cloned().collect();
        if own.iter().any(Part::is_series) {
            found.push(assemble(name_of(&folder.join(run)), &folder.join(run), own)?);
        }
    }
    Ok(())
}

/// A text as a recording of its own, judged for each purpose: what a fuzzer calls.
#[doc(hidden)]
pub fn fuzz_recording(text: &str) -> usize {
    use crate::Purpose;
    let path = Path::new("fuzz");
    let recording = match crate::formats::parse(path, text) {
        Ok(Some(part)) => {
            // The same twice is a ladder, if it is a log.
            for (name, own) in ladder::runs(&[part.clone(), part.clone()]).unwrap_or_default() {
                let _ = assemble(name, path, own);
            }
            assemble("fuzz".to_owned(), path, vec![part])
        }
        Ok(None) => return 0,
        Err(error) => Err(error),
    };
    match recording {
        Ok(recording) => {
            let purposes = [Purpose::Calibrate, Purpose::Replay, Purpose::Validate];
            let columns = recording.series.names().count();
            assert!(recording.series.columns.values().all(|values| values.len() == recording.series.len()));
            columns + purposes.iter().map(|purpose| recording.missing(*purpose).len()).sum::<usize>()
        }
        Err(error) => error.to_string().len(),
    }
}
