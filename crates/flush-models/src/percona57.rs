//! Percona Server 5.7: MySQL 5.7 with what Percona Server changed (`percona` section 3).
//!
//! * LRU manager threads, as in [`crate::percona80`]: the page cleaner's slots flush the flush lists only, and an early wake of
//!   the coordinator does nothing.
//! * A parallel doublewrite: a file with room for 120 pages for each instance and kind of flushing. The thread that fills its
//!   place writes it, posts the pages, waits for them and syncs the data files, while all others go on.
//! * `innodb_cleaner_lsn_age_factor = high_checkpoint`, with whole percentages of the age; from `max_modified_age_async` on the
//!   percentages alone say how many pages a pass flushes.
//! * `innodb_empty_free_list_algorithm = backoff` by default: user threads neither search nor flush.
//!
//! The page cleaner was read in a tree of 5.7; the doublewrite in one of 8.0 before 8.0.20, which has the same; methods of opening
//! its file and defaults are the manual's. Assumed: that LRU managers adapt their sleep as in 8.0.

use crate::model::{Model, StandsFor};
use crate::mysql57::model::MYSQL_57;
use crate::settings::{ModelId, Product, Servers, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// Percona Server 5.7.
    pub const Percona57: ModelId = ModelId::new("percona-5.7", Product::Percona, Version::series(5, 7));
}

/// Percona Server 5.7.
pub(crate) const PERCONA_57: Model = Model {
    id: ModelId::Percona57,
    title: "Percona Server 5.7",
    about: "Stands for Percona Server 5.7.11 and later: mysql-5.7 with an LRU manager thread for each instance, a doublewrite \
            batch for each instance and kind of flushing, user threads that never flush for a free page, and an age factor \
            that lets the age stand higher and rises more steeply near its limit.",
    stands_for: &[
        StandsFor::exactly(Servers::PERCONA.from(5, 7, 11).until(5, 8, 0)),
        StandsFor::nearly(
            Servers::PERCONA.from(5, 7, 0).until(5, 7, 11),
            "until 5.7.11 all pages go through the one doublewrite buffer of MySQL 5.7",
        ),
    ],
    read: "the page cleaner of 5.7, the parallel doublewrite of 8.0 before 8.0.20",
    assumed: "sleeps of LRU manager threads from percona-8.0, all else from mysql-5.7",
    ..MYSQL_57
};
