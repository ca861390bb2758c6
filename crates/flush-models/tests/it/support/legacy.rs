//! Vectors of what MySQL 5.5, 5.6 and 5.7 share.

use super::{Case, Fields, Test, VectorFile};
use innosim_core::buffer_pool::flush_area_range;
use innosim_core::config::FlushNeighbors;
use innosim_core::redo::lsn::{BLOCK_BYTES, lsn_of_sn, sn_of_lsn};
use innosim_flush_models::legacy::adaptive::AdaptiveConfig;
use innosim_flush_models::legacy::instance;
use innosim_flush_models::legacy::io::{self, ListLengths};
use innosim_flush_models::legacy::log_margin::{
    self, LogLsns, MARGIN_55, MARGIN_56, MARGIN_57, MarginCheckpoint, MarginRule, Preflush,
};
use innosim_flush_models::legacy::neighbors::flush_area;
use innosim_flush_models::legacy::redo_geometry::LogAges;
use serde_json::Value;

/// The files of MySQL 5.5 that need nothing of its own.
pub(crate) const MYSQL55_SHARED: &[(&str, Test)] = &[
    ("5.5-buf_get_modified_ratio_pct.json", modified_ratio_pct),
    ("5.5-buf_pool_get.json", buf_pool_get),
    ("5.5-flush_area_range.json", flush_area_range_of),
    ("5.5-log_calc_max_ages.json", log_calc_max_ages),
    ("5.5-log_checkpoint_margin.json", log_checkpoint_margin_55),
    ("5.5-log_close_flag.json", log_close_flag_55),
    ("5.5-log_lsn_advance.json", log_lsn_advance),
    ("5.5-loop_sleep_us.json", loop_sleep_us),
    ("5.5-min_n_per_instance.json", min_n_per_instance),
    ("5.5-pct_io.json", pct_io),
];

/// LRU lists shorter than this flush no neighbours.
const SHORT_LRU: u64 = 512;

pub(crate) fn pct_io(file: &VectorFile) {
    for case in file.pure() {
        case.expect("n", io::pct_io(case.input.u64("io_capacity"), case.input.u64("pct")));
    }
}

fn lengths(case: &Case) -> ListLengths {
    let field = |name| case.input.u64(name);
    ListLengths { lru: field("lru_len"), free: field("free_len"), flush_list: field("flush_list_len") }
}

/// 5.5 and 5.6.
pub(crate) fn modified_ratio_pct(file: &VectorFile) {
    for case in file.pure() {
        case.expect("pct", lengths(&case).modified_ratio_pct());
    }
}

/// 5.7.
pub(crate) fn modified_ratio_pct_real(file: &VectorFile) {
    for case in file.pure() {
        let pct = lengths(&case).modified_ratio_pct_real();
        assert_eq!(case.output.f64("pct").to_bits(), pct.to_bits(), "{}", case.place);
    }
}

/// A number of pages that may be without limit.
pub(crate) fn pages_or_all(value: &Value) -> u64 {
    if value.is_null() { u64::MAX } else { value.as_u64().expect("a whole number") }
}

pub(crate) fn min_n_per_instance(file: &VectorFile) {
    for case in file.pure() {
        let per = io::min_n_per_instance(pages_or_all(case.input.get("min_n")), case.input.u64("instances"));
        assert_eq!(pages_or_all(case.output.get("per_instance")), per, "{}", case.place);
    }
}

pub(crate) fn loop_sleep_us(file: &VectorFile) {
    for case in file.pure() {
        case.expect("sleep_us", io::loop_sleep_us(case.input.u64("now_ms"), case.input.u64("next_loop_time_ms")));
    }
}

/// 5.6 and 5.7.
pub(crate) fn io_capacity_max_startup(file: &VectorFile) {
    for case in file.pure() {
        let (capacity, max) =
            io::io_capacity_at_startup(case.input.u64("io_capacity"), case.input.option("io_capacity_max"));
        case.expect("io_capacity", capacity);
        case.expect("io_capacity_max", max);
    }
}

pub(crate) fn buf_pool_get(file: &VectorFile) {
    for case in file.pure() {
        let word = |name| u32::try_from(case.input.u64(name)).expect("32 bits");
        let got = instance::buf_pool_get(word("space"), word("page"), word("instances"));
        case.expect("instance", u64::from(got));
    }
}

pub(crate) fn log_calc_max_ages(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let ages = LogAges::new(
            field("log_file_size"),
            field("log_files_in_group"),
            field("page_size"),
            field("thread_concurrency"),
        );
        case.expect_bool("ok", ages.is_ok());
        match ages {
            Err(refused) => {
                case.expect("group_bytes", refused.group_bytes);
                case.expect("reserve", refused.reserve);
            }
            Ok(ages) => {
                case.expect("group_bytes", ages.group_bytes);
                case.expect("reserve", ages.reserve);
                case.expect("log_group_capacity", ages.log_group_capacity);
                case.expect("max_modified_age_async", ages.max_modified_age_async);
                case.expect("max_modified_age_sync", ages.max_modified_age_sync);
                case.expect("max_checkpoint_age_async", ages.max_checkpoint_age_async);
                case.expect("max_checkpoint_age", ages.max_checkpoint_age);
            }
        }
    }
}

pub(crate) fn log_lsn_advance(file: &VectorFile) {
    for case in file.pure() {
        let offset = case.input.u64("offset_in_block");
        let end = lsn_of_sn(sn_of_lsn(offset) + case.input.u64("len"));
        case.expect("lsn_delta", end - offset);
        case.expect("blocks_completed", end / BLOCK_BYTES);
        case.expect("new_offset_in_block", end % BLOCK_BYTES);
    }
}

