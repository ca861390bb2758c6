//! The bench as one JSON document.

use super::Shown;
use crate::outcome::VERSION;
use innosim_experiments::rule_bench::{REPLICATIONS, SLOWER, SUITE, SUITE_VERSION, Score, standings};
use innosim_rules::Rule;
use serde_json::{Map, Value, json};

/// The suite.
pub(super) fn list() -> Value {
    let cases: Vec<Value> = SUITE.iter().map(|case| json!({ "name": case.name, "about": case.about })).collect();
    json!({ "name": SUITE_VERSION, "replications": REPLICATIONS, "slower_device": SLOWER, "cases": cases })
}

/// Everything that was found. It holds no times of the machine, so that it is the same everywhere.
pub(super) fn document(shown: &Shown) -> Value {
    let bench = &shown.bench;
    let stands = standings(bench.entrants.len(), &shown.scores);
    let rules: Vec<Value> = stands
        .iter()
        .map(|stand| {
            let entrant = &bench.entrants[stand.entrant];
            let story = Rule::named(&entrant.rule).map(|rule| rule.story().to_owned());
            json!({
                "name": entrant.name,
                "rule": entrant.rule,
                "story": story,
                "cases": stand.cases,
                "tps_relative": stand.tps,
                "latency_p99_relative": stand.latency_p99,
                "page_writes_relative": stand.page_writes,
                "distance_to_bound": stand.distance,
                "stall_seconds": stand.stall_seconds,
                "wins": stand.wins,
                "losses": stand.losses,
                "worst_case": stand.worst.map(|(case, relative)| json!({ "case": SUITE[case].name, "tps_relative": 1.0 + relative })),
            })
        })
        .collect();
    let scores: Vec<Value> = shown.scores.iter().map(|score| of_score(shown, score)).collect();
    json!({ "innosim_version": VERSION, "suite": list(), "quick": bench.quick, "seed": bench.seed, "rules": rules, "scores": scores })
}

fn of_score(shown: &Shown, score: &Score) -> Value {
    let mut object = Map::new();
    object.insert("case".to_owned(), json!(SUITE[score.case].name));
    object.insert("rule".to_owned(), json!(shown.bench.entrants[score.entrant].name));
    if let Some(failure) = &score.failure {
        object.insert("failure".to_owned(), json!(failure));
    }
    for (name, figure) in &score.figures {
        object.insert((*name).to_owned(), json!(figure.mean));
        object.insert(format!("{name}_relative"), json!(figure.relative));
        object.insert(format!("{name}_relative_ci95"), json!(figure.half_width));
    }
    Value::Object(object)
}
