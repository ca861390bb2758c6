//! A recommendation as one JSON document.

use super::why::sentences;
use crate::outcome::VERSION;
use innosim_experiments::recommend::{Answer, Goal, Input, Limit, Row, Stressed, Verdict};
use innosim_report::numbers::rounded;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The document: `current`, `recommended`, `candidates`, `sensitivity`, and how they came to be.
pub(super) fn document(answer: &Answer, goal: Goal, wall: Duration) -> Value {
    let first: Vec<&str> = answer.measure_first.iter().map(|input| Input::how_to_measure(*input)).collect();
    let recommended = answer.refused().is_none().then(|| {
        let mut recommended = row(answer, &answer.best);
        recommended.insert("measure_first".to_owned(), json!(first));
        recommended.insert("statements".to_owned(), json!(answer.statements()));
        let plateau: Vec<u64> = answer.plateau.iter().map(|point| point.io_capacity_max).collect();
        recommended.insert("plateau".to_owned(), json!(plateau));
        recommended
    });
    let status = match answer.verdict {
        Verdict::Try => "recommended",
        Verdict::Keep(_) => "keep",
        Verdict::Refused(_) => "refused",
    };
    let stressed: Vec<Value> = answer.stressed.iter().map(stressed).collect();
    let optional = |one: &Option<Row>| one.as_ref().map(|one| row(answer, one));
    let candidates: Vec<Value> = answer.candidates.iter().map(|one| Value::Object(row(answer, one))).collect();
    let sensitivity: Vec<Value> = answer
        .sensitivity
        .iter()
        .map(|s| {
            json!({
                "input": s.input.name(),
                "change": s.change,
                "sound": s.sound,
                "tps_mean": rounded(s.tps),
                "best_there": s.best_there.io_capacity_max,
                "loss": rounded(s.loss),
            })
        })
        .collect();
    json!({
        "innosim_version": VERSION,
        "scenario": answer.scenario.name,
        "model": answer.scenario.model.name(),
        "seed": answer.scenario.run.seed,
        "goal": goal.name(),
        "status": status,
        "refused": answer.refused(),
        "limit": answer.limit().map(Limit::name),
        "measure_first": first,
        "duration_s": answer.plan.duration_s,
        "warmup_s": answer.plan.warmup_s,
        "warm_start": answer.plan.warm_start,
        "runs": answer.runs,
        "simulated_s": answer.simulated_s as u64,
        "ended_early": {
            "at_rest": answer.ended_early.at_rest,
            "no_answer": answer.ended_early.no_answer,
            "begun_warm": answer.ended_early.begun_warm,
            "saved_s": answer.ended_early.saved_s,
        },
        "coarse_tier": {
            "runs": answer.ended_early.flows,
            "refused": answer.coarse_refused,
        },
        "left_out": answer.left_out,
        "wall_s": rounded(wall.as_secs_f64()),
        "current": row(answer, &answer.current),
        "recommended": recommended,
        "why": sentences(answer, goal),
        "safer": if answer.refused().is_none() { optional(&answer.safer) } else { None },
        "fewest_writes": optional(&answer.fewest_writes),
        "with_reserve": optional(&answer.with_reserve),
        "larger_redo": optional(&answer.larger_redo),
        "redo_gains_at_most": answer.redo_gains_at_most.map(rounded),
        "stressed": stressed,
        "candidates": candidates,
        "sensitivity": sensitivity,
    })
}

/// Settings by their names, then the figures; `NAME_ci95` and the relative change beside each.
fn row(answer: &Answer, row: &Row) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, value) in answer.space.values(row.point) {
        object.insert(name.to_owned(), json!(value));
    }
    object.insert("redo_bytes".to_owned(), json!(row.point.redo_bytes));
    object.insert("replications".to_owned(), json!(row.replications));
    object.insert("sound".to_owned(), json!(row.sound));
    object.insert("may_be_recommended".to_owned(), json!(row.is_answer));
    object.insert("regime".to_owned(), json!(row.regime.name()));
    for change in &row.changes {
        let name = change.metric;
        object.insert(name.to_owned(), json!(rounded(change.value.mean)));
        object.insert(format!("{name}_ci95"), json!(change.value.half_width.map(rounded)));
        object.insert(format!("{name}_change"), json!(change.relative.map(rounded)));
        object.insert(format!("{name}_change_ci95"), json!(change.relative_ci95.map(rounded)));
    }
    object
}

fn stressed(one: &Stressed) -> Value {
    json!({
        "stress": one.stress.name(),
        "io_capacity_max": one.point.io_capacity_max,
        "comes_through": one.comes_through,
        "seconds": one.stress.seconds(),
        "tps_mean": rounded(one.figures.tps_mean),
        "latency_ms_p95": rounded(one.figures.latency_ms_p95),
        "latency_ms_p99": rounded(one.figures.latency_ms_p99),
        "stall_seconds": rounded(one.figures.stall_seconds),
    })
}
