//! What a flow can't be right about, and says so.

use innosim_core::config::{FlushNeighbors, MachineConfig};
use innosim_core::metrics::SecondSample;
use innosim_core::run_spec::RunSpec;
use innosim_core::server::RunError;
use innosim_core::storage::StorageSpec;
use innosim_core::workload::DriveSpec;

/// Seconds that are simulated exactly, from the beginning.
pub const EXACT_S: u64 = 30;
/// Least time in which the redo log fills up to where user threads stop, seconds: below it, what happens within a second decides
/// (it was off by up to a third with redo for one to four minutes).
pub(crate) const LEAST_REDO_S: f64 = 300.0;
/// The same where only runs at rest matter, which stay short of that.
pub(crate) const LEAST_REDO_AT_REST_S: f64 = 100.0;
/// Least length of a run, seconds: the exact parts of a shorter one take as long as all of it.
const LEAST_RUN_S: u64 = 300;
/// Seconds of the exact part at whose end the redo log's pace is looked at.
const PACE_S: usize = 10;
/// Most history at the end of the exact part, in seconds of transactions, of a purge that keeps up.
const MOST_HISTORY_S: f64 = 5.0;

/// Most windows of a run: where more are needed, throughput depends on something that the flow does not know.
const MOST_WINDOWS: usize = 16;

/// Why a flow refuses a scenario.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Refused {
    /// It would not pay.
    #[error("the run takes {seconds} s, and below {LEAST_RUN_S} s it is simulated page by page as quickly")]
    ShortRun {
        /// Its length.
        seconds: u64,
    },
    /// Pages come and go, and changes are buffered.
    #[error(
        "the data ({data} pages) is larger than the buffer pool ({pool} pages): pages are read and evicted, and changes buffered"
    )]
    DataBeyondPool {
        /// Pages of the workload.
        data: u64,
        /// Pages of the buffer pool.
        pool: u64,
    },
    /// Pages are read before they can become dirty.
    #[error(
        "only {:.0} % of some pages are in memory at the start, and reads decide until the rest is (workload.resident_share = 1 \
         starts warm)",
        100.0 * .share
    )]
    ColdStart {
        /// Least share of a page set.
        share: f64,
    },
    /// Arrivals wait in a queue.
    #[error("transactions arrive at a rate, and how long they wait decides (drive.kind is not \"closed\")")]
    OpenDrive,
    /// Places decide what is flushed.
    #[error("neighbours are flushed (innodb_flush_neighbors), so that places of pages decide")]
    Neighbors,
    /// TNT.
    #[error("changes of records are merged into pages later")]
    Records,
    /// A start in the middle.
    #[error("the run starts with dirty pages")]
    DirtyStart,
    /// Something outside the server.
    #[error("something besides the load has its times: stops of the drive, other programs, or open read views")]
    Times,
    /// A device that slows down.
    #[error("the device has burst credits, which are used up in the course of the run")]
    Credits,
    /// A purge that falls behind.
    #[error("purge falls behind: {transactions} transactions of history after {EXACT_S} s")]
    PurgeBehind {
        /// Length of the history.
        transactions: u64,
    },
    /// Undo tablespaces are truncated.
    #[error("undo tablespaces are truncated ({times} in the first {EXACT_S} s)")]
    UndoTruncation {
        /// How often.
        times: u64,
    },
    /// Seconds decide.
    #[error(
        "the redo log fills up in {seconds:.0} s at the present rate, and below {least_s:.0} s what happens within a second \
         decides"
    )]
    ShortRedo {
        /// Time until user threads stop if nothing is flushed.
        seconds: f64,
        /// Least of it.
        least_s: f64,
    },
    /// Versions without a page cleaner like the others.
    #[error(
        "the page cleaner of this version takes no other rule, or purges, merges changes and takes checkpoints itself"
    )]
    Cleaner,
    /// Versions whose user threads flush.
    #[error("user threads of this version flush pages, or wait for the page cleaner, when the redo log is full")]
    UserThreads,
    /// The closure is not one.
    #[error(
        "throughput does not settle: {MOST_WINDOWS} exact windows had been measured by second {at_s}, and another was needed"
    )]
    Unsettled {
        /// When one more was needed.
        at_s: u64,
    },
}

/// Why there is none.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FlowError {
    /// This tier can't be right there.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// An exact part gave up.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Refuses what is known to be out of reach before anything runs.
