//! MariaDB 10.6: the page cleaner of [`crate::mariadb`] on the redo log before 10.8, which is written in blocks of 512 bytes with 16
//! bytes of framing, behind a header of 2048 bytes (`mariadb-10.11` section 1). Mini-transactions append under one mutex, which is
//! let go before the file is written, into one of two buffers: so they go on meanwhile, as in 5.7 and in 10.11.
//!
//! Assumed: the targets that mini-transactions set are those of 10.11.19. What the mutex itself costs many clients is not modelled
//! (errs towards throughput).

use crate::mariadb::model::MARIADB_1011;
use crate::model::{Model, StandsFor};
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MariaDB 10.6.
    pub const Mariadb106: ModelId = ModelId::new("mariadb-10.6", Product::Mariadb, Version::new(10, 6, 13));
}

/// MariaDB 10.6.
pub(crate) const MARIADB_106: Model = Model {
    id: ModelId::Mariadb106,
    title: "MariaDB 10.6",
    about: "Stands for 10.6.13 and later 10.6: the page cleaner of mariadb-10.11 and a redo log in blocks of 512 bytes, which are part \
            of the checkpoint age.",
    stands_for: &[
        StandsFor::exactly(Servers::MARIADB.from(10, 6, 13).until(10, 7, 0)),
        StandsFor::nearly(
            Servers::MARIADB.from(10, 5, 0).until(10, 6, 13),
            "its page cleaner is of the generation before: furious flushing leaves the LRU list alone, and an idle one starts otherwise",
        ),
        StandsFor::nearly(
            Servers::MARIADB.from(10, 7, 0).until(10, 8, 0),
            "10.7 ended before the page cleaner of 10.6.13",
        ),
    ],
    read: "the page cleaner of the same generation, redo of 10.5",
    assumed: "targets of mini-transactions and all else from mariadb-10.11; the header of 2048 bytes is from memory",
    ..MARIADB_1011
};
