//! The folder of `--out`: known to be writable before the run, written whole after it.

use crate::exit::Failure;
use crate::outcome::{Outcome, VERSION};
use innosim_report::{ReportError, write_dashboards, write_file, write_series_csv};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a run leaves, in the order in which it is written.
const FILES: [&str; 5] = ["scenario.resolved.toml", "series.csv", "dashboard.svg", "dashboard.png", "summary.json"];

/// A folder for results. One that was made for the run is taken away again if nothing comes into it.
#[derive(Debug)]
pub(crate) struct OutDir {
    path: PathBuf,
    /// Folders that were made, innermost first.
    made: Vec<PathBuf>,
}

impl OutDir {
    /// Makes the folder if need be, and tries whether a file can be written there.
    pub(crate) fn prepare(path: &Path) -> Result<OutDir, Failure> {
        let made: Vec<PathBuf> = path
            .ancestors()
            .filter(|folder| !folder.as_os_str().is_empty())
            .take_while(|folder| !folder.exists())
            .map(Path::to_path_buf)
            .collect();
        let dir = OutDir { path: path.to_path_buf(), made };
        if path.is_file() {
            let help = "--out takes a folder; name another, or remove the file";
            return Err(Failure::Input(format!("{} is a file\n  = help: {help}", path.display())));
        }
        dir.probe().map_err(|error| {
            Failure::Input(format!(
                "can't write to {}: {error}\n  = help: --out takes a folder; it is made if it is not there",
                path.display()
            ))
        })?;
        Ok(dir)
    }

    fn probe(&self) -> io::Result<()> {
        fs::create_dir_all(&self.path)?;
        let file = self.path.join(format!(".innosim.{}.tmp", std::process::id()));
        fs::write(&file, b"")?;
        fs::remove_file(&file)
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes everything that a run leaves.
    ///
    /// # Errors
    /// What went wrong, and which files are not there for it.
    pub(crate) fn write(&self, outcome: &Outcome) -> Result<(), Failure> {
        self.write_all(outcome).map_err(|error| incomplete(&self.path, &error, &FILES))
    }

    /// `summary.json` comes last: where it is, the rest is there too.
    fn write_all(&self, outcome: &Outcome) -> Result<(), ReportError> {
        let summary = self.path.join("summary.json");
        // A summary of an earlier run must not stand beside the files of this one.
        let _ = fs::remove_file(&summary);
        let resolved = outcome.scenario.to_resolved_toml(VERSION);
        write_file(&self.path.join("scenario.resolved.toml"), resolved.as_bytes())?;
        write_series_csv(&self.path.join("series.csv"), &outcome.output)?;
        write_dashboards(&self.path, &outcome.report())?;
        write_file(&summary, outcome.summary_json()?.as_bytes())
    }
}

/// An error that left `dir` without some of its `files`, which are written in this order: without that one and what
/// comes after it.
pub(crate) fn incomplete(dir: &Path, error: &ReportError, files: &[&str]) -> Failure {
    let ReportError::Io { path, .. } = error else { return Failure::Input(error.to_string()) };
    // What is not among them was written before.
    let first = files.iter().position(|file| path.ends_with(file)).unwrap_or(0);
    Failure::Input(format!(
        "{error}\n  = help: {} lacks this run's {}; make room, and give the same command again",
        dir.display(),
        files[first..].join(", ")
    ))
}

impl Drop for OutDir {
    fn drop(&mut self) {
        // A folder that holds something stays: only empty ones can be removed.
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_written_is_named() {
        let dir = Path::new("out");
        let full = ReportError::Io { path: dir.join("dashboard.png"), source: io::ErrorKind::StorageFull.into() };
        let Failure::Input(text) = incomplete(dir, &full, &FILES) else { panic!("no input") };
        assert!(text.contains("out lacks this run's dashboard.png, summary.json; make room"), "{text}");
    }
}
