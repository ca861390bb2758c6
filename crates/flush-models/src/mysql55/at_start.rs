//! What MySQL 5.5 and Percona Server 5.5 make of their settings at start.

use crate::settings::{Product, Resolver, SettingsError, Value, spell_bytes};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// Buffer pools smaller than this have one instance.
const LEAST_FOR_INSTANCES: u64 = 1000 * MIB;
/// MySQL 5.5 refuses to start with a redo log of this size or more.
const MYSQL_LIMIT: u64 = 4 * GIB;
/// Percona Server 5.5 takes redo logs up to this size.
const PERCONA_LIMIT: u64 = 512 * GIB;

/// All rules, in the server's order.
pub(super) fn run(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    buffer_pool(r)?;
    redo(r)
}

fn buffer_pool(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    let (size, instances) = (r.s.integer("innodb_buffer_pool_size")?, r.s.integer("innodb_buffer_pool_instances")?);
    if size < LEAST_FOR_INSTANCES && instances > 1 {
        let why = "a buffer pool of less than 1000M has one instance".to_owned();
        r.adjust("innodb_buffer_pool_instances", Value::Integer(1), why);
    }
    Ok(())
}

fn redo(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    let (size, files) = (r.s.integer("innodb_log_file_size")?, r.s.integer("innodb_log_files_in_group")?);
    let bytes = size * files;
    let is_percona = r.s.model.product() == Product::Percona;
    let (refused, allowed) = match is_percona {
        true => (bytes > PERCONA_LIMIT, "at most 512G are allowed"),
        false => (bytes >= MYSQL_LIMIT, "MySQL 5.5 refuses to start with 4G or more"),
    };
    if !refused {
        return Ok(());
    }
    let most = if is_percona { PERCONA_LIMIT } else { MYSQL_LIMIT - 1 };
    Err(SettingsError {
        setting: "innodb_log_file_size".to_owned(),
        problem: format!("the redo log would be {} ({files} files); {allowed}", spell_bytes(bytes)),
        help: format!("lower innodb_log_file_size to {} or less", spell_bytes(most / files / MIB * MIB)),
    })
}
