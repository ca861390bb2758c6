//! Vectors of adaptive flushing: percentages, averages, recommendations.

use super::{Case, Fields, VectorFile};
use innosim_core::kernel::time::SimTime;
use innosim_core::seam::{FlushLists, RuleInput};
use innosim_flush_models::averages::{AverageClock, Averages};
use innosim_flush_models::mysql80::adaptive::{
    AdaptiveConfig, AdaptiveRule, AgeFactor, FORM_8018, FORM_8027, FORM_8030, Form, PassInput, dirty_pct,
};

fn config(fields: &Fields) -> AdaptiveConfig {
    let whole = |name, default| if fields.has(name) { fields.u64(name) } else { default };
    let real = |name, default| if fields.has(name) { fields.f64(name) } else { default };
    AdaptiveConfig {
        flushing_avg_loops: whole("flushing_avg_loops", 30),
        io_capacity: whole("io_capacity", 200),
        io_capacity_max: whole("io_capacity_max", 2000),
        max_dirty_pages_pct: real("max_dirty_pages_pct", 90.0),
        max_dirty_pages_pct_lwm: real("max_dirty_pages_pct_lwm", 10.0),
        adaptive_flushing: !fields.has("adaptive_flushing") || fields.bool("adaptive_flushing"),
        adaptive_flushing_lwm: whole("adaptive_flushing_lwm", 10),
    }
}

pub(crate) fn get_pct_for_dirty(file: &VectorFile) {
    for case in file.pure() {
        let length = |name| case.input.u64(name);
        let d = dirty_pct(length("flush_list_len"), length("lru_len"), length("free_len"));
        assert_eq!(case.output.f64("dirty_pct").to_bits(), d.to_bits(), "{}", case.place);
        case.expect("pct", config(&case.input).pct_for_dirty(d));
    }
}

pub(crate) fn get_pct_for_lsn_8021(file: &VectorFile) {
    get_pct_for_lsn(file, AgeFactor::Integer);
}

pub(crate) fn get_pct_for_lsn_8030(file: &VectorFile) {
    get_pct_for_lsn(file, AgeFactor::Real);
}

fn get_pct_for_lsn(file: &VectorFile, factor: AgeFactor) {
    for case in file.pure() {
        let field = |name| case.input.u64(name);
        let capacity = field("free_check_capacity");
        let pct = config(&case.input).pct_for_lsn(factor, field("age"), capacity, field("limit_for_age"));
        case.expect("pct", pct);
    }
}

/// The clock of a form and the field that holds its reading, with the nanoseconds of one unit.
fn clock_field(clock: AverageClock) -> (&'static str, u64) {
    match clock {
        AverageClock::WholeSeconds => ("time_s", 1_000_000_000),
        AverageClock::Milliseconds => ("time_ms", 1_000_000),
        AverageClock::Exact => ("time_ns", 1),
    }
}

fn averages(state: &Fields, unit: u64) -> Averages {
    Averages {
        prev_lsn: state.u64("prev_lsn"),
        prev_time: SimTime(state.u64("prev_time") * unit),
        sum_pages: state.u64("sum_pages"),
        avg_page_rate: state.u64("avg_page_rate"),
        n_iterations: state.u64("n_iterations"),
        lsn_avg_rate: state.u64("lsn_avg_rate"),
    }
}

/// Steps a sequence once with the state carried over and once with the state of each step.
pub(crate) fn both_ways<T>(
    sequence: &[Case],
    mut carried: T,
    fresh: impl Fn(&Case) -> T,
    step: impl Fn(&mut T, &Case),
) {
    for case in sequence {
        step(&mut carried, case);
        step(&mut fresh(case), case);
    }
}

fn set_average(file: &VectorFile, clock: AverageClock) {
    let (time, unit) = clock_field(clock);
    for sequence in file.sequences() {
        let first = averages(&sequence[0].state_in, unit);
        both_ways(
            &sequence,
            first,
            |case| averages(&case.state_in, unit),
            |state, case| {
                let field = |name| case.input.u64(name);
                let now = SimTime(field(time) * unit);
                let loops = field("flushing_avg_loops");
                let updated = state.set_average(clock, field("last_pages"), field("cur_lsn"), now, loops);
                case.expect_bool("updated", updated);
                assert_eq!(*state, averages(&case.state_out, unit), "{}", case.place);
            },
        );
    }
}

