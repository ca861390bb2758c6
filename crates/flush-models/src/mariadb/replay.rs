//! The rule of MariaDB alone, on recorded inputs.

use super::adaptive::{AdaptiveConfig, Averages, PassInput, dirty_pct, recommendation_late};
use super::options::Options;
use crate::replay::{PassRule, Published, ReplayPass, ReplayRule};
use crate::settings::{Settings, SettingsError};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::FlushGauges;

#[derive(Debug, Clone)]
struct Rule {
    averages: Averages,
    config: AdaptiveConfig,
    /// What it last published: passes below the low-water mark of the age leave the gauges alone.
    gauges: FlushGauges,
}

/// The rule of these settings.
pub(super) fn replay_rule(settings: &Settings) -> Result<ReplayRule, SettingsError> {
    let config = Options::new(settings)?.adaptive;
    Ok(ReplayRule::new(Rule { averages: Averages::default(), config, gauges: FlushGauges::default() }))
}

impl PassRule for Rule {
    fn copied(&self) -> Box<dyn PassRule> {
        Box::new(self.clone())
    }

    /// A pass that goes by the dirty pages alone publishes nothing.
    fn pass(&mut self, pass: &ReplayPass) -> Option<FlushGauges> {
        let dirty_pct = dirty_pct(pass.dirty_pages, pass.lru_pages, pass.free_pages);
        let seen = PassInput {
            cur_lsn: pass.cur_lsn,
            time_s: pass.now.whole_seconds(),
            oldest_lsn: pass.oldest_lsn,
            dirty_pages: pass.dirty_pages,
            dirty_pct,
            last_pages: pass.last_pages,
            lists: &Published { n_to_flush_by_age: pass.n_to_flush_by_age },
        };
        let pct_lwm = self.config.low_water_mark_that_counts(dirty_pct);
        let decided = recommendation_late(&self.config, &mut self.averages, &seen, pct_lwm);
        if let Some(published) = decided.gauges(&self.averages) {
            self.gauges = published;
        }
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
        let (averages, gauges) = (&mut self.averages, &mut self.gauges);
        (averages.avg_page_rate, averages.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
        (gauges.avg_page_rate, gauges.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
        (averages.prev_lsn, averages.sum_pages, averages.n_iterations) = (cur_lsn, 0, 0);
        averages.prev_time_s = now.whole_seconds();
    }
}
