//! Names that are no settings of the MariaDB models: those of MySQL and of older MariaDB, those that MariaDB ignores
//! (`mariadb-10.11` sections 10 and 11).

use super::{ModelId, Servers};

/// A name that only other servers have: where it exists, and what to use instead.
pub(super) type Foreign = (&'static str, &'static str);

/// `name` as a foreign name of `model`, which may be any.
pub(super) fn foreign(model: ModelId, name: &str) -> Option<Foreign> {
    let entry = FOREIGN.iter().find(|entry| model.is_mariadb() && entry.0 == name)?;
    Some((entry.1, entry.2))
}

/// Why MariaDB does nothing with `name`, if `model` is one.
pub(super) fn without_effect(model: ModelId, name: &str) -> Option<&'static str> {
    if model.is_of(Servers::MARIADB.from(11, 0, 0)) && CHANGE_BUFFER.contains(&name) {
        return Some("MariaDB ignores it since 11.0: there is no change buffer");
    }
    let entry = WITHOUT_EFFECT.iter().find(|entry| model.is_mariadb() && entry.0.contains(&name))?;
    Some(entry.1)
}

/// Settings of the change buffer, which 11.0 gave up.
const CHANGE_BUFFER: &[&str] = &["innodb_change_buffer_max_size", "innodb_change_buffering"];

/// Names that MariaDB refuses: name, where it exists, what to use instead.
const FOREIGN: &[(&str, &str, &str)] = &[
    ("innodb_dedicated_server", "it exists only in MySQL", "leave it out"),
    (
        "innodb_doublewrite_files",
        "it exists only in MySQL",
        "leave it out: the doublewrite buffer is in the system tablespace",
    ),
    ("innodb_doublewrite_pages", "it exists only in MySQL", "leave it out: a doublewrite batch has up to 128 pages"),
    ("innodb_fsync_threshold", "it exists only in MySQL from 8.0", "leave it out"),
    (
        "innodb_idle_flush_pct",
        "it exists only in MySQL and in MariaDB until 10.5",
        "leave it out: idle flushing takes innodb_io_capacity pages a second",
    ),
    ("innodb_log_writer_threads", "it exists only in MySQL", "leave it out: committing threads write the redo log"),
    ("innodb_redo_log_capacity", "it exists only in MySQL from 8.0.30", "use innodb_log_file_size"),
    ("innodb_use_fdatasync", "it exists only in MySQL", "leave it out"),
];

/// Names that MariaDB takes and does nothing with, or that the model has no use for.
const WITHOUT_EFFECT: &[(&[&str], &str)] = &[
    (&["innodb_buffer_pool_instances"], "MariaDB ignores it since 10.5: the buffer pool has one instance"),
    (&["innodb_page_cleaners"], "MariaDB ignores it since 10.5: there is one page cleaner thread"),
    (&["innodb_log_files_in_group"], "MariaDB ignores it since 10.5: the redo log is one file of innodb_log_file_size"),
    (
        &["innodb_thread_concurrency"],
        "MariaDB ignores it since 10.5; the margin of redo kept free is that of ten threads",
    ),
    (&["innodb_buffer_pool_chunk_size"], "10.11 needs no unit for the size of its buffer pool"),
    (
        &["innodb_lru_flush_size"],
        "only the page cleaner frees pages in this generation; innodb_lru_scan_depth says how many",
    ),
    (
        &["innodb_log_file_buffering", "innodb_log_file_mmap", "innodb_linux_aio"],
        "how the operating system is called belongs to the measured device, not to the model",
    ),
    (
        &["innodb_use_atomic_writes"],
        "no device of the model writes pages atomically, so all pages go through the doublewrite buffer",
    ),
    (
        &["innodb_purge_rseg_truncate_frequency"],
        "MariaDB ignores it since 10.11.6: the purged history is cut off after each batch",
    ),
    (
        &["innodb_max_purge_lag_wait", "innodb_log_spin_wait_delay"],
        "commands to a running server and spinning are not modelled",
    ),
    (
        &["innodb_data_file_buffering", "innodb_data_file_write_through", "innodb_log_file_write_through"],
        "how the operating system is called belongs to the measured device, not to the model",
    ),
    (
        &[
            "binlog_directory",
            "binlog_row_event_fragment_threshold",
            "innodb_binlog_state_interval",
            "innodb_log_archive_start",
        ],
        "of the binary log and of archived redo, files and their formats are not modelled",
    ),
    (
        &["innodb_adaptive_hash_index_cells"],
        "how large the adaptive hash index is changes nothing: the scenario states what it costs",
    ),
    (&["innodb_truncate_temporary_tablespace_now"], "commands to a running server are not modelled"),
    (&["query_cache_size", "query_cache_type", "innodb_snapshot_isolation"], "the SQL layer is not modelled"),
];
