//! From a recording's counters to the evidence of its write spectrum, in units of work.
//!
//! The oldest dirty page is the server's own figure where it is recorded. A checkpoint follows it in jumps, so between
//! two of these it is taken to have moved evenly. Log sequence numbers become work by the recorded growth of both.
//!
//! MariaDB counts pages as dirty that are written and still in its flush list. A checkpoint looks for the oldest modification and
//! takes those out that were written by then, and `SHOW ENGINE INNODB STATUS` does the same a second time. So at a sample right
//! after a pass of the page cleaner they are the pages between the checkpoint and what the engine's status then says, and are
//! left out of the evidence.

use innosim_flush_models::registry::undo_segments;
use innosim_flush_models::registry::{ModelId, lookup};
use innosim_recordings::{Quantity, Recording, WORK};
use innosim_spectrum::{Evidence, Order, Sample, Trajectory};

/// Pages of an extent.
const EXTENT_PAGES: u32 = 64;
/// What a page takes along where only adjacent dirty pages are flushed with it: itself and about one more.
const ADJACENT_PAGES: u32 = 2;
/// Share of the samples that must have the server's own figure of the oldest page.
const NEARLY_ALL: f64 = 0.8;

/// Counters of `recording` (of an unknown load) with so many pages at most, and the page ages that lie beside it.
pub(super) fn evidence_of(recording: &Recording, redo_per_work: f64, most_pages: f64) -> Option<Evidence> {
    let work = recording.series.column(WORK)?;
    let lsn = recording.get(Quantity::Lsn)?;
    let oldest = oldest_lsn(recording, &lsn)?;
    let (mut dirty, flushed) = (recording.get(Quantity::DirtyPages)?, recording.get(Quantity::PagesWritten)?);
    if let Some(checkpoint) = looked_at_last(recording) {
        leave_written_out(&mut dirty, &flushed, &oldest, &checkpoint);
    }
    let known = |i: &usize| [lsn[*i], oldest[*i], dirty[*i], flushed[*i], work[*i]].iter().all(|v| v.is_finite());
    let at: Vec<usize> = (0..lsn.len()).filter(known).collect();
    let map: Vec<(f64, f64)> = at.iter().map(|&i| (lsn[i], work[i])).collect();
    let sample =
        |&i: &usize| Sample { work: work[i], oldest: work_at(&map, oldest[i]), dirty: dirty[i], flushed: flushed[i] };
    let trajectory = Trajectory { samples: at.iter().map(sample).collect(), order: order(recording) };
    let ages = recording.page_ages.iter().flat_map(|ages| ages.younger());
    let younger: Vec<(f64, f64)> = ages.map(|(age, pages)| (age as f64 / redo_per_work, pages as f64)).collect();
    let drops_freed = recording.server.model.and_then(undo_segments).is_some();
    // Pages that a growing load makes count as rarely modified ones, so there may be more than there were. Counters alone tell the
    // dirty pages at ages that they reach; page ages reach further, and there the number is what holds them down.
    let most_pages = (!younger.is_empty()).then_some(most_pages);
    Some(Evidence { trajectories: vec![trajectory], younger, drops_freed, most_pages })
}

