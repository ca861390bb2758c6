//! The end of a simulated second, and of the run: a row of the series, what the run leaves.

use crate::kernel::time::{SimDuration, SimTime};
use crate::metrics::{DiskSecond, RunOutput};
use crate::server::Server;
use crate::server::base::Base;
use crate::server::engine::Engine;
use crate::server::innodb::Innodb;
use crate::server::machine::events::Event;

impl Server {
    pub(super) fn schedule_second(&mut self) {
        let machine = self.machine_mut();
        let next = machine.now + SimDuration::from_secs(1);
        machine.calendar.schedule(next, Event::Second);
    }

    /// A simulated second is over.
    pub(super) fn second(&mut self) {
        self.schedule_second();
        let Innodb { engine, purge, .. } = &mut self.innodb;
        let in_sync_pass = self.cleaner.in_sync_pass(engine);
        let Engine { base: Base { machine, log, .. }, lru_managers, .. } = engine;
        lru_managers.start_lru_managers(machine);
        let now = machine.now;
        let limits = machine.model.age_limits();
        let gauges = machine.model.gauges();
        let position = machine.redo.position();
        let oldest = machine.pool.oldest_modification_lsn();
        let device = machine.data_device.take_interval(now);
        let redo_device = machine.redo_device.as_mut().map(|device| device.take_interval(now));
        machine.recorder.past = machine.recorder.totals();
        let (recovery_redo_bytes, recovery_pages) = machine.left_for_recovery();
        let (history, undo_pages) = purge.as_ref().map_or((0, 0), |purge| (purge.history_len(), purge.undo_pages()));
        let recorder = &mut machine.recorder;
        let mut row = std::mem::take(&mut recorder.counts);
        row.second = now.whole_seconds();
        row.latency_ms_p95 = recorder.latency.quantile(0.95).as_millis_f64();
        row.latency_ms_p99 = recorder.latency.quantile(0.99).as_millis_f64();
        row.latency_ms_max = recorder.latency.max().as_millis_f64();
        row.checkpoint_age_bytes = position.current_lsn - machine.last_checkpoint_lsn;
        row.age_async_bytes = limits.async_bytes;
        row.age_sync_bytes = limits.sync_bytes;
        row.oldest_page_age_bytes = if oldest == 0 { 0 } else { position.current_lsn - oldest };
        (row.recovery_redo_bytes, row.recovery_pages) = (recovery_redo_bytes, recovery_pages);
        row.dirty_pages = machine.pool.dirty.count();
        row.free_pages = machine.pool.frames.free();
        row.n_to_flush_requested = gauges.n_to_flush_requested;
        row.avg_page_rate = gauges.avg_page_rate;
        row.lsn_avg_rate = gauges.lsn_avg_rate;
        row.pct_for_lsn = gauges.pct_for_lsn;
        row.pct_for_dirty = gauges.pct_for_dirty;
        let redo_written = machine.redo.written().bytes;
        row.redo_written_bytes = redo_written - std::mem::replace(&mut recorder.redo_written_before, redo_written);
        row.redo_generated_bytes = position.current_lsn - recorder.last_lsn;
        log.fill(now, &mut row);
        (row.history_list_length, row.undo_pages) = (history, undo_pages);
        row.dml_delay_us = purge.as_ref().map_or(0, |purge| purge.dml_delay.0 / 1_000);
        row.device_write_bytes = device.write_bytes;
        row.device_read_bytes = device.read_bytes;
        row.device_utilization = device.utilization;
        row.device_queue_mean = device.queue_mean;
        row.arrivals_waiting = self.clients.arrivals_waiting();
        row.sync_flushing = std::mem::take(&mut recorder.sync_flushing) || in_sync_pass;
        row.stopped = self.clients.stopped_within(SimTime(now.0 - 1_000_000_000), now, &machine.pool);
        recorder.last_lsn = position.current_lsn;
        recorder.latency_10s.merge(&recorder.latency);
        recorder.latency.clear();
        if row.second.is_multiple_of(10) {
            let full = std::mem::take(&mut recorder.latency_10s);
            recorder.latency_by_10s.push(full.trimmed());
        }
        recorder.series.push(row);
        let journaled = machine.file_system.as_mut().map(|file_system| file_system.take_flush_requests());
        let mut disk = DiskSecond { writes: journaled.unwrap_or(0), ..DiskSecond::default() };
        for interval in [Some(device), redo_device].into_iter().flatten() {
            disk.writes += interval.write_pieces + if journaled.is_none() { interval.syncs } else { 0 };
            disk.write_bytes += interval.write_bytes;
            disk.read_bytes += interval.read_bytes;
            disk.cache_flushes += interval.cache_flushes;
        }
        recorder.disk.push(disk);
    }

    /// What the run leaves.
    pub(super) fn into_output(mut self) -> RunOutput {
        let end: SimTime = self.end;
        let machine = &mut self.innodb.engine.base.machine;
        let mut stations = vec![machine.processors.report(end), machine.data_device.report(end)];
        stations.extend(machine.redo_device.as_mut().map(|d| d.report(end)));
        let mut latency_by_10s = std::mem::take(&mut machine.recorder.latency_by_10s);
        if machine.recorder.latency_10s.count() > 0 {
            latency_by_10s.push(std::mem::take(&mut machine.recorder.latency_10s).trimmed());
        }
        let redo_bytes = machine.redo.current_lsn() - machine.recorder.start_lsn;
        RunOutput {
            series: std::mem::take(&mut machine.recorder.series),
            disk: std::mem::take(&mut machine.recorder.disk),
            latency_by_10s,
            age_limits: machine.model.age_limits(),
            recovery_speed: machine.observers.recovery_speed.with_records(machine.activity.redo_records(), redo_bytes),
            slow_loops: std::mem::take(&mut self.cleaner.slow_loops),
            stations,
            event_hash: self.hash,
            events: self.events,
            event_kinds: machine
                .observers
                .checker
                .as_ref()
                .map_or(0, crate::server::machine::checker::Checker::event_kinds),
            touches: self.clients.touches,
            page_structure_bytes: machine.pool.bytes() + machine.space.bytes(),
            pages_total: u64::from(machine.space.pages()),
        }
    }
}
