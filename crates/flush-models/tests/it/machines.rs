//! The machine that each server's settings make: the numbers that no setting changes, and where those that are set go.
//!
//! Mutation tests found these places (docs/robustness.md): a run tells one number from another only where it is met, such as a
//! list of exactly 256 pages. Sources: `innodb-5.5` sections 5 and 6, `innodb-5.6` and `innodb-5.7` sections 4 to 6,
//! `innodb-8.0.21` sections 3, 5 and 6, `mariadb-10.11` sections 2, 6 and 7, `percona` section 4.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::config::{
    BatchEnd, BufferPoolConfig, CommitDurability, DataSync, DoublewriteConfig, FlushNeighbors, FreePagePolicy,
    LeavesFlushList, LogThreadsConfig, LruWritten, MachineConfig, RedoConfig, RedoFilesConfig, RedoIo, RedoPipeline,
    SharedCollecting, SyncHolds, SyncRound,
};
use innosim_core::kernel::time::SimDuration;
use innosim_flush_models::registry::{ModelId, Settings, Value, build, change_buffer, lookup, parse_value};
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;

/// Settings that a model does not have are left out.
fn machine(model: ModelId, more: &[(&str, &str)]) -> MachineConfig {
    let round = [
        ("innodb_buffer_pool_size", "1G"),
        ("innodb_buffer_pool_instances", "4"),
        ("innodb_write_io_threads", "3"),
        ("innodb_log_buffer_size", "12M"),
        ("innodb_lru_scan_depth", "700"),
        ("innodb_old_blocks_pct", "25"),
        ("innodb_old_blocks_time", "600"),
        ("innodb_flush_method", "O_DIRECT"),
        ("innodb_flush_neighbors", "0"),
        ("innodb_doublewrite", "ON"),
        ("innodb_log_write_ahead_size", "4096"),
        ("innodb_page_cleaners", "2"),
    ];
    let known = round.iter().chain(more).filter_map(|(name, text)| {
        let setting = lookup(model, name).ok()?;
        Some((setting.name, parse_value(&setting, text).unwrap()))
    });
    build(&Settings::resolve(model, &known.collect::<BTreeMap<_, _>>()).unwrap()).unwrap().config().clone()
}

fn millis(ms: u64) -> SimDuration {
    SimDuration::from_millis(ms)
}

/// Four instances of 16 384 pages, three write threads with 256 places each, 64 x 2 pages of doublewrite less 8 single ones.
fn of_56() -> MachineConfig {
    MachineConfig {
        buffer_pool: BufferPoolConfig {
            pages: 65_536,
            instances: 4,
            lru_scan_depth: 700,
            lru_min_len: 256,
            old_blocks_pct: 25,
            old_blocks_time: millis(600),
            free_pages: FreePagePolicy::SinglePage {
                first_scan: 699,
                sleep: millis(100),
                wakes_cleaner: false,
                waits_for_batch: true,
                clean_first: false,
            },
            lru_written: LruWritten::Stays,
            leaves_flush_list: LeavesFlushList::WhenWritten,
            sync_holds: SyncHolds::Instance,
            accesses_take_mutex: false,
            flush_area_pages: 64,
        },
        cleaner_threads: 1,
        redo: RedoConfig {
            log_buffer_bytes: 12 * MIB,
            write_ahead_bytes: 512,
            start_lsn: 8_204,
            commit: CommitDurability::Sync,
            flush_timeout: millis(1_000),
            pipeline: RedoPipeline::LogMutex,
            io: RedoIo::Buffered,
            framed: true,
            checkpoint_record_bytes: 0,
            checkpoint_holds_writes: false,
            files: None,
            log_threads: None,
        },
        doublewrite: DoublewriteConfig::Shared {
            batch_pages: 120,
            area_pages: 64,
            collecting: SharedCollecting::Together,
            sync_file: true,
        },
        data_sync: DataSync::EveryBatch,
        sync_round: SyncRound::Listed,
        batch_end: BatchEnd::IoThread,
        aio_write_slots: 768,
        merges_adjacent_writes: false,
        write_io_threads: 3,
        flush_neighbors: FlushNeighbors::None,
        lru_managers: None,
        waits_for_all_writes: false,
        monitor: false,
        records: None,
    }
}

