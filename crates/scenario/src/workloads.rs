//! `[workload]`: which pages transactions touch.
//!
//! A known benchmark is described by the parameters that people know (tables, rows, scale); its pages and accesses
//! follow from its schema, see [`sysbench`] and [`tpcc`]. A load of which nothing is known but counters is a [`spectrum`]. A
//! researcher writes pages and accesses out ([`custom`]). All end as an [`Access`], the part of sim-core's `WorkloadSpec`
//! that is not the drive.

pub mod custom;
pub mod spectrum;
pub mod sysbench;
pub mod tpcc;

use crate::diagnostic::{Problem, Report};
use crate::node::Table;
use crate::resolved::Resolved;
use crate::section::Section;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::workload::{
    AccessClassSpec, DrawSpec, DriveSpec, Leaves, PageSetSpec, RecentRows, StopSpec, TouchSpec, TransactionSpec,
    UndoSpec, WorkloadSpec,
};
use innosim_flush_models::registry::ModelId;
use sysbench::Oltp;

/// Page sets, ways of drawing from them, and transactions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Access {
    /// Runs of pages.
    pub page_sets: Vec<PageSetSpec>,
    /// Ways of drawing pages; refer to page sets by index.
    pub access_classes: Vec<AccessClassSpec>,
    /// Kinds of transactions; refer to access classes by index.
    pub transactions: Vec<TransactionSpec>,
}

impl Access {
    /// The whole workload, with its drive, the stops of that, and the processors that serve it.
    pub(crate) fn driven(self, drive: DriveSpec, stops: Vec<StopSpec>, cores: u32) -> WorkloadSpec {
        let Access { page_sets, access_classes, transactions } = self;
        WorkloadSpec { page_sets, access_classes, transactions, drive, stops, cores }
    }

    /// All redo is payload: the log sequence number counts no block headers.
    fn without_frames(&mut self) {
        self.stretch_redo(1.0 / PAYLOAD_SHARE);
        for class in &mut self.access_classes {
            match &mut class.draw {
                DrawSpec::Index { split_redo_bytes, .. } => *split_redo_bytes /= PAYLOAD_SHARE,
                DrawSpec::Leaves { split_redo_bytes, merge_redo_bytes, .. } => {
                    *split_redo_bytes /= PAYLOAD_SHARE;
                    *merge_redo_bytes /= PAYLOAD_SHARE;
                }
                _ => {}
            }
        }
    }

    /// Multiplies the redo of all transactions.
    fn stretch_redo(&mut self, factor: f64) {
        for transaction in &mut self.transactions {
            transaction.base_redo_bytes *= factor;
            for touch in &mut transaction.touches {
                touch.redo_bytes *= factor;
                touch.purge_redo_bytes *= factor;
            }
        }
    }
}

/// Most pages in a page set and in a whole data set: up to 21 bytes are kept of each where the pool holds them not all.
const MAX_PAGES: u64 = 1 << 28;

/// Share of the buffer pool that a warm start fills at most, where the scenario doesn't say how warm.
const WARM_SHARE_OF_POOL: f64 = 0.9;

/// Share of a redo block that is payload: 496 of 512 bytes, the rest being header and trailer.
pub(crate) const PAYLOAD_SHARE: f64 = 496.0 / 512.0;

/// Hot pages of undo logs in a tablespace with undo logs, where the scenario does not say.
const UNDO_PAGES_A_SPACE: u64 = 256;

/// What a workload's pages and redo depend on besides itself.
#[derive(Debug)]
pub(crate) struct ServerSide {
    /// Its model, if that is known.
    pub(crate) model: Option<ModelId>,
    /// Pages of the buffer pool.
    pub(crate) pool_pages: Option<u64>,
    /// Whether the log sequence number counts block headers, or redo alone.
    pub(crate) framed: bool,
    /// Tablespaces with undo logs.
    pub(crate) undo_spaces: Vec<u32>,
}

impl ServerSide {
    /// Whether a mini-transaction leaves pages dirty that it latched for modification and did not change, as in MySQL and Percona
    /// Server.
    pub(crate) fn dirties_latched(&self) -> bool {
        !self.model.is_some_and(ModelId::is_mariadb)
    }

    /// Reads how many undo pages are hot.
    pub(crate) fn undo_pages(&self, section: &mut Section<'_>) -> u64 {
        let usual = UNDO_PAGES_A_SPACE * self.undo_spaces.len() as u64;
        let given = section.optional_integer("undo_pages");
        if given.is_none() {
            section.resolved.value("undo_pages", usual.to_string());
        }
        given.unwrap_or(usual)
    }
}

