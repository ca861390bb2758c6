//! The redo log: block framing, the log buffer, the writer, durable LSN.

mod least_writes;
mod log;
pub mod lsn;
mod recent;

pub use least_writes::LeastWrites;
pub use log::{RedoLog, RedoPosition};
