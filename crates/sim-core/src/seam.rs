//! The seam: what a server version decides, and what it may see.
//!
//! A version implements [`ServerModel`]. The machine (the rest of this crate) owns pages, lists, LSNs, devices and
//! time; it asks the version what to do next and does it. A version never reaches into the machine: it sees a read-only
//! [`View`] and returns a decision. It never sees the device.
//!
//! ```text
//!            View (ages, limits, counts, time)                 decisions
//!   machine ------------------------------------> ServerModel ----------> machine
//!     page cleaner finished / woke up / starts    cleaner()       wait | flush this much, up to this LSN, this way
//!     checkpointer woke up / wrote                checkpointer()  wait | write a checkpoint at this LSN
//!     a user thread reached the free-check limit  free_check()    go on | sleep | flush | wait | take a checkpoint
//!     the redo writer entered or left its margin  writer_in_extra_margin()
//! ```
//!
//! A research rule for adaptive flushing alone implements the smaller [`AdaptiveFlushing`] and plugs into the machinery
//! of a version that takes one (`innosim-flush-models` shows how in twenty lines).

use crate::config::MachineConfig;
use crate::kernel::time::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

/// Read-only picture of the machine at one instant. LSNs and ages in bytes.
#[derive(Debug)]
pub struct View<'a> {
    /// Now.
    pub now: SimTime,
    /// How long the server had been up, without load, at the beginning of the run.
    pub up_before: SimDuration,
    /// End of the last reserved redo. Also the LSN up to which dirty pages are in the flush lists: the machine adds
    /// pages in the instant their redo is reserved, so the servers' `dirty_pages_added_up_to_lsn` equals it.
    pub current_lsn: u64,
    /// Redo written to the file (page cache) up to here.
    pub written_lsn: u64,
    /// Redo durable up to here.
    pub durable_lsn: u64,
    /// Last checkpoint written.
    pub last_checkpoint_lsn: u64,
    /// Smallest oldest-modification LSN over the flush lists, pages under write included; 0 if nothing is dirty.
    pub oldest_modification_lsn: u64,
    /// Dirty pages over all instances as the server counts them: the length of its flush lists.
    pub dirty_pages: u64,
    /// Pages on the LRU lists, all instances.
    pub lru_pages: u64,
    /// Pages on the free lists, all instances.
    pub free_pages: u64,
    /// Counter that moves with user activity; a version compares it with what it saw before.
    pub activity: u64,
    /// Page reads in flight.
    pub pending_reads: u64,
    /// Page writes posted and not yet complete: dirty pages under write.
    pub pending_writes: u64,
    /// Page reads so far.
    pub page_reads: u64,
    /// Pages posted for writing so far.
    pub page_writes: u64,
    /// Pages posted by LRU batches so far.
    pub lru_pages_flushed: u64,
    /// Writes to the redo files so far, checkpoints included.
    pub redo_writes: u64,
    /// Whether a sync of redo is in progress.
    pub redo_sync_in_progress: bool,
    /// Whether a user thread has found no free page since the last batch ended (`try_LRU_scan` is off somewhere).
    pub free_page_wanted: bool,
    /// Access to the flush lists.
    pub lists: &'a dyn FlushLists,
}

impl<'a> View<'a> {
    /// A server at rest: all numbers 0. For tests, and for trying a rule alone.
    pub fn at_rest(lists: &'a dyn FlushLists) -> Self {
        View {
            now: SimTime::ZERO,
            up_before: SimDuration::ZERO,
            current_lsn: 0,
            written_lsn: 0,
            durable_lsn: 0,
            last_checkpoint_lsn: 0,
            oldest_modification_lsn: 0,
            dirty_pages: 0,
            lru_pages: 0,
            free_pages: 0,
            activity: 0,
            pending_reads: 0,
            pending_writes: 0,
            page_reads: 0,
            page_writes: 0,
            lru_pages_flushed: 0,
            redo_writes: 0,
            redo_sync_in_progress: false,
            free_page_wanted: false,
            lists,
        }
    }
}

