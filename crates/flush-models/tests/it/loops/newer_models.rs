//! What Percona Server 5.7, MySQL 8.0.16, MariaDB 10.6 and 12.3 and Percona Server 8.4 do otherwise than their neighbours.

use super::steps::{START, done, flush, server, settings, sleep_ms, view};
use innosim_core::config::{BatchEnd, DataSync, DoublewriteConfig, FreePagePolicy, SharedCollecting};
use innosim_core::seam::{CheckpointerInput, CleanerAction, CleanerInput, FlushKind, LruWork, View};
use innosim_flush_models::registry::{ModelId, binary_log};

const POOL: [(&str, &str); 2] = [("innodb_buffer_pool_size", "4G"), ("innodb_buffer_pool_instances", "4")];

/// The page cleaner of Percona Server 5.7 leaves the LRU lists to their threads: an early wake does nothing, and it sleeps on.
#[test]
fn the_coordinator_of_percona_57_flushes_lists_alone() {
    let mut percona = server(ModelId::Percona57, &POOL);
    let mut mysql = server(ModelId::Mysql57, &POOL);
    for (server, wakes_for_lru) in [(&mut percona, false), (&mut mysql, true)] {
        assert_eq!(sleep_ms(&server.cleaner(&view(0), CleanerInput::Start)), (1000, true));
        let woken = server.cleaner(&View { activity: 1, ..view(300) }, CleanerInput::Event);
        if wakes_for_lru {
            assert_eq!(flush(woken).lru, LruWork::ScanDepth);
        } else {
            assert_eq!(sleep_ms(&woken), (1000, true));
            let timed = flush(server.cleaner(&View { activity: 1, ..view(1000) }, CleanerInput::Timeout));
            assert_eq!((timed.kind, timed.lru), (FlushKind::Adaptive, LruWork::None));
        }
    }
    assert!(percona.config().lru_managers.is_some() && mysql.config().lru_managers.is_none());
}

/// Its doublewrite has a batch of 120 pages for each instance and kind, whose end the thread that posted it waits for; the file is
/// never synced. Threads without a free page pause, and search only if told so.
#[test]
fn the_doublewrite_of_percona_57_is_parallel() {
    let machine = |lines: &[(&str, &str)]| server(ModelId::Percona57, &[&POOL, lines].concat()).config().clone();
    let default = machine(&[]);
    let expected = DoublewriteConfig::PerInstance {
        batch_pages: 120,
        flush_list_segments: 4,
        lru_segments: 4,
        instances: 4,
        sync_file: true,
        fixed_bytes: None,
    };
    assert_eq!((&default.doublewrite, default.batch_end), (&expected, BatchEnd::Poster));
    assert_eq!(default.data_sync, DataSync::EveryBatch);
    assert_eq!(default.buffer_pool.free_pages, FreePagePolicy::Pause { wakes_cleaner: false });
    let legacy = machine(&[("innodb_empty_free_list_algorithm", "legacy")]);
    assert!(matches!(legacy.buffer_pool.free_pages, FreePagePolicy::SinglePage { waits_for_batch: true, .. }));
    assert_eq!(machine(&[("innodb_doublewrite", "OFF")]).doublewrite, DoublewriteConfig::Off);
    let synced = ["fsync", "O_DIRECT", "O_DSYNC", "O_DIRECT_NO_FSYNC"].map(|method| {
        let DoublewriteConfig::PerInstance { sync_file, .. } = machine(&[("innodb_flush_method", method)]).doublewrite
        else {
            panic!("{method}")
        };
        sync_file
    });
    assert_eq!(synced, [true, true, false, false]);
}

/// LRU manager threads of 8.4 are there by choice.
#[test]
fn percona_84_has_lru_managers_by_choice() {
    let has = |lines: &[(&str, &str)]| server(ModelId::Percona84, lines).config().lru_managers.is_some();
    assert!(!has(&[]) && has(&[("innodb_lru_threads", "ON")]));
    assert!(server(ModelId::Percona80, &[]).config().lru_managers.is_some());
}

/// Redo beyond the sync limit of a redo log of 1 GiB, with a page as old, on a server that is always active.
fn late(ms: u64) -> View<'static> {
    View { current_lsn: START + 1_000_000_000, dirty_pages: 500, activity: ms, ..view(ms) }
}

