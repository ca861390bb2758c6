//! What the disk was seen to do, as evidence of what it is.
//!
//! Where no device was measured, profiles are tried. One whose ceiling lies below what the disk wrote can't be it. Of the
//! others that back-test alike, the one under which as many operations are in flight as on the disk is the nearest: Little's
//! law ties these to their latency.
//!
//! Simplifications: all that the disk does is taken for the server's; reports without times are compared as means over
//! all of them with the mean of the run.

use innosim_core::metrics::RunOutput;
use innosim_core::storage::DeviceSpec;
use innosim_recordings::DiskReports;

/// Excess over a ceiling from which on it is not the disk's.
const ABOVE: f64 = 1.05;
/// What an error of the operations in flight by a factor of e weighs beside an error of the age by 100 %.
const WEIGHT: f64 = 0.25;
/// Operations in flight below which their number tells nothing.
const FEW: f64 = 0.01;
/// Most by which a ceiling is raised: data sheets of one kind of disk differ by as much.
const MOST_RAISED: f64 = 3.0;
/// Factor between seen and predicted from which on the profile is called another device.
const OTHER: f64 = 2.0;

/// The disk as it was seen beside how it was predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskSeen {
    /// Reports.
    pub disk: DiskReports,
    /// Bytes written a second, predicted.
    pub write_bytes: f64,
    /// Operations in flight, predicted.
    pub queue: f64,
}

impl DiskSeen {
    pub(super) fn of(disk: &DiskReports, output: &RunOutput) -> DiskSeen {
        let seconds = output.series.len().max(1) as f64;
        DiskSeen {
            disk: disk.clone(),
            write_bytes: output.series.iter().map(|second| second.device_write_bytes as f64).sum::<f64>() / seconds,
            queue: output.series.iter().map(|second| second.device_queue_mean).sum::<f64>() / seconds,
        }
    }

    /// How far the prediction is from what was seen, 0 for not at all.
    pub(super) fn distance(&self) -> f64 {
        WEIGHT * libm::log(self.ratio()).abs()
    }

    /// Operations in flight, predicted by seen.
    fn ratio(&self) -> f64 {
        self.queue.max(FEW) / self.disk.mean(|report| report.queue).max(FEW)
    }

    /// Whether so many more or fewer operations are in flight that it must be another device.
    pub fn is_other_device(&self) -> bool {
        !(1.0 / OTHER..=OTHER).contains(&self.ratio())
    }
}

/// Why a device can't be the disk that was seen; `None` if it can.
pub(crate) fn ruled_out(device: &DeviceSpec, disk: &DiskReports) -> Option<String> {
    let burst = device.burst.as_ref().map(|burst| burst.burst_iops);
    let operations = device.write_iops.into_iter().chain(burst).reduce(f64::max);
    let writes = disk.most(|report| report.writes);
    let bytes = disk.most(|report| report.write_bytes);
    if let Some(most) = operations.filter(|most| writes > ABOVE * most) {
        return Some(format!("it writes {most:.0} times a second at most, the disk wrote {writes:.0} times"));
    }
    let most = device.write_bytes_per_s.filter(|most| bytes > ABOVE * most)?;
    let mega = 1e-6;
    Some(format!("it writes {:.0} MB/s at most, the disk wrote {:.0} MB/s", most * mega, bytes * mega))
}

/// Ceilings of a device as high as what the disk did, as keys of `[device]`, and the largest factor by which they are raised;
/// `None` of a device whose credits limit it, or that is too far from it.
pub(super) fn ceilings_as_seen(device: &DeviceSpec, disk: &DiskReports) -> Option<(f64, String)> {
    if device.burst.is_some() {
        return None;
    }
    let seen = [
        ("write_iops", device.write_iops, disk.most(|report| report.writes)),
        ("write_bytes_per_s", device.write_bytes_per_s, disk.most(|report| report.write_bytes)),
        ("link_bytes_per_s", device.link_bytes_per_s, disk.most(|report| report.write_bytes + report.read_bytes)),
    ];
    let low = || {
        seen.iter().filter_map(|(key, most, seen)| Some((*key, (*most)?, *seen))).filter(|(_, most, seen)| seen > most)
    };
    let factor = low().map(|(_, most, seen)| seen / most).fold(1.0, f64::max);
    let keys: String = low().map(|(key, _, seen)| format!("{key} = {seen:.0}\n")).collect();
    (factor <= MOST_RAISED).then_some((factor, keys))
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_core::metrics::SecondSample;
    use innosim_recordings::DiskReport;
    use innosim_scenario::{Overrides, Source, load};

    fn seen(writes: f64, queue: f64) -> DiskReports {
        let report = DiskReport { writes, write_bytes: 16_384.0 * writes, queue, ..DiskReport::default() };
        DiskReports { reports: vec![report; 20], ..DiskReports::default() }
    }

    #[test]
    fn a_ceiling_below_what_was_seen_rules_a_device_out() {
        let mut device =
            load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap().run.storage.data;
        (device.write_iops, device.write_bytes_per_s, device.burst) = (Some(1000.0), Some(20e6), None);
        assert_eq!(ruled_out(&device, &seen(1000.0, 1.0)), None);
        assert!(ruled_out(&device, &seen(1200.0, 1.0)).unwrap().contains("1000 times a second"));
        device.write_iops = None;
        assert!(ruled_out(&device, &seen(2000.0, 1.0)).unwrap().contains("20 MB/s at most, the disk wrote 33 MB/s"));
    }

    /// A faster disk of the same kind: its profile with the ceilings that were seen.
    #[test]
    fn a_ceiling_is_raised_to_what_was_seen() {
        let mut device =
            load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap().run.storage.data;
        (device.write_iops, device.write_bytes_per_s, device.link_bytes_per_s) = (Some(1000.0), Some(20e6), None);
        device.burst = None;
        let (factor, keys) = ceilings_as_seen(&device, &seen(2000.0, 1.0)).unwrap();
        assert_eq!((factor, keys.as_str()), (2.0, "write_iops = 2000\nwrite_bytes_per_s = 32768000\n"));
        assert_eq!(ceilings_as_seen(&device, &seen(9000.0, 1.0)), None, "that is another kind of disk");
    }

    #[test]
    fn operations_in_flight_tell_devices_apart() {
        let second = SecondSample { device_queue_mean: 2.0, device_write_bytes: 7, ..SecondSample::default() };
        let output = RunOutput { series: vec![second; 3], ..RunOutput::default() };
        let alike = DiskSeen::of(&seen(10.0, 2.0), &output);
        assert_eq!((alike.distance(), alike.write_bytes, alike.is_other_device()), (0.0, 7.0, false));
        let other = DiskSeen::of(&seen(10.0, 20.0), &output);
        assert!(other.distance() > 0.5 && other.is_other_device());
    }
}
