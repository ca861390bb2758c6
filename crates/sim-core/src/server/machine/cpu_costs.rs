//! What takes CPU time, and whose: syncs, page writes and reads, checksums, flushes by clients.
//!
//! Besides transactions, syncs and page writes take CPU time where the scenario says so: system calls, the block layer,
//! threads that are woken. Half of a redo sync's time (before 5.7, where all who wait are woken and whoever runs first
//! syncs) or three quarters of it lies between its end on the device and the moment at which the next may begin: the
//! thread that synced must run to say so, and the one that syncs next must be woken. The rest is that of the threads
//! that waited; with these round figures as many transactions share a sync as in our recordings (`docs/validation/closed-loops.md`).
//! A sync of a data file, for which no client waits, takes half as much, of which the thread that syncs computes a
//! quarter, after it, and the kernel's threads and interrupts the rest. Of a page write the thread that posts it does
//! half, the one that completes it the other.
//!
//! A page's checksum is computed before the page is copied to the doublewrite buffer, by the thread that flushes, which
//! is held up as others are (`innodb-5.6` section 5.4). That of a page that was read is part of the read's time.
//!
//! A client that read a page computes before it goes on, and so does one that flushed old pages itself (`innodb-5.6`
//! sections 2.3 and 5.1): it went through all instances, waited for the batches of others, was woken with all who
//! waited for the same.
//!
//! A load generator that sends at a rate computes for each transaction that it hands to a thread, before the thread goes
//! on.
//!
//! Whoever waited for the device waits for a processor before it goes on: clients, cleaners, the I/O threads that
//! complete writes and sync data files. Measured by thread under 9.7 with 16 clients behind a cap, where all wake
//! together when the next part of the budget comes: clients wait 170 to 230 us each time, I/O threads 130 to 220, and
//! compute 12 to 18. Cleaners of nice -20 wait 20 to 27; one with priority (`innodb-5.7` section 3.3: if permitted) is
//! held up by nobody here.
//!
//! Simplification: of a thread's share of a batch only the last completion holds it up (errs towards batches that end
//! sooner).

use crate::config::RedoPipeline;
use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::CpuSpec;
use crate::server::machine::costs;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ClientId;
use crate::server::machine::processors::Cpu;

impl Cpu<'_> {
    /// A data file is being synced until `at` by the thread that does `thread`: `event` happens when it is through.
    pub(in crate::server) fn data_sync_computes(&mut self, at: SimTime, thread: Event, event: Event) {
        let all = self.processors.spec().data_sync();
        let own = SimDuration(all.0 / 4);
        self.charge_cpu(SimDuration(all.0 - own.0));
        self.wake_at_priority(thread, at, own, event);
    }

    /// A thread that slept wakes, to do `thread`: `event` happens when it has got its processor.
    pub(super) fn sleeper_wakes(&mut self, thread: Event, event: Event) {
        self.run_at_priority(thread, self.processors.completion(), SimDuration::ZERO, event);
    }

    /// A thread gets `pages` pages ready for writing: `event` happens when it is through. Where others stand still while it
    /// searches, it waits for no processor then.
    pub(in crate::server) fn page_preparation_computes(&mut self, pages: u64, event: Event) {
        let CpuSpec { page_search, page_checksum, .. } = self.processors.spec();
        let prepares = costs::PAGE_PREPARE;
        let (computes, pause) = match self.config.buffer_pool.accesses_take_mutex {
            true => (page_checksum, prepares + page_search),
            false => (page_search + page_checksum, prepares),
        };
        self.run_at_priority(event, SimDuration(computes.0 * pages), SimDuration(pause.0 * pages), event);
    }

    /// A thread has handed `writes` page writes to the device: `event` happens when it has done its half of the work,
    /// the other is that of the threads that complete them, for which `aside` of them hold nobody up; false if all that
    /// takes no time.
    pub(in crate::server) fn page_writes_compute(&mut self, writes: u64, aside: u64, event: Event) -> bool {
        let half = SimDuration(self.processors.completion().0 * writes);
        if half.0 == 0 {
            return false;
        }
        self.charge_cpu(SimDuration(self.processors.completion().0 * aside));
        self.run_at_priority(event, half, SimDuration::ZERO, event);
        true
    }

    /// A redo sync is done on the device at `at`.
    pub(in crate::server) fn redo_sync_ends(&mut self, at: SimTime) {
        let computes = self.processors.spec().sync.0 > 0;
        self.calendar.schedule(at, if computes { Event::RedoDurable } else { Event::RedoSynced });
    }

    /// It is done there: now the threads that it concerns compute.
    pub(in crate::server) fn redo_durable(&mut self) {
        let all = self.processors.spec().sync.0;
        let until_the_next = match self.config.redo.pipeline {
            RedoPipeline::LogMutex => all / 2,
            RedoPipeline::CommittingThread | RedoPipeline::DedicatedThreads => all * 3 / 4,
        };
        self.charge_cpu(SimDuration(all - until_the_next));
        let until_the_next = SimDuration(until_the_next);
        match self.config.redo.pipeline {
            RedoPipeline::DedicatedThreads => self.compute_promptly(until_the_next, Event::RedoSynced),
            _ => self.compute(until_the_next, SimDuration::ZERO, Event::RedoSynced),
        }
    }

    /// A client has flushed old pages itself: it computes, then goes on.
    pub(in crate::server) fn client_flush_computes(&mut self, client_id: ClientId) {
        self.compute_or_go_on(self.processors.spec().client_flush, Event::ClientResumes(client_id));
    }

    /// A client has read a page: it computes, then goes on; false if that takes no time.
    pub(in crate::server) fn page_read_computes(&mut self, client_id: ClientId) -> bool {
        let demand = self.processors.spec().page_read;
        if demand.0 > 0 {
            self.compute(demand, SimDuration::ZERO, Event::ClientResumes(client_id));
        }
        demand.0 > 0
    }

    /// A thread waits until `at` for the inode of a file that it syncs: `event` happens when it has got a processor
    /// after that.
    pub(in crate::server) fn wakes_after(&mut self, at: SimTime, event: Event) {
        self.wake(at, self.processors.completion(), event);
    }

    /// I/O threads complete so many page writes that hold nobody up.
    pub(in crate::server) fn completions_compute(&mut self, writes: u64) {
        self.charge_cpu(SimDuration(self.processors.completion().0 * writes));
    }

    /// The last of an I/O thread's writes of a batch is done on the device at `at`: `event` happens when a thread has
    /// completed it.
    pub(in crate::server) fn last_write_completes(&mut self, at: SimTime, event: Event) {
        self.wake(at, self.processors.completion(), event);
    }

    /// A write by a client that flushes a page alone is done on the device at `at`: `event` happens when the client has
    /// completed it. Posting counts once for the page, with the write to the data file.
    pub(in crate::server) fn single_write_completes(&mut self, at: SimTime, to_data_file: bool, event: Event) {
        if to_data_file {
            self.charge_cpu(self.processors.completion());
        }
        self.wake(at, self.processors.completion(), event);
    }

    /// A client gets a page ready that it flushes alone: `event` happens after that.
    pub(in crate::server) fn single_page_computes(&mut self, event: Event) {
        self.compute_or_go_on(self.processors.spec().page_checksum, event);
    }
}
