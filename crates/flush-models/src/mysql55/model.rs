//! MySQL 5.5 and Percona Server 5.5, as the registry lists them.

use super::{Mysql55, at_start};
use crate::model::{Model, StandsFor};
use crate::purge::{PurgeTraits, UNDO_PAGES, Wake};
use crate::replay::Publishing;
use crate::settings::{ModelId, Product, Servers, SettingsError, Version};
use innosim_core::config::{HistoryCut, Merging, PurgeShares, PurgeTimes, UndoTruncation};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 5.5.
    pub const Mysql55: ModelId = ModelId::new("mysql-5.5", Product::Mysql, Version::series(5, 5));
}

/// MySQL 5.5.
pub(crate) const MYSQL_55: Model = Model {
    id: ModelId::Mysql55,
    title: "MySQL 5.5",
    about: "A master thread that flushes once a second, at most innodb_io_capacity pages, always with neighbours; \
            user threads flush without limit when the redo log, of less than 4G, runs full.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(5, 5, 0).until(5, 6, 0)),
        StandsFor::nearly(
            Servers::MYSQL_ALONE.from(5, 0, 0).until(5, 5, 0),
            "before 5.5 one mutex guards the whole buffer pool, and adaptive flushing is older",
        ),
    ],
    read: "5.5.27 and 5.5.53; runs of 5.5.9 were recorded",
    assumed: "",
    takes_rule: false,
    build: |settings, rule| match rule {
        None => Ok(Box::new(Mysql55::build(settings)?)),
        Some(_) => Err(SettingsError::no_rule(settings.model)),
    },
    at_start: at_start::run,
    purge: Some(PurgeTraits {
        shares: PurgeShares::InTurn,
        wake: Wake::BatchMultiple,
        cut: HistoryCut::BySegment { rollback_segments: RSEGS_55, with_one_more_call: false },
        cuts_each_batch: true,
        delay_offset: 0.5,
        spares_one_round: false,
        limits_delay: false,
        resets_rows: false,
        undo_pages: UNDO_PAGES,
        truncation: UndoTruncation::Checkpoints,
        undo_segments: None,
        times: TIMES_55,
    }),
    purge_removal_us: 7,
    groups_binary_log: false,
    merging: Merging::PageCleaner,
    replay: None,
    publishing: Publishing::AT_ONCE,
};

/// Rollback segments that transactions of 5.5 take, without the one of the system.
const RSEGS_55: u32 = 127;
/// CPU times of 5.5.9, ns.
const TIMES_55: PurgeTimes = PurgeTimes { removal: 7_000, log: 9_000, call: 8_000, cut_log: 120 };
