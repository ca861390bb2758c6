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

use super::Server;
use super::costs;
use super::events::Event;
use super::machine::Machine;
use super::mvcc_buffer::Changed;
use super::wake_ups;
use crate::buffer_pool::Modification;
use crate::kernel::time::{SimDuration, SimTime};

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
pub(super) struct Merging {
    threads: [Thread; 2],
    /// When the last pass began, and where redo ended then.
    began: SimTime,
    began_lsn: u64,
    passes: u64,
    /// Redo before this is merged.
    merged_lsn: u64,
}

impl Server {
    pub(super) fn start_records(&mut self) {
        let Some(records) = &self.records else { return };
        self.machine.calendar.schedule(self.machine.now + records.config.purge_poll, Event::RecordTimer(PURGE));
        if records.row_cache.is_some() {
            self.machine
                .calendar
                .schedule(self.machine.now + records.config.write_back_every, Event::RecordTimer(WRITE_BACK));
        }
    }

    /// A thread looks whether it has something to do.
    pub(super) fn record_timer(&mut self, number: u32) {
        let Some(records) = &self.records else { return };
        let (config, threads) = (records.config, &records.merging.threads);
        let idle = !threads[number as usize].busy;
        let again = if number == PURGE { config.purge_poll } else { config.write_back_every };
        self.machine.calendar.schedule(self.machine.now + again, Event::RecordTimer(number));
        match number {
            PURGE if idle && self.pass_is_due() => self.begin_pass(),
            WRITE_BACK if idle => self.begin_write_back(),
            _ => {}
        }
    }

    fn pass_is_due(&self) -> bool {
        let Some(records) = &self.records else { return false };
        let full = u128::from(records.config.buffer_bytes) * u128::from(records.config.purge_threshold_pct);
        self.machine.now.since(records.merging.began) >= records.config.purge_interval
            || u128::from(records.used_bytes) * 100 >= full
            || records.waits.want_room()
    }

    fn begin_pass(&mut self) {
        let Server { records: Some(records), machine: Machine { space, redo, now, .. }, .. } = self else { return };
        records.next_generation();
        (records.merging.began, records.merging.began_lsn) = (*now, redo.current_lsn());
        let mut work = records.merged.records.clone();
        work.sort_by_key(|record| space.space_of(record.page));
        self.begin_work(PURGE, work);
    }

    fn begin_write_back(&mut self) {
        let Some(records) = &mut self.records else { return };
        let most = records.config.write_back_records;
        let work = records.row_cache.as_mut().map(|cache| cache.batch(most)).unwrap_or_default();
        if !work.is_empty() {
            self.begin_work(WRITE_BACK, work);
        }
    }

    /// Somebody needs redo that records of the row cache hold: they are written back without waiting for their time.
    pub(super) fn write_back_if_idle(&mut self) {
        if self.records.as_ref().is_some_and(|records| !records.merging.threads[WRITE_BACK as usize].busy) {
            self.begin_write_back();
        }
    }

    fn begin_work(&mut self, number: u32, work: Vec<Changed>) {
        let Some(records) = &mut self.records else { return };
        records.merging.threads[number as usize] = Thread { work, busy: true, ..Thread::default() };
        self.machine.calendar.schedule(self.machine.now, Event::RecordThread(number));
    }

    /// A thread goes on with its records until it must wait or has done some.
    pub(super) fn record_thread(&mut self, number: u32) {
        let Some(records) = &mut self.records else { return };
        let thread = &mut records.merging.threads[number as usize];
        if let Some(page) = thread.reading.take() {
            self.page_was_read(page);
        }
        let (mut done, mut waits) = (0, self.merge_waits_for_redo(number));
        while done < RECORDS_AT_ONCE
            && waits.is_none()
            && let Some(record) = self.next_record(number)
        {
            waits = self.put_on_page(number, record);
            done += usize::from(waits.is_none());
        }
        if done > 0 {
            self.redo_appended();
            self.after_background_append();
        }
        let cpu = self.machine.processors.spec();
        let each = cpu.purge_change.0 + cpu.purge_look_up().0;
        let demand = SimDuration(each * done as u64);
        match waits {
            Some(at) => self.machine.calendar.schedule(at.max(self.machine.now), Event::RecordThread(number)),
            None if done > 0 => self.machine.compute(demand, SimDuration::ZERO, Event::RecordThread(number)),
            None => self.work_is_done(number),
        }
    }

    fn next_record(&self, number: u32) -> Option<Changed> {
        let thread = &self.records.as_ref()?.merging.threads[number as usize];
        thread.work.get(thread.next).copied()
    }

