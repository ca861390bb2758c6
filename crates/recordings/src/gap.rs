//! Series with gaps: a missing value is NaN, and nothing is made up in its place.

/// A step from one sample or report to the next that is longer than the usual one by more than this has some missing.
pub const LONG_STEP: f64 = 1.5;

/// Growth a second of a cumulative counter between neighbouring samples; NaN where one of the two is missing, where the
/// counter fell (the server was restarted) and in the first place.
pub fn rates(seconds: &[f64], counter: &[f64]) -> Vec<f64> {
    let mut rates = vec![f64::NAN; counter.len()];
    for i in 1..counter.len().min(seconds.len()) {
        let (dt, grown) = (seconds[i] - seconds[i - 1], counter[i] - counter[i - 1]);
        if dt > 0.0 && grown >= 0.0 {
            rates[i] = grown / dt;
        }
    }
    rates
}

/// Growth of a cumulative counter a second, from its first value that is there to its last; `None` if there are no two or
/// it fell.
pub fn growth_per_s(seconds: &[f64], counter: &[f64]) -> Option<f64> {
    let mut known = seconds.iter().zip(counter).filter(|(_, value)| value.is_finite());
    let ((from, first), (to, last)) = (known.next()?, known.next_back()?);
    (to > from && last >= first).then(|| (last - first) / (to - from))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters that were recorded for a part of the time grew in that part.
    #[test]
    fn growth_is_by_the_time_that_was_counted() {
        let seconds = [0.0, 10.0, 20.0, 30.0, 40.0];
        let gap = f64::NAN;
        assert_eq!(growth_per_s(&seconds, &[gap, 100.0, gap, 300.0, gap]), Some(10.0));
        assert_eq!(growth_per_s(&seconds, &[gap, 100.0, gap, 50.0, gap]), None);
        assert_eq!(growth_per_s(&seconds, &[gap, 100.0, gap, gap, gap]), None);
    }

    #[test]
    fn gaps_and_restarts_have_no_rate() {
        let seconds = [0.0, 1.0, 2.0, 3.0, 5.0, 6.0];
        let counter = [10.0, 30.0, f64::NAN, 50.0, 90.0, 2.0];
        let rates = rates(&seconds, &counter);
        assert_eq!((rates[1], rates[4]), (20.0, 20.0));
        assert!([0, 2, 3, 5].iter().all(|&i: &usize| rates[i].is_nan()));
    }
}
