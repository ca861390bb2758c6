//! Clients: CPU work, page touches, commits; closed and open drives.
//!
//! Source: `innodb-8.0.21` sections 2.3 and 8. A client's transaction is CPU work, then its page touches, then its
//! commit. A touch may miss (a device read, maybe an eviction), may meet a page under write (the client waits until
//! that page's data-file write is done), and before it goes on the client passes the version's free check and finds
//! room in the log buffer. Each client draws from random streams of its own, so that a client's n-th transaction is the
//! same whatever the settings are.

pub(super) mod acknowledge;
pub(super) mod adaptive_hash;
pub(super) mod plan;
pub(super) mod statement_latch;
pub(super) mod touch_records;
pub(super) mod touches;

use crate::buffer_pool::BufferPool;
use crate::config::{AdaptiveHashCost, CommitDurability, RedoPipeline};
use crate::kernel::random::Rng;
use crate::kernel::sampler::DurationSampler;
use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::StatementLatchSpec;
use crate::seam::{FreeCheckWait, PassReport};
use crate::server::base::Base;
use crate::server::clients::adaptive_hash::AdaptiveHash;
use crate::server::clients::plan::Plan;
use crate::server::clients::statement_latch::StatementLatch;
use crate::server::engine::Engine;
use crate::server::frames::single_page::SinglePageStep;
use crate::server::innodb::Innodb;
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ClientId;
use crate::server::machine::owners::Requester;
use crate::server::threads_of;
use crate::workload::arrivals::Arrivals;
use crate::workload::program::Program;
use crate::workload::{DriveSpec, StopSpec, WorkloadSpec};
use std::collections::VecDeque;

/// One client.
#[derive(Debug, Clone)]
pub(super) struct Client {
    /// When its transaction began (for an open drive: arrived).
    began: SimTime,
    kind: u32,
    /// Home of its transaction, see [`Drawer`](crate::workload::homes::Drawer).
    home: u64,
    /// The pages that its transaction touches, and how far it is with them.
    plan: Plan,
    /// It has modified pages, and the redo of that is not yet closed.
    appended: bool,
    /// Its transaction has written redo.
    wrote: bool,
    /// Rows that it has yet to change and that may wait for purge.
    delayed_rows: u32,
    free_check: Option<FreeCheckWait>,
    rng: Rng,
    /// For the pages it reads.
    read_rng: Rng,
}

/// All clients and their drive.
#[derive(Debug, Clone)]
pub(super) struct Clients {
    list: Vec<Client>,
    adaptive_hash: Option<AdaptiveHash>,
    statement_latch: Option<StatementLatch>,
    think: Option<DurationSampler>,
    arrivals: Option<Arrivals>,
    stops: Vec<StopSpec>,
    waiting: VecDeque<SimTime>,
    idle: Vec<ClientId>,
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
            statement_latch: None,
            think,
            arrivals,
            stops: workload.stops.clone(),
            waiting: VecDeque::new(),
            idle: (0..clients as usize).rev().map(ClientId::at).collect(),
            touches: 0,
        }
    }

    /// The same clients, slowed by an adaptive hash index and by a latch that their statements pass.
    pub(super) fn with_latches(mut self, hash: Option<AdaptiveHashCost>, statements: StatementLatchSpec) -> Self {
        self.adaptive_hash = hash.map(AdaptiveHash::new);
        self.statement_latch = StatementLatch::new(statements);
        self
    }

    /// From when on a transaction that would begin at `at` is let in, see [`StopSpec`]. Transactions under way go on to
    /// their end, and so do the server's own threads.
    fn let_in(&self, at: SimTime, pool: &BufferPool) -> SimTime {
        self.stops.iter().fold(at, |at, stop| stop.end(at, || pool.frames.used()).unwrap_or(at))
    }

    /// Until when the whole server stands still, if it does at `at`.
    #[inline]
    pub(super) fn standstill(&self, at: SimTime, pool: &BufferPool) -> Option<SimTime> {
        self.stops.iter().filter(|stop| stop.whole_server).find_map(|stop| stop.end(at, || pool.frames.used()))
    }

    pub(super) fn stopped_within(&self, from: SimTime, until: SimTime, pool: &BufferPool) -> bool {
        self.stops.iter().any(|stop| stop.reaches_into(from, until, || pool.frames.used()))
    }

    pub(super) fn arrivals_waiting(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    pub(super) fn idle_count(&self) -> usize {
        self.idle.len()
    }
}

