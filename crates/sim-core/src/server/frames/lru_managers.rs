//! LRU manager threads: one for each buffer pool instance, beside the page cleaner.
//!
//! Source: `percona` section 4.2. Each does one LRU batch of its instance, waits for its writes and sleeps. The version
//! says how long it is from the beginning of a batch to that of the next ([`crate::seam::ServerModel::lru_manager`]);
//! after a batch that takes longer the next begins at once. While the data set fits the pool there is no LRU list to
//! flush and the threads stay away; they begin within a second of its outgrowing the pool.

use crate::kernel::time::{SimDuration, SimTime};
use crate::seam::{FlushKind, FlushRequest, LruManagerInput, LruWork, PassReport};
use crate::server::flush::Flush;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::owners::Requester;

/// One thread.
#[derive(Debug, Clone, Copy)]
struct Manager {
    /// When its next batch is due.
    due: SimTime,
    /// Whether it waits for the writes of its batch.
    writing: bool,
    /// What its last batch did.
    last: Option<PassReport>,
}

/// The threads; none where the page cleaner does their work.
#[derive(Debug, Clone)]
pub(in crate::server) struct LruManagers {
    managers: Vec<Manager>,
    started: bool,
}

impl LruManagers {
    pub(in crate::server) fn new(first_sleep: Option<SimDuration>, instances: u32) -> Self {
        let manager = Manager { due: SimTime::ZERO, writing: false, last: None };
        let threads = if first_sleep.is_some() { instances as usize } else { 0 };
        LruManagers { managers: vec![manager; threads], started: false }
    }
}

impl LruManagers {
    /// Lets the threads begin, if the pool evicts and they have not begun.
    pub(in crate::server) fn start_lru_managers(&mut self, machine: &mut Machine) {
        let Some(first_sleep) = machine.config.lru_managers.filter(|_| machine.pool.frames.evicts()) else { return };
        if !std::mem::replace(&mut self.started, true) {
            for instance in 0..self.managers.len() as u32 {
                self.managers[instance as usize].due = machine.now + first_sleep;
                self.manager_sleeps(instance, machine);
            }
        }
    }

    fn manager_sleeps(&mut self, instance: u32, machine: &mut Machine) {
        let manager = &mut self.managers[instance as usize];
        manager.writing = false;
        machine.calendar.schedule(manager.due.max(machine.now), Event::LruManager(instance));
    }

    /// The sleep of a thread is over, or the writes of its batch are.
    pub(in crate::server) fn lru_manager(&mut self, instance: u32, flush: &mut Flush, machine: &mut Machine) {
        let manager = self.managers[instance as usize];
        if manager.writing {
            return self.manager_sleeps(instance, machine);
        }
        let seen = LruManagerInput {
            instance,
            free_pages: machine.pool.frames.free_of(instance as usize),
            lru_pages: machine.pool.frames.used_of(instance as usize),
            last: manager.last,
        };
        self.managers[instance as usize].due = machine.now + machine.model.lru_manager(seen);
        let request = FlushRequest {
            lru: LruWork::ScanDepth,
            only_instance: Some(instance),
            ..FlushRequest::list(FlushKind::LruOnly, Vec::new())
        };
        flush.start_pass(Requester::LruManager(instance), request, machine);
    }

    /// The batch of a thread is on its way.
    pub(in crate::server) fn flushed_by_manager(
        &mut self,
        instance: u32,
        report: PassReport,
        flush: &mut Flush,
        machine: &mut Machine,
    ) {
        let manager = &mut self.managers[instance as usize];
        (manager.last, manager.writing) = (Some(report), true);
        if !flush.wait_for_lru_batch(Event::LruManager(instance), instance as usize) {
            self.manager_sleeps(instance, machine);
        }
    }
}
