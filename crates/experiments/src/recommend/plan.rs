//! How long runs are.
//!
//! What a setting does to the checkpoint age shows after turns of the redo log, not after seconds: the pages dirtied in
//! one turn are the work of the next. A run takes two and a half turns, and the last one counts. How long a turn takes
//! is read off a short pilot run of the present setting. Where all pages fit the buffer pool they are in it from the
//! start: reading them in takes longer than the rest and says nothing about flushing.
//!
//! A load that changes with time has its own length, and keeps it. So does a scenario whose own run is shorter, unless
//! the checkpoint age is seen to rise to its end ([`settled`](super::settled)): then runs are made longer, and all of
//! them anew.

use crate::rest::{LEAST_TURN_S, LEAST_WINDOW_S, fill_pool, is_even, may_end_early};
use crate::runner::Job;
use crate::warm_start::{PILOT_S, shared_s, turn_of};
use innosim_core::config::PAGE_BYTES;
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::RunOutput;
use innosim_scenario::{Scenario, Warmup};

/// Turns of the redo log in a run.
const TURNS: f64 = 2.5;
/// How much longer runs get whose age was still rising.
const LONGER: f64 = 1.6;
/// Runs are made no longer than this many times the scenario's own length.
const MOST_OWN_LENGTHS: f64 = 4.0;

/// How long runs are.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Simulated seconds of a run at the present redo size.
    pub duration_s: u64,
    /// Seconds that figures leave out; `None` if it is detected for each run.
    pub warmup_s: Option<u64>,
    /// Whether runs start with all pages in the buffer pool.
    pub warm_start: bool,
    /// Seconds of a turn of the redo log at the present setting, where that decides the length.
    pub turn_s: Option<f64>,
    /// Longest that runs may be made, seconds; `None` if their length was asked for or is the load's own.
    pub(crate) at_most_s: Option<f64>,
}

impl Plan {
    /// Whether a run of `scenario` may end before its length (see [`rest`](crate::rest)), and begin from another: it was
    /// planned by turns of the redo log that take long enough, with all pages in the buffer pool from the start.
    pub(crate) fn may_end_early(&self, scenario: &Scenario) -> bool {
        self.turn_s.is_some_and(|turn_s| turn_s >= LEAST_TURN_S) && self.warm_start && may_end_early(scenario)
    }

    /// Seconds that runs with `redo_ratio` times the present redo log share, if they may begin from one another.
    pub(super) fn shared_s(&self, redo_ratio: f64) -> u64 {
        self.turn_s.map_or(0, |turn_s| shared_s(turn_s * redo_ratio))
    }

    /// The scenario's own length.
    fn own(scenario: &Scenario) -> Plan {
        let warmup_s = scenario.warmup.fixed_seconds();
        Plan { duration_s: seconds(scenario), warmup_s, warm_start: false, turn_s: None, at_most_s: None }
    }

    /// Whether somebody asked for this length, or it is the load's own.
    pub(super) fn is_asked_for(&self) -> bool {
        self.at_most_s.is_none()
    }

