//! Made-up runs that look like real ones, for tests and the demonstration. No simulation behind them.

// Each test file uses a part of this.
#![allow(dead_code)]

use innosim_core::kernel::histogram::Histogram;
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::{RunOutput, SecondSample, Summary, detect_warmup};
use innosim_core::seam::AgeLimits;
use innosim_report::{Report, RunIdentity};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// A run with its summary and identity, which a [`Report`] borrows.
pub(crate) struct Made {
    pub title: &'static str,
    pub identity: RunIdentity,
    pub summary: Summary,
    pub output: RunOutput,
}

impl Made {
    pub(crate) fn of(title: &'static str, series: Vec<SecondSample>) -> Made {
        let output = run_output(series);
        let warmup = detect_warmup(&output.series);
        let simulated_s = output.series.len() as f64;
        let identity = RunIdentity {
            innosim_version: "0.1.0".to_owned(),
            model: "mysql-8.0.21".to_owned(),
            scenario: "tpcc-sata-waves".to_owned(),
            seed: 42,
            replications: 1,
            simulated_s,
            warmup_s: warmup.seconds as f64,
            wall_s: 2.5,
            speed: simulated_s / 2.5,
        };
        Made { title, summary: Summary::of(&output, warmup.seconds), identity, output }
    }

    pub(crate) fn report(&self) -> Report<'_> {
        Report {
            identity: &self.identity,
            summary: &self.summary,
            output: &self.output,
            replications: None,
            title: self.title.to_owned(),
            settings_line: "innodb_io_capacity=2000, innodb_io_capacity_max=4000, redo 20 GiB, pool 140 GiB in 8 \
                            instances, 56 threads, SATA SSD 30,000 IOPS"
                .to_owned(),
            load_and_device: Vec::new(),
            log_fill_s: None,
            io_capacity_max: Some(4000),
            flushing_is_lowest: false,
            age_rises: false,
            warmup_converged: true,
        }
    }
}

/// Uniform in 0..1, a function of `i`.
pub(crate) fn noise(i: u64) -> f64 {
    let x = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((x ^ (x >> 29)) >> 40) as f64 / (1u64 << 24) as f64
}

/// Damped waves of `period` seconds, as a redo log too small for its load makes them.
pub(crate) fn waves(seconds: u64, period: u64) -> Vec<SecondSample> {
    (1..=seconds).map(|s| wave_second(s, period)).collect()
}

fn wave_second(second: u64, period: u64) -> SecondSample {
    let turn = (second - 1) as f64 / period as f64;
    let phase = turn.fract();
    let depth = 0.75 / (1.0 + 0.35 * turn.floor());
    let collapsed = second > period && phase < 0.32;
    let level = if second <= period { 0.35 + 0.65 * (phase * 1.6).min(1.0) } else { 1.0 };
    let wave = if collapsed { 1.0 - depth * (1.0 - (phase / 0.32).powi(2)) } else { 1.0 - 0.1 * phase };
    let dip = if second.is_multiple_of(60) { 0.8 } else { 1.0 };
    let tps = 11_000.0 * level * wave * dip * (0.94 + 0.12 * noise(second));
    let age = if second <= period {
        16.9 * phase.powf(1.2)
    } else if collapsed {
        17.0 + 0.2 * noise(second)
    } else {
        17.0 - 2.2 * (phase - 0.32) * (1.0 - phase) * 4.0
    };
    let sync = if collapsed { 4200.0 + 900.0 * noise(second + 7) } else { 0.0 };
    let adaptive = if collapsed { 300.0 } else { (400.0 + 3600.0 * (age / 16.6).powf(1.5)).min(4000.0) };
    let background = if second < 20 { 600.0 } else { 0.0 };
    let lru = if second > 2 * period { 120.0 * noise(second / 30) } else { 0.0 };
    let [sync, adaptive, background, lru] = [sync, adaptive, background, lru].map(f64::floor);
    let flushed = sync + adaptive + background + lru;
    SecondSample {
        second,
        transactions: tps as u64,
        latency_ms_p95: 56_000.0 / tps * 2.2 * (0.9 + 0.3 * noise(second + 3)),
        latency_ms_max: 56_000.0 / tps * 9.0,
        checkpoint_age_bytes: (age * GIB) as u64,
        age_async_bytes: (16.61 * GIB) as u64,
        age_sync_bytes: (17.17 * GIB) as u64,
        oldest_page_age_bytes: (age * GIB) as u64,
        dirty_pages: (1.9e6 * (age / 17.0)) as u64,
        free_pages: 1_000_000,
        pages_flushed: flushed as u64,
        adaptive_pages: adaptive as u64,
        background_pages: background as u64,
        sync_pages: sync as u64,
        lru_pages: lru as u64,
        n_to_flush_requested: adaptive as u64,
        avg_page_rate: 3900,
        lsn_avg_rate: 60_000_000,
        pct_for_lsn: 180,
        redo_written_bytes: (tps * 7800.0) as u64,
        redo_generated_bytes: (tps * 7900.0) as u64,
        redo_fsyncs: 900,
        data_fsyncs: 30,
        log_waits: 0,
        free_check_waits: if collapsed { 200 } else { 0 },
        pool_reads: (9000.0 / turn.max(0.3)) as u64,
        dblwr_pages: flushed as u64,
        dblwr_writes: (flushed / 32.0) as u64,
        device_write_bytes: (flushed * 2.0 * 16384.0) as u64,
        device_utilization: (flushed / 5600.0 * 0.9 + 0.08 * noise(second + 9)).min(1.0),
        device_queue_mean: flushed / 300.0 * (0.8 + 0.4 * noise(second + 11)),
        sync_flushing: collapsed,
        ..SecondSample::default()
    }
}

