//! The advice as one JSON document.

use super::folder::{Folder, Lack};
use crate::args::AdviseArgs;
use innosim_experiments::advise::{Advice, Backtest, DiskSeen, WithoutNeighbors, not_known, why};
use innosim_experiments::recommend::{Answer, Point, Row};
use serde_json::{Map, Value, json};

/// The document.
pub(super) fn document(folder: &Folder, missing: &[Lack], advice: &Advice, args: &AdviseArgs) -> Value {
    let load = &advice.load;
    let recommended = advice.answer.as_ref().filter(|_| advice.refused.is_none());
    let test = advice.backtest.as_ref();
    let tested = advice.answer.as_ref().zip(test);
    let optional = |of: fn(&Answer) -> Option<&Row>| {
        advice.answer.as_ref().and_then(|answer| Some(row(advice, answer, of(answer)?)))
    };
    json!({
        "innosim_version": env!("CARGO_PKG_VERSION"),
        "found": found(folder),
        "missing": lacks(missing),
        "load": {
            "unit_of_work": load.unit,
            "units_per_s": load.rate,
            "factor": args.load,
            "clients": load.clients,
            "redo_bytes_per_unit": load.redo_bytes,
            "cpu_us_per_unit": load.cpu_us.0,
            "cpu_is_measured": load.cpu_us.1,
            "spectrum": load.bins.iter().map(|(rate, pages)| json!({ "rate": rate, "pages": pages })).collect::<Vec<_>>(),
            "freed_pages": load.freed_pages,
            "largest_age_bytes": load.largest_age,
            "dirty_pages_at_that_age": range(load.dirty[0]),
            "dirty_pages_at_twice_that_age": range(load.dirty[1]),
            "shape_is_told": load.shape_is_told,
            "remarks": load.remarks,
        },
        "device": advice.device,
        "not_the_device": advice.not_the_device.iter().map(|(name, why)| json!({ "device": name, "why": why })).collect::<Vec<_>>(),
        "disk": test.and_then(|test| test.disk.as_ref()).map(disk),
        "backtest": test.map(|test| backtest(advice, test)),
        "backtest_passed": test.map(|test| test.failures().is_empty()),
        "current": advice.answer.as_ref().map(|answer| row(advice, answer, &answer.current)),
        "recommendation": recommended.map(|answer| settings(answer, answer.best.point)),
        "recommended": recommended.map(|answer| row(advice, answer, &answer.best)),
        "why": advice.refused.clone().or_else(|| tested.map(|(answer, test)| why(answer, args.goal.goal(), test))),
        "without_neighbors": advice.neighbors.map(without_neighbors),
        "interval": advice.answer.as_ref().map(|answer| interval(advice, answer)),
        "worlds": advice.answer.as_ref().map(|answer| worlds(advice, answer)),
        "statements": recommended.map(statements),
        "candidates": advice.answer.as_ref().map(|answer| {
            answer.candidates.iter().map(|candidate| row(advice, answer, candidate)).collect::<Vec<_>>()
        }),
        "status": status(advice),
        "latency_is_predicted": advice.latency_is_predicted(),
        "not_known": tested.map_or_else(Vec::new, |(answer, test)| not_known(answer, test)),
        "fewest_writes": optional(|answer| answer.fewest_writes.as_ref()),
        "with_reserve": optional(|answer| answer.with_reserve.as_ref()),
        "left_out": advice.answer.as_ref().map(|answer| [&answer.left_out[..], &advice.worlds_left_out[..]].concat()),
        "coarse_tier": advice.answer.as_ref().map(|answer| json!({
            "runs": answer.ended_early.flows,
            "refused": answer.coarse_refused,
        })),
        "outside": advice.outside,
        "refused": advice.refused,
        "caution": advice.caution,
    })
}

/// What single pages change where neighbours are flushed.
fn without_neighbors(found: WithoutNeighbors) -> Value {
    let [now, then] = found.scatter;
    json!({
        "tps_mean_change": found.throughput,
        "pages_flushed_per_s_mean_change": found.flushed,
        "tps_cv": now,
        "tps_cv_without": then,
        "statement": WithoutNeighbors::STATEMENT,
    })
}

/// What comes of it, in a word.
fn status(advice: &Advice) -> &'static str {
    match &advice.answer {
        Some(answer) if advice.refused.is_none() => {
            if answer.best.point == answer.current.point {
                "keep"
            } else {
                "recommended"
            }
        }
        _ => "refused",
    }
}

/// What to type; nothing where the present setting stays.
pub(super) fn statements(answer: &Answer) -> Vec<String> {
    if answer.best.point == answer.current.point { Vec::new() } else { answer.space.statements(answer.best.point) }
}

