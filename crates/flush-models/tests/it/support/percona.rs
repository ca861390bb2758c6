//! Vectors of Percona Server 5.5 and 8.0.

use super::{Case, Test, VectorFile};
use innosim_flush_models::legacy;
use innosim_flush_models::mysql80::adaptive::{AdaptiveConfig, AgeFactor};
use innosim_flush_models::mysql80::doublewrite_layout::DoublewriteLayout;
use innosim_flush_models::percona55::methods::{
    EstimateZone, ListLevel, ListTurnover, Reflex, estimate, estimate_zone, keep_average, reflex,
};
use innosim_flush_models::percona80::free_list::backoff_sleep_us;
use innosim_flush_models::percona80::lru_manager::adapt_sleep_ms;
use serde_json::Value;

/// Which test reads which file of Percona Server.
pub(crate) const PERCONA: &[(&str, Test)] = &[
    ("percona-5.5-adaptive_checkpoint_reflex.json", reflex_steps),
    ("percona-5.5-adaptive_flushing_estimate.json", estimate_method),
    ("percona-5.5-adaptive_flushing_keep_average.json", keep_average_method),
    ("percona-8.0-doublewrite_files_cut.json", doublewrite_layout),
    ("percona-8.0-doublewrite_layout.json", doublewrite_layout),
    ("percona-8.0-free_list_backoff.json", free_list_backoff),
    ("percona-8.0-get_pct_for_lsn_high_checkpoint.json", high_checkpoint),
    ("percona-8.0-lru_manager_sleep.json", lru_manager_sleep),
    ("percona-8.0.30-get_pct_for_lsn_high_checkpoint.json", high_checkpoint),
];

/// The instances of a case.
fn instances(case: &Case) -> Vec<Value> {
    case.input.get("instances").as_array().expect("a list of instances").clone()
}

fn whole(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_else(|| panic!("{name} is not a whole number"))
}

fn reflex_steps(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let (action, pages) = match reflex(field("age"), field("max_checkpoint_age"), field("io_capacity")) {
            Reflex::Nothing => ("none", 0),
            Reflex::Flush { pages } => ("flush", pages),
            Reflex::SyncElsewhere => ("sync_elsewhere", 0),
        };
        assert_eq!(case.output.str("action"), action, "{}", case.place);
        case.expect("n_pages", pages);
    }
}

fn estimate_method(file: &VectorFile) {
    for case in file.pure() {
        let (lsn, max_age) = (case.input.u64("lsn"), case.input.u64("max_checkpoint_age"));
        let lists = instances(&case);
        let nonempty = lists.iter().filter(|list| whole(list, "count") > 0);
        let oldest = nonempty.map(|list| whole(list, "first")).min().unwrap_or(0);
        let levels = lists.iter().map(|list| {
            let (first, step, n) = (whole(list, "first"), whole(list, "step"), whole(list, "count"));
            let sum = (0..n).map(|k| u128::from(first + k * step)).sum();
            ListLevel { n_pages: n, sum_oldest_modification: sum }
        });
        let doublewrite = case.input.bool("doublewrite");
        let asked = estimate(lsn, case.input.u64("lsn_old"), oldest, max_age, doublewrite, levels);
        let zone = match estimate_zone(lsn, oldest, max_age) {
            EstimateZone::NoDirtyPage => "no dirty page",
            EstimateZone::BelowQuarter => "below 1/4",
            EstimateZone::Active => "active",
            EstimateZone::AboveSevenEighths => "above 7/8",
        };
        assert_eq!(case.output.str("zone"), zone, "{}", case.place);
        case.expect("bpl", asked.pages);
        case.expect_option("lsn_limit", (asked.pages > 0).then_some(asked.lsn_limit));
    }
}

fn keep_average_method(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let lists = instances(&case).into_iter().map(|list| ListTurnover {
            new_blocks: whole(&list, "new_blocks"),
            prev_count: whole(&list, "prev_count"),
            blocks: whole(&list, "blocks"),
        });
        let prev = field("n_pages_flushed_prev");
        let found = keep_average(field("lsn"), field("lsn_old"), field("max_modified_age_async"), prev, lists);
        case.expect("n_flush", found.n_flush);
        case.expect("flushed_blocks_sum", found.flushed_blocks_sum);
        case.expect("new_blocks_sum", found.new_blocks_sum);
    }
}

fn doublewrite_layout(file: &VectorFile) {
    super::pure::doublewrite_layout_by(file, DoublewriteLayout::percona);
}

fn free_list_backoff(file: &VectorFile) {
    for case in file.pure() {
        case.expect("sleep_us", backoff_sleep_us(case.input.u64("iteration"), case.input.bool("high_priority")));
    }
}

/// Whether the percentage of the age keeps its fraction, as from 8.0.30 on.
fn file_keeps_fraction(file: &VectorFile) -> bool {
    file.name.contains("8.0.30")
}

fn high_checkpoint(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let config = AdaptiveConfig {
            flushing_avg_loops: 30,
            io_capacity: field("io_capacity"),
            io_capacity_max: field("io_capacity_max"),
            max_dirty_pages_pct: 90.0,
            max_dirty_pages_pct_lwm: 10.0,
            adaptive_flushing: case.input.bool("adaptive_flushing"),
            adaptive_flushing_lwm: field("adaptive_flushing_lwm"),
        };
        let (age, capacity, limit) = (field("age"), field("free_check_capacity"), field("limit_for_age"));
        case.expect("pct", config.pct_for_lsn(AgeFactor::HighCheckpoint, age, capacity, limit));
        if !file_keeps_fraction(file) {
            let of_57 = legacy::adaptive::AdaptiveConfig {
                flushing_avg_loops: 30,
                io_capacity: field("io_capacity"),
                io_capacity_max: field("io_capacity_max"),
                max_dirty_pages_pct: 75.0,
                max_dirty_pages_pct_lwm: 0.0,
                adaptive_flushing: case.input.bool("adaptive_flushing"),
                adaptive_flushing_lwm: field("adaptive_flushing_lwm"),
                log_group_capacity: capacity,
                max_modified_age_async: limit,
                high_checkpoint: true,
                percentages_alone_past_async: true,
            };
            case.expect("pct", of_57.pct_for_lsn(age));
        }
        case.expect("legacy_pct", config.pct_for_lsn(AgeFactor::Integer, age, capacity, limit));
    }
}

fn lru_manager_sleep(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let (sleep, free, lru) = (field("sleep_ms"), field("free_len"), field("LRU_len"));
        case.expect("sleep_ms", adapt_sleep_ms(sleep, free, lru, field("LRU_scan_depth"), field("n_flushed")));
    }
}
