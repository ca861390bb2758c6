//! The redo pipeline: reserve, write, sync.
//!
//! Source: `innodb-8.0.21` section 3. A user thread reserves LSNs and copies its redo to the log buffer (no time of its
//! own). The log writer moves what is ready to the file in writes that do not cross a write-ahead boundary while they
//! are small: under load writes chain and grow. The flusher's sync makes durable what was written when it started;
//! commits that arrive during a sync share the next one (group commit).
//!
//! The writer needs no events: between two looks at it nothing new can have become ready, so its chain of writes is
//! computed when somebody looks ([`RedoLog::advance_writer`]). The flusher is driven by the server, since its time
//! comes from the device.
//!
//! Without a writer thread (before 8.0, MariaDB, writer threads off) a write starts when somebody asks for one and
//! takes all that is appended.
//!
//! Simplifications: copying into the log buffer takes no time, so there are no gaps in it and `recent_written` and
//! `recent_closed` never hold anybody up (errs towards less waiting, microseconds); a write takes a fixed time, as it
//! goes to the page cache (errs towards writes too fast by 0.07 us a KiB, which shows in megabytes only). A write of the
//! writer thread takes all that is ready up to the end of its write-ahead area, where that of a server takes 4 KiB and
//! the rest of the mini-transaction that this ends in: here the redo of many mini-transactions comes in one piece, of
//! which a server has written the first by the time the last is ready (errs towards fewer writes, and where more than
//! 4 KiB have piled up towards less waiting, microseconds).

use super::LeastWrites;
use super::buffer::LogBuffer;
use super::lsn::{BLOCK_BYTES, lsn_of_sn, sn_of_lsn};
use super::position::RedoPosition;
use super::recent::Recent;
use crate::kernel::time::{SimDuration, SimTime};

/// Fixed-point scale of payload positions: 1/256 byte, so that fractional means carry over exactly.
const SN_SHIFT: u32 = 8;

/// The redo log's state.
#[derive(Debug, Clone)]
pub struct RedoLog {
    /// Payload bytes reserved, and the fraction of a byte beyond them in fixed-point form.
    sn: u64,
    fraction: u64,
    /// LSN of `sn`.
    current_lsn: u64,
    written_lsn: u64,
    durable_lsn: u64,
    /// The write in progress ends here and brings `written_lsn` to `write_target`; no write if in the past.
    write_end: SimTime,
    write_target: u64,
    writing: bool,
    last_append: SimTime,
    /// The writer may not pass these, by [`WriterLimit`].
    limit_lsns: [u64; 2],
    write_ahead_bytes: u64,
    /// End of the write-ahead area that is written into, or at which the last one ended.
    area_end: u64,
    write_time: SimDuration,
    log_buffer_bytes: u64,
    /// Whether a write starts only when somebody asks for it, and then takes all there is.
    on_demand: bool,
    requested: bool,
    /// Whether somebody keeps the next write from starting.
    held: bool,
    /// Whether LSNs count block headers and trailers.
    framed: bool,
    recent: Recent,
    /// The fewest page writes that are possible, if anybody wants to know.
    least_writes: Option<LeastWrites>,
    written: RedoWritten,
}

/// What the writer may not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriterLimit {
    /// The last checkpoint and the capacity beyond it.
    Checkpoint,
    /// The end of the files that it has.
    Files,
}

