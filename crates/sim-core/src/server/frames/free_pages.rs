//! Free pages: what a user thread does to get one.
//!
//! Source: `innodb-8.0.21` section 5.1. From the free list if it has any; otherwise by freeing a clean page near the
//! LRU tail; otherwise as the version has it ([`FreePagePolicy`]). From 5.6 it flushes one dirty page from the tail
//! itself, synchronously, through the doublewrite (`innodb-5.6` section 4.1, [`crate::server::frames::single_page`]). In 5.5 user
//! threads keep a margin of free and clean pages by LRU batches of their own (`innodb-5.5` section 4); in MariaDB they
//! wait for the page cleaner (`mariadb-10.11` section 6). Percona Server can have them pause and look again (`percona`
//! section 4.3).
//!
//! Simplification: a first search starts at the tail, not where the last search stopped.

use crate::config::{DoublewriteConfig, FreePagePolicy};
use crate::seam::{FlushKind, FlushRequest, LruWork};
use crate::server::base::Base;
use crate::server::flush::Flush;
use crate::server::frames::Frames;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ClientId;
use crate::server::machine::owners::Requester;

/// Pages from the tail of an LRU list among which purge looks for a clean one: the default of `innodb_lru_scan_depth`.
const EVICTION_SEARCH: u64 = 1024;

/// Rounds without a free page after which a client of 5.5 sleeps too.
const MARGIN_ROUNDS_AWAKE: u32 = 10;

/// A client's search for a free page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FrameSearch {
    /// The page that it is for.
    page: u32,
    /// Rounds without success.
    rounds: u32,
    /// Whether the LRU batch of a round is under way (5.5).
    flushing: bool,
    /// Whether a frame is taken, and the client waits for the mutex of the LRU list to put the page there.
    taken: bool,
}

impl Frames {
    /// Takes a frame for `page` on behalf of a client; false if the client must wait (it goes on by itself).
    pub(in crate::server) fn find_frame(
        &mut self,
        client_id: ClientId,
        page: u32,
        flush: &mut Flush,
        base: &mut Base,
    ) -> bool {
        let instance = base.machine.space.instance_of(page);
        let a_read = base.machine.lru_list_mutexes.contention.as_ref().map(|contention| contention.a_read);
        if a_read.is_none() && base.machine.waits_for_lru_list(instance, Event::ClientResumes(client_id)) {
            return false;
        }
        if self.searches[client_id].page != page {
            self.give_frame_back(client_id, &mut base.machine);
        }
        let search = &mut self.searches[client_id];
        if std::mem::take(&mut search.taken) {
            return true;
        }
        if search.page != page {
            *search = FrameSearch { page, ..FrameSearch::default() };
        }
        let rounds = search.rounds;
        let policy = base.machine.config.buffer_pool.free_pages;
        if self.sleeps_after_lru_batch(client_id, instance, policy, &mut base.machine) {
            return false;
        }
        loop {
            if base.machine.pool.frames.take(instance) {
                base.machine.wake_cleaner_for_free_pages(instance, policy);
                let waits = a_read.is_some_and(|acquisitions| {
                    let goes_on = Event::ClientResumes(client_id);
                    base.machine.lru_visits().client_waits(instance, acquisitions, goes_on)
                });
                self.searches[client_id] = if waits {
                    FrameSearch { page, taken: true, ..FrameSearch::default() }
                } else {
                    FrameSearch::default()
                };
                return !waits;
            }
            if self.waits_for_lru_batch_first(client_id, instance, policy, flush, &mut base.machine) {
                return false;
            }
            if !base.machine.search_tail(instance, rounds, policy) {
                break;
            }
        }
        base.machine.recorder.counts.wait_free += 1;
        self.searches[client_id].rounds = rounds + 1;
        self.without_free_page(client_id, instance, rounds, policy, flush, base);
        false
    }

