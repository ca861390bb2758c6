//! Single-page flushes: a client that finds no free page writes one dirty page from the LRU tail itself, and waits for
//! each of its stages: doublewrite, its sync, the page, the data file's sync.
//!
//! Source: `innodb-5.6` section 4.3, `innodb-5.7` section 4.3, `innodb-8.0.21` section 5.1. Where the client sleeps
//! before its flush, it looks for a page when it has slept. From 5.7 on it frees the first clean page that it meets and
//! flushes none; in 5.6 it flushes a page, then frees the first clean one from the tail. Clients whose pages lie in one data
//! file share its syncs, with each other and with the rounds of batches ([`crate::server::storage`]).
//!
//! Simplifications: the places of the doublewrite for single pages never run out (errs towards faster flushing by many
//! threads); before 8.0.20 syncs of the doublewrite, which lies in the system tablespace, are not shared (errs towards more
//! syncs).

use crate::config::{DoublewriteConfig, FreePagePolicy, PAGE_BYTES};
use crate::kernel::time::{SimDuration, SimTime};
use crate::server::base::Base;
use crate::server::frames::Frames;
use crate::server::machine::Machine;
use crate::server::machine::costs;
use crate::server::machine::disk_events::DiskEvent;
use crate::server::machine::events::Event;
use crate::server::machine::file_system::PagesFile;
use crate::server::machine::ids::ClientId;
use crate::server::machine::inodes::Synced;
use crate::server::storage::Wanted;
use crate::storage::Op;

/// The next stage of a single-page flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum SinglePage {
    /// The client slept: now it looks for a page of this instance.
    Search(u32),
    /// Waits until redo is durable up to this LSN, that of the newest modification of the page: while the page is under
    /// write, nobody modifies it.
    Redo(u32, u64),
    /// Sync of the doublewrite file.
    SyncDoublewrite(u32),
    /// To its data file.
    Data(u32),
    /// It is in its data file, which is synced next.
    InFile(u32),
    /// Sync of the data file, up to this write of it.
    SyncData(u32, u64),
    /// Done.
    Written(u32),
}

impl SinglePage {
    /// The page that is under write for it.
    pub(super) fn page(self) -> Option<u32> {
        match self {
            SinglePage::Search(_) => None,
            SinglePage::Redo(page, _)
            | SinglePage::SyncDoublewrite(page)
            | SinglePage::Data(page)
            | SinglePage::InFile(page)
            | SinglePage::SyncData(page, _)
            | SinglePage::Written(page) => Some(page),
        }
    }
}

/// Who goes on after a stage of a single-page flush.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum SinglePageStep {
    /// The flush, by itself.
    Waits,
    /// Its client, now: the flush is over.
    ClientResumes,
}

impl Frames {
    /// Whether a client is at flushing a page of `instance` by itself.
    pub(super) fn some_client_flushes(&self, instance: usize, machine: &Machine) -> bool {
        let mut flushed = self.singles.iter().flatten().map(|single| match single {
            SinglePage::Search(instance) => *instance as usize,
            other => other.page().map_or(usize::MAX, |page| machine.space.instance_of(page)),
        });
        flushed.any(|of| of == instance)
    }

    /// Flushes one dirty page from the LRU tail, then lets the client retry; sleeps first if `sleeps`.
    pub(super) fn flush_single_page(
        &mut self,
        client_id: ClientId,
        instance: usize,
        sleep: SimDuration,
        sleeps: bool,
        base: &mut Base,
    ) {
        self.singles[client_id] = Some(SinglePage::Search(instance as u32));
        if sleeps {
            base.machine.calendar.schedule(base.machine.now + sleep, Event::SinglePage(client_id));
        } else {
            self.search_single_page(client_id, instance, base);
        }
    }

    /// Looks for a page to flush and begins to; or frees a clean one, where the version does.
    fn search_single_page(&mut self, client_id: ClientId, instance: usize, base: &mut Base) {
        if base.machine.lru_visits().client_waits(instance, 1, Event::SinglePage(client_id)) {
            return;
        }
        self.singles[client_id] = None;
        let frees_clean = base.machine.frees_clean_page_first();
        let pool = &mut base.machine.pool;
        let (mut next, mut passed_over) = (pool.frames.lru().and_then(|l| l.tail(instance)), 0);
        let mut looks_again = costs::SINGLE_PAGE_POLL;
        while let Some(page) = next {
            if pool.take_page(page) {
                base.machine.lru_visits().passed_over(passed_over);
                return self.begin_single_page(client_id, page, base);
            }
            next = pool.frames.lru().and_then(|l| l.before(page));
            if frees_clean && pool.evict_if_clean(page, instance) {
                looks_again = SimDuration::ZERO;
                break;
            }
            passed_over += 1;
        }
        base.machine.lru_visits().passed_over(passed_over);
        base.machine.calendar.schedule(base.machine.now + looks_again, Event::ClientResumes(client_id));
    }

