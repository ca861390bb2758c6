//! What a rule sees of a pass: what a server's own rule sees, in numbers with units.

use crate::measured::Measured;
use innosim_core::seam::{RuleInput, View};
use innosim_flush_models::registry::Settings;

/// Settings that a rule sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capacity {
    /// `innodb_io_capacity`, pages a second.
    pub io_capacity: f64,
    /// `innodb_io_capacity_max`, pages a second.
    pub io_capacity_max: f64,
    /// `innodb_max_dirty_pages_pct`, percent.
    pub max_dirty_pages_pct: f64,
}

impl Capacity {
    pub(crate) fn of(settings: &Settings) -> Capacity {
        let setting = |name| settings.integer(name).ok().map(|value| value as f64);
        let io_capacity = setting("innodb_io_capacity").unwrap_or(0.0);
        Capacity {
            io_capacity,
            io_capacity_max: setting("innodb_io_capacity_max").unwrap_or(io_capacity),
            max_dirty_pages_pct: settings.real("innodb_max_dirty_pages_pct").unwrap_or(100.0),
        }
    }
}

/// A pass of the page cleaner, as its rule sees it.
#[derive(Debug, Clone)]
pub struct See {
    /// Time of the run, seconds.
    pub now: f64,
    /// Time since the pass before, seconds.
    pub elapsed: f64,
    /// Age of the oldest dirty page, bytes: current LSN less its oldest modification.
    pub age: f64,
    /// Current LSN less the last checkpoint, bytes.
    pub checkpoint_age: f64,
    /// Age at which adaptive flushing is at its full, bytes.
    pub age_limit: f64,
    /// Age at which user threads stop, bytes.
    pub stop_age: f64,
    /// Redo since the pass before, bytes.
    pub redo: f64,
    /// Average redo, bytes a second.
    pub redo_rate: f64,
    /// Average flushing, pages a second.
    pub flush_rate: f64,
    /// Pages written since the pass before, or asked for, as the server has it.
    pub last_pages: f64,
    /// Dirty pages.
    pub dirty_pages: f64,
    /// Pages of the buffer pool.
    pub pool_pages: f64,
    /// Pages on the free list.
    pub free_pages: f64,
    /// Pages under write.
    pub pending_writes: f64,
    /// Pages read since the start of the run.
    pub page_reads: f64,
    /// Pages written since the start of the run.
    pub page_writes: f64,
    /// Instances of the buffer pool.
    pub instances: f64,
    /// Whether this is a sync pass: user threads wait or are about to.
    pub sync_pass: bool,
    /// How far beyond the oldest page a sync pass must get, bytes.
    pub sync_reach: f64,
    /// Settings.
    pub capacity: Capacity,
    /// Mean age of the dirty pages, bytes; 0 unless the rule asks for it.
    pub mean_age: f64,
    /// Pages due within each stretch that the rule looks ahead, by instance; empty unless the rule asks for them.
    pub due: Vec<Vec<u64>>,
}

impl See {
    /// What is seen now; pages that are due are counted later.
    pub(crate) fn of(view: &View<'_>, input: RuleInput, measured: &Measured, capacity: Capacity) -> See {
        let oldest = view.oldest_or_current_lsn();
        See {
            now: view.now.0 as f64 / 1e9,
            elapsed: measured.elapsed_s,
            age: view.current_lsn.saturating_sub(oldest) as f64,
            checkpoint_age: view.current_lsn.saturating_sub(view.last_checkpoint_lsn) as f64,
            age_limit: input.limit_for_age_bytes as f64,
            stop_age: input.free_check_capacity_bytes as f64,
            redo: measured.redo_bytes as f64,
            redo_rate: measured.redo_rate() as f64,
            flush_rate: measured.flush_rate() as f64,
            last_pages: input.last_pages as f64,
            dirty_pages: view.dirty_pages as f64,
            pool_pages: (view.lru_pages + view.free_pages) as f64,
            free_pages: view.free_pages as f64,
            pending_writes: view.pending_writes as f64,
            page_reads: view.page_reads as f64,
            page_writes: view.page_writes as f64,
            instances: f64::from(view.lists.instances()),
            sync_pass: input.sync_limit_lsn.is_some(),
            sync_reach: input.sync_limit_lsn.map_or(0, |limit| limit.saturating_sub(oldest)) as f64,
            capacity,
            mean_age: 0.0,
            due: Vec::new(),
        }
    }

    /// The figures that decide most, for messages.
    pub(crate) fn in_a_line(&self) -> String {
        format!(
            "age {} of {} bytes, {} dirty pages, redo {} bytes/s, {} pages/s flushed{}",
            self.age,
            self.age_limit,
            self.dirty_pages,
            self.redo_rate,
            self.flush_rate,
            if self.sync_pass { ", in a sync pass" } else { "" }
        )
    }
}

/// Pages over all instances.
pub fn over_instances(by_instance: &[u64]) -> f64 {
    by_instance.iter().sum::<u64>() as f64
}
