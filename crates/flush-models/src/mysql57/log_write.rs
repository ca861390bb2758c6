//! One write of the redo log of 5.7: what it takes from the buffer, and its write-ahead padding (`innodb-5.7` section
//! 7.2).

/// Bytes of a redo block.
const BLOCK_BYTES: u64 = 512;

/// What one log write takes, and the other buffer after the switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogWrite {
    /// Bytes written, padding included.
    pub write_bytes: u64,
    /// `log_padded`: zero bytes behind the content; they are in no LSN.
    pub pad_bytes: u64,
    /// End of the content of the buffer that is in use from now on; the next write begins there too.
    pub buf_free: u64,
}

/// A write of the buffer's content from `buf_next_to_write` to `buf_free`, both rounded out to blocks.
/// `file_offset_end` is where its last block ends in the log group. The first write into each unit of
/// `log_write_ahead_size` is extended to the unit's end.
pub fn log_write_area(
    buf_next_to_write: u64,
    buf_free: u64,
    buf_size: u64,
    file_offset_end: u64,
    log_write_ahead_size: u64,
) -> LogWrite {
    let start = buf_next_to_write - buf_next_to_write % BLOCK_BYTES;
    let end = buf_free.next_multiple_of(BLOCK_BYTES);
    let in_unit = file_offset_end % log_write_ahead_size;
    let first_in_unit = in_unit != 0 && end - start > in_unit;
    let pad_bytes = if first_in_unit { (log_write_ahead_size - in_unit).min(buf_size - end) } else { 0 };
    LogWrite { write_bytes: end - start + pad_bytes, pad_bytes, buf_free: buf_free % BLOCK_BYTES }
}
