//! What counters say over time, and what pages of one rate would have done meanwhile.
//!
//! Pages are flushed in the order in which they became dirty. So where it is known how much work was done up to each
//! sample, and when the page became dirty that is now the oldest dirty one, the course of pages of one rate is known
//! but for their number: of the clean ones a share `1 - exp(-r dw)` becomes dirty in `dw` of work, and those that became
//! dirty before the oldest one are flushed. Dirty and flushed pages of a spectrum are sums of such courses.
//!
//! A server that flushes the neighbours of a page flushes extents: an extent joins the order when its first page becomes
//! dirty, and all its dirty pages go with it ([`Order::Extents`]; its pages are taken to be of one rate).
//!
//! Where the oldest page is not recorded, the order itself tells it ([`oldest_by_order`]).
//!
//! Simplifications: pages that leave out of turn (several buffer pool instances that are not equally far, LRU flushing where no [`Residence`] is
//! given) are taken to leave in order; before the first sample the age is taken to have stood still, or, where it grows by half before
//! a page is flushed, to have grown from nothing. Within a step the work
//! is even, and pages are flushed in the middle of it: those that are modified again soon become dirty in its second half. (A page
//! cleaner flushes at one instant of a second, which may be any.)

use crate::residence::{Residence, Stay};
use crate::spectrum::steady_share;
use std::collections::VecDeque;

/// Steps in which pages became dirty before the first sample, where some were evicted meanwhile.
const FIRST_STEPS: u32 = 32;
/// Growth of an age before a page is flushed, from which on it grew before the recording too.
const GROWN: f64 = 1.5;

/// Counters at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Work done so far.
    pub work: f64,
    /// Work that was done when the oldest dirty page became dirty.
    pub oldest: f64,
    /// Dirty pages.
    pub dirty: f64,
    /// Pages flushed so far.
    pub flushed: f64,
}

/// What is flushed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Single pages.
    Pages,
    /// All dirty pages of so many that lie together.
    Extents(u32),
}

/// Counters over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// In order of time.
    pub samples: Vec<Sample>,
    /// What is flushed together.
    pub order: Order,
}

/// Pages (or extents) that became dirty in a stretch of work, as a share of all of one rate.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: f64,
    to: f64,
    share: f64,
    /// Part of it that was read in by the touch that made it dirty.
    read: f64,
}

impl Trajectory {
    /// Age of the oldest dirty page at a sample.
    pub fn age(&self, sample: usize) -> f64 {
        (self.samples[sample].work - self.samples[sample].oldest).max(0.0)
    }

    /// Whether the age was growing when the recording began, and did not stand still: it grows by half before a page is flushed.
    fn grew(&self) -> bool {
        let Some(first) = self.samples.first() else { return false };
        let unmoved = self.samples.iter().take_while(|sample| sample.oldest <= first.oldest).count();
        unmoved.checked_sub(1).is_some_and(|last| self.age(last) >= GROWN * self.age(0).max(f64::MIN_POSITIVE))
    }

    /// Share of the pages of one rate that is dirty at each sample, and that was flushed up to it (pages that were
    /// flushed twice counted twice). Where the data outgrow the buffer pool, pages leave it too.
    pub fn course(&self, rate: f64, residence: Option<&Residence>) -> (Vec<f64>, Vec<f64>) {
        let mut list = FlushOrder::new(rate, self.order, residence);
        let (mut dirty, mut flushed) = (Vec::new(), Vec::new());
        let mut before = None;
        for sample in &self.samples {
            let oldest = sample.oldest.min(sample.work);
            let step = before.filter(|work| sample.work > *work);
            if before.is_none() {
                list.begin(oldest, sample.work, self.grew(), residence);
            }
            let middle = step.map_or(sample.work, |work: f64| work.midpoint(sample.work));
            if let Some(work) = step {
                list.become_dirty(work, middle);
            }
            before = Some(sample.work);
            list.evict(middle);
            list.flush(oldest, middle);
            if step.is_some() {
                list.become_dirty(middle, sample.work);
            }
            dirty.push(list.dirty(sample.work));
            flushed.push(list.gone);
        }
        (dirty, flushed)
    }
}

