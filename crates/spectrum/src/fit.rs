//! From evidence to a spectrum: non-negative least squares over a grid of rates.
//!
//! | evidence | rows |
//! |---|---|
//! | counters over time | dirty pages at each sample; pages flushed up to each sample |
//! | ages of pages | pages younger than each age |
//!
//! Where a server frees pages that are still dirty (undo segments of MariaDB), a flush drops those whose turn comes while they
//! are free. They are modified all the time until then, so each rate at which a page is dirty again at once has a second
//! column: pages that are dirty like the others and are never among the flushed, nor among those that have an age. Those that are
//! written have no age that a file shows either, as they are free by the time that a server has shut down: a third column.
//!
//! Rows of counters are weighted by the mean of what they hold, so that dirty and flushed pages count alike; as long as
//! fewer were flushed than are dirty, a page counts the same in both. Of a
//! recording that begins with dirty pages, the time until the last of them is flushed is left out where enough is left:
//! the age that they had is known, its course before is not. Weights of page ages are those of counts that are off by
//! their root and by 2 %. Pages that are modified rarely show as `rate x pages` alone, so they may come out as more than there are;
//! then their number is a constraint.
//!
//! **How well it is known.** Intervals come from a jackknife: the evidence is cut into eight blocks of time (of ages), and
//! each is left out once. What the evidence can't say at all is another matter: pages that are touched much more rarely
//! than the largest age show only as `rate x pages`. So two extremes are fitted beside the spectrum, one that explains
//! them by as few pages as possible and one by as many as possible; they part beyond the largest age that was seen.
//! Where the age hardly moved, they part everywhere but there, and the spectrum is the mean of the two.

use crate::bin::Bin;
use crate::columns::{APART, Adds, Columns};
use crate::nnls::Normal;
use crate::outgrown::{Beyond, Outgrown};
use crate::spectrum::Spectrum;
use crate::trajectory::{Order, Sample, Trajectory};

/// Rates a factor of ten.
const A_DECADE: f64 = 5.0;
/// Slowest and fastest rate, modifications of a page within the largest and the smallest age.
const SLOWEST: f64 = 0.03;
const FASTEST: f64 = 30.0;
/// Fastest rate where single pages have ages of next to nothing: a page that every unit of work modifies is dirty all the
/// time. What is younger than one of it (those that a running server modified while they were read) is left out.
const EACH_TIME: f64 = 1.0;
/// Modifications of a page within the largest age of counters from which on it is dirty again at once.
const DIRTY_AT_ONCE: f64 = 10.0;
/// Smallest age that is told from none, as a share of the largest one.
const SMALLEST_AGE: f64 = 0.05;
/// Most rates of the grid.
const MOST_RATES: usize = 80;
/// Most samples of a trajectory that are used; of more, every n-th.
const MOST_SAMPLES: usize = 400;
/// Blocks of the jackknife.
const BLOCKS: usize = 8;
/// 97.5 % quantiles of Student's t for 2 to 8 blocks: 1 to 7 degrees of freedom.
const T_95: [f64; BLOCKS - 1] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365];
/// Largest age by smallest from which on the shape is told.
const MOVED: f64 = 1.5;
/// Share of an age by which counts of pages are off besides their root.
const COUNT_IS_OFF: f64 = 0.02;
/// Share of the samples that must be left without those of the first turn.
const ENOUGH: f64 = 1.0 / 3.0;
/// Pages flushed by dirty ones up to which flushing has not begun.
const FEW_FLUSHED: f64 = 0.02;
/// Where the number of pages is limited: their lowest price by the highest, most steps to the right one, and the share of the limit
/// from which on there are enough.
const CHEAPEST: f64 = 1e-12;
const MOST_HALVINGS: u32 = 50;
const NEARLY: f64 = 0.9999;
/// Standard deviations of a 95 % interval.
const NORMAL_95: f64 = 1.96;
/// Most fits beside rarely touched pages, and change of their rate and number below which they are found.
const MOST_ROUNDS: u32 = 8;
const SETTLED: f64 = 0.01;
/// An age at the first sample below this share of the largest is a clean start.
const CLEAN: f64 = 0.02;

/// What a spectrum is fitted to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// Counters over time.
    pub trajectories: Vec<Trajectory>,
    /// Ages, in units of work, with the pages that are younger.
    pub younger: Vec<(f64, f64)>,
    /// Whether the server drops dirty pages that were freed before their turn.
    pub drops_freed: bool,
    /// Most pages that there can be, if that is known.
    pub most_pages: Option<f64>,
    /// Data that outgrow the buffer pool, if they do.
    pub outgrown: Option<Outgrown>,
}

/// Why there is no spectrum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// No work was done, no page is dirty, or the oldest one is never younger than the newest.
    #[error("nothing was modified, or no page was dirty, in all of the evidence")]
    NothingHappens,
}

