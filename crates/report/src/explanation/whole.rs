//! What a load starts with, and what holds for the whole of it.

use super::seconds;
use crate::hints::regime_in_words;
use crate::numbers::{count, percent, rate};
use innosim_explain::What;

/// Fewer seconds have no regime.
const LEAST_S: f64 = 10.0;
/// Busy share from which on something is called full.
const FULL: f64 = 0.95;

pub(super) fn start(what: &What) -> String {
    match what {
        What::LoadStarted { clients, dirty_pages, throughput_counts } => {
            let threads =
                clients.map_or(String::new(), |n| format!(" with {n} thread{}", if n == 1 { "" } else { "s" }));
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
        What::LoadChanged { from_tps, to_tps } => {
            format!("The load asks for {} transactions a second instead of {}.", rate(*to_tps), rate(*from_tps))
        }
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
        What::RegimeOfAll { tps_mean, throughput_counts, counted_s, .. } if *counted_s < LEAST_S => format!(
            "{} {throughput_counts} a second in the mean of {}, which are too few to tell a regime.",
            rate(*tps_mean),
            seconds(*counted_s)
        ),
        What::RegimeOfAll { regime, tps_mean, throughput_counts, counted_s } => format!(
            "Regime over the {} counted: {} ({}), {} {throughput_counts} a second in the mean.",
            seconds(*counted_s),
            regime.name(),
            regime_in_words(*regime),
            rate(*tps_mean)
        ),
        What::Busy { device, device_active, cpu, device_full_s } => busy(*device, *device_active, *cpu, *device_full_s),
        _ => String::new(),
    }
}

fn busy(device: Option<f64>, active: Option<f64>, cpu: Option<f64>, device_full_s: f64) -> String {
    let mut parts = Vec::new();
    if let Some(device) = device {
        let full = if device >= FULL { "was full" } else { "was not full in the mean" };
        let for_a_time = match device_full_s {
            s if s > 0.0 => format!(", and full in {}", seconds(s)),
            _ => String::new(),
        };
        parts.push(format!("The device {full}: its busiest part was {} busy{for_a_time}.", percent(device)));
    }
    if let Some(active) = active {
        parts
            .push(format!("The device had work in {} of the time (at 100 % it may still take more).", percent(active)));
    }
    if let Some(cpu) = cpu {
        let full = if cpu >= FULL { "were full" } else { "were not full in the mean" };
        parts.push(format!("The processors {full}: {} busy.", percent(cpu)));
    }
    parts.join(" ")
}
