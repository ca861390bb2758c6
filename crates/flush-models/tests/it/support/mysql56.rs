//! Vectors of MySQL 5.6.

use super::recommendation::both_ways;
use super::{Case, Fields, Test, VectorFile, legacy};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_flush_models::mysql56::adaptive::{self, AdaptiveState, Seen};
use innosim_flush_models::mysql56::page_cleaner::{Branch, PageCleanerLoop};

/// Which test reads which file.
pub(crate) const MYSQL56: &[(&str, Test)] = &[
    ("5.6-af_get_pct_for_dirty.json", af_get_pct_for_dirty),
    ("5.6-af_get_pct_for_lsn.json", legacy::af_get_pct_for_lsn),
    ("5.6-buf_get_modified_ratio_pct.json", legacy::modified_ratio_pct),
    ("5.6-buf_pool_get.json", legacy::buf_pool_get),
    ("5.6-flush_area_range.json", legacy::flush_area_range_of),
    ("5.6-io_capacity_max_startup.json", legacy::io_capacity_max_startup),
    ("5.6-log_calc_max_ages.json", legacy::log_calc_max_ages),
    ("5.6-log_checkpoint_margin.json", legacy::log_checkpoint_margin_56),
    ("5.6-log_close_flag.json", legacy::log_close_flag_56),
    ("5.6-log_lsn_advance.json", legacy::log_lsn_advance),
    ("5.6-loop_sleep_us.json", legacy::loop_sleep_us),
    ("5.6-min_n_per_instance.json", legacy::min_n_per_instance),
    ("5.6-page_cleaner_flush_pages_if_needed.json", flush_pages_if_needed),
    ("5.6-page_cleaner_loop.json", page_cleaner_loop),
    ("5.6-pct_io.json", legacy::pct_io),
];

fn af_get_pct_for_dirty(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let pct = adaptive::af_get_pct_for_dirty(
            field("dirty_pct"),
            field("max_dirty_pages_pct"),
            field("max_dirty_pages_pct_lwm"),
        );
        case.expect("pct", pct);
    }
}

fn state(fields: &Fields) -> AdaptiveState {
    AdaptiveState {
        lsn_avg_rate: fields.u64("lsn_avg_rate"),
        prev_lsn: fields.u64("prev_lsn"),
        last_lsn: fields.u64("last_lsn"),
        sum_pages: fields.u64("sum_pages"),
        last_pages: fields.u64("last_pages"),
        prev_pages: fields.u64("prev_pages"),
        avg_page_rate: fields.u64("avg_page_rate"),
        n_iterations: fields.u64("n_iterations"),
    }
}

fn flush_pages_if_needed(file: &VectorFile) {
    for sequence in file.sequences() {
        let first = state(&sequence[0].state_in);
        both_ways(&sequence, first, |case| state(&case.state_in), step);
    }
}

fn step(carried: &mut AdaptiveState, case: &Case) {
    let field = |name| case.input.u64(name);
    let seen = Seen { cur_lsn: field("cur_lsn"), oldest_lsn: field("oldest_lsn"), dirty_pct: field("dirty_pct") };
    let request = carried.request(&legacy::adaptive_config(&case.config), seen);
    case.expect_bool("flush_called", request.is_some());
    case.expect("n_pages_requested", request.map_or(0, |r| r.n_pages));
    case.expect_option("lsn_limit", request.map(|r| r.lsn_limit));
    if let Some(request) = request {
        carried.flushed(field("flushed"));
        case.expect("age", request.age);
        case.expect("pct_for_dirty", request.pct_for_dirty);
        case.expect("pct_for_lsn", request.pct_for_lsn);
        case.expect("pct_total", request.pct_for_dirty.max(request.pct_for_lsn));
        case.expect("age_factor", request.age_factor);
    }
    assert_eq!(*carried, state(&case.state_out), "{}", case.place);
}

fn page_cleaner_loop(file: &VectorFile) {
    for case in file.pure() {
        let at = |ms: u64| SimTime::ZERO + SimDuration::from_millis(ms);
        let now = at(case.input.u64("now_ms"));
        let mut state = PageCleanerLoop {
            next_loop_time: at(case.input.u64("next_loop_time_ms")),
            n_flushed: case.input.u64("n_flushed_prev"),
        };
        let reads = case.input.u64("pending_reads") > 0;
        let sleep = state.sleep(now, case.input.bool("activity_before_sleep"), reads);
        let branch = match state.begin_turn(now + sleep, case.input.bool("activity_after_sleep")) {
            Branch::Active => "active",
            Branch::Idle => "idle",
        };
        case.expect("sleep_us", sleep.0 / 1000);
        assert_eq!(case.output.str("branch"), branch, "{}", case.place);
        assert_eq!(state.next_loop_time, now + sleep + SimDuration::from_secs(1), "{}", case.place);
    }
}
