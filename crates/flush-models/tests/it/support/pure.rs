//! Vectors of LSN translation, instances, back-off, doublewrite layout and the coordinator's pass.

use super::VectorFile;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_flush_models::mysql80::coordinator::{Branch, CoordinatorState, Top, WaitResult, is_sync_flush_8021};
use innosim_flush_models::mysql80::doublewrite_layout::DoublewriteLayout;
use innosim_flush_models::mysql80::free_check::backoff;
use innosim_flush_models::mysql80::instance;
use innosim_flush_models::mysql80::lsn;

pub(crate) fn lsn_to_sn(file: &VectorFile) {
    for case in file.pure() {
        let sn = lsn::sn(case.input.u64("lsn"));
        case.expect("sn", sn);
        case.expect("back_to_lsn", lsn::lsn(sn));
    }
}

pub(crate) fn buf_pool_get_8021(file: &VectorFile) {
    buf_pool_get(file, instance::buf_pool_get_8021);
}

pub(crate) fn buf_pool_get_8030(file: &VectorFile) {
    buf_pool_get(file, instance::buf_pool_get_8030);
}

fn buf_pool_get(file: &VectorFile, function: fn(u32, u32, u32) -> u32) {
    for case in file.pure() {
        let word = |name| u32::try_from(case.input.u64(name)).expect("32 bits");
        case.expect("instance", u64::from(function(word("space_id"), word("page_no"), word("instances"))));
    }
}

pub(crate) fn wait_for_backoff(file: &VectorFile) {
    for case in file.pure() {
        let initial = SimDuration::from_micros(case.input.u64("initial_us"));
        let n = u32::try_from(case.input.u64("n")).expect("a small count");
        let total: u64 = (1..=n).map(|i| backoff(initial, i).0).sum();
        case.expect("last_sleep_us", backoff(initial, n).0 / 1000);
        case.expect("total_us", total / 1000);
    }
}

pub(crate) fn doublewrite_layout(file: &VectorFile) {
    doublewrite_layout_by(file, DoublewriteLayout::new);
}

/// The layout that follows from pool instances, files, pages and write threads by `rule`.
pub(crate) fn doublewrite_layout_by(file: &VectorFile, rule: fn(u64, u64, u64, u64) -> DoublewriteLayout) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let layout = rule(
            field("buffer_pool_instances"),
            field("doublewrite_files"),
            field("doublewrite_pages"),
            field("write_io_threads"),
        );
        case.expect("instances", layout.instances);
        case.expect("files", layout.files);
        case.expect("pages_per_batch", layout.pages_per_batch);
        case.expect("segments_per_file", layout.segments_per_file);
        case.expect("flush_list_segments", layout.flush_list_segments);
        case.expect("lru_segments", layout.lru_segments);
        case.expect("single_page_slots", layout.single_page_slots);
        case.expect("lru_instance_of_pool_0", layout.lru_instance(0));
        let sizes: Vec<u64> = serde_json::from_value(case.output.get("file_pages").clone()).expect("page counts");
        assert_eq!(sizes, layout.file_pages, "{}", case.place);
    }
}

pub(crate) fn coordinator_loop(file: &VectorFile) {
    for case in file.pure() {
        let at = |ms: u64| SimTime::ZERO + SimDuration::from_millis(ms);
        let now = at(case.input.u64("now_ms"));
        let mut state = CoordinatorState {
            next_loop_time: at(case.input.u64("next_loop_time_ms")),
            was_server_active: case.input.bool("was_server_active"),
            n_flushed: case.input.u64("n_flushed_prev"),
            is_sync_flush: case.input.bool("is_sync_flush_prev"),
        };
        let active = state.is_active(case.input.bool("activity_before_wait"));
        let event = case.input.option("event_at_ms").map(at);
        let (result, woke) = match state.top(now, active, case.input.u64("pending_reads") > 0) {
            Top::GoOn(result) => (result, now),
            Top::WaitUntil(deadline) => match event {
                Some(event) if event < deadline => (WaitResult::Event, event.max(now)),
                _ => (WaitResult::Timeout, deadline),
            },
        };
        let updated = state.after_wait(woke, result, case.input.bool("activity_after_wait"));
        let sync = is_sync_flush_8021(
            case.input.bool("flush_sync"),
            case.input.u64("buf_flush_sync_lsn"),
            case.input.u64("last_checkpoint_lsn"),
            case.input.u64("order_lag"),
        );
        let branch = state.branch(active, result, sync, case.input.u64("idle_flush_pct"));
        let timeout = result == WaitResult::Timeout;
        assert_eq!(case.output.str("wait_result"), if timeout { "timeout" } else { "event" }, "{}", case.place);
        assert_eq!(case.output.str("branch"), branch_name(branch), "{}", case.place);
        case.expect("woke_at_ms", woke.whole_millis());
        case.expect("next_loop_time_ms", state.next_loop_time.whole_millis());
        case.expect_bool("was_server_active", state.was_server_active);
        case.expect_bool("last_activity_updated", updated);
        case.expect_bool("is_sync_flush", state.is_sync_flush);
    }
}

fn branch_name(branch: Branch) -> &'static str {
    match branch {
        Branch::Sync => "sync",
        Branch::Adaptive => "adaptive",
        Branch::LruOnly => "lru_only",
        Branch::Idle => "idle",
        Branch::Nothing => "nothing",
    }
}