impl View<'_> {
    /// Now on a clock that began when the server came up.
    pub fn server_now(&self) -> SimTime {
        self.now + self.up_before
    }

    /// [`View::oldest_modification_lsn`], or the current LSN if nothing is dirty.
    pub fn oldest_or_current_lsn(&self) -> u64 {
        if self.oldest_modification_lsn == 0 { self.current_lsn } else { self.oldest_modification_lsn }
    }
}

/// What a version may ask of the flush lists. Defaults are the answers of lists that hold nothing else.
pub trait FlushLists {
    /// Number of buffer pool instances.
    fn instances(&self) -> u32;
    /// Dirty pages of `instance` on its flush list, pages under write left out.
    fn listed(&self, instance: u32) -> u64 {
        self.pages_up_to(instance, u64::MAX, u64::MAX)
    }
    /// Smallest oldest modification of `instance`, pages under write included; `None` if nothing is dirty.
    fn oldest(&self, instance: u32) -> Option<u64> {
        let _ = instance;
        None
    }
    /// Sum of the oldest modifications on the flush list of `instance`, pages under write left out.
    fn sum_of_oldest(&self, instance: u32) -> u128 {
        let _ = instance;
        0
    }
    /// Pages of `instance`, from the tail, with oldest modification <= `lsn`; counting stops at `cap`.
    fn pages_up_to(&self, instance: u32, lsn: u64, cap: u64) -> u64;
    /// A number that moves on whenever an answer of [`FlushLists::pages_up_to`] may have changed; `None` where nobody keeps one.
    fn changes(&self) -> Option<u64> {
        None
    }
}

impl std::fmt::Debug for dyn FlushLists + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FlushLists")
    }
}

/// Why the page cleaner is asked for its next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CleanerInput {
    /// The server starts.
    Start,
    /// The wait ended by its time.
    Timeout,
    /// The wait ended early, by the flush event (no free page, a sync request, ...). If the event was already set when
    /// the wait was asked for, this comes at once.
    Event,
    /// The flush asked for last is finished: all its slots are done.
    Done(PassReport),
    /// No batch is in flight any more, as [`CleanerAction::WaitForBatches`] asked.
    BatchesOver,
    /// The checkpoint asked for last is taken, or was not needed.
    CheckpointTaken,
    /// Nothing is left to purge, as [`CleanerAction::Purge`] asked.
    Purged,
    /// Changes are being merged, as [`CleanerAction::MergeChanges`] asked.
    Merging {
        /// Pages whose read for their changes was begun.
        pages: u64,
    },
    /// The redo is durable, as [`CleanerAction::SyncRedo`] asked.
    RedoSynced,
}

/// What a finished flush did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PassReport {
    /// Pages posted from the flush lists.
    pub list_pages: u64,
    /// Pages posted from the LRU lists.
    pub lru_pages: u64,
    /// Clean pages freed from the LRU tails.
    pub evicted_pages: u64,
    /// Instances passed over because an earlier batch of theirs was not over.
    pub busy_instances: u64,
}

/// The page cleaner's next step.
#[derive(Debug, Clone, PartialEq)]
pub enum CleanerAction {
    /// Sleep until `until`, or less if the flush event is set and `wake_on_event`.
    Wait {
        /// Latest end of the sleep; [`SimTime::NEVER`] sleeps until the event.
        until: SimTime,
        /// Whether the flush event ends the sleep.
        wake_on_event: bool,
    },
    /// The same; user threads set the flush event as soon as either limit is reached.
    WaitForWork {
        /// Latest end of the sleep; [`SimTime::NEVER`] sleeps until the event.
        until: SimTime,
        /// Dirty pages at which the event is set; [`u64::MAX`] for no limit.
        dirty_pages: u64,
        /// Current LSN at which the event is set; [`u64::MAX`] for no limit.
        lsn: u64,
    },
    /// Flush, then ask again with [`CleanerInput::Done`].
    Flush(FlushRequest),
    /// Wait until the batches of every instance, one instance after the other, are over; then ask again with
    /// [`CleanerInput::BatchesOver`].
    WaitForBatches,
    /// Purge, batch by batch, until nothing is left to purge; then ask again with [`CleanerInput::Purged`] (5.5 without
    /// a purge thread).
    Purge,
    /// Read pages that have changes in the change buffer, which are merged as they arrive; then ask again with
    /// [`CleanerInput::Merging`]: when all are there if `wait`, otherwise at once (5.5).
    MergeChanges {
        /// About so many pages: who reads one reads its neighbours too.
        pages: u64,
        /// Whether to wait for the reads.
        wait: bool,
    },
    /// Take a checkpoint at the oldest modification, then ask again with [`CleanerInput::CheckpointTaken`]: when it is
    /// published if `wait`, otherwise when its block is on its way.
    Checkpoint {
        /// Whether to wait for the block.
        wait: bool,
    },
    /// Make all redo reserved so far durable, then ask again with [`CleanerInput::RedoSynced`] (8.0.30 and later).
    SyncRedo,
}

