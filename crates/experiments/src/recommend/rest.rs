//! Runs that end before their planned length, because what they are made for is known.
//!
//! What a turn of the checkpoint age is decides when that is: the time in which as much redo is written as the age holds.
//! All pages that were dirty at its beginning have been written at its end, and what repeats with the age (pages that became
//! dirty together are written together, and become dirty together again) has gone round once. A run is looked at every ten
//! seconds, over the last turn:
//!
//! * *No answer*: sync flushing ran in more than half of its seconds. That is no longer the impression of the start.
//!   Figures are those of the last half turn.
//! * *At rest*: nothing pressed so far, and what could still move moves little: no more than a tenth of the redo written
//!   stays in the age, or of the pages written becomes more or fewer dirty pages, no more than a fiftieth of the
//!   transactions stays behind in the history list or in the queue of arrivals (last third against the first). If the age
//!   went on rising like that for another turn, it would still be short of the limits.
//!
//! An age that comes near its limit, a wave, a run that stalled and recovered: all that can't be told like this, and runs to
//! its planned length.
//!
//! Only runs whose length was planned by turns of the redo log end early, with all pages in the buffer pool from the start:
//! one that has yet to read them, or whose device lives on saved credits, looks settled before it is.
//!
//! `docs/sweeps.md` compares figures of runs ended early with those of whole ones.

use super::plan::LEAST_WINDOW_S;
use innosim_core::metrics::SecondSample;
use innosim_core::seam::AgeLimits;

/// Seconds between two looks.
const EVERY_S: usize = 10;
/// Share of a turn's seconds with sync flushing above which a server lives by it.
const LIVES_BY_SYNC: f64 = 0.5;
/// Share of the redo or of the pages written that may stay behind in a run at rest.
const STAYED: f64 = 0.10;
/// The same of the transactions: queues hold few of them, and grow for long.
const QUEUED: f64 = 0.02;
/// Share of an age limit that a rising age must stay below.
const SHORT_OF_LIMIT: f64 = 0.98;

/// Why a run ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It lives by sync flushing.
    NoAnswer,
    /// It is at rest.
    AtRest,
}

/// What is known after the seconds so far: why the run may end there, and over how many of its last seconds figures are
/// to be taken.
pub(super) fn ended(series: &[SecondSample], limits: &AgeLimits) -> Option<(Ended, u64)> {
    if !series.len().is_multiple_of(EVERY_S) {
        return None;
    }
    let turn = last_turn(series)?;
    let synced = turn.iter().filter(|s| s.sync_flushing).count() as f64;
    let turn_s = turn.len() as u64;
    if synced > LIVES_BY_SYNC * turn.len() as f64 {
        // Before that half it most likely had not begun.
        Some((Ended::NoAnswer, (turn_s / 2).max(LEAST_WINDOW_S)))
    } else {
        is_at_rest(series, turn, limits).then_some((Ended::AtRest, turn_s))
    }
}

/// The last seconds in which as much redo was written as the checkpoint age holds, and no less than a minute.
fn last_turn(series: &[SecondSample]) -> Option<&[SecondSample]> {
    let age = series.last()?.checkpoint_age_bytes;
    let mut written = 0;
    let mut first = series.len();
    while written < age || series.len() - first < LEAST_WINDOW_S as usize {
        first = first.checked_sub(1)?;
        written += series[first].redo_generated_bytes;
    }
    // The first second of a run is like no other.
    (first > 0).then(|| &series[first..])
}

fn is_at_rest(series: &[SecondSample], turn: &[SecondSample], limits: &AgeLimits) -> bool {
    let pressed = |s: &SecondSample| s.sync_flushing || s.free_check_waits > 0;
    let age = stayed(turn, |s| s.checkpoint_age_bytes, |s| s.redo_generated_bytes);
    let dirty = stayed(turn, |s| s.dirty_pages, |s| s.pages_flushed);
    let history = stayed(turn, |s| s.history_list_length, |s| s.transactions);
    let queue = stayed(turn, |s| s.arrivals_waiting, |s| s.transactions);
    let still = age.abs() <= STAYED && dirty.abs() <= STAYED && history.max(queue) <= QUEUED;
    still && !series.iter().any(pressed) && stays_short_of(limits, turn, age.max(0.0))
}

/// Whether an age of which `share` of the redo written stays will be short of all limits for another turn.
fn stays_short_of(limits: &AgeLimits, turn: &[SecondSample], share: f64) -> bool {
    let nearest = [limits.async_bytes, limits.sync_bytes, limits.sync_flush_start_bytes, limits.stop_bytes]
        .into_iter()
        .filter(|&limit| limit > 0)
        .min();
    let oldest = turn.iter().map(|s| s.checkpoint_age_bytes.max(s.oldest_page_age_bytes)).max().unwrap_or(0) as f64;
    nearest.is_some_and(|limit| oldest * (1.0 + share) <= SHORT_OF_LIMIT * limit as f64)
}

