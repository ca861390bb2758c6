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
    /// The file system on them.
    #[serde(default)]
    pub file_system: FileSystemSpec,
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

/// The file system under data, redo and binary log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileSystemSpec {
    /// Which one.
    pub kind: FileSystemKind,
    /// Grain of a file's time of modification: the tick of the kernel's clock.
    pub tick: SimDuration,
    /// Whether the server syncs redo and data files by `fdatasync`, which leaves the time of modification alone.
    pub fdatasync: bool,
}

/// File systems by what their syncs write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileSystemKind {
    /// No journal: a sync writes what the device's own `inode_tick` says.
    #[default]
    None,
    /// ext4 with its default `data=ordered`.
    Ext4Ordered,
    /// XFS.
    Xfs,
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// What the mutexes of the LRU lists cost.
    #[serde(default)]
    pub lru_mutex: LruMutexSpec,
    /// A latch that every statement passes.
    #[serde(default)]
    pub statement_latch: StatementLatchSpec,
    /// CPU time of the search for a page to flush and for its neighbours, in the thread that flushes. Where accesses to pages wait for
    /// it, that thread has a processor to itself.
    #[serde(default)]
    pub page_search: SimDuration,
    /// How long all accesses to pages wait for the mutex for each page that a flush batch takes from a flush list, where they take the
    /// mutex under which it is searched.
    #[serde(default)]
    pub pool_mutex_wait: SimDuration,
    /// CPU time of a thread between two such accesses.
    #[serde(default)]
    pub page_access_gap: SimDuration,
    /// CPU time of purge for a record that it removes or changes.
    pub purge_change: SimDuration,
    /// Whether page cleaner threads run before all others, as MySQL 5.7 and later ask for.
    pub cleaner_priority: bool,
    /// Sleeps of a spinning log writer a second that come from outside the simulation, if that is known: only then do checkpoints
    /// wait for its mutex.
    pub log_writer_waits_per_s: Option<f64>,
    /// Whether one user thread of an instance may flush a page by itself while an LRU batch of the instance is collected, where the
    /// server has all of them wait.
    #[serde(default)]
    pub single_page_during_lru_batch: bool,
}

/// A latch that the statements of a transaction pass, for all of them together; there is none where a hold takes no time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StatementLatchSpec {
    /// How long they hold it while nobody else waits.
    pub hold: SimDuration,
    /// How much longer for each transaction that waits.
    pub per_waiter: SimDuration,
}

/// Contention for the mutexes of the LRU lists; nobody competes where a hold takes no time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LruMutexSpec {
    /// One hold and its hand-over while nobody else waits.
    pub hold: SimDuration,
    /// How much longer that takes for each thread that waits for the mutex of any instance.
    pub per_waiter: SimDuration,
    /// Share of a processor that a waiting thread uses.
    pub spin_share: f64,
}

/// CPU time as a multiple of that of a thread alone: pairs of (threads that run or wait for a processor, as a share of the
/// processors; factor), both rising; linear in between, level outside. Empty: 1 throughout.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CpuSlowdown(pub Vec<(f64, f64)>);

impl CpuSlowdown {
    /// The law of cores with `threads` hardware threads each, `processors` in all. While each core has one thread at most, the
    /// factor grows to `1 + crowding` in proportion to the cores in use. From there on threads share cores: a core does
    /// `gain` more for each further thread.
    pub fn of_shared_cores(processors: u32, crowding: f64, threads: u32, gain: f64) -> CpuSlowdown {
        if crowding == 0.0 && threads <= 1 {
            return CpuSlowdown::default();
        }
        let threads = f64::from(threads.max(1));
        let processors = f64::from(processors.max(1));
        let alone = 1.0 / processors;
        let one_each = (1.0 / threads).max(alone);
        let mut curve = vec![(alone, 1.0 + crowding * alone * threads)];
        if one_each > alone {
            curve.push((one_each, 1.0 + crowding));
        }
        for step in 1..=8 {
            let share = one_each + (1.0 - one_each) * f64::from(step) / 8.0;
            let on_a_core = share * threads;
            let work = 1.0 + (on_a_core - 1.0).max(0.0) * gain;
            if share > one_each {
                curve.push((share, (1.0 + crowding) * on_a_core / work));
            }
        }
        CpuSlowdown(curve)
    }

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
            lru_mutex: LruMutexSpec::default(),
            statement_latch: StatementLatchSpec::default(),
            page_search: SimDuration::ZERO,
            pool_mutex_wait: SimDuration::ZERO,
            page_access_gap: SimDuration::ZERO,
            purge_change: SimDuration::from_micros(6),
            cleaner_priority: false,
            log_writer_waits_per_s: None,
            single_page_during_lru_batch: false,
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
    /// Each processor has a run queue, whose threads get equal shares of it at any moment; they stay there.
    Shared,
    /// All threads get equal shares of all processors at any moment, at most one each: none idles while a thread waits.
    Balanced,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_of_shared_cores_has_its_closed_form() {
        // 40 cores of two threads, half more time with a thread on each, a quarter more work from the second thread.
        let law = CpuSlowdown::of_shared_cores(80, 0.5, 2, 0.25);
        for (running, factor) in
            [(20.0, 1.25), (40.0, 1.5), (60.0, 1.5 * 60.0 / 45.0), (80.0, 1.5 * 80.0 / 50.0), (200.0, 2.4)]
        {
            let at = law.at(running / 80.0);
            assert!((at - factor).abs() < 1e-9, "{running} threads: {at} instead of {factor}");
        }
        assert_eq!(CpuSlowdown::of_shared_cores(80, 0.0, 1, 0.25), CpuSlowdown::default());
        assert_eq!(CpuSlowdown::of_shared_cores(4, 1.0, 1, 0.25).at(0.5), 1.5, "cores of one thread");
    }
}
