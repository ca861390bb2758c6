//! The redo log: block framing, the log buffer, the writer, durable LSN.

mod log;
pub mod lsn;

pub use log::{RedoLog, RedoPosition};
