//! The text of SHOW GLOBAL VARIABLES.

#![no_main]

use innosim_flush_models::registry::ModelId;
use innosim_scenario::fuzz_show_variables;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    fuzz_show_variables(ModelId::Mysql8030, text);
});
