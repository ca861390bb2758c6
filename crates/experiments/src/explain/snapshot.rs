//! A recording of one or two samples as a snapshot: where the server stands, with the limits of its model.

use super::limits::settings_and_limits;
use innosim_explain::{Limits, Pending, PlaceOfWait, Rates, RedoSize, Snapshot};
use innosim_flush_models::registry::{ModelId, Settings, Value, build, lookup};
use innosim_recordings::{Column, INNODB_STATUS, Quantity, Recording, VARIABLES, understood_settings};

const MIB: u64 = 1 << 20;
/// Sizes of the redo log of which limits are shown where it is not known: bytes of all files.
const SHOWN: [u64; 5] = [96 * MIB, 512 * MIB, 1024 * MIB, 4096 * MIB, 16_384 * MIB];
/// Sizes that people give a redo log, for the way back from a limit: MiB of a file.
const ROUND_MIB: [u64; 28] = [
    4, 5, 8, 10, 16, 32, 48, 50, 64, 96, 100, 128, 200, 250, 256, 300, 400, 500, 512, 768, 1000, 1024, 1536, 1900,
    2000, 2048, 3072, 4096,
];
/// The setting of a capacity, and those of files.
const CAPACITY: &str = "innodb_redo_log_capacity";
const FILE_SIZE: &str = "innodb_log_file_size";
const FILES: &str = "innodb_log_files_in_group";

/// The model by the layout of SHOW ENGINE INNODB STATUS, where no version is known.
pub fn model_of_layout(recording: &Recording) -> Option<ModelId> {
    let has = |name: &str| recording.series.column(name).is_some();
    if !has("log.log_sequence_number") {
        return None;
    }
    // MariaDB counts one number of pending syncs; MySQL 8.0 says how far the log buffer is assigned.
    Some(match () {
        () if has("io.pending_syncs") => ModelId::Mariadb1011,
        () if has("log.log_buffer_assigned_up_to") || has("log.added_dirty_pages_up_to") => ModelId::Mysql8030,
        () => ModelId::Mysql57,
    })
}

/// What a recording of one sample, or the last of two, tells. `model`: whose limits are shown.
pub fn snapshot_of_recording(recording: &Recording, model: Option<ModelId>) -> Snapshot {
    let last = |column: Option<Column>| column?.present().next_back();
    let get = |quantity| last(recording.get(quantity));
    let column = |name: &str| last(recording.series.column(name));
    let lsn = get(Quantity::Lsn);
    let age = lsn.zip(get(Quantity::CheckpointLsn)).map(|(lsn, at)| lsn - at);
    let age = age.or_else(|| column("Innodb_checkpoint_age")).or_else(|| column("m.log_lsn_checkpoint_age"));
    let oldest = lsn.zip(get(Quantity::OldestModification).filter(|at| *at > 0.0)).map(|(lsn, at)| lsn - at);
    let printed =
        column("log.max_checkpoint_age").or_else(|| column("Innodb_checkpoint_max_age")).filter(|age| *age > 0.0);
    let printed_redo = printed.and_then(|printed| redo_of_limit(model?, printed));
    let has_redo_size = [CAPACITY, FILE_SIZE].iter().any(|name| recording.variables.contains_key(*name));
    let limits = match (has_redo_size, printed_redo) {
        (true, _) => settings_and_limits(recording).1,
        (false, Some(size)) => limits_of(size),
        (false, None) => Limits { stop_bytes: printed.unwrap_or(0.0), ..Limits::default() },
    };
    let sizes = match model.filter(|_| age.is_some() && !has_redo_size && printed_redo.is_none()) {
        Some(model) => SHOWN.iter().filter_map(|bytes| redo_size(recording, model, 2, *bytes)).collect(),
        None => Vec::new(),
    };
    let lru = get(Quantity::LruPages);
    let pages = [get(Quantity::BufferPoolReads), column("bp.pages_created"), get(Quantity::PagesWritten)];
    let known = |there: bool, name: &'static str| (!there).then_some(name);
    let missing = [
        known(age.is_some(), "checkpoint age"),
        known(get(Quantity::DirtyPages).is_some(), "dirty pages"),
        known(has_redo_size || printed_redo.is_some(), "settings (the size of the redo log)"),
    ];
    let mut statements = Vec::new();
    if !has_redo_size {
        statements.push(VARIABLES);
    }
    if recording.series.len() < 2 || age.is_none() {
        statements.push(INNODB_STATUS);
    }
    Snapshot {
        age_bytes: age,
        oldest_age_bytes: oldest.filter(|oldest| *oldest >= 0.0),
        dirty: get(Quantity::DirtyPages),
        pool: column("bp.buffer_pool_size")
            .or_else(|| column("Innodb_buffer_pool_pages_total"))
            .or_else(|| column("m.buffer_pool_pages_total")),
        lru,
        free: get(Quantity::FreePages),
        pending: pending(&column),
        rates: rates_of(recording, &column),
        pages: match pages {
            [Some(read), Some(created), Some(written)] => Some([read, created, written]),
            _ => None,
        },
        history: column("trx.history_list_length").or_else(|| column("m.trx_rseg_history_len")),
        waits: [
            (PlaceOfWait::Log, "wait.log_s"),
            (PlaceOfWait::BufferPool, "wait.buffer_pool_s"),
            (PlaceOfWait::Other, "wait.other_s"),
        ]
        .into_iter()
        .filter_map(|(place, name)| Some((place, column(name)?)))
        .collect(),
        printed_max_age_bytes: printed,
        printed_redo,
        limits,
        sizes,
        missing: missing.into_iter().flatten().collect(),
        statements,
    }
}

