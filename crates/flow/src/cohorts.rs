//! Dirty pages as cohorts: how many of each class of rate became dirty in each stretch of redo.
//!
//! Nothing here is of a server. Of a class with `pages` pages, each modified `rate` times a transaction, those that are clean
//! become dirty as if each were modified at random moments. A flush takes the oldest stretch first, all classes of it in
//! proportion.
//!
//! Simplification: within a stretch, oldest modifications lie evenly.

use innosim_core::server::{DirtyCohorts, DirtyStretch};
use innosim_core::workload::PageClass;
use std::collections::VecDeque;

/// Redo of a stretch, bytes.
const STRETCH_BYTES: f64 = 8e6;
/// Redo after which it is counted what became dirty, bytes.
const GRAIN_BYTES: f64 = 1e6;

/// Pages that became dirty in a stretch of redo.
#[derive(Debug, Clone)]
struct Stretch {
    /// Its end, LSN.
    end: f64,
    /// Pages in the flush lists.
    pages: f64,
    /// Those of each class.
    by_class: Vec<f64>,
    /// [`Cohorts::gone`] at its end.
    gone: Vec<f64>,
}

/// All dirty pages.
#[derive(Debug, Clone)]
pub(crate) struct Cohorts {
    classes: Vec<PageClass>,
    /// Dirty pages of each class.
    dirty: Vec<f64>,
    stretches: VecDeque<Stretch>,
    /// Where the oldest stretch begins, LSN.
    begin: f64,
    /// End of all redo.
    lsn: f64,
    total: f64,
    /// What each class has lost so far of the pages that it had, by points that moved on and pages that split: a page is still
    /// what it was with a probability of `exp(-(gone now - gone then))`.
    gone: Vec<f64>,
    /// End of the redo of which all is counted, LSN, and the transactions since.
    counted_lsn: f64,
    uncounted: f64,
    /// Transactions since the pages of indexes last split.
    inserting: f64,
}

impl Cohorts {
    /// No dirty page, at an LSN.
    pub(crate) fn new(classes: Vec<PageClass>, lsn: f64) -> Self {
        let dirty = classes.iter().map(|class| if class.begins_with_others { class.pages } else { 0.0 }).collect();
        let gone = vec![0.0; classes.len()];
        let stretches = VecDeque::new();
        let (total, uncounted, inserting) = (0.0, 0.0, 0.0);
        Cohorts { classes, dirty, stretches, begin: lsn, lsn, total, gone, counted_lsn: lsn, uncounted, inserting }
    }

    /// Dirty pages.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// End of all redo.
    pub(crate) fn lsn(&self) -> f64 {
        self.lsn
    }

    /// Oldest modification, or the end of redo if nothing is dirty.
    pub(crate) fn oldest(&self) -> f64 {
        if self.total >= 0.5 { self.begin } else { self.lsn }
    }

    /// Pages with oldest modification up to an LSN.
    pub(crate) fn pages_up_to(&self, lsn: f64) -> f64 {
        let (mut from, mut pages) = (self.begin, 0.0);
        for stretch in &self.stretches {
            if stretch.end > lsn {
                pages += stretch.pages * ((lsn - from) / (stretch.end - from).max(1.0)).max(0.0);
                break;
            }
            pages += stretch.pages;
            from = stretch.end;
        }
        pages
    }

    /// Transactions write `redo_bytes` each.
    pub(crate) fn modify(&mut self, transactions: f64, redo_bytes: f64) {
        self.lsn += transactions * redo_bytes;
        self.uncounted += transactions;
        if self.lsn - self.counted_lsn >= GRAIN_BYTES {
            self.count();
        }
    }

    /// Counts what became dirty since that was last done.
    fn count(&mut self) {
        let transactions = std::mem::take(&mut self.uncounted);
        self.inserting += transactions;
        self.make_room();
        self.counted_lsn = self.lsn;
        let Some(newest) = self.stretches.back_mut() else { return };
        let mut added = 0.0;
        for (number, class) in self.classes.iter().enumerate() {
            let moved = (class.rate * class.leaves * transactions).min(1.0);
            self.gone[number] += moved;
            let dirty = &mut self.dirty[number];
            let again = (class.pages - *dirty).max(0.0) * at_least_once(class.rate * transactions);
            *dirty += again;
            let own = again + *dirty * moved;
            newest.by_class[number] += own;
            added += own;
        }
        newest.end = self.lsn;
        newest.gone.clone_from(&self.gone);
        newest.pages += added;
        self.total += added;
    }

