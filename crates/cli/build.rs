//! With the feature `page`: builds the page that teaches, for `innosim page` to hand out. Otherwise nothing.

use std::error::Error;

#[cfg(not(feature = "page"))]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}

#[cfg(feature = "page")]
fn main() -> Result<(), Box<dyn Error>> {
    use std::path::{Path, PathBuf};

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
