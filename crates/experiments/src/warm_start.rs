//! Runs that begin from the middle of another: of the same load on the same server, with other settings of
//! flushing, as `SET GLOBAL` gives them to it while it works, or on another device.
//!
//! What they have in common need not be simulated again and again: from a cold start, the redo log has to fill first, much in
//! the same way whatever these settings. A server is *warm* after 0.6 turns of the redo log, and serves others if nothing
//! pressed it until then, so that all that follows is the work of their settings. `recommend` and `sweep` make such runs.

use crate::rest::{LEAST_TURN_S, turn_at, why_whole};
use crate::runner::Job;
use innosim_core::metrics::SecondSample;
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::{AgeLimits, LiveSettings};
use innosim_core::server::{Observer, RunError, Warm};
use innosim_flush_models::registry::{Settings, Value};
use innosim_scenario::Scenario;
use std::sync::{Mutex, PoisonError};

/// Settings that a run takes from its own scenario, whatever it begins from: those of
/// [`LiveSettings`](innosim_core::seam::LiveSettings).
const TAKEN: [&str; 9] = [
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_flushing_avg_loops",
    "innodb_max_dirty_pages_pct",
    "innodb_max_dirty_pages_pct_lwm",
    "innodb_adaptive_flushing",
    "innodb_adaptive_flushing_lwm",
    "innodb_flush_sync",
    "innodb_idle_flush_pct",
];

/// Seconds after which the pace of the redo log is known.
pub const PILOT_S: u64 = 120;
/// Share of a turn of the redo log after which runs go their own ways: until then they fill it.
const SHARED: f64 = 0.6;
/// Most memory that a run may take to be kept for others to begin from, bytes.
const MOST_BYTES: u64 = 512 << 20;

/// Seconds that runs share whose redo log takes `turn_s` to turn.
pub(crate) fn shared_s(turn_s: f64) -> u64 {
    (SHARED * turn_s) as u64
}

/// Seconds that a redo log takes to turn, by the second half of these seconds.
pub(crate) fn turn_of(seconds: &[SecondSample], limits: &AgeLimits) -> f64 {
    let half = &seconds[seconds.len() / 2..];
    let redo: u64 = half.iter().map(|s| s.redo_generated_bytes).sum();
    turn_at(limits.stop_bytes as f64, redo as f64 / half.len().max(1) as f64)
}

/// A run that has come so far, for others to go on from.
#[derive(Debug)]
pub struct WarmStart {
    /// Only copied, by one thread at a time.
    warm: Mutex<Warm>,
    settings: Settings,
    check: bool,
    seconds: u64,
    pressed: bool,
    shares_enough: bool,
    bytes: u64,
}

impl WarmStart {
    /// Runs the first `seconds` of a job. `check` verifies the invariants at every event.
    ///
    /// # Errors
    /// As the run ends.
    pub fn of(job: Job<'_>, check: bool, seconds: u64, observer: &mut dyn Observer) -> Result<WarmStart, RunError> {
        WarmStart::up_to(job, check, observer, &mut |series, _| series.len() as u64 >= seconds)
    }

    /// Runs a job until it is warm. It can't serve others if runs like this one share too little: those whose redo log turns in
    /// less than two minutes, or which would be over half past by then.
    ///
    /// # Errors
    /// As the run ends.
    pub fn until_warm(job: Job<'_>, check: bool, observer: &mut dyn Observer) -> Result<WarmStart, RunError> {
        let mut warm_s = None;
        let warm = WarmStart::up_to(job, check, observer, &mut |series, limits| {
            let seconds = series.len() as u64;
            if seconds == PILOT_S {
                let turn_s = turn_of(series, limits);
                let shared_s = shared_s(turn_s).max(PILOT_S);
                warm_s = Some(shared_s).filter(|_| turn_s >= LEAST_TURN_S && 2 * shared_s <= job.seconds());
            }
            seconds >= warm_s.unwrap_or(PILOT_S)
        })?;
        Ok(WarmStart { shares_enough: warm_s.is_some(), ..warm })
    }

    fn up_to(
        job: Job<'_>,
        check: bool,
        observer: &mut dyn Observer,
        is_enough: &mut dyn FnMut(&[SecondSample], &AgeLimits) -> bool,
    ) -> Result<WarmStart, RunError> {
        let warm = Warm::up_to(job.scenario.build_model(), &spec_of(job, check), observer, is_enough)?;
        let pressed = |s: &SecondSample| s.sync_flushing || s.free_check_waits > 0;
        Ok(WarmStart {
            settings: job.scenario.settings.clone(),
            check,
            seconds: warm.seconds().len() as u64,
            pressed: warm.seconds().iter().any(pressed),
            shares_enough: true,
            bytes: warm.bytes(),
            warm: Mutex::new(warm),
        })
    }

