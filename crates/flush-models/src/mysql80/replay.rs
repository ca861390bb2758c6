//! The rule of 8.0 and later alone, on recorded inputs.

use super::Mysql80;
use super::adaptive::{AdaptiveRule, PassInput, dirty_pct};
use super::release::Parts;
use crate::replay::{PassRule, Published, ReplayPass, ReplayRule};
use crate::settings::{Settings, SettingsError};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{AdaptiveFlushing, FlushGauges, RuleInput, ServerModel};

#[derive(Debug, Clone)]
struct Rule {
    rule: AdaptiveRule,
    /// Age at which the age factor is 100 %, bytes.
    limit_for_age_bytes: u64,
    /// Age at which user threads stop, bytes.
    free_check_capacity_bytes: u64,
}

/// The rule of these settings in a release of these parts.
pub(crate) fn replay_rule(settings: &Settings, parts: &Parts) -> Result<ReplayRule, SettingsError> {
    let rule = Mysql80::adaptive_rule(settings, parts)?;
    let limits = Mysql80::build(settings, parts, None)?.age_limits();
    Ok(ReplayRule::new(Rule {
        rule,
        limit_for_age_bytes: limits.adaptive_full_bytes,
        free_check_capacity_bytes: limits.stop_bytes,
    }))
}

impl PassRule for Rule {
    fn copied(&self) -> Box<dyn PassRule> {
        Box::new(self.clone())
    }

    fn replayed(&mut self, pass: &ReplayPass) -> Option<FlushGauges> {
        let rule = &mut self.rule;
        // Where seconds are cut off to whole ones, it matters that adaptive passes begin a second apart at least.
        let seconds = SimDuration::from_secs(rule.averages.n_iterations + 1);
        let now = if rule.cuts_seconds_off() { pass.now.max(rule.averages.prev_time + seconds) } else { pass.now };
        rule.pass(&PassInput {
            cur_lsn: pass.cur_lsn,
            now,
            oldest_lsn: pass.oldest_lsn,
            dirty_pct: dirty_pct(pass.dirty_pages, pass.lru_pages, pass.free_pages),
            lists: &Published { n_to_flush_by_age: pass.n_to_flush_by_age },
            rule: RuleInput {
                sync_limit_lsn: None,
                last_pages: pass.last_pages,
                limit_for_age_bytes: self.limit_for_age_bytes,
                free_check_capacity_bytes: self.free_check_capacity_bytes,
            },
        })?;
        Some(rule.gauges())
    }

    fn counts_whole_seconds(&self) -> bool {
        false
    }

    fn n_iterations(&mut self) -> &mut u64 {
        &mut self.rule.averages.n_iterations
    }

    fn adopt_averages(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, now: SimTime) {
        self.rule.averages.adopt(avg_page_rate, lsn_avg_rate, cur_lsn, now);
    }
}
