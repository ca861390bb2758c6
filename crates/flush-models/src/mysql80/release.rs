//! What the releases of 8.0 decide differently.

use super::Mysql80;
use super::adaptive::Form;
use super::limits::RedoLimits;
use super::log_state::LogState;
use super::options::Options;
use crate::settings::{Settings, SettingsError};
use innosim_core::config::RedoFilesConfig;
use innosim_core::seam::{
    AdaptiveFlushing, CheckpointerAction, CheckpointerInput, FreeCheck, FreeCheckWait, ServerModel, View,
};

/// Builds a release from options and the LSN at which the redo log begins.
pub(crate) type BuildRelease = fn(&Options, u64) -> Result<Box<dyn Release>, SettingsError>;

/// What a server of 8.0 is put together of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    /// The form of its adaptive flushing.
    pub(crate) form: Form,
    /// Whether its page cleaner goes round as that of 5.7 (before 8.0.18): a sync target is served once, in full, by a pass that
    /// the event woke.
    pub(crate) coordinator_of_57: bool,
    /// Its release.
    pub(crate) release: BuildRelease,
}

impl Parts {
    /// The server of these settings, with `rule` in place of its adaptive flushing if there is one.
    pub(crate) fn build(
        &self,
        settings: &Settings,
        rule: Option<Box<dyn AdaptiveFlushing>>,
    ) -> Result<Box<dyn ServerModel>, SettingsError> {
        Ok(Box::new(Mysql80::build(settings, self, rule)?))
    }
}

/// A release: redo geometry, free check, sync flushing and checkpointer.
pub(crate) trait Release: Send + std::fmt::Debug {
    /// The release as it is at this instant.
    fn copied(&self) -> Box<dyn Release>;

    /// The limits in force now.
    fn limits(&self) -> RedoLimits;

    /// Buffer pool instance of a page.
    fn instance_of(&self, space_id: u32, page_no: u32, instances: u32) -> u32;

    /// The log writer entered (`inside`) or left its extra margin.
    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool);

    /// See [`innosim_core::seam::ServerModel::update_limits`].
    fn update_limits(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// The redo files, where a governor looks after them.
    fn redo_files(&self) -> Option<RedoFilesConfig> {
        None
    }

    /// LSN above which user threads wait.
    fn free_check_limit_lsn(&self) -> u64;

    /// See [`innosim_core::seam::ServerModel::free_check`].
    fn free_check(&mut self, log: &mut LogState, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck;

    /// LSN up to which the coordinator flushes synchronously in this pass; `lsn_avg_rate` in bytes a second.
    fn sync_limit(&mut self, log: &mut LogState, view: &View<'_>, lsn_avg_rate: u64) -> Option<u64>;

    /// See [`innosim_core::seam::ServerModel::checkpointer`]; `lsn_avg_rate` in bytes a second.
    fn checkpointer(
        &mut self,
        log: &mut LogState,
        view: &View<'_>,
        lsn_avg_rate: u64,
        input: CheckpointerInput,
    ) -> CheckpointerAction;

    /// Whether a pass that begins a new second first makes all redo durable.
    fn syncs_redo_on_timeout(&self) -> bool;
}
