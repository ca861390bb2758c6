//! The change buffer: changes of secondary index pages that are not in memory, kept until the page is read.
//!
//! Source: `innodb-5.6` section 3.2 and `innodb-5.5` section 3.2 for the pace of merging; the servers' documentation
//! for the rest. A change of a leaf page of a secondary index that is not unique need not read the page: it is recorded
//! in a tree of the system tablespace, in the order of pages. When the page is read, by whomever, its changes are
//! merged into it. Once a second the master thread reads such pages, those of a leaf that are neighbours at a time, from
//! a random place: 5 % of `innodb_io_capacity` while the server is busy (more once the buffer is over half full), all of it
//! while idle. That of 5.5 has its own times and amounts ([`crate::seam::CleanerAction::MergeChanges`]). A page that has no
//! room for more is read with those of its neighbours in the leaf whose changes fill more than three quarters of 2 KiB.
//! MariaDB does neither: it merges only what is read anyway.
//!
//! Entries that are inserted take room on their page, marks and removals none. A removal by purge waits if the page is known to have
//! another entry, that is, if changes wait that inserted or marked two or more which no removal that waits takes away; else the page
//! is read, as it might be empty after that (`innodb-5.6` section 3.2).
//!
//! A page of the tree keeps as many changes as fit, those of many index pages while each has few of them. As the pages
//! have more, leaves split in halves, one after the other, and merge again as they have fewer.
//!
//! Redo: a change that goes into the tree takes a little more than on its page, the first one for a page more than the
//! others (it is noted in the bitmap of the index's file), and merging takes redo of its own. Measured:
//! `docs/validation/sysbench-tpcc.md`, "sysbench-tpcc beside a real server".
//!
//! Simplifications: how many leaves are split follows from the mean of changes a page; these amounts of redo are the same
//! for changes of any length, and that of leaves which split and merge is written though no changes come (errs towards
//! more redo on an idle server); how much room a page has is drawn once where the layout of its index is not known, from what was counted in one index
//! ([`ROOM`]), and an entry of any index takes as much; pages that outgrow a page later than they are drawn (`prepare_rand_type`) have room at
//! once (errs towards fewer reads); when the room is used up the page is read; pages of the tree are never read back.

pub(super) mod pending_changes;

use crate::buffer_pool::{Modification, PageRun};
use crate::config::{ChangeBufferConfig, Merging, PAGE_BYTES};
use crate::kernel::random::{Rng, mix};
use crate::kernel::time::{SimDuration, SimTime};
use crate::redo::RedoLog;
use crate::server::base::Base;
use crate::server::change_buffer::pending_changes::PendingChanges;
use crate::server::flush::Flush;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ClientId;
use crate::workload::program::IndexChange;

/// Fewest index pages whose changes share a leaf of the tree.
pub(super) const PAGES_A_LEAF: u32 = 2;
/// Changes that a leaf of the tree holds, filled in random order.
const CHANGES_A_LEAF: u64 = PAGE_BYTES * 69 / 100 / CHANGE_BYTES;
/// Shares of the pages, in 1000ths from the fullest on, and the changes that their free space is good for: a bitmap knows
/// it as less than 512, 1024, 2048 bytes or more, and a change counts 28. Counted in an index that was filled in random
/// order.
const ROOM: [(u64, u32); 3] = [(15, 0), (46, 18), (108, 36)];
/// An entry of an index of two numbers and its part of the page's directory.
const ENTRY_BYTES: u32 = 13;
/// Changes that fit into a page with 2 KiB of free space; with more, no more are taken.
const MOST_CHANGES: u32 = 73;
/// Changes from which on a page is read along with a neighbour that is full: they take more than 1536 bytes.
const WORTH_READING: u32 = 55;
/// Pages of a file that are merged together lie in the same so many.
const MERGE_AREA: u32 = 8;
/// Entries that a page must be sure to have before a removal of one waits.
const LEAST_ENTRIES: u32 = 2;
/// Bytes of a change in the tree, its page two thirds full.
const CHANGE_BYTES: u64 = 70;
/// Redo of a change in the tree beyond that of one on its page, and of the first change for a page beyond that of others,
/// payload bytes.
const CHANGE_REDO: u32 = 10;
const FIRST_CHANGE_REDO: u32 = 73;
/// Redo of merging a change of 21 bytes: it is inserted into its page and deleted from the tree. Payload bytes.
const MERGED_CHANGE_REDO: u32 = 51;
/// Redo of leaves of the tree that split and merge while changes come and go, for each that goes, payload bytes.
const LEAVES_REDO: u32 = 70;
/// Redo of a page that changes are merged into, besides that, payload bytes.
const MERGED_PAGE_REDO: u32 = 50;
const A_SECOND: SimDuration = SimDuration::from_secs(1);
/// Share of the I/O capacity that goes into merging while the server is busy, percent.
const BUSY_PERCENT: u64 = 5;

