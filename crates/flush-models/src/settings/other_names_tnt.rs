//! Names of InnoDB's settings, which TNT does not have.

use super::ModelId;
use super::declarations::declarations;

/// `name` as a setting of InnoDB, if `model` is TNT: where it exists, and what to use instead.
pub(super) fn foreign(model: ModelId, name: &str) -> Option<(&'static str, &'static str)> {
    let of_innodb = name.starts_with("innodb_") || declarations().any(|d| d.name == name);
    if model.is_innodb() || !of_innodb {
        return None;
    }
    let instead = INSTEAD.iter().find(|(innodb, _)| *innodb == name).map_or("leave it out", |(_, instead)| instead);
    Some(("it belongs to InnoDB", instead))
}

/// What has the same role.
const INSTEAD: &[(&str, &str)] = &[
    ("innodb_buffer_pool_size", "use ntse_page_buf_size for pages, tnt_buf_size for changed records"),
    ("innodb_flush_log_at_trx_commit", "use tnt_trx_flush_mode"),
    ("innodb_io_capacity", "use ntse_system_io_capacity"),
    ("innodb_io_capacity_max", "use ntse_system_io_capacity"),
    ("innodb_log_buffer_size", "use ntse_log_buf_size"),
    ("innodb_log_file_size", "use ntse_log_file_size"),
    ("innodb_log_files_in_group", "use ntse_log_file_cnt_hwm"),
    ("innodb_lru_scan_depth", "use ntse_scavenger_pages"),
    ("innodb_redo_log_capacity", "use ntse_log_file_size and ntse_log_file_cnt_hwm"),
];
