//! Purge as each server has it: what differs between versions in threads, batches, the throttle and undo tablespaces.
//!
//! The specifications have the settings of 5.5 and of later versions with their defaults, and where the master thread
//! of 5.5 purges (`innodb-5.5` section 3.2). The rest is known of the servers' sources and documentation:
//!
//! | | 5.5 | 5.6 | 5.7 | 8.0.21 | 8.0.30 and later | MariaDB 10.11.19 |
//! |---|---|---|---|---|---|---|
//! | who purges | master thread, or one thread | threads | threads | threads | threads | threads |
//! | records are shared out | | in turn | in turn | by table | by table; in turn while lagging | by table |
//! | who has nothing to do is woken | at multiples of the batch | by commits, or after 10 ms | the same | the same | the same | once a second |
//! | history is cut off | after each batch | each 128 calls | `innodb_purge_rseg_truncate_frequency` | the same | the same | after each batch |
//! | of it goes | by rollback segment | by rollback segment | all that is purged | the same | the same | the same |
//! | delay of a row, us | (h/m - 0.5) x 10000 | the same | the same | (h/m - 0.9995) x 10000 | the same | as 5.5 |
//! | no delay up to | m | m | m, threads x batch | the same | the same | m |
//! | longest delay | none | `innodb_max_purge_lag_delay` | the same | the same | the same | the same |
//! | truncation of undo tablespaces | | | two checkpoints | new file, locked | new file | cut |
//! | rows inserted or updated | | | | | | visited, to reset their transaction number |
//! | undo segments without a log | kept | kept | kept | kept | kept | freed at the cut |
//!
//! 8.0.27 is as 8.0.30, but for the lock at truncation. h is the history list length, m `innodb_max_purge_lag`. With
//! `innodb_max_purge_lag_delay` at its default of 0 nothing is ever delayed, whatever the manual says: the code takes
//! the smaller of the delay and this. The formula of 8.0.21 is that of 8.0.25. That MariaDB frees undo segments was
//! measured (10.11.18, `oltp_update_non_index`): `trx_undo_slots_cached` falls to 0 at each purge, and redo a
//! transaction is 585 bytes up to 128 transactions a second, 489 at 600, 440 at 4000: that of 431 and 154 for each undo
//! segment made anew. That 5.5 cuts after each batch is what recordings of 5.5.9 show; later releases count batches,
//! with those that find nothing.
//!
//! A 5.5.9 was measured by probes at the beginning and end of each call (`oltp_update_non_index` and `oltp_write_only`, 127 rollback
//! segments): a call takes 8 us, 9 us more for each undo log, which it finds by looking at all rollback segments, and 0.12 us for
//! each purged log over which the cut walks. Its thread rests after a call that found nothing, if that was the first one since
//! it looked whether to rest: so two of three calls find nothing, and what commits during them is what lets a cut go on.

use crate::registry::{Machinery, ModelId, Settings, SettingsError};
use innosim_core::config::{
    DmlDelay, HistoryCut, PAGE_BYTES, PurgeConfig, PurgeShares, PurgeTimes, PurgeWake, UndoConfig, UndoSegments,
    UndoTruncation,
};
use innosim_core::kernel::time::SimDuration;

/// How often the master task of MariaDB wakes purge.
const MASTER_TASK: SimDuration = SimDuration::from_secs(1);
/// Rollback segments of a server: also calls of purge of 5.6 after which the history is cut off.
const RSEGS: u64 = 128;
/// Those that transactions of 5.5 take, without the one of the system.
const RSEGS_55: u32 = 127;
/// Redo of an undo segment of MariaDB, made and freed, bytes.
const UNDO_SEGMENT_REDO: u32 = 154;
/// CPU times of 5.5.9, ns.
const TIMES_55: PurgeTimes = PurgeTimes { removal: 7_000, log: 9_000, call: 8_000, cut_log: 120 };
/// A new undo tablespace: 10 MiB, from 8.0.23 16 MiB.
const UNDO_PAGES: u32 = 640;
const UNDO_PAGES_8023: u32 = 1024;

/// Purge as these settings have it.
pub fn purge_config(s: &Settings) -> Result<PurgeConfig, SettingsError> {
    // TNT, whose purge is of another kind, has no such setting and goes no further.
    let threads = whole(s.integer("innodb_purge_threads")?);
    let batch_pages = whole(s.integer("innodb_purge_batch_size")?);
    let machinery = s.model.machinery();
    Ok(PurgeConfig {
        threads,
        batch_pages,
        shares: match machinery {
            Machinery::Mysql55 | Machinery::Mysql56 | Machinery::Mysql57 | Machinery::Tnt => PurgeShares::InTurn,
            Machinery::Mysql8021 | Machinery::Mariadb => PurgeShares::ByTable,
            Machinery::Mysql8027 | Machinery::Mysql8030 => PurgeShares::ByTableUnlessLagging,
        },
        wake: match machinery {
            Machinery::Mysql55 => PurgeWake::Multiple(batch_pages),
            Machinery::Mariadb => PurgeWake::Timer(MASTER_TASK),
            _ => PurgeWake::LongHistory,
        },
        cut: match machinery {
            Machinery::Mysql55 => HistoryCut::BySegment { rollback_segments: RSEGS_55, with_one_more_call: false },
            Machinery::Mysql56 => HistoryCut::BySegment { rollback_segments: whole(RSEGS), with_one_more_call: true },
            _ => HistoryCut::All,
        },
        truncate_every: whole(match machinery {
            Machinery::Mysql55 | Machinery::Mariadb => 1,
            _ => s.integer_or("innodb_purge_rseg_truncate_frequency", RSEGS)?,
        }),
        delay: dml_delay(s, u64::from(threads) * u64::from(batch_pages))?,
        resets_rows: s.model.is_mariadb(),
        undo: undo(s)?,
        undo_segments: undo_segments(s.model),
        times: match machinery {
            Machinery::Mysql55 => TIMES_55,
            _ => PurgeTimes::OF_LOGS,
        },
    })
}