/// What `[workload]` says.
#[derive(Debug)]
pub(crate) struct ReadWorkload {
    pub(crate) access: Access,
    pub(crate) resolved: Resolved,
    /// Nothing runs, so there is no drive.
    pub(crate) idle: bool,
}

/// Reads `[workload]`.
pub(crate) fn read_workload(table: &Table, server: &ServerSide, report: &Report) -> Option<ReadWorkload> {
    let (kind, mut section) = Section::open_variant(table, "workload", "workload", report)?;
    let access = match kind {
        "sysbench-tpcc" => tpcc::tpcc(&tpcc::TpccParams::read(&mut section, server)),
        "sysbench-oltp-update-non-index" => sysbench::read(&mut section, Oltp::UpdateNonIndex, server),
        "sysbench-oltp-update-index" => sysbench::read(&mut section, Oltp::UpdateIndex, server),
        "sysbench-oltp-write-only" => sysbench::read(&mut section, Oltp::WriteOnly, server),
        "sysbench-oltp-read-write" => sysbench::read(&mut section, Oltp::ReadWrite, server),
        "sysbench-oltp-insert" => sysbench::read(&mut section, Oltp::Insert, server),
        "spectrum" => spectrum::read(&mut section),
        "custom" => custom::read(&mut section),
        _ => idle(),
    };
    let mut access = access;
    if !server.framed && kind != "custom" {
        access.without_frames();
    }
    check_size(&section, &access);
    if kind != "idle" && !report.has_errors() {
        warm_up(&mut section, kind, &mut access, server.pool_pages);
    }
    Some(ReadWorkload { access, resolved: section.resolved, idle: kind == "idle" })
}

fn check_size(section: &Section<'_>, access: &Access) {
    let pages = access.page_sets.iter().fold(0_u64, |sum, set| sum.saturating_add(set.pages));
    if pages > MAX_PAGES {
        let problem = Problem::new(format!("the data set has {pages} pages")).at(section.at());
        section.report.add(problem.allowed(format!("at most {MAX_PAGES} pages (4 TiB)")));
    }
}

/// Says how much of the data set is in the buffer pool at the start, and refuses more than the pool holds.
fn warm_up(section: &mut Section<'_>, kind: &str, access: &mut Access, pool_pages: Option<u64>) {
    let pages: u64 = access.page_sets.iter().map(|set| set.pages).sum();
    let pool = pool_pages.unwrap_or(u64::MAX);
    if kind != "custom" {
        let fits = (pool as f64 * WARM_SHARE_OF_POOL / pages as f64 * 1000.0).floor() / 1000.0;
        let share = section.optional_real("resident_share").unwrap_or(fits.min(1.0));
        section.resolved.value("resident_share", crate::resolved::number(share));
        // Bins of a spectrum may have shares that they say themselves.
        access.page_sets.iter_mut().filter(|set| set.resident_share == 0.0).for_each(|set| set.resident_share = share);
    }
    let resident: f64 = access.page_sets.iter().map(|set| set.pages as f64 * set.resident_share).sum();
    if resident > pool as f64 {
        let problem = Problem::new(format!("{resident:.0} pages are in the buffer pool at the start"));
        let allowed = format!("at most {pool}, what innodb_buffer_pool_size holds");
        let at = section.at_key("resident_share");
        section
            .report
            .add(problem.at(at).allowed(allowed).help("lower resident_share or raise innodb_buffer_pool_size"));
    }
}

/// One page that nobody touches.
fn idle() -> Access {
    let mut builder = Builder::default();
    let set = builder.page_set("nothing".to_owned(), 1, 1);
    let class = builder.class("nothing", vec![set], DrawSpec::Uniform);
    let none = TouchSpec { probability: 0.0, ..reads(class, 0, 0) };
    builder.transaction("nothing", 1.0, DurationDist::Fixed { us: 1.0 }, vec![none], 0.0);
    builder.access
}

/// Puts an [`Access`] together.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub(crate) access: Access,
}

impl Builder {
    /// Adds a page set and returns its index.
    pub(crate) fn page_set(&mut self, name: String, space_id: u32, pages: u64) -> u32 {
        self.access.page_sets.push(PageSetSpec {
            name,
            space_id,
            pages: pages.max(1),
            resident_share: 0.0,
            freed: false,
        });
        self.access.page_sets.len() as u32 - 1
    }