/// The LSNs of a case.
pub(crate) fn lsns(input: &Fields) -> LogLsns {
    LogLsns {
        lsn: input.u64("lsn"),
        oldest_modification: input.u64("oldest_modification"),
        last_checkpoint_lsn: input.u64("last_checkpoint_lsn"),
    }
}

fn ages(input: &Fields) -> LogAges {
    LogAges {
        group_bytes: 0,
        reserve: 0,
        log_group_capacity: input.u64("log_group_capacity"),
        max_modified_age_async: input.u64("max_modified_age_async"),
        max_modified_age_sync: input.u64("max_modified_age_sync"),
        max_checkpoint_age_async: input.u64("max_checkpoint_age_async"),
        max_checkpoint_age: input.u64("max_checkpoint_age"),
    }
}

/// 5.5: both ages against the async limit.
pub(crate) fn log_close_flag_55(file: &VectorFile) {
    log_close_flag(file, |ages| ages.max_modified_age_async);
}

/// 5.6 and 5.7: both ages against the sync limit.
pub(crate) fn log_close_flag_56(file: &VectorFile) {
    log_close_flag(file, |ages| ages.max_modified_age_sync);
}

fn log_close_flag(file: &VectorFile, limit: fn(&LogAges) -> u64) {
    for case in file.pure() {
        let (lsns, ages) = (lsns(&case.input), ages(&case.input));
        let buffer_full = case.input.u64("buf_free") > case.input.u64("max_buf_free");
        let raised = buffer_full || log_margin::log_close_flag(&lsns, &ages, limit(&ages));
        case.expect_bool("sets_check_flag", raised);
    }
}

pub(crate) fn log_checkpoint_margin_55(file: &VectorFile) {
    log_checkpoint_margin(file, MARGIN_55);
}

pub(crate) fn log_checkpoint_margin_56(file: &VectorFile) {
    log_checkpoint_margin(file, MARGIN_56);
}

pub(crate) fn log_checkpoint_margin_57(file: &VectorFile) {
    log_checkpoint_margin(file, MARGIN_57);
}

fn log_checkpoint_margin(file: &VectorFile, rule: MarginRule) {
    for case in file.pure() {
        let lsns = lsns(&case.input);
        let margin = log_margin::log_checkpoint_margin(&lsns, &ages(&case.input), rule);
        let preflush = match margin.preflush {
            Preflush::None => "none",
            Preflush::Async => "async",
            Preflush::Sync => "sync",
        };
        let checkpoint = match margin.checkpoint {
            MarginCheckpoint::None => "none",
            MarginCheckpoint::Async => "async",
            MarginCheckpoint::Sync => "sync",
        };
        case.expect("modified_age", lsns.modified_age());
        case.expect("checkpoint_age", lsns.checkpoint_age());
        assert_eq!(case.output.str("preflush"), preflush, "{}", case.place);
        case.expect("advance", margin.advance);
        case.expect_option("new_oldest", margin.new_oldest);
        assert_eq!(case.output.str("checkpoint"), checkpoint, "{}", case.place);
        case.expect_bool("check_flag_after", margin.flag_stays);
    }
}

/// The mode of a case; 5.5 has no setting for it and takes the area.
fn mode(input: &Fields) -> FlushNeighbors {
    match if input.has("flush_neighbors") { input.u64("flush_neighbors") } else { 2 } {
        0 => FlushNeighbors::None,
        1 => FlushNeighbors::Contiguous,
        _ => FlushNeighbors::Area,
    }
}

pub(crate) fn flush_area_range_of(file: &VectorFile) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let ready: Vec<u64> = serde_json::from_value(case.input.get("ready_pages").clone()).expect("pages");
        let area = flush_area(field("curr_size"));
        let mode = if field("lru_len") < SHORT_LRU { FlushNeighbors::None } else { mode(&case.input) };
        let range = flush_area_range(field("page"), area, mode, |page| ready.contains(&page));
        case.expect("area", area);
        case.expect("low", range.start);
        case.expect("high_exclusive", range.end.min(field("space_size")));
    }
}

/// The adaptive flushing settings of a case or a sequence (5.6, 5.7); what it leaves out does not matter to it.
pub(crate) fn adaptive_config(fields: &Fields) -> AdaptiveConfig {
    let whole = |name| if fields.has(name) { fields.u64(name) } else { 0 };
    let real = |name| if fields.has(name) { fields.f64(name) } else { 0.0 };
    AdaptiveConfig {
        flushing_avg_loops: whole("flushing_avg_loops"),
        io_capacity: fields.u64("io_capacity"),
        io_capacity_max: fields.u64("io_capacity_max"),
        max_dirty_pages_pct: real("max_dirty_pages_pct"),
        max_dirty_pages_pct_lwm: real("max_dirty_pages_pct_lwm"),
        adaptive_flushing: fields.bool("adaptive_flushing"),
        adaptive_flushing_lwm: fields.u64("adaptive_flushing_lwm"),
        log_group_capacity: fields.u64("log_group_capacity"),
        max_modified_age_async: fields.u64("max_modified_age_async"),
        high_checkpoint: false,
        percentages_alone_past_async: false,
    }
}

/// 5.6 and 5.7.
pub(crate) fn af_get_pct_for_lsn(file: &VectorFile) {
    for case in file.pure() {
        case.expect("pct", adaptive_config(&case.input).pct_for_lsn(case.input.u64("age")));
    }
}
