//! Vectors of MySQL 5.5.

use super::{Case, Fields, Test, VectorFile};
use innosim_flush_models::legacy::io::pct_io;
use innosim_flush_models::mysql55::flush_rate::{FlushStat, STAT_INTERVALS};
use innosim_flush_models::mysql55::lru::LruMargins;
use innosim_flush_models::mysql55::master::{
    FlushReason, OneSecondInput, final_flush_pages, low_io_flush_pages, round_merge_pages, srv_master_one_second,
};

/// Which test reads which file of MySQL 5.5.
pub(crate) const MYSQL55: &[(&str, Test)] = &[
    ("5.5-buf_flush_get_desired_flush_rate.json", desired_flush_rate),
    ("5.5-lru_margins.json", lru_margins),
    ("5.5-pct_io.json", percent_of_io),
    ("5.5-srv_master_one_second.json", one_second),
    ("5.5-srv_master_ten_second.json", ten_second),
];

/// An array of whole numbers.
fn numbers(fields: &Fields, name: &str) -> Vec<u64> {
    serde_json::from_value(fields.get(name).clone()).expect("whole numbers")
}

fn percent_of_io(file: &VectorFile) {
    for case in file.pure() {
        case.expect("n", pct_io(case.input.u64("io_capacity"), case.input.u64("pct")));
    }
}

fn one_second(file: &VectorFile) {
    for case in file.pure() {
        let decision = srv_master_one_second(&OneSecondInput {
            dirty_pct: case.input.u64("dirty_pct"),
            max_dirty_pages_pct: case.input.u64("max_dirty_pages_pct"),
            adaptive_flushing: case.input.bool("adaptive_flushing"),
            desired_rate: case.input.u64("desired_rate"),
            pending_ios: case.input.u64("pending_ios"),
            ios: case.input.u64("ios_now") - case.input.u64("ios_at_loop_start"),
            io_capacity: case.input.u64("io_capacity"),
        });
        let reason = match decision.flush_reason {
            FlushReason::None => "none",
            FlushReason::DirtyPct => "dirty_pct",
            FlushReason::Adaptive => "adaptive",
        };
        assert_eq!(case.output.str("flush_reason"), reason, "{}", case.place);
        case.expect("ibuf_merge_pages", decision.ibuf_merge_pages);
        case.expect("flush_pages", decision.flush_pages);
    }
}

fn ten_second(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let ios = field("ios_now") - field("ios_at_ten_second_start");
        let io_capacity = field("io_capacity");
        case.expect("low_io_flush_pages", low_io_flush_pages(field("pending_ios"), ios, io_capacity));
        case.expect("ibuf_merge_pages", round_merge_pages(io_capacity));
        case.expect("final_flush_pages", final_flush_pages(field("dirty_pct"), io_capacity));
        assert_eq!(case.output.str("checkpoint"), "sync", "{}: the model always waits for it", case.place);
    }
}

fn lru_margins(file: &VectorFile) {
    for case in file.pure() {
        let margins = LruMargins::new(case.input.u64("curr_size"), case.input.u64("instances"));
        case.expect("read_ahead_area", margins.read_ahead_area);
        case.expect("free_block_margin", margins.free_block_margin);
        case.expect("extra_margin", margins.extra_margin);
        case.expect("target", margins.target());
        case.expect("search_len", margins.search_len);
    }
}

/// Statistics of a step.
fn stat_of(fields: &Fields) -> FlushStat {
    let slots = |name| <[u64; STAT_INTERVALS]>::try_from(numbers(fields, name)).expect("twenty slots");
    FlushStat {
        redo: slots("arr_redo"),
        n_flushed: slots("arr_n_flushed"),
        index: fields.u64("ind") as usize,
        cur_redo: fields.u64("cur_redo"),
        cur_n_flushed: fields.u64("cur_n_flushed"),
        sum_redo: fields.u64("sum_redo"),
        sum_n_flushed: fields.u64("sum_n_flushed"),
    }
}

fn desired_flush_rate(file: &VectorFile) {
    for steps in file.sequences() {
        let mut stat = FlushStat::default();
        for case in steps {
            assert_eq!(stat, stat_of(&case.state_in), "{}: state before", case.place);
            let (lsn, lru_count) = (case.input.u64("lsn"), case.input.u64("lru_flush_page_count"));
            match case.input.str("op") {
                "update" => stat.update(lsn, lru_count),
                _ => check_rate(&case, &stat, lsn, lru_count),
            }
            assert_eq!(stat, stat_of(&case.state_out), "{}: state after", case.place);
        }
    }
}

fn check_rate(case: &Case, stat: &FlushStat, lsn: u64, lru_count: u64) {
    let rate = stat.desired(lsn, lru_count, case.input.u64("n_dirty"), case.input.u64("log_group_capacity"));
    case.expect("redo_avg", rate.redo_avg);
    case.expect("lru_flush_avg", rate.lru_flush_avg);
    case.expect("n_flush_req", rate.n_flush_req);
    case.expect("rate", rate.rate);
}
