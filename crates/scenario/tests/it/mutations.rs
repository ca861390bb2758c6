//! No input makes a parser panic: texts of a corpus, each mutated many times.
//!
//! Mutations are drawn from a fixed seed, so a failure repeats. A text that made a parser fail is kept in `corpus/`.
//! `INNOSIM_MUTATIONS=1000000 cargo test --test it mutations::` looks longer than the few seconds of the suite.

#[path = "../support/mutate.rs"]
mod mutate;

use innosim_flush_models::registry::ModelId;
use innosim_scenario::{Overrides, Source, fuzz_fio, fuzz_option_file, fuzz_show_variables, load};
use mutate::each;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn option_files() {
    each(HERE, "my_cnf", 1_200, |text| {
        fuzz_option_file(ModelId::Mysql8030, text);
    });
}

#[test]
fn variables() {
    each(HERE, "variables", 1_200, |text| {
        fuzz_show_variables(ModelId::Mysql8030, text);
    });
}

#[test]
fn fio() {
    each(HERE, "fio", 500, |text| {
        fuzz_fio(text);
    });
}

#[test]
fn scenarios() {
    each(HERE, "scenario", 500, |text| {
        let loaded = load(Source::Text { name: "mutated.toml", text }, &Overrides::default());
        if let Err(errors) = loaded {
            assert!(!errors.to_string().is_empty());
        }
    });
}
