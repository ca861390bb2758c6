//! What a rule sees of a pass: what a server's own rule sees, in numbers with units.

use crate::measured::Measured;
use innosim_core::seam::{RuleInput, View};
use rhai::{Array, Dynamic, Engine, FLOAT};

/// Settings that a rule sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Capacity {
    /// `innodb_io_capacity`, pages a second.
    pub(super) io_capacity: FLOAT,
    /// `innodb_io_capacity_max`, pages a second.
    pub(super) io_capacity_max: FLOAT,
    /// `innodb_max_dirty_pages_pct`, percent.
    pub(super) max_dirty_pages_pct: FLOAT,
}

/// A pass, as its rule sees it.
#[derive(Debug, Clone)]
pub(super) struct See {
    pub(super) now: FLOAT,
    pub(super) elapsed: FLOAT,
    pub(super) age: FLOAT,
    pub(super) checkpoint_age: FLOAT,
    pub(super) age_limit: FLOAT,
    pub(super) stop_age: FLOAT,
    pub(super) redo: FLOAT,
    pub(super) redo_rate: FLOAT,
    pub(super) flush_rate: FLOAT,
    pub(super) last_pages: FLOAT,
    pub(super) dirty_pages: FLOAT,
    pub(super) pool_pages: FLOAT,
    pub(super) free_pages: FLOAT,
    pub(super) pending_writes: FLOAT,
    pub(super) page_reads: FLOAT,
    pub(super) page_writes: FLOAT,
    pub(super) instances: FLOAT,
    pub(super) sync_pass: bool,
    pub(super) sync_reach: FLOAT,
    pub(super) capacity: Capacity,
    /// Mean age of the dirty pages, bytes; 0 unless the rule asks for it.
    pub(super) mean_age: FLOAT,
    /// Pages due within each stretch that the rule looks ahead, by instance.
    pub(super) due: Vec<Vec<u64>>,
}

impl See {
    /// What is seen now; pages that are due are counted later.
    pub(super) fn of(view: &View<'_>, input: RuleInput, measured: &Measured, capacity: Capacity) -> See {
        let oldest = view.oldest_or_current_lsn();
        See {
            now: view.now.0 as FLOAT / 1e9,
            elapsed: measured.elapsed_s,
            age: view.current_lsn.saturating_sub(oldest) as FLOAT,
            checkpoint_age: view.current_lsn.saturating_sub(view.last_checkpoint_lsn) as FLOAT,
            age_limit: input.limit_for_age_bytes as FLOAT,
            stop_age: input.free_check_capacity_bytes as FLOAT,
            redo: measured.redo_bytes as FLOAT,
            redo_rate: measured.redo_rate() as FLOAT,
            flush_rate: measured.flush_rate() as FLOAT,
            last_pages: input.last_pages as FLOAT,
            dirty_pages: view.dirty_pages as FLOAT,
            pool_pages: (view.lru_pages + view.free_pages) as FLOAT,
            free_pages: view.free_pages as FLOAT,
            pending_writes: view.pending_writes as FLOAT,
            page_reads: view.page_reads as FLOAT,
            page_writes: view.page_writes as FLOAT,
            instances: FLOAT::from(view.lists.instances()),
            sync_pass: input.sync_limit_lsn.is_some(),
            sync_reach: input.sync_limit_lsn.map_or(0, |limit| limit.saturating_sub(oldest)) as FLOAT,
            capacity,
            mean_age: 0.0,
            due: Vec::new(),
        }
    }

    /// The figures that decide most, for messages.
    pub(super) fn in_a_line(&self) -> String {
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

/// Over all instances.
fn sum(by_instance: &[u64]) -> FLOAT {
    by_instance.iter().sum::<u64>() as FLOAT
}

/// Registers a getter for each number.
macro_rules! numbers {
    ($engine:ident, $($name:ident),* $(,)?) => {
        $($engine.register_get(stringify!($name), |see: &mut See| see.$name);)*
    };
}

/// Lets scripts read what they see.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<See>("see");
    numbers!(
        engine,
        now,
        elapsed,
        age,
        checkpoint_age,
        age_limit,
        stop_age,
        redo,
        redo_rate,
        flush_rate,
        last_pages,
        dirty_pages,
        pool_pages,
        free_pages,
        pending_writes,
        page_reads,
        page_writes,
        instances,
        sync_pass,
        sync_reach,
    );
    engine.register_get("io_capacity", |see: &mut See| see.capacity.io_capacity);
    engine.register_get("io_capacity_max", |see: &mut See| see.capacity.io_capacity_max);
    engine.register_get("max_dirty_pages_pct", |see: &mut See| see.capacity.max_dirty_pages_pct);
    engine.register_get("mean_age", |see: &mut See| see.mean_age);
    engine.register_get("pages_due", |see: &mut See| see.due.first().map_or(0.0, |due| sum(due)));
    engine.register_get("due", |see: &mut See| -> Array {
        see.due.iter().map(|due| sum(due)).map(Dynamic::from).collect()
    });
    engine.register_get("due_by_instance", |see: &mut See| -> Array {
        see.due.iter().flatten().take(see.instances as usize).map(|&pages| Dynamic::from(pages as FLOAT)).collect()
    });
}