    /// When a thread may write redo, if the log buffer has no room now.
    fn merge_waits_for_redo(&mut self, number: u32) -> Option<SimTime> {
        self.machine.redo.advance_writer(self.machine.now);
        let thread = &self.records.as_ref()?.merging.threads[number as usize];
        let ahead = thread.work.iter().skip(thread.next).take(RECORDS_AT_ONCE);
        let redo_fixed: u64 = ahead.map(|record| record.redo_fixed).sum();
        if self.log_buffer_lacks_room(redo_fixed.div_ceil(crate::redo::RedoLog::fixed(1.0)) + 1) {
            self.empty_log_buffer();
            return Some(self.machine.now + costs::PURGE_RETRY);
        }
        None
    }

    /// Puts a record on its page, or marks it in the row cache; returns until when the thread must wait, if it must.
    fn put_on_page(&mut self, number: u32, record: Changed) -> Option<SimTime> {
        let lsn = self.machine.redo.current_lsn();
        let Some(records) = &mut self.records else { return None };
        let cached = number == PURGE && records.row_cache.as_mut().is_some_and(|cache| cache.merge(record, lsn));
        if cached {
            self.machine.redo.append(record.redo_fixed);
        } else {
            match self.machine.pool.modify(record.page, lsn, &self.machine.space, self.machine.now) {
                Modification::Done => self.machine.append_change(record.page, record.redo_fixed),
                Modification::Miss => return self.read_to_merge(number, record.page),
                Modification::Blocked => return Some(self.machine.now + costs::PURGE_RETRY),
            }
        }
        self.record_is_merged(number, record);
        None
    }

    /// A record is dealt with; when its table is, the memory of that is free.
    fn record_is_merged(&mut self, number: u32, record: Changed) {
        let Server { records: Some(records), machine: Machine { space, .. }, .. } = self else { return };
        if number == WRITE_BACK {
            if let Some(cache) = &mut records.row_cache {
                cache.written_back(record);
            }
            records.merging.threads[WRITE_BACK as usize].next += 1;
            return;
        }
        records.redo_fixed -= record.redo_fixed;
        let thread = &mut records.merging.threads[PURGE as usize];
        thread.next += 1;
        let next = thread.work.get(thread.next);
        if next.is_some_and(|next| space.space_of(next.page) == space.space_of(record.page)) {
            return;
        }
        let done = thread.table..thread.next;
        thread.table = thread.next;
        let work = std::mem::take(&mut thread.work);
        records.release(&work[done]);
        records.merging.threads[PURGE as usize].work = work;
        self.wake_record_waiters();
    }

    /// Reads a page for a thread, or waits for somebody's read or for a frame.
    fn read_to_merge(&mut self, number: u32, page: u32) -> Option<SimTime> {
        if let Some(&arrives) = self.machine.page_reads.get(&page) {
            return Some(arrives.max(self.machine.now));
        }
        if !self.take_or_free_frame(self.machine.space.instance_of(page)) {
            self.machine.set_flush_event();
            return Some(self.machine.now + costs::PURGE_RETRY);
        }
        let arrives = self.machine.begin_read(page);
        if let Some(records) = &mut self.records {
            records.merging.threads[number as usize].reading = Some(page);
        }
        Some(arrives)
    }

    /// A pass or a write-back is over: the version learns up to where redo is merged.
    fn work_is_done(&mut self, number: u32) {
        let Some(records) = &mut self.records else { return };
        records.merging.threads[number as usize] = Thread::default();
        if number == WRITE_BACK {
            if let Some(cache) = &mut records.row_cache {
                cache.batch_over();
            }
        } else {
            records.merged = Default::default();
            records.merging.passes += 1;
            let wanted = std::mem::take(&mut records.waits.redo_was_short);
            if wanted || records.merging.passes.is_multiple_of(u64::from(records.config.passes_a_release.max(1))) {
                records.merging.merged_lsn = records.merging.began_lsn;
            }
        }
        let cached = records.row_cache.as_ref().and_then(|cache| cache.oldest_lsn());
        let lsn = records.merging.merged_lsn.min(cached.unwrap_or(u64::MAX));
        self.machine.ask(|model, view| model.records_merged(view, lsn));
        self.machine.set_event(wake_ups::Thread::Checkpointer);
        self.wake_record_waiters();
    }

    /// Whether the invariants of the buffer hold: no redo is reused whose change is on no page.
    pub(super) fn check_records(&self, walks_too: bool) -> Result<(), String> {
        let Some(records) = &self.records else { return Ok(()) };
        let checkpoint = self.machine.last_checkpoint_lsn;
        if let Some(oldest) = records.oldest_lsn().filter(|oldest| checkpoint > *oldest) {
            return Err(format!("the checkpoint {checkpoint} lies above redo of records in memory, from {oldest} on"));
        }
        if walks_too { records.check() } else { Ok(()) }
    }
}
