//! Option files.

#![no_main]

use innosim_flush_models::registry::ModelId;
use innosim_scenario::fuzz_option_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    fuzz_option_file(ModelId::Mysql8030, text);
});
