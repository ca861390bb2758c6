//! Index pages that split and merge again: how far an index has come since it was built, and the redo of that.
//!
//! A real index that was built in one go has full pages. An entry that is changed or inserted there splits the page;
//! purge then removes the old entry, finds the halves small enough, and merges them: the page is full again. Each such
//! turn copies half a page twice, 15 KB of redo (measured: 14 to 15 under 5.7.22, 15.7 under 9.7.4, 27 under 8.0.31). On
//! freshly built indexes 0.4 to 0.6 transactions of `oltp_write_only` and `oltp_update_index` do that, and redo is 6 to
//! 12 KB a transaction instead of 0.4 to 1.5. With write_only it ends within some 100 000 transactions (0.44 splits a
//! transaction fell to 0.06 after 67 000); with update_index it goes on (0.39 fell to 0.36 after 216 000).
//! `oltp_insert` splits some and merges none.
//!
//! Looked at page by page (`INNODB_BUFFER_PAGE` of the 5.7.22 after 440 000 transactions of write_only), an index has
//! two kinds of pages: full ones with 1177 to 1203 entries, which is all that fits, and halves with some 605. So a
//! range of entries that was one page is one as long as it has no more than 1203 and two when it has more, as
//! insertions and deletions move its number up and down by one; and it is split and merged with each change of an entry
//! while it has exactly 1203, with each second one while it has 1202. Of 3810 such ranges 179 had 1203 entries and 208
//! had 1202, which makes 0.07 splits for an update of the indexed column; `index_page_splits` counted 0.08.
//!
//! The model does the same ([`innosim_core::workload::IndexPages`]), from a number of insertions and deletions a page
//! since the index was built. Each makes a range larger or smaller by one, so that after `s` of them the share of the
//! ranges that have exactly 1203 entries is `exp(-s) I0(s)`, and that of those with 1202 is `exp(-s) I1(s)`. The number
//! that explains the counted splits of the first third of the load is taken.
//!
//! Simplification: entries are changed and inserted uniformly over the ranges, as where the load draws by the same
//! `--rand-type` as the one that prepared the tables. If not, most ranges shrink and some grow, and splits end sooner;
//! where the last third of a load has far fewer splits than follow from the first, they are left out and said.

use super::Parameter;
use super::counters::Load;
use innosim_flush_models::registry::ModelId;
use innosim_recordings::{Column, LoadPhase, Recording};

/// Entries that fit on a page of `k_1`.
const ENTRIES_A_PAGE: f64 = 1203.0;
/// Rows of a page at the end of the table, which grows by splits that copy nothing.
const ROWS_A_PAGE: f64 = 73.0;
/// Redo of a page that splits, and of two that merge, bytes, where the recording does not tell.
const SPLIT_BYTES: f64 = 7_350.0;
/// The same under 8.0.31.
const SPLIT_BYTES_8030: f64 = 13_700.0;
/// What a recording can tell.
const POSSIBLE_BYTES: std::ops::Range<f64> = 4_000.0..20_000.0;
/// The rates of splits in two times must differ by this factor to tell their redo.
const DIFFERENT: f64 = 1.5;
/// Below this share of the redo splits are left out.
const NOTABLE: f64 = 0.1;
/// Share of the redo that is left for the transactions at least.
const LEAST_OWN_SHARE: f64 = 0.1;
/// What is counted in the last third of the load must be this share of what follows from the first.
const LEAST_AT_LAST: f64 = 0.75;
/// Most changes a page that are looked for.
const MOST_CHANGES: f64 = 5_000.0;

/// What a transaction does to the index.
struct Changes {
    /// Entries inserted, changed ones included: each meets a full page or not.
    inserted: f64,
    /// Insertions and deletions that are not changes.
    moved: f64,
    /// Splits of the growing end of the table.
    of_table: f64,
    /// Whether entries are deleted too.
    deletes: bool,
}

fn changes_of(kind: &str) -> Option<Changes> {
    match kind {
        "sysbench-oltp-update-index" => Some(Changes { inserted: 1.0, moved: 0.0, of_table: 0.0, deletes: true }),
        "sysbench-oltp-write-only" | "sysbench-oltp-read-write" => {
            Some(Changes { inserted: 2.0, moved: 2.0, of_table: 0.0, deletes: true })
        }
        "sysbench-oltp-insert" => {
            Some(Changes { inserted: 1.0, moved: 1.0, of_table: 1.0 / ROWS_A_PAGE, deletes: false })
        }
        _ => None,
    }
}

