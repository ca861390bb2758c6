//! Columns over time.

use std::collections::{BTreeMap, BTreeSet};

/// Samples of many counters at the same instants. A missing value is NaN.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Time of each sample, seconds since the load began (negative: before it).
    pub seconds: Vec<f64>,
    pub(crate) columns: BTreeMap<String, Vec<f64>>,
    /// Counters that were recorded and stayed 0.
    pub(crate) zero: BTreeSet<String>,
}

impl Series {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }

    /// The values of a column, one a sample; zeros for a counter that stayed 0; `None` if it was not recorded or has no
    /// value at all.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        match self.columns.get(name) {
            Some(values) if values.iter().any(|value| value.is_finite()) => Some(values.clone()),
            Some(_) => None,
            None => self.zero.contains(name).then(|| vec![0.0; self.len()]),
        }
    }

    /// Median time between samples, seconds; `None` for fewer than two.
    pub fn median_step(&self) -> Option<f64> {
        let mut steps: Vec<f64> = self.seconds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        steps.sort_by(f64::total_cmp);
        steps.get(steps.len() / 2).copied()
    }

    /// Names of the columns that hold values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }
}
