//! All recordings together: median errors against the marks that the program sets itself.

use super::Validation;
use innosim_statistics::median;

/// A mark: what is measured, and how far off it may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// What.
    pub name: &'static str,
    /// Largest median of absolute errors, or least share of recordings.
    pub limit: f64,
    /// Whether the figure may not exceed the limit; otherwise it may not fall below it.
    pub at_most: bool,
}

/// The marks.
pub const MARKS: [Mark; 8] = [
    Mark { name: "checkpoint_age_mean", limit: 0.08, at_most: true },
    Mark { name: "pages_flushed_per_s_mean", limit: 0.06, at_most: true },
    Mark { name: "dirty_pages_mean", limit: 0.08, at_most: true },
    Mark { name: "tps_mean_closed_loop", limit: 0.08, at_most: true },
    Mark { name: "redo_bytes_per_s", limit: 0.03, at_most: true },
    Mark { name: "checkpoint_age_nrmse_load_changes", limit: 0.12, at_most: true },
    Mark { name: "regime_right", limit: 0.9, at_most: false },
    Mark { name: "sync_flushing_right", limit: 0.9, at_most: false },
];

/// Figures over all recordings.
#[derive(Debug, Clone, PartialEq)]
pub struct Overall {
    /// Recordings predicted.
    pub recordings: usize,
    /// Each mark with what was reached; `None` where no recording tells.
    pub reached: Vec<(Mark, Option<f64>)>,
}

impl Overall {
    /// Of these predictions.
    pub fn of(validations: &[Validation]) -> Self {
        let figure = |mark: &Mark| match mark.name {
            "regime_right" => share(validations.iter().map(|v| v.regime.0 == v.regime.1)),
            "sync_flushing_right" => {
                share(validations.iter().filter_map(|v| Some(v.sync_flushing.0? == v.sync_flushing.1)))
            }
            "checkpoint_age_nrmse_load_changes" => {
                let changing = validations.iter().filter(|v| v.load_changes);
                median(&changing.filter_map(|v| v.trajectories.first()?.nrmse()).collect::<Vec<_>>())
            }
            "tps_mean_closed_loop" => {
                errors(&validations.iter().filter(|v| v.closed_loop).collect::<Vec<_>>(), "tps_mean")
            }
            name => errors(&validations.iter().collect::<Vec<_>>(), name),
        };
        Overall { recordings: validations.len(), reached: MARKS.iter().map(|mark| (*mark, figure(mark))).collect() }
    }
}

impl Mark {
    /// Whether a figure meets it.
    pub fn met(&self, figure: f64) -> bool {
        if self.at_most { figure <= self.limit } else { figure >= self.limit }
    }
}

fn errors(validations: &[&Validation], name: &str) -> Option<f64> {
    let errors = validations.iter().flat_map(|v| &v.metrics).filter(|metric| metric.name == name);
    median(&errors.filter_map(|metric| Some(metric.error()?.abs())).collect::<Vec<_>>())
}

fn share(agree: impl Iterator<Item = bool>) -> Option<f64> {
    let (n, right) = agree.fold((0_u32, 0_u32), |(n, right), agrees| (n + 1, right + u32::from(agrees)));
    (n > 0).then(|| f64::from(right) / f64::from(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_by_hand() {
        assert_eq!(share([true, false, true, true].into_iter()), Some(0.75));
    }

    #[test]
    fn marks_have_two_sides() {
        assert!(MARKS[0].met(0.08) && !MARKS[0].met(0.081));
        assert!(MARKS[6].met(0.9) && !MARKS[6].met(0.89));
    }
}
