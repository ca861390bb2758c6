//! Names that are no settings of the shipped models: those of other versions, and those that act on nothing modelled.

use super::{ModelId, Servers};

/// A name that exists only in other servers or versions.
pub(super) struct OtherVersion {
    pub(super) name: &'static str,
    /// From or until when, and where.
    pub(super) history: &'static str,
    /// What to do instead.
    pub(super) instead: &'static str,
    applies: Applies,
}

/// The models to which an answer is given, of those that have no setting of the name.
enum Applies {
    /// All.
    Always,
    /// Those of MySQL before this release, times ten: 56 for 5.6.
    Before(u32),
    /// Those after this release.
    After(u32),
    /// These.
    Only(Servers),
}

impl OtherVersion {
    /// Whether this is the answer for `model`.
    pub(super) fn applies_to(&self, model: ModelId) -> bool {
        match self.applies {
            Applies::Always => true,
            Applies::Before(release) => model.mysql_release().is_some_and(|own| own < release),
            Applies::After(release) => model.mysql_release().is_none_or(|own| own > release),
            Applies::Only(servers) => model.is_of(servers),
        }
    }

    /// Whether it is a name of earlier versions of this model's server.
    pub(super) fn ended_before(&self, model: ModelId) -> bool {
        matches!(self.applies, Applies::After(_)) && self.applies_to(model)
    }
}

const fn other(name: &'static str, history: &'static str, instead: &'static str) -> OtherVersion {
    OtherVersion { name, history, instead, applies: Applies::Always }
}

const fn until_55(name: &'static str, history: &'static str, instead: &'static str) -> OtherVersion {
    OtherVersion { name, history, instead, applies: Applies::After(55) }
}

const fn until_56(name: &'static str, instead: &'static str) -> OtherVersion {
    OtherVersion { name, history: "it exists until MySQL 5.6", instead, applies: Applies::After(56) }
}

const fn until_57(name: &'static str, instead: &'static str) -> OtherVersion {
    OtherVersion { name, history: "it exists until MySQL 5.7", instead, applies: Applies::After(57) }
}

const fn from_56(name: &'static str, instead: &'static str) -> OtherVersion {
    OtherVersion { name, history: "it exists from MySQL 5.6", instead, applies: Applies::Before(56) }
}

const fn from_57(name: &'static str, instead: &'static str) -> OtherVersion {
    OtherVersion { name, history: "it exists from MySQL 5.7", instead, applies: Applies::Before(57) }
}

const fn from_80(name: &'static str, instead: &'static str) -> OtherVersion {
    OtherVersion { name, history: "it exists from MySQL 8.0", instead, applies: Applies::Before(80) }
}

const LEAVE_OUT: &str = "leave it out";

