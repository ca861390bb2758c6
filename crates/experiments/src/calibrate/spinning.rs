//! CPU time of threads that spin on the mutex of an LRU list (`innosim_core::server::machine::lru_list_mutexes`).
//!
//! A thread of MySQL that finds a mutex taken looks again `innodb_sync_spin_loops` times (30), after a random number of
//! up to `innodb_spin_wait_delay` (6) times `innodb_spin_wait_pause_multiplier` (50, before 8.0.16 always) pauses of the
//! processor, then it sleeps. At 25 ns a pause, measured on the machine of the measurement below, that is 112 us: less
//! than a sync of data files under that mutex takes. MariaDB's mutex of the buffer pool does not spin, nor does it hold
//! it for a sync.
//!
//! Counters don't tell this time from the transactions'. By setting `innodb_sync_spin_loops` to 30 and to 0 in turn it
//! was measured in 9.7 with 16 clients, one instance of a quarter of the data and a cap of 8000 operations: user time of
//! 188 and 133 us a transaction (four runs: 176, 144, 199, 122), of which each flushed 0.20 pages from the LRU list. So
//! it is 270 us for such a page, 2.4 waits.
//!
//! Simplification: as many waits a page whatever the number of clients (errs towards too little CPU time for a
//! transaction that was recorded with few).

use super::counters::Load;
use innosim_flush_models::registry::ModelId;
use innosim_recordings::Recording;

/// A pause of the processor, µs.
const PAUSE_US: f64 = 0.025;
/// Waits for the mutex for each page that is flushed from an LRU list.
const WAITS_A_PAGE: f64 = 2.4;
/// Pages flushed from LRU lists.
const LRU_PAGES: [&str; 2] = ["m.buffer_LRU_batch_flush_total_pages", "m.buffer_LRU_batch_total_pages"];

/// For how long a thread of the server spins before it sleeps, µs.
pub(super) fn spin_us(server: &Recording) -> f64 {
    if server.server.model.is_some_and(ModelId::is_mariadb) {
        return 0.0;
    }
    let says = |name: &str, default: f64| server.number(name).unwrap_or(default);
    let loops = says("innodb_sync_spin_loops", 30.0);
    let delay = says("innodb_spin_wait_delay", 6.0);
    loops * delay / 2.0 * says("innodb_spin_wait_pause_multiplier", 50.0) * PAUSE_US
}

/// CPU time of spinning a transaction of the recorded load, µs: of servers that sync under the mutex of the LRU list,
/// those from 8.0 on.
pub(super) fn a_transaction_us(recording: &Recording, load: &Load) -> f64 {
    let before_80 = [ModelId::Mysql55, ModelId::Percona55, ModelId::Mysql56, ModelId::Mysql57];
    if recording.server.model.is_none_or(|model| model.is_mariadb() || before_80.contains(&model)) {
        return 0.0;
    }
    let pages = load.column(recording, &LRU_PAGES).map_or(0.0, |pages| load.ratio(&pages).0);
    pages * WAITS_A_PAGE * spin_us(recording)
}