    /// Pages of indexes split as insertions have filled them since that was last done.
    pub(crate) fn split_indexes(&mut self) {
        self.count();
        let inserting = std::mem::take(&mut self.inserting);
        let Some(newest) = self.stretches.back_mut() else { return };
        for number in 0..self.classes.len() {
            let Cohorts { classes, dirty, gone, .. } = self;
            let added = split(classes, number, inserting, dirty, gone, &mut newest.by_class);
            newest.pages += added;
            self.total += added;
        }
        newest.gone.clone_from(&self.gone);
    }

    /// The newest stretch is long enough: another begins.
    fn make_room(&mut self) {
        let newest = self.stretches.back().map(|newest| newest.end);
        let from = match self.stretches.len() {
            0 | 1 => self.begin,
            n => self.stretches[n - 2].end,
        };
        if newest.is_none() {
            self.begin = self.counted_lsn;
        }
        if newest.is_none_or(|end| end - from >= STRETCH_BYTES) {
            let by_class = vec![0.0; self.classes.len()];
            self.stretches.push_back(Stretch { end: self.counted_lsn, pages: 0.0, by_class, gone: self.gone.clone() });
        }
    }

    /// Writes so many pages, the oldest first.
    pub(crate) fn flush(&mut self, mut pages: f64) {
        while pages > 1e-9 {
            let Some(oldest) = self.stretches.front_mut() else { return };
            let share = (pages / oldest.pages.max(1e-12)).min(1.0);
            for (number, class) in self.classes.iter().enumerate() {
                let taken = oldest.by_class[number] * share;
                oldest.by_class[number] -= taken;
                let lost = self.gone[number] - oldest.gone[number];
                let stays = if lost > 0.0 { libm::exp(-lost) } else { 1.0 };
                self.dirty[number] -= taken * stays;
                // Of pages that points have left nobody comes to know that they are clean again.
                if let Some(splits) = &class.splits {
                    self.dirty[splits.halves] -= taken * (1.0 - stays);
                }
            }
            pages -= oldest.pages * share;
            self.total -= oldest.pages * share;
            self.begin += (oldest.end - self.begin) * share;
            oldest.pages *= 1.0 - share;
            if share >= 1.0 {
                self.begin = oldest.end;
                self.stretches.pop_front();
            }
        }
    }

    /// What a simulation page by page needs to go on from here.
    pub(crate) fn to_dirty(&self, transactions: f64) -> DirtyCohorts {
        let mut begin = self.begin;
        let stretches = self.stretches.iter().map(|stretch| {
            let mut by_class = vec![0.0; self.classes.len()];
            for (number, class) in self.classes.iter().enumerate() {
                let stays = libm::exp(stretch.gone[number] - self.gone[number]);
                by_class[number] += stretch.by_class[number] * stays;
                if let Some(splits) = &class.splits {
                    by_class[splits.halves] += stretch.by_class[number] * (1.0 - stays);
                }
            }
            let left = stretch.pages - by_class.iter().sum::<f64>();
            let (begin_age, end_age) = (self.lsn - begin, self.lsn - stretch.end);
            begin = stretch.end;
            DirtyStretch { begin_age, end_age, by_class, left }
        });
        DirtyCohorts { transactions, stretches: stretches.collect() }
    }

    /// Pages that become dirty with the next transaction.
    pub(crate) fn newly(&self) -> f64 {
        let of = |(number, class): (usize, &PageClass)| {
            let clean = (class.pages - self.dirty[number]).max(0.0);
            let splits = class.splits.as_ref().and_then(|splits| splits.free.first()).unwrap_or(&0.0);
            class.rate * (clean + self.dirty[number] * class.leaves + splits)
        };
        self.classes.iter().enumerate().map(of).sum()
    }

    /// Pages a transaction of the oldest stretch.
    pub(crate) fn density(&self, redo_bytes: f64) -> f64 {
        self.stretches.front().map_or(0.0, |oldest| oldest.pages / (oldest.end - self.begin).max(1.0) * redo_bytes)
    }
}

