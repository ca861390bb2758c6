//! Tells the program what `--version` says besides its version: the commit and features. With the feature `page` it also builds the
//! page that teaches, for `innosim lessons` to hand out.

use std::error::Error;
use std::path::Path;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=INNOSIM_COMMIT");
    let commit = std::env::var("INNOSIM_COMMIT").ok().or_else(last_commit).map(|commit| format!("commit {commit}"));
    let has = |feature: &&str| std::env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_some();
    let features: Vec<&str> = ["page", "parquet"].into_iter().filter(has).collect();
    let features = (!features.is_empty()).then(|| format!("with {}", features.join(", ")));
    let more: Vec<String> = commit.into_iter().chain(features).collect();
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join("; ")) };
    println!("cargo::rustc-env=INNOSIM_LONG_VERSION={}{more}", env!("CARGO_PKG_VERSION"));
    page()
}

/// The last commit of the project's own clone. An unoptimised build doesn't ask: it would be made anew after every commit.
fn last_commit() -> Option<String> {
    if std::env::var("PROFILE").ok()? != "release" || !Path::new("../../.git").exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    git(&["rev-parse", "--short=12", "HEAD"])
}

#[cfg(not(feature = "page"))]
fn page() -> Result<(), Box<dyn Error>> {
    Ok(())
}

#[cfg(feature = "page")]
fn page() -> Result<(), Box<dyn Error>> {
    use std::path::PathBuf;

    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for source in ["Cargo.lock", "Cargo.toml", "scenarios"] {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    for part in ["sim-core", "flush-models", "scenario", "playground", "page-builder", "html-assets"] {
        println!("cargo::rerun-if-changed={}", workspace.join("crates").join(part).display());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?);
    // A target folder of its own: the one around this build is locked.
    let files = innosim_page_builder::build_page(&workspace, &out.join("target"))?;
    let mut list = String::from("&[");
    for file in files {
        let path = out.join(file.name);
        std::fs::write(&path, file.bytes)?;
        list.push_str(&format!("({:?}, include_bytes!({path:?})),", file.name));
    }
    std::fs::write(out.join("page_files.rs"), list + "]")?;
    Ok(())
}
