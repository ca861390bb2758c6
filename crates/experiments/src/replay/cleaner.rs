//! Where the page cleaner stood at each sample, as far as its counters tell.
//!
//! The pages requested appear when a pass begins, its pages and its batch are counted when it ends. On a fast device
//! both fall into the same second; on a slow one a pass lasts several seconds, in which no other one begins.
//! Percentages and averages appear when it begins or, where the server [publishes them after the
//! batch](Publishing::after_batch), when it ends.

use innosim_flush_models::replay::Publishing;
use innosim_recordings::Column;

/// The trace of the cleaner over the samples.
#[derive(Clone)]
pub(super) struct Cleaner {
    /// Whether a pass was under way at the sample.
    pub(super) in_flight: Vec<bool>,
    /// Passes that began between this sample and the one before it, of which the last one left its gauges.
    pub(super) began: Vec<u32>,
    /// Whether several passes ended in that second, of which only the last one left its gauges.
    pub(super) several: Vec<bool>,
    /// Pages of all passes that had ended when that pass began, as far as that was recorded.
    pub(super) flushed_before: Vec<Option<f64>>,
    /// The sample that shows percentages and averages of that pass; `None` if none does.
    pub(super) shown: Vec<Option<usize>>,
}

/// The recorded counters that tell of passes.
pub(super) struct Counters<'a> {
    /// Pages requested.
    pub(super) requested: &'a Column,
    /// Buffer pool instances, each a slot that gets its share of the pages requested.
    pub(super) instances: f64,
    /// What else changes when a pass begins.
    pub(super) gauges: &'a [&'a Column],
    /// Batches that ended.
    pub(super) batches: &'a Column,
    /// Their pages.
    pub(super) flushed: &'a Column,
    /// `buffer_flush_lsn_avg_rate`.
    pub(super) lsn_avg_rate: Option<&'a Column>,
    /// Writes in flight.
    pub(super) pending: Option<&'a Column>,
}

impl Cleaner {
    pub(super) fn trace(counters: &Counters<'_>, publishing: Publishing) -> Self {
        let Counters { requested, batches, flushed, .. } = *counters;
        let n = requested.len();
        let mut trace = Cleaner {
            in_flight: vec![false; n],
            began: vec![0; n],
            several: vec![false; n],
            flushed_before: flushed.samples().collect(),
            shown: (0..n).map(Some).collect(),
        };
        for i in 1..n {
            let ended = grown(batches, i);
            let was = trace.in_flight[i - 1];
            let traceless = counters.ends_at_once(i, publishing);
            (trace.began[i], trace.in_flight[i]) = match publishing {
                Publishing { adaptive_only: true, .. } => (ended.is_some_and(|ended| ended > 0.0).into(), false),
                Publishing { after_batch: true, .. } => counters.second_of_56(i, was, ended, traceless),
                _ => counters.second(i, was, ended, traceless),
            };
            trace.several[i] = publishing.adaptive_only && ended.is_some_and(|ended| ended > 1.0);
            trace.flushed_before[i] = match (trace.in_flight[i], was || trace.began[i] > 1) {
                (true, _) => flushed.at(i),
                (false, true) => less_requested(flushed, requested, i),
                (false, false) => flushed.at(i - 1),
            };
        }
        if publishing.after_batch {
            trace.shown = (0..n).map(|i| trace.shown_at(i, batches)).collect();
        }
        trace
    }

    /// For each sample: whether any of `averages` of the pass before it differs from what the pass before that showed.
    pub(super) fn moves(&self, averages: &[Option<&Column>]) -> Vec<bool> {
        let mut last = 0;
        let differs = |i: usize| {
            let Some(at) = self.shown[i].filter(|_| i > 0 && self.began[i] > 0) else { return false };
            let before = std::mem::replace(&mut last, at);
            averages.iter().flatten().any(|values| differ(values, at, before))
        };
        (0..self.began.len()).map(differs).collect()
    }

