//! Settings that act above or beside flushing: of every server, and of every InnoDB.

use super::super::{Kind, Servers, Value};
use super::{Declaration, KIB, U32_MAX, bytes, derived, everywhere, explained, integer, size, span, whole};

const CHANGE_BUFFERING: &[&str] = &["none", "inserts", "deletes", "changes", "purges", "all"];
const ALL: &[Servers] = &[Servers::ALL];
/// Servers whose adaptive hash index and change buffer are on by default.
const BUFFERED: &[Servers] = &[Servers::MYSQL.until(8, 4, 0)];
/// Those whose are off.
const UNBUFFERED: &[Servers] = &[Servers::MYSQL.from(8, 4, 0), Servers::MARIADB.until(11, 0, 0)];
/// Servers without a change buffer, whose adaptive hash index is off by default.
const WITHOUT_CHANGE_BUFFER: &[Servers] = &[Servers::MARIADB.from(11, 0, 0)];
/// Servers whose adaptive hash index has several parts.
const PARTED: &[Servers] = &[Servers::MYSQL.from(5, 7, 0), Servers::MARIADB];
/// Those in which it is one.
const UNPARTED: &[Servers] = &[Servers::MYSQL.until(5, 7, 0)];
/// Servers that sync the binary log with each group of commits by default.
const SYNCED: &[Servers] = &[Servers::MYSQL.from(5, 7, 0)];
/// Those that leave it to the operating system.
const NOT_SYNCED: &[Servers] = &[Servers::MYSQL.until(5, 7, 0), Servers::MARIADB, Servers::TNT];

/// MySQL by the releases in which something changes.
const BEFORE_56: &[Servers] = &[Servers::MYSQL.until(5, 6, 0)];
const M56: &[Servers] = &[Servers::MYSQL.from(5, 6, 0).until(5, 7, 0)];
const M57: &[Servers] = &[Servers::MYSQL.from(5, 7, 0).until(8, 0, 0)];
const M56_AND_57: &[Servers] = &[Servers::MYSQL.from(5, 6, 0).until(8, 0, 0)];
const BEFORE_80: &[Servers] = &[Servers::MYSQL.until(8, 0, 0)];
const FROM_56: &[Servers] = &[Servers::MYSQL.from(5, 6, 0)];
const FROM_80: &[Servers] = &[Servers::MYSQL.from(8, 0, 0)];
const BEFORE_84: &[Servers] = &[Servers::MYSQL.until(8, 4, 0)];
const FROM_84: &[Servers] = &[Servers::MYSQL.from(8, 4, 0)];
const FROM_56_AND_MARIADB: &[Servers] = &[Servers::MYSQL.from(5, 6, 0), Servers::MARIADB];
const MARIADB: &[Servers] = &[Servers::MARIADB];
const INNODB: &[Servers] = &[Servers::INNODB];
/// A share of dirty pages, from 5.7 on.
const DIRTY_SHARE: Kind = Kind::Real { min: 0.0, max: 99.999 };

