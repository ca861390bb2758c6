//! Columns over time.

use crate::growth_per_s;
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

    /// The largest value of a column; `None` if it was not recorded.
    pub fn largest(&self, name: &str) -> Option<f64> {
        self.column(name)?.into_iter().filter(|value| value.is_finite()).reduce(f64::max)
    }

    /// Growth of a counter a second, from its first to its last value; `None` if it was not recorded twice or went back.
    pub fn growth_per_s(&self, name: &str) -> Option<f64> {
        growth_per_s(&self.seconds, &self.column(name)?)
    }

    /// Names of the columns that hold values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_and_growth_skip_what_is_missing() {
        let columns =
            [("grows", vec![f64::NAN, 10.0, f64::NAN, 40.0]), ("restarted", vec![9.0, f64::NAN, f64::NAN, 2.0])];
        let columns = columns.map(|(name, values)| (name.to_owned(), values));
        let seconds = vec![0.0, 1.0, 2.0, 4.0];
        let series = Series { seconds, columns: columns.into(), zero: BTreeSet::from(["still".to_owned()]) };
        assert_eq!(
            ["grows", "restarted", "still", "none"].map(|name| series.largest(name)),
            [Some(40.0), Some(9.0), Some(0.0), None]
        );
        assert_eq!(
            ["grows", "restarted", "still", "none"].map(|name| series.growth_per_s(name)),
            [Some(10.0), None, Some(0.0), None]
        );
    }
}
