//! What the server starts with: its redo log, the pages that are in the buffer pool, and those of them that are dirty.
//!
//! A dirty start stands for a server in the middle of its work. The last checkpoint is where a clean start has
//! everything, and the log has gone on from there by the checkpoint age. Which resident pages are dirty, and in which
//! order they became so, is drawn; their oldest modifications lie evenly over that redo, the oldest one at the
//! checkpoint. All that redo is durable.
//!
//! Where neighbours are flushed, a page is written with all that are dirty in its area of the file. So the pages of an area are clean
//! together, at a moment that is drawn for each area over that redo, and become dirty again one by one from then on, after times with
//! an exponential distribution; those are clean whose time has not come. Drawn page by page instead, whole areas would be flushed as
//! the oldest page of each is due, all of them within little redo, and be due together again and again.
//!
//! Simplifications: a server that flushed LRU batches has fewer pages with old modifications than with new ones; evenly over the redo
//! they are where flushing goes strictly by age (errs towards old pages). All resident pages are modified equally often.

use crate::buffer_pool::{BufferPool, Modification, PageRun, PageSpace};
use crate::config::{FlushNeighbors, MachineConfig, RedoConfig, RedoPipeline};
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
        let resident: Vec<u32> = (0..space.pages()).filter(|&page| pool.pages.is_resident(page)).collect();
        let modified = match config.flush_neighbors {
            FlushNeighbors::None => page_by_page(dirty, resident, &mut rng),
            FlushNeighbors::Area | FlushNeighbors::Contiguous => {
                area_by_area(dirty, &resident, config.buffer_pool.flush_area_pages, &mut rng)
            }
        };
        for (age, page) in modified {
            let modified = pool.modify(page, config.redo.start_lsn + age, space, SimTime::ZERO);
            debug_assert_eq!(modified, Modification::Done, "a resident page that is not under write");
        }
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

/// The pages that are dirty, in order of their oldest modifications, with the redo between the checkpoint and these.
fn page_by_page(start: DirtyStart, mut resident: Vec<u32>, rng: &mut Rng) -> Vec<(u64, u32)> {
    let pages = resident.len() as u64;
    let dirty = (pages as f64 * start.share.clamp(0.0, 1.0)).round() as u64;
    let modified = (0..dirty).map(|number| {
        let redo = u128::from(start.checkpoint_age_bytes) * u128::from(number) / u128::from(dirty);
        (redo as u64, resident.swap_remove(rng.below_u64(pages - number) as usize))
    });
    modified.collect()
}

/// The same where pages of an area of so many are flushed together.
fn area_by_area(start: DirtyStart, resident: &[u32], area_pages: u32, rng: &mut Rng) -> Vec<(u64, u32)> {
    let age = start.checkpoint_age_bytes as f64;
    let until_dirty = age / ages_until_dirty(start.share.clamp(0.0, 1.0));
    let mut modified = Vec::new();
    for area in resident.chunk_by(|one, next| one / area_pages == next / area_pages) {
        let flushed = age * rng.uniform_f64();
        for &page in area {
            let dirty_at = flushed - until_dirty * libm::log(1.0 - rng.uniform_f64());
            if dirty_at < age {
                modified.push((dirty_at as u64, page));
            }
        }
    }
    modified.sort_unstable();
    modified
}

/// The age of the redo in mean times until a clean page is dirty again, if this share of the pages is dirty that were clean at a
/// moment evenly over it: the share is `1 - (1 - exp(-x)) / x` of it.
fn ages_until_dirty(share: f64) -> f64 {
    let (mut low, mut high) = (1e-9, 1e9);
    for _ in 0..100 {
        let middle = f64::sqrt(low * high);
        if 1.0 + libm::expm1(-middle) / middle < share { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::WorkBefore;

    #[test]
    fn pages_of_an_area_are_clean_together_and_as_many_dirty_as_wanted() {
        let resident: Vec<u32> = (0..64_000).collect();
        for share in [0.0, 0.1, 0.75, 1.0] {
            let start = DirtyStart { share, checkpoint_age_bytes: 1 << 30, before: WorkBefore::default() };
            let modified = area_by_area(start, &resident, 64, &mut Rng::stream(1, 0, "dirty pages"));
            let dirty = modified.len() as f64 / 64_000.0;
            assert!((dirty - share).abs() < 0.02, "{dirty} for {share}");
            assert!(modified.is_sorted() && modified.iter().all(|(age, _)| *age < 1 << 30));
        }
        let start = DirtyStart { share: 0.75, checkpoint_age_bytes: 1 << 30, before: WorkBefore::default() };
        let modified = area_by_area(start, &resident, 64, &mut Rng::stream(1, 0, "dirty pages"));
        let oldest = &modified[..modified.len() / 100];
        let mut areas: Vec<u32> = oldest.iter().map(|(_, page)| page / 64).collect();
        areas.sort_unstable();
        areas.dedup();
        assert!(areas.len() < oldest.len() / 5, "{} pages of {} areas", oldest.len(), areas.len());
    }
}