pub(crate) fn by_spec(spec: &RunSpec, config: &MachineConfig) -> Result<(), Refused> {
    let workload = &spec.workload;
    let data: u64 = workload.page_sets.iter().map(|set| set.pages).sum();
    let pool = config.buffer_pool.pages;
    let touched = workload.transactions.iter().flat_map(|transaction| &transaction.touches);
    let sets = touched.flat_map(|touch| &workload.access_classes[touch.class as usize].page_sets);
    let share = sets.map(|set| workload.page_sets[*set as usize].resident_share).fold(1.0, f64::min);
    let seconds = spec.duration.whole_seconds();
    let times = !workload.stops.is_empty() || !spec.other_programs.is_empty() || !spec.read_views.is_empty();
    let reasons = [
        (config.records.is_some(), Refused::Records),
        (spec.dirty_start.is_some(), Refused::DirtyStart),
        (!matches!(workload.drive, DriveSpec::Closed { .. }), Refused::OpenDrive),
        (times, Refused::Times),
        (config.flush_neighbors != FlushNeighbors::None, Refused::Neighbors),
        (has_credits(&spec.storage), Refused::Credits),
        (data > pool, Refused::DataBeyondPool { data, pool }),
        (share < 1.0, Refused::ColdStart { share }),
        (seconds < LEAST_RUN_S, Refused::ShortRun { seconds }),
    ];
    refuse(&reasons)
}

fn has_credits(storage: &StorageSpec) -> bool {
    std::iter::once(&storage.data).chain(&storage.redo).any(|device| device.burst.is_some())
}

/// Refuses what the seconds that were simulated page by page tell.
pub(crate) fn by_exact_part(rows: &[SecondSample], stop_bytes: u64, least_s: f64) -> Result<(), Refused> {
    let last = &rows[rows.len().saturating_sub(PACE_S)..];
    let each_s = |of: fn(&SecondSample) -> u64| last.iter().map(of).sum::<u64>() as f64 / last.len().max(1) as f64;
    let seconds = stop_bytes as f64 / each_s(|row| row.redo_generated_bytes);
    let transactions = rows.last().map_or(0, |row| row.history_list_length);
    let times = rows.iter().map(|row| row.undo_truncations).sum();
    refuse(&[
        (times > 0, Refused::UndoTruncation { times }),
        (transactions as f64 > MOST_HISTORY_S * each_s(|row| row.transactions), Refused::PurgeBehind { transactions }),
        (seconds < least_s, Refused::ShortRedo { seconds, least_s }),
    ])
}

/// Refuses another window after so many.
pub(crate) fn by_windows(made: usize, at_s: u64) -> Result<(), Refused> {
    refuse(&[(made >= MOST_WINDOWS, Refused::Unsettled { at_s })])
}

fn refuse(reasons: &[(bool, Refused)]) -> Result<(), Refused> {
    reasons.iter().find(|(holds, _)| *holds).map_or(Ok(()), |(_, refused)| Err(*refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact part of a run with these figures a second.
    fn rows(redo: u64, history: u64, truncations: u64) -> Vec<SecondSample> {
        let row = SecondSample {
            transactions: 1_000,
            redo_generated_bytes: redo,
            history_list_length: history,
            undo_truncations: truncations,
            ..SecondSample::default()
        };
        vec![row; EXACT_S as usize]
    }

    #[test]
    fn the_exact_part_tells_what_is_out_of_reach() {
        let stop_bytes = 3_000_000;
        assert_eq!(by_exact_part(&rows(10_000, 5_000, 0), stop_bytes, LEAST_REDO_S), Ok(()));
        assert_eq!(by_exact_part(&rows(0, 0, 0), stop_bytes, LEAST_REDO_S), Ok(()));
        let short = by_exact_part(&rows(20_000, 0, 0), stop_bytes, LEAST_REDO_S);
        assert_eq!(short, Err(Refused::ShortRedo { seconds: 150.0, least_s: 300.0 }));
        assert_eq!(by_exact_part(&rows(20_000, 0, 0), stop_bytes, LEAST_REDO_AT_REST_S), Ok(()));
        let sentence =
            "the redo log fills up in 150 s at the present rate, and below 300 s what happens within a second decides";
        assert_eq!(short.map_err(|why| why.to_string()), Err(sentence.to_owned()));
        let behind = by_exact_part(&rows(10_000, 5_001, 0), stop_bytes, LEAST_REDO_S);
        assert_eq!(behind, Err(Refused::PurgeBehind { transactions: 5_001 }));
        assert_eq!(by_windows(15, 900), Ok(()));
        assert_eq!(by_windows(16, 900), Err(Refused::Unsettled { at_s: 900 }));
        let truncated = by_exact_part(&rows(10_000, 0, 1), stop_bytes, LEAST_REDO_S);
        assert_eq!(truncated, Err(Refused::UndoTruncation { times: EXACT_S }));
    }
}
