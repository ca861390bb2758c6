//! Lays the parts into `index.html`.

use crate::{Engine, PageError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use innosim_html_assets::{SCRIPT, STYLE, UPLOT_LICENSE, filled, in_a_script};
use std::io::Write;
use std::path::PathBuf;

macro_rules! page {
    ($file:literal) => {
        include_str!(concat!(env!("INNOSIM_PAGE"), "/", $file))
    };
}
/// The scripts of the page, after those of all pages, in the order in which they build on each other.
const SCRIPTS: &[&str] = &[
    page!("parts.js"),
    page!("engine.js"),
    page!("ring.js"),
    page!("ages.js"),
    page!("rates.js"),
    page!("plots.js"),
    page!("controls.js"),
    page!("player.js"),
    page!("lessons.js"),
    page!("main.js"),
];

/// A file of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// Its name in the folder.
    pub name: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Lays page and engine into the files of the folder.
///
/// # Errors
/// [`PageError::Io`] if the engine can't be compressed.
pub fn assemble(engine: &Engine) -> Result<Vec<PageFile>, PageError> {
    let packed = packed(&engine.wasm).map_err(|source| PageError::Io { path: PathBuf::from("engine.wasm"), source })?;
    let parts = [
        ("STYLE", format!("{STYLE}\n{}", page!("page.css"))),
        ("UPLOT_LICENSE", UPLOT_LICENSE.to_owned()),
        ("SHARED", SCRIPT.to_owned()),
        ("LESSONS", in_a_script(page!("lessons.json"))),
        ("GLUE", engine.glue.clone()),
        ("WORKER", page!("worker.js").to_owned()),
        ("ENGINE", packed),
        ("SCRIPTS", SCRIPTS.join("\n")),
    ];
    let html = filled(page!("index.html"), &parts);
    Ok(vec![
        PageFile { name: "engine.wasm", bytes: engine.wasm.clone() },
        PageFile { name: "index.html", bytes: html.into_bytes() },
    ])
}

/// Compressed, as text.
fn packed(wasm: &[u8]) -> std::io::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(wasm)?;
    Ok(STANDARD.encode(encoder.finish()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled_and_no_script_ends_early() {
        let engine = Engine { glue: "let wasm_bindgen = 1;".to_owned(), wasm: b"\0asm".to_vec() };
        let files = assemble(&engine).unwrap();
        assert_eq!(files.iter().map(|file| file.name).collect::<Vec<_>>(), ["engine.wasm", "index.html"]);
        let html = String::from_utf8(files[1].bytes.clone()).unwrap();
        assert!(!html.contains("{{") && html.contains("let wasm_bindgen = 1;") && html.contains("MIT License"));
        assert_eq!(html.matches("<script").count(), html.matches("</script>").count());
    }
}
