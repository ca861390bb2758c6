//! The checkpointer waits for the mutex of the log writer (8.0.30 and later).
//!
//! Source: `checkpoint-starvation`. When the header of a checkpoint is about to be written, its LSN is chosen and the data files
//! are synced. The header is written under the mutex of the log writer, which the writer keeps while it writes and spins. It
//! gives the mutex up when it goes to sleep, and for an instant after every 1024th write. Nobody is handed the mutex: a waiter is
//! woken and must find it free, which it rarely does. So while the writer spins the checkpointer waits for an exponential time,
//! at the rate of the writer's sleeps, plus one in [`tries`] of its instants. The age of the page cleaner's rule is that of the
//! oldest page and does not notice; recovery and the limits of user threads go by the published checkpoint.
//!
//! Calibrated: [`TRIES`], on three recorded runs of MySQL 9.7.0, by the share of the processors that the server uses (12 GiB with 16
//! and 64 clients, 32 GiB with 64). Simplifications: a spinning writer goes to sleep only in a pause of all redo that is longer than
//! its spin; how often others come, from drives that stall, is not predicted but given by the scenario (`log_writer_waits` of
//! `[host]`). Where it is not given, and where commits do not wait for a sync of redo, the checkpointer never waits (errs
//! towards shorter waits).

use crate::kernel::random::Rng;
use crate::kernel::time::{SimDuration, SimTime};
use crate::redo::lsn::BLOCK_BYTES;
use crate::server::base::Base;
use crate::server::log::threads::FULL_WRITES;
use crate::server::machine::events::Event;

/// How often the simulation looks whether the wait is over.
const LOOK: SimDuration = SimDuration::from_millis(10);
/// Writes between two instants in which the writer gives its mutex up.
const WRITES_BETWEEN_YIELDS: f64 = 1_024.0;
/// How long a writer without work spins before it sleeps.
const SPIN: SimDuration = SimDuration::from_millis(11);
/// Instants in which the mutex is free for each in which the checkpointer gets it, by the share of the processors that the server
/// uses. Waking takes longest where processors are idle; on a crowded machine the writer loses its own.
const TRIES: [(f64, f64); 3] = [(0.10, 3_300.0), (0.35, 1_600.0), (0.54, 30.0)];

/// See [`TRIES`]: level outside, and linear in its logarithm in between.
fn tries(share: f64) -> f64 {
    let [(first, most), _, (_, least)] = TRIES;
    let between = TRIES.windows(2).find(|pair| share < pair[1].0);
    match between {
        Some(&[(from, high), (to, low)]) if share >= first => {
            high * libm::pow(low / high, (share - from) / (to - from))
        }
        Some(_) => most,
        None => least,
    }
}

/// The checkpointer's wait.
#[derive(Debug, Clone)]
pub(super) struct WriterMutexWait {
    rng: Rng,
    /// What is left of an exponential time of mean 1, in units of its rate.
    left: f64,
    /// When the simulation looked last, and the end of the redo then.
    looked: SimTime,
    lsn: u64,
}

impl WriterMutexWait {
    pub(super) fn new(rng: Rng) -> Self {
        WriterMutexWait { rng, left: 0.0, looked: SimTime::ZERO, lsn: 0 }
    }

    /// The block of a checkpoint is about to be written: whether the checkpointer must wait for the log writer first.
    pub(super) fn is_taken(&mut self, base: &mut Base) -> bool {
        let Base { log, machine, .. } = base;
        if machine.processors.spec().log_writer_waits_per_s.is_none() {
            return false;
        }
        let kept = log.busy_writer(SPIN, machine).is_some();
        if kept {
            self.left = -libm::log(1.0 - self.rng.uniform_f64());
            (self.looked, self.lsn) = (machine.now, machine.redo.current_lsn());
            machine.calendar.schedule(machine.now + LOOK, Event::CheckpointerLooks);
        }
        kept
    }

    /// Whether the wait is over; if not, the simulation looks again.
    pub(super) fn is_got(&mut self, base: &mut Base) -> bool {
        let Base { log, machine, .. } = base;
        let Some(writer) = log.busy_writer(SPIN, machine) else { return true };
        let (now, lsn) = (machine.now, machine.redo.current_lsn());
        let passed_s = now.since(self.looked).as_secs_f64();
        let full_writes = FULL_WRITES * (lsn - self.lsn) as f64 / BLOCK_BYTES as f64;
        let writes = writer.writes_per_s * passed_s + full_writes;
        let share = writer.processors / f64::from(machine.processors.cores());
        let sleeps_per_s = machine.processors.spec().log_writer_waits_per_s.unwrap_or(0.0);
        self.left -= sleeps_per_s * passed_s + writes / WRITES_BETWEEN_YIELDS / tries(share);
        (self.looked, self.lsn) = (now, lsn);
        machine.recorder.counts.checkpointer_wait_ms += (passed_s * 1e3) as u64;
        if self.left > 0.0 {
            machine.calendar.schedule(now + LOOK, Event::CheckpointerLooks);
        }
        self.left <= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_fall_as_processors_fill() {
        for (share, expected) in TRIES.into_iter().chain([(0.0, 3_300.0), (1.2, 30.0)]) {
            assert!((tries(share) - expected).abs() < 1e-6 * expected, "{share}: {}", tries(share));
        }
        assert!((tries(0.225) - (3_300.0_f64 * 1_600.0).sqrt()).abs() < 1.0);
    }
}
