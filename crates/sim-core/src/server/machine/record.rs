//! Keeps the series: counts through a second, to which [`crate::server::second`] adds the gauges at its end.

use crate::kernel::histogram::Histogram;
use crate::kernel::time::SimDuration;
use crate::metrics::{DiskSecond, SecondSample};
use crate::seam::FlushKind;

/// Amounts since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::server) struct IoTotals {
    pub(in crate::server) page_reads: u64,
    pub(super) page_writes: u64,
    pub(in crate::server) lru_pages: u64,
}

/// Counts of the second in progress, and what is kept of the seconds before.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Recorder {
    /// Amounts of the second in progress; its gauges are filled in at its end.
    pub(in crate::server) counts: SecondSample,
    /// Whether a sync pass began in this second.
    pub(in crate::server) sync_flushing: bool,
    /// Modifications that met a page under write.
    pub(in crate::server) blocked_modifications: u64,
    /// Batches that waited for redo before they were written.
    pub(in crate::server) writes_that_waited_for_redo: u64,
    pub(in crate::server) latency: Histogram,
    pub(in crate::server) latency_10s: Histogram,
    pub(in crate::server) latency_by_10s: Vec<Histogram>,
    pub(in crate::server) series: Vec<SecondSample>,
    pub(in crate::server) disk: Vec<DiskSecond>,
    /// Page reads, pages posted, and pages posted by LRU batches in the seconds before.
    pub(in crate::server) past: IoTotals,
    pub(in crate::server) start_lsn: u64,
    pub(in crate::server) last_lsn: u64,
    /// Redo bytes written in the seconds before.
    pub(in crate::server) redo_written_before: u64,
}

impl Recorder {
    pub(in crate::server) fn new(start_lsn: u64) -> Self {
        Recorder { start_lsn, last_lsn: start_lsn, ..Recorder::default() }
    }

    /// A transaction ended with this latency.
    #[inline]
    pub(in crate::server) fn transaction(&mut self, latency: SimDuration) {
        self.counts.transactions += 1;
        self.latency.record(latency);
    }

    /// Pages were taken from a flush list.
    pub(in crate::server) fn flushed(&mut self, kind: FlushKind, pages: u64) {
        self.counts.pages_flushed += pages;
        match kind {
            FlushKind::Adaptive | FlushKind::LruOnly => self.counts.adaptive_pages += pages,
            FlushKind::Sync => self.counts.sync_pages += pages,
            FlushKind::Background => self.counts.background_pages += pages,
        }
    }

    /// Pages were taken from an LRU list by a batch; in a sync pass they count as sync flushing too.
    pub(in crate::server) fn flushed_lru(&mut self, pages: u64, in_sync_pass: bool) {
        self.counts.pages_flushed += pages;
        self.counts.lru_pages += pages;
        if in_sync_pass {
            self.counts.sync_pages += pages;
            self.counts.lru_sync_pages += pages;
        }
    }

    /// Latencies since the last whole ten seconds were over; of these, at their end.
    pub(in crate::server) fn latencies(&self) -> &Histogram {
        match self.latency_by_10s.last() {
            Some(full) if self.latency_10s.count() == 0 => full,
            _ => &self.latency_10s,
        }
    }

    /// Amounts since the start.
    pub(in crate::server) fn totals(&self) -> IoTotals {
        IoTotals {
            page_reads: self.past.page_reads + self.counts.pool_reads,
            page_writes: self.past.page_writes + self.counts.pages_flushed,
            lru_pages: self.past.lru_pages + self.counts.lru_pages,
        }
    }

    /// Forgets the seconds that are over, but for the last.
    pub(in crate::server) fn forget(&mut self) {
        self.series.drain(..self.series.len().saturating_sub(1));
        self.disk.drain(..self.disk.len().saturating_sub(1));
        self.latency_by_10s.drain(..self.latency_by_10s.len().saturating_sub(1));
    }

    /// All finished seconds.
    pub(in crate::server) fn seconds(&self) -> &[SecondSample] {
        &self.series
    }

    /// The last finished second.
    pub(in crate::server) fn last(&self) -> &SecondSample {
        &self.series[self.series.len() - 1]
    }
}
