//! The log buffer: how appends move the LSN, when an append must wait, and what one write takes (`innodb-5.5` to
//! `innodb-5.7`, sections 7.1 and 7.2). Offsets and lengths in bytes.

/// A redo block and what of it holds records.
const BLOCK_BYTES: u64 = 512;
const BLOCK_HEADER_BYTES: u64 = 12;
const BLOCK_PAYLOAD_BYTES: u64 = 496;
const BLOCK_FRAME_BYTES: u64 = BLOCK_BYTES - BLOCK_PAYLOAD_BYTES;
/// End of a block's payload.
const BLOCK_PAYLOAD_END: u64 = 508;

/// What appending the log of one mini-transaction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LsnAdvance {
    /// LSN consumed, framing included.
    pub lsn_delta: u64,
    /// Blocks filled.
    pub blocks_completed: u64,
    /// Where in its block the next append begins.
    pub new_offset_in_block: u64,
    /// Whether it is appended without a look at the margins (`log_close`): it ends in its block. The servers ask for 512
    /// bytes at most too, which is more than a block holds.
    pub fast_path: bool,
}

/// Appends `len` bytes at `offset_in_block` (12 to 507) of the current block.
pub fn log_lsn_advance(offset_in_block: u64, len: u64) -> LsnAdvance {
    let blocks_completed = (offset_in_block - BLOCK_HEADER_BYTES + len) / BLOCK_PAYLOAD_BYTES;
    let lsn_delta = len + BLOCK_FRAME_BYTES * blocks_completed;
    LsnAdvance {
        lsn_delta,
        blocks_completed,
        new_offset_in_block: (offset_in_block + lsn_delta) % BLOCK_BYTES,
        fast_path: offset_in_block + len < BLOCK_PAYLOAD_END,
    }
}

/// `max_buf_free`: the fill of the buffer from which a write is due.
pub fn max_buf_free(buf_size: u64, page_size: u64) -> u64 {
    (buf_size / 2).saturating_sub(4 * BLOCK_BYTES + 4 * page_size)
}

/// Room that an append of `len` bytes asks for. `log_write_ahead_size` is 0 before 5.7.
pub fn room_needed(len: u64, log_write_ahead_size: u64) -> u64 {
    4 * BLOCK_BYTES + log_write_ahead_size + 5 * len / 4
}

/// Whether the append must wait for a write (one `Innodb_log_waits`).
pub fn must_wait_for_room(buf_size: u64, buf_free: u64, needed: u64) -> bool {
    buf_free + needed > buf_size
}

/// What one log write takes, and the buffer after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogWrite {
    /// Bytes written: whole blocks.
    pub write_bytes: u64,
    /// How far the content moved towards the start of the buffer.
    pub shifted_by: u64,
    /// End of the content.
    pub buf_free: u64,
    /// Start of what the next write takes.
    pub buf_next_to_write: u64,
}

/// One write of 5.5 and 5.6 with nothing appended meanwhile: the last block is copied on, and the content moves down
/// when the end of what was written is beyond half of `max_buf_free`.
pub fn log_write_area(buf_next_to_write: u64, buf_free: u64, max_buf_free: u64) -> LogWrite {
    let start = buf_next_to_write - buf_next_to_write % BLOCK_BYTES;
    let end = buf_free.next_multiple_of(BLOCK_BYTES);
    let copied_end = buf_free + BLOCK_BYTES;
    let shifted_by = if copied_end > max_buf_free / 2 { copied_end - copied_end % BLOCK_BYTES } else { 0 };
    LogWrite {
        write_bytes: end - start,
        shifted_by,
        buf_free: copied_end - shifted_by,
        buf_next_to_write: copied_end - shifted_by,
    }
}
