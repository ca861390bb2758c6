//! Embeds the scenarios that `scenarios/shipped.txt` lists: in a published crate below it, in the workspace at its root.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = [own.join("scenarios"), own.join("../../scenarios")];
    let place = places.into_iter().find(|place| place.is_dir()).ok_or("there are no scenarios")?;
    let list = place.join("shipped.txt");
    let embedded = |name: &str| format!("({name:?}, include_str!({:?})),", place.join(format!("{name}.toml")));
    let all: String = fs::read_to_string(&list)?.lines().map(embedded).collect();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?);
    fs::write(out.join("shipped.rs"), format!("&[{all}]"))?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", list.display());
    Ok(())
}
