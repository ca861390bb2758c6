//! Data-file syncs: rounds over all files with unsynced writes.
//!
//! Source: `innodb-8.0.21` sections 2.4 and 6.1. A round takes the list of files with unsynced writes when it starts
//! and syncs them one after the other; [`data_file`] says when a file is in that list, and when its sync is somebody
//! else's. Rounds are run by the I/O thread that finished a batch (before 8.0 in part by the thread that posted it), and by
//! whoever takes a checkpoint. A client that flushes a page alone syncs its file by the same rules.
//!
//! In MariaDB a round has no list (`mariadb-10.11` section 2.2): it syncs the first file with unsynced writes, and looks again
//! until there is none. Nobody waits for a sync that another thread has begun. Many threads that take checkpoints at once
//! therefore sync the same files at the same time, and only the block layer merges their cache flushes. A file counts as
//! unsynced from the end of each of its page writes on, not from the end of the batch: while a batch is being written, such threads
//! find files to sync again and again.
//! Simplification: files come in order of their numbers, not of their last write (the number of syncs is the same).

mod data_file;
pub(super) mod journal;

use crate::config::SyncRound;
use crate::kernel::time::SimTime;
use crate::server::machine::Machine;
use crate::server::machine::disk_events::DiskEvent;
use crate::server::machine::events::Event;
use crate::server::machine::file_system::PagesFile;
use crate::server::machine::ids::RoundId;
use crate::server::machine::owners::{EndedBatch, Requester, RoundOwner, RoundStep};
use crate::storage::Op;
use data_file::DataFile;
pub(super) use data_file::Wanted;
use std::collections::VecDeque;

#[derive(Debug, Clone)]
struct Round {
    owner: RoundOwner,
    /// The files left to sync, where it took a list, the next one first.
    listed: Option<VecDeque<u16>>,
    /// The file that it has come to, and the write up to which it wants that synced.
    at: Option<(u16, u64)>,
    /// Whether the inode of that file is on its way or written.
    inode: bool,
    /// A sync that it waits for without others: the file, and the write up to which that is covered then.
    own_sync: Option<(u16, u64)>,
}

/// Files and rounds.
#[derive(Debug, Clone)]
pub(super) struct DataFiles {
    files: Vec<DataFile>,
    rounds: Vec<Option<Round>>,
    /// Who looks at a file again when its sync, whose end is not known beforehand, is over.
    waiting: Vec<(u16, Event)>,
}

impl DataFiles {
    pub(super) fn new(files: usize) -> Self {
        DataFiles { files: vec![DataFile::default(); files], rounds: Vec::new(), waiting: Vec::new() }
    }

    /// A page of this file was written.
    pub(super) fn mark_unsynced(&mut self, file: u16) {
        self.files[usize::from(file)].write();
    }

    /// A page of this file was written; which write of the file that was.
    pub(super) fn written_now(&mut self, file: u16) -> u64 {
        let file = &mut self.files[usize::from(file)];
        file.write();
        file.newest()
    }

    /// What to do for a sync of a file up to this write.
    pub(super) fn want(&mut self, file: u16, write: u64, now: SimTime) -> Wanted {
        self.files[usize::from(file)].want(write, now)
    }

    /// The file's inode is on its way until then.
    pub(super) fn inode_until(&mut self, file: u16, over: SimTime) {
        self.files[usize::from(file)].inode_until(over);
    }

    /// A sync of the file begins.
    pub(super) fn sync_until(&mut self, file: u16, over: SimTime) {
        self.files[usize::from(file)].sync_until(over);
    }

    /// The sync of the file, whose end was not known beforehand, is over; who waited for that.
    pub(super) fn sync_ends(&mut self, file: u16, now: SimTime) -> Vec<Event> {
        self.files[usize::from(file)].sync_ends(now);
        self.waiting.extract_if(.., |(waited, _)| *waited == file).map(|(_, event)| event).collect()
    }

