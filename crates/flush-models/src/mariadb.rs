//! MariaDB 10.11 (`mariadb-10.11`; its late generation, section 5).
//!
//! One buffer pool instance with one flush list in exact order, one page cleaner thread, one redo file, no redo
//! threads. The page cleaner does everything in turn: a batch from the flush list, a batch from the LRU list, a
//! checkpoint at the oldest page. What raises its targets are the mini-transactions of user threads, by the checkpoint
//! age at their end:
//!
//! ```text
//!   checkpoint age   0 ......... max_modified_age_async ......... max_checkpoint_age ...... log_capacity
//!   page cleaner       asleep, or      up to io_capacity_max       furious: io_capacity_max
//!                      adaptive        pages a pass                pages, wait, checkpoint, again
//!   user threads       go on           go on                       wait in log_free_check
//! ```
//!
//! The formulas are pure functions in the modules below, checked against vectors. What 10.11.19 does that the
//! specification gives only in part was checked against recordings of it: a mini-transaction past the first limit wakes
//! the page cleaner only from its sleep without end, never from the one that ends after a second, and its target is the
//! LSN that brings the age back to the limit ([`log_targets::flush_ahead_target`]). So at the limit there is a pass
//! each second, and the age stays pinned there.
//!
//! Simplifications:
//! * Targets are computed when the page cleaner or a waiting user thread looks, from the age then. A target raised by a
//!   mini-transaction and passed by a checkpoint before anybody looks is not seen (errs towards fewer passes that find
//!   nothing to do).
//! * A server whose redo log overwrites itself only warns. In the machine the redo writer waits there, so that a run
//!   stays recoverable (errs towards stalls).
//! * A page cleaner that would spin (nothing to flush below a target, no page to free) pauses for [`SPIN_PAUSE`].

pub mod adaptive;
mod at_start;
pub mod log_targets;
mod machine;
pub mod mistakes;
pub(crate) mod model;
pub(crate) mod options;
pub mod page_cleaner;
mod page_cleaner_loop;
pub mod redo_geometry;
mod replay;

#[cfg(test)]
mod tests;

use crate::settings::{Settings, SettingsError};
use adaptive::AdaptiveRule;
use innosim_core::config::{MachineConfig, SyncRound};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{
    AdaptiveFlushing, AgeLimits, CheckpointerAction, CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput,
    FlushGauges, FreeCheck, FreeCheckWait, ServerModel, View, WorkBefore, WriterLimits,
};
use log_targets::{LogClose, MARGIN_SLEEP, flush_ahead_target, log_checkpoint_margin, log_close};
use mistakes::Mistake;
use options::Options;
use page_cleaner_loop::PageCleaner;

/// Pause of a page cleaner that would spin: short against a page write, long against a pass.
pub const SPIN_PAUSE: SimDuration = SimDuration::from_millis(1);

/// Wait of the checkpointer, which this server doesn't have.
const NO_CHECKPOINTER: SimDuration = SimDuration::from_secs(3600);

/// Steps of a user thread in `log_free_check`.
mod step {
    /// A round begins.
    pub(super) const BEGIN: u32 = 0;
    /// Page writes are waited for.
    pub(super) const WAIT: u32 = 1;
    /// The checkpoint of this round is taken.
    pub(super) const CHECKPOINT: u32 = 2;
}

/// The targets that user threads raise and the page cleaner reaches; 0 for none.
#[derive(Debug, Clone, Copy, Default)]
struct Targets {
    /// `buf_flush_async_lsn`.
    async_lsn: u64,
    /// `buf_flush_sync_lsn`.
    sync_lsn: u64,
    /// Whether a mini-transaction asks for everything up to its own end, as earlier releases did (see [`mistakes`]).
    up_to_the_end: bool,
}

impl Targets {
    /// What the last mini-transaction raised, by the checkpoint age at its end.
    fn raise(&mut self, view: &View<'_>, options: &Options) {
        let limits = &options.log_limits;
        let target = if self.up_to_the_end { view.current_lsn } else { flush_ahead_target(view.current_lsn, limits) };
        match log_close(view.current_lsn.saturating_sub(view.last_checkpoint_lsn), limits) {
            LogClose::No => {}
            LogClose::Async => self.async_lsn = self.async_lsn.max(target),
            LogClose::Sync | LogClose::SyncOverwriteWarning => self.sync_lsn = self.sync_lsn.max(target),
        }
    }
}

/// A MariaDB server.
pub(crate) struct Mariadb {
    machine: MachineConfig,
    options: Options,
    targets: Targets,
    cleaner: PageCleaner,
    rule: Box<dyn AdaptiveFlushing>,
    last_checkpoint_lsn: u64,
}

