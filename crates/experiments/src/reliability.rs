//! How often stated intervals held: is "95 %" 95 %?
//!
//! | interval | stated by | held against |
//! |---|---|---|
//! | redo and CPU time a transaction | `calibrate`, from blocks of ten seconds | the same ratio, with its own interval, of other samples |
//! | dirty pages | `advise`, from a fitted spectrum | the mean of other samples, as their ages went |
//! | the model's own error | [`ModelError`] of all other servers | the error of each prediction |
//!
//! Other samples are the second half of the same recording, and another recording of the same server and load. Two ratios agree if
//! they differ by no more than the root of the sum of both half-widths squared.
//!
//! The model's error is the smallest half-width that at least 95 % of the errors of predictions lie within, one more prediction
//! counted as missed (split conformal prediction). It supposes that a reader's server is like one of those that were compared. To
//! see whether that holds, each server's errors are held against the half-width of the others'.
//!
//! Simplification: recordings of one server are no independent draws, so shares scatter more than their number says.

use crate::advise::dirty_pages_told;
use crate::calibrate::{Calibration, Parameter, calibrate};
use crate::validate::{Validation, choose};
use innosim_recordings::Recording;
use std::collections::BTreeSet;

/// What all intervals claim.
pub const LEVEL: f64 = 0.95;

/// Ratios of counters whose intervals are held against other samples.
const RATIOS: [(&str, &str); 2] =
    [("redo_bytes_per_transaction", "redo a transaction"), ("cpu", "CPU time a transaction")];
/// Figures of predictions, and what they are.
const FIGURES: [(&str, &str); 4] = [
    ("tps_mean", "closed loop's throughput"),
    ("checkpoint_age_mean", "checkpoint age"),
    ("pages_flushed_per_s_mean", "pages flushed"),
    ("dirty_pages_mean", "dirty pages"),
];

/// An interval that is stated, and how often it held.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Of what.
    pub what: String,
    /// What it was held against.
    pub against: &'static str,
    /// Each case by the recording's name, and whether it held.
    pub cases: Vec<(String, bool)>,
}

impl Claim {
    /// Cases in which it held.
    pub fn held(&self) -> usize {
        self.cases.iter().filter(|(_, held)| *held).count()
    }
}

/// Half-width that an error of the model exceeds in one prediction of twenty, as a share of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelError {
    /// Of what.
    pub what: &'static str,
    /// Predictions that it comes from.
    pub predictions: usize,
    /// Half-width; infinite for fewer than nineteen predictions.
    pub half_width: f64,
}

/// Holds the intervals that are stated of recordings against other samples.
pub fn of_recordings(recordings: &[Recording]) -> Vec<Claim> {
    let halves: Vec<_> = recordings.iter().map(|one| (one.name.as_str(), halves(one))).collect();
    let second_halves = halves.iter().map(|(name, [first, second])| (*name, first, second)).collect::<Vec<_>>();
    let partners = recordings.iter().filter_map(|one| Some((one.name.as_str(), choose(one, recordings)?, one)));
    let sets = [("the second half", second_halves), ("another recording", partners.collect())];
    let mut claims = Vec::new();
    for (against, pairs) in sets {
        let calibrated = |(recording, source, target): &(&str, &Recording, &Recording)| {
            Some(((*recording).to_owned(), calibrate(source).ok()?, calibrate(target).ok()?))
        };
        let calibrations: Vec<(String, Calibration, Calibration)> = pairs.iter().filter_map(calibrated).collect();
        for (name, what) in RATIOS {
            let agree = |(recording, source, target): &(String, Calibration, Calibration)| {
                Some((recording.clone(), ratios_agree(ratio(source, name)?, ratio(target, name)?)?))
            };
            claims.push(Claim {
                what: what.to_owned(),
                against,
                cases: calibrations.iter().filter_map(agree).collect(),
            });
        }
        let holds = |(recording, source, target): &(&str, &Recording, &Recording)| {
            let range = dirty_pages_told(source, target)?;
            Some(((*recording).to_owned(), range.low <= 1.0 && 1.0 <= range.high))
        };
        let what = "dirty pages".to_owned();
        claims.push(Claim { what, against, cases: pairs.iter().filter_map(holds).collect() });
    }
    claims
}

/// The model's own error in each figure, and how often that of the other servers held one server's.
pub fn of_predictions(validations: &[Validation]) -> (Vec<ModelError>, Vec<Claim>) {
    FIGURES.iter().map(|(name, what)| of_figure(&errors(validations, name), what)).unzip()
}