    /// Clients that wait for another thread's sync of a file, or sync the files for a checkpoint.
    pub(super) fn waiting_clients(&self) -> usize {
        let in_rounds = self.rounds.iter().flatten().filter(|round| match round.owner {
            RoundOwner::Thread(Requester::Client(_), _) => true,
            RoundOwner::Thread(..) | RoundOwner::Batch(_) | RoundOwner::Checkpoint => false,
        });
        in_rounds.count() + self.waiting.iter().filter(|(_, event)| event.client().is_some()).count()
    }

    /// The file that a round syncs next, up to which write, and whether its inode has been written.
    fn next_of(&mut self, id: RoundId, now: SimTime) -> Option<(u16, u64, bool)> {
        let round = self.rounds[id].as_mut()?;
        let (file, wanted) = match round.at {
            Some(at) => at,
            None => {
                let file = match &round.listed {
                    Some(listed) => *listed.front()?,
                    None => self.files.iter_mut().position(|file| file.is_unsynced(now))? as u16,
                };
                (file, self.files[usize::from(file)].newest())
            }
        };
        round.at = Some((file, wanted));
        Some((file, wanted, round.inode))
    }

    /// What the thread that runs a round does.
    fn thread_of_round(&self, round: RoundId) -> Event {
        match self.rounds[round] {
            Some(Round { owner: RoundOwner::Batch(EndedBatch::Poster { thread, .. }), .. }) => {
                Event::FlushThread(thread)
            }
            _ => Event::SyncRound(round),
        }
    }

    fn inode_written(&mut self, round: RoundId) {
        if let Some(round) = &mut self.rounds[round] {
            round.inode = true;
        }
    }

    /// The round is through with its file, or need not sync it.
    fn pass_over(&mut self, round: RoundId) {
        if let Some(round) = &mut self.rounds[round] {
            (round.at, round.inode) = (None, false);
            if let Some(listed) = &mut round.listed {
                listed.pop_front();
            }
        }
    }

    /// The round begins the sync of its file, and will be told when it is over.
    fn begins_sync(&mut self, id: RoundId) {
        if let Some(round) = &mut self.rounds[id] {
            round.own_sync = round.at.filter(|_| round.listed.is_none());
        }
        self.pass_over(id);
    }

    /// The sync that a round without a list waited for is over.
    fn own_sync_ends(&mut self, id: RoundId) {
        let own = self.rounds[id].as_mut().and_then(|round| round.own_sync.take());
        if let Some((file, write)) = own {
            self.files[usize::from(file)].synced_up_to(write);
        }
    }

    /// Whether a round waits for syncs of others and lets others wait for its own.
    fn shares_syncs(&self, id: RoundId) -> bool {
        self.rounds[id].as_ref().is_some_and(|round| round.listed.is_some())
    }

    /// A round over the files that have unsynced writes now, those that somebody is syncing among them; or over those that
    /// have them whenever it looks.
    fn open(&mut self, owner: RoundOwner, kind: SyncRound, now: SimTime) -> RoundId {
        let listed = (kind == SyncRound::Listed).then(|| {
            let files = (0u16..).zip(&mut self.files);
            files.filter_map(|(number, file)| file.is_unsynced(now).then_some(number)).collect()
        });
        let round = Round { owner, listed, at: None, inode: false, own_sync: None };
        match self.rounds.iter().position(Option::is_none) {
            Some(free) => {
                self.rounds[free] = Some(round);
                RoundId::at(free)
            }
            None => {
                let round_id = RoundId::at(self.rounds.len());
                self.rounds.push(Some(round));
                round_id
            }
        }
    }
}

impl DataFiles {
    /// Begins to sync the data files for `owner`.
    pub(super) fn begin_round(&mut self, owner: RoundOwner, machine: &mut Machine) -> RoundStep {
        let round = self.open(owner, machine.config.sync_round, machine.now);
        if let RoundOwner::Batch(_) = owner {
            machine.observers.tell(DiskEvent::RoundBegan { round: round.0 });
        }
        self.resume_round(round, machine)
    }

