//! Runs that begin from the middle of another: of the same load on the same server, with other I/O capacities, as
//! `SET GLOBAL` gives them to it while it works, or on another device.
//!
//! What they have in common need not be simulated again and again: from a cold start, the redo log has to fill first, much in
//! the same way whatever the capacities.

use crate::runner::Job;
use innosim_core::metrics::SecondSample;
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::IoCapacity;
use innosim_core::server::{Observer, RunError, Warm};
use innosim_flush_models::registry::{Settings, Value};
use innosim_scenario::Scenario;

/// Settings that a run takes from its own scenario, whatever it begins from.
const TAKEN: [&str; 2] = ["innodb_io_capacity", "innodb_io_capacity_max"];

/// A run that has come so far, for others to go on from.
#[derive(Debug)]
pub struct WarmStart {
    warm: Warm,
    settings: Settings,
}

impl WarmStart {
    /// Runs the first `seconds` of a job.
    ///
    /// # Errors
    /// As the run ends.
    pub fn of(job: Job<'_>, seconds: u64, observer: &mut dyn Observer) -> Result<WarmStart, RunError> {
        let warm = Warm::up_to(job.scenario.build_model(), &spec_of(job), seconds, observer)?;
        Ok(WarmStart { warm, settings: job.scenario.settings.clone() })
    }

    /// The seconds so far.
    pub fn seconds(&self) -> &[SecondSample] {
        self.warm.seconds()
    }

    /// Bytes of memory that a copy takes.
    pub fn bytes(&self) -> u64 {
        self.warm.bytes()
    }

    /// A copy that goes on as `job` says. `None` if that differs in more than I/O capacities and devices, or if the server
    /// can't be copied.
    pub fn fork(&self, job: Job<'_>) -> Option<Warm> {
        let settings = &job.scenario.settings;
        let alike = settings.model == self.settings.model && others(settings).eq(others(&self.settings));
        let capacity = io_capacity_of(job.scenario).filter(|_| alike)?;
        self.warm.fork(capacity, &spec_of(job))
    }
}

/// Whether runs of a scenario can begin from another's.
pub fn can_fork(scenario: &Scenario) -> bool {
    io_capacity_of(scenario).is_some_and(|capacity| scenario.build_model().with_io_capacity(capacity).is_some())
}

fn spec_of(job: Job<'_>) -> RunSpec {
    RunSpec { replication: job.replication, ..job.scenario.run.clone() }
}

fn io_capacity_of(scenario: &Scenario) -> Option<IoCapacity> {
    let [usual, most] = TAKEN.map(|name| scenario.settings.integer(name).ok());
    Some(IoCapacity { usual: usual?, most: most? })
}

fn others(settings: &Settings) -> impl Iterator<Item = (&&'static str, &Value)> {
    settings.values.iter().filter(|(name, _)| !TAKEN.contains(*name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::run_one;
    use crate::runner::tests::small;
    use innosim_scenario::{Overrides, Source, load};
    use std::ops::ControlFlow;

    #[test]
    fn a_copy_that_goes_on_makes_the_same_run() {
        let scenario = small();
        let job = Job { scenario: &scenario, replication: 1 };
        let silent = || |_: &SecondSample| ControlFlow::Continue(());
        let whole = run_one(job, false, &mut silent()).unwrap();
        let warm = WarmStart::of(job, 4, &mut silent()).unwrap();
        assert!(can_fork(&scenario) && warm.seconds() == &whole.series[..4]);
        for _ in 0..2 {
            let copy = warm.fork(job).unwrap().run_until(&mut silent(), &mut |_, _| false).unwrap();
            assert_eq!((copy.event_hash, copy.series), (whole.event_hash, whole.series.clone()));
        }
    }

    #[test]
    fn a_copy_takes_capacities_and_devices_and_nothing_else() {
        let with = |set: &[&str]| {
            let set = set.iter().map(|&one| one.to_owned()).collect();
            let overrides = Overrides { duration: Some("10s".to_owned()), set, ..Overrides::default() };
            load(Source::Shipped("teaching/redo-too-small"), &overrides).unwrap()
        };
        let silent = || |_: &SecondSample| ControlFlow::Continue(());
        let (present, other) = (small(), with(&["innodb_io_capacity=100", "innodb_io_capacity_max=300"]));
        let warm = WarmStart::of(Job { scenario: &present, replication: 0 }, 2, &mut silent()).unwrap();
        let flushed = |scenario: &Scenario| {
            let copy = warm.fork(Job { scenario, replication: 0 }).unwrap();
            let output = copy.run_until(&mut silent(), &mut |_, _| false).unwrap();
            output.series[2..5].iter().map(|second| second.pages_flushed).sum::<u64>()
        };
        let (now, less) = (flushed(&present), flushed(&other));
        assert!(less < now / 2, "{less} {now}");
        let mut slow = present.clone();
        crate::recommend::slow_down(&mut slow.run, 0.9);
        let slowly = flushed(&slow);
        assert!(slowly < now, "{slowly} {now}");
        let fewer = with(&["drive.clients=3"]);
        assert!(warm.fork(Job { scenario: &fewer, replication: 0 }).is_none(), "other clients");
        assert!(warm.fork(Job { scenario: &present, replication: 1 }).is_none(), "other random numbers");
        let more_redo = with(&["innodb_redo_log_capacity=1G"]);
        assert!(warm.fork(Job { scenario: &more_redo, replication: 0 }).is_none(), "another redo log");
    }
}