impl Clients {
    /// A client modified `pages` and appended the redo of that.
    #[inline]
    pub(super) fn client_modified(&mut self, client_id: ClientId, pages: usize, machine: &mut Machine) {
        self.list[client_id].appended |= pages > 0;
        machine.activity.modifications += pages as u64;
    }

    pub(super) fn start_clients(&mut self, machine: &mut Machine) {
        if self.arrivals.is_some() {
            self.schedule_arrival(machine);
            return;
        }
        while let Some(client) = self.idle.pop() {
            machine.calendar.schedule(machine.now, Event::Start(client));
        }
    }

    fn schedule_arrival(&mut self, machine: &mut Machine) {
        if let Some(at) = self.arrivals.as_mut().and_then(Arrivals::next_time) {
            machine.calendar.schedule(at.max(machine.now), Event::Arrival);
        }
    }

    pub(super) fn arrival(&mut self, innodb: &mut Innodb) {
        let machine = &mut innodb.engine.base.machine;
        self.schedule_arrival(machine);
        let now = machine.now;
        match self.idle.pop() {
            Some(client) => {
                machine.cpu().settle_client(client);
                self.begin(client, now, now, innodb);
            }
            None => self.waiting.push_back(now),
        }
    }

    /// A client of a closed drive starts its next transaction.
    pub(super) fn start_transaction(&mut self, client: ClientId, innodb: &mut Innodb) {
        let now = innodb.engine.base.machine.now;
        self.begin(client, now, now, innodb);
    }

    /// Begins a transaction that counts from `began`; its thread runs from `from` on (its last commit's wake-up).
    fn begin(&mut self, client_id: ClientId, began: SimTime, from: SimTime, innodb: &mut Innodb) {
        let Innodb { engine, purge, .. } = innodb;
        let Engine { base: Base { machine, .. }, program, .. } = &mut *engine;
        let from = self.let_in(from, &machine.pool);
        let client = &mut self.list[client_id];
        client.began = began;
        client.kind = program.pick(&mut client.rng);
        client.home = client.rng.next_u64();
        client.wrote = false;
        let kind = &program.kinds[client.kind as usize];
        let sampled = kind.cpu.sample(&mut client.rng);
        // A transaction that waits for no commit takes some time at least, or time would stand still.
        let waits = kind.writes && machine.config.redo.commit != CommitDurability::Lazy;
        let demand = if waits { sampled } else { sampled.max(costs::SHORTEST_TRANSACTION) };
        let (demand, latch_wait) = match &mut self.adaptive_hash {
            Some(hash) => hash.charge(machine.now, demand),
            None => (demand, SimDuration::ZERO),
        };
        let statements_wait = self.statement_latch.as_mut().map_or(SimDuration::ZERO, |latch| latch.pass(machine.now));
        let at_a_rate = self.arrivals.is_some();
        let dispatch = if at_a_rate { machine.processors.spec().dispatch } else { SimDuration::ZERO };
        client.delayed_rows = kind.changed_rows;
        let locked = match purge {
            Some(purge) if kind.history_bytes > 0 => purge.undo_locked_until,
            _ => SimTime::ZERO,
        };
        let wait = (latch_wait + statements_wait + from.since(machine.now)).max(locked.since(machine.now));
        self.draw_plan(client_id, engine);
        engine.base.machine.cpu().compute(demand + dispatch, wait, Event::ClientResumes(client_id));
    }

