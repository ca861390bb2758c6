//! The redo log's threads, and those who wait for them: commits, page writes, room in the log buffer.

pub(super) mod binlog;
pub(super) mod buffer;
pub(super) mod commit;
pub(super) mod redo_files;
pub(super) mod threads;

use crate::config::{RedoConfig, RedoPipeline};
use crate::kernel::random::Rng;
use crate::kernel::time::SimTime;
use crate::metrics::SecondSample;
use crate::redo::RedoLog;
use crate::server::log::buffer::LogBufferQueue;
use crate::server::log::commit::Commit;
use crate::server::log::redo_files::RedoFiles;
use crate::server::log::threads::LogThreads;
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::events::Event;

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Log {
    commit: Commit,
    pub(super) buffer: LogBufferQueue,
    threads: Option<LogThreads>,
    files: Option<RedoFiles>,
}

impl Log {
    /// The threads of a log whose last checkpoint is at `checkpoint_lsn`.
    pub(super) fn new(config: &RedoConfig, checkpoint_lsn: u64, redo: &mut RedoLog, rng: Rng) -> Self {
        let wake_up = match config.pipeline {
            RedoPipeline::DedicatedThreads => costs::COMMIT_WAKE_UP,
            RedoPipeline::CommittingThread | RedoPipeline::LogMutex => costs::SELF_COMMIT_WAKE_UP,
        };
        Log {
            commit: Commit::new(wake_up),
            buffer: LogBufferQueue::default(),
            threads: config.log_threads.map(|config| LogThreads::new(config, rng)),
            files: RedoFiles::of(config, checkpoint_lsn, redo),
        }
    }

    /// An event of the log that acknowledges nobody.
    pub(super) fn handle(&mut self, event: Event, machine: &mut Machine) {
        match event {
            Event::RedoOnDevice => self.redo_on_device(machine),
            Event::FlusherTimer => self.flusher_timer(machine),
            Event::FlusherLooks(number) => self.flusher_looks(number, machine),
            Event::RedoGovernor => self.redo_governor(machine),
            Event::RedoFileWaitOver => self.redo_file_wait_over(machine),
            _ => debug_assert!(false, "{event:?} is not of the log"),
        }
    }

    /// Puts what writer and flusher did in the second that ends now into its row, where they are threads of their own.
    pub(super) fn fill(&mut self, now: SimTime, row: &mut SecondSample) {
        if let Some(threads) = &mut self.threads {
            threads.fill(now, row);
        }
    }

    /// Clients that wait for redo or for room in the log buffer.
    pub(super) fn waiting_clients(&self) -> usize {
        self.commit.waiting() + self.buffer.waiting()
    }
}
