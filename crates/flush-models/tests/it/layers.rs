//! Files point one way: settings are the ground, servers stand on them, the registry is the roof.

use std::fs;
use std::path::{Path, PathBuf};

/// Source files under a folder, without those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let of_tests = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "tests");
    let mut all: Vec<PathBuf> = files.into_iter().filter(|path| !of_tests(path)).collect();
    all.extend(folders.iter().filter(|path| !of_tests(path)).flat_map(|folder| sources(folder)));
    all
}

/// Modules of this crate that a file imports, tests at its end left out.
fn imports(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mentions = code.flat_map(|line| {
        let after: Vec<&str> = line.split("crate::").skip(1).collect();
        after
            .into_iter()
            .map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap().to_owned())
    });
    mentions.collect()
}

/// A file under the source folder, by its path there.
fn check(file: &Path, root: &Path) {
    let name = file.strip_prefix(root).unwrap().to_string_lossy().into_owned();
    let allowed = |module: &str| match name.split(['/', '.']).next().unwrap() {
        "registry" | "lib" => true,
        "settings" => module == "settings",
        "purge" => module == "settings",
        "replay" => ["settings", "legacy", "replay"].contains(&module),
        "model" => ["settings", "purge", "replay"].contains(&module),
        _ => module != "registry",
    };
    let wrong: Vec<String> = imports(file).into_iter().filter(|module| !allowed(module)).collect();
    assert!(wrong.is_empty(), "src/{name} must not import {wrong:?}");
}

#[test]
fn no_file_of_the_ground_knows_a_server_and_no_server_the_registry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources(&root);
    assert!(files.len() > 80, "{}", files.len());
    files.iter().for_each(|file| check(file, &root));
}