/// State of the change buffer.
#[derive(Debug, Clone)]
pub(super) struct ChangeBuffer {
    config: ChangeBufferConfig,
    tree: PageRun,
    pending: PendingChanges,
    rng: Rng,
    last_activity: u64,
}

/// What became of a change.
pub(super) enum Buffered {
    /// It is in the change buffer.
    Done,
    /// The client waits for a page of the tree.
    Wait,
    /// The page must be read.
    No,
}

impl ChangeBuffer {
    /// Merging takes its share of this from now on, pages a second.
    pub(super) fn set_io_capacity(&mut self, pages_per_s: u64) {
        self.config.io_capacity = pages_per_s;
    }

    /// Whether any change ever waited in it.
    pub(super) fn was_used(&self) -> bool {
        self.pending.were_any()
    }

    pub(super) fn new(config: ChangeBufferConfig, tree: PageRun, rng: Rng) -> Self {
        ChangeBuffer { config, tree, pending: PendingChanges::default(), rng, last_activity: 0 }
    }

    /// Asks the processor for what is known of a page.
    #[inline]
    pub(super) fn prefetch(&self, page: u32) {
        self.pending.prefetch(page);
    }

    /// Pages that the tree takes now.
    fn pages(&self) -> u64 {
        self.pending.total() * CHANGE_BYTES / PAGE_BYTES
    }

    /// The leaf that keeps a page's changes.
    ///
    /// Leaves hold the changes of `whole` index pages or of half as many, in such shares that they are filled in the
    /// mean. Each splits when the share that is split has passed a number of its own.
    fn leaf_of(&self, page: u32) -> u32 {
        let fit = (CHANGES_A_LEAF * (self.pending.pages() + 1)) as f64 / (self.pending.total() + 1) as f64;
        let fit = fit.max(f64::from(PAGES_A_LEAF));
        let mut whole = PAGES_A_LEAF;
        while f64::from(whole) < fit {
            whole *= 2;
        }
        let first = page / whole * whole;
        let splits_at = mix(u64::from(first)) as f64 / u64::MAX as f64;
        let split = splits_at < f64::from(whole) / fit - 1.0;
        let half = if split && page - first >= whole / 2 { whole / 2 } else { 0 };
        self.tree.first + (first + half) / PAGES_A_LEAF % self.tree.pages
    }

    /// Pages to merge in the coming second.
    fn pages_to_merge(&self, active: bool) -> u64 {
        if !active {
            return self.config.io_capacity;
        }
        let (size, max) = (self.pages(), self.config.max_pages);
        let extra = if size > max / 2 { (size - max / 2) * 100 / (max + 1) } else { 0 };
        self.config.io_capacity.saturating_mul(BUSY_PERCENT + extra) / 100
    }

    /// Pages whose changes are in the same leaf as those of `page`, this one included, and which lie near it.
    fn beside(&self, page: u32) -> impl Iterator<Item = u32> {
        let (first, leaf) = (page / MERGE_AREA * MERGE_AREA, self.leaf_of(page));
        let near = first..first + MERGE_AREA;
        near.filter(move |&near| self.pending.of(near) > 0 && self.leaf_of(near) == leaf)
    }

    /// Neighbours that are read along with a page that is full.
    fn read_with(&self, full: u32) -> Vec<u32> {
        let worth_it = |page: &u32| *page != full && self.pending.inserted(*page) >= WORTH_READING;
        self.beside(full).filter(worth_it).collect()
    }

    /// Some neighbours with changes, at a random place; none if there are no changes.
    fn pick(&mut self) -> Vec<u32> {
        let page = self.pending.random(&mut self.rng);
        page.map(|page| self.beside(page).collect()).unwrap_or_default()
    }
}

