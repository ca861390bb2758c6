//! Recordings of known loads, taken for unknown ones: a test of the whole way from counters to a prediction.
//!
//! Of each recording its sysbench scripts, tables and log are put aside. Another recording of the same server and load gives
//! the spectrum and the redo of a unit of work; the recording's own demand drives it. Both are cut to the time of the load.

use super::backtest::predict;
use super::measured::Measured;
use crate::calibrate::Device;
use crate::validate::{Task, choose};
use innosim_recordings::Recording;
use innosim_scenario::Overrides;
use innosim_spectrum::{Range, dirty_is_off};

/// Seconds before the load from which on a recording is used: one sample, which has the state that the load meets.
const BEFORE_S: f64 = 1.2;

/// A recording as one of an unknown load, ready to be predicted.
#[derive(Debug)]
pub struct Prepared {
    recording: Recording,
    scenario: innosim_scenario::Scenario,
    by: String,
}

impl Prepared {
    /// The prediction to be made.
    pub fn task(&self) -> Task<'_> {
        Task {
            recording: &self.recording,
            calibrated_on: self.by.clone(),
            cpu_is_known: true,
            scenario: self.scenario.clone(),
        }
    }
}

/// Prepares all recordings, each predicted from another one or from `source`; and why others can't be.
pub fn prepare(
    recordings: &[Recording],
    source: Option<&Recording>,
    device: &Device,
    overrides: &Overrides,
) -> (Vec<Prepared>, Vec<String>) {
    let (mut prepared, mut left_out) = (Vec::new(), Vec::new());
    // A unit of work that waits for page reads takes more CPU time than one that does not.
    let in_memory: Vec<Recording> = recordings.iter().filter(|recording| !misses(recording)).cloned().collect();
    let partner = |recording: &Recording| -> Option<Recording> {
        choose(recording, &in_memory).or_else(|| choose(recording, recordings)).cloned()
    };
    for recording in recordings {
        let partner = source.cloned().or_else(|| partner(recording));
        match one(recording, partner.as_ref(), device, overrides) {
            Ok(one) => prepared.push(one),
            Err(why) => left_out.push(why),
        }
    }
    (prepared, left_out)
}

/// Whether its load misses the buffer pool.
fn misses(recording: &Recording) -> bool {
    without_load(recording).and_then(|unknown| Measured::of(&unknown)).is_ok_and(|measured| measured.outgrown.is_some())
}

fn one(
    recording: &Recording,
    source: Option<&Recording>,
    device: &Device,
    overrides: &Overrides,
) -> Result<Prepared, String> {
    let source = source.ok_or_else(|| {
        format!(
            "{}: no other recording of {} ran the same load, so there is nothing to measure it on\n  = help: \
             --calibrate-on RECORDING names one",
            recording.name, recording.server.product
        )
    })?;
    let measured = Measured::of(&without_load(source)?).map_err(|why| format!("{}: {why}", source.name))?;
    let target = without_load(recording)?;
    let prediction = predict(&target, &measured, device, f64::NEG_INFINITY, overrides)?;
    Ok(Prepared { recording: prediction.compared, scenario: prediction.scenario, by: source.name.clone() })
}

/// What the counters of `source` tell of the dirty pages of `target` while its ages and its work take their recorded course: the least
/// and the most, as shares of the recorded ones. `None` where one of both tells no load, or pages miss the buffer pool.
pub fn dirty_pages_told(source: &Recording, target: &Recording) -> Option<Range> {
    let measured = Measured::of(&without_load(source).ok()?).ok().filter(|measured| measured.outgrown.is_none())?;
    let evidence = measured.evidence_of(&without_load(target).ok()?)?;
    let [course] = &evidence.trajectories[..] else { return None };
    dirty_is_off(&measured.fit.spectrum, course)?;
    Some(measured.fit.range(|spectrum| 1.0 + dirty_is_off(spectrum, course).unwrap_or(f64::NAN)))
}

/// The time of its load, without what is known of that; the error is a sentence.
fn without_load(recording: &Recording) -> Result<Recording, String> {
    let (start, end) = recording.load_window();
    let unknown = recording.between(start - BEFORE_S, end).as_unknown_load().map_err(|missing| {
        let what: Vec<&str> = missing.iter().map(|missing| missing.what.as_str()).collect();
        format!("{}: nothing tells {}", recording.name, what.join(", "))
    })?;
    Ok(unknown.recording)
}