/// Least and most that a figure can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Least.
    pub low: f64,
    /// Most.
    pub high: f64,
}

/// A spectrum with how well it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The spectrum.
    pub spectrum: Spectrum,
    /// Smallest and largest age that was seen, in units of work.
    pub ages: Range,
    /// Root of the mean square of what the fit leaves, as a share of the root mean square of the evidence.
    pub residual: f64,
    /// Whether the ages moved enough to tell the shape.
    pub shape_is_told: bool,
    /// The spectrum with one block of the evidence left out each time.
    blocks: Vec<Spectrum>,
    /// The spectra with fewest and most rarely touched pages that explain the evidence.
    extremes: [Spectrum; 2],
}

impl Fit {
    /// Half-width of the 95 % interval of a figure of the spectrum: its scatter by the jackknife, and what no spectrum explains of its own
    /// evidence ([`Fit::residual`], taken for an error that all samples share).
    pub fn half_width(&self, figure: impl Fn(&Spectrum) -> f64) -> f64 {
        let values: Vec<f64> = self.blocks.iter().map(&figure).collect();
        let n = values.len() as f64;
        if n < 2.0 {
            return f64::INFINITY;
        }
        let mean = values.iter().sum::<f64>() / n;
        let square: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let scatter = T_95[self.blocks.len().min(BLOCKS) - 2] * ((n - 1.0) / n * square).sqrt();
        scatter.hypot(NORMAL_95 * self.residual * figure(&self.spectrum))
    }

    /// What a figure can be as far as the evidence says, noise and what it can't tell together: from 0 to infinity where
    /// it is too little for an interval.
    pub fn range(&self, figure: impl Fn(&Spectrum) -> f64) -> Range {
        let (value, half) = (figure(&self.spectrum), self.half_width(&figure));
        let [a, b] = [0, 1].map(|i| figure(&self.extremes[i]));
        Range { low: (value - half).min(a).min(b).max(0.0), high: (value + half).max(a).max(b) }
    }

    /// The spectra at the two ends of what the evidence can't tell.
    pub fn extremes(&self) -> &[Spectrum; 2] {
        &self.extremes
    }
}

/// By how much the dirty pages that a spectrum gives in the mean differ from those of the counters, as a share; `None`
/// where no page was dirty. Samples that hang on what was before the recording are left out as in [`fit`].
pub fn dirty_is_off(spectrum: &Spectrum, trajectory: &Trajectory) -> Option<f64> {
    let trajectory = thinned(trajectory);
    let told = told(&trajectory);
    let recorded: f64 = trajectory.samples[told.clone()].iter().map(|sample| sample.dirty).sum();
    let residence = spectrum.residence();
    let of = |bin: &Bin| bin.pages * trajectory.course(bin.rate, residence).0[told.clone()].iter().sum::<f64>();
    let given: f64 = spectrum.bins.iter().chain(&spectrum.freed).map(of).sum();
    (recorded > 0.0).then(|| given / recorded - 1.0)
}

/// Every n-th sample of many.
fn thinned(trajectory: &Trajectory) -> Trajectory {
    let thin = trajectory.samples.len().div_ceil(MOST_SAMPLES).max(1);
    Trajectory { samples: trajectory.samples.iter().step_by(thin).copied().collect(), order: trajectory.order }
}

/// Fits a spectrum.
///
/// # Errors
/// [`FitError`] if the evidence holds nothing.
pub fn fit(evidence: &Evidence) -> Result<Fit, FitError> {
    let Some(outgrown) = &evidence.outgrown else { return fit_beside(evidence, None) };
    let mut fit = fit_outgrown(evidence, outgrown)?;
    for spectrum in fit.extremes.iter_mut().chain([&mut fit.spectrum]) {
        let modified: Vec<Bin> = spectrum.bins.iter().chain(&spectrum.freed).copied().collect();
        spectrum.beyond = spectrum.beyond.map(|beyond| outgrown.with_all_misses(&modified, beyond));
    }
    Ok(fit)
}

/// Fits a spectrum of data that outgrow the pool.
fn fit_outgrown(evidence: &Evidence, outgrown: &Outgrown) -> Result<Fit, FitError> {
    // How long pages stay hangs on those that the fit finds, and the other way round.
    let mut beyond = outgrown.rare(&[]);
    for _ in 0..MOST_ROUNDS {
        let fit = fit_beside(evidence, beyond)?;
        let rare = |bin: &Bin| beyond.is_some_and(|beyond| bin.rate <= APART * beyond.read.rate);
        let others: Vec<Bin> = fit.spectrum.bins.iter().copied().filter(|bin| !rare(bin)).collect();
        let next = outgrown.rare(&others);
        let off = |is: f64, was: f64| (is / was - 1.0).abs();
        let moved =
            |(was, is): (Beyond, Beyond)| off(is.read.rate, was.read.rate).max(off(is.read.pages, was.read.pages));
        if beyond.zip(next).map_or(beyond == next, |both| moved(both) < SETTLED) {
            return Ok(fit);
        }
        beyond = next;
    }
    fit_beside(evidence, beyond)
}

