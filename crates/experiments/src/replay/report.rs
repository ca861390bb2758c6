//! What a replay came to.

use super::Trial;
use super::inputs::Between;
use super::tolerance::{COUNTERS, Tolerance, values};
use innosim_flush_models::registry::ModelId;

/// One pass: the server's counters beside the rule's.
#[derive(Debug, Clone, PartialEq)]
pub struct PassRow {
    /// Time of the sample that shows it, seconds.
    pub second: f64,
    /// When it ran, as a share of the time between the samples.
    pub instant: f64,
    /// Age of the oldest dirty page that the rule saw, bytes.
    pub age_bytes: u64,
    /// What the server published, in the order of [`COUNTERS`]; `None` if it doesn't.
    pub recorded: [Option<f64>; 5],
    /// What the rule says.
    pub replayed: [f64; 5],
    /// Whether the two agree; `None` if not judged.
    pub matches: [Option<bool>; 5],
}

/// Agreement in one counter.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterReport {
    /// Its name.
    pub name: &'static str,
    /// Passes judged.
    pub judged: u64,
    /// Passes in which the rule agrees.
    pub matched: u64,
    /// Mean of the absolute differences.
    pub mean_difference: f64,
    /// Largest difference and the second it came in.
    pub worst: Option<(f64, f64)>,
}

impl CounterReport {
    /// Share of the judged passes that match; `None` if none was judged.
    pub fn match_rate(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.matched as f64 / self.judged as f64)
    }
}

/// A replayed recording.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayReport {
    /// Name of the recording.
    pub recording: String,
    /// Its model.
    pub model: ModelId,
    /// What counts as a match.
    pub tolerance: Tolerance,
    /// Every pass under load, in order.
    pub passes: Vec<PassRow>,
    /// By counter.
    pub counters: Vec<CounterReport>,
    /// Seconds left out because of sync flushing.
    pub sync_seconds: u64,
    /// Seconds in which no pass began.
    pub seconds_without_pass: u64,
    /// Passes that another one followed before the next sample, so that their counters were never read.
    pub hidden_passes: u64,
    /// Seconds with several passes of which only the last one left its counters.
    pub several_seconds: u64,
    /// Seconds left out next to gaps.
    pub gap_seconds: u64,
    /// Remarks on the settings.
    pub remarks: Vec<String>,
}

impl ReplayReport {
    /// Passes in which every judged counter agrees, and passes judged.
    pub fn joint(&self) -> (u64, u64) {
        let judged = self.passes.iter().filter(|pass| pass.matches.iter().any(Option::is_some));
        let agrees = |pass: &&PassRow| pass.matches.iter().all(|matched| *matched != Some(false));
        (judged.clone().filter(agrees).count() as u64, judged.count() as u64)
    }
}

/// Collects passes.
pub(super) struct Builder {
    report: ReplayReport,
}

impl Builder {
    pub(super) fn new(recording: &str, model: ModelId, tolerance: Tolerance, remarks: Vec<String>) -> Self {
        Builder {
            report: ReplayReport {
                recording: recording.to_owned(),
                model,
                tolerance,
                passes: Vec::new(),
                counters: Vec::new(),
                sync_seconds: 0,
                seconds_without_pass: 0,
                hidden_passes: 0,
                several_seconds: 0,
                gap_seconds: 0,
                remarks,
            },
        }
    }

    pub(super) fn skip_gap(&mut self) {
        self.report.gap_seconds += 1;
    }

    pub(super) fn skip_long(&mut self) {
        self.report.seconds_without_pass += 1;
    }

    pub(super) fn hidden(&mut self, passes: u32) {
        self.report.hidden_passes += u64::from(passes);
    }

    pub(super) fn skip_several(&mut self) {
        self.report.several_seconds += 1;
    }

    pub(super) fn skip_sync(&mut self) {
        self.report.sync_seconds += 1;
    }

    pub(super) fn pass(&mut self, between: &Between, trial: &Trial, own_averages: bool) {
        let (ours, theirs) = (values(&trial.gauges), values(&between.recorded));
        let allowed = self.report.tolerance.allowed(&between.recorded);
        let judged = between.known.flags();
        let mut row = PassRow {
            second: between.second,
            instant: trial.instant,
            age_bytes: trial.pass.cur_lsn.saturating_sub(trial.pass.oldest_lsn),
            recorded: [None; 5],
            replayed: ours,
            matches: [None; 5],
        };
        for c in 0..COUNTERS.len() {
            row.recorded[c] = judged[c].then_some(theirs[c]);
            let is_average = c >= 3;
            let judge = judged[c] && (own_averages || !is_average);
            row.matches[c] = judge.then(|| (ours[c] - theirs[c]).abs() <= allowed[c]);
        }
        self.report.passes.push(row);
    }

    pub(super) fn finish(mut self) -> ReplayReport {
        self.report.counters = (0..COUNTERS.len()).map(|c| counter(c, &self.report.passes)).collect();
        self.report
    }
}

fn counter(c: usize, passes: &[PassRow]) -> CounterReport {
    let mut report = CounterReport { name: COUNTERS[c], judged: 0, matched: 0, mean_difference: 0.0, worst: None };
    for pass in passes {
        let (Some(matches), Some(recorded)) = (pass.matches[c], pass.recorded[c]) else { continue };
        let difference = pass.replayed[c] - recorded;
        report.judged += 1;
        report.matched += u64::from(matches);
        report.mean_difference += difference.abs();
        if report.worst.is_none_or(|(worst, _)| difference.abs() > worst.abs()) {
            report.worst = Some((difference, pass.second));
        }
    }
    report.mean_difference /= report.judged.max(1) as f64;
    report
}
