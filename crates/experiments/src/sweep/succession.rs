//! Whether a sweep may go on in the folder of an earlier one.
//!
//! Tables and pictures of a folder are those of the last plan. A plan that has all that the earlier one has, and more,
//! takes nothing away from them. One that lacks a point, a replication or the precision would replace what somebody
//! computed by something else.

use super::plan::{Plan, Point, RunId};
use super::record::Record;
use super::results::Results;
use std::collections::BTreeMap;

impl Plan {
    /// What this plan would take away from the tables of `earlier`, of whose runs these are there, in words; `None` if
    /// nothing. A program built of other sources makes all runs anew, and takes nothing away by that.
    pub fn takes_away(&self, earlier: &Plan, runs: &BTreeMap<RunId, Record>) -> Option<String> {
        let there = Results::of(earlier, runs);
        let kept = there.points.iter().filter(|result| !result.runs.is_empty());
        let mut lost = kept.clone().filter(|result| !self.has(earlier, &earlier.points[result.point]));
        if let Some(lost) = lost.next() {
            let label = earlier.label(lost.point);
            return Some(
                self.difference(earlier).unwrap_or_else(|| format!("it has a point with {label}, this one none")),
            );
        }
        let most = kept.map(|result| result.runs.len() as u32).max()?;
        match (earlier.precision, self.precision) {
            (None, None) if self.replications < most => {
                Some(format!("it has {most} replications of a point, this one {}", self.replications))
            }
            (Some(_), None) => Some("it runs until a precision is reached, this one does not".to_owned()),
            (None, Some(precision)) if precision.first < most => {
                Some(format!("it has {most} replications of a point, this one may have {}", precision.first))
            }
            (Some(a), Some(b)) if b.relative > a.relative || b.first < a.first || b.limit < a.limit => Some(format!(
                "its precision is finer or has more runs than this one's ({} and {})",
                a.relative, b.relative
            )),
            _ => None,
        }
    }

    /// Whether a point of `earlier` is among the points.
    fn has(&self, earlier: &Plan, point: &Point) -> bool {
        // Another build may write a scenario out in another way.
        let same_build = self.build == earlier.build;
        let same = |own: &Point| {
            own.seed == point.seed
                && if same_build {
                    own.hash == point.hash
                } else {
                    own.values == point.values && own.model == point.model && own.simulated_s == point.simulated_s
                }
        };
        (self.until_rest, self.warm_copies, self.tier) == (earlier.until_rest, earlier.warm_copies, earlier.tier)
            && (same_build || (self.scenario == earlier.scenario && self.columns == earlier.columns))
            && self.points.iter().any(same)
    }

    /// The first thing that tells a sweep whose points are lost from this one; `None` if it is the values that vary.
    fn difference(&self, earlier: &Plan) -> Option<String> {
        let words = |arguments: &[String]| match arguments {
            [] => "no options".to_owned(),
            some => some.join(" "),
        };
        let length = |plan: &Plan| plan.points.first().map_or(0.0, |point| point.simulated_s);
        let pairs = [
            ("scenario", earlier.scenario.clone(), self.scenario.clone()),
            ("seed", earlier.seed.to_string(), self.seed.to_string()),
            ("options", words(earlier.shared()), words(self.shared())),
            ("varying settings", earlier.columns.join(", "), self.columns.join(", ")),
            ("simulated time", format!("{} s", length(earlier)), format!("{} s", length(self))),
        ];
        let named = pairs.into_iter().find(|(_, a, b)| a != b);
        let named = named.map(|(what, a, b)| format!("its {what}: {a}; of this one: {b}"));
        let same_values = self.points.len() == earlier.points.len()
            && self.points.iter().zip(&earlier.points).all(|(a, b)| a.values == b.values);
        named.or_else(|| same_values.then(|| "the scenario was changed since".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{MadeAs, Request, ThinSeries};
    use innosim_core::metrics::Summary;
    use innosim_scenario::Overrides;
    use innosim_statistics::Precision;

    fn request(vary: &[&str], replications: u32) -> Request {
        Request {
            scenario: "teaching/redo-too-small".to_owned(),
            vary: vary.iter().map(|text| (*text).to_owned()).collect(),
            overrides: Overrides { replications: Some(replications), ..Overrides::default() },
            ..Request::default()
        }
    }

    fn plan(vary: &[&str], replications: u32) -> Plan {
        request(vary, replications).prepare().unwrap().plan
    }

    fn runs_of(plan: &Plan) -> BTreeMap<RunId, Record> {
        let ids = (0..plan.points.len()).flat_map(|p| (0..plan.replications).map(move |r| plan.run_id(p, r)));
        let record = |id: RunId| Record {
            id,
            early: None,
            begun_warm: None,
            made_as: MadeAs::Exact,
            warmup_s: 0,
            warmup_converged: true,
            summary: Summary::default(),
            batches: None,
            series: ThinSeries::default(),
        };
        ids.map(|id| (id.clone(), record(id))).collect()
    }

    #[test]
    fn more_values_dimensions_and_replications_take_nothing_away() {
        let earlier = plan(&["drive.clients=4,8"], 2);
        let runs = runs_of(&earlier);
        let precise = Request {
            precision: Some(Precision { relative: 0.01, first: 2, limit: 10 }),
            ..request(&["drive.clients=8,4"], 2)
        };
        let mut other_build = earlier.clone();
        other_build.build = "other".to_owned();
        for later in [
            plan(&["drive.clients=2,4,8"], 2),
            plan(&["drive.clients=4,8"], 3),
            plan(&["drive.clients=4,8", "innodb_redo_log_capacity=192M,1G"], 2),
            precise.prepare().unwrap().plan,
            other_build,
        ] {
            assert_eq!(later.takes_away(&earlier, &runs), None, "{:?}", later.command());
        }
        // Of an earlier sweep without a finished run there is nothing to lose.
        assert_eq!(plan(&["drive.clients=1"], 1).takes_away(&earlier, &BTreeMap::new()), None);
    }

    #[test]
    fn what_differs_is_named() {
        let earlier = plan(&["drive.clients=4,8"], 2);
        let runs = runs_of(&earlier);
        let with = |change: fn(&mut Request)| {
            let mut request = request(&["drive.clients=4,8"], 2);
            change(&mut request);
            request.prepare().unwrap().plan
        };
        for (later, words) in [
            (plan(&["drive.clients=8,16"], 2), "a point with drive.clients = 4"),
            (plan(&["drive.clients=4,8"], 1), "it has 2 replications of a point, this one 1"),
            (plan(&["innodb_io_capacity_max=4000"], 2), "varying settings: drive.clients; of this one: innodb_io"),
            (with(|r| r.overrides.seed = Some(7)), "its seed: 1; of this one: 7"),
            (
                with(|r| r.overrides.duration = Some("9s".to_owned())),
                "its options: no options; of this one: --duration 9s",
            ),
            (with(|r| r.until_rest = Some(0.1)), "its options: no options; of this one: --until-rest=0.1"),
            (
                with(|r| (r.until_rest, r.warm_copies) = (Some(0.1), true)),
                "of this one: --until-rest=0.1 --warm-copies",
            ),
            (with(|r| r.scenario = "io-capacity-max-too-low".to_owned()), "its scenario: teaching/redo-too-small"),
        ] {
            let told = later.takes_away(&earlier, &runs).unwrap_or_default();
            assert!(told.contains(words), "{told}");
        }
    }
}
