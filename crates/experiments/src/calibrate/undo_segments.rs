//! Redo that belongs to purge and not to transactions: undo segments that are made anew, in MariaDB.
//!
//! A cut of the history frees the undo segments without a log; the next transaction of that rollback segment makes a
//! new one. How many a second follows from the rate of transactions and from how often purge runs: once a second, and
//! once more for each `SHOW ENGINE INNODB STATUS`, which those who record ask for. What is recorded of redo has both
//! parts in it.

use innosim_flush_models::registry::undo_segments;
use innosim_recordings::Recording;

/// Seconds between two purges by the timer.
const TIMER_S: f64 = 1.0;
/// Part of that time after which somebody asks for the engine's status; anything between 0 and 1 in truth.
const PHASE: f64 = 0.25;

/// How often the recorder asked for the engine's status, seconds; `None` if it did not.
pub(super) fn status_every(recording: &Recording) -> Option<f64> {
    let column = recording.series.column("log.last_checkpoint_at")?;
    let asked: Vec<f64> = column.timed(&recording.series.seconds).map(|(second, _)| second).collect();
    let mut steps: Vec<f64> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).map(|step| (step * 10.0).round().max(1.0) / 10.0)
}

/// Redo of new undo segments a transaction, bytes, at so many transactions a second.
pub(super) fn redo_a_transaction(recording: &Recording, rate: f64) -> f64 {
    let Some(segments) = recording.server.model.and_then(undo_segments).filter(|_| rate > 0.0) else { return 0.0 };
    let made = new_a_second(f64::from(segments.rollback_segments), rate, status_every(recording));
    made * f64::from(segments.redo_bytes) / rate
}

/// Undo segments made a second: in each time between two purges as many as there are transactions, at most one in each
/// rollback segment.
fn new_a_second(rollback_segments: f64, rate: f64, status_every: Option<f64>) -> f64 {
    let within = |seconds: f64| (rate * seconds).min(rollback_segments);
    let asked = status_every.map_or(0.0, |every| TIMER_S / every);
    let alone = within(TIMER_S);
    let asked_once = within(TIMER_S * PHASE) + within(TIMER_S * (1.0 - PHASE));
    if asked <= 1.0 { alone + asked * (asked_once - alone) } else { (asked + 1.0) * within(TIMER_S / (asked + 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_made_a_second_are_those_measured() {
        // MariaDB 10.11.18, a purge each second and one more for the engine's status; bytes above 431 a transaction / 154.
        for (rate, measured) in
            [(50.0, 48.0), (128.0, 127.0), (200.0, 168.0), (300.0, 192.0), (400.0, 211.0), (1000.0, 240.0)]
        {
            let made = new_a_second(128.0, rate, Some(1.0));
            assert!((made / measured - 1.0).abs() < 0.1, "{rate}/s: {made}, measured {measured}");
        }
        assert!((new_a_second(128.0, 600.0, None) - 128.0).abs() < 1e-9, "measured 125 to 133");
        assert!((new_a_second(128.0, 600.0, Some(10.0)) - 140.8).abs() < 1e-9, "one second in ten has two purges");
        assert!((new_a_second(128.0, 9000.0, Some(0.5)) - 384.0).abs() < 1e-9);
    }
}
