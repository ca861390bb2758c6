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
//! 5.4, 6.1; `innodb-5.5` section 2.4, `innodb-5.6` section 5.4, `mariadb-10.11` section 2.3 for what may slip past. What a server does is told
//! by a line in each actor that writes or syncs ([`DiskEvent`]), and a run with crashes is the same run, byte for byte.
//!
//! Simplifications: a change counts by the end of what its transaction wrote in one go (errs towards leniency, by less than a
//! transaction); redo files don't tear, as their blocks have checksums and recovery ends at the first bad one; a torn copy in
//! the doublewrite needs no mending, as its page was not written yet.

// Each program of tests uses a part of it.
#![allow(dead_code)]

mod disk;

use disk::{CopyId, Disk, PageWrite, Version};
use innosim_core::config::{CommitDurability, DoublewriteConfig};
use innosim_core::kernel::random::Rng;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::metrics::RunOutput;
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::ServerModel;
use innosim_core::server::{BrokenRule, DiskEvent, DiskObserver, LogProgress, RunError, Server, Silent};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// What a device does with writes that it has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceCache {
    /// It keeps them when the power fails.
    Protected,
    /// It may lose or tear them until their file is synced.
    Volatile,
}

/// A crash that recovery came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Crash {
    /// When.
    pub(crate) at: SimTime,
    /// Where recovery begins, LSN.
    pub(crate) checkpoint_lsn: u64,
    /// Where it ends: the end of the durable redo, LSN.
    pub(crate) end_lsn: u64,
    /// Pages that this redo touches, each of which is read.
    pub(crate) pages: u64,
    /// Pages that may be torn and are mended from their copies.
    pub(crate) mended: u64,
    /// Pages that may be torn and have no copy: found by their checksums, and lost.
    pub(crate) torn: u64,
    /// Pages that may lack changes which no redo brings back, because a write slipped past the checkpoint: lost, and not found.
    pub(crate) slipped: u64,
}

/// When to crash, and on what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CrashPlan {
    /// Mean time from one crash to the next; each lies anywhere up to twice as long after the one before.
    pub(crate) mean_interval: SimDuration,
    /// Seed of the instants, beside the run's own.
    pub(crate) seed: u64,
    /// What the device does with what it has answered.
    pub(crate) cache: DeviceCache,
    /// The rule that the server breaks, if any.
    pub(crate) broken: Option<BrokenRule>,
}

/// What is known for the next crash.
struct Crashes {
    plan: CrashPlan,
    rng: Rng,
    next: SimTime,
    disk: Disk,
    /// Whether torn pages can be mended.
    doublewrite: bool,
    /// Whether commits wait until their redo is durable.
    commits_sync: bool,
    /// Copies by batch, from when they are submitted to the end of the batch.
    of_batch: BTreeMap<u32, CopyId>,
    /// Copies that a flush thread wrote last and has not synced.
    of_thread: BTreeMap<u32, Vec<CopyId>>,
    /// Copies of pages that clients flush alone.
    of_page: BTreeMap<u32, CopyId>,
    /// Copies of batches that are over, whose place is still kept.
    kept: Vec<CopyId>,
    /// Copies whose place a sync round keeps.
    of_round: BTreeMap<u32, Vec<CopyId>>,
    /// Pages whose writes ended since a checkpoint began to sync that will look at the flush lists when it has.
    ended: Option<BTreeSet<u32>>,
    /// Those so far.
    crashes: Arc<Mutex<Vec<Crash>>>,
}

/// A run that is looked at as if it crashed, again and again, and the crashes. The run itself is the same.
pub(crate) fn run_with_crashes(
    model: Box<dyn ServerModel>,
    spec: &RunSpec,
    plan: CrashPlan,
) -> Result<(RunOutput, Vec<Crash>), RunError> {
    let found = Arc::default();
    let config = model.config();
    let mut crashes = Crashes {
        plan,
        rng: Rng::stream(plan.seed, 0, "crashes"),
        next: SimTime::ZERO,
        disk: Disk::new(plan.cache),
        doublewrite: match config.doublewrite {
            DoublewriteConfig::Off | DoublewriteConfig::PerInstance { fixed_bytes: Some(_), .. } => false,
            DoublewriteConfig::PerInstance { .. } | DoublewriteConfig::Shared { .. } => true,
        },
        commits_sync: config.redo.commit == CommitDurability::Sync,
        of_batch: BTreeMap::new(),
        of_thread: BTreeMap::new(),
        of_page: BTreeMap::new(),
        kept: Vec::new(),
        of_round: BTreeMap::new(),
        ended: None,
        crashes: Arc::clone(&found),
    };
    crashes.draw_next();
    let server = Server::new(model, spec).with_disk_observer(Box::new(crashes), plan.broken);
    let output = server.run(&mut Silent)?;
    let found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((output, found))
}

