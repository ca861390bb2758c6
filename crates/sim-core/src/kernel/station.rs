//! FIFO stations: queues whose completions are known at submission.
//!
//! In a first-come, first-served queue nothing that arrives later changes when an operation completes. So instead of
//! simulating starts and ends of service as events, [`Station::submit`] computes the completion at once: the operation
//! starts on the server that becomes free first, at the latest of that time and its arrival. The caller schedules what
//! it wants to happen at the completion, or nothing at all. Operations must be submitted in order of arrival.
//!
//! The accounting needs no events either and is exact: busy time is the service given out minus what of it still lies
//! ahead; the number in the system is integrated over time with the operations in progress clipped at the moment of
//! the question. Little's law (mean number = arrival rate x mean response) therefore holds in every report up to the
//! operations in progress at its end, and tests compare the stations with M/M/1, M/D/1, M/M/c, M/G/1 and closed
//! networks.
//!
//! Simplifications: no priorities, no preemption, no processor sharing; servers are alike.

use crate::kernel::time::{SimDuration, SimTime};
use crate::kernel::{FreeTimes, Population};

pub use crate::kernel::station_report::StationReport;

/// What a station saw in an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StationInterval {
    /// Busy time, summed over the servers, ns.
    pub busy_ns: u64,
    /// Time-integral of the number of operations in queue and service, operations times ns; over the length of the
    /// interval it is the mean number.
    pub number_ns: u64,
    /// Operations that completed.
    pub completions: u64,
}

/// A FIFO queue with one or more servers.
#[derive(Debug, Clone)]
pub struct Station {
    name: String,
    servers: FreeTimes,
    population: Population,
    /// Service given out, ns.
    service: u64,
    /// Busy time when the current interval began, ns.
    interval_busy: u64,
}

impl Station {
    /// An idle station with `servers` servers, at least one.
    pub fn new(name: &str, servers: u32) -> Self {
        Station {
            name: name.to_owned(),
            servers: FreeTimes::new(servers),
            population: Population::with_capacity(4 * servers as usize),
            service: 0,
            interval_busy: 0,
        }
    }

    /// Submits an operation that arrives at `arrival` and needs `service` of one server; returns its completion.
    ///
    /// Arrivals, and the moments of all questions to the station, must not run backwards.
    #[inline]
    pub fn submit(&mut self, arrival: SimTime, service: SimDuration) -> SimTime {
        self.population.advance(arrival);
        let completion = self.servers.earliest().max(arrival) + service;
        self.servers.occupy_earliest(completion);
        self.service += service.0;
        self.population.arrive(completion, 0);
        completion
    }

    /// Operations submitted and not complete at `now`.
    #[inline]
    pub fn outstanding(&mut self, now: SimTime) -> u32 {
        self.population.advance(now);
        self.population.inside() as u32
    }

    /// Busy time up to `now`, summed over the servers, ns.
    fn busy_ns(&self, now: SimTime) -> u64 {
        // A server has no gap between now and the time it becomes free: it was given work only to start at once or
        // right after other work.
        self.service - self.servers.work_after(now)
    }

    /// What happened since the last call (or the start) up to `now`.
    pub fn take_interval(&mut self, now: SimTime) -> StationInterval {
        self.population.advance(now);
        let changes = self.population.take_interval();
        let busy = self.busy_ns(now);
        let busy_ns = busy - std::mem::replace(&mut self.interval_busy, busy);
        StationInterval { busy_ns, number_ns: changes.number_ns, completions: changes.completions }
    }

    /// What happened from the start up to `now`.
    pub fn report(&mut self, now: SimTime) -> StationReport {
        self.population.advance(now);
        let servers = self.servers.servers();
        self.population.report(&self.name, servers, self.busy_ns(now) as f64 / f64::from(servers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;

    #[test]
    fn one_server_serves_in_turn() {
        let mut station = Station::new("s", 1);
        assert_eq!(station.submit(SimTime(0), SimDuration(10)), SimTime(10));
        assert_eq!(station.submit(SimTime(4), SimDuration(10)), SimTime(20));
        assert_eq!(station.submit(SimTime(50), SimDuration(5)), SimTime(55));
        let report = station.report(SimTime(100));
        assert_eq!((report.arrivals, report.completions), (3, 3));
        assert!((report.utilization - 0.25).abs() < 1e-12);
        assert!((report.mean_number - (10.0 + 16.0 + 5.0) / 100.0).abs() < 1e-12);
        assert!((report.mean_response_s - 31e-9 / 3.0).abs() < 1e-18);
    }

    #[test]
    fn several_servers_serve_side_by_side() {
        let mut station = Station::new("s", 2);
        let done: Vec<u64> = [30, 10, 10, 10].map(|d| station.submit(SimTime(0), SimDuration(d)).0).to_vec();
        assert_eq!(done, [30, 10, 20, 30]);
        assert_eq!(station.outstanding(SimTime(10)), 3);
        assert_eq!(station.outstanding(SimTime(30)), 0);
    }

    #[test]
    fn intervals_add_up_to_the_report() {
        let mut station = Station::new("s", 2);
        let mut sum = StationInterval::default();
        for i in 0..1_000u64 {
            station.submit(SimTime(i * 100 * US), SimDuration((i * 7_919) % 350 * US));
            if i % 10 == 9 {
                let part = station.take_interval(SimTime(i * 100 * US + 50 * US));
                sum.busy_ns += part.busy_ns;
                sum.number_ns += part.number_ns;
                sum.completions += part.completions;
                assert!(part.busy_ns <= 2 * 1_000 * US);
            }
        }
        let now = SimTime(999 * 100 * US + 50 * US);
        let report = station.report(now);
        assert_eq!(report.completions, sum.completions);
        assert!((report.utilization - sum.busy_ns as f64 / 2.0 / now.0 as f64).abs() < 1e-12);
        assert!((report.mean_number - sum.number_ns as f64 / now.0 as f64).abs() < 1e-12);
    }

    #[test]
    fn operations_in_progress_are_clipped() {
        let mut station = Station::new("s", 1);
        station.submit(SimTime(10), SimDuration(100));
        station.submit(SimTime(20), SimDuration(100));
        let first = station.take_interval(SimTime(60));
        assert_eq!(first, StationInterval { busy_ns: 50, number_ns: 50 + 40, completions: 0 });
        let second = station.take_interval(SimTime(160));
        assert_eq!(second, StationInterval { busy_ns: 100, number_ns: 50 + 100, completions: 1 });
        assert_eq!(station.report(SimTime(260)).completions, 2);
    }
}