/// Undo segments of a server that frees them when their logs are purged.
pub fn undo_segments(model: ModelId) -> Option<UndoSegments> {
    model.is_mariadb().then_some(UndoSegments { rollback_segments: whole(RSEGS), redo_bytes: UNDO_SEGMENT_REDO })
}

fn whole(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn dml_delay(s: &Settings, one_round: u64) -> Result<DmlDelay, SettingsError> {
    let is_80 = s.model.mysql_release().is_some_and(|release| release >= 80);
    let longest = match s.model.machinery() {
        Machinery::Mysql55 => None,
        _ => Some(SimDuration::from_micros(s.integer("innodb_max_purge_lag_delay")?)),
    };
    Ok(DmlDelay {
        max_lag: s.integer("innodb_max_purge_lag")?,
        offset: if is_80 { 0.9995 } else { 0.5 },
        least_history: if is_80 || s.model == ModelId::Mysql57 { one_round } else { 0 },
        longest,
    })
}

fn undo(s: &Settings) -> Result<UndoConfig, SettingsError> {
    let tablespaces = whole(s.integer_or("innodb_undo_tablespaces", 0)?);
    let truncates = s.switch_or("innodb_undo_log_truncate", false)? && tablespaces >= 2;
    let limit = s.integer_or("innodb_max_undo_log_size", u64::MAX)? / PAGE_BYTES;
    let (initial_pages, truncation) = match s.model.machinery() {
        Machinery::Mysql55 | Machinery::Mysql56 | Machinery::Mysql57 | Machinery::Tnt => {
            (UNDO_PAGES, UndoTruncation::Checkpoints)
        }
        Machinery::Mysql8021 => (UNDO_PAGES, UndoTruncation::Replacement { blocks: true }),
        Machinery::Mysql8027 => (UNDO_PAGES_8023, UndoTruncation::Replacement { blocks: true }),
        Machinery::Mysql8030 => (UNDO_PAGES_8023, UndoTruncation::Replacement { blocks: false }),
        Machinery::Mariadb => (UNDO_PAGES, UndoTruncation::Shrinking),
    };
    Ok(UndoConfig { tablespaces, initial_pages, truncate_above_pages: truncates.then_some(limit), truncation })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Value;
    use std::collections::BTreeMap;

    fn config(model: ModelId, settings: &[(&'static str, Value)]) -> PurgeConfig {
        let explicit: BTreeMap<_, _> = settings.iter().copied().collect();
        purge_config(&Settings::resolve(model, &explicit).unwrap()).unwrap()
    }

    #[test]
    fn defaults_are_those_of_the_servers() {
        for (model, threads, batch, every) in [
            (ModelId::Mysql55, 0, 20, 1),
            (ModelId::Mysql56, 1, 300, 128),
            (ModelId::Mysql57, 4, 300, 128),
            (ModelId::Mysql8030, 4, 300, 128),
            (ModelId::Mysql84, 1, 300, 128),
            (ModelId::Mariadb1011, 4, 127, 1),
        ] {
            let config = config(model, &[]);
            assert_eq!((config.threads, config.batch_pages, config.truncate_every), (threads, batch, every), "{model}");
            assert_eq!(config.delay.at(u64::MAX / 2), SimDuration::ZERO, "{model} throttles nothing by default");
        }
    }

    #[test]
    fn the_throttle_differs_by_version() {
        let lag = ("innodb_max_purge_lag", Value::Integer(10_000));
        let most = ("innodb_max_purge_lag_delay", Value::Integer(1_000_000));
        let us = |model, settings: &[_]| config(model, settings).delay.at(20_000).0 / 1_000;
        assert_eq!(us(ModelId::Mysql55, &[lag]), 15_000);
        assert_eq!(us(ModelId::Mysql56, &[lag]), 0, "the longest delay is 0 unless it is set");
        assert_eq!(us(ModelId::Mysql56, &[lag, most]), 15_000);
        assert_eq!(us(ModelId::Mysql57, &[lag, most]), 15_000);
        assert_eq!(us(ModelId::Mysql8030, &[lag, most]), 10_005);
        assert_eq!(us(ModelId::Mariadb1011, &[lag, most]), 15_000);
        let small = [("innodb_max_purge_lag", Value::Integer(100)), most];
        assert_eq!(config(ModelId::Mysql8030, &small).delay.at(1_200).0, 0, "up to threads x batch size");
        assert!(config(ModelId::Mysql8030, &small).delay.at(1_201).0 > 0);
    }

    #[test]
    fn undo_is_truncated_with_two_tablespaces_or_more() {
        let limit = |model, settings: &[_]| config(model, settings).undo.truncate_above_pages;
        let on = ("innodb_undo_log_truncate", Value::Switch(true));
        let two = ("innodb_undo_tablespaces", Value::Integer(2));
        assert_eq!(limit(ModelId::Mysql8030, &[]), Some(65_536));
        assert_eq!(limit(ModelId::Mysql57, &[on]), None);
        assert_eq!(limit(ModelId::Mysql57, &[on, two]), Some(65_536));
        assert_eq!(limit(ModelId::Mariadb1011, &[on, two]), Some(640));
        assert_eq!(limit(ModelId::Mysql56, &[two]), None);
    }
}