impl DiskObserver for Crashes {
    fn disk(&mut self, event: DiskEvent<'_>) {
        let disk = &mut self.disk;
        let safe_at = |done: SimTime, sync_follows: bool| if sync_follows { SimTime::NEVER } else { done };
        match event {
            DiskEvent::PageChanged { page, before, lsn } => disk.modified(page, lsn, lsn.max(before + 1)),
            DiskEvent::DoublewriteWritten { thread, batches, done, sync_follows } => {
                self.copied(thread, batches, safe_at(done, sync_follows));
            }
            DiskEvent::DoublewriteSynced { thread, done } => {
                for copy in self.of_thread.remove(&thread).unwrap_or_default() {
                    disk.copy_synced_at(copy, done);
                }
            }
            DiskEvent::SinglePageCopied { page, done, sync_follows } => {
                self.of_page.insert(page, disk.copy(safe_at(done, sync_follows)));
            }
            DiskEvent::SinglePageCopySynced { page, done } => {
                if let Some(&copy) = self.of_page.get(&page) {
                    disk.copy_synced_at(copy, done);
                }
            }
            DiskEvent::PageWritePosted { page, file, batch, done } => {
                let copy = batch.map_or_else(|| self.of_page.get(&page), |batch| self.of_batch.get(&batch));
                disk.write(page, file, done, copy.copied());
            }
            DiskEvent::PageDropped { page } => disk.freed(page),
            DiskEvent::PageWriteEnded { page } => {
                if let Some(ended) = &mut self.ended {
                    ended.insert(page);
                }
            }
            DiskEvent::SinglePageEnded { page } => {
                if let Some(copy) = self.of_page.remove(&page) {
                    disk.copy_gone(copy);
                }
            }
            DiskEvent::CheckpointBegins => self.ended = Some(BTreeSet::new()),
            DiskEvent::CheckpointLooks { oldest, now } => {
                for page in self.ended.take().into_iter().flatten() {
                    disk.slips_past(page, oldest, now);
                }
            }
            DiskEvent::FileSynced { file, began, done } => disk.sync(file, began, done),
            DiskEvent::BatchEnded { batch } => self.kept.extend(self.of_batch.remove(&batch)),
            DiskEvent::RoundBegan { round } => {
                self.of_round.insert(round, std::mem::take(&mut self.kept));
            }
            DiskEvent::RoundEnded { round } => {
                for copy in self.of_round.remove(&round).into_iter().flatten() {
                    disk.copy_gone(copy);
                }
            }
            DiskEvent::CopiesGivenBack => self.kept.drain(..).for_each(|copy| disk.copy_gone(copy)),
        }
    }

    fn before(&mut self, next: SimTime, log: LogProgress) -> Result<(), (SimTime, String)> {
        while self.next < next {
            let at = self.next;
            self.crash(at, log).map_err(|what| (at, format!("after a crash here {what}")))?;
        }
        Ok(())
    }
}

impl Crashes {
    fn draw_next(&mut self) {
        self.next += SimDuration(1 + self.rng.below_u64(2 * self.plan.mean_interval.0.max(1)));
    }

    /// Batches are on their way to the doublewrite.
    fn copied(&mut self, thread: u32, batches: &[u32], safe_at: SimTime) {
        let mut copies = Vec::new();
        for &batch in batches {
            let made = self.of_batch.get(&batch).copied();
            let copy = made.unwrap_or_else(|| self.disk.copy(safe_at));
            self.disk.copy_safe_at(copy, safe_at);
            self.of_batch.insert(batch, copy);
            copies.push(copy);
        }
        self.of_thread.insert(thread, copies);
    }

    fn crash(&mut self, at: SimTime, log: LogProgress) -> Result<(), String> {
        let LogProgress { checkpoint, on_its_way, durable, acknowledged } = log;
        if self.commits_sync && acknowledged > durable {
            return Err(format!("a commit is lost: up to LSN {acknowledged} is acknowledged, {durable} durable"));
        }
        self.disk.settle(at);
        let found = self.examine(at, checkpoint, durable)?;
        if let Some(lsn) = on_its_way {
            self.examine(at, lsn, durable)?;
        }
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner).push(found);
        self.draw_next();
        Ok(())
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
