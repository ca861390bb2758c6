//! MySQL 8.0.21, standing for 8.0.20 to 8.0.22.
//!
//! Fixed redo files; a checkpointer that looks every 10 ms and hands the target of sync flushing to the page cleaner
//! (spec 8.0.21, sections 1, 2 and 4).
//!
//! What the specification leaves open is known of the release's own source: adaptive flushing has the shape of 8.0.18,
//! but its averages are those of 8.0.27. They count pages really flushed, and take every pass into account, be there new
//! redo or not. So they fall to nothing while sync flushing has reached its target and the coordinator goes round and
//! round until the next checkpoint is written, up to a second later.
//!
//! Simplification: the checkpointer of a server looks again at once after it raised the sync target; here it does so
//! after [`SPIN_PAUSE`].

use super::SPIN_PAUSE;
use super::adaptive::FORM_8021;
use super::checkpoint::{buf_flush_request_force, sync_flush_up_to};
use super::checkpointer::RedoFiles;
use super::coordinator::is_sync_flush_8021;
use super::fixed_files::FixedFiles;
use super::instance::buf_pool_get_8021;
use super::limits::RedoLimits;
use super::log_state::LogState;
use super::lsn::ORDER_LAG;
use super::options::Options;
use super::release::{Parts, Release};
use super::replay::replay_rule;
use crate::model::{Model, StandsFor};
use crate::mysql57::model::{MYSQL_57, PURGE_57};
use crate::purge::PurgeTraits;
use crate::settings::{ModelId, Product, Servers, SettingsError, Version};
use innosim_core::config::{PurgeShares, UndoTruncation};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{CheckpointerAction, CheckpointerInput, CheckpointerNext, FreeCheck, FreeCheckWait, View};

/// Wait of the checkpointer between two looks.
const CHECKPOINTER_WAIT: SimDuration = SimDuration::from_millis(10);

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 8.0.21 (stands for 8.0.20 .. 8.0.22).
    pub const Mysql8021: ModelId = ModelId::new("mysql-8.0.21", Product::Mysql, Version::new(8, 0, 20));
}

/// What its server is put together of.
pub(crate) const PARTS: Parts = Parts {
    form: FORM_8021,
    coordinator_of_57: false,
    release: |options, start_lsn| Ok(Box::new(Mysql8021::new(options, start_lsn)?)),
};

/// Purge of 8.0 before 8.0.23.
pub(crate) const PURGE: PurgeTraits = PurgeTraits {
    shares: PurgeShares::ByTable,
    delay_offset: 0.9995,
    truncation: UndoTruncation::Replacement { blocks: true },
    ..PURGE_57
};

/// MySQL 8.0.21.
pub(crate) const MYSQL_8021: Model = Model {
    id: ModelId::Mysql8021,
    title: "MySQL 8.0.21",
    about: "Stands for 8.0.20 to 8.0.22: fixed redo files, separate doublewrite files, a checkpointer that looks \
            every 10 ms and a free-check margin that grows when the log writer runs out of space.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(8, 0, 20).until(8, 0, 23)),
        StandsFor::nearly(Servers::PERCONA.from(8, 0, 20).until(8, 0, 23), WITHOUT_PERCONAS),
    ],
    read: "8.0.18, 8.0.20, 8.0.22 and 8.0.27, between which 8.0.21 lies",
    assumed: "",
    build: |settings, rule| PARTS.build(settings, rule),
    replay: Some(|settings| replay_rule(settings, &PARTS)),
    at_start: super::at_start::run,
    purge: Some(PURGE),
    purge_removal_us: 17,
    ..MYSQL_57
};

/// What a model of MySQL 8.0 does not have of Percona Server.
pub(super) const WITHOUT_PERCONAS: &str = "it lacks the LRU manager threads and innodb_cleaner_lsn_age_factor";

/// The release's own state.
#[derive(Debug, Clone)]
pub(crate) struct Mysql8021 {
    files: FixedFiles,
    /// Target of sync flushing; never falls, unless it is served once.
    buf_flush_sync_lsn: u64,
    /// Before 8.0.18: whether a pass that takes the target leaves none behind.
    serves_once: bool,
}

impl Mysql8021 {
    /// The release before 8.0.18.
    pub(crate) fn before_8018(options: &Options, start_lsn: u64) -> Result<Self, SettingsError> {
        Ok(Mysql8021 { serves_once: true, ..Mysql8021::new(options, start_lsn)? })
    }

    /// The release with these options, for a redo log that begins at `start_lsn`.
    pub(crate) fn new(options: &Options, start_lsn: u64) -> Result<Self, SettingsError> {
        Ok(Mysql8021 { files: FixedFiles::new(options, start_lsn)?, buf_flush_sync_lsn: 0, serves_once: false })
    }

    /// Raises the sync target if dirty pages hold the checkpoint back: whether the cleaner must be woken, and whether
    /// the target rose.
    fn consider_sync_flush(&mut self, log: &LogState, view: &View<'_>, lsn_avg_rate: u64) -> (bool, bool) {
        let limits = self.files.limits();
        let state = log.checkpoint_state(view, &limits);
        let Some(up_to) = sync_flush_up_to(&state, limits.age_sync).filter(|_| log.flush_sync) else {
            return (false, false);
        };
        let target = buf_flush_request_force(up_to, ORDER_LAG, lsn_avg_rate);
        let raised = target > self.buf_flush_sync_lsn;
        self.buf_flush_sync_lsn = self.buf_flush_sync_lsn.max(target);
        (true, raised)
    }
}

impl Release for Mysql8021 {
    fn copied(&self) -> Box<dyn Release> {
        Box::new(self.clone())
    }

    fn limits(&self) -> RedoLimits {
        self.files.limits()
    }

    fn instance_of(&self, space_id: u32, page_no: u32, instances: u32) -> u32 {
        buf_pool_get_8021(space_id, page_no, instances)
    }

    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool) {
        self.files.writer_in_extra_margin(view, inside);
    }

    fn free_check_limit_lsn(&self) -> u64 {
        self.files.free_check_limit_lsn()
    }

    fn free_check(&mut self, log: &mut LogState, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        self.files.free_check(log, view, wait)
    }

    fn sync_limit(&mut self, log: &mut LogState, view: &View<'_>, _lsn_avg_rate: u64) -> Option<u64> {
        if self.serves_once {
            let target = if log.flush_sync { std::mem::take(&mut self.buf_flush_sync_lsn) } else { 0 };
            return (target > 0).then_some(target);
        }
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
            self.files.update_limits(view.last_checkpoint_lsn);
        }
        log.update_available(view);
        let (wake_cleaner, raised) = self.consider_sync_flush(log, view, lsn_avg_rate);
        let state = log.checkpoint_state(view, &self.files.limits());
        let next = if self.files.should_checkpoint(&state, log.elapsed_us(view)) {
            CheckpointerNext::Write { lsn: state.available_for_checkpoint_lsn }
        } else {
            let timeout = if raised { SPIN_PAUSE } else { CHECKPOINTER_WAIT };
            CheckpointerNext::Wait { timeout, on_cleaner_tick: false }
        };
        CheckpointerAction { wake_cleaner, next }
    }

    fn syncs_redo_on_timeout(&self) -> bool {
        false
    }
}
