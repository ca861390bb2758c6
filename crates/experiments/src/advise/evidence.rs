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
use innosim_recordings::{Column, Quantity, Recording, WORK};
use innosim_spectrum::{Evidence, Order, Outgrown, Sample, Trajectory};

/// Pages of an extent.
const EXTENT_PAGES: u32 = 64;
/// What a page takes along where only adjacent dirty pages are flushed with it: itself and about one more.
const ADJACENT_PAGES: u32 = 2;
/// Pages flushed by dirty ones up to which flushing has not begun.
const FEW_FLUSHED: f64 = 0.02;
/// Share of the samples that must have the server's own figure of the oldest page.
const NEARLY_ALL: f64 = 0.8;

/// Counters of `recording` (of an unknown load) with so many pages at most, and the page ages that lie beside it.
pub(super) fn evidence_of(
    recording: &Recording,
    redo_per_work: f64,
    most_pages: f64,
    outgrown: Option<Outgrown>,
) -> Option<Evidence> {
    let work = recording.series.column(WORK)?;
    let lsn = recording.get(Quantity::Lsn)?;
    let oldest = oldest_lsn(recording, &lsn)?;
    let (mut dirty, flushed) = (recording.get(Quantity::DirtyPages)?, recording.get(Quantity::PagesWritten)?);
    if let Some(checkpoint) = looked_at_last(recording) {
        dirty = without_written(&dirty, &flushed, &oldest, &checkpoint);
    }
    let whole = |i: usize| Some((lsn.at(i)?, oldest.at(i)?, dirty.at(i)?, flushed.at(i)?, work.at(i)?));
    let whole: Vec<(f64, f64, f64, f64, f64)> = (0..lsn.len()).filter_map(whole).collect();
    let map: Vec<(f64, f64)> = whole.iter().map(|(lsn, .., work)| (*lsn, *work)).collect();
    let sample = |&(_, oldest, dirty, flushed, work): &(f64, f64, f64, f64, f64)| {
        Some(Sample { work, oldest: work_at(&map, oldest)?, dirty, flushed })
    };
    let samples = from_first_dirty(whole.iter().filter_map(sample).collect());
    let trajectory = Trajectory { samples, order: order(recording) };
    let ages = recording.page_ages.iter().flat_map(|ages| ages.younger());
    let younger: Vec<(f64, f64)> = ages.map(|(age, pages)| (age as f64 / redo_per_work, pages as f64)).collect();
    let drops_freed = recording.server.model.and_then(undo_segments).is_some();
    // Pages that a growing load makes count as rarely modified ones, so there may be more than there were. Counters alone tell the
    // dirty pages at ages that they reach; page ages reach further, and there the number is what holds them down.
    let most_pages = (!younger.is_empty()).then_some(most_pages);
    Some(Evidence { trajectories: vec![trajectory], younger, drops_freed, most_pages, outgrown })
}

