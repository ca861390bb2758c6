//! Page reads by whoever needs a page that is not in the pool: clients, purge, merges of the change buffer.
//!
//! A page is read once; who wants it meanwhile waits for the same read. Times of reads in flight are
//! the machine's.

use crate::kernel::time::SimTime;
use crate::server::base::Base;
use crate::server::flush::Flush;
use crate::server::frames::Frames;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;
use crate::server::machine::ids::ClientId;
use crate::storage::Op;

impl Frames {
    /// Starts reading a page, or joins the read in flight.
    pub(in crate::server) fn read_page(&mut self, client_id: ClientId, page: u32, flush: &mut Flush, base: &mut Base) {
        if let Some(&arrives) = base.machine.page_reads.get(&page) {
            self.give_frame_back(client_id, &mut base.machine);
            // Past where the whole server stood still.
            base.machine.calendar.schedule(arrives.max(base.machine.now), Event::ClientResumes(client_id));
            return;
        }
        if !self.find_frame(client_id, page, flush, base) {
            return;
        }
        let arrives = base.machine.begin_read(page);
        base.machine.calendar.schedule(arrives, Event::ReadDone(client_id));
    }
}

impl Machine {
    /// Reads a page into a frame that is taken for it; returns when it arrives.
    pub(in crate::server) fn begin_read(&mut self, page: u32) -> SimTime {
        let arrives = self.data_device.submit(self.now, Op::RandomRead, crate::config::PAGE_BYTES);
        self.recorder.counts.pool_reads += 1;
        self.page_reads.insert(page, arrives);
        arrives
    }
}