/// What of a flow stays in a level: the level's rise from the first to the last third of the seconds, as a share of what
/// flowed from the middle of the one to the middle of the other.
fn stayed(seconds: &[SecondSample], level: impl Fn(&SecondSample) -> u64, flow: impl Fn(&SecondSample) -> u64) -> f64 {
    let mean = |part: &[SecondSample], value: &dyn Fn(&SecondSample) -> u64| {
        part.iter().map(value).sum::<u64>() as f64 / part.len().max(1) as f64
    };
    let third = seconds.len() / 3;
    let between = seconds.len() - third;
    let rise = mean(&seconds[between..], &level) - mean(&seconds[..third], &level);
    rise / (mean(seconds, &flow) * between as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: AgeLimits = AgeLimits {
        async_bytes: 2_000_000_000,
        sync_bytes: 0,
        stop_bytes: 2_100_000_000,
        adaptive_full_bytes: 0,
        sync_flush_start_bytes: 0,
        adaptive_low_water_bytes: 0,
    };

    /// Writes 10 MB of redo and 500 pages a second, 1000 transactions a second.
    fn run(seconds: u64, change: impl Fn(u64, &mut SecondSample)) -> Vec<SecondSample> {
        let second = |second| {
            let mut sample = SecondSample {
                second,
                transactions: 1000,
                redo_generated_bytes: 10_000_000,
                pages_flushed: 500,
                checkpoint_age_bytes: 1_000_000_000,
                dirty_pages: 50_000,
                ..SecondSample::default()
            };
            change(second, &mut sample);
            sample
        };
        (1..=seconds).map(second).collect()
    }

    #[test]
    fn at_rest_after_a_turn() {
        let still = |seconds| ended(&run(seconds, |_, _| {}), &LIMITS);
        assert_eq!(still(100), None, "a turn takes 100 s, and the first second does not count");
        assert_eq!(still(105), None, "looked at every ten seconds");
        assert_eq!(still(110), Some((Ended::AtRest, 100)));
        let short = run(70, |_, s| s.checkpoint_age_bytes = 10_000_000);
        assert_eq!(ended(&short, &LIMITS), Some((Ended::AtRest, 60)), "no less than a minute");
    }

    #[test]
    fn what_still_moves_goes_on() {
        let moving = |change: &dyn Fn(u64, &mut SecondSample)| ended(&run(300, change), &LIMITS);
        assert_eq!(moving(&|t, s| s.checkpoint_age_bytes = 700_000_000 + 1_100_000 * t), None, "an age that rises");
        assert!(moving(&|t, s| s.checkpoint_age_bytes = 700_000_000 + 900_000 * t).is_some());
        assert_eq!(moving(&|t, s| s.checkpoint_age_bytes = 1_330_000_000 - 1_100_000 * t), None, "one that falls");
        assert_eq!(moving(&|t, s| s.dirty_pages = 20_000 + 60 * t), None);
        assert_eq!(moving(&|t, s| s.history_list_length = 30 * t), None, "purge lags");
        assert!(moving(&|t, s| s.history_list_length = 100_000 - 30 * t).is_some(), "it catches up");
        assert_eq!(moving(&|t, s| s.arrivals_waiting = 30 * t), None, "more arrive than are served");
    }

    #[test]
    fn an_age_near_its_limit_is_looked_at_to_the_end() {
        let at = |age: u64, rise: u64| {
            ended(&run(600, |t, s| s.checkpoint_age_bytes = age + rise * t), &LIMITS).map(|(ended, _)| ended)
        };
        assert_eq!([at(1_900_000_000, 0), at(1_970_000_000, 0)], [Some(Ended::AtRest), None]);
        // A twentieth of the redo stays: five per cent more after another turn.
        assert_eq!(at(1_600_000_000, 500_000), None);
        let once = |t, s: &mut SecondSample| s.free_check_waits = u64::from(t == 20);
        assert_eq!(ended(&run(300, once), &LIMITS), None, "it has been pressed");
    }

    #[test]
    fn who_lives_by_sync_flushing_for_a_turn_is_no_answer() {
        let from = |start: u64| ended(&run(300, |t, s| s.sync_flushing = t > start), &LIMITS);
        assert_eq!(from(240), Some((Ended::NoAnswer, 60)));
        assert_eq!(from(260), None, "not for long enough yet");
        assert_eq!(ended(&run(300, |t, s| s.sync_flushing = t % 10 == 0), &LIMITS), None, "one second in ten");
    }
}
