//! MySQL 8.0.21, standing for 8.0.20 to 8.0.22.
//!
//! Fixed redo files; a checkpointer that looks every 10 ms and hands the target of sync flushing to the page cleaner
//! (spec 8.0.21, sections 1, 2 and 4).
//!
//! What the specification leaves open is known of the release's own source: adaptive flushing has the shape of 8.0.18,
//! but its averages are those of 8.0.27. They count pages really flushed, and take every pass into account, be there new
//! redo or not. So they fall to nothing while sync flushing has reached its target and the coordinator goes round and
//! round until the next checkpoint is written, up to a second later.

use super::adaptive::FORM_8021;
use super::fixed_files::FixedFiles;
use super::instance::buf_pool_get_8021;
use super::polling_checkpointer::PollingCheckpointer;
use super::release::{CheckpointerThread, Parts};
use super::replay::replay_rule;
use crate::model::{Model, StandsFor};
use crate::mysql57::model::{MYSQL_57, PURGE_57};
use crate::purge::PurgeTraits;
use crate::settings::{ModelId, Product, Servers, Version};
use innosim_core::config::{PurgeShares, UndoTruncation};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 8.0.21 (stands for 8.0.20 .. 8.0.22).
    pub const Mysql8021: ModelId = ModelId::new("mysql-8.0.21", Product::Mysql, Version::new(8, 0, 20));
}

/// What its server is put together of.
pub(crate) const PARTS: Parts = Parts {
    form: FORM_8021,
    coordinator_of_57: false,
    instance_of: buf_pool_get_8021,
    redo_files: |options, start_lsn| Ok(Box::new(FixedFiles::new(options, start_lsn)?)),
    checkpointer: CheckpointerThread::Polling(PollingCheckpointer::new(false)),
    syncs_redo_on_timeout: false,
};

/// Purge of 8.0 before 8.0.23.
pub(crate) const PURGE: PurgeTraits = PurgeTraits {
    shares: PurgeShares::ByTable,
    delay_offset: 0.9995,
    truncation: UndoTruncation::Replacement { blocks: true },
    ..PURGE_57
};

/// MySQL 8.0.21.
pub(crate) const MYSQL_8021: Model = Model {
    id: ModelId::Mysql8021,
    title: "MySQL 8.0.21",
    about: "Stands for 8.0.20 to 8.0.22: fixed redo files, separate doublewrite files, a checkpointer that looks \
            every 10 ms and a free-check margin that grows when the log writer runs out of space.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(8, 0, 20).until(8, 0, 23)),
        StandsFor::nearly(Servers::PERCONA.from(8, 0, 20).until(8, 0, 23), WITHOUT_PERCONAS),
    ],
    read: "8.0.18, 8.0.20, 8.0.22 and 8.0.27, between which 8.0.21 lies",
    assumed: "",
    build: |settings, rule| PARTS.build(settings, rule),
    replay: Some(|settings| replay_rule(settings, &PARTS)),
    at_start: super::at_start::run,
    purge: Some(PURGE),
    purge_removal_us: 17,
    ..MYSQL_57
};

/// What a model of MySQL 8.0 does not have of Percona Server.
pub(super) const WITHOUT_PERCONAS: &str = "it lacks the LRU manager threads and innodb_cleaner_lsn_age_factor";
