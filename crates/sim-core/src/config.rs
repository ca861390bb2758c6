//! What a server version makes of its settings: the plain data with which the machine is built.
//!
//! A version (see [`crate::seam::ServerModel`]) reads its settings once and hands this over. The machine knows no
//! setting names and no version: whatever differs between versions and is fixed at start is a field here, whatever is
//! decided again and again is a method of the seam.

mod purge;
mod records;

pub use purge::{
    DmlDelay, HistoryCut, PurgeConfig, PurgeShares, PurgeTimes, PurgeWake, ReadView, UndoConfig, UndoSegments,
    UndoTruncation,
};
pub use records::RecordsConfig;

use crate::kernel::time::SimDuration;
use serde::{Deserialize, Serialize};

/// Bytes in a page. All models are of 16 KiB pages.
pub const PAGE_BYTES: u64 = 16 * 1024;

/// Everything about the server that is fixed for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineConfig {
    /// Buffer pool geometry and replacement.
    pub buffer_pool: BufferPoolConfig,
    /// Threads that take cleaner slots, the coordinator included.
    pub cleaner_threads: u32,
    /// Redo log buffer, writer, flusher, commits.
    pub redo: RedoConfig,
    /// What is written before data pages.
    pub doublewrite: DoublewriteConfig,
    /// When data files are synced.
    pub data_sync: DataSync,
    /// How a thread syncs them.
    #[serde(default)]
    pub sync_round: SyncRound,
    /// Who waits for a batch and syncs the data files after it.
    pub batch_end: BatchEnd,
    /// Places for asynchronous data-file writes in flight; a poster waits for a free one.
    pub aio_write_slots: u32,
    /// Whether adjacent pages of a batch go in one write, up to an extent (writes simulated by threads, before libaio).
    pub merges_adjacent_writes: bool,
    /// Threads that complete asynchronous writes and run the data-file syncs that follow a batch.
    pub write_io_threads: u32,
    /// Which neighbours of a flushed page go with it.
    pub flush_neighbors: FlushNeighbors,
    /// First sleep of the LRU manager threads, one an instance; `None` where the page cleaner does their work.
    pub lru_managers: Option<SimDuration>,
    /// Whether who waits for the batches of an instance waits for its LRU writes too (MariaDB: for all pending writes).
    pub waits_for_all_writes: bool,
    /// Whether [`crate::seam::ServerModel::monitor`] is called once a second.
    pub monitor: bool,
    /// Changes of records are kept in memory and merged into pages later (TNT); `None` where a change is one of a page.
    #[serde(default)]
    pub records: Option<RecordsConfig>,
}

/// Buffer pool geometry and replacement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BufferPoolConfig {
    /// Pages the pool holds, over all instances.
    pub pages: u64,
    /// Instances; each has its own flush list, LRU list and free list.
    pub instances: u32,
    /// `innodb_lru_scan_depth`: free pages wanted and pages scanned from the LRU tail, by instance.
    pub lru_scan_depth: u32,
    /// LRU lists of this many pages or fewer are not scanned by an LRU batch.
    pub lru_min_len: u32,
    /// `innodb_old_blocks_pct`: share of the LRU list behind the midpoint, in percent.
    pub old_blocks_pct: u32,
    /// `innodb_old_blocks_time`: an old page accessed sooner than this after its first access is not made young.
    pub old_blocks_time: SimDuration,
    /// What a user thread does that finds no free page.
    pub free_pages: FreePagePolicy,
    /// What becomes of a page that an LRU batch has written.
    pub lru_written: LruWritten,
    /// When a written page leaves its flush list.
    pub leaves_flush_list: LeavesFlushList,
    /// What the thread that ends a batch holds while it syncs the data files.
    pub sync_holds: SyncHolds,
    /// Whether each access to a page takes the mutex of its instance, which a batch holds while it searches a flush list (MySQL 5.5).
    #[serde(default)]
    pub accesses_take_mutex: bool,
    /// Pages of a flush area: neighbours of a page are looked for in its aligned area of this size.
    pub flush_area_pages: u32,
}

