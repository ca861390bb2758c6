//! Which load and which device a run stands for: answers hold for these alone.

use crate::commands::new_scenario::template::has_examples_load;
use innosim_core::workload::DriveSpec;
use innosim_report::numbers::count;
use innosim_scenario::{Scenario, shipped};

/// Profiles whose numbers nobody measured here.
const FROM_DATA_SHEETS: [&str; 4] = ["nvme", "cloud-volume", "cloud-volume-burst", "disk"];

/// The load and the device of a scenario, a line each.
pub(crate) fn load_and_device(scenario: &Scenario) -> Vec<String> {
    vec![format!("load: {}", load_line(scenario)), format!("device: {}", device_line(scenario))]
}

fn load_line(scenario: &Scenario) -> String {
    let mut parts = vec![scenario.written("workload.kind").unwrap_or_else(|| "of its own".to_owned())];
    if let (Some(tables), Some(rows)) = (number(scenario, "workload.tables"), number(scenario, "workload.table_size")) {
        parts.push(format!("{} tables of {} rows", count(tables), rows_in_words(rows)));
    } else if let Some(warehouses) = number(scenario, "workload.warehouses") {
        parts.push(format!("{} warehouses", count(warehouses)));
    }
    let threads = count(f64::from(threads_of(scenario)));
    parts.push(match scenario.run.workload.drive {
        DriveSpec::Closed { .. } => format!("{threads} clients"),
        DriveSpec::Open { .. } => format!("arrivals at a rate, {threads} threads"),
    });
    let line = parts.join(", ");
    if shipped().iter().any(|one| one.name == scenario.name) {
        format!("{line} (the shipped scenario's load, not yours)")
    } else if has_examples_load(scenario) {
        format!("{line} (the example's load, not yours: change what is marked FILL IN)")
    } else {
        line
    }
}

fn device_line(scenario: &Scenario) -> String {
    let name = scenario.written("device.name").filter(|name| !name.is_empty());
    let origin = match name.as_deref() {
        Some(name) if FROM_DATA_SHEETS.contains(&name) => " (data sheets, never compared with a real one)",
        _ => "",
    };
    let cores = number(scenario, "host.cores").unwrap_or_default();
    format!("{}{origin}; {} cores", name.unwrap_or_else(|| "described in the scenario".to_owned()), count(cores))
}

fn number(scenario: &Scenario, path: &str) -> Option<f64> {
    scenario.written(path)?.replace('_', "").parse().ok()
}

fn rows_in_words(rows: f64) -> String {
    if rows >= 1e6 { format!("{} M", (rows / 1e5).round() / 10.0) } else { count(rows) }
}

/// Clients of a closed loop, threads of an open one.
pub(crate) fn threads_of(scenario: &Scenario) -> u32 {
    match scenario.run.workload.drive {
        DriveSpec::Closed { clients, .. } | DriveSpec::Open { clients, .. } => clients,
    }
}
