//! Settings of purge and undo tablespaces, of every InnoDB.

use super::super::{Kind, Servers, Value};
use super::{Declaration, GIB, MIB, U32_MAX, bytes, derived, explained, integer, size, span, whole};

const ALL: &[Servers] = &[Servers::INNODB];
const OF_55: &[Servers] = &[Servers::MYSQL.until(5, 6, 0)];
const FROM_56: &[Servers] = &[Servers::MYSQL.from(5, 6, 0), Servers::MARIADB];
const MYSQL_FROM_56: &[Servers] = &[Servers::MYSQL.from(5, 6, 0)];
const MYSQL_FROM_57: &[Servers] = &[Servers::MYSQL.from(5, 7, 0)];
const FROM_80: &[Servers] = &[Servers::MYSQL.from(8, 0, 0)];
const FOUR_THREADS: &[Servers] = &[Servers::MYSQL.from(5, 7, 0).until(8, 4, 0), Servers::MARIADB];
const FROM_84: &[Servers] = &[Servers::MYSQL.from(8, 4, 0)];
const M56: &[Servers] = &[Servers::MYSQL.from(5, 6, 0).until(5, 7, 0)];
const M57: &[Servers] = &[Servers::MYSQL.from(5, 7, 0).until(8, 0, 0)];
const MARIADB: &[Servers] = &[Servers::MARIADB];
const UNTIL_110: &[Servers] = &[Servers::MARIADB.until(11, 0, 0)];
const FROM_110: &[Servers] = &[Servers::MARIADB.from(11, 0, 0)];

/// Settings of purge and undo tablespaces.
pub(super) const DECLARATIONS: &[Declaration] = &[
    explained(
        "innodb_max_purge_lag",
        "undo logs",
        &[whole(ALL, 0, U32_MAX, 0, "0")],
        "History list length from which statements are delayed, by 10 ms a row for each time that it exceeds it; 0 never.",
        "From MySQL 5.6 and in MariaDB nothing is delayed unless innodb_max_purge_lag_delay is set too: the servers take the \
         smaller of both. From MySQL 5.7 only a history longer than innodb_purge_threads x innodb_purge_batch_size counts.",
    ),
    explained(
        "innodb_max_purge_lag_delay",
        "us",
        &[whole(FROM_56, 0, 10_000_000, 0, "0")],
        "Longest delay of a row while purge lags; 0 allows none.",
        "The manual says that 0 sets no limit; the servers' code says otherwise, and the model follows the code.",
    ),
    explained(
        "innodb_max_undo_log_size",
        "bytes",
        &[
            size(MYSQL_FROM_57, bytes(10 * MIB, u64::MAX, 1), GIB, "1G"),
            size(MARIADB, bytes(10 * MIB, u64::MAX, 1), 10 * MIB, "10M"),
        ],
        "Size above which an undo tablespace is truncated, if innodb_undo_log_truncate is on.",
        "It grows only while purge lags or a read view is held open: purged undo pages are used again.",
    ),
    explained(
        "innodb_purge_batch_size",
        "pages",
        &[
            whole(OF_55, 1, 5000, 20, "20"),
            whole(MYSQL_FROM_56, 1, 5000, 300, "300"),
            whole(MARIADB, 1, 5000, 127, "127"),
        ],
        "Undo log pages that purge takes at once; the undo log of a small transaction counts as one.",
        "All threads wait for the last of a batch.",
    ),
    explained(
        "innodb_purge_rseg_truncate_frequency",
        "calls",
        &[whole(MYSQL_FROM_57, 1, 128, 128, "128")],
        "Calls of purge after which the purged history is cut off, its undo pages are freed, and undo tablespaces may be truncated.",
        "Until then purged undo logs count in the history list length. 5.6 does it each 128 calls; 5.5 and MariaDB after each.",
    ),
    explained(
        "innodb_purge_threads",
        "threads",
        &[
            whole(OF_55, 0, 1, 0, "0"),
            whole(M56, 1, 32, 1, "1"),
            whole(FOUR_THREADS, 1, 32, 4, "4"),
            derived(FROM_84, integer(1, 32), "1 up to 16 CPUs, else 4"),
        ],
        "Threads that purge, the coordinator included; with 0 the master thread of 5.5 purges at the end of its rounds.",
        "From 8.0 and in MariaDB a table's records go to one thread, so one busy table is purged by one thread; from 8.0.26 not \
         while the history exceeds innodb_max_purge_lag.",
    ),
    explained(
        "innodb_undo_log_truncate",
        "",
        &[
            span(M57, Kind::Switch, Value::Switch(false), "OFF"),
            span(FROM_80, Kind::Switch, Value::Switch(true), "ON"),
            span(MARIADB, Kind::Switch, Value::Switch(false), "OFF"),
        ],
        "Whether an undo tablespace larger than innodb_max_undo_log_size is truncated once all in it is purged.",
        "It takes two undo tablespaces. In 5.7 each truncation flushes every dirty page, twice; from 8.0.21 none.",
    ),
    explained(
        "innodb_undo_tablespaces",
        "",
        &[
            whole(M56, 0, 126, 0, "0"),
            whole(M57, 0, 95, 0, "0"),
            whole(FROM_80, 2, 127, 2, "2"),
            whole(UNTIL_110, 0, 127, 0, "0"),
            whole(FROM_110, 0, 127, 3, "3"),
        ],
        "Undo tablespaces; with 0 undo logs lie in the system tablespace.",
        "From 8.0.14 the server ignores the setting: here it stands for what CREATE UNDO TABLESPACE made.",
    ),
];
