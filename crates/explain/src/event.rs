//! Events: when, what, and the figures that carry it.

use innosim_core::metrics::Regime;
use serde::Serialize;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Seconds since the load began.
    pub at_s: f64,
    /// What it was.
    #[serde(flatten)]
    pub what: What,
}

/// A limit of the checkpoint age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    /// `log_max_modified_age_async`.
    Async,
    /// `log_max_modified_age_sync`.
    Sync,
    /// Where user threads stop.
    Stop,
}

/// What user threads waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Waits {
    /// For a younger checkpoint.
    Checkpoint,
    /// For a free page.
    FreePage,
    /// For space in the log buffer.
    LogBuffer,
}

/// Where threads waited for a semaphore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceOfWait {
    /// In the code of the redo log.
    Log,
    /// In the code of the buffer pool.
    BufferPool,
    /// Elsewhere.
    Other,
}

/// Where a server stands, by one look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stands {
    /// User threads stop.
    AtTheStop,
    /// The age is at the sync limit.
    SyncFlushing,
    /// The age is between the async and the sync limit.
    AboveAsync,
    /// The age is close to the async limit.
    NearAsync,
    /// The age is far from all limits.
    BelowLimits,
    /// Hardly any page is free.
    ShortOfFreePages,
}

/// A size of the redo log, with the limits that follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RedoSize {
    /// Files that it is of.
    pub files: u32,
    /// Bytes of all of them.
    pub redo_bytes: f64,
    /// `log_max_modified_age_async`.
    pub async_bytes: f64,
    /// `log_max_modified_age_sync`.
    pub sync_bytes: f64,
    /// Age at which user threads stop.
    pub stop_bytes: f64,
}

/// What bounded flushing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ceiling {
    /// `innodb_io_capacity_max`.
    IoCapacityMax,
    /// `innodb_io_capacity`, of servers where it is the bound.
    IoCapacity,
    /// The device was full.
    Device,
    /// The processors were full.
    Cpu,
    /// Neither was full, and pages went through the doublewrite files: they or something unseen.
    Doublewrite,
    /// Not told by the figures.
    Unknown,
}

/// Why a setting is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Flushing stood at its ceiling before the age met its limit.
    CeilingBeforeLimit,
    /// The age met its limit.
    AgeAtLimit,
    /// Page writes fell short, with device and processors not full.
    DoublewriteShort,
    /// User threads waited for free pages.
    FreePageWaits,
    /// The log buffer was full.
    LogBufferFull,
    /// The age stayed far below its limit.
    RoomLeft,
}

