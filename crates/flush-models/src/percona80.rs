//! Percona Server 8.0 and 8.4: what it changed in the flushing of MySQL 8.0 (`percona` section 4). All else is MySQL 8.0.30,
//! and the server of both is that of [`crate::mysql80`].
//!
//! * a steeper age factor ([`age_factor`]);
//! * an LRU manager thread for each instance ([`lru_manager`]): the page cleaner's slots flush the flush lists only,
//!   and an early wake of the coordinator does nothing;
//! * user threads without a free page wait for an LRU batch under way, or only pause ([`free_list`]);
//! * a doublewrite file for each instance and kind of flushing
//!   ([`DoublewriteLayout::percona`](crate::mysql80::doublewrite_layout::DoublewriteLayout::percona)).
//!
//! 8.4 has LRU manager threads only with `innodb_lru_threads`, which came back in August 2026 (8.3 had given them up), and the
//! doublewrite files of MySQL 8.4. Without the threads a user thread that pauses for want of a free page wakes
//! the page cleaner each time. That was read in a later source, and is taken for all of 8.4: without it a server whose
//! threads all pause would stand still.
//!
//! Simplifications: sections 4.1 to 4.3 were read in 8.0.18 to 8.0.30 and are taken for all of 8.0 from 8.0.30; user
//! threads have no priorities.

pub mod age_factor;
pub mod free_list;
pub mod lru_manager;
pub(crate) mod model;
mod options;

pub(crate) use options::PerconaOptions;
