//! The log writer's threads of MySQL 8.0 and later (`innodb_log_writer_threads = ON`), and what they do to CPU counters.
//!
//! Source: `innodb-8.0.21` sections 3.1 and 3.2, and measurement. A commit goes through the hands of a writer, a
//! flusher and a notifier. Each of them waits in slices of ten microseconds; once the server takes more user time than
//! `innodb_log_spin_cpu_abs_lwm`, it spins instead. 8.0.31 on two processors, `oltp_update_non_index`:
//!
//! | load | user time, processors | CPU time with the threads | without | redo syncs with the threads | without |
//! |---|---|---|---|---|---|
//! | 300/s | 0.11 | 0.24 | 0.14 | 332/s | 296/s |
//! | 1000/s | 0.23 | 0.54 | 0.43 | 790/s | 655/s |
//! | 2000/s | 0.41 | 0.88 | 0.65 | 1111/s | 1374/s |
//! | 16 clients in a closed loop | 1.29 | 1.66, at 2950/s | 1.37, at 5160/s | 552/s | 723/s |
//!
//! So a redo sync takes 150 to 300 us more with them, 200 in the middle, as long as they do not spin. When they do,
//! they take 0.9 of a processor there, which belongs to no transaction but can't be told from their time.
//!
//! Simplification: the model does not spin. All CPU time is taken for the transactions', which holds for the recorded
//! load. (Threads that take equal shares of the processors for nothing were tried: a closed loop came out 26 % too fast
//! from an open one with them, 28 % without. What slows it is that they get their processors late when there is
//! something to do.)

use super::counters::{Load, TICK_S};
use innosim_flush_models::registry::ModelId;
use innosim_recordings::Recording;

/// What the threads take for a redo sync besides, µs.
const HANDS_CPU_US: f64 = 200.0;
/// `innodb_log_spin_cpu_abs_lwm` by default, percent of one processor.
const SPIN_ABOVE_PERCENT: f64 = 80.0;
/// Requests that come more seldom than this are waited for without spinning, a second.
const FREQUENT: f64 = 1000.0;

/// Whether threads of their own write and sync the redo log.
pub(super) fn write_redo(server: &Recording) -> bool {
    match server.variables.get("innodb_log_writer_threads") {
        Some(value) => value == "ON",
        // Before 8.0.22 there is no choice.
        None => server.server.model == Some(ModelId::Mysql8021),
    }
}

/// What they take for a redo sync, µs.
pub(super) fn cpu_us(server: &Recording) -> f64 {
    if write_redo(server) { HANDS_CPU_US } else { 0.0 }
}

/// User time of the server under load, processors, if its log writer's threads spin there.
pub(super) fn spinning(recording: &Recording, load: &Load) -> Option<f64> {
    let ticks = load.column(recording, &["proc.mysqld_utime", "cpu.user"])?;
    let processors = load.a_second(&ticks)? * TICK_S;
    let above = recording.number("innodb_log_spin_cpu_abs_lwm");
    let spins = processors * 100.0 >= above.unwrap_or(SPIN_ABOVE_PERCENT);
    (write_redo(recording) && spins && load.transactions_a_second() >= FREQUENT).then_some(processors)
}