impl Mariadb {
    /// The server of these settings as it was before a fix.
    pub(crate) fn build_with_mistake(settings: &Settings, mistake: Mistake) -> Result<Self, SettingsError> {
        let options = Options::new(settings)?;
        let rule = match mistake {
            Mistake::Mdev31939 => AdaptiveRule::without_ratio(options.adaptive),
            _ => AdaptiveRule::new(options.adaptive),
        };
        let mut server = Self::build(settings, Some(Box::new(rule)))?;
        server.cleaner.mistake = Some(mistake);
        if matches!(mistake, Mistake::Mdev34265 | Mistake::Mdev36226) {
            server.targets.up_to_the_end = true;
            // Threads that waited for the checkpoint went on at the end of a pass, not of each batch.
            server.machine.sync_round = SyncRound::Listed;
        }
        Ok(server)
    }

    /// The server of these settings; `rule`, if there is one, stands in place of its adaptive flushing, which is asked while the
    /// page cleaner is awake and no target is left.
    pub(crate) fn build(settings: &Settings, rule: Option<Box<dyn AdaptiveFlushing>>) -> Result<Self, SettingsError> {
        let options = Options::new(settings)?;
        let rule = rule.unwrap_or_else(|| Box::new(AdaptiveRule::new(options.adaptive)));
        let machine = machine::machine_config(&options);
        Ok(Mariadb {
            last_checkpoint_lsn: machine.redo.start_lsn,
            machine,
            targets: Targets::default(),
            cleaner: PageCleaner::default(),
            rule,
            options,
        })
    }

    /// Begins a round of a user thread that found the redo log too full; `None` if it is not.
    fn begin_round(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> Option<FreeCheck> {
        let limits = &self.options.log_limits;
        let target = log_checkpoint_margin(view.current_lsn, view.last_checkpoint_lsn, limits.max_checkpoint_age)?;
        self.targets.raise(view, &self.options);
        wait.lsn = target;
        wait.step = step::WAIT;
        Some(self.wait_flushed(view, wait))
    }

    /// `buf_flush_wait_flushed`: waits until no page is older than the target, then takes a checkpoint if nobody has.
    fn wait_flushed(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        let oldest = view.oldest_modification_lsn;
        if oldest != 0 && oldest < wait.lsn {
            self.targets.sync_lsn = self.targets.sync_lsn.max(wait.lsn);
            return FreeCheck::WaitForCleaner;
        }
        if view.last_checkpoint_lsn < wait.lsn && wait.step == step::WAIT {
            wait.step = step::CHECKPOINT;
            return FreeCheck::Checkpoint { wait: true };
        }
        wait.step = step::BEGIN;
        FreeCheck::Sleep { duration: MARGIN_SLEEP, wake_checkpointer: false }
    }
}

impl ServerModel for Mariadb {
    fn config(&self) -> &MachineConfig {
        &self.machine
    }

    fn instance_of(&self, _space_id: u32, _page_no: u32) -> u32 {
        0
    }

    fn age_limits(&self) -> AgeLimits {
        let limits = &self.options.log_limits;
        AgeLimits {
            async_bytes: limits.max_modified_age_async,
            sync_bytes: limits.max_checkpoint_age,
            stop_bytes: limits.max_checkpoint_age,
            adaptive_full_bytes: limits.max_modified_age_async,
            sync_flush_start_bytes: limits.max_checkpoint_age,
            adaptive_low_water_bytes: self.options.adaptive.low_water_mark(),
        }
    }

    /// The server writes on beyond its capacity, with a warning. What it has is the file.
    fn writer_limits(&self) -> WriterLimits {
        let hard_bytes = self.options.log_file_size - self.options.log_header_bytes();
        WriterLimits { hard_bytes, soft_bytes: hard_bytes }
    }

    fn free_check_limit_lsn(&self) -> u64 {
        self.last_checkpoint_lsn + self.options.log_limits.max_checkpoint_age
    }

    fn free_check(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        if wait.step != step::BEGIN {
            return self.wait_flushed(view, wait);
        }
        self.begin_round(view, wait).unwrap_or_else(|| {
            *wait = FreeCheckWait::default();
            FreeCheck::Proceed
        })
    }

    fn checkpoint_published(&mut self, view: &View<'_>) {
        self.last_checkpoint_lsn = view.last_checkpoint_lsn;
    }

    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction {
        self.cleaner.step(&self.options, &mut self.targets, self.rule.as_mut(), view, input)
    }

    /// Checkpoints are taken by the page cleaner and by waiting user threads.
    fn checkpointer(&mut self, _view: &View<'_>, _input: CheckpointerInput) -> CheckpointerAction {
        let next = CheckpointerNext::Wait { timeout: NO_CHECKPOINTER, on_cleaner_tick: false };
        CheckpointerAction { wake_cleaner: false, next }
    }

    fn starts_after(&mut self, before: WorkBefore) {
        self.cleaner.starts_after(before);
        self.rule.starts_after(before);
    }

    fn gauges(&self) -> FlushGauges {
        self.rule.gauges()
    }

    fn failure(&self) -> Option<&str> {
        self.rule.failure()
    }
}
