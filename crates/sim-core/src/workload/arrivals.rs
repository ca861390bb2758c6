//! Arrival times of an open drive.
//!
//! The rate is piecewise linear in time ([`RateSegment`]). Evenly spaced arrivals come where the integral of the rate
//! reaches whole numbers; Poisson arrivals where it reaches sums of exponential draws, which is exact for any rate
//! function (time change of a unit Poisson process). Before the first segment and at rate 0 nothing arrives.

use super::spec::RateSegment;
use crate::kernel::random::Rng;
use crate::kernel::time::SimTime;

/// Generator of arrival times.
#[derive(Debug, Clone)]
pub struct Arrivals {
    segments: Vec<RateSegment>,
    poisson: bool,
    rng: Rng,
    /// Now, seconds; only differences of some milliseconds are added, so that rounding stays below a nanosecond a day.
    time_s: f64,
    /// Segments that have begun.
    begun: usize,
}

impl Arrivals {
    /// Arrivals by `segments`, in order of their starts.
    pub fn new(segments: &[RateSegment], poisson: bool, rng: Rng) -> Self {
        Arrivals { segments: segments.to_vec(), poisson, rng, time_s: 0.0, begun: 0 }
    }

    /// Time of the next arrival; `None` if there is none any more.
    pub fn next_time(&mut self) -> Option<SimTime> {
        let mut wanted = if self.poisson { -libm::log(1.0 - self.rng.uniform_f64()) } else { 1.0 };
        loop {
            let (rate, slope, end) = self.piece();
            let reach = if end.is_finite() {
                rate * (end - self.time_s) + slope * square(end - self.time_s) / 2.0
            } else {
                f64::INFINITY
            };
            if (rate > 0.0 || slope > 0.0) && reach >= wanted {
                self.time_s += solve(rate, slope, wanted);
                return Some(SimTime((self.time_s * 1e9) as u64));
            }
            if !end.is_finite() {
                return None;
            }
            wanted -= reach.max(0.0);
            self.time_s = end;
        }
    }

    /// Rate now, its slope, and the time to which both hold.
    fn piece(&mut self) -> (f64, f64, f64) {
        while self.segments.get(self.begun).is_some_and(|next| next.start_s <= self.time_s) {
            self.begun += 1;
        }
        let next = self.segments.get(self.begun).map_or(f64::INFINITY, |s| s.start_s);
        let Some(segment) = self.begun.checked_sub(1).map(|i| self.segments[i]) else { return (0.0, 0.0, next) };
        let ramp_end_s = segment.start_s + segment.ramp_s;
        // Compared as it was left: the difference to the start is rounded.
        if self.time_s < ramp_end_s {
            let into = self.time_s - segment.start_s;
            let slope = (segment.to_per_s - segment.from_per_s) / segment.ramp_s;
            (segment.from_per_s + slope * into, slope, next.min(ramp_end_s))
        } else {
            (segment.to_per_s, 0.0, next)
        }
    }
}

fn square(x: f64) -> f64 {
    x * x
}

/// Smallest positive t with rate*t + slope*t*t/2 = amount.
fn solve(rate: f64, slope: f64, amount: f64) -> f64 {
    if slope == 0.0 {
        return amount / rate;
    }
    let root = (square(rate) + 2.0 * slope * amount).max(0.0).sqrt();
    2.0 * amount / (rate + root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(segments: &[RateSegment], poisson: bool, until_s: f64) -> usize {
        let mut arrivals = Arrivals::new(segments, poisson, Rng::stream(1, 0, "arrivals"));
        let mut n = 0;
        while let Some(t) = arrivals.next_time() {
            if t.as_secs_f64() > until_s {
                break;
            }
            n += 1;
        }
        n
    }

    fn step(start_s: f64, per_s: f64) -> RateSegment {
        RateSegment { start_s, ramp_s: 0.0, from_per_s: per_s, to_per_s: per_s }
    }

    #[test]
    fn even_arrivals_follow_the_integral_of_the_rate() {
        let ramp = RateSegment { start_s: 10.0, ramp_s: 10.0, from_per_s: 0.0, to_per_s: 100.0 };
        assert_eq!(count(&[step(0.0, 50.0)], false, 10.001), 500);
        assert!(count(&[step(0.0, 50.0), ramp], false, 20.0).abs_diff(1000) <= 1);
        assert!(count(&[step(0.0, 50.0), step(5.0, 0.0), step(8.0, 10.0)], false, 10.0).abs_diff(270) <= 1);
    }

    #[test]
    fn ramps_of_any_length_end() {
        for tenths in 1..100 {
            let ramp_s = f64::from(tenths) / 10.0;
            let ramp = RateSegment { start_s: 10.0, ramp_s, from_per_s: 50.0, to_per_s: 100.0 };
            let expected = 500.0 + 75.0 * ramp_s + 100.0 * (30.0 - 10.0 - ramp_s);
            let n = count(&[step(0.0, 50.0), ramp], false, 30.0) as f64;
            assert!((n - expected).abs() <= 2.0, "{ramp_s} s: {n} instead of {expected}");
        }
    }

    #[test]
    fn poisson_arrivals_have_the_mean_and_the_variance() {
        let n = count(&[step(0.0, 100.0)], true, 1000.0) as f64;
        assert!((n - 100_000.0).abs() < 4.0 * 100_000f64.sqrt(), "{n}");
    }

    #[test]
    fn nothing_arrives_at_rate_zero() {
        assert_eq!(count(&[step(0.0, 0.0)], true, 1e9), 0);
    }
}
