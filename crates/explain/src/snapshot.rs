//! What one look at a server tells: no course, so nothing of what happened, but where it stands.

use crate::course::Limits;
use crate::event::{Event, LimitName, PlaceOfWait, Rates, RedoSize, Stands, What};

/// A share of the async limit from which on the age is called close to it.
const CLOSE: f64 = 0.9;
/// Share of the pages written beyond what reads and creations explain that is worth a word.
const REWRITTEN: f64 = 0.1;
/// Shortest wait for a semaphore that is worth a word, seconds.
const LONG_WAIT_S: f64 = 1.0;
/// Free pages below this share of the pool, and below this number, are few.
const FEW_FREE_SHARE: f64 = 0.001;
const FEW_FREE: f64 = 1024.0;

/// One look at a server; what it does not say is not there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// Checkpoint age, bytes.
    pub age_bytes: Option<f64>,
    /// Age of the oldest dirty page, bytes.
    pub oldest_age_bytes: Option<f64>,
    /// Dirty pages.
    pub dirty: Option<f64>,
    /// Pages of the pool.
    pub pool: Option<f64>,
    /// Pages on its LRU lists.
    pub lru: Option<f64>,
    /// Pages on its free lists.
    pub free: Option<f64>,
    /// Writes and syncs that are under way.
    pub pending: Pending,
    /// What is done a second.
    pub rates: Rates,
    /// Pages read, created and written since the server's start.
    pub pages: Option<[f64; 3]>,
    /// Length of the history list.
    pub history: Option<f64>,
    /// Longest waits of threads, seconds.
    pub waits: Vec<(PlaceOfWait, f64)>,
    /// The largest checkpoint age that the server prints, bytes.
    pub printed_max_age_bytes: Option<f64>,
    /// Redo logs that give just that, where one is known.
    pub printed_redo: Option<RedoSize>,
    /// Limits of the age, by its settings.
    pub limits: Limits,
    /// Limits with other sizes of the redo log, where the settings are not known.
    pub sizes: Vec<RedoSize>,
    /// Figures that would be needed, and are not there.
    pub missing: Vec<&'static str>,
    /// What would tell more.
    pub statements: Vec<&'static str>,
}

/// Writes and syncs under way.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pending {
    /// Syncs of the redo log.
    pub redo_syncs: Option<f64>,
    /// Writes of the checkpoint.
    pub checkpoint_writes: Option<f64>,
    /// Syncs of data files.
    pub data_syncs: Option<f64>,
    /// Page writes: of LRU batches, of flush-list batches, of single pages.
    pub page_writes: Option<[f64; 3]>,
    /// Page reads.
    pub reads: Option<f64>,
}

/// Everything that one look tells.
pub fn explain_snapshot(snapshot: &Snapshot) -> Vec<Event> {
    let mut found = Vec::new();
    if !snapshot.missing.is_empty() {
        found.push(What::NotRecorded { figures: snapshot.missing.clone() });
    }
    if let Some(age_bytes) = snapshot.age_bytes {
        found.push(What::AgeNow { age_bytes, oldest_page_age_bytes: snapshot.oldest_age_bytes });
        found.extend(limits(snapshot, age_bytes));
    }
    found.extend(redo_sizes(snapshot));
    found.extend(pool(snapshot));
    found.extend(pending(&snapshot.pending));
    found.extend(rates(&snapshot.rates));
    found.extend(rewritten(snapshot));
    found.extend(snapshot.history.map(|length| What::History { length }));
    for &(place, longest_s) in snapshot.waits.iter().filter(|(_, seconds)| *seconds >= LONG_WAIT_S) {
        found.push(What::LongWait { place, longest_s });
    }
    if let Some(stands) = stands(snapshot).filter(|_| !found.is_empty()) {
        found.push(What::LooksLike { stands });
    }
    if !snapshot.statements.is_empty() {
        found.push(What::RecordNext { statements: snapshot.statements.clone() });
    }
    found.into_iter().map(|what| Event { at_s: 0.0, what }).collect()
}

/// What is left to each limit.
fn limits(snapshot: &Snapshot, age_bytes: f64) -> Vec<What> {
    let left = |(limit, limit_bytes): (LimitName, f64)| What::LimitLeft {
        limit,
        limit_bytes,
        left_bytes: limit_bytes - age_bytes,
        share: age_bytes / limit_bytes,
    };
    snapshot.limits.named().into_iter().map(left).collect()
}

fn redo_sizes(snapshot: &Snapshot) -> Vec<What> {
    let mut found = Vec::new();
    if let Some(max_age_bytes) = snapshot.printed_max_age_bytes {
        found.push(What::PrintedLimit { max_age_bytes, redo: snapshot.printed_redo });
    }
    if !snapshot.sizes.is_empty() {
        found.push(What::LimitsBySize { age_bytes: snapshot.age_bytes, sizes: snapshot.sizes.clone() });
    }
    found
}

