//! The rule of MariaDB alone, on recorded inputs.

use super::adaptive::{AdaptiveRule, PassInput, dirty_pct};
use super::options::Options;
use crate::replay::{PassRule, Published, ReplayPass, ReplayRule};
use crate::settings::{Settings, SettingsError};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::FlushGauges;

/// The rule of these settings.
pub(super) fn replay_rule(settings: &Settings) -> Result<ReplayRule, SettingsError> {
    Ok(ReplayRule::new(AdaptiveRule::new(Options::new(settings)?.adaptive)))
}

impl PassRule for AdaptiveRule {
    fn copied(&self) -> Box<dyn PassRule> {
        Box::new(self.clone())
    }

    fn replayed(&mut self, pass: &ReplayPass) -> Option<FlushGauges> {
        self.pass(&PassInput {
            cur_lsn: pass.cur_lsn,
            now: pass.now,
            oldest_lsn: pass.oldest_lsn,
            dirty_pages: pass.dirty_pages,
            dirty_pct: dirty_pct(pass.dirty_pages, pass.lru_pages, pass.free_pages),
            last_pages: pass.last_pages,
            lists: &Published { n_to_flush_by_age: pass.n_to_flush_by_age },
        });
        Some(self.gauges)
    }

    fn counts_whole_seconds(&self) -> bool {
        true
    }

    fn n_iterations(&mut self) -> &mut u64 {
        &mut self.averages.n_iterations
    }

    fn adopt_gauges(&mut self, published: FlushGauges) {
        self.gauges = published;
    }

    fn adopt_averages(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, now: SimTime) {
        self.averages.adopt(avg_page_rate, lsn_avg_rate, cur_lsn, now);
        self.gauges = FlushGauges { avg_page_rate, lsn_avg_rate, ..self.gauges };
    }
}
