//! Compares the pinned runs: all of them, with a line each; as WebAssembly the brief ones, in silence.

use innosim_same_bytes::{CASES, Case};
use std::process::ExitCode;

fn main() -> ExitCode {
    if cfg!(target_family = "wasm") { brief() } else { all() }
}

/// 0, or the number of the first brief run that differs.
fn brief() -> ExitCode {
    let brief = CASES.iter().filter(|case| case.brief);
    let differs = |case: &Case| case.hash().ok() != case.pinned();
    ExitCode::from(brief.zip(1..).find(|(case, _)| differs(case)).map_or(0, |(_, number)| number))
}

fn all() -> ExitCode {
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
