//! Every setting of the MariaDB models, declared once (`mariadb-10.11` section 10). The names are those of MySQL, what
//! they do is not always, so these settings have declarations of their own.

use super::super::{Kind, Servers, Value};
use super::{
    Declaration, GIB, KIB, MIB, TIB, U32_MAX, bytes, derived, everywhere, explained, integer, size, span, whole,
};

const MARIADB: &[Servers] = &[Servers::MARIADB];
const UNTIL_108: &[Servers] = &[Servers::MARIADB.until(10, 8, 0)];
const FROM_108: &[Servers] = &[Servers::MARIADB.from(10, 8, 0)];
const UNTIL_110: &[Servers] = &[Servers::MARIADB.until(11, 0, 0)];
const FROM_123: &[Servers] = &[Servers::MARIADB.from(12, 3, 0)];
const FROM_110: &[Servers] = &[Servers::MARIADB.from(11, 0, 0)];
/// `littlesync` is for tests of the server and not told apart from `fsync`.
const FLUSH_METHODS: &[&str] = &["fsync", "O_DSYNC", "littlesync", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC"];

/// A percentage with a fraction.
const fn percent(max: f64) -> Kind {
    Kind::Real { min: 0.0, max }
}

/// All settings.
pub(super) const DECLARATIONS: &[Declaration] = &[
    explained(
        "innodb_adaptive_flushing",
        "",
        &[span(MARIADB, Kind::Switch, Value::Switch(true), "ON")],
        "Whether a page cleaner at work asks for a recommendation, or flushes innodb_io_capacity pages each second.",
        "It does not wake the page cleaner: that is for innodb_max_dirty_pages_pct_lwm and the age limits.",
    ),
    Declaration {
        name: "binlog_storage_engine",
        unit: "",
        help: "Where the binary log is kept: in files of its own (files, for the server's empty value), or in InnoDB (innodb), where its \
               events are part of the redo that a commit syncs.",
        long_help: "With innodb a commit needs one sync in place of two, sync_binlog does nothing, and events are written twice: as \
                    redo, and behind it in pages of the binary log.",
        history: "it exists from MariaDB 12.3",
        instead: "leave it out: the binary log has files of its own",
        spans: &[span(FROM_123, Kind::Choice(&["files", "innodb"]), Value::Choice("files"), "files")],
    },
    explained(
        "innodb_adaptive_flushing_lwm",
        "%",
        &[span(MARIADB, percent(70.0), Value::Real(10.0), "10")],
        "Share of the redo log up to which a page cleaner that is awake may go idle for the age of the oldest page.",
        "A share of the log's capacity, nine tenths of its file. An idle page cleaner does not look at it.",
    ),
    explained(
        "innodb_buffer_pool_size",
        "bytes",
        &[size(MARIADB, bytes(5 * MIB, 16 * TIB, MIB), 128 * MIB, "128M")],
        "Memory for pages: 507 of 16K in each 8M, the rest describes them.",
        "The buffer pool has one instance and one flush list.",
    ),
    explained(
        "innodb_doublewrite",
        "",
        &[
            span(UNTIL_110, Kind::Choice(&["OFF", "ON"]), Value::Choice("ON"), "ON"),
            span(FROM_110, Kind::Choice(&["OFF", "ON", "fast"]), Value::Choice("ON"), "ON"),
        ],
        "Whether pages are written to the doublewrite buffer, up to 128 at a time, before their data files.",
        "One batch is under way at any time; the next one is collected meanwhile. fast (from 11.0) syncs the doublewrite buffer and \
         never the data files.",
    ),
    everywhere(
        "innodb_flush_log_at_timeout",
        "s",
        &[whole(MARIADB, 0, 2700, 1, "1")],
        "Seconds between syncs of the redo log when commits don't wait for them.",
    ),
    everywhere(
        "innodb_flush_log_at_trx_commit",
        "",
        &[whole(MARIADB, 0, 3, 1, "1")],
        "What a commit waits for: 0 nothing, 1 and 3 its redo synced, 2 its redo written.",
    ),
    explained(
        "innodb_flush_method",
        "",
        &[span(MARIADB, Kind::Choice(FLUSH_METHODS), Value::Choice("O_DIRECT"), "O_DIRECT")],
        "How files are written and synced.",
        "O_DIRECT_NO_FSYNC saves the sync of the data files; in 10.11 also that of the doublewrite buffer, from 11.0 it makes \
         innodb_doublewrite = ON a fast. nosync syncs nothing. O_DSYNC and littlesync are taken as fsync.",
    ),
    explained(
        "innodb_flush_neighbors",
        "",
        &[derived(MARIADB, integer(0, 2), "0 (the server's 1 counts on rotating disks only)")],
        "Pages flushed with a page: 0 none, 1 its contiguous dirty neighbours, 2 all dirty pages of its area.",
        "On any other device than a rotating disk the server takes it as 0, so set it for a disk only.",
    ),
    explained(
        "innodb_flush_sync",
        "",
        &[span(MARIADB, Kind::Switch, Value::Switch(true), "ON")],
        "Whether the page cleaner flushes furiously, doing nothing else, once the checkpoint age is past its limit.",
        "With OFF it flushes innodb_io_capacity_max pages a pass while user threads wait.",
    ),
    everywhere(
        "innodb_flushing_avg_loops",
        "passes or seconds",
        &[whole(MARIADB, 1, 1000, 30, "30")],
        "Recommendations, or seconds, after which the averages move by half of the way.",
    ),
    explained(
        "innodb_io_capacity",
        "pages/s",
        &[whole(MARIADB, 100, U32_MAX, 200, "200")],
        "Pages a second of idle flushing, and the share of a recommendation that capacity stands for.",
        "Adaptive flushing takes innodb_io_capacity_max / innodb_io_capacity rounded down, times innodb_io_capacity: 8000/5000 rises with the \
         age as 5000/5000 does, 8000/4000 as 8000/8000.",
    ),
    explained(
        "innodb_io_capacity_max",
        "pages/s",
        &[derived(MARIADB, integer(100, U32_MAX), "2 x innodb_io_capacity, at least 2000")],
        "Most pages of one pass of the page cleaner, a pass being a second unless the last one took longer.",
        "Above the age limit a pass takes as many as that limit calls for, up to this number.",
    ),
    Declaration {
        name: "innodb_log_archive",
        unit: "",
        help: "Whether the redo log is a row of files that are kept, each of innodb_log_file_size, and not one file that is written over.",
        long_help: "From 13.0. The limits of the checkpoint age are taken to be those of one file. innodb_log_file_size may then be 4G at \
                    most. What it costs to make a new file is not modelled.",
        history: "it exists from MariaDB 13.0",
        instead: "leave it out: the redo log is one file that is written over",
        spans: &[span(FROM_123, Kind::Switch, Value::Switch(false), "OFF")],
    },
    explained(
        "innodb_log_buffer_size",
        "bytes",
        &[size(MARIADB, bytes(2 * MIB, 4 * GIB - 4 * KIB, 4 * KIB), 16 * MIB, "16M")],
        "Memory for redo that is not written yet; transactions wait while it is full.",
        "There are two of this size: one is filled while the other is written.",
    ),
    explained(
        "innodb_log_file_size",
        "bytes",
        &[size(MARIADB, bytes(4 * MIB, 512 * GIB, 4 * KIB), 96 * MIB, "96M")],
        "Size of the redo log, which is one file; all limits of the checkpoint age follow from it.",
        "A larger redo log lets pages collect more changes before they are flushed.",
    ),
    explained(
        "innodb_log_write_ahead_size",
        "bytes",
        &[
            size(UNTIL_108, bytes(512, 16 * KIB, 512), 8 * KIB, "8K"),
            size(FROM_108, bytes(512, 4 * KIB, 512), 4 * KIB, "4K"),
        ],
        "Block of the redo file, the device's own: a write begins and ends with whole blocks.",
        "A power of two. The last block of a write is written again by the next. Before 10.8 the first write into each unit of this \
         size fills the unit.",
    ),
    explained(
        "innodb_lru_scan_depth",
        "pages",
        &[whole(MARIADB, 100, U32_MAX, 1536, "1536")],
        "Free pages that an LRU batch makes; with fewer than half of it free, the page cleaner starts one.",
        "Without effect while the data set fits the buffer pool.",
    ),
    everywhere(
        "innodb_max_dirty_pages_pct",
        "%",
        &[span(MARIADB, percent(99.999), Value::Real(90.0), "90")],
        "Share of dirty pages that wakes an idle page cleaner while innodb_max_dirty_pages_pct_lwm is 0.",
    ),
    explained(
        "innodb_max_dirty_pages_pct_lwm",
        "%",
        &[span(MARIADB, percent(99.999), Value::Real(0.0), "0")],
        "Share of dirty pages from which the page cleaner flushes adaptively.",
        "With 0, the default, it sleeps until the checkpoint age passes 7/8 of its maximum or the share of dirty pages \
         passes innodb_max_dirty_pages_pct.",
    ),
    everywhere(
        "innodb_write_io_threads",
        "threads",
        &[whole(MARIADB, 2, 64, 4, "4")],
        "256 page writes may be in flight for each of them.",
    ),
];