/// Names of other versions.
pub(super) const OTHER_VERSIONS: &[OtherVersion] = &[
    OtherVersion {
        name: "innodb_adaptive_flushing_method",
        history: "it exists only in Percona Server 5.5",
        instead: "8.0 has one method, switched by innodb_adaptive_flushing",
        applies: Applies::After(57),
    },
    OtherVersion {
        name: "innodb_adaptive_checkpoint",
        history: "it exists only in XtraDB 5.1",
        instead: "use innodb_adaptive_flushing_method",
        applies: Applies::Only(Servers::PERCONA.until(5, 6, 0)),
    },
    other("innodb_adaptive_checkpoint", "it exists only in XtraDB 5.1", "use innodb_adaptive_flushing"),
    until_56("innodb_additional_mem_pool_size", LEAVE_OUT),
    other("innodb_buffer_pool_populate", "it exists only in Percona Server 5.5 and 5.6", LEAVE_OUT),
    until_57("innodb_checksums", "innodb_checksum_algorithm replaced it; leave it out"),
    other(
        "innodb_cleaner_lsn_age_factor",
        "it exists only in Percona Server from 5.6",
        "8.0 has one age factor; leave it out",
    ),
    other("innodb_empty_free_list_algorithm", "it exists only in Percona Server from 5.6", LEAVE_OUT),
    until_57("innodb_file_format", "leave it out; the row format doesn't matter to the model"),
    until_57("innodb_file_format_check", LEAVE_OUT),
    until_57("innodb_file_format_max", LEAVE_OUT),
    other(
        "innodb_file_io_threads",
        "it exists until MySQL 5.1",
        "use innodb_read_io_threads and innodb_write_io_threads",
    ),
    until_55("innodb_flush_neighbor_pages", "it exists only in Percona Server 5.5", "use innodb_flush_neighbors"),
    other("innodb_ibuf_accel_rate", "it exists only in Percona Server 5.5", LEAVE_OUT),
    until_57("innodb_large_prefix", LEAVE_OUT),
    until_57("innodb_locks_unsafe_for_binlog", "leave it out; READ COMMITTED replaced it, and locks are not modelled"),
    other("innodb_log_block_size", "it exists only in Percona Server 5.5 and 5.6", "use innodb_log_write_ahead_size"),
    other("innodb_log_optimize_ddl", "it exists only in MariaDB and Percona Server 5.7", LEAVE_OUT),
    other("innodb_lru_flush_size", "it exists only in MariaDB from 10.5", "use innodb_lru_scan_depth"),
    until_56("innodb_mirrored_log_groups", LEAVE_OUT),
    other(
        "innodb_parallel_doublewrite_path",
        "it exists only in Percona Server from 5.7 to 8.0.19",
        "use innodb_doublewrite_files and innodb_doublewrite_pages",
    ),
    until_57("innodb_support_xa", LEAVE_OUT),
    other("innodb_thread_concurrency_timer_based", "it exists only in Percona Server 5.1 and 5.5", LEAVE_OUT),
    until_57("innodb_undo_logs", "innodb_rollback_segments replaced it; leave it out"),
    until_56("innodb_use_sys_malloc", LEAVE_OUT),
    until_57("query_cache_size", LEAVE_OUT),
    until_57("query_cache_type", LEAVE_OUT),
    other("skip_log_bin", "it is a line of option files, no variable", "use log_bin = OFF"),
    until_57("tx_isolation", "transaction_isolation replaced it; leave it out"),
];

