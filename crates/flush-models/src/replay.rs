//! A server's flushing rule alone, fed with what was recorded of its passes.
//!
//! A [`ReplayRule`] is the stateful rule of a model without machine, workload or device: each pass of the page cleaner
//! gets the inputs that a recording has for it and answers with the gauges that the server publishes. What a recording
//! does not have (the pages of the flush lists by age) the pass is told in the form in which the server publishes it.
//!
//! A rule can be cloned, so that a pass whose inputs are known only within bounds can be tried at several of them.

mod publishing;

pub use publishing::Publishing;

use crate::legacy::io::ListLengths;
use crate::mysql80::Mysql80;
use crate::mysql80::adaptive::{AdaptiveRule, PassInput, dirty_pct};
use crate::registry::{Machinery, Settings, SettingsError, build};
use crate::{legacy, mariadb, mysql56, mysql57};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{FlushGauges, FlushLists, RuleInput};

/// Inputs of one pass of the page cleaner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplayPass {
    /// When the pass ran, on any axis that goes on.
    pub now: SimTime,
    /// Log sequence number then, bytes.
    pub cur_lsn: u64,
    /// Oldest modification of a dirty page then, LSN; 0 if nothing is dirty.
    pub oldest_lsn: u64,
    /// Dirty pages then.
    pub dirty_pages: u64,
    /// Pages on the LRU lists then.
    pub lru_pages: u64,
    /// Pages on the free lists then.
    pub free_pages: u64,
    /// Pages of the flush lists that the pass found due, as published in `buffer_flush_n_to_flush_by_age`.
    pub n_to_flush_by_age: u64,
    /// Pages flushed since the pass before it.
    pub last_pages: u64,
}

/// The flushing rule of a model, with its memory.
#[derive(Debug, Clone)]
pub enum ReplayRule {
    /// 5.6.
    Mysql56 {
        /// The rule.
        state: mysql56::adaptive::AdaptiveState,
        /// Its settings.
        config: legacy::adaptive::AdaptiveConfig,
    },
    /// 5.7.
    Mysql57 {
        /// The rule.
        state: mysql57::recommendation::RecommendationState,
        /// Its settings.
        config: legacy::adaptive::AdaptiveConfig,
    },
    /// MariaDB 10.11.
    Mariadb {
        /// What the rule remembers.
        averages: mariadb::adaptive::Averages,
        /// Its settings.
        config: mariadb::adaptive::AdaptiveConfig,
        /// What it last published: passes below the low-water mark of the age leave the gauges alone.
        gauges: FlushGauges,
    },
    /// 8.0 and later.
    Mysql80 {
        /// The rule.
        rule: Box<AdaptiveRule>,
        /// Age at which the age factor is 100 %, bytes.
        limit_for_age_bytes: u64,
        /// Age at which user threads stop, bytes.
        free_check_capacity_bytes: u64,
    },
}

impl ReplayRule {
    /// The rule of these settings, before its first pass; `None` for a model whose server publishes no counters of its
    /// decisions, or whose rule has no such form.
    pub fn new(settings: &Settings) -> Result<Option<Self>, SettingsError> {
        let legacy = || Ok(mysql56::options::Options::new(settings)?.adaptive);
        match settings.model.machinery() {
            Machinery::Mysql56 => Ok(Some(ReplayRule::Mysql56 { state: Default::default(), config: legacy()? })),
            Machinery::Mysql57 => Ok(Some(ReplayRule::Mysql57 { state: Default::default(), config: legacy()? })),
            Machinery::Mysql8021 | Machinery::Mysql8027 | Machinery::Mysql8030 => {
                let limits = build(settings)?.age_limits();
                Ok(Some(ReplayRule::Mysql80 {
                    rule: Box::new(Mysql80::adaptive_rule(settings)?),
                    limit_for_age_bytes: limits.adaptive_full_bytes,
                    free_check_capacity_bytes: limits.stop_bytes,
                }))
            }
            Machinery::Mariadb => Ok(Some(ReplayRule::Mariadb {
                averages: Default::default(),
                config: mariadb::options::Options::new(settings)?.adaptive,
                gauges: FlushGauges::default(),
            })),
            Machinery::Mysql55 | Machinery::Tnt => Ok(None),
        }
    }

    /// One pass; `None` if the rule asks for nothing and leaves the gauges as they were.
    pub fn pass(&mut self, pass: &ReplayPass) -> Option<FlushGauges> {
        match self {
            ReplayRule::Mysql56 { state, config } => pass_56(state, config, pass),
            ReplayRule::Mysql57 { state, config } => pass_57(state, config, pass),
            ReplayRule::Mariadb { averages, config, gauges } => {
                if let Some(published) = pass_mariadb(averages, config, pass) {
                    *gauges = published;
                }
                Some(*gauges)
            }
            ReplayRule::Mysql80 { rule, limit_for_age_bytes, free_check_capacity_bytes } => {
                pass_80(rule, (*limit_for_age_bytes, *free_check_capacity_bytes), pass)
            }
        }
    }

