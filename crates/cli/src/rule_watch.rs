//! Ends the program when a rule in Rust does not come back: an endless loop there can't be stopped by anything else.
//!
//! A script has a budget of operations and needs no watch. What is watched is whether the same question to a rule has been open
//! for [`PATIENCE`] looks in a row, a second apart, so that a program that was suspended is given its time. Runs of a sweep
//! that were through are on disk by then.

use crate::output::note_error;
use innosim_rules::{Asked, asked};
use std::collections::BTreeMap;
use std::time::Duration;

/// Looks after which a rule is given up. A pass takes microseconds.
const PATIENCE: u32 = 60;
/// Time between two looks.
const BETWEEN: Duration = Duration::from_secs(1);

/// Watches the rules of this program from now on.
pub(crate) fn begin() {
    std::thread::spawn(|| {
        let mut open = BTreeMap::new();
        loop {
            std::thread::sleep(BETWEEN);
            if let Some(late) = overdue(&mut open, &asked()) {
                note_error(&format!("error: {}", words(&late)));
                std::process::exit(2);
            }
        }
    });
}

/// Notes how often each open question has been seen, and says which one was seen too often.
fn overdue(open: &mut BTreeMap<u64, u32>, asked: &[Asked]) -> Option<Asked> {
    open.retain(|call, _| asked.iter().any(|asked| asked.call == *call));
    asked.iter().for_each(|asked| *open.entry(asked.call).or_default() += 1);
    asked.iter().find(|asked| open.get(&asked.call).is_some_and(|looks| *looks >= PATIENCE)).cloned()
}

fn words(late: &Asked) -> String {
    let seconds = u64::from(PATIENCE) * BETWEEN.as_secs();
    format!(
        "at {:.3} s of the run: rule {}: it has not come back for {seconds} s: an endless loop?\n  it saw: {}\n  = help: a \
         rule in Rust can't be stopped, so the program ends; runs of a sweep that were through are kept",
        late.at_ms as f64 / 1e3,
        late.rule,
        late.saw
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stays_open_is_given_up() {
        let call = |call| Asked { rule: "r".to_owned(), call, at_ms: 1500, saw: "age 1 of 2 bytes".to_owned() };
        let mut open = BTreeMap::new();
        for look in 0..10 * u64::from(PATIENCE) {
            assert_eq!(overdue(&mut open, &[call(look)]), None, "each look sees another question");
        }
        for _ in 1..PATIENCE {
            assert_eq!(overdue(&mut open, &[call(7)]), None);
        }
        let late = overdue(&mut open, &[call(9), call(7)]).unwrap();
        assert_eq!(late.call, 7);
        assert!(
            words(&late).starts_with("at 1.500 s of the run: rule r: it has not come back for 60 s"),
            "{}",
            words(&late)
        );
    }
}