/// Names that later versions brought.
pub(super) const LATER_NAMES: &[OtherVersion] = &[
    from_56("innodb_adaptive_flushing_lwm", "leave it out; adaptive flushing begins with the first redo"),
    from_56("innodb_flush_log_at_timeout", "leave it out; the redo log is synced once a second"),
    OtherVersion {
        name: "innodb_flush_neighbors",
        history: "it exists from MySQL 5.6",
        instead: "use innodb_flush_neighbor_pages",
        applies: Applies::Only(Servers::PERCONA.until(5, 6, 0)),
    },
    from_56("innodb_flush_neighbors", "leave it out; the dirty neighbours of a page are always flushed with it"),
    from_56("innodb_flushing_avg_loops", "leave it out; redo is averaged over 20 seconds"),
    from_56("innodb_io_capacity_max", "use innodb_io_capacity: the master thread flushes no more than that"),
    from_56("innodb_lru_scan_depth", "leave it out; user threads keep up a fixed margin of free pages"),
    from_56("innodb_max_dirty_pages_pct_lwm", "use innodb_max_dirty_pages_pct"),
    from_56("innodb_page_size", "leave it out; pages are of 16K"),
    from_57("innodb_buffer_pool_chunk_size", "leave it out; innodb_buffer_pool_size is taken as it is"),
    from_57("innodb_flush_sync", "leave it out; flushing at the sync limit never minds innodb_io_capacity"),
    from_57("innodb_log_write_ahead_size", "leave it out; redo is written in whole blocks of 512 bytes"),
    OtherVersion {
        name: "innodb_page_cleaners",
        history: "it exists from MySQL 5.7",
        instead: "leave it out; the master thread flushes",
        applies: Applies::Before(56),
    },
    from_57("innodb_page_cleaners", "leave it out; there is one page cleaner thread"),
    from_80("innodb_doublewrite_files", "leave it out; the doublewrite buffer lies in the system tablespace"),
    from_80("innodb_doublewrite_pages", "leave it out; the doublewrite buffer has a fixed size"),
    from_80("innodb_idle_flush_pct", "leave it out; an idle server flushes innodb_io_capacity pages at a time"),
    // Of these the later models say that they do nothing.
    from_56("innodb_buffer_pool_dump_at_shutdown", LEAVE_OUT),
    from_56("innodb_buffer_pool_load_at_startup", LEAVE_OUT),
    from_56("innodb_checksum_algorithm", LEAVE_OUT),
    from_56("innodb_compression_level", LEAVE_OUT),
    from_56("innodb_doublewrite_batch_size", LEAVE_OUT),
    from_56("innodb_log_compressed_pages", LEAVE_OUT),
    from_56("innodb_max_purge_lag_delay", LEAVE_OUT),
    from_56("innodb_monitor_enable", LEAVE_OUT),
    from_56("innodb_numa_interleave", LEAVE_OUT),
    from_56("innodb_stats_auto_recalc", LEAVE_OUT),
    from_56("innodb_stats_persistent", LEAVE_OUT),
    from_56("innodb_status_output", LEAVE_OUT),
    from_56("innodb_sync_array_size", LEAVE_OUT),
    from_56("innodb_undo_directory", LEAVE_OUT),
    from_56("innodb_undo_tablespaces", LEAVE_OUT),
    from_56("table_open_cache_instances", LEAVE_OUT),
    from_57("binlog_group_commit_sync_delay", LEAVE_OUT),
    from_57("innodb_buffer_pool_dump_pct", LEAVE_OUT),
    from_57("innodb_deadlock_detect", LEAVE_OUT),
    from_57("innodb_default_row_format", LEAVE_OUT),
    from_57("innodb_fill_factor", LEAVE_OUT),
    from_57("innodb_log_checksums", LEAVE_OUT),
    from_57("innodb_max_undo_log_size", LEAVE_OUT),
    from_57(
        "innodb_purge_rseg_truncate_frequency",
        "leave it out; the history is cut off each 128 calls of purge (5.5: each)",
    ),
    from_57("innodb_temp_data_file_path", LEAVE_OUT),
    from_57("innodb_undo_log_truncate", LEAVE_OUT),
    from_80("innodb_dedicated_server", LEAVE_OUT),
    from_80("innodb_doublewrite_dir", LEAVE_OUT),
    from_80("innodb_fsync_threshold", LEAVE_OUT),
    other("innodb_log_spin_cpu_abs_lwm", "it exists from MySQL 8.0", LEAVE_OUT),
    from_80("innodb_log_spin_cpu_pct_hwm", LEAVE_OUT),
    from_80("innodb_log_wait_for_flush_spin_hwm", LEAVE_OUT),
    from_80("innodb_redo_log_encrypt", LEAVE_OUT),
    from_80("innodb_spin_wait_pause_multiplier", LEAVE_OUT),
];

/// Names with one reason why they do nothing.
pub(super) struct WithoutEffect {
    pub(super) names: &'static [&'static str],
    pub(super) why: &'static str,
}