fn pool(snapshot: &Snapshot) -> Option<What> {
    let dirty = snapshot.dirty?;
    let share = |of: Option<f64>| of.filter(|pages| *pages > 0.0).map(|pages| dirty / pages);
    Some(What::Pool {
        dirty_pages: dirty,
        share_of_pool: share(snapshot.pool),
        share_of_lru: share(snapshot.lru),
        free_pages: snapshot.free,
    })
}

/// What is under way, if anything is known of it.
fn pending(pending: &Pending) -> Option<What> {
    let Pending { redo_syncs, checkpoint_writes, data_syncs, page_writes, reads } = *pending;
    let known = redo_syncs.is_some() || data_syncs.is_some() || page_writes.is_some() || reads.is_some();
    let [lru_writes, list_writes, single_writes] =
        page_writes.map_or([None; 3], |[lru, list, single]| [Some(lru), Some(list), Some(single)]);
    let what =
        What::UnderWay { redo_syncs, checkpoint_writes, data_syncs, lru_writes, list_writes, single_writes, reads };
    known.then_some(what)
}

fn rates(rates: &Rates) -> Option<What> {
    let known = [rates.redo_bytes, rates.pages_written, rates.rows_changed, rates.syncs];
    known.iter().any(Option::is_some).then_some(What::RatesNow { rates: *rates })
}

/// Pages written more often than they were read or created: flushed again and again.
fn rewritten(snapshot: &Snapshot) -> Option<What> {
    let [read, created, written] = snapshot.pages?;
    let beyond = written - read - created;
    (beyond > REWRITTEN * written).then_some(What::Rewritten { read, created, written, beyond })
}

/// What the figures look like.
fn stands(snapshot: &Snapshot) -> Option<Stands> {
    let few = snapshot.pool.map_or(FEW_FREE, |pool| (FEW_FREE_SHARE * pool).min(FEW_FREE));
    if snapshot.free.is_some_and(|free| free < few) && snapshot.pages.is_some_and(|[read, ..]| read > 0.0) {
        return Some(Stands::ShortOfFreePages);
    }
    let Limits { async_bytes, sync_bytes, stop_bytes, .. } = snapshot.limits;
    let age = snapshot.age_bytes.filter(|_| async_bytes > 0.0)?;
    Some(match age {
        age if stop_bytes > 0.0 && age >= stop_bytes => Stands::AtTheStop,
        age if sync_bytes > async_bytes && age >= sync_bytes => Stands::SyncFlushing,
        age if age >= async_bytes => Stands::AboveAsync,
        age if age >= CLOSE * async_bytes => Stands::NearAsync,
        _ => Stands::BelowLimits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(events: &[Event]) -> Vec<String> {
        let name = |event: &Event| serde_json::to_value(event).unwrap()["what"].as_str().unwrap().to_owned();
        events.iter().map(name).collect()
    }

    #[test]
    fn where_a_server_stands() {
        let snapshot = Snapshot {
            age_bytes: Some(388.8e6),
            dirty: Some(226_537.0),
            pool: Some(524_224.0),
            lru: Some(478_302.0),
            free: Some(2048.0),
            limits: Limits { async_bytes: 380e6, sync_bytes: 407e6, stop_bytes: 434e6, sync_flush_start_bytes: 0.0 },
            pages: Some([2_758_954.0, 6_811_449.0, 26_415_689.0]),
            pending: Pending { redo_syncs: Some(1.0), ..Pending::default() },
            rates: Rates { pages_written: Some(952.07), ..Rates::default() },
            waits: vec![(PlaceOfWait::Log, 12.0), (PlaceOfWait::Other, 0.2)],
            history: Some(20.0),
            statements: vec!["SHOW GLOBAL VARIABLES"],
            ..Snapshot::default()
        };
        let events = explain_snapshot(&snapshot);
        assert!(events.iter().all(|event| event.at_s == 0.0));
        assert_eq!(
            names(&events),
            [
                "age_now",
                "limit_left",
                "limit_left",
                "limit_left",
                "pool",
                "under_way",
                "rates_now",
                "rewritten",
                "history",
                "long_wait",
                "looks_like",
                "record_next"
            ]
        );
        let left = What::LimitLeft {
            limit: LimitName::Stop,
            limit_bytes: 434e6,
            left_bytes: 434e6 - 388.8e6,
            share: 388.8 / 434.0,
        };
        assert_eq!(events[3].what, left);
        assert_eq!(events[10].what, What::LooksLike { stands: Stands::AboveAsync });
        let nothing = explain_snapshot(&Snapshot::default());
        assert!(nothing.is_empty(), "{nothing:?}");
        let short = Snapshot { free: Some(32.0), ..snapshot };
        assert_eq!(stands(&short), Some(Stands::ShortOfFreePages));
    }
}