/// A first search of 100 pages, 10 ms before a single page is flushed, and the cleaner is woken.
const SEARCH_OF_57: FreePagePolicy = FreePagePolicy::SinglePage {
    first_scan: 100,
    sleep: SimDuration::from_millis(10),
    wakes_cleaner: true,
    waits_for_batch: false,
    clean_first: true,
};

#[test]
fn the_machine_of_56() {
    assert_eq!(machine(ModelId::Mysql56, &[]), of_56());
    let without = machine(ModelId::Mysql56, &[("innodb_doublewrite", "OFF")]);
    assert_eq!((without.doublewrite, without.batch_end), (DoublewriteConfig::Off, BatchEnd::Poster));
}

/// Pages of LRU batches are freed when they are written; redo fills one buffer while another is written; a checkpoint appends a
/// marker of 9 bytes.
#[test]
fn the_machine_of_57() {
    let mut expected = of_56();
    expected.buffer_pool.free_pages = SEARCH_OF_57;
    expected.buffer_pool.lru_written = LruWritten::Freed;
    expected.cleaner_threads = 2;
    expected.redo.log_buffer_bytes = 24 * MIB;
    expected.redo.write_ahead_bytes = 4_096;
    expected.redo.pipeline = RedoPipeline::CommittingThread;
    expected.redo.checkpoint_record_bytes = 9;
    assert_eq!(machine(ModelId::Mysql57, &[]), expected);
}

/// A doublewrite buffer for each instance and kind: 8, half of them for each kind; two files; as many pages as write threads.
#[test]
fn the_machine_of_80() {
    let mut expected = of_56();
    expected.buffer_pool.free_pages = SEARCH_OF_57;
    expected.buffer_pool.lru_written = LruWritten::Freed;
    expected.buffer_pool.sync_holds = SyncHolds::LruList;
    expected.cleaner_threads = 2;
    expected.redo.write_ahead_bytes = 4_096;
    expected.redo.pipeline = RedoPipeline::DedicatedThreads;
    expected.redo.log_threads = Some(LogThreadsConfig { spin_cpu_abs_lwm: 80, checkpoint_takes_writer_mutex: false });
    expected.redo.checkpoint_holds_writes = true;
    expected.doublewrite = DoublewriteConfig::PerInstance {
        batch_pages: 3,
        flush_list_segments: 5,
        lru_segments: 5,
        instances: 4,
        sync_file: false,
        fixed_bytes: None,
    };
    let two = [("innodb_doublewrite_files", "2"), ("innodb_doublewrite_pages", "3")];
    for model in [ModelId::Mysql8021, ModelId::Mysql8027] {
        assert_eq!(machine(model, &two), expected, "{model:?}");
    }
    // From 8.0.30 on redo is in 32 files, of 100 MiB in all.
    let file_bytes = 3_276_800 - 2_048;
    expected.redo.files =
        Some(RedoFilesConfig { file_bytes, first_lsn: 8_192, files: 32, round: millis(10), writer_wait: millis(100) });
    expected.redo.log_threads = Some(LogThreadsConfig { spin_cpu_abs_lwm: 80, checkpoint_takes_writer_mutex: true });
    assert_eq!(machine(ModelId::Mysql8030, &two), expected);
    let detect = machine(ModelId::Mysql8030, &[("innodb_doublewrite", "DETECT_ONLY")]);
    let DoublewriteConfig::PerInstance { fixed_bytes, .. } = detect.doublewrite else { panic!("{detect:?}") };
    assert_eq!((fixed_bytes, detect.batch_end), (Some(8_192), BatchEnd::IoThread));
    let without = machine(ModelId::Mysql8030, &[("innodb_doublewrite", "OFF")]);
    assert_eq!((without.doublewrite, without.batch_end), (DoublewriteConfig::Off, BatchEnd::Poster));
}