/// What becomes of a page when its write by an LRU batch is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LruWritten {
    /// It is freed (5.7 and later).
    Freed,
    /// It goes to the tail of its LRU list, where a later search frees it (5.5).
    MovedToTail,
    /// It stays where it is until a later search frees it (5.6, MariaDB).
    Stays,
}

/// When a written page leaves its flush list. Until then the server counts it among the dirty ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeavesFlushList {
    /// As it is written.
    WhenWritten,
    /// When the oldest modification is looked for the next time (MariaDB).
    AtNextLook,
}

/// What the thread that completes the last page of a batch holds while it syncs the data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SyncHolds {
    /// Nothing that others wait for.
    Nothing,
    /// The mutex over the LRU list of its instance, after an LRU batch (8.0).
    LruList,
    /// The mutex of its instance (5.6, 5.7).
    Instance,
}

/// What a user thread does that finds no free page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FreePagePolicy {
    /// Searches the tail, then flushes one dirty page from it by itself, synchronously (5.6 to 8.0).
    SinglePage {
        /// Pages that the first search looks at; later ones look at the whole list.
        first_scan: u64,
        /// Sleep before a flush, from the second retry on.
        sleep: SimDuration,
        /// Whether each round without success sets the flush event (5.7 and later).
        wakes_cleaner: bool,
        /// Whether a user thread waits for an LRU batch of the instance that is being collected before it searches,
        /// where there is a doublewrite (5.6, Percona Server).
        waits_for_batch: bool,
        /// Whether the search for a page to flush frees the first clean one that it meets and flushes none (5.7 and
        /// later); otherwise the first clean one from the tail is freed when a page has been flushed (5.6).
        clean_first: bool,
    },
    /// Neither searches nor flushes: looks at the free list again after [`crate::seam::ServerModel::free_page_pause`]
    /// (Percona Server).
    Pause {
        /// Whether each round without success sets the flush event: where no thread but the page cleaner does LRU batches.
        wakes_cleaner: bool,
    },
    /// Keeps a margin of free or clean pages at the tail: after each page it read or created it runs an LRU batch if
    /// the margin is short, and so it does when it finds no free page (5.5).
    Margin {
        /// Free or clean pages wanted at the tail.
        margin: u64,
        /// Pages flushed beyond the margin.
        extra: u64,
        /// Pages from the tail that count.
        search: u64,
        /// Sleep after the batch, from the eleventh round without a free page on.
        sleep: SimDuration,
    },
    /// Searches the tail, then wakes the page cleaner and waits for it (MariaDB).
    WaitForCleaner {
        /// Pages that the first search looks at; later ones look at the whole list.
        first_scan: u64,
    },
}

/// Who waits for a batch of page writes and syncs the data files after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BatchEnd {
    /// The I/O thread that completes the last write of the batch syncs; the poster goes on at once.
    IoThread,
    /// The poster waits for the writes, then syncs (5.5; without doublewrite also 5.6 to 9.7).
    Poster,
}

/// The binary log of the server above the storage engine.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BinaryLogConfig {
    /// `sync_binlog`: the file is synced after so many groups of commits; 0 leaves it to the operating system.
    pub sync_every: u32,
    /// Whether commits go through it in groups (from MySQL 5.6, MariaDB 5.3); otherwise one transaction at a time holds
    /// it from its prepare to its commit, and its commit is made durable once more afterwards (5.5).
    pub grouped: bool,
    /// Whether the leader of a group has the redo of all its transactions made durable (8.0 and later); otherwise each waits for
    /// its own before it stands in line.
    #[serde(default)]
    pub leader_asks_for_redo: bool,
    /// Bytes of a transaction's events.
    pub bytes_per_transaction: f64,
    /// Whether events are redo of the transaction and its file is written behind it, without groups and syncs (MariaDB from 12.3,
    /// by choice).
    #[serde(default)]
    pub in_redo: bool,
}

