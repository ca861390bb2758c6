//! Flushing: passes over the lists, the threads that take pages to the device, and those that complete the writes.

pub(super) mod batches;
pub(super) mod collect;
pub(super) mod completions;
pub(super) mod doublewrite;
pub(super) mod io_threads;
pub(super) mod passes;
pub(super) mod posting;

use crate::config::MachineConfig;
use crate::server::flush::batches::Batches;
use crate::server::flush::doublewrite::Doublewrite;
use crate::server::flush::io_threads::IoThreads;
use crate::server::flush::passes::Passes;
use crate::server::flush::posting::Posting;

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Flush {
    pub(super) passes: Passes,
    pub(super) posting: Posting,
    pub(super) batches: Batches,
    pub(super) doublewrite: Doublewrite,
    pub(super) io_threads: IoThreads,
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

    /// Clients that flush, or wait for batches, pages or I/O threads.
    pub(super) fn waiting_clients(&self) -> usize {
        self.passes.clients()
            + self.passes.lru_waiting_clients()
            + self.batches.waiting_clients()
            + self.io_threads.waiting_clients()
    }
}
