//! What MySQL 5.6 and 5.7 make of their settings at start (`innodb-5.6` and `innodb-5.7`, sections 1 and 8).

#[cfg(test)]
mod tests;

use crate::legacy::io::io_capacity_at_startup;
use crate::settings::{Resolver, Servers, SettingsError, Value, spell_bytes};

const GIB: u64 = 1 << 30;
/// Redo files must stay below this together.
const LARGEST_REDO: u64 = 512 * GIB;
/// Smaller pools have one instance.
const POOL_OF_ONE_INSTANCE: u64 = GIB;
/// Instances of a larger pool that was told no number.
const DEFAULT_INSTANCES: u64 = 8;

/// All rules, in the server's order.
pub(crate) fn run(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    io_capacity(r)?;
    dirty_pages_lwm(r)?;
    instances(r)?;
    if r.s.model.is_of(Servers::MYSQL.from(5, 7, 0)) {
        r.whole_chunks()?;
        r.cleaners_within_instances()?;
    }
    redo(r)
}

fn io_capacity(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    let io = r.s.integer("innodb_io_capacity")?;
    let configured = match r.s.get("innodb_io_capacity_max") {
        Some(Value::Integer(max)) => Some(max),
        _ => None,
    };
    let (capacity, max) = io_capacity_at_startup(io, configured);
    r.derive("innodb_io_capacity_max", Value::Integer(max));
    if capacity < io {
        let why = "innodb_io_capacity cannot be higher than innodb_io_capacity_max".to_owned();
        r.adjust("innodb_io_capacity", Value::Integer(capacity), why);
    } else {
        r.note_whole_quotient(max, io);
    }
    Ok(())
}

fn dirty_pages_lwm(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    if let Some(most) = r.s.get("innodb_max_dirty_pages_pct")
        && r.s.real("innodb_max_dirty_pages_pct_lwm")? > r.s.real("innodb_max_dirty_pages_pct")?
    {
        let why = "innodb_max_dirty_pages_pct_lwm cannot be higher than innodb_max_dirty_pages_pct".to_owned();
        r.adjust("innodb_max_dirty_pages_pct_lwm", most, why);
    }
    Ok(())
}

fn instances(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    let name = "innodb_buffer_pool_instances";
    let small = r.s.integer("innodb_buffer_pool_size")? < POOL_OF_ONE_INSTANCE;
    let by_itself = if small { 1 } else { DEFAULT_INSTANCES };
    r.derive(name, Value::Integer(by_itself));
    let instances = r.s.integer(name)?;
    if instances == 0 {
        r.adjust(name, Value::Integer(by_itself), "0 lets the server choose".to_owned());
    } else if small && instances > 1 {
        r.adjust(name, Value::Integer(1), "a buffer pool of less than 1G has one instance".to_owned());
    }
    Ok(())
}

fn redo(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    let bytes = r.s.integer("innodb_log_file_size")?.saturating_mul(r.s.integer("innodb_log_files_in_group")?);
    if bytes >= LARGEST_REDO {
        return Err(SettingsError {
            setting: "innodb_log_file_size".to_owned(),
            problem: format!("the redo log would be {}; it must be smaller than 512G", spell_bytes(bytes)),
            help: "lower innodb_log_file_size or innodb_log_files_in_group".to_owned(),
        });
    }
    let buffer = r.s.integer("innodb_log_buffer_size")?;
    r.remark_on_large_log_buffer(buffer, bytes);
    Ok(())
}
