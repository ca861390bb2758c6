//! Scenarios.

#![no_main]

use innosim_scenario::{Overrides, Source, load};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    drop(load(Source::Text { name: "fuzz.toml", text }, &Overrides::default()));
});
