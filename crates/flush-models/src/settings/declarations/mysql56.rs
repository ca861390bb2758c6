//! Settings of MySQL 5.6 and 5.7 (`innodb-5.6` and `innodb-5.7`, section 8).

use super::super::{Kind, Servers, Value};
use super::{Declaration, GIB, KIB, MIB, Span, TIB, bytes, derived, everywhere, explained, integer, size, span, whole};

const BOTH: &[Servers] = &[Servers::MYSQL.from(5, 6, 0).until(8, 0, 0)];
/// Those whose doublewrite buffer is one for all.
const SHARED_DOUBLEWRITE: &[Servers] =
    &[Servers::MYSQL_ALONE.from(5, 6, 0).until(8, 0, 0), Servers::PERCONA.from(5, 6, 0).until(5, 7, 0)];
const M56: &[Servers] = &[Servers::MYSQL.from(5, 6, 0).until(5, 7, 0)];
const M57: &[Servers] = &[Servers::MYSQL.from(5, 7, 0).until(8, 0, 0)];

const FLUSH_METHODS: &[&str] = &["fsync", "O_DSYNC", "littlesync", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC"];
const INSTANCES_TEXT: &str = "8, or 1 if innodb_buffer_pool_size < 1G";

/// A setting that came with 5.7 and that 8.0 declares for itself.
const fn from_57(
    name: &'static str,
    unit: &'static str,
    instead: &'static str,
    spans: &'static [Span],
    help: &'static str,
    long_help: &'static str,
) -> Declaration {
    Declaration { name, unit, help, long_help, history: "it exists from MySQL 5.7", instead, spans }
}

/// Settings of MySQL 5.6 and 5.7.
pub(super) const DECLARATIONS: &[Declaration] = &[
    explained(
        "innodb_adaptive_flushing",
        "",
        &[span(BOTH, Kind::Switch, Value::Switch(true), "ON")],
        "Whether the age of the oldest dirty page sets the pace of flushing before its limit is reached.",
        "With OFF the age calls for nothing until it reaches the async limit, and then for everything at once.",
    ),
    explained(
        "innodb_adaptive_flushing_lwm",
        "%",
        &[whole(BOTH, 0, 70, 10, "10")],
        "Share of the redo log below which the age calls for no flushing.",
        "It is a share of nine tenths of the redo files.",
    ),
    from_57(
        "innodb_buffer_pool_chunk_size",
        "bytes",
        "leave it out; before 5.7 the buffer pool has its size from the start",
        &[size(M57, bytes(MIB, TIB, MIB), 128 * MIB, "128M")],
        "Unit of the buffer pool's size: the pool is a multiple of chunk size x instances.",
        "",
    ),
    explained(
        "innodb_buffer_pool_instances",
        "",
        &[derived(BOTH, integer(0, 64), INSTANCES_TEXT)],
        "Parts of the buffer pool, each with its own flush list and LRU list; 0 lets the server choose.",
        "A pool of less than 1G always has one. 5.6 serves them one after the other; in 5.7 each is one slot of a page \
         cleaner request. The doublewrite buffer is one for all.",
    ),
    explained(
        "innodb_buffer_pool_size",
        "bytes",
        &[size(BOTH, bytes(5 * MIB, 16 * TIB, MIB), 128 * MIB, "128M")],
        "Memory for pages; a page of 16K is kept in each 16K of it.",
        "5.7 rounds it up to a multiple of innodb_buffer_pool_chunk_size x innodb_buffer_pool_instances.",
    ),
    explained(
        "innodb_doublewrite",
        "",
        &[span(SHARED_DOUBLEWRITE, Kind::Choice(&["OFF", "ON"]), Value::Choice("ON"), "ON")],
        "Whether pages are written to the doublewrite buffer in the system tablespace before the data files.",
        "One batch of up to 120 pages is under way in the whole server: two writes and a sync, then the pages and a sync of \
         each of their files.",
    ),
    everywhere(
        "innodb_flush_log_at_timeout",
        "s",
        &[whole(BOTH, 0, 2700, 1, "1")],
        "Seconds between syncs of the redo log by the master thread.",
    ),
    explained(
        "innodb_flush_method",
        "",
        &[span(BOTH, Kind::Choice(FLUSH_METHODS), Value::Choice("fsync"), "fsync")],
        "How files are written and synced.",
        "O_DIRECT_NO_FSYNC saves all syncs of data files and of the doublewrite buffer. nosync syncs \
         nothing. O_DSYNC and littlesync are taken as fsync.",
    ),
    explained(
        "innodb_flush_neighbors",
        "",
        &[whole(BOTH, 0, 2, 1, "1")],
        "Pages flushed with a page: 0 none, 1 its contiguous dirty neighbours, 2 all dirty pages of its area.",
        "Neighbours count as pages flushed, however young they are: on an SSD they cost more than they save.",
    ),
    from_57(
        "innodb_flush_sync",
        "",
        "leave it out; before 5.7 user threads flush by themselves when the age reaches the sync limit",
        &[span(M57, Kind::Switch, Value::Switch(true), "ON")],
        "Whether the page cleaner ignores innodb_io_capacity when user threads ask for pages at the sync limit.",
        "With OFF, innodb_io_capacity_max stays the limit and user threads wait for the ordinary passes.",
    ),
    explained(
        "innodb_flushing_avg_loops",
        "passes",
        &[whole(BOTH, 1, 1000, 30, "30")],
        "Passes of the page cleaner (in 5.7: or seconds) after which its averages move by half of the way.",
        "5.6 flushes nothing by age until its averages have moved for the first time.",
    ),
    explained(
        "innodb_io_capacity",
        "pages/s",
        &[whole(BOTH, 100, u64::MAX, 200, "200")],
        "Pages a second to which the percentages of adaptive flushing refer, and one batch of an idle server.",
        "Adaptive flushing takes innodb_io_capacity_max / innodb_io_capacity rounded down, times innodb_io_capacity: 8000/5000 rises with the \
         age as 5000/5000 does, 8000/4000 as 8000/8000.",
    ),
    explained(
        "innodb_io_capacity_max",
        "pages/s",
        &[derived(BOTH, integer(100, u64::MAX), "2 x innodb_io_capacity, at least 2000")],
        "Most pages that one pass of adaptive flushing asks for, a pass being a second or longer.",
        "Set below innodb_io_capacity, it lowers that too. Sync flushing ignores it.",
    ),
    explained(
        "innodb_log_buffer_size",
        "bytes",
        &[
            size(M56, bytes(256 * KIB, 4 * GIB - KIB, KIB), 8 * MIB, "8M"),
            size(M57, bytes(256 * KIB, 4 * GIB - KIB, KIB), 16 * MIB, "16M"),
        ],
        "Memory for redo that is not written yet; transactions wait while it is full.",
        "5.7 has two buffers of this size: one fills while the other is written.",
    ),
    explained(
        "innodb_log_file_size",
        "bytes",
        &[
            size(M56, bytes(MIB, 512 * GIB, MIB), 48 * MIB, "48M"),
            size(M57, bytes(4 * MIB, 512 * GIB, MIB), 48 * MIB, "48M"),
        ],
        "Size of one redo file; the redo log is this x innodb_log_files_in_group.",
        "About 76 % of it are filled before user threads stop for flushing. A larger redo log lets pages collect more \
         changes before they are flushed.",
    ),
    from_57(
        "innodb_log_write_ahead_size",
        "bytes",
        "leave it out; before 5.7 redo is written in whole blocks of 512 bytes",
        &[size(M57, bytes(512, 16 * KIB, 512), 8 * KIB, "8K")],
        "The first redo write into each unit of this size fills the unit.",
        "Devices with an inode_tick write the filling; on others it is left out of a run.",
    ),
    from_57(
        "innodb_page_cleaners",
        "threads",
        "leave it out; before 5.7 one thread flushes in the background",
        &[whole(M57, 1, 64, 4, "4")],
        "Threads that flush pages, each an instance at a time; no more than instances.",
        "They share one doublewrite buffer, so more of them do not write more.",
    ),
    everywhere(
        "innodb_write_io_threads",
        "threads",
        &[whole(BOTH, 1, 64, 4, "4")],
        "Threads that complete page writes and sync data files; 256 writes in flight each.",
    ),
];
