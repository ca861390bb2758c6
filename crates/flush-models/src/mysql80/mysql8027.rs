//! MySQL 8.0.27, standing for 8.0.23 to 8.0.29.
//!
//! The fixed redo files and margins of 8.0.21 with the threads of 8.0.30: a coordinator that asks for the sync target
//! itself, a checkpointer that on a busy server writes every 7 seconds unless somebody asks, averages of the pages
//! really flushed (spec 8.0.21, sections 0.1, 2.4 and 4, in the forms for 8.0.23 and later).

use super::adaptive::FORM_8027;
use super::checkpointer::{Checkpointer, RedoFiles};
use super::coordinator::sync_limit_8030;
use super::fixed_files::FixedFiles;
use super::instance::buf_pool_get_8021;
use super::limits::RedoLimits;
use super::log_state::LogState;
use super::mysql8021::{self, MYSQL_8021, WITHOUT_PERCONAS};
use super::options::Options;
use super::release::{Parts, Release};
use super::replay::replay_rule;
use crate::model::{Model, StandsFor};
use crate::purge::{PurgeTraits, UNDO_PAGES_8023};
use crate::settings::{ModelId, Product, Servers, SettingsError, Version};
use innosim_core::config::PurgeShares;
use innosim_core::seam::{CheckpointerAction, CheckpointerInput, FreeCheck, FreeCheckWait, View};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 8.0.27 (stands for 8.0.23 .. 8.0.29).
    pub const Mysql8027: ModelId = ModelId::new("mysql-8.0.27", Product::Mysql, Version::new(8, 0, 23));
}

/// What its server is put together of.
pub(crate) const PARTS: Parts = Parts {
    form: FORM_8027,
    coordinator_of_57: false,
    release: |options, start_lsn| Ok(Box::new(Mysql8027::new(options, start_lsn)?)),
};

/// Purge of 8.0.23 to 8.0.29.
pub(crate) const PURGE: PurgeTraits =
    PurgeTraits { shares: PurgeShares::ByTableUnlessLagging, undo_pages: UNDO_PAGES_8023, ..mysql8021::PURGE };

/// MySQL 8.0.27.
pub(crate) const MYSQL_8027: Model = Model {
    id: ModelId::Mysql8027,
    title: "MySQL 8.0.27",
    about: "Stands for 8.0.23 to 8.0.29: the redo files and margins of mysql-8.0.21, with checkpoints every 7 s on a busy \
            server, a page cleaner that decides itself when to flush synchronously, and averages of what was really \
            flushed.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(8, 0, 23).until(8, 0, 30)),
        StandsFor::nearly(Servers::PERCONA.from(8, 0, 23).until(8, 0, 30), WITHOUT_PERCONAS),
    ],
    read: "8.0.27; runs of 8.0.28 were recorded",
    assumed: "",
    build: |settings, rule| PARTS.build(settings, rule),
    replay: Some(|settings| replay_rule(settings, &PARTS)),
    purge: Some(PURGE),
    ..MYSQL_8021
};

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