/// What a recording says about index pages that split.
pub(super) enum Told {
    /// Nothing worth a word.
    Nothing,
    /// How an index splits.
    Splits(PageSplits),
    /// Splits a transaction in the first and in the last third, which the model does not explain.
    Unlike([f64; 2]),
}

/// How an index splits.
pub(super) struct PageSplits {
    /// Redo of splits and merges a transaction, bytes.
    pub(super) redo_bytes: f64,
    changes_a_page: f64,
    split_bytes: f64,
}

impl PageSplits {
    /// What the counters say.
    pub(super) fn told(recording: &Recording, load: &Load, kind: &str, phase: &LoadPhase) -> Told {
        PageSplits::of(recording, load, kind, phase).unwrap_or(Told::Nothing)
    }

    /// The same; `None` if splits are not recorded or take little of the redo.
    fn of(recording: &Recording, load: &Load, kind: &str, phase: &LoadPhase) -> Option<Told> {
        let changes = changes_of(kind)?;
        let done = load.transactions();
        let splits = load.column(recording, &["m.index_page_splits"])?;
        let splits = splits.with(&Column::from(done.to_vec()), |splits, done| splits - changes.of_table * done);
        // A counter that stayed zero is not in a recording.
        let merges =
            load.column(recording, &["m.index_page_merge_successful"]).unwrap_or_else(|| Column::zeros(done.len()));
        let both = splits.with(&merges, |splits, merges| splits + merges);
        let last = done.len() - 1;
        let thirds = [(0, last / 3), (last - last / 3, last)];
        let a_transaction = |column: &Column, (from, to): (usize, usize)| {
            let (transactions, grown) = (done[to] - done[from], column.at(to)? - column.at(from)?);
            (transactions > 0.0).then(|| grown / transactions)
        };
        let rates = [a_transaction(&both, thirds[0])?, a_transaction(&both, thirds[1])?];
        let redo = [a_transaction(load.lsn(), thirds[0])?, a_transaction(load.lsn(), thirds[1])?];
        let by_default =
            if recording.server.model == Some(ModelId::Mysql8030) { SPLIT_BYTES_8030 } else { SPLIT_BYTES };
        let split_bytes = told_by(rates, redo).unwrap_or(by_default);
        let (all_redo, all) = (a_transaction(load.lsn(), (0, last))?, a_transaction(&both, (0, last))?);
        let redo_bytes = (split_bytes * all).min(all_redo * (1.0 - LEAST_OWN_SHARE));
        if redo_bytes < NOTABLE * all_redo {
            return None;
        }
        let pages = f64::from(phase.tables) * phase.table_size as f64 / ENTRIES_A_PAGE;
        let moved_by = |place: usize| changes.moved * (done[place] - done[0]) / pages;
        let counted = [a_transaction(&splits, thirds[0])?, a_transaction(&splits, thirds[1])?];
        let changes_a_page = changes.before(counted[0] / changes.inserted, moved_by(thirds[0].1));
        let at_last = changes.mean_tight_share(changes_a_page, [moved_by(thirds[1].0), moved_by(last)]);
        // Of insertions alone nearly all that splits does so in the beginning.
        if changes.deletes && counted[1] < LEAST_AT_LAST * at_last * changes.inserted {
            return Some(Told::Unlike(counted));
        }
        Some(Told::Splits(PageSplits { redo_bytes, changes_a_page, split_bytes }))
    }

    /// What goes into the scenario.
    pub(super) fn parameters(&self) -> [Parameter; 3] {
        let parameter = |name, value, unit, method: &str| {
            let method = method.to_owned();
            Parameter { name, value, uncertainty: None, unit, method }
        };
        let age = "insertions and deletions a page after which pages split as often as index_page_splits says";
        [
            parameter("index_entries_per_page", ENTRIES_A_PAGE, "", "all that fits"),
            parameter("index_changes_a_page", self.changes_a_page, "", age),
            parameter(
                "index_split_bytes",
                self.split_bytes,
                "bytes",
                "redo of a page that splits, or of two that merge",
            ),
        ]
    }
}

