//! Percona Server 5.5, as the registry lists it: the machinery of [`crate::mysql55`] with settings of its own.

use crate::model::{Model, StandsFor};
use crate::mysql55::model::MYSQL_55;
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// Percona Server 5.5.
    pub const Percona55: ModelId = ModelId::new("percona-5.5", Product::Percona, Version::series(5, 5));
}

/// Percona Server 5.5.
pub(crate) const PERCONA_55: Model = Model {
    id: ModelId::Percona55,
    title: "Percona Server 5.5",
    about: "MySQL 5.5 with innodb_adaptive_flushing_method (estimate by default), neighbours by choice and redo logs \
            up to 512G.",
    stands_for: &[
        StandsFor::exactly(Servers::PERCONA.from(5, 5, 0).until(5, 6, 0)),
        StandsFor::nearly(
            Servers::PERCONA.from(5, 0, 0).until(5, 5, 0),
            "XtraDB before 5.5 has other ways to flush adaptively",
        ),
        StandsFor::nearly(
            Servers::MARIADB.from(5, 0, 0).until(6, 0, 0),
            "its InnoDB is XtraDB of Percona Server 5.5, with settings of MariaDB beside it",
        ),
    ],
    read: "the master thread of XtraDB 5.1 and 5.5",
    assumed: "all else from mysql-5.5",
    ..MYSQL_55
};
