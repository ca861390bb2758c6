//! MySQL 5.5: a master thread that does everything once a second, and user threads that flush when the log runs full.
//!
//! Specification: `innodb-5.5`.

pub mod flush_rate;
pub mod list_batch;
pub mod lru;
pub mod master;
