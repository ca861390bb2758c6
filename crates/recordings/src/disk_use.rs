//! What the disk did while the server worked, by the kernel's counters or by iostat.

use crate::disk::{DiskReport, DiskReports, SECTOR_BYTES};
use crate::{Column, Quantity, Recording};

impl Recording {
    /// What its disk did while the server worked: by the kernel's counters if these are there, else by iostat.
    pub fn disk_use(&self) -> Option<DiskReports> {
        self.counted_disk().or_else(|| self.disk.clone()).filter(|disk| !disk.reports.is_empty())
    }

    /// The counters of /proc/diskstats, as `innosim collect` has them.
    fn counted_disk(&self) -> Option<DiskReports> {
        let seconds = &self.series.seconds;
        let rate = |name: &str| Some(self.series.column(name)?.rates(seconds));
        let (writes, sectors) = (rate("disk.wr_ios")?, rate("disk.wr_sectors")?);
        let none = || Column::zeros(seconds.len());
        let or_none = |name: &str| rate(name).unwrap_or_else(none);
        let (reads, read_sectors) = (or_none("disk.rd_ios"), or_none("disk.rd_sectors"));
        let flushes = rate("disk.flush_ios");
        let flush_ms = rate("disk.flush_ms");
        let (busy_ms, weighted_ms) = (rate("disk.io_ms")?, rate("disk.weighted_ms")?);
        // While the server writes pages: before and after, the disk says nothing of it.
        let pages = self.get(Quantity::PagesWritten).map(|pages| pages.rates(seconds));
        let works = |i: usize| pages.as_ref().is_none_or(|pages| pages.at(i).is_some_and(|rate| rate > 0.0));
        let time_of_a_flush = |i: usize| {
            let flushes = flushes.as_ref()?.at(i).filter(|flushes| *flushes > 0.0)?;
            Some(flush_ms.as_ref()?.at(i)? / flushes)
        };
        let report = |i: usize| {
            Some(DiskReport {
                reads: reads.at(i)?,
                writes: writes.at(i)?,
                read_bytes: SECTOR_BYTES * read_sectors.at(i)?,
                write_bytes: SECTOR_BYTES * sectors.at(i)?,
                queue: weighted_ms.at(i)? / 1000.0,
                busy: (busy_ms.at(i)? / 1000.0).min(1.0),
                flushes: flushes.as_ref().and_then(|flushes| flushes.at(i)),
                flush_ms: time_of_a_flush(i),
            })
        };
        let reports = (0..seconds.len()).filter(|i| works(*i)).filter_map(report).collect();
        Some(match &self.disk {
            Some(disk) => DiskReports { reports, ..disk.clone() },
            None => DiskReports { name: "the data directory's disk".to_owned(), source: "/proc/diskstats", reports },
        })
    }
}
