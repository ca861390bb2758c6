//! The scenarios that come with the program, embedded in it.

use crate::node::{Node, parse};
use crate::suggest::near;
use std::sync::OnceLock;

macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("INNOSIM_SCENARIOS"), "/", $name, ".toml")))),*]
    };
}

/// Names and texts, bases included.
const EMBEDDED: &[(&str, &str)] = scenarios![
    "percona-2020-08/base",
    "percona-2020-08/wave-2000-4000",
    "percona-2020-08/wave-7000-default-doublewrite",
    "percona-2020-08/7000-dblwr128-ahi-on-bpi8",
    "percona-2020-08/7000-dblwr128-bpi8",
    "percona-2020-08/7000-bpi32",
    "percona-2020-08/8000-bpi32",
    "percona-2020-08/6500-bpi32",
    "percona-2020-08/redo40g-7000-bpi32",
    "percona-2020-08/redo40g-4500-bpi32",
    "percona-2026/base",
    "percona-2026/mariadb-10.11.16-12g",
    "percona-2026/mariadb-10.11.16-2g",
    "percona-2026/mariadb-10.11.16-32g",
    "percona-2026/mariadb-11.4.10-12g",
    "percona-2026/mariadb-11.4.10-2g",
    "percona-2026/mariadb-11.4.10-32g",
    "percona-2026/mariadb-12.1.2-12g",
    "percona-2026/mariadb-12.1.2-2g",
    "percona-2026/mariadb-12.1.2-32g",
    "percona-2026/mysql-5.7.44-12g",
    "percona-2026/mysql-5.7.44-2g",
    "percona-2026/mysql-5.7.44-32g",
    "percona-2026/mysql-8.0.45-12g",
    "percona-2026/mysql-8.0.45-2g",
    "percona-2026/mysql-8.0.45-32g",
    "percona-2026/mysql-8.4.8-12g",
    "percona-2026/mysql-8.4.8-2g",
    "percona-2026/mysql-8.4.8-32g",
    "percona-2026/mysql-9.6.0-12g",
    "percona-2026/mysql-9.6.0-2g",
    "percona-2026/mysql-9.6.0-32g",
    "percona-2026/mysql-9.7.0-12g",
    "percona-2026/mysql-9.7.0-2g",
    "percona-2026/mysql-9.7.0-32g",
    "percona-2026/percona-5.7.44-12g",
    "percona-2026/percona-5.7.44-2g",
    "percona-2026/percona-5.7.44-32g",
    "percona-2026/percona-8.0.45-12g",
    "percona-2026/percona-8.0.45-2g",
    "percona-2026/percona-8.0.45-32g",
    "percona-2026/percona-8.4.7-12g",
    "percona-2026/percona-8.4.7-2g",
    "percona-2026/percona-8.4.7-32g",
    "percona-2026-counters/base",
    "percona-2026-counters/ladder",
    "percona-2020-07/base",
    "mariadb-2013/base",
    "mariadb-2013/mariadb-5.5.28a",
    "mariadb-2013/mysql-5.6.10",
    "teaching/redo-too-small",
    "teaching/io-capacity-max-too-low",
    "teaching/io-capacity-max-too-high",
    "teaching/doublewrite-batch-too-small",
    "teaching/activity-spike",
    "teaching/idle-server",
    "stories/line-of-56-swings-of-55",
    "stories/spike-on-56-and-55",
    "stories/furious-flushing-of-55",
    "stories/redo-capacity",
    "stories/redo-files",
    "stories/checkpoint-standstill",
    "stories/index-just-built",
    "stories/low-water-marks",
    "stories/commit-modes",
    "stories/group-commit",
    "stories/binary-log-sync",
    "stories/binary-log-in-the-engine",
    "stories/doublewrite-in-memory",
    "stories/doublewrite-io-bound",
    "stories/doublewrite-fast",
    "stories/log-writer-threads",
    "stories/lru-manager-threads",
    "stories/single-page-during-lru-batch",
    "stories/buffer-pool-instances",
    "stories/slow-device-fast-redo",
    "stories/insert-outgrows-pool",
    "stories/flush-neighbors-on-ssd",
    "stories/flush-neighbors-on-disk",
    "stories/purge-lag",
    "stories/undo-truncation",
    "stories/tnt-beside-innodb",
    "museum/mdev-24949",
    "museum/mdev-25093",
    "museum/mdev-31939",
    "museum/mdev-33053",
    "museum/mdev-34265",
    "museum/mdev-36226",
];

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
pub(crate) fn find_exactly(name: &str) -> Result<(&'static str, &'static str), NotShipped> {
    let wanted = plain(name);
    match EMBEDDED.iter().find(|(name, _)| *name == wanted) {
        Some(found) => Ok(*found),
        None => Err(NotShipped::Unknown(near(wanted, EMBEDDED.iter().map(|(name, _)| *name)))),
    }
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
    if let Ok(found) = find_exactly(wanted) {
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