    /// Syncs the next file of a round, or ends the round.
    pub(super) fn resume_round(&mut self, round_id: RoundId, machine: &mut Machine) -> RoundStep {
        self.own_sync_ends(round_id);
        while let Some(&(_, file)) = machine.page_writes.front().filter(|(done, _)| *done <= machine.now) {
            machine.page_writes.pop_front();
            self.mark_unsynced(file);
        }
        while let Some((file, wanted, inode)) = self.next_of(round_id, machine.now) {
            let want = if self.shares_syncs(round_id) { self.want(file, wanted, machine.now) } else { Wanted::Sync };
            match want {
                Wanted::Synced => {
                    self.pass_over(round_id);
                    continue;
                }
                Wanted::Wait(until) => self.wait_for_sync(file, until, Event::SyncRound(round_id), machine),
                Wanted::Sync => self.sync_file_of_round(round_id, file, inode, machine),
            }
            return RoundStep::Runs;
        }
        let Some(round) = self.rounds[round_id].take() else { return RoundStep::Runs };
        machine.observers.tell(DiskEvent::RoundEnded { round: round_id.0 });
        RoundStep::Over(round.owner)
    }

    /// `event` happens when the sync of a file by somebody else is over, at `until` if that is known.
    pub(super) fn wait_for_sync(&mut self, file: u16, until: SimTime, event: Event, machine: &mut Machine) {
        if until == SimTime::NEVER {
            self.waiting.push((file, event));
        } else {
            machine.calendar.schedule(until, event);
        }
    }

    /// Syncs a file of a round; before that, its inode.
    fn sync_file_of_round(&mut self, round_id: RoundId, file: u16, inode: bool, machine: &mut Machine) {
        let thread = self.thread_of_round(round_id);
        let shared = self.shares_syncs(round_id);
        if self.sync_pages_through_journal(PagesFile::Data(file), thread, Event::SyncRound(round_id), machine) {
            if shared {
                self.sync_until(file, SimTime::NEVER);
            }
            return self.begins_sync(round_id);
        }
        let written = if inode { None } else { machine.disks().write_data_inode(file) };
        if let Some(write) = written {
            if write.own {
                self.inode_written(round_id);
            }
            machine.cpu().wakes_after(write.over_at, Event::SyncRound(round_id));
            if shared {
                self.inode_until(file, write.over_at);
            }
            return;
        }
        self.begins_sync(round_id);
        let over = machine.sync_data_file(thread, Event::SyncRound(round_id));
        machine.observers.tell(DiskEvent::FileSynced { file, began: machine.now, done: over });
        if shared {
            self.sync_until(file, over);
        }
    }
}

impl Machine {
    /// A write of a data file will be over at `done`: threads that look for unsynced files see it from then on, where they
    /// look again and again.
    pub(super) fn file_written_at(&mut self, file: u16, done: SimTime) {
        let syncs = self.config.data_sync.follows_batches() || self.config.data_sync.precedes_checkpoints();
        if syncs && self.config.sync_round == SyncRound::UntilNoneLeft {
            let place = self.page_writes.partition_point(|(earlier, _)| *earlier <= done);
            self.page_writes.insert(place, (done, file));
        }
    }

