//! Vectors of redo geometry, checkpoints and the free check.

use super::{Case, VectorFile};
use innosim_flush_models::mysql80::checkpoint::{self, CheckpointMarks, CheckpointState};
use innosim_flush_models::mysql80::coordinator::sync_limit_8030;
use innosim_flush_models::mysql80::redo_geometry_8021::{MaxAges, increase_concurrency_margin};
use innosim_flush_models::mysql80::redo_geometry_8030::FilesCapacity;
use innosim_flush_models::mysql80::{free_check, limits, lsn};

const PAGE_SIZE: u64 = 16_384;

pub(crate) fn log_calc_max_ages(file: &VectorFile) {
    for case in file.pure() {
        let page_size = case.input.u64("page_size");
        let ages = MaxAges::new(case.input.u64("file_size"), case.input.u64("n_files"), page_size);
        case.expect("lsn_real_capacity", ages.lsn_real_capacity);
        case.expect("safety_margin", ages.safety_margin);
        case.expect("lsn_capacity_for_writer", ages.lsn_capacity_for_writer);
        case.expect("extra_margin", ages.extra_margin);
        case.expect("lsn_capacity_for_free_check", ages.lsn_capacity_for_free_check);
        case.expect("max_concurrency_margin", ages.max_concurrency_margin);
        case.expect("max_modified_age_async", ages.max_modified_age_async);
        case.expect("max_modified_age_sync", ages.max_modified_age_sync);
        case.expect("max_checkpoint_age_async", ages.max_checkpoint_age_async);
    }
}

pub(crate) fn free_check_limits_8021(file: &VectorFile) {
    for case in file.pure() {
        let ages = MaxAges::new(case.input.u64("file_size"), case.input.u64("n_files"), PAGE_SIZE);
        let margin = ages.concurrency_margin(case.input.u64("thread_concurrency"), PAGE_SIZE);
        let limits = ages.limits(margin.0, case.input.u64("dict_persist_margin")).expect("room");
        expect_limits(&case, margin, &limits, "limit_for_age");
    }
}

pub(crate) fn free_check_limits_8030(file: &VectorFile) {
    for case in file.pure() {
        let capacity = FilesCapacity::new(case.input.u64("physical_capacity"), PAGE_SIZE);
        let margin = capacity.concurrency_margin(case.input.u64("thread_concurrency"), PAGE_SIZE);
        let limits = capacity.limits(margin.0, case.input.u64("dict_persist_margin")).expect("room");
        expect_limits(&case, margin, &limits, "limit_for_dirty_page_age");
    }
}

fn expect_limits(case: &Case, margin: (u64, bool), limits: &limits::RedoLimits, age: &str) {
    case.expect("concurrency_margin", margin.0);
    case.expect_bool("safe", margin.1);
    case.expect("free_check_margin", limits.free_check_margin);
    case.expect("free_check_capacity", limits.free_check_capacity);
    case.expect(age, limits.limit_for_age);
}

pub(crate) fn log_increase_concurrency_margin(file: &VectorFile) {
    for case in file.pure() {
        let max = case.input.u64("max_concurrency_margin");
        case.expect("concurrency_margin", increase_concurrency_margin(case.input.u64("concurrency_margin"), max));
    }
}

pub(crate) fn dict_persist_margin(file: &VectorFile) {
    for case in file.pure() {
        let tables = case.input.u64("num_dirty_tables");
        case.expect("margin", limits::dict_persist_margin(tables, case.input.u64("page_size")));
    }
}

pub(crate) fn log_files_capacity(file: &VectorFile) {
    for case in file.pure() {
        let c = FilesCapacity::new(case.input.u64("physical_capacity"), case.input.u64("page_size"));
        case.expect("file_size", c.file_size);
        case.expect("next_file_earlier_margin", c.next_file_earlier_margin);
        case.expect("hard_logical_capacity", c.hard_logical_capacity);
        case.expect("soft_logical_capacity", c.soft_logical_capacity);
        case.expect("adaptive_flush_max_age", c.adaptive_flush_max_age);
        case.expect("adaptive_flush_min_age", c.adaptive_flush_min_age);
        case.expect("aggressive_checkpoint_min_age", c.aggressive_checkpoint_min_age);
    }
}

