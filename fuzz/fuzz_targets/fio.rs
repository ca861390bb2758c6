//! fio's JSON.

#![no_main]

use innosim_scenario::fuzz_fio;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    fuzz_fio(text);
});
