//! The workload, compiled: thresholds instead of weights, fixed-point redo instead of fractions.

use super::access::{AccessClass, Places};
use super::spec::{Leaves, PageSetSpec, RecentRows, TouchSpec, TransactionSpec, WorkloadSpec};
use crate::buffer_pool::{PageRun, PageSpace};
use crate::config::PurgeConfig;
use crate::kernel::random::Rng;
use crate::kernel::sampler::DurationSampler;
use crate::kernel::time::SimDuration;
use crate::redo::RedoLog;
use crate::run_spec::CpuSpec;

/// Some touches of one access class.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    /// Index of the access class.
    pub class: u32,
    /// Fewest draws.
    pub min: u32,
    /// Most draws.
    pub max: u32,
    /// Threshold for [`Rng::bernoulli`]; `None` if the touch always happens.
    pub threshold: Option<u64>,
    /// Whether pages are modified.
    pub modify: bool,
    /// What the change does to an index page, if it can wait in the change buffer.
    pub bufferable: Option<IndexChange>,
    /// Redo payload of a modification, in the redo log's fixed-point form.
    pub redo_fixed: u64,
    /// Whether the class draws pages, not places.
    pub draws_pages: bool,
    /// The pages were touched when these rows were inserted.
    pub recent: Option<RecentRows>,
    /// The touch that a page split on the way is, among those of the transaction, where that can be.
    pub split: Option<u16>,
    /// What purge does on the pages: its place among [`Program::purge_visits`], from 1; 0 for nothing.
    pub purge_visit: u16,
}

/// What a change does to a leaf page of a secondary index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexChange {
    /// An entry is inserted.
    Inserts,
    /// One is marked as deleted.
    Marks,
    /// One is marked, and one inserted next to it.
    Replaces,
    /// Purge removes one.
    Removes,
}

impl IndexChange {
    /// What a touch does, if that can wait in the change buffer.
    fn of(spec: &TouchSpec) -> Option<IndexChange> {
        let change = match spec.leaves {
            Leaves::Marked if spec.inserts => IndexChange::Replaces,
            Leaves::Marked => IndexChange::Marks,
            _ => IndexChange::Inserts,
        };
        (spec.bufferable && spec.modify).then_some(change)
    }
}

/// What purge does on a page that a touch modified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PurgeVisit {
    /// Whether it modifies the page; otherwise it looks a row up there.
    pub modify: bool,
    /// Redo payload of the modification, in the redo log's fixed-point form.
    pub redo_fixed: u64,
    /// Whether it can wait in the change buffer.
    pub bufferable: bool,
    /// Redo payload of two pages that merge because an entry is removed; 0 where pages do not.
    pub merge_fixed: u64,
}

impl PurgeVisit {
    /// CPU time that it takes.
    pub fn cpu(&self, cpu: &CpuSpec) -> SimDuration {
        if self.modify { cpu.purge_change } else { cpu.purge_look_up() }
    }
}

/// CPU time of purge a transaction of this workload with so long a history, µs: what a server's CPU counters have in them
/// besides the transactions' own.
pub fn purge_cpu_us(spec: &WorkloadSpec, purge: &PurgeConfig, cpu: &CpuSpec, history: f64) -> f64 {
    let total: f64 = spec.transactions.iter().map(|transaction| transaction.weight).sum();
    let of = |transaction: &TransactionSpec| {
        if bytes_kept(transaction, purge) <= 0.0 {
            return 0.0;
        }
        let visits = transaction.touches.iter().filter_map(|touch| {
            let pages = f64::from(touch.min + touch.max) / 2.0 * touch.probability;
            purge_visit(touch, purge, 0.0).map(|visit| pages * visit.cpu(cpu).0 as f64)
        });
        transaction.weight / total * (purge.log_cpu(history, cpu.purge_change) + visits.sum::<f64>()) / 1e3
    };
    spec.transactions.iter().map(of).sum()
}

/// Bytes of undo records that a transaction leaves to purge.
fn bytes_kept(spec: &TransactionSpec, purge: &PurgeConfig) -> f64 {
    spec.undo.bytes + if purge.resets_rows { spec.undo.insert_bytes } else { 0.0 }
}

/// A kind of transaction.
#[derive(Debug, Clone)]
pub struct TransactionKind {
    /// CPU demand.
    pub cpu: DurationSampler,
    /// Page touches, in order.
    pub touches: Vec<Touch>,
    /// Redo payload beyond the touches.
    pub base_redo_fixed: u64,
    /// Whether it modifies anything.
    pub writes: bool,
    /// Upper bound of its redo payload, bytes: what it must find free in the log buffer.
    pub max_redo_bytes: u64,
    /// Bytes that it leaves in the undo logs, their header included; 0 if it leaves no history.
    pub history_bytes: u32,
    /// Whether purge visits any of its pages.
    pub visited_by_purge: bool,
    /// Rows that it changes.
    pub changed_rows: u32,
    /// Mini-transactions of its own in which its redo reaches the log.
    pub mini_transactions: u32,
    /// Redo payload of the touches for one of them, in the redo log's fixed-point form; where their number is not
    /// known, each modification is a row.
    pub row_redo_fixed: u64,
}

