//! Threads that compete for the mutex of an LRU list.
//!
//! Source: `lru-list-mutex` sections 1 to 4 (who takes it, and how often) and 9 (how long a cycle takes). A client takes it for
//! each page that it reads or creates, each page that it moves to the head of the list, each search of the tail, each flush of a
//! single page and its completion; the page cleaner for each page that it evicts or hands to the doublewrite; the I/O threads for
//! each page of an LRU batch that they complete. A search of the tail keeps it longer for each page that it passes over. The mutex
//! is not fair: of the threads that wait any may be next. One cycle, hold and hand-over together, takes the time of a hold, and
//! longer for each thread that waits for any such mutex of the server: waiters are woken all together, spin on the same processors
//! and preempt the holder.
//!
//! Who finds a mutex free takes it without an event. What a client takes between two reads counts as one visit with the read's,
//! so a transaction competes once a read. A page cleaner competes for page after page. As it has just run, it often takes the
//! mutex again before one of the waiters, which look every few microseconds, sees it free; the less often the more they are.
//! Nothing is handed over then, and it pays for the eviction alone.
//!
//! Simplifications: moves to the head, searches and evictions by purge happen at once and are paid for by the next visit of any
//! client, at the instance of that visit (right in the mean where pages are spread evenly); a cleaner that nobody else competes
//! with takes a few pages at a time; a waiting thread's share of a processor is charged when its wait is over.

use crate::config::SyncHolds;
use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::LruMutexSpec;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;

/// Waiters of an instance for which the chance of a running thread to take the mutex again, before a spinning one sees it free, falls
/// to 1/e. Page cleaners of 9.7 with 256 clients needed 630 us for a page (`lru-list-mutex` section 3.2), 26 cycles of the mutex: beside
/// 118 others they took it again one time in twenty.
const WAITERS_TO_LOSE: f64 = 40.0;
/// A hold of a thread that takes the mutex again: an eviction looks at some ten places in memory, 0.1 us each.
const TAKEN_AGAIN: SimDuration = SimDuration::from_micros(1);
/// A page that a search passes over: its descriptor lies in one such place, and the mutex that guards it in another (section 2.1).
const PASSED_OVER: SimDuration = SimDuration(200);
/// Pages for which such a thread takes the mutex in one go while nobody else wants it.
const PAGES_ALONE: u32 = 8;

/// The mutexes of all instances as seen by those who compete for them.
#[derive(Debug, Clone)]
pub(in crate::server) struct Contention {
    spec: LruMutexSpec,
    rng: Rng,
    queues: Vec<Queue>,
    /// Threads that wait, over all instances.
    waiting: u32,
    /// Acquisitions that no visit has paid for, and pages that searches of the tail have passed over.
    owed: u32,
    passed_over: u64,
    /// How often a page read and an eviction take it: the mutex of the whole instance before 8.0 more often.
    pub(in crate::server) a_read: u32,
    pub(in crate::server) an_eviction: u32,
}

#[derive(Debug, Clone, Default)]
struct Queue {
    free_at: SimTime,
    /// Whether the next one's turn is in the calendar.
    turn_comes: bool,
    sleepers: Vec<Visit>,
    /// Those that compete for page after page.
    running: Vec<Visit>,
    /// What the thread goes on with whose visit is over at `free_at`.
    served: Option<Event>,
}

impl Queue {
    /// Whether the thread that does this has just had the mutex.
    fn was_served(&mut self, goes_on: Event, now: SimTime) -> bool {
        self.served.take_if(|event| self.free_at == now && *event == goes_on).is_some()
    }
}

/// A thread that waits.
#[derive(Debug, Clone, Copy)]
struct Visit {
    goes_on: Event,
    acquisitions: u32,
    /// What its searches take besides.
    searches: SimDuration,
    since: SimTime,
}

impl Contention {
    /// For a server whose mutexes cover so much, if the host says what they cost.
    pub(in crate::server) fn new(spec: LruMutexSpec, holds: SyncHolds, instances: u32, rng: Rng) -> Option<Box<Self>> {
        let (a_read, an_eviction) = if holds == SyncHolds::Instance { (3, 2) } else { (1, 1) };
        let queues = vec![Queue::default(); instances as usize];
        let (waiting, owed, passed_over) = (0, 0, 0);
        (spec.hold.0 > 0)
            .then(|| Box::new(Contention { spec, rng, queues, waiting, owed, passed_over, a_read, an_eviction }))
    }