/// Settings of every server.
pub(super) const DECLARATIONS: &[Declaration] = &[
    explained(
        "innodb_adaptive_hash_index",
        "",
        &[
            span(BUFFERED, Kind::Switch, Value::Switch(true), "ON"),
            span(UNBUFFERED, Kind::Switch, Value::Switch(false), "OFF"),
            span(WITHOUT_CHANGE_BUFFER, Kind::Switch, Value::Switch(false), "OFF"),
        ],
        "Whether the adaptive hash index is on; what it costs is stated by the scenario, in [adaptive_hash_index].",
        "Without that table it changes nothing: its gain or cost is then part of the CPU time of the workload.",
    ),
    explained(
        "innodb_adaptive_hash_index_parts",
        "",
        &[whole(PARTED, 1, 512, 8, "8"), whole(UNPARTED, 1, 512, 1, "1")],
        "Parts of the adaptive hash index, each with a latch of its own.",
        "MySQL before 5.7 has no such setting and one latch.",
    ),
    explained(
        "innodb_change_buffer_max_size",
        "%",
        &[whole(BUFFERED, 0, 50, 25, "25"), whole(UNBUFFERED, 0, 50, 25, "25")],
        "Largest size of the change buffer, a share of the buffer pool.",
        "MySQL before 5.6 has no such setting and takes up to half of the pool; the default here is 25 all the same.",
    ),
    explained(
        "innodb_change_buffering",
        "",
        &[
            span(BUFFERED, Kind::Choice(CHANGE_BUFFERING), Value::Choice("all"), "all"),
            span(UNBUFFERED, Kind::Choice(CHANGE_BUFFERING), Value::Choice("none"), "none"),
        ],
        "Whether changes of secondary index pages that are not in memory wait in the change buffer until the page is read.",
        "all, changes and inserts buffer what transactions do to pages that the workload marks as bufferable; all and purges what purge \
         removes there; none and deletes buffer nothing. MySQL also reads pages in order to merge their changes, MariaDB since 10.5 does not.",
    ),
    everywhere(
        "innodb_flush_log_at_trx_commit",
        "",
        &[whole(FROM_56, 0, 2, 1, "1")],
        "What a commit waits for: 0 nothing, 1 its redo synced, 2 its redo written.",
    ),
    everywhere("innodb_log_files_in_group", "", &[whole(BEFORE_80, 2, 100, 2, "2")], "Number of redo files."),
    explained(
        "innodb_lru_scan_depth",
        "pages",
        &[whole(M56_AND_57, 100, u64::MAX, 1024, "1024"), whole(FROM_80, 100, U32_MAX, 1024, "1024")],
        "Free pages that the page cleaner keeps in each instance, and pages that it scans for them.",
        "Without effect while the data set fits the buffer pool.",
    ),
    everywhere(
        "innodb_max_dirty_pages_pct",
        "%",
        &[
            whole(M56, 0, 99, 75, "75"),
            span(M57, DIRTY_SHARE, Value::Real(75.0), "75"),
            span(FROM_80, DIRTY_SHARE, Value::Real(90.0), "90"),
        ],
        "Share of dirty pages at which their number alone calls for innodb_io_capacity.",
    ),
    everywhere(
        "innodb_max_dirty_pages_pct_lwm",
        "%",
        &[
            whole(M56, 0, 99, 0, "0"),
            span(M57, DIRTY_SHARE, Value::Real(0.0), "0"),
            span(FROM_80, DIRTY_SHARE, Value::Real(10.0), "10"),
        ],
        "Share of dirty pages from which their number calls for flushing; 0 switches this off.",
    ),
    everywhere(
        "innodb_old_blocks_pct",
        "%",
        &[whole(INNODB, 5, 95, 37, "37")],
        "Share of the LRU list behind the point where new pages enter.",
    ),
    everywhere(
        "innodb_old_blocks_time",
        "ms",
        &[whole(BEFORE_56, 0, U32_MAX, 0, "0"), whole(FROM_56_AND_MARIADB, 0, U32_MAX, 1000, "1000")],
        "A page read in is not made young by accesses within this time after its first.",
    ),
    everywhere(
        "innodb_page_size",
        "bytes",
        &[size(FROM_56_AND_MARIADB, bytes(16 * KIB, 16 * KIB, 1), 16 * KIB, "16K")],
        "Size of a page; the models know only 16K.",
    ),
    explained(
        "innodb_read_io_threads",
        "threads",
        &[
            whole(BEFORE_84, 1, 64, 4, "4"),
            derived(FROM_84, integer(1, 64), "half of the CPUs, at least 4"),
            whole(MARIADB, 2, 64, 4, "4"),
        ],
        "Threads for read-ahead; reads that a transaction waits for don't use them.",
        "Read-ahead is not modelled, so this changes nothing yet.",
    ),
    everywhere(
        "innodb_thread_concurrency",
        "threads",
        &[whole(FROM_56, 0, 1000, 0, "0")],
        "Enters the margin of redo kept free for running threads; it does not limit them in the model.",
    ),
    explained(
        "log_bin",
        "",
        &[span(ALL, Kind::Switch, Value::Switch(false), "OFF")],
        "Whether a binary log is written: a commit is prepared, goes through it in a group, then is acknowledged.",
        "The servers' own default is ON from MySQL 8.0. It lies on the redo log's device; [binary_log] says how many bytes a \
         transaction writes to it.",
    ),
    everywhere(
        "sync_binlog",
        "groups",
        &[whole(SYNCED, 0, U32_MAX, 1, "1"), whole(NOT_SYNCED, 0, U32_MAX, 0, "0")],
        "Groups of commits after which the binary log is synced; 0 leaves it to the operating system.",
    ),
];