    /// Seconds so far.
    pub fn seconds(&self) -> u64 {
        self.seconds
    }

    /// Whether others may begin from it: they share enough, nothing pressed it, and a copy is not too large.
    pub fn serves(&self) -> bool {
        self.shares_enough && !self.pressed && self.bytes <= MOST_BYTES
    }

    /// A copy that goes on as `job` says. `None` if that differs in more than the settings that a server at work takes and in
    /// devices, or if the server can't be copied.
    pub fn fork(&self, job: Job<'_>) -> Option<Warm> {
        let settings = &job.scenario.settings;
        let alike = settings.model == self.settings.model && others(settings).eq(others(&self.settings));
        let live = live_settings(job.scenario).filter(|_| alike)?;
        // A panic elsewhere can't have spoilt what is only copied.
        let warm = self.warm.lock().unwrap_or_else(PoisonError::into_inner);
        warm.fork(live, &spec_of(job, self.check))
    }
}

/// Whether runs of a scenario can begin from another's.
pub fn can_fork(scenario: &Scenario) -> bool {
    live_settings(scenario).is_some()
}

/// Why runs of a scenario begin cold whatever they share with others; `None` if they may begin warm. Who may not end early
/// may not begin late.
pub fn why_cold(scenario: &Scenario) -> Option<String> {
    if !can_fork(scenario) {
        return Some(format!("{}, or its flushing rule, can't be copied while it works", scenario.model));
    }
    why_whole(scenario).map(str::to_owned)
}

/// Whether a setting is one that a run takes from its own scenario, whatever it begins from.
pub fn is_taken(setting: &str) -> bool {
    TAKEN.contains(&setting)
}

/// What a server at work takes of the settings of a scenario; `None` if it can't be copied.
pub fn live_settings(scenario: &Scenario) -> Option<LiveSettings> {
    scenario.build_model().live_settings()
}

fn spec_of(job: Job<'_>, check: bool) -> RunSpec {
    RunSpec { replication: job.replication, check, ..job.scenario.run.clone() }
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
        let warm = WarmStart::of(job, false, 4, &mut silent()).unwrap();
        assert!(can_fork(&scenario) && warm.serves() && warm.seconds() == 4);
        for _ in 0..2 {
            let copy = warm.fork(job).unwrap().run_until(&mut silent(), &mut |_, _| false).unwrap();
            assert_eq!((copy.event_hash, copy.series), (whole.event_hash, whole.series.clone()));
        }
    }

    #[test]
    fn settings_that_lead_to_the_same_decisions_are_named() {
        let with = |set: &[&str]| {
            let set = set.iter().map(|&one| one.to_owned()).collect();
            let overrides = Overrides { duration: Some("30s".to_owned()), set, ..Overrides::default() };
            load(Source::Shipped("teaching/redo-too-small"), &overrides).unwrap()
        };
        let silent = || |_: &SecondSample| ControlFlow::Continue(());
        let present = with(&[]);
        let warm = WarmStart::of(Job { scenario: &present, replication: 0 }, false, 10, &mut silent()).unwrap();
        let others: Vec<Scenario> = [
            &[][..],
            &["innodb_max_dirty_pages_pct=80"],
            &["innodb_io_capacity_max=300", "innodb_io_capacity=100"],
            &["innodb_flushing_avg_loops=7"],
        ]
        .map(with)
        .into();
        let live: Vec<LiveSettings> = others.iter().map(|other| live_settings(other).unwrap()).collect();
        let job = Job { scenario: &present, replication: 0 };
        let (own, same) = warm.fork(job).unwrap().run_beside(&live, &mut silent(), &mut |_, _| false).unwrap();
        assert_eq!(same, [true, true, false, false]);
        for (scenario, same) in others.iter().zip(same) {
            let job = Job { scenario, replication: 0 };
            let other = warm.fork(job).unwrap().run_until(&mut silent(), &mut |_, _| false).unwrap();
            assert_eq!(other.event_hash == own.event_hash, same);
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
        let warm = WarmStart::of(Job { scenario: &present, replication: 0 }, false, 2, &mut silent()).unwrap();
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
