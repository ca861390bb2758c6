//! Crashes at any moment: what a loss of power would leave, and whether recovery brings everything back.
//!
//! At random instants the run is looked at as if the power failed there. The device then holds, of each page, the version
//! that is safe, or any version that was written since and is not safe yet, or a torn mixture of two. Recovery mends torn
//! pages from their copies in the doublewrite, and applies the durable redo from the last checkpoint on. It must bring every
//! page to the end of the durable redo, whichever of these versions it finds:
//!
//! * no version has a change whose redo is not durable (else the page would be ahead of its log);
//! * the first change that a version lacks lies after the checkpoint (else no redo brings it back), or is in a write that
//!   slipped past the checkpoint, and is counted;
//! * a page that may be torn has a copy that is safe (else it is lost; without a doublewrite it is found by its checksum, and
//!   counted);
//! * no commit was acknowledged whose redo is not durable, where commits wait for that.
//!
//! A write slips past a checkpoint of servers that sync their files first and look at the flush lists after that (before 8.0,
//! and MariaDB): it ends in between, so that it is not synced and does not hold the checkpoint back either. The copy in the
//! doublewrite is no help, as the old page is whole. A write that ended before such a checkpoint began to sync has no such
//! excuse, and neither has one after its look.
//!
//! A checkpoint whose block is on its way may be there or not, so both are tried.
//!
//! Source: the rules are those of write-ahead logging as the servers' documentation has them; `innodb-8.0.21` sections 2.4,
//! 5.4, 6.1; `innodb-5.5` section 2.4, `innodb-5.6` section 5.4, `mariadb-10.11` section 2.3 for what may slip past. What a server does is seen where it happens, by a line in each actor that writes or syncs; this module decides
//! nothing, and a run with crashes is the same run, byte for byte.
//!
//! Simplifications: a change counts by the end of what its transaction wrote in one go (errs towards leniency, by less than a
//! transaction); redo files don't tear, as their blocks have checksums and recovery ends at the first bad one; a torn copy in
//! the doublewrite needs no mending, as its page was not written yet.

mod disk;
mod watch;

pub use crate::metrics::Crash;

use crate::config::{CommitDurability, DoublewriteConfig};
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::server::RunError;
use crate::server::machine::Machine;
use crate::server::machine::Observers;
use crate::server::machine::ids::{BatchId, RoundId, ThreadId};
use disk::{CopyId, Disk, PageWrite, Version};
use std::collections::{BTreeMap, BTreeSet};

/// What a device does with writes that it has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceCache {
    /// It keeps them when the power fails.
    Protected,
    /// It may lose or tear them until their file is synced.
    Volatile,
}

/// A rule of order that a server is made to break, to see that a crash finds it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenRule {
    /// A checkpoint is taken without the data files synced before it.
    CheckpointBeforeSync,
    /// Pages are written before their redo is durable.
    PageBeforeRedo,
    /// Pages are written to their files before they are safe in the doublewrite.
    PageBeforeDoublewrite,
}

/// When to crash, and on what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashPlan {
    /// Mean time from one crash to the next; each lies anywhere up to twice as long after the one before.
    pub mean_interval: SimDuration,
    /// Seed of the instants, beside the run's own.
    pub seed: u64,
    /// What the device does with what it has answered.
    pub cache: DeviceCache,
    /// The rule that the server breaks, if any.
    pub broken: Option<BrokenRule>,
}

/// What is known for the next crash.
#[derive(Debug)]
pub(in crate::server) struct Crashes {
    plan: CrashPlan,
    rng: Rng,
    next: SimTime,
    disk: Disk,
    /// Whether torn pages can be mended.
    doublewrite: bool,
    /// Copies by batch, from when they are submitted to the end of the batch.
    of_batch: BTreeMap<BatchId, CopyId>,
    /// Copies that a flush thread wrote last and has not synced.
    of_thread: BTreeMap<ThreadId, Vec<CopyId>>,
    /// Copies of pages that clients flush alone.
    of_page: BTreeMap<u32, CopyId>,
    /// Copies of batches that are over, whose place is still kept.
    kept: Vec<CopyId>,
    /// Copies whose place a sync round keeps.
    of_round: BTreeMap<RoundId, Vec<CopyId>>,
    /// Pages whose writes ended since a checkpoint began to sync that will look at the flush lists when it has.
    ended: Option<BTreeSet<u32>>,
    crashes: Vec<Crash>,
}

impl Crashes {
    fn draw_next(&mut self) {
        self.next += SimDuration(1 + self.rng.below_u64(2 * self.plan.mean_interval.0.max(1)));
    }

    /// A page was modified by redo from `before` to `lsn`. Where that is nothing, its redo is counted with another page's, or
    /// with the removal by purge that the change leads to, and still to come.
    #[inline]
    pub(in crate::server) fn modified(&mut self, page: u32, before: u64, lsn: u64) {
        self.disk.modified(page, lsn, lsn.max(before + 1));
    }

