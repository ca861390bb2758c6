//! Where the page cleaner stood at each sample, as far as its counters tell.
//!
//! The gauges of a pass appear when it begins, its pages and its batch are counted when it ends. On a fast device both
//! fall into the same second; on a slow one a pass lasts several seconds, in which no other one begins.

/// The trace of the cleaner over the samples.
pub(super) struct Cleaner {
    /// Whether a pass was under way at the sample.
    pub(super) in_flight: Vec<bool>,
    /// Whether a pass began between this sample and the one before it.
    pub(super) began: Vec<bool>,
    /// Pages of all passes that had ended when that pass began.
    pub(super) flushed_before: Vec<f64>,
}

impl Cleaner {
    /// `gauges`: what changes when a pass begins; `batches`, `flushed`: what grows when one ends.
    pub(super) fn trace(requested: &[f64], gauges: &[&[f64]], batches: &[f64], flushed: &[f64]) -> Self {
        let n = requested.len();
        let mut trace = Cleaner { in_flight: vec![false; n], began: vec![false; n], flushed_before: flushed.to_vec() };
        for i in 1..n {
            let changed = gauges.iter().any(|gauge| gauge[i] != gauge[i - 1]);
            let ended = batches[i] - batches[i - 1];
            let was = trace.in_flight[i - 1];
            // A pass that asks for nothing ends at once and leaves no trace.
            let asks_for_nothing = requested[i] == 0.0;
            trace.began[i] = changed || asks_for_nothing || (ended > 0.0 && !was) || ended > 1.0;
            let passes = f64::from(u8::from(was)) + f64::from(u8::from(trace.began[i]));
            trace.in_flight[i] = !asks_for_nothing && passes > ended;
            trace.flushed_before[i] = match (was, trace.in_flight[i]) {
                (false, _) => flushed[i - 1],
                (true, true) => flushed[i],
                (true, false) => (flushed[i] - requested[i]).max(flushed[i - 1]),
            };
        }
        trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_passes_begin_and_end_in_their_second() {
        let requested = [0.0, 100.0, 110.0, 120.0];
        let flushed = [0.0, 104.0, 216.0, 340.0];
        let trace = Cleaner::trace(&requested, &[&requested], &[0.0, 1.0, 2.0, 3.0], &flushed);
        assert_eq!(trace.in_flight, [false; 4]);
        assert_eq!(trace.began[1..], [true; 3]);
        assert_eq!(trace.flushed_before[1..], [0.0, 104.0, 216.0]);
    }

    #[test]
    fn a_long_pass_leaves_seconds_without_one() {
        let requested = [0.0, 300.0, 300.0, 390.0, 390.0];
        let flushed = [0.0, 0.0, 0.0, 304.0, 304.0];
        let trace = Cleaner::trace(&requested, &[&requested], &[0.0, 0.0, 0.0, 1.0, 1.0], &flushed);
        assert_eq!(trace.in_flight, [false, true, true, true, true]);
        assert_eq!(trace.began[1..], [true, false, true, false]);
        assert_eq!(trace.flushed_before[3], 304.0);
    }
}
