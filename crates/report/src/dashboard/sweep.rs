//! Pictures of a sweep.
//!
//! | picture | shows | when |
//! |---|---|---|
//! | `curves` | throughput, stalls, age and writes over one setting, a line for each value of the others | up to six lines |
//! | `heatmap` | the same four over two settings | two settings vary |
//! | `series` | throughput and age over time, a small panel a point | always |
//!
//! Bands are 95 % intervals. The best point and its plateau (what can't be told from it) are those of throughput, and
//! are marked in all panels: what else happens there is what one wants to know.

mod curves;
mod heatmap;
mod multiples;
mod notes;
mod plot;

pub(crate) use plot::places;

use super::drawing;
use crate::files::ReportError;
use innosim_core::metrics::Regime;
use std::path::Path;

/// Most lines of a picture of curves.
pub const MOST_CURVES: usize = 6;

/// A sweep as its pictures need it.
#[derive(Debug, Clone)]
pub struct SweepView {
    /// Title.
    pub title: String,
    /// What all points share, on one line.
    pub subtitle: String,
    /// Seed and version, on one line.
    pub origin: String,
    /// What varies.
    pub axes: Vec<SweepAxis>,
    /// All points, in the order of the plan.
    pub points: Vec<SweepPoint>,
    /// Which axis runs along the curves.
    pub along: usize,
    /// Points in lines along that axis; too many for `curves` if more than [`MOST_CURVES`].
    pub curves: Vec<SweepCurve>,
    /// The best point of all.
    pub best: Option<usize>,
    /// Points that are as good.
    pub plateau: Vec<usize>,
}

/// A setting, or several that go together.
#[derive(Debug, Clone)]
pub struct SweepAxis {
    /// Name.
    pub name: String,
    /// Texts of its values.
    pub labels: Vec<String>,
    /// Its values as numbers, if they are.
    pub numbers: Option<Vec<f64>>,
}

/// A line of points along an axis.
#[derive(Debug, Clone)]
pub struct SweepCurve {
    /// Values of the other axes; empty if there are none.
    pub label: String,
    /// Points, in the order of the axis.
    pub points: Vec<usize>,
    /// The best of them.
    pub best: Option<usize>,
    /// Those that are as good.
    pub plateau: Vec<usize>,
}

/// A mean with the half-width of its interval, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Band {
    /// Mean over the runs.
    pub mean: f64,
    /// Half-width of the 95 % interval.
    pub half_width: Option<f64>,
}

/// A point of a sweep.
#[derive(Debug, Clone)]
pub struct SweepPoint {
    /// Place on each axis.
    pub at: Vec<usize>,
    /// Its figures; `None` if no run is there.
    pub figures: Option<SweepFigures>,
}

/// Figures of a point.
#[derive(Debug, Clone)]
pub struct SweepFigures {
    /// Transactions a second.
    pub tps: Band,
    /// Stalled seconds.
    pub stall_seconds: Band,
    /// Mean checkpoint age as a share of its limit.
    pub age_mean: Band,
    /// Largest checkpoint age as a share of its limit.
    pub age_max: Band,
    /// Pages flushed a transaction.
    pub writes: Band,
    /// What kind of run it was.
    pub regime: Regime,
    /// The course of the first run.
    pub course: Course,
}

/// The course of a run.
#[derive(Debug, Clone, Default)]
pub struct Course {
    /// Seconds between points; a point stands for the span before its end.
    pub step_s: f64,
    /// Length of the run, seconds.
    pub seconds: f64,
    /// End of the warm-up, seconds.
    pub warmup_s: f64,
    /// Transactions a second.
    pub tps: Vec<f64>,
    /// Checkpoint age as a share of its limit.
    pub age: Vec<f64>,
    /// Pages flushed a second.
    pub flushed: Vec<f64>,
}

impl SweepView {
    /// Texts of a point's values, joined.
    pub(crate) fn label(&self, point: usize) -> String {
        self.values(point).map(|(axis, at)| axis.labels[at].as_str()).collect::<Vec<&str>>().join(" \u{b7} ")
    }

    /// Each axis with a point's place on it.
    pub(crate) fn values(&self, point: usize) -> impl Iterator<Item = (&SweepAxis, usize)> {
        self.axes.iter().zip(self.points[point].at.iter().copied())
    }
}

/// Writes the pictures that suit the sweep into the folder `dir`; their names without extension.
pub fn write_sweep_pictures(dir: &Path, view: &SweepView) -> Result<Vec<&'static str>, ReportError> {
    let mut written = Vec::new();
    if view.curves.len() <= MOST_CURVES {
        drawing::write(dir, "curves", &curves::Curves(view))?;
        written.push("curves");
    }
    if view.axes.len() == 2 {
        drawing::write(dir, "heatmap", &heatmap::HeatMaps(view))?;
        written.push("heatmap");
    }
    drawing::write(dir, "series", &multiples::Multiples::of(view))?;
    written.push("series");
    Ok(written)
}
