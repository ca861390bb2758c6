//! The rule of 5.6 alone, on recorded inputs.

use super::adaptive::{AdaptiveState, Seen};
use super::options::Options;
use crate::legacy::adaptive::AdaptiveConfig;
use crate::replay::{PassRule, ReplayPass, ReplayRule, lengths};
use crate::settings::{Settings, SettingsError};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::FlushGauges;

#[derive(Debug, Clone)]
struct Rule {
    state: AdaptiveState,
    config: AdaptiveConfig,
}

/// The rule of these settings.
pub(super) fn replay_rule(settings: &Settings) -> Result<ReplayRule, SettingsError> {
    let config = Options::new(settings)?.adaptive;
    Ok(ReplayRule::new(Rule { state: AdaptiveState::default(), config }))
}

impl PassRule for Rule {
    fn copied(&self) -> Box<dyn PassRule> {
        Box::new(self.clone())
    }

    /// The averages count what each call flushed at once, so the pages of the call before are booked first.
    fn replayed(&mut self, pass: &ReplayPass) -> Option<FlushGauges> {
        let state = &mut self.state;
        state.flushed(pass.last_pages);
        let dirty_pct = lengths(pass).modified_ratio_pct();
        let seen = Seen { cur_lsn: pass.cur_lsn, oldest_lsn: pass.oldest_lsn, dirty_pct };
        let request = state.request(&self.config, seen)?;
        Some(state.gauges(Some(&request)))
    }

    fn counts_whole_seconds(&self) -> bool {
        false
    }

    fn n_iterations(&mut self) -> &mut u64 {
        &mut self.state.n_iterations
    }

    fn adopt_averages(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, _: SimTime) {
        let state = &mut self.state;
        (state.avg_page_rate, state.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
        (state.prev_lsn, state.sum_pages, state.n_iterations) = (cur_lsn, 0, 0);
    }
}
