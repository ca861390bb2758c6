//! The mutex over the LRU list of each buffer pool instance, held while data files are synced.
//!
//! Source: `innodb-5.6` section 5.4 and `innodb-5.7` section 5.4: the I/O thread that completes the last page of a
//! doublewrite batch holds the mutex of that page's instance while it syncs the data files. From 8.0 on it is the mutex
//! of the LRU list, taken to complete pages that an LRU batch has flushed, as they are freed at once (known of the
//! server: `buf_page_io_complete`). Meanwhile nobody reads a page into that instance or looks for a page to free there,
//! no access moves a page to the head of its list, and other threads that would complete such pages wait.
//!
//! Who waited goes on one after the other, each when it has got a processor: all are woken at once, but each must take
//! and give back the mutex of the event that it slept on. Traced under 9.7 with 16 clients: one release wakes ten
//! threads, and the last of three I/O threads among them goes on 1.4 ms later. Here the next one wakes when the one
//! before has computed as for a completion.
//!
//! Who finds it taken spins before it sleeps: `innosim_core::run_spec::CpuSpec::mutex_spin`, on a processor that others
//! want. 9.7 with 16 clients and a pool of a quarter of the data takes 176 and 199 us of user time a transaction with
//! `innodb_sync_spin_loops` at its default, 144 and 122 with 0.
//!
//! All other holds of that mutex take no time here, but where the host says what they cost ([`super::lru_contention`]); then
//! who waits for a sync competes with all others.
//!
//! Simplifications: who comes while others wake
//! is not held up by them; a thread spins beside its sleep rather than before it, all the time that it may, as a sync
//! takes some times longer.

use crate::config::SyncHolds;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::lru_contention::{Contention, LruVisits};
use crate::server::machine::owners::ListKind;
use std::collections::VecDeque;

/// The mutexes, by instance.
#[derive(Debug, Clone)]
pub(in crate::server) struct LruListMutexes {
    holds: SyncHolds,
    mutexes: Vec<Mutex>,
    /// How many are held.
    held: u32,
    /// Those who compete for them, where the host says what a hold costs; then all waits are there.
    pub(in crate::server) contention: Option<Box<Contention>>,
}

#[derive(Debug, Clone, Default)]
struct Mutex {
    held: bool,
    /// What those who sleep will do.
    asleep: Vec<Event>,
    /// The same of those who have been woken; the first is at a processor or waits for one.
    woken: VecDeque<Event>,
}

impl LruListMutexes {
    pub(in crate::server) fn new(holds: SyncHolds, instances: u32, contention: Option<Box<Contention>>) -> Self {
        LruListMutexes { holds, mutexes: vec![Mutex::default(); instances as usize], held: 0, contention }
    }

    /// Whether the thread that ends such a batch holds the mutex until the data files are synced.
    pub(in crate::server) fn held_by_sync(&self, kind: ListKind) -> bool {
        match self.holds {
            SyncHolds::Nothing => false,
            SyncHolds::LruList => kind == ListKind::Lru,
            SyncHolds::Instance => true,
        }
    }

    /// Whether somebody holds the mutex of an instance; `goes_on` then comes when it has been given back.
    pub(in crate::server) fn waits(&mut self, instance: usize, goes_on: Event) -> bool {
        let mutex = &mut self.mutexes[instance];
        if mutex.held {
            mutex.asleep.push(goes_on);
        }
        mutex.held
    }

    /// Whether somebody holds any of them, so that an access may have to wait for the move of its page. Who competes for the
    /// mutexes waits with its next visit.
    #[inline]
    pub(in crate::server) fn any_held(&self) -> bool {
        self.held > 0 && self.contention.is_none()
    }

    /// Whether somebody holds that of an instance while it syncs data files.
    pub(in crate::server) fn is_held(&self, instance: usize) -> bool {
        self.mutexes[instance].held
    }

    /// The mutex of an instance is taken for longer.
    pub(in crate::server) fn hold(&mut self, instance: usize) {
        debug_assert!(!self.mutexes[instance].held, "a mutex held twice");
        self.mutexes[instance].held = true;
        self.held += 1;
    }

