//! What can happen. No source: these are the simulator's own steps.

use crate::server::machine::ids::{BatchId, ClientId, RoundId, ThreadId};
/// Kinds of events, a bit each.
pub const EVENT_KINDS: u64 = ((1 << 53) - 2) & !(1 << 44) | 3 << 60;

/// Calendar events. One transaction costs about one of them; pages cost none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Event {
    /// A client's CPU work is done, or a wait inside the transaction is over: its page touches go on.
    ClientResumes(ClientId),
    /// A piece of work on the processors may be done, where they are shared.
    Computed,
    /// A thread that waited for the device wants a processor: the number of what it does then.
    Wakes(u32),
    /// A client starts its next transaction (after think time or a commit wait).
    Start(ClientId),
    /// The page a client waited for has been read.
    ReadDone(ClientId),
    /// A single-page flush of a client moves on.
    SinglePage(ClientId),
    /// The next arrival of an open drive.
    Arrival,
    /// The redo write in progress ends and somebody waits for it.
    RedoWritten,
    /// The redo write of a sync is done on the device: its inode or its cache flush comes next.
    RedoOnDevice,
    /// The redo sync in progress is done on the device: the threads that it concerns compute.
    RedoDurable,
    /// The redo sync in progress ends.
    RedoSynced,
    /// The flusher's period is over (commit modes 0 and 2).
    FlusherTimer,
    /// The log flusher looks for something to sync; a stale number is ignored.
    FlusherLooks(u32),
    /// The redo of a group of the binary log is durable: its leader writes the events.
    BinlogRedoDurable,
    /// The governor of the redo files makes a round.
    RedoGovernor,
    /// The redo writer has waited for an unused file.
    RedoFileWaitOver,
    /// The page cleaner's sleep is over; a stale number is ignored.
    CleanerTimer(u32),
    /// All page cleaner threads begin a pass.
    PassStarts,
    /// A cleaner thread goes on.
    FlushThread(ThreadId),
    /// The last page write of a batch is done on the device.
    BatchOnDevice(BatchId),
    /// The pages of a batch that an I/O thread completes are done on the device, and the thread has computed.
    ShareOnDevice {
        /// The batch.
        batch: BatchId,
        /// The thread.
        thread: u8,
    },
    /// An I/O thread has waited for the mutex of an instance to complete its pages of a batch.
    ShareCompletes {
        /// The batch.
        batch: BatchId,
        /// The thread.
        thread: u8,
    },
    /// A thread that waited for the mutex of an instance has got a processor.
    LruListMutex(u32),
    /// A data-sync round goes on.
    SyncRound(RoundId),
    /// The checkpointer's sleep is over; a stale number is ignored.
    CheckpointerTimer(u32),
    /// The checkpointer waits for the mutex of the log writer: whether it has got it.
    CheckpointerLooks,
    /// The checkpoint block is written.
    CheckpointOnDevice,
    /// The checkpoint block is synced.
    CheckpointDurable,
    /// Redo is durable up to the checkpoint to be written.
    CheckpointRedoDurable,
    /// The checkpoint that the page cleaner asked for is taken.
    CheckpointTaken,
    /// The batches that the page cleaner waited for are over.
    BatchesOver,
    /// The redo that the page cleaner waited for is durable.
    CleanerRedoDurable,
    /// The version's monitor looks.
    Monitor,
    /// The events of a group are in the binary log's page cache.
    BinlogWritten,
    /// They are on the device: the sync comes next.
    BinlogOnDevice,
    /// The binary log is synced.
    BinlogSynced,
    /// The master thread merges changes of the change buffer.
    Merge,
    /// A page read for its changes is there.
    MergeRead(u32),
    /// The pages, so many, are there whose changes the page cleaner wanted merged.
    CleanerMerged(u32),
    /// An LRU manager thread goes on.
    LruManager(u32),
    /// The purge coordinator's wait is over; a stale number is ignored.
    PurgeTimer(u32),
    /// A purge thread goes on.
    PurgeThread(u32),
    /// The truncation of an undo tablespace goes on.
    UndoTruncation,
    /// The read view of this number is opened.
    ReadViewOpened(u32),
    /// It is closed.
    ReadViewClosed(u32),
    /// A thread that puts changed records on pages looks whether it has something to do.
    RecordTimer(u32),
    /// It goes on.
    RecordThread(u32),
    /// Other programs of the host compute.
    OtherPrograms,
    /// Somebody looks at the engine's status.
    EngineStatus,
    /// The data device's queue has room for the next poster.
    QueueRoom,
    /// The commit of this journal goes on.
    JournalCommit(u32),
    /// The cache flush that the file system sent to this device is over.
    FlushOver(u32),
    /// A simulated second is over.
    Second,
}

impl Event {
    /// The client whose thread goes on with it, if that is in the middle of its transaction.
    pub(in crate::server) fn client(self) -> Option<ClientId> {
        match self {
            Event::ClientResumes(client) | Event::SinglePage(client) => Some(client),
            _ => None,
        }
    }

    /// Whether a thread of the server makes it happen; the others come from outside: arrivals, and the second that is
    /// over.
    #[inline]
    pub(in crate::server) fn is_of_the_server(self) -> bool {
        !matches!(self, Event::Arrival | Event::OtherPrograms | Event::Second)
    }

    /// A number for the hash of everything that happened. In two parts, neither of which has to guess what comes next.
    #[inline]
    pub(in crate::server) fn code(self) -> u64 {
        self.subject() << 8 | self.kind()
    }