/// Work that was done when the log had come to `lsn`; before the first sample at the mean rate of all.
fn work_at(map: &[(f64, f64)], lsn: f64) -> Option<f64> {
    let (&(first, work), &(last, end)) = (map.first()?, map.last()?);
    if lsn < first {
        let rate = if last > first { (end - work) / (last - first) } else { 0.0 };
        return Some(work - (first - lsn) * rate);
    }
    let after = map.partition_point(|(at, _)| *at <= lsn).min(map.len() - 1);
    let ((from, done), (to, then)) = (map[after.saturating_sub(1)], map[after]);
    let share = if to > from { ((lsn - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
    Some(done + share * (then - done))
}

/// The same samples without redo that made no page dirty: up to where the oldest page comes before pages are flushed, none became
/// dirty that still is. A server that has just started has such redo, of what ran before, and its checkpoint lies behind it.
fn from_first_dirty(mut samples: Vec<Sample>) -> Vec<Sample> {
    let Some(&first) = samples.first() else { return samples };
    let flushes_none = |sample: &&Sample| sample.flushed - first.flushed <= FEW_FLUSHED * sample.dirty;
    let from = samples.iter().take_while(flushes_none).map(|sample| sample.oldest).fold(first.oldest, f64::max);
    samples.iter_mut().for_each(|sample| sample.oldest = sample.oldest.max(from).min(sample.work));
    samples
}

/// Log sequence number of the oldest dirty page at each sample.
fn oldest_lsn(recording: &Recording, lsn: &Column) -> Option<Column> {
    let checkpoint = recording.get(Quantity::CheckpointLsn)?;
    if let Some(oldest) = recording.get(Quantity::OldestModification) {
        let told = oldest.present().filter(|oldest| *oldest > 0.0).count();
        if told as f64 >= NEARLY_ALL * lsn.len() as f64 {
            return Some(oldest_told(&oldest, &checkpoint, lsn));
        }
    }
    Some(between_jumps(&checkpoint))
}

/// The oldest modification that the server tells, which is 0 where nothing is dirty.
fn oldest_told(oldest: &Column, checkpoint: &Column, lsn: &Column) -> Column {
    let at = |i: usize| match oldest.at(i)? {
        0.0 => lsn.at(i),
        told => Some(checkpoint.at(i).map_or(told, |checkpoint| told.max(checkpoint))),
    };
    (0..oldest.len()).map(at).collect()
}

/// Checkpoints of a server that leaves written pages in its flush list, where its status was recorded beside them.
fn looked_at_last(recording: &Recording) -> Option<Column> {
    recording.server.model.filter(|model| model.is_mariadb())?;
    recording.get(Quantity::OldestModification)?;
    recording.get(Quantity::CheckpointLsn)
}

/// Dirty pages without those that were written and lay between the checkpoint and the oldest page, at samples between
/// which something was flushed; the flush list is taken to be as dense there as at its tail in the mean.
fn without_written(dirty: &Column, flushed: &Column, oldest: &Column, checkpoint: &Column) -> Column {
    let (Some(pages), Some(bytes)) = (flushed.growth(), oldest.growth()) else { return dirty.clone() };
    if pages <= 0.0 || bytes <= 0.0 {
        return dirty.clone();
    }
    let linked = oldest.with(checkpoint, |oldest, checkpoint| (oldest - checkpoint).max(0.0) * pages / bytes);
    let has_flushed = |i: usize| Some(flushed.at(i)? > flushed.at(i.checked_sub(1)?)?);
    let less = |(i, dirty): (usize, Option<f64>)| {
        let linked = linked.at(i).filter(|_| has_flushed(i) == Some(true));
        Some((dirty? - linked.unwrap_or(0.0)).max(0.0))
    };
    dirty.samples().enumerate().map(less).collect()
}

/// Values between two changes on the line between them; after the last change as they are.
fn between_jumps(values: &Column) -> Column {
    let mut even: Vec<Option<f64>> = values.samples().collect();
    // Values that differ from the one before them.
    let mut last: Option<(usize, f64)> = None;
    let mut before: Option<f64> = None;
    for (i, value) in values.placed() {
        if before.replace(value) == Some(value) {
            continue;
        }
        if let Some((from, start)) = last {
            let slope = (value - start) / (i - from) as f64;
            even[from..i].iter_mut().zip(0..).skip(1).for_each(|(even, n)| *even = Some(start + slope * f64::from(n)));
        }
        last = Some((i, value));
    }
    even.into_iter().collect()
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

    fn column<const N: usize>(values: [f64; N]) -> Column {
        Column::from(values.to_vec())
    }

    /// A sample that was missed says nothing; it does not say that nothing was dirty.
    #[test]
    fn a_gap_in_the_oldest_modification_is_not_a_flushed_pool() {
        let told = oldest_told(&column([0.0, 50.0, f64::NAN, 300.0]), &column([100.0; 4]), &column([900.0; 4]));
        assert_eq!(told, column([900.0, 100.0, f64::NAN, 300.0]));
    }

    /// Of a server that has just started: 24,000 units' worth of redo before its first work, which the oldest page leaves behind
    /// without a page being flushed.
    #[test]
    fn redo_that_made_no_page_dirty_is_no_age() {
        let rates = [(2.9e-5, 6_000.0), (6e-6, 36_000.0)];
        let dirty = |work: f64| rates.iter().map(|(rate, pages)| pages * -libm::expm1(-rate * work)).sum::<f64>();
        let sample = |i: u32| {
            let work = 20_000.0 + 10_000.0 * f64::from(i);
            let oldest = if i < 38 { -24_000.0 } else { 500.0 };
            Sample { work, oldest, dirty: dirty(work), flushed: 48_000.0 + if i < 38 { 0.0 } else { 100.0 } }
        };
        let trimmed = from_first_dirty((0..42).map(sample).collect());
        assert!(trimmed.iter().all(|sample| sample.oldest == 500.0), "{:?}", trimmed[0]);
        let trajectory = Trajectory { samples: trimmed, order: Order::Extents(ADJACENT_PAGES) };
        let fitted =
            innosim_spectrum::fit(&Evidence { trajectories: vec![trajectory], ..Evidence::default() }).unwrap();
        assert!((fitted.spectrum.pages() / 42_000.0 - 1.0).abs() < 0.1 && fitted.residual < 0.02, "{fitted:?}");
        // Where pages are flushed as the oldest page moves, they were there.
        let flushing = |i: u32| Sample { oldest: 1_000.0 * f64::from(i), flushed: 500.0 * f64::from(i), ..sample(i) };
        let kept = from_first_dirty((0..42).map(flushing).collect());
        assert!(kept[0].oldest <= 2_000.0 && kept[41].oldest == 41_000.0, "{:?}", kept[0]);
    }

    #[test]
    fn log_sequence_numbers_become_work() {
        let map = [(1000.0, 10.0), (2000.0, 20.0), (4000.0, 30.0)];
        let at = |lsn| work_at(&map, lsn).unwrap();
        assert_eq!([at(1500.0), at(3000.0), at(4000.0), at(9000.0)], [15.0, 25.0, 30.0, 30.0]);
        assert!((at(400.0) - 6.0).abs() < 1e-9, "20 units in 3000 bytes");
    }

    #[test]
    fn written_pages_between_the_checkpoint_and_the_oldest_are_no_dirty_ones() {
        let dirty = column([900.0, 900.0, 900.0, 30.0, f64::NAN]);
        let flushed = column([0.0, 100.0, 100.0, 150.0, 200.0]);
        let oldest = column([1000.0, 2000.0, 2000.0, 2500.0, 3000.0]);
        let checkpoint = column([1000.0, 1400.0, 1400.0, 1000.0, 2000.0]);
        assert_eq!(
            without_written(&dirty, &flushed, &oldest, &checkpoint),
            column([900.0, 840.0, 900.0, 0.0, f64::NAN]),
            "600 bytes of a page each 10; nothing flushed; no fewer than none"
        );
        let still = column([5.0, 5.0]);
        let flat = [column([3.0, 3.0]), column([10.0, 10.0]), column([0.0, 0.0])];
        assert_eq!(without_written(&still, &flat[0], &flat[1], &flat[2]), still);
    }

    #[test]
    fn a_checkpoint_that_jumps_moves_evenly() {
        let even = between_jumps(&column([10.0, 10.0, 40.0, 40.0, 60.0, 60.0]));
        assert_eq!(even, column([10.0, 25.0, 40.0, 50.0, 60.0, 60.0]));
        assert_eq!(between_jumps(&column([5.0, 6.0, 7.0])), column([5.0, 6.0, 7.0]));
    }
}
