//! The rule of 5.7 alone, on recorded inputs.

use super::recommendation::{AdaptiveRule, Seen};
use crate::mysql56::options::Options;
use crate::replay::{PassRule, Published, ReplayPass, ReplayRule, lengths};
use crate::settings::{Settings, SettingsError};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{AdaptiveFlushing, FlushGauges};

/// The rule of these settings.
pub(super) fn replay_rule(settings: &Settings) -> Result<ReplayRule, SettingsError> {
    Ok(ReplayRule::new(AdaptiveRule::new(Options::new(settings)?.adaptive)))
}

impl PassRule for AdaptiveRule {
    fn copied(&self) -> Box<dyn PassRule> {
        Box::new(self.clone())
    }

    fn replayed(&mut self, pass: &ReplayPass) -> Option<FlushGauges> {
        self.pass(Seen {
            cur_lsn: pass.cur_lsn,
            oldest_lsn: pass.oldest_lsn,
            now: pass.now,
            dirty_pct: lengths(pass).modified_ratio_pct_real(),
            last_pages: pass.last_pages,
            lists: &Published { n_to_flush_by_age: pass.n_to_flush_by_age },
        })?;
        Some(self.gauges())
    }

    fn counts_whole_seconds(&self) -> bool {
        true
    }

    fn n_iterations(&mut self) -> &mut u64 {
        &mut self.averages.n_iterations
    }

    fn adopt_averages(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, now: SimTime) {
        self.averages.adopt(avg_page_rate, lsn_avg_rate, cur_lsn, now);
    }
}
