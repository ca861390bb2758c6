//! What the data device holds: the version of each page that is safe there, the writes of pages that are not safe yet, and
//! their copies in the doublewrite.
//!
//! A version of a page is known by two LSNs: the end of the newest modification in it, and the end of the first one that it
//! lacks.

use super::DeviceCache;
use innosim_core::kernel::time::SimTime;
use std::collections::BTreeMap;

/// A version of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Version {
    /// LSN at the end of the newest modification in it; 0 for the page as it was at the start.
    pub(super) has: u64,
    /// LSN at the end of the first modification that it lacks; 0 if it has all.
    pub(super) lacks: u64,
}

impl Version {
    fn modified(&mut self, lsn: u64) {
        if self.lacks == 0 {
            self.lacks = lsn;
        }
    }
}

/// A write of a page that a crash may undo, tear or leave whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageWrite {
    pub(super) version: Version,
    /// Where the newest modification in it counts as ended: see [`Disk::modified`].
    brings: u64,
    /// Of the page.
    file: u16,
    /// When the device has answered.
    pub(super) done: SimTime,
    /// The copy that it was made from, if any.
    pub(super) copy: Option<CopyId>,
    /// LSN of the checkpoint that this write did not hold back and whose syncs did not cover it, 0 for none: it ended after
    /// they began and before the look at the oldest modification.
    pub(super) slipped_past: u64,
}

/// Number of a set of pages that went to the doublewrite together.
pub(super) type CopyId = u64;

/// The data device.
#[derive(Debug)]
pub(super) struct Disk {
    cache: DeviceCache,
    /// By page: what no crash takes away.
    safe: Vec<Version>,
    /// By page: LSN at the end of its newest modification.
    newest: Vec<u64>,
    /// By page: where that counts as ended.
    newest_end: Vec<u64>,
    /// Writes in the order of their submission, of pages that have any.
    writes: BTreeMap<u32, Vec<PageWrite>>,
    /// Syncs of files since somebody looked, and those in progress: file, begin, end.
    syncs: Vec<(u16, SimTime, SimTime)>,
    /// By file: what the device had answered by then is safe.
    safe_up_to: BTreeMap<u16, SimTime>,
    /// When each copy that is still in the doublewrite is safe there.
    copies: BTreeMap<CopyId, SimTime>,
    next_copy: CopyId,
}

impl Disk {
    pub(super) fn new(cache: DeviceCache) -> Self {
        Disk {
            cache,
            safe: Vec::new(),
            newest: Vec::new(),
            newest_end: Vec::new(),
            writes: BTreeMap::new(),
            syncs: Vec::new(),
            safe_up_to: BTreeMap::new(),
            copies: BTreeMap::new(),
            next_copy: 0,
        }
    }

    /// A page was modified by redo of which `lsn` is there, and which ends at `end`.
    pub(super) fn modified(&mut self, page: u32, lsn: u64, end: u64) {
        let place = page as usize;
        if place >= self.newest.len() {
            self.newest.resize(place + 1, 0);
            self.newest_end.resize(place + 1, 0);
            self.safe.resize(place + 1, Version::default());
        }
        (self.newest[place], self.newest_end[place]) = (lsn, end);
        self.safe[place].modified(end);
        for write in self.writes.get_mut(&page).into_iter().flatten() {
            write.version.modified(end);
        }
    }

    /// A page was freed: nobody needs what was on it, so no version of it lacks anything.
    pub(super) fn freed(&mut self, page: u32) {
        if let Some(safe) = self.safe.get_mut(page as usize) {
            *safe = Version { has: safe.has, lacks: 0 };
        }
        self.writes.remove(&page);
    }

    /// A page is submitted as it is now; the device answers at `done`.
    pub(super) fn write(&mut self, page: u32, file: u16, done: SimTime, copy: Option<CopyId>) {
        let of_page = |lsns: &[u64]| lsns.get(page as usize).copied().unwrap_or(0);
        let (has, brings) = (of_page(&self.newest), of_page(&self.newest_end));
        let version = Version { has, lacks: 0 };
        self.writes.entry(page).or_default().push(PageWrite { version, brings, file, done, copy, slipped_past: 0 });
    }

    /// The last write of a page that is over ended between the syncs of this checkpoint and its look at the flush lists.
    pub(super) fn slips_past(&mut self, page: u32, checkpoint: u64, now: SimTime) {
        let writes = self.writes.get_mut(&page).into_iter().flatten();
        if let Some(write) = writes.rev().find(|write| write.done <= now) {
            write.slipped_past = checkpoint;
        }
    }

    /// Whether the change that ends at `lsn` is on its way to the device in a write that slipped past this checkpoint.
    pub(super) fn slipped(&self, page: u32, lsn: u64, checkpoint: u64) -> bool {
        let brings = |write: &&PageWrite| write.brings >= lsn;
        self.writes
            .get(&page)
            .and_then(|writes| writes.iter().find(brings))
            .is_some_and(|write| write.slipped_past >= checkpoint)
    }

    /// A sync of a data file begins and ends.
    pub(super) fn sync(&mut self, file: u16, begin: SimTime, end: SimTime) {
        self.syncs.push((file, begin, end));
    }

