//! Touches of records: what a transaction reads and changes where changes go into memory, pages later
//! ([`crate::server::records`], TNT).

use crate::kernel::random::mix;
use crate::server::clients::Clients;
use crate::server::clients::touches::{Blocked, Touched};
use crate::server::innodb::Innodb;
use crate::server::machine::ids::ClientId;
use crate::server::records::Changed;
use crate::workload::program::Touch;
use crate::workload::records::RecordTouch;

impl Clients {
    /// Touches the records and pages of a transaction until it has no more; false if the client must wait.
    pub(in crate::server) fn touch_records(&mut self, client_id: ClientId, innodb: &mut Innodb) -> bool {
        self.find_pages(client_id, &mut innodb.engine);
        loop {
            let client = &self.list[client_id];
            let kind = &innodb.engine.program.kinds[client.kind as usize];
            let (Some(run), Some(page)) = (client.plan.next_run(), client.plan.next_page()) else { return true };
            let (blocked, number) = (Blocked { page, touch: kind.touches[run.touch as usize] }, client.kind);
            let full = innodb.engine.base.machine.redo.current_lsn()
                > innodb.engine.base.machine.redo.buffer().room_up_to(kind.max_redo_bytes);
            if full && run.modify && !self.may_write(client_id, innodb) {
                return false;
            }
            let what = innodb.records.as_ref().map_or(RecordTouch::Page, |r| r.touch_of(number, run.touch));
            let touched = match what {
                RecordTouch::Page => self.touch_one(client_id, blocked, &mut innodb.engine),
                RecordTouch::Read { rows } => self.find_record(client_id, blocked, rows, innodb),
                RecordTouch::Change { rows, redo_fixed } => {
                    self.change_record(client_id, blocked, rows, redo_fixed, innodb)
                }
            };
            if matches!(touched, Touched::Wait) {
                return false;
            }
            self.list[client_id].plan.pass(1);
        }
    }

    /// The record that a client's next touch is about.
    fn record_of(&self, client_id: ClientId, page: u32, rows: u16, redo_fixed: u64, innodb: &Innodb) -> Changed {
        let client = &self.list[client_id];
        let drawn = mix(client.home ^ (client.plan.place() as u64) << 32 ^ u64::from(page));
        let slot = (((drawn >> 32) * u64::from(rows)) >> 32) as u16;
        let bytes = innodb.records.as_ref().map_or(0, |records| records.record_bytes(rows)) as u32;
        Changed { page, slot, bytes, redo_fixed }
    }

    /// Reads a record, unless its newest image is in the buffer or the row cache: from its page.
    fn find_record(&mut self, client_id: ClientId, blocked: Blocked, rows: u16, innodb: &mut Innodb) -> Touched {
        let record = self.record_of(client_id, blocked.page, rows, 0, innodb);
        let Some(records) = &mut innodb.records else { return Touched::Done };
        if records.holds(record) {
            return Touched::Done;
        }
        let cold = !innodb.engine.base.machine.pool.pages.is_resident(blocked.page);
        let read = Blocked { touch: Touch { modify: false, ..blocked.touch }, ..blocked };
        let touched = self.touch_one(client_id, read, &mut innodb.engine);
        let Some(records) = &mut innodb.records else { return touched };
        match touched {
            Touched::Wait if cold => records.page_missed(client_id, blocked.page),
            Touched::Wait => {}
            Touched::Done => records.page_is_there(client_id, record),
        }
        touched
    }

    /// Changes a record in memory, and writes redo.
    fn change_record(
        &mut self,
        client_id: ClientId,
        blocked: Blocked,
        rows: u16,
        redo_fixed: u64,
        innodb: &mut Innodb,
    ) -> Touched {
        if matches!(self.find_record(client_id, blocked, rows, innodb), Touched::Wait) {
            return Touched::Wait;
        }
        let record = self.record_of(client_id, blocked.page, rows, redo_fixed, innodb);
        let lsn = innodb.engine.base.machine.redo.current_lsn();
        let Some(records) = &mut innodb.records else { return Touched::Done };
        if !records.change(record, lsn) {
            records.wait_for_memory(client_id);
            innodb.engine.base.machine.recorder.counts.wait_free += 1;
            return Touched::Wait;
        }
        innodb.engine.base.machine.redo.append(redo_fixed);
        self.client_modified(client_id, 1, &mut innodb.engine.base.machine);
        Touched::Done
    }
}
