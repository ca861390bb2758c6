//! What a table of figures does not show: whether throughput has the course that was published, and whether servers stand in
//! the published order.

use super::{Figure, SeriesRow};
use innosim_statistics::rank_correlation;
use std::collections::BTreeSet;

/// Scatter of seconds, as a share of the mean, up to which a run is steady, and up to which it only ripples.
const STEADY: f64 = 0.06;
const RIPPLED: f64 = 0.12;
/// Seconds below half the median from which a run has waves, whatever its scatter.
const STALLED_S: f64 = 10.0;

/// How throughput goes over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// It hardly moves.
    Steady,
    /// It moves, and never far.
    Rippled,
    /// It collapses and recovers.
    Waves,
}

impl Course {
    /// The course of a run with this scatter and this many stalled seconds.
    pub fn from_figures(cv: f64, stalled_s: f64) -> Course {
        match cv {
            _ if stalled_s >= STALLED_S => Course::Waves,
            cv if cv < STEADY => Course::Steady,
            cv if cv <= RIPPLED => Course::Rippled,
            _ => Course::Waves,
        }
    }

    /// The published and the simulated course of a run, where both figures were published.
    pub fn of_row(row: &SeriesRow) -> Option<(Course, Course)> {
        let of = |figures: &std::collections::BTreeMap<Figure, f64>| {
            Some(Course::from_figures(*figures.get(&Figure::TpsCv)?, *figures.get(&Figure::StallS)?))
        };
        Some((of(&row.published)?, of(&row.simulated)?))
    }
}

/// Spearman's rank correlation of published and simulated throughput in each group of at least three runs: 1 for the same order.
pub fn rank_correlations(rows: &[SeriesRow]) -> Vec<(String, f64)> {
    let mut names: Vec<&String> = Vec::new();
    let mut seen = BTreeSet::new();
    for group in rows.iter().filter_map(|row| row.group.as_ref()) {
        if seen.insert(group) {
            names.push(group);
        }
    }
    let correlation = |group: &String| {
        let of_group = rows.iter().filter(|row| row.group.as_ref() == Some(group));
        let tps = |figures: &std::collections::BTreeMap<Figure, f64>| figures.get(&Figure::TpsMean).copied();
        let pairs: Vec<(f64, f64)> =
            of_group.filter_map(|row| Some((tps(&row.published)?, tps(&row.simulated)?))).collect();
        (pairs.len() >= 3).then(|| rank_correlation(&pairs))
    };
    names.into_iter().filter_map(|group| Some((group.clone(), correlation(group)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_is_told_by_scatter_and_stalls() {
        let of = Course::from_figures;
        assert_eq!([of(0.03, 0.0), of(0.1, 9.0), of(0.3, 0.0)], [Course::Steady, Course::Rippled, Course::Waves]);
        assert_eq!(of(0.03, 10.0), Course::Waves, "ten stalled seconds");
    }
}
