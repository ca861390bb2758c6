//! What the disk below the data directory did: reports of iostat, or the kernel's counters beside the server's.
//!
//! It tells nothing of what the device could do at most, but much of what it is: how many operations were in flight for
//! so many bytes written. Little's law ties queue and latency, so the two are one piece of evidence.

/// Bytes of a sector in the kernel's counters.
pub(crate) const SECTOR_BYTES: f64 = 512.0;
/// Share of the reports below the figures that are called the most.
const MOST: f64 = 0.95;

/// Means of one report.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DiskReport {
    /// Reads a second.
    pub reads: f64,
    /// Writes a second, merged ones counted once.
    pub writes: f64,
    /// Bytes read a second.
    pub read_bytes: f64,
    /// Bytes written a second.
    pub write_bytes: f64,
    /// Operations in flight, waiting ones included.
    pub queue: f64,
    /// Share of the time in which any operation was in flight, 0..=1.
    pub busy: f64,
    /// Cache flushes a second; `None` where they are not reported (iostat before 12.1, the kernel's counters before 5.5).
    pub flushes: Option<f64>,
    /// How long a cache flush took, milliseconds; `None` where it is not reported.
    pub flush_ms: Option<f64>,
}

/// Reports of one disk, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiskReports {
    /// Its name.
    pub name: String,
    /// Where they come from.
    pub source: &'static str,
    /// The reports.
    pub reports: Vec<DiskReport>,
}

impl DiskReports {
    /// Mean of a figure.
    pub fn mean(&self, figure: impl Fn(&DiskReport) -> f64) -> f64 {
        self.reports.iter().map(figure).sum::<f64>() / self.reports.len().max(1) as f64
    }

    /// Mean cache flushes a second; `None` where they are not reported.
    pub fn flushes(&self) -> Option<f64> {
        let known = self.reports.iter().filter_map(|report| report.flushes);
        let (sum, count) = known.fold((0.0, 0.0), |(sum, count), flushes| (sum + flushes, count + 1.0));
        (count > 0.0).then(|| sum / count)
    }

    /// Median of a time that not every report has; `None` where none has it.
    pub fn median(&self, time: impl Fn(&DiskReport) -> Option<f64>) -> Option<f64> {
        let mut times: Vec<f64> = self.reports.iter().filter_map(time).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    }

    /// What a figure comes to in the busiest twentieth of the reports.
    pub fn most(&self, figure: impl Fn(&DiskReport) -> f64) -> f64 {
        let mut values: Vec<f64> = self.reports.iter().map(figure).collect();
        values.sort_by(f64::total_cmp);
        let at = (values.len() as f64 * MOST) as usize;
        values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0)
    }

    /// Mean time of an operation with its waiting, ms, by Little's law; `None` if there was none.
    pub fn operation_ms(&self) -> Option<f64> {
        let operations = self.mean(|report| report.reads + report.writes);
        (operations > 0.0).then(|| 1000.0 * self.mean(|report| report.queue) / operations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        let report = |writes: f64| DiskReport { writes, queue: 0.002 * writes, ..DiskReport::default() };
        let reports = (1..=100).map(|i| report(f64::from(i))).collect();
        let disk = DiskReports { reports, ..DiskReports::default() };
        assert_eq!((disk.mean(|r| r.writes), disk.most(|r| r.writes)), (50.5, 96.0));
        assert!((disk.operation_ms().unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(DiskReports::default().operation_ms(), None);
        assert_eq!(DiskReports::default().most(|r| r.busy), 0.0);
    }
}
