//! Which touches of pages are changes and reads of single records, and how large those are: for a server that keeps
//! records, not pages.
//!
//! A workload says which pages a transaction touches. A change is one of a record if it writes redo and inserts nothing:
//! not where a run grows ([`DrawSpec::Append`]), nor where an index page takes a new entry. Reads of pages that have such
//! records are reads of records. How many rows a page holds follows from the keys of its classes, where they say; records
//! of other pages have the size that the server states.
//!
//! Simplifications: the entry that an update of an indexed column inserts is taken as an insertion, which changes its page
//! at once (errs towards more changes of pages); a visit of a walk is one record, also where it stands for the ten lines of
//! an order; the rows of a page are drawn equally (errs towards more different records where a few are hot).

use super::spec::{DrawSpec, Leaves, TouchSpec, TransactionSpec, WorkloadSpec};
use crate::config::PAGE_BYTES;
use crate::redo::RedoLog;

/// What a touch of a page is to a server that keeps records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordTouch {
    /// A touch of the page itself.
    Page,
    /// A read of one of its records.
    Read {
        /// Rows on the page.
        rows: u16,
    },
    /// A change of one of its records.
    Change {
        /// Rows on the page.
        rows: u16,
        /// Redo payload of the change, in the redo log's fixed-point form.
        redo_fixed: u64,
    },
}

/// The touches of each kind of transaction. Those that the compiled program adds (page splits) are touches of pages.
pub fn record_touches(spec: &WorkloadSpec, record_bytes: u32) -> Vec<Vec<RecordTouch>> {
    let usual = PAGE_BYTES / u64::from(record_bytes.max(1));
    let rows: Vec<u16> =
        (0..spec.page_sets.len() as u32).map(|set| at_most_16_bits(rows_of(spec, set, usual))).collect();
    let set_of = |touch: &TouchSpec| spec.access_classes[touch.class as usize].page_sets.first().copied();
    let touches = || spec.transactions.iter().flat_map(|kind| &kind.touches);
    let sets_of = |touch: &TouchSpec| spec.access_classes[touch.class as usize].page_sets.clone();
    let changed: Vec<u32> = touches().filter(|touch| changes_record(spec, touch)).flat_map(sets_of).collect();
    let what = |touch: &TouchSpec| match set_of(touch) {
        Some(set) if changes_record(spec, touch) => RecordTouch::Change {
            rows: rows[set as usize],
            redo_fixed: RedoLog::fixed((touch.redo_bytes - touch.purge_redo_bytes).max(0.0)),
        },
        Some(set) if !touch.modify && changed.contains(&set) => RecordTouch::Read { rows: rows[set as usize] },
        _ => RecordTouch::Page,
    };
    spec.transactions.iter().map(|kind| kind.touches.iter().map(what).collect()).collect()
}

/// Redo payload of the largest transaction, bytes: all its touches as often as they may be, each splitting its page.
pub fn largest_redo(spec: &WorkloadSpec) -> u64 {
    let of_touch = |touch: &TouchSpec| {
        let split = spec.access_classes[touch.class as usize].draw.split_redo_bytes();
        let split = split.filter(|_| touch.inserts && touch.modify).unwrap_or(0.0);
        f64::from(touch.max) * (touch.redo_bytes + split)
    };
    let of_kind = |kind: &TransactionSpec| kind.base_redo_bytes + kind.touches.iter().map(of_touch).sum::<f64>();
    spec.transactions.iter().map(|kind| of_kind(kind) as u64 + 1).max().unwrap_or(0)
}

fn changes_record(spec: &WorkloadSpec, touch: &TouchSpec) -> bool {
    let draw = &spec.access_classes[touch.class as usize].draw;
    let grows = matches!(draw, DrawSpec::Append { .. });
    let splits = touch.inserts && draw.split_redo_bytes().is_some();
    let inserts = splits || touch.bufferable && touch.leaves != Leaves::Marked;
    touch.modify && touch.redo_bytes > 0.0 && !grows && !inserts
}

fn at_most_16_bits(rows: u64) -> u16 {
    u16::try_from(rows.max(1)).unwrap_or(u16::MAX)
}