/// Changes that so many free places of a page are good for: its bitmap knows them as less than 512, 1024, 2048 bytes or more.
fn changes_that_fit(places: u32) -> u32 {
    match places.saturating_mul(ENTRY_BYTES) {
        0..512 => 0,
        512..1024 => 18,
        1024..2048 => 36,
        _ => MOST_CHANGES,
    }
}

/// Entries that the free space of a page is good for whose index has no layout.
fn room_by_chance(page: u32) -> u32 {
    let part = mix(u64::from(page) + 1) % 1000;
    ROOM.iter().find(|(up_to, _)| part < *up_to).map_or(MOST_CHANGES, |&(_, changes)| changes)
}

impl ChangeBuffer {
    /// Begins the master thread's merging, where there is any.
    pub(super) fn start_merging(&mut self, machine: &mut Machine) {
        if self.config.merging == Merging::EachSecond {
            machine.calendar.schedule(machine.now + A_SECOND, Event::Merge);
        }
    }

    /// Records a change by a client, with its redo, of a page that is not in memory.
    pub(super) fn buffer_change(
        &mut self,
        client: ClientId,
        page: u32,
        (change, redo_fixed): (IndexChange, u64),
        room: Option<u32>,
        (flush, base): (&mut Flush, &mut Base),
    ) -> Buffered {
        let Some(buffered) = self.part_buffered(page, change, room, &mut base.machine) else { return Buffered::No };
        loop {
            match self.record_change(page, (buffered, redo_fixed), &mut base.machine) {
                Err(leaf) if flush.page_write_over(client, leaf, base) => {}
                Err(_) => return Buffered::Wait,
                Ok(Buffered::Done) if buffered != change => return Buffered::No,
                Ok(done) => return done,
            }
        }
    }

    /// What of a change can wait: of an entry that is marked and another inserted beside it maybe the mark alone, for which the page is
    /// read then. Who finds a page without room has neighbours read along.
    fn part_buffered(
        &self,
        page: u32,
        change: IndexChange,
        room: Option<u32>,
        machine: &mut Machine,
    ) -> Option<IndexChange> {
        let room = room.map_or_else(|| room_by_chance(page), changes_that_fit);
        let has_room = self.pending.inserted(page) < room;
        let inserts = self.config.inserts && has_room;
        if self.config.inserts && !has_room && change != IndexChange::Marks && self.config.merging != Merging::Nobody {
            let along = self.read_with(page);
            machine.read_for_merge(along);
        }
        match change {
            IndexChange::Inserts => inserts.then_some(change),
            IndexChange::Replaces if inserts && self.config.marks => Some(change),
            IndexChange::Marks | IndexChange::Replaces => self.config.marks.then_some(IndexChange::Marks),
            IndexChange::Removes => None,
        }
    }

    /// Records a removal by purge of a record on a page that is not in memory; whether it is recorded. Not if the page could be
    /// empty after that, for all that is known here.
    pub(super) fn buffer_removal(&mut self, page: u32, redo_fixed: u64, machine: &mut Machine) -> bool {
        self.config.removals
            && self.pending.entries(page) >= LEAST_ENTRIES
            && matches!(self.record_change(page, (IndexChange::Removes, redo_fixed), machine), Ok(Buffered::Done))
    }

    /// Records a change; the page of the tree that is under write, if that is in the way.
    fn record_change(
        &mut self,
        page: u32,
        (change, redo_fixed): (IndexChange, u64),
        machine: &mut Machine,
    ) -> Result<Buffered, u32> {
        if machine.page_reads.contains_key(&page) || self.pages() >= self.config.max_pages {
            return Ok(Buffered::No);
        }
        let leaf = self.leaf_of(page);
        if !machine.pool.pages.is_resident(leaf) {
            if !machine.take_or_free_frame(machine.space.instance_of(leaf)) {
                return Ok(Buffered::No);
            }
            machine.pool.page_arrived(leaf, &machine.space, machine.now);
        }
        if machine.pool.modify(leaf, machine.redo.current_lsn(), &machine.space, machine.now) != Modification::Done {
            return Err(leaf);
        }
        let more_redo = CHANGE_REDO + if self.pending.of(page) == 0 { FIRST_CHANGE_REDO } else { 0 };
        machine.append_change(leaf, redo_fixed + RedoLog::fixed(f64::from(more_redo)));
        self.pending.add(page, change);
        Ok(Buffered::Done)
    }

