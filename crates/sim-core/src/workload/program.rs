//! The workload, compiled: thresholds instead of weights, fixed-point redo instead of fractions.

use super::access::AccessClass;
use super::points::Points;
use super::spec::{RecentRows, TouchSpec, TransactionSpec, WorkloadSpec};
use crate::buffer_pool::PageSpace;
use crate::kernel::random::Rng;
use crate::kernel::sampler::DurationSampler;
use crate::redo::RedoLog;

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
    /// Whether the change can wait in the change buffer.
    pub bufferable: bool,
    /// Redo payload of a modification, in the redo log's fixed-point form.
    pub redo_fixed: u64,
    /// Whether the class draws ahead.
    pub draws_ahead: bool,
    /// The pages were touched when these rows were inserted.
    pub recent: Option<RecentRows>,
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
}

/// The compiled workload.
#[derive(Debug, Clone)]
pub struct Program {
    /// Access classes.
    pub classes: Vec<AccessClass>,
    /// Insert and visit points of the classes.
    pub points: Points,
    /// Kinds of transactions.
    pub kinds: Vec<TransactionKind>,
    /// Cumulative shares, scaled to 2^64; the last is `u64::MAX`.
    cumulative: Vec<u64>,
}

impl Program {
    /// Compiles `spec`, laying its page sets out in `space`.
    pub fn new(
        spec: &WorkloadSpec,
        space: &mut PageSpace,
        instance_of: &dyn Fn(u32, u32) -> u32,
        rng: &mut Rng,
    ) -> Self {
        let runs: Vec<_> =
            spec.page_sets.iter().map(|set| space.add(set.space_id, set.pages as u32, instance_of)).collect();
        let mut points = Points::default();
        let classes: Vec<AccessClass> = spec
            .access_classes
            .iter()
            .map(|class| {
                let own = class.page_sets.iter().map(|&s| runs[s as usize]).collect();
                AccessClass::new(&class.draw, own, &mut points, rng)
            })
            .collect();
        let mut classes = classes;
        let recent = spec.transactions.iter().flat_map(|t| &t.touches).filter_map(|touch| touch.recent);
        recent.for_each(|recent| classes[recent.class as usize].count_inserts(recent.rows));
        let kinds = spec.transactions.iter().map(|t| kind(t, &classes)).collect();
        Program { classes, points, kinds, cumulative: cumulative(&spec.transactions) }
    }

    /// Picks a kind of transaction.
    #[inline]
    pub fn pick(&self, rng: &mut Rng) -> u32 {
        let draw = rng.next_u64();
        self.cumulative.iter().position(|&c| draw <= c).unwrap_or(0) as u32
    }
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

fn kind(spec: &TransactionSpec, classes: &[AccessClass]) -> TransactionKind {
    let touches: Vec<Touch> = spec.touches.iter().map(|t| touch(t, classes)).collect();
    let most: f64 = spec.touches.iter().map(|t| f64::from(t.max) * t.redo_bytes).sum();
    TransactionKind {
        cpu: DurationSampler::new(&spec.cpu),
        writes: spec.base_redo_bytes > 0.0 || touches.iter().any(|t| t.modify),
        touches,
        base_redo_fixed: RedoLog::fixed(spec.base_redo_bytes),
        max_redo_bytes: (spec.base_redo_bytes + most) as u64 + 1,
    }
}

fn touch(spec: &TouchSpec, classes: &[AccessClass]) -> Touch {
    Touch {
        class: spec.class,
        min: spec.min,
        max: spec.max,
        threshold: (spec.probability < 1.0).then(|| Rng::threshold_of(spec.probability)),
        modify: spec.modify,
        bufferable: spec.bufferable && spec.modify,
        redo_fixed: RedoLog::fixed(if spec.modify { spec.redo_bytes } else { 0.0 }),
        draws_ahead: classes[spec.class as usize].draws_ahead(),
        recent: spec.recent,
    }
}
