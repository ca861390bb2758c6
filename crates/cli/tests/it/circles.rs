//! Inside a crate no circle of files uses each other, and no file is left that nothing includes.
//!
//! Found by reading: `use` and paths, followed through re-exports to the file that declares the name. A folder is one with the
//! file that it belongs to: files may use what their own `mod.rs` declares.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A module by its names from the crate on.
type Module = Vec<String>;

/// What one file says.
#[derive(Debug, Default)]
struct Source {
    file: PathBuf,
    children: BTreeSet<String>,
    declared: BTreeSet<String>,
    /// Path, the name that it has here (`*` for all), whether it is for others.
    uses: Vec<(Vec<String>, String, bool)>,
    paths: Vec<Vec<String>>,
}

/// Words of a text that are names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// A text without comments, strings and its tests.
fn code_of(text: &str) -> String {
    let text = text.replace("#[cfg(test)]\nmod tests;\n", "");
    let tests = text.match_indices("#[cfg(test)]\n").find(|(at, mark)| {
        let next = text[at + mark.len()..].lines().next().unwrap_or_default();
        next.contains("mod ") && next.ends_with('{')
    });
    let text = &text[..tests.map_or(text.len(), |(at, _)| at)];
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let mut code: String = lines.flat_map(|line| [line, "\n"]).collect::<String>().replace("\\\"", "");
    while let Some(start) = code.find('"') {
        let end = code[start + 1..].find('"').map_or(code.len(), |length| start + length + 2);
        code.replace_range(start..end, " ");
    }
    code
}

/// The paths of a `use`, its braces opened.
fn opened(path: &str, into: &mut Vec<String>) {
    let path = path.trim();
    let Some((before, inside)) = path.split_once('{') else { return into.push(path.to_owned()) };
    let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            if !inside[start..at].trim().is_empty() {
                opened(&format!("{before}{}", inside[start..at].trim()), into);
            }
            start = at + 1;
        }
    }
}

/// Reads a file and those that it includes.
fn read(file: &Path, folder: &Path, module: Module, all: &mut BTreeMap<Module, Source>) {
    let code = code_of(&fs::read_to_string(file).unwrap());
    let mut source = Source { file: file.to_owned(), ..Source::default() };
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let at = statement
            .rfind("\nuse ")
            .or_else(|| statement.rfind("use ").filter(|at| statement[..*at].ends_with([' ', '\n'])));
        let Some(at) = at.filter(|at| !statement[*at..].contains("fn ")) else {
            rest.push_str(statement);
            continue;
        };
        rest.push_str(&statement[..at]);
        let public =
            statement[..at].trim_end().rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("pub"));
        let mut paths = Vec::new();
        opened(statement[at..].trim().trim_start_matches("use ").trim_end_matches(';'), &mut paths);
        for path in paths {
            let (path, alias) =
                path.split_once(" as ").map_or((path.as_str(), None), |(path, alias)| (path, Some(alias)));
            let mut parts: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
            parts.pop_if(|last| last == "self");
            let name = alias.map_or_else(|| parts.last().cloned().unwrap_or_default(), |alias| alias.trim().to_owned());
            source.uses.push((parts, name, public));
        }
    }
    for kind in ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "mod"] {
        let keyword = format!("{kind} ");
        let starts_word = |at: usize| !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        for (at, _) in rest.match_indices(&keyword).filter(|(at, _)| starts_word(*at)) {
            let after = &rest[at + kind.len() + 1..];
            let Some(name) = names(after).next() else { continue };
            let is_file = kind == "mod" && after[name.len()..].trim_start().starts_with(';');
            if is_file {
                source.children.insert(name.to_owned())
            } else {
                source.declared.insert(name.to_owned())
            };
        }
    }
    let words = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    source.paths =
        words.filter(|word| word.contains("::")).map(|word| word.split("::").map(str::to_owned).collect()).collect();
    for child in source.children.clone() {
        let file = folder.join(&child).with_extension("rs");
        if file.is_file() {
            read(&file, &folder.join(&child), [module.clone(), vec![child]].concat(), all);
        }
    }
    all.insert(module, source);
}