fn pending(column: &impl Fn(&str) -> Option<f64>) -> Pending {
    let writes = ["bp.pending_lru", "bp.pending_flush_list", "bp.pending_single_page"].map(column);
    let redo = [column("io.pending_log_syncs"), column("log.pending_flushes"), column("log.pending_writes")];
    Pending {
        redo_syncs: redo.into_iter().flatten().reduce(f64::max),
        checkpoint_writes: column("log.pending_checkpoint_writes"),
        data_syncs: column("io.pending_data_syncs").or_else(|| column("io.pending_syncs")),
        page_writes: (writes[0].is_some() || writes[1].is_some()).then(|| writes.map(|number| number.unwrap_or(0.0))),
        reads: column("bp.pending_reads"),
    }
}

/// Rates between two samples, or those that the text prints.
fn rates_of(recording: &Recording, column: &impl Fn(&str) -> Option<f64>) -> Rates {
    let seconds = &recording.series.seconds;
    let over = match seconds[..] {
        [first, last] if last > first => Some(last - first),
        _ => None,
    };
    let growth = |quantity| {
        let values = recording.get(quantity)?;
        Some((values.at(1)? - values.at(0)?) / over?)
    };
    let rows = ["row.inserts_per_s", "row.updates_per_s", "row.deletes_per_s"].iter().filter_map(|name| column(name));
    let printed = Rates {
        over_s: column("status.averages_of_s"),
        pages_written: column("bp.writes_per_s"),
        pages_read: column("bp.reads_per_s"),
        pages_created: column("bp.creates_per_s"),
        rows_changed: rows.reduce(|a, b| a + b),
        redo_writes: column("log.ios_per_s"),
        syncs: column("io.fsyncs_per_s"),
        ..Rates::default()
    };
    if over.is_none() {
        return printed;
    }
    let redo = growth(Quantity::Lsn);
    Rates {
        over_s: over,
        redo_bytes: redo,
        pages_written: growth(Quantity::PagesWritten).or(printed.pages_written),
        dirty_growth: growth(Quantity::DirtyPages),
        age_growth_bytes: redo.zip(growth(Quantity::CheckpointLsn)).map(|(redo, checkpoint)| redo - checkpoint),
        ..printed
    }
}