/// Rows on a page of a set, by the first class that says so.
fn rows_of(spec: &WorkloadSpec, set: u32, usual: u64) -> u64 {
    let pages = spec.page_sets[set as usize].pages.max(1);
    let classes = spec.access_classes.iter().filter(|class| class.page_sets.contains(&set));
    let stated = |draw: &DrawSpec| match draw {
        DrawSpec::NuRand { range, groups, .. } => Some(u64::from(*range) * u64::from(*groups) / pages),
        DrawSpec::Append { rows_per_page, .. } | DrawSpec::Walk { rows_per_page, .. } => {
            // A walk that never leaves its page says nothing about rows.
            Some(u64::from(*rows_per_page)).filter(|rows| *rows < PAGE_BYTES)
        }
        _ => None,
    };
    classes.filter_map(|class| stated(&class.draw)).find(|rows| *rows > 0).unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::sampler::DurationDist;
    use crate::workload::{AccessClassSpec, DriveSpec, PageSetSpec, TransactionSpec, UndoSpec};

    fn touch(class: u32, modify: bool, redo_bytes: f64) -> TouchSpec {
        TouchSpec {
            class,
            min: 1,
            max: 1,
            probability: 1.0,
            modify,
            bufferable: false,
            redo_bytes,
            inserts: false,
            leaves: Leaves::Nothing,
            purge_redo_bytes: 0.0,
            recent: None,
        }
    }

    fn workload(draws: Vec<DrawSpec>, touches: Vec<TouchSpec>) -> WorkloadSpec {
        let set = |name: usize| PageSetSpec {
            name: name.to_string(),
            space_id: 1,
            pages: 1000,
            resident_share: 1.0,
            freed: false,
        };
        let class = |(n, draw)| AccessClassSpec { name: String::new(), page_sets: vec![n as u32], draw };
        let nothing = DurationDist::Fixed { us: 0.0 };
        WorkloadSpec {
            page_sets: (0..draws.len()).map(set).collect(),
            access_classes: draws.into_iter().enumerate().map(class).collect(),
            transactions: vec![TransactionSpec {
                name: String::new(),
                weight: 1.0,
                cpu: nothing.clone(),
                touches,
                base_redo_bytes: 0.0,
                undo: UndoSpec::default(),
            }],
            drive: DriveSpec::Closed { clients: 1, think: nothing },
            stops: Vec::new(),
            cores: 1,
        }
    }

    #[test]
    fn updates_are_of_records_and_insertions_are_of_pages() {
        let nurand = DrawSpec::NuRand { a: 255, range: 5000, groups: 10, constants: 1, at_home: false };
        let append = DrawSpec::Append { points: 1, rows_per_page: 100, home_points: 0 };
        let index_entry = TouchSpec { bufferable: true, ..touch(2, true, 60.0) };
        let removed_entry = TouchSpec { leaves: Leaves::Marked, ..index_entry.clone() };
        let purged = TouchSpec { purge_redo_bytes: 20.0, ..touch(0, true, 100.0) };
        let touches =
            vec![purged, touch(0, false, 0.0), touch(1, true, 100.0), index_entry, removed_entry, touch(3, true, 0.0)];
        let draws = vec![nurand, append, DrawSpec::Uniform, DrawSpec::Uniform];
        let found = record_touches(&workload(draws, touches), 200);
        let (eighty, sixty) = (RedoLog::fixed(80.0), RedoLog::fixed(60.0));
        assert_eq!(
            found[0],
            [
                RecordTouch::Change { rows: 50, redo_fixed: eighty },
                RecordTouch::Read { rows: 50 },
                RecordTouch::Page,
                RecordTouch::Page,
                RecordTouch::Change { rows: 81, redo_fixed: sixty },
                RecordTouch::Page,
            ]
        );
    }

    #[test]
    fn a_walk_on_the_spot_says_nothing_about_rows() {
        let on_the_spot = DrawSpec::Walk { points: 1, rows_per_page: u32::MAX, home_points: 0, stretch: 1.0 };
        let draws = vec![on_the_spot];
        let found = record_touches(&workload(draws, vec![touch(0, true, 10.0)]), 16);
        assert_eq!(found[0], [RecordTouch::Change { rows: 1024, redo_fixed: RedoLog::fixed(10.0) }]);
    }
}
