//! What a workload is told to be: plain data, see [`crate::workload`] for what it means.

use crate::config::PAGE_BYTES;
use crate::kernel::sampler::DurationDist;
use crate::kernel::time::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

/// A workload: where its pages lie, how they are drawn, what transactions do, and what drives them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadSpec {
    /// Runs of pages in data files.
    pub page_sets: Vec<PageSetSpec>,
    /// Ways of drawing pages from page sets.
    pub access_classes: Vec<AccessClassSpec>,
    /// Kinds of transactions with their shares.
    pub transactions: Vec<TransactionSpec>,
    /// What makes transactions start.
    pub drive: DriveSpec,
    /// When something outside the model keeps transactions from starting.
    pub stops: Vec<StopSpec>,
    /// CPU cores (hardware threads) that serve transactions.
    pub cores: u32,
}

/// A run of pages: an index of a table, or the part of it that is ever touched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageSetSpec {
    /// Name, for people.
    pub name: String,
    /// Tablespace: page sets of one table share it; data-file syncs are counted by tablespace.
    pub space_id: u32,
    /// Pages at the start of the run.
    pub pages: u64,
    /// Share of the pages that is in the buffer pool at the start (0 cold, 1 warm); spread evenly.
    pub resident_share: f64,
    /// Whether its pages are freed by the time that a flush comes to them: it drops them unwritten (undo segments of MariaDB).
    #[serde(default)]
    pub freed: bool,
}

/// A way of drawing pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccessClassSpec {
    /// Name, for people.
    pub name: String,
    /// Page sets it draws from, one picked uniformly for each draw (as sysbench picks one of its tables).
    pub page_sets: Vec<u32>,
    /// How a page of the set is drawn.
    pub draw: DrawSpec,
}

/// How a page of a set is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DrawSpec {
    /// Every page equally.
    Uniform,
    /// TPC-C's NURand(A, 1, range) over `range` keys in each of `groups` equal groups of keys; keys lie in order.
    NuRand {
        /// The constant A (8191 for items, 1023 for customers).
        a: u32,
        /// Keys a group (100 000 items, 3000 customers).
        range: u32,
        /// Groups, picked uniformly (warehouses, districts).
        groups: u32,
        /// Number of different run-time constants C, drawn from 0..=a; client `i` uses constant `i` modulo this. TPC-C
        /// has one for all; sysbench-tpcc draws one in each thread, which spreads the hot keys.
        constants: u32,
        /// Whether all draws of a transaction stay in one page set and one group, its home (tpcc: its warehouse).
        /// Classes of one transaction share the home: the one with more groups divides the home of the one with fewer.
        at_home: bool,
    },
    /// Always the same pages at a home, one after the other from the first on at each touch.
    OfHome {
        /// Homes: stretches of the page sets, all equally long (districts of tpcc).
        homes: u32,
        /// Where the pages of a home lie.
        pages: HomePages,
    },
    /// Zipf over pages with exponent `theta`, the ranks scattered over the set.
    Zipf {
        /// Exponent, at least 0.
        theta: f64,
    },
    /// sysbench's `--rand-type=pareto` with parameter `h`, over the pages in order.
    Pareto {
        /// sysbench's `--rand-pareto-h` (0.2 by default).
        h: f64,
    },
    /// A share of accesses goes to a share of the pages, both uniformly.
    HotSpot {
        /// Share of the pages that is hot.
        hot_pages: f64,
        /// Share of the accesses that goes there.
        hot_accesses: f64,
    },
    /// Inserts at the end of `points` growing runs, one picked uniformly; a page takes `rows_per_page` rows, then a new
    /// page is allocated.
    Append {
        /// Growing runs (1 for an auto-increment key, one a district for tpcc orders).
        points: u32,
        /// Rows that fill a page.
        rows_per_page: u32,
        /// 0: each insert picks a point. Otherwise the inserts of a transaction go round this many points that follow
        /// each other, where its home is (1: its district, 10: the districts of its warehouse).
        home_points: u32,
    },
    /// Entries of a secondary index whose full pages split and merge again ([`super::IndexPages`]). The first half of the
    /// set are the pages that the index had before the run, or when it was built in one go; splits take the others.
    Index {
        /// Entries that fit on a page.
        entries_a_page: u32,
        /// How they were filled.
        filled: IndexFill,
        /// Whether pages that were latched with one that splits or may merge become dirty without being changed.
        dirties_latched: bool,
        /// Which of them an entry belongs to; all equally often, if nothing says so.
        keys: Option<Box<DrawSpec>>,
        /// Redo payload of a page that splits, and of two that merge, bytes.
        split_redo_bytes: f64,
    },
    /// Entries of a secondary index, whose leaf pages split, and merge with neighbours, in the order of their keys
    /// ([`super::IndexLeaves`]). Classes with the same sets share the indexes. The first half of a set are the pages that the
    /// index had when it was built in one go; splits take the others.
    Leaves {
        /// How the indexes were built, and what they have seen since.
        age: IndexAge,
        /// What is drawn.
        what: LeafDraw,
        /// Redo payload of a page that splits, bytes.
        split_redo_bytes: f64,
        /// Redo payload of a merge that moves half a page of entries, bytes.
        merge_redo_bytes: f64,
        /// As for `Index`.
        dirties_latched: bool,
    },
    /// Visits existing pages in order from `points` places at once, one picked uniformly, `rows_per_page` visits a
    /// page. The places share the pages evenly, and each goes round in the first `stretch` of its own (tpcc's delivery
    /// of the oldest orders: once all loaded ones are delivered, the next are those of the run, which are in memory).
    Walk {
        /// Places.
        points: u32,
        /// Visits before the next page.
        rows_per_page: u32,
        /// Share of a place's pages that it visits.
        stretch: f64,
        /// As for `Append`.
        home_points: u32,
    },
}

