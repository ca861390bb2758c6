//! Variables of servers that no recording here is of: each version says which model reads it, and no line of InnoDB is unknown.
//! The texts are made up: some lines of what such a server shows, with the names that came and went around it.

use innosim_flush_models::registry::{ModelId, ServerVersion, UnknownReason, lookup};

/// Version, comment, the model, and names of InnoDB that such a server shows.
type Shown = (&'static str, &'static str, ModelId, &'static [&'static str]);

const OLD: &[&str] =
    &["innodb_additional_mem_pool_size", "innodb_file_format", "innodb_support_xa", "innodb_io_capacity"];
const OF_57: &[&str] = &["innodb_page_cleaners", "innodb_undo_logs", "innodb_large_prefix", "innodb_log_checksums"];
const OF_80: &[&str] =
    &["innodb_ddl_threads", "innodb_parallel_read_threads", "innodb_print_ddl_logs", "innodb_directories"];
const OF_PERCONA: &[&str] =
    &["innodb_cleaner_lsn_age_factor", "innodb_empty_free_list_algorithm", "innodb_show_locks_held"];
const OF_MARIADB: &[&str] = &[
    "innodb_encryption_threads",
    "innodb_force_primary_key",
    "innodb_instant_alter_column_allowed",
    "innodb_lru_flush_size",
];

const SERVERS: [Shown; 24] = [
    ("5.5.62-log", "MySQL Community Server (GPL)", ModelId::Mysql55, OLD),
    ("5.5.60-38.12-log", "Percona Server (GPL), Release 38.12", ModelId::Percona55, OLD),
    ("5.6.51", "MySQL Community Server (GPL)", ModelId::Mysql56, OLD),
    ("5.6.49-log", "Source distribution", ModelId::Mysql56, OLD),
    ("5.7.30-log", "MySQL Community Server (GPL)", ModelId::Mysql57, OF_57),
    ("5.7.44-rds.20240408-log", "Source distribution", ModelId::Mysql57, OF_57),
    ("5.7.40-google-log", "(Google)", ModelId::Mysql57, OF_57),
    ("5.7.39-42-log", "Percona Server (GPL), Release 42", ModelId::Percona57, &["innodb_parallel_doublewrite_path"]),
    ("8.0.16", "MySQL Community Server - GPL", ModelId::Mysql8016, OF_80),
    ("8.0.22-commercial", "MySQL Enterprise Server - Commercial", ModelId::Mysql8021, OF_80),
    ("8.0.28-0ubuntu0.20.04.3", "(Ubuntu)", ModelId::Mysql8027, OF_80),
    ("8.0.35", "Source distribution", ModelId::Mysql8030, OF_80),
    ("8.0.31-google", "(Google)", ModelId::Mysql8030, &["innodb_redo_log_encrypt", "innodb_use_fdatasync"]),
    ("8.0.36-28.1", "Percona XtraDB Cluster (GPL)", ModelId::Percona80, &["innodb_parallel_doublewrite_path"]),
    ("8.0.42-33", "Percona Server (GPL), Release 33", ModelId::Percona80, OF_PERCONA),
    ("8.4.0-u1-cloud", "MySQL Enterprise - Cloud", ModelId::Mysql84, &["innodb_redo_log_capacity"]),
    ("8.4.5", "MySQL Community Server - GPL", ModelId::Mysql84, &["innodb_dedicated_server"]),
    ("8.4.11-11", "Percona Server (GPL), Release 11", ModelId::Percona84, &["innodb_lru_threads"]),
    ("9.7.1", "MySQL Community Server - GPL", ModelId::Mysql97, &["innodb_log_writer_threads"]),
    ("10.6.22-MariaDB-0+deb11u1-log", "Debian 11", ModelId::Mariadb106, OF_MARIADB),
    ("10.11.14-MariaDB-0+deb12u2", "Debian 12", ModelId::Mariadb1011, OF_MARIADB),
    ("11.4.7-MariaDB-ubu2404", "mariadb.org binary distribution", ModelId::Mariadb114, &["innodb_data_file_buffering"]),
    (
        "11.8.3-MariaDB-log",
        "managed by https://aws.amazon.com/rds/",
        ModelId::Mariadb114,
        &["innodb_buffer_pool_size_max"],
    ),
    (
        "12.3.2-MariaDB-ubu2404",
        "mariadb.org binary distribution",
        ModelId::Mariadb123,
        &["innodb_binlog_state_interval"],
    ),
];

/// Each line is a setting, or does nothing for a reason that is told.
#[test]
fn variables_of_many_versions_are_recognised() {
    for (version, comment, model, names) in SERVERS {
        let variable = |name: &str| match name {
            "version" => Some(version),
            "version_comment" => Some(comment),
            _ => None,
        };
        let said = ServerVersion::of_variables(variable).unwrap();
        let found = said.model().unwrap_or_else(|why| panic!("{version}: {why}"));
        assert_eq!((found.model, found.differs), (model, None), "{version} {comment}");
        for name in names {
            if let Err(unknown) = lookup(model, name) {
                assert_eq!(unknown.reason, UnknownReason::WithoutEffect, "{version}: {name}: {unknown}");
            }
        }
    }
}
