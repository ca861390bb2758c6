//! `replay`: a server's flushing rule alone, on the recorded inputs of each of its passes, beside the server's own
//! counters. No workload, no device: what differs here is the rule.
//!
//! # What is known of a pass
//!
//! The page cleaner decides once a second; a recording samples once a second, at another instant. So the gauges of a
//! sample (`buffer_flush_n_to_flush_requested`, `..._pct_for_lsn`, ...) are those of one pass somewhere between this
//! sample and the one before it, and its inputs are known only within bounds:
//!
//! * the log sequence number moves steadily between the samples: it is interpolated to the instant of the pass;
//! * pages become dirty steadily too, but stop being dirty in steps: those of earlier batches, and the LRU tails of 5.6,
//!   before the decision, those of its own batch after it (see `inputs`);
//! * the oldest modification moves when a batch is written, which is after the decision: the value of the earlier
//!   sample holds (of the later one, if nothing was dirty before); it is interpolated too where the pass before was
//!   still under way, or where LRU tails were written first;
//! * pages flushed since the last pass: the growth of the counters of ended passes between the beginnings of the two;
//! * pages due by age: the flush lists are not recorded, the published `buffer_flush_n_to_flush_by_age` is taken.
//!
//! Which counters belong to one pass depends on when the server publishes them ([`Publishing`](innosim_flush_models::replay::Publishing)): 5.6 does so before and
//! after the batch, so that one sample may show counters of two passes; `cleaner` puts them together.
//!
//! The instant itself is the one unknown. The rule is tried at [`INSTANTS`] places between the two samples, and one at
//! which all counters agree is kept, or else the best one: a pass matches only if one instant explains all of them.
//!
//! Both averages move every `innodb_flushing_avg_loops` passes and remember sums from before the recording. They are
//! taken from the server until they are first seen to move; from there on the rule makes its own. A pass that drifts
//! over a sample is counted in the wrong second, so the number of passes since the last update is known within two. 5.7
//! and MariaDB divide by whole seconds of a clock of which the recording does not tell when they turn: where passes
//! come with the samples, that decides whether 29, 30 or 31 have gone by. Two phases of that clock are tried for the
//! whole recording, and the better one is kept.
//!
//! # What counts as a match
//!
//! See [`Tolerance`]. Not judged are: passes outside the load or next to a gap; averages before they are known; seconds
//! with sync flushing, in which several passes ran and only the last one's gauges are left; seconds in which no pass
//! began because the one before was still writing, or no pass that asks the rule.

mod cleaner;
mod inputs;
mod report;
mod tolerance;

pub use report::{CounterReport, PassRow, ReplayReport};
pub use tolerance::{COUNTERS, Tolerance};

use crate::explain::redo_by_counters;
use innosim_core::seam::FlushGauges;
use innosim_flush_models::registry::{Settings, replay_rule};
use innosim_flush_models::replay::{ReplayPass, ReplayRule};
use innosim_recordings::{Purpose, Recording, understood_settings};
use inputs::{Between, Inputs};
use report::Builder;

/// Instants between two samples at which a pass is tried.
pub const INSTANTS: u32 = 41;
/// Where the whole seconds of the server's clock may turn, after those of the recording's.
const CLOCK_PHASES_S: [f64; 2] = [0.0, 0.5];

/// Replays a recording with the rule of its model; the error is a sentence.
pub fn replay(recording: &Recording) -> Result<ReplayReport, String> {
    let (settings, mut remarks) = settings_of(recording)?;
    let rule = replay_rule(&settings).map_err(|error| format!("{}: {error}", recording.name))?;
    let Some(rule) = rule else {
        return Err(format!("{}: {} publishes no counters of its decisions", recording.name, settings.model));
    };
    recording.check(Purpose::Replay)?;
    let publishing = settings.model.publishing();
    let instances = settings.integer("innodb_buffer_pool_instances").unwrap_or(1).max(1) as f64;
    let inputs = Inputs::of(recording, publishing, instances).map_err(|missing| missing.to_string())?;
    remarks.extend(inputs.not_recorded(recording));
    let tolerance = Tolerance::of(&settings, publishing).map_err(|error| format!("{}: {error}", recording.name))?;
    let phases: &[f64] = if rule.counts_whole_seconds() { &CLOCK_PHASES_S } else { &CLOCK_PHASES_S[..1] };
    let at_phase = |&phase: &f64| {
        let mut builder = Builder::new(&recording.name, settings.model, tolerance, remarks.clone());
        let replayer = Replayer { rule: rule.clone(), averages_known: false, flushed_before: 0, tolerance };
        replayer.run(&inputs.at_clock_phase(phase), &mut builder);
        builder.finish()
    };
    let best = |best: ReplayReport, other: ReplayReport| if other.joint().0 > best.joint().0 { other } else { best };
    Ok(phases[1..].iter().map(at_phase).fold(at_phase(&phases[0]), best))
}

