//! Names that only Percona Server has and that act on nothing modelled.

use super::{ModelId, Servers};

/// Why Percona Server does nothing near flushing with `name`, if `model` is one that has it.
pub(super) fn without_effect(model: ModelId, name: &str) -> Option<&'static str> {
    if !model.is_of(Servers::PERCONA) {
        return None;
    }
    let groups: [&[Group]; 2] = if model.is_of(Servers::PERCONA.until(5, 6, 0)) {
        [PERCONA_55, &[]]
    } else {
        [PERCONA_80, if model.is_of(Servers::PERCONA.until(8, 0, 0)) { PERCONA_57 } else { &[] }]
    };
    groups.into_iter().flatten().chain(BOTH).find(|(names, _)| names.contains(&name)).map(|(_, why)| *why)
}

/// Where `name` exists and what to use instead, if it is one of Percona Server alone.
pub(super) fn foreign(name: &str) -> Option<(&'static str, &'static str)> {
    let has = |groups: &[Group]| groups.iter().any(|(names, _)| names.contains(&name));
    let history = match (has(PERCONA_55), has(PERCONA_80), has(BOTH)) {
        (true, false, _) => "it is a setting of Percona Server 5.5",
        (false, true, _) => "it is a setting of Percona Server 8.0 and 8.4",
        (true, true, _) | (.., true) => "it is a setting of Percona Server",
        (false, false, false) => return None,
    };
    Some((history, "leave it out"))
}

/// Names with one reason why they do nothing.
type Group = (&'static [&'static str], &'static str);

const CHANGED_PAGES: &str = "bitmaps of changed pages are not modelled";
const CONTENTS: &str = "the contents of pages and redo records are not modelled";
const DICTIONARY: &str = "the dictionary, dropping tables and statistics are not modelled";
const FILES: &str = "files and directories are not modelled; which device holds what is described by the scenario";
const MONITORING: &str = "statistics and monitoring cost nothing in the model";
const STARTING: &str = "starting and stopping the server is not modelled; the scenario says how warm the pool is";

const BOTH: &[Group] = &[
    (&["innodb_max_bitmap_file_size", "innodb_max_changed_pages", "innodb_track_changed_pages"], CHANGED_PAGES),
    (&["innodb_corrupt_table_action"], "damaged pages are not modelled"),
    (&["innodb_show_locks_held"], MONITORING),
    (&["innodb_kill_idle_transaction"], "connections that idle in a transaction are not modelled"),
];

const PERCONA_55: &[Group] = &[
    (&["innodb_changed_pages_limit"], CHANGED_PAGES),
    (
        &["innodb_checkpoint_age_target"],
        "a limit of its own to the checkpoint age is not modelled; the size of the redo log sets it",
    ),
    (
        &["innodb_ibuf_accel_rate", "innodb_ibuf_active_contract", "innodb_ibuf_max_size"],
        "the change buffer is merged and sized as in MySQL 5.5 here",
    ),
    (&["innodb_read_ahead"], "read-ahead is not modelled: each missing page is read alone"),
    (&["innodb_fast_checksum"], CONTENTS),
    (&["innodb_doublewrite_file"], FILES),
    (
        &["innodb_log_block_size", "innodb_use_atomic_writes"],
        "redo is written in blocks of 512 bytes, and no device of the model writes pages atomically",
    ),
    (
        &[
            "innodb_dict_size_limit",
            "innodb_import_table_from_xtrabackup",
            "innodb_lazy_drop_table",
            "innodb_merge_sort_block_size",
            "innodb_stats_auto_update",
            "innodb_stats_update_need_lock",
            "innodb_use_sys_stats_table",
        ],
        DICTIONARY,
    ),
    (
        &[
            "innodb_blocking_buffer_pool_restore",
            "innodb_buffer_pool_populate",
            "innodb_buffer_pool_restore_at_startup",
            "innodb_buffer_pool_shm_checksum",
            "innodb_buffer_pool_shm_key",
            "innodb_recovery_stats",
            "innodb_recovery_update_relay_log",
        ],
        STARTING,
    ),
    (&["innodb_show_verbose_locks"], MONITORING),
    (
        &["innodb_fake_changes", "innodb_locking_fake_changes", "innodb_thread_concurrency_timer_based"],
        "changes that are taken back and the admission of threads are not modelled",
    ),
    (
        &["innodb_adaptive_hash_index_partitions"],
        "how the adaptive hash index is parted changes nothing: the scenario states what it costs",
    ),
    (
        &["innodb_use_global_flush_log_at_trx_commit"],
        "sessions of the workload do not set innodb_flush_log_at_trx_commit for themselves",
    ),
];

/// What 5.7 has beside the names of [`PERCONA_80`].
const PERCONA_57: &[Group] = &[
    (&["innodb_redo_log_encrypt"], CONTENTS),
    (&["innodb_show_verbose_locks"], MONITORING),
    (
        &["innodb_use_global_flush_log_at_trx_commit"],
        "sessions of the workload do not set innodb_flush_log_at_trx_commit for themselves",
    ),
];

const PERCONA_80: &[Group] = &[
    (&["innodb_parallel_doublewrite_path"], FILES),
    (&["innodb_track_redo_log_now"], CHANGED_PAGES),
    (
        &[
            "innodb_background_scrub_data_check_interval",
            "innodb_background_scrub_data_compressed",
            "innodb_background_scrub_data_interval",
            "innodb_background_scrub_data_uncompressed",
            "innodb_compressed_columns_threshold",
            "innodb_compressed_columns_zip_level",
            "innodb_parallel_dblwr_encrypt",
            "innodb_scrub_log",
            "innodb_scrub_log_speed",
            "innodb_sys_tablespace_encrypt",
            "innodb_temp_tablespace_encrypt",
        ],
        CONTENTS,
    ),
    (
        &["innodb_force_index_records_in_range", "innodb_records_in_range"],
        "the SQL layer and its estimates are not modelled",
    ),
    (&["innodb_ft_ignore_stopwords"], "full-text indexes are not modelled"),
    (&["innodb_print_lock_wait_timeout_info"], "row locks are not modelled; only page latches are"),
];
