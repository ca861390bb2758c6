//! The cases for which an answer must hold: the scenario as it stands, or with one input a little off.
//!
//! Two inputs are known least: how many different pages the load writes (the working set), and how fast the device is
//! under this mix. Each is moved to either side by as much as such numbers are usually off.

use super::stress::Stress;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::run_spec::RunSpec;
use innosim_core::storage::DeviceSpec;

/// How far the number of pages is usually off, parts in a thousand.
const WORKING_SET_OFF: i32 = 100;
/// How far the speed of a device is usually off, parts in a thousand.
const DEVICE_OFF: i32 = 150;

/// An input that is known only so well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// Pages that the load touches.
    WorkingSet,
    /// Service times and ceilings of the device.
    DeviceSpeed,
}

impl Input {
    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Input::WorkingSet => "write_working_set",
            Input::DeviceSpeed => "device_speed",
        }
    }

    /// How to measure it.
    pub const fn how_to_measure(self) -> &'static str {
        match self {
            Input::WorkingSet => {
                "the write working set: Innodb_buffer_pool_pages_dirty, Innodb_buffer_pool_pages_flushed and \
                 Innodb_os_log_written each second for as long as the redo log takes to turn once"
            }
            Input::DeviceSpeed => {
                "the device: random writes and reads of 16 KiB with syncs, for minutes (fio with --direct=1 --bs=16k \
                 --rw=randwrite --fsync), at the queue depth of the server"
            }
        }
    }
}

/// A scenario as it stands, with one input moved, or under a [`Stress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    /// The input that is moved.
    pub(super) input: Option<Input>,
    /// How far, parts in a thousand.
    pub(super) per_mille: i32,
    /// What the server must survive.
    pub(super) stress: Option<Stress>,
}

impl Case {
    /// The scenario as it stands.
    pub(super) const AS_IS: Case = Case { input: None, per_mille: 0, stress: None };

    /// With one input moved.
    pub(super) const MOVED: [Case; 4] = [
        Case::moved(Input::WorkingSet, -WORKING_SET_OFF),
        Case::moved(Input::WorkingSet, WORKING_SET_OFF),
        Case::SLOWER_DEVICE,
        Case::moved(Input::DeviceSpeed, DEVICE_OFF),
    ];

    /// On a slower device: all the time, which is harder than the minute that a server must survive.
    pub(super) const SLOWER_DEVICE: Case = Case::moved(Input::DeviceSpeed, -DEVICE_OFF);

    const fn moved(input: Input, per_mille: i32) -> Case {
        Case { input: Some(input), per_mille, stress: None }
    }

    /// Under a stress.
    pub(super) const fn under(stress: Stress) -> Case {
        Case { stress: Some(stress), ..Case::AS_IS }
    }

    /// The case as far as the load goes: what the device does can change while a server runs.
    pub(super) fn of_the_load(self) -> Case {
        if self.input == Some(Input::DeviceSpeed) { Case::AS_IS } else { self }
    }

    /// Whether the load writes more pages than the scenario says, all else being the same.
    pub(super) fn asks_for_more_writes(self) -> bool {
        self.input == Some(Input::WorkingSet) && self.per_mille > 0
    }

    fn factor(self) -> f64 {
        f64::from(1000 + self.per_mille) / 1000.0
    }

    /// Moves the input of a run.
    pub(super) fn apply(self, run: &mut RunSpec) {
        match self.input {
            None => {}
            Some(Input::WorkingSet) => {
                for set in &mut run.workload.page_sets {
                    set.pages = ((set.pages as f64 * self.factor()).round() as u64).max(1);
                }
            }
            Some(Input::DeviceSpeed) => speed_up_all(run, self.factor()),
        }
    }
}

/// Devices slower by a share.
pub fn slow_down(run: &mut RunSpec, share: f64) {
    speed_up_all(run, 1.0 - share);
}

fn speed_up_all(run: &mut RunSpec, factor: f64) {
    let devices = std::iter::once(&mut run.storage.data).chain(&mut run.storage.redo);
    devices.for_each(|device| speed_up(device, factor));
}

/// A device whose times are shorter and whose ceilings are higher by `factor`.
fn speed_up(device: &mut DeviceSpec, factor: f64) {
    for time in [&mut device.random_read, &mut device.random_write, &mut device.sequential_write, &mut device.sync] {
        match time {
            DurationDist::Fixed { us } => *us /= factor,
            DurationDist::Exponential { mean_us } | DurationDist::Lognormal { mean_us, .. } => *mean_us /= factor,
            DurationDist::Empirical { quantiles } => quantiles.iter_mut().for_each(|(_, us)| *us /= factor),
        }
    }
    let ceilings = [
        &mut device.read_iops,
        &mut device.write_iops,
        &mut device.read_bytes_per_s,
        &mut device.write_bytes_per_s,
        &mut device.link_bytes_per_s,
    ];
    ceilings.into_iter().flatten().for_each(|ceiling| *ceiling = (*ceiling * factor).max(1.0));
    if let Some(burst) = &mut device.burst {
        burst.baseline_iops = (burst.baseline_iops * factor).max(1.0);
        burst.burst_iops = (burst.burst_iops * factor).max(burst.baseline_iops);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_scenario::{Overrides, Source, load};

    #[test]
    fn inputs_move_by_what_they_say() {
        let run = load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap().run;
        let moved = |case: Case| {
            let mut moved = run.clone();
            case.apply(&mut moved);
            moved
        };
        let [small, large, slow, fast] = Case::MOVED.map(moved);
        let pages = |run: &RunSpec| run.workload.page_sets.iter().map(|set| set.pages).sum::<u64>() as f64;
        assert!((pages(&large) / pages(&run) - 1.1).abs() < 1e-3 && (pages(&small) / pages(&run) - 0.9).abs() < 1e-3);
        let time = |run: &RunSpec| run.storage.data.random_write.mean_us();
        assert!((time(&slow) * 0.85 / time(&run) - 1.0).abs() < 1e-9 && time(&fast) < time(&run));
        let ceiling = |run: &RunSpec| run.storage.data.write_iops.unwrap();
        assert!((ceiling(&fast) / ceiling(&run) - 1.15).abs() < 1e-9);
        assert_eq!(moved(Case::AS_IS), run);
        for run in [&small, &large, &slow, &fast] {
            run.storage.data.validate().unwrap();
        }
    }
}
