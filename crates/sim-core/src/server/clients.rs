//! Clients: CPU work, page touches, commits; closed and open drives.
//!
//! Source: `innodb-8.0.21` sections 2.3 and 8. A client's transaction is CPU work, then its page touches, then its
//! commit. A touch may miss (a device read, maybe an eviction), may meet a page under write (the client waits until
//! that page's data-file write is done), and before it goes on the client passes the version's free check and finds
//! room in the log buffer. Each client draws from random streams of its own, so that a client's n-th transaction is the
//! same whatever the settings are.

use super::adaptive_hash::AdaptiveHash;
use super::costs;
use super::events::Event;
use super::ids::Requester;
use super::plan::Plan;
use super::single_page::SinglePageStep;
use super::{Server, threads_of};
use crate::buffer_pool::BufferPool;
use crate::config::{AdaptiveHashCost, CommitDurability, RedoPipeline};
use crate::kernel::random::Rng;
use crate::kernel::sampler::DurationSampler;
use crate::kernel::time::{SimDuration, SimTime};
use crate::seam::{FreeCheckWait, PassReport};
use crate::workload::arrivals::Arrivals;
use crate::workload::program::Program;
use crate::workload::{DriveSpec, StopSpec, WorkloadSpec};
use std::collections::VecDeque;

/// One client.
#[derive(Debug, Clone)]
pub(super) struct Client {
    /// When its transaction began (for an open drive: arrived).
    pub(super) began: SimTime,
    pub(super) kind: u32,
    /// Home of its transaction, see [`Drawer`](crate::workload::homes::Drawer).
    pub(super) home: u64,
    /// The pages that its transaction touches, and how far it is with them.
    pub(super) plan: Plan,
    /// It has modified pages, and the redo of that is not yet closed.
    pub(super) appended: bool,
    /// Its transaction has written redo.
    pub(super) wrote: bool,
    /// Rows that it has yet to change and that may wait for purge.
    delayed_rows: u32,
    free_check: Option<FreeCheckWait>,
    pub(super) rng: Rng,
    /// For the pages it reads.
    pub(super) read_rng: Rng,
}

/// All clients and their drive.
#[derive(Debug, Clone)]
pub(super) struct Clients {
    pub(super) list: Vec<Client>,
    adaptive_hash: Option<AdaptiveHash>,
    think: Option<DurationSampler>,
    arrivals: Option<Arrivals>,
    stops: Vec<StopSpec>,
    waiting: VecDeque<SimTime>,
    idle: Vec<u32>,
    pub(super) touches: u64,
}

impl Clients {
    pub(super) fn new(workload: &WorkloadSpec, program: &Program, seed: u64, replication: u32) -> Self {
        let clients = threads_of(&workload.drive);
        let client = |i: u32| Client {
            began: SimTime::ZERO,
            kind: 0,
            home: 0,
            plan: Plan::new(program),
            appended: false,
            wrote: false,
            delayed_rows: 0,
            free_check: None,
            rng: Rng::stream(seed, replication, &format!("client {i}")),
            read_rng: Rng::stream(seed, replication, &format!("client {i} reads")),
        };
        let (think, arrivals) = match &workload.drive {
            DriveSpec::Closed { think, .. } => (Some(DurationSampler::new(think)), None),
            DriveSpec::Open { rate, poisson, .. } => {
                (None, Some(Arrivals::new(rate, *poisson, Rng::stream(seed, replication, "arrivals"))))
            }
        };
        Clients {
            list: (0..clients).map(client).collect(),
            adaptive_hash: None,
            think,
            arrivals,
            stops: workload.stops.clone(),
            waiting: VecDeque::new(),
            idle: (0..clients).rev().collect(),
            touches: 0,
        }
    }

    /// The same clients, slowed by an adaptive hash index.
    pub(super) fn with_adaptive_hash(mut self, cost: Option<AdaptiveHashCost>) -> Self {
        self.adaptive_hash = cost.map(AdaptiveHash::new);
        self
    }

    /// From when on a transaction that would begin at `at` is let in, see [`StopSpec`]. Transactions under way go on to
    /// their end, and so do the server's own threads.
    fn let_in(&self, at: SimTime, pool: &BufferPool) -> SimTime {
        self.stops.iter().fold(at, |at, stop| stop.end(at, || pool.used_pages()).unwrap_or(at))
    }

    /// Until when the whole server stands still, if it does at `at`.
    #[inline]
    pub(super) fn standstill(&self, at: SimTime, pool: &BufferPool) -> Option<SimTime> {
        self.stops.iter().filter(|stop| stop.whole_server).find_map(|stop| stop.end(at, || pool.used_pages()))
    }

    pub(super) fn stopped_within(&self, from: SimTime, until: SimTime, pool: &BufferPool) -> bool {
        self.stops.iter().any(|stop| stop.reaches_into(from, until, || pool.used_pages()))
    }

