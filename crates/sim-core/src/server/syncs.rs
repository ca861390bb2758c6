//! Data-file syncs: rounds over all files with unsynced writes.
//!
//! Source: `innodb-8.0.21` sections 2.4 and 6.1. A round takes the list of files with unsynced writes when it starts
//! and syncs them one after the other; [`data_file`] says when a file is in that list, and when its sync is somebody
//! else's. Rounds are run by the I/O thread that finished a batch (before 8.0 in part by the thread that posted it), and by
//! whoever takes a checkpoint. A client that flushes a page alone syncs its file by the same rules.

mod data_file;

use super::Server;
use super::crashes::BrokenRule;
use super::events::Event;
use super::ids::Held;
use super::machine::Machine;
use crate::kernel::time::SimTime;
use crate::storage::Op;
use data_file::DataFile;
pub(super) use data_file::Wanted;
use std::collections::VecDeque;

/// Who runs a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// An I/O thread, after a batch that gives back what it holds at the end, the mutex of an instance maybe.
    IoThread { thread: u32, held: Held, mutex: Option<usize> },
    /// The thread that posted a batch and waited for it.
    Poster { thread: u32, held: Held },
    /// The checkpointer.
    Checkpointer,
}

#[derive(Debug, Clone)]
struct Round {
    owner: Owner,
    files: Vec<u16>,
    next: usize,
    /// The write up to which it wants that file synced, once it has come to it.
    wanted: Option<u64>,
    /// Whether the inode of that file is on its way or written.
    inode: bool,
}

#[derive(Debug, Clone, Default)]
struct IoThread {
    busy: bool,
    /// Batches whose share it will complete when it is free.
    completions: VecDeque<u32>,
    /// Clients that wait for it to complete a page.
    clients: Vec<u32>,
}

/// Files, rounds and I/O threads.
#[derive(Debug, Clone)]
pub(super) struct Syncs {
    files: Vec<DataFile>,
    threads: Vec<IoThread>,
    rounds: Vec<Option<Round>>,
    /// Who looks at a file again when its sync, whose end is not known beforehand, is over.
    waiting: Vec<(u16, Event)>,
}

impl Syncs {
    pub(super) fn new(io_threads: u32, files: usize) -> Self {
        Syncs {
            files: vec![DataFile::default(); files],
            threads: vec![IoThread::default(); io_threads.clamp(1, 64) as usize],
            rounds: Vec::new(),
            waiting: Vec::new(),
        }
    }

    pub(super) fn threads(&self) -> u32 {
        self.threads.len() as u32
    }

    /// The I/O thread that completes writes of pages of an extent.
    #[inline]
    pub(super) fn thread_of(&self, extent: u32) -> u32 {
        extent % self.threads()
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

    /// If the thread is busy, remembers that it has a share of the batch to complete.
    pub(super) fn complete_later(&mut self, thread: u32, batch: u32) -> bool {
        let thread = &mut self.threads[thread as usize];
        if thread.busy {
            thread.completions.push_back(batch);
        }
        thread.busy
    }

    /// If the thread is busy, the client goes on when it is not.
    pub(super) fn wait_for_thread(&mut self, thread: u32, client: u32) -> bool {
        let thread = &mut self.threads[thread as usize];
        if thread.busy {
            thread.clients.push(client);
        }
        thread.busy
    }

    /// The thread waits for the mutex of an instance, and completes nothing meanwhile.
    pub(super) fn io_thread_waits(&mut self, thread: u32) {
        self.threads[thread as usize].busy = true;
    }

    /// It has waited, or synced, to the end.
    pub(super) fn io_thread_goes_on(&mut self, thread: u32) {
        self.threads[thread as usize].busy = false;
    }

    /// Clients that wait for an I/O thread, or for somebody's sync of a file.
    pub(super) fn waiting_clients(&self) -> usize {
        let for_files = self.waiting.iter().filter(|(_, event)| matches!(event, Event::SinglePage(_))).count();
        for_files + self.threads.iter().map(|t| t.clients.len()).sum::<usize>()
    }

    /// The file that a round syncs next, up to which write, and whether its inode has been written.
    fn next_of(&mut self, round: u32) -> Option<(u16, u64, bool)> {
        let round = self.rounds[round as usize].as_mut()?;
        let &file = round.files.get(round.next)?;
        let wanted = *round.wanted.get_or_insert(self.files[usize::from(file)].newest());
        Some((file, wanted, round.inode))
    }

    /// What the thread that runs a round does.
    fn thread_of_round(&self, number: u32) -> Event {
        match self.rounds[number as usize] {
            Some(Round { owner: Owner::Poster { thread, .. }, .. }) => Event::FlushThread(thread),
            _ => Event::SyncRound(number),
        }
    }

    fn inode_written(&mut self, round: u32) {
        if let Some(round) = &mut self.rounds[round as usize] {
            round.inode = true;
        }
    }

    /// The round is through with its file, or need not sync it.
    fn pass_over(&mut self, round: u32) {
        if let Some(round) = &mut self.rounds[round as usize] {
            (round.next, round.wanted, round.inode) = (round.next + 1, None, false);
        }
    }

    /// A round over the files that have unsynced writes now, those that somebody is syncing among them.
    fn open(&mut self, owner: Owner, now: SimTime) -> u32 {
        let files = (0u16..).zip(&mut self.files).filter_map(|(number, file)| file.is_unsynced(now).then_some(number));
        let round = Round { owner, files: files.collect(), next: 0, wanted: None, inode: false };
        match self.rounds.iter().position(Option::is_none) {
            Some(free) => {
                self.rounds[free] = Some(round);
                free as u32
            }
            None => {
                self.rounds.push(Some(round));
                self.rounds.len() as u32 - 1
            }
        }
    }
}

impl Server {
    /// An I/O thread finished a batch: it syncs the data files.
    pub(super) fn start_batch_sync(&mut self, thread: u32, held: Held, mutex: Option<usize>) {
        self.syncs.threads[thread as usize].busy = true;
        if let Some(instance) = mutex {
            self.machine.lru_list_mutexes.hold(instance);
        }
        let round = self.syncs.open(Owner::IoThread { thread, held, mutex }, self.machine.now);
        self.machine.crash_sees_round(round);
        self.sync_round_step(round);
    }

