//! A device as TOML, with what it was made of.

use super::job::FioJob;
use crate::distribution::{pairs, toml};
use crate::resolved::{number, quoted};
use innosim_core::storage::{CapSpec, DeviceSpec, TimedOp};

/// The keys of a `[device]` table.
pub(super) fn to_toml(spec: &DeviceSpec, jobs: &[FioJob]) -> String {
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    let mut text = format!("# Fitted to jobs of fio: {}.\n\n", names.join(", ").replace(['\n', '\r'], " "));
    let mut line = |key: &str, value: String| text.push_str(&format!("{key} = {value}\n"));
    line("name", quoted(&spec.name));
    line("channels", spec.channels.to_string());
    line("queue_depth", spec.queue_depth.to_string());
    line("random_read", toml(&spec.random_read));
    line("random_write", toml(&spec.random_write));
    line("sequential_write", toml(&spec.sequential_write));
    line("sync", toml(&spec.sync));
    line("sync_is_barrier", spec.sync_is_barrier.to_string());
    for key in ["read_iops", "write_iops", "read_bytes_per_s", "write_bytes_per_s", "link_bytes_per_s"] {
        // A fitted device is limited by its times alone.
        line(key, quoted("none"));
    }
    line("read_write_interference", number(spec.read_write_interference));
    line("sync_counts_as_write", spec.sync_counts_as_write.to_string());
    line("sync_operations", number(spec.sync_operations));
    if let Some(cap) = &spec.cap {
        line("cap", cap_table(cap));
    }
    for point in &spec.at_depth {
        let op = match point.op {
            TimedOp::RandomRead => "random_read",
            TimedOp::RandomWrite => "random_write",
            TimedOp::SequentialWrite => "sequential_write",
        };
        text.push_str(&format!("\n[[{TABLES}]]\nop = \"{op}\"\nbytes = {}\n", point.bytes));
        text.push_str(&format!("depth = {}\nquantiles = {}\n", number(point.depth), pairs(&point.quantiles)));
    }
    text
}

/// A cap as a table in one line.
fn cap_table(cap: &CapSpec) -> String {
    let limit = |key: &str, limit: Option<f64>| limit.map(|limit| format!("{key} = {}", number(limit)));
    let keys = [
        limit("read_iops", cap.read_iops),
        limit("write_iops", cap.write_iops),
        limit("read_bytes_per_s", cap.read_bytes_per_s),
        limit("write_bytes_per_s", cap.write_bytes_per_s),
        Some(format!("slice = \"{}us\"", cap.slice_ns / 1_000)),
    ];
    format!("{{ {} }}   # the jobs ran behind it", keys.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

const TABLES: &str = "at_depth";

/// Puts a line of the table itself before its lists of tables.
pub(super) fn insert_before_tables(toml: &str, line: &str) -> String {
    match toml.find(&format!("\n[[{TABLES}]]")) {
        Some(index) => format!("{}{line}{}", &toml[..index], &toml[index..]),
        None => format!("{toml}{line}"),
    }
}