/// Redo of a split or merge, bytes, told by two times in which there were different numbers of them a transaction.
fn told_by(rates: [f64; 2], redo: [f64; 2]) -> Option<f64> {
    let [many, few] = rates;
    let bytes = (redo[0] - redo[1]) / (many - few);
    (many > DIFFERENT * few && POSSIBLE_BYTES.contains(&bytes)).then_some(bytes)
}

/// Mean over the half circle of a function of the cosine and the sine: `exp(-s) I_n(s)` is that of
/// `exp(s (cos t - 1)) cos(n t)`.
fn half_circle(of: impl Fn(f64, f64) -> f64) -> f64 {
    const PLACES: u32 = 300;
    let at = |place: u32| (f64::from(place) + 0.5) * std::f64::consts::PI / f64::from(PLACES);
    (0..PLACES).map(|place| of(at(place).cos(), at(place).sin())).sum::<f64>() / f64::from(PLACES)
}

impl Changes {
    /// Share of the insertions that meet a page without room `moved` insertions and deletions a page after the first
    /// `before`. With deletions: a page that has exactly what fits, and each second time one that has one entry less.
    /// Without: a range that gets to that number by insertions alone, of which there are a Poisson number.
    fn tight_share(&self, before: f64, moved: f64) -> f64 {
        if self.deletes {
            half_circle(|cos, _| ((before + moved) * (cos - 1.0)).exp() * (1.0 + 0.5 * cos))
        } else {
            half_circle(|cos, sin| ((before + moved) * (cos - 1.0)).exp() * (moved * sin).cos())
        }
    }

    /// The same in the mean over a time, from so many of them a page to so many.
    fn mean_tight_share(&self, before: f64, [from, to]: [f64; 2]) -> f64 {
        const PARTS: u32 = 64;
        let at = |part: u32| from + (to - from) * (f64::from(part) + 0.5) / f64::from(PARTS);
        (0..PARTS).map(|part| self.tight_share(before, at(part))).sum::<f64>() / f64::from(PARTS)
    }

    /// Insertions and deletions a page before a time in which there are `moved` more and the share `tight` of insertions
    /// met a page without room.
    fn before(&self, tight: f64, moved: f64) -> f64 {
        let (mut low, mut high) = (0.0, MOST_CHANGES);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.mean_tight_share(middle, [0.0, moved]) > tight { low = middle } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_tell_how_often_they_split() {
        // The share of pages that are exactly full falls by the root of the changes; recorded: 4.7 and 5.5 % of ranges.
        let wo = changes_of("sysbench-oltp-write-only").unwrap();
        assert!((wo.tight_share(0.0, 0.0) - 1.0).abs() < 1e-12);
        assert!((wo.tight_share(64.0, 0.0) - 1.5 * 0.0499).abs() < 1e-3, "{}", wo.tight_share(64.0, 0.0));
        for changes in [0.3, 2.0, 64.0, 900.0] {
            assert!((wo.before(wo.tight_share(changes, 0.0), 0.0) / changes - 1.0).abs() < 1e-6);
        }
        let during = (wo.tight_share(2.25, 0.0) + wo.tight_share(2.75, 0.0)) / 2.0;
        assert!((wo.before(during, 1.0) - 2.0).abs() < 0.05, "{}", wo.before(during, 1.0));
        // Splits a transaction of a real 5.7.22 after so many thousand of write_only on tables just built.
        for (thousands, recorded) in [(5.6, 1.118), (14.1, 0.704), (22.5, 0.536), (31.0, 0.464), (43.6, 0.363)] {
            let split = wo.inserted * wo.tight_share(0.0, wo.moved * thousands * 1e3 / (9.6e6 / ENTRIES_A_PAGE));
            assert!((split / recorded - 1.0_f64).abs() < 0.13, "{thousands}: {split}, recorded {recorded}");
        }
        // Insertions alone split a page that is full with the first.
        let insert = changes_of("sysbench-oltp-insert").unwrap();
        assert!((insert.tight_share(0.0, 2.0) - (-2.0_f64).exp()).abs() < 1e-9);
    }

    #[test]
    fn two_times_tell_the_redo_of_a_split() {
        assert_eq!(told_by([0.75, 0.25], [8_000.0, 4_000.0]), Some(8_000.0));
        assert_eq!(told_by([0.75, 0.625], [8_000.0, 7_000.0]), None);
        assert_eq!(told_by([0.75, 0.25], [8_000.0, 7_900.0]), None);
    }
}
