//! A server small enough to reason about, for tests of the whole machine against closed forms.
//!
//! [`TestServer`] fills in the seam with the simplest decisions that there are: flush nothing, a constant number of
//! pages a second, or everything; stop user threads at a fixed age; write checkpoints at a fixed interval. The builders
//! make runs of it. Defaults are those of a machine without friction (devices and redo take no time), so that each test
//! puts in just what its formula speaks of.
#![allow(dead_code)]

use innosim_core::config::{
    BatchEnd, BufferPoolConfig, CommitDurability, DataSync, DoublewriteConfig, FlushNeighbors, FreePagePolicy,
    LeavesFlushList, LruWritten, MachineConfig, RedoConfig, RedoIo, RedoPipeline, SyncHolds, SyncRound,
};
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::kernel::station::StationReport;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::run_spec::{CpuSlowdown, CpuSpec, FileSystemSpec, RunSpec};
use innosim_core::seam::{
    AgeLimits, CheckpointerAction, CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushGauges,
    FlushKind, FlushRequest, FreeCheck, FreeCheckWait, LruWork, PassReport, ServerModel, View, WorkBefore,
    WriterLimits,
};
use innosim_core::server::{Server, Silent};
use innosim_core::storage::{DeviceSpec, StorageSpec};
use innosim_core::workload::{
    AccessClassSpec, DrawSpec, DriveSpec, Leaves, PageSetSpec, RateSegment, TouchSpec, TransactionSpec, UndoSpec,
    WorkloadSpec,
};
use std::sync::{Arc, Mutex};

/// Period of the test server's page cleaner.
const CLEANER_PERIOD: SimDuration = SimDuration::from_millis(10);

/// What the test server flushes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Flushing {
    /// Nothing.
    Nothing,
    /// The oldest pages, so many a second.
    PagesPerSecond(f64),
    /// All there is, at once.
    Everything,
}

/// A pass of the test server's page cleaner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pass {
    /// How long it took.
    pub(crate) ms: f64,
    /// What it did.
    pub(crate) report: PassReport,
    /// Pages under write at its end.
    pub(crate) under_write: u64,
}

/// The test server.
#[derive(Debug, Clone)]
pub(crate) struct TestServer {
    pub(crate) config: MachineConfig,
    pub(crate) flushing: Flushing,
    /// Age at which user threads stop.
    pub(crate) stop_bytes: u64,
    /// Capacity that the writer never exceeds.
    pub(crate) hard_bytes: u64,
    /// Interval of checkpoints; `None` for none at all.
    pub(crate) checkpoints: Option<SimDuration>,
    /// Whether user threads that stop take checkpoints, whenever one would help.
    pub(crate) threads_take_checkpoints: bool,
    /// What the page cleaner does to the LRU lists, and what its passes count as.
    pub(crate) lru: LruWork,
    pub(crate) kind: FlushKind,
    /// Whether its event wakes the page cleaner before its period is over.
    pub(crate) wakes: bool,
    /// Pages of its lists that it goes through before a pass.
    pub(crate) pages_counted: u64,
    /// Its passes so far; copies of the server write to the same list.
    pub(crate) passes: Arc<Mutex<Vec<Pass>>>,
    pass_began: SimTime,
    requested: f64,
    last_checkpoint_lsn: u64,
}

impl TestServer {
    /// A server with `pool_pages` pages in one instance that flushes nothing and never stops.
    pub(crate) fn new(pool_pages: u64) -> Self {
        TestServer {
            config: config(pool_pages),
            flushing: Flushing::Nothing,
            stop_bytes: 1 << 50,
            hard_bytes: 1 << 51,
            checkpoints: None,
            threads_take_checkpoints: false,
            lru: LruWork::ScanDepth,
            kind: FlushKind::Adaptive,
            wakes: false,
            pages_counted: 0,
            passes: Arc::default(),
            pass_began: SimTime::ZERO,
            requested: 0.0,
            last_checkpoint_lsn: 0,
        }
    }

