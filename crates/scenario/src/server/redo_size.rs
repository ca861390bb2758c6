//! The size of the redo log under another model than the scenario's own.
//!
//! Models spell it in bytes, as files of one size, or as one file. A scenario that runs with another model keeps its
//! size, and where that model takes no log so large, the largest that it takes; each change is a warning.

use super::{Context, Explicit, entry_of, is_of_the_files_model, whole};
use crate::diagnostic::Problem;
use crate::node::Entry;
use innosim_flush_models::registry::{ModelId, Settings, Value, lookup, parse_value};

const CAPACITY: &str = "innodb_redo_log_capacity";
const FILE_SIZE: &str = "innodb_log_file_size";
const FILES: &str = "innodb_log_files_in_group";

/// How a model spells the size of its redo log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RedoSize {
    /// In bytes.
    Capacity,
    /// As files of one size.
    Files,
    /// As one file.
    OneFile,
}

impl RedoSize {
    fn of(model: ModelId) -> RedoSize {
        let knows = |name| lookup(model, name).is_ok();
        match (knows(CAPACITY), knows(FILES)) {
            (true, _) => RedoSize::Capacity,
            (false, true) => RedoSize::Files,
            (false, false) => RedoSize::OneFile,
        }
    }
}

/// What an InnoDB's redo log means to TNT is the affair of [`super::to_tnt`].
fn both_innodb(from: ModelId, model: ModelId) -> bool {
    from != ModelId::Tnt && model != ModelId::Tnt
}

/// Whether an entry that the model doesn't know sizes the redo log, which [`carry_over`] takes care of.
pub(super) fn is_carried_over(entry: &Entry, entries: &[Entry], context: &Context<'_>) -> bool {
    let Some(from) = context.written_for.filter(|from| both_innodb(*from, context.model)) else { return false };
    [CAPACITY, FILE_SIZE, FILES].contains(&entry.key.as_str())
        && lookup(context.model, &entry.key).is_err()
        && is_of_the_files_model(entry, context)
        && RedoSize::of(from) != RedoSize::of(context.model)
        && redo_of(from, entries, context).is_some()
}

/// A redo log means as much to a model that spells its size in another way.
pub(super) fn carry_over(entries: &[Entry], explicit: &mut Explicit, context: &Context<'_>) {
    let Some(from) = context.written_for.filter(|from| both_innodb(*from, context.model)) else { return };
    let (theirs, ours) = (RedoSize::of(from), RedoSize::of(context.model));
    // From the command line, the redo log is the server's own affair.
    let on_top = |name| entry_of(entries, name).is_some_and(|e| context.sources.on_command_line(e.key_at));
    let stated = match ours {
        RedoSize::Capacity => on_top(CAPACITY) || on_top(FILES),
        RedoSize::Files | RedoSize::OneFile => on_top(FILE_SIZE) || on_top(FILES),
    };
    if theirs != ours
        && !stated
        && let Some((entry, bytes, spelt)) = redo_of(from, entries, context)
    {
        for name in [CAPACITY, FILE_SIZE, FILES] {
            explicit.remove(name);
        }
        let half = bytes / 2;
        let taken = match ours {
            RedoSize::Capacity => {
                explicit.insert(CAPACITY, Value::Integer(bytes));
                format!("{CAPACITY} = {}M", bytes >> 20)
            }
            RedoSize::Files => {
                explicit.insert(FILE_SIZE, Value::Integer(half >> 20 << 20));
                explicit.insert(FILES, Value::Integer(2));
                format!("{FILE_SIZE} = {}M x 2 files", half >> 20)
            }
            RedoSize::OneFile => {
                explicit.insert(FILE_SIZE, Value::Integer(bytes));
                format!("{FILE_SIZE} = {}M, one file", bytes >> 20)
            }
        };
        context.report.add(Problem::new(format!("{spelt} is taken as {taken}")).at(whole(entry)).into_warning());
    }
    shrink_redo(entries, explicit, context);
}

/// The size of the redo log that the file states for its own model, and how it is spelt there.
pub(super) fn redo_of<'e>(
    from: ModelId,
    entries: &'e [Entry],
    context: &Context<'_>,
) -> Option<(&'e Entry, u64, String)> {
    let stated = |name: &str| {
        let entry = entry_of(entries, name).filter(|entry| is_of_the_files_model(entry, context))?;
        match parse_value(&lookup(from, name).ok()?, &entry.node.scalar_text()?) {
            Ok(Value::Integer(value)) => Some((entry, value)),
            _ => None,
        }
    };
    let size = |name: &str| stated(name).map(|(entry, bytes)| (entry, bytes, name.to_owned()));
    match RedoSize::of(from) {
        RedoSize::Capacity => size(CAPACITY),
        RedoSize::OneFile => size(FILE_SIZE),
        RedoSize::Files => {
            let default = || match lookup(from, FILES).ok()?.default {
                Some(Value::Integer(files)) => Some(files),
                _ => None,
            };
            let files = stated(FILES).map(|(_, files)| files).or_else(default)?;
            let (entry, bytes, _) = size(FILE_SIZE)?;
            Some((entry, bytes * files, format!("{FILE_SIZE} x {files} files")))
        }
    }
}

/// A redo log that is too large for another model than the file's becomes the largest that it takes.
fn shrink_redo(entries: &[Entry], explicit: &mut Explicit, context: &Context<'_>) {
    let host = context.host;
    let fits = |explicit: &Explicit| match Settings::resolve_on(context.model, explicit, host) {
        Err(error) => error.setting != FILE_SIZE && error.setting != FILES,
        Ok(_) => true,
    };
    let named = |name| entry_of(entries, name).is_some_and(|e| context.sources.on_command_line(e.key_at));
    let Some(Value::Integer(size)) = explicit.get(FILE_SIZE).copied() else { return };
    if context.report.has_errors() || named(FILE_SIZE) || named(FILES) || fits(explicit) {
        return;
    }
    let with = |explicit: &Explicit, mib: u64| {
        let mut explicit = explicit.clone();
        explicit.insert(FILE_SIZE, Value::Integer(mib << 20));
        explicit
    };
    // The largest number of MiB that fits, by halving; sizes below 1 MiB are no redo log.
    let (mut good, mut bad) = (0, size >> 20);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        *(if fits(&with(explicit, middle)) { &mut good } else { &mut bad }) = middle;
    }
    if good > 0 {
        *explicit = with(explicit, good);
        let message = format!("{FILE_SIZE}: {} takes no more than {good}M with this number of files", context.model);
        let at = [FILE_SIZE, CAPACITY].iter().find_map(|name| entry_of(entries, name)).map(whole);
        let problem = Problem { at, ..Problem::new(message) };
        context.report.add(problem.help(format!("{good}M is taken instead of {}M", size >> 20)).into_warning());
    }
}