/// A quiet server: nothing happens at all.
pub(crate) fn idle(seconds: u64) -> Vec<SecondSample> {
    (1..=seconds).map(|second| SecondSample { second, ..SecondSample::default() }).collect()
}

/// Every number of a wave times `factor`, to strain the axes.
pub(crate) fn scaled(seconds: u64, factor: f64) -> Vec<SecondSample> {
    let times = |v: u64| (v as f64 * factor) as u64;
    let mut series = waves(seconds, 200);
    for s in &mut series {
        s.transactions = times(s.transactions);
        s.checkpoint_age_bytes = times(s.checkpoint_age_bytes);
        s.age_async_bytes = times(s.age_async_bytes);
        s.age_sync_bytes = times(s.age_sync_bytes);
        s.dirty_pages = times(s.dirty_pages);
        for pages in [&mut s.pages_flushed, &mut s.adaptive_pages, &mut s.sync_pages, &mut s.lru_pages] {
            *pages = times(*pages);
        }
        s.background_pages = times(s.background_pages);
        s.redo_generated_bytes = times(s.redo_generated_bytes);
        s.device_write_bytes = times(s.device_write_bytes);
        s.latency_ms_p95 *= factor;
        s.device_queue_mean *= factor;
    }
    series
}

fn run_output(series: Vec<SecondSample>) -> RunOutput {
    let last = series.last();
    let age_limits = AgeLimits {
        async_bytes: last.map_or(0, |s| s.age_async_bytes),
        sync_bytes: last.map_or(0, |s| s.age_sync_bytes),
        stop_bytes: last.map_or(0, |s| s.age_sync_bytes / 24 * 25),
        sync_flush_start_bytes: last.map_or(0, |s| s.age_async_bytes),
        ..AgeLimits::default()
    };
    let latency_by_10s = series.chunks(10).map(latencies).collect();
    RunOutput { latency_by_10s, age_limits, series, ..RunOutput::default() }
}

/// A hundred latencies a second, up to the second's 95th percentile, and five beyond it.
fn latencies(block: &[SecondSample]) -> Histogram {
    let mut histogram = Histogram::new();
    for s in block.iter().filter(|s| s.transactions > 0) {
        for i in 0..100 {
            let share = if i < 95 { f64::from(i + 20) / 115.0 } else { f64::from(i - 90) / 3.0 };
            histogram.record(SimDuration::from_secs_f64(s.latency_ms_p95 * share / 1000.0));
        }
    }
    histogram
}
