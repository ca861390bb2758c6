//! What queues decide: throughput by the pages that are flushed, and how fast a busy cleaner is. Both are measured in exact
//! windows wherever the flow comes to something that is not known yet, and read off a plane through what is near.
//!
//! Throughput goes with pages flushed and pages that become dirty a transaction; a busy cleaner's speed with throughput and the
//! density of the oldest stretch (pages of one transaction lie in one copy of the tables, so batches of dense stretches have fewer
//! files to sync).
//!
//! Simplification: dirty pages of a window lie in random order within a stretch, not transaction by transaction, so that a busy
//! cleaner is 2 to 4 % too slow in a collapse (errs towards deeper and longer collapses).

use crate::refused::{self, FlowError};
use crate::state::{Mode, Point, State};
use crate::windows::Windows;
use innosim_core::metrics::SecondSample;
use innosim_core::workload::PageClass;
use std::cell::Cell;

/// Least density that is told from none, pages a transaction.
const LEAST_DENSITY: f64 = 0.01;

/// How far from what was measured is still known: newly dirty pages a transaction by 20 %, or 60 % where throughput does not depend on
/// flushing; for a busy cleaner density and throughput by half.
const KNOWN_NEWLY: f64 = 0.2;
const KNOWN_NEWLY_EVEN: f64 = 0.6;
const KNOWN_BUSY: f64 = 0.5;
/// Most windows of a run where only runs at rest matter: from then on what is known tells. Where sync flushing begins, many tell nothing.
const MOST_WINDOWS_FOR_REST: usize = 5;
/// Share by which throughput may differ between few and many pages flushed and still not depend on them.
pub const EVEN: f64 = 0.02;
/// What flushes up to this many times the pages belongs to them.
const ABOVE: f64 = 1.1;

/// What was measured of one load on one machine, whatever the settings of flushing.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    adaptive: Vec<Point>,
    sync: Vec<Point>,
    /// Redo of a transaction, bytes.
    redo_bytes: f64,
}

impl Known {
    /// Nothing but the redo of a transaction.
    pub(crate) fn new(redo_bytes: f64) -> Self {
        Known { adaptive: Vec::new(), sync: Vec::new(), redo_bytes }
    }

    /// What does not depend on the machine.
    pub(crate) fn of_the_load(&self) -> Known {
        Known::new(self.redo_bytes)
    }

    /// The same of a load with another redo of a transaction.
    pub(crate) fn with_redo_of(&self, other: &Known) -> Known {
        Known { redo_bytes: other.redo_bytes, ..self.clone() }
    }

    /// Share by which throughput differs between few pages flushed and many, up to `rate` a second: halves of the points by that.
    pub(crate) fn spread(&self, rate: f64) -> f64 {
        let counts = |point: &&Point| !point.stopped && point.flushed <= ABOVE * rate;
        let mut points: Vec<&Point> = self.adaptive.iter().filter(counts).collect();
        points.sort_by(|a, b| a.flushed.total_cmp(&b.flushed));
        let (fewest, most) = points.split_at(points.len() / 2);
        let mean = |points: &[&Point]| points.iter().map(|point| point.tps).sum::<f64>() / points.len() as f64;
        if fewest.is_empty() { f64::INFINITY } else { (mean(fewest) / mean(most).max(1e-9) - 1.0).abs() }
    }
}

/// See the module.
pub(crate) struct Closure<'a> {
    pub(crate) known: Known,
    windows: Windows<'a>,
    /// Pages that the next transaction makes dirty.
    newly: f64,
    /// When each window was made, seconds.
    pub(crate) made_at_s: Vec<u64>,
    /// What throughput is multiplied by: 1, but in tests that want an error to be seen.
    factor: f64,
    /// Whether only runs at rest matter.
    for_rest: bool,
    known_tps: Memo,
    known_busy: Memo,
}

/// What was read last: for the like of it nothing is read anew.
#[derive(Debug, Default)]
struct Memo(Cell<Option<(Mode, [f64; 2], f64)>>);

impl Memo {
    /// Share by which a figure may differ.
    const ALIKE: f64 = 0.002;

    fn get_or(&self, mode: Mode, at: [f64; 2], read: impl FnOnce() -> f64) -> f64 {
        let alike = |then: f64, now: f64| (then - now).abs() <= Memo::ALIKE * now.abs();
        match self.0.get() {
            Some((of, then, value)) if of == mode && alike(then[0], at[0]) && alike(then[1], at[1]) => value,
            _ => {
                let value = read();
                self.0.set(Some((mode, at, value)));
                value
            }
        }
    }
}

impl<'a> Closure<'a> {
    /// Goes on from what is known.
    pub(crate) fn new(windows: Windows<'a>, known: Known, factor: f64, for_rest: bool) -> Self {
        Closure {
            known,
            windows,
            newly: 1.0,
            made_at_s: Vec::new(),
            factor,
            for_rest,
            known_tps: Memo::default(),
            known_busy: Memo::default(),
        }
    }

    /// The classes of pages of the run, as they are at its beginning.
    pub(crate) fn classes(&self) -> &[PageClass] {
        self.windows.classes()
    }

    /// Simulated seconds of all windows.
    pub(crate) fn window_seconds(&self) -> u64 {
        self.windows.seconds
    }

    /// Redo of a transaction, bytes.
    pub(crate) fn redo_bytes(&self) -> f64 {
        self.known.redo_bytes
    }

