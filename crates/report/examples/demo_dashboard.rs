//! Draws dashboards of made-up runs into a folder: `cargo run --example demo_dashboard -- FOLDER`.
//!
//! For whoever works on the drawing: waves of two lengths, an idle server, a single second, tiny and huge values.

#[path = "../tests/it/synthetic/mod.rs"]
mod synthetic;

use innosim_report::{render_summary, write_dashboards};
use std::path::PathBuf;
use synthetic::{Made, idle, scaled, waves};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "dashboards".to_owned()));
    let runs = [
        ("waves-600", Made::of("Ten minutes on a redo log that is too small", waves(600, 160))),
        ("waves-5000", Made::of("sysbench-tpcc on a SATA SSD: waves", waves(5000, 700))),
        ("day", Made::of("A whole day", waves(86_400, 9000))),
        ("idle", Made::of("Nothing to do", idle(600))),
        ("one-second", Made::of("A single second", waves(1, 10))),
        ("tiny", Made::of("Tiny values", scaled(300, 1e-4))),
        ("huge", Made::of("Huge values", scaled(300, 2e5))),
    ];
    for (name, run) in &runs {
        let to = folder.join(name);
        std::fs::create_dir_all(&to)?;
        let started = std::time::Instant::now();
        write_dashboards(&to, &run.report())?;
        println!("{name}: {:?}\n\n{}", started.elapsed(), render_summary(&run.report()));
    }
    Ok(())
}
