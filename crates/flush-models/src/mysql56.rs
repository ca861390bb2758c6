//! MySQL 5.6: one page cleaner thread, user threads that flush at the sync limit (`innodb-5.6`).
//!
//! The formulas are pure functions in the modules below and in [`crate::legacy`], each checked against vectors.

pub mod adaptive;
pub mod lru_batch;
pub mod page_cleaner;
