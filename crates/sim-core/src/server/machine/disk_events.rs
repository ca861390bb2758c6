//! What the actors write and sync, told to somebody who looks on: a line in each actor where it happens. A run that is watched is
//! the same run, byte for byte.
//!
//! Tests look with it at what a crash would leave at any moment (`tests/crashes`), and have a server break a rule of order, to
//! see that a crash finds it out.

use super::{Machine, Observers};
use crate::kernel::time::SimTime;
use crate::server::RunError;

/// Something that is written, synced, or no longer needed where it was written. Threads, batches and sync rounds go by numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "a field says what its name says")]
pub enum DiskEvent<'a> {
    /// A page was modified by redo from `before` to `lsn`. Where that is nothing, its redo is counted with another page's, or
    /// with the removal by purge that the change leads to, and still to come.
    PageChanged { page: u32, before: u64, lsn: u64 },
    /// `batches`, that of a thread and those that share the buffer with it, are submitted to the doublewrite. They are there at
    /// `done`, and safe then or when its file is synced.
    DoublewriteWritten { thread: u32, batches: &'a [u32], done: SimTime, sync_follows: bool },
    /// The doublewrite's file is synced at `done`, for the batches that the thread wrote there last.
    DoublewriteSynced { thread: u32, done: SimTime },
    /// A page that a client flushes alone is submitted to the doublewrite.
    SinglePageCopied { page: u32, done: SimTime, sync_follows: bool },
    /// Its place there is synced at `done`.
    SinglePageCopySynced { page: u32, done: SimTime },
    /// A page of a batch is submitted to its file; or, without a batch, one that a client flushes alone.
    PageWritePosted { page: u32, file: u16, batch: Option<u32>, done: SimTime },
    /// A page that was freed has left its flush list without a write.
    PageDropped { page: u32 },
    /// A page has left its flush list, as its write is over.
    PageWriteEnded { page: u32 },
    /// A client has flushed a page alone.
    SinglePageEnded { page: u32 },
    /// A checkpoint begins to sync the data files and will look at the flush lists after that.
    CheckpointBegins,
    /// It looks: `oldest` will be its LSN, whatever has left the lists since it began.
    CheckpointLooks { oldest: u64, now: SimTime },
    /// A data file is synced.
    FileSynced { file: u16, began: SimTime, done: SimTime },
    /// A batch is over; what it holds of the doublewrite it gives back later.
    BatchEnded { batch: u32 },
    /// A sync round keeps what the batch that is just over, or those of the same buffer, hold.
    RoundBegan { round: u32 },
    /// The round is over and gives it back.
    RoundEnded { round: u32 },
    /// The batch that is just over, or those of the same buffer, give back what they hold without a sync.
    CopiesGivenBack,
}

/// How far the redo log is, LSNs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogProgress {
    /// The last checkpoint.
    pub checkpoint: u64,
    /// The checkpoint whose block is on its way.
    pub on_its_way: Option<u64>,
    /// Durable up to here.
    pub durable: u64,
    /// Commits are acknowledged up to here.
    pub acknowledged: u64,
}

/// Who is told.
pub trait DiskObserver: Send {
    /// This happens.
    fn disk(&mut self, event: DiskEvent<'_>);

    /// Nothing happens until `next`.
    ///
    /// # Errors
    /// The instant and the reason to end the run there.
    fn before(&mut self, next: SimTime, log: LogProgress) -> Result<(), (SimTime, String)>;
}

/// A rule of order that a server is made to break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenRule {
    /// A checkpoint is taken without the data files synced before it.
    CheckpointBeforeSync,
    /// Pages are written before their redo is durable.
    PageBeforeRedo,
    /// Pages are written to their files before they are safe in the doublewrite.
    PageBeforeDoublewrite,
}

impl Observers {
    #[inline]
    pub(in crate::server) fn tell(&mut self, event: DiskEvent<'_>) {
        if let Some(disk) = &mut self.disk {
            disk.disk(event);
        }
    }

    /// A page was modified by redo from `before` to `lsn`.
    #[inline]
    pub(in crate::server) fn page_changed(&mut self, page: u32, before: u64, lsn: u64) {
        self.touched_pages.note(&[page], lsn);
        self.tell(DiskEvent::PageChanged { page, before, lsn });
        if let Some(checker) = &mut self.checker {
            checker.note_newest(page, lsn);
        }
    }
}

impl Machine {
    /// From now on `disk` is told. What a start in the middle of the work has dirty became so by redo before it.
    pub(in crate::server) fn tell_disk_events(&mut self, mut disk: Box<dyn DiskObserver>) {
        let lsn = self.redo.current_lsn();
        (0..self.space.pages())
            .filter(|&page| self.pool.pages.is_dirty(page))
            .for_each(|page| disk.disk(DiskEvent::PageChanged { page, before: lsn - 1, lsn }));
        self.observers.disk = Some(disk);
    }

    /// Nothing happens until the next event.
    pub(in crate::server) fn nothing_before(&mut self, event_at: SimTime) -> Result<(), RunError> {
        let log = LogProgress {
            checkpoint: self.last_checkpoint_lsn,
            on_its_way: self.checkpoint_on_its_way,
            durable: self.redo.position().durable_lsn,
            acknowledged: self.acknowledged_lsn,
        };
        let disk = self.observers.disk.as_mut();
        disk.map_or(Ok(()), |disk| disk.before(event_at, log)).map_err(|(at, what)| RunError::Invariant { at, what })
    }
}
