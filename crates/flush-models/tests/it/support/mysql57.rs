//! Vectors of MySQL 5.7.

use super::recommendation::both_ways;
use super::{Case, Fields, Test, VectorFile, legacy};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::redo::lsn::{BLOCK_BYTES, lsn_of_sn, sn_of_lsn};
use innosim_core::seam::FlushLists;
use innosim_flush_models::averages::Averages;
use innosim_flush_models::legacy::io;
use innosim_flush_models::mysql57::commit_margin::{self, CommitMargin};
use innosim_flush_models::mysql57::coordinator::{Branch, CoordinatorLoop, Top, WaitResult};
use innosim_flush_models::mysql57::recommendation::{AdaptiveRule, Recommended, Seen};
use innosim_flush_models::mysql57::request;
use serde_json::Value;

/// Which test reads which file.
pub(crate) const MYSQL57: &[(&str, Test)] = &[
    ("5.7-af_get_pct_for_dirty.json", af_get_pct_for_dirty),
    ("5.7-af_get_pct_for_lsn.json", legacy::af_get_pct_for_lsn),
    ("5.7-buf_flush_request_force.json", buf_flush_request_force),
    ("5.7-buf_get_modified_ratio_pct.json", legacy::modified_ratio_pct_real),
    ("5.7-buf_pool_get.json", legacy::buf_pool_get),
    ("5.7-coordinator_loop.json", coordinator_loop),
    ("5.7-flush_area_range.json", legacy::flush_area_range_of),
    ("5.7-io_capacity_max_startup.json", legacy::io_capacity_max_startup),
    ("5.7-log_calc_max_ages.json", legacy::log_calc_max_ages),
    ("5.7-log_checkpoint_margin.json", legacy::log_checkpoint_margin_57),
    ("5.7-log_close_flag.json", legacy::log_close_flag_56),
    ("5.7-log_lsn_advance.json", legacy::log_lsn_advance),
    ("5.7-log_margin_checkpoint_age.json", log_margin_checkpoint_age),
    ("5.7-loop_sleep_us.json", legacy::loop_sleep_us),
    ("5.7-min_n_per_instance.json", legacy::min_n_per_instance),
    ("5.7-page_cleaner_flush_pages_recommendation.json", flush_pages_recommendation),
    ("5.7-pc_request.json", pc_request),
    ("5.7-pct_io.json", legacy::pct_io),
];

fn af_get_pct_for_dirty(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.f64(name);
        let pct = io::af_get_pct_for_dirty(
            field("dirty_pct"),
            field("max_dirty_pages_pct"),
            field("max_dirty_pages_pct_lwm"),
        );
        case.expect("pct", pct);
    }
}

fn buf_flush_request_force(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let pending =
            request::buf_flush_request_force(field("pending_sync_lsn"), field("new_oldest"), field("lsn_avg_rate"));
        case.expect("pending_sync_lsn", pending);
    }
}

fn pc_request(file: &VectorFile) {
    for case in file.pure() {
        let slots: Vec<u64> = serde_json::from_value(case.input.get("slots").clone()).expect("page counts");
        let got = request::pc_request(legacy::pages_or_all(case.input.get("min_n")), slots);
        case.expect_bool("list_flush", got.list_flush);
        let expected = case.output.get("slot_requests").as_array().expect("page counts");
        assert_eq!(expected.iter().map(legacy::pages_or_all).collect::<Vec<_>>(), got.slots, "{}", case.place);
    }
}

fn log_margin_checkpoint_age(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let begin = field("buf_free") % BLOCK_BYTES;
        let len = lsn_of_sn(sn_of_lsn(begin) + field("len")) - begin;
        let (action, sleep) = match commit_margin::log_margin_checkpoint_age(
            &legacy::lsns(&case.input),
            len,
            field("log_group_capacity"),
        ) {
            CommitMargin::GoOn => ("none", SimDuration(0)),
            CommitMargin::TooLarge => ("none_too_large", SimDuration(0)),
            CommitMargin::Checkpoint { sleep } => ("checkpoint", sleep),
        };
        case.expect("actual_len", len);
        assert_eq!(case.output.str("action"), action, "{}", case.place);
        case.expect("sleep_us", sleep.0 / 1000);
    }
}