pub(crate) fn set_average_8018(file: &VectorFile) {
    set_average(file, AverageClock::WholeSeconds);
}

pub(crate) fn set_average_8021(file: &VectorFile) {
    set_average(file, AverageClock::Milliseconds);
}

pub(crate) fn set_average_8030(file: &VectorFile) {
    set_average(file, AverageClock::Exact);
}

/// Flush lists with evenly spaced pages.
struct Spaced(Vec<Instance>);

#[derive(serde::Deserialize)]
struct Instance {
    first: u64,
    step: u64,
    count: u64,
}

impl FlushLists for Spaced {
    fn instances(&self) -> u32 {
        self.0.len() as u32
    }

    fn pages_up_to(&self, instance: u32, lsn: u64, cap: u64) -> u64 {
        let list = &self.0[instance as usize];
        if list.count == 0 || list.first > lsn {
            return 0;
        }
        let below = (lsn - list.first).checked_div(list.step).map_or(list.count, |n| n + 1);
        below.min(list.count).min(cap)
    }
}

pub(crate) fn form_8018(file: &VectorFile) {
    recommendation(file, FORM_8018);
}

pub(crate) fn form_8027(file: &VectorFile) {
    recommendation(file, FORM_8027);
}

pub(crate) fn form_8030(file: &VectorFile) {
    recommendation(file, FORM_8030);
}

fn recommendation(file: &VectorFile, form: Form) {
    let unit = clock_field(form.clock).1;
    let rule = |case: &Case| {
        let mut rule = AdaptiveRule::new(form, config(&case.config));
        rule.averages = averages(&case.state_in, unit);
        rule
    };
    for sequence in file.sequences() {
        both_ways(&sequence, rule(&sequence[0]), rule, |rule, case| recommendation_step(form, rule, case));
    }
}

fn recommendation_step(form: Form, rule: &mut AdaptiveRule, case: &Case) {
    let (time, unit) = clock_field(form.clock);
    let lists = Spaced(serde_json::from_value(case.input.get("instances").clone()).expect("instances"));
    let oldest = lists.0.iter().filter(|i| i.count > 0).map(|i| i.first).min();
    let sync = case.input.bool("sync");
    let pass = rule.pass(&PassInput {
        cur_lsn: case.input.u64("cur_lsn"),
        now: SimTime(case.input.u64(time) * unit),
        oldest_lsn: oldest.unwrap_or(0),
        dirty_pct: case.input.f64("dirty_pct"),
        lists: &lists,
        rule: RuleInput {
            sync_limit_lsn: sync.then(|| case.input.u64("sync_limit")),
            last_pages: case.input.u64("last_pages"),
            limit_for_age_bytes: case.config.u64("limit_for_age"),
            free_check_capacity_bytes: case.config.u64("free_check_capacity"),
        },
    });
    case.expect("n_pages", pass.as_ref().map_or(0, |p| p.n_pages));
    let slots: Option<Vec<u64>> = serde_json::from_value(case.output.get("slots").clone()).expect("slots");
    assert_eq!(slots, pass.as_ref().map(|p| p.slots.clone()), "{}: slots", case.place);
    if let Some(pass) = &pass {
        case.expect("oldest_lsn", pass.oldest_lsn);
        case.expect("age", pass.age);
        case.expect("pct_for_dirty", pass.pct_for_dirty);
        case.expect("pct_for_lsn", pass.pct_for_lsn);
        case.expect("target_lsn", pass.target_lsn);
        case.expect("sum_pages_for_lsn", pass.sum_pages_for_lsn);
        if case.output.has("buf_flush_sync_lsn") {
            case.expect("buf_flush_sync_lsn", if sync { pass.target_lsn } else { 0 });
        }
    }
    assert_eq!(rule.averages, averages(&case.state_out, unit), "{}: state", case.place);
}
