//! No input makes a parser panic: texts of a corpus, each mutated many times.
//!
//! Mutations are drawn from a fixed seed, so a failure repeats. A text that made a parser fail is kept in `corpus/`.
//! `INNOSIM_MUTATIONS=1000000 cargo test --test mutations` looks longer than the few seconds of the suite.

#![allow(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use innosim_core::kernel::random::Rng;
use innosim_flush_models::registry::ModelId;
use innosim_scenario::{Overrides, Source, fuzz_fio, fuzz_option_file, fuzz_show_variables, load};
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

fn corpus(kind: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(kind);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect()
}

fn each(kind: &str, count: u32, parse: impl Fn(&str)) {
    let texts = corpus(kind);
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

#[test]
fn option_files() {
    each("my_cnf", 1_200, |text| {
        fuzz_option_file(ModelId::Mysql8030, text);
    });
}

#[test]
fn variables() {
    each("variables", 1_200, |text| {
        fuzz_show_variables(ModelId::Mysql8030, text);
    });
}

#[test]
fn fio() {
    each("fio", 500, |text| {
        fuzz_fio(text);
    });
}

#[test]
fn scenarios() {
    each("scenario", 500, |text| {
        let loaded = load(Source::Text { name: "mutated.toml", text }, &Overrides::default());
        if let Err(errors) = loaded {
            assert!(!errors.to_string().is_empty());
        }
    });
}
