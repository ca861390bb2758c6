//! Throughput that falls, stalls or is not there, and what came due then.

use super::seconds;
use crate::numbers::{bytes, count, percent, rate};
use innosim_explain::What;

pub(super) fn text(what: &What) -> String {
    match what {
        What::ThroughputFell { .. } => fall(what),
        What::DenseRedoDue { made_from_s, made_until_s, dirtied_per_mib, mean_dirtied_per_mib } => format!(
            "What came due then is a dense stretch: the redo of {} to {} made {} pages dirty a MiB, against {} in the \
             mean until then.",
            count(*made_from_s),
            seconds(*made_until_s),
            rate(*dirtied_per_mib),
            rate(*mean_dirtied_per_mib)
        ),
        What::EchoDue { fall_s, dirtied_per_mib, dirtied_per_mib_before, turn_bytes, predicted, next_fall_s } => {
            let dense = format!(
                "{} pages made dirty a MiB, {} in the half turn before",
                rate(*dirtied_per_mib),
                rate(*dirtied_per_mib_before)
            );
            let due = format!(
                "the redo of the fall at {} ({dense}) comes due, one turn of the redo log ({}) later",
                seconds(*fall_s),
                bytes(*turn_bytes)
            );
            match (predicted, next_fall_s) {
                (true, _) => format!("After the end, at about this time, an echo is expected: {due}."),
                (false, Some(next)) => format!("An echo: {due}. Throughput falls at {}.", seconds(*next)),
                (false, None) => format!("An echo is due, and no fall is seen near it: {due}."),
            }
        }
        What::Stalls { until_s, stalls, seconds: s, longest_s } => format!(
            "Throughput stalls (below half its median) {}, {} s in all, the longest {} s.",
            if *stalls == 1 { "once".to_owned() } else { format!("{stalls} times until {}", seconds(*until_s)) },
            count(*s),
            count(*longest_s)
        ),
        What::Idle { until_s, seconds: s } => {
            format!("No transaction ends until {}, {} s long.", seconds(*until_s), count(*s))
        }
        What::QueueGrew { until_s, from_waiting, to_waiting } => format!(
            "More work arrives than is done: the queue grows from {} to {} transactions until {}.",
            count(*from_waiting),
            count(*to_waiting),
            seconds(*until_s)
        ),
        _ => String::new(),
    }
}

fn fall(what: &What) -> String {
    let What::ThroughputFell {
        from_tps,
        to_tps,
        share,
        lowest_s,
        half_back_s,
        sync_flushing_s,
        checkpoint_waits,
        free_page_waits,
        log_waits,
        age_share_of_limit,
        stopped_s,
    } = what
    else {
        return String::new();
    };
    let back =
        half_back_s.map_or("no half of it comes back".to_owned(), |s| format!("half of it is back by {}", seconds(s)));
    let positive = |value: Option<f64>| value.filter(|value| *value > 0.0);
    let mut meanwhile = Vec::new();
    if *stopped_s > 0.0 {
        meanwhile.push(format!("the load itself stood still for up to {}", seconds(*stopped_s)));
    }
    if let Some(s) = positive(*sync_flushing_s) {
        meanwhile.push(format!("sync flushing in {}", seconds(s)));
    }
    for (waits, name) in
        [(checkpoint_waits, "a checkpoint"), (free_page_waits, "a free page"), (log_waits, "the log buffer")]
    {
        if let Some(waits) = positive(*waits) {
            meanwhile.push(format!("{} waits for {name}", count(waits)));
        }
    }
    if let Some(share) = positive(*age_share_of_limit) {
        meanwhile.push(format!("the checkpoint age at up to {} of its async limit", percent(share)));
    }
    let meanwhile = if meanwhile.is_empty() { String::new() } else { format!(" Meanwhile: {}.", meanwhile.join(", ")) };
    format!(
        "Throughput falls by {}, from {} to {} a second (medians of 10 s), lowest at {}; {back}.{meanwhile}",
        percent(*share),
        rate(*from_tps),
        rate(*to_tps),
        seconds(*lowest_s)
    )
}
