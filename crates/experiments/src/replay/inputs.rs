//! What a recording knows of each pass.

use super::cleaner::{Cleaner, Counters};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::FlushGauges;
use innosim_flush_models::replay::{Publishing, ReplayPass};
use innosim_recordings::{Column, Missing, Quantity, Recording};

/// Samples further apart than this leave the number of passes between them open, seconds.
const MAX_GAP_S: f64 = 1.5;
/// Seconds after the start and before the end of the load that are left out: the server is idle for part of them.
const EDGE_S: f64 = 1.0;

/// Which counters a server publishes; others can't be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) n_to_flush_requested: bool,
    pub(super) pct_for_dirty: bool,
    pub(super) pct_for_lsn: bool,
    pub(super) avg_page_rate: bool,
    pub(super) lsn_avg_rate: bool,
}

impl Known {
    /// The pages requested alone.
    const REQUEST: Known = Known {
        n_to_flush_requested: true,
        pct_for_dirty: false,
        pct_for_lsn: false,
        avg_page_rate: false,
        lsn_avg_rate: false,
    };
}

/// The recorded series that a replay reads.
#[derive(Clone)]
pub(super) struct Inputs {
    seconds: Vec<f64>,
    /// Seconds from a turn of the server's clock to the first sample.
    clock_phase_s: f64,
    load: (f64, f64),
    lsn: Column,
    oldest: Column,
    dirty: Column,
    lru: Column,
    free: Column,
    sync: Column,
    /// Pages written by anybody, and those of the flush lists, since the server's start.
    written: Option<Column>,
    flushed: Column,
    cleaner: Cleaner,
    /// Whether the averages of the pass before each sample differ from those of the pass before it.
    averages_moved: Vec<bool>,
    publishing: Publishing,
    due: Option<Column>,
    requested: Column,
    pct_for_dirty: Option<Column>,
    pct_for_lsn: Column,
    avg_page_rate: Option<Column>,
    lsn_avg_rate: Option<Column>,
    pub(super) known: Known,
}

/// What is known of the pass between two samples.
pub(super) struct Between {
    /// Time of the later sample, seconds.
    pub(super) second: f64,
    /// Whether the whole second lies under load.
    pub(super) under_load: bool,
    /// Pages of sync flushing in it.
    pub(super) sync_pages: f64,
    /// Whether several passes ran in it of which only one can be told.
    pub(super) several_passes: bool,
    /// Passes that began in it; a long one may take the whole second.
    pub(super) passes: u32,
    /// Whether the pass before it was still writing, or LRU tails were written first, so that the oldest modification
    /// moved before the decision.
    pub(super) oldest_moves: bool,
    /// Pages that finished passes had flushed when it began, since the server's start.
    pub(super) flushed_before: u64,
    /// The fewest and the most that they may be, as the trace of the cleaner may be wrong by a pass.
    flushed_bounds: [u64; 2],
    /// What the server published.
    pub(super) recorded: FlushGauges,
    /// Of that, what is known to be of this pass.
    pub(super) known: Known,
    /// What may have been written when; the likeliest first.
    steps: Vec<Steps>,
    from: ReplayPass,
    to: ReplayPass,
}

/// Pages that stopped being dirty in steps, and not steadily.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Steps {
    /// Before the pass decided: LRU tails of 5.6, batches of passes before.
    before: f64,
    /// After it: of its own batch.
    after: f64,
}