    /// The time of so many acquisitions, by a thread that takes the mutex `again` or gets it from another.
    fn cycles(&self, acquisitions: u32, again: bool) -> SimDuration {
        let one = match again {
            true => self.spec.hold.min(TAKEN_AGAIN),
            false => self.spec.hold + self.spec.per_waiter * u64::from(self.waiting),
        };
        one * u64::from(acquisitions)
    }

    /// The next visitor of an instance, at random, and whether it has just had the mutex.
    fn next(&mut self, instance: usize) -> Option<(Visit, bool)> {
        let queue = &mut self.queues[instance];
        let (running, sleepers) = (queue.running.len() as u32, queue.sleepers.len() as u32);
        if running + sleepers == 0 {
            return None;
        }
        self.waiting -= 1;
        let again = running > 0
            && (sleepers == 0 || self.rng.uniform_f64() < libm::exp(-f64::from(sleepers) / WAITERS_TO_LOSE));
        let drawn = self.rng.below(if again { running } else { running + sleepers });
        let visit = match drawn.checked_sub(running) {
            Some(sleeper) => queue.sleepers.swap_remove(sleeper as usize),
            None => queue.running.swap_remove(drawn as usize),
        };
        Some((visit, again))
    }

    /// Pages that a page cleaner evicts or takes before it competes again.
    pub(in crate::server) fn pages_a_turn(&self) -> u64 {
        u64::from(PAGES_ALONE / self.an_eviction)
    }

    /// Clients that wait.
    pub(in crate::server) fn waiting_clients(&self) -> usize {
        self.queues.iter().flat_map(|queue| &queue.sleepers).filter(|visit| visit.goes_on.client().is_some()).count()
    }
}

/// The machine as those see it who take the mutexes of the LRU lists.
pub(in crate::server) struct LruVisits<'a>(pub(super) &'a mut Machine);

impl Machine {
    /// The mutexes of the LRU lists.
    #[inline]
    pub(in crate::server) fn lru_visits(&mut self) -> LruVisits<'_> {
        LruVisits(self)
    }
}

