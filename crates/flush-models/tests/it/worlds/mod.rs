//! Whole servers in random surroundings: settings, device, pages, workload; and what must hold of any run of them.
#![allow(dead_code)]

pub(crate) mod power;

use crate::power_failures::{Crash, CrashPlan, run_with_crashes};
use innosim_core::config::{BinaryLogConfig, ChangeBufferConfig, Merging, PAGE_BYTES, ReadView};
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::run_spec::{
    CpuScheduling, CpuSlowdown, CpuSpec, DirtyStart, FileSystemKind, FileSystemSpec, LruMutexSpec, OtherPrograms,
    RunSpec, StatementLatchSpec,
};
use innosim_core::seam::{ServerModel, WorkBefore};
use innosim_core::server::{RunError, Server, Silent, Stepping};
use innosim_core::storage::{DeviceSpec, StorageSpec};
use innosim_core::workload::{
    AccessClassSpec, DrawSpec, DriveSpec, HomePages, IndexFill, Leaves, PageSetSpec, RateSegment, StopSpec, TouchSpec,
    TransactionSpec, UndoSpec, WorkloadSpec,
};
use innosim_flush_models::registry::purge_config;
use innosim_flush_models::registry::{ModelId, Settings, Value, build, lookup};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// A server and everything around it.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) model: ModelId,
    pub(crate) settings: BTreeMap<&'static str, Value>,
    pub(crate) spec: RunSpec,
    /// A start with this share of the pages dirty and the age at this share of the limit of user threads.
    pub(crate) dirty: Option<(f64, f64)>,
}

