//! Page reads by whoever needs a page that is not in the pool: clients, purge, merges of the change buffer.
//!
//! A page is read once; who wants it meanwhile waits for the same read. Times of reads in flight are
//! the machine's.

use super::Server;
use super::events::Event;
use super::machine::Machine;
use crate::kernel::time::SimTime;
use crate::storage::Op;

impl Server {
    /// Starts reading a page, or joins the read in flight.
    pub(super) fn read_page(&mut self, client_number: u32, page: u32) {
        if let Some(&arrives) = self.machine.page_reads.get(&page) {
            // Past where the whole server stood still.
            self.machine.calendar.schedule(arrives.max(self.machine.now), Event::ClientResumes(client_number));
            return;
        }
        if !self.find_frame(client_number, page) {
            return;
        }
        let arrives = self.machine.begin_read(page);
        self.machine.calendar.schedule(arrives, Event::ReadDone(client_number));
    }
}

impl Machine {
    /// Reads a page into a frame that is taken for it; returns when it arrives.
    pub(super) fn begin_read(&mut self, page: u32) -> SimTime {
        let arrives = self.data_device.submit(self.now, Op::RandomRead, crate::config::PAGE_BYTES);
        self.recorder.counts.pool_reads += 1;
        self.page_reads.insert(page, arrives);
        arrives
    }
}
