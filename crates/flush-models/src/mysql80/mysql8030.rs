//! MySQL 8.0.30 and later, 8.4 and 9.7 included.
//!
//! 32 redo files of one capacity; a free check that stops everybody while the log writer is inside its extra margin; a
//! coordinator that asks for the sync target itself; the checkpointer of 8.0.22, which here does not wait long for the
//! page cleaner while the log writer is inside its extra margin (spec 8.0.30, sections 1, 2 and 4).
//!
//! The free check compares LSNs, as from 8.0.32; 8.0.30 and 8.0.31 compared sn, which stops the same positions but for
//! the few bytes of a block's header and trailer.

use super::adaptive::FORM_8030;
use super::checkpoint::{CheckpointState, log_should_checkpoint_8030};
use super::free_check::{FREE_CHECK_FIRST_SLEEP, backoff, checkpoint_to_request};
use super::instance::buf_pool_get_8030;
use super::limits::{RedoLimits, dict_persist_margin};
use super::log_state::LogState;
use super::lsn::LOG_START_LSN;
use super::mysql8027::{self, MYSQL_8027};
use super::options::{self, Options, margin_error};
use super::redo_files::{RedoFiles, TICK_WAIT};
use super::redo_geometry_8030::{FilesCapacity, LOG_N_FILES};
use super::release::Parts;
use super::replay::replay_rule;
use crate::model::{Model, StandsFor};
use crate::purge::PurgeTraits;
use crate::settings::{ModelId, Product, Servers, SettingsError, Version};
use innosim_core::config::{PAGE_BYTES, RedoFilesConfig, UndoTruncation};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{FreeCheck, FreeCheckWait, View};

/// Longest wait of the checkpointer for the end of a cleaner pass, while the log writer is inside its extra margin.
const TICK_WAIT_IN_EXTRA_MARGIN: SimDuration = SimDuration::from_millis(1);

/// Time between two rounds of the thread that looks after the redo files.
const GOVERNOR_ROUND: SimDuration = SimDuration::from_millis(10);

/// Wait of the log writer for an unused redo file.
const WAIT_FOR_FILE: SimDuration = SimDuration::from_millis(100);

#[allow(non_upper_case_globals)]
impl ModelId {
    /// MySQL 8.0.30 and later 8.0.
    pub const Mysql8030: ModelId = ModelId::new("mysql-8.0.30", Product::Mysql, Version::new(8, 0, 30));
}

/// What its server is put together of.
pub(crate) const PARTS_8030: Parts = Parts {
    form: FORM_8030,
    instance_of: buf_pool_get_8030,
    redo_files: |options, start_lsn| Ok(Box::new(Files::new(options, start_lsn)?)),
    syncs_redo_on_timeout: true,
    ..mysql8027::PARTS
};

/// MySQL 8.0.30.
pub(crate) const MYSQL_8030: Model = Model {
    id: ModelId::Mysql8030,
    title: "MySQL 8.0.30",
    about: "Stands for 8.0.30 and later: innodb_redo_log_capacity, checkpoints every 7 s on a busy server, and all \
            user threads stopped while the log writer is inside its extra margin.",
    stands_for: &[
        StandsFor::exactly(Servers::MYSQL_ALONE.from(8, 0, 30).until(8, 1, 0)),
        StandsFor::nearly(
            Servers::MYSQL_ALONE.from(8, 1, 0).until(8, 4, 0),
            "the machinery is taken to be that of 8.0.30; defaults may differ",
        ),
    ],
    read: "8.0.30 and 8.0.40, parts of 8.0.32 and 8.0.39; runs of 8.0.31 and 8.0.36 were recorded, throughput of 8.0.45 is published",
    assumed: "",
    build: |settings, rule| PARTS_8030.build(settings, rule),
    replay: Some(|settings| replay_rule(settings, &PARTS_8030)),
    purge: Some(PurgeTraits { truncation: UndoTruncation::Replacement { blocks: false }, ..mysql8027::PURGE }),
    ..MYSQL_8027
};

/// The redo files, and how far user threads may go.
#[derive(Debug, Clone)]
struct Files {
    capacity: FilesCapacity,
    limits: RedoLimits,
    /// 0 while the writer is inside its extra margin; else never falls.
    free_check_limit_lsn: u64,
    writer_inside_extra_margin: bool,
}

impl Files {
    fn new(options: &Options, start_lsn: u64) -> Result<Self, SettingsError> {
        let capacity = FilesCapacity::new(options.redo_log_capacity, PAGE_BYTES);
        let (concurrency_margin, _) = capacity.concurrency_margin(options.thread_concurrency, PAGE_BYTES);
        let limits = capacity
            .limits(concurrency_margin, dict_persist_margin(options::DIRTY_TABLES, PAGE_BYTES))
            .ok_or_else(|| margin_error("innodb_redo_log_capacity", options))?;
        let free_check_limit_lsn = start_lsn + limits.free_check_capacity;
        Ok(Files { capacity, limits, free_check_limit_lsn, writer_inside_extra_margin: false })
    }
}

impl RedoFiles for Files {
    fn copied(&self) -> Box<dyn RedoFiles> {
        Box::new(self.clone())
    }

    fn limits(&self) -> RedoLimits {
        self.limits
    }

    fn update_limits(&mut self, last_checkpoint_lsn: u64) {
        let limit = last_checkpoint_lsn + self.limits.free_check_capacity;
        self.free_check_limit_lsn =
            if self.writer_inside_extra_margin { 0 } else { self.free_check_limit_lsn.max(limit) };
    }

    fn writer_in_extra_margin(&mut self, view: &View<'_>, inside: bool) {
        self.writer_inside_extra_margin = inside;
        // Users stop with the next round of the governor; the checkpoint that ends that lets them go on at once.
        if !inside {
            self.update_limits(view.last_checkpoint_lsn);
        }
    }

    fn free_check_limit_lsn(&self) -> u64 {
        self.free_check_limit_lsn
    }

    fn free_check(&mut self, log: &mut LogState, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        if wait.sleeps == 0 {
            wait.lsn = view.current_lsn;
        }
        if wait.lsn <= self.free_check_limit_lsn {
            *wait = FreeCheckWait::default();
            return FreeCheck::Proceed;
        }
        let mut wake_checkpointer = false;
        if wait.sleeps == 0 {
            let lsn = checkpoint_to_request(wait.lsn, self.limits.free_check_capacity);
            wake_checkpointer = lsn.is_some_and(|lsn| log.request_checkpoint(lsn));
        }
        wait.sleeps += 1;
        FreeCheck::Sleep { duration: backoff(FREE_CHECK_FIRST_SLEEP, wait.sleeps), wake_checkpointer }
    }

    fn should_checkpoint(&self, state: &CheckpointState, elapsed_us: u64) -> bool {
        let file_end = self.capacity.file_end_lsn(state.last_checkpoint_lsn, LOG_START_LSN);
        log_should_checkpoint_8030(state, self.limits.age_checkpoint, elapsed_us, file_end)
    }

    fn governed(&self) -> Option<RedoFilesConfig> {
        Some(RedoFilesConfig {
            file_bytes: self.capacity.file_redo_bytes(),
            first_lsn: LOG_START_LSN,
            files: LOG_N_FILES as u32,
            round: GOVERNOR_ROUND,
            writer_wait: WAIT_FOR_FILE,
        })
    }

    fn tick_wait(&self) -> SimDuration {
        if self.writer_inside_extra_margin { TICK_WAIT_IN_EXTRA_MARGIN } else { TICK_WAIT }
    }
}
