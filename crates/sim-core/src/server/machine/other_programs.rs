//! Other programs of the host, which take CPU time from the server and its clients.
//!
//! How much they take is told beforehand (a recording's counters have it): the CPU time of the machine that is neither
//! the server's nor the load generator's. It comes as short pieces of work, each 4 ms, as a scheduler with slices of
//! some milliseconds lets a busy program have it, and shares the processors with all threads as equals.
//!
//! Simplifications: no weights of control groups (errs towards a larger hold-up); pieces come evenly.

use crate::kernel::time::{SimDuration, SimTime};
use crate::run_spec::OtherPrograms;
use crate::server::machine::events::Event;
use crate::server::machine::processors::Cpu;

/// From one piece of work to the next.
const PERIOD: SimDuration = SimDuration::from_millis(4);

/// Threads that other programs need to take so much in one period, and the work of each.
fn pieces(load: &[OtherPrograms], now: SimTime) -> (u64, SimDuration) {
    let cpus = load.iter().rev().find(|one| one.from <= now).map_or(0.0, |one| one.cpus);
    let threads = (cpus.ceil() as u64).max(1);
    (threads, SimDuration((PERIOD.0 as f64 * cpus / threads as f64 + 0.5) as u64))
}

impl Cpu<'_> {
    pub(in crate::server) fn start_other_programs(&mut self) {
        if !self.other_programs.is_empty() {
            self.calendar.schedule(self.now, Event::OtherPrograms);
        }
    }

    /// Other programs want to compute again.
    pub(in crate::server) fn other_programs_compute(&mut self) {
        let (threads, work) = pieces(self.other_programs, self.now);
        (0..threads).for_each(|_| self.occupy_processor(work));
        self.calendar.schedule(self.now + PERIOD, Event::OtherPrograms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_processor_takes_several_threads() {
        let at = |s: u64| SimTime(s * 1_000_000_000);
        let load = [OtherPrograms { from: at(1), cpus: 0.25 }, OtherPrograms { from: at(2), cpus: 1.5 }];
        assert_eq!(pieces(&load, at(0)), (1, SimDuration::ZERO));
        assert_eq!(pieces(&load, at(1)), (1, SimDuration::from_millis(1)));
        assert_eq!(pieces(&load, at(9)), (2, SimDuration::from_millis(3)));
    }
}
