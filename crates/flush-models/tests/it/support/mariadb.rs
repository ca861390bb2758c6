//! Vectors of MariaDB.

use super::{Case, Fields, Test, VectorFile};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::FlushLists;
use innosim_flush_models::averages::Averages;
use innosim_flush_models::mariadb::adaptive::{AdaptiveConfig, PassInput, recommendation_late};
use innosim_flush_models::mariadb::log_targets::{LogClose, log_checkpoint_margin, log_close};
use innosim_flush_models::mariadb::page_cleaner::lru_quota;
use innosim_flush_models::mariadb::redo_geometry::LogCapacity;

/// Which test reads which file.
pub(crate) const MARIADB: &[(&str, Test)] = &[
    ("mariadb-10.11-af_get_pct_for_lsn.json", pct_for_lsn),
    ("mariadb-10.11-log_close.json", close),
    ("mariadb-10.11-lru_quota_late.json", quota),
    ("mariadb-10.11-page_cleaner_flush_pages_recommendation_late.json", late),
    ("mariadb-10.11-set_capacity.json", set_capacity),
    ("mariadb-11.8-log_checkpoint_margin.json", checkpoint_margin),
];

/// Settings of a case; what it doesn't mention plays no part in it.
fn config(fields: &Fields) -> AdaptiveConfig {
    let whole = |name| if fields.has(name) { fields.u64(name) } else { 1 };
    let real = |name| if fields.has(name) { fields.f64(name) } else { 0.0 };
    AdaptiveConfig {
        flushing_avg_loops: whole("flushing_avg_loops"),
        io_capacity: whole("io_capacity"),
        io_capacity_max: whole("io_capacity_max"),
        max_dirty_pages_pct: real("max_dirty_pages_pct"),
        max_dirty_pages_pct_lwm: real("max_dirty_pages_pct_lwm"),
        adaptive_flushing_lwm: real("adaptive_flushing_lwm"),
        log_capacity: whole("log_capacity"),
        max_modified_age_async: whole("max_modified_age_async"),
    }
}

fn set_capacity(file: &VectorFile) {
    for case in file.pure() {
        let limits = LogCapacity::new(case.input.u64("log_file_size"), case.input.u64("page_size"));
        let limits = limits.expect("a log that the server starts with");
        case.expect("log_capacity", limits.log_capacity);
        case.expect("max_modified_age_async", limits.max_modified_age_async);
        case.expect("max_checkpoint_age", limits.max_checkpoint_age);
    }
}

fn close(file: &VectorFile) {
    for case in file.pure() {
        let limits = LogCapacity {
            log_capacity: case.input.u64("log_capacity"),
            max_modified_age_async: case.input.u64("max_modified_age_async"),
            max_checkpoint_age: case.input.u64("max_checkpoint_age"),
        };
        let action = match log_close(case.input.u64("age"), &limits) {
            LogClose::No => "no",
            LogClose::Async => "async",
            LogClose::Sync => "sync",
            LogClose::SyncOverwriteWarning => "sync_overwrite_warning",
        };
        assert_eq!(case.output.str("action"), action, "{}", case.place);
    }
}

fn checkpoint_margin(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let target = case
            .input
            .bool("check_flag")
            .then(|| log_checkpoint_margin(field("lsn"), field("last_checkpoint_lsn"), field("max_checkpoint_age")))
            .flatten();
        case.expect_option("flush_up_to", target);
        case.expect_bool("wait", target.is_some());
        case.expect_bool("flag", target.is_some());
    }
}

fn pct_for_lsn(file: &VectorFile) {
    for case in file.pure() {
        case.expect("pct", config(&case.input).pct_for_lsn(case.input.u64("age")));
    }
}

fn quota(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        case.expect("n", lru_quota(field("io_capacity_max"), field("n_flushed"), field("LRU_scan_depth")));
    }
}

/// A flush list with evenly spaced pages.
#[derive(serde::Deserialize)]
struct Spaced {
    first: u64,
    step: u64,
    count: u64,
}

impl FlushLists for Spaced {
    fn instances(&self) -> u32 {
        1
    }

    fn pages_up_to(&self, _instance: u32, lsn: u64, cap: u64) -> u64 {
        if self.count == 0 || self.first > lsn {
            return 0;
        }
        let below = (lsn - self.first).checked_div(self.step).map_or(self.count, |n| n + 1);
        below.min(self.count).min(cap)
    }
}

fn averages(state: &Fields) -> Averages {
    Averages {
        prev_lsn: state.u64("prev_lsn"),
        prev_time: SimTime::ZERO + SimDuration::from_secs(state.u64("prev_time")),
        sum_pages: state.u64("sum_pages"),
        avg_page_rate: state.u64("avg_page_rate"),
        n_iterations: state.u64("n_iterations"),
        lsn_avg_rate: state.u64("lsn_avg_rate"),
    }
}

fn late(file: &VectorFile) {
    for sequence in file.sequences() {
        let mut carried = averages(&sequence[0].state_in);
        for case in &sequence {
            recommendation_step(case, &mut carried);
            recommendation_step(case, &mut averages(&case.state_in));
        }
    }
}

fn recommendation_step(case: &Case, state: &mut Averages) {
    let list: Spaced = serde_json::from_value(case.input.get("list").clone()).expect("a flush list");
    let input = PassInput {
        cur_lsn: case.input.u64("cur_lsn"),
        now: SimTime::ZERO + SimDuration::from_secs(case.input.u64("time_s")),
        oldest_lsn: list.first,
        dirty_pages: list.count,
        dirty_pct: case.input.f64("dirty_pct"),
        last_pages: case.input.u64("last_pages"),
        lists: &list,
    };
    let pass = recommendation_late(&config(&case.config), state, &input, case.input.f64("pct_lwm"));
    case.expect("n_pages", pass.n_pages);
    case.expect("pct_for_lsn", pass.pct_for_lsn);
    assert_eq!(case.output.str("path"), if pass.adaptive.is_some() { "adaptive" } else { "dirty" }, "{}", case.place);
    if let Some(part) = pass.adaptive {
        case.expect("total_ratio_pct", part.pct_for_dirty);
        case.expect("target_lsn", part.target_lsn);
        case.expect("pages_for_lsn", part.pages_for_lsn);
    }
    assert_eq!(*state, averages(&case.state_out), "{}: state", case.place);
}
