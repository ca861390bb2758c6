//! Settings that act above or beside flushing: of every server, and of every InnoDB.

use super::super::{Kind, Servers, Value};
use super::{Declaration, U32_MAX, everywhere, span, whole};

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

/// Settings of every server.
pub(super) const DECLARATIONS: &[Declaration] = &[
    everywhere(
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
    everywhere(
        "innodb_adaptive_hash_index_parts",
        "",
        &[whole(PARTED, 1, 512, 8, "8"), whole(UNPARTED, 1, 512, 1, "1")],
        "Parts of the adaptive hash index, each with a latch of its own.",
        "MySQL before 5.7 has no such setting and one latch.",
    ),
    everywhere(
        "innodb_change_buffer_max_size",
        "%",
        &[whole(BUFFERED, 0, 50, 25, "25"), whole(UNBUFFERED, 0, 50, 25, "25")],
        "Largest size of the change buffer, a share of the buffer pool.",
        "MySQL before 5.6 has no such setting and takes up to half of the pool; the default here is 25 all the same.",
    ),
    everywhere(
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
        "",
    ),
];