/// Fits a spectrum beside so many rarely touched pages.
fn fit_beside(evidence: &Evidence, beyond: Option<Beyond>) -> Result<Fit, FitError> {
    let ages = ages_of(evidence).ok_or(FitError::NothingHappens)?;
    let columns = columns_of(evidence, ages, beyond);
    let slowest = columns.slowest();
    let rates = &columns.rates;
    let blocks = blocks_of(evidence, &columns);
    let mut all = Normal::new(columns.len());
    blocks.iter().for_each(|block| all.join(block));
    let least = |i: usize| i < slowest || rates.get(i).is_none_or(|rate| rate * ages.high >= 1.0);
    let most = |i: usize| least(i) || i == slowest;
    let extremes = [columns.spectrum(&all.solve(least)), columns.spectrum(&all.solve(most))];
    let shape_is_told = !evidence.younger.is_empty() || ages.high >= MOVED * ages.low;
    let price = if shape_is_told { price_of_a_page(&all, evidence.most_pages) } else { 0.0 };
    let pages_of = |normal: &Normal| match shape_is_told {
        true => normal.priced(price).solve(|_| true),
        false => half_and_half(normal, &columns),
    };
    let pages = pages_of(&all);
    let spectrum = columns.spectrum(&pages);
    if spectrum.pages() <= 0.0 {
        return Err(FitError::NothingHappens);
    }
    let left_out = blocks.iter().filter(|block| block.square() > 0.0);
    let extremes =
        if shape_is_told { extremes } else { one_rate_each(&all, &columns).map(|pages| columns.spectrum(&pages)) };
    Ok(Fit {
        residual: (all.residual(&pages) / all.square().max(f64::MIN_POSITIVE)).sqrt(),
        blocks: left_out.map(|block| columns.spectrum(&pages_of(&all.without(block)))).collect(),
        spectrum,
        ages,
        shape_is_told,
        extremes,
    })
}

/// The unknowns that evidence has.
fn columns_of(evidence: &Evidence, ages: Range, beyond: Option<Beyond>) -> Columns {
    let rare = beyond.map(|beyond| beyond.read.rate);
    let others = grid(ages).into_iter().filter(|rate| rare.is_none_or(|rare| *rate > APART * rare));
    let rates: Vec<f64> = rare.into_iter().chain(others).collect();
    let counters = evidence.trajectories.iter();
    let ages_of = |counters: &Trajectory| (0..counters.samples.len()).map(|i| counters.age(i)).fold(0.0, f64::max);
    let largest = counters.map(ages_of).fold(0.0, f64::max);
    let fast = rates.partition_point(|rate| rate * largest < DIRTY_AT_ONCE);
    // Freed pages are told from others by what is flushed, or by page ages.
    let told = evidence.trajectories.iter().any(flushing_is_told) || !evidence.younger.is_empty();
    let fast = if evidence.drops_freed && told { fast } else { rates.len() };
    Columns::new(rates, fast, !evidence.younger.is_empty(), beyond)
}

/// What a page must cost in the least squares for the solution to have no more pages than there are (the multiplier of that
/// constraint); 0 where it has not anyway.
fn price_of_a_page(normal: &Normal, most: Option<f64>) -> f64 {
    let pages = |price: f64| normal.priced(price).solve(|_| true).iter().sum::<f64>();
    let Some(most) = most.filter(|most| *most > 0.0 && pages(0.0) > *most) else { return 0.0 };
    // The more a page costs, the fewer there are; at the highest price none.
    let mut dear = normal.steepest();
    let mut cheap = CHEAPEST * dear;
    for _ in 0..MOST_HALVINGS {
        let price = (cheap * dear).sqrt();
        let left = pages(price);
        if left > most {
            cheap = price
        } else {
            dear = price
        }
        if (NEARLY * most..=most).contains(&left) {
            break;
        }
    }
    dear
}

/// All pages hot, or all of them cold: what fits an age that hardly moved at its ends. None is taken to be freed.
fn one_rate_each(all: &Normal, columns: &Columns) -> [Vec<f64>; 2] {
    [columns.rates.len() - 1, columns.slowest()].map(|only| all.solve(|i| i == only || i < columns.slowest()))
}

