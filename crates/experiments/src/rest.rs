//! Runs that end before their planned length, because what they are made for is known. `recommend`, `sweep` and `reproduce`
//! make such runs.
//!
//! What a turn of the checkpoint age is decides when that is: the time in which as much redo is written as the age holds.
//! All pages that were dirty at its beginning have been written at its end, and what repeats with the age (pages that became
//! dirty together are written together, and become dirty together again) has gone round once. A run is looked at every ten
//! seconds, over the last turn:
//!
//! * *Sync flushing* ran in more than half of its seconds. That is no longer the impression of the start; a server that lives
//!   like this is no answer to anything. Figures are those of the last half turn.
//! * *At rest*: nothing pressed so far, and what could still move moves little: no more than a tenth ([`STILL`]; who wants the
//!   age itself asks for less) of the redo written stays in the age, or of the pages written becomes more or fewer dirty pages, no more than a fiftieth of the
//!   transactions stays behind in the history list or in the queue of arrivals (last third against the first), or still
//!   reads a page. If the age went on rising like that for another turn, it would still be short of the limits.
//!
//! An age that comes near its limit, a wave, a run that stalled and recovered: all that can't be told like this, and runs to
//! its planned length. So does a run whose redo log turns in less than two minutes, where what happens once in a minute
//! decides; one whose load, or whose host, changes by the clock; one that has yet to read its pages, or whose device lives on
//! saved credits, which look settled before they are ([`why_whole`]): from a cold start, the published runs looked at rest with an
//! age that came to be a tenth larger.
//!
//! `docs/sweeps-cost.md` compares figures of runs ended early with those of whole ones.

use crate::runner::IsEnough;
use innosim_core::metrics::{RunOutput, SecondSample, Summary, WarmupEstimate};
use innosim_core::run_spec::DirtyStart;
use innosim_core::seam::{AgeLimits, WorkBefore};
use innosim_core::workload::{DriveSpec, StopSpec};
use innosim_scenario::Scenario;
use serde::{Deserialize, Serialize};

/// Shortest time that figures are taken over, seconds.
pub(crate) const LEAST_WINDOW_S: u64 = 60;
/// Where the redo log turns in less, runs are short anyway, and what happens once in a minute decides.
pub(crate) const LEAST_TURN_S: f64 = 120.0;
/// A turn of the redo log takes this much longer than its rate says: the age had not yet slowed it down.
const SLOWER: f64 = 1.2;
/// Seconds between two looks.
const EVERY_S: usize = 10;
/// Share of a turn's seconds with sync flushing above which a server lives by it.
const LIVES_BY_SYNC: f64 = 0.5;
/// Share of the redo or of the pages written that may stay behind in a run at rest, if nobody asks for another. Throughput and
/// what it costs are known by then; the age still creeps up, for turns on end.
pub const STILL: f64 = 0.10;
/// The same of the transactions: queues hold few of them, and grow for long.
const QUEUED: f64 = 0.02;
/// Pages that a transaction of a run at rest may still read, in the mean: a read takes a small part of its time.
const READS: f64 = 0.02;
/// Most of the pages that can be dirty at a start.
const MOST_DIRTY: f64 = 0.95;
/// Share of an age limit that a rising age must stay below.
const SHORT_OF_LIMIT: f64 = 0.98;

/// Why a run ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It lives by sync flushing.
    SyncFlushing,
    /// It is at rest.
    AtRest,
}

impl Ended {
    /// Name for scripts.
    pub fn name(self) -> &'static str {
        match self {
            Ended::SyncFlushing => "sync_flushing",
            Ended::AtRest => "at_rest",
        }
    }
}

/// How a run ended before its planned length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Early {
    /// Why.
    pub why: Ended,
    /// Seconds that it ran for.
    pub simulated_s: u64,
    /// How many of the last of them figures are taken over.
    pub counted_s: u64,
}

impl Early {
    /// What its figures leave out.
    pub(crate) fn warmup(self) -> WarmupEstimate {
        WarmupEstimate { seconds: self.simulated_s - self.counted_s, converged: true }
    }
}

