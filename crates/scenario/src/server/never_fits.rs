//! Transactions that a server could never begin, however long they wait.
//!
//! TNT keeps room in its redo log for a transaction and for merging what that changes. A transaction that needs more than
//! all of the log would stand still for ever.

use crate::diagnostic::Problem;
use crate::section::Section;
use innosim_core::workload::WorkloadSpec;
use innosim_core::workload::records::largest_redo;
use innosim_flush_models::registry::{Settings, build};

const MIB: u64 = 1 << 20;

/// Says so where the largest transaction does not fit the redo log.
pub(crate) fn refuse_what_never_fits(root: &Section<'_>, settings: &Settings, workload: &WorkloadSpec) {
    let Ok(model) = build(settings) else { return };
    let Some(records) = model.config().records.filter(|records| !records.redo_grows) else { return };
    let least = records.least_redo_log(largest_redo(workload));
    let log = model.writer_limits().hard_bytes;
    if least <= log {
        return;
    }
    let message = format!(
        "a transaction of this workload may take {}M of redo with the merge of its records, more than the redo log has ({}M)",
        least.div_ceil(MIB),
        log / MIB
    );
    let help = "raise ntse_log_file_size, set ntse_log_overflow = ON, or let transactions write less redo";
    root.report.add(Problem::new(message).at(root.at_key("server")).help(help));
}
