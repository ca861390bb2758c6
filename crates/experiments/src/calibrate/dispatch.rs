//! CPU time of the load generator to hand out transactions at a rate.
//!
//! sysbench with `--rate` has a thread that sleeps until the next transaction is due, puts it into a queue and wakes a
//! thread for it; in a closed loop its threads go on by themselves. Its CPU time a transaction of
//! `oltp_update_non_index`, which is one statement, on the machine of the recordings:
//!
//! | | with `--rate` | closed loop, 16 threads |
//! |---|---|---|
//! | 5.5 | 60, 61 us | |
//! | 5.6 | 55, 59, 62 us | 24, 27 us |
//! | MariaDB | 63, 64 us | |
//! | 9.7 | 59 us | |
//!
//! and 117 to 157 us for the six statements of `oltp_write_only` in a closed loop (seven recordings), 20 to 26 each. On
//! another machine, beside other work, with MariaDB: 46 us at 4000/s, 77 at 2000/s, and 23, 25 and 27 us in a closed
//! loop of 16, 4 and 64 threads. So what a thread does for a statement hardly depends on the load, and the rest of what
//! sysbench takes at a rate is dispatching. A closed loop must not be predicted with it: it was a fifth of what a
//! transaction of MariaDB seemed to take.

use super::counters::{Load, TICK_S};
use innosim_recordings::Recording;

/// CPU time of sysbench for a statement, µs.
const STATEMENT_US: f64 = 24.0;
/// CPU time of dispatching a transaction where only a closed loop was recorded, µs: 35 at 4000/s in the recordings, 22
/// on the other machine.
const DISPATCH_US: f64 = 30.0;
/// CPU time of sysbench.
const SYSBENCH_TICKS: &str = "proc.sysbench_cpu";

/// What the load generator took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dispatch {
    /// CPU time of dispatching a transaction at a rate, µs.
    pub(super) at_a_rate_us: f64,
    /// What of it the recorded CPU time holds, µs a transaction.
    pub(super) recorded_us: f64,
}

impl Dispatch {
    /// Of a recorded load; nothing where the load generator's CPU time was not recorded: it may have run elsewhere.
    pub(super) fn of(recording: &Recording, load: &Load, kind: &str) -> Dispatch {
        let Some(ticks) = load.sum(recording, &[SYSBENCH_TICKS]) else {
            return Dispatch { at_a_rate_us: 0.0, recorded_us: 0.0 };
        };
        let (ticks, _) = load.ratio(&ticks);
        let at_a_rate = recording.phases.iter().all(|phase| phase.rate.is_some());
        Dispatch::from_cpu(ticks * TICK_S * 1e6, statements(kind), at_a_rate)
    }

    /// From the CPU time of sysbench a transaction of so many statements.
    fn from_cpu(sysbench_us: f64, statements: f64, at_a_rate: bool) -> Dispatch {
        if !at_a_rate {
            return Dispatch { at_a_rate_us: DISPATCH_US, recorded_us: 0.0 };
        }
        let recorded_us = (sysbench_us - STATEMENT_US * statements).max(0.0);
        Dispatch { at_a_rate_us: recorded_us, recorded_us }
    }
}

/// Statements of a transaction, BEGIN and COMMIT included, as sysbench's scripts have them.
fn statements(kind: &str) -> f64 {
    match kind {
        "sysbench-oltp-write-only" => 6.0,
        "sysbench-oltp-read-write" => 20.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_for_the_statements_is_dispatching() {
        let at_a_rate = Dispatch::from_cpu(59.0, statements("sysbench-oltp-update-non-index"), true);
        assert_eq!(at_a_rate, Dispatch { at_a_rate_us: 35.0, recorded_us: 35.0 });
        let closed = Dispatch::from_cpu(24.0, 1.0, false);
        assert_eq!(closed, Dispatch { at_a_rate_us: DISPATCH_US, recorded_us: 0.0 }, "threads go on by themselves");
        let many = Dispatch::from_cpu(400.0, statements("sysbench-oltp-read-write"), true);
        assert_eq!(many.recorded_us, 0.0, "never less than nothing");
    }
}