    /// The plan for `scenario`. `fixed` keeps its length, as somebody asked for it. `pilot` makes a run.
    pub(super) fn of<E>(
        scenario: &Scenario,
        fixed: bool,
        pilot: impl FnOnce(Job<'_>) -> Result<RunOutput, E>,
    ) -> Result<Plan, E> {
        if fixed || !is_even(scenario) {
            return Ok(Plan::own(scenario));
        }
        let warm_start = fits_pool(scenario);
        let mut short = scenario.clone();
        short.run.duration = SimDuration::from_secs(PILOT_S.min(seconds(scenario)));
        warm(&mut short, warm_start);
        let output = pilot(Job { scenario: &short, replication: 0 })?;
        let turn_s = turn_of(&output.series, &output.age_limits);
        Ok(Plan::for_turn(turn_s, warm_start, scenario))
    }

    fn for_turn(turn_s: f64, warm_start: bool, scenario: &Scenario) -> Plan {
        let (duration_s, warmup_s) = lengths(turn_s);
        let at_most_s = Some(MOST_OWN_LENGTHS * seconds(scenario) as f64);
        if duration_s >= seconds(scenario) {
            return Plan { at_most_s, ..Plan::own(scenario) };
        }
        Plan { duration_s, warmup_s: Some(warmup_s), warm_start, turn_s: Some(turn_s), at_most_s }
    }

    /// A plan of longer runs, for a redo log that turns in no less than `turn_s`; `None` if they may not be made so
    /// long.
    pub(super) fn longer(&self, turn_s: f64) -> Option<Plan> {
        let turn_s = turn_s.max(LONGER * self.duration_s as f64 / TURNS);
        let (duration_s, warmup_s) = lengths(turn_s);
        let allowed = self.at_most_s.is_some_and(|most| duration_s as f64 <= most);
        allowed.then(|| Plan { duration_s, warmup_s: Some(warmup_s), turn_s: Some(turn_s), ..self.clone() })
    }

    /// Seconds that figures are taken over, with `redo_ratio` times the present redo log; half of a run whose warm-up
    /// is detected.
    pub fn window_s(&self, redo_ratio: f64) -> u64 {
        let (duration_s, warmup_s) = self.lengths_at(redo_ratio);
        duration_s - warmup_s.unwrap_or(duration_s / 2)
    }

    /// Seconds of a run with `redo_ratio` times the present redo log, and those that figures leave out; `None` if they
    /// are detected.
    fn lengths_at(&self, redo_ratio: f64) -> (u64, Option<u64>) {
        self.turn_s.map_or((self.duration_s, self.warmup_s), |turn_s| {
            let (duration_s, warmup_s) = lengths(turn_s * redo_ratio);
            (duration_s, Some(warmup_s))
        })
    }

    /// Whether runs with `redo_ratio` times the present redo log may be as long as they would have to be.
    pub(super) fn has_room(&self, redo_ratio: f64) -> bool {
        let needed_s = self.turn_s.map_or(0, |turn_s| lengths(turn_s * redo_ratio).0);
        self.at_most_s.is_none_or(|most| needed_s as f64 <= most)
    }

    /// Brings a scenario whose redo log is `redo_ratio` times the present one to its length: twice the redo takes twice
    /// as long to turn.
    pub(crate) fn apply(&self, scenario: &mut Scenario, redo_ratio: f64) {
        let (duration_s, warmup_s) = self.lengths_at(redo_ratio);
        scenario.run.duration = SimDuration::from_secs(duration_s);
        scenario.warmup = match warmup_s {
            Some(warmup) => Warmup::Fixed(SimDuration::from_secs(warmup)),
            None => Warmup::Auto,
        };
        warm(scenario, self.warm_start);
    }
}

/// Seconds of a run and of its warm-up, where a turn of the redo log takes `turn_s`.
pub(super) fn lengths(turn_s: f64) -> (u64, u64) {
    let turn_s = turn_s.min(1e9);
    let window = (turn_s as u64).max(LEAST_WINDOW_S).next_multiple_of(10);
    let duration = ((TURNS * turn_s) as u64).next_multiple_of(10).max(2 * window);
    (duration, duration - window)
}

fn seconds(scenario: &Scenario) -> u64 {
    scenario.run.duration.whole_seconds()
}

/// Whether all pages fit nine tenths of the buffer pool.
pub(super) fn fits_pool(scenario: &Scenario) -> bool {
    let pages: u64 = scenario.run.workload.page_sets.iter().map(|set| set.pages).sum();
    let pool = scenario.settings.integer("innodb_buffer_pool_size").unwrap_or(0) / PAGE_BYTES;
    pages as f64 <= 0.9 * pool as f64
}

fn warm(scenario: &mut Scenario, warm_start: bool) {
    if warm_start {
        fill_pool(scenario);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_scenario::{Overrides, Source, load};

    fn small() -> Scenario {
        load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap()
    }

    #[test]
    fn turns_of_which_the_last_counts() {
        assert_eq!(lengths(600.0), (1500, 900));
        assert_eq!(lengths(7.0), (120, 60), "no window is shorter than a minute");
        let plan = Plan::for_turn(40.0, true, &small());
        assert_eq!((plan.duration_s, plan.warmup_s), (120, Some(60)));
        let mut double = small();
        plan.apply(&mut double, 2.0);
        assert_eq!(double.run.duration, SimDuration::from_secs(200));
        assert!(double.run.workload.page_sets.iter().all(|set| set.resident_share == 1.0));
    }

    #[test]
    fn runs_grow_up_to_a_limit() {
        let plan = Plan::for_turn(40.0, true, &small());
        let longer = plan.longer(40.0).unwrap();
        assert_eq!((longer.duration_s, longer.warmup_s, longer.warm_start), (200, Some(120), true), "1.6 x 120 s");
        assert_eq!(plan.longer(200.0).unwrap().duration_s, 500, "the log turns in 200 s");
        assert_eq!(plan.longer(600.0), None, "more than four times the scenario's 300 s");
        assert_eq!([1.0, 4.0].map(|ratio| plan.window_s(ratio)), [60, 160]);
        assert_eq!([8.0, 16.0].map(|ratio| plan.has_room(ratio)), [true, false], "a turn of 320 s, and of 640 s");
        let own = Plan::for_turn(1000.0, true, &small());
        assert_eq!((own.duration_s, own.longer(150.0).unwrap().duration_s), (300, 480));
        assert_eq!(Plan::own(&small()).longer(1.0), None, "somebody asked for this length");
    }

    #[test]
    fn what_has_its_own_length_keeps_it() {
        let never = |_: Job<'_>| -> Result<RunOutput, ()> { panic!("no pilot is needed") };
        assert_eq!(Plan::of(&small(), true, never).unwrap().duration_s, 300);
        let spike = load(Source::Shipped("teaching/activity-spike"), &Overrides::default()).unwrap();
        let plan = Plan::of(&spike, false, never).unwrap();
        assert_eq!((plan.duration_s, plan.warmup_s, plan.turn_s), (300, Some(30), None));
        assert_eq!(Plan::for_turn(1000.0, true, &small()).duration_s, 300, "longer than the scenario's own run");
    }
}
