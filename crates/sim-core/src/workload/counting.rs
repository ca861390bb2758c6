//! Which page sets may be counted by bin, and which must be kept page by page.
//!
//! A set is counted if nothing that happens to its pages asks which page it is. Places that move on (the end of a growing
//! run, a visit point, a page that splits) do, and so do changes that wait for a page in the change buffer. A class that draws from a set that is not counted keeps all its sets
//! page by page. Whole runs stay individual where pages leave memory (an LRU list), are flushed with their neighbours, are
//! written in the order of their addresses, or hold records that are kept one by one.

use super::access::AccessClass;
use super::bins::Draws;
use super::program::{Touch, Ways};
use super::spec::{DrawSpec, DriveSpec, TouchSpec, TransactionSpec, WorkloadSpec};
use crate::buffer_pool::MOST_INSTANCES;
use crate::config::{FlushNeighbors, MachineConfig, PAGE_BYTES};
use crate::run_spec::{Pages, RunSpec};

/// Frames that stay free beyond those of all pages, in 1000ths: instances are not filled quite evenly.
const SLACK: u64 = 20;

/// What decides about all sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counting {
    /// Whether any may be counted.
    allowed: bool,
    /// Whether none is if not all may be: a mixture is no faster than pages one by one.
    all_or_none: bool,
    change_buffer: bool,
}

impl Counting {
    /// As the run asks for, and as far as the machine lets pages be counted.
    pub(crate) fn of(spec: &RunSpec, config: &MachineConfig) -> Self {
        let allowed = spec.pages != Pages::Individual
            && config.flush_neighbors == FlushNeighbors::None
            && !config.merges_adjacent_writes
            && config.buffer_pool.instances <= MOST_INSTANCES
            && !config.needs_page_identities()
            && spec.storage.data.seek_free_bytes == 0
            && fits(spec, config);
        Counting { allowed, all_or_none: spec.pages == Pages::Auto, change_buffer: spec.change_buffer.is_some() }
    }

    /// Which page sets are counted.
    pub(super) fn sets(&self, spec: &WorkloadSpec) -> Vec<bool> {
        let mut counted = vec![self.allowed; spec.page_sets.len()];
        let keep = |counted: &mut [bool], class: u32| {
            for &set in &spec.access_classes[class as usize].page_sets {
                counted[set as usize] = false;
            }
        };
        for touch in spec.transactions.iter().flat_map(|transaction| &transaction.touches) {
            if !self.may_count(spec, touch) {
                keep(&mut counted, touch.class);
            }
        }
        loop {
            let before = counted.clone();
            for (number, class) in spec.access_classes.iter().enumerate() {
                if class.page_sets.iter().any(|&set| !counted[set as usize]) {
                    keep(&mut counted, number as u32);
                }
            }
            if counted == before {
                break;
            }
        }
        if self.all_or_none && !counted.iter().all(|&counted| counted) {
            counted.fill(false);
        }
        counted
    }

    fn may_count(&self, spec: &WorkloadSpec, touch: &TouchSpec) -> bool {
        let class = &spec.access_classes[touch.class as usize];
        let moves_on = matches!(class.draw, DrawSpec::Append { .. } | DrawSpec::Walk { .. } | DrawSpec::Index { .. });
        let missing = |&set: &u32| spec.page_sets[set as usize].resident_share < 1.0;
        let waits = self.change_buffer && touch.bufferable && class.page_sets.iter().any(missing);
        !moves_on && !waits
    }
}

/// Whether all pages fit into the buffer pool to the end of the run, however fast it goes.
fn fits(spec: &RunSpec, config: &MachineConfig) -> bool {
    let instances = u64::from(config.buffer_pool.instances);
    let loaded: u64 = spec.workload.page_sets.iter().map(|set| set.pages).sum();
    let pages = loaded as f64 + transactions(spec) * growth(&spec.workload, !spec.read_views.is_empty());
    let each = pages / instances as f64 * (1000 + SLACK) as f64 / 1000.0;
    let free = 2 * u64::from(config.buffer_pool.lru_scan_depth);
    each + free as f64 <= (config.buffer_pool.pages / instances) as f64
}

/// Upper bound of the transactions of a run: what the processors, or the arrivals, let through.
fn transactions(spec: &RunSpec) -> f64 {
    let seconds = spec.duration.as_secs_f64();
    let workload = &spec.workload;
    match &workload.drive {
        DriveSpec::Closed { clients, .. } => {
            let cpu_us = mean(workload, |transaction| transaction.cpu.mean_us());
            f64::from(*clients.min(&workload.cores)) * seconds * 1e6 / cpu_us.max(1.0)
        }
        DriveSpec::Open { rate, .. } => {
            let most = rate.iter().map(|segment| segment.from_per_s.max(segment.to_per_s)).fold(0.0, f64::max);
            most * seconds
        }
    }
}

/// Pages that a transaction adds in the mean.
fn growth(workload: &WorkloadSpec, purge_is_held_up: bool) -> f64 {
    let of_touch = |touch: &TouchSpec| match workload.access_classes[touch.class as usize].draw {
        DrawSpec::Append { rows_per_page, .. } => {
            touch.probability * f64::from(touch.max) / f64::from(rows_per_page.max(1))
        }
        _ => 0.0,
    };
    let appended = mean(workload, |transaction| transaction.touches.iter().map(of_touch).sum());
    let undo = mean(workload, |transaction| transaction.undo.bytes + transaction.undo.insert_bytes);
    // Undo pages are used again once they are purged; they all stay while a read view holds purge up.
    appended + if purge_is_held_up { undo / PAGE_BYTES as f64 } else { 0.0 }
}

/// Mean of a figure over the transactions of a workload.
pub(super) fn mean(workload: &WorkloadSpec, figure: impl Fn(&TransactionSpec) -> f64) -> f64 {
    let all: f64 = workload.transactions.iter().map(|transaction| transaction.weight).sum();
    workload.transactions.iter().map(|transaction| transaction.weight / all * figure(transaction)).sum()
}

/// The ways in which a touch draws: one, or one for each layer of the pages of a home.
pub(super) fn ways_of(touch: &TouchSpec, class: &AccessClass) -> Vec<Draws> {
    let (fewest, most) = if class.depends_on_draws() { (touch.min, touch.max) } else { (0, 0) };
    let layers = class.layers().min(touch.max.max(1));
    (0..layers).map(|layer| Draws { class: touch.class, fewest, most, layer, layers }).collect()
}

/// Redo between two modifications of a page of each bin, bytes: transactions of the mean kind follow each other.
pub(super) fn bytes_between(
    workload: &WorkloadSpec,
    touches: impl Fn(usize) -> Vec<Touch>,
    probability: impl Fn(u16) -> f64,
) -> f64 {
    let all: f64 = workload.transactions.iter().map(|transaction| transaction.weight).sum();
    let (mut modifications, mut bytes) = (0.0, 0.0);
    for (number, transaction) in workload.transactions.iter().enumerate() {
        let share = transaction.weight / all;
        bytes += share * transaction.base_redo_bytes;
        for (spec, touch) in transaction.touches.iter().zip(touches(number)) {
            let draws = share * spec.probability * f64::from(spec.min + spec.max) / 2.0;
            bytes += draws * spec.redo_bytes;
            if let Some(Ways { first, layers }) = touch.ways.filter(|_| spec.modify) {
                let each = draws / f64::from(layers);
                modifications += (first..first + layers).map(|way| each * probability(way)).sum::<f64>();
            }
        }
    }
    if modifications > 0.0 { bytes / modifications } else { f64::INFINITY }
}
