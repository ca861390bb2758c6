//! Options of the server around InnoDB that later versions of MySQL removed: an option file with one of them keeps
//! mysqld from starting. Those of InnoDB itself are in `other_names`.
//!
//! Source: "Option and Variable Changes" for 8.0 to 9.7 of the MySQL Server Version Reference.

use super::{ModelId, Servers};

/// Until when an option exists and what to use instead, if the server of `model` no longer has it.
pub(super) fn history(model: ModelId, name: &str) -> Option<(&'static str, &'static str)> {
    let (.., history, instead) =
        REMOVED.iter().find(|(from, names, ..)| model.is_of(*from) && names.contains(&name))?;
    Some((history, instead))
}

/// Why the server of `model` does not start with this value of an option that it still has.
pub fn removed_value(model: ModelId, name: &str, value: &str) -> Option<&'static str> {
    let modes = || value.to_ascii_uppercase().contains("NO_AUTO_CREATE_USER");
    (name == "sql_mode" && model.is_of(FROM_80) && modes())
        .then_some("the mode NO_AUTO_CREATE_USER exists until MySQL 5.7")
}

/// The servers that no longer have some options, these options, until when they exist, and what to use instead.
type Removed = (Servers, &'static [&'static str], &'static str, &'static str);

const FROM_80: Servers = Servers::MYSQL.from(8, 0, 0);
const FROM_84: Servers = Servers::MYSQL.from(8, 4, 0);
const FROM_90: Servers = Servers::MYSQL.from(9, 0, 0);

const UNTIL_57: &str = "it exists until MySQL 5.7";
const UNTIL_80: &str = "it exists until MySQL 8.0";
const LEAVE_OUT: &str = "leave it out";

const REMOVED: &[Removed] = &[
    (
        FROM_80,
        &[
            "bootstrap",
            "date_format",
            "datetime_format",
            "des_key_file",
            "ignore_builtin_innodb",
            "ignore_db_dir",
            "innodb_stats_sample_pages",
            "internal_tmp_disk_storage_engine",
            "log_builtin_as_identified_by_password",
            "max_tmp_tables",
            "metadata_locks_cache_size",
            "metadata_locks_hash_instances",
            "multi_range_count",
            "old_passwords",
            "partition",
            "query_cache_limit",
            "query_cache_min_res_unit",
            "query_cache_strip_comments",
            "query_cache_wlock_invalidate",
            "secure_auth",
            "show_compatibility_56",
            "sync_frm",
            "temp_pool",
            "time_format",
        ],
        UNTIL_57,
        LEAVE_OUT,
    ),
    (FROM_80, &["log_warnings"], UNTIL_57, "use log_error_verbosity"),
    (
        FROM_80,
        &["log_syslog", "log_syslog_facility", "log_syslog_include_pid", "log_syslog_tag"],
        UNTIL_57,
        "use log_error_services",
    ),
    (FROM_80, &["tx_read_only"], UNTIL_57, "use transaction_read_only"),
    (
        FROM_84,
        &[
            "abort_slave_event_count",
            "admin_ssl",
            "authentication_fido_rp_id",
            "avoid_temporal_upgrade",
            "binlog_transaction_dependency_tracking",
            "character_set_client_handshake",
            "daemon_memcached_enable_binlog",
            "daemon_memcached_engine_lib_name",
            "daemon_memcached_engine_lib_path",
            "daemon_memcached_option",
            "daemon_memcached_r_batch_size",
            "daemon_memcached_w_batch_size",
            "disconnect_slave_event_count",
            "group_replication_ip_whitelist",
            "group_replication_primary_member",
            "group_replication_recovery_complete_at",
            "innodb",
            "innodb_api_bk_commit_interval",
            "innodb_api_disable_rowlock",
            "innodb_api_enable_binlog",
            "innodb_api_enable_mdl",
            "innodb_api_trx_level",
            "language",
            "log_bin_use_v1_row_events",
            "master_info_file",
            "master_info_repository",
            "new",
            "no_dd_upgrade",
            "old",
            "old_style_user_limits",
            "relay_log_info_file",
            "relay_log_info_repository",
            "show_old_temporals",
            "slave_rows_search_algorithms",
            "ssl",
            "transaction_write_set_extraction",
        ],
        UNTIL_80,
        LEAVE_OUT,
    ),
    (FROM_84, &["default_authentication_plugin"], UNTIL_80, "use authentication_policy"),
    (FROM_84, &["expire_logs_days"], UNTIL_80, "use binlog_expire_logs_seconds"),
    (FROM_84, &["host_cache", "skip_host_cache"], UNTIL_80, "use host_cache_size = 0"),
    (FROM_90, &["mysql_native_password", "mysql_native_password_proxy_users"], "it exists until MySQL 8.4", LEAVE_OUT),
];
