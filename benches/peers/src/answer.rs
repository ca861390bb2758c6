//! What a peer answers: averages of each replication, and how long the computing took.

use crate::parameters::Model;
use serde::{Deserialize, Serialize};

/// What is counted from the start of a run on.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) transactions: u64,
    /// Sum of response times, ns.
    pub(crate) response_ns: u64,
    /// Service given by the cores, ns.
    pub(crate) cpu_ns: u64,
    /// Service given by the device's channels, ns.
    pub(crate) device_ns: u64,
    pub(crate) syncs: u64,
}

/// Averages over the time after warm-up.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Replication {
    /// Transactions a second.
    pub(crate) tps: f64,
    /// Mean response time, ms.
    pub(crate) response_ms: f64,
    /// Busy share of the cores, 0..1.
    pub(crate) cpu_utilization: f64,
    /// Busy share of the channels, 0..1.
    pub(crate) device_utilization: f64,
    /// Commits a sync.
    pub(crate) group: f64,
}

impl Replication {
    /// From the counts at the end of warm-up and `seconds` later.
    pub(crate) fn between(before: Counts, after: Counts, seconds: f64, model: &Model) -> Replication {
        let transactions = (after.transactions - before.transactions) as f64;
        let share = |ns: u64, servers: u32| ns as f64 * 1e-9 / seconds / f64::from(servers);
        Replication {
            tps: transactions / seconds,
            response_ms: (after.response_ns - before.response_ns) as f64 * 1e-6 / transactions,
            cpu_utilization: share(after.cpu_ns - before.cpu_ns, model.cores),
            device_utilization: share(after.device_ns - before.device_ns, model.channels),
            group: transactions / (after.syncs - before.syncs) as f64,
        }
    }

    /// The figures with their names.
    pub(crate) fn figures(&self) -> [(&'static str, f64); 5] {
        [
            ("transactions/s", self.tps),
            ("response, ms", self.response_ms),
            ("CPU, %", self.cpu_utilization * 100.0),
            ("device, %", self.device_utilization * 100.0),
            ("commits a sync", self.group),
        ]
    }
}

/// Some computing, timed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Round {
    /// Transactions simulated, warm-up included.
    pub(crate) transactions: u64,
    /// Simulated time, warm-up included.
    pub(crate) simulated_s: f64,
    /// CPU time of the process.
    pub(crate) cpu_s: f64,
}

impl Round {
    /// Transactions a second of CPU time.
    pub(crate) fn speed(&self) -> f64 {
        self.transactions as f64 / self.cpu_s
    }
}

/// Which role a peer has in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// SimPy.
    Simpy,
    /// The general library for Rust.
    Nexosim,
    /// The loop by hand.
    Bare,
    /// innosim's kernel.
    Innosim,
}

/// All that a peer answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) replications: Vec<Replication>,
    pub(crate) rounds: Vec<Round>,
}
