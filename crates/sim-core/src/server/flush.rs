//! Flushing: passes over the lists, the threads that take pages to the device, and those that complete the writes.

pub(super) mod batches;
pub(super) mod collect;
pub(super) mod completions;
pub(super) mod doublewrite;
pub(super) mod io_threads;
pub(super) mod lru_batches;
pub(super) mod passes;
pub(super) mod posting;

use crate::config::MachineConfig;
use crate::seam::FlushRequest;
use crate::server::flush::batches::Batches;
use crate::server::flush::doublewrite::Doublewrite;
use crate::server::flush::io_threads::IoThreads;
use crate::server::flush::passes::{Passes, Phase};
use crate::server::flush::posting::Posting;

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Flush {
    passes: Passes,
    posting: Posting,
    batches: Batches,
    doublewrite: Doublewrite,
    io_threads: IoThreads,
}

impl Flush {
    pub(super) fn new(config: &MachineConfig) -> Self {
        Flush {
            passes: Passes::new(config.cleaner_threads, config.buffer_pool.instances),
            posting: Posting::default(),
            batches: Batches::default(),
            doublewrite: Doublewrite::new(&config.doublewrite),
            io_threads: IoThreads::new(config.write_io_threads),
        }
    }

    /// The page cleaner's request, while it is carried out.
    pub(super) fn cleaner_request(&self) -> Option<&FlushRequest> {
        self.passes.of_cleaner()
    }

    /// Pages under write in batches, and those in the hands of threads; an error if a thread that rests has any.
    pub(super) fn pages_under_write(&self) -> Result<(u64, u64), String> {
        let threads = &self.passes.threads;
        if let Some(left) = threads.iter().find(|thread| thread.phase == Phase::Idle && !thread.carry.is_empty()) {
            return Err(format!("pages {:?} are under write, and nobody writes them", left.carry));
        }
        let carried = threads.iter().map(|thread| thread.carry.len() as u64).sum();
        Ok((self.batches.pages_under_write(), carried))
    }

    /// Clients that flush, or wait for batches, pages or I/O threads.
    pub(super) fn waiting_clients(&self) -> usize {
        self.passes.clients()
            + self.passes.lru_waiting_clients()
            + self.batches.waiting_clients()
            + self.io_threads.waiting_clients()
    }
}