/// LRU managers sleep a second at first; who finds no free page backs off, or goes the old way and waits for batches.
#[test]
fn the_machine_of_percona_80() {
    let backoff = |algorithm| machine(ModelId::Percona80, &[("innodb_empty_free_list_algorithm", algorithm)]);
    assert_eq!(backoff("backoff").lru_managers, Some(millis(1_000)));
    assert_eq!(backoff("backoff").buffer_pool.free_pages, FreePagePolicy::Pause { wakes_cleaner: false });
    let FreePagePolicy::SinglePage { first_scan, sleep, wakes_cleaner, clean_first, .. } = SEARCH_OF_57 else {
        unreachable!()
    };
    let policy =
        |waits_for_batch| FreePagePolicy::SinglePage { first_scan, sleep, wakes_cleaner, waits_for_batch, clean_first };
    assert_eq!(backoff("legacy").buffer_pool.free_pages, policy(true));
    let off = [("innodb_empty_free_list_algorithm", "legacy"), ("innodb_doublewrite", "OFF")];
    assert_eq!(machine(ModelId::Percona80, &off).buffer_pool.free_pages, policy(false));
}

/// Five of each 512 pages describe the others; redo has no frames and begins behind 12 288 bytes; both extents of the doublewrite
/// are one.
#[test]
fn the_machine_of_mariadb() {
    let mut expected = of_56();
    expected.buffer_pool.pages = 65_536 - 128 * 5;
    expected.buffer_pool.instances = 1;
    expected.buffer_pool.free_pages = FreePagePolicy::WaitForCleaner { first_scan: 100 };
    expected.buffer_pool.sync_holds = SyncHolds::Nothing;
    expected.buffer_pool.leaves_flush_list = LeavesFlushList::AtNextLook;
    expected.redo = RedoConfig {
        log_buffer_bytes: 24 * MIB,
        write_ahead_bytes: 4_096,
        start_lsn: 12_288,
        pipeline: RedoPipeline::CommittingThread,
        framed: false,
        checkpoint_record_bytes: 208,
        checkpoint_holds_writes: true,
        ..expected.redo
    };
    expected.doublewrite = DoublewriteConfig::Shared {
        batch_pages: 128,
        area_pages: 128,
        collecting: SharedCollecting::Ahead,
        sync_file: true,
    };
    expected.waits_for_all_writes = true;
    expected.sync_round = SyncRound::UntilNoneLeft;
    assert_eq!(machine(ModelId::Mariadb1011, &[]), expected);
    let pages = |size| machine(ModelId::Mariadb1011, &[("innodb_buffer_pool_size", size)]).buffer_pool.pages;
    assert_eq!(["1032M", "1028M", "8G"].map(pages), [66_048 - 129 * 5, 65_792 - 129 * 5, 524_288 - 1_024 * 5]);
}

/// From 11.0 on a flush method that spares syncs, or `innodb_doublewrite = fast`, spares those of the data files alone; there is
/// no change buffer, and three undo tablespaces.
#[test]
fn the_machine_of_mariadb_114() {
    let syncs = |model, lines: &[_]| {
        let machine = machine(model, lines);
        let DoublewriteConfig::Shared { sync_file, .. } = machine.doublewrite else { panic!("{machine:?}") };
        (sync_file, machine.data_sync)
    };
    assert_eq!(machine(ModelId::Mariadb114, &[]), machine(ModelId::Mariadb1011, &[]));
    let spares = [("innodb_flush_method", "O_DIRECT_NO_FSYNC")];
    assert_eq!(syncs(ModelId::Mariadb1011, &spares), (false, DataSync::Never));
    assert_eq!(syncs(ModelId::Mariadb114, &spares), (true, DataSync::Never));
    assert_eq!(syncs(ModelId::Mariadb114, &[("innodb_doublewrite", "fast")]), (true, DataSync::Never));
    assert_eq!(syncs(ModelId::Mariadb114, &[]), (true, DataSync::EveryBatch));
    let settings = Settings::resolve(ModelId::Mariadb114, &BTreeMap::new()).unwrap();
    assert_eq!(change_buffer(&settings), Ok(None));
    assert_eq!(settings.get("innodb_undo_tablespaces"), Some(Value::Integer(3)));
}

