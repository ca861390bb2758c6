//! What a rule decides for a pass, and the checked form that the page cleaner follows.

use crate::Fault;
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::Recommendation;

/// Shortest and longest time from a pass to the next, seconds.
const SLEEP_S: (f64, f64) = (0.01, 1.0);

/// What a rule in another language answers, in numbers that may be anything yet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlushDecision {
    /// Pages of the pass; the sum of the slots if not said.
    pub pages: Option<f64>,
    /// Pages of each buffer pool instance; equal shares if not said.
    pub slots: Option<Vec<f64>>,
    /// Seconds from this pass to the next; the server's own second if not said.
    pub sleep: Option<f64>,
}

/// A decision that can be followed.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Answer {
    pub(crate) recommendation: Recommendation,
    /// Time to the next pass; the server's own second if not said.
    pub(crate) sleep: Option<SimDuration>,
}

/// What a rule is held to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Pages of the buffer pool: no pass flushes more.
    pub(crate) pages: u64,
    pub(crate) instances: usize,
}

impl FlushDecision {
    /// `pages` in equal shares, and the next pass after the server's own sleep.
    pub fn pages(pages: f64) -> FlushDecision {
        FlushDecision { pages: Some(pages), ..FlushDecision::default() }
    }

    /// The decision, if it can be followed; the fault has no place.
    pub(crate) fn checked(&self, bounds: Bounds) -> Result<Answer, Fault> {
        let slots = match &self.slots {
            Some(slots) if slots.len() != bounds.instances => {
                let message =
                    format!("`slots` has {} entries, and there are {} instances", slots.len(), bounds.instances);
                return Err(Fault::new(message).help("give one for each instance (see.instances)"));
            }
            Some(slots) => slots.iter().map(|&slot| pages_of("slots", slot, bounds.pages)).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let n_pages = match self.pages {
            Some(pages) => pages_of("pages", pages, bounds.pages)?,
            None => pages_of("slots", slots.iter().sum::<u64>() as f64, bounds.pages)?,
        };
        let sleep = self.sleep.map(sleep_of).transpose()?;
        Ok(Answer { recommendation: Recommendation { n_pages, slots }, sleep })
    }
}

/// A number of pages that can be asked for.
fn pages_of(name: &str, pages: f64, most: u64) -> Result<u64, Fault> {
    if pages.is_nan() {
        let help = "a division of 0 by 0 gives it; guard the divisor, such as max(x, 1.0)";
        return Err(Fault::new(format!("`{name}` is NaN (not a number)")).help(help));
    }
    if pages < 0.0 {
        return Err(Fault::new(format!("`{name}` is {pages}, below 0")).help("write max(0.0, ...)"));
    }
    if pages > most as f64 {
        let help = "write min(see.dirty_pages, ...): there is no more to flush";
        return Err(Fault::new(format!("`{name}` is {pages}, and the buffer pool has {most} pages")).help(help));
    }
    Ok(pages as u64)
}

fn sleep_of(seconds: f64) -> Result<SimDuration, Fault> {
    let (shortest, longest) = SLEEP_S;
    if !(shortest..=longest).contains(&seconds) {
        let help = format!("give the seconds to the next pass, from {shortest} to {longest}");
        return Err(Fault::new(format!("`sleep` is {seconds}")).help(help));
    }
    Ok(SimDuration((seconds * 1e9) as u64))
}