/// The settings of a redo log of this size, and the number of its files.
fn redo_settings(model: ModelId, files: u32, redo_bytes: u64) -> Option<(Vec<(&'static str, Value)>, u32)> {
    let known = |name: &str| lookup(model, name).ok().map(|setting| setting.name);
    let each = |files: u32| Some((known(FILE_SIZE)?, Value::Integer(redo_bytes / u64::from(files))));
    Some(if let Some(capacity) = known(CAPACITY) {
        (vec![(capacity, Value::Integer(redo_bytes))], 1)
    } else if let Some(number) = known(FILES) {
        (vec![(number, Value::Integer(u64::from(files))), each(files)?], files)
    } else {
        (vec![each(1)?], 1)
    })
}

/// The limits of a model with a redo log of this size; nothing if it can't have one.
fn redo_size(recording: &Recording, model: ModelId, files: u32, redo_bytes: u64) -> Option<RedoSize> {
    let (mut values, _) = understood_settings(recording, model);
    let (redo, files) = redo_settings(model, files, redo_bytes)?;
    values.extend(redo);
    let limits = build(&Settings::resolve(model, &values).ok()?).ok()?.age_limits();
    Some(RedoSize {
        files,
        redo_bytes: redo_bytes as f64,
        async_bytes: limits.async_bytes as f64,
        sync_bytes: limits.sync_bytes as f64,
        stop_bytes: limits.stop_bytes as f64,
    })
}

/// The way back: the round size of the redo log of which `is` holds.
fn round_redo(model: ModelId, is: impl Fn(&RedoSize) -> bool) -> Option<RedoSize> {
    let nothing = Recording::default();
    let sizes =
        ROUND_MIB.into_iter().flat_map(|mib| [1, 2, 3, 4, 8].map(|files| (files, u64::from(files) * mib * MIB)));
    let mut found: Vec<RedoSize> =
        sizes.filter_map(|(files, bytes)| redo_size(&nothing, model, files, bytes)).filter(is).collect();
    // Two files are the default of old servers.
    found.sort_by_key(|size| u32::abs_diff(size.files, 2));
    found.first().copied()
}

/// The redo log whose largest age is just the one that a server prints.
fn redo_of_limit(model: ModelId, printed: f64) -> Option<RedoSize> {
    round_redo(model, |size| size.stop_bytes == printed)
}

/// Settings of the redo log whose async limit is the recorded one.
pub(crate) fn redo_by_counters(recording: &Recording, model: ModelId) -> Option<Vec<(&'static str, Value)>> {
    let limit = recording.series.largest("m.log_max_modified_age_async")?;
    let size = round_redo(model, |size| size.async_bytes == limit)?;
    redo_settings(model, size.files, size.redo_bytes as u64).map(|(settings, _)| settings)
}

fn limits_of(size: RedoSize) -> Limits {
    Limits {
        async_bytes: size.async_bytes,
        sync_bytes: size.sync_bytes,
        stop_bytes: size.stop_bytes,
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_servers_printed_lead_back_to_the_size_of_their_redo_log() {
        for (model, printed, files, mib) in [
            (ModelId::Percona55, 7_782_360.0, 2, 10),
            (ModelId::Percona55, 434_154_333.0, 2, 512),
            (ModelId::Mysql56, 80_826_164.0, 2, 96),
            (ModelId::Mysql56, 84_223_550.0, 2, 100),
            (ModelId::Mysql57, 1_738_750_649.0, 2, 2048),
            (ModelId::Percona80, 5_422_668_288.0, 1, 6144),
            (ModelId::Percona84, 87_417_344.0, 1, 100),
        ] {
            let size = redo_of_limit(model, printed).unwrap_or_else(|| panic!("{model}: {printed}"));
            assert_eq!((size.files, size.redo_bytes), (files, (mib * MIB) as f64), "{model}");
        }
        assert_eq!(redo_of_limit(ModelId::Mysql57, 123_456_789.0), None);
        // MySQL prints no largest age; its sync limit is a counter.
        let size = redo_size(&Recording::default(), ModelId::Mysql8030, 1, 100 * MIB).unwrap();
        assert_eq!(size.sync_bytes, 87_086_592.0);
    }
}