impl LruVisits<'_> {
    /// Something takes the mutex of an LRU list without waiting: the next client that visits one pays.
    pub(in crate::server) fn owes(&mut self, acquisitions: u32) {
        if let Some(contention) = &mut self.0.lru_list_mutexes.contention {
            contention.owed += acquisitions;
        }
    }

    /// A search of the tail has passed over so many pages: the next client that visits a list pays.
    pub(in crate::server) fn passed_over(&mut self, pages: u64) {
        if let Some(contention) = &mut self.0.lru_list_mutexes.contention {
            contention.passed_over += pages;
        }
    }

    /// Whether a client has taken mutexes of LRU lists that it has not paid for.
    pub(in crate::server) fn is_owed(&self) -> bool {
        let Some(contention) = &self.0.lru_list_mutexes.contention else { return false };
        contention.owed > 0 || self.0.pool.frames.has_moved()
    }

    /// A client takes the mutex of an instance, with all that is owed: whether it waits. `goes_on` comes when it has had it.
    pub(in crate::server) fn client_waits(&mut self, instance: usize, acquisitions: u32, goes_on: Event) -> bool {
        let now = self.0.now;
        let Some(contention) = &mut self.0.lru_list_mutexes.contention else {
            return self.0.waits_for_lru_list(instance, goes_on);
        };
        if contention.queues[instance].was_served(goes_on, now) {
            return false;
        }
        let owed = std::mem::take(&mut contention.owed) + self.0.pool.frames.take_moved();
        self.visit(instance, acquisitions + owed, goes_on, false)
    }

    /// A thread takes the mutex of an instance as often as it has pages: whether it waits, or goes on at once where nobody
    /// competes. A thread that is `running` competes for each page.
    pub(in crate::server) fn visit(
        &mut self,
        instance: usize,
        acquisitions: u32,
        goes_on: Event,
        running: bool,
    ) -> bool {
        let now = self.0.now;
        let held = self.0.lru_list_mutexes.is_held(instance);
        let Some(contention) = &mut self.0.lru_list_mutexes.contention else { return false };
        if acquisitions == 0 {
            return false;
        }
        if contention.queues[instance].was_served(goes_on, now) {
            return false;
        }
        let passed_over = if running { 0 } else { std::mem::take(&mut contention.passed_over) };
        let (cycles, searches) = (contention.cycles(acquisitions, false), PASSED_OVER * passed_over);
        let queue = &mut contention.queues[instance];
        if !running && !held && !queue.turn_comes && now >= queue.free_at {
            (queue.free_at, queue.served) = (now + cycles + searches, None);
            return false;
        }
        let visit = Visit { goes_on, acquisitions, searches, since: now };
        if running {
            queue.running.push(visit)
        } else {
            queue.sleepers.push(visit)
        }
        contention.waiting += 1;
        self.next_turn_comes(instance);
        true
    }

    /// A thread goes on after its turn, and may want the next at once.
    pub(in crate::server) fn turn_is_over(&mut self, instance: usize, goes_on: Event) {
        let now = self.0.now;
        if let Some(contention) = &mut self.0.lru_list_mutexes.contention {
            contention.queues[instance].was_served(goes_on, now);
        }
    }

    /// The next visitor's turn comes when the mutex is free, if anybody waits.
    pub(super) fn next_turn_comes(&mut self, instance: usize) {
        let (now, held) = (self.0.now, self.0.lru_list_mutexes.is_held(instance));
        let Some(contention) = &mut self.0.lru_list_mutexes.contention else { return };
        let queue = &mut contention.queues[instance];
        let anybody = !queue.sleepers.is_empty() || !queue.running.is_empty();
        if anybody && !held && !std::mem::replace(&mut queue.turn_comes, true) {
            self.0.calendar.schedule(queue.free_at.max(now), Event::LruListMutex(instance as u32));
        }
    }

    /// The mutex of an instance is free: one of those who wait takes it.
    pub(super) fn becomes_free(&mut self, instance: usize) {
        let (now, held) = (self.0.now, self.0.lru_list_mutexes.is_held(instance));
        let Some(contention) = &mut self.0.lru_list_mutexes.contention else { return };
        contention.queues[instance].turn_comes = false;
        // The thread that had it keeps it while it syncs data files.
        if held {
            return;
        }
        let Some((visit, again)) = contention.next(instance) else { return };
        let running = visit.goes_on.client().is_none();
        let queue = &contention.queues[instance];
        let alone = queue.sleepers.is_empty() && queue.running.is_empty();
        let pages = if alone { PAGES_ALONE } else { 1 };
        let taken = if running { visit.acquisitions.min(pages) } else { visit.acquisitions };
        let free_at = now + contention.cycles(taken, again) + visit.searches;
        let spun = (now.since(visit.since).0 as f64 * contention.spec.spin_share) as u64;
        let queue = &mut contention.queues[instance];
        queue.free_at = free_at;
        if taken < visit.acquisitions {
            queue.running.push(Visit { acquisitions: visit.acquisitions - taken, since: free_at, ..visit });
            queue.served = None;
            contention.waiting += 1;
        } else {
            queue.served = Some(visit.goes_on);
            self.0.calendar.schedule(free_at, visit.goes_on);
        }
        if spun > 0 {
            self.0.cpu().occupy_processor(SimDuration(spun));
        }
        self.next_turn_comes(instance);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_takes_the_mutex_again_pays_no_hand_over() {
        let us = SimDuration::from_micros;
        let contention = |hold, waiting| {
            let spec = LruMutexSpec { hold, per_waiter: SimDuration(75), spin_share: 0.25 };
            let mut contention =
                Contention::new(spec, SyncHolds::LruList, 1, Rng::from_key(7)).expect("it costs something");
            contention.waiting = waiting;
            contention
        };
        assert_eq!(contention(us(4), 100).cycles(3, false), SimDuration(3 * (4_000 + 7_500)));
        assert_eq!([0, 100].map(|waiting| contention(us(4), waiting).cycles(3, true)), [us(3); 2]);
        assert_eq!(contention(SimDuration(500), 0).cycles(2, true), us(1), "no longer than with the hand-over");
    }
}