    fn next_flush(&mut self, view: &View<'_>) -> CleanerAction {
        let pages = match self.flushing {
            Flushing::Nothing => return CleanerAction::Wait { until: SimTime::NEVER, wake_on_event: false },
            Flushing::Everything => 1 << 40,
            Flushing::PagesPerSecond(rate) => {
                let due = (rate * view.now.as_secs_f64() - self.requested).max(0.0).floor();
                self.requested += due;
                due as u64
            }
        };
        let instances = self.config.buffer_pool.instances;
        let slots = vec![pages / u64::from(instances); instances as usize];
        self.pass_began = view.now;
        let (lru, pages_counted) = (self.lru, self.pages_counted);
        CleanerAction::Flush(FlushRequest {
            lru,
            parallel: true,
            pages_counted,
            ..FlushRequest::list(self.kind, slots)
        })
    }
}

impl ServerModel for TestServer {
    fn starts_after(&mut self, _before: WorkBefore) {}

    fn config(&self) -> &MachineConfig {
        &self.config
    }

    fn instance_of(&self, space_id: u32, page_no: u32) -> u32 {
        space_id.wrapping_add(page_no / 64) % self.config.buffer_pool.instances
    }

    fn age_limits(&self) -> AgeLimits {
        AgeLimits { stop_bytes: self.stop_bytes, ..AgeLimits::default() }
    }

    fn writer_limits(&self) -> WriterLimits {
        WriterLimits { hard_bytes: self.hard_bytes, soft_bytes: self.hard_bytes }
    }