/// Pages (or extents) of one rate in the order in which they became dirty, as shares of all of them.
struct FlushOrder {
    rate: f64,
    /// Pages that are flushed together.
    together: f64,
    list: VecDeque<Stretch>,
    /// Share that is in the order.
    listed: f64,
    /// Share that has been written so far, flushed or evicted.
    gone: f64,
    /// How long pages stay, where the data outgrow the pool.
    stay: Option<Stay>,
}

impl FlushOrder {
    fn new(rate: f64, order: Order, residence: Option<&Residence>) -> FlushOrder {
        let together = match order {
            Order::Pages => 1.0,
            Order::Extents(pages) => f64::from(pages.max(1)),
        };
        let stay = residence.map(|residence| residence.stay(rate));
        FlushOrder { rate, together, list: VecDeque::new(), listed: 0.0, gone: 0.0, stay }
    }

    /// Rate at which an extent joins the order.
    fn joins(&self) -> f64 {
        self.rate * self.together
    }

    /// Of a page of an extent that joined the order `age` ago: its first page, and those that followed.
    fn dirty_since(&self, age: f64) -> f64 {
        (1.0 + (self.together - 1.0) * -libm::expm1(-self.rate * age.max(0.0))) / self.together
    }

    /// What is dirty at the first sample: an age that grew from nothing, or that stood still.
    fn begin(&mut self, oldest: f64, work: f64, grew: bool, residence: Option<&Residence>) {
        let age = work - oldest;
        let steady = residence.map(|residence| residence.dirty_share(self.rate, age));
        if steady.is_none() {
            self.listed = if grew { -libm::expm1(-self.joins() * age) } else { steady_share(self.joins(), age) };
            self.list.push_back(Stretch { from: oldest, to: work, share: self.listed, read: 0.0 });
            return;
        }
        for step in 0..FIRST_STEPS {
            let at = |step: u32| oldest + age * f64::from(step) / f64::from(FIRST_STEPS);
            self.listed = steady.filter(|_| !grew).unwrap_or(self.listed);
            self.become_dirty(at(step), at(step + 1));
            self.evict(at(step + 1));
        }
        self.gone = 0.0;
    }

    fn become_dirty(&mut self, from: f64, to: f64) {
        let share = (1.0 - self.listed) * -libm::expm1(-self.joins() * (to - from));
        let outside = self.stay.map_or(0.0, |stay| 1.0 - stay.resident);
        self.listed += share;
        let read = (outside / (1.0 - self.listed).max(outside)).min(1.0);
        self.list.push_back(Stretch { from, to, share, read });
    }

    /// Share of a stretch that has not been evicted.
    fn stays(&self, stretch: &Stretch, now: f64) -> f64 {
        self.stay.map_or(1.0, |stay| {
            let age = now - (stretch.from + stretch.to) / 2.0;
            let [read, again] = [true, false].map(|read| stay.survives(age, read));
            stretch.read * read + (1.0 - stretch.read) * again
        })
    }

    /// Flushes what became dirty before `oldest`.
    fn flush(&mut self, oldest: f64, now: f64) {
        while let Some(&first) = self.list.front().filter(|first| first.from < oldest) {
            let whole = first.to <= oldest;
            let part = if whole { 1.0 } else { (oldest - first.from) / (first.to - first.from) };
            let leaves = first.share * part;
            let dirty = leaves * self.stays(&first, now);
            self.gone += dirty * self.dirty_since(now - (first.from + first.to.min(oldest)) / 2.0);
            self.listed -= dirty;
            if whole {
                self.list.pop_front();
            } else {
                self.list[0] = Stretch { from: oldest, share: first.share - leaves, ..first };
            }
        }
    }

