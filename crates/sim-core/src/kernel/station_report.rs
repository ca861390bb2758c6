//! What a station saw over a run.

use serde::Serialize;

/// What a station saw over a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StationReport {
    /// Name of the station.
    pub name: String,
    /// Servers.
    pub servers: u32,
    /// Operations that arrived.
    pub arrivals: u64,
    /// Operations that completed by the end.
    pub completions: u64,
    /// Busy share of all servers, 0..=1.
    pub utilization: f64,
    /// Time-average number of operations in queue and service.
    pub mean_number: f64,
    /// Mean time from arrival to completion of the completed operations, seconds.
    pub mean_response_s: f64,
    /// Time over which this was measured, seconds.
    pub observed_s: f64,
}