/// The change buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeBufferConfig {
    /// Largest size, pages: `innodb_change_buffer_max_size` of the buffer pool.
    pub max_pages: u64,
    /// `innodb_io_capacity`, of which merging takes its share.
    pub io_capacity: u64,
    /// Whether entries that transactions insert are buffered, and those that they mark as deleted.
    pub inserts: bool,
    /// See `inserts`.
    pub marks: bool,
    /// Whether removals by purge are buffered.
    pub removals: bool,
    /// Who reads pages in order to merge their changes.
    pub merging: Merging,
}

/// Who reads pages for the sake of their buffered changes, which are merged anyway when somebody needs the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Merging {
    /// Nobody (MariaDB).
    Nobody,
    /// A thread once a second, a share of the I/O capacity (5.6 to 9.7).
    EachSecond,
    /// The page cleaner, as many as [`crate::seam::CleanerAction::MergeChanges`] says (the master thread of 5.5).
    PageCleaner,
}

/// What the adaptive hash index costs, as a scenario states it: CPU for keeping it, and a latch on each of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AdaptiveHashCost {
    /// Share by which it lengthens the CPU demand of a transaction (negative: shortens).
    pub cpu_share: f64,
    /// Time for which a transaction holds a latch of it, in all.
    pub latch: SimDuration,
    /// `innodb_adaptive_hash_index_parts`: parts with a latch of their own.
    pub parts: u32,
}

/// `innodb_flush_neighbors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlushNeighbors {
    /// A page is flushed alone.
    None,
    /// The contiguous run of dirty pages around it, within its flush area.
    Contiguous,
    /// All dirty pages of its flush area.
    Area,
}

/// Redo log buffer, writer, flusher and commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RedoConfig {
    /// `innodb_log_buffer_size`, bytes.
    pub log_buffer_bytes: u64,
    /// `innodb_log_write_ahead_size`, bytes: a write does not cross a multiple of this.
    pub write_ahead_bytes: u64,
    /// First LSN of the run.
    pub start_lsn: u64,
    /// `innodb_flush_log_at_trx_commit`.
    pub commit: CommitDurability,
    /// `innodb_flush_log_at_timeout`: period of the flusher when commits don't ask for durability.
    pub flush_timeout: SimDuration,
    /// Who writes and syncs.
    pub pipeline: RedoPipeline,
    /// How redo reaches the device.
    pub io: RedoIo,
    /// Whether redo is framed in blocks of 512 bytes with 16 bytes of head and trailer, which count as LSN (all but
    /// MariaDB 10.8 and later).
    pub framed: bool,
    /// Redo that a checkpoint at the oldest modification appends itself, bytes (5.7, MariaDB).
    pub checkpoint_record_bytes: u64,
    /// Whether nobody can write redo while a checkpoint block is written (8.0, MariaDB).
    pub checkpoint_holds_writes: bool,
    /// How the writer and flusher threads go on between commits, where there are any.
    #[serde(default)]
    pub log_threads: Option<LogThreadsConfig>,
    /// The files, where a governor thread keeps them ready (8.0.30 and later).
    #[serde(default)]
    pub files: Option<RedoFilesConfig>,
}

/// The log writer and flusher threads of 8.0 and later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogThreadsConfig {
    /// `innodb_log_spin_cpu_abs_lwm`: CPU time that the server must use for them to spin, percent of a processor.
    pub spin_cpu_abs_lwm: u64,
    /// Whether the block of a checkpoint is written under the mutex that a spinning writer keeps (8.0.30 and later).
    pub checkpoint_takes_writer_mutex: bool,
}

/// Files of the redo log that a governor thread makes and reuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedoFilesConfig {
    /// Redo that a file holds, bytes.
    pub file_bytes: u64,
    /// LSN at which the first file begins.
    pub first_lsn: u64,
    /// Files, unused ones among them.
    pub files: u32,
    /// Time between two rounds of the governor.
    pub round: SimDuration,
    /// How long the log writer waits when it finds no unused file.
    pub writer_wait: SimDuration,
}