/// 8.4 has the age factor and the waits of Percona Server 8.0, the LRU batches of MySQL's page cleaner, and two doublewrite files.
#[test]
fn the_machine_of_percona_84() {
    let waits = |model| match machine(model, &[]).buffer_pool.free_pages {
        FreePagePolicy::SinglePage { waits_for_batch, .. } => waits_for_batch,
        policy => panic!("{policy:?}"),
    };
    assert_eq!([ModelId::Mysql84, ModelId::Percona80, ModelId::Percona84].map(waits), [false, true, true]);
    assert!(machine(ModelId::Percona80, &[]).lru_managers.is_some());
    assert_eq!(machine(ModelId::Percona84, &[]).lru_managers, None);
    let backoff = machine(ModelId::Percona84, &[("innodb_empty_free_list_algorithm", "backoff")]);
    assert_eq!(backoff.buffer_pool.free_pages, FreePagePolicy::Pause { wakes_cleaner: true });
    let plain = Settings::resolve(ModelId::Percona84, &BTreeMap::new()).unwrap();
    assert_eq!(plain.choice("innodb_cleaner_lsn_age_factor"), Ok("high_checkpoint"));
    assert_eq!(plain.get("innodb_doublewrite_files"), Some(Value::Integer(2)));
    assert_eq!(plain.get("innodb_io_capacity"), Some(Value::Integer(10_000)));
}

/// 5.5 searches a part of the list for clean pages, merges what lies beside each other where threads simulate asynchronous writes,
/// and flushes by batches of 128 pages, all of the two areas.
#[test]
fn the_machine_of_55() {
    let got = machine(ModelId::Mysql55, &[]);
    assert_eq!((got.buffer_pool.pages, got.buffer_pool.instances, got.buffer_pool.lru_min_len), (65_536, 4, 0));
    let FreePagePolicy::Margin { sleep, .. } = got.buffer_pool.free_pages else { panic!("{got:?}") };
    assert_eq!((sleep, got.buffer_pool.lru_written), (millis(500), LruWritten::MovedToTail));
    assert_eq!(
        (got.redo.start_lsn, got.redo.flush_timeout, got.redo.log_buffer_bytes),
        (8_204, millis(1_000), 12 * MIB)
    );
    assert_eq!((got.aio_write_slots, got.merges_adjacent_writes, got.monitor), (768, false, true));
    let shared = DoublewriteConfig::Shared {
        batch_pages: 128,
        area_pages: 64,
        collecting: SharedCollecting::OneThread,
        sync_file: true,
    };
    assert_eq!((got.doublewrite, got.batch_end), (shared, BatchEnd::Poster));
    let simulated = machine(ModelId::Mysql55, &[("innodb_use_native_aio", "OFF")]);
    assert_eq!((simulated.aio_write_slots, simulated.merges_adjacent_writes), (3, true));
}

/// An instance under 1984 pages has smaller areas: 1024 pages, of which a 31st is cut to a power of two.
#[test]
fn small_instances_have_small_flush_areas() {
    let area = |model, size, instances| {
        let small = [("innodb_buffer_pool_size", size), ("innodb_buffer_pool_instances", instances)];
        machine(model, &small).buffer_pool.flush_area_pages
    };
    for model in [ModelId::Mysql55, ModelId::Mysql56, ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8030] {
        assert_eq!([area(model, "16M", "1"), area(model, "1G", "64")], [32, 32], "{model:?}");
    }
    assert_eq!(area(ModelId::Mariadb1011, "16M", "1"), 64, "MariaDB has an extent");
}