/// The checkpointer of 8.0.16 sets a sync target; the coordinator serves it once, in full, when the event wakes it, and not in a
/// pass that its second began. 8.0.21 asks its rule how many pages.
#[test]
fn a_sync_target_of_8016_is_served_once_and_in_full() {
    let redo = [("innodb_log_file_size", "512M"), ("innodb_log_files_in_group", "2")];
    let mut server = server(ModelId::Mysql8016, &[&POOL[..], &redo].concat());
    assert_eq!(sleep_ms(&server.cleaner(&view(0), CleanerInput::Start)), (1000, true));
    server.checkpointer(&view(0), CheckpointerInput::Start);
    assert!(server.checkpointer(&late(10), CheckpointerInput::Timeout).wake_cleaner);
    let timed = flush(server.cleaner(&late(1000), CleanerInput::Timeout));
    assert_eq!(timed.kind, FlushKind::Adaptive, "a timed pass looks at the age alone");
    assert_eq!(sleep_ms(&server.cleaner(&late(1001), done(10, 0))), (2000, true));
    let woken = flush(server.cleaner(&late(1100), CleanerInput::Event));
    assert_eq!((woken.kind, woken.slots), (FlushKind::Sync, vec![u64::MAX; 4]));
    assert!(woken.lsn_limit > START && woken.lsn_limit < START + 1_000_000_000, "{}", woken.lsn_limit);
    server.cleaner(&late(1200), done(400, 0));
    let again = flush(server.cleaner(&late(1300), CleanerInput::Event));
    assert_eq!(again.kind, FlushKind::LruOnly, "nobody has asked again");
}

/// One doublewrite buffer of 120 pages until 8.0.19, which has no settings of its own then.
#[test]
fn pages_of_8016_go_through_one_doublewrite_buffer() {
    let expected = |sync_file| DoublewriteConfig::Shared {
        batch_pages: 120,
        area_pages: 64,
        collecting: SharedCollecting::Together,
        sync_file,
    };
    let of = |method| server(ModelId::Mysql8016, &[("innodb_flush_method", method)]).config().doublewrite.clone();
    assert_eq!([of("O_DIRECT"), of("O_DIRECT_NO_FSYNC")], [expected(true), expected(false)]);
    let names: Vec<_> = settings(ModelId::Mysql8016, &[]).values.into_keys().collect();
    for later in ["innodb_doublewrite_pages", "innodb_doublewrite_files", "innodb_idle_flush_pct"] {
        assert!(!names.contains(&later), "{later}");
    }
}

/// An idle server of 8.0.16 flushes its I/O capacity a second.
#[test]
fn an_idle_8016_flushes_its_capacity() {
    let mut server = server(ModelId::Mysql8016, &[&POOL[..], &[("innodb_io_capacity", "1000")]].concat());
    server.cleaner(&view(0), CleanerInput::Start);
    let CleanerAction::Flush(idle) = server.cleaner(&view(1000), CleanerInput::Timeout) else { panic!("it flushes") };
    assert_eq!((idle.kind, idle.slots), (FlushKind::Background, vec![250; 4]));
}

/// The redo log of MariaDB 10.6 has a smaller header and blocks; its limits are those of the larger rest.
#[test]
fn the_redo_log_of_mariadb_106_is_framed() {
    let size = [("innodb_log_file_size", "100M")];
    let old = server(ModelId::Mariadb106, &size);
    let new = server(ModelId::Mariadb1011, &size);
    // 100 MiB less 2048 bytes, a tenth, 48 pages, a tenth.
    assert_eq!(old.age_limits().stop_bytes, 84_225_209);
    assert_eq!(new.age_limits().stop_bytes, 84_216_915);
    assert!(old.config().redo.framed && !new.config().redo.framed);
    assert_eq!(old.writer_limits().hard_bytes - new.writer_limits().hard_bytes, 12_288 - 2_048);
}

/// A binary log in the engine is redo; sync_binlog has a note that it does nothing.
#[test]
fn the_binary_log_of_mariadb_123_may_be_redo() {
    let log = |lines: &[(&str, &str)]| {
        let settings = settings(ModelId::Mariadb123, &[&[("log_bin", "ON"), ("sync_binlog", "1")], lines].concat());
        (binary_log(&settings, 300.0).unwrap().unwrap().in_redo, settings.notes.len())
    };
    assert_eq!(log(&[]), (false, 0));
    assert_eq!(log(&[("binlog_storage_engine", "innodb")]), (true, 1));
    let archived = settings(ModelId::Mariadb123, &[("innodb_log_archive", "ON"), ("innodb_log_file_size", "8G")]);
    assert_eq!(archived.integer("innodb_log_file_size").unwrap(), 4 << 30);
    assert_eq!(archived.adjustments.len(), 1);
}