/// The module that declares what a path leads to, from a module; `None` if it is another crate's.
fn target(
    all: &BTreeMap<Module, Source>,
    path: &[String],
    from: &Module,
    seen: &mut BTreeSet<(Module, String)>,
) -> Option<Module> {
    let mut at = from.clone();
    for (place, part) in path.iter().enumerate() {
        match part.as_str() {
            "crate" if place == 0 => at.clear(),
            "self" => {}
            "super" => drop(at.pop()),
            name => {
                let source = &all[&at];
                let child = [at.clone(), vec![name.to_owned()]].concat();
                if all.contains_key(&child) && source.children.contains(name) {
                    at = child;
                    continue;
                }
                if source.declared.contains(name) {
                    return Some(at);
                }
                if !seen.insert((at.clone(), name.to_owned())) {
                    return None;
                }
                let rest = &path[place + 1..];
                let named =
                    source.uses.iter().find(|(_, other, _)| other == name).map(|(path, ..)| [path, rest].concat());
                if let Some(path) = named {
                    return target(all, &path, &at, seen);
                }
                let globs = source.uses.iter().filter(|(_, other, _)| other == "*");
                let mut through = globs.map(|(path, ..)| {
                    [&path[..path.len() - 1], &path[path.len()..], &[name.to_owned()], rest].concat()
                });
                let found = through.find_map(|path| target(all, &path, &at, seen));
                return found.or((place > 0).then_some(at));
            }
        }
    }
    Some(at)
}

/// What each file of a crate uses: the other file, and by which path.
fn arrows(all: &BTreeMap<Module, Source>) -> BTreeMap<Module, BTreeMap<Module, String>> {
    let mut arrows: BTreeMap<Module, BTreeMap<Module, String>> = BTreeMap::new();
    for (module, source) in all {
        let used = source.uses.iter().filter(|(_, _, public)| !public).map(|(path, name, _)| match name.as_str() {
            "*" => &path[..path.len() - 1],
            _ => path,
        });
        for path in used.chain(source.paths.iter().map(Vec::as_slice)) {
            let Some(of) = target(all, path, module, &mut BTreeSet::new()) else { continue };
            // A module that is only named is used where a path goes through it.
            let is_module = path.last() == of.last();
            let of_its_folder = !of.is_empty() && module.starts_with(&of);
            if of != *module && !is_module && !of_its_folder {
                arrows.entry(module.clone()).or_default().entry(of).or_insert_with(|| path.join("::"));
            }
        }
    }
    arrows
}

/// All that can be reached from a module.
fn reached<'a>(arrows: &'a BTreeMap<Module, BTreeMap<Module, String>>, from: &'a Module) -> BTreeSet<&'a Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        let next = arrows.get(module).into_iter().flat_map(BTreeMap::keys);
        open.extend(next.filter(|next| found.insert(*next)));
    }
    found
}

/// The crates' sources by module.
fn crates() -> Vec<(String, BTreeMap<Module, Source>)> {
    let folders = fs::read_dir(CRATES)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("src/lib.rs").is_file());
    folders
        .map(|path| {
            let mut all = BTreeMap::new();
            read(&path.join("src/lib.rs"), &path.join("src"), Vec::new(), &mut all);
            (path.file_name().unwrap().to_string_lossy().into_owned(), all)
        })
        .collect()
}

#[test]
fn files_use_each_other_one_way() {
    let mut circles = Vec::new();
    let mut counted = 0;
    for (name, all) in crates() {
        let arrows = arrows(&all);
        counted += arrows.values().map(BTreeMap::len).sum::<usize>();
        for (module, uses) in &arrows {
            for (of, path) in uses {
                if reached(&arrows, of).contains(module) {
                    circles.push(format!("{name}: {} -> {}: {path}", module.join("::"), of.join("::")));
                }
            }
        }
    }
    assert!(counted > 1500, "{counted} uses are not all");
    assert!(circles.is_empty(), "these go round in a circle; move one type or function:\n{}", circles.join("\n"));
}

#[test]
fn every_file_belongs_to_its_crate() {
    fn files(folder: &Path, found: &mut BTreeSet<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.insert(path);
            }
        }
    }
    for (name, all) in crates() {
        let mut there = BTreeSet::new();
        let sources = Path::new(CRATES).join(&name).join("src");
        files(&sources, &mut there);
        let included: BTreeSet<PathBuf> = all.into_values().map(|source| source.file).collect();
        let counts = |path: &&PathBuf| {
            // Programs of their own, and the tests of a module, which stand below `#[cfg(test)]`.
            !path.ends_with("main.rs")
                && !path
                    .strip_prefix(&sources)
                    .unwrap()
                    .with_extension("")
                    .iter()
                    .any(|part| part.to_string_lossy().contains("tests"))
        };
        let dead: Vec<&PathBuf> = there.difference(&included).filter(counts).collect();
        assert!(dead.is_empty(), "{name}: no `mod` includes {dead:?}");
    }
}