/// Work that was done when the log had come to `lsn`; before the first sample at the mean rate of all.
fn work_at(map: &[(f64, f64)], lsn: f64) -> f64 {
    let (Some(&(first, work)), Some(&(last, end))) = (map.first(), map.last()) else { return f64::NAN };
    if lsn < first {
        let rate = (end - work) / (last - first);
        return if rate.is_finite() { work - (first - lsn) * rate } else { work };
    }
    let after = map.partition_point(|(at, _)| *at <= lsn).min(map.len() - 1);
    let ((from, done), (to, then)) = (map[after.saturating_sub(1)], map[after]);
    let share = if to > from { ((lsn - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
    done + share * (then - done)
}

/// Log sequence number of the oldest dirty page at each sample.
fn oldest_lsn(recording: &Recording, lsn: &[f64]) -> Option<Vec<f64>> {
    let checkpoint = recording.get(Quantity::CheckpointLsn)?;
    if let Some(oldest) = recording.get(Quantity::OldestModification) {
        let told = oldest.iter().filter(|oldest| oldest.is_finite() && **oldest > 0.0).count();
        if told as f64 >= NEARLY_ALL * lsn.len() as f64 {
            let of = |i: usize| oldest_of(oldest[i], checkpoint[i], lsn[i]);
            return Some((0..lsn.len()).map(of).collect());
        }
    }
    Some(between_jumps(&checkpoint))
}

/// The oldest modification where the server tells it, which says 0 where nothing is dirty; a sample without it stays one.
fn oldest_of(told: f64, checkpoint: f64, lsn: f64) -> f64 {
    match told {
        missing if missing.is_nan() => f64::NAN,
        0.0 => lsn,
        told => told.max(checkpoint),
    }
}

/// Checkpoints of a server that leaves written pages in its flush list, where its status was recorded beside them.
fn looked_at_last(recording: &Recording) -> Option<Vec<f64>> {
    recording.server.model.filter(|model| model.is_mariadb())?;
    recording.get(Quantity::OldestModification)?;
    recording.get(Quantity::CheckpointLsn)
}

/// Takes those off the dirty pages that were written and lay between the checkpoint and the oldest page, at samples between
/// which something was flushed; the flush list is taken to be as dense there as at its tail in the mean.
fn leave_written_out(dirty: &mut [f64], flushed: &[f64], oldest: &[f64], checkpoint: &[f64]) {
    let ends = |values: &[f64]| {
        let mut known = values.iter().copied().filter(|value| value.is_finite());
        let first = known.next()?;
        Some(known.next_back()? - first)
    };
    let (Some(pages), Some(bytes)) = (ends(flushed), ends(oldest)) else { return };
    let density = pages / bytes;
    if !density.is_finite() || density <= 0.0 {
        return;
    }
    for i in 1..dirty.len() {
        let linked = density * (oldest[i] - checkpoint[i]);
        if flushed[i] > flushed[i - 1] && linked > 0.0 {
            // What is not known stays so.
            dirty[i] -= linked.min(dirty[i]);
        }
    }
}

/// Values between two changes on the line between them; after the last change as they are.
fn between_jumps(values: &[f64]) -> Vec<f64> {
    let mut even = values.to_vec();
    let mut last: Option<usize> = None;
    for i in 0..values.len() {
        let before = values[..i].iter().rev().find(|value| value.is_finite());
        if !values[i].is_finite() || before.is_some_and(|before| *before == values[i]) {
            continue;
        }
        if let Some(last) = last {
            let slope = (values[i] - values[last]) / (i - last) as f64;
            even[last..i]
                .iter_mut()
                .zip(0..)
                .skip(1)
                .for_each(|(value, n)| *value = values[last] + slope * f64::from(n));
        }
        last = Some(i);
    }
    even
}

/// What the server flushes together.
fn order(recording: &Recording) -> Order {
    let Some(model) = recording.server.model else { return Order::Pages };
    let says = |name: &str| recording.variables.get(name).map(|value| value.to_ascii_lowercase());
    if lookup(model, "innodb_flush_neighbors").is_ok() {
        return match says("innodb_flush_neighbors").as_deref() {
            _ if recording.flushes_neighbors() == Ok(false) => Order::Pages,
            Some("2") => Order::Extents(EXTENT_PAGES),
            Some("1" | "on") => Order::Extents(ADJACENT_PAGES),
            _ => Order::Pages,
        };
    }
    if let Some(pages) = says("innodb_flush_neighbor_pages") {
        return match pages.as_str() {
            "none" | "0" => Order::Pages,
            "cont" | "2" => Order::Extents(ADJACENT_PAGES),
            _ => Order::Extents(EXTENT_PAGES),
        };
    }
    if matches!(model, ModelId::Mysql55 | ModelId::Percona55) { Order::Extents(EXTENT_PAGES) } else { Order::Pages }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample that was missed says nothing; it does not say that nothing was dirty.
    #[test]
    fn a_gap_in_the_oldest_modification_is_not_a_flushed_pool() {
        assert!(oldest_of(f64::NAN, 100.0, 900.0).is_nan());
        assert_eq!([0.0, 50.0, 300.0].map(|told| oldest_of(told, 100.0, 900.0)), [900.0, 100.0, 300.0]);
    }

    #[test]
    fn log_sequence_numbers_become_work() {
        let map = [(1000.0, 10.0), (2000.0, 20.0), (4000.0, 30.0)];
        let at = |lsn| work_at(&map, lsn);
        assert_eq!([at(1500.0), at(3000.0), at(4000.0), at(9000.0)], [15.0, 25.0, 30.0, 30.0]);
        assert!((at(400.0) - 6.0).abs() < 1e-9, "20 units in 3000 bytes");
    }

    #[test]
    fn written_pages_between_the_checkpoint_and_the_oldest_are_no_dirty_ones() {
        let mut dirty = [900.0, 900.0, 900.0, 30.0, f64::NAN];
        let flushed = [0.0, 100.0, 100.0, 150.0, 200.0];
        let oldest = [1000.0, 2000.0, 2000.0, 2500.0, 3000.0];
        let checkpoint = [1000.0, 1400.0, 1400.0, 1000.0, 2000.0];
        leave_written_out(&mut dirty, &flushed, &oldest, &checkpoint);
        assert_eq!(
            dirty[..4],
            [900.0, 840.0, 900.0, 0.0],
            "600 bytes of a page each 10; nothing flushed; no fewer than none"
        );
        assert!(dirty[4].is_nan());
        let mut still = [5.0, 5.0];
        leave_written_out(&mut still, &[3.0, 3.0], &[10.0, 10.0], &[0.0, 0.0]);
        assert_eq!(still, [5.0, 5.0]);
    }

    #[test]
    fn a_checkpoint_that_jumps_moves_evenly() {
        assert_eq!(between_jumps(&[10.0, 10.0, 40.0, 40.0, 60.0, 60.0]), [10.0, 25.0, 40.0, 50.0, 60.0, 60.0]);
        assert_eq!(between_jumps(&[5.0, 6.0, 7.0]), [5.0, 6.0, 7.0]);
    }
}