/// `innodb_flush_log_at_trx_commit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommitDurability {
    /// 0: a commit waits for nothing.
    Lazy,
    /// 1: a commit waits until its redo is synced.
    Sync,
    /// 2: a commit waits until its redo is written.
    Write,
}

/// Who moves redo from the log buffer to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RedoPipeline {
    /// Dedicated writer, flusher and notifier threads (8.0; `innodb_log_writer_threads = ON`).
    DedicatedThreads,
    /// The committing thread writes and syncs for the group (8.0.22+ with the writer threads off; 5.7; MariaDB).
    CommittingThread,
    /// The same, and nobody can append while it writes: the log mutex is held (5.5, 5.6).
    LogMutex,
}

/// How redo writes reach the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RedoIo {
    /// Written to the page cache, sent to the device by the sync. So is `O_DSYNC`, where each write is synced as it is
    /// made.
    Buffered,
    /// `nosync`: written to the page cache and never synced; durable in name only.
    NoSync,
}

/// When data files are synced after page writes (`innodb_flush_method`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataSync {
    /// Every file with unsynced writes at the end of each batch and before each checkpoint.
    EveryBatch,
    /// Every file with unsynced writes at the end of each batch, and not before checkpoints: `nosync` of 8.0.
    AfterBatch,
    /// Every file with unsynced writes before each checkpoint only.
    AtCheckpoint,
    /// Never: `O_DIRECT_NO_FSYNC` on files that don't grow, `nosync` of other servers.
    Never,
}

/// How a thread syncs the data files that have unsynced writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SyncRound {
    /// It takes the list of these files when it begins, and waits for a file that another thread is syncing.
    #[default]
    Listed,
    /// It syncs one of them, then looks again, until there is none left. It waits for nobody: threads that sync the same file
    /// each call `fdatasync`. A user thread that takes a checkpoint does all this itself (MariaDB).
    UntilNoneLeft,
}

impl DataSync {
    /// Whether files are synced at the end of a batch.
    pub fn follows_batches(self) -> bool {
        matches!(self, DataSync::EveryBatch | DataSync::AfterBatch)
    }

    /// Whether files are synced before a checkpoint.
    pub fn precedes_checkpoints(self) -> bool {
        matches!(self, DataSync::EveryBatch | DataSync::AtCheckpoint)
    }
}

/// How the one doublewrite buffer of a server is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SharedCollecting {
    /// By one thread at a time, which holds the buffer until its batch is over (5.5, which collects and writes under
    /// one lock).
    OneThread,
    /// By all threads that flush while there is room; the first that has no more pages to add, or fills it, has it
    /// written (5.6 and 5.7).
    Together,
    /// By one thread at a time, while the batch before is in progress (MariaDB).
    Ahead,
}

/// What is written before data pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DoublewriteConfig {
    /// Pages go straight to the data files.
    Off,
    /// 8.0.20 and later: a buffer for each (pool instance, kind) and separate files.
    PerInstance {
        /// Pages a batch collects before it is written.
        batch_pages: u32,
        /// Batches of flush-list writes between the start and the end of their data sync, over all instances.
        flush_list_segments: u32,
        /// The same for LRU writes.
        lru_segments: u32,
        /// Doublewrite instances of each kind; pool instance `i` uses `i mod` this.
        instances: u32,
        /// Whether the doublewrite file is synced after each batch.
        sync_file: bool,
        /// Bytes written for a batch of `n` pages: `n * PAGE_BYTES`, or this constant (`DETECT_ONLY`).
        fixed_bytes: Option<u64>,
    },
    /// Before 8.0.20, and MariaDB: one buffer for the whole server, in the system tablespace.
    Shared {
        /// Pages a batch collects before it is written.
        batch_pages: u32,
        /// Pages of one area: a batch is one write to each area that it fills or begins.
        area_pages: u32,
        /// Who collects a batch, and when.
        collecting: SharedCollecting,
        /// Whether the system tablespace is synced after the areas are written.
        sync_file: bool,
    },
}