    /// Whether the averages are taken over whole seconds of a clock.
    pub fn counts_whole_seconds(&self) -> bool {
        matches!(self, ReplayRule::Mysql57 { .. } | ReplayRule::Mariadb { .. })
    }

    /// Counts `calls` more calls (fewer, if negative) since the last update of the averages: calls that left no trace,
    /// or were taken for calls.
    pub fn shift_calls(&mut self, calls: i64) {
        let counted = match self {
            ReplayRule::Mysql56 { state, .. } => &mut state.n_iterations,
            ReplayRule::Mysql57 { state, .. } => &mut state.n_iterations,
            ReplayRule::Mariadb { averages, .. } => &mut averages.n_iterations,
            ReplayRule::Mysql80 { rule, .. } => &mut rule.averages.n_iterations,
        };
        *counted = counted.saturating_add_signed(calls);
    }

    /// Takes what the server had published before the pass that comes next: a pass that decides nothing leaves it
    /// alone.
    pub fn adopt_gauges(&mut self, published: FlushGauges) {
        if let ReplayRule::Mariadb { gauges, .. } = self {
            *gauges = published;
        }
    }

    /// Takes the averages from the server and begins to count from this pass, as after an update of the averages.
    pub fn adopt_averages(&mut self, avg_page_rate: u64, lsn_avg_rate: u64, cur_lsn: u64, now: SimTime) {
        match self {
            ReplayRule::Mysql56 { state, .. } => {
                (state.avg_page_rate, state.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
                (state.prev_lsn, state.sum_pages, state.n_iterations) = (cur_lsn, 0, 0);
            }
            ReplayRule::Mysql57 { state, .. } => {
                (state.avg_page_rate, state.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
                (state.prev_lsn, state.sum_pages, state.n_iterations) = (cur_lsn, 0, 0);
                state.prev_time_s = now.whole_seconds();
            }
            ReplayRule::Mariadb { averages, gauges, .. } => {
                (averages.avg_page_rate, averages.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
                (gauges.avg_page_rate, gauges.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
                (averages.prev_lsn, averages.sum_pages, averages.n_iterations) = (cur_lsn, 0, 0);
                averages.prev_time_s = now.whole_seconds();
            }
            ReplayRule::Mysql80 { rule, .. } => {
                let averages = &mut rule.averages;
                (averages.avg_page_rate, averages.lsn_avg_rate) = (avg_page_rate, lsn_avg_rate);
                (averages.prev_lsn, averages.sum_pages, averages.n_iterations) = (cur_lsn, 0, 0);
                averages.prev_time = now;
            }
        }
    }
}

fn lengths(pass: &ReplayPass) -> ListLengths {
    ListLengths { lru: pass.lru_pages, free: pass.free_pages, flush_list: pass.dirty_pages }
}

/// The averages count what each call flushed at once, so the pages of the call before are booked first.
fn pass_56(
    state: &mut mysql56::adaptive::AdaptiveState,
    config: &legacy::adaptive::AdaptiveConfig,
    pass: &ReplayPass,
) -> Option<FlushGauges> {
    state.flushed(pass.last_pages);
    let dirty_pct = lengths(pass).modified_ratio_pct();
    let seen = mysql56::adaptive::Seen { cur_lsn: pass.cur_lsn, oldest_lsn: pass.oldest_lsn, dirty_pct };
    let request = state.request(config, seen)?;
    Some(FlushGauges {
        n_to_flush_requested: request.n_pages,
        n_to_flush_by_age: 0,
        avg_page_rate: state.avg_page_rate,
        lsn_avg_rate: state.lsn_avg_rate,
        pct_for_dirty: request.pct_for_dirty,
        pct_for_lsn: request.pct_for_lsn,
    })
}

fn pass_57(
    state: &mut mysql57::recommendation::RecommendationState,
    config: &legacy::adaptive::AdaptiveConfig,
    pass: &ReplayPass,
) -> Option<FlushGauges> {
    let seen = mysql57::recommendation::Seen {
        cur_lsn: pass.cur_lsn,
        oldest_lsn: pass.oldest_lsn,
        time_s: pass.now.whole_seconds(),
        dirty_pct: lengths(pass).modified_ratio_pct_real(),
        last_pages: pass.last_pages,
        lists: &Published { n_to_flush_by_age: pass.n_to_flush_by_age },
    };
    let recommended = state.recommend(config, seen)?;
    Some(FlushGauges {
        n_to_flush_requested: recommended.n_pages,
        n_to_flush_by_age: recommended.n_by_age,
        avg_page_rate: state.avg_page_rate,
        lsn_avg_rate: state.lsn_avg_rate,
        pct_for_dirty: recommended.pct_for_dirty,
        pct_for_lsn: recommended.pct_for_lsn,
    })
}

/// `None` if the pass goes by the dirty pages alone and publishes nothing.
fn pass_mariadb(
    averages: &mut mariadb::adaptive::Averages,
    config: &mariadb::adaptive::AdaptiveConfig,
    pass: &ReplayPass,
) -> Option<FlushGauges> {
    let dirty_pct = mariadb::adaptive::dirty_pct(pass.dirty_pages, pass.lru_pages, pass.free_pages);
    let seen = mariadb::adaptive::PassInput {
        cur_lsn: pass.cur_lsn,
        time_s: pass.now.whole_seconds(),
        oldest_lsn: pass.oldest_lsn,
        dirty_pages: pass.dirty_pages,
        dirty_pct,
        last_pages: pass.last_pages,
        lists: &Published { n_to_flush_by_age: pass.n_to_flush_by_age },
    };
    let pct_lwm = config.low_water_mark_that_counts(dirty_pct);
    let decided = mariadb::adaptive::recommendation_late(config, averages, &seen, pct_lwm);
    decided.gauges(averages)
}

/// `limits`: the age of a full age factor and the age at which user threads stop, bytes.
fn pass_80(rule: &mut AdaptiveRule, limits: (u64, u64), pass: &ReplayPass) -> Option<FlushGauges> {
    // Where seconds are cut off to whole ones, it matters that adaptive passes begin a second apart at least.
    let seconds = SimDuration::from_secs(rule.averages.n_iterations + 1);
    let now = if rule.cuts_seconds_off() { pass.now.max(rule.averages.prev_time + seconds) } else { pass.now };
    let details = rule.pass(&PassInput {
        cur_lsn: pass.cur_lsn,
        now,
        oldest_lsn: pass.oldest_lsn,
        dirty_pct: dirty_pct(pass.dirty_pages, pass.lru_pages, pass.free_pages),
        lists: &Published { n_to_flush_by_age: pass.n_to_flush_by_age },
        rule: RuleInput {
            sync_limit_lsn: None,
            last_pages: pass.last_pages,
            limit_for_age_bytes: limits.0,
            free_check_capacity_bytes: limits.1,
        },
    })?;
    Some(FlushGauges {
        n_to_flush_requested: details.n_pages,
        n_to_flush_by_age: details.sum_pages_for_lsn,
        avg_page_rate: rule.averages.avg_page_rate,
        lsn_avg_rate: rule.averages.lsn_avg_rate,
        pct_for_dirty: details.pct_for_dirty,
        pct_for_lsn: details.pct_for_lsn,
    })
}

/// Flush lists of which only the published sum is known: one list, with so many pages due that the sum comes out.
struct Published {
    n_to_flush_by_age: u64,
}

impl FlushLists for Published {
    fn instances(&self) -> u32 {
        1
    }

    fn pages_up_to(&self, _instance: u32, _lsn: u64, cap: u64) -> u64 {
        self.n_to_flush_by_age.saturating_mul(SPREAD_OVER_PASSES).min(cap)
    }
}

/// The published sum is a share of the pages that three seconds of redo make due.
const SPREAD_OVER_PASSES: u64 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ModelId, Value};
    use std::collections::BTreeMap;

    fn settings() -> Settings {
        let explicit = BTreeMap::from([
            ("innodb_io_capacity", Value::Integer(2000)),
            ("innodb_io_capacity_max", Value::Integer(4000)),
            ("innodb_redo_log_capacity", Value::Integer(256 << 20)),
        ]);
        Settings::resolve(ModelId::Mysql97, &explicit).expect("sound settings")
    }

    fn pass(second: u64) -> ReplayPass {
        ReplayPass {
            now: SimTime::ZERO + innosim_core::kernel::time::SimDuration::from_secs(second),
            cur_lsn: 3_600_000_000 + second * 2_000_000,
            oldest_lsn: 3_500_000_000,
            dirty_pages: 30_000,
            lru_pages: 143_000,
            free_pages: 119_000,
            n_to_flush_by_age: 900,
            last_pages: 500,
        }
    }

    #[test]
    fn the_published_sum_goes_in_and_comes_out() {
        let mut rule = ReplayRule::new(&settings()).expect("sound settings").expect("a rule");
        assert_eq!(rule.pass(&pass(1)), None, "the first pass only remembers where it was");
        let gauges = rule.pass(&pass(2)).expect("a recommendation");
        assert_eq!((gauges.n_to_flush_by_age, gauges.avg_page_rate), (900, 0));
        let wanted = (2000 * gauges.pct_for_lsn.max(gauges.pct_for_dirty) / 100 + 900) / 3;
        assert_eq!(gauges.n_to_flush_requested, wanted);
    }

    #[test]
    fn adopted_averages_count_at_once_and_move_after_their_loops() {
        let mut rule = ReplayRule::new(&settings()).expect("sound settings").expect("a rule");
        let first = pass(0);
        rule.adopt_averages(300, 1_000_000, first.cur_lsn, first.now);
        let gauges: Vec<FlushGauges> = (1..=30).filter_map(|second| rule.pass(&pass(second))).collect();
        assert_eq!((gauges[0].avg_page_rate, gauges[0].lsn_avg_rate), (300, 1_000_000));
        assert_eq!((gauges[29].avg_page_rate, gauges[29].lsn_avg_rate), (400, 1_500_000));
    }
}
