//! The redo log: block framing, the log buffer, the writer, durable LSN.

mod least_writes;
mod log;
pub mod lsn;
mod position;
mod recent;

pub use least_writes::LeastWrites;
pub use log::RedoLog;
pub use position::RedoPosition;