    /// The writes of a batch are complete and its poster syncs the data files.
    pub(super) fn start_poster_sync(&mut self, thread: u32, held: Held) {
        let round = self.syncs.open(Owner::Poster { thread, held }, self.machine.now);
        self.machine.crash_sees_round(round);
        self.sync_round_step(round);
    }

    /// The checkpointer syncs the data files, where they are synced at all.
    pub(super) fn start_checkpoint_sync(&mut self) {
        if !self.machine.config.data_sync.precedes_checkpoints()
            || self.machine.breaks(BrokenRule::CheckpointBeforeSync)
        {
            return self.checkpoint_data_synced();
        }
        let round = self.syncs.open(Owner::Checkpointer, self.machine.now);
        self.sync_round_step(round);
    }

    /// Syncs the next file of a round, or ends the round.
    pub(super) fn sync_round_step(&mut self, round_number: u32) {
        while let Some((file, wanted, inode)) = self.syncs.next_of(round_number) {
            match self.syncs.want(file, wanted, self.machine.now) {
                Wanted::Synced => self.syncs.pass_over(round_number),
                Wanted::Wait(until) => return self.wait_for_sync(file, until, Event::SyncRound(round_number)),
                Wanted::Sync => return self.sync_file_of_round(round_number, file, inode),
            }
        }
        self.end_sync_round(round_number);
    }

    /// `event` happens when the sync of a file by somebody else is over, at `until` if that is known.
    pub(super) fn wait_for_sync(&mut self, file: u16, until: SimTime, event: Event) {
        if until == SimTime::NEVER {
            self.syncs.waiting.push((file, event));
        } else {
            self.machine.calendar.schedule(until, event);
        }
    }

    /// Syncs a file of a round; before that, its inode.
    fn sync_file_of_round(&mut self, round_number: u32, file: u16, inode: bool) {
        let thread = self.syncs.thread_of_round(round_number);
        if self.sync_pages_through_journal(Some(file), thread, Event::SyncRound(round_number)) {
            return self.syncs.pass_over(round_number);
        }
        let written = if inode { None } else { self.machine.write_data_inode(file) };
        if let Some(write) = written {
            if write.own {
                self.syncs.inode_written(round_number);
            }
            self.machine.wakes_after(write.over_at, Event::SyncRound(round_number));
            return self.syncs.inode_until(file, write.over_at);
        }
        self.syncs.pass_over(round_number);
        let over = self.machine.sync_data_file(thread, Event::SyncRound(round_number));
        self.machine.crash_sees_sync(file, over);
        self.syncs.sync_until(file, over);
    }

    fn end_sync_round(&mut self, round_number: u32) {
        let Some(round) = self.syncs.rounds[round_number as usize].take() else { return };
        self.machine.crash_sees_round_over(round_number);
        match round.owner {
            Owner::Checkpointer => self.checkpoint_data_synced(),
            Owner::IoThread { thread, held, mutex } => {
                self.release_held(held);
                if let Some(instance) = mutex {
                    self.machine.release_lru_list_mutex(instance);
                }
                self.syncs.io_thread_goes_on(thread);
                self.io_thread_done(thread);
            }
            Owner::Poster { thread, held } => {
                self.release_held(held);
                self.poster_goes_on(thread);
            }
        }
    }

    /// An I/O thread has ended a batch: unless that keeps it busy, it turns to what waits for it.
    pub(super) fn io_thread_done(&mut self, thread: u32) {
        if self.syncs.threads[thread as usize].busy {
            return;
        }
        for client in std::mem::take(&mut self.syncs.threads[thread as usize].clients) {
            self.machine.calendar.schedule(self.machine.now, Event::ClientResumes(client));
        }
        while !self.syncs.threads[thread as usize].busy
            && let Some(batch) = self.syncs.threads[thread as usize].completions.pop_front()
        {
            self.complete_share(batch, thread);
        }
    }
}

impl Machine {
    /// Syncs a data file, which returns when that is over; `event` happens when the thread that does it has come to a
    /// processor after that, to do `thread`.
    pub(super) fn sync_data_file(&mut self, thread: Event, event: Event) -> SimTime {
        self.recorder.counts.data_fsyncs += 1;
        let over = self.data_device.submit(self.now, Op::Sync, 0);
        self.data_sync_computes(over, thread, event);
        over
    }
}