impl World {
    /// Adds a setting.
    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.settings.insert(name, value);
        self
    }

    /// Adds a whole number, to TNT under its own name for what has the same role.
    pub(crate) fn set(self, name: &'static str, value: u64) -> Self {
        let own = |world: World, name, value| world.with(name, Value::Integer(value));
        match (self.model, name) {
            (ModelId::Tnt, "innodb_buffer_pool_size") => {
                let world = own(self, "ntse_page_buf_size", value);
                own(own(world, "tnt_buf_size", (value / 4).max(MIB)), "ntse_rec_buf_size", value / 16 / 8192 * 8192)
            }
            (ModelId::Tnt, "innodb_io_capacity") => own(self, "ntse_system_io_capacity", value),
            (ModelId::Tnt, "innodb_flush_log_at_trx_commit") => own(self, "tnt_trx_flush_mode", value),
            (ModelId::Tnt, "innodb_lru_scan_depth") => own(self, "ntse_scavenger_pages", value.clamp(50, 1_000_000)),
            _ => own(self, name, value),
        }
    }

    /// Sets the size of the redo log, by whatever name the model has for it.
    pub(crate) fn redo(self, bytes: u64) -> Self {
        match self.model {
            ModelId::Mysql55 => {
                self.set("innodb_log_file_size", (bytes / 2).min(2047 * MIB)).set("innodb_log_files_in_group", 2)
            }
            model if model.has_files_in_group() => {
                self.set("innodb_log_file_size", bytes / 2).set("innodb_log_files_in_group", 2)
            }
            model if model.is_mariadb() => self.set("innodb_log_file_size", bytes),
            ModelId::Tnt => self
                .set("ntse_log_file_size", bytes / 2)
                .set("ntse_log_file_cnt_hwm", 2)
                .set("ntse_log_buf_size", (bytes / 4 / MIB * MIB).clamp(MIB, 32 * MIB)),
            _ => self.set("innodb_redo_log_capacity", bytes),
        }
    }

    /// Leaves something to purge, in ways that follow from the bits of `seed`.
    fn with_purge(mut self, seed: u64) -> Self {
        let mut bits = seed;
        let mut below = |n: u64| {
            let rest = bits % n;
            bits /= n;
            rest
        };
        let threads = below(5);
        let numbers = [[1, 20, 300][below(3) as usize], [0, 2_000, 5_000][below(3) as usize], 20_000 * below(2)];
        let undo = [[1, 16, 128][below(3) as usize], below(4)];
        let truncates = below(2) > 0;
        let leaves = [Leaves::Marked, Leaves::Row, Leaves::KeyedRow, Leaves::Nothing];
        for kind in &mut self.spec.workload.transactions {
            let bytes = [200.0, 20_000.0, 0.0][below(3) as usize];
            kind.undo = UndoSpec { bytes, insert_bytes: 300.0 * below(2) as f64, changed_rows: below(20) as u32 };
            for touch in &mut kind.touches {
                touch.leaves = leaves[below(4) as usize];
                touch.purge_redo_bytes = touch.redo_bytes / (1 + below(5)) as f64;
            }
        }
        if below(2) > 0 {
            let from = SimTime::ZERO + SimDuration::from_millis(500 * below(8));
            self.spec.read_views = vec![ReadView { from, until: from + SimDuration::from_millis(700 * below(4)) }];
        }
        let mut world = self
            .set("innodb_purge_threads", threads)
            .set("innodb_purge_batch_size", numbers[0])
            .set("innodb_max_purge_lag", numbers[1])
            .set("innodb_max_purge_lag_delay", numbers[2])
            .set("innodb_purge_rseg_truncate_frequency", undo[0])
            .set("innodb_undo_tablespaces", undo[1])
            .set("innodb_max_undo_log_size", 10 * MIB)
            .with("innodb_undo_log_truncate", Value::Switch(truncates));
        let model = world.model;
        world.settings.retain(|name, value| lookup(model, name).is_ok_and(|s| s.check(*value).is_ok()));
        world
    }

    /// Settings, with the model's defaults. Those that it doesn't know are left out.
    pub(crate) fn resolved(&self) -> Settings {
        let mut known = self.settings.clone();
        known.retain(|name, _| lookup(self.model, name).is_ok());
        Settings::resolve(self.model, &known).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs on this thread.
    pub(crate) fn run(&self) -> Result<RunOutput, RunError> {
        self.server().run(&mut Silent)
    }

    /// The server, about to run.
    pub(crate) fn server(&self) -> Server {
        let (model, spec) = self.built();
        Server::new(model, &spec)
    }

    /// Runs it, looked at as if it crashed again and again.
    pub(crate) fn run_with_crashes(&self, plan: CrashPlan) -> Result<(RunOutput, Vec<Crash>), RunError> {
        let (model, spec) = self.built();
        run_with_crashes(model, &spec, plan)
    }

    /// The same, to be run second by second.
    pub(crate) fn stepping(&self) -> Stepping {
        let (model, spec) = self.built();
        Stepping::new(model, &spec)
    }

    fn built(&self) -> (Box<dyn ServerModel>, RunSpec) {
        let settings = self.resolved();
        let model = build(&settings).unwrap_or_else(|error| panic!("{error}"));
        let limit = model.age_limits().stop_bytes;
        let dirty_start = self.dirty.map(|(share, age)| {
            let checkpoint_age_bytes = (limit as f64 * age) as u64;
            let before = WorkBefore {
                redo_bytes_per_s: checkpoint_age_bytes / 100,
                pages_flushed_per_s: 300,
                ..WorkBefore::default()
            };
            DirtyStart { share, checkpoint_age_bytes, before }
        });
        // TNT's is of another kind.
        let purge =
            (self.model != ModelId::Tnt).then(|| purge_config(&settings).unwrap_or_else(|error| panic!("{error}")));
        let spec = RunSpec { purge, dirty_start, ..self.spec.clone() };
        (model, spec)
    }

    /// Runs, and fails if simulated time stands still: a run of some seconds that takes half a minute of real time.
    pub(crate) fn run_watched(&self) -> RunOutput {
        let (sender, receiver) = mpsc::channel();
        let world = self.clone();
        std::thread::spawn(move || drop(sender.send(world.run())));
        match receiver.recv_timeout(Duration::from_secs(30)) {
            Ok(Ok(out)) => out,
            Ok(Err(error)) => panic!("{error}"),
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("the run panicked"),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                // The run can't be stopped, and a shrinker would only start more of them.
                eprintln!("simulated time stands still in {self:#?}");
                std::process::exit(101);
            }
        }
    }

    /// Clients of the drive.
    /// MariaDB's page cleaner goes round without a sleep while fewer pages are free than half of
    /// `innodb_lru_scan_depth` (`need_lru`): always in a pool not much larger than that. Turns a second, at most.
    fn turns_without_sleep(&self) -> u64 {
        let of = |name| match self.settings.get(name) {
            Some(&Value::Integer(value)) => Some(value),
            _ => None,
        };
        let pages = of("innodb_buffer_pool_size").map(|bytes| bytes / PAGE_BYTES);
        let tiny = pages.zip(of("innodb_lru_scan_depth")).is_some_and(|(pages, depth)| pages < depth);
        if self.model.is_mariadb() && tiny { 250_000 } else { 0 }
    }

    fn clients(&self) -> u64 {
        match self.spec.workload.drive {
            DriveSpec::Closed { clients, .. } | DriveSpec::Open { clients, .. } => u64::from(clients),
        }
    }
}