    /// Pages are on their way to the doublewrite and are safe there at `safe_at`.
    pub(super) fn copy(&mut self, safe_at: SimTime) -> CopyId {
        self.next_copy += 1;
        self.copies.insert(self.next_copy, safe_at);
        self.next_copy
    }

    /// A copy is safe no earlier than this.
    pub(super) fn copy_safe_at(&mut self, copy: CopyId, safe_at: SimTime) {
        if let Some(at) = self.copies.get_mut(&copy) {
            *at = safe_at.max(*at);
        }
    }

    /// A copy that waited for a sync is safe from then on.
    pub(super) fn copy_synced_at(&mut self, copy: CopyId, safe_at: SimTime) {
        if let Some(at) = self.copies.get_mut(&copy) {
            *at = safe_at;
        }
    }

    /// The place of a copy may be written over.
    pub(super) fn copy_gone(&mut self, copy: CopyId) {
        self.copies.remove(&copy);
    }

    /// Whether a copy is there and safe.
    pub(super) fn has_copy(&self, copy: CopyId, now: SimTime) -> bool {
        self.copies.get(&copy).is_some_and(|&safe_at| safe_at <= now)
    }

    /// Takes note of what has become safe by now. A sync makes safe what the device had answered when it began, of its own
    /// file; a cache that keeps what it has makes safe all that is answered.
    pub(super) fn settle(&mut self, now: SimTime) {
        for (file, begin, _) in self.syncs.extract_if(.., |&mut (.., end)| end <= now) {
            let up_to = self.safe_up_to.entry(file).or_default();
            *up_to = begin.max(*up_to);
        }
        let (cache, up_to, safe) = (self.cache, &self.safe_up_to, &mut self.safe);
        let is_safe = |write: &PageWrite| match cache {
            DeviceCache::Protected => write.done <= now,
            DeviceCache::Volatile => up_to.get(&write.file).is_some_and(|&begin| write.done <= begin),
        };
        self.writes.retain(|&page, writes| {
            while writes.first().is_some_and(&is_safe) {
                safe[page as usize] = writes.remove(0).version;
            }
            !writes.is_empty()
        });
    }

    /// Pages with what is safe of them.
    pub(super) fn safe(&self) -> impl Iterator<Item = (u32, Version)> + '_ {
        self.safe.iter().enumerate().map(|(page, &version)| (page as u32, version))
    }

    /// Pages with the writes that are not safe.
    pub(super) fn unsafe_writes(&self) -> impl Iterator<Item = (u32, &[PageWrite])> + '_ {
        self.writes.iter().map(|(&page, writes)| (page, writes.as_slice()))
    }

    /// Pages that redo after `lsn` touches.
    pub(super) fn touched_since(&self, lsn: u64) -> u64 {
        self.newest.iter().filter(|&&newest| newest > lsn).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u32 = 3;

    /// Changes that end at LSN 10 and 20, each written at once: the first write is over at 1, the second at 5.
    fn two_writes() -> Disk {
        let mut disk = Disk::new(DeviceCache::Volatile);
        disk.modified(PAGE, 10, 10);
        disk.write(PAGE, 0, SimTime(1), None);
        disk.modified(PAGE, 20, 20);
        disk.write(PAGE, 0, SimTime(5), None);
        disk
    }

    #[test]
    fn only_the_write_that_slipped_past_is_excused() {
        let mut disk = two_writes();
        disk.slips_past(PAGE, 30, SimTime(6));
        assert!(!disk.slipped(PAGE, 10, 30), "the first was over before the checkpoint began");
        assert!(disk.slipped(PAGE, 20, 30));
        assert!(!disk.slipped(PAGE, 20, 31), "the next checkpoint had to sync it");
        assert!(!disk.slipped(4, 20, 30));
    }

    #[test]
    fn a_write_that_is_not_over_has_not_slipped_past() {
        let mut disk = two_writes();
        disk.slips_past(PAGE, 30, SimTime(4));
        assert!(disk.slipped(PAGE, 10, 30) && !disk.slipped(PAGE, 20, 30));
    }

    #[test]
    fn a_change_without_redo_of_its_own_slips_past_with_its_write() {
        let mut disk = Disk::new(DeviceCache::Volatile);
        disk.modified(PAGE, 10, 11);
        disk.write(PAGE, 0, SimTime(1), None);
        assert_eq!(disk.safe().nth(PAGE as usize), Some((PAGE, Version { has: 0, lacks: 11 })));
        disk.slips_past(PAGE, 30, SimTime(2));
        assert!(disk.slipped(PAGE, 11, 30));
    }

    #[test]
    fn what_is_synced_lacks_nothing() {
        let mut disk = two_writes();
        disk.sync(0, SimTime(5), SimTime(7));
        disk.settle(SimTime(6));
        assert_eq!(disk.unsafe_writes().count(), 1, "the sync is not over");
        disk.settle(SimTime(7));
        assert_eq!(disk.unsafe_writes().count(), 0);
        assert_eq!(disk.safe().nth(PAGE as usize), Some((PAGE, Version { has: 20, lacks: 0 })));
    }
}
