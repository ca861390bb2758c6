//! MySQL 5.7, as the registry lists it.

use super::{Mysql57, replay};
use crate::model::{Model, StandsFor};
use crate::mysql56::at_start;
use crate::mysql56::model::{MYSQL_56, PURGE_56};
use crate::purge::PurgeTraits;
use crate::replay::Publishing;
use crate::settings::{ModelId, Product, Servers, Version};
use innosim_core::config::HistoryCut;

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 5.7.
    pub const Mysql57: ModelId = ModelId::new("mysql-5.7", Product::Mysql, Version::series(5, 7));
}

/// Purge of 5.7.
pub(crate) const PURGE_57: PurgeTraits = PurgeTraits { cut: HistoryCut::All, spares_one_round: true, ..PURGE_56 };

/// MySQL 5.7.
pub(crate) const MYSQL_57: Model = Model {
    id: ModelId::Mysql57,
    title: "MySQL 5.7",
    about: "Stands for 5.7.22 and later: a coordinator and page cleaner workers with a share for each buffer pool \
            instance, sync flushing by the cleaners that may be put off, user threads that poll, checkpoints every 7 s, \
            the doublewrite buffer of 5.6.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(5, 7, 22).until(5, 8, 0)),
        StandsFor::nearly(
            Servers::MYSQL_ALONE.from(5, 7, 0).until(5, 7, 22),
            "it is of 5.7.22 and later, and sync flushing changed until then",
        ),
        StandsFor::nearly(
            Servers::MARIADB.from(10, 2, 0).until(10, 5, 0),
            "its InnoDB descends from that of MySQL 5.7",
        ),
    ],
    read: "5.7.24 and 5.7.29, its main functions in 5.7.22; runs of 5.7.22 were recorded, throughput of 5.7.44 is published",
    assumed: "",
    build: |settings, rule| Ok(Box::new(Mysql57::build(settings, rule)?)),
    at_start: at_start::run,
    purge: Some(PURGE_57),
    replay: Some(replay::replay_rule),
    publishing: Publishing::AT_ONCE,
    ..MYSQL_56
};
