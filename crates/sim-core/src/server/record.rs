//! Keeps the series: counts through a second, gauges at its end.

use super::Server;
use super::events::Event;
use crate::kernel::histogram::Histogram;
use crate::kernel::time::{SimDuration, SimTime};
use crate::metrics::{RunOutput, SecondSample};
use crate::seam::FlushKind;

/// Amounts since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IoTotals {
    pub(super) page_reads: u64,
    pub(super) page_writes: u64,
    pub(super) lru_pages: u64,
}

/// Counts of the second in progress, and what is kept of the seconds before.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorder {
    /// Amounts of the second in progress; its gauges are filled in at its end.
    pub(super) counts: SecondSample,
    /// Whether a sync pass began in this second.
    pub(super) sync_flushing: bool,
    /// Modifications that met a page under write.
    pub(super) blocked_modifications: u64,
    /// Batches that waited for redo before they were written.
    pub(super) writes_that_waited_for_redo: u64,
    latency: Histogram,
    latency_10s: Histogram,
    latency_by_10s: Vec<Histogram>,
    series: Vec<SecondSample>,
    /// Page reads, pages posted, and pages posted by LRU batches in the seconds before.
    past: IoTotals,
    start_lsn: u64,
    last_lsn: u64,
    /// Redo bytes written in the seconds before.
    redo_written_before: u64,
}

impl Recorder {
    pub(super) fn new(start_lsn: u64) -> Self {
        Recorder { start_lsn, last_lsn: start_lsn, ..Recorder::default() }
    }

    /// A transaction ended with this latency.
    pub(super) fn transaction(&mut self, latency: SimDuration) {
        self.counts.transactions += 1;
        self.latency.record(latency);
    }

    /// Pages were taken from a flush list.
    pub(super) fn flushed(&mut self, kind: FlushKind, pages: u64) {
        self.counts.pages_flushed += pages;
        match kind {
            FlushKind::Adaptive | FlushKind::LruOnly => self.counts.adaptive_pages += pages,
            FlushKind::Sync => self.counts.sync_pages += pages,
            FlushKind::Background => self.counts.background_pages += pages,
        }
    }

    /// Pages were taken from an LRU list by a batch; in a sync pass they count as sync flushing too.
    pub(super) fn flushed_lru(&mut self, pages: u64, in_sync_pass: bool) {
        self.counts.pages_flushed += pages;
        self.counts.lru_pages += pages;
        if in_sync_pass {
            self.counts.sync_pages += pages;
            self.counts.lru_sync_pages += pages;
        }
    }

    /// Latencies since the last whole ten seconds were over; of these, at their end.
    pub(super) fn latencies(&self) -> &Histogram {
        match self.latency_by_10s.last() {
            Some(full) if self.latency_10s.count() == 0 => full,
            _ => &self.latency_10s,
        }
    }

    /// Amounts since the start.
    pub(super) fn totals(&self) -> IoTotals {
        IoTotals {
            page_reads: self.past.page_reads + self.counts.pool_reads,
            page_writes: self.past.page_writes + self.counts.pages_flushed,
            lru_pages: self.past.lru_pages + self.counts.lru_pages,
        }
    }

    /// Forgets the seconds that are over, but for the last.
    pub(super) fn forget(&mut self) {
        self.series.drain(..self.series.len().saturating_sub(1));
        self.latency_by_10s.drain(..self.latency_by_10s.len().saturating_sub(1));
    }

    /// All finished seconds.
    pub(super) fn seconds(&self) -> &[SecondSample] {
        &self.series
    }

    /// The last finished second.
    pub(super) fn last(&self) -> &SecondSample {
        &self.series[self.series.len() - 1]
    }
}

impl Server {
    pub(super) fn schedule_second(&mut self) {
        let next = self.now + SimDuration::from_secs(1);
        self.calendar.schedule(next, Event::Second);
    }

