//! Percona Server 8.0, as the registry lists it.

use crate::model::{Model, StandsFor};
use crate::mysql80::mysql8030::MYSQL_8030;
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// Percona Server 8.0.30 and later 8.0.
    pub const Percona80: ModelId = ModelId::new("percona-8.0", Product::Percona, Version::new(8, 0, 30));
}

/// Percona Server 8.0.
pub(crate) const PERCONA_80: Model = Model {
    id: ModelId::Percona80,
    title: "Percona Server 8.0",
    about: "Stands for Percona Server 8.0.30 and later 8.0: mysql-8.0.30 with an LRU manager thread for each instance, a \
            doublewrite file for each instance and kind of flushing, and an age factor that lets the age stand higher \
            and rises more steeply near its limit.",
    stands_for: &[StandsFor::exactly(Servers::PERCONA.from(8, 0, 30).until(8, 1, 0))],
    read: "8.0.18 to 8.0.20, 8.0.27 and 8.0.30; throughput of 8.0.45 is published",
    assumed: "all else from mysql-8.0.30",
    ..MYSQL_8030
};
