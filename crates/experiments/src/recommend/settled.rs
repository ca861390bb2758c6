//! Whether a run was long enough for its checkpoint age to come to rest.
//!
//! A setting that flushes too little looks good for as long as the age has room to rise: writes are put off, not saved.
//! In steady state the age takes no more of the redo than it gives back, so the share of the redo written that stayed
//! in the age tells how far a run is from it. The age is compared between the first and the last third of the time that
//! counts, and must have risen through the second, so that a ripple is not taken for a trend. An age that has met its
//! limit rises no more: such a run shows what there is to see, however it looks.

use innosim_core::metrics::{RunOutput, SecondSample};

/// Share of the redo written that may stay in the age of a run at rest.
const STAYED: f64 = 0.05;
/// An age above this share of the limit of asynchronous flushing has met it.
const MET: f64 = 0.95;

/// An age that was still on its way up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rise {
    /// Mean age over the first third of the time that counts, bytes.
    pub from_bytes: f64,
    /// The same over the last third.
    pub to_bytes: f64,
}

/// How the age rises at the end of a run that leaves out `warmup_s` seconds; `None` if it is at rest.
pub fn rise_of(output: &RunOutput, warmup_s: u64) -> Option<Rise> {
    let counted = &output.series[output.series.partition_point(|s| s.second <= warmup_s)..];
    let third = counted.len() / 3;
    if third == 0 {
        return None;
    }
    let age = |seconds: &[SecondSample]| mean(seconds, |s| s.checkpoint_age_bytes as f64);
    let (first, last) = (&counted[..third], &counted[counted.len() - third..]);
    let (from_bytes, to_bytes) = (age(first), age(last));
    let between = age(&counted[third..counted.len() - third]);
    let written = mean(counted, |s| s.redo_generated_bytes as f64) * (counted.len() - third) as f64;
    let highest = counted.iter().map(|s| s.checkpoint_age_bytes).max().unwrap_or(0) as f64;
    let has_met_its_limit = highest >= MET * output.age_limits.async_bytes as f64;
    let rises = from_bytes < between && between < to_bytes && to_bytes - from_bytes > STAYED * written;
    (rises && !has_met_its_limit).then_some(Rise { from_bytes, to_bytes })
}

fn mean(seconds: &[SecondSample], value: impl Fn(&SecondSample) -> f64) -> f64 {
    seconds.iter().map(value).sum::<f64>() / seconds.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_core::seam::AgeLimits;

    /// A run of 100 s that writes 10 MB of redo a second, with an age by second.
    fn run(age: impl Fn(u64) -> u64) -> RunOutput {
        let second = |second| SecondSample {
            second,
            redo_generated_bytes: 10_000_000,
            checkpoint_age_bytes: age(second),
            ..SecondSample::default()
        };
        RunOutput {
            series: (1..=100).map(second).collect(),
            latency_by_10s: Vec::new(),
            age_limits: AgeLimits { async_bytes: 2_000_000_000, stop_bytes: 2_100_000_000, ..AgeLimits::default() },
            ..RunOutput::default()
        }
    }

    #[test]
    fn an_age_that_keeps_the_redo_rises() {
        let rise = rise_of(&run(|second| 10_000_000 * second), 40).unwrap();
        // Seconds 41 to 60 and 81 to 100.
        assert_eq!((rise.from_bytes, rise.to_bytes), (505e6, 905e6));
        assert!(rise_of(&run(|second| 1_000_000 * second), 40).is_some(), "a tenth of the redo stays");
        assert_eq!(rise_of(&run(|second| 400_000 * second), 40), None, "a twenty-fifth");
    }

    #[test]
    fn rest_ripples_and_a_limit_are_no_rise() {
        assert_eq!(rise_of(&run(|_| 900_000_000), 40), None);
        assert_eq!(rise_of(&run(|second| 900_000_000 + 100_000_000 * (second / 5 % 2)), 40), None);
        assert_eq!(rise_of(&run(|second| 1_000_000_000 + 10_000_000 * second), 40), None, "it met its limit");
        assert_eq!(rise_of(&run(|second| second), 98), None, "too short to be asked");
    }
}
