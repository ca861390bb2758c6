//! Percona Server 8.4: MySQL 8.4 with what [`crate::percona80`] changes, but for the LRU manager threads.

use crate::model::{Model, StandsFor};
use crate::mysql84::MYSQL_84;
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// Percona Server 8.4 without LRU manager threads.
    pub const Percona84: ModelId = ModelId::new("percona-8.4", Product::Percona, Version::series(8, 4));
}

/// Percona Server 8.4.
pub(crate) const PERCONA_84: Model = Model {
    id: ModelId::Percona84,
    title: "Percona Server 8.4",
    about: "Stands for Percona Server 8.3 and 8.4 until LRU manager threads came back in 2026: mysql-8.4 with the age \
            factor of percona-8.0, user threads that wait for an LRU batch under way, and LRU batches by the page \
            cleaner.",
    stands_for: &[
        StandsFor::exactly(Servers::PERCONA.from(8, 3, 0).until(8, 5, 0)),
        StandsFor::nearly(
            Servers::PERCONA.from(8, 1, 0).until(8, 3, 0),
            "defaults may differ, and so may LRU manager threads",
        ),
        StandsFor::nearly(
            Servers::PERCONA.from(8, 5, 0).until(10, 0, 0),
            "defaults may differ, and so may LRU manager threads",
        ),
    ],
    read: "a page cleaner of the shape of 8.3 and 8.4; runs of 8.4.9 were recorded",
    assumed: "all else from percona-8.0 and mysql-8.4",
    ..MYSQL_84
};