    pub(super) fn arrivals_waiting(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(super) fn idle_count(&self) -> usize {
        self.idle.len()
    }
}

impl Server {
    /// A client modified `pages` and appended the redo of that.
    #[inline]
    pub(super) fn client_modified(&mut self, client_number: u32, pages: usize) {
        self.clients.list[client_number as usize].appended |= pages > 0;
        self.machine.modifications += pages as u64;
    }

    pub(super) fn start_clients(&mut self) {
        if self.clients.arrivals.is_some() {
            self.schedule_arrival();
            return;
        }
        while let Some(client) = self.clients.idle.pop() {
            self.machine.calendar.schedule(self.machine.now, Event::Start(client));
        }
    }

    fn schedule_arrival(&mut self) {
        if let Some(at) = self.clients.arrivals.as_mut().and_then(Arrivals::next_time) {
            self.machine.calendar.schedule(at.max(self.machine.now), Event::Arrival);
        }
    }

    pub(super) fn arrival(&mut self) {
        self.schedule_arrival();
        match self.clients.idle.pop() {
            Some(client) => {
                self.machine.settle_client(client);
                self.begin(client, self.machine.now, self.machine.now);
            }
            None => self.clients.waiting.push_back(self.machine.now),
        }
    }

    /// A client of a closed drive starts its next transaction.
    pub(super) fn start_transaction(&mut self, client: u32) {
        self.begin(client, self.machine.now, self.machine.now);
    }

    /// Begins a transaction that counts from `began`; its thread runs from `from` on (its last commit's wake-up).
    fn begin(&mut self, client_number: u32, began: SimTime, from: SimTime) {
        let from = self.clients.let_in(from, &self.machine.pool);
        let client = &mut self.clients.list[client_number as usize];
        client.began = began;
        client.kind = self.program.pick(&mut client.rng);
        client.home = client.rng.next_u64();
        client.wrote = false;
        let kind = &self.program.kinds[client.kind as usize];
        let sampled = kind.cpu.sample(&mut client.rng);
        // A transaction that waits for no commit takes some time at least, or time would stand still.
        let waits = kind.writes && self.machine.config.redo.commit != CommitDurability::Lazy;
        let demand = if waits { sampled } else { sampled.max(costs::SHORTEST_TRANSACTION) };
        let (demand, latch_wait) = match &mut self.clients.adaptive_hash {
            Some(hash) => hash.charge(self.machine.now, demand),
            None => (demand, SimDuration::ZERO),
        };
        let at_a_rate = self.clients.arrivals.is_some();
        let dispatch = if at_a_rate { self.machine.processors.spec().dispatch } else { SimDuration::ZERO };
        client.delayed_rows = kind.changed_rows;
        let locked = match &self.purge {
            Some(purge) if kind.history_bytes > 0 => purge.undo_locked_until,
            _ => SimTime::ZERO,
        };
        let wait = (latch_wait + from.since(self.machine.now)).max(locked.since(self.machine.now));
        self.draw_plan(client_number);
        self.machine.compute(demand + dispatch, wait, Event::ClientResumes(client_number));
    }

    /// Goes on with a transaction's touches until it commits or must wait.
    pub(super) fn resume_client(&mut self, client_number: u32) {
        let dml_delay = self.purge.as_ref().map_or(SimDuration::ZERO, |purge| purge.dml_delay);
        if dml_delay > SimDuration::ZERO
            && !self.log_buffer.has_admitted(client_number)
            && self.waits_for_purge(client_number, dml_delay)
        {
            return;
        }
        self.machine.redo.advance_writer(self.machine.now);
        if self.program.kinds[self.clients.list[client_number as usize].kind as usize].writes
            && !self.may_write(client_number)
        {
            return;
        }
        let finished = self.touch_pages(client_number);
        let client = &mut self.clients.list[client_number as usize];
        let kind = &self.program.kinds[client.kind as usize];
        if finished && kind.base_redo_fixed > 0 {
            self.machine.redo.append(kind.base_redo_fixed);
            client.appended = true;
        }
        let ended = if finished { kind.mini_transactions.into() } else { 0 };
        self.mini_transactions_end(ended);
        let appended = self.show_to_writer(client_number);
        if finished {
            self.commit(client_number);
        } else if appended {
            self.after_append();
        }
        self.admit_to_log_buffer();
    }

    /// The page that a client waited for has been read.
    pub(super) fn read_done(&mut self, client_number: u32) {
        if let Some(page) = self.clients.list[client_number as usize].plan.next_page() {
            self.page_was_read(page);
            if self.keep_margin(client_number, page) {
                return;
            }
        }
        if !self.machine.page_read_computes(client_number) {
            self.resume_client(client_number);
        }
    }

