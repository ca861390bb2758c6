//! Mutations of the texts of a corpus, drawn from a fixed seed; the suites of several crates use them.

#![allow(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use innosim_core::kernel::random::Rng;
use std::path::Path;

/// Pieces that parsers look at twice.
const TOKENS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "=",
    "#",
    ";",
    "!",
    "\\",
    "|",
    "\t",
    "\n",
    "\r\n",
    ":",
    ",",
    ".",
    "-",
    "_",
    "0",
    "-1",
    "1e308",
    "99999999999999999999",
    "NaN",
    "null",
    "true",
    "ON",
    "é",
    "\u{feff}",
    "\u{0}",
    "[mysqld]",
    "loose_",
    "skip_",
    "innodb_",
    "!include ",
    "K",
    "G",
    "ms",
    "auto",
    "none",
    "TS 1795274467.5 2026-11-21 15:21:07\n",
    "Uptime",
    "[ 1s ] thds: 1 tps: ",
    "INNODB MONITOR OUTPUT",
    "\"values\":[[1,\"2\"]]",
];

fn mutated(text: &str, others: &[String], rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=rng.below(4) {
        let len = bytes.len() as u32;
        let at = rng.below(len + 1) as usize;
        let end = (at + rng.below(1 + len / 4) as usize).min(bytes.len());
        match rng.below(7) {
            0 if at < bytes.len() => bytes[at] = rng.below(256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let token = TOKENS[rng.below(TOKENS.len() as u32) as usize];
                drop(bytes.splice(at..at, token.bytes()));
            }
            3 => {
                let token = TOKENS[rng.below(TOKENS.len() as u32) as usize];
                drop(bytes.splice(at..end.min(at + 8), token.bytes()));
            }
            4 => {
                let copy = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            5 => bytes.truncate(at),
            _ => {
                let other = others[rng.below(others.len() as u32) as usize].as_bytes();
                let from = rng.below(other.len() as u32 + 1) as usize;
                let to = (from + rng.below(64) as usize).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
        }
        bytes.truncate(64 << 10);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn corpus(folder: &str, kind: &str) -> Vec<String> {
    let folder = Path::new(folder).join("tests/corpus").join(kind);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect()
}

/// Parses the texts of `folder/kind` and `count` mutations of them.
pub(crate) fn each(folder: &str, kind: &str, count: u32, parse: impl Fn(&str)) {
    let texts = corpus(folder, kind);
    let count = std::env::var("INNOSIM_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(count);
    let mut rng = Rng::stream(1, 0, kind);
    texts.iter().for_each(|text| parse(text));
    for _ in 0..count {
        let text = &texts[rng.below(texts.len() as u32) as usize];
        let text = mutated(text, &texts, &mut rng);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| parse(&text)));
        assert!(outcome.is_ok(), "{kind}: this text makes the parser fail:\n{text}");
    }
}