    /// A client has no use for the frame that it may have taken.
    pub(in crate::server) fn give_frame_back(&mut self, client_id: ClientId, machine: &mut Machine) {
        let search = &mut self.searches[client_id];
        if std::mem::take(&mut search.taken) {
            machine.pool.frames.give_back(machine.space.instance_of(search.page));
        }
    }

    /// A client comes back from the LRU batch of a round without success: it frees what such batches have written, and
    /// from the eleventh round on sleeps before it looks again; whether it does (5.5).
    fn sleeps_after_lru_batch(
        &mut self,
        client_id: ClientId,
        instance: usize,
        policy: FreePagePolicy,
        machine: &mut Machine,
    ) -> bool {
        let FreePagePolicy::Margin { sleep, .. } = policy else { return false };
        let search = &mut self.searches[client_id];
        let sleeps = search.rounds > MARGIN_ROUNDS_AWAKE;
        if !std::mem::take(&mut search.flushing) {
            return false;
        }
        while machine.free_pages.lru_written[instance] > 0 {
            machine.search_tail_55(instance, 0);
        }
        if sleeps {
            machine.calendar.schedule(machine.now + sleep, Event::ClientResumes(client_id));
        }
        sleeps
    }

    /// Where a client waits for the LRU batch that somebody is collecting before it searches (5.6, Percona Server):
    /// whether it does.
    fn waits_for_lru_batch_first(
        &mut self,
        client_id: ClientId,
        instance: usize,
        policy: FreePagePolicy,
        flush: &mut Flush,
        machine: &mut Machine,
    ) -> bool {
        let one_may = machine.processors.spec().single_page_during_lru_batch;
        matches!(policy, FreePagePolicy::SinglePage { waits_for_batch: true, .. })
            && (!one_may || self.some_client_flushes(instance, machine))
            && machine.config.doublewrite != DoublewriteConfig::Off
            && flush.wait_for_lru_batch_in_the_making(Event::ClientResumes(client_id), instance)
    }

    /// A search found nothing: the client does what the version has it do.
    fn without_free_page(
        &mut self,
        client_id: ClientId,
        instance: usize,
        rounds: u32,
        policy: FreePagePolicy,
        flush: &mut Flush,
        base: &mut Base,
    ) {
        match policy {
            FreePagePolicy::SinglePage { sleep, wakes_cleaner, .. } => {
                if wakes_cleaner {
                    base.machine.set_flush_event();
                }
                self.flush_single_page(client_id, instance, sleep, rounds > 1, base);
            }
            FreePagePolicy::Pause { wakes_cleaner } => {
                if wakes_cleaner {
                    base.machine.set_flush_event();
                }
                let pause = base.machine.model.free_page_pause(rounds);
                base.machine.calendar.schedule(base.machine.now + pause, Event::ClientResumes(client_id));
            }
            FreePagePolicy::Margin { margin, extra, .. } => {
                self.searches[client_id].flushing = true;
                if !flush.wait_for_lru_batch(Event::ClientResumes(client_id), instance) {
                    self.flush_lru_by_client(
                        client_id,
                        instance,
                        LruWork::Flush(margin + extra),
                        flush,
                        &mut base.machine,
                    );
                }
            }
            FreePagePolicy::WaitForCleaner { .. } => {
                base.machine.watchers.push(Event::ClientResumes(client_id));
                base.machine.set_flush_event();
            }
        }
    }

    /// A client runs an LRU batch on one instance.
    fn flush_lru_by_client(
        &mut self,
        client_id: ClientId,
        instance: usize,
        lru: LruWork,
        flush: &mut Flush,
        machine: &mut Machine,
    ) {
        flush.claim_lru_batch(instance);
        let request = FlushRequest {
            lru,
            only_instance: Some(instance as u32),
            ..FlushRequest::list(FlushKind::LruOnly, Vec::new())
        };
        flush.start_pass(Requester::Client(client_id), request, machine);
    }

