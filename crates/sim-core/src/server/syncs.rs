//! Data-file syncs: rounds over all files with unsynced writes.
//!
//! Source: `innodb-8.0.21` sections 2.4 and 6.1. A round takes the list of files with unsynced writes when it starts
//! and syncs them one after the other. A file that another round is syncing is waited for and looked at again; a file
//! that has been synced meanwhile is passed over. Rounds are run by the I/O thread that finished a batch (before 8.0 in
//! part by the thread that posted it), and by whoever takes a checkpoint.

use super::Server;
use super::crashes::BrokenRule;
use super::doublewrite::Held;
use super::events::Event;
use crate::kernel::time::SimTime;
use crate::storage::Op;
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

#[derive(Debug)]
struct Round {
    owner: Owner,
    files: Vec<u16>,
    next: usize,
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

#[derive(Debug, Clone, Copy)]
struct File {
    unsynced: bool,
    syncing_until: SimTime,
}

/// Files, rounds and I/O threads.
#[derive(Debug)]
pub(super) struct Syncs {
    files: Vec<File>,
    threads: Vec<IoThread>,
    rounds: Vec<Option<Round>>,
}

impl Syncs {
    pub(super) fn new(io_threads: u32, files: usize) -> Self {
        Syncs {
            files: vec![File { unsynced: false, syncing_until: SimTime::ZERO }; files],
            threads: vec![IoThread::default(); io_threads.clamp(1, 64) as usize],
            rounds: Vec::new(),
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
        self.files[usize::from(file)].unsynced = true;
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

    /// Clients that wait for an I/O thread.
    pub(super) fn waiting_clients(&self) -> usize {
        self.threads.iter().map(|t| t.clients.len()).sum()
    }

    /// The file that a round syncs next, and whether its inode has been written.
    fn next_of(&self, round: u32) -> Option<(u16, bool)> {
        let round = self.rounds[round as usize].as_ref()?;
        round.files.get(round.next).map(|&file| (file, round.inode))
    }

    /// What the thread that runs a round does.
    fn thread_of_round(&self, number: u32) -> Event {
        match self.rounds[number as usize] {
            Some(Round { owner: Owner::Poster { thread, .. }, .. }) => Event::CleanerThread(thread),
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
            (round.next, round.inode) = (round.next + 1, false);
        }
    }

    fn open(&mut self, owner: Owner) -> u32 {
        let files = (0..self.files.len() as u16).filter(|&f| self.files[usize::from(f)].unsynced).collect();
        let round = Round { owner, files, next: 0, inode: false };
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
            self.list_mutexes.hold(instance);
        }
        let round = self.syncs.open(Owner::IoThread { thread, held, mutex });
        self.crash_sees_round(round);
        self.sync_round_step(round);
    }

    /// The writes of a batch are complete and its poster syncs the data files.
    pub(super) fn start_poster_sync(&mut self, thread: u32, held: Held) {
        let round = self.syncs.open(Owner::Poster { thread, held });
        self.crash_sees_round(round);
        self.sync_round_step(round);
    }

    /// The checkpointer syncs the data files, where they are synced at all.
    pub(super) fn start_checkpoint_sync(&mut self) {
        if !self.config.data_sync.precedes_checkpoints() || self.breaks(BrokenRule::CheckpointBeforeSync) {
            return self.checkpoint_data_synced();
        }
        let round = self.syncs.open(Owner::Checkpointer);
        self.sync_round_step(round);
    }

    /// Syncs a data file, which returns when that is over; `event` happens when the thread that does it has come to a
    /// processor after that, to do `thread`.
    pub(super) fn sync_data_file(&mut self, thread: Event, event: Event) -> SimTime {
        self.recorder.counts.data_fsyncs += 1;
        let over = self.data_device.submit(self.now, Op::Sync, 0);
        self.data_sync_computes(over, thread, event);
        over
    }

    /// Syncs the next file of a round, or ends the round.
    pub(super) fn sync_round_step(&mut self, round_number: u32) {
        while let Some((file, inode)) = self.syncs.next_of(round_number) {
            let state = self.syncs.files[usize::from(file)];
            if state.syncing_until > self.now {
                self.calendar.schedule(state.syncing_until, Event::SyncRound(round_number));
                return;
            }
            if !state.unsynced {
                self.syncs.pass_over(round_number);
                continue;
            }
            let written = if inode { None } else { self.write_data_inode(file) };
            let over = match written {
                Some(write) => {
                    if write.own {
                        self.syncs.inode_written(round_number);
                    }
                    self.wakes_after(write.over_at, Event::SyncRound(round_number));
                    write.over_at
                }
                None => {
                    let thread = self.syncs.thread_of_round(round_number);
                    self.syncs.pass_over(round_number);
                    self.syncs.files[usize::from(file)].unsynced = false;
                    let over = self.sync_data_file(thread, Event::SyncRound(round_number));
                    self.crash_sees_sync(file, over);
                    over
                }
            };
            self.syncs.files[usize::from(file)].syncing_until = over;
            return;
        }
        self.end_sync_round(round_number);
    }

    fn end_sync_round(&mut self, round_number: u32) {
        let Some(round) = self.syncs.rounds[round_number as usize].take() else { return };
        self.crash_sees_round_over(round_number);
        match round.owner {
            Owner::Checkpointer => self.checkpoint_data_synced(),
            Owner::IoThread { thread, held, mutex } => {
                self.release_held(held);
                if let Some(instance) = mutex {
                    self.release_list_mutex(instance);
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
            self.calendar.schedule(self.now, Event::Body(client));
        }
        while !self.syncs.threads[thread as usize].busy
            && let Some(batch) = self.syncs.threads[thread as usize].completions.pop_front()
        {
            self.complete_share(batch, thread);
        }
    }
}
