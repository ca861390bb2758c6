//! MariaDB 12.3: [`crate::mariadb114`] with the binary log in InnoDB where it is chosen (`binlog_storage_engine = innodb`), and from
//! 13.0 on a redo log that is kept, file after file (`innodb_log_archive`).
//!
//! In the engine, events are part of the redo of a commit, which is synced once; a thread writes the pages of the binary log behind
//! it. Simplifications: a file of the binary log is synced once it is full, which is left out (errs towards fewer syncs, one in
//! `max_binlog_size`); a redo file that archiving makes costs nothing.

use crate::mariadb114::MARIADB_114;
use crate::model::{Model, StandsFor};
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MariaDB 12.3 and later.
    pub const Mariadb123: ModelId = ModelId::new("mariadb-12.3", Product::Mariadb, Version::series(12, 3));
}

/// MariaDB 12.3.
pub(crate) const MARIADB_123: Model = Model {
    id: ModelId::Mariadb123,
    title: "MariaDB 12.3",
    about: "Stands for 12.3 and 13.0: mariadb-11.4 with the binary log in InnoDB where it is chosen, which makes one sync of a commit's \
            two, and a redo log that may be kept.",
    stands_for: &[StandsFor::exactly(Servers::MARIADB.from(12, 3, 0).until(13, 1, 0))],
    read: "the binary log's files in a source of 12.3, the rest in its manual",
    assumed: "the page cleaner from mariadb-11.4; limits of an archived redo log",
    ..MARIADB_114
};
