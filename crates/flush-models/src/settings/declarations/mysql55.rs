//! Settings of MySQL 5.5 and Percona Server 5.5.

use super::super::{Kind, Servers, Value};
use super::{Declaration, GIB, KIB, MIB, TIB, U32_MAX, bytes, everywhere, explained, size, span, whole};

const BOTH: &[Servers] = &[Servers::MYSQL.until(5, 6, 0)];
const PERCONA: &[Servers] = &[Servers::PERCONA.until(5, 6, 0)];

const FLUSH_METHODS: &[&str] = &["fsync", "fdatasync", "O_DSYNC", "O_DIRECT", "littlesync", "nosync"];
const METHODS: &[&str] = &["native", "estimate", "keep_average", "reflex"];

/// Settings of MySQL 5.5 and Percona Server 5.5.
pub(super) const DECLARATIONS: &[Declaration] = &[
    explained(
        "innodb_adaptive_flushing",
        "",
        &[span(BOTH, Kind::Switch, Value::Switch(true), "ON")],
        "Whether the master thread flushes for the redo that is written, before the age reaches its limit.",
        "Once a second, at most innodb_io_capacity pages. With OFF only the share of dirty pages calls for flushing, until \
         user threads flush without limit.",
    ),
    Declaration {
        name: "innodb_adaptive_flushing_method",
        unit: "",
        help: "How adaptive flushing decides: as MySQL 5.5 (native), by the distance of pages from the age limit \
               (estimate), to keep the number of dirty pages (keep_average), in steps by age (reflex).",
        long_help: "estimate and keep_average are limited by an LSN and not by innodb_io_capacity; keep_average decides ten \
                    times a second. reflex is XtraDB 5.1's innodb_adaptive_checkpoint = reflex, for comparison.",
        history: "it exists only in Percona Server 5.5",
        instead: "leave it out; innodb_adaptive_flushing switches the one method there is",
        spans: &[span(PERCONA, Kind::Choice(METHODS), Value::Choice("estimate"), "estimate")],
    },
    explained(
        "innodb_buffer_pool_instances",
        "",
        &[whole(BOTH, 1, 64, 1, "1")],
        "Parts of the buffer pool, each with its own flush list and LRU list.",
        "A pool of less than 1000M always has one. The pages of a batch are divided by their number and rounded up, and \
         each ends with a doublewrite of its own.",
    ),
    everywhere(
        "innodb_buffer_pool_size",
        "bytes",
        &[size(BOTH, bytes(5 * MIB, 16 * TIB, MIB), 128 * MIB, "128M")],
        "Memory for pages; a page of 16K is kept in each 16K of it.",
    ),
    explained(
        "innodb_doublewrite",
        "",
        &[span(BOTH, Kind::Choice(&["OFF", "ON"]), Value::Choice("ON"), "ON")],
        "Whether pages are written to the doublewrite buffer before the data files.",
        "One buffer of 128 pages for the whole server: whoever fills it writes it, syncs it, writes the pages and syncs \
         their files, while all other threads that flush wait.",
    ),
    explained(
        "innodb_flush_log_at_trx_commit",
        "",
        &[whole(BOTH, 0, 2, 1, "1")],
        "What a commit waits for: 0 nothing, 1 its redo synced, 2 its redo written.",
        "The master thread syncs the redo log once a second in any case.",
    ),
    explained(
        "innodb_flush_method",
        "",
        &[span(BOTH, Kind::Choice(FLUSH_METHODS), Value::Choice("fsync"), "fsync")],
        "How files are written and synced.",
        "O_DIRECT syncs as fsync does. nosync syncs nothing. fdatasync, O_DSYNC and littlesync are taken as fsync.",
    ),
    Declaration {
        name: "innodb_flush_neighbor_pages",
        unit: "",
        help: "Pages flushed with a page: none, its contiguous dirty neighbours (cont), all dirty pages of its area.",
        long_help: "",
        history: "it exists only in Percona Server 5.5",
        instead: "innodb_flush_neighbors has this role from MySQL 5.6 on; MySQL 5.5 always flushes the area",
        spans: &[span(PERCONA, Kind::Choice(&["none", "area", "cont"]), Value::Choice("area"), "area")],
    },
    explained(
        "innodb_io_capacity",
        "pages/s",
        &[whole(BOTH, 100, U32_MAX, 200, "200")],
        "Most pages that a flush of the master thread takes; its other flushes are shares of it.",
        "There is no innodb_io_capacity_max: more than this is flushed only by user threads at the age limits.",
    ),
    everywhere(
        "innodb_log_buffer_size",
        "bytes",
        &[size(BOTH, bytes(256 * KIB, 4 * GIB - KIB, KIB), 8 * MIB, "8M")],
        "Memory for redo that is not written yet; transactions wait while it is full.",
    ),
    explained(
        "innodb_log_file_size",
        "bytes",
        &[size(BOTH, bytes(MIB, 512 * GIB, MIB), 5 * MIB, "5M")],
        "Size of one redo file; the redo log is this x innodb_log_files_in_group.",
        "MySQL 5.5 refuses to start with a redo log of 4G or more, Percona Server 5.5 with more than 512G.",
    ),
    everywhere(
        "innodb_max_dirty_pages_pct",
        "%",
        &[whole(BOTH, 0, 99, 75, "75")],
        "Share of dirty pages above which the master thread flushes innodb_io_capacity pages a second.",
    ),
    everywhere(
        "innodb_thread_concurrency",
        "threads",
        &[whole(BOTH, 0, 1000, 0, "0")],
        "Enters the redo kept free for running threads; it does not limit them in the model.",
    ),
    explained(
        "innodb_use_native_aio",
        "",
        &[span(BOTH, Kind::Switch, Value::Switch(true), "ON")],
        "Whether the server has asynchronous I/O of the operating system for page writes.",
        "With OFF (or a server built without libaio) each write I/O thread has one write in flight; ON allows 256.",
    ),
    everywhere(
        "innodb_write_io_threads",
        "threads",
        &[whole(BOTH, 1, 64, 4, "4")],
        "Threads that complete page writes; 256 writes in flight each, or one without innodb_use_native_aio.",
    ),
];
