//! The write I/O threads: which are busy, and what waits for each.

use crate::server::machine::ids::{BatchId, ClientId};
use std::collections::VecDeque;

#[derive(Debug, Clone, Default)]
struct IoThread {
    busy: bool,
    /// Batches whose share it will complete when it is free.
    completions: VecDeque<BatchId>,
    /// Clients that wait for it to complete a page.
    clients: Vec<ClientId>,
}

/// All of them.
#[derive(Debug, Clone)]
pub(super) struct IoThreads {
    threads: Vec<IoThread>,
}

impl IoThreads {
    pub(in crate::server) fn new(threads: u32) -> Self {
        IoThreads { threads: vec![IoThread::default(); threads.clamp(1, 64) as usize] }
    }

    pub(in crate::server) fn count(&self) -> u32 {
        self.threads.len() as u32
    }

    /// The thread that completes writes of pages of an extent.
    #[inline]
    pub(super) fn thread_of(&self, extent: u32) -> u32 {
        extent % self.count()
    }

    /// If the thread is busy, remembers that it has a share of the batch to complete.
    pub(super) fn complete_later(&mut self, thread: u32, batch: BatchId) -> bool {
        let thread = &mut self.threads[thread as usize];
        if thread.busy {
            thread.completions.push_back(batch);
        }
        thread.busy
    }

    /// If the thread is busy, the client goes on when it is not.
    pub(super) fn wait_for(&mut self, thread: u32, client: ClientId) -> bool {
        let thread = &mut self.threads[thread as usize];
        if thread.busy {
            thread.clients.push(client);
        }
        thread.busy
    }

    /// The thread waits for the mutex of an instance, or syncs the data files, and completes nothing meanwhile; or it has done
    /// so to the end.
    pub(super) fn set_busy(&mut self, thread: u32, busy: bool) {
        self.threads[thread as usize].busy = busy;
    }

    /// The clients that waited for a thread, unless it is busy.
    pub(super) fn take_clients(&mut self, thread: u32) -> Vec<ClientId> {
        let thread = &mut self.threads[thread as usize];
        if thread.busy { Vec::new() } else { std::mem::take(&mut thread.clients) }
    }

    /// The next batch whose share a thread completes, unless it is busy.
    pub(in crate::server) fn next_completion(&mut self, thread: u32) -> Option<BatchId> {
        let thread = &mut self.threads[thread as usize];
        if thread.busy { None } else { thread.completions.pop_front() }
    }

    /// Clients that wait for one of them.
    pub(in crate::server) fn waiting_clients(&self) -> usize {
        self.threads.iter().map(|thread| thread.clients.len()).sum()
    }
}