/// Share of pages that are modified once or more if each is `times` times, at random.
fn at_least_once(times: f64) -> f64 {
    if times < 0.01 { times * (1.0 - times * (0.5 - times / 6.0)) } else { -libm::expm1(-times) }
}

/// Insertions split pages of a class: each becomes two dirty ones of another. Returns how many become dirty by that.
fn split(
    classes: &mut [PageClass],
    number: usize,
    transactions: f64,
    dirty: &mut [f64],
    gone: &mut [f64],
    newest: &mut [f64],
) -> f64 {
    let PageClass { rate, pages, splits: Some(splits), .. } = &mut classes[number] else { return 0.0 };
    let moves = at_least_once(*rate * transactions);
    let Some(first) = splits.free.first() else { return 0.0 };
    let splitting = first * moves;
    for room in 1..splits.free.len() {
        splits.free[room - 1] += (splits.free[room] - splits.free[room - 1]) * moves;
    }
    splits.free.last_mut().into_iter().for_each(|fullest| *fullest -= *fullest * moves);
    if *pages <= splitting || splitting <= 0.0 {
        return 0.0;
    }
    let share = splitting / *pages;
    let halves = splits.halves;
    *pages -= splitting;
    gone[number] += -libm::log1p(-share);
    // The insertion has made it dirty: what is new is the other half.
    let was_dirty = splitting.min(dirty[number]);
    dirty[number] -= was_dirty;
    dirty[halves] += 2.0 * splitting;
    classes[halves].pages += 2.0 * splitting;
    newest[halves] += splitting;
    splitting
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_core::workload::Splits;

    fn class(rate: f64, pages: f64) -> PageClass {
        PageClass { rate, pages, ..PageClass::default() }
    }

    fn work(cohorts: &mut Cohorts, transactions: u32) {
        for _ in 0..transactions {
            cohorts.modify(1.0, 1_000.0);
        }
        cohorts.split_indexes();
    }

    #[test]
    fn pages_become_dirty_as_if_at_random() {
        let mut cohorts = Cohorts::new(vec![class(1e-4, 5_000.0), class(1e-5, 20_000.0)], 8_192.0);
        work(&mut cohorts, 10_000);
        let expected = 5_000.0 * (1.0 - (-1.0_f64).exp()) + 20_000.0 * (1.0 - (-0.1_f64).exp());
        assert!((cohorts.total() / expected - 1.0).abs() < 1e-9, "{} for {expected}", cohorts.total());
        assert_eq!(cohorts.lsn(), 8_192.0 + 1e7);
    }

    #[test]
    fn the_oldest_pages_are_written_first_and_become_dirty_again() {
        let mut cohorts = Cohorts::new(vec![class(1e-3, 1_000.0)], 0.0);
        work(&mut cohorts, 30_000);
        let (before, oldest) = (cohorts.total(), cohorts.oldest());
        let first_half = cohorts.pages_up_to(8e6);
        cohorts.flush(first_half);
        assert!((cohorts.total() - (before - first_half)).abs() < 1e-6);
        assert!(cohorts.oldest() > oldest && cohorts.oldest() >= 8e6 - 1e4, "{}", cohorts.oldest());
        assert!(cohorts.newly() > 0.9, "what was written is modified again: {}", cohorts.newly());
    }

    /// 100 insert points that fill a page with 20 rows: a page in twenty modifications is a new one, dirty or not.
    #[test]
    fn points_leave_their_pages_behind() {
        let points = PageClass { leaves: 0.05, ..class(0.01, 100.0) };
        let mut cohorts = Cohorts::new(vec![points], 0.0);
        work(&mut cohorts, 10_000);
        let left = 10_000.0 * 0.01 * 100.0 * 0.05;
        assert!((cohorts.total() / (100.0 + left) - 1.0).abs() < 0.02, "{} for {}", cohorts.total(), 100.0 + left);
    }

    /// Full pages split at their first insertion; each becomes two dirty ones.
    #[test]
    fn full_pages_split_once() {
        let splits = Some(Splits { free: vec![500.0], halves: 1 });
        let unsplit = PageClass { splits, ..class(1e-2, 500.0) };
        let mut cohorts = Cohorts::new(vec![unsplit, class(5e-3, 0.0)], 0.0);
        (0..20).for_each(|_| work(&mut cohorts, 100));
        assert!((cohorts.total() - 1_000.0).abs() < 20.0, "{}", cohorts.total());
    }
}