/// A world with a warm data set that fits its pool, an SSD and a closed loop that writes.
pub(crate) fn plain(model: ModelId, secs: u64) -> World {
    let touch = |modify, redo_bytes| TouchSpec {
        class: 0,
        min: 4,
        max: 8,
        probability: 1.0,
        modify,
        bufferable: false,
        recent: None,
        redo_bytes,
        inserts: false,
        leaves: if modify { Leaves::Marked } else { Leaves::Nothing },
        purge_redo_bytes: redo_bytes / 5.0,
    };
    let spec = RunSpec {
        seed: 11,
        replication: 0,
        duration: SimDuration::from_secs(secs),
        storage: StorageSpec { data: ssd(100.0, 500.0), redo: None },
        workload: WorkloadSpec {
            page_sets: vec![page_set(0, 4_000, 1.0)],
            access_classes: vec![class(&[0], DrawSpec::Uniform)],
            transactions: vec![TransactionSpec {
                name: "write".to_owned(),
                weight: 1.0,
                cpu: DurationDist::Exponential { mean_us: 500.0 },
                touches: vec![touch(false, 0.0), touch(true, 150.0)],
                base_redo_bytes: 100.0,
                undo: UndoSpec::default(),
            }],
            drive: DriveSpec::Closed { clients: 8, think: DurationDist::Fixed { us: 0.0 } },
            stops: Vec::new(),
            cores: 4,
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
    };
    let world = World { model, settings: BTreeMap::new(), spec, dirty: None };
    match model {
        // Its defaults are those of a very small server.
        ModelId::Tnt => world.set("ntse_page_buf_size", 128 * MIB).set("tnt_buf_size", 256 * MIB),
        _ => world,
    }
}

/// A run of pages.
pub(crate) fn page_set(space_id: u32, pages: u64, resident_share: f64) -> PageSetSpec {
    PageSetSpec { name: format!("set of space {space_id}"), space_id, pages, resident_share, freed: false }
}

/// A way of drawing from page sets.
pub(crate) fn class(page_sets: &[u32], draw: DrawSpec) -> AccessClassSpec {
    AccessClassSpec { name: "class".to_owned(), page_sets: page_sets.to_vec(), draw }
}

/// A device of eight channels with exponential times.
pub(crate) fn ssd(write_us: f64, sync_us: f64) -> DeviceSpec {
    let exponential = |mean_us| DurationDist::Exponential { mean_us };
    DeviceSpec {
        channels: 8,
        queue_depth: 128,
        random_read: exponential(write_us),
        random_write: exponential(write_us),
        sequential_write: exponential(write_us),
        sync: exponential(sync_us),
        write_bytes_per_s: Some(1e9),
        read_write_interference: 0.5,
        ..DeviceSpec::instant("ssd")
    }
}

/// What must hold of any run.
pub(crate) fn check_run(world: &World, out: &RunOutput) {
    let secs = world.spec.duration.0 / 1_000_000_000;
    assert_eq!(out.series.len() as u64, secs, "a row a second");
    check_events(world, out, secs);
    for report in &out.stations {
        let number = report.completions as f64 * report.mean_response_s / report.observed_s;
        let open = (report.arrivals - report.completions) as f64;
        // Operations in progress have been inside for up to the whole run, without a response yet.
        let rounding = 1e-6 * report.mean_number + open + 1e-9;
        assert!((number - report.mean_number).abs() <= rounding, "{number}: {report:?}");
        assert!((0.0..1.000_001).contains(&report.utilization), "{report:?}");
    }
    for row in &out.series {
        let parts = row.adaptive_pages + row.background_pages + row.single_pages + row.lru_pages;
        assert!(parts <= row.pages_flushed && row.pages_flushed <= parts + row.sync_pages, "{row:?}");
    }
}

/// Events in proportion to what happened: a transaction, a page and a sync take some, a waiting client polls.
fn check_events(world: &World, out: &RunOutput, secs: u64) {
    let sum = |f: fn(&SecondSample) -> u64| out.series.iter().map(f).sum::<u64>();
    let useful =
        sum(|s| s.transactions + s.pages_flushed + s.pool_reads + s.redo_fsyncs + s.data_fsyncs + s.dblwr_writes);
    let bound = 30 * useful + secs * (20_000 + 12_000 * world.clients()) + secs * world.turns_without_sleep();
    assert!(out.events < bound, "{} events for {useful} useful things in {secs} s", out.events);
}

/// Whether anything but time moved in a row.
fn moved(pair: &[SecondSample]) -> bool {
    let row = &pair[1];
    row.transactions + row.pages_flushed + row.pool_reads + row.redo_written_bytes + row.redo_generated_bytes > 0
        || row.checkpoint_age_bytes != pair[0].checkpoint_age_bytes
        || row.dirty_pages != pair[0].dirty_pages
}

/// Whether anything moved in the second half of a run.
pub(crate) fn makes_progress(out: &RunOutput) -> bool {
    let half = out.series.len() / 2;
    out.series[half - 1..].windows(2).any(moved)
}

/// A server with clients that want something doesn't stand still for the second half of a run.
pub(crate) fn check_progress(out: &RunOutput) {
    assert!(makes_progress(out), "the server stands still: {:#?}", out.series.last());
}

fn draws() -> impl Strategy<Value = DrawSpec> {
    prop_oneof![
        Just(DrawSpec::Uniform),
        (1u32..2_000, 1u32..20, 1u32..40, any::<bool>()).prop_map(|(range, groups, constants, at_home)| {
            DrawSpec::NuRand { a: 1023, range, groups, constants, at_home }
        }),
        (1u32..50, proptest::option::of(1u32..20)).prop_map(|(homes, groups)| DrawSpec::OfHome {
            homes,
            pages: groups.map_or(HomePages::InOrder, |groups| HomePages::Scattered { groups }),
        }),
        (0.0f64..1.5).prop_map(|theta| DrawSpec::Zipf { theta }),
        (0.05f64..0.5).prop_map(|h| DrawSpec::Pareto { h }),
        (0.0f64..1.0, 0.0f64..1.0).prop_map(|(hot_pages, hot_accesses)| DrawSpec::HotSpot { hot_pages, hot_accesses }),
        (1u32..20, 1u32..50).prop_map(|(points, rows_per_page)| DrawSpec::Append {
            points,
            rows_per_page,
            home_points: points % 3
        }),
        (1u32..20, 1u32..50).prop_map(|(points, rows_per_page)| DrawSpec::Walk {
            points,
            rows_per_page,
            home_points: points % 4,
            stretch: 0.7,
        }),
    ]
}

fn durations(longest_us: f64) -> impl Strategy<Value = DurationDist> {
    prop_oneof![
        (0.0..longest_us).prop_map(|us| DurationDist::Fixed { us }),
        (1.0..longest_us).prop_map(|mean_us| DurationDist::Exponential { mean_us }),
        (1.0..longest_us, 0.0f64..2.0).prop_map(|(mean_us, cv)| DurationDist::Lognormal { mean_us, cv }),
    ]
}

fn devices() -> impl Strategy<Value = DeviceSpec> {
    let times = (durations(1_000.0), durations(1_000.0), durations(300.0), durations(5_000.0));
    let shape = (select(vec![1u32, 4, 32]), select(vec![1u32, 8, 32, 256]), any::<bool>(), any::<bool>());
    let rates = (proptest::option::of(100.0f64..50_000.0), proptest::option::of(1e7f64..2e9), 0.0f64..3.0);
    (times, shape, rates).prop_map(|((read, write, sequential, sync), shape, rates)| DeviceSpec {
        channels: shape.0,
        queue_depth: shape.1,
        random_read: read,
        random_write: write,
        sequential_write: sequential,
        sync,
        sync_is_barrier: shape.2,
        sync_counts_as_write: shape.3,
        read_iops: rates.0.map(|rate| rate * 1.5),
        write_iops: rates.0,
        reads_a_page_written: if rates.0.is_some() { rates.2 } else { 0.0 },
        write_bytes_per_s: rates.1,
        read_write_interference: rates.2,
        ..ssd(1.0, 1.0)
    })
}

fn drives() -> impl Strategy<Value = DriveSpec> {
    let rate = |start_s, per_s| RateSegment { start_s, ramp_s: 0.5, from_per_s: 0.0, to_per_s: per_s };
    let clients = select(vec![1u32, 2, 16, 64]);
    prop_oneof![
        (clients.clone(), durations(5_000.0)).prop_map(|(clients, think)| DriveSpec::Closed { clients, think }),
        clients.clone().prop_map(|clients| DriveSpec::Closed { clients, think: DurationDist::Fixed { us: 0.0 } }),
        (clients, 1.0f64..5_000.0, 0.0f64..10_000.0, any::<bool>()).prop_map(move |(clients, a, b, poisson)| {
            DriveSpec::Open { clients, rate: vec![rate(0.0, a), rate(1.5, b)], poisson }
        }),
    ]
}

fn touches(classes: u32) -> impl Strategy<Value = TouchSpec> {
    (0..classes, 0u32..6, 0u32..12, 0.0f64..1.0, any::<bool>(), 0.0f64..1_500.0).prop_map(
        |(class, min, more, probability, modify, redo_bytes)| TouchSpec {
            class,
            min,
            max: min + more,
            probability: if probability > 0.5 { 1.0 } else { probability },
            modify,
            bufferable: class == 1,
            recent: None,
            redo_bytes,
            inserts: modify,
            leaves: Leaves::Nothing,
            purge_redo_bytes: 0.0,
        },
    )
}

fn transactions() -> impl Strategy<Value = TransactionSpec> {
    let cpu = (50.0f64..3_000.0).prop_map(|mean_us| DurationDist::Exponential { mean_us });
    (0.01f64..1.0, cpu, proptest::collection::vec(touches(2), 0..4), select(vec![0.0, 80.0])).prop_map(
        |(weight, cpu, touches, base_redo_bytes)| TransactionSpec {
            name: "transaction".to_owned(),
            weight,
            cpu,
            touches,
            base_redo_bytes,
            undo: UndoSpec::default(),
        },
    )
}

fn workloads() -> impl Strategy<Value = WorkloadSpec> {
    let pages = || select(vec![1u64, 60, 700, 5_000, 70_000]);
    let resident = || select(vec![0.0, 0.5, 1.0]);
    let sets = (pages(), pages(), resident(), resident(), any::<bool>());
    let kinds = proptest::collection::vec(transactions(), 1..3);
    (sets, draws(), draws(), kinds, drives(), select(vec![1u32, 8, 64])).prop_map(
        |(sets, first, second, transactions, drive, cores)| WorkloadSpec {
            page_sets: vec![page_set(3, sets.0, sets.2), page_set(if sets.4 { 3 } else { 4 }, sets.1, sets.3)],
            access_classes: vec![class(&[0], first), class(&[0, 1], second)],
            transactions,
            drive,
            stops: Vec::new(),
            cores,
        },
    )
}

/// Random settings of `model`.
fn settings(model: ModelId) -> impl Strategy<Value = BTreeMap<&'static str, Value>> {
    let pool = select(vec![
        (5 * MIB, 1u64),
        (8 * MIB, 1),
        (8 * MIB, 4),
        (64 * MIB, 1),
        (1024 * MIB, 1),
        (1024 * MIB, 8),
        (1024 * MIB, 64),
    ]);
    let redo = select(vec![8 * MIB, 16 * MIB, 128 * MIB, 4096 * MIB]);
    let doublewrite = select(vec![("OFF", 0u64), ("ON", 4), ("ON", 128)]);
    let methods = select(vec!["fsync", "O_DSYNC", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC"]);
    let numbers = (select(vec![100u64, 2_000, 20_000]), select(vec![1u64, 4]), 0u64..3, select(vec![100u64, 1024]));
    let redo_settings = (0u64..3, select(vec![256u64 << 10, 4 << 20]), select(vec![512u64, 8192]));
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let methods_55 = select(vec!["native", "estimate", "keep_average", "reflex"]);
    (pool, redo, doublewrite, (methods, methods_55), numbers, redo_settings, switches).prop_map(
        move |(pool, redo, doublewrite, (method, method_55), numbers, redo_settings, switches)| {
            let mut world = World { settings: BTreeMap::new(), ..plain(model, 1) }
                .redo(redo)
                .set("innodb_buffer_pool_size", pool.0)
                .set("innodb_buffer_pool_instances", pool.1)
                .with("innodb_doublewrite", Value::Choice(doublewrite.0))
                .set("innodb_doublewrite_pages", doublewrite.1)
                .with("innodb_flush_method", Value::Choice(method))
                .set("innodb_io_capacity", numbers.0)
                .set("tnt_purge_interval", numbers.1)
                .set("ntse_checkpoint_interval", 1 + numbers.2)
                .set("tnt_dump_interval", 1 + numbers.2 / 2)
                .set("innodb_page_cleaners", numbers.1)
                .set("innodb_flush_neighbors", numbers.2)
                .set("innodb_lru_scan_depth", numbers.3)
                .set("innodb_flush_log_at_trx_commit", redo_settings.0)
                .set("innodb_log_buffer_size", redo_settings.1)
                .set("innodb_log_write_ahead_size", redo_settings.2)
                .with("innodb_flush_sync", Value::Switch(switches.0))
                .with("innodb_adaptive_flushing", Value::Switch(switches.1));
            // With backoff LRU batches alone free pages, and they leave 256 in the list: undo pages in the rest of the smallest pool
            // would stop the server for good.
            let legacy = switches.2 || pool.0 < 16 * MIB;
            world = world
                .with("innodb_log_writer_threads", Value::Switch(switches.2))
                .with("innodb_use_native_aio", Value::Switch(switches.3))
                .set("innodb_write_io_threads", [1, 4, 64][numbers.2 as usize])
                .with(
                    "innodb_cleaner_lsn_age_factor",
                    Value::Choice(if switches.1 { "legacy" } else { "high_checkpoint" }),
                )
                .with("innodb_empty_free_list_algorithm", Value::Choice(if legacy { "legacy" } else { "backoff" }))
                .with("innodb_adaptive_flushing_method", Value::Choice(method_55))
                .with("innodb_flush_neighbor_pages", Value::Choice(["none", "cont", "area"][numbers.2 as usize]))
                .with("innodb_max_dirty_pages_pct_lwm", Value::Real(if switches.2 { 10.0 } else { 0.0 }));
            // Each server takes what it knows.
            world.settings.retain(|name, value| lookup(model, name).is_ok_and(|s| s.check(*value).is_ok()));
            world.settings
        },
    )
}

/// Processors in turns or shared, with CPU times of the server's own work or without.
fn processors(model: ModelId, seed: u64) -> CpuSpec {
    let us = |bit: u32, us: u64| SimDuration::from_micros(if seed >> bit & 1 == 1 { us } else { 0 });
    CpuSpec {
        scheduling: if seed >> 8 & 1 == 1 { CpuScheduling::Shared } else { CpuScheduling::InTurns },
        sync: us(9, 200),
        page_write: us(10, 28),
        page_read: us(11, 44),
        page_checksum: us(12, 25),
        client_flush: us(13, 125),
        dispatch: us(26, 35),
        mutex_spin: us(27, 40),
        lru_mutex: lru_mutex(seed),
        statement_latch: StatementLatchSpec { hold: us(38, 40), per_waiter: us(38, 1) },
        page_search: if model == ModelId::Mysql55 { us(37, 15) } else { SimDuration::ZERO },
        pool_mutex_wait: us(35, 60),
        page_access_gap: us(36, 10),
        purge_change: us(17, 17),
        cleaner_priority: seed >> 14 & 1 == 1,
        log_writer_waits_per_s: Some(if seed >> 28 & 1 == 1 { 2.0 } else { 0.0 }),
        single_page_during_lru_batch: false,
    }
}

/// Threads compete for the mutexes of the LRU lists in half of the worlds.
fn lru_mutex(seed: u64) -> LruMutexSpec {
    let (hold, per_waiter) = (SimDuration::from_micros(5), SimDuration(83));
    if seed >> 34 & 1 == 1 { LruMutexSpec { hold, per_waiter, spin_share: 0.25 } } else { LruMutexSpec::default() }
}

/// A file system with a journal in half of the worlds.
fn file_system(seed: u64) -> FileSystemSpec {
    let kind = [FileSystemKind::None, FileSystemKind::Ext4Ordered, FileSystemKind::None, FileSystemKind::Xfs];
    FileSystemSpec {
        kind: kind[(seed >> 25 & 3) as usize],
        tick: SimDuration::from_millis(1 + seed % 4),
        fdatasync: seed >> 24 & 1 == 1,
    }
}

/// Sometimes the same work takes more CPU time the more threads run.
fn slowdown(seed: u64) -> CpuSlowdown {
    CpuSlowdown(if seed >> 28 & 3 == 0 { vec![(0.5, 1.0), (1.0, 2.5), (8.0, 3.0)] } else { Vec::new() })
}

/// Sometimes other programs take most of a processor from the second second on.
fn others(seed: u64) -> Vec<OtherPrograms> {
    let from = SimTime::ZERO + SimDuration::from_secs(1);
    if seed >> 15 & 3 == 0 { vec![OtherPrograms { from, cpus: 0.8 }] } else { Vec::new() }
}

/// Sometimes the load stops for 100 to 355 ms from the second second on, once or again and again, alone or with the
/// whole server, and the longer the more pages are in the buffer pool.
fn stops(seed: u64) -> Vec<StopSpec> {
    let (first, length) = (SimTime(1_000_000_000), SimDuration::from_millis(100 + (seed >> 18 & 255)));
    let every = if seed >> 26 & 1 == 1 { SimDuration::from_millis(700) } else { SimDuration::ZERO };
    let per_gib = SimDuration::from_millis(100 * (seed >> 30 & 3));
    let stop = StopSpec { first, length, per_gib, every, whole_server: seed >> 27 & 1 == 1 };
    if seed >> 28 & 3 == 0 { vec![stop] } else { Vec::new() }
}

/// Sometimes the first class draws index pages that split and merge, freshly built or not, or filled in random order.
fn with_index(mut workload: WorkloadSpec, seed: u64) -> WorkloadSpec {
    if seed >> 30 & 3 == 0 {
        let changes_a_page = [0.0, 0.5, 4.0, 300.0][(seed >> 32 & 3) as usize];
        let (filled, keys) = match seed >> 34 & 3 {
            0 => (IndexFill::InRandomOrder, Some(Box::new(DrawSpec::Zipf { theta: 0.6 }))),
            _ => (IndexFill::InOneGo { changes_a_page }, None),
        };
        workload.access_classes[0].draw =
            DrawSpec::Index { entries_a_page: 40, filled, dirties_latched: false, keys, split_redo_bytes: 7_000.0 };
    }
    workload
}

/// A random server of `model` in random surroundings.
pub(crate) fn worlds(model: ModelId) -> impl Strategy<Value = World> {
    let storage = (devices(), proptest::option::of(devices())).prop_map(|(data, redo)| StorageSpec { data, redo });
    let binary_log = proptest::option::of((0u32..3, any::<bool>())).prop_map(move |log| {
        log.map(|(sync_every, grouped)| BinaryLogConfig {
            sync_every,
            grouped,
            leader_asks_for_redo: grouped && model != ModelId::Mariadb123,
            bytes_per_transaction: 300.0,
            in_redo: grouped && model == ModelId::Mariadb123,
        })
    });
    let change_buffer = proptest::option::of((1u64..1_000, 100u64..5_000)).prop_map(|sizes| {
        sizes.map(|(max_pages, io_capacity)| ChangeBufferConfig {
            max_pages,
            io_capacity,
            inserts: io_capacity % 3 > 0,
            marks: io_capacity % 5 > 0,
            removals: io_capacity % 2 > 0,
            merging: [Merging::Nobody, Merging::EachSecond, Merging::PageCleaner][io_capacity as usize / 6 % 3],
        })
    });
    // A page cleaner's averages begin with its second turn: after three seconds it has had time to flush.
    (settings(model), storage, workloads(), binary_log, change_buffer, 3u64..7, any::<u64>()).prop_map(
        move |(settings, storage, workload, binary_log, change_buffer, secs, seed)| {
            World {
                model,
                settings,
                spec: RunSpec {
                    seed,
                    replication: 0,
                    duration: SimDuration::from_secs(secs),
                    storage,
                    workload: with_index(WorkloadSpec { stops: stops(seed), ..workload }, seed),
                    binary_log,
                    change_buffer,
                    adaptive_hash: None,
                    cpu: processors(model, seed),
                    other_programs: others(seed),
                    purge: None,
                    read_views: Vec::new(),
                    cpu_slowdown: slowdown(seed),
                    file_system: file_system(seed),
                    dirty_start: None,
                    server_up: SimDuration::from_secs(seed % 40),
                    engine_status_every: (seed % 3 == 0).then_some(SimDuration::from_millis(500 + seed % 900)),
                    check: true,
                },
                dirty: [None, Some((0.3, 0.05)), Some((1.0, 0.5)), None][(seed >> 60) as usize % 4],
            }
            .with_purge(seed)
        },
    )
}

/// A random world with the least of everything: a pool of 512 pages, a device that takes one request at a time, no
/// doublewrite and no asynchronous writes where the model has them, two clients and a change buffer.
pub(crate) fn cramped_worlds(model: ModelId) -> impl Strategy<Value = World> {
    worlds(model).prop_map(move |mut world| {
        world.spec.storage.redo = None;
        let device = &mut world.spec.storage.data;
        (device.channels, device.queue_depth) = (1, 1);
        world.spec.workload.drive = DriveSpec::Closed { clients: 2, think: DurationDist::Fixed { us: 0.0 } };
        let merging = if world.spec.seed % 2 == 0 { Merging::EachSecond } else { Merging::PageCleaner };
        world.spec.change_buffer = Some(ChangeBufferConfig {
            max_pages: 100,
            io_capacity: 200,
            inserts: true,
            marks: true,
            removals: true,
            merging,
        });
        let mut world = world
            .set("innodb_buffer_pool_size", 8 * MIB)
            .set("innodb_buffer_pool_instances", 1)
            .with("innodb_doublewrite", Value::Choice("OFF"))
            .with("innodb_use_native_aio", Value::Switch(false));
        world.settings.retain(|name, value| lookup(model, name).is_ok_and(|s| s.check(*value).is_ok()));
        world
    })
}