impl DrawSpec {
    /// Redo payload of a page that splits, bytes, where pages do.
    pub(super) fn split_redo_bytes(&self) -> Option<f64> {
        match self {
            DrawSpec::Index { split_redo_bytes, .. } | DrawSpec::Leaves { split_redo_bytes, .. } => {
                Some(*split_redo_bytes)
            }
            _ => None,
        }
    }
}

/// How an index was built, and what it has seen since ([`DrawSpec::Leaves`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IndexAge {
    /// Entries that fit on a page; as many as all pages had when the index was built in one go.
    pub entries_a_page: u32,
    /// Where the keys lay then.
    pub prepared: KeyLaw,
    /// Insertions and deletions a page by a load whose new keys follow the same law.
    pub changes_a_page: f64,
    /// After these, insertions and deletions a page by the load of this run, whose new keys lie anywhere.
    pub changes_by_load: f64,
}

/// Where the keys of an index lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyLaw {
    /// Anywhere, equally often.
    Uniform,
    /// As sysbench draws `special` by default: three quarters in less than a hundredth, the others around it in a bell.
    Special,
}

/// What a class draws of an index ([`DrawSpec::Leaves`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeafDraw {
    /// Entries that are there, each equally often.
    Entries,
    /// Keys anywhere, of entries to be inserted.
    NewKeys,
}

/// How the pages of a secondary index were filled ([`DrawSpec::Index`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum IndexFill {
    /// All of them to the end, when the index was built in one go; then so many insertions and deletions a page.
    InOneGo {
        /// Insertions and deletions.
        changes_a_page: f64,
    },
    /// By insertions in random order, so that each split made two halves: between half full and full.
    InRandomOrder,
}

/// Where the pages of a home lie ([`DrawSpec::OfHome`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HomePages {
    /// In its own stretch, in order (what a look at a range of keys reads).
    InOrder,
    /// Anywhere in the stretch of the `groups`-th part to which the home belongs, uniformly (rows that the home's rows
    /// refer to).
    Scattered {
        /// Parts of the page sets, each of as many homes (warehouses of tpcc).
        groups: u32,
    },
}