/// Lets a run that ended early go on to `seconds` as in the last `turn_s` of those that were simulated, again and again.
pub(crate) fn go_on(output: &mut RunOutput, turn_s: u64, seconds: u64) {
    let simulated = output.series.len();
    let turn = simulated.saturating_sub(turn_s as usize);
    for at in simulated..seconds as usize {
        let Some(again) = output.series.get(turn + (at - simulated)).cloned() else { return };
        output.series.push(SecondSample { second: at as u64 + 1, ..again });
    }
    let tens = (turn_s / 10).max(1) as usize;
    for at in output.latency_by_10s.len()..seconds.div_ceil(10) as usize {
        let again = at.checked_sub(tens).and_then(|again| output.latency_by_10s.get(again)).cloned();
        output.latency_by_10s.extend(again);
    }
}

/// Whether runs of a scenario may end early.
pub fn may_end_early(scenario: &Scenario) -> bool {
    why_whole(scenario).is_none()
}

/// Why runs of a scenario take their length whatever they look like; `None` if they may end early.
pub fn why_whole(scenario: &Scenario) -> Option<&'static str> {
    let run = &scenario.run;
    let lives_on_credits = std::iter::once(&run.storage.data).chain(&run.storage.redo).any(|d| d.burst.is_some());
    let often = |stop: &StopSpec| (1..=LEAST_WINDOW_S).contains(&stop.every.whole_seconds());
    let is_even = is_even(scenario)
        && run.other_programs.len() <= 1
        && run.read_views.is_empty()
        && run.workload.stops.iter().all(often);
    if !is_even {
        Some("the load or the host changes by the clock")
    } else if lives_on_credits {
        Some("the device saves credits, and spends them")
    } else if run.workload.page_sets.iter().any(|set| set.resident_share < 1.0) {
        Some("not all pages are in the buffer pool from the start (`workload.resident_share`)")
    } else {
        None
    }
}

/// Lets a run begin with all pages in the buffer pool.
pub(crate) fn fill_pool(scenario: &mut Scenario) {
    scenario.run.workload.page_sets.iter_mut().for_each(|set| set.resident_share = 1.0);
}

/// A start in the middle of the work: in the state in which a server was seen to be `at_rest`, with this checkpoint age.
/// Simplification: the dirty pages are spread evenly over the age.
pub(crate) fn dirty_start(scenario: &Scenario, at_rest: &Summary, age: f64) -> DirtyStart {
    let pages: u64 = scenario.run.workload.page_sets.iter().map(|set| set.pages).sum();
    let (at_rest_age, age) = (at_rest.checkpoint_age_mean.max(1.0), age.max(1.0));
    let share = at_rest.dirty_pages_mean / pages.max(1) as f64 * (age / at_rest_age);
    DirtyStart {
        share: share.clamp(0.0, MOST_DIRTY),
        checkpoint_age_bytes: age as u64,
        before: WorkBefore {
            redo_bytes_per_s: at_rest.redo_bytes_per_s as u64,
            pages_flushed_per_s: at_rest.pages_flushed_per_s_mean as u64,
            activity_unseen: false,
        },
    }
}

/// Whether the load is the same all the time.
pub(crate) fn is_even(scenario: &Scenario) -> bool {
    match &scenario.run.workload.drive {
        DriveSpec::Closed { .. } => !scenario.run.workload.transactions.is_empty(),
        DriveSpec::Open { rate, .. } => {
            rate.len() == 1 && rate.iter().all(|r| r.ramp_s == 0.0 || r.from_per_s == r.to_per_s)
        }
    }
}

