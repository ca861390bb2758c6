//! What one look at a server tells, in words.

use super::limit_name;
use crate::numbers::{bytes, count, decimal, percent, rate};
use innosim_explain::{PlaceOfWait, Rates, RedoSize, Stands, What};

pub(super) fn text(what: &What) -> String {
    match what {
        What::AgeNow { age_bytes, oldest_page_age_bytes } => {
            let oldest = oldest_page_age_bytes
                .map_or(String::new(), |age| format!("; the oldest dirty page is {} old", bytes(age)));
            format!("The checkpoint age is {}{oldest}.", bytes(*age_bytes))
        }
        What::LimitLeft { limit, limit_bytes, left_bytes, share } => {
            let name = limit_name(*limit);
            if *left_bytes > 0.0 {
                let limit = bytes(*limit_bytes);
                format!(
                    "{} of redo are left until {name}, {limit} ({} of it used).",
                    bytes(*left_bytes),
                    percent(*share)
                )
            } else {
                format!("The age is {} above {name}, {}.", bytes(-left_bytes), bytes(*limit_bytes))
            }
        }
        What::LimitsBySize { age_bytes, sizes } => by_size(*age_bytes, sizes),
        What::PrintedLimit { max_age_bytes, redo } => printed(*max_age_bytes, redo.as_ref()),
        What::Pool { dirty_pages, share_of_pool, share_of_lru, free_pages } => {
            let mut text = format!("{} pages are dirty", count(*dirty_pages));
            let shares = [(share_of_pool, "the buffer pool"), (share_of_lru, "the pages on its LRU lists")];
            let shares = shares.into_iter().filter_map(|(share, of)| Some(format!("{} of {of}", percent((*share)?))));
            let shares: Vec<String> = shares.collect();
            if !shares.is_empty() {
                text.push_str(&format!(": {}", shares.join(", ")));
            }
            let free = free_pages.map_or(String::new(), |free| format!("; {} pages are free", count(free)));
            format!("{text}{free}.")
        }
        What::UnderWay { .. } => under_way(what),
        What::RatesNow { rates } => rates_now(rates),
        What::Rewritten { read, created, written, beyond } => format!(
            "Since its start the server wrote {} pages, {} more than it read ({}) and created ({}): those were flushed again \
             and again.",
            count(*written),
            count(*beyond),
            count(*read),
            count(*created)
        ),
        What::History { length } => format!("The history list holds {} transactions for purge.", count(*length)),
        What::LongWait { place, longest_s } => {
            let place = match place {
                PlaceOfWait::Log => "in the code of the redo log",
                PlaceOfWait::BufferPool => "in the code of the buffer pool",
                PlaceOfWait::Other => "elsewhere",
            };
            format!("A thread has waited {} s for a semaphore {place}.", decimal(*longest_s, 1))
        }
        What::LooksLike { stands } => stands_for(*stands).to_owned(),
        What::RecordNext { statements } => format!("What would tell more: {}.", statements.join("; ")),
        _ => String::new(),
    }
}

fn by_size(age_bytes: Option<f64>, sizes: &[RedoSize]) -> String {
    let one = |size: &RedoSize| {
        let files = if size.files > 1 {
            format!("{} x {}", size.files, bytes(size.redo_bytes / f64::from(size.files)))
        } else {
            bytes(size.redo_bytes)
        };
        let met = match age_bytes {
            Some(age) if size.stop_bytes > 0.0 && age >= size.stop_bytes => {
                ": out of reach, user threads would have stopped before"
            }
            Some(age) if age >= size.sync_bytes => ": above both",
            Some(age) if age >= size.async_bytes => ": between the two",
            Some(_) => ": below both",
            None => "",
        };
        format!("{files}: async {}, sync {}{met}", bytes(size.async_bytes), bytes(size.sync_bytes))
    };
    let sizes: Vec<String> = sizes.iter().map(one).collect();
    format!(
        "The size of the redo log is not known. Limits of the age by its size, and where this age would stand: {}.",
        sizes.join("; ")
    )
}