/// The mean of the two ends: half of what is dirty would stay dirty however large the age, half grows with it.
fn half_and_half(all: &Normal, columns: &Columns) -> Vec<f64> {
    let [hot, cold] = one_rate_each(all, columns);
    hot.iter().zip(cold).map(|(hot, cold)| (hot + cold) / 2.0).collect()
}

/// Smallest and largest age of the evidence; `None` if there is none above 0.
fn ages_of(evidence: &Evidence) -> Option<Range> {
    let mut ages: Vec<f64> = Vec::new();
    for trajectory in &evidence.trajectories {
        ages.extend((0..trajectory.samples.len()).map(|i| trajectory.age(i)).filter(|age| *age > 0.0));
    }
    ages.extend(evidence.younger.iter().filter(|(age, pages)| *age > 0.0 && *pages > 0.0).map(|(age, _)| *age));
    ages.retain(|age| age.is_finite());
    ages.sort_by(f64::total_cmp);
    let high = *ages.last()?;
    // Single samples at the beginning tell little.
    let low = ages[ages.len() / 20].max(SMALLEST_AGE * high);
    let low = if evidence.younger.is_empty() { low } else { ages[0] };
    Some(Range { low: low.min(high), high })
}

/// Rates, rising by even factors.
fn grid(ages: Range) -> Vec<f64> {
    let most = EACH_TIME.max(FASTEST / (SMALLEST_AGE * ages.high));
    let (slowest, fastest) = (SLOWEST / ages.high, (FASTEST / ages.low).min(most));
    let decades = libm::log10(fastest / slowest);
    let steps = (decades * A_DECADE).ceil().clamp(1.0, MOST_RATES as f64 - 1.0) as usize;
    let factor = |i: usize| libm::pow(10.0, decades * i as f64 / steps as f64);
    (0..=steps).map(|i| slowest * factor(i)).collect()
}

/// The rows of the evidence in blocks.
fn blocks_of(evidence: &Evidence, columns: &Columns) -> Vec<Normal> {
    let mut blocks = vec![Normal::new(columns.len()); BLOCKS];
    for trajectory in &evidence.trajectories {
        add_trajectory(trajectory, columns, &mut blocks);
    }
    let fastest = columns.rates.last().copied().unwrap_or(0.0);
    let younger: Vec<(f64, f64)> = evidence.younger.iter().copied().filter(|(age, _)| age * fastest >= 1.0).collect();
    let ages = younger.len();
    for (i, (age, pages)) in younger.iter().enumerate() {
        let younger = |rate: usize| -libm::expm1(-columns.rates[rate] * age);
        let row = columns.row(Adds { to_written: &younger, to_freed: &|_| 0.0, to_ageless: &|_| 0.0 });
        let off = (pages.max(1.0) + COUNT_IS_OFF * COUNT_IS_OFF * pages * pages).sqrt();
        // Counters have weights of one in the sum of their squares.
        let weight = 1.0 / (off * (ages as f64).sqrt()) * COUNT_IS_OFF;
        blocks[i * BLOCKS / ages].add(&row, *pages, weight);
    }
    blocks
}

fn add_trajectory(trajectory: &Trajectory, columns: &Columns, blocks: &mut [Normal]) {
    let trajectory = thinned(trajectory);
    let samples = &trajectory.samples;
    let told = told(&trajectory);
    let from = told.start;
    let told = &samples[told];
    if told.len() < 2 {
        return;
    }
    let residence = columns.residence();
    let courses: Vec<(Vec<f64>, Vec<f64>)> =
        columns.rates.iter().map(|rate| trajectory.course(*rate, residence)).collect();
    let mean = |value: &dyn Fn(&Sample) -> f64| told.iter().map(value).sum::<f64>() / told.len() as f64;
    let flushed_0 = samples[from].flushed;
    let (dirty, flushed) = (mean(&|s| s.dirty), mean(&|s| s.flushed - flushed_0));
    let weight = |mean: f64| if mean > 0.0 { 1.0 / (mean * (told.len() as f64).sqrt()) } else { 0.0 };
    // Where hardly any were flushed, their number hangs on the instant at which one page left.
    let weight_of_flushed = weight(flushed.max(dirty));
    for (i, sample) in samples.iter().enumerate().skip(from).take(told.len()) {
        let block = (i - from) * BLOCKS / told.len();
        let is_dirty = |rate: usize| courses[rate].0[i];
        let row = columns.row(Adds { to_written: &is_dirty, to_freed: &is_dirty, to_ageless: &is_dirty });
        blocks[block].add(&row, sample.dirty, weight(dirty));
        let is_flushed = |rate: usize| courses[rate].1[i] - courses[rate].1[from];
        let row = columns.row(Adds { to_written: &is_flushed, to_freed: &|_| 0.0, to_ageless: &is_flushed });
        blocks[block].add(&row, sample.flushed - flushed_0, weight_of_flushed);
    }
}

