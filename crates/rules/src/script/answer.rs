//! What a script may answer: a number of pages, or a map that says more.

use super::engine::number;
use crate::Fault;
use crate::decision::FlushDecision;
use rhai::{Dynamic, FLOAT, Map};

/// What an answer can be.
const ANSWER: &str = "give the pages of this pass: a number, or a map such as #{ pages: 2000, sleep: 0.5 }";

/// Reads an answer; the fault has no place.
pub(super) fn decision_of(value: Dynamic) -> Result<FlushDecision, Fault> {
    if let Some(pages) = number(&value) {
        return Ok(FlushDecision::pages(pages));
    }
    let kind = value.type_name();
    let Some(map) = value.try_cast::<Map>() else {
        let given = if kind == "()" { "nothing".to_owned() } else { format!("a {kind}") };
        return Err(Fault::new(format!("`pass` gives {given}")).help(ANSWER));
    };
    if let Some(other) = map.keys().find(|key| !["pages", "slots", "sleep"].contains(&key.as_str())) {
        return Err(Fault::new(format!("`pass` gives a map with `{other}`")).help("pages, slots and sleep are known"));
    }
    let number_of = |name: &str| map.get(name).map(|value| a_number(name, value)).transpose();
    let decision = FlushDecision { pages: number_of("pages")?, slots: slots(&map)?, sleep: number_of("sleep")? };
    if decision.pages.is_none() && decision.slots.is_none() {
        return Err(Fault::new("`pass` gives a map without `pages`").help(ANSWER));
    }
    Ok(decision)
}

fn slots(map: &Map) -> Result<Option<Vec<FLOAT>>, Fault> {
    let Some(given) = map.get("slots") else { return Ok(None) };
    let Ok(list) = given.as_array_ref() else {
        let help = "give an array with the pages of each buffer pool instance, or leave it out";
        return Err(Fault::new(format!("`slots` is a {}", given.type_name())).help(help));
    };
    list.iter().map(|slot| a_number("slots", slot)).collect::<Result<_, _>>().map(Some)
}

fn a_number(name: &str, value: &Dynamic) -> Result<FLOAT, Fault> {
    number(value).ok_or_else(|| Fault::new(format!("`{name}` is a {}", value.type_name())).help("give a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::{Answer, Bounds};
    use innosim_core::kernel::time::SimDuration;
    use innosim_core::seam::Recommendation;

    const BOUNDS: Bounds = Bounds { pages: 1000, instances: 2 };

    fn of(script: &str) -> Result<Answer, Fault> {
        decision_of(rhai::Engine::new().eval::<Dynamic>(script).unwrap())?.checked(BOUNDS)
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
