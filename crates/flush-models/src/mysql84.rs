//! MySQL 8.4: the machinery of 8.0.30 with defaults of its own.

use crate::model::{Model, StandsFor};
use crate::mysql80::mysql8030::MYSQL_8030;
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 8.4.
    pub const Mysql84: ModelId = ModelId::new("mysql-8.4", Product::Mysql, Version::series(8, 4));
}

/// MySQL 8.4.
pub(crate) const MYSQL_84: Model = Model {
    id: ModelId::Mysql84,
    title: "MySQL 8.4",
    about: "The machinery of mysql-8.0.30 with the defaults of 8.4.",
    stands_for: &[StandsFor::exactly(Servers::MYSQL_ALONE.from(8, 4, 0).until(8, 5, 0))],
    read: "checkpoint and page cleaner of a server built on 8.4; defaults from the manual; runs of 8.4.6 were recorded, throughput of 8.4.8 is \
           published",
    assumed: "all else from mysql-8.0.30",
    ..MYSQL_8030
};
