//! The two files of a recording: by their names, or else by what they hold.

use crate::RecordingError;
use crate::formats::MAX_BYTES;
use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Names of the series, best first.
const SERIES: [&str; 2] = ["series.csv.gz", "series.csv"];
/// Names of what was run.
const RUN: [&str; 2] = ["run.json", "run.json.gz"];
/// Beginnings of files that are compressed in other ways than gzip's, and what unpacks them.
const OTHERS: [(&[u8], &str); 4] =
    [(&[0x28, 0xb5, 0x2f, 0xfd], "zstd -d"), (b"\xfd7zXZ", "xz -d"), (b"BZh", "bzip2 -d"), (b"PK\x03\x04", "unzip")];

/// The files of a recording; the first of its names for one that is not there.
pub(super) struct Files {
    pub(super) run: PathBuf,
    pub(super) series: PathBuf,
}

impl Files {
    /// Those in `folder`, if it claims to be a recording.
    pub(super) fn of(folder: &Path) -> Option<Files> {
        let named = |names: [&str; 2]| names.iter().map(|name| folder.join(name)).find(|path| path.is_file());
        let (run, series) = (named(RUN), named(SERIES));
        let (run, series) = match (run, series) {
            (Some(run), Some(series)) => (Some(run), Some(series)),
            (run, series) => {
                let run_here = run.clone().or_else(|| only_one(folder, ".json", says_what_ran));
                let series_here = series.clone().or_else(|| only_one(folder, ".csv", has_the_axis));
                // Under other names one of the two alone says too little.
                if run_here.is_some() && series_here.is_some() { (run_here, series_here) } else { (run, series) }
            }
        };
        if run.is_none() && series.is_none() {
            return None;
        }
        let or_first = |path: Option<PathBuf>, names: [&str; 2]| path.unwrap_or_else(|| folder.join(names[0]));
        Some(Files { run: or_first(run, RUN), series: or_first(series, SERIES) })
    }

    /// Whether `path` is one of them.
    pub(super) fn holds(&self, path: &Path) -> bool {
        path == self.run || path == self.series
    }
}

/// The file in `folder` with this ending (`.gz` aside) that `fits`; `None` if there are several.
fn only_one(folder: &Path, ending: &str, fits: fn(&str) -> bool) -> Option<PathBuf> {
    let named = |path: &PathBuf| {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_ascii_lowercase());
        name.trim_end_matches(".gz").ends_with(ending) && path.is_file()
    };
    let paths = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).filter(named);
    let mut found = paths.filter(|path| read_text(path).is_ok_and(|text| fits(&text)));
    let first = found.next();
    if found.next().is_none() { first } else { None }
}

fn says_what_ran(text: &str) -> bool {
    let run: Option<serde_json::Value> = serde_json::from_str(text).ok();
    run.is_some_and(|run| run["version"].is_string() && run["variables"].is_object())
}

fn has_the_axis(text: &str) -> bool {
    text.lines().next().is_some_and(|head| head.split(',').any(|name| name.trim_matches('"') == super::TIME))
}

/// The text of a file, decompressed if gzip packed it.
pub(super) fn read_text(path: &Path) -> Result<String, RecordingError> {
    let refuse = |problem: String, help: &str| Err(RecordingError::new(path, problem, help));
    let mut bytes = Vec::new();
    if let Err(error) = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)) {
        let help = "run.json says what ran on which server, series.csv.gz holds the recorded counters";
        return refuse(format!("can't be read: {error}"), help);
    }
    if let Some((_, unpack)) = OTHERS.iter().find(|(begin, _)| bytes.starts_with(begin)) {
        let help = format!("unpack it (`{unpack}`); gzip's compression is read as it is");
        return refuse("is compressed in a way that is not read".to_owned(), &help);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut text = Vec::new();
        if let Err(error) = MultiGzDecoder::new(&bytes[..]).take(MAX_BYTES + 1).read_to_end(&mut text) {
            let problem = format!("can't be decompressed ({error}); is it cut off?");
            return refuse(problem, "copy the file again, or record again");
        }
        bytes = text;
    }
    if bytes.len() as u64 > MAX_BYTES {
        return refuse(format!("is longer than {} MiB", MAX_BYTES >> 20), "cut it into the minutes that matter");
    }
    Ok(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned())
}
