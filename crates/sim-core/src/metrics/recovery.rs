//! How long recovery from a crash takes: an estimate from what it has to scan and to read.
//!
//! Source: the servers' documentation for the steps, a real server's recoveries for the processor time (`live/recovery`, and
//! `docs/recovery.md`). Redo is read in one stream and parsed by one thread; then the pages that it names are read, many at a
//! time, and the threads that complete the reads apply their redo:
//!
//! ```text
//! records = redo / bytes a record
//! seconds = max(redo / sequential read rate, parse time) + max(pages / random read rate, apply time / apply threads)
//! ```
//!
//! A record is what one mini-transaction leaves: a transaction has one for each page that it modifies, and one for its commit.
//! Long records cost less a byte.
//!
//! Simplifications: memory for the parsed redo never runs out (a server whose buffer pool is small against the redo goes in
//! several rounds, and reads pages twice: errs towards short); pages near each other are not read faster than others (errs
//! towards long on disks that seek); the records of a bulk load cost as much as others (errs towards long); the processor time
//! is one server's on one machine; nothing else uses the device; starting the program, opening tablespaces, reading the
//! doublewrite files and rolling back what was not committed take no time (errs towards short: seconds, with many tables
//! minutes).

use crate::config::PAGE_BYTES;
use crate::kernel::sampler::DurationDist;
use crate::storage::{DeviceSpec, StorageSpec, TimedOp};

/// Processor time of redo, read, checked and parsed: s a byte, and s a record.
const PARSE_S: (f64, f64) = (1.65e-9, 0.39e-6);
/// Processor time of applying parsed redo: s a byte, and s a record.
const APPLY_S: (f64, f64) = (0.55e-9, 0.13e-6);
/// Processor time of reading a page and completing the read, s.
const PAGE_S: f64 = 47e-6;
/// Threads that complete page reads: `innodb_read_io_threads` has this default up to 8.0 and in MariaDB.
const APPLY_THREADS: u32 = 4;

/// How fast recovery goes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RecoverySpeed {
    /// Time of a byte of redo on the device, read in order, s.
    pub read_s_a_byte: f64,
    /// Time of a page on the device, many being read at a time, s.
    pub read_s_a_page: f64,
    /// Threads that apply redo side by side.
    pub apply_threads: u32,
    /// Records in a byte of redo.
    pub records_a_byte: f64,
}

impl RecoverySpeed {
    /// With these devices, and so many processors; redo without records.
    pub fn of(storage: &StorageSpec, cores: u32) -> Self {
        let redo = storage.redo.as_ref().unwrap_or(&storage.data);
        RecoverySpeed {
            read_s_a_byte: byte_s(redo),
            read_s_a_page: page_s(&storage.data),
            apply_threads: APPLY_THREADS.min(cores.max(1)),
            records_a_byte: 0.0,
        }
    }

    /// The same, of redo that has so many records in so many bytes.
    pub fn with_records(self, records: u64, redo_bytes: u64) -> Self {
        RecoverySpeed { records_a_byte: records as f64 / redo_bytes.max(1) as f64, ..self }
    }

    /// Seconds for so much redo that touches so many pages.
    pub fn seconds(&self, redo_bytes: f64, pages: f64) -> f64 {
        let of_redo = |(a_byte, a_record): (f64, f64)| redo_bytes * (a_byte + a_record * self.records_a_byte);
        let scan = of_redo(PARSE_S).max(redo_bytes * self.read_s_a_byte);
        let apply = (of_redo(APPLY_S) + pages * PAGE_S) / f64::from(self.apply_threads.max(1));
        scan + apply.max(pages * self.read_s_a_page)
    }
}

/// Time of a byte that is read in order, s: of the narrowest limit on bytes.
fn byte_s(device: &DeviceSpec) -> f64 {
    let cap = device.cap.as_ref().and_then(|cap| cap.read_bytes_per_s);
    slowest([device.read_bytes_per_s, device.link_bytes_per_s, cap])
}