/// An error of a prediction: the recording, its server and the error as a share.
type Error = (String, String, f64);

fn errors(validations: &[Validation], name: &str) -> Vec<Error> {
    let counts = |validation: &&Validation| name != "tps_mean" || validation.closed_loop && validation.cpu_is_known;
    let one = |validation: &Validation| {
        let error = validation.metrics.iter().find(|metric| metric.name == name)?.error()?;
        Some((validation.recording.clone(), validation.model.to_string(), error.abs()))
    };
    validations.iter().filter(counts).filter_map(one).collect()
}

fn of_figure(errors: &[Error], what: &'static str) -> (ModelError, Claim) {
    let half_width = |of: &dyn Fn(&str) -> bool| {
        conformal(errors.iter().filter(|(_, server, _)| of(server)).map(|(_, _, error)| *error).collect())
    };
    let servers: BTreeSet<&str> = errors.iter().map(|(_, server, _)| server.as_str()).collect();
    let without = |server: &str| (server.to_owned(), half_width(&|other| other != server));
    let of_others: Vec<(String, f64)> = servers.into_iter().map(without).collect();
    let holds = |(recording, server, error): &Error| {
        let (_, bound) = of_others.iter().find(|(other, _)| other == server)?;
        bound.is_finite().then(|| (recording.clone(), error <= bound))
    };
    let claim = Claim {
        what: format!("prediction: {what}"),
        against: "errors of the other servers",
        cases: errors.iter().filter_map(holds).collect(),
    };
    (ModelError { what, predictions: errors.len(), half_width: half_width(&|_| true) }, claim)
}

/// The half-width that one more error of the same kind keeps to with probability [`LEVEL`].
fn conformal(mut errors: Vec<f64>) -> f64 {
    errors.sort_by(f64::total_cmp);
    let rank = (LEVEL * (errors.len() + 1) as f64).ceil() as usize;
    errors.get(rank.saturating_sub(1)).copied().unwrap_or(f64::INFINITY)
}

/// A recording's load, cut in the middle.
fn halves(recording: &Recording) -> [Recording; 2] {
    let (start, end) = recording.load_window();
    let middle = f64::midpoint(start, end);
    [recording.between(start, middle), recording.between(middle, end)]
}

/// A ratio that is measured and not assumed.
fn ratio<'a>(calibration: &'a Calibration, name: &str) -> Option<&'a Parameter> {
    if name == "cpu" && !calibration.cpu_is_known {
        return None;
    }
    calibration.parameters.iter().find(|parameter| parameter.name == name && parameter.uncertainty.is_some())
}

/// Whether two ratios agree within their intervals.
fn ratios_agree(a: &Parameter, b: &Parameter) -> Option<bool> {
    Some((a.value - b.value).abs() <= a.uncertainty?.hypot(b.uncertainty?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nineteen_errors_are_needed_and_the_largest_counts_then() {
        let errors = |n: u32| (1..=n).map(f64::from).collect::<Vec<_>>();
        assert_eq!(conformal(errors(18)), f64::INFINITY);
        assert_eq!(conformal(errors(19)), 19.0);
        assert_eq!(conformal(errors(39)), 38.0);
        assert_eq!(conformal(Vec::new()), f64::INFINITY);
    }

    /// A server whose errors are twice those of the others does not keep to theirs.
    #[test]
    fn a_server_is_held_against_the_others() {
        let of = |server: &str, scale: f64| {
            (1..=20).map(move |i| (format!("r{i}"), server.to_owned(), scale * f64::from(i))).collect::<Vec<_>>()
        };
        let errors = [of("a", 1.0), of("b", 1.0), of("c", 2.0)].map(Vec::into_iter).into_iter().flatten();
        let (model, claim) = of_figure(&errors.collect::<Vec<_>>(), "age");
        assert_eq!((model.predictions, model.half_width), (60, 36.0));
        // Those of c by a's and b's: 39 of 41 are up to 20, so the ten above fail.
        assert_eq!((claim.cases.len(), claim.held()), (60, 50));
    }

    #[test]
    fn ratios_agree_within_both_intervals() {
        let of = |value, half| Parameter { name: "x", value, uncertainty: half, unit: "", method: String::new() };
        assert_eq!(ratios_agree(&of(10.0, Some(3.0)), &of(15.0, Some(4.0))), Some(true));
        assert_eq!(ratios_agree(&of(10.0, Some(3.0)), &of(15.1, Some(4.0))), Some(false));
        assert_eq!(ratios_agree(&of(10.0, None), &of(10.0, Some(4.0))), None);
    }
}
