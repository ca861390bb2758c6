//! The page cleaner's loops that a server's error log calls too slow, read together.

use crate::event::{Event, What};

/// A loop that does less than this a second did not wait for pages: the device stood still.
const STANDSTILL_PAGES_PER_S: f64 = 10.0;

/// A loop of the page cleaner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loop {
    /// Seconds since the first message.
    pub at_s: f64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Pages that it flushed.
    pub flushed: f64,
    /// Pages that it evicted.
    pub evicted: f64,
}

impl Loop {
    fn pages_per_s(&self) -> f64 {
        self.flushed / self.seconds.max(0.001)
    }

    fn stood_still(&self) -> bool {
        (self.flushed + self.evicted) / self.seconds.max(0.001) < STANDSTILL_PAGES_PER_S
    }

    fn made_room(&self) -> bool {
        self.evicted > self.flushed
    }
}

/// What the messages tell. `cap`: the setting that bounds flushing, and its value.
pub fn explain_slow_loops(loops: &[Loop], cap: Option<(&'static str, f64)>) -> Vec<Event> {
    let mut events = Vec::new();
    let flushing: Vec<&Loop> = loops.iter().filter(|l| !l.stood_still() && !l.made_room()).collect();
    if let Some(first) = flushing.first() {
        let mut rates: Vec<f64> = flushing.iter().map(|l| l.pages_per_s()).collect();
        rates.sort_by(f64::total_cmp);
        let what = What::SlowLoops {
            loops: flushing.len() as u32,
            pages_per_s: crate::blocks::median(rates.iter().copied()),
            least_pages_per_s: rates[0],
            most_pages_per_s: rates[rates.len() - 1],
            longest_s: flushing.iter().map(|l| l.seconds).fold(0.0, f64::max),
            setting: cap.map(|(setting, _)| setting),
            present: cap.map(|(_, value)| value),
        };
        events.push(Event { at_s: first.at_s, what });
    }
    for l in loops {
        let what = if l.stood_still() {
            What::StoodStill { seconds: l.seconds, pages: l.flushed + l.evicted }
        } else if l.made_room() {
            What::LoopMadeRoom { seconds: l.seconds, flushed: l.flushed, evicted: l.evicted }
        } else {
            continue;
        };
        events.push(Event { at_s: l.at_s, what });
    }
    events.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    if let Some(last) = loops.last() {
        events.push(Event { at_s: last.at_s, what: What::LoopsUnsaid { messages: loops.len() as u32 } });
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ceiling_a_standstill_and_room_are_three_things() {
        let of = |at_s: f64, seconds: f64, flushed: f64, evicted: f64| Loop { at_s, seconds, flushed, evicted };
        let loops = [
            of(0.0, 4.218, 1874.0, 0.0),
            of(20.0, 5.102, 2011.0, 0.0),
            of(60.0, 4.690, 1993.0, 0.0),
            of(900.0, 11.84, 12.0, 0.0),
            of(950.0, 5.925, 46.0, 595.0),
        ];
        let events = explain_slow_loops(&loops, Some(("innodb_io_capacity_max", 2000.0)));
        let What::SlowLoops { loops: n, pages_per_s, present, .. } = events[0].what else { panic!("{events:?}") };
        assert!(n == 3 && (420.0..430.0).contains(&pages_per_s) && present == Some(2000.0), "{events:?}");
        assert_eq!(events[1], Event { at_s: 900.0, what: What::StoodStill { seconds: 11.84, pages: 12.0 } });
        assert!(matches!(events[2].what, What::LoopMadeRoom { evicted: 595.0, .. }));
        assert!(matches!(events[3].what, What::LoopsUnsaid { messages: 5 }));
        assert!(explain_slow_loops(&[], None).is_empty());
    }
}