/// What happened; the names of the fields carry their units.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "what", content = "figures", rename_all = "snake_case")]
#[allow(missing_docs)] // Each field says its unit; what is not plain is said with the event.
pub enum What {
    /// The load begins.
    LoadStarted { clients: Option<u32>, dirty_pages: Option<f64>, throughput_counts: &'static str },
    /// The rate that an open drive asks for stepped up or down.
    LoadChanged { from_tps: f64, to_tps: f64 },
    /// Figures count from here on.
    WarmedUp { given: bool },
    /// The checkpoint age met a limit for the first time; how often and how long in all.
    LimitReached { limit: LimitName, limit_bytes: f64, times: u32, seconds: f64, last_s: f64 },
    /// The age never met its limit; where it was highest.
    HighestAge { age_bytes: f64, limit_bytes: f64, share: f64 },
    /// Sync flushing ran, with pauses that don't count. `device_busy` is the mean while it ran.
    SyncFlushing { until_s: f64, seconds: f64, pages: f64, pages_per_s: f64, device_busy: Option<f64> },
    /// User threads waited, in `seconds` of the time until `until_s`.
    Waited { waits_for: Waits, until_s: f64, seconds: f64, waits: f64 },
    /// Throughput fell, by medians of ten seconds; what else was there between the beginning and `half_back_s`, or the
    /// lowest point if it never came back by half.
    ThroughputFell {
        from_tps: f64,
        to_tps: f64,
        share: f64,
        lowest_s: f64,
        half_back_s: Option<f64>,
        sync_flushing_s: Option<f64>,
        checkpoint_waits: Option<f64>,
        free_page_waits: Option<f64>,
        log_waits: Option<f64>,
        age_share_of_limit: Option<f64>,
        stopped_s: f64,
    },
    /// What came due in a fall: redo that was made from `made_from_s` to `made_until_s`, and made so many pages dirty a
    /// MiB, against the mean of all redo before the fall.
    DenseRedoDue { made_from_s: f64, made_until_s: f64, dirtied_per_mib: f64, mean_dirtied_per_mib: f64 },
    /// The redo of the fall at `fall_s`, which is dense against that of the half turn before it, comes due; predicted if the
    /// course ends before.
    EchoDue {
        fall_s: f64,
        dirtied_per_mib: f64,
        dirtied_per_mib_before: f64,
        turn_bytes: f64,
        predicted: bool,
        next_fall_s: Option<f64>,
    },
    /// Single seconds with less than half the median throughput, in so many separate stalls.
    Stalls { until_s: f64, stalls: u32, seconds: f64, longest_s: f64 },
    /// No transaction ended.
    Idle { until_s: f64, seconds: f64 },
    /// The queue of an open drive grew.
    QueueGrew { until_s: f64, from_waiting: f64, to_waiting: f64 },
    /// Flushing stood at the ceiling that a setting is.
    FlushingCapped {
        by: Ceiling,
        setting: &'static str,
        cap_pages_per_s: f64,
        pages_per_s: f64,
        until_s: f64,
        seconds: f64,
    },
    /// Flushing did less than was asked for.
    FlushingShort {
        by: Ceiling,
        asked_pages: f64,
        pages_per_s: f64,
        until_s: f64,
        seconds: f64,
        device_busy: Option<f64>,
        cpu_busy: Option<f64>,
        doublewrite_pages_per_write: Option<f64>,
    },
    /// A good part of flushing was for free pages.
    LruFlushing { pages: f64, share: f64, single_pages: f64 },
    /// User threads made free pages themselves: most pages were flushed one by one, or searching was the work.
    FreePagesShort {
        until_s: f64,
        seconds: f64,
        free_pages: Option<f64>,
        searched_per_s: Option<f64>,
        single_pages_per_s: Option<f64>,
        lru_pages_per_s: Option<f64>,
        pages_per_s: f64,
        cpu_busy: Option<f64>,
    },
    /// The checkpoint fell far behind the oldest dirty page: flushing was done, and the checkpoint was not taken.
    CheckpointLags {
        until_s: f64,
        seconds: f64,
        peak_s: f64,
        lag_bytes: f64,
        age_bytes: f64,
        oldest_page_age_bytes: f64,
    },
    /// One look: the age.
    AgeNow { age_bytes: f64, oldest_page_age_bytes: Option<f64> },
    /// One look: what is left to a limit; below zero, the age is above it.
    LimitLeft { limit: LimitName, limit_bytes: f64, left_bytes: f64, share: f64 },
    /// One look: the limits that other sizes of the redo log would have.
    LimitsBySize { age_bytes: Option<f64>, sizes: Vec<RedoSize> },
    /// The largest age that a server prints, and the redo log that gives it, where one does.
    PrintedLimit { max_age_bytes: f64, redo: Option<RedoSize> },
    /// One look: dirty pages.
    Pool { dirty_pages: f64, share_of_pool: Option<f64>, share_of_lru: Option<f64>, free_pages: Option<f64> },
    /// One look: writes and syncs under way.
    UnderWay {
        redo_syncs: Option<f64>,
        checkpoint_writes: Option<f64>,
        data_syncs: Option<f64>,
        lru_writes: Option<f64>,
        list_writes: Option<f64>,
        single_writes: Option<f64>,
        reads: Option<f64>,
    },
    /// One look: what is done a second.
    RatesNow {
        #[serde(flatten)]
        rates: Rates,
    },
    /// One look: pages written beyond those that reads and creations explain.
    Rewritten { read: f64, created: f64, written: f64, beyond: f64 },
    /// One look: length of the history list.
    History { length: f64 },
    /// One look: a thread waits long for a semaphore.
    LongWait { place: PlaceOfWait, longest_s: f64 },
    /// One look: what the figures look like.
    LooksLike { stands: Stands },
    /// Statements that would tell more.
    RecordNext { statements: Vec<&'static str> },
    /// Loops of the page cleaner that took longer than they should, as the error log says.
    SlowLoops {
        loops: u32,
        pages_per_s: f64,
        least_pages_per_s: f64,
        most_pages_per_s: f64,
        longest_s: f64,
        setting: Option<&'static str>,
        present: Option<f64>,
    },
    /// A loop that hardly wrote a page.
    StoodStill { seconds: f64, pages: f64 },
    /// A loop that waited for free pages.
    LoopMadeRoom { seconds: f64, flushed: f64, evicted: f64 },
    /// Loops of a run of which the server would write to its error log, with what it would write of the longest.
    LoopsSaid { loops: u32, at_s: f64, longest_s: f64, flushed: f64, evicted: f64, before_8: bool },
    /// Slow loops of which the error log says nothing.
    LoopsUnsaid { messages: u32 },
    /// The regime changed.
    RegimeChanged { from: Regime, to: Regime },
    /// The regime of the counted time.
    RegimeOfAll { regime: Regime, tps_mean: f64, throughput_counts: &'static str, counted_s: f64 },
    /// How full device and processors were over the counted time; how long the device had any request, where that alone is
    /// known.
    Busy { device: Option<f64>, device_active: Option<f64>, cpu: Option<f64>, device_full_s: f64 },
    /// A setting that the events point to, and a value to try.
    WouldChange { setting: &'static str, present: f64, value: f64, reason: Reason },
    /// The same load under another value: figures before and after.
    Tried {
        setting: String,
        present: f64,
        value: f64,
        tps: [f64; 2],
        stall_seconds: [f64; 2],
        sync_flush_seconds: [f64; 2],
        latency_ms_p99: [f64; 2],
        age_share_of_limit: [f64; 2],
        flushes_per_trx: [f64; 2],
        regime: [Regime; 2],
        age_was_rising: bool,
    },
    /// Figures that the rules would have used and that were not recorded.
    NotRecorded { figures: Vec<&'static str> },
}

/// What is done a second.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Rates {
    /// The time that they are means of, seconds.
    pub over_s: Option<f64>,
    /// Bytes of redo.
    pub redo_bytes: Option<f64>,
    /// Pages written.
    pub pages_written: Option<f64>,
    /// Pages read.
    pub pages_read: Option<f64>,
    /// Pages created.
    pub pages_created: Option<f64>,
    /// Rows changed.
    pub rows_changed: Option<f64>,
    /// Writes of redo.
    pub redo_writes: Option<f64>,
    /// Syncs of all files.
    pub syncs: Option<f64>,
    /// Growth of the dirty pages; falls are below zero.
    pub dirty_growth: Option<f64>,
    /// Growth of the checkpoint age, bytes.
    pub age_growth_bytes: Option<f64>,
}
