//! Page touches: what a transaction reads and modifies, in order. The hot loop of the simulator.
//!
//! Source: `innodb-8.0.21` sections 2.3 and 8. A read needs the page in the pool; a modification needs it there and not
//! under write, makes a clean page dirty and appends redo. Nearly all touches meet a page that is dirty already; they
//! cost no more than a look at one bit, and follow each other without anything between them, so that the looks overlap.
//! What meets something else ([`Blocked`]) takes the slow path and may have to wait; then the transaction comes back to the
//! same page.

use crate::buffer_pool::Modification;
use crate::server::base::Base;
use crate::server::change_buffer::Buffered;
use crate::server::clients::Clients;
use crate::server::engine::Engine;
use crate::server::innodb::Innodb;
use crate::server::machine::Machine;
use crate::server::machine::disk_events::DiskEvent;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ClientId;
use crate::workload::program::Touch;

/// A page that could not be touched as nearly all can: new, missing or under write.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct Blocked {
    pub(in crate::server) page: u32,
    pub(in crate::server) touch: Touch,
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

impl Clients {
    /// Touches pages until the transaction has no more; false if the client must wait for a page.
    pub(super) fn touch_pages(&mut self, client_id: ClientId, innodb: &mut Innodb) -> bool {
        if innodb.records.is_some() {
            return self.touch_records(client_id, innodb);
        }
        self.find_pages(client_id, &mut innodb.engine);
        loop {
            match self.touch_on(client_id, &mut innodb.engine) {
                Stopped::AtEnd => return !visits_at_end(client_id, &mut innodb.engine),
                Stopped::At(blocked)
                    if matches!(self.touch_one(client_id, blocked, &mut innodb.engine), Touched::Wait) =>
                {
                    return false;
                }
                Stopped::At(_) => self.list[client_id].plan.pass(1),
                Stopped::ForRoom if !self.may_write(client_id, innodb) => return false,
                Stopped::ForRoom => {}
            }
        }
    }

    /// Touches single pages until something stops it. While all its redo fits below the limit of the free check, that is not
    /// looked at again; otherwise before each row that is changed. So it is with room in the log buffer, of which a transaction
    /// too large for it takes what there is.
    fn touch_on(&mut self, client_id: ClientId, engine: &mut Engine) -> Stopped {
        let Engine { base: Base { machine, .. }, program, .. } = engine;
        let Machine { pool, redo, space, observers, lru_list_mutexes, now, .. } = machine;
        let client = &mut self.list[client_id];
        let kind = &program.kinds[client.kind as usize];
        let limit_lsn = machine.free_check_limit_lsn.min(redo.buffer().room_up_to(kind.max_redo_bytes));
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
            observers.touched_pages.note(pages, lsn);
            if let Some(checker) = &mut observers.checker {
                pages.iter().for_each(|&page| checker.note_newest(page, lsn));
            }
        });
        if let Some(disk) = &mut observers.disk {
            for (page, takes_redo) in plan.changes_since(from) {
                let before = if takes_redo { redo_lsn_before } else { lsn };
                disk.disk(DiskEvent::PageChanged { page, before, lsn });
            }
        }
        self.client_modified(client_id, modified, &mut engine.base.machine);
        stopped
    }

    /// Touches one page on the slow path: it may be new, missing or under write.
    pub(super) fn touch_one(&mut self, client_id: ClientId, blocked: Blocked, engine: &mut Engine) -> Touched {
        let Blocked { page, touch } = blocked;
        if engine.base.machine.waits_to_move(client_id, page) {
            return Touched::Wait;
        }
        if !engine.base.machine.pool.pages.is_resident(page) && self.list[client_id].plan.is_fresh(page) {
            // While its creator waited for a frame, another client may have met the page and begun to read it.
            if let Some(&arrives) = engine.base.machine.page_reads.get(&page) {
                engine
                    .base
                    .machine
                    .calendar
                    .schedule(arrives.max(engine.base.machine.now), Event::ClientResumes(client_id));
                return Touched::Wait;
            }
            if !engine.frames.find_frame(client_id, page, &mut engine.flush, &mut engine.base) {
                return Touched::Wait;
            }
            engine.base.machine.pool.page_arrived(page, &engine.base.machine.space, engine.base.machine.now);
            // Others may have met it meanwhile and left changes for it.
            if let Some(changes) = &mut engine.changes {
                changes.merge_changes(page, &mut engine.base);
            }
            if engine.frames.keep_margin(client_id, page, &mut engine.flush, &mut engine.base.machine) {
                return Touched::Wait;
            }
        }
        if !touch.modify {
            if engine.base.machine.pool.read(page, &engine.base.machine.space, engine.base.machine.now) {
                return Touched::Done;
            }
            engine.frames.read_page(client_id, page, &mut engine.flush, &mut engine.base);
            return Touched::Wait;
        }
        match engine.base.machine.pool.modify(
            page,
            engine.base.machine.redo.current_lsn(),
            &engine.base.machine.space,
            engine.base.machine.now,
        ) {
            Modification::Done => {
                engine.base.machine.append_change(page, touch.redo_fixed);
                self.client_modified(client_id, 1, &mut engine.base.machine);
                Touched::Done
            }
            Modification::Miss => {
                if let Some(change) = touch.bufferable
                    && let Engine { base, flush, changes: Some(changes), program, .. } = &mut *engine
                {
                    match changes.buffer_change(
                        client_id,
                        page,
                        (change, touch.redo_fixed),
                        program.places.room_on(page),
                        (flush, base),
                    ) {
                        Buffered::Done => {
                            self.client_modified(client_id, 1, &mut engine.base.machine);
                            return Touched::Done;
                        }
                        Buffered::Wait => return Touched::Wait,
                        Buffered::No => {}
                    }
                }
                engine.frames.read_page(client_id, page, &mut engine.flush, &mut engine.base);
                Touched::Wait
            }
            Modification::Blocked if engine.flush.page_write_over(client_id, page, &mut engine.base) => {
                self.touch_one(client_id, blocked, engine)
            }
            Modification::Blocked => Touched::Wait,
        }
    }
}

/// At the end of a transaction its client pays for what it did to the LRU lists: whether it waits for that.
fn visits_at_end(client_id: ClientId, engine: &mut Engine) -> bool {
    let machine = &mut engine.base.machine;
    if !machine.lru_visits().is_owed() {
        return false;
    }
    engine.frames.give_frame_back(client_id, machine);
    let instance = client_id.0 % machine.config.buffer_pool.instances;
    machine.lru_visits().client_waits(instance as usize, 0, Event::ClientResumes(client_id))
}

impl Machine {
    /// Whether the page must move in a list that somebody holds; the client then waits.
    #[inline]
    fn waits_to_move(&mut self, client_id: ClientId, page: u32) -> bool {
        self.lru_list_mutexes.any_held()
            && self.pool.moves_to_head(page, &self.space, self.now)
            && self.waits_for_lru_list(self.space.instance_of(page), Event::ClientResumes(client_id))
    }
}
