//! Flushing: sync flushing, ceilings, what fell short, what made room.

use super::seconds;
use crate::numbers::{count, percent, rate};
use innosim_explain::{Ceiling, What};

pub(super) fn text(what: &What) -> String {
    match what {
        What::SyncFlushing { until_s, seconds: s, pages, pages_per_s, device_busy } => {
            let busy = device_busy
                .map_or(String::new(), |busy| format!("; the device's busiest part was {} busy", percent(busy)));
            format!(
                "Sync flushing runs in {} s until {}: {} pages, {} in each such second{busy}.",
                count(*s),
                seconds(*until_s),
                count(*pages),
                rate(*pages_per_s)
            )
        }
        What::FlushingCapped { setting, cap_pages_per_s, pages_per_s, until_s, seconds: s, .. } => format!(
            "Flushing stands at its ceiling, {setting} = {}: {} pages/s, in {} s until {}.",
            count(*cap_pages_per_s),
            rate(*pages_per_s),
            count(*s),
            seconds(*until_s)
        ),
        What::LruFlushing { pages, share, single_pages } => {
            let single = if *single_pages > 0.0 {
                format!(", {} of them one by one by user threads", count(*single_pages))
            } else {
                String::new()
            };
            format!(
                "{} of the pages flushed ({}) made room in the buffer pool{single}.",
                percent(*share),
                count(pages + single_pages)
            )
        }
        What::FlushingShort { .. } => short(what),
        _ => String::new(),
    }
}

fn short(what: &What) -> String {
    let What::FlushingShort {
        by,
        asked_pages,
        pages_per_s,
        until_s,
        seconds: s,
        device_busy,
        cpu_busy,
        doublewrite_pages_per_write,
    } = what
    else {
        return String::new();
    };
    let busy = |name: &str, busy: Option<f64>| busy.map(|busy| format!("{name} {} busy", percent(busy)));
    let figures: Vec<String> =
        [busy("device", *device_busy), busy("processors", *cpu_busy)].into_iter().flatten().collect();
    let figures = figures.join(", ");
    let why = match by {
        Ceiling::Device => format!(" The device was full ({figures})."),
        Ceiling::Cpu => format!(" The processors were full ({figures})."),
        Ceiling::Doublewrite => format!(
            " The device was not full ({figures}); pages go through doublewrite, {} a batch, and its batches may be the limit.",
            rate(doublewrite_pages_per_write.unwrap_or(0.0))
        ),
        _ if figures.is_empty() => String::new(),
        _ => format!(" What the limit was, the figures don't tell ({figures})."),
    };
    format!(
        "Flushing falls short: {} pages asked for in a pass, {} a second done, in {} s until {}.{why}",
        count(*asked_pages),
        rate(*pages_per_s),
        count(*s),
        seconds(*until_s)
    )
}
