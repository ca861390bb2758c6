//! Page ages and counters together: as much of a histogram as the counters agree with.

use crate::fit::{Evidence, Fit, FitError, dirty_is_off, fit};
use crate::spectrum::Spectrum;
use crate::trajectory::Trajectory;

/// Error in the mean, as a share, up to which a fit agrees with the dirty pages of counters.
const AGREES: f64 = 0.05;
/// The same for distinct pages, mean of the absolute errors over the ages within the recorded redo.
const AGREES_WITH_AGES: f64 = 0.1;

/// How much of a histogram of page ages is part of the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgesUsed {
    /// All of it, or there is none.
    All,
    /// Ages within the redo that was recorded.
    Recorded,
    /// None of it.
    None,
}

/// The fit to all of the evidence that agrees. A histogram is of one instant: of pages that the load hardly ever modifies
/// it shows what was before the load, and where a server was filled or ran something else then, its large ages say
/// nothing of what was recorded. Counters do, and so do the ages within the recorded redo: where the dirty pages of a fit are
/// not the recorded ones, or its distinct pages within that redo not the counted ones, ages beyond it are left out, and
/// if the dirty pages still differ, all.
///
/// # Errors
/// [`FitError`] if the evidence holds nothing.
pub fn fit_agreeing(evidence: &Evidence) -> Result<(Fit, AgesUsed), FitError> {
    let agrees = |fit: &Fit| {
        let off = evidence.trajectories.iter().filter_map(|counters| dirty_is_off(&fit.spectrum, counters));
        off.into_iter().all(|off| off.abs() <= AGREES)
    };
    let done = |counters: &Trajectory| Some(counters.samples.last()?.work - counters.samples.first()?.work);
    let recorded = evidence.trajectories.iter().filter_map(done).fold(0.0, f64::max);
    let all = fit(evidence)?;
    if evidence.younger.is_empty() || (agrees(&all) && counts_as(&all.spectrum, &evidence.younger, recorded)) {
        return Ok((all, AgesUsed::All));
    }
    let mut rest = evidence.clone();
    rest.younger.retain(|(age, _)| *age <= recorded);
    if !rest.younger.is_empty() {
        let within = fit(&rest)?;
        if agrees(&within) {
            return Ok((within, AgesUsed::Recorded));
        }
    }
    rest.younger.clear();
    Ok((fit(&rest)?, AgesUsed::None))
}

/// Whether the distinct pages of a spectrum are those that are younger than the ages up to `recorded`.
fn counts_as(spectrum: &Spectrum, younger: &[(f64, f64)], recorded: f64) -> bool {
    let within = younger.iter().filter(|(age, pages)| *age <= recorded && *pages > 0.0);
    let errors: Vec<f64> = within.map(|(age, pages)| (spectrum.distinct(*age) / pages - 1.0).abs()).collect();
    errors.iter().sum::<f64>() <= AGREES_WITH_AGES * errors.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bin::Bin;
    use crate::spectrum::Spectrum;
    use crate::trajectory::{Order, Sample};

    /// Counters under an age of 200 000 units of work, and the pages of a snapshot at their end that are younger.
    fn evidence(before_the_load: f64) -> (Spectrum, Evidence) {
        let bins = vec![Bin { rate: 2e-6, pages: 60_000.0 }, Bin { rate: 3e-5, pages: 9000.0 }];
        let spectrum = Spectrum::new(bins);
        let sample = |i: usize| {
            let work = 2000.0 * i as f64;
            Sample { work, oldest: (work - 200_000.0).max(0.0), dirty: 0.0, flushed: 0.0 }
        };
        let mut counters = Trajectory { samples: (0..=400).map(sample).collect(), order: Order::Pages };
        for bin in &spectrum.bins {
            let (dirty, flushed) = counters.course(bin.rate, None);
            for (i, sample) in counters.samples.iter_mut().enumerate() {
                sample.dirty += bin.pages * dirty[i];
                sample.flushed += bin.pages * flushed[i];
            }
        }
        let mut younger: Vec<(f64, f64)> =
            (1..=60).map(|i| 13_000.0 * f64::from(i)).map(|age| (age, spectrum.distinct(age))).collect();
        // What filled the tables wrote every page once, and much redo besides.
        let pages = spectrum.pages();
        younger.extend((1..=200).map(|i| (8e5 + 5e5 * f64::from(i), pages + before_the_load * f64::from(i))));
        (spectrum, Evidence { trajectories: vec![counters], younger, ..Evidence::default() })
    }

    #[test]
    fn page_ages_from_before_the_load_are_left_out_where_they_contradict_it() {
        let (truth, agreeing) = evidence(0.0);
        let (fit, used) = fit_agreeing(&Evidence { younger: agreeing.younger[..60].to_vec(), ..agreeing }).unwrap();
        assert_eq!(used, AgesUsed::All);
        assert!((fit.spectrum.dirty(2e5) / truth.dirty(2e5) - 1.0).abs() < 0.03);
        // Pages that were written before the load show as rarely modified ones, and do no harm.
        let (truth, filled) = evidence(20_000.0);
        let (fit, used) = fit_agreeing(&filled).unwrap();
        assert!((fit.spectrum.dirty(2e5) / truth.dirty(2e5) - 1.0).abs() < 0.05, "{used:?} {:?}", fit.spectrum);
        // A snapshot of another server, or one that missed what was dirty in memory.
        let (truth, other) = evidence(0.0);
        let younger = other.younger.iter().map(|(age, pages)| (*age, 0.2 * pages)).collect();
        let (fit, used) = fit_agreeing(&Evidence { younger, ..other }).unwrap();
        assert_eq!(used, AgesUsed::None, "{:?}", fit.spectrum);
        assert!((fit.spectrum.dirty(2e5) / truth.dirty(2e5) - 1.0).abs() < 0.03, "{:?}", fit.spectrum);
    }

    /// The counters' ages are small, so that their dirty pages agree with much; the ages within their redo tell more.
    #[test]
    fn what_another_load_wrote_before_does_not_bend_the_ages_of_this_one() {
        let (truth, mut evidence) = evidence(0.0);
        let recorded = evidence.trajectories[0].samples.last().unwrap().work;
        let counters = &mut evidence.trajectories[0];
        for sample in &mut counters.samples {
            sample.oldest = (sample.work - 10_000.0).max(0.0);
            (sample.dirty, sample.flushed) = (0.0, 0.0);
        }
        for bin in &truth.bins {
            let (dirty, flushed) = counters.course(bin.rate, None);
            for (i, sample) in counters.samples.iter_mut().enumerate() {
                sample.dirty += bin.pages * dirty[i];
                sample.flushed += bin.pages * flushed[i];
            }
        }
        evidence.younger.retain(|(age, _)| *age <= recorded);
        let at_start = truth.distinct(recorded);
        // It modified many pages at once, long before: no load that goes on as it is does so.
        let before = |i: u32| (recorded * (4.0 + 0.1 * f64::from(i)), 40.0 * at_start + f64::from(i));
        evidence.younger.extend((1..=200).map(before));
        let (fit, used) = fit_agreeing(&evidence).unwrap();
        assert_eq!(used, AgesUsed::Recorded);
        for age in [5e4, 2e5] {
            assert!((fit.spectrum.dirty(age) / truth.dirty(age) - 1.0).abs() < 0.05, "{age} {:?}", fit.spectrum);
        }
    }
}