/// Shares of a way of which nothing is known.
const UNKNOWN_SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Inputs {
    /// `instances`: buffer pool instances.
    pub(super) fn of(recording: &Recording, publishing: Publishing, instances: f64) -> Result<Self, Missing> {
        let need = |quantity| recording.quantity(quantity, "replay");
        let adaptive = need(Quantity::AdaptivePages)?;
        let sync = recording.get(Quantity::SyncPages).unwrap_or_else(|| Column::zeros(adaptive.len()));
        let pct_for_dirty = recording.get(Quantity::PctForDirty);
        let avg_page_rate = recording.get(Quantity::AvgPageRate);
        let requested = need(Quantity::NToFlushRequested)?;
        let pct_for_lsn = need(Quantity::PctForLsn)?;
        let due = recording.get(Quantity::NToFlushByAge);
        let flushed = adaptive.with(&sync, |adaptive, sync| adaptive + sync);
        let batches = recording.get(Quantity::AdaptiveBatches).unwrap_or_else(|| one_a_growth(&flushed));
        let gauges: Vec<&Column> = [Some(&pct_for_lsn), due.as_ref()].into_iter().flatten().collect();
        let lsn_avg_rate = recording.get(Quantity::LsnAvgRate);
        let pending = recording.get(Quantity::PendingListWrites);
        let counters = Counters {
            requested: &requested,
            instances,
            gauges: &gauges,
            batches: &batches,
            flushed: &flushed,
            lsn_avg_rate: lsn_avg_rate.as_ref(),
            pending: pending.as_ref(),
        };
        let cleaner = Cleaner::trace(&counters, publishing);
        let averages_moved = cleaner.moves(&[avg_page_rate.as_ref(), lsn_avg_rate.as_ref()]);
        Ok(Inputs {
            seconds: recording.series.seconds.clone(),
            clock_phase_s: 0.0,
            load: recording.load_window(),
            lsn: need(Quantity::MetricsLsn)?,
            oldest: need(Quantity::OldestModification)?,
            dirty: need(Quantity::DirtyPages)?,
            lru: need(Quantity::LruPages)?,
            free: need(Quantity::FreePages)?,
            sync,
            written: recording.get(Quantity::PagesWritten),
            flushed,
            cleaner,
            averages_moved,
            publishing,
            requested,
            pct_for_lsn,
            known: Known {
                // Where the pages due by age are one of its three wishes, it can't be told without them.
                n_to_flush_requested: due.is_some() || publishing.wishes < 3,
                pct_for_dirty: pct_for_dirty.is_some(),
                pct_for_lsn: true,
                avg_page_rate: avg_page_rate.is_some(),
                lsn_avg_rate: lsn_avg_rate.is_some(),
            },
            due,
            pct_for_dirty,
            avg_page_rate,
            lsn_avg_rate,
        })
    }

    /// Counters that are not recorded, and what is not told without them.
    pub(super) fn not_recorded(&self, recording: &Recording) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.known.n_to_flush_requested {
            let without = Quantity::NToFlushByAge.what();
            remarks
                .push(format!("{without} is not recorded: the pages requested, which depend on it, are not compared"));
        }
        let gauges = [Quantity::PctForDirty, Quantity::AvgPageRate, Quantity::LsnAvgRate];
        for gauge in gauges.into_iter().filter(|gauge| recording.get(*gauge).is_none()) {
            remarks.push(format!("{} is not recorded, and not compared", gauge.what()));
        }
        if recording.get(Quantity::AdaptiveBatches).is_none() {
            remarks.push(
                "buffer_flush_adaptive is not recorded: one pass is counted in each second in which its pages grew"
                    .to_owned(),
            );
        }
        if recording.get(Quantity::SyncPages).is_none() {
            remarks.push(
                "buffer_flush_sync_total_pages is not recorded: seconds with sync flushing can't be left out"
                    .to_owned(),
            );
        }
        remarks
    }

    /// The same with a clock of the server that turned so many seconds before the first sample.
    pub(super) fn at_clock_phase(&self, clock_phase_s: f64) -> Self {
        Inputs { clock_phase_s, ..self.clone() }
    }

    pub(super) fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Whether the server's averages moved with the pass before sample `i`.
    pub(super) fn averages_moved(&self, i: usize) -> bool {
        self.averages_moved[i]
    }

    /// What the server had published of its decisions at sample `i`; `None` at a gap.
    pub(super) fn published(&self, i: usize) -> Option<FlushGauges> {
        Some(FlushGauges {
            n_to_flush_requested: whole(self.requested.at(i))?,
            n_to_flush_by_age: self.due.as_ref().map_or(Some(0), |due| whole(due.at(i)))?,
            avg_page_rate: optional(&self.avg_page_rate, i)?,
            lsn_avg_rate: optional(&self.lsn_avg_rate, i)?,
            pct_for_dirty: optional(&self.pct_for_dirty, i)?,
            pct_for_lsn: whole(self.pct_for_lsn.at(i))?,
        })
    }

    /// The pass between sample `i` and the one before it; `None` next to a gap.
    pub(super) fn between(&self, i: usize) -> Option<Between> {
        let (before, after) = (self.seconds[i - 1], self.seconds[i]);
        if after - before > MAX_GAP_S || before - self.seconds[i - 2] > MAX_GAP_S {
            return None;
        }
        // What was clean before was first dirtied by the oldest change of now.
        let oldest =
            |at: usize| self.oldest.at(at).and_then(|told| if told == 0.0 { self.oldest.at(i) } else { Some(told) });
        let due = self.due.as_ref().map_or(Some(0), |due| whole(due.at(i)))?;
        let pass = |at: usize| {
            Some(ReplayPass {
                now: self.instant(self.seconds[at]),
                cur_lsn: whole(self.lsn.at(at))?,
                oldest_lsn: whole(oldest(at))?,
                dirty_pages: whole(self.dirty.at(at))?,
                lru_pages: whole(self.lru.at(at))?,
                free_pages: whole(self.free.at(at))?,
                n_to_flush_by_age: due,
                last_pages: 0,
            })
        };
        let shown = self.cleaner.shown[i].unwrap_or(i);
        Some(Between {
            second: after,
            under_load: before >= self.load.0 + EDGE_S && after <= self.load.1 - EDGE_S,
            sync_pages: self.sync.at(i)? - self.sync.at(i - 1)?,
            several_passes: self.cleaner.several[i],
            passes: self.cleaner.began[i],
            oldest_moves: self.cleaner.in_flight[i - 1] || self.steps_of_56(i).is_some_and(|steps| steps.before > 0.0),
            flushed_before: whole(self.cleaner.flushed_before[i])?,
            flushed_bounds: [whole(self.flushed.at(i - 1))?, whole(self.flushed.at(i))?],
            recorded: FlushGauges {
                n_to_flush_requested: whole(self.requested.at(i))?,
                n_to_flush_by_age: due,
                ..self.published(shown)?
            },
            known: if self.cleaner.shown[i].is_some() { self.known } else { Known::REQUEST },
            steps: if self.publishing.lru_first {
                vec![self.steps_of_56(i).unwrap_or_default()]
            } else {
                self.steps(i).unwrap_or_else(|| vec![Steps::default()])
            },
            from: pass(i - 1)?,
            to: pass(i)?,
        })
    }

    /// The steps between sample `i` and the one before it, if those of one pass that flushes LRU tails first.
    fn steps_of_56(&self, i: usize) -> Option<Steps> {
        let whole = self.cleaner.began[i] > 0 && !self.cleaner.in_flight[i - 1] && !self.cleaner.in_flight[i];
        if !self.publishing.lru_first || !whole {
            return None;
        }
        let written = self.written.as_ref()?;
        let all = written.at(i)? - written.at(i - 1)?;
        let before = (all - (self.flushed.at(i)? - self.flushed.at(i - 1)?)).max(0.0);
        Some(Steps { before, after: all - before })
    }

    /// The steps between sample `i` and the one before it of a server that decides before it writes. How much of a batch
    /// in flight was written at a sample is not known.
    fn steps(&self, i: usize) -> Option<Vec<Steps>> {
        let (was, is) = (self.cleaner.in_flight[i - 1], self.cleaner.in_flight[i]);
        let ended = self.flushed.at(i)? - self.flushed.at(i - 1)?;
        let (requested_before, requested) = (self.requested.at(i - 1)?, self.requested.at(i)?);
        let at = |share: &f64| {
            let written_earlier = if was { share * requested_before } else { 0.0 };
            let (after, of_ended) = if is { (share * requested, 0.0) } else { (requested.min(ended), requested) };
            Steps { before: (ended - of_ended - written_earlier).max(0.0), after }
        };
        let shares: &[f64] = if was || is { &UNKNOWN_SHARES } else { &UNKNOWN_SHARES[..1] };
        Some(shares.iter().map(at).collect())
    }

    fn instant(&self, second: f64) -> SimTime {
        SimTime(((second - self.seconds[0] + self.clock_phase_s) * 1e9).round() as u64)
    }
}