/// The document where there is too little.
pub(super) fn too_little(folder: &Folder, missing: &[Lack]) -> Value {
    json!({
        "innosim_version": env!("CARGO_PKG_VERSION"),
        "found": found(folder),
        "missing": lacks(missing),
        "backtest": {},
        "current": null,
        "recommendation": null,
        "why": "too little is there to advise on",
        "interval": null,
    })
}

fn found(folder: &Folder) -> Vec<Value> {
    folder.files.iter().map(|file| json!({ "file": file.path.display().to_string(), "holds": file.holds })).collect()
}

fn lacks(missing: &[Lack]) -> Vec<Value> {
    let one = |lack: &Lack| json!({ "what": lack.what, "for": lack.purpose, "statement": lack.statement });
    missing.iter().map(one).collect()
}

fn range((value, low, high): (f64, f64, f64)) -> Value {
    json!({ "value": value, "low": low, "high": high })
}

fn backtest(advice: &Advice, test: &Backtest) -> Value {
    let metrics = test.validation.metrics.iter().map(|metric| {
        let value = json!({ "observed": metric.observed, "predicted": metric.predicted, "error": metric.error() });
        let is_redo = advice.load.unit == "KiB of redo" && metric.name == "tps_mean";
        (if is_redo { "redo_kib_per_s" } else { metric.name }.to_owned(), value)
    });
    Value::Object(metrics.collect::<Map<String, Value>>())
}

/// What the disk was seen to do beside what is predicted.
fn disk(seen: &DiskSeen) -> Value {
    let disk = &seen.disk;
    json!({
        "source": disk.source,
        "name": disk.name,
        "reports": disk.reports.len(),
        "write_bytes_per_s": disk.mean(|report| report.write_bytes),
        "write_bytes_per_s_most": disk.most(|report| report.write_bytes),
        "writes_per_s": disk.mean(|report| report.writes),
        "reads_per_s": disk.mean(|report| report.reads),
        "in_flight": disk.mean(|report| report.queue),
        "operation_ms": disk.operation_ms(),
        "busy": disk.mean(|report| report.busy),
        "predicted_write_bytes_per_s": seen.write_bytes,
        "predicted_in_flight": seen.queue,
        "is_other_device": seen.is_other_device(),
    })
}

fn settings(answer: &Answer, point: Point) -> Value {
    let values = answer.space.values(point).into_iter().map(|(name, value)| (name.to_owned(), json!(value)));
    Value::Object(values.collect::<Map<String, Value>>())
}

fn row(advice: &Advice, answer: &Answer, row: &Row) -> Value {
    let mut object = settings(answer, row.point);
    object["sound"] = json!(row.sound);
    object["may_be_recommended"] = json!(row.is_answer);
    object["regime"] = json!(row.regime.name());
    object["replications"] = json!(row.replications);
    // What the back-test does not reproduce is not promised.
    let told = |metric: &str| !metric.starts_with("latency") || advice.latency_is_predicted();
    for change in row.changes.iter().filter(|change| told(change.metric)) {
        object[change.metric] = json!({ "mean": change.value.mean, "relative_change": change.relative });
    }
    object
}

/// Settings that are as good, safer, or best in a world that the evidence allows.
pub(super) fn points(advice: &Advice, answer: &Answer) -> Vec<Point> {
    let mut points = answer.plateau.clone();
    points.push(answer.best.point);
    points.extend(answer.safer.as_ref().map(|row| row.point));
    points.extend(answer.sensitivity.iter().map(|case| case.best_there));
    points.extend(advice.worlds.iter().filter_map(|world| world.best));
    points.retain(|point| point.redo_bytes == answer.best.point.redo_bytes);
    points
}

fn interval(advice: &Advice, answer: &Answer) -> Value {
    let points = points(advice, answer);
    let ends = |value: &dyn Fn(&Point) -> u64| json!([points.iter().map(value).min(), points.iter().map(value).max()]);
    let mut object = Map::new();
    for (name, _) in answer.space.values(answer.best.point) {
        match name {
            "innodb_io_capacity" => object.insert(name.to_owned(), ends(&|point| point.io_capacity)),
            "innodb_io_capacity_max" => object.insert(name.to_owned(), ends(&|point| point.io_capacity_max)),
            _ => None,
        };
    }
    Value::Object(object)
}

fn worlds(advice: &Advice, answer: &Answer) -> Vec<Value> {
    let one = |world: &innosim_experiments::advise::World| json!({ "name": world.name, "best": world.best.map(|point| settings(answer, point)) });
    advice.worlds.iter().map(one).collect()
}
