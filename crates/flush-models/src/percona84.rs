//! Percona Server 8.4: MySQL 8.4 with what [`crate::percona80`] changes; LRU manager threads by choice (`innodb_lru_threads`,
//! in releases from August 2026 on, off by default).

use crate::model::{Model, StandsFor};
use crate::mysql84::MYSQL_84;
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// Percona Server 8.4.
    pub const Percona84: ModelId = ModelId::new("percona-8.4", Product::Percona, Version::series(8, 4));
}

/// Percona Server 8.4.
pub(crate) const PERCONA_84: Model = Model {
    id: ModelId::Percona84,
    title: "Percona Server 8.4",
    about: "Stands for Percona Server 8.3 and 8.4: mysql-8.4 with the age factor of percona-8.0 and user threads that wait for an \
            LRU batch under way; LRU batches by the page cleaner, or by threads of their own with innodb_lru_threads (from August \
            2026 on).",
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
