//! What a rule may answer: a number of pages, or a map that says more.

use super::engine::number;
use crate::Fault;
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::Recommendation;
use rhai::{Dynamic, FLOAT, Map};

/// Shortest and longest time from a pass to the next, seconds.
const SLEEP_S: (FLOAT, FLOAT) = (0.01, 1.0);
/// What an answer can be.
const ANSWER: &str = "give the pages of this pass: a number, or a map such as #{ pages: 2000, sleep: 0.5 }";

/// An answer that can be followed.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Answer {
    pub(super) recommendation: Recommendation,
    /// Time to the next pass; the server's own second if not said.
    pub(super) sleep: Option<SimDuration>,
}

/// What a rule is held to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Pages of the buffer pool: no pass flushes more.
    pub(super) pages: u64,
    pub(super) instances: usize,
}

impl Answer {
    /// Reads an answer; the fault has no place.
    pub(super) fn of(value: Dynamic, bounds: Bounds) -> Result<Answer, Fault> {
        if let Some(pages) = number(&value) {
            let n_pages = checked("pages", pages, bounds.pages)?;
            return Ok(Answer { recommendation: Recommendation { n_pages, slots: Vec::new() }, sleep: None });
        }
        let kind = value.type_name();
        let Some(map) = value.try_cast::<Map>() else {
            let given = if kind == "()" { "nothing".to_owned() } else { format!("a {kind}") };
            return Err(Fault::new(format!("`pass` gives {given}")).help(ANSWER));
        };
        if let Some(other) = map.keys().find(|key| !["pages", "slots", "sleep"].contains(&key.as_str())) {
            return Err(
                Fault::new(format!("`pass` gives a map with `{other}`")).help("pages, slots and sleep are known")
            );
        }
        let slots = slots(&map, bounds)?;
        let n_pages = match map.get("pages") {
            Some(pages) => checked("pages", a_number("pages", pages)?, bounds.pages)?,
            None if slots.is_empty() => return Err(Fault::new("`pass` gives a map without `pages`").help(ANSWER)),
            None => checked("slots", slots.iter().sum::<u64>() as FLOAT, bounds.pages)?,
        };
        let sleep = map.get("sleep").map(|sleep| a_number("sleep", sleep).and_then(sleep_of)).transpose()?;
        Ok(Answer { recommendation: Recommendation { n_pages, slots }, sleep })
    }
}

fn slots(map: &Map, bounds: Bounds) -> Result<Vec<u64>, Fault> {
    let Some(given) = map.get("slots") else { return Ok(Vec::new()) };
    let Ok(list) = given.as_array_ref() else {
        let help = "give an array with the pages of each buffer pool instance, or leave it out";
        return Err(Fault::new(format!("`slots` is a {}", given.type_name())).help(help));
    };
    if list.len() != bounds.instances {
        let message = format!("`slots` has {} entries, and there are {} instances", list.len(), bounds.instances);
        return Err(Fault::new(message).help("give one for each instance (see.instances)"));
    }
    list.iter().map(|slot| checked("slots", a_number("slots", slot)?, bounds.pages)).collect()
}

fn a_number(name: &str, value: &Dynamic) -> Result<FLOAT, Fault> {
    number(value).ok_or_else(|| Fault::new(format!("`{name}` is a {}", value.type_name())).help("give a number"))
}

/// A number of pages that can be asked for.
fn checked(name: &str, pages: FLOAT, most: u64) -> Result<u64, Fault> {
    if pages.is_nan() {
        let help = "a division of 0 by 0 gives it; guard the divisor, such as max(x, 1.0)";
        return Err(Fault::new(format!("`{name}` is NaN (not a number)")).help(help));
    }
    if pages < 0.0 {
        return Err(Fault::new(format!("`{name}` is {pages}, below 0")).help("write max(0.0, ...)"));
    }
    if pages > most as FLOAT {
        let help = "write min(see.dirty_pages, ...): there is no more to flush";
        return Err(Fault::new(format!("`{name}` is {pages}, and the buffer pool has {most} pages")).help(help));
    }
    Ok(pages as u64)
}

fn sleep_of(seconds: FLOAT) -> Result<SimDuration, Fault> {
    let (shortest, longest) = SLEEP_S;
    if !(shortest..=longest).contains(&seconds) {
        let help = format!("give the seconds to the next pass, from {shortest} to {longest}");
        return Err(Fault::new(format!("`sleep` is {seconds}")).help(help));
    }
    Ok(SimDuration((seconds * 1e9) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { pages: 1000, instances: 2 };

    fn of(script: &str) -> Result<Answer, Fault> {
        Answer::of(rhai::Engine::new().eval::<Dynamic>(script).unwrap(), BOUNDS)
    }

    #[test]
    fn answers_are_numbers_or_maps() {
        let pages = |n_pages, slots: &[u64]| Recommendation { n_pages, slots: slots.to_vec() };
        assert_eq!(of("7").unwrap().recommendation, pages(7, &[]));
        assert_eq!(of("7.9").unwrap().recommendation, pages(7, &[]));
        assert_eq!(of("#{ slots: [3, 4.5] }").unwrap().recommendation, pages(7, &[3, 4]));
        let all = of("#{ pages: 9, slots: [3, 4], sleep: 0.5 }").unwrap();
        assert_eq!((all.recommendation, all.sleep), (pages(9, &[3, 4]), Some(SimDuration::from_millis(500))));
    }

    #[test]
    fn others_are_refused_with_what_is_wrong() {
        for (script, words) in [
            ("()", "gives nothing"),
            ("\"many\"", "gives a string"),
            ("-1", "below 0"),
            ("0.0/0.0", "NaN"),
            ("1e300", "the buffer pool has 1000 pages"),
            ("#{ page: 3 }", "a map with `page`"),
            ("#{ sleep: 1 }", "without `pages`"),
            ("#{ pages: 3, sleep: 0 }", "`sleep` is 0"),
            ("#{ pages: 3, slots: [1] }", "there are 2 instances"),
            ("#{ pages: 3, slots: 1 }", "`slots` is a i64"),
            ("#{ pages: true }", "`pages` is a bool"),
        ] {
            let fault = of(script).unwrap_err();
            assert!(fault.message.contains(words), "{script}: {fault}");
        }
    }
}
