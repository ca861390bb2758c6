//! A column of samples of which some may be missing.
//!
//! A gap is no number: a sample is an `Option`, so nothing compares with one that is missing, adds it up or takes the larger of
//! it and 0 without saying what a gap is to mean there.

/// The samples of a counter or gauge, one an instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column(Vec<Option<f64>>);

impl From<Vec<f64>> for Column {
    /// Values that are not finite are gaps.
    fn from(values: Vec<f64>) -> Column {
        values.into_iter().map(Some).collect()
    }
}

impl FromIterator<Option<f64>> for Column {
    fn from_iter<T: IntoIterator<Item = Option<f64>>>(samples: T) -> Column {
        Column(samples.into_iter().map(|sample| sample.filter(|value| value.is_finite())).collect())
    }
}

impl Column {
    /// `n` samples of 0.
    pub fn zeros(n: usize) -> Column {
        Column(vec![Some(0.0); n])
    }

    /// Number of samples, missing ones included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sample at `i`, if it is there.
    pub fn at(&self, i: usize) -> Option<f64> {
        self.0.get(i).copied().flatten()
    }

    /// All samples.
    pub fn samples(&self) -> impl DoubleEndedIterator<Item = Option<f64>> {
        self.0.iter().copied()
    }

    /// The values that are there.
    pub fn present(&self) -> impl DoubleEndedIterator<Item = f64> {
        self.0.iter().copied().flatten()
    }

    /// The values that are there, with their places.
    pub fn placed(&self) -> impl DoubleEndedIterator<Item = (usize, f64)> {
        self.0.iter().enumerate().filter_map(|(i, sample)| Some((i, (*sample)?)))
    }

    /// The values that are there, with their times.
    pub fn timed(&self, seconds: &[f64]) -> impl DoubleEndedIterator<Item = (f64, f64)> {
        self.placed().filter_map(|(i, value)| Some((*seconds.get(i)?, value)))
    }

    /// The largest value.
    pub fn largest(&self) -> Option<f64> {
        self.present().reduce(f64::max)
    }

    /// The mean of the values that are there.
    pub fn mean(&self) -> Option<f64> {
        let (sum, count) = self.present().fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    /// A column of another figure of each sample.
    #[must_use]
    pub fn map(&self, figure: impl Fn(f64) -> f64) -> Column {
        self.samples().map(|sample| sample.map(&figure)).collect()
    }

    /// A column of a figure of two samples at a time, with a gap where either is missing.
    #[must_use]
    pub fn with(&self, other: &Column, figure: impl Fn(f64, f64) -> f64) -> Column {
        self.samples().zip(other.samples()).map(|(a, b)| Some(figure(a?, b?))).collect()
    }

    /// The sum of columns, with a gap where any of them has one; `None` of no columns.
    pub fn sum(columns: &[Column]) -> Option<Column> {
        let (first, others) = columns.split_first()?;
        Some(others.iter().fold(first.clone(), |sum, column| sum.with(column, |a, b| a + b)))
    }

    /// Growth a second of a cumulative counter since the sample before; a gap where one of the two is missing, where the
    /// counter fell (the server was restarted) and in the first place.
    #[must_use]
    pub fn rates(&self, seconds: &[f64]) -> Column {
        let rate = |i: usize| {
            let before = i.checked_sub(1)?;
            let (dt, grown) = (seconds.get(i)? - seconds.get(before)?, self.at(i)? - self.at(before)?);
            (dt > 0.0 && grown >= 0.0).then(|| grown / dt)
        };
        (0..self.len()).map(rate).collect()
    }

    /// Growth of a cumulative counter from its first value to its last.
    pub fn growth(&self) -> Option<f64> {
        let mut present = self.present();
        let first = present.next()?;
        Some(present.next_back().unwrap_or(first) - first)
    }

    /// Growth of a cumulative counter a second, from its first value that is there to its last; `None` if there are no two
    /// or it fell.
    pub fn growth_per_s(&self, seconds: &[f64]) -> Option<f64> {
        let mut timed = self.timed(seconds);
        let ((from, first), (to, last)) = (timed.next()?, timed.next_back()?);
        (to > from && last >= first).then(|| (last - first) / (to - from))
    }

    /// For arithmetic that carries gaps along as NaN, and never compares.
    pub fn with_nan(&self) -> Vec<f64> {
        self.0.iter().map(|sample| sample.unwrap_or(f64::NAN)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters that were recorded for a part of the time grew in that part.
    #[test]
    fn growth_is_by_the_time_that_was_counted() {
        let seconds = [0.0, 10.0, 20.0, 30.0, 40.0];
        let gap = f64::NAN;
        let grown = |values: [f64; 5]| Column::from(values.to_vec()).growth_per_s(&seconds);
        assert_eq!(grown([gap, 100.0, gap, 300.0, gap]), Some(10.0));
        assert_eq!(grown([gap, 100.0, gap, 50.0, gap]), None);
        assert_eq!(grown([gap, 100.0, gap, gap, gap]), None);
    }

    #[test]
    fn gaps_and_restarts_have_no_rate() {
        let seconds = [0.0, 1.0, 2.0, 3.0, 5.0, 6.0];
        let rates = Column::from(vec![10.0, 30.0, f64::NAN, 50.0, 90.0, 2.0]).rates(&seconds);
        assert_eq!(rates.samples().collect::<Vec<_>>(), [None, Some(20.0), None, None, Some(20.0), None]);
    }

    /// `NaN.max(0.0)` is 0 and `NaN.min(1.0)` is 1; a gap stays one.
    #[test]
    fn a_gap_stays_a_gap() {
        let column = Column::from(vec![-1.0, f64::NAN, 3.0]);
        assert_eq!(column.map(|value| value.max(0.0)), Column::from(vec![0.0, f64::NAN, 3.0]));
        assert_eq!(column.with(&Column::zeros(3), f64::max).at(1), None);
        assert_eq!(Column::sum(&[column.clone(), column.clone()]), Some(Column::from(vec![-2.0, f64::NAN, 6.0])));
        assert_eq!((column.largest(), column.growth(), column.at(9)), (Some(3.0), Some(4.0), None));
    }
}