    /// Whom or what it is about.
    #[inline]
    fn subject(self) -> u64 {
        match self {
            Event::ClientResumes(client)
            | Event::Start(client)
            | Event::ReadDone(client)
            | Event::SinglePage(client) => u64::from(client.0),
            Event::FlushThread(thread) => u64::from(thread.0),
            Event::BatchOnDevice(batch) => u64::from(batch.0),
            Event::SyncRound(round) => u64::from(round.0),
            Event::CleanerTimer(number)
            | Event::CheckpointerTimer(number)
            | Event::MergeRead(number)
            | Event::CleanerMerged(number)
            | Event::LruManager(number)
            | Event::PurgeTimer(number)
            | Event::PurgeThread(number)
            | Event::ReadViewOpened(number)
            | Event::ReadViewClosed(number)
            | Event::LruListMutex(number)
            | Event::JournalCommit(number)
            | Event::FlushOver(number)
            | Event::Wakes(number)
            | Event::FlusherLooks(number)
            | Event::RecordTimer(number)
            | Event::RecordThread(number) => u64::from(number),
            Event::ShareOnDevice { batch, thread } | Event::ShareCompletes { batch, thread } => {
                u64::from(batch.0) << 8 | u64::from(thread)
            }
            _ => 0,
        }
    }

    /// Its kind: a number below 64 that no other kind has.
    #[inline]
    pub(in crate::server) fn kind(self) -> u64 {
        match self {
            Event::ClientResumes(_) => 1,
            Event::Start(_) => 2,
            Event::ReadDone(_) => 3,
            Event::SinglePage(_) => 4,
            Event::Arrival => 5,
            Event::RedoWritten => 6,
            Event::RedoSynced => 7,
            Event::FlusherTimer => 8,
            Event::CleanerTimer(_) => 9,
            Event::FlushThread(_) => 10,
            Event::BatchOnDevice(_) => 11,
            Event::SyncRound(_) => 12,
            Event::CheckpointerTimer(_) => 13,
            Event::CheckpointDurable => 14,
            Event::CheckpointerLooks => 52,
            Event::Second => 15,
            Event::RedoOnDevice => 16,
            Event::CheckpointOnDevice => 17,
            Event::QueueRoom => 18,
            Event::CheckpointRedoDurable => 19,
            Event::CheckpointTaken => 20,
            Event::BatchesOver => 21,
            Event::Monitor => 22,
            Event::BinlogWritten => 23,
            Event::BinlogOnDevice => 24,
            Event::BinlogSynced => 25,
            Event::Merge => 26,
            Event::Computed => 41,
            Event::RedoDurable => 42,
            Event::CleanerRedoDurable => 43,
            Event::MergeRead(_) => 27,
            Event::CleanerMerged(_) => 45,
            Event::LruManager(_) => 28,
            Event::PurgeTimer(_) => 29,
            Event::PurgeThread(_) => 30,
            Event::UndoTruncation => 31,
            Event::ReadViewOpened(_) => 32,
            Event::ReadViewClosed(_) => 33,
            Event::PassStarts => 34,
            Event::OtherPrograms => 35,
            Event::EngineStatus => 36,
            Event::ShareOnDevice { .. } => 39,
            Event::LruListMutex(_) => 40,
            Event::ShareCompletes { .. } => 38,
            Event::Wakes(_) => 37,
            Event::RecordTimer(_) => 46,
            Event::RedoGovernor => 48,
            Event::RedoFileWaitOver => 49,
            Event::FlusherLooks(_) => 50,
            Event::BinlogRedoDurable => 51,
            Event::RecordThread(_) => 47,
            Event::JournalCommit(_) => 60,
            Event::FlushOver(_) => 61,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_tells_all_kinds_of_events_apart() {
        use Event as E;
        let (batch, thread) = (BatchId(0), 0);
        let kinds = [
            E::ClientResumes(ClientId(0)),
            E::Computed,
            E::Wakes(0),
            E::Start(ClientId(0)),
            E::ReadDone(ClientId(0)),
            E::SinglePage(ClientId(0)),
            E::Arrival,
            E::RedoWritten,
            E::RedoOnDevice,
            E::RedoDurable,
            E::RedoSynced,
            E::FlusherTimer,
            E::FlusherLooks(0),
            E::BinlogRedoDurable,
            E::RedoGovernor,
            E::RedoFileWaitOver,
            E::CleanerTimer(0),
            E::PassStarts,
            E::FlushThread(ThreadId(0)),
            E::BatchOnDevice(BatchId(0)),
            E::ShareOnDevice { batch, thread },
            E::ShareCompletes { batch, thread },
            E::LruListMutex(0),
            E::SyncRound(RoundId(0)),
            E::CheckpointerTimer(0),
            E::CheckpointerLooks,
            E::CheckpointOnDevice,
            E::CheckpointDurable,
            E::CheckpointRedoDurable,
            E::CheckpointTaken,
            E::BatchesOver,
            E::CleanerRedoDurable,
            E::Monitor,
            E::BinlogWritten,
            E::BinlogOnDevice,
            E::BinlogSynced,
            E::Merge,
            E::MergeRead(0),
            E::CleanerMerged(0),
            E::LruManager(0),
            E::PurgeTimer(0),
            E::PurgeThread(0),
            E::UndoTruncation,
            E::ReadViewOpened(0),
            E::ReadViewClosed(0),
            E::RecordTimer(0),
            E::RecordThread(0),
            E::OtherPrograms,
            E::EngineStatus,
            E::QueueRoom,
            E::JournalCommit(0),
            E::FlushOver(0),
            E::Second,
        ];
        assert_eq!(kinds.iter().fold(0, |all, event| all | 1 << (event.code() & 0xff)), EVENT_KINDS);
        assert_eq!(kinds.len() as u32, EVENT_KINDS.count_ones());
    }
}
