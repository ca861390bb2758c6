//! Settings of MySQL 8.0 and later, and of Percona Server 8.0, which has some of its own in `percona`.

use super::super::{Kind, Servers, Value};
use super::{
    Declaration, GIB, KIB, MIB, TIB, U32_MAX, bytes, derived, everywhere, explained, integer, size, span, whole,
};

/// MySQL 8.0 and later.
const FROM_80: &[Servers] = &[Servers::MYSQL.from(8, 0, 0)];
/// 8.0 before 8.0.30.
const BEFORE_8030: &[Servers] = &[Servers::MYSQL.from(8, 0, 0).until(8, 0, 30)];
/// 8.0 from 8.0.22 on.
const M80_FROM_8022: &[Servers] = &[Servers::MYSQL.from(8, 0, 22).until(8, 4, 0)];
const M84: &[Servers] = &[Servers::MYSQL.from(8, 4, 0).until(9, 0, 0)];
const M97: &[Servers] = &[Servers::MYSQL.from(9, 0, 0)];
const M80: &[Servers] = &[Servers::MYSQL.from(8, 0, 0).until(8, 4, 0)];
/// MySQL alone from 8.0.20 on.
const MYSQL_FROM_8020: &[Servers] = &[Servers::MYSQL_ALONE.from(8, 0, 20)];
const FROM_8018: &[Servers] = &[Servers::MYSQL.from(8, 0, 18)];
const M80_FROM_8020: &[Servers] = &[Servers::MYSQL.from(8, 0, 20).until(8, 4, 0)];
const FROM_8030: &[Servers] = &[Servers::MYSQL.from(8, 0, 30)];
const FROM_84: &[Servers] = &[Servers::MYSQL.from(8, 4, 0)];

