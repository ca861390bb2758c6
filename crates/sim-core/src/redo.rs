//! The redo log: block framing, the log buffer, the writer, durable LSN.

mod buffer;
mod least_writes;
mod log;
pub mod lsn;
mod position;
mod recent;

pub use buffer::LogBuffer;
pub use least_writes::LeastWrites;
pub use log::{RedoLog, RedoWritten, WriterLimit};
pub use position::RedoPosition;