/// Bytes of the header of an undo log, with room for the name of an external transaction.
const UNDO_LOG_HEADER_BYTES: f64 = 186.0;

/// The compiled workload.
#[derive(Debug, Clone)]
pub struct Program {
    /// Access classes.
    pub classes: Vec<AccessClass>,
    /// Their insert and visit points and index pages.
    pub places: Places,
    /// Kinds of transactions.
    pub kinds: Vec<TransactionKind>,
    /// What purge does on pages.
    pub purge_visits: Vec<PurgeVisit>,
    /// Redo of a transaction in the mean, payload bytes.
    pub redo_bytes: f64,
    /// The pages of the page sets.
    pub runs: Vec<PageRun>,
    /// Cumulative shares, scaled to 2^64; the last is `u64::MAX`.
    cumulative: Vec<u64>,
}

impl Program {
    /// Compiles `spec`, laying its page sets out in `space`.
    pub(crate) fn new(
        spec: &WorkloadSpec,
        space: &mut PageSpace,
        instance_of: &dyn Fn(u32, u32) -> u32,
        rng: &mut Rng,
    ) -> Self {
        let lay_out = |set: &PageSetSpec| space.add(set.space_id, set.pages as u32, instance_of);
        let runs: Vec<PageRun> = spec.page_sets.iter().map(lay_out).collect();
        let mut places = Places::default();
        let mut classes: Vec<AccessClass> = spec
            .access_classes
            .iter()
            .map(|class| {
                let own = class.page_sets.iter().map(|&s| runs[s as usize]).collect();
                AccessClass::new(&class.draw, own, &mut places, rng)
            })
            .collect();
        let recent = spec.transactions.iter().flat_map(|t| &t.touches).filter_map(|touch| touch.recent);
        recent.for_each(|recent| classes[recent.class as usize].count_inserts(recent.rows));
        let kinds: Vec<TransactionKind> = spec.transactions.iter().map(|t| kind(t, &classes)).collect();
        let cumulative = cumulative(&spec.transactions);
        Program { runs, classes, places, kinds, purge_visits: Vec::new(), redo_bytes: mean_redo(spec), cumulative }
    }

    /// Leaves to purge what it does in this server, and takes its redo off the transactions'.
    pub fn leave_to_purge(&mut self, spec: &WorkloadSpec, purge: &PurgeConfig) {
        for (kind, spec) in self.kinds.iter_mut().zip(&spec.transactions) {
            let kept = bytes_kept(spec, purge);
            kind.changed_rows = spec.undo.changed_rows;
            if kept <= 0.0 {
                continue;
            }
            kind.history_bytes = (kept + UNDO_LOG_HEADER_BYTES) as u32;
            for (touch, spec) in kind.touches.iter_mut().zip(&spec.touches) {
                let redo = self.classes[spec.class as usize].split_and_merge_redo_bytes();
                let merge = redo.map_or(0.0, |[_, merge]| merge);
                let Some(visit) = purge_visit(spec, purge, merge) else { continue };
                touch.redo_fixed -= visit.redo_fixed.min(touch.redo_fixed);
                let place = self.purge_visits.iter().position(|known| *known == visit).unwrap_or_else(|| {
                    self.purge_visits.push(visit);
                    self.purge_visits.len() - 1
                });
                touch.purge_visit = place as u16 + 1;
                kind.visited_by_purge = true;
            }
        }
    }

    /// Picks a kind of transaction.
    #[inline]
    pub fn pick(&self, rng: &mut Rng) -> u32 {
        let draw = rng.next_u64();
        self.cumulative.iter().position(|&c| draw <= c).unwrap_or(0) as u32
    }
}

/// Redo of a transaction in the mean, payload bytes.
fn mean_redo(spec: &WorkloadSpec) -> f64 {
    let of_touch = |touch: &TouchSpec| touch.probability * f64::from(touch.min + touch.max) / 2.0 * touch.redo_bytes;
    mean(spec, |transaction| transaction.base_redo_bytes + transaction.touches.iter().map(of_touch).sum::<f64>())
}

/// Mean of a figure over the transactions of a workload.
fn mean(workload: &WorkloadSpec, figure: impl Fn(&TransactionSpec) -> f64) -> f64 {
    let all: f64 = workload.transactions.iter().map(|transaction| transaction.weight).sum();
    workload.transactions.iter().map(|transaction| transaction.weight / all * figure(transaction)).sum()
}

