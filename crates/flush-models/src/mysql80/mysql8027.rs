//! MySQL 8.0.27, standing for 8.0.23 to 8.0.29.
//!
//! The fixed redo files and margins of 8.0.21 with the threads of 8.0.30: a coordinator that asks for the sync target
//! itself, a checkpointer that on a busy server writes every 7 seconds unless somebody asks, averages of the pages
//! really flushed (spec 8.0.21, sections 0.1, 2.4 and 4, in the forms for 8.0.23 and later).

use super::checkpointer::{Checkpointer, RedoFiles};
use super::coordinator::sync_limit_8030;
use super::fixed_files::FixedFiles;
use super::instance::buf_pool_get_8021;
use super::limits::RedoLimits;
use super::log_state::LogState;
use super::options::Options;
use super::release::Release;
use crate::registry::SettingsError;
use innosim_core::seam::{CheckpointerAction, CheckpointerInput, FreeCheck, FreeCheckWait, View};

/// The release's own state.
#[derive(Debug, Clone)]
pub(crate) struct Mysql8027 {
    files: FixedFiles,
    checkpointer: Checkpointer,
}

impl Mysql8027 {
    /// The release with these options, for a redo log that begins at `start_lsn`.
    pub(crate) fn new(options: &Options, start_lsn: u64) -> Result<Self, SettingsError> {
        Ok(Mysql8027 { files: FixedFiles::new(options, start_lsn)?, checkpointer: Checkpointer::new() })
    }
}

impl Release for Mysql8027 {
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

    fn sync_limit(&mut self, log: &mut LogState, view: &View<'_>, lsn_avg_rate: u64) -> Option<u64> {
        let target = self.files.sync_target(log, view);
        sync_limit_8030(log.flush_sync, target, lsn_avg_rate, true)
    }

    fn checkpointer(
        &mut self,
        log: &mut LogState,
        view: &View<'_>,
        _lsn_avg_rate: u64,
        input: CheckpointerInput,
    ) -> CheckpointerAction {
        self.checkpointer.step(&mut self.files, log, view, input)
    }

    fn syncs_redo_on_timeout(&self) -> bool {
        false
    }
}
