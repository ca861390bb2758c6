//! `innosim page`: the folder with the page that teaches.
//!
//! The page is built in with the feature `page`, as releases are. Any other build makes it from the sources that it was built
//! from itself, with the tools that built it: nothing that is built is kept in the repository, and a build without a browser's
//! target stays possible.

use crate::args::{Format, PageArgs};
use crate::exit::{Done, Failure};
use crate::out_dir::{OutDir, fill};
use crate::output::{print, print_json};
use innosim_report::write_file;
use serde_json::json;

/// What stands alone; its presence says that the rest is there.
const LAST: &str = "index.html";

/// A file's name and what is in it.
type File = (String, Vec<u8>);

/// Writes the page.
pub(crate) fn run(args: &PageArgs) -> Done {
    let out = OutDir::prepare(&args.out)?;
    let files = files(args.common.quiet)?;
    fill(out.path(), LAST, |dir| files.iter().try_for_each(|(name, bytes)| write_file(&dir.join(name), bytes)))?;
    let index = out.path().join(LAST);
    let size: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    match args.form.format {
        Format::Json => print_json(&json!({
            "innosim_version": env!("CARGO_PKG_VERSION"),
            "index": index.display().to_string(),
            "files": files.iter().map(|(name, bytes)| json!({ "name": name, "bytes": bytes.len() })).collect::<Vec<_>>(),
            "bytes": size,
        })),
        Format::Human => {
            let mib = size as f64 / f64::from(1 << 20);
            print(&format!("{} is ready to be opened in a browser ({mib:.1} MiB in all).\n", index.display()))
        }
    }
}

#[cfg(feature = "page")]
fn files(_quiet: bool) -> Result<Vec<File>, Failure> {
    const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));
    Ok(FILES.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect())
}

#[cfg(not(feature = "page"))]
use from_sources::files;

#[cfg(not(feature = "page"))]
mod from_sources {
    use super::{Failure, File};
    use crate::output::note;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    const HELP: &str = "build the program with its page: cargo build --release --features page";

    /// Builds the page's files.
    pub(super) fn files(quiet: bool) -> Result<Vec<File>, Failure> {
        if !Path::new(WORKSPACE).join("crates/playground").is_dir() {
            let what = "this innosim was built without its page, and the sources that it was built from are gone";
            return Err(Failure::Input(format!("{what}\n  = help: {HELP}")));
        }
        if !quiet {
            note("Building the page; this takes a minute or two the first time.");
        }
        let staging = Staging::new()?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let done = Command::new(cargo)
            .args(["run", "--locked", "--quiet", "--package", "innosim-page-builder", "--"])
            .arg(&staging.0)
            .current_dir(WORKSPACE)
            .output()
            .map_err(|error| {
                Failure::Input(format!("cargo, which builds the page, does not start: {error}\n  = help: {HELP}"))
            })?;
        if !done.status.success() {
            return Err(Failure::Input(String::from_utf8_lossy(&done.stderr).trim_end().to_owned()));
        }
        staging.files()
    }

    /// A folder that goes with this value.
    struct Staging(std::path::PathBuf);

    impl Staging {
        fn new() -> Result<Staging, Failure> {
            let path = std::env::temp_dir().join(format!("innosim-page.{}", std::process::id()));
            let made = fs::create_dir_all(&path).map(|()| Staging(path.clone()));
            made.map_err(|error| Failure::Input(format!("can't make {}: {error}", path.display())))
        }

        fn files(&self) -> Result<Vec<File>, Failure> {
            let read = || -> std::io::Result<Vec<File>> {
                let mut files = Vec::new();
                for entry in fs::read_dir(&self.0)? {
                    let entry = entry?;
                    files.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
                }
                files.sort();
                Ok(files)
            };
            read().map_err(|error| Failure::Input(format!("can't read {}: {error}", self.0.display())))
        }
    }

    impl Drop for Staging {
        fn drop(&mut self) {
            // There is nothing in it that anybody needs.
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}
