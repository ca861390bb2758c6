//! Snapshots of SHOW ENGINE INNODB STATUS.

#![no_main]

use innosim_recordings::fuzz_recording;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    fuzz_recording(text);
});
