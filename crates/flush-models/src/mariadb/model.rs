//! MariaDB 10.11, as the registry lists it.

use super::{Mariadb, at_start, replay};
use crate::model::{Model, StandsFor};
use crate::mysql56::model::MYSQL_56;
use crate::purge::{PurgeTraits, RSEGS, UNDO_PAGES, Wake};
use crate::replay::Publishing;
use crate::settings::{ModelId, Product, Servers, Version};
use innosim_core::config::{HistoryCut, Merging, PurgeShares, PurgeTimes, PurgeWake, UndoSegments, UndoTruncation};
use innosim_core::kernel::time::SimDuration;

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MariaDB 10.11.
    pub const Mariadb1011: ModelId = ModelId::new("mariadb-10.11", Product::Mariadb, Version::series(10, 11));
}

/// How often the master task wakes purge.
const MASTER_TASK: SimDuration = SimDuration::from_secs(1);
/// Redo of an undo segment, made and freed, bytes.
const UNDO_SEGMENT_REDO: u32 = 154;

/// MariaDB 10.11.
pub(crate) const MARIADB_1011: Model = Model {
    id: ModelId::Mariadb1011,
    title: "MariaDB 10.11",
    about: "Stands for 10.11.19 and its neighbours: one flush list, one page cleaner that sleeps until a limit of the \
            age or of dirty pages unless innodb_max_dirty_pages_pct_lwm is set, a checkpoint after each of its \
            passes, committing threads that write the redo log, one doublewrite batch of 128 pages at a time.",
    stands_for: &[
        StandsFor::exactly(Servers::MARIADB.from(10, 11, 0).until(10, 12, 0)),
        StandsFor::nearly(
            Servers::MARIADB.from(10, 8, 0).until(10, 11, 0),
            "the page cleaner changed until 10.11.19, and may start earlier here",
        ),
    ],
    read: "the page cleaner of a later branch, redo and doublewrite of 10.8 and later; runs of 10.11.18 and 10.11.19 were recorded",
    assumed: "waits of user threads from 11.8.6",
    build: |settings, rule| Ok(Box::new(Mariadb::build(settings, rule)?)),
    at_start: at_start::run,
    purge: Some(PurgeTraits {
        shares: PurgeShares::ByTable,
        wake: Wake::By(PurgeWake::Timer(MASTER_TASK)),
        cut: HistoryCut::All,
        cuts_each_batch: true,
        delay_offset: 0.5,
        spares_one_round: false,
        limits_delay: true,
        resets_rows: true,
        undo_pages: UNDO_PAGES,
        truncation: UndoTruncation::Shrinking,
        undo_segments: Some(UndoSegments { rollback_segments: RSEGS, redo_bytes: UNDO_SEGMENT_REDO }),
        times: PurgeTimes::OF_LOGS,
    }),
    purge_removal_us: 3,
    // It gave that up in 10.5.
    merging: Merging::Nobody,
    replay: Some(replay::replay_rule),
    publishing: Publishing { adaptive_only: true, ..Publishing::AT_ONCE },
    ..MYSQL_56
};
