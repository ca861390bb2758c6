//! CPU time of purge, which is in a server's counters as that of transactions is.
//!
//! Measured by thread (schedstat, `oltp_write_only` after so many transactions that pages split no more than in our
//! recordings, which leaves one deletion and one change of an indexed column a transaction): 9.7 takes 62 us a
//! transaction in a closed loop and 66 at 750/s, and 6.5 with `oltp_update_non_index`, which leaves nothing but an undo
//! log; 5.6 takes 41 in a closed loop (148 at 750/s, where each transaction is a batch of its own) and less than 1;
//! MariaDB 10.11.18 takes 19 at 750/s and 2.5. By what the transactions leave that is 17, 11 and 3 us a removal. 5.7 was not
//! measured and is taken for 5.6. On freshly built indexes, whose pages are split and merged again and again, 9.7 takes 200 to
//! 340 us a transaction.
//!
//! 5.5.9 with its purge thread takes 57 us at 750/s and 35 in a closed loop; with `oltp_update_non_index` 61 at 500/s, 46 at 1500/s,
//! 25 at 4000/s and 16 at 7200/s: its cuts walk over a history that is the longer the lower the load. Calls that purge 20 logs take
//! 20 us a log more with `oltp_write_only`, which is 7 us a removal.
//!
//! A closed loop depends on it: purge is a thread of its own, which goes on while clients wait for their syncs.

use innosim_core::kernel::time::SimDuration;
use innosim_core::run_spec::CpuSpec;
use innosim_core::workload::program::purge_cpu_us;
use innosim_flush_models::registry::ModelId;
use innosim_flush_models::registry::purge_config;
use innosim_recordings::{LoadPhase, Recording};
use innosim_scenario::{Overrides, Source, load};

/// The length of the history list.
const HISTORY: [&str; 2] = ["trx.history_list_length", "m.trx_rseg_history_len"];

/// CPU time of a record that purge removes, µs.
pub(super) fn removal_us(model: ModelId) -> u64 {
    model.purge_removal_us()
}

/// CPU time of purge a transaction of the recorded load, µs; nothing if no model stands for the server. Without a recorded
/// history cuts cost nothing. The error is a sentence.
pub(super) fn a_transaction_us(recording: &Recording, kind: &str, phase: &LoadPhase) -> Result<f64, String> {
    let history = mean_history(recording);
    recording.server.model.map_or(Ok(0.0), |model| of_load(model, kind, phase.tables, phase.table_size, history))
}

/// The mean length of the history list under load, as far as it was recorded.
fn mean_history(recording: &Recording) -> f64 {
    let (from, until) = recording.load_window();
    let Some(column) = HISTORY.iter().find_map(|name| recording.series.column(name)) else { return 0.0 };
    let known = column.timed(&recording.series.seconds).filter(|(second, _)| (from..=until).contains(second));
    let (sum, number) = known.fold((0.0, 0.0), |(sum, number), (_, value)| (sum + value, number + 1.0));
    if number > 0.0 { sum / number } else { 0.0 }
}

/// The same of a server and a workload on tables of a size.
fn of_load(model: ModelId, kind: &str, tables: u32, table_size: u64, history: f64) -> Result<f64, String> {
    // What the transactions leave does not depend on device and clients.
    let text = format!(
        "model = {:?}\nduration = \"1s\"\ndevice.profile = \"nvme\"\ndrive = {{ kind = \"closed\", clients = 1 }}\n\
         [workload]\nkind = {kind:?}\ntables = {tables}\ntable_size = {table_size}\n",
        model.name(),
    );
    let scenario =
        load(Source::Text { name: kind, text: &text }, &Overrides::default()).map_err(|errors| errors.to_string())?;
    let cpu = CpuSpec { purge_change: SimDuration::from_micros(removal_us(model)), ..CpuSpec::default() };
    let purge = purge_config(&scenario.settings).map_err(|error| error.to_string())?;
    Ok(purge_cpu_us(&scenario.run.workload, &purge, &cpu, history))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purge_takes_what_was_measured() {
        let takes = |model, kind: &str, history| {
            of_load(model, &format!("sysbench-oltp-{kind}"), 8, 1_200_000, history).unwrap()
        };
        let near_with = |model, kind, history, measured: f64, error: f64| {
            let takes = takes(model, kind, history);
            assert!((takes - measured).abs() < error * measured, "{model:?}, {kind}: {takes}, measured {measured}");
        };
        let near = |model, kind, measured| near_with(model, kind, 0.0, measured, 0.2);
        // Waking the thread is not in it: up to 14 us of a log at low rates.
        for (history, measured) in [(2012.0, 60.5), (1151.0, 45.8), (478.0, 25.2), (346.0, 16.4)] {
            near_with(ModelId::Mysql55, "update-non-index", history, measured, 0.35);
        }
        near_with(ModelId::Mysql55, "write-only", 1009.0, 56.9, 0.2);
        near_with(ModelId::Mysql55, "write-only", 260.0, 35.0, 0.2);
        near(ModelId::Mysql97, "write-only", 64.0);
        near(ModelId::Mysql97, "update-non-index", 6.5);
        near(ModelId::Mysql56, "write-only", 41.0);
        near(ModelId::Mariadb1011, "write-only", 19.0);
        assert_eq!(takes(ModelId::Mysql97, "insert", 0.0), 0.0, "inserts leave nothing to purge but in MariaDB");
    }
}
