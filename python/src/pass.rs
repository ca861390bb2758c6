//! What a rule sees, as a Python object: `see` of `docs/rules.md`, name by name.

use innosim_rules::{See, over_instances};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;

/// One pass of the page cleaner, as a flushing rule sees it.
#[pyclass(frozen, eq, module = "innosim")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pass {
    /// Time of the run, seconds.
    #[pyo3(get)]
    now: f64,
    /// Time since the pass before, seconds.
    #[pyo3(get)]
    elapsed: f64,
    /// Age of the oldest dirty page, bytes: current LSN less its oldest modification; 0 if none is dirty.
    #[pyo3(get)]
    age: f64,
    /// Current LSN less the last checkpoint, bytes.
    #[pyo3(get)]
    checkpoint_age: f64,
    /// Age at which adaptive flushing is at its full, bytes.
    #[pyo3(get)]
    age_limit: f64,
    /// Age at which user threads stop, bytes.
    #[pyo3(get)]
    stop_age: f64,
    /// Redo since the pass before, bytes.
    #[pyo3(get)]
    redo: f64,
    /// Average redo, bytes a second.
    #[pyo3(get)]
    redo_rate: f64,
    /// Average flushing, pages a second.
    #[pyo3(get)]
    flush_rate: f64,
    /// Pages written since the pass before, or asked for, as the server has it.
    #[pyo3(get)]
    last_pages: f64,
    /// Dirty pages.
    #[pyo3(get)]
    dirty_pages: f64,
    /// Pages of the buffer pool.
    #[pyo3(get)]
    pool_pages: f64,
    /// Pages on the free list.
    #[pyo3(get)]
    free_pages: f64,
    /// Pages on the flush list within the first stretch that the rule looks ahead; 3 seconds of redo if it does not say.
    #[pyo3(get)]
    pages_due: f64,
    /// The same for each stretch.
    #[pyo3(get)]
    due: Vec<f64>,
    /// The first stretch for each buffer pool instance, pages.
    #[pyo3(get)]
    due_by_instance: Vec<f64>,
    /// Mean age of the dirty pages, bytes, if it was counted.
    mean_age: Option<f64>,
    /// Pages under write.
    #[pyo3(get)]
    pending_writes: f64,
    /// Pages read since the start of the run.
    #[pyo3(get)]
    page_reads: f64,
    /// Pages written since the start of the run.
    #[pyo3(get)]
    page_writes: f64,
    /// Instances of the buffer pool.
    #[pyo3(get)]
    instances: usize,
    /// Whether this is a sync pass: user threads wait or are about to.
    #[pyo3(get)]
    sync_pass: bool,
    /// How far beyond the oldest page a sync pass must get, bytes.
    #[pyo3(get)]
    sync_reach: f64,
    /// `innodb_io_capacity`, pages a second.
    #[pyo3(get)]
    io_capacity: f64,
    /// `innodb_io_capacity_max`, pages a second.
    #[pyo3(get)]
    io_capacity_max: f64,
    /// `innodb_max_dirty_pages_pct`, percent.
    #[pyo3(get)]
    max_dirty_pages_pct: f64,
}

impl Pass {
    /// The same as a script sees; with the mean age if it was counted.
    pub(crate) fn of(see: &See, mean_age: bool) -> Pass {
        let due: Vec<f64> = see.due.iter().map(|pages| over_instances(pages)).collect();
        Pass {
            now: see.now,
            elapsed: see.elapsed,
            age: see.age,
            checkpoint_age: see.checkpoint_age,
            age_limit: see.age_limit,
            stop_age: see.stop_age,
            redo: see.redo,
            redo_rate: see.redo_rate,
            flush_rate: see.flush_rate,
            last_pages: see.last_pages,
            dirty_pages: see.dirty_pages,
            pool_pages: see.pool_pages,
            free_pages: see.free_pages,
            pages_due: due.first().copied().unwrap_or(0.0),
            due,
            due_by_instance: see.due.first().into_iter().flatten().map(|&pages| pages as f64).collect(),
            mean_age: mean_age.then_some(see.mean_age),
            pending_writes: see.pending_writes,
            page_reads: see.page_reads,
            page_writes: see.page_writes,
            instances: see.instances as usize,
            sync_pass: see.sync_pass,
            sync_reach: see.sync_reach,
            io_capacity: see.capacity.io_capacity,
            io_capacity_max: see.capacity.io_capacity_max,
            max_dirty_pages_pct: see.capacity.max_dirty_pages_pct,
        }
    }
}

#[pymethods]
impl Pass {
    /// Mean age of the dirty pages, bytes. It takes a walk over all of them, and is there only for a rule with `asks_mean_age = True`.
    #[getter]
    fn mean_age(&self) -> PyResult<f64> {
        let help = "mean_age is counted only for a rule that says asks_mean_age = True (an attribute of the class or function)";
        self.mean_age.ok_or_else(|| PyAttributeError::new_err(help))
    }

    fn __repr__(&self) -> String {
        format!(
            "Pass(now={}, age={}, age_limit={}, dirty_pages={}, pages_due={}, redo_rate={}, last_pages={}{})",
            self.now,
            self.age,
            self.age_limit,
            self.dirty_pages,
            self.pages_due,
            self.redo_rate,
            self.last_pages,
            if self.sync_pass { ", sync_pass=True" } else { "" }
        )
    }
}
