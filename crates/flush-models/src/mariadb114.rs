//! MariaDB 11.4: the machinery of [`crate::mariadb`] without a change buffer, and with `innodb_doublewrite = fast`.

use crate::mariadb::model::MARIADB_1011;
use crate::model::{Model, StandsFor};
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MariaDB 11.0 and later.
    pub const Mariadb114: ModelId = ModelId::new("mariadb-11.4", Product::Mariadb, Version::series(11, 0));
}

/// MariaDB 11.4.
pub(crate) const MARIADB_114: Model = Model {
    id: ModelId::Mariadb114,
    title: "MariaDB 11.4",
    about: "Stands for 11.0 to 12.2: mariadb-10.11 without a change buffer, with innodb_doublewrite = fast, and with three undo \
            tablespaces by default.",
    stands_for: &[StandsFor::exactly(Servers::MARIADB.from(11, 0, 0).until(12, 3, 0))],
    read: "11.8.6; throughput of 11.4.10 and 12.1.2 is published",
    assumed: "what differs between 11.0 and 11.8.6, if anything",
    ..MARIADB_1011
};