    /// Writes what has been evicted by now.
    fn evict(&mut self, now: f64) {
        if self.stay.is_some() {
            let left: f64 = self.list.iter().map(|stretch| stretch.share * self.stays(stretch, now)).sum();
            self.gone += (self.listed - left).max(0.0);
            self.listed = left;
        }
    }

    /// Share of the pages that is dirty.
    fn dirty(&self, now: f64) -> f64 {
        let of_stretch = |s: &Stretch| s.share * self.stays(s, now) * self.dirty_since(now - (s.from + s.to) / 2.0);
        if self.together > 1.0 { self.list.iter().map(of_stretch).sum() } else { self.listed }
    }
}

/// Work at which the oldest dirty page became dirty, at each sample, where pages are flushed in the order in which they
/// became dirty: the page flushed as the n-th is the one that became dirty as the n-th. What was dirty at the first
/// sample is taken to have become so evenly, at the rate at which pages became dirty afterwards.
pub fn oldest_by_order(work: &[f64], dirty: &[f64], flushed: &[f64]) -> Vec<f64> {
    let (Some(&work_0), Some(&dirty_0), Some(&flushed_0)) = (work.first(), dirty.first(), flushed.first()) else {
        return Vec::new();
    };
    // Pages that became dirty since the first sample; counters are read one after the other, so it may seem to fall.
    let mut became: Vec<f64> = dirty.iter().zip(flushed).map(|(d, f)| d - dirty_0 + f - flushed_0).collect();
    for i in 1..became.len() {
        became[i] = became[i].max(became[i - 1]);
    }
    let turn = became.iter().position(|b| *b >= dirty_0).unwrap_or(became.len() - 1);
    let rate = became[turn] / (work[turn] - work_0).max(f64::MIN_POSITIVE);
    let age_0 = if rate > 0.0 && rate.is_finite() { dirty_0 / rate } else { 0.0 };
    let of = |i: usize| {
        let left = flushed[i] - flushed_0;
        if left < dirty_0 {
            return work_0 - age_0 * (1.0 - left / dirty_0);
        }
        let nth = left - dirty_0;
        let after = became.partition_point(|b| *b < nth).min(i);
        let Some(before) = after.checked_sub(1) else { return work_0 };
        let grown = became[after] - became[before];
        let part = if grown > 0.0 { ((nth - became[before]) / grown).clamp(0.0, 1.0) } else { 1.0 };
        work[before] + part * (work[after] - work[before])
    };
    (0..work.len()).map(|i| of(i).min(work[i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bin, Pool};

    /// A clean start, then an age of 100 units of work.
    fn steady(order: Order) -> Trajectory {
        let sample = |i: u32| {
            let work = f64::from(i);
            Sample { work, oldest: (work - 100.0).max(0.0), dirty: 0.0, flushed: 0.0 }
        };
        Trajectory { samples: (0..=2000).map(sample).collect(), order }
    }

    #[test]
    fn a_steady_age_gives_the_closed_form() {
        for rate in [0.001, 0.01, 0.1] {
            let (dirty, flushed) = steady(Order::Pages).course(rate, None);
            let share = rate * 100.0 / (1.0 + rate * 100.0);
            assert!((dirty[2000] / share - 1.0).abs() < 0.02, "{rate}: {} {share}", dirty[2000]);
            let a_unit = (flushed[2000] - flushed[1000]) / 1000.0;
            assert!((a_unit / (share / 100.0) - 1.0).abs() < 0.02, "{rate}: {a_unit}");
            assert!((dirty[50] - (1.0 - libm::exp(-rate * 50.0))).abs() < 1e-9, "before anything is flushed");
        }
    }

    /// A steady age, and pages that leave a small pool: as many are dirty as the closed form has, and written as become dirty.
    #[test]
    fn evicted_pages_are_written_and_no_longer_dirty() {
        let bins = [0.001, 0.02].map(|rate| Bin { rate, pages: 1000.0 });
        let residence = Residence::of(&bins, Pool { pages: 1200.0, old_share: 0.02 }).unwrap();
        for Bin { rate, .. } in bins {
            let (dirty, written) = steady(Order::Pages).course(rate, Some(&residence));
            let expected = residence.dirty_share(rate, 100.0);
            assert!((dirty[2000] / expected - 1.0).abs() < 0.03, "{rate}: {} for {expected}", dirty[2000]);
            let a_unit = (written[2000] - written[1000]) / 1000.0;
            assert!((a_unit / (rate * (1.0 - expected)) - 1.0).abs() < 0.03, "{rate}: {a_unit}");
        }
        let rare = residence.dirty_share(0.001, 100.0);
        assert!(rare < 0.9 * steady_share(0.001, 100.0), "some leave before they are old: {rare}");
    }

    #[test]
    fn what_becomes_dirty_is_dirty_or_flushed() {
        let trajectory = steady(Order::Pages);
        let (dirty, flushed) = trajectory.course(0.03, None);
        let mut became = 0.0;
        for i in 1..dirty.len() {
            let half = 1.0 - libm::exp(-0.015);
            let first = (1.0 - dirty[i - 1]) * half;
            let left = dirty[i - 1] + first - (flushed[i] - flushed[i - 1]);
            became += first + (1.0 - left) * half;
            assert!((dirty[i] + flushed[i] - became).abs() < 1e-9, "{i}");
        }
    }

    #[test]
    fn neighbours_leave_with_the_first_of_their_extent() {
        let single = steady(Order::Pages).course(0.01, None);
        let (dirty, flushed) = steady(Order::Extents(64)).course(0.01, None);
        assert!((dirty[50] / single.0[50] - 1.0).abs() < 0.02, "nothing is flushed yet: {}", dirty[50]);
        // Extents that joined together leave together: over whole turns.
        let mean = |dirty: &[f64]| dirty[1000..].iter().sum::<f64>() / 1001.0;
        assert!(mean(&dirty) < 0.8 * mean(&single.0), "{} {}", mean(&dirty), mean(&single.0));
        assert!(flushed[2000] > single.1[2000]);
    }

    #[test]
    fn a_recording_that_begins_in_the_middle_begins_in_steady_state() {
        let mut trajectory = steady(Order::Pages);
        trajectory.samples.drain(..500);
        let (dirty, _) = trajectory.course(0.01, None);
        assert!((dirty[0] - 0.5).abs() < 1e-9 && (dirty[1000] - 0.5).abs() < 0.02, "{} {}", dirty[0], dirty[1000]);
    }

    #[test]
    fn the_order_tells_the_oldest_page() {
        let trajectory = steady(Order::Pages);
        let (dirty, flushed) = trajectory.course(0.02, None);
        let pages = |shares: &[f64]| shares.iter().map(|share| 10_000.0 * share).collect::<Vec<f64>>();
        let work: Vec<f64> = trajectory.samples.iter().map(|sample| sample.work).collect();
        let oldest = oldest_by_order(&work, &pages(&dirty), &pages(&flushed));
        for i in (0..2001).step_by(50) {
            assert!((oldest[i] - trajectory.samples[i].oldest).abs() < 2.0, "{i}: {}", oldest[i]);
        }
        // From the middle: the age before the first sample follows from the rate.
        let oldest = oldest_by_order(&work[1000..], &pages(&dirty[1000..]), &pages(&flushed[1000..]));
        for i in (0..1001).step_by(50) {
            assert!((oldest[i] - trajectory.samples[1000 + i].oldest).abs() < 4.0, "{i}: {}", oldest[i]);
        }
        assert_eq!(oldest_by_order(&[], &[], &[]), Vec::<f64>::new());
        assert_eq!(oldest_by_order(&[1.0, 2.0], &[5.0, 5.0], &[0.0, 0.0]).len(), 2);
    }
}
