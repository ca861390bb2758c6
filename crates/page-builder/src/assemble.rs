//! Lays the parts into `index.html`.

use crate::{Engine, PageError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::PathBuf;

macro_rules! page {
    ($file:literal) => {
        include_str!(concat!("../../playground/page/", $file))
    };
}
macro_rules! uplot {
    ($file:literal) => {
        include_str!(concat!("../../report/src/page/uplot/", $file))
    };
}

/// The scripts of the page, in the order in which they build on each other.
const SCRIPTS: &[&str] = &[
    page!("format.js"),
    page!("engine.js"),
    page!("ring.js"),
    page!("ages.js"),
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
        ("STYLE", format!("{}\n{}", uplot!("uPlot.min.css"), page!("page.css"))),
        ("UPLOT_LICENSE", uplot!("LICENSE").to_owned()),
        ("UPLOT", uplot!("uPlot.iife.min.js").to_owned()),
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

/// In a script of data, only `<` could end it early.
fn in_a_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The template with its places filled in one pass, so that nothing that is filled in can be taken for a place.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut pieces = template.split("{{");
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        if let Some((_, text)) = parts.iter().find(|(known, _)| *known == name) {
            page.push_str(text);
        }
        page.push_str(rest);
    }
    page
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