    /// A simulated second is over.
    pub(super) fn second(&mut self) {
        self.schedule_second();
        self.start_lru_managers();
        let now = self.now;
        let limits = self.model.age_limits();
        let gauges = self.model.gauges();
        let position = self.redo.position();
        let oldest = self.pool.oldest_modification_lsn();
        let device = self.data_device.take_interval(now);
        self.recorder.past = self.recorder.totals();
        let in_sync_pass = self.in_sync_pass();
        let (recovery_redo_bytes, recovery_pages) = self.left_for_recovery();
        let (history, undo_pages) =
            self.purge.as_ref().map_or((0, 0), |purge| (purge.history_len(), purge.undo_pages()));
        let recorder = &mut self.recorder;
        let mut row = std::mem::take(&mut recorder.counts);
        row.second = now.whole_seconds();
        row.latency_ms_p95 = recorder.latency.quantile(0.95).as_millis_f64();
        row.latency_ms_max = recorder.latency.max().as_millis_f64();
        row.checkpoint_age_bytes = position.current_lsn - self.checkpointer.last_lsn();
        row.age_async_bytes = limits.async_bytes;
        row.age_sync_bytes = limits.sync_bytes;
        row.oldest_page_age_bytes = if oldest == 0 { 0 } else { position.current_lsn - oldest };
        (row.recovery_redo_bytes, row.recovery_pages) = (recovery_redo_bytes, recovery_pages);
        row.dirty_pages = self.pool.dirty_pages();
        row.free_pages = self.pool.free_pages();
        row.n_to_flush_requested = gauges.n_to_flush_requested;
        row.avg_page_rate = gauges.avg_page_rate;
        row.lsn_avg_rate = gauges.lsn_avg_rate;
        row.pct_for_lsn = gauges.pct_for_lsn;
        row.pct_for_dirty = gauges.pct_for_dirty;
        let redo_written = self.redo.written_bytes();
        row.redo_written_bytes = redo_written - std::mem::replace(&mut recorder.redo_written_before, redo_written);
        row.redo_generated_bytes = position.current_lsn - recorder.last_lsn;
        if let Some(threads) = &mut self.log_threads {
            threads.fill(now, &mut row);
        }
        (row.history_list_length, row.undo_pages) = (history, undo_pages);
        row.dml_delay_us = self.clients.dml_delay.0 / 1_000;
        row.device_write_bytes = device.write_bytes;
        row.device_read_bytes = device.read_bytes;
        row.device_utilization = device.utilization;
        row.device_queue_mean = device.queue_mean;
        row.arrivals_waiting = self.clients.arrivals_waiting();
        row.sync_flushing = std::mem::take(&mut recorder.sync_flushing) || in_sync_pass;
        row.stopped = self.clients.stopped_within(SimTime(now.0 - 1_000_000_000), now, &self.pool);
        recorder.last_lsn = position.current_lsn;
        recorder.latency_10s.merge(&recorder.latency);
        recorder.latency.clear();
        if row.second.is_multiple_of(10) {
            let full = std::mem::take(&mut recorder.latency_10s);
            recorder.latency_by_10s.push(full.trimmed());
        }
        recorder.series.push(row);
    }

    /// What the run leaves.
    pub(super) fn into_output(mut self) -> RunOutput {
        let end: SimTime = self.end;
        let mut stations = vec![self.processors.report(end), self.data_device.report(end)];
        stations.extend(self.redo_device.as_mut().map(|d| d.report(end)));
        let mut latency_by_10s = std::mem::take(&mut self.recorder.latency_by_10s);
        if self.recorder.latency_10s.count() > 0 {
            latency_by_10s.push(std::mem::take(&mut self.recorder.latency_10s).trimmed());
        }
        let redo_bytes = self.redo.current_lsn() - self.recorder.start_lsn;
        RunOutput {
            series: std::mem::take(&mut self.recorder.series),
            latency_by_10s,
            age_limits: self.model.age_limits(),
            recovery_speed: self.recovery_speed.with_records(self.clients.records(), redo_bytes),
            crashes: self.take_crashes(),
            stations,
            event_hash: self.hash,
            events: self.events,
            touches: self.clients.touches,
            page_structure_bytes: self.pool.bytes() + self.space.bytes(),
            pages_total: u64::from(self.space.pages()),
        }
    }
}