    fn writer_in_extra_margin(&mut self, _: &View<'_>, _: bool) {}

    fn free_check_limit_lsn(&self) -> u64 {
        self.last_checkpoint_lsn.max(self.config.redo.start_lsn) + self.stop_bytes
    }

    fn free_check(&mut self, view: &View<'_>, _: &mut FreeCheckWait) -> FreeCheck {
        if view.current_lsn <= view.last_checkpoint_lsn + self.stop_bytes {
            return FreeCheck::Proceed;
        }
        let oldest = view.oldest_modification_lsn;
        if self.threads_take_checkpoints && (oldest == 0 || oldest > view.last_checkpoint_lsn) {
            return FreeCheck::Checkpoint { wait: true };
        }
        FreeCheck::Sleep { duration: SimDuration::from_millis(1), wake_checkpointer: false }
    }

    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction {
        match input {
            CleanerInput::Start => CleanerAction::Wait { until: view.now + CLEANER_PERIOD, wake_on_event: false },
            CleanerInput::Timeout | CleanerInput::Event => self.next_flush(view),
            CleanerInput::Done(report) => {
                let (ms, under_write) = ((view.now - self.pass_began).as_millis_f64(), view.pending_writes);
                self.passes.lock().expect("one thread").push(Pass { ms, report, under_write });
                let goes_on = self.flushing == Flushing::Everything && report.list_pages > 0;
                let period = if goes_on { SimDuration::ZERO } else { CLEANER_PERIOD };
                CleanerAction::Wait { until: view.now + period, wake_on_event: self.wakes }
            }
            CleanerInput::BatchesOver
            | CleanerInput::CheckpointTaken
            | CleanerInput::Purged
            | CleanerInput::Merging { .. }
            | CleanerInput::RedoSynced => unreachable!("never asked for"),
        }
    }

    fn checkpointer(&mut self, view: &View<'_>, input: CheckpointerInput) -> CheckpointerAction {
        self.last_checkpoint_lsn = view.last_checkpoint_lsn;
        let oldest = if view.oldest_modification_lsn == 0 { u64::MAX } else { view.oldest_modification_lsn };
        let lsn = oldest.min(view.durable_lsn);
        let next = match self.checkpoints {
            Some(_) if input == CheckpointerInput::Timeout && lsn > view.last_checkpoint_lsn => {
                CheckpointerNext::Write { lsn }
            }
            Some(interval) => CheckpointerNext::Wait { timeout: interval, on_cleaner_tick: false },
            None => CheckpointerNext::Wait { timeout: SimDuration::from_secs(3600), on_cleaner_tick: false },
        };
        CheckpointerAction { wake_cleaner: false, next }
    }

    fn gauges(&self) -> FlushGauges {
        FlushGauges::default()
    }
}

fn config(pool_pages: u64) -> MachineConfig {
    MachineConfig {
        buffer_pool: BufferPoolConfig {
            pages: pool_pages,
            instances: 1,
            lru_scan_depth: 100,
            lru_min_len: 256,
            old_blocks_pct: 37,
            old_blocks_time: SimDuration::from_secs(1),
            free_pages: FreePagePolicy::SinglePage {
                first_scan: 100,
                sleep: SimDuration::from_millis(10),
                wakes_cleaner: true,
                waits_for_batch: false,
                clean_first: true,
            },
            lru_written: LruWritten::Freed,
            leaves_flush_list: LeavesFlushList::WhenWritten,
            sync_holds: SyncHolds::LruList,
            accesses_take_mutex: false,
            flush_area_pages: 64,
        },
        cleaner_threads: 1,
        redo: RedoConfig {
            log_buffer_bytes: 64 << 20,
            write_ahead_bytes: 8192,
            start_lsn: 8204,
            commit: CommitDurability::Lazy,
            flush_timeout: SimDuration::from_secs(1),
            pipeline: RedoPipeline::DedicatedThreads,
            io: RedoIo::NoSync,
            framed: true,
            checkpoint_record_bytes: 0,
            checkpoint_holds_writes: true,
            files: None,
            log_threads: None,
        },
        doublewrite: DoublewriteConfig::Off,
        data_sync: DataSync::Never,
        sync_round: SyncRound::Listed,
        batch_end: BatchEnd::IoThread,
        aio_write_slots: 1024,
        merges_adjacent_writes: false,
        write_io_threads: 1,
        flush_neighbors: FlushNeighbors::None,
        lru_managers: None,
        waits_for_all_writes: false,
        monitor: false,
        records: None,
    }
}

/// Always `us` microseconds.
pub(crate) fn fixed(us: f64) -> DurationDist {
    DurationDist::Fixed { us }
}

/// Exponential with mean `us` microseconds.
pub(crate) fn exponential(us: f64) -> DurationDist {
    DurationDist::Exponential { mean_us: us }
}

/// A device that takes no time for anything.
pub(crate) fn instant_device() -> DeviceSpec {
    DeviceSpec { queue_depth: 4096, ..DeviceSpec::instant("device") }
}

/// `count` touches of class 0.
pub(crate) fn touch(count: u32, modify: bool, redo_bytes: f64) -> TouchSpec {
    TouchSpec {
        class: 0,
        min: count,
        max: count,
        probability: 1.0,
        modify,
        bufferable: false,
        redo_bytes,
        recent: None,
        inserts: false,
        leaves: Leaves::Nothing,
        purge_redo_bytes: 0.0,
    }
}

/// A closed loop without think time.
pub(crate) fn closed(clients: u32) -> DriveSpec {
    DriveSpec::Closed { clients, think: fixed(0.0) }
}

/// Arrivals at a constant rate.
pub(crate) fn open(clients: u32, per_s: f64, poisson: bool) -> DriveSpec {
    let segment = RateSegment { start_s: 0.0, ramp_s: 0.0, from_per_s: per_s, to_per_s: per_s };
    DriveSpec::Open { clients, rate: vec![segment], poisson }
}

/// A run over one set of `pages` pages, uniformly drawn, all in the pool at the start; one kind of transaction; devices
/// that take no time; invariants on.
pub(crate) fn spec(
    secs: u64,
    pages: u64,
    cores: u32,
    cpu: DurationDist,
    touches: Vec<TouchSpec>,
    drive: DriveSpec,
) -> RunSpec {
    RunSpec {
        seed: 7,
        replication: 0,
        duration: SimDuration::from_secs(secs),
        storage: StorageSpec { data: instant_device(), redo: Some(instant_device()) },
        workload: WorkloadSpec {
            page_sets: vec![PageSetSpec {
                name: "set".to_owned(),
                space_id: 5,
                pages,
                resident_share: 1.0,
                freed: false,
            }],
            access_classes: vec![AccessClassSpec {
                name: "class".to_owned(),
                page_sets: vec![0],
                draw: DrawSpec::Uniform,
            }],
            transactions: vec![TransactionSpec {
                name: "transaction".to_owned(),
                weight: 1.0,
                cpu,
                touches,
                base_redo_bytes: 0.0,
                undo: UndoSpec::default(),
            }],
            drive,
            stops: Vec::new(),
            cores,
        },
        binary_log: None,
        change_buffer: None,
        adaptive_hash: None,
        cpu: CpuSpec::default(),
        other_programs: Vec::new(),
        purge: None,
        read_views: Vec::new(),
        cpu_slowdown: CpuSlowdown::default(),
        file_system: FileSystemSpec::default(),
        dirty_start: None,
        server_up: SimDuration::ZERO,
        engine_status_every: None,
        check: true,
    }
}

/// Runs to the end.
pub(crate) fn run(server: &TestServer, spec: &RunSpec) -> RunOutput {
    Server::new(Box::new(server.clone()), spec).run(&mut Silent).unwrap_or_else(|error| panic!("{error}"))
}

/// Mean and standard error by batch means of what `f` takes from the seconds after `from`, `batch` seconds a batch.
pub(crate) fn batch_means(out: &RunOutput, from: u64, batch: usize, f: impl Fn(&SecondSample) -> f64) -> (f64, f64) {
    let values: Vec<f64> = out.series.iter().filter(|s| s.second > from).map(f).collect();
    let means: Vec<f64> = values.chunks_exact(batch).map(|c| c.iter().sum::<f64>() / batch as f64).collect();
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// Asserts that the transactions a second after second `from` are `theory` within three standard errors, and that the
/// error is small enough to tell something.
pub(crate) fn check_throughput(name: &str, out: &RunOutput, from: u64, theory: f64) {
    let (mean, error) = batch_means(out, from, 2, |s| s.transactions as f64);
    println!("{name}: {mean:.2} +- {error:.2}, theory {theory:.2}, off by {:+.3} %", (mean / theory - 1.0) * 100.0);
    assert!((mean - theory).abs() <= 3.0 * error, "{name}: {mean} +- {error} for {theory}");
    assert!(error < 0.01 * theory, "{name}: the error {error} of {theory} is too large to tell anything");
}

/// Asserts that `value` is within `share` of `theory`.
pub(crate) fn check_share(name: &str, value: f64, theory: f64, share: f64) {
    println!("{name}: {value:.4}, theory {theory:.4}, off by {:+.4} %", (value / theory - 1.0) * 100.0);
    assert!((value / theory - 1.0).abs() <= share, "{name}: {value} for {theory}");
}

/// Throughput of a closed network with a product form: stations of `(demand, servers)` with exponential service, a
/// think time, `clients` clients. Buzen's convolution: X = G(N - 1) / G(N).
pub(crate) fn closed_network(stations: &[(f64, u32)], think: f64, clients: usize) -> f64 {
    let mut g = vec![0.0; clients + 1];
    g[0] = 1.0;
    let delay = (think > 0.0).then_some((think, u32::MAX));
    for &(demand, servers) in stations.iter().chain(delay.iter()) {
        let mut factor = vec![1.0; clients + 1];
        for k in 1..=clients {
            factor[k] = factor[k - 1] * demand / (k.min(servers as usize)) as f64;
        }
        g = (0..=clients).map(|n| (0..=n).map(|k| factor[k] * g[n - k]).sum()).collect();
    }
    g[clients - 1] / g[clients]
}

/// Little's law: mean number = completions x mean response / time, up to the operations in progress at the end.
pub(crate) fn check_little(report: &StationReport) {
    let number = report.completions as f64 * report.mean_response_s / report.observed_s;
    let open = (report.arrivals - report.completions) as f64;
    // An operation in progress has been inside for some time that is not in the mean response yet.
    let rounding = 1e-3 * report.mean_number + 10.0 * open * report.mean_response_s / report.observed_s + 1e-9;
    assert!((number - report.mean_number).abs() <= rounding, "{number}: {report:?}");
}

/// A server whose clients flush single pages, after `sleep` where a version sleeps; nobody else flushes.
pub(crate) fn flushing_alone(pool: u64, sleep: SimDuration, clean_first: bool) -> TestServer {
    let mut server = TestServer::new(pool);
    server.config.buffer_pool.free_pages =
        FreePagePolicy::SinglePage { first_scan: 0, sleep, wakes_cleaner: true, waits_for_batch: false, clean_first };
    server
}
