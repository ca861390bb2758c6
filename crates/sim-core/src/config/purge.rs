//! What purge is built with: threads, batches, the throttle of a lagging purge, undo tablespaces.

use crate::kernel::time::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

/// Purge and undo logs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PurgeConfig {
    /// `innodb_purge_threads`, the coordinator included; 0: the master thread purges.
    pub threads: u32,
    /// `innodb_purge_batch_size`: undo log pages of a batch.
    pub batch_pages: u32,
    /// How the work of a batch is given to threads.
    pub shares: PurgeShares,
    /// What wakes a coordinator that has nothing to do.
    pub wake: PurgeWake,
    /// Calls of purge after which the history that is purged is cut off and its undo pages are freed.
    pub truncate_every: u32,
    /// How much of the purged history is cut off then.
    pub cut: HistoryCut,
    /// Delay of statements while purge lags.
    pub delay: DmlDelay,
    /// Whether purge also visits rows that were only inserted or updated, to reset their transaction numbers, and
    /// inserts too are history (MariaDB from 10.3).
    pub resets_rows: bool,
    /// Undo tablespaces and their truncation.
    pub undo: UndoConfig,
    /// Undo segments, where a cut frees those whose logs are all purged (MariaDB).
    pub undo_segments: Option<UndoSegments>,
    /// CPU times of its parts.
    pub times: PurgeTimes,
}

/// Calls for a batch by a thread that is woken for each: the one that purges, and two that find nothing before it rests.
const CALLS_A_BATCH: f64 = 3.0;

impl PurgeConfig {
    /// CPU time of an undo log alone, ns, in a history of that length on a host where a removal takes `removal`; of calls and
    /// cuts a batch's share.
    pub fn log_cpu(&self, history: f64, removal: SimDuration) -> f64 {
        let of = |part: u64| self.times.on(removal, part).0 as f64;
        let a_call = of(self.times.call) + of(self.times.cut_log) * history;
        of(self.times.log) + a_call * CALLS_A_BATCH / f64::from(self.batch_pages.max(1))
    }
}

/// CPU times of purge, ns, measured beside each other on one machine. Of a host counts what a removal takes there
/// ([`crate::run_spec::CpuSpec::purge_change`]), and here how the others compare with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeTimes {
    /// Removing or changing a record.
    pub removal: u64,
    /// Fetching an undo log and parsing its records.
    pub log: u64,
    /// A call, whether it finds anything or not, cutting off an empty history included.
    pub call: u64,
    /// A purged undo log that a cut walks over.
    pub cut_log: u64,
}

impl PurgeTimes {
    /// Of an undo log alone: 6 µs where a removal takes 17 (9.7, `oltp_update_non_index` and `oltp_write_only`).
    pub const OF_LOGS: PurgeTimes = PurgeTimes { removal: 3, log: 1, call: 0, cut_log: 0 };

    /// Fetching so many undo logs in a call, on a host where a removal takes `removal`.
    pub fn call(&self, logs: u64, removal: SimDuration) -> SimDuration {
        self.on(removal, self.call) + SimDuration(self.on(removal, self.log).0 * logs)
    }

    /// Walking over so many undo logs to cut off what may go.
    pub fn cut(&self, logs: u64, removal: SimDuration) -> SimDuration {
        self.on(removal, self.cut_log * logs)
    }

    fn on(&self, removal: SimDuration, part: u64) -> SimDuration {
        SimDuration(removal.0 * part / self.removal)
    }
}

/// Undo segments, one in each rollback segment. A transaction uses the one that is there; if it was freed, it makes a
/// new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoSegments {
    /// Rollback segments, which take transactions in turn.
    pub rollback_segments: u32,
    /// Redo of making an undo segment and of freeing it, bytes.
    pub redo_bytes: u32,
}

impl UndoSegments {
    /// Whether the next transaction has to make one: the last log of its rollback segment is cut off, or there was
    /// none.
    pub fn next_is_new(&self, committed: u64, cut_off: u64) -> bool {
        committed < cut_off + u64::from(self.rollback_segments)
    }
}

/// What wakes a purge coordinator that has nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PurgeWake {
    /// Each commit once the history is longer than threads x batch size, a wait of 10 ms before that (5.6 and later).
    LongHistory,
    /// Commits that make the length of the history a multiple of this (5.5). The thread rests only after a call that found
    /// nothing, the first one since it looked whether to rest.
    Multiple(u32),
    /// A timer (MariaDB).
    Timer(SimDuration),
}

/// How much of the purged history is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HistoryCut {
    /// All of it (5.7 and later, MariaDB).
    All,
    /// In each rollback segment what lies before an undo log that is not purged or before the end of an undo segment
    /// that is not used again (5.5, 5.6).
    BySegment {
        /// Rollback segments, which take transactions in turn.
        rollback_segments: u32,
        /// Whether the call that cuts is one more, after the last one that was due (5.6).
        with_one_more_call: bool,
    },
}

