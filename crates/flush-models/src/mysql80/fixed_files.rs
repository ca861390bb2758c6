//! Margins of a redo log of fixed files, as they move during a run (8.0.18 to 8.0.29; spec 8.0.21, sections 1, 2.3 and
//! 2.5): the concurrency margin grows by 20 % whenever the log writer needs its extra margin, and the free check counts
//! in sn.

use super::checkpoint::{CheckpointState, log_should_checkpoint_8021};
use super::free_check::{FREE_CHECK_FIRST_SLEEP, backoff, checkpoint_to_request, free_check_limit_sn, limit_lsn};
use super::limits::{RedoLimits, dict_persist_margin};
use super::log_state::LogState;
use super::lsn::sn;
use super::options::{DIRTY_TABLES, Options, margin_error};
use super::redo_files::RedoFiles;
use super::redo_geometry_8021::{MaxAges, increase_concurrency_margin};
use crate::settings::SettingsError;
use innosim_core::config::PAGE_BYTES;
use innosim_core::seam::{FreeCheck, FreeCheckWait, View};

/// The margins now.
#[derive(Debug, Clone)]
pub(super) struct FixedFiles {
    ages: MaxAges,
    limits: RedoLimits,
    /// sn bytes; raised by the writer's visits to the extra margin, never lowered.
    concurrency_margin: u64,
    /// Whether the writer has been outside the extra margin since the last raise.
    concurrency_margin_ok: bool,
    /// Never falls.
    free_check_limit_sn: u64,
}

impl FixedFiles {
    /// The margins of these options, for a redo log that begins at `start_lsn`.
    pub(super) fn new(options: &Options, start_lsn: u64) -> Result<Self, SettingsError> {
        let ages = MaxAges::new(options.log_file_size, options.log_files_in_group, PAGE_BYTES);
        let (concurrency_margin, _) = ages.concurrency_margin(options.thread_concurrency, PAGE_BYTES);
        let limits = ages
            .limits(concurrency_margin, dict_persist_margin(DIRTY_TABLES, PAGE_BYTES))
            .ok_or_else(|| margin_error("innodb_log_file_size", options))?;
        Ok(FixedFiles {
            ages,
            limits,
            concurrency_margin,
            concurrency_margin_ok: true,
            free_check_limit_sn: free_check_limit_sn(0, start_lsn, limits.free_check_capacity),
        })
    }
}

impl RedoFiles for FixedFiles {
    fn copied(&self) -> Box<dyn RedoFiles> {
        Box::new(self.clone())
    }

    fn limits(&self) -> RedoLimits {
        self.limits
    }

    fn update_limits(&mut self, last_checkpoint_lsn: u64) {
        self.free_check_limit_sn =
            free_check_limit_sn(self.free_check_limit_sn, last_checkpoint_lsn, self.limits.free_check_capacity);
    }

    fn should_checkpoint(&self, state: &CheckpointState, elapsed_us: u64) -> bool {
        log_should_checkpoint_8021(state, self.limits.age_checkpoint, elapsed_us)
    }

    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool) {
        if inside && self.concurrency_margin_ok {
            let raised = increase_concurrency_margin(self.concurrency_margin, self.ages.max_concurrency_margin);
            if let Some(limits) = self.ages.limits(raised, dict_persist_margin(DIRTY_TABLES, PAGE_BYTES)) {
                self.concurrency_margin = raised;
                self.limits = limits;
            }
        }
        self.concurrency_margin_ok = !inside;
        self.update_limits(view.last_checkpoint_lsn);
    }

    fn free_check_limit_lsn(&self) -> u64 {
        limit_lsn(self.free_check_limit_sn)
    }

    fn free_check(&mut self, log: &mut LogState, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        // A thread that waits does so for the capacity that it found at first.
        self.update_limits(view.last_checkpoint_lsn);
        let mut wake_checkpointer = false;
        if wait.sleeps == 0 {
            if sn(view.current_lsn) <= self.free_check_limit_sn {
                return FreeCheck::Proceed;
            }
            wait.lsn = view.current_lsn;
            wait.capacity = self.limits.free_check_capacity;
            let lsn = checkpoint_to_request(wait.lsn, wait.capacity);
            wake_checkpointer = lsn.is_some_and(|lsn| log.request_checkpoint(lsn));
        }
        if wait.lsn <= view.last_checkpoint_lsn + wait.capacity {
            *wait = FreeCheckWait::default();
            return FreeCheck::Proceed;
        }
        wait.sleeps += 1;
        FreeCheck::Sleep { duration: backoff(FREE_CHECK_FIRST_SLEEP, wait.sleeps), wake_checkpointer }
    }
}
