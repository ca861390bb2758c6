//! MySQL 5.5 and Percona Server 5.5: a master thread that does everything once a second, and user threads that flush
//! when the log runs full.
//!
//! There is no page cleaner. The master thread ([`master`]) flushes for the share of dirty pages and for the redo that
//! was written ([`flush_rate`]), never more than `innodb_io_capacity` at a time; what that leaves is flushed by user
//! threads, without any limit: beyond 7/8 of the usable redo log by the first that comes, beyond 15/16 by all of them
//! ("furious flushing"). User threads also keep up the margin of free pages ([`lru`]). Percona Server puts methods of
//! its own in place of the desired rate ([`crate::percona55::methods`]).
//!
//! Specification: `innodb-5.5`; `percona` sections 1 and 2. Formulas that 5.6 and 5.7 share are in [`crate::legacy`].
//!
//! Simplifications:
//! * The free check runs before each row that is changed; where the number of rows is not known, before each change of a
//!   page.
//! * A server whose redo log overwrites itself only prints an error. In the machine the redo writer waits there, so
//!   that a run stays recoverable.
//! * While idle, the master thread waits for the reads of pages whose changes it merges: errs towards merging a little more
//!   slowly.

mod adaptive;
mod at_start;
pub mod flush_rate;
pub mod lru;
mod margin;
pub mod master;
mod master_thread;
pub(crate) mod model;
mod options;
#[cfg(test)]
mod tests;

use crate::legacy::instance::buf_pool_get;
use crate::settings::{Settings, SettingsError};
use innosim_core::config::MachineConfig;
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{
    AgeLimits, CheckpointerAction, CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushGauges,
    FreeCheck, FreeCheckWait, ServerModel, View, WorkBefore, WriterLimits,
};
use margin::{LogMargin, MarginStep};
use master_thread::MasterThread;
use options::Options;

/// There is no checkpointer thread; it sleeps unless the redo writer has no space left.
const CHECKPOINTER_SLEEP: SimDuration = SimDuration::from_secs(3600);

/// A server of MySQL 5.5 or Percona Server 5.5.
#[derive(Debug)]
pub(crate) struct Mysql55 {
    machine: MachineConfig,
    margin: LogMargin,
    master: MasterThread,
    /// LSN beyond which user threads look at the ages.
    free_check_limit_lsn: u64,
}

impl Mysql55 {
    /// The server of these settings.
    pub(crate) fn build(settings: &Settings) -> Result<Self, SettingsError> {
        let options = Options::new(settings)?;
        let machine = options.machine_config();
        Ok(Mysql55 {
            free_check_limit_lsn: machine.redo.start_lsn + options.ages.max_modified_age_async,
            margin: LogMargin::new(options.ages, options.buffer_pool_instances as usize),
            master: MasterThread::new(&options),
            machine,
        })
    }
}

impl ServerModel for Mysql55 {
    fn config(&self) -> &MachineConfig {
        &self.machine
    }

    fn instance_of(&self, space_id: u32, page_no: u32) -> u32 {
        buf_pool_get(space_id, page_no, self.machine.buffer_pool.instances)
    }

    fn age_limits(&self) -> AgeLimits {
        let ages = self.margin.ages();
        AgeLimits {
            async_bytes: ages.max_modified_age_async,
            sync_bytes: ages.max_modified_age_sync,
            stop_bytes: ages.max_checkpoint_age,
            adaptive_full_bytes: ages.log_group_capacity,
            sync_flush_start_bytes: ages.max_modified_age_async,
            adaptive_low_water_bytes: 0,
        }
    }

    fn writer_limits(&self) -> WriterLimits {
        let group = self.margin.ages().group_bytes;
        WriterLimits { hard_bytes: group, soft_bytes: group }
    }

    fn free_check_limit_lsn(&self) -> u64 {
        self.free_check_limit_lsn
    }

    fn free_check(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> FreeCheck {
        match self.margin.next(view, wait) {
            Some(MarginStep::Flush(request)) => FreeCheck::Flush(request),
            Some(MarginStep::WaitForBatches) => FreeCheck::WaitForBatches,
            Some(MarginStep::Checkpoint { wait }) => FreeCheck::Checkpoint { wait },
            None => FreeCheck::Proceed,
        }
    }

    fn checkpoint_published(&mut self, view: &View<'_>) {
        // The flag is never raised while the checkpoint is younger than the async limit.
        self.free_check_limit_lsn = view.last_checkpoint_lsn + self.margin.ages().max_modified_age_async;
    }

    fn monitor(&mut self, view: &View<'_>) {
        self.master.adaptive.stat.update(view.current_lsn, view.lru_pages_flushed);
    }

    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction {
        self.master.next(view, input, &mut self.margin)
    }

    fn checkpointer(&mut self, _: &View<'_>, input: CheckpointerInput) -> CheckpointerAction {
        let next = match input {
            CheckpointerInput::Event => CheckpointerNext::WriteOldest,
            _ => CheckpointerNext::Wait { timeout: CHECKPOINTER_SLEEP, on_cleaner_tick: false },
        };
        CheckpointerAction { wake_cleaner: false, next }
    }

    fn starts_after(&mut self, before: WorkBefore) {
        self.master.adaptive.stat.fill(before.redo_bytes_per_s);
    }

    fn gauges(&self) -> FlushGauges {
        FlushGauges {
            n_to_flush_requested: self.master.n_to_flush,
            lsn_avg_rate: self.master.adaptive.stat.sum_redo / flush_rate::STAT_INTERVALS as u64,
            avg_page_rate: self.master.adaptive.stat.sum_n_flushed / flush_rate::STAT_INTERVALS as u64,
            ..FlushGauges::default()
        }
    }
}
