//! The files of the redo log, where a governor thread keeps them ready (MySQL 8.0.30 and later).
//!
//! Source: `innodb-8.0.30` section 1.2 and the governor and the log writer of 8.0.40. The log has a fixed number of files:
//! those from the last checkpoint to the write position, those before them that are consumed, and unused ones. The log
//! writer takes an unused file when its own is full. When it has taken the last, the governor makes unused files of all that
//! are consumed. It needs the writer's mutex for that, and the writer lets go of it only when it has nothing to write,
//! between two writes of 1024, or when it waits itself. So a burst of redo as long as a file may find no unused one. Then
//! the writer waits for 100 ms: the event that could wake it earlier is set when a file is removed, and these are reused.
//!
//! The governor also makes a round each 10 ms, which looks again how far user threads may go.
//!
//! Simplifications: rounds come at whole multiples of their period, and take no time (errs towards fewer waits); a writer
//! that spins for more redo counts as one that has let go of its mutex (errs towards fewer waits); there are unused files
//! for all of the rest of the log from the start, where a server makes one each 10 ms; the writes of a new file's header are
//! left out (errs towards faster commits, by one small write and sync for each file).

use crate::config::{RedoConfig, RedoFilesConfig};
use crate::kernel::time::SimTime;
use crate::redo::{RedoLog, WriterLimit};
use crate::server::log::Log;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;

/// Writes after which the log writer lets go of its mutex for a moment.
const WRITES_BETWEEN_YIELDS: u64 = 1024;

/// The files of a redo log.
#[derive(Debug, Clone)]
pub(super) struct RedoFiles {
    config: RedoFilesConfig,
    /// Number of the oldest file that is not unused; the first one of the log is 0.
    oldest: u64,
    /// Whether the writer waits for an unused file.
    writer_waits: bool,
    /// Yields of the writer when it was last looked at.
    yields: u64,
    /// Whether a round is due at the next multiple of the period.
    round_due: bool,
}

impl RedoFiles {
    /// The files of a log, if it has such files; its writer is told how far they go.
    pub(in crate::server) fn of(config: &RedoConfig, checkpoint_lsn: u64, redo: &mut RedoLog) -> Option<Self> {
        let files = RedoFiles::new(config.files?, checkpoint_lsn);
        redo.set_limit(WriterLimit::Files, files.limit_lsn(), SimTime::ZERO);
        Some(files)
    }

    /// The files of a log whose last checkpoint is `checkpoint_lsn`.
    fn new(config: RedoFilesConfig, checkpoint_lsn: u64) -> Self {
        let mut files = RedoFiles { config, oldest: 0, writer_waits: false, yields: 0, round_due: false };
        files.reuse_consumed(checkpoint_lsn);
        files
    }

    /// LSN at the beginning of a file.
    fn start_lsn(&self, file: u64) -> u64 {
        self.config.first_lsn + file * self.config.file_bytes
    }

    /// LSN at which the last file begins: a writer that has come to it has no unused one left.
    fn last_file_lsn(&self) -> u64 {
        self.start_lsn(self.oldest + u64::from(self.config.files) - 1)
    }

    /// LSN up to which the writer has files.
    pub(in crate::server) fn limit_lsn(&self) -> u64 {
        self.start_lsn(self.oldest + u64::from(self.config.files))
    }

    /// Makes unused files of those that end before the checkpoint.
    fn reuse_consumed(&mut self, checkpoint_lsn: u64) {
        let file = checkpoint_lsn.saturating_sub(self.config.first_lsn) / self.config.file_bytes;
        self.oldest = self.oldest.max(file);
    }

    /// When the next round of the governor is.
    fn next_round(&self, now: SimTime) -> SimTime {
        SimTime((now.0 / self.config.round.0 + 1) * self.config.round.0)
    }
}

impl Log {
    /// Looks at the writer: whether the governor has found its mutex free, or whether it has no file to go on with.
    #[inline]
    pub(super) fn watch_redo_files(&mut self, machine: &mut Machine) {
        let Some(files) = &mut self.files else { return };
        let yields = machine.redo.written().writes / WRITES_BETWEEN_YIELDS;
        let yielded = std::mem::replace(&mut files.yields, yields) != yields;
        if !files.writer_waits && machine.redo.position().written_lsn >= files.last_file_lsn() {
            self.writer_in_last_file(yielded, machine);
        }
    }

    fn writer_in_last_file(&mut self, yielded: bool, machine: &mut Machine) {
        let waits = machine.redo.stands_at(WriterLimit::Files);
        let idle = machine.redo.write_in_progress_until().is_none();
        let Some(files) = &mut self.files else { return };
        if waits {
            files.writer_waits = true;
            machine.calendar.schedule(machine.now + files.config.writer_wait, Event::RedoFileWaitOver);
        } else if idle || yielded {
            self.reuse_redo_files(machine);
        }
    }

    fn reuse_redo_files(&mut self, machine: &mut Machine) {
        let checkpoint_lsn = machine.last_checkpoint_lsn;
        if let Some(files) = &mut self.files {
            files.reuse_consumed(checkpoint_lsn);
            machine.redo.set_limit(WriterLimit::Files, files.limit_lsn(), machine.now);
        }
    }

    /// The wait of the writer for an unused file is over: it goes on if there is one by now.
    pub(super) fn redo_file_wait_over(&mut self, machine: &mut Machine) {
        if let Some(files) = &mut self.files {
            files.writer_waits = false;
        }
        self.reuse_redo_files(machine);
        self.watch_redo_files(machine);
        self.watch_redo_written(machine);
    }

    /// The limits of user threads must be looked at again in the next round; `false` if there is no governor.
    pub(super) fn expect_governor(&mut self, machine: &mut Machine) -> bool {
        let Some(files) = &mut self.files else { return false };
        if !std::mem::replace(&mut files.round_due, true) {
            machine.calendar.schedule(files.next_round(machine.now), Event::RedoGovernor);
        }
        true
    }

    /// A round of the governor.
    pub(super) fn redo_governor(&mut self, machine: &mut Machine) {
        if let Some(files) = &mut self.files {
            files.round_due = false;
        }
        machine.ask(|model, view| model.update_limits(view));
        machine.free_check_limit_lsn = machine.model.free_check_limit_lsn();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::time::SimDuration;

    fn files(checkpoint_lsn: u64) -> RedoFiles {
        let config = RedoFilesConfig {
            file_bytes: 1_000,
            first_lsn: 8_192,
            files: 32,
            round: SimDuration::from_millis(10),
            writer_wait: SimDuration::from_millis(100),
        };
        RedoFiles::new(config, checkpoint_lsn)
    }

    #[test]
    fn a_file_is_reused_once_the_checkpoint_has_left_it() {
        let mut files = files(8_204);
        assert_eq!((files.last_file_lsn(), files.limit_lsn()), (39_192, 40_192));
        files.reuse_consumed(9_191);
        assert_eq!(files.limit_lsn(), 40_192);
        files.reuse_consumed(9_192);
        assert_eq!(files.limit_lsn(), 41_192);
        files.reuse_consumed(20_000);
        assert_eq!((files.oldest, files.limit_lsn()), (11, 51_192));
    }

    #[test]
    fn a_log_that_starts_behind_its_first_file_has_all_files_too() {
        assert_eq!((files(20_000).oldest, files(20_000).limit_lsn()), (11, 51_192));
    }

    #[test]
    fn rounds_come_at_multiples_of_their_period() {
        let files = files(8_204);
        assert_eq!([0, 9_999_999, 10_000_000].map(|at| files.next_round(SimTime(at)).0 / 1_000_000), [10, 10, 20]);
    }
}