    /// Goes on with a transaction's touches until it commits or must wait.
    pub(super) fn resume_client(&mut self, client_id: ClientId, innodb: &mut Innodb) {
        let Base { machine, log, .. } = &mut innodb.engine.base;
        let dml_delay = innodb.purge.as_ref().map_or(SimDuration::ZERO, |purge| purge.dml_delay);
        if dml_delay > SimDuration::ZERO
            && !log.buffer.has_admitted(client_id)
            && self.waits_for_purge(client_id, dml_delay, machine)
        {
            return;
        }
        machine.redo.advance_writer(machine.now);
        if innodb.engine.program.kinds[self.list[client_id].kind as usize].writes && !self.may_write(client_id, innodb)
        {
            return;
        }
        let finished = self.touch_pages(client_id, innodb);
        let Engine { base, program, .. } = &mut innodb.engine;
        let client = &mut self.list[client_id];
        let kind = &program.kinds[client.kind as usize];
        if finished && kind.base_redo_fixed > 0 {
            base.machine.redo.append(kind.base_redo_fixed);
            client.appended = true;
        }
        let ended = if finished { kind.mini_transactions.into() } else { 0 };
        base.log.mini_transactions_end(ended, &mut base.machine);
        let appended = self.show_to_writer(client_id, base);
        if finished {
            self.commit(client_id, innodb);
        } else if appended {
            base.log.after_append(&mut base.machine);
        }
        let Base { machine, log, .. } = &mut innodb.engine.base;
        log.admit_to_log_buffer(machine);
    }

    /// The page that a client waited for has been read.
    #[inline]
    pub(super) fn read_done(&mut self, client_id: ClientId, innodb: &mut Innodb) {
        if let Some(page) = self.list[client_id].plan.next_page() {
            innodb.engine.page_was_read(page);
            let Engine { base, flush, frames, .. } = &mut innodb.engine;
            if frames.keep_margin(client_id, page, flush, &mut base.machine) {
                return;
            }
        }
        if !innodb.engine.base.machine.cpu().page_read_computes(client_id) {
            self.resume_client(client_id, innodb);
        }
    }

    /// A single-page flush of a client moves on.
    pub(super) fn single_page(&mut self, client_id: ClientId, innodb: &mut Innodb) {
        let Engine { base, frames, .. } = &mut innodb.engine;
        if frames.single_page_step(client_id, base) == SinglePageStep::ClientResumes {
            self.resume_client(client_id, innodb);
        }
    }

    /// Purge lags: before each row that it changes a client sleeps as long as the delay is then.
    fn waits_for_purge(&mut self, client_id: ClientId, delay: SimDuration, machine: &mut Machine) -> bool {
        let client = &mut self.list[client_id];
        let waits = client.delayed_rows > 0;
        if waits {
            client.delayed_rows -= 1;
            machine.calendar.schedule(machine.now + delay, Event::ClientResumes(client_id));
        }
        waits
    }

    /// Upper bound of the redo payload of a client's transaction, bytes.
    fn largest_redo(&self, client_id: ClientId, engine: &Engine) -> u64 {
        let client = &self.list[client_id];
        engine.program.kinds[client.kind as usize].max_redo_bytes
    }

    /// Whether a client may write redo now; if not, it has been put to wait.
    pub(super) fn may_write(&mut self, client_id: ClientId, innodb: &mut Innodb) -> bool {
        // Who has waited for the log buffer passed the other checks before.
        if !innodb.engine.base.log.buffer.has_admitted(client_id)
            && (!self.redo_has_room_to_merge(client_id, innodb)
                || !self.passes_free_check(client_id, &mut innodb.engine)
                || self.waits_for_log_buffer(client_id, &mut innodb.engine))
        {
            return false;
        }
        let Base { machine, log, .. } = &mut innodb.engine.base;
        match machine.redo.write_in_progress_until() {
            Some(until) if machine.config.redo.pipeline == RedoPipeline::LogMutex => {
                machine.calendar.schedule(until, Event::ClientResumes(client_id));
                false
            }
            _ => {
                log.buffer.takes_room(client_id);
                true
            }
        }
    }

