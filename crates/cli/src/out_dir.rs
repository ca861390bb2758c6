//! The folder of `--out`: known to be writable before the run, written whole after it.

use crate::exit::{Failure, remedy};
use crate::interrupt::while_writing;
use crate::outcome::{Outcome, VERSION};
use crate::output::note;
use innosim_report::{ReportError, write_dashboards, write_file, write_series_csv};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a run leaves last: where it is, the rest is there too.
const LAST: &str = "summary.json";
/// What a command leaves last in a folder of its own: where one of these is, an earlier result is.
const RESULTS: [&str; 6] =
    [LAST, "compare.json", "recommendation.json", "advice.json", "validate.json", "reproduce.json"];

/// A folder for results. One that was made for the run is taken away again if nothing comes into it.
#[derive(Debug)]
pub(crate) struct OutDir {
    path: PathBuf,
    /// Folders that were made, innermost first.
    made: Vec<PathBuf>,
    /// Whether an earlier result's files are replaced.
    replaces: bool,
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
        let replaces = RESULTS.iter().any(|result| path.join(result).exists());
        let dir = OutDir { path: path.to_path_buf(), made, replaces };
        if path.is_file() {
            let help = "--out takes a folder; name another, or remove the file";
            return Err(Failure::Input(format!("{} is a file\n  = help: {help}", path.display())));
        }
        dir.probe().map_err(|error| {
            let help = match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    "--out takes a folder; it is made if it is not there"
                }
                _ => remedy(&error),
            };
            Failure::Input(format!("can't write to {}: {error}\n  = help: {help}", path.display()))
        })?;
        Ok(dir)
    }

    fn probe(&self) -> io::Result<()> {
        fs::create_dir_all(&self.path)?;
        let file = self.path.join(format!(".innosim.{}.tmp", std::process::id()));
        fs::write(&file, b"")?;
        fs::remove_file(&file)
    }

    /// Says that `files` are in the folder: those of an earlier result were replaced, everything else stays.
    pub(crate) fn tell(&self, quiet: bool, files: &str) {
        let verb = if self.replaces { "Replaced the earlier result in" } else { "In" };
        if !quiet {
            note(&format!("\n{verb} {}: {files}", self.path.display()));
        }
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes everything that a run leaves, or nothing.
    ///
    /// # Errors
    /// What went wrong.
    pub(crate) fn write(&self, outcome: &Outcome) -> Result<(), Failure> {
        let resolved = outcome.scenario.to_resolved_toml(VERSION);
        fill(&self.path, LAST, |dir| {
            write_file(&dir.join("scenario.resolved.toml"), resolved.as_bytes())?;
            write_series_csv(&dir.join("series.csv"), &outcome.output)?;
            write_dashboards(dir, &outcome.report())?;
            write_file(&dir.join(LAST), outcome.summary_json()?.as_bytes())
        })
    }
}

/// Lets `write` make the files of a result in a folder inside `dir`, and puts them into their places when all are there:
/// `last`, if there is one, at the end, so that it never stands beside files of another result.
///
/// # Errors
/// What went wrong; then nothing of the result is left, and what was there before stays as it is.
pub(crate) fn fill(
    dir: &Path,
    last: &str,
    write: impl FnOnce(&Path) -> Result<(), ReportError>,
) -> Result<(), Failure> {
    let staging = dir.join(format!(".innosim.{}.tmp", std::process::id()));
    let at_its_place = |path: &Path| path.strip_prefix(&staging).map_or(path.to_path_buf(), |inside| dir.join(inside));
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| ReportError::Io { path, source }
    };
    let filled = while_writing(|| {
        let filled = fs::create_dir_all(&staging)
            .map_err(io(dir))
            .and_then(|()| write(&staging))
            .and_then(|()| put_into_place(&staging, dir, last).map_err(io(dir)));
        // There is nothing in it that anybody needs.
        let _ = fs::remove_dir_all(&staging);
        filled
    });
    filled.map_err(|error| match error {
        ReportError::Io { path, source } => Failure::Input(format!(
            "can't write {}: {source}\n  = help: nothing of this result is left in {}; {}, and give the same command again",
            at_its_place(&path).display(),
            dir.display(),
            remedy(&source)
        )),
        other => other.into(),
    })
}

/// Moves every file below `from` to the same place below `to`; `last`, if there is one, at the end.
fn put_into_place(from: &Path, to: &Path, last: &str) -> io::Result<()> {
    if !last.is_empty() {
        match fs::remove_file(to.join(last)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            fs::create_dir_all(to.join(&name))?;
            put_into_place(&path, &to.join(&name), "")?;
        } else if name != last {
            fs::rename(&path, to.join(&name))?;
        }
    }
    if last.is_empty() { Ok(()) } else { fs::rename(from.join(last), to.join(last)) }
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
    fn a_result_comes_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let names = || {
            let mut names: Vec<String> =
                fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into()).collect();
            names.sort();
            names
        };
        let put = |text: &'static str| {
            move |at: &Path| {
                fs::create_dir_all(at.join("inside")).unwrap();
                write_file(&at.join("inside/a.csv"), text.as_bytes())?;
                write_file(&at.join("all.json"), text.as_bytes())
            }
        };
        fill(dir.path(), "all.json", put("one")).unwrap();
        assert_eq!(names(), ["all.json", "inside"]);
        let full = fill(dir.path(), "all.json", |at| {
            put("two")(at)?;
            Err(ReportError::Io { path: at.join("b.png"), source: io::ErrorKind::StorageFull.into() })
        });
        let Err(Failure::Input(text)) = full else { panic!("{full:?}") };
        let place = dir.path().join("b.png").display().to_string();
        assert!(text.starts_with(&format!("can't write {place}: ")) && text.contains("make room"), "{text}");
        assert_eq!(names(), ["all.json", "inside"]);
        assert_eq!(fs::read(dir.path().join("inside/a.csv")).unwrap(), b"one");
        fill(dir.path(), "all.json", put("two")).unwrap();
        assert_eq!(fs::read(dir.path().join("inside/a.csv")).unwrap(), b"two");
    }
}