fn printed(max_age_bytes: f64, redo: Option<&RedoSize>) -> String {
    let from = match redo {
        Some(size) if size.files > 1 => {
            format!("a redo log of {} files of {}", size.files, bytes(size.redo_bytes / f64::from(size.files)))
        }
        Some(size) => format!("a redo log of {}", bytes(size.redo_bytes)),
        None => "no redo log of a round size that this model knows".to_owned(),
    };
    format!("The server prints a largest checkpoint age of {}, which is that of {from}.", bytes(max_age_bytes))
}

fn under_way(what: &What) -> String {
    let What::UnderWay { redo_syncs, checkpoint_writes, data_syncs, lru_writes, list_writes, single_writes, reads } =
        what
    else {
        return String::new();
    };
    let parts: Vec<String> = [
        (redo_syncs, "sync of the redo log", "syncs of the redo log"),
        (checkpoint_writes, "write of a checkpoint", "writes of checkpoints"),
        (data_syncs, "sync of data files", "syncs of data files"),
        (lru_writes, "page write of an LRU batch", "page writes of LRU batches"),
        (list_writes, "page write of a flush-list batch", "page writes of flush-list batches"),
        (single_writes, "write of a single page", "writes of single pages"),
        (reads, "page read", "page reads"),
    ]
    .into_iter()
    .filter_map(|(number, one, many)| {
        let number = number.filter(|number| *number > 0.0)?;
        Some(format!("{} {}", count(number), if number == 1.0 { one } else { many }))
    })
    .collect();
    if parts.is_empty() {
        return "No write, read or sync is pending.".to_owned();
    }
    format!("Pending: {}.", parts.join(", "))
}

fn rates_now(rates: &Rates) -> String {
    let over = rates.over_s.map_or(String::new(), |seconds| format!(", means of {} s", count(seconds)));
    let parts: Vec<String> = [
        (rates.pages_written, "pages written"),
        (rates.pages_read, "pages read"),
        (rates.pages_created, "pages created"),
        (rates.rows_changed, "rows changed"),
        (rates.redo_writes, "writes of the redo log"),
        (rates.syncs, "syncs of files"),
    ]
    .into_iter()
    .filter_map(|(value, name)| Some(format!("{} {name}", rate(value?))))
    .chain(rates.redo_bytes.map(|redo| format!("{} of redo", bytes(redo))))
    .collect();
    let moves = |value: Option<f64>, what: &str, show: fn(f64) -> String| {
        let value = value.filter(|value| *value != 0.0)?;
        Some(format!(" {what} {} by {} a second.", if value > 0.0 { "grow" } else { "fall" }, show(value.abs())))
    };
    let dirty = moves(rates.dirty_growth, "Dirty pages", rate).unwrap_or_default();
    let age = match rates.age_growth_bytes {
        Some(growth) if growth > 0.0 => format!(" The age grows by {} a second.", bytes(growth)),
        Some(growth) if growth < 0.0 => format!(" The age falls by {} a second.", bytes(-growth)),
        _ => String::new(),
    };
    format!("Per second{over}: {}.{dirty}{age}", parts.join(", "))
}

fn stands_for(stands: Stands) -> &'static str {
    match stands {
        Stands::AtTheStop => {
            "This looks like a stall: at this age user threads stop until a checkpoint is taken. What to look at: the size of \
             the redo log first, then innodb_io_capacity_max."
        }
        Stands::SyncFlushing => {
            "This looks like sync flushing: the age is past the sync limit, where writes of the users' threads make way for \
             flushing. What to look at: the size of the redo log first, then innodb_io_capacity_max."
        }
        Stands::AboveAsync => {
            "This looks like flushing that does not keep up: the age is above the async limit, and the sync limit is near. \
             What to look at: innodb_io_capacity_max, if the device can do more; else the size of the redo log."
        }
        Stands::NearAsync => {
            "This looks like a server at its working point, close to the async limit: a burst of writes would pass it."
        }
        Stands::BelowLimits => "The age is below all its limits: a stall at this moment has another cause.",
        Stands::ShortOfFreePages => {
            "This looks like a shortage of free pages: user threads that need one must flush or evict a page first. Less \
             flushing would make it worse."
        }
    }
}
