//! Columns over time.

use crate::Column;
use std::collections::{BTreeMap, BTreeSet};

/// A step from one sample or report to the next that is longer than the usual one by more than this has some missing.
pub const LONG_STEP: f64 = 1.5;

/// Samples of many counters at the same instants.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Time of each sample, seconds since the load began (negative: before it).
    pub seconds: Vec<f64>,
    /// As they were read; a missing value is NaN. Outside of reading they are [`Column`]s.
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

    /// The samples of a column; zeros for a counter that stayed 0; `None` if it was not recorded or has no
    /// value at all.
    pub fn column(&self, name: &str) -> Option<Column> {
        match self.columns.get(name) {
            Some(values) => Some(Column::from(values.clone())).filter(|column| column.present().next().is_some()),
            None => self.zero.contains(name).then(|| Column::zeros(self.len())),
        }
    }

    /// Puts a column in the place of that name.
    pub(crate) fn put(&mut self, name: &str, column: &Column) {
        self.columns.insert(name.to_owned(), column.with_nan());
    }

    /// Median time between samples, seconds; `None` for fewer than two.
    pub fn median_step(&self) -> Option<f64> {
        let mut steps: Vec<f64> = self.seconds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        steps.sort_by(f64::total_cmp);
        steps.get(steps.len() / 2).copied()
    }

    /// The largest value of a column; `None` if it was not recorded.
    pub fn largest(&self, name: &str) -> Option<f64> {
        self.column(name)?.largest()
    }

    /// Growth of a counter a second, from its first to its last value; `None` if it was not recorded twice or went back.
    pub fn growth_per_s(&self, name: &str) -> Option<f64> {
        self.column(name)?.growth_per_s(&self.seconds)
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
