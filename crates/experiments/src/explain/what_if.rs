//! The settings that the events of a run point to, tried: the same load, the same random numbers, one setting changed.

use crate::recommend::rise_of;
use crate::runner::warmup_of;
use innosim_core::metrics::{RunOutput, Summary};
use innosim_explain::{Event, What};
use innosim_flush_models::registry::{Kind, Value, lookup};
use innosim_scenario::{Diagnostics, Overrides, Scenario, Source, load};

/// A setting with the value to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Its real name.
    pub setting: &'static str,
    /// Its present value.
    pub present: f64,
    /// The value to try.
    pub value: f64,
}

impl Trial {
    /// Those that some events point to, each setting once.
    pub fn of(events: &[Event]) -> Vec<Trial> {
        let mut trials: Vec<Trial> = Vec::new();
        for event in events {
            if let What::WouldChange { setting, present, value, .. } = event.what
                && trials.iter().all(|trial| trial.setting != setting)
            {
                trials.push(Trial { setting, present, value });
            }
        }
        trials
    }
}

/// The scenario with a trial's value. Where `innodb_io_capacity_max` falls below `innodb_io_capacity`, that falls with
/// it.
///
/// # Errors
/// What is wrong with the value under this server.
pub fn changed(source: Source<'_>, common: &Overrides, now: &Scenario, trial: &Trial) -> Result<Scenario, Diagnostics> {
    let mut overrides = common.clone();
    let value = trial.value.round() as u64;
    let allowed = lookup(now.model, trial.setting).ok().and_then(|setting| match setting.kind {
        Kind::Integer { min, max } => Some((min, max, 1)),
        Kind::Bytes { min, max, step } => Some((min, max, step.max(1))),
        _ => None,
    });
    let value = allowed.map_or(value, |(min, max, step)| value.clamp(min, max) / step * step);
    overrides.set.push(format!("{}={value}", trial.setting));
    let capacity = "innodb_io_capacity";
    if trial.setting == "innodb_io_capacity_max" && now.settings.integer(capacity).is_ok_and(|now| now > value) {
        overrides.set.push(format!("{capacity}={value}"));
    }
    load(source, &overrides)
}

/// What a trial came to beside the run as it is. Both are counted from the later end of their warm-ups.
pub fn tried(trial: &Trial, now: (&Scenario, &RunOutput), then: (&Scenario, &RunOutput)) -> Event {
    let warmup = warmup_of(now.0, now.1).seconds.max(warmup_of(then.0, then.1).seconds);
    let (a, b) = (Summary::of(now.1, warmup), Summary::of(then.1, warmup));
    let pair = |figure: fn(&Summary) -> f64| [figure(&a), figure(&b)];
    let share = |s: &Summary| if s.age_async_limit > 0.0 { s.checkpoint_age_mean / s.age_async_limit } else { 0.0 };
    let what = What::Tried {
        setting: trial.setting.to_owned(),
        present: trial.present,
        value: then.0.settings.get(trial.setting).and_then(number).unwrap_or(trial.value),
        tps: pair(|s| s.tps_mean),
        stall_seconds: pair(|s| s.stall_seconds),
        sync_flush_seconds: pair(|s| s.sync_flush_seconds),
        latency_ms_p99: pair(|s| s.latency_ms_p99),
        age_share_of_limit: [share(&a), share(&b)],
        flushes_per_trx: pair(|s| s.flushes_per_trx),
        regime: [a.regime, b.regime],
        age_was_rising: rise_of(then.1, warmup).is_some(),
    };
    Event { at_s: now.1.series.last().map_or(0.0, |s| s.second as f64), what }
}

fn number(value: Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(value as f64),
        Value::Real(value) => Some(value),
        _ => None,
    }
}
