//! Redo of index pages that split and merge again: it belongs to the age of an index and not to its load.
//!
//! The model splits no pages ([`innosim_core::workload`]). A real index that was built in one go has full pages. An
//! entry that is changed or inserted there splits the page; purge then removes the old entry, finds the halves small
//! enough, and merges them: the page is full again. Each such turn copies half a page twice, 15 KB of redo (measured:
//! 14 to 15 under 5.7.22, 15.7 under 9.7.4, 27 under 8.0.31). On freshly built indexes 0.4 to 0.6 transactions of
//! `oltp_write_only` and `oltp_update_index` do that, and redo is 6 to 12 KB a transaction instead of 0.7 to 1.5. With
//! write_only it ends within some 100 000 transactions (0.44 splits a transaction fell to 0.06 after 67 000); with
//! update_index it goes on (0.39 fell to 0.36 after 216 000). `oltp_insert` splits some and merges none.
//!
//! Looked at page by page (`INNODB_BUFFER_PAGE` of the 5.7.22 after 440 000 transactions of write_only), an index has
//! two kinds of pages: full ones with 1177 to 1203 entries, which is all that fits, and halves with some 605. So a
//! range of entries that was one page is one as long as it has no more than 1203 and two when it has more, as
//! insertions and deletions move its number up and down by one; and it is split and merged with each change of an entry
//! while it has exactly 1203, with each second one while it has 1202. Of 3810 such ranges 179 had 1203 entries and 208
//! had 1202, which makes 0.07 splits for an update of the indexed column; `index_page_splits` counted 0.08.

use super::counters::Load;
use innosim_recordings::Recording;

/// Redo of a split and the merge that follows, bytes.
const TURN_BYTES: f64 = 15_000.0;
/// Below this share of the redo it is not worth a word.
const NOTABLE: f64 = 0.1;

/// Splits a transaction, in the first and the last third of the load.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Splits {
    first: f64,
    last: f64,
}

impl Splits {
    fn of(splits: &[f64], transactions: &[f64]) -> Option<Splits> {
        let last = splits.len().checked_sub(1)?;
        let between = |from: usize, to: usize| {
            let done = transactions[to] - transactions[from];
            (done > 0.0).then(|| (splits[to] - splits[from]) / done)
        };
        Some(Splits { first: between(0, last / 3)?, last: between(last - last / 3, last)? })
    }
}

/// What to say about a load whose redo is in large part that of page splits; `redo_bytes` are those of a transaction.
pub(super) fn remark(recording: &Recording, load: &Load, redo_bytes: f64) -> Option<String> {
    let column = load.column(recording, &["m.index_page_splits"])?;
    let Splits { first, last } = Splits::of(&column, load.transactions())?;
    let share = (first + last) / 2.0 * TURN_BYTES / redo_bytes;
    (share >= NOTABLE).then(|| {
        format!(
            "redo bytes a transaction at another age of the indexes: {first:.2} pages a transaction were split in the first \
             third of the load and {last:.2} in the last (index_page_splits), most to be merged again, with some 15 KB of redo \
             each time. The model splits no pages and takes the mean; record when the indexes have aged, as production's have"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_a_transaction_fall_as_an_index_ages() {
        let transactions = [0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0];
        let splits = [0.0, 50.0, 90.0, 120.0, 140.0, 145.0, 150.0];
        assert_eq!(Splits::of(&splits, &transactions), Some(Splits { first: 0.45, last: 0.05 }));
        assert_eq!(Splits::of(&splits, &[0.0; 7]), None);
        assert_eq!(Splits::of(&[], &[]), None);
    }
}
