//! MySQL 8.0.16, standing for 8.0.15 to 8.0.17 and taken for 8.0.11 to 8.0.19.
//!
//! The redo log, its limits, its free check and a checkpointer that looks every 10 ms are those of 8.0.21. The page cleaner goes
//! round as in 5.7: a sync target is served by one request for all pages up to it, when the event wakes the coordinator, and an
//! idle server flushes `innodb_io_capacity` pages a second. Pages go through one doublewrite buffer of 120 pages for the whole
//! server (spec 8.0.21, sections 0.1, 4.2 and 6.2).
//!
//! Taken from 8.0.18: how far a sync request reaches, with its 2 MiB for redo that is not yet in the flush lists.

use super::adaptive::FORM_8018;
use super::mysql8021::{self, MYSQL_8021, WITHOUT_PERCONAS};
use super::polling_checkpointer::PollingCheckpointer;
use super::release::{CheckpointerThread, Parts};
use super::replay::replay_rule;
use crate::model::{Model, StandsFor};
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 8.0.16 (stands for 8.0.11 .. 8.0.19).
    pub const Mysql8016: ModelId = ModelId::new("mysql-8.0.16", Product::Mysql, Version::new(8, 0, 11));
}

/// What its server is put together of.
pub(crate) const PARTS: Parts = Parts {
    form: FORM_8018,
    coordinator_of_57: true,
    checkpointer: CheckpointerThread::Polling(PollingCheckpointer::new(true)),
    ..mysql8021::PARTS
};

/// MySQL 8.0.16.
pub(crate) const MYSQL_8016: Model = Model {
    id: ModelId::Mysql8016,
    title: "MySQL 8.0.16",
    about: "Stands for 8.0.15 to 8.0.17: the redo log of mysql-8.0.21 with the page cleaner of 5.7 and its one doublewrite buffer of \
            120 pages. 8.0.11 to 8.0.14 and 8.0.18 to 8.0.19 are near it.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(8, 0, 15).until(8, 0, 18)),
        StandsFor::nearly(
            Servers::MYSQL_ALONE.from(8, 0, 0).until(8, 0, 15),
            "until 8.0.14 all limits of the checkpoint age are nine tenths of what is left after the margin, so somewhat lower",
        ),
        StandsFor::nearly(
            Servers::MYSQL_ALONE.from(8, 0, 18).until(8, 0, 20),
            "8.0.18 and 8.0.19 have its doublewrite buffer, and the page cleaner's rounds of 8.0.21",
        ),
        StandsFor::nearly(Servers::PERCONA.from(8, 0, 0).until(8, 0, 20), WITHOUT_PERCONAS),
    ],
    read: "8.0.16, and 8.0.18 for what is near it",
    assumed: "reach of a sync request from 8.0.18",
    build: |settings, rule| PARTS.build(settings, rule),
    replay: Some(|settings| replay_rule(settings, &PARTS)),
    ..MYSQL_8021
};
