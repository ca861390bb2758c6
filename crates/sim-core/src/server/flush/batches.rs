//! Batches of page writes.
//!
//! Source: `innodb-8.0.21` sections 4.5 and 6.1. Pages of a batch are under write from the moment they are collected
//! (the wait for the doublewrite included) until their batch is finished ([`crate::server::flush::completions`]).

use crate::kernel::time::SimTime;
use crate::server::machine::ids::{BatchId, ClientId, ThreadId};
use crate::server::machine::owners::{Held, ListKind};

/// Stands for a page of a batch that was completed before the rest of its batch.
pub(super) const COMPLETED: u32 = u32::MAX;

/// Pages on their way to the data files.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Batch {
    pub(in crate::server) kind: ListKind,
    pub(in crate::server) instance: usize,
    pub(in crate::server) pages: Vec<u32>,
    /// Device completion of each page posted so far.
    pub(in crate::server) done: Vec<SimTime>,
    /// Pages that were prepared for writing while others were still to be collected.
    pub(super) prepared: u64,
    /// Redo that must be durable before the batch may be written.
    pub(in crate::server) wanted_lsn: u64,
    /// Clients that wait for a page of this batch that is not posted yet.
    pub(in crate::server) waiters: Vec<(ClientId, u32)>,
    /// I/O threads that have not yet completed their share.
    pub(super) threads_left: u32,
    /// The thread that waits for the end of the batch.
    pub(super) poster: Option<ThreadId>,
    /// Whether the thread that posted it waits for it only with a later batch of the same slot.
    pub(super) waited_for_later: bool,
    pub(in crate::server) held: Held,
}

/// All batches.
#[derive(Debug, Clone, Default)]
pub(super) struct Batches {
    slab: Vec<Batch>,
    unused: Vec<BatchId>,
}

impl Batches {
    /// A new empty batch.
    pub(super) fn create(&mut self, kind: ListKind, instance: usize) -> BatchId {
        let batch_id = self.unused.pop().unwrap_or_else(|| {
            self.slab.push(Batch::default());
            BatchId::at(self.slab.len() - 1)
        });
        let batch = &mut self.slab[batch_id];
        (batch.kind, batch.instance, batch.prepared, batch.wanted_lsn) = (kind, instance, 0, 0);
        (batch.poster, batch.waited_for_later, batch.held) = (None, false, Held::Nothing);
        batch_id
    }

    /// Gives an empty batch back.
    pub(super) fn discard(&mut self, batch_id: BatchId) {
        let batch = &mut self.slab[batch_id];
        debug_assert!(batch.waiters.is_empty(), "nobody wakes {:?}", batch.waiters);
        batch.pages.clear();
        batch.done.clear();
        self.unused.push(batch_id);
    }

    pub(in crate::server) fn get(&mut self, batch_id: BatchId) -> &mut Batch {
        &mut self.slab[batch_id]
    }

    /// Pages under write in all of them.
    pub(in crate::server) fn pages_under_write(&self) -> u64 {
        let left = |batch: &Batch| batch.pages.iter().filter(|&&page| page != COMPLETED).count() as u64;
        self.slab.iter().map(left).sum()
    }

    /// The batch in which a page is under write, and its place there.
    pub(super) fn with_page(&mut self, page: u32) -> Option<(&mut Batch, usize)> {
        self.slab.iter_mut().find_map(|batch| {
            let place = batch.pages.iter().position(|&p| p == page)?;
            Some((batch, place))
        })
    }

    /// Clients that wait for a page that is not posted yet.
    pub(in crate::server) fn waiting_clients(&self) -> usize {
        self.slab.iter().map(|b| b.waiters.len()).sum()
    }
}
