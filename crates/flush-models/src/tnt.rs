//! TNT, NetEase's engine of 2013: changes of records in memory, pages later.
//!
//! A transactional layer keeps what is changed in a multi-version buffer in memory; purge merges it into NTSE, a page
//! store without transactions, whose checkpoint flushes dirty pages at a pace of its own ([`pace`]). The machine does the
//! first two (`innosim_core::config::RecordsConfig`); here is the checkpoint, and up to where redo can be used again: the
//! point that the last finished pass over the pages began at, or the one that the last pass of purge began at, whichever
//! comes first.
//!
//! Sources: a talk of its makers (2013), and the engine's published source for names, defaults and loops;
//! `docs/fidelity.md` says which is which, and what is assumed. Of later date than the talk, the source may differ from
//! the engine that was measured.
//!
//! A pass over the pages takes all that are dirty when it begins. Every second it writes as many as [`pace`] says, until
//! all are written; then redo before its beginning is needed no more for pages. The next begins after
//! `ntse_checkpoint_interval`, or at once if user threads have waited for redo since. A scavenger frees pages at the tail
//! of the LRU list, once a second, or when somebody finds none.
//!
//! Simplifications: the engine sorts the pages of a pass by file and page; here they go by age, each with the dirty pages
//! of its area of 64 (errs towards more seeks on disks); pages are of 16 KiB, not of 8 (errs towards fewer pages, each with
//! more rows); the scavenger frees pages, where the engine keeps a tenth of the list clean.

mod at_start;
pub(crate) mod model;
mod options;
pub mod pace;

use crate::settings::{Settings, SettingsError};
use innosim_core::config::MachineConfig;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    AgeLimits, CheckpointerAction, CheckpointerInput, CheckpointerNext, CleanerAction, CleanerInput, FlushGauges,
    FlushKind, FlushRequest, FreeCheck, FreeCheckWait, LruWork, ServerModel, View, WorkBefore, WriterLimits,
};
use options::Options;
use pace::{Pace, Seen};

/// The checkpoint and the scavenger look once a second.
const SECOND: SimDuration = SimDuration::from_secs(1);

/// A server with TNT.
#[derive(Debug)]
pub(crate) struct Tnt {
    machine: MachineConfig,
    options: Options,
    pace: Pace,
    /// The pass under way takes pages whose oldest modification is below this.
    pass_up_to: Option<u64>,
    /// Activity that the last second's request saw.
    activity: u64,
    /// When the next pass may begin, and when the pages of the next second are due.
    next_pass: SimTime,
    next_second: SimTime,
    requested: u64,
    /// Whether user threads have found the redo log full since the last pass ended.
    redo_was_full: bool,
    /// Redo before these is needed no more, for pages and for records.
    pages_lsn: u64,
    records_lsn: u64,
}

impl Tnt {
    /// The server of these settings.
    pub(crate) fn build(settings: &Settings) -> Result<Self, SettingsError> {
        let options = Options::new(settings)?;
        let machine = options.machine_config();
        let start_lsn = machine.redo.start_lsn;
        Ok(Tnt {
            pace: Pace::new(options.io_capacity, machine.buffer_pool.pages),
            machine,
            pass_up_to: None,
            activity: 0,
            next_pass: SimTime::ZERO + options.checkpoint_interval,
            next_second: SimTime::ZERO,
            requested: 0,
            redo_was_full: false,
            pages_lsn: start_lsn,
            records_lsn: start_lsn,
            options,
        })
    }

    /// The work of the scavenger, and the pages of a pass if their second has come.
    fn next_request(&mut self, view: &View<'_>) -> FlushRequest {
        if self.pass_up_to.is_none() && (view.now >= self.next_pass || self.redo_was_full) {
            self.pass_up_to = Some(view.current_lsn);
        }
        let due = view.now >= self.next_second;
        if due {
            self.next_second = view.now + SECOND;
        }
        let half_full = view.current_lsn - view.last_checkpoint_lsn > self.options.redo_bytes() / 2;
        let short_of_redo = half_full || self.redo_was_full;
        let seen = Seen { dirty_pages: view.dirty_pages, current_lsn: view.current_lsn, short_of_redo };
        let pages = if due && self.pass_up_to.is_some() { self.pace.next(seen) } else { 0 };
        self.requested = pages;
        let idle = std::mem::replace(&mut self.activity, view.activity) == view.activity;
        let kind = if idle { FlushKind::Background } else { FlushKind::Adaptive };
        FlushRequest {
            lsn_limit: self.pass_up_to.unwrap_or(u64::MAX),
            lru: LruWork::Batch(self.options.scavenger_pages),
            ..FlushRequest::list(kind, vec![pages])
        }
    }

    /// A second's pages are written: the pass may be over.
    fn look_for_end(&mut self, view: &View<'_>) {
        let oldest = view.oldest_modification_lsn;
        let Some(up_to) = self.pass_up_to.filter(|up_to| oldest == 0 || oldest >= *up_to) else { return };
        self.pages_lsn = up_to;
        self.pass_up_to = None;
        self.redo_was_full = false;
        self.next_pass = view.now + self.options.checkpoint_interval;
    }
}

impl ServerModel for Tnt {
    fn config(&self) -> &MachineConfig {
        &self.machine
    }

    fn starts_after(&mut self, before: WorkBefore) {
        self.pace.starts_after(before);
    }

    fn instance_of(&self, _: u32, _: u32) -> u32 {
        0
    }

    fn age_limits(&self) -> AgeLimits {
        let capacity = self.options.redo_bytes();
        AgeLimits {
            async_bytes: capacity,
            sync_bytes: capacity,
            stop_bytes: capacity,
            adaptive_full_bytes: capacity,
            sync_flush_start_bytes: capacity,
            adaptive_low_water_bytes: 0,
        }
    }

    fn writer_limits(&self) -> WriterLimits {
        let capacity = self.options.redo_bytes();
        WriterLimits { hard_bytes: capacity, soft_bytes: capacity }
    }

    fn free_check_limit_lsn(&self) -> u64 {
        // The machine keeps room for merges itself.
        u64::MAX
    }

    fn free_check(&mut self, _: &View<'_>, _: &mut FreeCheckWait) -> FreeCheck {
        FreeCheck::Proceed
    }

    fn records_merged(&mut self, _: &View<'_>, lsn: u64) {
        self.records_lsn = lsn;
    }

    fn redo_is_full(&mut self) {
        self.redo_was_full = true;
    }

    fn cleaner(&mut self, view: &View<'_>, input: CleanerInput) -> CleanerAction {
        match input {
            CleanerInput::Timeout | CleanerInput::Event => CleanerAction::Flush(self.next_request(view)),
            _ => {
                self.look_for_end(view);
                CleanerAction::Wait { until: self.next_second.max(view.now), wake_on_event: true }
            }
        }
    }

    fn checkpointer(&mut self, view: &View<'_>, _: CheckpointerInput) -> CheckpointerAction {
        let lsn = self.pages_lsn.min(self.records_lsn).min(view.durable_lsn);
        let next = if lsn > view.last_checkpoint_lsn {
            CheckpointerNext::Write { lsn }
        } else {
            CheckpointerNext::Wait { timeout: SECOND, on_cleaner_tick: true }
        };
        CheckpointerAction { wake_cleaner: false, next }
    }

    fn gauges(&self) -> FlushGauges {
        FlushGauges {
            n_to_flush_requested: self.requested,
            avg_page_rate: self.pace.avg_page_rate,
            lsn_avg_rate: self.pace.lsn_avg_rate,
            ..FlushGauges::default()
        }
    }
}