    /// What recovery makes of a version with redo from `checkpoint` to `durable`: whether it lacks a change in a write that
    /// slipped past the checkpoint.
    fn recover(&self, page: u32, version: Version, checkpoint: u64, durable: u64) -> Result<bool, String> {
        let Version { has, lacks } = version;
        if has > durable {
            return Err(format!(
                "page {page} would be ahead of its log: the device may hold it with changes up to LSN {has}, and redo is \
                 durable to {durable}"
            ));
        }
        let is_lost = lacks != 0 && lacks <= checkpoint;
        if is_lost && !self.disk.slipped(page, lacks, checkpoint) {
            return Err(format!(
                "page {page} would lose changes: the device may hold it with those up to LSN {has}, the next one ended at \
                 {lacks}, and recovery begins at the checkpoint, {checkpoint}"
            ));
        }
        Ok(is_lost)
    }

    /// Whether a torn write can be mended: its copy is there, or the page is lost.
    fn mend(&self, page: u32, write: &PageWrite, now: SimTime) -> Result<bool, String> {
        if !self.doublewrite {
            return Ok(false);
        }
        if write.copy.is_some_and(|copy| self.disk.has_copy(copy, now)) {
            return Ok(true);
        }
        let what = if write.copy.is_some() { "not safe there yet, or given back" } else { "never made" };
        Err(format!("page {page} may be torn, and its copy in the doublewrite is {what}"))
    }

    /// What recovery finds after a crash now, with this checkpoint.
    fn examine(&self, now: SimTime, checkpoint: u64, durable: u64) -> Result<Crash, String> {
        let mut slipped = BTreeSet::new();
        for (page, version) in self.disk.safe() {
            if self.recover(page, version, checkpoint, durable)? {
                slipped.insert(page);
            }
        }
        let (mut mended, mut torn) = (0, 0);
        for (page, writes) in self.disk.unsafe_writes() {
            for write in writes {
                if self.recover(page, write.version, checkpoint, durable)? {
                    slipped.insert(page);
                }
                let is_mended = self.mend(page, write, now)?;
                (mended, torn) = (mended + u64::from(is_mended), torn + u64::from(!is_mended));
            }
        }
        let pages = self.disk.touched_since(checkpoint);
        let slipped = slipped.len() as u64;
        Ok(Crash { at: now, checkpoint_lsn: checkpoint, end_lsn: durable, pages, mended, torn, slipped })
    }
}

impl Machine {
    /// From now on it is looked at as if it crashed, again and again. The run itself is the same.
    pub(in crate::server) fn watch_crashes(&mut self, plan: CrashPlan) {
        let doublewrite = match self.config.doublewrite {
            DoublewriteConfig::Off | DoublewriteConfig::PerInstance { fixed_bytes: Some(_), .. } => false,
            DoublewriteConfig::PerInstance { .. } | DoublewriteConfig::Shared { .. } => true,
        };
        let mut disk = Disk::new(plan.cache, self.space.pages());
        // What a start in the middle of the work has dirty became so by redo before it.
        let start_lsn = self.redo.current_lsn();
        (0..self.space.pages())
            .filter(|&page| self.pool.pages.is_dirty(page))
            .for_each(|page| disk.modified(page, start_lsn, start_lsn));
        let mut crashes = Crashes {
            plan,
            rng: Rng::stream(plan.seed, 0, "crashes"),
            next: SimTime::ZERO,
            disk,
            doublewrite,
            of_batch: BTreeMap::new(),
            of_thread: BTreeMap::new(),
            of_page: BTreeMap::new(),
            kept: Vec::new(),
            of_round: BTreeMap::new(),
            ended: None,
            crashes: Vec::new(),
        };
        crashes.draw_next();
        self.observers.crashes = Some(Box::new(crashes));
    }

    /// Crashes that are due before an event.
    pub(in crate::server) fn crashes_before(&mut self, event_at: SimTime) -> Result<(), RunError> {
        while let Some(at) =
            self.observers.crashes.as_deref().map(|crashes| crashes.next).filter(|&next| next < event_at)
        {
            self.crash(at).map_err(|what| RunError::Invariant { at, what: format!("after a crash here {what}") })?;
        }
        Ok(())
    }

    fn crash(&mut self, at: SimTime) -> Result<(), String> {
        let durable = self.redo.position().durable_lsn;
        let acknowledged = self.acknowledged_lsn;
        if self.config.redo.commit == CommitDurability::Sync && acknowledged > durable {
            return Err(format!("a commit is lost: up to LSN {acknowledged} is acknowledged, {durable} durable"));
        }
        let last = self.last_checkpoint_lsn;
        let on_its_way = self.checkpoint_on_its_way;
        let Machine { observers: Observers { crashes: Some(crashes), .. }, space, .. } = self else { return Ok(()) };
        crashes.disk.settle(at, |page| space.space_of(page));
        let found = crashes.examine(at, last, durable)?;
        if let Some(lsn) = on_its_way {
            crashes.examine(at, lsn, durable)?;
        }
        crashes.crashes.push(found);
        crashes.draw_next();
        Ok(())
    }
}

impl Observers {
    /// Whether the server is made to break a rule.
    #[inline]
    pub(in crate::server) fn breaks(&self, rule: BrokenRule) -> bool {
        self.crashes.as_ref().is_some_and(|crashes| crashes.plan.broken == Some(rule))
    }

    /// The crashes so far.
    pub(in crate::server) fn take_crashes(&mut self) -> Vec<Crash> {
        self.crashes.as_mut().map_or_else(Vec::new, |crashes| std::mem::take(&mut crashes.crashes))
    }
}