/// The settings that the server ran with, as its model understands them.
fn settings_of(recording: &Recording) -> Result<(Settings, Vec<String>), String> {
    let model = recording.model()?;
    let (mut values, mut remarks) = understood_settings(recording, model);
    if !recording.has_settings() {
        remarks.push(format!("its settings are not recorded: the defaults of {model} are taken"));
        if let Some(size) = redo_by_counters(recording, model) {
            values.extend(size);
            remarks.push("the size of its redo log is that of the recorded log_max_modified_age_async".to_owned());
        }
    }
    let settings = Settings::resolve(model, &values)
        .map_err(|error| format!("{}: {error}\n  = help: {}", recording.name, error.help))?;
    Ok((settings, remarks))
}

/// The rule on its way through a recording.
struct Replayer {
    rule: ReplayRule,
    /// Whether the averages were seen to move, so that the rule can make its own.
    averages_known: bool,
    /// Pages that had been flushed when the last pass began, since the server's start.
    flushed_before: u64,
    tolerance: Tolerance,
}

impl Replayer {
    fn run(mut self, inputs: &Inputs, report: &mut Builder) {
        for i in 2..inputs.len() {
            let Some(between) = inputs.between(i) else {
                self.averages_known = false;
                report.skip_gap();
                continue;
            };
            if between.sync_pages > 0.0 {
                self.averages_known = false;
                report.skip_sync();
                continue;
            }
            if !between.under_load {
                self.averages_known = false;
                continue;
            }
            if between.several_passes {
                self.averages_known = false;
                report.skip_several();
                continue;
            }
            if between.passes == 0 {
                report.skip_long();
                continue;
            }
            report.hidden(between.passes - 1);
            self.step(inputs, i, &between, report);
        }
    }

    fn step(&mut self, inputs: &Inputs, i: usize, between: &Between, report: &mut Builder) {
        if !self.averages_known
            && let Some(published) = inputs.published(i - 1)
        {
            self.rule.adopt_gauges(published);
        }
        let moved = inputs.averages_moved(i);
        let mut best: Option<(Trial, u64)> = None;
        for flushed_before in between.flushed_before_if(moved) {
            let last_pages = flushed_before.saturating_sub(self.flushed_before);
            let Some(trial) = self.best_trial(between, last_pages, self.uncounted(moved)) else { continue };
            if best.as_ref().is_none_or(|(best, _)| trial.is_better_than(best)) {
                best = Some((trial, flushed_before));
            }
        }
        let Some((best, flushed_before)) = best else { return };
        report.pass(between, &best, self.averages_known);
        self.rule = best.rule;
        self.flushed_before = flushed_before;
        self.averages_known |= moved;
    }

    /// The pass at the instant, and with the unknown inputs, that fit the server's counters best.
    fn best_trial(&self, between: &Between, last_pages: u64, uncounted: &[i64]) -> Option<Trial> {
        let unseen = i64::from(between.passes) - 1;
        let mut best: Option<Trial> = None;
        for step in 0..INSTANTS {
            let instant = f64::from(step) / f64::from(INSTANTS - 1);
            for (&steps, &oldest) in
                between.steps().iter().flat_map(|s| between.oldest_shares().iter().map(move |o| (s, o)))
            {
                let pass = ReplayPass { last_pages, ..between.at(instant, oldest, steps) };
                for &calls in uncounted {
                    let Some(trial) = self.attempt(pass, (instant, unseen + calls), between) else { continue };
                    if best.as_ref().is_none_or(|best| trial.is_better_than(best)) {
                        best = Some(trial);
                    }
                }
            }
        }
        best
    }

    /// Calls that may be uncounted when the server's averages moved, or counted wrongly when they did not.
    fn uncounted(&self, averages_moved: bool) -> &'static [i64] {
        match (self.averages_known, averages_moved) {
            (false, _) => &[0],
            (true, true) => &[0, 1, 2],
            (true, false) => &[0, -1],
        }
    }

    /// What the rule would have said then, and had so many more calls been made.
    fn attempt(&self, pass: ReplayPass, (instant, calls): (f64, i64), between: &Between) -> Option<Trial> {
        let mut rule = self.rule.clone();
        rule.shift_calls(calls);
        let recorded = &between.recorded;
        if !self.averages_known {
            // As if they had moved just before.
            rule.adopt_averages(
                recorded.avg_page_rate,
                recorded.lsn_avg_rate,
                pass.cur_lsn.saturating_sub(1),
                pass.now,
            );
        }
        let gauges = rule.pass(&pass)?;
        if !self.averages_known {
            rule.adopt_averages(recorded.avg_page_rate, recorded.lsn_avg_rate, pass.cur_lsn, pass.now);
        }
        let distances = self.tolerance.distances(&gauges, recorded, &between.known);
        let agrees = distances.iter().all(|distance| *distance <= 1.0);
        Some(Trial { agrees, distance: distances.iter().sum(), instant, pass, gauges, rule })
    }
}

/// A pass tried at one instant.
struct Trial {
    /// Whether it agrees with the server in every counter.
    agrees: bool,
    /// From the server's counters, in tolerances.
    distance: f64,
    /// Share of the time between the samples.
    instant: f64,
    pass: ReplayPass,
    gauges: FlushGauges,
    /// The rule after it.
    rule: ReplayRule,
}

impl Trial {
    fn is_better_than(&self, other: &Trial) -> bool {
        (!self.agrees, self.distance) < (!other.agrees, other.distance)
    }
}
