//! MySQL 5.6, as the registry lists it.

use super::{Mysql56, at_start, replay};
use crate::model::{Model, StandsFor};
use crate::purge::{PurgeTraits, RSEGS, UNDO_PAGES, Wake};
use crate::replay::Publishing;
use crate::settings::{ModelId, Product, Servers, Version};
use innosim_core::config::{HistoryCut, Merging, PurgeShares, PurgeTimes, PurgeWake, UndoTruncation};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 5.6.
    pub const Mysql56: ModelId = ModelId::new("mysql-5.6", Product::Mysql, Version::series(5, 6));
}

/// Purge of 5.6.
pub(crate) const PURGE_56: PurgeTraits = PurgeTraits {
    shares: PurgeShares::InTurn,
    wake: Wake::By(PurgeWake::LongHistory),
    cut: HistoryCut::BySegment { rollback_segments: RSEGS, with_one_more_call: true },
    cuts_each_batch: false,
    delay_offset: 0.5,
    spares_one_round: false,
    limits_delay: true,
    resets_rows: false,
    undo_pages: UNDO_PAGES,
    truncation: UndoTruncation::Checkpoints,
    undo_segments: None,
    times: PurgeTimes::OF_LOGS,
};

/// MySQL 5.6.
pub(crate) const MYSQL_56: Model = Model {
    id: ModelId::Mysql56,
    title: "MySQL 5.6",
    about: "Stands for 5.6.14 and later: one page cleaner thread with adaptive flushing up to an LSN limit, user \
            threads that flush by themselves at the sync limit, checkpoints every 7 s, one doublewrite buffer of 120 \
            pages, redo files of up to 512G.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(5, 6, 14).until(5, 7, 0)),
        StandsFor::nearly(
            Servers::MYSQL_ALONE.from(5, 6, 0).until(5, 6, 14),
            "it is of 5.6.14 and later, and adaptive flushing changed until then",
        ),
        StandsFor::nearly(
            Servers::PERCONA.from(5, 6, 0).until(5, 7, 0),
            "it lacks the LRU manager thread, innodb_cleaner_lsn_age_factor (high_checkpoint lets the age stand higher and \
             flushes more steeply near the limit) and innodb_foreground_preflush (exponential_backoff)",
        ),
        StandsFor::nearly(
            Servers::MARIADB.from(10, 0, 0).until(10, 2, 0),
            "its InnoDB descends from that of MySQL 5.6, by way of XtraDB",
        ),
    ],
    read: "5.6.10, 5.6.24, 5.6.34 and 5.6.41; runs of 5.6.24 were recorded",
    assumed: "",
    takes_rule: true,
    build: |settings, rule| Ok(Box::new(Mysql56::build(settings, rule)?)),
    at_start: at_start::run,
    purge: Some(PURGE_56),
    purge_removal_us: 11,
    groups_binary_log: true,
    merging: Merging::EachSecond,
    replay: Some(replay::replay_rule),
    publishing: Publishing {
        after_batch: true,
        lru_first: true,
        rounds_slots_up: true,
        wishes: 2,
        ..Publishing::AT_ONCE
    },
};