fn coordinator_loop(file: &VectorFile) {
    for case in file.pure() {
        let at = |ms: u64| SimTime::ZERO + SimDuration::from_millis(ms);
        let now = at(case.input.u64("now_ms"));
        let mut state = CoordinatorLoop {
            next_loop_time: at(case.input.u64("next_loop_time_ms")),
            n_flushed: case.input.u64("n_flushed_prev"),
        };
        let event = case.input.option("event_at_ms").map(at);
        let reads = case.input.u64("pending_reads") > 0;
        let (result, woke) = match state.top(now, case.input.bool("activity_before_sleep"), reads) {
            Top::GoOn(result) => (result, now),
            Top::WaitUntil(deadline) => match event {
                Some(event) if event < deadline => (WaitResult::Event, event.max(now)),
                _ => (WaitResult::Timeout, deadline),
            },
        };
        let sync = case.input.bool("flush_sync") && case.input.bool("sync_lsn_pending");
        let branch = state.after_wait(woke, result, sync, case.input.bool("activity_after_sleep"));
        let timeout = result == WaitResult::Timeout;
        assert_eq!(case.output.str("wait_result"), if timeout { "timeout" } else { "event" }, "{}", case.place);
        assert_eq!(case.output.str("branch"), branch_name(branch), "{}", case.place);
        case.expect("woke_at_ms", woke.whole_millis());
        case.expect("next_loop_time_ms", state.next_loop_time.whole_millis());
        case.expect_bool("last_activity_updated", branch == Branch::Adaptive);
    }
}

fn branch_name(branch: Branch) -> &'static str {
    match branch {
        Branch::Sync => "sync_flush",
        Branch::Adaptive => "adaptive",
        Branch::LruOnly => "lru_only",
        Branch::Idle => "idle_flush",
        Branch::Nothing => "nothing",
    }
}

/// Flush lists whose pages lie evenly in the redo: first LSN, step, count.
struct Lists(Vec<(u64, u64, u64)>);

impl Lists {
    fn of(json: &Value) -> Self {
        let list = json.as_array().expect("instances");
        let field = |of: &Value, name: &str| of[name].as_u64().expect("a whole number");
        Lists(list.iter().map(|i| (field(i, "first"), field(i, "step"), field(i, "count"))).collect())
    }

    fn oldest(&self) -> u64 {
        self.0.iter().filter(|(_, _, count)| *count > 0).map(|(first, _, _)| *first).min().unwrap_or(0)
    }
}

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        u32::try_from(self.0.len()).expect("few instances")
    }

    fn pages_up_to(&self, instance: u32, lsn: u64, cap: u64) -> u64 {
        let (first, step, count) = self.0[instance as usize];
        (0..count).take_while(|k| first + k * step <= lsn).count().min(cap as usize) as u64
    }
}

fn state(fields: &Fields) -> Averages {
    Averages {
        prev_lsn: fields.u64("prev_lsn"),
        prev_time: SimTime::ZERO + SimDuration::from_secs(fields.u64("prev_time_s")),
        sum_pages: fields.u64("sum_pages"),
        avg_page_rate: fields.u64("avg_page_rate"),
        n_iterations: fields.u64("n_iterations"),
        lsn_avg_rate: fields.u64("lsn_avg_rate"),
    }
}

fn flush_pages_recommendation(file: &VectorFile) {
    for sequence in file.sequences() {
        let first = state(&sequence[0].state_in);
        both_ways(&sequence, first, |case| state(&case.state_in), step);
    }
}

fn step(carried: &mut Averages, case: &Case) {
    let field = |name| case.input.u64(name);
    let lists = Lists::of(case.input.get("instances"));
    let seen = Seen {
        cur_lsn: field("cur_lsn"),
        oldest_lsn: lists.oldest(),
        now: SimTime::ZERO + SimDuration::from_secs(field("time_s")),
        dirty_pct: case.input.f64("dirty_pct"),
        last_pages: field("last_pages"),
        lists: &lists,
    };
    let mut rule = AdaptiveRule::new(legacy::adaptive_config(&case.config));
    rule.averages = *carried;
    let got = rule.pass(seen).cloned();
    *carried = rule.averages;
    case.expect_bool("recommended", got.is_some());
    case.expect("n_pages", got.as_ref().map_or(0, |r| r.n_pages));
    if let Some(got) = got {
        expect_recommended(case, &got, lists.oldest());
    }
    assert_eq!(*carried, state(&case.state_out), "{}", case.place);
}

fn expect_recommended(case: &Case, got: &Recommended, oldest: u64) {
    let counts = |name| -> Vec<u64> { serde_json::from_value(case.output.get(name).clone()).expect("page counts") };
    assert_eq!(counts("slots"), got.slots, "{}", case.place);
    assert_eq!(counts("slots_by_age"), got.slots_by_age, "{}", case.place);
    case.expect("oldest_lsn", oldest);
    case.expect("age", got.age);
    case.expect("pct_for_dirty", got.pct_for_dirty);
    case.expect("pct_for_lsn", got.pct_for_lsn);
    case.expect("pct_total", got.pct_for_dirty.max(got.pct_for_lsn));
    case.expect("target_lsn", got.target_lsn);
    case.expect("sum_pages_for_lsn", got.n_by_age);
    case.expect("pages_for_lsn_capped", got.n_by_age_capped);
}
