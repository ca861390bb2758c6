//! What the releases of 8.0 decide differently.

use super::Mysql80;
use super::adaptive::Form;
use super::checkpointer::Checkpointer;
use super::coordinator::sync_limit_8030;
use super::log_state::LogState;
use super::options::Options;
use super::polling_checkpointer::PollingCheckpointer;
use super::redo_files::RedoFiles;
use crate::settings::{Settings, SettingsError};
use innosim_core::seam::{AdaptiveFlushing, CheckpointerAction, CheckpointerInput, ServerModel, View};

/// Builds redo files from options and the LSN at which the redo log begins.
pub(crate) type BuildRedoFiles = fn(&Options, u64) -> Result<Box<dyn RedoFiles>, SettingsError>;

/// What a server of 8.0 is put together of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    /// The form of its adaptive flushing.
    pub(crate) form: Form,
    /// Whether its page cleaner goes round as that of 5.7 (before 8.0.18): a sync target is served once, in full, by a pass that
    /// the event woke.
    pub(crate) coordinator_of_57: bool,
    /// Buffer pool instance of a page: space, page number, instances.
    pub(crate) instance_of: fn(u32, u32, u32) -> u32,
    /// Its redo files: geometry and free check.
    pub(crate) redo_files: BuildRedoFiles,
    /// Its checkpointer, at start.
    pub(crate) checkpointer: CheckpointerThread,
    /// Whether a pass that begins a new second first makes all redo durable.
    pub(crate) syncs_redo_on_timeout: bool,
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

/// The checkpointer thread.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CheckpointerThread {
    /// Before 8.0.22: it tells the page cleaner the target of sync flushing.
    Polling(PollingCheckpointer),
    /// Later: the page cleaner asks for the target itself.
    Waiting(Checkpointer),
}

impl CheckpointerThread {
    /// LSN up to which the coordinator flushes synchronously in this pass; `lsn_avg_rate` in bytes a second.
    pub(super) fn sync_limit(
        &mut self,
        files: &dyn RedoFiles,
        log: &mut LogState,
        view: &View<'_>,
        lsn_avg_rate: u64,
    ) -> Option<u64> {
        match self {
            CheckpointerThread::Polling(thread) => thread.sync_limit(log, view),
            CheckpointerThread::Waiting(_) => {
                let target = files.sync_target(log, view);
                sync_limit_8030(log.flush_sync, target, lsn_avg_rate, true)
            }
        }
    }

    /// See [`innosim_core::seam::ServerModel::checkpointer`]; `lsn_avg_rate` in bytes a second.
    pub(super) fn step(
        &mut self,
        files: &mut dyn RedoFiles,
        log: &mut LogState,
        view: &View<'_>,
        lsn_avg_rate: u64,
        input: CheckpointerInput,
    ) -> CheckpointerAction {
        match self {
            CheckpointerThread::Polling(thread) => thread.step(files, log, view, lsn_avg_rate, input),
            CheckpointerThread::Waiting(thread) => thread.step(files, log, view, input),
        }
    }
}
