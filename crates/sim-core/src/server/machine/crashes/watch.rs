//! What the actors tell about what they write and sync. Nothing is done unless crashes are wanted.

use super::{CopyId, Crashes};
use crate::kernel::time::SimTime;
use crate::server::machine::Observers;
use crate::server::machine::ids::{BatchId, RoundId, ThreadId};
use std::collections::BTreeSet;

impl Observers {
    /// `batches`, that of a thread and those that share the buffer with it, are submitted to the doublewrite. They are safe
    /// there at `done`, or when its file is synced.
    pub(in crate::server) fn doublewrite_written(
        &mut self,
        thread: ThreadId,
        batches: &[BatchId],
        done: SimTime,
        sync_follows: bool,
    ) {
        let Some(crashes) = &mut self.crashes else { return };
        let safe_at = if sync_follows { SimTime::NEVER } else { done };
        let mut copies = Vec::new();
        for &batch in batches {
            let made = crashes.of_batch.get(&batch).copied();
            let copy = made.unwrap_or_else(|| crashes.disk.copy(safe_at));
            crashes.disk.copy_safe_at(copy, safe_at);
            crashes.of_batch.insert(batch, copy);
            copies.push(copy);
        }
        crashes.of_thread.insert(thread, copies);
    }

    /// The doublewrite's file is synced at `done`, for the batches that the thread wrote there last.
    pub(in crate::server) fn doublewrite_synced(&mut self, thread: ThreadId, done: SimTime) {
        let Some(crashes) = &mut self.crashes else { return };
        for copy in crashes.of_thread.remove(&thread).unwrap_or_default() {
            crashes.disk.copy_synced_at(copy, done);
        }
    }

    /// A page was modified by redo from `before` to `lsn`.
    #[inline]
    pub(in crate::server) fn page_changed(&mut self, page: u32, before: u64, lsn: u64) {
        self.touched_pages.note(&[page], lsn);
        if let Some(crashes) = &mut self.crashes {
            crashes.modified(page, before, lsn);
        }
        if let Some(checker) = &mut self.checker {
            checker.note_newest(page, lsn);
        }
    }

    /// A page that a client flushes alone is submitted to the doublewrite.
    pub(in crate::server) fn single_page_copied(&mut self, page: u32, done: SimTime, sync_follows: bool) {
        let Some(crashes) = &mut self.crashes else { return };
        let copy = crashes.disk.copy(if sync_follows { SimTime::NEVER } else { done });
        crashes.of_page.insert(page, copy);
    }

    /// Its place there is synced at `done`.
    pub(in crate::server) fn single_page_copy_synced(&mut self, page: u32, done: SimTime) {
        let Some(crashes) = &mut self.crashes else { return };
        if let Some(&copy) = crashes.of_page.get(&page) {
            crashes.disk.copy_synced_at(copy, done);
        }
    }

    /// A page of a batch is submitted to its file; or, without a batch, one that a client flushes alone.
    #[inline]
    pub(in crate::server) fn page_write_posted(&mut self, page: u32, batch: Option<BatchId>, done: SimTime) {
        let Some(crashes) = &mut self.crashes else { return };
        let copy: Option<CopyId> = match batch {
            Some(batch) => crashes.of_batch.get(&batch).copied(),
            None => crashes.of_page.get(&page).copied(),
        };
        crashes.disk.write(page, done, copy);
    }

    /// A page that was freed has left its flush list without a write.
    #[inline]
    pub(in crate::server) fn page_dropped(&mut self, page: u32) {
        if let Some(crashes) = &mut self.crashes {
            crashes.disk.freed(page);
        }
    }

    /// A page has left its flush list, as its write is over.
    #[inline]
    pub(in crate::server) fn page_write_ended(&mut self, page: u32) {
        if let Some(Crashes { ended: Some(ended), .. }) = self.crashes.as_deref_mut() {
            ended.insert(page);
        }
    }

    /// A checkpoint begins to sync the data files and will look at the flush lists after that.
    pub(in crate::server) fn checkpoint_begins(&mut self) {
        if let Some(crashes) = &mut self.crashes {
            crashes.ended = Some(BTreeSet::new());
        }
    }

    /// It looks: `oldest` will be its LSN, whatever has left the lists since it began.
    pub(in crate::server) fn checkpoint_looks(&mut self, oldest: u64, now: SimTime) {
        let Some(crashes) = &mut self.crashes else { return };
        for page in crashes.ended.take().into_iter().flatten() {
            crashes.disk.slips_past(page, oldest, now);
        }
    }

    /// A data file is synced from now to `done`.
    pub(in crate::server) fn file_synced(&mut self, file: u16, done: SimTime, now: SimTime) {
        if let Some(crashes) = &mut self.crashes {
            crashes.disk.sync(file, now, done);
        }
    }

    /// The sync of a data file that began at `began` is over.
    pub(in crate::server) fn file_synced_since(&mut self, file: u16, began: SimTime, now: SimTime) {
        if let Some(crashes) = &mut self.crashes {
            crashes.disk.sync(file, began, now);
        }
    }

    /// A batch is over; what it holds of the doublewrite it gives back later.
    pub(in crate::server) fn batch_ended(&mut self, batch: BatchId) {
        if let Some(crashes) = &mut self.crashes {
            crashes.kept.extend(crashes.of_batch.remove(&batch));
        }
    }

    /// A sync round keeps what the batch that is just over, or those of the same buffer, hold.
    pub(in crate::server) fn round_began(&mut self, round: RoundId) {
        if let Some(crashes) = &mut self.crashes {
            let kept = std::mem::take(&mut crashes.kept);
            crashes.of_round.insert(round, kept);
        }
    }

    /// The round is over and gives it back.
    pub(in crate::server) fn round_ended(&mut self, round: RoundId) {
        let Some(crashes) = &mut self.crashes else { return };
        for copy in crashes.of_round.remove(&round).into_iter().flatten() {
            crashes.disk.copy_gone(copy);
        }
    }

    /// The batch that is just over, or those of the same buffer, give back what they hold without a sync.
    pub(in crate::server) fn copies_given_back(&mut self) {
        let Some(crashes) = &mut self.crashes else { return };
        for copy in std::mem::take(&mut crashes.kept) {
            crashes.disk.copy_gone(copy);
        }
    }

    /// A client has flushed a page alone.
    pub(in crate::server) fn single_page_ended(&mut self, page: u32) {
        if let Some(crashes) = &mut self.crashes
            && let Some(copy) = crashes.of_page.remove(&page)
        {
            crashes.disk.copy_gone(copy);
        }
    }
}
