//! A Prometheus range query (`/api/v1/query_range`) over mysqld_exporter's metrics, and the other JSON that may lie
//! beside it.
//!
//! | metric | column |
//! |---|---|
//! | `mysql_global_status_innodb_pages_written` | `Innodb_pages_written` |
//! | `mysql_global_status_commands_total{command="commit"}`, `..._handlers_total{handler=}` | `Com_commit`, `Handler_...` |
//! | `mysql_global_status_buffer_pool_pages{state="data"}`, `..._buffer_pool_dirty_pages` | `Innodb_buffer_pool_pages_data`, `..._dirty` |
//! | `mysql_global_status_buffer_pool_page_changes_total{operation="flushed"}` | `Innodb_buffer_pool_pages_flushed` |
//! | `mysql_info_schema_innodb_metrics_SUBSYSTEM_NAME`, with or without `_total` | `m.NAME` |
//! | `mysql_info_schema_innodb_metrics_buffer_pool_dirty_pages`, `..._buffer_pool_pages{state=}` | `m.buffer_pool_pages_...` |
//! | `mysql_global_variables_NAME`, labels of `mysql_version_info` | variables |
//! | `node_cpu_seconds_total{mode=}` of node_exporter, over all processors | `cpu.user`, `cpu.system`, ... in ticks of 10 ms |
//!
//! The exporter takes the type of a counter from the server, which calls some gauges counters: so `_total` says
//! nothing, and is taken off. Scrapes that a fine step repeats count once. Variables with texts (`innodb_flush_method`)
//! are not exported.

use super::{Clock, Part};
use crate::RecordingError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

const STATUS: &str = "mysql_global_status_";
const VARIABLES: &str = "mysql_global_variables_";
const METRICS: &str = "mysql_info_schema_innodb_metrics_";
/// Subsystems of INNODB_METRICS, longest first where one begins another.
const SUBSYSTEMS: [&str; 19] = [
    "adaptive_hash_index_",
    "buffer_page_io_",
    "buffer_",
    "change_buffer_",
    "compression_",
    "cpu_",
    "dblwr_",
    "ddl_",
    "dml_",
    "file_system_",
    "icp_",
    "index_",
    "lock_",
    "log_",
    "metadata_",
    "os_",
    "purge_",
    "recovery_",
    "server_",
];
const QUERY: &str = "curl -G HOST:9090/api/v1/query_range -d start=... -d end=... -d step=1 --data-urlencode \
     'query={__name__=~\"mysql_(global_status|info_schema_innodb_metrics|global_variables|version).*\",instance=\"...\"}'";

/// Reads a JSON text; none if it is of another kind.
pub(super) fn parse(path: &Path, text: &str) -> Result<Option<Part>, RecordingError> {
    let looks_known = ["resultType", "errorType", "\"variables\""].iter().any(|key| text.contains(key));
    if !looks_known {
        return Ok(None);
    }
    let document: Value = serde_json::from_str(text).map_err(|error| {
        let help = "fetch it again; is it cut off?";
        RecordingError::new(path, format!("is not JSON: {error}"), help).at_line(Some(error.line() as u64))
    })?;
    if let Some(why) = document.get("error").and_then(Value::as_str) {
        return Err(RecordingError::new(path, format!("Prometheus answered with an error: {why}"), QUERY));
    }
    let data = document.get("data").unwrap_or(&document);
    match data.get("resultType").and_then(Value::as_str) {
        Some("matrix") => matrix(path, data).map(Some),
        Some(other) => {
            let problem = format!("holds a Prometheus {other}, not series over time");
            Err(RecordingError::new(path, problem, format!("make a range query: {QUERY}")))
        }
        None => Ok(variables(&document)),
    }
}

/// `{"variables": {"innodb_io_capacity": "2000", ...}}`.
fn variables(document: &Value) -> Option<Part> {
    let object = document.get("variables")?.as_object()?;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let variables = object.iter().map(|(name, value)| (name.to_ascii_lowercase(), text(value))).collect();
    Some(Part { variables, ..Part::default() })
}