fn cumulative(transactions: &[TransactionSpec]) -> Vec<u64> {
    let total: f64 = transactions.iter().map(|t| t.weight).sum();
    let mut sum = 0.0;
    let mut out: Vec<u64> = transactions
        .iter()
        .map(|t| {
            sum += t.weight;
            (sum / total * 18_446_744_073_709_551_616.0) as u64
        })
        .collect();
    if let Some(last) = out.last_mut() {
        *last = u64::MAX;
    }
    out
}

/// What purge does on the pages of a touch; two index pages that merge take `merge_redo_bytes`.
fn purge_visit(spec: &TouchSpec, purge: &PurgeConfig, merge_redo_bytes: f64) -> Option<PurgeVisit> {
    let modify = match spec.leaves {
        _ if !spec.modify => return None,
        Leaves::Nothing => return None,
        Leaves::Row if !purge.resets_rows => return None,
        Leaves::Row | Leaves::KeyedRow => purge.resets_rows,
        Leaves::Marked => true,
    };
    let redo_fixed = RedoLog::fixed(if modify { spec.purge_redo_bytes } else { 0.0 });
    let merge_fixed = if spec.leaves == Leaves::Marked { RedoLog::fixed(merge_redo_bytes) } else { 0 };
    Some(PurgeVisit { modify, redo_fixed, bufferable: modify && spec.bufferable, merge_fixed })
}

fn kind(spec: &TransactionSpec, classes: &[AccessClass]) -> TransactionKind {
    let mut touches: Vec<Touch> = spec.touches.iter().map(|t| touch(t, classes)).collect();
    let most: f64 = spec.touches.iter().map(|t| f64::from(t.max) * t.redo_bytes).sum();
    let row = if spec.undo.changed_rows > 0 { RedoLog::fixed(most) / u64::from(spec.undo.changed_rows) } else { 1 };
    let most = most + add_splits(&mut touches, spec, classes);
    TransactionKind {
        cpu: DurationSampler::new(&spec.cpu),
        writes: spec.base_redo_bytes > 0.0 || touches.iter().any(|t| t.modify),
        touches,
        base_redo_fixed: RedoLog::fixed(spec.base_redo_bytes),
        max_redo_bytes: (spec.base_redo_bytes + most) as u64 + 1,
        history_bytes: 0,
        visited_by_purge: false,
        changed_rows: 0,
        mini_transactions: mini_transactions(spec),
        row_redo_fixed: row.max(1),
    }
}

/// Mini-transactions of the begin, the prepared state and the commit of a transaction.
const BEGIN_PREPARE_COMMIT: f64 = 3.0;

/// Mini-transactions of a transaction: one for each page that it modifies, one for the undo record of each row, and those of
/// its ends. (`oltp_read_write`: 8 + 4 + 3 = 15, as recorded: `redo-threads` section 2.)
fn mini_transactions(spec: &TransactionSpec) -> u32 {
    let modified = |touch: &TouchSpec| touch.probability * f64::from(touch.min + touch.max) / 2.0;
    let pages: f64 = spec.touches.iter().filter(|touch| touch.modify).map(modified).sum();
    let rows = if spec.undo.changed_rows > 0 { f64::from(spec.undo.changed_rows) } else { pages };
    if pages > 0.0 || spec.base_redo_bytes > 0.0 { (pages + rows + BEGIN_PREPARE_COMMIT + 0.5) as u32 } else { 0 }
}

/// Adds a touch, which draws nothing by itself, for each that can split pages: the most redo of that, bytes.
fn add_splits(touches: &mut Vec<Touch>, spec: &TransactionSpec, classes: &[AccessClass]) -> f64 {
    let mut most = 0.0;
    for (number, spec) in spec.touches.iter().enumerate().filter(|(_, spec)| spec.inserts && spec.modify) {
        let Some([redo_bytes, _]) = classes[spec.class as usize].split_and_merge_redo_bytes() else { continue };
        most += redo_bytes * f64::from(spec.max);
        touches[number].split = Some(touches.len() as u16);
        let split = TouchSpec { min: 0, max: 0, redo_bytes, leaves: Leaves::Nothing, ..spec.clone() };
        touches.push(touch(&split, classes));
    }
    most
}

fn touch(spec: &TouchSpec, classes: &[AccessClass]) -> Touch {
    Touch {
        class: spec.class,
        min: spec.min,
        max: spec.max,
        threshold: (spec.probability < 1.0).then(|| Rng::threshold_of(spec.probability)),
        modify: spec.modify,
        bufferable: IndexChange::of(spec),
        redo_fixed: RedoLog::fixed(if spec.modify { spec.redo_bytes } else { 0.0 }),
        draws_pages: classes[spec.class as usize].draws_pages(),
        recent: spec.recent,
        split: None,
        purge_visit: 0,
    }
}