/// The samples that tell most. Where extents are flushed, which is known only roughly (and a MariaDB counts neighbours as
/// dirty until the tail of its list comes to them), those before flushing begins, if their ages tell enough; else
/// those that do not hang on what was before the recording, if enough are left.
fn told(trajectory: &Trajectory) -> std::ops::Range<usize> {
    match (trajectory.order, flushing_begins(trajectory)) {
        (Order::Extents(_), Some(begins)) => 0..begins,
        _ => first_told(trajectory)..trajectory.samples.len(),
    }
}

/// Whether pages are flushed during the samples that tell most.
fn flushing_is_told(trajectory: &Trajectory) -> bool {
    let told = &trajectory.samples[told(trajectory)];
    let (Some(first), Some(last)) = (told.first(), told.last()) else { return false };
    last.flushed - first.flushed > FEW_FLUSHED * last.dirty
}

/// The first sample after which pages are flushed; `None` if the ages before it do not reach half of the largest one, or
/// neither begin near a clean pool nor move enough.
fn flushing_begins(trajectory: &Trajectory) -> Option<usize> {
    let samples = &trajectory.samples;
    let (all, first) = (samples.len(), samples.first()?);
    let largest = (0..all).map(|i| trajectory.age(i)).fold(0.0, f64::max);
    let begins = samples.iter().position(|s| s.flushed - first.flushed > FEW_FLUSHED * s.dirty).unwrap_or(all);
    let reached = trajectory.age(begins.checked_sub(1)?);
    let tells = trajectory.age(0) <= (CLEAN * largest).max(reached / MOVED);
    (tells && reached >= largest / 2.0).then_some(begins)
}