/// Where the values of a metric go.
pub(super) enum Target {
    Column(String),
    /// Summed up over processors, seconds to ticks.
    Ticks(String),
    Variable(String),
    Version,
    Unknown,
}

/// A series of the answer, by the bits of its times, which sort as they do.
type Values = BTreeMap<u64, f64>;

fn matrix(path: &Path, data: &Value) -> Result<Part, RecordingError> {
    let mut part = Part { clock: Clock::Unix, ..Part::default() };
    let mut columns: BTreeMap<String, Values> = BTreeMap::new();
    let mut instances: Vec<&str> = Vec::new();
    let mut cpus: Vec<&str> = Vec::new();
    let mut hosts: Vec<&str> = Vec::new();
    let (mut nameless, mut unknown) = (0, 0);
    let empty = Map::new();
    for series in data["result"].as_array().into_iter().flatten() {
        let labels = series["metric"].as_object().unwrap_or(&empty);
        let label = |name: &str| labels.get(name).and_then(Value::as_str);
        let Some(name) = label("__name__") else {
            nameless += 1;
            continue;
        };
        let values = values_of(series);
        match target(name, &label) {
            Target::Column(column) => {
                instances.extend(label("instance"));
                if columns.insert(column, values).is_some() {
                    check_instances(path, "servers", &mut instances)?;
                    let help = "ask for one of them, by its labels";
                    return Err(RecordingError::new(path, format!("has several series of {name}"), help));
                }
            }
            Target::Ticks(column) => {
                cpus.extend(label("cpu"));
                hosts.extend(label("instance"));
                let sum = columns.entry(column).or_default();
                values.into_iter().for_each(|(time, seconds)| *sum.entry(time).or_insert(0.0) += seconds * 100.0);
            }
            Target::Variable(variable) => {
                if let Some(value) = values.into_values().next_back() {
                    part.variables.insert(variable, value.to_string());
                }
            }
            Target::Version => {
                for (label_name, variable) in [("version", "version"), ("version_comment", "version_comment")] {
                    part.variables.extend(label(label_name).map(|text| (variable.to_owned(), text.to_owned())));
                }
            }
            Target::Unknown => unknown += 1,
        }
    }
    check_instances(path, "servers", &mut instances)?;
    check_instances(path, "hosts with processors", &mut hosts)?;
    if nameless > 0 {
        part.remarks.push(format!(
            "{nameless} series without a name are left out: ask for the metrics themselves, not for rate(...) of them"
        ));
    }
    if columns.is_empty() && part.variables.is_empty() {
        let problem = format!("holds no metric of mysqld_exporter ({} series)", nameless + unknown);
        return Err(RecordingError::new(path, problem, QUERY));
    }
    cpus.sort_unstable();
    cpus.dedup();
    part.cpus = u32::try_from(cpus.len()).ok().filter(|n| *n > 0);
    let mut times: Vec<u64> = columns.values().flat_map(|values| values.keys().copied()).collect();
    times.sort_unstable();
    times.dedup();
    for (name, values) in columns {
        let column = times.iter().map(|time| values.get(time).copied().unwrap_or(f64::NAN)).collect();
        part.columns.insert(name, column);
    }
    part.seconds = times.into_iter().map(f64::from_bits).collect();
    leave_out_repeats(&mut part);
    Ok(part)
}

