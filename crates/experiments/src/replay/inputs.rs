//! What a recording knows of each pass.

use super::cleaner::Cleaner;
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::FlushGauges;
use innosim_flush_models::replay::ReplayPass;
use innosim_recordings::{Missing, Quantity, Recording};

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

/// The recorded series that a replay reads.
pub(super) struct Inputs {
    seconds: Vec<f64>,
    load: (f64, f64),
    lsn: Vec<f64>,
    oldest: Vec<f64>,
    dirty: Vec<f64>,
    lru: Vec<f64>,
    free: Vec<f64>,
    sync: Vec<f64>,
    cleaner: Cleaner,
    due: Option<Vec<f64>>,
    requested: Vec<f64>,
    pct_for_dirty: Option<Vec<f64>>,
    pct_for_lsn: Vec<f64>,
    avg_page_rate: Option<Vec<f64>>,
    lsn_avg_rate: Option<Vec<f64>>,
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
    /// Whether a pass began in it; a long one may take the whole second.
    pub(super) pass_began: bool,
    /// Whether the pass before it was still writing, so that the oldest modification moved before it began.
    pub(super) oldest_moves: bool,
    /// Pages that finished passes had flushed when it began, since the server's start.
    pub(super) flushed_before: u64,
    /// What the server published.
    pub(super) recorded: FlushGauges,
    from: ReplayPass,
    to: ReplayPass,
}

impl Inputs {
    pub(super) fn of(recording: &Recording) -> Result<Self, Missing> {
        let need = |quantity| recording.quantity(quantity, "replay");
        let adaptive = need(Quantity::AdaptivePages)?;
        let sync = recording.get(Quantity::SyncPages).unwrap_or_else(|| vec![0.0; adaptive.len()]);
        let pct_for_dirty = recording.get(Quantity::PctForDirty);
        let avg_page_rate = recording.get(Quantity::AvgPageRate);
        let requested = need(Quantity::NToFlushRequested)?;
        let pct_for_lsn = need(Quantity::PctForLsn)?;
        let due = recording.get(Quantity::NToFlushByAge);
        let flushed: Vec<f64> = adaptive.iter().zip(&sync).map(|(a, s)| a + s).collect();
        let batches = recording.get(Quantity::AdaptiveBatches);
        let gauges: Vec<&[f64]> =
            [Some(&requested), Some(&pct_for_lsn), due.as_ref()].into_iter().flatten().map(Vec::as_slice).collect();
        let cleaner = Cleaner::trace(&requested, &gauges, batches.as_deref().unwrap_or(&flushed), &flushed);
        let lsn_avg_rate = recording.get(Quantity::LsnAvgRate);
        Ok(Inputs {
            seconds: recording.series.seconds.clone(),
            load: recording.load_window(),
            lsn: need(Quantity::MetricsLsn)?,
            oldest: need(Quantity::OldestModification)?,
            dirty: need(Quantity::DirtyPages)?,
            lru: need(Quantity::LruPages)?,
            free: need(Quantity::FreePages)?,
            sync,
            cleaner,
            due,
            requested,
            pct_for_lsn,
            known: Known {
                n_to_flush_requested: true,
                pct_for_dirty: pct_for_dirty.is_some(),
                pct_for_lsn: true,
                avg_page_rate: avg_page_rate.is_some(),
                lsn_avg_rate: lsn_avg_rate.is_some(),
            },
            pct_for_dirty,
            avg_page_rate,
            lsn_avg_rate,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Whether the server's averages moved between sample `i` and the one before it.
    pub(super) fn averages_moved(&self, i: usize) -> bool {
        let moved = |series: &Option<Vec<f64>>| series.as_ref().is_some_and(|values| values[i] != values[i - 1]);
        moved(&self.avg_page_rate) || moved(&self.lsn_avg_rate)
    }

    /// The pass between sample `i` and the one before it; `None` next to a gap.
    pub(super) fn between(&self, i: usize) -> Option<Between> {
        let (before, after) = (self.seconds[i - 1], self.seconds[i]);
        if after - before > MAX_GAP_S || before - self.seconds[i - 2] > MAX_GAP_S {
            return None;
        }
        // What was clean before was first dirtied by the oldest change of now.
        let oldest = |at: usize| if self.oldest[at] == 0.0 { self.oldest[i] } else { self.oldest[at] };
        let due = self.due.as_ref().map_or(Some(0), |due| whole(due[i]))?;
        let pass = |at: usize| {
            Some(ReplayPass {
                now: self.instant(self.seconds[at]),
                cur_lsn: whole(self.lsn[at])?,
                oldest_lsn: whole(oldest(at))?,
                dirty_pages: whole(self.dirty[at])?,
                lru_pages: whole(self.lru[at])?,
                free_pages: whole(self.free[at])?,
                n_to_flush_by_age: due,
                last_pages: 0,
            })
        };
        Some(Between {
            second: after,
            under_load: before >= self.load.0 + EDGE_S && after <= self.load.1 - EDGE_S,
            sync_pages: self.sync[i] - self.sync[i - 1],
            pass_began: self.cleaner.began[i],
            oldest_moves: self.cleaner.in_flight[i - 1],
            flushed_before: whole(self.cleaner.flushed_before[i])?,
            recorded: FlushGauges {
                n_to_flush_requested: whole(self.requested[i])?,
                n_to_flush_by_age: due,
                avg_page_rate: optional(&self.avg_page_rate, i)?,
                lsn_avg_rate: optional(&self.lsn_avg_rate, i)?,
                pct_for_dirty: optional(&self.pct_for_dirty, i)?,
                pct_for_lsn: whole(self.pct_for_lsn[i])?,
            },
            from: pass(i - 1)?,
            to: pass(i)?,
        })
    }

    fn instant(&self, second: f64) -> SimTime {
        SimTime(((second - self.seconds[0]) * 1e9).round() as u64)
    }
}

impl Between {
    /// Shares of its way that the oldest modification may have gone when the pass began.
    pub(super) fn oldest_shares(&self) -> &'static [f64] {
        if self.oldest_moves { &[0.0, 0.25, 0.5, 0.75, 1.0] } else { &[0.0] }
    }

    /// The pass, if it ran after `share` of the time between the samples, with the oldest modification at
    /// `oldest_share` of its way.
    pub(super) fn at(&self, share: f64, oldest_share: f64) -> ReplayPass {
        let oldest = self.from.oldest_lsn as f64;
        let lay = |from: u64, to: u64| (from as f64 + share * (to as f64 - from as f64)).round() as u64;
        ReplayPass {
            now: SimTime(lay(self.from.now.0, self.to.now.0)),
            cur_lsn: lay(self.from.cur_lsn, self.to.cur_lsn),
            oldest_lsn: (oldest + oldest_share * (self.to.oldest_lsn as f64 - oldest)).round() as u64,
            dirty_pages: lay(self.from.dirty_pages, self.to.dirty_pages),
            lru_pages: lay(self.from.lru_pages, self.to.lru_pages),
            free_pages: lay(self.from.free_pages, self.to.free_pages),
            ..self.from
        }
    }
}

fn optional(series: &Option<Vec<f64>>, i: usize) -> Option<u64> {
    series.as_ref().map_or(Some(0), |values| whole(values[i]))
}

/// A recorded count; `None` for a gap.
fn whole(value: f64) -> Option<u64> {
    (value.is_finite() && value >= 0.0).then_some(value as u64)
}