/// Names that the servers know and the models have no use for.
pub(super) const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        names: &[
            "innodb_additional_mem_pool_size",
            "innodb_checksums",
            "innodb_file_format",
            "innodb_file_format_check",
            "innodb_file_format_max",
            "innodb_large_prefix",
            "innodb_locks_unsafe_for_binlog",
            "innodb_mirrored_log_groups",
            "innodb_support_xa",
            "innodb_undo_logs",
            "innodb_use_sys_malloc",
            "query_cache_size",
            "query_cache_type",
            "tx_isolation",
        ],
        why: "memory of the dictionary, formats of files, locks and the query cache are not modelled",
    },
    WithoutEffect {
        names: &["innodb_random_read_ahead", "innodb_read_ahead_threshold"],
        why: "read-ahead is not modelled: each missing page is read alone",
    },
    WithoutEffect {
        names: &["binlog_format", "binlog_group_commit_sync_delay", "max_binlog_size"],
        why: "of the binary log log_bin and sync_binlog are modelled, and what [binary_log] of the scenario says",
    },
    WithoutEffect {
        names: &[
            "back_log",
            "max_connections",
            "performance_schema",
            "table_definition_cache",
            "table_open_cache",
            "table_open_cache_instances",
            "thread_cache_size",
            "thread_handling",
        ],
        why: "connections, tables and the SQL layer are not modelled; the number of clients belongs to the workload",
    },
    WithoutEffect {
        names: &["innodb_doublewrite_batch_size"],
        why: "servers from 8.0.20 ignore it; innodb_doublewrite_pages sets the size of a batch",
    },
    WithoutEffect {
        names: &["innodb_dedicated_server"],
        why: "the server chooses its sizes by the memory that it finds; the model has none to measure: state what it chose",
    },
    WithoutEffect {
        names: &["innodb_numa_interleave", "innodb_use_native_aio", "large_pages"],
        why: "how the operating system is called belongs to the measured device, not to the model",
    },
    WithoutEffect {
        names: &[
            "innodb_log_spin_cpu_pct_hwm",
            "innodb_log_wait_for_flush_spin_hwm",
            "innodb_spin_wait_delay",
            "innodb_spin_wait_pause_multiplier",
            "innodb_sync_array_size",
            "innodb_sync_spin_loops",
        ],
        why: "spinning is not modelled: a thread that waits costs no CPU",
    },
    WithoutEffect {
        names: &[
            "innodb_autoinc_lock_mode",
            "innodb_deadlock_detect",
            "innodb_lock_wait_timeout",
            "innodb_print_all_deadlocks",
            "innodb_rollback_on_timeout",
            "transaction_isolation",
        ],
        why: "row locks are not modelled; only page latches are",
    },
    WithoutEffect {
        names: &["innodb_commit_concurrency", "innodb_concurrency_tickets", "innodb_thread_sleep_delay"],
        why: "admission of threads is not modelled; the workload sets the number of clients",
    },
    WithoutEffect {
        names: &[
            "datadir",
            "innodb_data_file_path",
            "innodb_data_home_dir",
            "innodb_doublewrite_dir",
            "innodb_file_per_table",
            "innodb_log_group_home_dir",
            "innodb_open_files",
            "innodb_temp_data_file_path",
            "innodb_undo_directory",
            "innodb_rollback_segments",
            "tmpdir",
        ],
        why: "files and directories are not modelled; which device holds what is described by the scenario",
    },
    WithoutEffect {
        names: &[
            "innodb_checksum_algorithm",
            "innodb_compression_level",
            "innodb_default_row_format",
            "innodb_fill_factor",
            "innodb_log_checksums",
            "innodb_log_compressed_pages",
            "innodb_redo_log_encrypt",
        ],
        why: "the contents of pages and redo records are not modelled",
    },
    WithoutEffect {
        names: &[
            "innodb_buffer_pool_dump_at_shutdown",
            "innodb_buffer_pool_dump_pct",
            "innodb_buffer_pool_load_at_startup",
            "innodb_fast_shutdown",
            "innodb_force_recovery",
        ],
        why: "starting and stopping the server is not modelled; the scenario says how warm the pool is",
    },
    WithoutEffect {
        names: &[
            "innodb_monitor_enable",
            "innodb_stats_auto_recalc",
            "innodb_stats_on_metadata",
            "innodb_stats_persistent",
            "innodb_status_output",
        ],
        why: "statistics and monitoring cost nothing in the model",
    },
];