pub(crate) fn available_for_checkpoint_lsn(file: &VectorFile) {
    for case in file.pure() {
        let marks = CheckpointMarks {
            dirty_pages_added_up_to_lsn: case.input.u64("dirty_pages_added_up_to_lsn"),
            oldest_modification_approx: case.input.u64("oldest_modification_approx"),
            order_lag: case.input.u64("order_lag"),
            last_checkpoint_lsn: case.input.u64("last_checkpoint_lsn"),
            flushed_to_disk_lsn: case.input.u64("flushed_to_disk_lsn"),
        };
        let previous = case.input.u64("previous_available_lsn");
        case.expect("available_lsn", checkpoint::available_for_checkpoint_lsn(&marks, previous));
    }
}

fn state(case: &Case) -> CheckpointState {
    let field = |name| if case.input.has(name) { case.input.u64(name) } else { 0 };
    CheckpointState {
        available_for_checkpoint_lsn: field("available_for_checkpoint_lsn"),
        requested_checkpoint_lsn: field("requested_checkpoint_lsn"),
        last_checkpoint_lsn: field("last_checkpoint_lsn"),
        current_lsn: field("current_lsn"),
        free_check_margin: field("free_check_margin"),
    }
}

pub(crate) fn consider_sync_flush(file: &VectorFile) {
    for case in file.pure() {
        let before = case.input.u64("buf_flush_sync_lsn");
        let up_to = checkpoint::sync_flush_up_to(&state(&case), case.input.u64("max_modified_age_sync"));
        let target = up_to.map_or(0, |up_to| {
            checkpoint::buf_flush_request_force(up_to, case.input.u64("order_lag"), case.input.u64("lsn_avg_rate"))
        });
        case.expect("flush_up_to", up_to.unwrap_or(0));
        case.expect("buf_flush_sync_lsn", before.max(target));
        case.expect_bool("raised", target > before);
    }
}

pub(crate) fn log_sync_flush_lsn(file: &VectorFile) {
    for case in file.pure() {
        let max_age = case.input.u64("adaptive_flush_max_age");
        let target = checkpoint::log_sync_flush_lsn(&state(&case), max_age, case.input.u64("order_lag"));
        let redo = case.input.bool("redo_logging_enabled");
        let limit = sync_limit_8030(true, target, case.input.u64("lsn_avg_rate"), redo);
        case.expect("log_sync_flush_lsn", target);
        case.expect_bool("is_sync_flush", limit.is_some());
        case.expect_option("lsn_limit", limit);
    }
}

pub(crate) fn log_should_checkpoint_8021(file: &VectorFile) {
    for case in file.pure() {
        let age = case.input.u64("max_checkpoint_age_async");
        let due = checkpoint::log_should_checkpoint_8021(&state(&case), age, case.input.u64("elapsed_us"));
        case.expect_bool("checkpoint", due);
    }
}

pub(crate) fn log_should_checkpoint_8030(file: &VectorFile) {
    for case in file.pure() {
        let age = case.input.u64("aggressive_checkpoint_min_age");
        let elapsed = case.input.u64("elapsed_us");
        let end = case.input.u64("checkpoint_file_end_lsn");
        let due = checkpoint::log_should_checkpoint_8030(&state(&case), age, elapsed, end);
        case.expect_bool("checkpoint", due);
    }
}

pub(crate) fn log_checkpointer_pass(file: &VectorFile) {
    for case in file.pure() {
        let run = checkpoint::log_checkpointer_runs(
            case.input.bool("woken_by_timeout"),
            case.input.bool("activity_changed"),
            case.input.u64("requested_checkpoint_lsn"),
            case.input.u64("last_checkpoint_lsn"),
            case.input.u64("elapsed_us"),
        );
        case.expect_bool("run", run);
    }
}

pub(crate) fn log_free_check(file: &VectorFile) {
    for case in file.pure() {
        let capacity = case.input.u64("free_check_capacity");
        let current = case.input.u64("current_lsn");
        let before = case.input.u64("requested_checkpoint_lsn");
        let last = case.input.u64("last_checkpoint_lsn");
        let limit = free_check::free_check_limit_sn(case.input.u64("prior_limit_sn"), last, capacity);
        let waits = lsn::sn(current) > limit;
        assert_eq!(waits, current > free_check::limit_lsn(limit), "{}: the limit as an LSN", case.place);
        let request = waits.then(|| free_check::checkpoint_to_request(current, capacity)).flatten();
        case.expect("free_check_limit_sn", limit);
        case.expect_bool("waits", waits);
        case.expect("requested_checkpoint_lsn", before.max(request.unwrap_or(0)));
        let resumes_at = waits.then(|| current.saturating_sub(capacity));
        case.expect_option("resumes_when_last_checkpoint_lsn_at_least", resumes_at);
    }
}
