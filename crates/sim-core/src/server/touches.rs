//! Page touches: what a transaction reads and modifies, in order. The hot loop of the simulator.
//!
//! Source: `innodb-8.0.21` sections 2.3 and 8. A read needs the page in the pool; a modification needs it there and not
//! under write, makes a clean page dirty and appends redo. Nearly all touches meet a page that is dirty already; they
//! cost no more than a look at one bit, and follow each other without anything between them, so that the looks overlap.
//! What meets something else ([`Blocked`]) takes the slow path and may have to wait; then the transaction comes back to the
//! same page.

use super::Server;
use super::change_buffer::Buffered;
use super::events::Event;
use super::machine::Machine;
use crate::buffer_pool::Modification;
use crate::workload::program::Touch;

/// A page that could not be touched as nearly all can: new, missing or under write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocked {
    pub(super) page: u32,
    pub(super) touch: Touch,
}

/// Why a transaction does not go on with the next page.
enum Stopped {
    /// It has no more.
    AtEnd,
    /// The page needs the slow path.
    At(Blocked),
    /// The redo log is short of room: the free check comes before the next modification.
    ForRoom,
}

/// What became of one touch.
pub(super) enum Touched {
    Done,
    Wait,
}

impl Server {
    /// Touches pages until the transaction has no more; false if the client must wait for a page.
    pub(super) fn touch_pages(&mut self, client_number: u32) -> bool {
        if self.records.is_some() {
            return self.touch_records(client_number);
        }
        self.find_pages(client_number);
        loop {
            match self.touch_on(client_number) {
                Stopped::AtEnd => return true,
                Stopped::At(blocked) if matches!(self.touch_one(client_number, blocked), Touched::Wait) => {
                    return false;
                }
                Stopped::At(_) => self.clients.list[client_number as usize].plan.pass(1),
                Stopped::ForRoom if !self.may_write(client_number) => return false,
                Stopped::ForRoom => {}
            }
        }
    }

    /// Touches single pages until something stops it. While all its redo fits below the limit of the free check, that is not
    /// looked at again; otherwise before each row that is changed. So it is with room in the log buffer, of which a transaction
    /// too large for it takes what there is.
    fn touch_on(&mut self, client_number: u32) -> Stopped {
        let Server { clients, program, machine, .. } = self;
        let Machine { pool, redo, space, check, lru_list_mutexes, now, .. } = machine;
        let client = &mut clients.list[client_number as usize];
        let kind = &program.kinds[client.kind as usize];
        let limit_lsn = machine.free_check_limit_lsn.min(redo.room_up_to(kind.max_redo_bytes));
        // An eighth more than the payload holds the headers of its blocks too.
        let near_limit = redo.current_lsn() + kind.max_redo_bytes * 9 / 8 > limit_lsn;
        let plan = &mut client.plan;
        let (from, redo_before) = (plan.place(), plan.redo_fixed());
        let stopped = loop {
            let written = plan.redo_fixed() - redo_before;
            let row_over = near_limit && written >= kind.row_redo_fixed && plan.next_page().is_some();
            if row_over && redo.lsn_after(written) > limit_lsn {
                break Stopped::ForRoom;
            }
            let left = plan.rest();
            let ahead = if near_limit { left.len().min(1) } else { left.len() };
            let passed = pool.leading_already_dirty(&left[..ahead]);
            plan.pass(passed);
            if near_limit && passed > 0 {
                continue;
            }
            let (Some(run), Some(page)) = (plan.next_run(), plan.next_page()) else { break Stopped::AtEnd };
            let held_up = lru_list_mutexes.any_held() && pool.moves_to_head(page, space, *now);
            let done = if held_up {
                false
            } else if run.modify {
                let lsn = redo.lsn_after(plan.redo_fixed() - redo_before);
                pool.modify(page, lsn, space, *now) == Modification::Done
            } else {
                pool.read(page, space, *now)
            };
            if !done {
                let touch = kind.touches[run.touch as usize];
                break Stopped::At(Blocked { page, touch });
            }
            plan.pass(1);
        };
        let redo_lsn_before = redo.current_lsn();
        redo.append(plan.redo_fixed() - redo_before);
        let lsn = redo.current_lsn();
        let mut modified = 0;
        plan.modified_since(from, |pages| {
            modified += pages.len();
            redo.note_modified(pages);
            machine.touched_pages.note(pages, lsn);
            if let Some(checker) = check {
                pages.iter().for_each(|&page| checker.note_newest(page, lsn));
            }
        });
        if let Some(crashes) = &mut machine.crashes {
            for (page, takes_redo) in plan.changes_since(from) {
                crashes.modified(page, if takes_redo { redo_lsn_before } else { lsn }, lsn);
            }
        }
        self.client_modified(client_number, modified);
        stopped
    }

    /// Whether the page must move in a list that somebody holds; the client then waits.
    fn waits_to_move(&mut self, client_number: u32, page: u32) -> bool {
        self.machine.lru_list_mutexes.any_held()
            && self.machine.pool.moves_to_head(page, &self.machine.space, self.machine.now)
            && self
                .machine
                .waits_for_lru_list(self.machine.space.instance_of(page), Event::ClientResumes(client_number))
    }

    /// Touches one page on the slow path: it may be new, missing or under write.
    pub(super) fn touch_one(&mut self, client_number: u32, blocked: Blocked) -> Touched {
        let Blocked { page, touch } = blocked;
        if self.waits_to_move(client_number, page) {
            return Touched::Wait;
        }
        if !self.machine.pool.is_resident(page) && self.clients.list[client_number as usize].plan.is_fresh(page) {
            // While its creator waited for a frame, another client may have met the page and begun to read it.
            if let Some(&arrives) = self.machine.page_reads.get(&page) {
                self.machine.calendar.schedule(arrives.max(self.machine.now), Event::ClientResumes(client_number));
                return Touched::Wait;
            }
            if !self.find_frame(client_number, page) {
                return Touched::Wait;
            }
            self.machine.pool.page_arrived(page, &self.machine.space, self.machine.now);
            // Others may have met it meanwhile and left changes for it.
            self.merge_changes(page);
            if self.keep_margin(client_number, page) {
                return Touched::Wait;
            }
        }
        if !touch.modify {
            if self.machine.pool.read(page, &self.machine.space, self.machine.now) {
                return Touched::Done;
            }
            self.read_page(client_number, page);
            return Touched::Wait;
        }
        match self.machine.pool.modify(page, self.machine.redo.current_lsn(), &self.machine.space, self.machine.now) {
            Modification::Done => {
                self.machine.append_change(page, touch.redo_fixed);
                self.client_modified(client_number, 1);
                Touched::Done
            }
            Modification::Miss => {
                if touch.bufferable {
                    match self.buffer_change(client_number, page, touch.redo_fixed) {
                        Buffered::Done => {
                            self.client_modified(client_number, 1);
                            return Touched::Done;
                        }
                        Buffered::Wait => return Touched::Wait,
                        Buffered::No => {}
                    }
                }
                self.read_page(client_number, page);
                Touched::Wait
            }
            Modification::Blocked if self.page_write_over(client_number, page) => {
                self.touch_one(client_number, blocked)
            }
            Modification::Blocked => Touched::Wait,
        }
    }
}