    /// Whether the redo log has room for a client's transaction and for merging changed records, where there are any (TNT); if
    /// not, the client has been put to wait.
    fn redo_has_room_to_merge(&self, client_id: ClientId, innodb: &mut Innodb) -> bool {
        let Some(records) = &mut innodb.records else { return true };
        let payload_bytes = self.largest_redo(client_id, &innodb.engine);
        records.redo_has_room_to_merge(client_id, payload_bytes, &mut innodb.engine.base.machine)
    }

    /// Whether a client must wait for room in the log buffer; if so, it has been put to wait.
    fn waits_for_log_buffer(&mut self, client_id: ClientId, engine: &mut Engine) -> bool {
        let payload_bytes = self.largest_redo(client_id, engine);
        let base = &mut engine.base;
        let waits = !base.log.buffer.is_empty() || base.log.log_buffer_lacks_room(payload_bytes, &base.machine);
        if waits {
            self.show_to_writer(client_id, base);
            base.log.wait_for_log_buffer(client_id, payload_bytes, &mut base.machine);
        }
        waits
    }

    /// A client goes no further for now: what it appended since it last stopped is there to be written. Whether that is
    /// anything.
    pub(super) fn show_to_writer(&mut self, client_id: ClientId, base: &mut Base) -> bool {
        let client = &mut self.list[client_id];
        let appended = std::mem::take(&mut client.appended);
        if appended {
            client.wrote = true;
            base.log.redo_appended(&mut base.machine);
        }
        appended
    }

    fn passes_free_check(&mut self, client_id: ClientId, engine: &mut Engine) -> bool {
        let before = self.list[client_id].free_check;
        if before.is_none() && engine.base.machine.redo.current_lsn() <= engine.base.machine.free_check_limit_lsn {
            return true;
        }
        let wait = engine.ask_for_room(Requester::Client(client_id), before);
        self.list[client_id].free_check = wait;
        engine.base.machine.recorder.counts.free_check_waits += u64::from(before.is_none() && wait.is_some());
        wait.is_none()
    }

    /// The flush that a client did itself is over.
    pub(super) fn flushed_by_client(&mut self, client_id: ClientId, report: PassReport, machine: &mut Machine) {
        if let Some(wait) = &mut self.list[client_id].free_check {
            wait.report = report;
        }
        machine.cpu().client_flush_computes(client_id);
    }

    /// A transaction has committed: its undo log joins the history list.
    #[inline]
    fn leave_history(&mut self, client_id: ClientId, innodb: &mut Innodb) {
        let Some(purge) = &mut innodb.purge else { return };
        let client = &self.list[client_id];
        let kind = &innodb.engine.program.kinds[client.kind as usize];
        let touches = client.plan.runs().map(|(pages, run)| (pages, run.touch));
        if let Some(left) = purge.add_history(kind, touches) {
            purge.history_was_left(left, &mut innodb.engine.base.machine);
        }
    }

    /// A transaction is over: its client goes on to the next.
    pub(super) fn finish(&mut self, client_id: ClientId, at: SimTime, innodb: &mut Innodb) {
        let machine = &mut innodb.engine.base.machine;
        if let Some(records) = &mut innodb.records {
            records.redo_room_returned(client_id, machine);
        }
        let client = &mut self.list[client_id];
        machine.recorder.transaction(at.since(client.began));
        if client.wrote {
            machine.activity.transactions += 1;
            self.leave_history(client_id, innodb);
        }
        let client = &mut self.list[client_id];
        match &self.think {
            Some(think) => {
                let pause = think.sample(&mut client.rng);
                if pause.0 == 0 {
                    self.begin(client_id, at, at, innodb);
                } else {
                    innodb.engine.base.machine.calendar.schedule(at + pause, Event::Start(client_id));
                }
            }
            None => match self.waiting.pop_front() {
                Some(arrived) => self.begin(client_id, arrived, at, innodb),
                None => self.idle.push(client_id),
            },
        }
    }
}