/// The first sample that does not hang on what was before the recording, if enough are left behind it.
fn first_told(trajectory: &Trajectory) -> usize {
    let samples = &trajectory.samples;
    let Some(first) = samples.first() else { return 0 };
    let largest = (0..samples.len()).map(|i| trajectory.age(i)).fold(0.0, f64::max);
    if trajectory.age(0) <= CLEAN * largest {
        return 0;
    }
    let turned = samples.iter().position(|sample| sample.oldest >= first.work).unwrap_or(samples.len());
    if ((samples.len() - turned) as f64) < ENOUGH * samples.len() as f64 { 0 } else { turned }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth() -> Spectrum {
        Spectrum::new(vec![
            Bin { rate: 2e-6, pages: 60_000.0 },
            Bin { rate: 3e-5, pages: 9000.0 },
            Bin { rate: 1e-3, pages: 500.0 },
        ])
    }

    /// Counters of the true spectrum under an age of this course.
    fn counters(age: impl Fn(f64) -> f64, from: usize) -> Trajectory {
        let sample = |i: usize| {
            let work = 2000.0 * i as f64;
            Sample { work, oldest: (work - age(work)).max(0.0), dirty: 0.0, flushed: 0.0 }
        };
        let mut trajectory = Trajectory { samples: (0..=600).map(sample).collect(), order: Order::Pages };
        let mut oldest = 0.0_f64;
        for sample in &mut trajectory.samples {
            oldest = oldest.max(sample.oldest);
            sample.oldest = oldest;
        }
        for bin in &truth().bins {
            let (dirty, flushed) = trajectory.course(bin.rate, None);
            for (i, sample) in trajectory.samples.iter_mut().enumerate() {
                sample.dirty += bin.pages * dirty[i];
                sample.flushed += bin.pages * flushed[i];
            }
        }
        trajectory.samples.drain(..from);
        trajectory
    }

    /// What would be counted of modified classes and of pages that are only read, in a pool of a third of the data.
    fn outgrown(modified: &[Bin], only_read: Bin) -> Evidence {
        let pool = crate::Pool { pages: 20_000.0, old_share: 0.37 };
        let all = [modified, &[only_read]].concat();
        let residence = crate::Residence::of(&all, pool).unwrap();
        let sample = |i: usize| {
            let work = 50.0 * i as f64;
            Sample { work, oldest: (work - 8000.0).max(0.0), dirty: 0.0, flushed: 0.0 }
        };
        let mut counters = Trajectory { samples: (0..=400).map(sample).collect(), order: Order::Pages };
        for bin in modified {
            let (dirty, flushed) = counters.course(bin.rate, Some(&residence));
            for (i, sample) in counters.samples.iter_mut().enumerate() {
                sample.dirty += bin.pages * dirty[i];
                sample.flushed += bin.pages * flushed[i];
            }
        }
        let misses = misses(&all, residence);
        let outgrown = Some(Outgrown { data_pages: all.iter().map(|bin| bin.pages).sum(), pool, misses });
        Evidence { trajectories: vec![counters], outgrown, ..Evidence::default() }
    }

    fn misses(bins: &[Bin], residence: crate::Residence) -> f64 {
        bins.iter().map(|bin| bin.pages * bin.rate * residence.miss_ratio(bin.rate)).sum()
    }

    /// Data three times as large as the pool: pages that leave it before they are old are found by the misses, and what is dirty and
    /// written at another age follows.
    #[test]
    fn misses_tell_the_pages_that_do_not_stay() {
        let (rare, hot) = (Bin { rate: 5e-5, pages: 50_000.0 }, Bin { rate: 2e-3, pages: 4000.0 });
        let found = fit(&outgrown(&[rare, hot], Bin { rate: 5e-5, pages: 6000.0 })).unwrap().spectrum;
        let slowest = found.bins[0];
        assert!(
            (slowest.rate / rare.rate - 1.0).abs() < 0.05 && (slowest.pages / rare.pages - 1.0).abs() < 0.1,
            "{found:?}"
        );
        let read = found.beyond.unwrap().read;
        let pages = found.pages() + read.pages;
        assert!((pages / 60_000.0 - 1.0).abs() < 0.02, "{pages}");
        let truth = Spectrum { beyond: found.beyond, ..Spectrum::new(vec![rare, hot]) };
        for age in [4000.0, 8000.0, 16_000.0] {
            let (dirty, flushed) = (found.dirty(age) / truth.dirty(age), found.flushed(age) / truth.flushed(age));
            assert!((dirty - 1.0).abs() < 0.03 && (flushed - 1.0).abs() < 0.03, "{age}: {dirty} {flushed}");
        }
    }

    /// Classes at about twice the rate of the rarest pages, which the grid does not tell from them: what is found misses as often as was
    /// recorded, and has the dirty pages of the truth.
    #[test]
    fn what_is_found_misses_as_often_as_was_recorded() {
        for rates in [[5e-5, 1e-4, 2e-3], [4e-5, 7e-5, 3e-4], [3e-5, 9e-5, 2e-3]] {
            let pages = [30_000.0, 20_000.0, 4000.0];
            let modified = [0, 1, 2].map(|i| Bin { rate: rates[i], pages: pages[i] });
            let evidence = outgrown(&modified, Bin { rate: rates[0], pages: 6000.0 });
            let known = evidence.outgrown.unwrap();
            let found = fit(&evidence).unwrap().spectrum;
            let beyond = found.beyond.unwrap();
            let all = [&found.bins[..], &[beyond.read]].concat();
            let missed = misses(&all, crate::Residence::of(&all, known.pool).unwrap());
            let pages: f64 = all.iter().map(|bin| bin.pages).sum();
            let off = [missed / known.misses - 1.0, pages / known.data_pages - 1.0];
            assert!(off[0].abs() < 1e-3 && off[1].abs() < 0.02, "{rates:?}: {off:?}");
            let truth = Spectrum { beyond: found.beyond, ..Spectrum::new(modified.to_vec()) };
            for age in [4000.0, 8000.0, 16_000.0] {
                let dirty = found.dirty(age) / truth.dirty(age);
                assert!((dirty - 1.0).abs() < 0.02, "{rates:?} {age}: {dirty}");
            }
        }
    }

    /// The same scatter over fewer blocks is a wider interval, and a single block is none at all.
    #[test]
    fn less_evidence_makes_a_wider_range() {
        let mut fit = of(counters(|work| (work / 3.0).min(2e5), 0));
        let two = [fit.blocks[0].clone(), fit.blocks[BLOCKS - 1].clone()];
        let pages = |spectrum: &Spectrum| spectrum.dirty(1e5);
        fit.residual = 0.0;
        fit.blocks = [two.clone(), two.clone(), two.clone(), two].concat();
        let eight = fit.half_width(pages);
        fit.blocks.truncate(2);
        // Of eight that scatter as much, the root of the jackknife's sum is larger by sqrt(7), the quantile by 2.365 / 12.706.
        let expected = eight / (2.365 * 7.0_f64.sqrt()) * 12.706;
        assert!(eight > 0.0 && (fit.half_width(pages) / expected - 1.0).abs() < 1e-9, "{eight}");
        fit.residual = 0.01;
        let with_residual = expected.hypot(1.96 * 0.01 * pages(&fit.spectrum));
        assert!((fit.half_width(pages) / with_residual - 1.0).abs() < 1e-9, "what is left unexplained widens it");
        fit.blocks.truncate(1);
        assert_eq!(fit.range(pages), Range { low: 0.0, high: f64::INFINITY });
    }

    /// Where neighbours are flushed, the samples before flushing tell the pages, though they begin with some dirty ones; what a
    /// server counts while it flushes does not.
    #[test]
    fn flushing_of_neighbours_does_not_bend_a_growing_age() {
        let mut trajectory = counters(|work| work.min(300_000.0), 15);
        trajectory.order = Order::Extents(2);
        let begins = trajectory.samples.iter().position(|sample| sample.oldest > 0.0).unwrap();
        for sample in &mut trajectory.samples[begins..] {
            // Written pages count as dirty, and most of what is flushed is flushed again and again.
            sample.dirty = truth().distinct(300_000.0);
            sample.flushed *= 10.0;
        }
        let fit = of(trajectory);
        for age in [30_000.0, 100_000.0, 300_000.0] {
            let error = fit.spectrum.distinct(age) / truth().distinct(age) - 1.0;
            assert!(error.abs() < 0.03, "{age}: {error}");
        }
    }

    fn of(trajectory: Trajectory) -> Fit {
        fit(&Evidence {
            trajectories: vec![trajectory],
            younger: Vec::new(),
            drops_freed: false,
            ..Evidence::default()
        })
        .unwrap()
    }

    #[test]
    fn a_clean_start_tells_the_spectrum_up_to_its_largest_age() {
        let fit = of(counters(|_| 300_000.0, 0));
        assert!(fit.shape_is_told && fit.residual < 0.002, "{fit:?}");
        for age in [30_000.0, 100_000.0, 300_000.0] {
            let error = fit.spectrum.dirty(age) / truth().dirty(age) - 1.0;
            assert!(error.abs() < 0.01, "{age}: {error}");
            assert!((fit.spectrum.distinct(age) / truth().distinct(age) - 1.0).abs() < 0.02, "{age}");
            assert!(fit.half_width(|s| s.dirty(age)) < 0.02 * truth().dirty(age));
        }
        let beyond = fit.range(|s| s.dirty(3e6));
        assert!(beyond.low < truth().dirty(3e6) && truth().dirty(3e6) < beyond.high, "{beyond:?}");
    }

    /// Undo pages that are written are free, and have no age, once the server has shut down.
    #[test]
    fn pages_without_an_age_that_are_written_do_not_bend_the_others() {
        let mut trajectory = counters(|work| 100_000.0 + 200_000.0 * (work / 200_000.0).sin().abs(), 0);
        let (dirty, flushed) = trajectory.course(2e-3, None);
        for (i, sample) in trajectory.samples.iter_mut().enumerate() {
            sample.dirty += 2000.0 * dirty[i];
            sample.flushed += 500.0 * flushed[i];
        }
        let younger: Vec<(f64, f64)> =
            (1..=60).map(|i| 20_000.0 * f64::from(i)).map(|age| (age, truth().distinct(age))).collect();
        let fitted =
            fit(&Evidence { trajectories: vec![trajectory], younger, drops_freed: true, ..Evidence::default() })
                .unwrap();
        assert!((fitted.spectrum.freed.unwrap().pages / 1500.0 - 1.0).abs() < 0.05, "{:?}", fitted.spectrum);
        let more = fitted.spectrum.distinct(100_000.0) - truth().distinct(100_000.0);
        assert!((more / 500.0 - 1.0).abs() < 0.1, "{more}");
    }

    /// A tenth of what is dirty is freed before its turn: it shows in dirty pages alone.
    #[test]
    fn pages_that_are_freed_before_their_turn_are_told_from_those_that_are_written() {
        let mut trajectory = counters(|work| 100_000.0 + 200_000.0 * (work / 200_000.0).sin().abs(), 0);
        let (dirty, _) = trajectory.course(2e-3, None);
        trajectory.samples.iter_mut().zip(dirty).for_each(|(sample, share)| sample.dirty += 1500.0 * share);
        let evidence = Evidence { trajectories: vec![trajectory], drops_freed: true, ..Evidence::default() };
        let fitted = fit(&evidence).unwrap();
        let freed = fitted.spectrum.freed.map_or(0.0, |bin| bin.pages);
        assert!((freed / 1500.0 - 1.0).abs() < 0.05, "{:?}", fitted.spectrum);
        assert!((fitted.spectrum.flushed(200_000.0) / truth().flushed(200_000.0) - 1.0).abs() < 0.01);
        let without = fit(&Evidence { drops_freed: false, ..evidence }).unwrap();
        assert!(without.spectrum.freed.is_none() && without.residual > 5.0 * fitted.residual, "{without:?}");
        let none =
            fit(&Evidence { trajectories: vec![counters(|_| 300_000.0, 0)], drops_freed: true, ..Evidence::default() });
        assert!(none.unwrap().spectrum.freed.is_none_or(|bin| bin.pages < 20.0));
    }

    #[test]
    fn an_age_that_moves_tells_it_too() {
        let fit = of(counters(|work| if work < 700_000.0 { 100_000.0 } else { 350_000.0 }, 150));
        assert!(fit.shape_is_told, "{:?}", fit.ages);
        for age in [100_000.0, 300_000.0] {
            let error = fit.spectrum.dirty(age) / truth().dirty(age) - 1.0;
            assert!(error.abs() < 0.03, "{age}: {error}");
        }
    }

    #[test]
    fn an_age_that_stands_still_tells_one_point_and_says_so() {
        let fit = of(counters(|_| 200_000.0, 300));
        assert!(!fit.shape_is_told, "{:?}", fit.ages);
        assert!((fit.spectrum.dirty(200_000.0) / truth().dirty(200_000.0) - 1.0).abs() < 0.03);
        let twice = fit.range(|s| s.dirty(400_000.0));
        assert!(twice.low < truth().dirty(400_000.0) && truth().dirty(400_000.0) < twice.high, "{twice:?}");
        assert!(twice.high > 1.5 * twice.low, "{twice:?}");
    }

    #[test]
    fn page_ages_tell_it_at_all_ages() {
        let ages = (0..80).map(|i| 1000.0 * libm::pow(1.15, f64::from(i)));
        let younger: Vec<(f64, f64)> = ages.map(|age| (age, truth().distinct(age).round())).collect();
        let fit = fit(&Evidence { younger, ..Evidence::default() }).unwrap();
        for age in [3000.0, 30_000.0, 300_000.0, 3e6] {
            let error = fit.spectrum.distinct(age) / truth().distinct(age) - 1.0;
            assert!(error.abs() < 0.01, "{age}: {error}");
        }
        assert!((fit.spectrum.pages() / truth().pages() - 1.0).abs() < 0.02, "{}", fit.spectrum.pages());
    }

    #[test]
    fn a_histogram_of_another_time_shows_in_the_dirty_pages() {
        let recorded = counters(|_| 200_000.0, 0);
        assert!(dirty_is_off(&truth(), &recorded).unwrap().abs() < 0.01);
        // The tail was never modified by what the histogram saw.
        let without_tail = Spectrum::new(truth().bins[1..].to_vec());
        assert!(dirty_is_off(&without_tail, &recorded).unwrap() < -0.5);
        let still = Sample { work: 1.0, oldest: 1.0, dirty: 0.0, flushed: 3.0 };
        assert_eq!(dirty_is_off(&truth(), &Trajectory { samples: vec![still; 9], order: Order::Pages }), None);
    }

    /// Under a small age the many rarely modified pages show as `rate x pages`, and may come out as any number of them.
    #[test]
    fn a_spectrum_has_no_more_pages_than_there_are() {
        let age = |work: f64| if work < 600_000.0 { 12_000.0 } else { 40_000.0 };
        let evidence = Evidence { trajectories: vec![counters(age, 0)], ..Evidence::default() };
        let free = fit(&evidence).unwrap().spectrum;
        let most = truth().pages();
        assert!(free.pages() > 1.05 * most, "{}", free.pages());
        let limited = fit(&Evidence { most_pages: Some(most), ..evidence.clone() }).unwrap().spectrum;
        assert!((limited.pages() / most - 1.0).abs() < 0.01, "{}", limited.pages());
        for age in [10_000.0, 30_000.0] {
            assert!((limited.dirty(age) / truth().dirty(age) - 1.0).abs() < 0.01, "{age}: {limited:?}");
        }
        let enough = fit(&Evidence { most_pages: Some(1.01 * free.pages()), ..evidence }).unwrap().spectrum;
        assert_eq!(enough, free, "a limit that is not reached changes nothing");
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(fit(&Evidence::default()), Err(FitError::NothingHappens));
        let still = Sample { work: 1.0, oldest: 1.0, dirty: 0.0, flushed: 3.0 };
        let trajectories = vec![Trajectory { samples: vec![still; 9], order: Order::Pages }];
        assert_eq!(fit(&Evidence { trajectories, ..Evidence::default() }), Err(FitError::NothingHappens));
    }

    /// Pages that a running server modified while their ages were read seem to have none.
    #[test]
    fn pages_without_an_age_are_no_pages_of_endless_rate() {
        let mut younger: Vec<(f64, f64)> =
            (1..=60).map(|i| 10_000.0 * f64::from(i)).map(|age| (age, truth().distinct(age) + 24.0)).collect();
        younger.insert(0, (0.0008, 24.0));
        let fit = fit(&Evidence {
            trajectories: vec![counters(|_| 300_000.0, 0)],
            younger,
            drops_freed: false,
            ..Evidence::default()
        })
        .unwrap();
        let modifications: f64 = fit.spectrum.bins.iter().map(|bin| bin.rate * bin.pages).sum();
        assert!(modifications < 30.0, "{:?}", fit.spectrum);
        assert!((fit.spectrum.dirty(300_000.0) / truth().dirty(300_000.0) - 1.0).abs() < 0.03);
    }
}
