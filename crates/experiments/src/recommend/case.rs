//! The cases for which an answer must hold: the scenario as it stands, or with one input a little off.
//!
//! Two inputs are known least: how many different pages the load writes (the working set), and how fast the device is
//! under this mix. Each is moved to either side by as much as such numbers are usually off.

use super::stress::Stress;
use innosim_core::run_spec::RunSpec;

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
        Case::MORE_PAGES,
        Case::SLOWER_DEVICE,
        Case::moved(Input::DeviceSpeed, DEVICE_OFF),
    ];

    /// With more pages to write.
    pub(super) const MORE_PAGES: Case = Case::moved(Input::WorkingSet, WORKING_SET_OFF);

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

    /// By which the input is multiplied.
    pub(super) fn factor(self) -> f64 {
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
            Some(Input::DeviceSpeed) => run.storage.speed_up(self.factor()),
        }
    }
}

/// Devices slower by a share.
pub fn slow_down(run: &mut RunSpec, share: f64) {
    run.storage.speed_up(1.0 - share);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{Job, run_one};
    use innosim_core::server::Silent;
    use innosim_scenario::{Overrides, Scenario, Source, load};

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

    /// A device fitted to fio takes its times from those by depth alone, and a capped one its pace from the cap.
    #[test]
    fn a_fitted_and_a_capped_device_become_slower_too() {
        let fitted = "profile = \"lab-virtual-disk\"";
        let capped = "profile = \"nvme\"\ncap = { write_iops = 900, slice = \"100ms\" }";
        for device in [fitted, capped] {
            let text = format!(
                "model = \"mysql-8.4\"\nduration = \"20s\"\n[server]\ninnodb_buffer_pool_size = \"256M\"\n\
                 [host]\ncores = 64\n[device]\n{device}\n[workload]\nkind = \"sysbench-oltp-update-non-index\"\n\
                 tables = 1\ntable_size = 100000\n[drive]\nkind = \"closed\"\nclients = 1\n"
            );
            let source = Source::Text { name: "test", text: &text };
            let mut scenario = load(source, &Overrides::default()).map_err(|why| why.to_string()).unwrap();
            let transactions = |scenario: &Scenario| {
                let job = Job { scenario, replication: 0 };
                let output = run_one(job, false, &mut Silent).unwrap();
                output.series.iter().map(|second| second.transactions).sum::<u64>() as f64
            };
            let usual = transactions(&scenario);
            slow_down(&mut scenario.run, 0.15);
            let kept = transactions(&scenario) / usual;
            assert!((0.80..0.96).contains(&kept), "{device}: {kept}");
        }
    }
}
