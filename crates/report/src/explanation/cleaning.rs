//! Shortages of free pages, checkpoints that lag, and what the error log says of slow page cleaning.

use super::seconds;
use crate::numbers::{bytes, count, decimal, percent, rate};
use innosim_explain::What;

pub(super) fn text(what: &What) -> String {
    match what {
        What::FreePagesShort { .. } => short(what),
        What::CheckpointLags { until_s, seconds: s, peak_s, lag_bytes, age_bytes, oldest_page_age_bytes } => format!(
            "The checkpoint lags behind the oldest dirty page in {} s until {}: at most {}, at {}, where the age is {} and the \
             oldest dirty page {} old. The pages are flushed; no checkpoint is taken.",
            count(*s),
            seconds(*until_s),
            bytes(*lag_bytes),
            seconds(*peak_s),
            bytes(*age_bytes),
            bytes(*oldest_page_age_bytes)
        ),
        What::SlowLoops { .. } => slow_loops(what),
        What::StoodStill { seconds: s, pages } => format!(
            "A loop of {} s wrote or evicted {} pages. No setting makes that: the device stood still.",
            decimal(*s, 1),
            count(*pages)
        ),
        What::LoopMadeRoom { seconds: s, flushed, evicted } => format!(
            "A loop of {} s evicted {} pages and flushed {}: it waited for free pages, which is a matter of data larger than \
             the pool and of reads, not of the checkpoint age.",
            decimal(*s, 1),
            count(*evicted),
            count(*flushed)
        ),
        What::LoopsSaid { .. } => loops_said(what),
        What::LoopsUnsaid { messages } => format!(
            "{} message{} can stand for many more loops: the server writes a line for a loop of 4 s or more, and while loops \
             stay that slow it leaves out the next 1, 3, 7 and so on.",
            count(f64::from(*messages)),
            if *messages == 1 { "" } else { "s" }
        ),
        _ => String::new(),
    }
}

/// The line that the server itself would write.
fn loops_said(what: &What) -> String {
    let What::LoopsSaid { loops, at_s, longest_s, flushed, evicted, before_8 } = what else { return String::new() };
    let ms = longest_s * 1000.0;
    let line = match before_8 {
        true => format!(
            "page_cleaner: 1000ms intended loop took {ms:.0}ms. The settings might not be optimal. (flushed={flushed:.0} and \
             evicted={evicted:.0}, during the time.)"
        ),
        false => format!("Page cleaner took {ms:.0}ms to flush {flushed:.0} and evict {evicted:.0} pages"),
    };
    let (number, verb) = if *loops == 1 {
        ("1 loop".to_owned(), "takes")
    } else {
        (format!("{} loops", count(f64::from(*loops))), "take")
    };
    format!(
        "{number} of the page cleaner {verb} 4 s or more. Of the longest, at {}, the server would write to its error log: {line}",
        seconds(*at_s)
    )
}

fn short(what: &What) -> String {
    let What::FreePagesShort {
        until_s,
        seconds: s,
        free_pages,
        searched_per_s,
        single_pages_per_s,
        lru_pages_per_s,
        pages_per_s,
        cpu_busy,
    } = what
    else {
        return String::new();
    };
    let mut parts = Vec::new();
    parts.extend(free_pages.map(|free| format!("{} pages free (median)", count(free))));
    parts.extend(
        single_pages_per_s
            .map(|single| format!("{} of {} pages flushed a second one by one", rate(single), rate(*pages_per_s))),
    );
    parts.extend(lru_pages_per_s.map(|lru| format!("{} a second by LRU batches", rate(lru))));
    parts.extend(
        searched_per_s.map(|pages| format!("{} pages a second looked at in search of a free one", rate(pages))),
    );
    parts.extend(cpu_busy.map(|busy| format!("processors {} busy", percent(busy))));
    format!(
        "User threads run short of free pages in {} s until {}: {}.",
        count(*s),
        seconds(*until_s),
        parts.join(", ")
    )
}

fn slow_loops(what: &What) -> String {
    let What::SlowLoops { loops, pages_per_s, least_pages_per_s, most_pages_per_s, longest_s, setting, present } = what
    else {
        return String::new();
    };
    let range = if *loops > 1 {
        format!(" ({} to {})", rate(*least_pages_per_s), rate(*most_pages_per_s))
    } else {
        String::new()
    };
    let setting_text = match (setting, present) {
        (Some(setting), Some(present)) if *present > *pages_per_s => format!(
            " {setting} = {} asks for more than that in a pass, which only makes loops longer; at {} the message would \
             disappear, and nothing would get faster.",
            count(*present),
            count((pages_per_s / 10.0).floor() * 10.0)
        ),
        (Some(setting), Some(present)) => {
            format!(" {setting} = {} is below that: something else held the loops up.", count(*present))
        }
        _ => " innodb_io_capacity_max above that only makes loops longer; below it the message disappears, and nothing gets \
              faster."
            .to_owned(),
    };
    format!(
        "{} loop{} of the page cleaner took up to {} s and wrote {} pages a second{range}: that is what the device, or a cap \
         on it, gives to this server.{setting_text}",
        count(f64::from(*loops)),
        if *loops == 1 { "" } else { "s" },
        decimal(*longest_s, 1),
        rate(*pages_per_s)
    )
}
