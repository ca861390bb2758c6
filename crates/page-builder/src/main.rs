//! Builds the page from the sources around this program: `innosim-page-builder DIR`.
//!
//! `innosim lessons --out DIR` calls it where the program has no page built in.

use innosim_page_builder::{PageError, build_page};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(out), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: innosim-page-builder DIR");
        return ExitCode::from(2);
    };
    match write(&PathBuf::from(out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(out: &Path) -> Result<(), PageError> {
    let workspace = Path::new(WORKSPACE);
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
    let files = build_page(workspace, &target)?;
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |source| PageError::Io { path, source }
    };
    std::fs::create_dir_all(out).map_err(io(out))?;
    for file in files {
        let path = out.join(file.name);
        std::fs::write(&path, file.bytes).map_err(io(&path))?;
    }
    Ok(())
}
