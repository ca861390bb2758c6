//! Gives the program `INNOSIM_BUILD`: a hash of the sources that the result of a run depends on.
//!
//! Sweeps know their runs by it, so that a run of an older build is not taken for one of this build though the version is
//! the same. It is a function of the files' contents and their names alone: the same in every clone, on every machine, for
//! debug and release builds. Line ends are brought to one form, as a checkout may change them.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// What decides the result of a run, from the root of the workspace: the machine, the servers, what scenarios and profiles
/// mean, how a record is made of a run; and the versions of all dependencies.
const SOURCES: [&str; 8] = [
    "Cargo.lock",
    "crates/sim-core/src",
    "crates/flush-models/src",
    "crates/rules",
    "crates/scenario",
    "crates/statistics/src",
    "crates/experiments/src/runner.rs",
    "crates/experiments/src/sweep/record.rs",
];
/// Digits of the hash that are kept.
const DIGITS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = own.join("../..");
    let scenarios = [own.join("scenarios"), root.join("scenarios")].into_iter().find(|place| place.is_dir());
    println!("cargo::rustc-env=INNOSIM_SCENARIOS={}", scenarios.ok_or("there are no scenarios")?.display());
    if !root.join("crates/sim-core/src").is_dir() {
        // A published crate: its version stands for the sources, which are fixed with it.
        println!("cargo::rustc-env=INNOSIM_BUILD=v{}", env!("CARGO_PKG_VERSION"));
        return Ok(());
    }
    let mut hasher = blake3::Hasher::new();
    for source in SOURCES {
        let place = root.join(source);
        println!("cargo::rerun-if-changed={}", place.display());
        let mut files = Vec::new();
        list(&place, &mut files).map_err(|error| format!("{}: {error}", place.display()))?;
        files.sort();
        for file in files {
            let text = fs::read(&file)?;
            let name = file.strip_prefix(&root)?.components().map(|part| part.as_os_str().to_string_lossy());
            hasher.update(name.collect::<Vec<_>>().join("/").as_bytes());
            hasher.update(b"\0");
            text.split(|byte| *byte == b'\r').for_each(|part| {
                hasher.update(part);
            });
            hasher.update(b"\0");
        }
    }
    println!("cargo::rustc-env=INNOSIM_BUILD={}", &hasher.finalize().to_hex()[..DIGITS]);
    Ok(())
}

/// All files at `place`, which is one or a folder of them; tests and hidden files decide nothing.
fn list(place: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if place.is_file() {
        files.push(place.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(place)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name != "tests" && !name.starts_with('.') {
            list(&path, files)?;
        }
    }
    Ok(())
}
