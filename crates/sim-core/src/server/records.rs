//! A buffer of changed records over a page store: changes go into memory, pages later (TNT).
//!
//! Whoever changes a record puts its newest image into the buffer and appends redo; no page becomes dirty. A record that
//! is there already is changed in place. One that is not is first read, from the row cache ([`crate::server::records::row_cache`]) or from
//! its page. A pass of purge ([`crate::server::records::tnt_merge`]) takes what the buffer holds, and from then on changes go to a new
//! generation; a record of both takes memory once. Insertions change pages at once, as the engine inserts into its page
//! store. Which record of a page a touch is about follows from the transaction and the place of the touch in it.
//!
//! A client waits while the buffer is full, or the redo log ([`crate::server::records::waits`]).
//!
//! Source: what is known of TNT, see `docs/fidelity.md`. Simplifications: the engine gives the buffer some memory of the
//! page buffer when it is full, and fails a statement at last, where a client waits here; older images take no memory
//! and no time (the undo pages of the workload stand for those of the version pool); uncommitted changes are merged as
//! committed ones (a few dozen records).

pub(super) mod row_cache;
pub(super) mod tnt_merge;
pub(super) mod waits;

use crate::config::RecordsConfig;
use crate::kernel::random::mix;
use crate::redo::RedoLog;
use crate::server::machine::ids::ClientId;
use crate::server::records::row_cache::RowCache;
use crate::server::records::tnt_merge::Merging;
use crate::server::records::waits::RecordWaits;
use crate::workload::WorkloadSpec;
use crate::workload::records::{RecordTouch, record_touches};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// A changed record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) page: u32,
    /// Its place on the page.
    pub(super) slot: u16,
    /// Memory it takes.
    pub(super) bytes: u32,
    /// Redo of merging it, in the redo log's fixed-point form.
    pub(super) redo_fixed: u64,
}

impl Changed {
    /// What tells it from all others: its page, and its place there.
    pub(super) fn key(&self) -> u64 {
        u64::from(self.page) << 16 | u64::from(self.slot)
    }
}

/// Hashes record keys, which are drawn and not chosen by anybody.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RecordKeys(u64);

impl Hasher for RecordKeys {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = mix(self.0 ^ u64::from(byte)));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix(key);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The records changed between the starts of two passes.
#[derive(Debug, Clone, Default)]
pub(super) struct Generation {
    keys: HashSet<u64, BuildHasherDefault<RecordKeys>>,
    /// In the order in which they were changed first.
    pub(super) records: Vec<Changed>,
    /// LSN before the first change.
    first_lsn: u64,
}

impl Generation {
    pub(super) fn contains(&self, key: u64) -> bool {
        self.keys.contains(&key)
    }

    /// A record is merged and gone.
    pub(super) fn forget(&mut self, key: u64) {
        self.keys.remove(&key);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn add(&mut self, record: Changed, lsn: u64) {
        if self.records.is_empty() {
            self.first_lsn = lsn;
        }
        self.keys.insert(record.key());
        self.records.push(record);
    }
}

/// The buffer, its passes and the row cache.
#[derive(Debug, Clone)]
pub(super) struct MvccBuffer {
    config: RecordsConfig,
    touches: Vec<Vec<RecordTouch>>,
    /// Changed since the last pass began.
    young: Generation,
    /// What the pass under way merges.
    merged: Generation,
    row_cache: Option<RowCache>,
    merging: Merging,
    /// Memory that changed records take.
    used_bytes: u64,
    /// Redo of merging all that is in the buffer, in the redo log's fixed-point form.
    redo_fixed: u64,
    waits: RecordWaits,
    /// The page that each client had to read for a record.
    missed: Vec<Option<u32>>,
}

impl MvccBuffer {
    pub(super) fn new(config: RecordsConfig, workload: &WorkloadSpec, clients: u32) -> Self {
        MvccBuffer {
            touches: record_touches(workload, config.record_bytes),
            young: Generation::default(),
            merged: Generation::default(),
            row_cache: (config.row_cache_bytes > 0).then(|| RowCache::new(config.row_cache_bytes)),
            merging: Merging::default(),
            used_bytes: 0,
            redo_fixed: 0,
            waits: RecordWaits::new(clients),
            missed: vec![None; clients as usize],
            config,
        }
    }