    /// A client has taken a page to flush it alone.
    fn begin_single_page(&mut self, client_id: ClientId, page: u32, base: &mut Base) {
        base.machine.recorder.counts.single_pages += 1;
        base.machine.recorder.counts.pages_flushed += 1;
        let wanted = base.machine.redo.wanted_before_writing(|p| p == page);
        base.log.want_durable(wanted, &mut base.machine);
        self.singles[client_id] = Some(SinglePage::Redo(page, wanted));
        base.machine.cpu().single_page_computes(Event::SinglePage(client_id));
    }

    /// A client's single-page flush reaches its next stage; each stage is submitted when the one before is done.
    pub(in crate::server) fn single_page_step(&mut self, client_id: ClientId, base: &mut Base) -> SinglePageStep {
        let Some(stage) = self.singles[client_id] else { return SinglePageStep::ClientResumes };
        let (page, op) = match stage {
            SinglePage::Search(instance) => {
                self.search_single_page(client_id, instance as usize, base);
                return SinglePageStep::Waits;
            }
            SinglePage::Redo(_, lsn) if lsn > base.machine.redo.position().durable_lsn => {
                base.log.when_durable(lsn, Event::SinglePage(client_id), &mut base.machine);
                return SinglePageStep::Waits;
            }
            SinglePage::Redo(page, _) => match base.machine.config.doublewrite {
                DoublewriteConfig::Off => (page, Op::RandomWrite),
                DoublewriteConfig::PerInstance { .. } | DoublewriteConfig::Shared { .. } => (page, Op::SequentialWrite),
            },
            SinglePage::Data(page) => (page, Op::RandomWrite),
            SinglePage::SyncDoublewrite(page) => {
                self.sync_doublewrite_of_single_page(client_id, page, base);
                return SinglePageStep::Waits;
            }
            SinglePage::InFile(page) => {
                let wanted = base.storage.written_now(base.machine.space.space_of(page));
                return self.sync_file_of_single_page(client_id, page, wanted, base);
            }
            SinglePage::SyncData(page, wanted) => {
                return self.sync_file_of_single_page(client_id, page, wanted, base);
            }
            SinglePage::Written(page) => return self.single_page_written(client_id, page, base),
        };
        self.submit_single_page(client_id, page, op, &mut base.machine);
        SinglePageStep::Waits
    }

    /// Submits the page to the doublewrite, or to its data file.
    fn submit_single_page(&mut self, client_id: ClientId, page: u32, op: Op, machine: &mut Machine) {
        machine.check_page_write(page);
        let sync_doublewrite = matches!(
            machine.config.doublewrite,
            DoublewriteConfig::PerInstance { sync_file: true, .. } | DoublewriteConfig::Shared { sync_file: true, .. }
        );
        let synced = match op {
            Op::SequentialWrite => sync_doublewrite,
            _ => machine.config.data_sync.follows_batches(),
        };
        if op == Op::RandomWrite {
            machine.inodes.data_changes(machine.space.space_of(page), machine.now);
        } else if synced {
            machine.disks().doublewrite_changes();
        }
        let done = machine.data_device.submit(machine.now, op, PAGE_BYTES);
        match op {
            Op::SequentialWrite => {
                machine.observers.tell(DiskEvent::SinglePageCopied { page, done, sync_follows: synced });
            }
            _ => {
                let file = machine.space.space_of(page);
                machine.observers.tell(DiskEvent::PageWritePosted { page, file, batch: None, done });
            }
        }
        let next = if op == Op::SequentialWrite {
            machine.recorder.counts.dblwr_pages += 1;
            machine.recorder.counts.dblwr_writes += 1;
            if synced { SinglePage::SyncDoublewrite(page) } else { SinglePage::Data(page) }
        } else if synced {
            SinglePage::InFile(page)
        } else {
            SinglePage::Written(page)
        };
        self.singles[client_id] = Some(next);
        machine.cpu().single_write_completes(done, op == Op::RandomWrite, Event::SinglePage(client_id));
    }