/// A kind of transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionSpec {
    /// Name, for people.
    pub name: String,
    /// Relative share.
    pub weight: f64,
    /// CPU demand, client and network round trips included.
    pub cpu: DurationDist,
    /// Page touches, in order.
    pub touches: Vec<TouchSpec>,
    /// Redo payload of a transaction beyond what its touches carry (begin, commit, undo headers), bytes.
    pub base_redo_bytes: f64,
    /// What it writes to the undo logs.
    pub undo: UndoSpec,
}

/// What a transaction writes to the undo logs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct UndoSpec {
    /// Bytes of undo records of updates and deletions; with any, the transaction's undo log joins the history list.
    pub bytes: f64,
    /// Bytes of undo records of insertions, which only some servers keep after the commit.
    pub insert_bytes: f64,
    /// Rows inserted, updated or deleted, each of which waits while purge lags too far.
    pub changed_rows: u32,
}

/// What a modification leaves on its page for purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Leaves {
    /// Nothing.
    #[default]
    Nothing,
    /// A row inserted or updated without change of an indexed column.
    Row,
    /// A row with entries of other indexes to be removed: purge looks it up first.
    KeyedRow,
    /// A record marked as deleted, which purge removes.
    Marked,
}

/// Some touches of one access class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TouchSpec {
    /// Index of the access class.
    pub class: u32,
    /// Number of draws: a whole number drawn uniformly from `min..=max`.
    pub min: u32,
    /// See `min`.
    pub max: u32,
    /// Probability that the touch happens at all.
    pub probability: f64,
    /// Whether the page is modified (otherwise read).
    pub modify: bool,
    /// Whether the change can wait in the change buffer while the page is not in memory: a leaf page of a secondary
    /// index that is not unique.
    pub bufferable: bool,
    /// Redo payload of one modification, bytes (mean; fractions are carried over), that of its purge included.
    pub redo_bytes: f64,
    /// Whether an entry is inserted on the page, where the class draws index pages that split.
    pub inserts: bool,
    /// What it leaves for purge.
    pub leaves: Leaves,
    /// The part of `redo_bytes` that purge writes, where it modifies the page.
    pub purge_redo_bytes: f64,
    /// The pages were touched by the transactions that inserted these rows, as far as that was in this run.
    pub recent: Option<RecentRows>,
}

/// The last rows inserted at the home's point of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentRows {
    /// An `Append` class whose inserts are at home.
    pub class: u32,
    /// How many rows, at most 255.
    pub rows: u8,
}

/// What makes transactions start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DriveSpec {
    /// `clients` clients, each starting its next transaction after the last one and a think time.
    Closed {
        /// Number of clients.
        clients: u32,
        /// Think time.
        think: DurationDist,
    },
    /// Transactions arrive at a rate, whatever the server does, and wait in a queue for one of `clients` threads.
    Open {
        /// Threads that serve arrivals.
        clients: u32,
        /// Rate of arrivals over time.
        rate: Vec<RateSegment>,
        /// Poisson arrivals; otherwise evenly spaced.
        poisson: bool,
    },
}

/// A time at which no transaction starts: a backup's global lock, a monitor that holds latches while it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopSpec {
    /// When it first begins.
    pub first: SimTime,
    /// How long it lasts, and `per_gib` beyond.
    pub length: SimDuration,
    /// Added for each GiB of pages in the buffer pool: what goes through the pool's lists takes the longer the more there
    /// are.
    pub per_gib: SimDuration,
    /// From one beginning to the next, at least as long as it lasts; zero: it comes once.
    pub every: SimDuration,
    /// Whether transactions under way and the server's own threads stand still too: what would happen meanwhile happens
    /// at the end.
    pub whole_server: bool,
}

