//! The keys of a scenario at its root, and where a key of that name lives.

use crate::device::DEVICE_KEYS;
use crate::drive::DRIVES;
use crate::file_system::FILE_SYSTEM_KEYS;
use crate::host::HOST_KEYS;
use crate::key::{Key, Kind, real, whole};
use crate::published::PUBLISHED_KEYS;
use crate::start::START_KEYS;
use crate::workloads::WORKLOADS;

/// Keys of `[binary_log]`.
pub(crate) const BINARY_LOG_KEYS: &[Key] = &[Key::default(
    "bytes_per_transaction",
    real(1.0, 1e9),
    "600.0",
    "Bytes of a transaction's events in the binary log; it is written where log_bin = ON.",
)];

/// Keys of `[adaptive_hash_index]`.
pub(crate) const ADAPTIVE_HASH_KEYS: &[Key] = &[
    Key::default("cpu_share", real(-0.9, 10.0), "0.0", "Share by which it lengthens a transaction's CPU time."),
    Key::default("latch", Kind::Duration, "\"0us\"", "Time for which a transaction holds a latch of it, in all."),
];

/// Keys of `[read_view]`.
pub(crate) const READ_VIEW_KEYS: &[Key] = &[
    Key::required("from", Kind::Duration, "When somebody opens a transaction with a read view."),
    Key::required("length", Kind::Duration, "How long it stays open: purge does not pass it meanwhile."),
];

/// Keys of a scenario.
pub(crate) const ROOT_KEYS: &[Key] = &[
    Key::optional("name", Kind::Text, "the name of the file", "Name in results; the file's own name if left out."),
    Key::optional("title", Kind::Text, "the name", "Title for headings."),
    Key::optional("extends", Kind::Text, "no base", "Scenario to start from: a relative path or a shipped name."),
    Key::required("model", Kind::Text, "Server model, such as \"mysql-8.0.21\"; `innosim models` lists them."),
    Key::required("duration", Kind::Duration, "Simulated time."),
    Key::default(
        "warmup",
        Kind::AutoDuration,
        "\"auto\"",
        "Time at the start that figures leave out: a length of time, or \"auto\" to detect it.",
    ),
    Key::default(
        "server_up",
        Kind::Duration,
        "\"0s\"",
        "How long the server had been up, without load, when the run begins.",
    ),
    Key::optional(
        "engine_status_every",
        Kind::Duration,
        "nobody asks",
        "How often somebody asks for SHOW ENGINE INNODB STATUS, which starts a purge in MariaDB.",
    ),
    Key::default("seed", whole(0, u64::MAX), "1", "Seed of all random streams."),
    Key::default("replications", whole(1, 100_000), "1", "Runs with random streams of their own."),
    Key::optional("server", Kind::Server, "all defaults", "Settings of the server under their real names."),
    Key::optional(
        "rule",
        Kind::Rule,
        "the server's own",
        "Adaptive flushing rule: a script beside the scenario or the name of a shipped rule (`innosim rules`), or a table \
         with `file` and the values of its parameters.",
    ),
    Key::optional("host", Kind::Table(HOST_KEYS), "all defaults", "The machine."),
    Key::optional("binary_log", Kind::Table(BINARY_LOG_KEYS), "all defaults", "What log_bin = ON writes."),
    Key::optional(
        "adaptive_hash_index",
        Kind::Table(ADAPTIVE_HASH_KEYS),
        "no cost",
        "What innodb_adaptive_hash_index = ON costs.",
    ),
    Key::optional(
        "read_view",
        Kind::Table(READ_VIEW_KEYS),
        "none",
        "A transaction that keeps its read view open, such as a long report or a dump.",
    ),
    Key::required("device", Kind::Table(DEVICE_KEYS), "Storage device of data files, doublewrite files and redo log."),
    Key::optional("redo_device", Kind::Table(DEVICE_KEYS), "the data device", "A device of its own for the redo log."),
    Key::optional(
        "file_system",
        Kind::Table(FILE_SYSTEM_KEYS),
        "none with a journal",
        "The file system of data, redo and binary log.",
    ),
    Key::optional("start", Kind::Table(START_KEYS), "no page is dirty", "A start in the middle of the work."),
    Key::required("workload", Kind::Variant(WORKLOADS), "Which pages transactions touch."),
    Key::optional(
        "drive",
        Kind::Variant(DRIVES),
        "none: needed unless the workload is idle",
        "What makes transactions start.",
    ),
    Key::optional(
        "published",
        Kind::Table(PUBLISHED_KEYS),
        "nothing to compare with",
        "What was measured on a real server under this scenario; it has no part in the simulation.",
    ),
];

/// The dotted path of a scenario key of this name below the root, if there is one.
pub(crate) fn home_of(name: &str) -> Option<String> {
    for root in ROOT_KEYS {
        let known = match root.kind {
            Kind::Table(keys) => keys.iter().any(|key| key.name == name),
            Kind::Variant(variants) => variants.iter().any(|(_, keys)| keys.iter().any(|key| key.name == name)),
            _ => false,
        };
        if known {
            return Some(format!("{}.{name}", root.name));
        }
    }
    None
}

/// Whether the root has a key of this name.
pub(crate) fn is_root(name: &str) -> bool {
    ROOT_KEYS.iter().any(|key| key.name == name)
}