/// Writes to the files of the redo log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RedoWritten {
    /// Writes.
    pub writes: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl RedoLog {
    /// An empty log that starts at `start_lsn`; `write_time` is the time of one write to the page cache.
    pub fn new(start_lsn: u64, write_ahead_bytes: u64, log_buffer_bytes: u64, write_time: SimDuration) -> Self {
        let sn = sn_of_lsn(start_lsn);
        let lsn = lsn_of_sn(sn);
        RedoLog {
            sn,
            fraction: 0,
            current_lsn: lsn,
            written_lsn: lsn,
            durable_lsn: lsn,
            write_end: SimTime::ZERO,
            write_target: lsn,
            writing: false,
            last_append: SimTime::ZERO,
            limit_lsns: [u64::MAX; 2],
            write_ahead_bytes,
            area_end: 0,
            write_time,
            log_buffer_bytes,
            on_demand: false,
            requested: false,
            held: false,
            framed: true,
            recent: Recent::new(),
            least_writes: None,
            written: RedoWritten::default(),
        }
    }

    /// The same log without a writer thread: a write starts when somebody asks for it ([`RedoLog::request_write`]).
    pub fn written_on_demand(self) -> Self {
        RedoLog { on_demand: true, ..self }
    }

    /// The same log, still empty, without framing: LSNs count payload alone, from `start_lsn` itself.
    pub fn unframed(self, start_lsn: u64) -> Self {
        RedoLog {
            framed: false,
            sn: start_lsn,
            fraction: 0,
            current_lsn: start_lsn,
            written_lsn: start_lsn,
            durable_lsn: start_lsn,
            write_target: start_lsn,
            ..self
        }
    }

    /// Whether writes start only when somebody asks for one.
    pub fn writes_on_demand(&self) -> bool {
        self.on_demand
    }

    /// Asks for a write of all that is appended; it starts now unless one is in progress. Without effect on a log that
    /// has a writer thread.
    pub fn request_write(&mut self, now: SimTime) {
        self.advance_writer(now);
        self.requested = true;
        self.start_write(now);
    }

    /// Keeps writes from starting, or lets them start again; the one in progress goes on.
    pub fn hold_writes(&mut self, held: bool, now: SimTime) {
        self.advance_writer(now);
        self.held = held;
        self.start_write(now);
    }

    /// Payload bytes in the fixed-point form that [`RedoLog::append`] takes.
    pub fn fixed(payload_bytes: f64) -> u64 {
        (payload_bytes * f64::from(1u32 << SN_SHIFT) + 0.5) as u64
    }

    /// End of the last reserved redo.
    #[inline]
    pub fn current_lsn(&self) -> u64 {
        self.current_lsn
    }

    /// End of the last reserved redo if `payload_fixed` more, in fixed-point form, had been reserved.
    #[inline]
    pub fn lsn_after(&self, payload_fixed: u64) -> u64 {
        let sn = self.sn + ((self.fraction + payload_fixed) >> SN_SHIFT);
        if self.framed { lsn_of_sn(sn) } else { sn }
    }

    /// All positions.
    pub fn position(&self) -> RedoPosition {
        RedoPosition { current_lsn: self.current_lsn(), written_lsn: self.written_lsn, durable_lsn: self.durable_lsn }
    }

    /// Reserves redo; payload in fixed-point form. The writer has been brought up to now before, or a write that began when the
    /// last one was over would take it too.
    #[inline]
    pub fn append(&mut self, payload_fixed: u64) {
        let fraction = self.fraction + payload_fixed;
        self.sn += fraction >> SN_SHIFT;
        self.fraction = fraction & ((1 << SN_SHIFT) - 1);
        self.current_lsn = self.lsn_after(0);
    }

    /// From now on, counts the fewest page writes that are possible while a page may stay dirty for `span` bytes of redo.
    pub fn count_least_writes(&mut self, span: u64) {
        self.least_writes = Some(LeastWrites::new(span));
    }

    /// The fewest page writes so far, if they are counted.
    pub fn least_writes(&self) -> Option<u64> {
        self.least_writes.as_ref().map(|least| least.forced_by(self.current_lsn))
    }

    /// Remembers that `pages` were modified by redo that is being appended; [`RedoLog::appended`] closes it.
    #[inline]
    pub fn note_modified(&mut self, pages: &[u32]) {
        self.recent.push(pages);
        if let Some(least) = &mut self.least_writes {
            least.modified(pages, self.current_lsn);
        }
    }

    /// A group of redo that is one record, appended at `now`.
    pub fn append_record(&mut self, payload_fixed: u64, now: SimTime) {
        self.advance_writer(now);
        self.append(payload_fixed);
        self.appended(now);
    }

    /// Redo was appended at `now`: lets the writer see it.
    pub fn appended(&mut self, now: SimTime) {
        self.recent.close(self.current_lsn());
        self.advance_writer(now);
        self.last_append = now;
        self.start_write(now);
    }

    /// Brings the writer's chain of writes up to `now`.
    #[inline]
    pub fn advance_writer(&mut self, now: SimTime) {
        while self.writing && self.write_end <= now {
            self.written_lsn = self.write_target;
            self.writing = false;
            let end = self.write_end;
            self.start_write(end.max(self.last_append));
        }
    }

    fn start_write(&mut self, at: SimTime) {
        if self.writing || self.held || (self.on_demand && !self.requested) {
            return;
        }
        let mut target = self.limit_lsns.into_iter().fold(self.current_lsn(), u64::min);
        if target <= self.written_lsn {
            return;
        }
        self.requested = false;
        // A small write does not cross the end of its write-ahead area; whole areas beyond it go in one write each.
        if !self.on_demand {
            if self.written_lsn >= self.area_end {
                self.area_end = (self.written_lsn / self.write_ahead_bytes + 1) * self.write_ahead_bytes;
            }
            target = target.min(self.area_end);
        }
        self.writing = true;
        self.written.writes += 1;
        self.written.bytes += self.bytes_of_write(self.written_lsn, target);
        self.write_target = target;
        self.write_end = at + self.write_time;
    }

    /// Bytes that a write takes: whole blocks, the first of which may have been written in part, where redo is framed.
    fn bytes_of_write(&self, from: u64, to: u64) -> u64 {
        if self.framed { to.next_multiple_of(BLOCK_BYTES) - from / BLOCK_BYTES * BLOCK_BYTES } else { to - from }
    }

    /// Moves a limit that the writer may not pass; restarts a writer that stood at it.
    pub fn set_limit(&mut self, limit: WriterLimit, lsn: u64, now: SimTime) {
        self.advance_writer(now);
        self.limit_lsns[limit as usize] = lsn;
        self.start_write(now);
    }

    /// Whether the writer stands at a limit with redo that it might write.
    pub fn stands_at(&self, limit: WriterLimit) -> bool {
        !self.writing && self.written_lsn >= self.limit_lsns[limit as usize] && self.current_lsn() > self.written_lsn
    }

    /// End of the write in progress, if one is.
    pub fn write_in_progress_until(&self) -> Option<SimTime> {
        self.writing.then_some(self.write_end)
    }

    /// What is in the log buffer.
    #[inline]
    pub fn buffer(&self) -> LogBuffer {
        LogBuffer { bytes: self.log_buffer_bytes, written_lsn: self.written_lsn, current_lsn: self.current_lsn }
    }

    /// A sync that covered everything up to `lsn` is done.
    pub fn synced(&mut self, lsn: u64) {
        debug_assert!(lsn <= self.written_lsn, "synced redo that was not written");
        self.durable_lsn = self.durable_lsn.max(lsn);
        self.recent.forget_up_to(self.durable_lsn);
    }

    /// Durable LSN that the write-ahead rule wants before the pages of a batch may be written: 0 if all their redo is durable.
    /// One walk over the recent modifications, newest first, answers for a whole batch.
    pub fn wanted_before_writing(&self, in_batch: impl Fn(u32) -> bool) -> u64 {
        self.recent.newest(self.position(), in_batch)
    }

    /// Writes made so far, and their bytes, in whole blocks where redo is framed.
    pub fn written(&self) -> RedoWritten {
        self.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> RedoLog {
        RedoLog::new(8192, 8192, 1 << 20, SimDuration::from_micros(10))
    }

    fn append(log: &mut RedoLog, bytes: f64, at: u64) {
        log.append_record(RedoLog::fixed(bytes), SimTime(at));
    }

    #[test]
    fn a_write_takes_its_time_and_later_redo_joins_the_next() {
        let mut log = log();
        let start = log.position().written_lsn;
        append(&mut log, 100.0, 0);
        append(&mut log, 50.0, 4_000);
        log.advance_writer(SimTime(9_999));
        assert_eq!(log.position().written_lsn, start);
        log.advance_writer(SimTime(10_000));
        assert_eq!(log.position().written_lsn, start + 100);
        log.advance_writer(SimTime(20_000));
        assert_eq!(log.position().written_lsn, start + 150);
        assert_eq!(log.written().writes, 2);
    }

    #[test]
    fn a_write_ends_at_the_write_ahead_boundary() {
        let mut log = log();
        append(&mut log, 20_000.0, 0);
        log.advance_writer(SimTime(10_000));
        assert_eq!(log.position().written_lsn % 8192, 0);
        log.advance_writer(SimTime(40_000));
        assert_eq!(log.position().written_lsn, log.current_lsn());
    }

    #[test]
    fn the_writer_stops_at_its_limit_and_goes_on_when_it_moves() {
        let mut log = log();
        log.set_limit(WriterLimit::Checkpoint, 9_000, SimTime::ZERO);
        append(&mut log, 2_000.0, 0);
        log.advance_writer(SimTime(100_000));
        assert_eq!(log.position().written_lsn, 9_000);
        assert!(log.stands_at(WriterLimit::Checkpoint));
        log.set_limit(WriterLimit::Checkpoint, 100_000, SimTime(100_000));
        log.advance_writer(SimTime(110_000));
        assert_eq!(log.position().written_lsn, log.current_lsn());
    }

    #[test]
    fn the_write_ahead_rule_sees_only_redo_that_is_not_durable() {
        let mut log = log();
        log.append(RedoLog::fixed(300.0));
        log.note_modified(&[7]);
        log.appended(SimTime(0));
        let first = log.current_lsn();
        log.append(RedoLog::fixed(300.0));
        log.note_modified(&[8]);
        log.appended(SimTime(1));
        assert_eq!(log.wanted_before_writing(|p| p == 7), first);
        log.advance_writer(SimTime(1_000_000));
        log.synced(first);
        assert_eq!(log.wanted_before_writing(|p| p == 7), 0);
        assert_eq!(log.wanted_before_writing(|p| p == 8), log.current_lsn());
    }

    #[test]
    fn fractions_of_bytes_carry_over() {
        let mut log = log();
        let before = log.sn;
        for _ in 0..1000 {
            log.append(RedoLog::fixed(0.25));
        }
        assert_eq!(log.sn - before, 250);
    }

    /// A group of 100 bytes in a block that another one began: the block is written again.
    #[test]
    fn a_write_takes_whole_blocks() {
        let micros = |us| SimTime::ZERO + SimDuration::from_micros(us);
        let bytes_after = |mut log: RedoLog| {
            for at in [micros(0), micros(100)] {
                log.append(RedoLog::fixed(100.0));
                log.appended(at);
            }
            log.advance_writer(micros(200));
            (log.written().writes, log.written().bytes)
        };
        let log = RedoLog::new(8192, 8192, 1 << 20, SimDuration::from_micros(10));
        assert_eq!(bytes_after(log.clone()), (2, 1024));
        assert_eq!(bytes_after(log.unframed(8192)), (2, 200));
    }

    /// A log whose LSNs are bytes of payload, from 8192 on, with a buffer of 1 MiB.
    fn plain() -> RedoLog {
        log().unframed(8192)
    }

    /// 20 000 bytes end at LSN 28 844. The writes go to the ends of their areas of 8 KiB and then to the end, from the beginning
    /// of the first block of each to the end of its last.
    #[test]
    fn the_writer_goes_area_by_area() {
        let mut log = log();
        append(&mut log, 20_000.0, 0);
        let ends = [9_999, 10_000, 20_000, 29_999, 30_000, 90_000].map(|at| {
            log.advance_writer(SimTime(at));
            log.position().written_lsn
        });
        assert_eq!(ends, [8_204, 16_384, 24_576, 24_576, 28_844, 28_844]);
        assert_eq!((log.written().writes, log.written().bytes), (3, 8_192 + 8_192 + 4_608));
        append(&mut log, 20_000.0, 200_000);
        log.advance_writer(SimTime(210_000));
        assert_eq!(log.position().written_lsn, 32_768, "the area that the last write began");
    }

    /// Redo that comes while a write is under way is written when that is over, redo that comes later at once.
    #[test]
    fn a_write_begins_with_its_redo_or_when_the_last_is_over() {
        let mut log = plain();
        append(&mut log, 100.0, 0);
        append(&mut log, 50.0, 10_000);
        assert_eq!(log.write_in_progress_until(), Some(SimTime(20_000)));
        append(&mut log, 50.0, 50_000);
        assert_eq!((log.write_in_progress_until(), log.position().written_lsn), (Some(SimTime(60_000)), 8_342));
        log.advance_writer(SimTime(60_000));
        assert_eq!((log.write_in_progress_until(), log.position().written_lsn), (None, 8_392));
    }

    #[test]
    fn without_a_writer_thread_a_write_takes_all_there_is_when_somebody_asks() {
        let mut log = plain().written_on_demand();
        assert_eq!([log.writes_on_demand(), plain().writes_on_demand()], [true, false]);
        append(&mut log, 20_000.0, 0);
        log.advance_writer(SimTime(500_000));
        assert_eq!((log.written().writes, log.position().written_lsn), (0, 8_192));
        log.request_write(SimTime(500_000));
        append(&mut log, 100.0, 505_000);
        log.advance_writer(SimTime(600_000));
        assert_eq!(
            (log.written().writes, log.position().written_lsn),
            (1, 28_192),
            "what came later was not asked for"
        );
        // Who asks while a write is under way gets the next one.
        log.request_write(SimTime(600_000));
        append(&mut log, 100.0, 605_000);
        log.request_write(SimTime(605_000));
        log.advance_writer(SimTime(700_000));
        assert_eq!((log.written().writes, log.position().written_lsn), (3, 28_392));
    }

    #[test]
    fn no_write_begins_while_writes_are_held() {
        let mut log = plain();
        append(&mut log, 100.0, 0);
        log.hold_writes(true, SimTime(5_000));
        append(&mut log, 100.0, 6_000);
        log.advance_writer(SimTime(90_000));
        assert_eq!(log.position().written_lsn, 8_292, "the one that had begun went on");
        log.hold_writes(false, SimTime(90_000));
        assert_eq!(log.write_in_progress_until(), Some(SimTime(100_000)));
    }

    #[test]
    fn a_writer_is_blocked_at_its_limit_with_more_to_write() {
        let mut log = plain();
        log.set_limit(WriterLimit::Checkpoint, 8_292, SimTime::ZERO);
        append(&mut log, 100.0, 0);
        assert!(!log.stands_at(WriterLimit::Checkpoint), "it writes");
        log.advance_writer(SimTime(10_000));
        assert!(!log.stands_at(WriterLimit::Checkpoint), "all is written");
        append(&mut log, 1.0, 20_000);
        assert!(log.stands_at(WriterLimit::Checkpoint));
        log.set_limit(WriterLimit::Checkpoint, 8_293, SimTime(20_000));
        log.advance_writer(SimTime(30_000));
        assert_eq!((log.stands_at(WriterLimit::Checkpoint), log.position().written_lsn), (false, 8_293));
        log.hold_writes(true, SimTime(30_000));
        log.set_limit(WriterLimit::Checkpoint, 9_000, SimTime(30_000));
        append(&mut log, 1.0, 40_000);
        assert!(!log.stands_at(WriterLimit::Checkpoint), "somebody holds it, and not its limit");
    }

    #[test]
    fn the_writer_stops_at_the_end_of_its_files() {
        let mut log = plain();
        log.set_limit(WriterLimit::Files, 8_292, SimTime::ZERO);
        append(&mut log, 100.0, 0);
        log.advance_writer(SimTime(10_000));
        assert_eq!(
            (log.position().written_lsn, log.stands_at(WriterLimit::Files)),
            (8_292, false),
            "nothing more to write"
        );
        append(&mut log, 100.0, 20_000);
        assert_eq!((log.write_in_progress_until(), log.stands_at(WriterLimit::Files)), (None, true));
        log.set_limit(WriterLimit::Files, 9_000, SimTime(50_000));
        assert_eq!((log.write_in_progress_until(), log.stands_at(WriterLimit::Files)), (Some(SimTime(60_000)), false));
    }

    /// 1/256 of a byte is the least that counts.
    #[test]
    fn fractions_are_rounded_and_kept() {
        assert_eq!([0.0, 0.0019, 1.0 / 512.0, 1.0, 496.5].map(RedoLog::fixed), [0, 0, 1, 256, 127_104]);
        let mut log = log();
        log.append(RedoLog::fixed(483.5));
        assert_eq!(
            [0.25, 0.5, 12.0, 12.5].map(|more| log.lsn_after(RedoLog::fixed(more))),
            [8_687, 8_688, 8_699, 8_716]
        );
        log.append(RedoLog::fixed(0.5));
        assert_eq!((log.current_lsn(), log.sn, log.fraction), (8_688, 7_936 + 484, 0));
        let mut plain = plain();
        let lsns = [255, 1, 255, 1].map(|least| {
            plain.append(least);
            plain.current_lsn()
        });
        assert_eq!(lsns, [8_192, 8_193, 8_193, 8_194]);
    }

    #[test]
    fn redo_stays_durable() {
        let mut log = plain();
        append(&mut log, 100.0, 0);
        log.advance_writer(SimTime(10_000));
        [8_250, 8_292, 8_260].iter().for_each(|&lsn| log.synced(lsn));
        assert_eq!(log.position(), RedoPosition { current_lsn: 8_292, written_lsn: 8_292, durable_lsn: 8_292 });
    }

    fn modifying(log: &mut RedoLog, pages: std::ops::Range<u32>, at: u64) -> u64 {
        log.append(RedoLog::fixed(10.0));
        log.note_modified(&pages.collect::<Vec<u32>>());
        log.appended(SimTime(at));
        log.current_lsn()
    }

    /// The ring holds 16 384 modifications. One more, and a batch waits for all redo up to there; not for what follows.
    #[test]
    fn a_full_ring_starts_anew() {
        let mut log = plain();
        let first = modifying(&mut log, 0..16_000, 0);
        let second = modifying(&mut log, 16_000..16_384, 1);
        let wanted = |log: &RedoLog, page| log.wanted_before_writing(|p| p == page);
        assert_eq!(
            [0, 15_999, 16_000, 16_383, 16_384].map(|page| wanted(&log, page)),
            [first, first, second, second, 0]
        );
        let third = modifying(&mut log, 7..8, 2);
        assert_eq!(wanted(&log, 99_999), third, "any page may have been modified by then");
        let fourth = modifying(&mut log, 8..9, 3);
        assert_eq!([8, 7, 99_999].map(|page| wanted(&log, page)), [fourth, third, third]);
        log.advance_writer(SimTime(1_000_000));
        log.synced(third);
        assert_eq!([8, 7, 99_999].map(|page| wanted(&log, page)), [fourth, 0, 0], "although some redo is not durable");
    }

    /// One group of redo with more modifications than the ring holds, asked about before its end and after.
    #[test]
    fn a_group_larger_than_the_ring_is_waited_for_to_its_end() {
        let mut log = plain();
        log.append(RedoLog::fixed(10.0));
        log.note_modified(&(0..16_385).collect::<Vec<u32>>());
        assert_eq!(log.wanted_before_writing(|_| false), log.current_lsn());
        log.append(RedoLog::fixed(10.0));
        log.appended(SimTime(0));
        assert_eq!(log.wanted_before_writing(|_| false), log.current_lsn());
    }

    /// Pages go round in the ring: what became durable makes room.
    #[test]
    fn modifications_are_found_where_the_ring_begins_anew() {
        let mut log = plain();
        let first = modifying(&mut log, 0..10_000, 0);
        let second = modifying(&mut log, 10_000..15_000, 1);
        log.advance_writer(SimTime(1_000_000));
        log.synced(first);
        let third = modifying(&mut log, 20_000..31_384, 2);
        let wanted = |page| log.wanted_before_writing(|p| p == page);
        let of_pages = [9_999, 10_000, 14_999, 20_000, 21_383, 21_384, 31_383].map(wanted);
        assert_eq!(of_pages, [0, second, second, third, third, third, third]);
        assert_eq!(log.wanted_before_writing(|p| p < 15_000 || p == 20_000), third, "the newest counts");
    }

    #[test]
    fn the_fewest_page_writes_are_counted_if_wanted() {
        let mut log = plain();
        modifying(&mut log, 0..3, 0);
        assert_eq!(log.least_writes(), None);
        log.count_least_writes(20);
        // Noted with the redo that begins there: at 8202, and at 8212.
        (0..2).for_each(|at| _ = modifying(&mut log, 0..3, at));
        assert_eq!(log.least_writes(), Some(0));
        modifying(&mut log, 9..10, 3);
        assert_eq!(log.least_writes(), Some(3), "20 bytes after the first, three pages must have been written");
    }
}