    /// What a touch is about, of a transaction of this kind.
    pub(super) fn touch_of(&self, kind: u32, touch: u32) -> RecordTouch {
        self.touches[kind as usize].get(touch as usize).copied().unwrap_or(RecordTouch::Page)
    }

    /// Memory of a record of a page with so many rows.
    pub(super) fn record_bytes(&self, rows: u16) -> u64 {
        crate::config::PAGE_BYTES / u64::from(rows) + u64::from(self.config.overhead_bytes)
    }

    /// Clients that wait for memory or for room in the redo log.
    pub(super) fn waiting_clients(&self) -> usize {
        self.waits.waiting()
    }

    /// Whether the newest image of a record is in memory: changed, or in the row cache.
    pub(super) fn holds(&mut self, record: Changed) -> bool {
        let key = record.key();
        self.young.contains(key)
            || self.merged.contains(key)
            || self.row_cache.as_mut().is_some_and(|cache| cache.hit(key))
    }

    /// A client must read a page for a record.
    pub(super) fn page_missed(&mut self, client: ClientId, page: u32) {
        self.missed[client] = Some(page);
    }

    /// A client has a record's page: if it had to be read for it, the record enters the row cache.
    pub(super) fn page_is_there(&mut self, client: ClientId, record: Changed) {
        if self.missed[client].take() == Some(record.page)
            && let Some(cache) = &mut self.row_cache
        {
            cache.enter(record);
        }
    }

    /// A client waits for memory for a changed record.
    pub(super) fn wait_for_memory(&mut self, client: ClientId) {
        self.waits.for_memory.push(client);
    }

    /// Redo that merging all takes at most, bytes.
    pub(super) fn merge_redo(&self) -> u64 {
        let back = self.row_cache.as_ref().map_or(0, |cache| cache.redo_fixed);
        (self.redo_fixed * self.config.merges() + back).div_ceil(RedoLog::fixed(1.0))
    }

    /// The oldest redo that is needed because its change is on no page; `None` if all changes are.
    pub(super) fn oldest_lsn(&self) -> Option<u64> {
        let of = |generation: &Generation| (!generation.is_empty()).then_some(generation.first_lsn);
        let cached = self.row_cache.as_ref().and_then(RowCache::oldest_lsn);
        [of(&self.young), of(&self.merged), cached].into_iter().flatten().min()
    }

    /// A pass begins: it takes all there is.
    pub(super) fn next_generation(&mut self) {
        self.merged = std::mem::take(&mut self.young);
    }

    /// Puts a record in; false if there is no memory for it.
    pub(super) fn change(&mut self, record: Changed, lsn: u64) -> bool {
        let key = record.key();
        if self.young.contains(key) {
            return true;
        }
        if !self.merged.contains(key) {
            if self.used_bytes + u64::from(record.bytes) > self.config.buffer_bytes {
                return false;
            }
            self.used_bytes += u64::from(record.bytes);
        }
        self.redo_fixed += record.redo_fixed;
        self.young.add(record, lsn);
        true
    }

    /// Records are on their pages: the memory of those that nobody has changed since is free.
    pub(super) fn release(&mut self, records: &[Changed]) {
        for record in records {
            self.merged.forget(record.key());
            if !self.young.contains(record.key()) {
                self.used_bytes -= u64::from(record.bytes);
            }
        }
    }

    /// What is wrong with the accounts, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        let bytes = |generation: &Generation, only: &dyn Fn(u64) -> bool| -> u64 {
            let counted = generation.records.iter().filter(|r| generation.contains(r.key()) && only(r.key()));
            counted.map(|record| u64::from(record.bytes)).sum()
        };
        let used = bytes(&self.young, &|_| true) + bytes(&self.merged, &|key| !self.young.contains(key));
        if used != self.used_bytes || used > self.config.buffer_bytes {
            let (counted, limit) = (self.used_bytes, self.config.buffer_bytes);
            return Err(format!("changed records take {used} bytes, counted as {counted}, of {limit}"));
        }
        match &self.row_cache {
            Some(cache) if !cache.within_bound() => Err("the row cache takes more memory than it has".to_owned()),
            _ => Ok(()),
        }
    }
}