/// Lets `execute` make a run of `planned_s` seconds that ends as soon as it is known, if it `may` and for a reason that is
/// `wanted`; and says how it ended, if that was early. At rest no more than the share `still` stays behind. What figures are
/// over must be its own, not of the first `shared_s` seconds, which it has in common with others.
///
/// # Errors
/// As the run ends.
pub fn until_known<E>(
    planned_s: u64,
    shared_s: u64,
    may: bool,
    still: f64,
    wanted: impl Fn(Ended) -> bool,
    execute: impl FnOnce(&mut IsEnough<'_>) -> Result<RunOutput, E>,
) -> Result<(RunOutput, Option<Early>), E> {
    let mut known = None;
    let output = execute(&mut |series, limits| {
        let is_its_own = |counted_s| shared_s + counted_s <= series.len() as u64;
        let ended = if may { ended(series, limits, still) } else { None };
        known = ended.filter(|(why, counted_s)| wanted(*why) && is_its_own(*counted_s));
        known.is_some()
    })?;
    let simulated_s = output.series.len() as u64;
    // A runner may have made the whole run all the same.
    let early = known.filter(|_| simulated_s < planned_s);
    Ok((output, early.map(|(why, counted_s)| Early { why, simulated_s, counted_s })))
}

/// What is known after the seconds so far: why the run may end there, and over how many of its last seconds figures are
/// to be taken.
pub fn ended(series: &[SecondSample], limits: &AgeLimits, still: f64) -> Option<(Ended, u64)> {
    if !series.len().is_multiple_of(EVERY_S) {
        return None;
    }
    let turn = last_turn(series)?;
    if log_turn_s(turn, limits) < LEAST_TURN_S {
        return None;
    }
    let synced = turn.iter().filter(|s| s.sync_flushing).count() as f64;
    let turn_s = turn.len() as u64;
    if synced > LIVES_BY_SYNC * turn.len() as f64 {
        // Before that half it most likely had not begun.
        Some((Ended::SyncFlushing, (turn_s / 2).max(LEAST_WINDOW_S)))
    } else {
        is_at_rest(series, turn, limits, still).then_some((Ended::AtRest, turn_s))
    }
}

/// The length of the last turn, if sync flushing ran in every second of it.
pub(crate) fn turn_by_sync(series: &[SecondSample]) -> Option<u64> {
    let turn = last_turn(series)?;
    turn.iter().all(|s| s.sync_flushing).then_some(turn.len() as u64)
}

/// Seconds that the redo log takes to turn at the rate of these.
fn log_turn_s(seconds: &[SecondSample], limits: &AgeLimits) -> f64 {
    let redo: u64 = seconds.iter().map(|s| s.redo_generated_bytes).sum();
    turn_at(limits.stop_bytes as f64, redo as f64 / seconds.len().max(1) as f64)
}

/// Whether a run has written the redo log around once.
pub(crate) fn has_turned(series: &[SecondSample], limits: &AgeLimits) -> bool {
    series.len() as f64 >= log_turn_s(series, limits)
}

/// Seconds that a redo log of `stop_bytes` takes to turn at this rate, once the age slows the load down.
pub(crate) fn turn_at(stop_bytes: f64, redo_bytes_per_s: f64) -> f64 {
    stop_bytes / redo_bytes_per_s.max(1.0) * SLOWER
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

fn is_at_rest(series: &[SecondSample], turn: &[SecondSample], limits: &AgeLimits, still: f64) -> bool {
    let pressed = |s: &SecondSample| s.sync_flushing || s.free_check_waits > 0;
    let age = stayed(turn, |s| s.checkpoint_age_bytes, |s| s.redo_generated_bytes);
    let dirty = stayed(turn, |s| s.dirty_pages, |s| s.pages_flushed);
    let history = stayed(turn, |s| s.history_list_length, |s| s.transactions);
    let queue = stayed(turn, |s| s.arrivals_waiting, |s| s.transactions);
    let total = |value: fn(&SecondSample) -> u64| turn.iter().map(value).sum::<u64>() as f64;
    let fills = total(|s| s.pool_reads) > READS * total(|s| s.transactions);
    let is_still = age.abs() <= still && dirty.abs() <= still && history.max(queue) <= QUEUED;
    is_still && !fills && !series.iter().any(pressed) && stays_short_of(limits, turn, age.max(0.0))
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
pub(crate) fn stayed(
    seconds: &[SecondSample],
    level: impl Fn(&SecondSample) -> u64,
    flow: impl Fn(&SecondSample) -> u64,
) -> f64 {
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
    use innosim_scenario::{Overrides, Source, load};

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
        let still = |seconds| ended(&run(seconds, |_, _| {}), &LIMITS, STILL);
        assert_eq!(still(100), None, "a turn takes 100 s, and the first second does not count");
        assert_eq!(still(105), None, "looked at every ten seconds");
        assert_eq!(still(110), Some((Ended::AtRest, 100)));
        let short = run(70, |_, s| s.checkpoint_age_bytes = 10_000_000);
        assert_eq!(ended(&short, &LIMITS, STILL), Some((Ended::AtRest, 60)), "no less than a minute");
    }

    #[test]
    fn a_log_has_turned_when_its_size_was_written_and_a_fifth_more() {
        let turned = |seconds| has_turned(&run(seconds, |_, _| {}), &LIMITS);
        assert!(!turned(251) && turned(252));
    }

    #[test]
    fn who_wants_the_age_waits_longer() {
        // A twentieth of the redo stays.
        let creeping = run(300, |t, s| s.checkpoint_age_bytes = 700_000_000 + 500_000 * t);
        assert!(ended(&creeping, &LIMITS, STILL).is_some());
        assert_eq!(ended(&creeping, &LIMITS, 0.03), None);
    }

    #[test]
    fn a_pool_that_fills_and_a_log_that_turns_in_seconds_are_looked_at_to_the_end() {
        let reads = |pages: u64| ended(&run(300, |_, s| s.pool_reads = pages), &LIMITS, STILL);
        assert_eq!((reads(10).map(|(why, _)| why), reads(30)), (Some(Ended::AtRest), None), "of 1000 transactions");
        let small = AgeLimits { async_bytes: 900_000_000, stop_bytes: 990_000_000, ..LIMITS };
        let short = |_: u64, s: &mut SecondSample| s.checkpoint_age_bytes = 100_000_000;
        assert_eq!(ended(&run(300, short), &small, STILL), None, "99 s, or a fifth more");
        assert!(ended(&run(300, short), &LIMITS, STILL).is_some());
    }

    #[test]
    fn what_changes_by_the_clock_runs_whole() {
        let scenario = |name, set: &[&str]| {
            let set = set.iter().map(|&one| one.to_owned()).collect();
            load(Source::Shipped(name), &Overrides { set, ..Overrides::default() }).unwrap()
        };
        let full = ["workload.resident_share=1"];
        assert_eq!(why_whole(&scenario("7000-bpi32", &full)), None);
        let cold = why_whole(&scenario("7000-bpi32", &[])).unwrap();
        assert!(cold.contains("resident_share"), "{cold}");
        let spike = why_whole(&scenario("activity-spike", &full)).unwrap();
        assert!(spike.contains("by the clock"), "{spike}");
    }

    #[test]
    fn only_reasons_that_are_wanted_end_a_run() {
        let whole = run(300, |_, _| {});
        let made = |may: bool, wanted: fn(Ended) -> bool| {
            let execute = |is_enough: &mut IsEnough<'_>| {
                let seconds = (1..=300).find(|&s| is_enough(&whole[..s], &LIMITS)).unwrap_or(300);
                Ok::<_, ()>(RunOutput { series: whole[..seconds].to_vec(), ..RunOutput::default() })
            };
            until_known(300, 0, may, STILL, wanted, execute).unwrap().1
        };
        let early = Early { why: Ended::AtRest, simulated_s: 110, counted_s: 100 };
        assert_eq!(made(true, |_| true), Some(early));
        assert_eq!((made(false, |_| true), made(true, |why| why == Ended::SyncFlushing)), (None, None));
    }

    #[test]
    fn a_run_that_ended_goes_on_as_in_its_last_turn() {
        let mut output = RunOutput { series: run(110, |t, s| s.transactions = t), ..RunOutput::default() };
        go_on(&mut output, 100, 320);
        let transactions = |second: usize| output.series[second - 1].transactions;
        assert_eq!([111, 210, 211, 320].map(transactions), [11, 110, 11, 20]);
        assert!(output.series.len() == 320 && output.series.iter().zip(1..).all(|(row, second)| row.second == second));
    }

    #[test]
    fn what_still_moves_goes_on() {
        let moving = |change: &dyn Fn(u64, &mut SecondSample)| ended(&run(300, change), &LIMITS, STILL);
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
            ended(&run(600, |t, s| s.checkpoint_age_bytes = age + rise * t), &LIMITS, STILL).map(|(ended, _)| ended)
        };
        assert_eq!([at(1_900_000_000, 0), at(1_970_000_000, 0)], [Some(Ended::AtRest), None]);
        // A twentieth of the redo stays: five per cent more after another turn.
        assert_eq!(at(1_600_000_000, 500_000), None);
        let once = |t, s: &mut SecondSample| s.free_check_waits = u64::from(t == 20);
        assert_eq!(ended(&run(300, once), &LIMITS, STILL), None, "it has been pressed");
    }

    #[test]
    fn who_lives_by_sync_flushing_for_a_turn_is_no_answer() {
        let from = |start: u64| ended(&run(300, |t, s| s.sync_flushing = t > start), &LIMITS, STILL);
        assert_eq!(from(240), Some((Ended::SyncFlushing, 60)));
        assert_eq!(from(260), None, "not for long enough yet");
        assert_eq!(ended(&run(300, |t, s| s.sync_flushing = t % 10 == 0), &LIMITS, STILL), None, "one second in ten");
    }
}
