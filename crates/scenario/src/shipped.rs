//! The scenarios that come with the program, embedded in it.

use crate::node::{Node, parse};
use crate::suggest::near;
use std::sync::OnceLock;

/// Names and texts in the order of `scenarios/shipped.txt`, bases included.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// A scenario that comes with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShippedScenario {
    /// Name: folder and file without `.toml`.
    pub name: &'static str,
    /// Title for headings.
    pub title: String,
    /// The story that it tells: its opening comment.
    pub story: String,
    /// The TOML text.
    pub text: &'static str,
}

/// All shipped scenarios, in the order in which they are best read. Bases that others extend are left out.
pub fn shipped() -> &'static [ShippedScenario] {
    static SHIPPED: OnceLock<Vec<ShippedScenario>> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let runnable = EMBEDDED.iter().filter(|(name, _)| !name.ends_with("/base"));
        runnable.map(|(name, text)| describe(name, text)).collect()
    })
}

fn describe(name: &'static str, text: &'static str) -> ShippedScenario {
    let tree = parse(0, text).ok();
    let title = tree.as_ref().and_then(|tree| tree.get("title")).and_then(Node::scalar_text);
    ShippedScenario { name, title: title.unwrap_or_else(|| name.to_owned()), story: story_of(text), text }
}

/// Why a name is no shipped scenario's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotShipped {
    /// It is the last part of several names.
    Ambiguous(Vec<&'static str>),
    /// It is none; these are near.
    Unknown(Vec<&'static str>),
}

fn plain(name: &str) -> &str {
    let name = name.trim_start_matches("./");
    let name = name.strip_prefix("scenarios/").unwrap_or(name);
    name.strip_suffix(".toml").unwrap_or(name)
}

/// The scenario with this name, folder included; `.toml` may be there or not.
pub(crate) fn find_exactly(name: &str) -> Option<(&'static str, &'static str)> {
    let wanted = plain(name);
    EMBEDDED.iter().copied().find(|(name, _)| *name == wanted)
}

/// Whether a name that was typed is a slip of the pen for the name of a shipped scenario, its folder apart.
pub(crate) fn is_close(typed: &str, name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    strsim::damerau_levenshtein(plain(typed), last) <= 2 || strsim::damerau_levenshtein(plain(typed), name) <= 2
}

/// The first scenario of a folder.
pub(crate) fn in_folder(name: &str) -> Option<&'static str> {
    let folder = plain(name).trim_end_matches('/');
    let inside = |name: &&'static str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    shipped().iter().map(|one| one.name).find(inside)
}

/// The scenario with this name, with or without its folder.
pub(crate) fn find(name: &str) -> Result<(&'static str, &'static str), NotShipped> {
    let wanted = plain(name);
    if let Some(found) = find_exactly(wanted) {
        return Ok(found);
    }
    let last = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
    let matching: Vec<_> = EMBEDDED.iter().filter(|(name, _)| last(name) == wanted).collect();
    match matching.as_slice() {
        [one] => Ok(**one),
        [] => {
            let mut names = near(wanted, EMBEDDED.iter().map(|(name, _)| *name));
            let by_last = near(wanted, EMBEDDED.iter().map(|(name, _)| last(name)));
            names.extend(EMBEDDED.iter().map(|(name, _)| *name).filter(|name| by_last.contains(&last(name))));
            names.dedup();
            names.truncate(3);
            Err(NotShipped::Unknown(names))
        }
        several => Err(NotShipped::Ambiguous(several.iter().map(|(name, _)| *name).collect())),
    }
}

/// The comment that opens a text, without its marks.
pub(crate) fn story_of(text: &str) -> String {
    let comment = text.lines().skip_while(|line| line.trim().is_empty()).map_while(|line| line.strip_prefix('#'));
    let lines: Vec<&str> = comment.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
