//! Free pages: what a user thread does to get one.
//!
//! Source: `innodb-8.0.21` section 5.1. From the free list if it has any; otherwise by freeing a clean page near the LRU
//! tail (100 pages in the first try, the whole list later); otherwise by waking the page cleaner and flushing one dirty page
//! from the tail itself, synchronously, through the doublewrite; from the second retry on with 10 ms of sleep before.
//!
//! Simplification: a first search starts at the tail, not where the last search stopped.

use super::Server;
use super::costs;
use super::events::Event;
use crate::config::{DataSync, DoublewriteConfig, PAGE_BYTES};
use crate::storage::Op;

/// The next stage of a single-page flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SinglePage {
    /// To the doublewrite file's slot.
    Doublewrite(u32),
    /// Sync of the doublewrite file.
    SyncDoublewrite(u32),
    /// To its data file.
    Data(u32),
    /// Sync of the data file.
    SyncData(u32),
    /// Done.
    Written(u32),
}

/// State of the search for free pages, by instance.
#[derive(Debug)]
pub(super) struct FreePages {
    /// False once a search of the tail found nothing, until a batch of the instance ends.
    try_scan: Vec<bool>,
}

impl FreePages {
    pub(super) fn new(instances: u32) -> Self {
        FreePages { try_scan: vec![true; instances as usize] }
    }

    /// A batch of this instance ended: its tail is worth searching again.
    pub(super) fn batch_ended(&mut self, instance: usize) {
        self.try_scan[instance] = true;
    }
}

impl Server {
    /// Takes a frame for `page` on behalf of a client; false if the client must wait (it has been scheduled to retry).
    pub(super) fn find_frame(&mut self, index: u32, page: u32) -> bool {
        let instance = self.space.instance_of(page);
        let tries = self.clients.list[index as usize].free_page_tries;
        loop {
            if self.pool.take_frame(instance) {
                self.clients.list[index as usize].free_page_tries = 0;
                return true;
            }
            if (tries == 0 && !self.free_pages.try_scan[instance]) || !self.free_clean_page(instance, tries > 0) {
                break;
            }
        }
        if tries == 0 {
            self.free_pages.try_scan[instance] = false;
        }
        self.set_flush_event();
        self.recorder.counts.wait_free += 1;
        self.clients.list[index as usize].free_page_tries = tries + 1;
        self.flush_single_page(index, instance, tries > 1);
        false
    }

    /// Frees one clean page near the tail of the instance's LRU list.
    fn free_clean_page(&mut self, instance: usize, whole_list: bool) -> bool {
        let limit = if whole_list { u64::MAX } else { costs::FREE_PAGE_SCAN };
        let Some(lru) = self.pool.lru() else { return false };
        let mut next = lru.tail(instance);
        let mut scanned = 0;
        while let Some(page) = next.filter(|_| scanned < limit) {
            next = self.pool.lru().and_then(|l| l.before(page));
            scanned += 1;
            if self.pool.evict_if_clean(page, instance) {
                return true;
            }
        }
        false
    }

    /// Flushes one dirty page from the LRU tail, then lets the client retry; sleeps first if `sleep`.
    fn flush_single_page(&mut self, index: u32, instance: usize, sleep: bool) {
        let mut next = self.pool.lru().and_then(|l| l.tail(instance));
        while let Some(page) = next {
            if self.pool.take_page(page) {
                break;
            }
            next = self.pool.lru().and_then(|l| l.before(page));
        }
        let Some(page) = next else {
            self.calendar.schedule(self.now + costs::FREE_PAGE_SLEEP, Event::Body(index));
            return;
        };
        self.recorder.counts.single_pages += 1;
        self.recorder.counts.pages_flushed += 1;
        let wanted = self.redo.wanted_before_writing(|p| p == page);
        self.want_durable(wanted);
        let start = if sleep { self.now + costs::FREE_PAGE_SLEEP } else { self.now };
        self.clients.list[index as usize].single = Some(match self.config.doublewrite {
            DoublewriteConfig::Off => SinglePage::Data(page),
            DoublewriteConfig::PerInstance { .. } => SinglePage::Doublewrite(page),
        });
        self.calendar.schedule(start, Event::SinglePage(index));
    }

    /// A client's single-page flush reaches its next stage; each stage is submitted when the one before is done.
    pub(super) fn single_page_step(&mut self, index: u32) {
        let Some(stage) = self.clients.list[index as usize].single else {
            return self.run_body(index);
        };
        let (page, op) = match stage {
            SinglePage::Doublewrite(page) => (page, Op::SequentialWrite),
            SinglePage::Data(page) => (page, Op::RandomWrite),
            SinglePage::SyncDoublewrite(page) => return self.sync_single_page(index, SinglePage::Data(page)),
            SinglePage::SyncData(page) => return self.sync_single_page(index, SinglePage::Written(page)),
            SinglePage::Written(page) => return self.single_page_written(index, page),
        };
        let wanted = self.redo.wanted_before_writing(|p| p == page);
        if wanted > self.redo.position().durable_lsn {
            self.flush_single_page_when_durable(wanted, index);
            return;
        }
        self.check_page_write(page);
        let sync_doublewrite =
            matches!(self.config.doublewrite, DoublewriteConfig::PerInstance { sync_file: true, .. });
        let synced = match stage {
            SinglePage::Doublewrite(_) => sync_doublewrite,
            _ => self.config.data_sync == DataSync::EveryBatch,
        };
        let done = self.data_device.submit(self.now, op, PAGE_BYTES);
        let next = if op == Op::SequentialWrite {
            self.recorder.counts.dblwr_pages += 1;
            self.recorder.counts.dblwr_writes += 1;
            if synced { SinglePage::SyncDoublewrite(page) } else { SinglePage::Data(page) }
        } else if synced {
            SinglePage::SyncData(page)
        } else {
            SinglePage::Written(page)
        };
        self.clients.list[index as usize].single = Some(next);
        self.calendar.schedule(done, Event::SinglePage(index));
    }

    /// Syncs the file just written, then goes on with `next`.
    fn sync_single_page(&mut self, index: u32, next: SinglePage) {
        let done = self.data_device.submit(self.now, Op::Sync, 0);
        self.recorder.counts.data_fsyncs += 1;
        self.clients.list[index as usize].single = Some(next);
        self.calendar.schedule(done, Event::SinglePage(index));
    }

    fn single_page_written(&mut self, index: u32, page: u32) {
        let instance = self.space.instance_of(page);
        self.clients.list[index as usize].single = None;
        self.pool.page_written(page);
        self.pool.evict_if_clean(page, instance);
        self.run_body(index);
    }
}