    /// Where a pass that began before sample `i` shows what it publishes after its batch. If the next pass has ended in
    /// the same second, its gauges have taken their place.
    fn shown_at(&self, i: usize, batches: &Column) -> Option<usize> {
        if !self.in_flight[i] {
            return Some(i);
        }
        let end = (i + 1..batches.len()).find(|&j| grown(batches, j).is_some_and(|ended| ended > 0.0))?;
        (grown(batches, end)? < 2.0).then_some(end)
    }
}

impl Counters<'_> {
    /// Whether a pass before sample `i` asks for nothing, for less than a page a slot or for nothing that is old
    /// enough: it ends at once and is not counted. With an average of 0 the LSN limit of 5.6 is the oldest modification
    /// itself.
    fn ends_at_once(&self, i: usize, publishing: Publishing) -> bool {
        let no_reach = publishing.after_batch && self.lsn_avg_rate.is_some_and(|rate| rate.at(i) == Some(0.0));
        // Where equal shares are cut to whole pages, fewer pages than instances are none.
        let fewest = if publishing.rounds_slots_up { 1.0 } else { self.instances };
        self.requested.at(i).is_some_and(|pages| pages < fewest) || no_reach
    }

    fn changed(values: &Column, i: usize) -> bool {
        differ(values, i, i - 1)
    }

    /// Passes that began between sample `i` and the one before it, and whether one is in flight then. `was`: whether
    /// one was at the earlier sample; `ended`: batches that ended between the two.
    fn second(&self, i: usize, was: bool, ended: Option<f64>, traceless: bool) -> (u32, bool) {
        let moved = Self::changed(self.requested, i) || self.gauges.iter().any(|gauge| Self::changed(gauge, i));
        let seen = u32::from(moved || traceless);
        let Some(ended) = ended.map(|ended| ended as u32) else { return (seen, false) };
        let began = ended.saturating_sub(u32::from(was)).max(seen);
        (began, !traceless && u32::from(was) + began > ended)
    }

    /// The same where only the pages requested tell of a beginning, which may be as many as before. A pass begins a
    /// second after the one before it, or when that ends if it takes longer; so one that ended is followed by another,
    /// unless nothing is being written or the next second shows that it began there.
    fn second_of_56(&self, i: usize, was: bool, ended: Option<f64>, traceless: bool) -> (u32, bool) {
        let began_later = Self::changed(self.requested, i + 1) && grown(self.batches, i + 1) == Some(0.0);
        let pending = self.pending.and_then(|pending| pending.at(i)).map(|writes| writes > 0.0);
        let in_flight = if traceless || began_later {
            false
        } else if was && ended == Some(0.0) {
            true
        } else if pending == Some(false) {
            false
        } else if !was && ended == Some(0.0) {
            Self::changed(self.requested, i) || pending == Some(true)
        } else {
            ended.is_some_and(|ended| f64::from(u8::from(was)) + 1.0 > ended)
        };
        let begun = ended.map(|ended| f64::from(u8::from(in_flight)) + ended - f64::from(u8::from(was)));
        ((begun.is_some_and(|begun| begun > 0.0) || (traceless && !was)).into(), in_flight)
    }
}

/// What a counter grew by since the sample before; `None` next to a gap.
fn grown(counter: &Column, i: usize) -> Option<f64> {
    Some(counter.at(i)? - counter.at(i - 1)?)
}

/// Whether two samples that are there differ.
fn differ(values: &Column, one: usize, other: usize) -> bool {
    values.at(one).zip(values.at(other)).is_some_and(|(one, other)| one != other)
}