/// One request to the cleaner slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlushRequest {
    /// What the pages are counted as.
    pub kind: FlushKind,
    /// Pages to take from the flush list of each instance, at most.
    pub slots: Vec<u64>,
    /// Only pages with oldest modification below this; [`u64::MAX`] for no limit.
    pub lsn_limit: u64,
    /// Whether the limit is looked at only where a doublewrite batch begins, so that the rest of the batch may lie
    /// beyond it (5.5).
    pub limit_on_tail_only: bool,
    /// What each slot does to its LRU list first.
    pub lru: LruWork,
    /// Whether an instance is served although an earlier batch of it has writes in flight (MariaDB 10.11.3 and later).
    pub over_writes: bool,
    /// Forget a flush event set before this request.
    pub reset_event: bool,
    /// Serve the slot of this instance alone.
    pub only_instance: Option<u32>,
    /// Slots are taken by all cleaner threads; otherwise the coordinator serves them one after the other. A flush by a
    /// user thread is never parallel.
    pub parallel: bool,
    /// Pages of the flush lists that the coordinator has gone through to decide this, one after the other, and that its
    /// slots wait for; 0 where that is no part of a pass without a pause. Where redo is written under the log mutex, all who write
    /// redo wait for it too.
    pub pages_counted: u64,
}

impl FlushRequest {
    /// Flush-list work only, one instance after the other, without limit of LSN.
    pub fn list(kind: FlushKind, slots: Vec<u64>) -> Self {
        FlushRequest {
            kind,
            slots,
            lsn_limit: u64::MAX,
            limit_on_tail_only: false,
            lru: LruWork::None,
            over_writes: false,
            reset_event: false,
            only_instance: None,
            parallel: false,
            pages_counted: 0,
        }
    }
}

/// What a slot does to the LRU list of its instance before its flush list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LruWork {
    /// Nothing.
    None,
    /// Looks at `lru_scan_depth` pages from the tail: clean ones are freed, dirty ones flushed, until the free list
    /// holds `lru_scan_depth` pages (5.7 and later).
    ScanDepth,
    /// The same in chunks of so many flushed pages; the slot waits until the writes of a chunk are complete, and stops
    /// after a chunk that flushed none (5.6).
    Chunks(u32),
    /// Flushes up to so many dirty pages from the tail and frees none (5.5).
    Flush(u64),
    /// Frees clean pages and flushes dirty ones from the tail, so many of these, until the free list holds
    /// `lru_scan_depth` pages (MariaDB).
    Batch(u64),
}

/// What flushed pages are counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FlushKind {
    /// Adaptive flushing: `buffer_flush_adaptive_*`.
    Adaptive,
    /// Sync flushing: `buffer_flush_sync_*`.
    Sync,
    /// Flushing while idle: `buffer_flush_background_*`.
    Background,
    /// LRU batches only.
    LruOnly,
}

/// Why the checkpointer is asked for its next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointerInput {
    /// The server starts.
    Start,
    /// The wait ended by its time.
    Timeout,
    /// The wait ended by the checkpointer event (a checkpoint was requested, the redo writer is out of space).
    Event,
    /// The wait ended because the page cleaner finished a pass.
    CleanerTick,
    /// The checkpoint asked for last is written and published.
    Written,
}

