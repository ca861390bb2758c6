//! LRU manager threads: one for each buffer pool instance, beside the page cleaner.
//!
//! Source: `percona` section 4.2. Each sleeps, does one LRU batch of its instance and waits for its writes; the version
//! says how long it then sleeps ([`crate::seam::ServerModel::lru_manager`]). While the data set fits the pool there is
//! no LRU list to flush and the threads stay away; they begin within a second of its outgrowing the pool.

use super::Server;
use super::events::Event;
use super::passes::Actor;
use crate::kernel::time::SimDuration;
use crate::seam::{FlushKind, FlushRequest, LruManagerInput, LruWork, PassReport};

/// One thread.
#[derive(Debug, Clone, Copy)]
struct Manager {
    /// Its next sleep, or the present one.
    sleep: SimDuration,
    /// Whether it waits for the writes of its batch.
    writing: bool,
    last: PassReport,
}

/// The threads; none where the page cleaner does their work.
#[derive(Debug, Clone)]
pub(super) struct LruManagers {
    managers: Vec<Manager>,
    started: bool,
}

impl LruManagers {
    pub(super) fn new(first_sleep: Option<SimDuration>, instances: u32) -> Self {
        let of = |sleep| Manager { sleep, writing: false, last: PassReport::default() };
        let managers = first_sleep.map_or_else(Vec::new, |sleep| vec![of(sleep); instances as usize]);
        LruManagers { managers, started: false }
    }
}

impl Server {
    /// Lets the threads begin, if the pool evicts and they have not begun.
    pub(super) fn start_lru_managers(&mut self) {
        if self.pool.evicts() && !std::mem::replace(&mut self.lru_managers.started, true) {
            (0..self.lru_managers.managers.len() as u32).for_each(|instance| self.manager_sleeps(instance));
        }
    }

    fn manager_sleeps(&mut self, instance: u32) {
        let manager = &mut self.lru_managers.managers[instance as usize];
        manager.writing = false;
        self.calendar.schedule(self.now + manager.sleep, Event::LruManager(instance));
    }

    /// The sleep of a thread is over, or the writes of its batch are.
    pub(super) fn lru_manager(&mut self, instance: u32) {
        let manager = self.lru_managers.managers[instance as usize];
        if manager.writing {
            return self.manager_sleeps(instance);
        }
        let seen = LruManagerInput {
            instance,
            free_pages: self.pool.free_of(instance as usize),
            lru_pages: self.pool.used_of(instance as usize),
            last: manager.last,
        };
        self.lru_managers.managers[instance as usize].sleep = self.model.lru_manager(seen);
        let request = FlushRequest {
            lru: LruWork::ScanDepth,
            only_instance: Some(instance),
            ..FlushRequest::list(FlushKind::LruOnly, Vec::new())
        };
        self.start_pass(Actor::LruManager(instance), request);
    }

    /// The batch of a thread is on its way.
    pub(super) fn flushed_by_manager(&mut self, instance: u32, report: PassReport) {
        let manager = &mut self.lru_managers.managers[instance as usize];
        (manager.last, manager.writing) = (report, true);
        if !self.wait_for_lru_batch(Event::LruManager(instance), instance as usize) {
            self.manager_sleeps(instance);
        }
    }
}
