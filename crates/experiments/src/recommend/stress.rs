//! What a server must survive whatever its settings: the load a quarter higher for half a minute, and a checkpoint age that
//! starts at its limit. (A device that is slower for a minute is a [`Case`](super::case::Case) anyway, for a whole run.)
//!
//! A stressed run begins in the state in which the setting was seen to be at rest, as a start in the middle of the work: with its
//! dirty pages, checkpoint age and averages. Simplifications: the dirty pages are spread evenly over the age, and a quarter
//! more load in a closed loop is a quarter more clients, which errs towards less where the processors are the limit.

use super::space::Point;
use crate::rest::{dirty_start, fill_pool};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::Summary;
use innosim_core::workload::DriveSpec;
use innosim_scenario::{Scenario, Warmup};

/// How much higher the load is.
const SURGE: f64 = 1.25;
/// Seconds that figures leave out: the first is like no other.
const LEFT_OUT_S: u64 = 1;

/// Something that a server must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stress {
    /// The load is a quarter higher for half a minute.
    Surge,
    /// The checkpoint age starts at its limit.
    AgeAtLimit,
}

impl Stress {
    /// All of them.
    pub const ALL: [Stress; 2] = [Stress::Surge, Stress::AgeAtLimit];

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Stress::Surge => "load_a_quarter_higher",
            Stress::AgeAtLimit => "age_at_its_limit",
        }
    }

    /// Seconds that figures are taken over.
    pub const fn seconds(self) -> u64 {
        match self {
            Stress::Surge => 30,
            Stress::AgeAtLimit => 60,
        }
    }

    /// Puts a scenario under the stress, from the state that `at_rest` tells of.
    pub(super) fn apply(self, scenario: &mut Scenario, at_rest: &Summary) {
        fill_pool(scenario);
        let age = match self {
            Stress::Surge => at_rest.checkpoint_age_mean,
            Stress::AgeAtLimit => at_rest.age_async_limit.max(at_rest.checkpoint_age_mean),
        };
        scenario.run.dirty_start = Some(dirty_start(scenario, at_rest, age));
        if self == Stress::Surge {
            match &mut scenario.run.workload.drive {
                DriveSpec::Closed { clients, .. } => *clients = (f64::from(*clients) * SURGE).ceil() as u32,
                DriveSpec::Open { rate, .. } => {
                    for segment in rate {
                        segment.from_per_s *= SURGE;
                        segment.to_per_s *= SURGE;
                    }
                }
            }
        }
        scenario.run.duration = SimDuration::from_secs(self.seconds() + LEFT_OUT_S);
        scenario.warmup = Warmup::Fixed(SimDuration::from_secs(LEFT_OUT_S));
    }
}

/// A setting under a stress.
#[derive(Debug, Clone, PartialEq)]
pub struct Stressed {
    /// What it was put under.
    pub stress: Stress,
    /// The setting.
    pub point: Point,
    /// Whether its users felt no stall and no wave.
    pub comes_through: bool,
    /// Its figures.
    pub figures: Summary,
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_scenario::{Overrides, Source, load};

    #[test]
    fn a_stress_begins_at_rest_or_at_the_limit() {
        let scenario = load(Source::Shipped("teaching/redo-too-small"), &Overrides::default()).unwrap();
        let at_rest = Summary {
            checkpoint_age_mean: 60e6,
            age_async_limit: 120e6,
            dirty_pages_mean: 41_000.0,
            redo_bytes_per_s: 5e6,
            ..Summary::default()
        };
        let under = |stress: Stress| {
            let mut scenario = scenario.clone();
            stress.apply(&mut scenario, &at_rest);
            scenario.run
        };
        let [surge, limit] = Stress::ALL.map(under);
        let start = |run: &innosim_core::run_spec::RunSpec| run.dirty_start.unwrap();
        assert_eq!([start(&surge), start(&limit)].map(|start| start.checkpoint_age_bytes), [60_000_000, 120_000_000]);
        assert!(start(&limit).share > start(&surge).share && start(&surge).share > 0.4);
        let clients = |run: &innosim_core::run_spec::RunSpec| match run.workload.drive {
            DriveSpec::Closed { clients, .. } | DriveSpec::Open { clients, .. } => clients,
        };
        assert_eq!([clients(&surge), clients(&limit)], [40, 32]);
    }
}