    /// Syncs the place of a page in the doublewrite.
    fn sync_doublewrite_of_single_page(&mut self, client_id: ClientId, page: u32, base: &mut Base) {
        let event = Event::SinglePage(client_id);
        if base.storage.sync_pages_through_journal(PagesFile::DoublewriteOf(page), event, event, &mut base.machine) {
            self.singles[client_id] = Some(SinglePage::Data(page));
            return;
        }
        let inode = base.machine.disks().write_inode(Synced::Doublewrite);
        if let Some(over) = self.sync_single_page(client_id, inode, SinglePage::Data(page), &mut base.machine) {
            base.machine.observers.tell(DiskEvent::SinglePageCopySynced { page, done: over });
        }
    }

    /// Syncs the file just written, then goes on with `next`, and returns when the sync is over; before that, waits for its
    /// inode.
    fn sync_single_page(
        &mut self,
        client_id: ClientId,
        inode: Option<SimTime>,
        next: SinglePage,
        machine: &mut Machine,
    ) -> Option<SimTime> {
        if let Some(written) = inode {
            machine.cpu().wakes_after(written, Event::SinglePage(client_id));
            return None;
        }
        self.singles[client_id] = Some(next);
        Some(machine.sync_data_file(Event::SinglePage(client_id), Event::SinglePage(client_id)))
    }

    /// Syncs the data file of a page, unless somebody else's sync covers it or is still in progress.
    fn sync_file_of_single_page(
        &mut self,
        client_id: ClientId,
        page: u32,
        wanted: u64,
        base: &mut Base,
    ) -> SinglePageStep {
        let file = base.machine.space.space_of(page);
        self.singles[client_id] = Some(SinglePage::SyncData(page, wanted));
        match base.storage.want(file, wanted, base.machine.now) {
            Wanted::Synced => {
                self.singles[client_id] = Some(SinglePage::Written(page));
                return self.single_page_written(client_id, page, base);
            }
            Wanted::Wait(until) => {
                base.storage.wait_for_sync(file, until, Event::SinglePage(client_id), &mut base.machine)
            }
            Wanted::Sync => {
                let event = Event::SinglePage(client_id);
                if base.storage.sync_pages_through_journal(PagesFile::Data(file), event, event, &mut base.machine) {
                    base.storage.sync_until(file, SimTime::NEVER);
                    self.singles[client_id] = Some(SinglePage::Written(page));
                    return SinglePageStep::Waits;
                }
                let inode = base.machine.disks().write_inode(Synced::Data(file));
                if let Some(written) = inode {
                    base.storage.inode_until(file, written);
                }
                let synced = self.sync_single_page(client_id, inode, SinglePage::Written(page), &mut base.machine);
                if let Some(over) = synced {
                    let began = base.machine.now;
                    base.machine.observers.tell(DiskEvent::FileSynced { file, began, done: over });
                    base.storage.sync_until(file, over);
                }
            }
        }
        SinglePageStep::Waits
    }

    fn single_page_written(&mut self, client_id: ClientId, page: u32, base: &mut Base) -> SinglePageStep {
        let instance = base.machine.space.instance_of(page);
        if base.machine.lru_visits().client_waits(instance, 1, Event::SinglePage(client_id)) {
            return SinglePageStep::Waits;
        }
        self.singles[client_id] = None;
        base.machine.pool.page_written(page);
        base.machine.observers.tell(DiskEvent::PageWriteEnded { page });
        if !base.machine.config.data_sync.follows_batches() {
            base.storage.mark_unsynced(base.machine.space.space_of(page));
        }
        base.machine.observers.tell(DiskEvent::SinglePageEnded { page });
        if base.machine.frees_clean_page_first() {
            base.machine.pool.evict_if_clean(page, instance);
        } else {
            base.machine.free_clean_page(instance, u64::MAX);
        }
        SinglePageStep::ClientResumes
    }
}

impl Machine {
    /// Whether the search for a page to flush ends with the first clean one.
    fn frees_clean_page_first(&self) -> bool {
        matches!(self.config.buffer_pool.free_pages, FreePagePolicy::SinglePage { clean_first: true, .. })
    }
}