/// The checkpointer's next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointerAction {
    /// Set the page cleaner's flush event first.
    pub wake_cleaner: bool,
    /// Then do this.
    pub next: CheckpointerNext,
}

/// See [`CheckpointerAction`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointerNext {
    /// Sleep; the checkpointer event ends the sleep, and so does the end of a cleaner pass if `on_cleaner_tick`.
    Wait {
        /// Longest sleep.
        timeout: SimDuration,
        /// Whether the end of a cleaner pass ends the sleep.
        on_cleaner_tick: bool,
    },
    /// Sync data files, write a checkpoint with this LSN, publish it; then ask again with
    /// [`CheckpointerInput::Written`].
    Write {
        /// The checkpoint's LSN; must not lie above any dirty page's oldest modification nor above durable redo.
        lsn: u64,
    },
    /// Take a checkpoint at the oldest modification, as [`CleanerAction::Checkpoint`] does; then ask again with
    /// [`CheckpointerInput::Written`], whether there was anything to write or not.
    WriteOldest,
}

/// State of one user thread that waits in the free check. The machine keeps it for the version between calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FreeCheckWait {
    /// Sleeps done so far in this wait.
    pub sleeps: u32,
    /// LSN read when the wait began.
    pub lsn: u64,
    /// Capacity captured when the wait began, for versions that don't read it again.
    pub capacity: u64,
    /// Where the version's own sequence of steps stands.
    pub step: u32,
    /// What the last flush of this thread did.
    pub report: PassReport,
}

/// What a user thread at the free check must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FreeCheck {
    /// Go on.
    Proceed,
    /// Sleep, then ask again.
    Sleep {
        /// Length of the sleep.
        duration: SimDuration,
        /// Wake the checkpointer first (a checkpoint was requested).
        wake_checkpointer: bool,
    },
    /// Flush by itself, then ask again; [`FreeCheckWait::report`] says what it did.
    Flush(FlushRequest),
    /// Wait until the batches of every instance, one instance after the other, are over; then ask again.
    WaitForBatches,
    /// Set the flush event, sleep, then ask again.
    WakeCleaner {
        /// Length of the sleep.
        sleep: SimDuration,
    },
    /// Set the flush event, wait until the page cleaner ends a pass or a checkpoint is published, then ask again.
    WaitForCleaner,
    /// Take a checkpoint at the oldest modification, then ask again: when it is published if `wait`, otherwise when its
    /// block is on its way.
    Checkpoint {
        /// Whether to wait for the block.
        wait: bool,
    },
}

/// What an LRU manager thread sees when its sleep is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LruManagerInput {
    /// Its instance.
    pub instance: u32,
    /// Pages on the free list of the instance.
    pub free_pages: u64,
    /// Pages on its LRU list.
    pub lru_pages: u64,
    /// What its last batch did; `None` before the first.
    pub last: Option<PassReport>,
}

/// Limits that the redo writer obeys, as distances in bytes from the last checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriterLimits {
    /// The writer stops here: the capacity that is never exceeded.
    pub hard_bytes: u64,
    /// Beyond this the writer is inside its extra margin.
    pub soft_bytes: u64,
}

/// Limits of the checkpoint age, bytes, as monitoring shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgeLimits {
    /// `log_max_modified_age_async`.
    pub async_bytes: u64,
    /// `log_max_modified_age_sync`.
    pub sync_bytes: u64,
    /// Checkpoint age at which user threads stop.
    pub stop_bytes: u64,
    /// Age at which adaptive flushing is at 100 % of its age factor.
    pub adaptive_full_bytes: u64,
    /// Age of the oldest page at which sync flushing starts.
    pub sync_flush_start_bytes: u64,
    /// Age below which adaptive flushing by age does nothing (low-water mark).
    pub adaptive_low_water_bytes: u64,
}

/// The version's own view of its flushing, under the names of INNODB_METRICS; gauges of the last recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FlushGauges {
    /// `buffer_flush_n_to_flush_requested`.
    pub n_to_flush_requested: u64,
    /// `buffer_flush_n_to_flush_by_age`.
    pub n_to_flush_by_age: u64,
    /// `buffer_flush_avg_page_rate`, pages a second.
    pub avg_page_rate: u64,
    /// `buffer_flush_lsn_avg_rate`, bytes a second.
    pub lsn_avg_rate: u64,
    /// `buffer_flush_pct_for_dirty`.
    pub pct_for_dirty: u64,
    /// `buffer_flush_pct_for_lsn`.
    pub pct_for_lsn: u64,
}

