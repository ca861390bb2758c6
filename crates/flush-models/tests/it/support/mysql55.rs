//! Vectors of MySQL 5.5.

use super::{Case, Fields, Test, VectorFile};
use innosim_flush_models::legacy::io::pct_io;
use innosim_flush_models::mysql55::flush_rate::{FlushStat, STAT_INTERVALS};
use innosim_flush_models::mysql55::list_batch::{DirtyPage, Surroundings, flush_list_batch};
use innosim_flush_models::mysql55::lru::{LruMargins, lru_search_distance};
use innosim_flush_models::mysql55::master::{
    FlushReason, OneSecondInput, srv_master_one_second, srv_master_ten_second,
};

/// Which test reads which file of MySQL 5.5.
pub(crate) const MYSQL55: &[(&str, Test)] = &[
    ("5.5-buf_flush_LRU_recommendation.json", lru_recommendation),
    ("5.5-buf_flush_get_desired_flush_rate.json", desired_flush_rate),
    ("5.5-flush_area_range.json", flush_area_range),
    ("5.5-flush_list_batch.json", list_batch),
    ("5.5-lru_margins.json", lru_margins),
    ("5.5-lru_search_distance.json", search_distance),
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
        let decision = srv_master_ten_second(field("dirty_pct"), field("pending_ios"), ios, field("io_capacity"));
        case.expect("low_io_flush_pages", decision.low_io_flush_pages);
        case.expect("ibuf_merge_pages", decision.ibuf_merge_pages);
        case.expect("final_flush_pages", decision.final_flush_pages);
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

fn lru_recommendation(file: &VectorFile) {
    for case in file.pure() {
        let margins = LruMargins::new(case.input.u64("curr_size"), case.input.u64("instances"));
        let tail: Vec<bool> =
            serde_json::from_value(case.input.get("tail_replaceable").clone()).expect("a list of switches");
        let found = margins.recommendation(case.input.u64("free_len"), tail);
        case.expect("n_replaceable", found.n_replaceable);
        case.expect("distance", found.distance);
        case.expect("n_to_flush", found.n_to_flush);
    }
}

fn search_distance(file: &VectorFile) {
    for case in file.pure() {
        let round = lru_search_distance(case.input.u64("n_iterations"), case.input.u64("curr_size"));
        case.expect("distance", round.distance);
        case.expect("sleep_us", round.sleep_us);
        case.expect_bool("log_warning", round.log_warning);
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

fn flush_area_range(file: &VectorFile) {
    for case in file.pure() {
        let surroundings = Surroundings {
            curr_size: case.input.u64("curr_size"),
            lru_len: case.input.u64("lru_len"),
            space_size: case.input.u64("space_size"),
            doublewrite_pages: 128,
        };
        let range = surroundings.neighbors(case.input.u64("page"));
        case.expect("area", surroundings.area());
        case.expect("low", range.start);
        case.expect("high_exclusive", range.end);
    }
}

fn list_batch(file: &VectorFile) {
    for case in file.pure() {
        let pages = case.input.get("flush_list_tail_first").as_array().expect("a list of pages");
        let list = pages.iter().map(|page| DirtyPage {
            page: page["page"].as_u64().expect("a number"),
            oldest_modification: page["om"].as_u64().expect("an LSN"),
            io_fixed: page["io_fixed"].as_bool().expect("a switch"),
            buffer_fixed: page["fixed"].as_bool().expect("a switch"),
        });
        let surroundings = Surroundings {
            curr_size: case.input.u64("curr_size"),
            lru_len: 100_000,
            space_size: case.input.u64("space_size"),
            doublewrite_pages: case.input.u64("doublewrite_pages") as usize,
        };
        let (min_n, lsn_limit) = (case.input.u64("min_n"), case.input.u64("lsn_limit"));
        let batch = flush_list_batch(list.collect(), min_n, lsn_limit, &surroundings);
        assert_eq!(numbers(&case.output, "flushed"), batch.flushed, "{}", case.place);
        case.expect("count", batch.flushed.len() as u64);
        case.expect("doublewrite_drains", batch.doublewrite_drains);
    }
}
