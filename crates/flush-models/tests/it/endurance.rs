//! Thirty simulated days in the memory of three: nothing in the machine grows with time but the rows of its series, which are
//! handed out and forgotten here.
//!
//! Each run takes minutes, so they are not in the usual suite:
//!
//! ```text
//! cargo test --release -p innosim-flush-models --test it endurance:: -- --ignored --nocapture
//! ```
//!
//! `ENDURANCE_DAYS=3` makes them shorter, `ENDURANCE_MODEL=mysql-5.6` names one model.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::worlds::*;
use innosim_core::kernel::time::SimDuration;
use innosim_core::workload::{DriveSpec, RateSegment, UndoSpec};
use innosim_flush_models::registry::ModelId;

const MIB: u64 = 1 << 20;
const DAY: u64 = 86_400;

/// Resident memory of this process, bytes; `None` where the system does not tell.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().strip_suffix(" kB")?;
    kib.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// A server with little to do all the time: it changes rows, purges, flushes and takes checkpoints, and each hour has a
/// minute of more.
fn light(model: ModelId, days: u64) -> World {
    let mut world = plain(model, days * DAY).redo(64 * MIB).set("innodb_buffer_pool_size", 64 * MIB);
    world.spec.check = false;
    let workload = &mut world.spec.workload;
    workload.page_sets[0] = page_set(0, 6_000, 0.5);
    workload.transactions[0].undo = UndoSpec { bytes: 400.0, insert_bytes: 100.0, changed_rows: 4 };
    let rate =
        |start_s: u64, per_s| RateSegment { start_s: start_s as f64, ramp_s: 0.0, from_per_s: per_s, to_per_s: per_s };
    let hours = (0..days * 24).flat_map(|hour| [rate(hour * 3_600, 40.0), rate(hour * 3_600 + 60, 2.0)]);
    workload.drive = DriveSpec::Open { clients: 8, rate: hours.collect(), poisson: true };
    world
}

#[test]
#[ignore = "takes minutes for each model"]
fn memory_is_flat_over_thirty_days() {
    let days = std::env::var("ENDURANCE_DAYS").ok().and_then(|days| days.parse().ok()).unwrap_or(30);
    let only = std::env::var("ENDURANCE_MODEL").ok();
    for &model in ModelId::ALL.iter().filter(|model| only.as_ref().is_none_or(|only| only == model.name())) {
        let mut stepping = light(model, days).stepping();
        let (mut transactions, mut flushed, mut early, mut by_day) = (0, 0, None, Vec::new());
        while let Some(row) = stepping.second().unwrap() {
            transactions += row.transactions;
            flushed += row.pages_flushed;
            let second = row.second;
            stepping.forget();
            if second == days * DAY / 10 {
                early = resident();
            }
            if second.is_multiple_of(DAY) {
                by_day.push(resident().map_or(0, |bytes| bytes / 1024));
            }
        }
        let late = resident();
        println!(
            "{model}: {transactions} transactions, {flushed} pages flushed; memory {early:?}, in the end {late:?} bytes; \
             by day, KiB: {by_day:?}"
        );
        assert!(transactions > days * DAY && flushed > 0, "{model}");
        if let (Some(early), Some(late)) = (early, late) {
            assert!(
                late < early + early / 20 + 4 * MIB,
                "{model}: {early} bytes after a tenth of the time, {late} in the end"
            );
        }
    }
}

/// A short form of the same for the usual suite: an hour of every model, and what is forgotten changes nothing.
#[test]
fn forgetting_what_is_over_changes_nothing() {
    for &model in ModelId::ALL {
        let mut world = light(model, 1);
        world.spec.duration = SimDuration::from_secs(600);
        let mut stepping = world.stepping();
        let mut rows = Vec::new();
        while let Some(row) = stepping.second().unwrap() {
            rows.push(row.clone());
            stepping.forget();
        }
        let whole = world.run().unwrap();
        assert_eq!((rows, stepping.event_hash()), (whole.series, whole.event_hash), "{model}");
        assert_eq!(stepping.into_output().series.len(), 1, "the last row alone is left");
    }
}