/// What went on before a run that starts in the middle of the work, on average.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkBefore {
    /// Redo, bytes a second.
    pub redo_bytes_per_s: u64,
    /// Pages flushed a second.
    pub pages_flushed_per_s: u64,
    /// Whether the page cleaner has not looked at the newest activity, so that a dirty page alone does not wake it; of
    /// versions that count as activity what no run has.
    pub activity_unseen: bool,
}

/// What a server looks up anew at each pass of its page cleaner, so that it takes it from `SET GLOBAL` while it works.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiveSettings {
    /// `innodb_io_capacity`, pages a second.
    pub io_capacity: u64,
    /// `innodb_io_capacity_max`, pages a second.
    pub io_capacity_max: u64,
    /// `innodb_flushing_avg_loops`, passes or seconds.
    pub flushing_avg_loops: u64,
    /// `innodb_max_dirty_pages_pct`, percent.
    pub max_dirty_pages_pct: f64,
    /// `innodb_max_dirty_pages_pct_lwm`, percent.
    pub max_dirty_pages_pct_lwm: f64,
    /// `innodb_adaptive_flushing`.
    pub adaptive_flushing: bool,
    /// `innodb_adaptive_flushing_lwm`, percent.
    pub adaptive_flushing_lwm: u64,
    /// `innodb_flush_sync`.
    pub flush_sync: bool,
    /// `innodb_idle_flush_pct`, percent of the I/O capacity.
    pub idle_flush_pct: u64,
}

/// A whole server version: everything that versions decide differently. See the module page.
pub trait ServerModel: Send {
    /// What the machine is built with.
    fn config(&self) -> &MachineConfig;

    /// The run starts in the middle of the work: the averages that the version keeps are those of what went on before.
    fn starts_after(&mut self, before: WorkBefore);

    /// Buffer pool instance of a page.
    fn instance_of(&self, space_id: u32, page_no: u32) -> u32;

    /// Age limits in force now.
    fn age_limits(&self) -> AgeLimits;

    /// The redo writer's limits in force now.
    fn writer_limits(&self) -> WriterLimits;

