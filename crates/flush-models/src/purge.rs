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

use crate::settings::{Settings, SettingsError};
use innosim_core::config::{
    DmlDelay, HistoryCut, PAGE_BYTES, PurgeConfig, PurgeShares, PurgeTimes, PurgeWake, UndoConfig, UndoSegments,
    UndoTruncation,
};
use innosim_core::kernel::time::SimDuration;

/// Rollback segments of a server: also calls of purge of 5.6 after which the history is cut off.
pub(crate) const RSEGS: u32 = 128;
/// A new undo tablespace: 10 MiB, from 8.0.23 16 MiB.
pub(crate) const UNDO_PAGES: u32 = 640;
pub(crate) const UNDO_PAGES_8023: u32 = 1024;

/// How a server purges, beside what its settings say.
#[derive(Debug, Clone, Copy)]
pub struct PurgeTraits {
    /// How records are shared out among threads.
    pub shares: PurgeShares,
    /// What wakes purge.
    pub wake: Wake,
    /// What of the purged history is cut off at a time.
    pub cut: HistoryCut,
    /// Whether the cut comes after each batch; otherwise after as many calls as the setting says, or 128.
    pub cuts_each_batch: bool,
    /// Subtracted from how many times the history exceeds `innodb_max_purge_lag`.
    pub delay_offset: f64,
    /// Whether a history of one round of all threads delays nobody.
    pub spares_one_round: bool,
    /// Whether `innodb_max_purge_lag_delay` limits the delay.
    pub limits_delay: bool,
    /// Whether rows that were inserted or updated are visited, to reset their transaction number.
    pub resets_rows: bool,
    /// Pages of a new undo tablespace.
    pub undo_pages: u32,
    /// How an undo tablespace is truncated.
    pub truncation: UndoTruncation,
    /// Undo segments, where they are freed when their logs are purged.
    pub undo_segments: Option<UndoSegments>,
    /// CPU times.
    pub times: PurgeTimes,
}

/// What wakes purge that has found nothing to do.
#[derive(Debug, Clone, Copy)]
pub enum Wake {
    /// The history reaches a multiple of the batch.
    BatchMultiple,
    /// See [`PurgeWake`].
    By(PurgeWake),
}

impl PurgeTraits {
    /// Purge as these settings have it.
    pub(crate) fn config(&self, s: &Settings) -> Result<PurgeConfig, SettingsError> {
        let threads = whole(s.integer("innodb_purge_threads")?);
        let batch_pages = whole(s.integer("innodb_purge_batch_size")?);
        Ok(PurgeConfig {
            threads,
            batch_pages,
            shares: self.shares,
            wake: match self.wake {
                Wake::BatchMultiple => PurgeWake::Multiple(batch_pages),
                Wake::By(wake) => wake,
            },
            cut: self.cut,
            truncate_every: if self.cuts_each_batch {
                1
            } else {
                whole(s.integer_or("innodb_purge_rseg_truncate_frequency", u64::from(RSEGS))?)
            },
            delay: self.dml_delay(s, u64::from(threads) * u64::from(batch_pages))?,
            resets_rows: self.resets_rows,
            undo: self.undo(s)?,
            undo_segments: self.undo_segments,
            times: self.times,
        })
    }

    fn dml_delay(&self, s: &Settings, one_round: u64) -> Result<DmlDelay, SettingsError> {
        let longest = || Ok(SimDuration::from_micros(s.integer("innodb_max_purge_lag_delay")?));
        Ok(DmlDelay {
            max_lag: s.integer("innodb_max_purge_lag")?,
            offset: self.delay_offset,
            least_history: if self.spares_one_round { one_round } else { 0 },
            longest: self.limits_delay.then(longest).transpose()?,
        })
    }

    fn undo(&self, s: &Settings) -> Result<UndoConfig, SettingsError> {
        let tablespaces = whole(s.integer_or("innodb_undo_tablespaces", 0)?);
        let truncates = s.switch_or("innodb_undo_log_truncate", false)? && tablespaces >= 2;
        let limit = s.integer_or("innodb_max_undo_log_size", u64::MAX)? / PAGE_BYTES;
        Ok(UndoConfig {
            tablespaces,
            initial_pages: self.undo_pages,
            truncate_above_pages: truncates.then_some(limit),
            truncation: self.truncation,
        })
    }
}

fn whole(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ModelId, Value, purge_config};
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
