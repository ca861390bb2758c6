//! Says where the files are that come with the crate: in a published crate below it, in the workspace at its root.

fn main() {
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = [own.join("scenarios"), own.join("../../scenarios")].into_iter().find(|place| place.is_dir());
    if let Some(place) = place {
        println!("cargo::rustc-env=INNOSIM_SCENARIOS={}", place.display());
    }
    println!("cargo::rerun-if-changed=build.rs");
}