impl StopSpec {
    /// How long it lasts with so many pages in the buffer pool.
    pub fn lasts(&self, pages: u64) -> SimDuration {
        let of_pages = (u128::from(self.per_gib.0) * u128::from(pages * PAGE_BYTES)) >> 30;
        SimDuration(self.length.0.saturating_add(u64::try_from(of_pages).unwrap_or(u64::MAX)))
    }

    /// The end of the stop that `at` lies in, if it lies in one with as many pages in the buffer pool as `pages` counts.
    pub fn end(&self, at: SimTime, pages: impl FnOnce() -> u64) -> Option<SimTime> {
        let since_first = at.0.checked_sub(self.first.0)?;
        let into = if self.every.0 == 0 { since_first } else { since_first % self.every.0 };
        let lasts = if self.per_gib.0 == 0 { self.length } else { self.lasts(pages()) };
        (into < lasts.0).then(|| SimTime((at.0 - into).saturating_add(lasts.0)))
    }

    /// Whether some of it lies in `from..until`.
    pub fn reaches_into(&self, from: SimTime, until: SimTime, pages: impl FnOnce() -> u64) -> bool {
        self.end(from, pages).is_some() || self.next_after(from).is_some_and(|next| next < until)
    }

    /// When it next begins, if it is not under way at `at`.
    fn next_after(&self, at: SimTime) -> Option<SimTime> {
        match at.0.checked_sub(self.first.0) {
            None => Some(self.first),
            Some(since_first) if self.every.0 > 0 => Some(SimTime(at.0 + self.every.0 - since_first % self.every.0)),
            Some(_) => None,
        }
    }
}

/// A piece of a rate schedule: the rate moves linearly from `from_per_s` to `to_per_s` until the next segment starts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateSegment {
    /// Start of the segment, seconds.
    pub start_s: f64,
    /// Length over which the rate moves, seconds; afterwards `to_per_s` holds until the next segment.
    pub ramp_s: f64,
    /// Rate at the start, transactions a second.
    pub from_per_s: f64,
    /// Rate at the end, transactions a second.
    pub to_per_s: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_comes_again_until_its_end() {
        let at = |first, length, every| StopSpec {
            first: SimTime(first),
            length: SimDuration(length),
            per_gib: SimDuration::ZERO,
            every: SimDuration(every),
            whole_server: false,
        };
        let regular = at(40, 3, 60);
        for (now, end) in [(39, None), (40, Some(43)), (42, Some(43)), (43, None), (100, Some(103)), (162, Some(163))] {
            assert_eq!(regular.end(SimTime(now), || 9), end.map(SimTime), "{now}");
        }
        for (from, reaches) in
            [(30, false), (31, true), (42, true), (43, false), (91, true), (102, true), (103, false), (155, true)]
        {
            assert_eq!(regular.reaches_into(SimTime(from), SimTime(from + 10), || 9), reaches, "{from}");
        }
        let once = at(40, 3, 0);
        assert_eq!([once.end(SimTime(41), || 9), once.end(SimTime(101), || 9)], [Some(SimTime(43)), None]);
    }

    /// 140 GiB at 5 ms a GiB are 0.7 s; half as many pages take half as long.
    #[test]
    fn a_stop_lasts_as_long_as_the_pages_of_the_pool_take() {
        let first = SimTime(40_000_000_000);
        let (length, per_gib) = (SimDuration::from_millis(100), SimDuration::from_millis(5));
        let stop = StopSpec { first, length, per_gib, every: SimDuration::from_secs(60), whole_server: true };
        let pages = 140 * (1 << 30) / PAGE_BYTES;
        for (pages, lasts_ms) in [(0, 100), (pages / 2, 450), (pages, 800)] {
            assert_eq!(stop.lasts(pages), SimDuration::from_millis(lasts_ms));
            let second = first + stop.every;
            let end = second + SimDuration::from_millis(lasts_ms);
            assert_eq!(stop.end(second, || pages), Some(end));
            assert_eq!(stop.end(end, || pages), None);
            assert!(stop.reaches_into(SimTime(end.0 - 1), end, || pages));
        }
    }
}
