//! Events of a kind that come again and again, in one sentence.

use super::{seconds, waited_for};
use crate::numbers::{count, percent};
use innosim_explain::{Event, What};

/// What comes after the first few of a kind, in one sentence.
pub(super) fn summed_up(events: &[&Event]) -> String {
    let n = events.len();
    let last = seconds(events.last().map_or(0.0, |event| event.at_s));
    let sum = |of: fn(&What) -> f64| count(events.iter().map(|event| of(&event.what)).sum::<f64>());
    match events[0].what {
        What::SyncFlushing { .. } => format!(
            "Sync flushing comes {n} times more until {last}, {} s in all.",
            sum(|w| if let What::SyncFlushing { seconds, .. } = w { *seconds } else { 0.0 })
        ),
        What::Waited { waits_for, .. } => format!(
            "User threads wait {} {n} times more until {last}: {} waits.",
            waited_for(waits_for),
            sum(|w| if let What::Waited { waits, .. } = w { *waits } else { 0.0 })
        ),
        What::ThroughputFell { .. } => {
            let share = |event: &&Event| if let What::ThroughputFell { share, .. } = event.what { share } else { 0.0 };
            let shares: Vec<f64> = events.iter().map(share).collect();
            let (least, most) =
                (shares.iter().copied().fold(1.0, f64::min), shares.iter().copied().fold(0.0, f64::max));
            format!("Throughput falls {n} times more until {last}, by {} to {}.", percent(least), percent(most))
        }
        What::FlushingCapped { setting, .. } => format!("Flushing stands at {setting} {n} times more until {last}."),
        What::FlushingShort { .. } => format!("Flushing falls short {n} times more until {last}."),
        What::LoadChanged { .. } => format!("The rate of the load steps {n} times more until {last}."),
        What::DenseRedoDue { .. } => format!("A dense stretch is due {n} times more until {last}."),
        What::EchoDue { .. } => format!("Echoes are due {n} times more, the last at about {last}."),
        What::RegimeChanged { .. } => format!("The regime changes {n} times more until {last}."),
        What::Idle { .. } => format!("No transaction ends {n} times more until {last}."),
        _ => format!("The same {n} times more until {last}."),
    }
}