/// Pages flushed up to sample `i` without those of the pass that ended before it.
fn less_requested(flushed: &Column, requested: &Column, i: usize) -> Option<f64> {
    Some((flushed.at(i)? - requested.at(i)?).max(flushed.at(i - 1)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_flush_models::registry::ModelId;

    fn trace(model: ModelId, requested: &[f64], batches: &[f64], flushed: &[f64]) -> Cleaner {
        let [requested, batches, flushed] = [requested, batches, flushed].map(|values| Column::from(values.to_vec()));
        let counters = Counters {
            requested: &requested,
            instances: 1.0,
            gauges: &[],
            batches: &batches,
            flushed: &flushed,
            lsn_avg_rate: None,
            pending: None,
        };
        Cleaner::trace(&counters, model.publishing())
    }

    #[test]
    fn short_passes_begin_and_end_in_their_second() {
        let flushed = [0.0, 104.0, 216.0, 340.0];
        let trace = trace(ModelId::Mysql97, &[0.0, 100.0, 110.0, 120.0], &[0.0, 1.0, 2.0, 3.0], &flushed);
        assert_eq!(trace.in_flight, [false; 4]);
        assert_eq!(trace.began[1..], [1; 3]);
        assert_eq!(trace.flushed_before[1..], [0.0, 104.0, 216.0].map(Some));
    }

    #[test]
    fn of_two_passes_in_a_second_the_last_one_is_seen_and_both_count() {
        let flushed = [0.0, 104.0, 320.0, 440.0];
        let trace = trace(ModelId::Mysql97, &[0.0, 100.0, 110.0, 120.0], &[0.0, 1.0, 3.0, 4.0], &flushed);
        assert_eq!(trace.began[1..], [1, 2, 1]);
        assert_eq!(trace.flushed_before[1..], [0.0, 210.0, 320.0].map(Some));
    }

    #[test]
    fn a_request_of_less_than_a_page_a_slot_ends_at_once() {
        let [requested, batches, flushed] =
            [[3.0, 3.0, 3.0, 271.0, 285.0], [0.0, 0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 264.0, 544.0]]
                .map(|values| Column::from(values.to_vec()));
        let counters = Counters {
            requested: &requested,
            instances: 8.0,
            gauges: &[],
            batches: &batches,
            flushed: &flushed,
            lsn_avg_rate: None,
            pending: None,
        };
        let trace = Cleaner::trace(&counters, ModelId::Mysql57.publishing());
        assert_eq!(trace.in_flight, [false; 5]);
        assert_eq!(trace.flushed_before[3..], [0.0, 264.0].map(Some));
    }

    #[test]
    fn a_long_pass_leaves_seconds_without_one() {
        let flushed = [0.0, 0.0, 0.0, 304.0, 304.0];
        let trace = trace(ModelId::Mysql97, &[0.0, 300.0, 300.0, 390.0, 390.0], &[0.0, 0.0, 0.0, 1.0, 1.0], &flushed);
        assert_eq!(trace.in_flight, [false, true, true, true, true]);
        assert_eq!(trace.began[1..], [1, 0, 1, 0]);
        assert_eq!(trace.flushed_before[3], Some(304.0));
    }

    #[test]
    fn what_5_6_publishes_after_a_batch_shows_where_it_ended() {
        // The second pass asks for as much as the first one and begins when that ends, before sample 3.
        let flushed = [0.0, 0.0, 0.0, 304.0, 304.0, 912.0];
        let trace = trace(
            ModelId::Mysql56,
            &[0.0, 300.0, 300.0, 300.0, 300.0, 300.0],
            &[0.0, 0.0, 0.0, 1.0, 1.0, 3.0],
            &flushed,
        );
        assert_eq!(trace.began[1..], [1, 0, 1, 0, 1]);
        assert_eq!(trace.shown[1], Some(3));
        assert_eq!(trace.shown[3], None, "two passes ended before sample 5");
    }

    #[test]
    fn of_mariadb_only_adaptive_passes_count() {
        let flushed = [0.0, 100.0, 100.0, 300.0];
        let trace = trace(ModelId::Mariadb1011, &[0.0, 100.0, 100.0, 100.0], &[0.0, 1.0, 1.0, 3.0], &flushed);
        assert_eq!(trace.began[1..], [1, 0, 1]);
        assert_eq!(trace.several[1..], [false, false, true]);
        assert_eq!(trace.flushed_before[3], Some(100.0));
    }

    /// A sample that is missing is no change, and no number of pages.
    #[test]
    fn a_gap_begins_no_pass() {
        let gap = f64::NAN;
        let flushed = [0.0, 0.0, gap, gap, 304.0];
        let trace = trace(ModelId::Mysql97, &[300.0, 300.0, gap, gap, 300.0], &[0.0, 0.0, gap, gap, 1.0], &flushed);
        assert_eq!(trace.began[1..], [0; 4]);
        assert_eq!(trace.flushed_before[1..], [Some(0.0), Some(0.0), None, None]);
    }
}
