//! Times that were cut to whole seconds.
//!
//! A loop that sleeps a second between samples takes a little longer for each. By `date +%s` some steps are then 2 s long, in
//! which a counter seems to have grown at half its rate: a stall that nobody had. So the times are laid on the straightest line that
//! stays within half a second of those written, from each pause to the next.
//!
//! The same times would be those of a loop that takes a second sharp and lost samples. So the server's work decides: the line is
//! kept if the rate scatters less by it.

use crate::idle::WORK;
use crate::{LONG_STEP, Series};

/// Samples that are looked ahead for a bend.
const AHEAD: usize = 1000;
/// A time was cut from up to so far from where its line lies, seconds.
const CUT: f64 = 0.5;

/// Lays times of whole seconds at even steps, where the server's work says so.
pub(crate) fn even_out(series: &mut Series) {
    if series.seconds.iter().any(|second| second.fract() != 0.0) {
        return;
    }
    let even = even_times(&series.seconds);
    let scatters_less = |name: &&str| {
        let counter = series.column(name)?;
        let [by_line, by_times] = [&even, &series.seconds].map(|seconds| scatter(counter.rates(seconds).present()));
        Some(by_line? < by_times?)
    };
    if WORK.iter().find_map(scatters_less) == Some(true) {
        series.seconds = even;
    }
}

/// The mean step from one rate to the next, as a share of their mean; `None` of no work.
fn scatter(rates: impl Iterator<Item = f64>) -> Option<f64> {
    let rates: Vec<f64> = rates.collect();
    let sum: f64 = rates.iter().sum();
    let steps: f64 = rates.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
    (sum > 0.0).then(|| steps / sum)
}

/// Times on the straightest lines that stay within [`CUT`] of those written, one from each pause to the next.
fn even_times(times: &[f64]) -> Vec<f64> {
    let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
    let longest = (LONG_STEP * usual).max(usual + 2.0 * CUT);
    times.chunk_by(|one, next| next - one <= longest).flat_map(taut).collect()
}

/// The straightest line: a string that is pulled taut. Its ends are free, so that of the beginning is taken from the same string
/// backwards.
fn taut(times: &[f64]) -> Vec<f64> {
    let reversed: Vec<f64> = times.iter().rev().map(|time| -time).collect();
    let start = string_from(reversed[0], &reversed).last().map(|time| -time);
    string_from(start.unwrap_or(times[0]), times)
}

/// A taut string from a beginning to its free end.
fn string_from(start: f64, times: &[f64]) -> Vec<f64> {
    let mut even = vec![start];
    while even.len() < times.len() {
        let from = even.len() - 1;
        let start = even[from];
        let (to, time) = next_corner(times, from, start);
        let step = (time - start) / (to - from) as f64;
        even.extend((1..to - from).map(|i| start + step * i as f64));
        even.push(time);
    }
    even
}

/// Where the string that leaves sample `from` at `start` next touches an edge and bends.
fn next_corner(times: &[f64], from: usize, start: f64) -> (usize, f64) {
    let to = (from + AHEAD).min(times.len() - 1);
    let (mut least, mut most) = ((f64::NEG_INFINITY, from), (f64::INFINITY, from));
    for i in from + 1..=to {
        let [low, high] = [-CUT, CUT].map(|cut| (times[i] + cut - start) / (i - from) as f64);
        if low > most.0 {
            return (most.1, times[most.1] + CUT);
        }
        if high < least.0 {
            return (least.1, times[least.1] - CUT);
        }
        least = if low >= least.0 { (low, i) } else { least };
        most = if high <= most.0 { (high, i) } else { most };
    }
    (to, start + f64::midpoint(least.0, most.0) * (to - from) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that does 100 transactions a second, sampled at these times, which were written as whole seconds.
    fn sampled(times: impl Iterator<Item = f64>) -> Series {
        let times: Vec<f64> = times.collect();
        let columns = [("Com_commit".to_owned(), times.iter().map(|t| (100.0 * t).round()).collect())];
        Series { seconds: times.iter().map(|t| t.floor()).collect(), columns: columns.into(), ..Series::default() }
    }

    fn rates(series: &Series) -> (f64, f64) {
        let rates: Vec<f64> = series.column("Com_commit").unwrap().rates(&series.seconds).present().collect();
        (rates.iter().copied().fold(f64::INFINITY, f64::min), rates.iter().copied().fold(0.0, f64::max))
    }

    #[test]
    fn steps_of_a_second_and_a_little_are_even() {
        let mut series = sampled((0..600).map(|i| 7.3 + 1.054 * f64::from(i)));
        assert!(rates(&series).0 < 60.0, "as they were written");
        even_out(&mut series);
        let (least, most) = rates(&series);
        assert!(least > 99.0 && most < 102.0, "{least} to {most}");
    }

    /// Sleeps and queries take their time: now and then a step is longer.
    #[test]
    fn steps_that_are_not_quite_even() {
        let mut at = 0.0;
        let step = |i: u32| {
            1.03 + 0.05 * f64::from(i.wrapping_mul(2_654_435_761) >> 16 & 0xff) / 255.0
                + if i.is_multiple_of(97) { 0.4 } else { 0.0 }
        };
        let mut series = sampled((0..900).map(|i| {
            at += step(i);
            at
        }));
        assert!(rates(&series).0 < 60.0, "as they were written");
        even_out(&mut series);
        let (least, most) = rates(&series);
        assert!(least > 85.0 && most < 140.0, "{least} to {most}");
    }

    /// Whoever samples on the second sharp and loses a sample, or pauses, has times that are right.
    #[test]
    fn lost_samples_are_no_even_steps() {
        let lost = |i: &u32| !i.is_multiple_of(50) && !(200..260).contains(i);
        let mut series = sampled((0..600).filter(lost).map(f64::from));
        let written = series.seconds.clone();
        even_out(&mut series);
        assert_eq!(series.seconds, written);
    }

    #[test]
    fn a_pause_stays_one() {
        let mut series = sampled((0..300).map(|i| 1.054 * f64::from(i) + if i < 150 { 0.0 } else { 240.0 }));
        let written = series.seconds.clone();
        even_out(&mut series);
        assert!(series.seconds.iter().zip(&written).all(|(even, time)| (even - time).abs() <= CUT + 1e-9));
        assert!(series.seconds.windows(2).all(|pair| pair[1] > pair[0]));
        assert!(rates(&series).0 > 97.0, "no stall beside it");
    }

    #[test]
    fn a_load_that_is_not_counted_leaves_times_alone() {
        let mut series = Series { seconds: vec![0.0, 1.0, 3.0], ..Series::default() };
        even_out(&mut series);
        assert_eq!(series.seconds, [0.0, 1.0, 3.0]);
    }
}
