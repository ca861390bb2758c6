//! Passes of purge, which merge changed records into pages, and the write-back of the row cache (TNT).
//!
//! The purge thread looks every few seconds whether a pass is due: by its interval, because the buffer is fuller than
//! its threshold, or because somebody waits for room. A pass takes all that is changed when it begins, table by table, and
//! puts the newest image of each record on its page: a missing page is read, redo is written, the page becomes dirty; a
//! record of the row cache is only marked there. When a table is done, the memory of its records is free. When the pass is over, redo up to its start is
//! needed no more for what was changed ([`crate::seam::ServerModel::records_merged`]); a crash before leaves all of it
//! to be replayed. A pass is not paced: it goes as fast as one thread computes and reads.
//!
//! The write-back thread puts changed records of the row cache on their pages, in page order, as many as it may at a time.
//!
//! Source: what is known of TNT, see `docs/fidelity.md`. A merge takes the CPU time of finding a row and changing it, as
//! purge of InnoDB has it. Simplification: records of a table are merged in the order in which they were changed first.

use crate::buffer_pool::Modification;
use crate::kernel::time::{SimDuration, SimTime};
use crate::server::base::Base;
use crate::server::engine::Engine;
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::events::Event;
use crate::server::machine::wake_ups;
use crate::server::records::Changed;
use crate::server::records::MvccBuffer;

/// Records merged between two looks at the room in the log buffer.
const RECORDS_AT_ONCE: usize = 64;
/// The purge thread, and the write-back thread.
const PURGE: u32 = 0;
const WRITE_BACK: u32 = 1;

/// A thread that puts records on pages.
#[derive(Debug, Clone, Default)]
struct Thread {
    work: Vec<Changed>,
    next: usize,
    /// The first record whose table is not done.
    table: usize,
    /// The page that it reads.
    reading: Option<u32>,
    busy: bool,
}

/// Both threads.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Merging {
    threads: [Thread; 2],
    /// When the last pass began, and where redo ended then.
    began: SimTime,
    began_lsn: u64,
    passes: u64,
    /// Redo before this is merged.
    merged_lsn: u64,
}

impl MvccBuffer {
    /// An event of the threads that put records on pages.
    pub(in crate::server) fn handle(&mut self, event: Event, engine: &mut Engine) {
        match event {
            Event::RecordTimer(thread) => self.record_timer(thread, &mut engine.base.machine),
            Event::RecordThread(thread) => self.record_thread(thread, engine),
            _ => debug_assert!(false, "{event:?} is not of these threads"),
        }
    }

    pub(in crate::server) fn start_records(&mut self, machine: &mut Machine) {
        machine.calendar.schedule(machine.now + self.config.purge_poll, Event::RecordTimer(PURGE));
        if self.row_cache.is_some() {
            machine.calendar.schedule(machine.now + self.config.write_back_every, Event::RecordTimer(WRITE_BACK));
        }
    }

    /// A thread looks whether it has something to do.
    pub(super) fn record_timer(&mut self, number: u32, machine: &mut Machine) {
        let (config, threads) = (self.config, &self.merging.threads);
        let idle = !threads[number as usize].busy;
        let again = if number == PURGE { config.purge_poll } else { config.write_back_every };
        machine.calendar.schedule(machine.now + again, Event::RecordTimer(number));
        match number {
            PURGE if idle && self.pass_is_due(machine) => self.begin_pass(machine),
            WRITE_BACK if idle => self.begin_write_back(machine),
            _ => {}
        }
    }

    fn pass_is_due(&self, machine: &Machine) -> bool {
        let full = u128::from(self.config.buffer_bytes) * u128::from(self.config.purge_threshold_pct);
        machine.now.since(self.merging.began) >= self.config.purge_interval
            || u128::from(self.used_bytes) * 100 >= full
            || self.waits.want_room()
    }

    fn begin_pass(&mut self, machine: &mut Machine) {
        self.next_generation();
        (self.merging.began, self.merging.began_lsn) = (machine.now, machine.redo.current_lsn());
        let mut work = self.merged.records.clone();
        work.sort_by_key(|record| machine.space.space_of(record.page));
        self.begin_work(PURGE, work, machine);
    }

    fn begin_write_back(&mut self, machine: &mut Machine) {
        let most = self.config.write_back_records;
        let work = self.row_cache.as_mut().map(|cache| cache.batch(most)).unwrap_or_default();
        if !work.is_empty() {
            self.begin_work(WRITE_BACK, work, machine);
        }
    }

    /// Somebody needs redo that records of the row cache hold: they are written back without waiting for their time.
    pub(super) fn write_back_if_idle(&mut self, machine: &mut Machine) {
        if !self.merging.threads[WRITE_BACK as usize].busy {
            self.begin_write_back(machine);
        }
    }

    fn begin_work(&mut self, number: u32, work: Vec<Changed>, machine: &mut Machine) {
        self.merging.threads[number as usize] = Thread { work, busy: true, ..Thread::default() };
        machine.calendar.schedule(machine.now, Event::RecordThread(number));
    }