    /// Adds an access class and returns its index.
    pub(crate) fn class(&mut self, name: &str, page_sets: Vec<u32>, draw: DrawSpec) -> u32 {
        self.access.access_classes.push(AccessClassSpec { name: name.to_owned(), page_sets, draw });
        self.access.access_classes.len() as u32 - 1
    }

    /// Adds a kind of transaction.
    pub(crate) fn transaction(
        &mut self,
        name: &str,
        weight: f64,
        cpu: DurationDist,
        touches: Vec<TouchSpec>,
        base_redo_bytes: f64,
    ) {
        let name = name.to_owned();
        let undo = UndoSpec::default();
        self.access.transactions.push(TransactionSpec { name, weight, cpu, touches, base_redo_bytes, undo });
    }

    /// Says what the transaction added last writes to the undo logs.
    pub(crate) fn undo(&mut self, undo: UndoSpec) {
        if let Some(last) = self.access.transactions.last_mut() {
            last.undo = undo;
        }
    }

    /// Scales the redo of all transactions so that a transaction of the mix writes `lsn_bytes` on average, as a log
    /// sequence number counts them that includes block headers.
    pub(crate) fn scale_redo(&mut self, lsn_bytes: f64) {
        let weights: f64 = self.access.transactions.iter().map(|transaction| transaction.weight).sum();
        let mean = self.access.transactions.iter().map(|t| t.weight * mean_redo(t)).sum::<f64>() / weights;
        self.access.stretch_redo(lsn_bytes * PAYLOAD_SHARE / mean);
    }
}

/// Redo payload of a transaction, bytes, on average.
fn mean_redo(transaction: &TransactionSpec) -> f64 {
    let touches = transaction.touches.iter();
    let touched: f64 = touches.map(|t| f64::from(t.min + t.max) / 2.0 * t.probability * t.redo_bytes).sum();
    touched + transaction.base_redo_bytes
}

/// `count` reads of a class.
pub(crate) fn reads(class: u32, min: u32, max: u32) -> TouchSpec {
    TouchSpec {
        class,
        min,
        max,
        probability: 1.0,
        modify: false,
        bufferable: false,
        redo_bytes: 0.0,
        inserts: false,
        leaves: Leaves::Nothing,
        purge_redo_bytes: 0.0,
        recent: None,
    }
}

/// Reads of rows that belong to the last ones inserted elsewhere.
pub(crate) fn reads_recent(class: u32, min: u32, max: u32, recent: RecentRows) -> TouchSpec {
    TouchSpec { recent: Some(recent), ..reads(class, min, max) }
}

/// Modifications of a class, each with this much redo (in any unit, if the whole is scaled afterwards).
pub(crate) fn modifies(class: u32, min: u32, max: u32, redo_bytes: f64) -> TouchSpec {
    TouchSpec { modify: true, redo_bytes, ..reads(class, min, max) }
}

/// The same for leaf pages of a secondary index that is not unique: the change can wait in the change buffer.
pub(crate) fn modifies_index(class: u32, min: u32, max: u32, redo_bytes: f64) -> TouchSpec {
    TouchSpec { bufferable: true, ..modifies(class, min, max, redo_bytes) }
}

/// What purge writes, in bytes, of the same measure as the redo of the touch: a record removed (some 25 bytes and the
/// end of the mini-transaction), a transaction number of a row reset (a page address and 13 bytes). From the layout of
/// redo records.
pub(crate) mod purge_redo {
    pub(crate) const REMOVAL: f64 = 30.0;
    pub(crate) const RESET: f64 = 20.0;
}

/// A touch that changes rows of a clustered index.
pub(crate) fn rows(touch: TouchSpec) -> TouchSpec {
    TouchSpec { leaves: Leaves::Row, purge_redo_bytes: purge_redo::RESET, ..touch }
}

/// A touch that changes or deletes rows of a clustered index whose entries in secondary indexes move or go.
pub(crate) fn keyed_rows(touch: TouchSpec) -> TouchSpec {
    TouchSpec { leaves: Leaves::KeyedRow, purge_redo_bytes: purge_redo::RESET, ..touch }
}

/// A touch that inserts an entry, for which a full page must split.
pub(crate) fn inserts(touch: TouchSpec) -> TouchSpec {
    TouchSpec { inserts: true, ..touch }
}

/// A touch that marks records as deleted.
pub(crate) fn marks(touch: TouchSpec) -> TouchSpec {
    TouchSpec { leaves: Leaves::Marked, purge_redo_bytes: purge_redo::REMOVAL, ..touch }
}
