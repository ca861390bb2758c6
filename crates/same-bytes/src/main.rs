//! Compares the pinned runs, with a line each.

use innosim_same_bytes::CASES;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut same = true;
    for case in &CASES {
        let says = match case.hash() {
            Ok(hash) if case.pinned() == Some(hash) => format!("{hash:016x}, as pinned"),
            Ok(hash) => {
                same = false;
                format!("{hash:016x}, but {:016x} is pinned", case.pinned().unwrap_or_default())
            }
            Err(error) => {
                same = false;
                error
            }
        };
        println!("{} {says}", case.name());
    }
    if same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