    /// After a page was read or created: where clients keep a margin of free pages, looks at it and refills it if it is
    /// short. Whether the client is busy with that.
    pub(in crate::server) fn keep_margin(
        &mut self,
        client_id: ClientId,
        page: u32,
        flush: &mut Flush,
        machine: &mut Machine,
    ) -> bool {
        let FreePagePolicy::Margin { margin, extra, search, .. } = machine.config.buffer_pool.free_pages else {
            return false;
        };
        let instance = machine.space.instance_of(page);
        let wanted = margin + extra;
        let mut found = machine.pool.frames.free_of(instance);
        let Some(lru) = machine.pool.frames.lru() else { return false };
        let mut next = lru.tail(instance);
        let mut looked = 0;
        while let Some(page) = next.filter(|_| looked < search && found < wanted) {
            looked += 1;
            found += u64::from(!machine.pool.pages.is_dirty_idle(page) && !machine.pool.pages.is_under_write(page));
            next = lru.before(page);
        }
        if found >= margin {
            return false;
        }
        if !flush.wait_for_lru_batch(Event::ClientResumes(client_id), instance) {
            self.flush_lru_by_client(client_id, instance, LruWork::Flush(wanted - found), flush, machine);
        }
        true
    }
}

impl Machine {
    /// Frees a clean page near the tail as the version searches for one in this round; false if there is none.
    fn search_tail(&mut self, instance: usize, rounds: u32, policy: FreePagePolicy) -> bool {
        let first_scan = match policy {
            FreePagePolicy::SinglePage { first_scan, .. } | FreePagePolicy::WaitForCleaner { first_scan } => first_scan,
            FreePagePolicy::Margin { .. } => return self.search_tail_55(instance, rounds),
            FreePagePolicy::Pause { .. } => return false,
        };
        if rounds > 0 {
            return self.free_clean_page(instance, u64::MAX);
        }
        let found = self.free_pages.try_scan[instance] && self.free_clean_page(instance, first_scan);
        self.free_pages.try_scan[instance] = found;
        found
    }

    /// The same in 5.5: further in each round.
    fn search_tail_55(&mut self, instance: usize, rounds: u32) -> bool {
        let distance = 100 + u64::from(rounds + 1) * self.pool.frames.used_of(instance) / 10;
        let found = self.free_clean_page(instance, distance);
        let written = &mut self.free_pages.lru_written[instance];
        *written = if found { written.saturating_sub(1) } else { 0 };
        found
    }

    /// A client took a frame: few are left, and the page cleaner is to make more (MariaDB).
    fn wake_cleaner_for_free_pages(&mut self, instance: usize, policy: FreePagePolicy) {
        let cleaner_frees = matches!(policy, FreePagePolicy::WaitForCleaner { .. });
        if cleaner_frees
            && self.pool.frames.lru().is_some()
            && self.pool.frames.free_of(instance) < self.pool.frames.scan_depth() / 2
        {
            self.set_flush_event();
        }
    }

    /// Takes a frame of an instance for purge and its undo pages, or for the change buffer, if need be that of a clean page
    /// near the tail of its LRU list.
    pub(in crate::server) fn take_or_free_frame(&mut self, instance: usize) -> bool {
        self.pool.frames.take(instance)
            || (self.free_clean_page(instance, EVICTION_SEARCH) && self.pool.frames.take(instance))
    }

    /// Frees one clean page among the first `limit` from the tail of the instance's LRU list.
    pub(super) fn free_clean_page(&mut self, instance: usize, limit: u64) -> bool {
        self.lru_visits().owes(1);
        let Some(lru) = self.pool.frames.lru() else { return false };
        let mut next = lru.tail(instance);
        let mut scanned = 0;
        while let Some(page) = next.filter(|_| scanned < limit) {
            next = self.pool.frames.lru().and_then(|l| l.before(page));
            if self.pool.evict_if_clean(page, instance) {
                self.lru_visits().passed_over(scanned);
                return true;
            }
            scanned += 1;
        }
        self.lru_visits().passed_over(scanned);
        false
    }
}
