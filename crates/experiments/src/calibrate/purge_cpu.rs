//! CPU time of purge, which is in a server's counters as that of transactions is.
//!
//! Measured by thread (schedstat, `oltp_write_only` after so many transactions that pages split no more than in our recordings, which
//! leaves one deletion and one change of an indexed column a transaction): 9.7 takes 62 us a transaction in a closed loop and 66 at
//! 750/s, and 6.5 with `oltp_update_non_index`, which leaves nothing but an undo log; 5.6 takes 41 in a closed loop (148 at 750/s, where
//! each transaction is a batch of its own) and less than 1; MariaDB 10.11.18 takes 19 at 750/s and 2.5. By what the transactions leave
//! that is 17, 11 and 3 us a removal. 5.5 and 5.7 were not measured and are taken for 5.6. On freshly built indexes, whose pages are split and
//! merged again and again, 9.7 takes 200 to 340 us a transaction.
//!
//! A closed loop depends on it: purge is a thread of its own, which goes on while clients wait for their syncs.

use innosim_core::kernel::time::SimDuration;
use innosim_core::run_spec::CpuSpec;
use innosim_core::workload::program::purge_cpu_us;
use innosim_flush_models::purge::purge_config;
use innosim_flush_models::registry::ModelId;
use innosim_recordings::{LoadPhase, Recording};
use innosim_scenario::{Overrides, Source, load};

/// CPU time of a record that purge removes, µs.
pub(super) fn removal_us(model: ModelId) -> u64 {
    match model {
        ModelId::Mariadb1011 => 3,
        ModelId::Mysql55 | ModelId::Percona55 | ModelId::Mysql56 | ModelId::Mysql57 => 11,
        ModelId::Mysql8021 | ModelId::Mysql8030 | ModelId::Percona80 | ModelId::Mysql84 | ModelId::Mysql97 => 17,
    }
}

/// CPU time of purge a transaction of the recorded load, µs; nothing if no model stands for the server. The error is a sentence.
pub(super) fn a_transaction_us(recording: &Recording, kind: &str, phase: &LoadPhase) -> Result<f64, String> {
    let Some(model) = recording.server.model else { return Ok(0.0) };
    // What the transactions leave does not depend on device and clients.
    let text = format!(
        "model = {:?}\nduration = \"1s\"\ndevice.profile = \"nvme\"\ndrive = {{ kind = \"closed\", clients = 1 }}\n\
         [workload]\nkind = {kind:?}\ntables = {}\ntable_size = {}\n",
        model.name(),
        phase.tables,
        phase.table_size
    );
    let scenario = load(Source::Text { name: &recording.name, text: &text }, &Overrides::default())
        .map_err(|errors| errors.to_string())?;
    let cpu = CpuSpec { purge_change: SimDuration::from_micros(removal_us(model)), ..CpuSpec::default() };
    let purge = purge_config(&scenario.settings).map_err(|error| error.to_string())?;
    Ok(purge_cpu_us(&scenario.run.workload, &purge, &cpu))
}
