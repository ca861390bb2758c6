//! MySQL 9.7: the machinery of 8.0.30 with the defaults of 8.4, but for the redo log's threads.

use crate::model::{Model, StandsFor};
use crate::mysql84::MYSQL_84;
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 9.7.
    pub const Mysql97: ModelId = ModelId::new("mysql-9.7", Product::Mysql, Version::series(9, 7));
}

/// MySQL 9.7.
pub(crate) const MYSQL_97: Model = Model {
    id: ModelId::Mysql97,
    title: "MySQL 9.7",
    about: "The machinery of mysql-8.0.30 with the defaults of 8.4, but for innodb_log_writer_threads: no other \
            difference is known that this model has.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(9, 7, 0).until(9, 8, 0)),
        StandsFor::nearly(
            Servers::MYSQL_ALONE.from(8, 5, 0).until(9, 7, 0),
            "the machinery is taken to be that of 9.7; defaults may differ",
        ),
    ],
    read: "no source; replays of recorded counters of 9.7 agree with it, throughput of 9.6 and 9.7 is published",
    assumed: "all rules from mysql-8.0.30",
    ..MYSQL_84
};
