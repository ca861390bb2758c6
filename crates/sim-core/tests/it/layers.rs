//! The layers of `src/server`: no file names what lies above it. What a file may touch is what its parameters' types give it, so that
//! the compiler keeps the rest.
//!
//! Found by reading. The layers are those of `ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// From the ground up: what lies directly in the folder, each with the folder of its name.
const LAYERS: [&[&str]; 14] = [
    &["machine"],
    &["storage"],
    &["log"],
    &["base"],
    &["checkpointer"],
    &["flush"],
    &["frames"],
    &["change_buffer"],
    &["engine"],
    &["purge", "records"],
    &["innodb"],
    &["cleaner"],
    &["clients"],
    &["observer", "start", "second", "check", "fork", "middle", "stepping"],
];

/// Methods of one type that may be seen outside its folder.
const MOST_METHODS: usize = 25;

fn layer(module: &str) -> usize {
    LAYERS.iter().position(|layer| layer.contains(&module)).unwrap_or_else(|| panic!("{module} is in no layer"))
}

/// The sources of a folder of `src`, each with the module that it lies in (that of its name, or `module`); without comments and tests.
fn sources(folder: &str, module: Option<&str>) -> Vec<(String, String)> {
    fn read(folder: &Path, module: Option<&str>, into: &mut Vec<(String, String)>) {
        for path in fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()) {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let module = module.unwrap_or(&name);
            if path.is_dir() {
                read(&path, Some(module), into);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let code = lines.collect::<Vec<_>>().join("\n");
            // What a module's own file shows its parent is seen by all.
            let code = if module == name { code.replace("pub(super) fn ", "pub(in crate::server) fn ") } else { code };
            into.push((module.to_owned(), code));
        }
    }
    let mut all = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder), module, &mut all);
    all
}

/// Names that begin after each `mark` in a text.
fn names<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(mark).skip(1).map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
}

#[test]
fn no_file_names_what_lies_above_it() {
    let sources = sources("server", None);
    assert!(sources.len() > 50, "{} files are not all", sources.len());
    let modules: BTreeSet<&str> = sources.iter().map(|(module, _)| module.as_str()).collect();
    let mut found = BTreeSet::new();
    for (module, code) in &sources {
        assert!(
            !code.contains("use crate::server::{") || layer(module) + 1 == LAYERS.len(),
            "{module}: one module a line"
        );
        for of in names(code, "crate::server::").filter(|of| modules.contains(of)) {
            if layer(of) > layer(module) || (layer(of) == layer(module) && of != module) {
                found.insert(format!("{module} -> {of}"));
            }
        }
    }
    assert!(found.is_empty(), "these look upwards; move them, return a value, or let the caller do it: {found:#?}");
}

/// A type with more methods than that does more than one thing.
#[test]
fn no_type_shows_too_many_methods() {
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    for (_, code) in [sources("server", None), sources("buffer_pool", Some("buffer_pool"))].concat() {
        for block in code.split("\nimpl ").skip(1).filter_map(|rest| rest.split("\n}\n").next()) {
            let of = block.split([' ', '<']).next().unwrap_or("");
            let nested =
                ["pub(in crate::server) fn ", "pub(crate) fn ", "pub fn "].map(|mark| block.matches(mark).count());
            *shown.entry(of.to_owned()).or_default() += nested.iter().sum::<usize>();
        }
    }
    let known = ["Machine", "BufferPool", "DirtyPages"].map(|of| shown.get(of).copied().unwrap_or(0));
    assert!(known.into_iter().all(|methods| methods > 9), "{shown:?} is not all");
    let large: Vec<_> = shown.iter().filter(|(_, methods)| **methods > MOST_METHODS).collect();
    assert!(large.is_empty(), "split these: {large:?}");
}