    /// A page has been read: its changes are merged into it.
    pub(super) fn merge_changes(&mut self, page: u32, base: &mut Base) {
        let Some(changes) = self.pending.take(page) else { return };
        base.machine.recorder.counts.merged_changes += u64::from(changes);
        if base.machine.pool.modify(page, base.machine.redo.current_lsn(), &base.machine.space, base.machine.now)
            == Modification::Done
        {
            let redo_bytes = MERGED_PAGE_REDO + changes * (MERGED_CHANGE_REDO + LEAVES_REDO);
            base.machine.append_change(page, RedoLog::fixed(f64::from(redo_bytes)));
            base.log.redo_appended(&mut base.machine);
            base.log.after_append(&mut base.machine);
        }
    }

    /// The master thread reads some pages that have changes, unless redo is short of room.
    pub(super) fn merge_in_background(&mut self, machine: &mut Machine) {
        let activity = machine.activity.count();
        let active = std::mem::replace(&mut self.last_activity, activity) != activity;
        let wanted = self.pages_to_merge(active);
        if machine.redo.current_lsn() <= machine.free_check_limit_lsn {
            self.merge_some(wanted, machine);
        }
        machine.calendar.schedule(machine.now + A_SECOND, Event::Merge);
    }

    /// The page cleaner merges, if that is its task: how many pages, unless it waits until they are there.
    #[must_use]
    pub(super) fn merge_by_cleaner(&mut self, wanted: u64, wait: bool, machine: &mut Machine) -> Option<u64> {
        let does = self.config.merging == Merging::PageCleaner;
        let begun = if does { self.merge_some(wanted, machine) } else { Reads::default() };
        if wait && begun.pages > 0 {
            machine.calendar.schedule(begun.last_arrives, Event::CleanerMerged(begun.pages));
            return None;
        }
        Some(begun.pages.into())
    }

    /// Reads about `wanted` pages that have changes, at random places. One that is come to twice counts twice.
    fn merge_some(&mut self, wanted: u64, machine: &mut Machine) -> Reads {
        // So many draws come to all pages but one in 3000.
        let mut wanted = wanted.min(8 * self.pending.pages());
        let mut begun = Reads::default();
        while wanted > 0 {
            let picked = self.pick();
            wanted = if picked.is_empty() { 0 } else { wanted.saturating_sub(picked.len() as u64) };
            begun = begun.and(machine.read_for_merge(picked));
        }
        begun
    }
}

impl Machine {
    /// Reads those pages that nobody reads yet, as far as there are frames for them.
    fn read_for_merge(&mut self, pages: Vec<u32>) -> Reads {
        let mut begun = Reads::default();
        for page in pages {
            if !self.page_reads.contains_key(&page) && self.take_or_free_frame(self.space.instance_of(page)) {
                let arrives = self.begin_read(page);
                self.calendar.schedule(arrives, Event::MergeRead(page));
                begun = begun.and(Reads { pages: 1, last_arrives: arrives });
            }
        }
        begun
    }
}

impl Machine {
    /// Appends the redo of a page just modified.
    pub(super) fn append_change(&mut self, page: u32, redo_fixed: u64) {
        let before = self.redo.current_lsn();
        self.redo.append(redo_fixed);
        self.redo.note_modified(&[page]);
        let lsn = self.redo.current_lsn();
        self.observers.page_changed(page, before, lsn);
    }
}

/// Reads that were begun.
#[derive(Debug, Clone, Copy, Default)]
struct Reads {
    pages: u32,
    last_arrives: SimTime,
}

impl Reads {
    fn and(self, other: Reads) -> Reads {
        Reads { pages: self.pages + other.pages, last_arrives: self.last_arrives.max(other.last_arrives) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bitmap knows free space as less than 512, 1024, 2048 bytes or more.
    #[test]
    fn free_places_are_good_for_as_many_changes_as_the_bitmap_tells() {
        assert_eq!([0, 39, 40, 79, 158, u32::MAX].map(changes_that_fit), [0, 0, 18, 36, 73, 73]);
    }
}
