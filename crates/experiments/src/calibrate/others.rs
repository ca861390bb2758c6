//! What other programs of the machine took while the load ran, of which a server knows as little as of its device.
//!
//! It is the CPU time of the machine that is neither the server's nor the load generator's nor the recorder's, in steps
//! of ten seconds, and what the machine under a virtual one kept for itself (`cpu.steal`). Interrupts are not in it:
//! they come from the server's own I/O.

use super::counters::{OWN_TICKS, TICK_S};
use innosim_recordings::{Column, Recording};

/// Length of a step, seconds.
const STEP_S: f64 = 10.0;
/// Seconds of CPU time a second below which ticks don't tell: sums of all programs and of the recorded ones differ by
/// as much.
const LEAST: f64 = 0.05;

/// From when on other programs took how many seconds of CPU time a second; nothing if they took hardly any or the
/// recording does not tell.
pub(super) fn other_programs(recording: &Recording) -> Vec<(f64, f64)> {
    let taken = other_seconds(recording);
    let (start, end) = recording.load_window();
    let steps = taken.map_or_else(Vec::new, |taken| steps(&recording.series.seconds, &taken, (start, end)));
    // Before the first sample nothing is known of them.
    steps.into_iter().map(|(at, cpus)| (at + start - recording.load_start(), cpus)).collect()
}

/// The same from what was taken up to each sample, seconds; only changes are steps.
fn steps(seconds: &[f64], taken: &Column, (start, end): (f64, f64)) -> Vec<(f64, f64)> {
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut from = start;
    while from < end {
        let until = (from + STEP_S).min(end);
        let mut inside = taken.timed(seconds).filter(|(second, _)| *second >= from && *second <= until);
        if let (Some((begun, first)), Some((ended, last))) = (inside.next(), inside.next_back()) {
            let rate = (last - first) / (ended - begun);
            let cpus = if rate < LEAST { 0.0 } else { (rate * 100.0).round() / 100.0 };
            if steps.last().map_or(cpus > 0.0, |&(_, before)| before != cpus) {
                steps.push((from - start, cpus));
            }
        }
        from = until;
    }
    steps
}

/// CPU time of other programs up to each sample, seconds.
fn other_seconds(recording: &Recording) -> Option<Column> {
    let sum = |names: &[&str]| -> Option<Column> {
        let columns: Option<Vec<Column>> = names.iter().map(|name| recording.series.column(name)).collect();
        Column::sum(&columns?)
    };
    let own = sum(&OWN_TICKS)?;
    let all = sum(&["cpu.user", "cpu.system"])?;
    let or_zero = |name: &str| sum(&[name]).unwrap_or_else(|| Column::zeros(own.len()));
    let (nice, stolen, recorder) = (or_zero("cpu.nice"), or_zero("cpu.steal"), or_zero("proc.recorder_cpu"));
    let known = Column::sum(&[own, recorder])?;
    Some(Column::sum(&[all, nice, stolen])?.with(&known, |all, known| (all - known) * TICK_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_where_others_take_more_or_less() {
        let seconds: Vec<f64> = (0..=40).map(f64::from).collect();
        let column = |of: &dyn Fn(f64) -> f64| Column::from(seconds.iter().map(|s| of(*s)).collect::<Vec<f64>>());
        let quiet = column(&|s| 0.03 * s);
        assert_eq!(steps(&seconds, &quiet, (0.0, 40.0)), []);
        let busy = column(&|s| 0.5 * (s - 12.0).clamp(0.0, 18.0));
        assert_eq!(steps(&seconds, &busy, (2.0, 40.0)), [(10.0, 0.5), (20.0, 0.4), (30.0, 0.0)]);
        let gap = column(&|s| if s < 30.0 { f64::NAN } else { s });
        assert_eq!(steps(&seconds, &gap, (0.0, 40.0)), [(30.0, 1.0)]);
    }
}
