//! MySQL 8.0.21, standing for 8.0.20 to 8.0.22.
//!
//! Fixed redo files; margins in sn that grow by 20 % whenever the log writer needs its extra margin; a checkpointer
//! that looks every 10 ms and hands the target of sync flushing to the page cleaner; averages of what was *requested*
//! (spec 8.0.21, sections 1, 2 and 4).
//!
//! Simplification: the checkpointer of a server looks again at once after it raised the sync target; here it does so
//! after [`SPIN_PAUSE`].

use super::checkpoint::{buf_flush_request_force, log_should_checkpoint_8021, sync_flush_up_to};
use super::coordinator::is_sync_flush_8021;
use super::free_check::{FREE_CHECK_FIRST_SLEEP, backoff, checkpoint_to_request, free_check_limit_sn, limit_lsn};
use super::instance::buf_pool_get_8021;
use super::limits::{RedoLimits, dict_persist_margin};
use super::log_state::LogState;
use super::lsn::{ORDER_LAG, sn};
use super::options::{Options, margin_error};
use super::redo_geometry_8021::{MaxAges, increase_concurrency_margin};
use super::release::{LastPages, Release};
use super::{SPIN_PAUSE, options};
use crate::registry::SettingsError;
use innosim_core::config::PAGE_BYTES;
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{CheckpointerAction, CheckpointerInput, CheckpointerNext, FreeCheck, FreeCheckWait, View};

/// Wait of the checkpointer between two looks.
const CHECKPOINTER_WAIT: SimDuration = SimDuration::from_millis(10);

/// The release's own state.
#[derive(Debug)]
pub(crate) struct Mysql8021 {
    ages: MaxAges,
    limits: RedoLimits,
    /// sn bytes; raised by the writer's visits to the extra margin, never lowered.
    concurrency_margin: u64,
    /// Whether the writer has been outside the extra margin since the last raise.
    concurrency_margin_ok: bool,
    /// Never falls.
    free_check_limit_sn: u64,
    /// Target of sync flushing, never falls.
    buf_flush_sync_lsn: u64,
}

impl Mysql8021 {
    /// The release with these options, for a redo log that begins at `start_lsn`.
    pub(crate) fn new(options: &Options, start_lsn: u64) -> Result<Self, SettingsError> {
        let ages = MaxAges::new(options.log_file_size, options.log_files_in_group, PAGE_BYTES);
        let (concurrency_margin, _) = ages.concurrency_margin(options.thread_concurrency, PAGE_BYTES);
        let limits = ages
            .limits(concurrency_margin, dict_persist_margin(options::DIRTY_TABLES, PAGE_BYTES))
            .ok_or_else(|| margin_error("innodb_log_file_size", options))?;
        Ok(Mysql8021 {
            ages,
            limits,
            concurrency_margin,
            concurrency_margin_ok: true,
            free_check_limit_sn: free_check_limit_sn(0, start_lsn, limits.free_check_capacity),
            buf_flush_sync_lsn: 0,
        })
    }

    fn update_limits(&mut self, last_checkpoint_lsn: u64) {
        self.free_check_limit_sn =
            free_check_limit_sn(self.free_check_limit_sn, last_checkpoint_lsn, self.limits.free_check_capacity);
    }

    /// Raises the sync target if dirty pages hold the checkpoint back: whether the cleaner must be woken, and whether
    /// the target rose.
    fn consider_sync_flush(&mut self, log: &LogState, view: &View<'_>, lsn_avg_rate: u64) -> (bool, bool) {
        let state = log.checkpoint_state(view, &self.limits);
        let Some(up_to) = sync_flush_up_to(&state, self.limits.age_sync).filter(|_| log.flush_sync) else {
            return (false, false);
        };
        let target = buf_flush_request_force(up_to, ORDER_LAG, lsn_avg_rate);
        let raised = target > self.buf_flush_sync_lsn;
        self.buf_flush_sync_lsn = self.buf_flush_sync_lsn.max(target);
        (true, raised)
    }
}

impl Release for Mysql8021 {
    fn limits(&self) -> RedoLimits {
        self.limits
    }

    fn instance_of(&self, space_id: u32, page_no: u32, instances: u32) -> u32 {
        buf_pool_get_8021(space_id, page_no, instances)
    }

    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool) {
        if inside && self.concurrency_margin_ok {
            let raised = increase_concurrency_margin(self.concurrency_margin, self.ages.max_concurrency_margin);
            let dict_margin = dict_persist_margin(options::DIRTY_TABLES, PAGE_BYTES);
            if let Some(limits) = self.ages.limits(raised, dict_margin) {
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

    fn sync_limit(&mut self, log: &mut LogState, view: &View<'_>, _lsn_avg_rate: u64) -> Option<u64> {
        let target = self.buf_flush_sync_lsn;
        is_sync_flush_8021(log.flush_sync, target, view.last_checkpoint_lsn, ORDER_LAG).then_some(target)
    }

    fn checkpointer(
        &mut self,
        log: &mut LogState,
        view: &View<'_>,
        lsn_avg_rate: u64,
        input: CheckpointerInput,
    ) -> CheckpointerAction {
        if matches!(input, CheckpointerInput::Start | CheckpointerInput::Written) {
            log.last_checkpoint_time = view.now;
            self.update_limits(view.last_checkpoint_lsn);
        }
        log.update_available(view);
        let (wake_cleaner, raised) = self.consider_sync_flush(log, view, lsn_avg_rate);
        let state = log.checkpoint_state(view, &self.limits);
        let next = if log_should_checkpoint_8021(&state, self.limits.age_checkpoint, log.elapsed_us(view)) {
            CheckpointerNext::Write { lsn: state.available_for_checkpoint_lsn }
        } else {
            let timeout = if raised { SPIN_PAUSE } else { CHECKPOINTER_WAIT };
            CheckpointerNext::Wait { timeout, on_cleaner_tick: false }
        };
        CheckpointerAction { wake_cleaner, next }
    }

    fn last_pages(&self) -> LastPages {
        LastPages::Requested
    }

    fn syncs_redo_on_timeout(&self) -> bool {
        false
    }

    fn second_ends_inclusively(&self) -> bool {
        false
    }
}
