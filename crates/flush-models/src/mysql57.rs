//! MySQL 5.7: a coordinator and page cleaner workers, sync flushing by the cleaners on request (`innodb-5.7`).
//!
//! The formulas are pure functions in the modules below and in [`crate::legacy`], each checked against vectors.

pub mod commit_margin;
pub mod coordinator;
pub mod log_write;
pub mod lru_batch;
pub mod recommendation;
pub mod request;