    /// A single-page flush of a client moves on.
    pub(super) fn single_page(&mut self, client_number: u32) {
        if self.single_page_step(client_number) == SinglePageStep::ClientResumes {
            self.resume_client(client_number);
        }
    }

    /// Purge lags: before each row that it changes a client sleeps as long as the delay is then.
    fn waits_for_purge(&mut self, client_number: u32, delay: SimDuration) -> bool {
        let client = &mut self.clients.list[client_number as usize];
        let waits = client.delayed_rows > 0;
        if waits {
            client.delayed_rows -= 1;
            self.machine.calendar.schedule(self.machine.now + delay, Event::ClientResumes(client_number));
        }
        waits
    }

    /// Upper bound of the redo payload of a client's transaction, bytes.
    fn largest_redo(&self, client_number: u32) -> u64 {
        let client = &self.clients.list[client_number as usize];
        self.program.kinds[client.kind as usize].max_redo_bytes
    }

    /// Whether a client may write redo now; if not, it has been put to wait.
    pub(super) fn may_write(&mut self, client_number: u32) -> bool {
        // Who has waited for the log buffer passed the other checks before.
        if !self.log_buffer.has_admitted(client_number)
            && (!self.redo_has_room_to_merge(client_number, self.largest_redo(client_number))
                || !self.passes_free_check(client_number)
                || self.waits_for_log_buffer(client_number))
        {
            return false;
        }
        match self.machine.redo.write_in_progress_until() {
            Some(until) if self.machine.config.redo.pipeline == RedoPipeline::LogMutex => {
                self.machine.calendar.schedule(until, Event::ClientResumes(client_number));
                false
            }
            _ => {
                self.log_buffer.takes_room(client_number);
                true
            }
        }
    }

    /// Whether a client must wait for room in the log buffer; if so, it has been put to wait.
    fn waits_for_log_buffer(&mut self, client_number: u32) -> bool {
        let payload_bytes = self.largest_redo(client_number);
        let waits = !self.log_buffer.is_empty() || self.log_buffer_lacks_room(payload_bytes);
        if waits {
            self.show_to_writer(client_number);
            self.wait_for_log_buffer(client_number, payload_bytes);
        }
        waits
    }

    /// A client goes no further for now: what it appended since it last stopped is there to be written. Whether that is
    /// anything.
    pub(super) fn show_to_writer(&mut self, client_number: u32) -> bool {
        let client = &mut self.clients.list[client_number as usize];
        let appended = std::mem::take(&mut client.appended);
        if appended {
            client.wrote = true;
            self.redo_appended();
        }
        appended
    }

    fn passes_free_check(&mut self, client_number: u32) -> bool {
        let before = self.clients.list[client_number as usize].free_check;
        if before.is_none() && self.machine.redo.current_lsn() <= self.machine.free_check_limit_lsn {
            return true;
        }
        let wait = self.ask_for_room(Requester::Client(client_number), before);
        self.clients.list[client_number as usize].free_check = wait;
        self.machine.recorder.counts.free_check_waits += u64::from(before.is_none() && wait.is_some());
        wait.is_none()
    }

    /// The flush that a client did itself is over.
    pub(super) fn flushed_by_client(&mut self, client_number: u32, report: PassReport) {
        if let Some(wait) = &mut self.clients.list[client_number as usize].free_check {
            wait.report = report;
        }
        self.machine.client_flush_computes(client_number);
    }

    /// A transaction has committed: its undo log joins the history list.
    #[inline]
    fn leave_history(&mut self, client_number: u32) {
        let Some(purge) = &mut self.purge else { return };
        let client = &self.clients.list[client_number as usize];
        let kind = &self.program.kinds[client.kind as usize];
        let touches = client.plan.runs().map(|(pages, run)| (pages, run.touch));
        if let Some(left) = purge.add_history(kind, touches) {
            self.history_was_left(left);
        }
    }

    /// A transaction is over: its client goes on to the next.
    pub(super) fn finish(&mut self, client_number: u32, at: SimTime) {
        self.redo_room_returned(client_number);
        let client = &mut self.clients.list[client_number as usize];
        self.machine.recorder.transaction(at.since(client.began));
        if client.wrote {
            self.machine.activity += 1;
            self.leave_history(client_number);
        }
        let client = &mut self.clients.list[client_number as usize];
        match &self.clients.think {
            Some(think) => {
                let pause = think.sample(&mut client.rng);
                if pause.0 == 0 {
                    self.begin(client_number, at, at);
                } else {
                    self.machine.calendar.schedule(at + pause, Event::Start(client_number));
                }
            }
            None => match self.clients.waiting.pop_front() {
                Some(arrived) => self.begin(client_number, arrived, at),
                None => self.clients.idle.push(client_number),
            },
        }
    }
}