    /// The mutex of an instance is given back, and those who sleep are woken. The first of them, unless somebody woken
    /// before is still on his way.
    fn give_back(&mut self, instance: usize) -> Option<Event> {
        let mutex = &mut self.mutexes[instance];
        mutex.held = false;
        self.held -= 1;
        let nobody_wakes = mutex.woken.is_empty();
        mutex.woken.extend(mutex.asleep.drain(..));
        mutex.woken.front().copied().filter(|_| nobody_wakes)
    }

    /// Clients that wait for a mutex.
    pub(in crate::server) fn waiting_clients(&self) -> usize {
        let sleepers = self.mutexes.iter().flat_map(|mutex| mutex.asleep.iter().chain(&mutex.woken));
        let asleep = sleepers.filter(|event| event.client().is_some()).count();
        asleep + self.contention.as_ref().map_or(0, |contention| contention.waiting_clients())
    }
}

impl LruVisits<'_> {
    /// The mutex of an instance is given back: all who waited are woken.
    pub(in crate::server) fn release(&mut self, instance: usize) {
        if let Some(first) = self.0.lru_list_mutexes.give_back(instance) {
            self.0.cpu().sleeper_wakes(first, Event::LruListMutex(instance as u32));
        }
        self.next_turn_comes(instance);
    }

    /// A thread that waited for the mutex of an instance has got a processor: it goes on, and the next wakes.
    pub(in crate::server) fn passed_on(&mut self, instance: u32) {
        if self.0.lru_list_mutexes.contention.is_some() {
            return self.becomes_free(instance as usize);
        }
        let woken = &mut self.0.lru_list_mutexes.mutexes[instance as usize].woken;
        let goes_on = woken.pop_front();
        let next = woken.front().copied();
        if let Some(goes_on) = goes_on {
            self.0.calendar.schedule(self.0.now, goes_on);
        }
        if let Some(next) = next {
            self.0.cpu().sleeper_wakes(next, Event::LruListMutex(instance));
        }
    }
}

impl Machine {
    /// Whether somebody holds the mutex of an instance; the thread then spins, sleeps, and `goes_on` comes when the mutex
    /// has been given back.
    pub(in crate::server) fn waits_for_lru_list(&mut self, instance: usize, goes_on: Event) -> bool {
        let waits = self.lru_list_mutexes.waits(instance, goes_on);
        if waits {
            let spin = self.processors.spec().mutex_spin;
            self.cpu().charge_cpu(spin);
        }
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::machine::ids::{ClientId, ThreadId};

    #[test]
    fn who_sleeps_is_woken_in_order_and_nobody_twice() {
        let mut mutexes = LruListMutexes::new(SyncHolds::LruList, 2, None);
        assert!(mutexes.held_by_sync(ListKind::Lru) && !mutexes.held_by_sync(ListKind::FlushList));
        assert!(!mutexes.waits(0, Event::ClientResumes(ClientId(1))), "nobody holds it");
        mutexes.hold(0);
        assert!(
            mutexes.any_held() && !mutexes.waits(1, Event::ClientResumes(ClientId(1))),
            "the other instance is free"
        );
        assert!(
            mutexes.waits(0, Event::ClientResumes(ClientId(1))) && mutexes.waits(0, Event::FlushThread(ThreadId(0)))
        );
        assert_eq!(mutexes.waiting_clients(), 1);
        assert_eq!(mutexes.give_back(0), Some(Event::ClientResumes(ClientId(1))));
        assert!(!mutexes.any_held());
        mutexes.hold(0);
        assert!(mutexes.waits(0, Event::ClientResumes(ClientId(2))));
        assert_eq!(mutexes.give_back(0), None, "the first is still on his way");
        assert_eq!(
            mutexes.mutexes[0].woken,
            [Event::ClientResumes(ClientId(1)), Event::FlushThread(ThreadId(0)), Event::ClientResumes(ClientId(2))]
        );
        assert_eq!(mutexes.waiting_clients(), 2);
    }
}
