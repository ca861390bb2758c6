//! A research rule for adaptive flushing, plugged into the machinery of MySQL 8.0.30.
//!
//! The rule is a proportional-integral controller that holds the age of the oldest dirty page at half of its limit. It
//! is all of [`HoldAge`]; the rest of this file shows it at work, against a redo log that fills at a constant rate.

use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{
    AdaptiveFlushing, CleanerAction, CleanerInput, FlushGauges, FlushLists, PassReport, Recommendation, RuleInput,
    ServerModel, View,
};
use innosim_flush_models::registry::{ModelId, Settings, SettingsError, build_with_rule};
use std::collections::BTreeMap;

/// Flushes what holds the age at half of its limit.
#[derive(Debug, Default)]
struct HoldAge {
    /// Sum of the errors so far.
    integral: f64,
    /// Pages of the last pass.
    n_pages: u64,
}

impl AdaptiveFlushing for HoldAge {
    fn recommend(&mut self, view: &View<'_>, input: RuleInput) -> Recommendation {
        let age = match view.oldest_modification_lsn {
            0 => 0,
            oldest => view.current_lsn - oldest,
        };
        let error = age as f64 / input.limit_for_age_bytes as f64 - 0.5;
        self.integral = (self.integral + error).clamp(0.0, 100.0);
        self.n_pages = (20_000.0 * error + 500.0 * self.integral).clamp(0.0, 50_000.0) as u64;
        // No slots: the machinery spreads the pages evenly over the instances.
        Recommendation { n_pages: self.n_pages, slots: Vec::new() }
    }

    fn gauges(&self) -> FlushGauges {
        FlushGauges { n_to_flush_requested: self.n_pages, ..FlushGauges::default() }
    }
}

/// Flush lists that nobody counts.
struct Uncounted;

impl FlushLists for Uncounted {
    fn instances(&self) -> u32 {
        1
    }

    fn pages_up_to(&self, _instance: u32, _lsn: u64, _cap: u64) -> u64 {
        0
    }
}

/// Redo of one second, bytes.
const REDO_PER_SECOND: u64 = 2_000_000;
/// Redo between two dirty pages, bytes: flushing a page moves the oldest modification by this.
const REDO_PER_PAGE: u64 = 1000;

/// Runs `seconds` passes and returns the age of the oldest page after each, as a share of its limit.
fn ages(server: &mut dyn ServerModel, seconds: u64) -> Vec<f64> {
    let limit = server.age_limits().adaptive_full_bytes;
    let start = 1_000_000_000;
    let mut oldest = start;
    let mut shares = Vec::new();
    let mut input = CleanerInput::Start;
    let mut second = 0;
    while second < seconds {
        let current = start + 1 + second * REDO_PER_SECOND;
        let view = View {
            now: SimTime(second * 1_000_000_000),
            current_lsn: current,
            written_lsn: current,
            durable_lsn: current,
            last_checkpoint_lsn: oldest,
            oldest_modification_lsn: oldest,
            dirty_pages: (current - oldest) / REDO_PER_PAGE,
            lru_pages: 1_000_000,
            free_pages: 1000,
            activity: second,
            ..View::at_rest(&Uncounted)
        };
        input = match server.cleaner(&view, input) {
            CleanerAction::Wait { .. } => {
                second += 1;
                shares.push((current - oldest) as f64 / limit as f64);
                CleanerInput::Timeout
            }
            CleanerAction::Flush(request) => {
                let pages = request.slots.iter().sum::<u64>().min((current - oldest) / REDO_PER_PAGE);
                oldest += pages * REDO_PER_PAGE;
                CleanerInput::Done(PassReport { list_pages: pages, ..PassReport::default() })
            }
            CleanerAction::SyncRedo => CleanerInput::RedoSynced,
            other => unreachable!("8.0 never asks for {other:?}"),
        };
    }
    shares
}

fn main() -> Result<(), SettingsError> {
    let settings = Settings::resolve(ModelId::Mysql8030, &BTreeMap::new())?;
    let mut server = build_with_rule(&settings, Box::new(HoldAge::default()))?;
    for (second, share) in ages(server.as_mut(), 200).into_iter().enumerate().step_by(10) {
        println!("{second:4} s  age {:5.1} % of its limit", 100.0 * share);
    }
    Ok(())
}

#[test]
fn the_rule_holds_the_age_at_half_of_its_limit() {
    let settings = Settings::resolve(ModelId::Mysql8030, &BTreeMap::new()).unwrap();
    let mut server = build_with_rule(&settings, Box::new(HoldAge::default())).unwrap();
    let shares = ages(server.as_mut(), 400);
    assert!(shares[300..].iter().all(|share| (share - 0.5).abs() < 0.05), "{:?}", &shares[300..]);
}
