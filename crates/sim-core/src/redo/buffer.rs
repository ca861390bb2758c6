//! Room in the log buffer.
//!
//! Source: `innodb-8.0.21` section 3.1, `innodb-5.6` section 7.2.
//!
//! Simplification: the servers' rules for what a transaction must find free, each its own, are one: its payload and room for
//! headers (errs by less than a KiB).

/// Room for headers and trailers of the blocks of a transaction, bytes: the servers' rules, each its own, ask for some
/// more.
const FRAMING_ROOM: u64 = 1024;

/// The log buffer as it is now: it holds the redo that is appended and not yet written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogBuffer {
    pub(super) bytes: u64,
    pub(super) written_lsn: u64,
    pub(super) current_lsn: u64,
}

impl LogBuffer {
    /// Room that a transaction of `payload_bytes` waits for. One that needs more than half of the buffer waits for half (the
    /// servers grow the buffer for it).
    #[inline]
    pub fn room_for(&self, payload_bytes: u64) -> u64 {
        payload_bytes.min(self.bytes / 2) + FRAMING_ROOM
    }

    /// Whether less than `room` is left.
    #[inline]
    pub fn lacks(&self, room: u64) -> bool {
        self.current_lsn + room > self.written_lsn + self.bytes
    }

    /// LSN up to which a transaction of `payload_bytes` that found room appends before it looks for room again: one that
    /// found room for all of it does not look.
    #[inline]
    pub fn room_up_to(&self, payload_bytes: u64) -> u64 {
        if payload_bytes <= self.bytes / 2 { u64::MAX } else { self.written_lsn + self.bytes }
    }

    /// Whether it is more than half full: a log without a writer thread is then written at the next check.
    #[inline]
    pub fn is_more_than_half_full(&self) -> bool {
        self.current_lsn > self.written_lsn + self.bytes / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn with(redo_bytes: u64) -> LogBuffer {
        LogBuffer { bytes: MIB, written_lsn: 8_192, current_lsn: 8_192 + redo_bytes }
    }

    /// Beside 1024 bytes of framing, half of the buffer and no more is asked for.
    #[test]
    fn it_is_full_when_a_transaction_does_not_fit() {
        let lacks = |redo: u64, payload: u64| with(redo).lacks(with(redo).room_for(payload));
        let half = MIB / 2 - 1024;
        assert_eq!([MIB / 2, MIB].map(|payload| lacks(half, payload)), [false, false]);
        assert_eq!([MIB / 2 - 1, MIB / 2, MIB].map(|payload| lacks(half + 1, payload)), [false, true, true]);
        assert_eq!([MIB / 2, MIB / 2 + 1].map(|payload| with(half).room_up_to(payload)), [u64::MAX, 8_192 + MIB]);
    }

    #[test]
    fn it_is_written_when_it_is_more_than_half_full() {
        assert_eq!([MIB / 2, MIB / 2 + 1].map(|redo| with(redo).is_more_than_half_full()), [false, true]);
    }
}