/// Prometheus answers a query whose step is finer than the scrapes with each scrape several times: samples in which
/// none of the server's counters moved are left out. Its age alone moves in each second.
fn leave_out_repeats(part: &mut Part) {
    let own: Vec<&Vec<f64>> =
        part.columns.iter().filter(|(name, _)| !name.starts_with("cpu.")).map(|(_, values)| values).collect();
    if own.is_empty() {
        return;
    }
    let repeats = |i: usize| i > 0 && own.iter().all(|values| values[i].to_bits() == values[i - 1].to_bits());
    let keep: Vec<bool> = (0..part.seconds.len()).map(|i| !repeats(i)).collect();
    let left_out = keep.iter().filter(|keep| !**keep).count();
    if left_out > 0 {
        part.retain(&keep);
        part.remarks.push(format!(
            "{left_out} samples that repeat the one before are left out: the step of the query is finer than the scrapes"
        ));
    }
}

fn check_instances(path: &Path, what: &str, instances: &mut Vec<&str>) -> Result<(), RecordingError> {
    instances.sort_unstable();
    instances.dedup();
    if instances.len() < 2 {
        return Ok(());
    }
    let problem = format!("holds {} {what}: {}", instances.len(), instances.join(", "));
    Err(RecordingError::new(path, problem, format!("ask for one: {{instance=\"{}\"}}", instances[0])))
}

/// Pairs of time and value; values are texts, and `NaN` or `+Inf` are gaps.
fn values_of(series: &Value) -> Values {
    let pair = |pair: &Value| {
        let time = pair.get(0)?.as_f64().filter(|time| time.is_finite() && *time > 0.0)?;
        let value: f64 = pair.get(1)?.as_str()?.parse().ok()?;
        value.is_finite().then_some((time.to_bits(), value))
    };
    series["values"].as_array().into_iter().flatten().filter_map(pair).collect()
}

pub(super) fn target<'a>(name: &str, label: &dyn Fn(&str) -> Option<&'a str>) -> Target {
    let column = |prefix: &str, key: &str| label(key).map(|value| Target::Column(format!("{prefix}{value}")));
    let known = if name == "mysql_version_info" {
        Some(Target::Version)
    } else if name == "node_cpu_seconds_total" {
        label("mode").map(|mode| Target::Ticks(format!("cpu.{mode}")))
    } else if let Some(variable) = name.strip_prefix(VARIABLES) {
        Some(Target::Variable(variable.to_owned()))
    } else if let Some(rest) = name.strip_prefix(METRICS) {
        metric(rest, label)
    } else if let Some(rest) = name.strip_prefix(STATUS) {
        match rest {
            "commands_total" => column("Com_", "command"),
            "handlers_total" => column("Handler_", "handler"),
            "buffer_pool_pages" | "innodb_buffer_pool_pages" => column("Innodb_buffer_pool_pages_", "state"),
            "buffer_pool_page_changes_total" => column("Innodb_buffer_pool_pages_", "operation"),
            "innodb_row_ops_total" => column("Innodb_rows_", "operation"),
            "buffer_pool_dirty_pages" => Some(Target::Column("Innodb_buffer_pool_pages_dirty".to_owned())),
            _ => Some(Target::Column(capitalised(rest))),
        }
    } else {
        None
    };
    known.unwrap_or(Target::Unknown)
}

fn metric<'a>(rest: &str, label: &dyn Fn(&str) -> Option<&'a str>) -> Option<Target> {
    let column = |name: String| Some(Target::Column(format!("m.{name}")));
    match rest {
        "buffer_pool_dirty_pages" => return column("buffer_pool_pages_dirty".to_owned()),
        "buffer_pool_pages" => return column(format!("buffer_pool_pages_{}", label("state")?)),
        "buffer_page_read_total" => return column(format!("buffer_page_read_{}", label("type")?)),
        "buffer_page_written_total" => return column(format!("buffer_page_written_{}", label("type")?)),
        _ => {}
    }
    let rest = rest.strip_suffix("_total").unwrap_or(rest);
    let subsystem = SUBSYSTEMS.iter().chain(&["transaction_"]).find(|subsystem| rest.starts_with(**subsystem))?;
    column(rest[subsystem.len()..].to_owned())
}

/// As SHOW GLOBAL STATUS writes it.
fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