    /// Syncs a data file, which returns when that is over; `event` happens when the thread that does it has come to a
    /// processor after that, to do `thread`.
    pub(super) fn sync_data_file(&mut self, thread: Event, event: Event) -> SimTime {
        self.recorder.counts.data_fsyncs += 1;
        let over = self.data_device.submit(self.now, Op::Sync, 0);
        self.cpu().data_sync_computes(over, thread, event);
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::machine::ids::ThreadId;
    use crate::server::machine::owners::Held;

    /// Files 0 and 2 of three have unsynced writes.
    fn two_unsynced() -> DataFiles {
        let mut files = DataFiles::new(3);
        files.mark_unsynced(0);
        files.mark_unsynced(2);
        files
    }

    #[test]
    fn a_round_goes_over_the_files_that_are_unsynced_as_it_begins() {
        let mut files = two_unsynced();
        let round = files.open(RoundOwner::Checkpoint, SyncRound::Listed, SimTime(1));
        files.mark_unsynced(1);
        assert_eq!(files.next_of(round, SimTime(1)), Some((0, 1, false)));
        files.mark_unsynced(0);
        assert_eq!(
            files.next_of(round, SimTime(1)),
            Some((0, 1, false)),
            "it wants what was written when it came to the file"
        );
        files.inode_written(round);
        assert_eq!(files.next_of(round, SimTime(1)), Some((0, 1, true)));
        files.pass_over(round);
        assert_eq!(files.next_of(round, SimTime(1)), Some((2, 1, false)));
        files.pass_over(round);
        assert_eq!(files.next_of(round, SimTime(1)), None);
    }

    #[test]
    fn rounds_run_beside_each_other_and_free_numbers_are_taken_first() {
        let mut files = two_unsynced();
        let opened = [0, 1, 2].map(|_| files.open(RoundOwner::Checkpoint, SyncRound::Listed, SimTime(1)));
        files.pass_over(opened[0]);
        assert_eq!(
            [opened[0], opened[2]].map(|round| files.next_of(round, SimTime(1)).map(|(file, ..)| file)),
            [Some(2), Some(0)]
        );
        let again = opened[1];
        files.rounds[again] = None;
        assert_eq!(files.open(RoundOwner::Checkpoint, SyncRound::Listed, SimTime(2)), again);
    }

    #[test]
    fn rounds_without_a_list_sync_the_same_file_at_once_and_end_when_no_file_is_unsynced() {
        let mut files = two_unsynced();
        let rounds = [1, 2].map(|_| files.open(RoundOwner::Checkpoint, SyncRound::UntilNoneLeft, SimTime(1)));
        for round in rounds {
            assert_eq!(files.next_of(round, SimTime(1)), Some((0, 1, false)), "whoever is syncing it");
            files.begins_sync(round);
        }
        files.mark_unsynced(1);
        files.own_sync_ends(rounds[0]);
        assert_eq!(files.next_of(rounds[0], SimTime(2)), Some((1, 1, false)), "unsynced since the round began");
        files.begins_sync(rounds[0]);
        files.own_sync_ends(rounds[0]);
        files.own_sync_ends(rounds[1]);
        assert_eq!(files.next_of(rounds[1], SimTime(3)), Some((2, 1, false)));
        files.begins_sync(rounds[1]);
        files.mark_unsynced(2);
        files.own_sync_ends(rounds[1]);
        assert_eq!(files.next_of(rounds[1], SimTime(4)), Some((2, 2, false)), "written while it was synced");
        files.begins_sync(rounds[1]);
        files.own_sync_ends(rounds[1]);
        assert_eq!(rounds.map(|round| files.next_of(round, SimTime(5))), [None, None]);
    }

    #[test]
    fn the_thread_of_a_round_is_its_poster_or_the_round() {
        let mut files = two_unsynced();
        let poster = RoundOwner::Batch(EndedBatch::Poster { thread: ThreadId(7), held: Held::Nothing });
        let (of_poster, of_checkpoint) = (
            files.open(poster, SyncRound::Listed, SimTime(1)),
            files.open(RoundOwner::Checkpoint, SyncRound::Listed, SimTime(1)),
        );
        assert_eq!(files.thread_of_round(of_poster), Event::FlushThread(ThreadId(7)));
        assert_eq!(files.thread_of_round(of_checkpoint), Event::SyncRound(of_checkpoint));
    }
}
