//! What the server starts with: its redo log, the pages that are in the buffer pool, and those of them that are dirty.
//!
//! A dirty start stands for a server in the middle of its work. The last checkpoint is where a clean start has
//! everything, and the log has gone on from there by the checkpoint age. Which resident pages are dirty, and in which
//! order they became so, is drawn; their oldest modifications lie evenly over that redo, the oldest one at the
//! checkpoint. All that redo is durable.
//!
//! Simplification: a server that flushed before has fewer pages with old modifications than with new ones where it
//! skips pages (neighbours, LRU batches); evenly over the redo they are where flushing goes strictly by age (errs
//! towards old pages).

use crate::buffer_pool::{BufferPool, Modification, PageRun, PageSpace};
use crate::config::{MachineConfig, RedoConfig, RedoPipeline};
use crate::kernel::random::Rng;
use crate::kernel::time::SimTime;
use crate::redo::RedoLog;
use crate::run_spec::{DirtyStart, RunSpec};
use crate::server::machine::costs;
use crate::workload::PageSetSpec;
use crate::workload::program::Program;

/// The redo log as the version has it, `age` bytes beyond its last checkpoint.
pub(super) fn redo_log(config: &RedoConfig, age: u64) -> RedoLog {
    let start_lsn = config.start_lsn + age;
    let mut log = RedoLog::new(start_lsn, config.write_ahead_bytes, config.log_buffer_bytes, costs::REDO_WRITE);
    if config.pipeline != RedoPipeline::DedicatedThreads {
        log = log.written_on_demand();
    }
    if config.framed { log } else { log.unframed(start_lsn) }
}

/// The buffer pool with the pages that are there, and dirty, at the start.
pub(super) fn buffer_pool(spec: &RunSpec, config: &MachineConfig, program: &Program, space: &PageSpace) -> BufferPool {
    let mut pool = BufferPool::new(&config.buffer_pool, config.flush_neighbors, space);
    make_resident(&spec.workload.page_sets, &program.runs, space, &mut pool);
    let freed = program.runs.iter().zip(&spec.workload.page_sets).filter(|(run, set)| set.freed && run.pages > 0);
    freed.for_each(|(&run, _)| pool.dirty.frees(run));
    if let Some(dirty) = spec.dirty_start {
        let mut rng = Rng::stream(spec.seed, spec.replication, "dirty pages");
        make_dirty(dirty, config.redo.start_lsn, space, &mut pool, &mut rng);
    }
    pool
}

/// Puts the share of each page set that starts in the pool there, spread evenly over the set.
fn make_resident(sets: &[PageSetSpec], runs: &[PageRun], space: &PageSpace, pool: &mut BufferPool) {
    for (set, &PageRun { first, .. }) in sets.iter().zip(runs).filter(|(_, run)| run.pages > 0) {
        let wanted = (set.pages as f64 * set.resident_share.clamp(0.0, 1.0)) as u64;
        let whole = wanted == set.pages;
        if whole {
            pool.run_arrives(PageRun { first, pages: set.pages as u32 }, space);
        }
        for i in 0..if whole { 0 } else { wanted } {
            let page = first + (i * set.pages / wanted.max(1)) as u32;
            if pool.frames.take(space.instance_of(page)) {
                pool.page_arrived(page, space, SimTime::ZERO);
            }
        }
    }
}

/// Makes the share of the resident pages dirty that starts so, by redo from `checkpoint_lsn` on.
fn make_dirty(start: DirtyStart, checkpoint_lsn: u64, space: &PageSpace, pool: &mut BufferPool, rng: &mut Rng) {
    let mut pages: Vec<u32> = (0..space.pages()).filter(|&page| pool.pages.is_resident(page)).collect();
    let resident = pages.len() as u64;
    let dirty = (resident as f64 * start.share.clamp(0.0, 1.0)).round() as u64;
    for number in 0..dirty {
        let redo = u128::from(start.checkpoint_age_bytes) * u128::from(number) / u128::from(dirty);
        let lsn = checkpoint_lsn + redo as u64;
        let page = pages.swap_remove(rng.below_u64(resident - number) as usize);
        let modified = pool.modify(page, lsn, space, SimTime::ZERO);
        debug_assert_eq!(modified, Modification::Done, "a resident page that is not under write");
    }
}