impl Between {
    /// Shares of its way that the oldest modification may have gone when the pass began.
    pub(super) fn oldest_shares(&self) -> &'static [f64] {
        if self.oldest_moves { &UNKNOWN_SHARES } else { &UNKNOWN_SHARES[..1] }
    }

    /// What `flushed_before` may be where it decides: in the pass that moves the averages.
    pub(super) fn flushed_before_if(&self, averages_moved: bool) -> impl Iterator<Item = u64> {
        let bounds = if averages_moved { &self.flushed_bounds[..] } else { &[] };
        std::iter::once(self.flushed_before).chain(bounds.iter().copied())
    }

    /// See [`Steps`].
    pub(super) fn steps(&self) -> &[Steps] {
        &self.steps
    }

    /// Dirty pages when the pass decided: pages become dirty steadily, and go in steps.
    fn dirty_at(&self, share: f64, Steps { before, after }: Steps) -> u64 {
        let (from, to) = (self.from.dirty_pages as f64, self.to.dirty_pages as f64);
        (from + share * (to - from + before + after) - before).round().max(0.0) as u64
    }

    /// The pass, if it ran after `share` of the time between the samples, with the oldest modification at
    /// `oldest_share` of its way and pages written in these steps.
    pub(super) fn at(&self, share: f64, oldest_share: f64, steps: Steps) -> ReplayPass {
        let oldest = self.from.oldest_lsn as f64;
        let lay = |from: u64, to: u64| (from as f64 + share * (to as f64 - from as f64)).round() as u64;
        ReplayPass {
            now: SimTime(lay(self.from.now.0, self.to.now.0)),
            cur_lsn: lay(self.from.cur_lsn, self.to.cur_lsn),
            oldest_lsn: (oldest + oldest_share * (self.to.oldest_lsn as f64 - oldest)).round() as u64,
            dirty_pages: self.dirty_at(share, steps),
            lru_pages: lay(self.from.lru_pages, self.to.lru_pages),
            free_pages: lay(self.from.free_pages, self.to.free_pages),
            ..self.from
        }
    }
}

/// Batches, where only their pages were counted: one between two samples between which those grew.
fn one_a_growth(pages: &Column) -> Column {
    let (mut last, mut batches) = (f64::INFINITY, 0.0);
    let count = |pages: Option<f64>| {
        let pages = pages?;
        batches += f64::from(u8::from(pages > last));
        last = pages;
        Some(batches)
    };
    pages.samples().map(count).collect()
}

fn optional(column: &Option<Column>, i: usize) -> Option<u64> {
    column.as_ref().map_or(Some(0), |column| whole(column.at(i)))
}

/// A recorded count; `None` for a gap.
fn whole(sample: Option<f64>) -> Option<u64> {
    sample.filter(|value| *value >= 0.0 && value.is_finite()).map(|value| value as u64)
}