/// Time of a page with as many reads at a time as the device works on, s: of its channels, or where times by depth were
/// measured of the deepest, and of the narrowest limit on operations or bytes. Burst credits are used up by then.
fn page_s(device: &DeviceSpec) -> f64 {
    let cap = device.cap.as_ref().and_then(|cap| cap.read_iops);
    let burst = device.burst.as_ref().map(|burst| burst.baseline_iops);
    let operations = slowest([device.read_iops, cap, burst]);
    let bytes = byte_s(device) * PAGE_BYTES as f64;
    service_s(device).max(operations).max(bytes)
}

/// Time of a page as the device's own times give it, s.
fn service_s(device: &DeviceSpec) -> f64 {
    let reads = device.at_depth.iter().filter(|point| point.op == TimedOp::RandomRead && point.bytes == PAGE_BYTES);
    match reads.max_by(|a, b| a.depth.total_cmp(&b.depth)) {
        Some(deepest) => {
            DurationDist::Empirical { quantiles: deepest.quantiles.clone() }.mean_us() * 1e-6 / deepest.depth
        }
        None => device.random_read.mean_us() * 1e-6 / f64::from(device.channels.min(device.queue_depth).max(1)),
    }
}

/// Time of one at the lowest of these rates, s; none if there is no limit.
fn slowest<const N: usize>(rates: [Option<f64>; N]) -> f64 {
    rates.into_iter().flatten().filter(|rate| *rate > 0.0).map(|rate| 1.0 / rate).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{CapSpec, DepthTimes};

    fn storage(data: DeviceSpec) -> StorageSpec {
        StorageSpec { data, redo: None }
    }

    fn disk() -> DeviceSpec {
        DeviceSpec {
            channels: 4,
            queue_depth: 64,
            random_read: DurationDist::Fixed { us: 400.0 },
            read_bytes_per_s: Some(100e6),
            ..DeviceSpec::instant("disk")
        }
    }

    #[test]
    fn by_hand() {
        // Four channels of 400 us: a page in 100 us; 100 MB/s would allow one in 163.84.
        let speed = RecoverySpeed::of(&storage(disk()), 2).with_records(5, 500);
        assert!((speed.read_s_a_page - 163.84e-6).abs() < 1e-12);
        assert!((speed.read_s_a_byte - 10e-9).abs() < 1e-18);
        // 1 GB of redo: 10 s on the device, 1.65 s + 3.9 s to parse; 100 000 pages: 16.384 s, and 0.55 s + 1.3 s + 4.7 s on two
        // processors.
        assert!((speed.seconds(1e9, 1e5) - 26.384).abs() < 1e-9);
        // Where the device takes no time the processors count.
        let instant = RecoverySpeed::of(&storage(DeviceSpec::instant("none")), 2).with_records(5, 500);
        assert!((instant.seconds(1e9, 1e5) - (5.55 + 6.55 / 2.0)).abs() < 1e-9);
        assert_eq!(instant.seconds(0.0, 0.0), 0.0);
        // Records twice as long.
        let long = instant.with_records(5, 1000);
        assert!((long.seconds(1e9, 1e5) - (1.65 + 1.95 + (0.55 + 0.65 + 4.7) / 2.0)).abs() < 1e-9);
    }

    #[test]
    fn the_narrowest_limit_counts() {
        let page = |device: &DeviceSpec| (page_s(device) * 1e6).round();
        let limited = DeviceSpec { read_iops: Some(4_000.0), ..disk() };
        assert_eq!(page(&limited), 250.0);
        let cap = CapSpec {
            read_iops: Some(2_000.0),
            write_iops: None,
            read_bytes_per_s: Some(16.384e6),
            write_bytes_per_s: None,
            slice_ns: 1,
        };
        assert_eq!(page(&DeviceSpec { cap: Some(cap), ..limited }), 1_000.0, "16 MB/s");
        let at = |depth, us| DepthTimes {
            op: TimedOp::RandomRead,
            bytes: PAGE_BYTES,
            depth,
            quantiles: vec![(0.0, us), (1.0, us)],
        };
        assert_eq!(page(&DeviceSpec { at_depth: vec![at(16.0, 8_000.0), at(1.0, 90.0)], ..disk() }), 500.0);
    }
}
