//! What a load starts with, and what holds for the whole of it.

use super::seconds;
use crate::hints::regime_in_words;
use crate::numbers::{count, percent, rate};
use innosim_explain::What;

/// Busy share from which on something is called full.
const FULL: f64 = 0.95;

pub(super) fn start(what: &What) -> String {
    match what {
        What::LoadStarted { clients, dirty_pages, throughput_counts } => {
            let threads = clients.map_or(String::new(), |n| format!(" with {n} thread{}", if n == 1 { "" } else { "s" }));
            let dirty = match dirty_pages {
                Some(0.0) => "; no page is dirty".to_owned(),
                Some(pages) => format!("; {} pages are dirty", count(*pages)),
                None => String::new(),
            };
            let unit = if *throughput_counts == "transactions" {
                String::new()
            } else {
                format!(" Throughput is in {throughput_counts}, as the server counts them.")
            };
            format!("The load starts{threads}{dirty}.{unit}")
        }
        What::WarmedUp { given: true } => "The warm-up that was asked for ends: figures count from here.".to_owned(),
        What::WarmedUp { given: false } => "The warm-up ends, as it is detected: figures count from here.".to_owned(),
        What::NotRecorded { figures } => {
            format!("Not recorded, so nothing is said of it: {}.", figures.join(", "))
        }
        _ => String::new(),
    }
}

pub(super) fn text(what: &What) -> String {
    match what {
        What::RegimeChanged { from, to } => {
            format!("The regime changes from {} to {} ({}).", from.name(), to.name(), regime_in_words(*to))
        }
        What::RegimeOfAll { regime, tps_mean, counted_s } => format!(
            "Regime over the {} counted: {} ({}), {} transactions a second in the mean.",
            seconds(*counted_s),
            regime.name(),
            regime_in_words(*regime),
            rate(*tps_mean)
        ),
        What::Busy { device, cpu, device_full_s } => busy(*device, *cpu, *device_full_s),
        _ => String::new(),
    }
}

fn busy(device: Option<f64>, cpu: Option<f64>, device_full_s: f64) -> String {
    let full = |busy: Option<f64>| busy.is_some_and(|busy| busy >= FULL);
    let named: Vec<String> = [("the device", device), ("the processors", cpu)]
        .into_iter()
        .filter_map(|(name, busy)| Some(format!("{name} {}", percent(busy?))))
        .collect();
    let for_a_time =
        if device_full_s > 0.0 { format!("; the device was full in {}", seconds(device_full_s)) } else { String::new() };
    let limit = match (full(device), full(cpu)) {
        (true, true) => "Device and processors were the limit",
        (true, false) => "The device was the limit",
        (false, true) => "The processors were the limit",
        (false, false) if device.is_some() && cpu.is_some() => "Neither device nor processors were full in the mean",
        (false, false) if device.is_some() => "The device was not full in the mean",
        (false, false) => "The processors were not full in the mean",
    };
    format!("{limit}: {} busy{for_a_time}.", named.join(", "))
}
