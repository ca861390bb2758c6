//! What layers hand each other to say whom something is for: data, known to all of them.

use crate::seam::PassReport;
use crate::server::machine::events::Event;
use crate::server::machine::ids::{ClientId, ThreadId};

/// Who asks for something that takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::server) enum Requester {
    /// The page cleaner's coordinator (the master thread in 5.5).
    #[default]
    PageCleaner,
    /// A user thread.
    Client(ClientId),
    /// The LRU manager thread of an instance.
    LruManager(u32),
    /// The purge coordinator, which truncates an undo tablespace.
    Purge,
    /// A purge thread.
    PurgeThread(u32),
}

impl Requester {
    /// The event by which it goes on; the page cleaner has one for each thing that it waits for.
    pub(in crate::server) fn goes_on(self, page_cleaner: Event) -> Event {
        match self {
            Requester::PageCleaner => page_cleaner,
            Requester::Client(client) => Event::ClientResumes(client),
            Requester::LruManager(instance) => Event::LruManager(instance),
            Requester::Purge => Event::UndoTruncation,
            Requester::PurgeThread(thread) => Event::PurgeThread(thread),
        }
    }
}

/// Which list a batch comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::server) enum ListKind {
    /// LRU batches.
    Lru,
    /// Flush list batches.
    #[default]
    FlushList,
}

/// What a batch holds of the doublewrite until its data files are synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::server) enum Held {
    #[default]
    Nothing,
    /// A segment of this kind (a buffer for each instance).
    Segment(ListKind),
    /// The buffer of the whole server.
    Buffer,
}

/// What has ended, and lets an actor above go on as soon as the event that ended it is dealt with.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) enum Signal {
    /// A pass over the lists.
    PassDone {
        /// Who asked for it.
        requester: Requester,
        /// What it did.
        report: PassReport,
    },
    /// What the master thread had purged.
    PurgeDone,
}

/// A batch that is complete, whose data files are being synced: who goes on then, and what it gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum EndedBatch {
    /// An I/O thread, which holds the mutex of an instance maybe.
    IoThread { thread: u32, held: Held, mutex: Option<usize> },
    /// The thread that posted the batch and waited for it.
    Poster { thread: ThreadId, held: Held },
}

/// Who runs a round of data-file syncs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum RoundOwner {
    /// Whoever ends a batch.
    Batch(EndedBatch),
    /// The checkpointer.
    Checkpoint,
    /// A thread that will take a checkpoint, or join one, and whether it then waits for its block.
    Thread(Requester, bool),
}

/// How far a round is.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum RoundStep {
    /// It goes on by itself.
    Runs,
    /// It is over, and its owner goes on.
    Over(RoundOwner),
}
