//! The layers of `src/server`: no file uses what lies above it, but for what `layers.txt` lists, which only shrinks.
//!
//! Found by reading: imports, and what `Server`'s methods call and access of `Server`, each by name. The layers are those of
//! `ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// From the ground up.
const LAYERS: [(&str, &str); 13] = [
    (
        "machine",
        "machine events ids wake_ups processors cpu_costs costs slowdown other_programs lru_list_mutexes lru_scan inodes \
         file_system record checker crashes watch disk recovery observer",
    ),
    ("storage", "syncs data_file journal"),
    ("log", "commit log_threads log_buffer redo_files binlog"),
    ("checkpointer", "checkpointer"),
    ("flush", "passes collect posting batches doublewrite completions io_threads"),
    ("frames", "frames free_pages single_page reads lru_managers"),
    ("change buffer", "change_buffer pending_changes"),
    ("free check", "free_check"),
    ("records", "mvcc_buffer row_cache tnt_merge record_waits"),
    ("purge", "purge purge_threads history rollback_segments undo undo_truncation"),
    ("cleaner", "cleaner"),
    ("clients", "clients acknowledge plan touches touch_records adaptive_hash"),
    ("run", "server start second check fork stepping"),
];

fn layer(file: &str) -> usize {
    let of = |(_, files): &(&str, &str)| files.split_whitespace().any(|name| name == file);
    LAYERS.iter().position(of).unwrap_or_else(|| panic!("{file}.rs is in no layer"))
}

/// Names that begin after each `mark` in a text.
fn names<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(mark).skip(1).map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
}

/// The sources by file name, without comments, tests and line breaks inside a chain of calls.
fn sources() -> BTreeMap<String, String> {
    fn read(folder: &Path, into: &mut BTreeMap<String, String>) {
        for path in fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                read(&path, into);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let joined = lines.fold(String::new(), |all, line| match line.trim_start() {
                chained if chained.starts_with('.') => all + chained,
                _ => all + "\n" + line,
            });
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            into.insert(name, joined);
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server");
    let mut all = BTreeMap::new();
    read(&folder, &mut all);
    all.insert("server".to_owned(), fs::read_to_string(folder.with_extension("rs")).expect("server.rs"));
    all
}

/// The bodies of `impl Server` in a file.
fn of_server(code: &str) -> String {
    code.split("\nimpl Server {").skip(1).filter_map(|rest| rest.split("\n}\n").next()).collect()
}

#[test]
fn no_file_uses_what_lies_above_it() {
    let sources = sources();
    let bodies: BTreeMap<&str, String> = sources.iter().map(|(file, code)| (file.as_str(), of_server(code))).collect();
    let methods: BTreeMap<&str, &str> =
        bodies.iter().flat_map(|(file, body)| names(body, "fn ").map(|name| (name, *file))).collect();
    let fields =
        sources["server"].split("pub struct Server {").nth(1).and_then(|rest| rest.split("\n}").next()).unwrap();
    let owners: BTreeMap<&str, &str> = fields
        .lines()
        .filter_map(|line| line.trim().split_once(": "))
        .map(|(name, of)| {
            (name, of.rsplit_once("::").map_or("", |(path, _)| path.rsplit(['<', ' ']).next().unwrap_or("")))
        })
        .filter(|(_, module)| sources.contains_key(*module))
        .collect();
    let mut found = BTreeSet::new();
    for (file, code) in &sources {
        let mut uses = |what: &str, of: &str| {
            if layer(of) > layer(file) {
                found.insert(format!("{file} -> {of}: {what}"));
            }
        };
        for of in
            names(code, "use super::").chain(names(code, "use crate::server::")).filter(|of| sources.contains_key(*of))
        {
            uses("import", of);
        }
        let body = &bodies[file.as_str()];
        for name in names(body, "self.") {
            let owner = if body.contains(&format!("self.{name}(")) { methods.get(name) } else { owners.get(name) };
            owner.into_iter().for_each(|of| uses(name, of));
        }
    }
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/layers.txt");
    let known: BTreeSet<String> = fs::read_to_string(&list).unwrap().lines().map(str::to_owned).collect();
    let new: Vec<_> = found.difference(&known).collect();
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(new.is_empty(), "these look upwards; move them, return a value, or let the caller do it: {new:#?}");
    assert!(gone.is_empty(), "these are mended: take them out of {}: {gone:#?}", list.display());
}
