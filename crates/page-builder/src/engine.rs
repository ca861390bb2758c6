//! The engine: the simulator for WebAssembly with the script that a browser calls it through.

use crate::PageError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

/// What browsers run.
pub const TARGET: &str = "wasm32-unknown-unknown";
const CRATE: &str = "innosim-playground";
/// Cargo's profile for it.
const PROFILE: &str = "page";

/// The engine, ready for a browser.
#[derive(Debug, Clone)]
pub struct Engine {
    /// The script; it defines `wasm_bindgen`.
    pub glue: String,
    /// The module.
    pub wasm: Vec<u8>,
}

/// Whether the toolchain can build for a browser.
pub fn has_target() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let told = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
    let folder = told.ok().map(|told| PathBuf::from(String::from_utf8_lossy(&told.stdout).trim()));
    folder.is_some_and(|folder| folder.is_dir())
}

/// Builds the engine from the sources in `workspace`; what cargo builds goes to `target`, where it is found again.
///
/// # Errors
/// [`PageError`].
pub fn build_engine(workspace: &Path, target: &Path) -> Result<Engine, PageError> {
    if !has_target() {
        return Err(PageError::NoTarget);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let done = Command::new(cargo)
        .args(["build", "--locked", "--quiet", "--lib", "--package", CRATE, "--profile", PROFILE, "--target", TARGET])
        .arg("--target-dir")
        .arg(target)
        .current_dir(workspace)
        // Flags of the build around this one are for another machine.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .map_err(|error| PageError::Cargo(format!("cargo does not start: {error}")))?;
    if !done.status.success() {
        return Err(PageError::Cargo(String::from_utf8_lossy(&done.stderr).trim_end().to_owned()));
    }
    let built = target.join(TARGET).join(PROFILE).join("innosim_playground.wasm");
    ready(&built)
}

fn ready(built: &Path) -> Result<Engine, PageError> {
    let glue = |error: &dyn std::fmt::Display| PageError::Glue(format!("{error:#}"));
    let mut bindgen = Bindgen::new();
    // Names of functions are for people who look into a module, and a twentieth of the page.
    bindgen.input_path(built).typescript(false).remove_name_section(true);
    bindgen.no_modules(true).map_err(|error| glue(&error))?;
    let mut output = bindgen.generate_output().map_err(|error| glue(&error))?;
    Ok(Engine { glue: output.js().to_owned(), wasm: output.wasm_mut().emit_wasm() })
}
