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

/// What a run takes other programs to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// What they did at each time of the recording: the run is of that time.
    AsRecorded,
    /// Their mean over the load, always: a run that outlasts the recording must not go on with its last seconds.
    InTheMean,
    /// Nothing: their time is the clients'.
    AreClients,
}

/// From when on other programs took how many seconds of CPU time a second; nothing if they took hardly any or the
/// recording does not tell.
pub(super) fn other_programs(recording: &Recording, others: Others) -> Vec<(f64, f64)> {
    let Some(taken) = other_seconds(recording) else { return Vec::new() };
    let (start, end) = recording.load_window();
    let (step, from) = match others {
        // Before the first sample nothing is known of them.
        Others::AsRecorded => (STEP_S, start - recording.load_start()),
        Others::InTheMean => (end - start, 0.0),
        Others::AreClients => return Vec::new(),
    };
    let steps = steps(&recording.series.seconds, &taken, (start, end), step);
    steps.into_iter().map(|(at, cpus)| (at + from, cpus)).collect()
}

/// The same from what was taken up to each sample, seconds, by steps of this length; only changes are steps.
fn steps(seconds: &[f64], taken: &Column, (start, end): (f64, f64), step: f64) -> Vec<(f64, f64)> {
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut from = start;
    while from < end {
        let until = (from + step).min(end);
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
    let own: Option<Vec<Column>> =
        OWN_TICKS.iter().map(|name| recording.series.column(name).map(kept_at_end)).collect();
    let own = Column::sum(&own?)?;
    let all = sum(&["cpu.user", "cpu.system"])?;
    let or_zero = |name: &str| sum(&[name]).unwrap_or_else(|| Column::zeros(own.len()));
    let (nice, stolen, recorder) = (or_zero("cpu.nice"), or_zero("cpu.steal"), or_zero("proc.recorder_cpu"));
    let known = Column::sum(&[own, recorder])?;
    Some(Column::sum(&[all, nice, stolen])?.with(&known, |all, known| (all - known) * TICK_S))
}

/// Ticks of a process that has ended are still its own, not others'.
fn kept_at_end(ticks: Column) -> Column {
    let mut most = f64::NEG_INFINITY;
    let mut kept = |ticks: f64| {
        most = most.max(ticks);
        most
    };
    ticks.samples().map(|sample| sample.map(&mut kept)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_ended_process_took_stays_its_own() {
        let ticks = Column::from(vec![5.0, 80.0, f64::NAN, 200.0, 0.0, 0.0]);
        let kept: Vec<Option<f64>> = (0..6).map(|i| kept_at_end(ticks.clone()).at(i)).collect();
        assert_eq!(kept, [Some(5.0), Some(80.0), None, Some(200.0), Some(200.0), Some(200.0)]);
    }

    #[test]
    fn steps_are_where_others_take_more_or_less() {
        let seconds: Vec<f64> = (0..=40).map(f64::from).collect();
        let column = |of: &dyn Fn(f64) -> f64| Column::from(seconds.iter().map(|s| of(*s)).collect::<Vec<f64>>());
        let quiet = column(&|s| 0.03 * s);
        assert_eq!(steps(&seconds, &quiet, (0.0, 40.0), STEP_S), []);
        let busy = column(&|s| 0.5 * (s - 12.0).clamp(0.0, 18.0));
        assert_eq!(steps(&seconds, &busy, (0.0, 40.0), 40.0), [(0.0, 0.23)], "in the mean");
        assert_eq!(steps(&seconds, &busy, (2.0, 40.0), STEP_S), [(10.0, 0.5), (20.0, 0.4), (30.0, 0.0)]);
        let gap = column(&|s| if s < 30.0 { f64::NAN } else { s });
        assert_eq!(steps(&seconds, &gap, (0.0, 40.0), STEP_S), [(30.0, 1.0)]);
    }
}
