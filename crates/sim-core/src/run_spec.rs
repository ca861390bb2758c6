//! One run, fully resolved: everything the machine needs besides the server version.

use crate::config::{AdaptiveHashCost, BinaryLogConfig, ChangeBufferConfig, PurgeConfig, ReadView};
use crate::kernel::time::{SimDuration, SimTime};
use crate::seam::WorkBefore;
use crate::storage::StorageSpec;
use crate::workload::WorkloadSpec;
use serde::{Deserialize, Serialize};

/// One run, fully resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// Seed of the scenario.
    pub seed: u64,
    /// Number of the replication; each has random streams of its own.
    pub replication: u32,
    /// Simulated time.
    pub duration: SimDuration,
    /// How long the server had been up, without load, when the run begins.
    pub server_up: SimDuration,
    /// Storage devices.
    pub storage: StorageSpec,
    /// Workload.
    pub workload: WorkloadSpec,
    /// What takes CPU time besides transactions, and how it is shared.
    pub cpu: CpuSpec,
    /// How CPU time grows with the number of threads that run at once.
    #[serde(default)]
    pub cpu_slowdown: CpuSlowdown,
    /// CPU time that other programs of the host take, in order of time.
    pub other_programs: Vec<OtherPrograms>,
    /// The binary log, if one is written.
    pub binary_log: Option<BinaryLogConfig>,
    /// The change buffer, if changes of secondary indexes are buffered.
    pub change_buffer: Option<ChangeBufferConfig>,
    /// What the adaptive hash index costs, if it is on and the scenario says.
    pub adaptive_hash: Option<AdaptiveHashCost>,
    /// Purge, if what the workload leaves behind is purged; otherwise all redo belongs to the transactions and no
    /// history is kept.
    pub purge: Option<PurgeConfig>,
    /// How often somebody asks for `SHOW ENGINE INNODB STATUS`, which wakes a purge that waits for a timer.
    pub engine_status_every: Option<SimDuration>,
    /// Read views that are held open beside the workload.
    pub read_views: Vec<ReadView>,
    /// Pages that are dirty at the start; none otherwise.
    pub dirty_start: Option<DirtyStart>,
    /// Verify the invariants at every event.
    pub check: bool,
}

/// A start in the middle of the work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DirtyStart {
    /// Share of the pages in the buffer pool that are dirty.
    pub share: f64,
    /// Redo between the last checkpoint and the end of the log; the oldest modifications lie evenly over it.
    pub checkpoint_age_bytes: u64,
    /// What went on until then.
    pub before: WorkBefore,
}

/// The processors, but for their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuSpec {
    /// How threads share them.
    pub scheduling: CpuScheduling,
    /// CPU time of a sync of the redo log, threads that it wakes included; a sync of a data file takes half of it.
    pub sync: SimDuration,
    /// CPU time of a page write.
    pub page_write: SimDuration,
    /// CPU time of a client's page read.
    pub page_read: SimDuration,
    /// CPU time of a page's checksum, in the thread that gets the page ready for writing; nothing if it is part of the
    /// page write's.
    pub page_checksum: SimDuration,
    /// CPU time of a client's own flush of old pages, beyond that of its writes and syncs.
    pub client_flush: SimDuration,
    /// CPU time of the load generator to hand a transaction of an open drive to its thread; in a closed drive the
    /// thread goes on by itself.
    pub dispatch: SimDuration,
    /// CPU time for which a thread spins on the mutex of an LRU list before it sleeps.
    pub mutex_spin: SimDuration,
    /// CPU time of purge for a record that it removes or changes.
    pub purge_change: SimDuration,
    /// Whether page cleaner threads run before all others, as MySQL 5.7 and later ask for.
    pub cleaner_priority: bool,
}

/// CPU time as a multiple of that of a thread alone: pairs of (threads that run or wait for a processor, as a share of the
/// processors; factor), both rising; linear in between, level outside. Empty: 1 throughout.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CpuSlowdown(pub Vec<(f64, f64)>);

impl CpuSlowdown {
    /// The factor at a share of the processors.
    pub fn at(&self, share: f64) -> f64 {
        let above = self.0.iter().position(|(at, _)| *at >= share);
        match (above, self.0.last()) {
            (_, None) => 1.0,
            (None, Some((_, last))) => *last,
            (Some(0), _) => self.0[0].1,
            (Some(next), _) => {
                let ((low, from), (high, to)) = (self.0[next - 1], self.0[next]);
                from + (to - from) * (share - low) / (high - low)
            }
        }
    }
}

impl Default for CpuSpec {
    /// Processors in turns, no time for anything but transactions and purge.
    fn default() -> Self {
        CpuSpec {
            scheduling: CpuScheduling::default(),
            sync: SimDuration::ZERO,
            page_write: SimDuration::ZERO,
            page_read: SimDuration::ZERO,
            page_checksum: SimDuration::ZERO,
            client_flush: SimDuration::ZERO,
            dispatch: SimDuration::ZERO,
            mutex_spin: SimDuration::ZERO,
            purge_change: SimDuration::from_micros(6),
            cleaner_priority: false,
        }
    }
}

impl CpuSpec {
    /// CPU time of a sync of a data file: half of a redo sync's, as no client waits for it.
    pub fn data_sync(&self) -> SimDuration {
        SimDuration(self.sync.0 / 2)
    }

    /// CPU time of purge to look a row up: one of the two descents that a removal takes.
    pub fn purge_look_up(&self) -> SimDuration {
        SimDuration(self.purge_change.0 / 2)
    }
}

/// What other programs of the host take from some moment on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OtherPrograms {
    /// From when on.
    pub from: SimTime,
    /// Seconds of CPU time a second.
    pub cpus: f64,
}

/// How threads share processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CpuScheduling {
    /// First come, first served, the whole demand in one piece.
    #[default]
    InTurns,
    /// Each processor has a run queue, whose threads get equal shares of it at any moment.
    Shared,
}
