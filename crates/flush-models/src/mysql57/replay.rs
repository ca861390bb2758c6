//! The rule of 5.7 alone, on recorded inputs.

use super::recommendation::{RecommendationState, Seen};
use crate::legacy::adaptive::AdaptiveConfig;
use crate::mysql56::options::Options;
use crate::replay::{PassRule, Published, ReplayPass, ReplayRule, lengths};
use crate::settings::{Settings, SettingsError};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::FlushGauges;

#[derive(Debug, Clone)]
struct Rule {
    state: RecommendationState,
    config: AdaptiveConfig,
}

/// The rule of these settings.
pub(super) fn replay_rule(settings: &Settings) -> Result<ReplayRule, SettingsError> {
    let config = Options::new(settings)?.adaptive;
    Ok(ReplayRule::new(Rule { state: RecommendationState::default(), config }))
}

impl PassRule for Rule {
    fn copied(&self) -> Box<dyn PassRule> {
        Box::new(self.clone())
    }

    fn pass(&mut self, pass: &ReplayPass) -> Option<FlushGauges> {
        let seen = Seen {
            cur_lsn: pass.cur_lsn,
            oldest_lsn: pass.oldest_lsn,
            time_s: pass.now.whole_seconds(),
            dirty_pct: lengths(pass).modified_ratio_pct_real(),
            last_pages: pass.last_pages,
            lists: &Published { n_to_flush_by_age: pass.n_to_flush_by_age },
        };
        let recommended = self.state.recommend(&self.config, seen)?;
        Some(FlushGauges {
            n_to_flush_requested: recommended.n_pages,
            n_to_flush_by_age: recommended.n_by_age,
            avg_page_rate: self.state.avg_page_rate,
            lsn_avg_rate: self.state.lsn_avg_rate,
            pct_for_dirty: recommended.pct_for_dirty,
            pct_for_lsn: recommended.pct_for_lsn,
        })
    }

    fn counts_whole_seconds(&self) -> bool {
        true
    }

    fn n_iterations(&mut self) -> &mut u64 {
        &mut self.state.n_iterations
    }

    fn adopt_averages(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, now: SimTime) {
        let state = &mut self.state;
        (state.avg_page_rate, state.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
        (state.prev_lsn, state.sum_pages, state.n_iterations) = (cur_lsn, 0, 0);
        state.prev_time_s = now.whole_seconds();
    }
}
