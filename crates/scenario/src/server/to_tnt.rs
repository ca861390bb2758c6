//! A scenario of an InnoDB run with TNT: what its settings mean there.
//!
//! Memory is divided: an eighth of the buffer pool is for changed records, an eighth for the row cache, the rest for
//! pages (assumed: no source says how the engine's makers divided it). Redo, I/O capacity, log buffer and what a commit
//! waits for are carried over as they are. Each is a warning; what was set for TNT by name stays.

use super::redo_size::redo_of;
use super::{Context, Explicit, entry_of, is_of_the_files_model, whole};
use crate::diagnostic::Problem;
use crate::node::Entry;
use innosim_flush_models::registry::{ModelId, Value, lookup, parse_value};

const MIB: u64 = 1 << 20;
/// Parts of the buffer pool: one for changed records, one for the row cache, the others for pages.
const PARTS: u64 = 8;
/// Least redo file and log buffer of TNT, bytes; its log buffer unless it is set.
const LEAST_FILE: u64 = 4 * MIB;
const LEAST_LOG_BUFFER: u64 = MIB;
const USUAL_LOG_BUFFER: u64 = 32 * MIB;

const POOL: &str = "innodb_buffer_pool_size";
const CAPACITY: &str = "innodb_io_capacity";
const CAPACITY_MAX: &str = "innodb_io_capacity_max";
const LOG_BUFFER: &str = "innodb_log_buffer_size";
const COMMIT: &str = "innodb_flush_log_at_trx_commit";
const REDO: &[&str] = &["innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group"];

fn applies(context: &Context<'_>) -> Option<ModelId> {
    context.written_for.filter(|from| context.model == ModelId::Tnt && *from != ModelId::Tnt)
}

/// Whether an entry of an InnoDB is one that [`carry_over`] takes care of.
pub(super) fn is_carried_over(entry: &Entry, context: &Context<'_>) -> bool {
    let known = [POOL, CAPACITY, CAPACITY_MAX, LOG_BUFFER, COMMIT].contains(&entry.key.as_str());
    applies(context).is_some() && (known || REDO.contains(&entry.key.as_str())) && is_of_the_files_model(entry, context)
}

/// Memory, redo, I/O capacity and commits mean as much to TNT.
pub(super) fn carry_over(entries: &[Entry], explicit: &mut Explicit, context: &Context<'_>) {
    let Some(from) = applies(context) else { return };
    let number = |name: &str| {
        let entry = entry_of(entries, name).filter(|entry| is_of_the_files_model(entry, context))?;
        match parse_value(&lookup(from, name).ok()?, &entry.node.scalar_text()?) {
            Ok(Value::Integer(value)) => Some((entry, value)),
            _ => None,
        }
    };
    let mut take = |entry: &Entry, spelt: &str, what: &[(&'static str, u64)]| {
        let mut taken = Vec::new();
        for &(name, value) in what.iter().filter(|(name, _)| entry_of(entries, name).is_none()) {
            explicit.insert(name, Value::Integer(value));
            let spelt = lookup(context.model, name).map_or(String::new(), |s| s.spell(Value::Integer(value)));
            taken.push(format!("{name} = {spelt}"));
        }
        if !taken.is_empty() {
            let message = format!("{spelt} is taken as {}", taken.join(", "));
            context.report.add(Problem::new(message).at(whole(entry)).into_warning());
        }
    };
    if let Some((entry, pool)) = number(POOL) {
        let part = (pool / PARTS / MIB).max(1) * MIB;
        let pages = pool.saturating_sub(2 * part).max(MIB);
        let sizes = [("tnt_buf_size", part), ("ntse_rec_buf_size", part), ("ntse_page_buf_size", pages)];
        take(entry, POOL, &sizes);
    }
    if let Some((entry, pages)) = number(CAPACITY_MAX).or_else(|| number(CAPACITY)) {
        let name = entry.key.as_str();
        take(entry, name, &[("ntse_system_io_capacity", pages.max(10))]);
    }
    if let Some((entry, waits)) = number(COMMIT) {
        take(entry, COMMIT, &[("tnt_trx_flush_mode", if waits > 2 { 1 } else { waits })]);
    }
    let log_buffer = number(LOG_BUFFER);
    let Some((entry, bytes, spelt)) = redo_of(from, entries, context) else {
        if let Some((entry, bytes)) = log_buffer {
            take(entry, LOG_BUFFER, &[("ntse_log_buf_size", (bytes / MIB * MIB).max(LEAST_LOG_BUFFER))]);
        }
        return;
    };
    let file = (bytes / 2 / MIB * MIB).max(LEAST_FILE);
    take(entry, &spelt, &[("ntse_log_file_size", file), ("ntse_log_file_cnt_hwm", 2)]);
    let wanted = log_buffer.map_or(USUAL_LOG_BUFFER, |(_, bytes)| bytes);
    let fits = (wanted / MIB * MIB).min(file / 2 / MIB * MIB).max(LEAST_LOG_BUFFER);
    let (at, why) = log_buffer.map_or((entry, spelt.as_str()), |(entry, _)| (entry, LOG_BUFFER));
    if fits != USUAL_LOG_BUFFER {
        take(at, why, &[("ntse_log_buf_size", fits)]);
    }
}