/// How the undo records of a batch are given to purge threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PurgeShares {
    /// In turn (5.6, 5.7).
    InTurn,
    /// All records of a table to the same thread (8.0, MariaDB).
    ByTable,
    /// By table, and in turn while the history is longer than `innodb_max_purge_lag` (8.0.26 and later).
    ByTableUnlessLagging,
}

/// Delay of statements that change rows while purge lags, for each row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DmlDelay {
    /// `innodb_max_purge_lag`; 0 for no delay.
    pub max_lag: u64,
    /// Taken off the ratio of history and limit: 0.5 or 0.9995.
    pub offset: f64,
    /// History up to which there is no delay whatever the limit.
    pub least_history: u64,
    /// `innodb_max_purge_lag_delay`, where it exists: the longest delay. 0 allows none.
    pub longest: Option<SimDuration>,
}

impl DmlDelay {
    /// The delay of one row at this length of the history list: 10 ms for each time that it exceeds the limit.
    pub fn at(&self, history: u64) -> SimDuration {
        if self.max_lag == 0 || history <= self.least_history || history <= self.max_lag {
            return SimDuration::ZERO;
        }
        // The servers divide in single precision.
        let ratio = f64::from(history as f32 / self.max_lag as f32);
        let delay = SimDuration::from_micros(((ratio - self.offset) * 10_000.0) as u64);
        self.longest.map_or(delay, |longest| delay.min(longest))
    }
}

/// The system tablespace.
const SYSTEM_SPACE: u32 = 0;
/// Undo tablespaces are numbered downwards from here, as 8.0 does it.
const FIRST_UNDO_SPACE: u32 = 0xffff_ffef;

/// Undo tablespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoConfig {
    /// Undo tablespaces; 0: undo logs lie in the system tablespace.
    pub tablespaces: u32,
    /// Pages of a new or truncated undo tablespace.
    pub initial_pages: u32,
    /// Size above which a tablespace is truncated, pages; `None` where truncation is off or there are fewer than two.
    pub truncate_above_pages: Option<u64>,
    /// What truncating one costs.
    pub truncation: UndoTruncation,
}

impl UndoConfig {
    /// Numbers of the tablespaces that hold undo logs.
    pub fn spaces(&self) -> impl Iterator<Item = u32> + use<> {
        let first = if self.tablespaces == 0 { SYSTEM_SPACE } else { FIRST_UNDO_SPACE };
        (0..self.tablespaces.max(1)).map(move |i| first - i)
    }
}

/// What truncating an undo tablespace costs, once all its undo logs are purged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UndoTruncation {
    /// A checkpoint at the current LSN before and after: every dirty page is flushed, twice (5.7, 8.0 before 8.0.21).
    Checkpoints,
    /// The file is replaced by a new one, logged; transactions that begin meanwhile wait if `blocks` (8.0.21 and
    /// later).
    Replacement {
        /// Whether the list of undo tablespaces is locked meanwhile.
        blocks: bool,
    },
    /// The file is cut off once the mini-transaction that does so is durable (MariaDB).
    Shrinking,
}

/// A read view that somebody holds open: purge does not pass what was committed after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadView {
    /// When it is opened.
    pub from: SimTime,
    /// When it is closed.
    pub until: SimTime,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undo_segment_is_made_anew_once_its_logs_are_cut_off() {
        let segments = UndoSegments { rollback_segments: 128, redo_bytes: 154 };
        let is_new = |committed, cut_off| segments.next_is_new(committed, cut_off);
        assert!(is_new(0, 0) && is_new(127, 0) && !is_new(128, 0), "the first round makes all of them");
        assert!(is_new(300, 300) && is_new(427, 300) && !is_new(428, 300), "and so does the one after all is purged");
        assert!(!is_new(300, 100), "a log that is still in the history keeps its segment");
    }

    const OLD: DmlDelay =
        DmlDelay { max_lag: 1000, offset: 0.5, least_history: 0, longest: Some(SimDuration::from_millis(300)) };

    #[test]
    fn the_delay_grows_by_ten_milliseconds_for_each_time_the_limit() {
        let us = |delay: DmlDelay, history| delay.at(history).0 / 1000;
        assert_eq!([0, 1000, 1001, 2000, 5000].map(|h| us(OLD, h)), [0, 0, 5_010, 15_000, 45_000]);
        let new = DmlDelay { offset: 0.9995, ..OLD };
        assert_eq!([1000, 1001, 2000].map(|h| us(new, h)), [0, 15, 10_005]);
        assert_eq!(us(OLD, 10_000_000), 300_000, "no longer than innodb_max_purge_lag_delay");
        assert_eq!(us(DmlDelay { longest: Some(SimDuration::ZERO), ..OLD }, 5000), 0, "which allows none by default");
        assert_eq!(us(DmlDelay { longest: None, ..OLD }, 100_000), 995_000, "5.5 has no such limit");
        assert_eq!(us(DmlDelay { least_history: 1200, ..OLD }, 1200), 0, "nor below what purge takes at once");
        assert_eq!(us(DmlDelay { max_lag: 0, ..OLD }, u64::MAX), 0);
    }
}