const FLUSH_METHODS: &[&str] = &["fsync", "O_DSYNC", "littlesync", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC"];

/// Settings of MySQL 8.0 and later.
pub(super) const DECLARATIONS: &[Declaration] = &[
    explained(
        "innodb_adaptive_flushing",
        "",
        &[span(FROM_80, Kind::Switch, Value::Switch(true), "ON")],
        "Whether the age of the oldest dirty page sets the pace of flushing before its limit is reached.",
        "With OFF the age calls for nothing until it reaches the limit, and then for everything at once.",
    ),
    explained(
        "innodb_adaptive_flushing_lwm",
        "%",
        &[whole(FROM_80, 0, 70, 10, "10")],
        "Share of the usable redo log below which the age calls for no flushing.",
        "It is a share of the checkpoint age at which user threads stop.",
    ),
    everywhere(
        "innodb_buffer_pool_chunk_size",
        "bytes",
        &[size(FROM_80, bytes(MIB, TIB, MIB), 128 * MIB, "128M")],
        "Unit of the buffer pool's size: the pool is a multiple of chunk size x instances.",
    ),
    explained(
        "innodb_buffer_pool_instances",
        "",
        &[
            derived(M80, integer(1, 64), "8, or 1 if innodb_buffer_pool_size < 1G"),
            derived(
                FROM_84,
                integer(1, 64),
                "1 up to 1G of buffer pool, else the smaller of half its chunks and a quarter of the CPUs",
            ),
        ],
        "Parts of the buffer pool, each with its own flush list, LRU list and doublewrite buffers.",
        "A pool of less than 1G always has one. Each instance is one slot of a page cleaner request.",
    ),
    explained(
        "innodb_buffer_pool_size",
        "bytes",
        &[size(FROM_80, bytes(5 * MIB, 16 * TIB, MIB), 128 * MIB, "128M")],
        "Memory for pages; a page of 16K is kept in each 16K of it.",
        "Rounded up to a multiple of innodb_buffer_pool_chunk_size x innodb_buffer_pool_instances.",
    ),
    Declaration {
        name: "innodb_dedicated_server",
        unit: "",
        help: "Whether the server takes its sizes from its machine, where they are not set: 1G of redo log for each two CPUs, 16G at \
               most, and half of the memory for the buffer pool, three quarters from 4G on.",
        long_help: "[host] of a scenario says how many CPUs (cores) and how much memory (memory_gib) the machine has. Amazon RDS \
                    starts MySQL 8.4 with ON. Before 8.4 other rules hold, which are not modelled.",
        history: "",
        instead: "",
        spans: &[span(FROM_84, Kind::Switch, Value::Switch(false), "OFF")],
    },
    explained(
        "innodb_doublewrite",
        "",
        &[
            span(BEFORE_8030, Kind::Choice(&["OFF", "ON"]), Value::Choice("ON"), "ON"),
            span(
                FROM_8030,
                Kind::Choice(&["OFF", "ON", "DETECT_ONLY", "DETECT_AND_RECOVER"]),
                Value::Choice("ON"),
                "ON",
            ),
        ],
        "Whether a batch of pages is written to the doublewrite files before the data files.",
        "DETECT_AND_RECOVER is ON. DETECT_ONLY batches and waits the same way but writes only 8K for a batch.",
    ),
    everywhere(
        "innodb_doublewrite_files",
        "",
        &[whole(MYSQL_FROM_8020, 0, 256, 2, "2")],
        "Doublewrite files; 0 stands for 2. More files hold more batches between write and sync.",
    ),
    explained(
        "innodb_doublewrite_pages",
        "pages",
        &[derived(M80_FROM_8020, integer(0, 512), "innodb_write_io_threads"), whole(FROM_84, 0, 512, 128, "128")],
        "Pages of a doublewrite batch; 0 stands for innodb_write_io_threads.",
        "One batch is under way for each instance and kind of flushing. Small batches limit flushing long before the \
         device does: each costs a write to the doublewrite file and a sync of the data files.",
    ),
    everywhere(
        "innodb_flush_log_at_timeout",
        "s",
        &[whole(FROM_80, 0, 2700, 1, "1")],
        "Seconds between syncs of the redo log when commits don't wait for them.",
    ),
    explained(
        "innodb_flush_method",
        "",
        &[
            span(M80, Kind::Choice(FLUSH_METHODS), Value::Choice("fsync"), "fsync"),
            span(FROM_84, Kind::Choice(FLUSH_METHODS), Value::Choice("O_DIRECT"), "O_DIRECT"),
        ],
        "How files are written and synced.",
        "O_DIRECT saves the sync of the doublewrite file, O_DIRECT_NO_FSYNC also that of the data files. nosync \
         leaves out the syncs of the redo log and before checkpoints, not those of batches. O_DSYNC and littlesync are \
         taken as fsync.",
    ),
    everywhere(
        "innodb_flush_neighbors",
        "",
        &[whole(FROM_80, 0, 2, 0, "0")],
        "Pages flushed with a page: 0 none, 1 its contiguous dirty neighbours, 2 all dirty pages of its area.",
    ),
    explained(
        "innodb_flush_sync",
        "",
        &[span(FROM_80, Kind::Switch, Value::Switch(true), "ON")],
        "Whether flushing ignores innodb_io_capacity when the checkpoint age is about to reach its limit.",
        "With OFF, innodb_io_capacity_max stays the limit and user threads wait for space in the redo log.",
    ),
    everywhere(
        "innodb_flushing_avg_loops",
        "passes or seconds",
        &[whole(FROM_80, 1, 1000, 30, "30")],
        "Passes of the page cleaner, or seconds, after which its averages move by half of the way.",
    ),
    everywhere(
        "innodb_idle_flush_pct",
        "%",
        &[whole(FROM_8018, 0, 100, 100, "100")],
        "Share of innodb_io_capacity that is flushed each second while the server is idle.",
    ),
    explained(
        "innodb_io_capacity",
        "pages/s",
        &[whole(M80, 100, U32_MAX, 200, "200"), whole(FROM_84, 100, U32_MAX, 10_000, "10000")],
        "Pages a second to which the percentages of adaptive and idle flushing refer.",
        "Adaptive flushing takes innodb_io_capacity_max / innodb_io_capacity rounded down, times innodb_io_capacity: 8000/5000 rises with the \
         age as 5000/5000 does, 8000/4000 as 8000/8000.",
    ),
    explained(
        "innodb_io_capacity_max",
        "pages/s",
        &[
            derived(M80, integer(100, U32_MAX), "2 x innodb_io_capacity, at least 2000"),
            derived(FROM_84, integer(100, U32_MAX), "2 x innodb_io_capacity"),
        ],
        "Most pages that one pass of adaptive flushing takes, a pass being a second.",
        "Set below innodb_io_capacity, it lowers that too. Sync flushing ignores it.",
    ),
    everywhere(
        "innodb_log_buffer_size",
        "bytes",
        &[
            size(M80, bytes(256 * KIB, 4 * GIB - KIB, KIB), 16 * MIB, "16M"),
            size(FROM_84, bytes(256 * KIB, 4 * GIB - KIB, KIB), 64 * MIB, "64M"),
        ],
        "Memory for redo that is not written yet; transactions wait while it is full.",
    ),
    explained(
        "innodb_log_file_size",
        "bytes",
        &[size(FROM_80, bytes(4 * MIB, 512 * GIB, MIB), 48 * MIB, "48M")],
        "Size of one redo file; the redo log is this x innodb_log_files_in_group.",
        "From 8.0.30 deprecated and used only if innodb_redo_log_capacity is not set.",
    ),
    explained(
        "innodb_log_files_in_group",
        "",
        &[whole(FROM_80, 2, 100, 2, "2")],
        "Number of redo files.",
        "From 8.0.30 deprecated and used only if innodb_redo_log_capacity is not set.",
    ),
    explained(
        "innodb_log_spin_cpu_abs_lwm",
        "% of a CPU",
        &[whole(FROM_80, 0, U32_MAX, 80, "80")],
        "CPU time that the server must use for its redo threads to spin instead of sleep.",
        "A spinning flusher syncs redo without pause, asked or not, and a spinning writer holds up checkpoints.",
    ),
    explained(
        "innodb_log_write_ahead_size",
        "bytes",
        &[size(FROM_80, bytes(512, 16 * KIB, 512), 8 * KIB, "8K")],
        "Redo writes don't cross a multiple of this; the first write into such a block fills it.",
        "A power of two. Without effect while innodb_log_writer_threads is OFF: who commits writes all there is.",
    ),
    Declaration {
        name: "innodb_log_writer_threads",
        unit: "",
        help: "Whether dedicated threads write and sync redo, or the committing threads themselves.",
        long_help: "OFF saves hand-overs at low concurrency and costs throughput at very high.",
        history: "it exists from MySQL 8.0.22",
        instead: "leave it out: this version always has the writer threads",
        spans: &[
            span(M80_FROM_8022, Kind::Switch, Value::Switch(true), "ON"),
            derived(M84, Kind::Switch, "ON from 32 logical CPUs"),
            derived(M97, Kind::Switch, "ON from 32 logical CPUs, without a binary log from 5"),
        ],
    },
    everywhere(
        "innodb_page_cleaners",
        "threads",
        &[whole(M80, 1, 64, 4, "4"), derived(FROM_84, integer(1, 64), "innodb_buffer_pool_instances")],
        "Threads that flush pages, each an instance at a time; no more than instances.",
    ),
    Declaration {
        name: "innodb_redo_log_capacity",
        unit: "bytes",
        help: "Size of the redo log; 30 of its 32 files hold redo, and limits of the checkpoint age follow from them.",
        long_help: "A larger redo log lets pages collect more changes before they are flushed.",
        history: "it exists from MySQL 8.0.30",
        instead: "use innodb_log_file_size and innodb_log_files_in_group",
        spans: &[size(FROM_8030, bytes(8 * MIB, 512 * GIB, MIB), 100 * MIB, "100M")],
    },
    Declaration {
        name: "innodb_use_fdatasync",
        unit: "",
        help: "Whether redo and data files are synced by fdatasync, which leaves their time of modification alone.",
        long_help: "It has an effect where [file_system] has a journal: fsync commits it whenever the clock has ticked.",
        history: "it exists from MySQL 8.0.26",
        instead: "leave it out: this version always uses fsync",
        spans: &[
            span(M80_FROM_8022, Kind::Switch, Value::Switch(false), "OFF"),
            span(FROM_84, Kind::Switch, Value::Switch(true), "ON"),
        ],
    },
    explained(
        "innodb_write_io_threads",
        "threads",
        &[whole(FROM_80, 1, 64, 4, "4")],
        "Threads that complete page writes and sync data files; 256 writes in flight each.",
        "Before 8.4 also the pages of a doublewrite batch, unless innodb_doublewrite_pages sets them.",
    ),
];
