//! MySQL 8.0.27, standing for 8.0.23 to 8.0.29.
//!
//! The fixed redo files and margins of 8.0.21 with the threads of 8.0.30: a coordinator that asks for the sync target
//! itself, a checkpointer that on a busy server writes every 7 seconds unless somebody asks, averages of the pages
//! really flushed (spec 8.0.21, sections 0.1, 2.4 and 4, in the forms for 8.0.23 and later).

use super::adaptive::FORM_8027;
use super::checkpointer::Checkpointer;
use super::mysql8021::{self, MYSQL_8021, WITHOUT_PERCONAS};
use super::release::{CheckpointerThread, Parts};
use super::replay::replay_rule;
use crate::model::{Model, StandsFor};
use crate::purge::{PurgeTraits, UNDO_PAGES_8023};
use crate::settings::{ModelId, Product, Servers, Version};
use innosim_core::config::PurgeShares;

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 8.0.27 (stands for 8.0.23 .. 8.0.29).
    pub const Mysql8027: ModelId = ModelId::new("mysql-8.0.27", Product::Mysql, Version::new(8, 0, 23));
}

/// What its server is put together of.
pub(crate) const PARTS: Parts =
    Parts { form: FORM_8027, checkpointer: CheckpointerThread::Waiting(Checkpointer::new()), ..mysql8021::PARTS };

/// Purge of 8.0.23 to 8.0.29.
pub(crate) const PURGE: PurgeTraits =
    PurgeTraits { shares: PurgeShares::ByTableUnlessLagging, undo_pages: UNDO_PAGES_8023, ..mysql8021::PURGE };

/// MySQL 8.0.27.
pub(crate) const MYSQL_8027: Model = Model {
    id: ModelId::Mysql8027,
    title: "MySQL 8.0.27",
    about: "Stands for 8.0.23 to 8.0.29: the redo files and margins of mysql-8.0.21, with checkpoints every 7 s on a busy \
            server, a page cleaner that decides itself when to flush synchronously, and averages of what was really \
            flushed.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(8, 0, 23).until(8, 0, 30)),
        StandsFor::nearly(Servers::PERCONA.from(8, 0, 23).until(8, 0, 30), WITHOUT_PERCONAS),
    ],
    read: "8.0.27; runs of 8.0.28 were recorded",
    assumed: "",
    build: |settings, rule| PARTS.build(settings, rule),
    replay: Some(|settings| replay_rule(settings, &PARTS)),
    purge: Some(PURGE),
    ..MYSQL_8021
};