    /// A thread goes on with its records until it must wait or has done some.
    pub(super) fn record_thread(&mut self, number: u32, engine: &mut Engine) {
        let thread = &mut self.merging.threads[number as usize];
        if let Some(page) = thread.reading.take() {
            engine.page_was_read(page);
        }
        let (mut done, mut waits) = (0, self.merge_waits_for_redo(number, &mut engine.base));
        while done < RECORDS_AT_ONCE
            && waits.is_none()
            && let Some(record) = self.next_record(number)
        {
            waits = self.put_on_page(number, record, &mut engine.base.machine);
            done += usize::from(waits.is_none());
        }
        if done > 0 {
            engine.base.log.redo_appended(&mut engine.base.machine);
            engine.base.log.after_background_append(&mut engine.base.machine);
        }
        let cpu = engine.base.machine.processors.spec();
        let each = cpu.purge_change.0 + cpu.purge_look_up().0;
        let demand = SimDuration(each * done as u64);
        match waits {
            Some(at) => {
                engine.base.machine.calendar.schedule(at.max(engine.base.machine.now), Event::RecordThread(number))
            }
            None if done > 0 => {
                engine.base.machine.cpu().compute(demand, SimDuration::ZERO, Event::RecordThread(number))
            }
            None => self.work_is_done(number, &mut engine.base.machine),
        }
    }

    fn next_record(&self, number: u32) -> Option<Changed> {
        let thread = &self.merging.threads[number as usize];
        thread.work.get(thread.next).copied()
    }

    /// When a thread may write redo, if the log buffer has no room now.
    fn merge_waits_for_redo(&mut self, number: u32, base: &mut Base) -> Option<SimTime> {
        base.machine.redo.advance_writer(base.machine.now);
        let thread = &self.merging.threads[number as usize];
        let ahead = thread.work.iter().skip(thread.next).take(RECORDS_AT_ONCE);
        let redo_fixed: u64 = ahead.map(|record| record.redo_fixed).sum();
        if base.log.log_buffer_lacks_room(redo_fixed.div_ceil(crate::redo::RedoLog::fixed(1.0)) + 1, &base.machine) {
            base.log.empty_log_buffer(&mut base.machine);
            return Some(base.machine.now + costs::PURGE_RETRY);
        }
        None
    }

    /// Puts a record on its page, or marks it in the row cache; returns until when the thread must wait, if it must.
    fn put_on_page(&mut self, number: u32, record: Changed, machine: &mut Machine) -> Option<SimTime> {
        let lsn = machine.redo.current_lsn();
        let cached = number == PURGE && self.row_cache.as_mut().is_some_and(|cache| cache.merge(record, lsn));
        if cached {
            machine.redo.append(record.redo_fixed);
        } else {
            match machine.pool.modify(record.page, lsn, &machine.space, machine.now) {
                Modification::Done => machine.append_change(record.page, record.redo_fixed),
                Modification::Miss => return self.read_to_merge(number, record.page, machine),
                Modification::Blocked => return Some(machine.now + costs::PURGE_RETRY),
            }
        }
        self.record_is_merged(number, record, machine);
        None
    }

    /// A record is dealt with; when its table is, the memory of that is free.
    fn record_is_merged(&mut self, number: u32, record: Changed, machine: &mut Machine) {
        if number == WRITE_BACK {
            if let Some(cache) = &mut self.row_cache {
                cache.written_back(record);
            }
            self.merging.threads[WRITE_BACK as usize].next += 1;
            return;
        }
        self.redo_fixed -= record.redo_fixed;
        let thread = &mut self.merging.threads[PURGE as usize];
        thread.next += 1;
        let next = thread.work.get(thread.next);
        let table_of = |record: &Changed| machine.space.space_of(record.page);
        if next.is_some_and(|next| table_of(next) == table_of(&record)) {
            return;
        }
        let done = thread.table..thread.next;
        thread.table = thread.next;
        let work = std::mem::take(&mut thread.work);
        self.release(&work[done]);
        self.merging.threads[PURGE as usize].work = work;
        self.wake_record_waiters(machine);
    }

    /// Reads a page for a thread, or waits for somebody's read or for a frame.
    fn read_to_merge(&mut self, number: u32, page: u32, machine: &mut Machine) -> Option<SimTime> {
        if let Some(&arrives) = machine.page_reads.get(&page) {
            return Some(arrives.max(machine.now));
        }
        if !machine.take_or_free_frame(machine.space.instance_of(page)) {
            machine.set_flush_event();
            return Some(machine.now + costs::PURGE_RETRY);
        }
        let arrives = machine.begin_read(page);
        self.merging.threads[number as usize].reading = Some(page);
        Some(arrives)
    }

    /// A pass or a write-back is over: the version learns up to where redo is merged.
    fn work_is_done(&mut self, number: u32, machine: &mut Machine) {
        self.merging.threads[number as usize] = Thread::default();
        if number == WRITE_BACK {
            if let Some(cache) = &mut self.row_cache {
                cache.batch_over();
            }
        } else {
            self.merged = Default::default();
            self.merging.passes += 1;
            let wanted = std::mem::take(&mut self.waits.redo_was_short);
            if wanted || self.merging.passes.is_multiple_of(u64::from(self.config.passes_a_release.max(1))) {
                self.merging.merged_lsn = self.merging.began_lsn;
            }
        }
        let cached = self.row_cache.as_ref().and_then(|cache| cache.oldest_lsn());
        let lsn = self.merging.merged_lsn.min(cached.unwrap_or(u64::MAX));
        machine.ask(|model, view| model.records_merged(view, lsn));
        machine.set_event(wake_ups::Thread::Checkpointer);
        self.wake_record_waiters(machine);
    }

    /// Whether the invariants of the buffer hold: no redo is reused whose change is on no page.
    pub(in crate::server) fn check_records(&self, walks_too: bool, machine: &Machine) -> Result<(), String> {
        let checkpoint = machine.last_checkpoint_lsn;
        if let Some(oldest) = self.oldest_lsn().filter(|oldest| checkpoint > *oldest) {
            return Err(format!("the checkpoint {checkpoint} lies above redo of records in memory, from {oldest} on"));
        }
        if walks_too { self.check() } else { Ok(()) }
    }
}