    /// The redo writer entered (`inside`) or left its extra margin.
    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool) {
        let _ = (view, inside);
    }

    /// A round of the thread that looks after the redo files: looks again how far user threads may go, where a version
    /// does that apart from checkpoints ([`crate::config::RedoConfig::files`]).
    fn update_limits(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// LSN above which a user thread must call [`ServerModel::free_check`] before it modifies pages. Read again after
    /// every checkpoint and whenever the writer enters or leaves its extra margin.
    fn free_check_limit_lsn(&self) -> u64;

    /// A user thread found the current LSN above the limit, or its sleep in the free check ended.
    fn free_check(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck;

    /// The data files are synced for the checkpoint that [`CheckpointerNext::Write`] asked for; its block is written next.
    fn checkpoint_data_synced(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// A checkpoint was published; [`ServerModel::free_check_limit_lsn`] and [`ServerModel::writer_limits`] are read
    /// again after it.
    fn checkpoint_published(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// Pause of a user thread before it looks for a free page again after `tries` further looks in vain, where
    /// [`crate::config::FreePagePolicy::Pause`] holds.
    fn free_page_pause(&self, tries: u32) -> SimDuration {
        let _ = tries;
        SimDuration::from_millis(1)
    }

    /// An LRU manager thread has slept: how long after the batch that it begins now the next is due.
    fn lru_manager(&mut self, seen: LruManagerInput) -> SimDuration {
        let _ = seen;
        SimDuration::from_secs(1)
    }

    /// Redo before `lsn` is needed no more for changes of records: all of them are on pages, dirty or not (see
    /// [`crate::config::RecordsConfig`]). A checkpoint must not lie above the last of these, from the start of the redo log
    /// on.
    fn records_merged(&mut self, view: &View<'_>, lsn: u64) {
        let _ = (view, lsn);
    }

    /// A user thread waits because the redo log has no room for its transaction and for merging all that is changed (see
    /// [`crate::config::RecordsConfig`]); called again each time that it looks in vain.
    fn redo_is_full(&mut self) {}

    /// Called once a second, half a second out of step with the start of the page cleaner, whatever else goes on (the
    /// error monitor thread of 5.5).
    fn monitor(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// The page cleaner's next step.
    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction;

    /// The checkpointer's next step.
    fn checkpointer(&mut self, view: &View<'_>, input: CheckpointerInput) -> CheckpointerAction;

    /// Gauges for the series.
    fn gauges(&self) -> FlushGauges;

    /// Why the run can't go on, if its flushing rule gave up; looked at after each step of the page cleaner.
    fn failure(&self) -> Option<&str> {
        None
    }

    /// The settings that a copy can go on with others of; `None` if the server can't be copied.
    fn live_settings(&self) -> Option<LiveSettings> {
        None
    }

    /// The server as it is at this instant, in a copy that goes on with these settings, as `SET GLOBAL` gives them to it.
    /// `None` if it can't be copied.
    fn with_live(&self, settings: LiveSettings) -> Option<Box<dyn ServerModel>> {
        let _ = settings;
        None
    }

    /// From now on watches which of `others` would lead to the same decisions as the settings in force.
    fn compare_with(&mut self, others: &[LiveSettings]) {
        let _ = others;
    }

    /// Which of those would have led to the same decisions ever since, one by one; empty if a version can't tell.
    fn agreeing(&self) -> Vec<bool> {
        Vec::new()
    }
}

/// What an adaptive flushing rule is told besides the [`View`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInput {
    /// Set in a sync pass: flush up to this LSN.
    pub sync_limit_lsn: Option<u64>,
    /// Pages flushed (or requested, as the version has it) since the last recommendation.
    pub last_pages: u64,
    /// Age at which the age factor is 100 %, bytes.
    pub limit_for_age_bytes: u64,
    /// Age at which user threads stop, bytes: base of the low-water mark.
    pub free_check_capacity_bytes: u64,
}

/// What a rule recommends for one pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recommendation {
    /// Pages to flush in this pass.
    pub n_pages: u64,
    /// The same by instance; the machinery requests these.
    pub slots: Vec<u64>,
}

/// The smaller seam: an adaptive flushing rule that plugs into the page cleaner of a version that takes one.
pub trait AdaptiveFlushing: Send {
    /// The run starts in the middle of the work. A rule that keeps averages takes them from what went on before.
    fn starts_after(&mut self, before: WorkBefore) {
        let _ = before;
    }

    /// The page cleaner begins to run. A rule that keeps averages over time may note where the log stands.
    fn begins(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// How many pages to flush in this pass. Called at most once a second, back to back in sync passes.
    fn recommend(&mut self, view: &View<'_>, input: RuleInput) -> Recommendation;

    /// Pages of the flush lists that it went through for the last recommendation, where the pass waits for that.
    fn pages_counted(&self) -> u64 {
        0
    }

    /// Gauges for the series; a rule that has no such notion leaves fields at 0. `lsn_avg_rate` also sets how far a
    /// sync request reaches.
    fn gauges(&self) -> FlushGauges;

    /// After a recommendation: time from this pass to the next one outside sync flushing, if the rule wants another than
    /// the server's second.
    fn next_pass_in(&self) -> Option<SimDuration> {
        None
    }

    /// Why the rule can't go on, for the person who wrote it; the run ends with it.
    fn failure(&self) -> Option<&str> {
        None
    }

    /// The rule as it is at this instant, in a copy that goes on with these settings. `None` if it can't be copied.
    fn with_live(&self, settings: LiveSettings) -> Option<Box<dyn AdaptiveFlushing>> {
        let _ = settings;
        None
    }

    /// Whether the last recommendation would have been the same with these settings, for all that the rule kept before;
    /// `false` if it can't tell.
    fn same_with(&self, settings: LiveSettings) -> bool {
        let _ = settings;
        false
    }
}