    /// Measures what is not known at this state, after a second whose row is `last`.
    pub(crate) fn look(&mut self, state: &State<'_>, last: &SecondSample) -> Result<(), FlowError> {
        self.newly = state.cohorts.newly();
        let mode = if last.sync_pages * 2 > last.pages_flushed { Mode::Sync } else { Mode::Adaptive };
        let ln_density = libm::log(state.cohorts.density(self.redo_bytes()).max(LEAST_DENSITY));
        let (ln_newly, ln_tps) = (libm::log(self.newly), libm::log(last.transactions.max(1) as f64));
        let known = match mode {
            Mode::Adaptive => {
                let most = self.windows.most_pages;
                let is_even = self.known.spread(last.pages_flushed as f64) < EVEN;
                let far = if is_even { KNOWN_NEWLY_EVEN } else { KNOWN_NEWLY };
                let is_near = |point: &Point| (point.ln_newly - ln_newly).abs() < far;
                self.known.adaptive.iter().any(|point| point.up_to >= most && is_near(point))
            }
            Mode::Sync => self.known.sync.iter().any(|point| {
                self.for_rest
                    || (point.ln_density - ln_density).abs() < KNOWN_BUSY
                        && (libm::log(point.tps) - ln_tps).abs() < KNOWN_BUSY
            }),
        };
        // A server that stands still for a whole second tells nothing new.
        let enough = self.for_rest && self.made_at_s.len() >= MOST_WINDOWS_FOR_REST;
        if known || enough || (mode == Mode::Sync && last.transactions == 0) {
            return Ok(());
        }
        refused::by_windows(self.made_at_s.len(), last.second)?;
        let measured = self.windows.measure(mode, state)?;
        self.made_at_s.push(last.second);
        (self.known_tps, self.known_busy) = (Memo::default(), Memo::default());
        if measured.redo_bytes > 0.0 {
            self.known.redo_bytes = measured.redo_bytes;
        }
        let points = measured.points.into_iter().map(|point| Point { ln_density, ..point });
        match mode {
            Mode::Adaptive => self.known.adaptive.extend(points),
            Mode::Sync => self.known.sync.extend(points),
        }
        Ok(())
    }

    /// Transactions a second while `rate` pages are flushed a second.
    pub(crate) fn tps(&self, mode: Mode, rate: f64) -> f64 {
        self.factor * self.known_tps.get_or(mode, [rate, self.newly], || self.read_tps(mode, rate))
    }

    fn read_tps(&self, mode: Mode, rate: f64) -> f64 {
        let known = mode == Mode::Sync && self.known.sync.iter().any(|point| !point.stopped);
        let points = if known { &self.known.sync } else { &self.known.adaptive };
        let (scale, newly) = (0.15 * rate.max(1000.0), libm::log(self.newly));
        let at = |point: &Point| ([(point.flushed - rate) / scale, (point.ln_newly - newly) / 0.4], point.tps);
        Plane::through(points.iter().filter(|point| !point.stopped).map(at)).unwrap_or(0.0)
    }

    /// Pages a second of a cleaner that does what it can, at this throughput and density of the oldest stretch.
    pub(crate) fn busy(&self, mode: Mode, tps: f64, density: f64) -> f64 {
        self.known_busy.get_or(mode, [tps, density], || self.read_busy(mode, tps, density))
    }

    fn read_busy(&self, mode: Mode, tps: f64, density: f64) -> f64 {
        let points =
            if mode == Mode::Sync && !self.known.sync.is_empty() { &self.known.sync } else { &self.known.adaptive };
        let (scale, density) = (0.2 * tps.max(500.0), libm::log(density.max(LEAST_DENSITY)));
        let at = |point: &Point| ([(point.tps - tps) / scale, (point.ln_density - density) / 0.4], point.flushed);
        Plane::through(points.iter().filter(|point| point.busy).map(at)).unwrap_or(1e9).max(100.0)
    }
}

/// Sums of weighted points in two dimensions with a value each.
#[derive(Default)]
struct Plane {
    weight: f64,
    x: [f64; 2],
    value: f64,
    xx: [f64; 3],
    xv: [f64; 2],
}

impl Plane {
    /// The value at the origin of a plane through points, near ones first; a direction in which they hardly differ says
    /// nothing. None without points.
    fn through(points: impl Iterator<Item = ([f64; 2], f64)>) -> Option<f64> {
        let mut sums = Plane::default();
        for ([x, y], value) in points {
            let weight = 1.0 / (0.1 + x * x + y * y);
            sums.weight += weight;
            sums.x = [sums.x[0] + weight * x, sums.x[1] + weight * y];
            sums.value += weight * value;
            sums.xx = [sums.xx[0] + weight * x * x, sums.xx[1] + weight * y * y, sums.xx[2] + weight * x * y];
            sums.xv = [sums.xv[0] + weight * x * value, sums.xv[1] + weight * y * value];
        }
        (sums.weight > 0.0).then(|| sums.at_origin())
    }

    fn at_origin(&self) -> f64 {
        /// Square of the distance at which points begin to say what slope there is.
        const STIFF: f64 = 0.02;
        let of = |sum: f64| sum / self.weight;
        let ([x, y], value) = (self.x.map(of), of(self.value));
        let [xx, yy, xy] = self.xx.map(of);
        let (xx, yy, xy) = (xx - x * x + STIFF, yy - y * y + STIFF, xy - x * y);
        let [xv, yv] = self.xv.map(of);
        let (xv, yv) = (xv - x * value, yv - y * value);
        let determinant = xx * yy - xy * xy;
        let slopes = [(xv * yy - yv * xy) / determinant, (yv * xx - xv * xy) / determinant];
        (value - slopes[0] * x - slopes[1] * y).max(0.0)
    }
}
