//! What is compared of a benchmark's run: throughput, and what its device did.

use innosim_core::metrics::{DiskSecond, RunOutput, Summary};
use innosim_recordings::{DiskReport, Quantity, Recording};

/// Means over a run; `None` where they are not known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Transactions a second.
    pub tps: f64,
    /// Bytes that the device wrote a second.
    pub write_bytes_per_s: Option<f64>,
    /// Writes of the device a second.
    pub writes_per_s: Option<f64>,
    /// Cache flushes of the device a second.
    pub flushes_per_s: Option<f64>,
    /// Operations in flight.
    pub in_flight: Option<f64>,
}

impl Figures {
    pub(super) fn measured(recording: &Recording) -> Option<Figures> {
        let tps = recording.get(Quantity::Tps)?;
        let (start, end) = recording.load_window();
        let under_load = tps.timed(&recording.series.seconds).filter(|(t, _)| *t >= start && *t <= end);
        let (sum, count) = under_load.fold((0.0, 0.0), |(sum, count), (_, tps)| (sum + tps, count + 1.0));
        let disk = recording.disk_use();
        let mean = |figure: fn(&DiskReport) -> f64| disk.as_ref().map(|disk| disk.mean(figure));
        (sum > 0.0).then(|| Figures {
            tps: sum / count,
            write_bytes_per_s: mean(|report| report.write_bytes),
            writes_per_s: mean(|report| report.writes),
            flushes_per_s: disk.as_ref().and_then(|disk| disk.flushes()),
            in_flight: mean(|report| report.queue),
        })
    }

    pub(super) fn simulated(output: &RunOutput, warmup_s: u64, summary: &Summary) -> Figures {
        let disk = output.disk.get(warmup_s as usize..).unwrap_or_default();
        let mean = |figure: fn(&DiskSecond) -> u64| {
            (!disk.is_empty()).then(|| disk.iter().map(|second| figure(second) as f64).sum::<f64>() / disk.len() as f64)
        };
        Figures {
            tps: summary.tps_mean,
            write_bytes_per_s: mean(|second| second.write_bytes),
            writes_per_s: mean(|second| second.writes),
            flushes_per_s: mean(|second| second.cache_flushes),
            in_flight: Some(summary.device_queue_mean),
        }
    }
}
