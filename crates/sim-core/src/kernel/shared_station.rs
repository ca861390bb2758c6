//! Processor sharing: all who are inside are served at once, each at the same rate.
//!
//! The limit of short time slices, as a scheduler that is fair to threads comes to: `n` jobs on `c` servers get `min(1,
//! c / n)` of a server each. A job that came later but is shorter overtakes, so jobs that begin together end nearly
//! together, where a [`Station`](crate::kernel::station::Station) would end them one after the other.
//!
//! All jobs inside have received the same service since any moment at which they all were inside. So one clock of
//! service suffices (a job that needs `s` leaves when the clock stands `s` further), and the next to leave is at the
//! front of a heap; an arrival moves completions, therefore the caller asks again for the next one after each.
//!
//! The clock counts in 2^-32 ns, in integers. A completion is due at the first whole nanosecond after it, so a job gets
//! up to one nanosecond too much.

use crate::kernel::station::StationReport;
use crate::kernel::time::{SimDuration, SimTime};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const FRACTION_BITS: u32 = 32;

/// Where the clock of service begins: it can be set back from there.
const CLOCK_BEGINS: u128 = 1 << 100;

/// A job inside: when the clock of service lets it go, its number, and when it came.
type Inside = Reverse<(u128, u64, u64)>;

/// A quotient. Pieces of work are nearly always below four seconds, and then half as many bits do, which is ten times as fast.
fn divided(amount: u128, by: u128) -> u128 {
    match (u64::try_from(amount), u64::try_from(by)) {
        (Ok(amount), Ok(by)) => u128::from(amount / by),
        _ => amount / by,
    }
}

/// Servers that all jobs share equally.
#[derive(Debug, Clone)]
pub struct SharedStation<J> {
    name: String,
    servers: u64,
    /// Latest moment that was spoken of, ns.
    now: u64,
    /// The clock of service: what each job that is inside all the time has received.
    given: u128,
    inside: BinaryHeap<Inside>,
    /// What to do for the jobs from number `first_job` on; `None` for those that are gone.
    jobs: VecDeque<Option<J>>,
    first_job: u64,
    arrivals: u64,
    completions: u64,
    /// Sum of the response times of completed jobs, ns.
    responses: u64,
    /// Time-integrals of the busy servers and of the jobs inside, ns.
    busy: u128,
    number: u128,
}

impl<J> SharedStation<J> {
    /// Nobody inside, at least one server.
    pub fn new(name: &str, servers: u32) -> Self {
        SharedStation {
            name: name.to_owned(),
            servers: u64::from(servers.max(1)),
            now: 0,
            given: CLOCK_BEGINS,
            inside: BinaryHeap::new(),
            jobs: VecDeque::new(),
            first_job: 0,
            arrivals: 0,
            completions: 0,
            responses: 0,
            busy: 0,
            number: 0,
        }
    }

    /// What is to be done for the jobs inside, in the order of their arrival.
    pub fn jobs(&self) -> impl Iterator<Item = &J> {
        self.jobs.iter().flatten()
    }

    /// How many jobs are inside.
    pub fn inside(&self) -> usize {
        self.inside.len()
    }

    /// Jobs that share a server, in parts of one: at least as many as servers.
    fn sharing(&self) -> u128 {
        u128::from(self.servers.max(self.inside.len() as u64))
    }

    /// Moves on to `now`.
    fn advance(&mut self, now: SimTime) {
        debug_assert!(now.0 >= self.now, "a station is spoken to in order of time");
        let passed = u128::from(now.0 - self.now);
        let inside = self.inside.len() as u128;
        self.given += self.service_of_each(passed);
        self.busy += passed * inside.min(u128::from(self.servers));
        self.number += passed * inside;
        self.now = now.0;
    }

    /// What each job inside receives in `ns`.
    fn service_of_each(&self, ns: u128) -> u128 {
        let inside = self.inside.len() as u128;
        let all = ns << FRACTION_BITS;
        let shared = inside > u128::from(self.servers);
        if shared { divided(all * u128::from(self.servers), inside) } else { all }
    }

    /// The jobs inside lose the service of `time`: they are served, and get nothing done.
    pub fn set_back(&mut self, now: SimTime, time: SimDuration) {
        self.advance(now);
        self.given = self.given.saturating_sub(self.service_of_each(u128::from(time.0)));
    }

    /// A job arrives that needs `service` of one server.
    pub fn submit(&mut self, now: SimTime, service: SimDuration, job: J) {
        self.advance(now);
        let number = self.first_job + self.jobs.len() as u64;
        let leaves = self.given + (u128::from(service.0) << FRACTION_BITS);
        self.inside.push(Reverse((leaves, number, now.0)));
        self.jobs.push_back(Some(job));
        self.arrivals += 1;
    }

    /// When the next job leaves if nobody comes before.
    pub fn next_completion(&self) -> Option<SimTime> {
        let Reverse((leaves, _, _)) = self.inside.peek()?;
        let needed = leaves.saturating_sub(self.given) * self.sharing();
        let a_ns = u128::from(self.servers) << FRACTION_BITS;
        let time = divided(needed + a_ns - 1, a_ns);
        Some(SimTime(self.now + time as u64))
    }

    /// Lets the next job go that has had its service by `now`.
    pub fn pop_completed(&mut self, now: SimTime) -> Option<J> {
        self.advance(now);
        let &Reverse((leaves, number, came)) = self.inside.peek()?;
        if leaves > self.given {
            return None;
        }
        self.inside.pop();
        self.completions += 1;
        self.responses += now.0 - came;
        let job = self.jobs.get_mut((number - self.first_job) as usize)?.take();
        while let Some(None) = self.jobs.front() {
            self.jobs.pop_front();
            self.first_job += 1;
        }
        job
    }

    /// What happened from the start up to `now`.
    pub fn report(&mut self, now: SimTime) -> StationReport {
        self.advance(now);
        let observed = now.0 as f64;
        let mean = |sum: f64, over: f64| if over > 0.0 { sum / over } else { 0.0 };
        StationReport {
            name: self.name.clone(),
            servers: self.servers as u32,
            arrivals: self.arrivals,
            completions: self.completions,
            utilization: mean(self.busy as f64, observed * self.servers as f64),
            mean_number: mean(self.number as f64, observed),
            mean_response_s: mean(self.responses as f64 * 1e-9, self.completions as f64),
            observed_s: observed * 1e-9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;
    use crate::kernel::sampler::{DurationDist, DurationSampler};

    /// Lets everybody go; (job, when).
    fn drain(station: &mut SharedStation<u32>) -> Vec<(u32, u64)> {
        let mut gone = Vec::new();
        while let Some(at) = station.next_completion() {
            while let Some(job) = station.pop_completed(at) {
                gone.push((job, at.0));
            }
        }
        gone
    }

    #[test]
    fn jobs_share_and_the_shorter_leaves_first() {
        let mut station = SharedStation::new("s", 1);
        station.submit(SimTime(0), SimDuration(100), 1);
        station.submit(SimTime(40), SimDuration(20), 2);
        // From 40 on at half speed: the second is through at 80, the first has 40 left and is alone.
        assert_eq!(station.next_completion(), Some(SimTime(80)));
        assert_eq!(station.pop_completed(SimTime(79)), None);
        assert_eq!(drain(&mut station), [(2, 80), (1, 120)]);
        let report = station.report(SimTime(200));
        assert_eq!((report.arrivals, report.completions), (2, 2));
        assert!((report.utilization - 0.6).abs() < 1e-12);
        assert!((report.mean_number - 160.0 / 200.0).abs() < 1e-12);
    }

    #[test]
    fn nobody_waits_while_servers_are_free() {
        let mut station = SharedStation::new("s", 3);
        for (job, service) in [(1, 30), (2, 10), (3, 20)] {
            station.submit(SimTime(5), SimDuration(service), job);
        }
        assert_eq!(drain(&mut station), [(2, 15), (3, 25), (1, 35)]);
    }

    #[test]
    fn jobs_that_are_set_back_stay_for_as_long_as_they_lose() {
        let mut station = SharedStation::new("s", 1);
        station.submit(SimTime(0), SimDuration(50), 1);
        station.set_back(SimTime(10), SimDuration(30));
        assert_eq!(station.next_completion(), Some(SimTime(80)));
        station.submit(SimTime(20), SimDuration(100), 2);
        station.set_back(SimTime(40), SimDuration(20));
        // Each loses half of the 20; the first has 60 left at half speed, then the second 40 alone.
        assert_eq!(drain(&mut station), [(1, 160), (2, 200)]);
        assert!((station.report(SimTime(400)).utilization - 0.5).abs() < 1e-12, "lost time is busy");
    }

    #[test]
    fn response_does_not_depend_on_the_distribution() {
        // M/G/1 with processor sharing: mean response = service / (1 - load), whatever the distribution; 100 us at 60 %.
        for dist in [
            DurationDist::Fixed { us: 100.0 },
            DurationDist::Exponential { mean_us: 100.0 },
            DurationDist::Lognormal { mean_us: 100.0, cv: 2.0 },
        ] {
            let mut rng = Rng::stream(1, 0, "shared station");
            let service = DurationSampler::new(&dist);
            let gap = DurationSampler::new(&DurationDist::Exponential { mean_us: 100.0 / 0.6 });
            let mut station = SharedStation::new("s", 1);
            let mut arrives = SimTime(0);
            for job in 0..200_000 {
                arrives += gap.sample(&mut rng);
                while let Some(at) = station.next_completion().filter(|at| *at <= arrives) {
                    while station.pop_completed(at).is_some() {}
                }
                station.submit(arrives, service.sample(&mut rng), job);
            }
            let report = station.report(arrives);
            let expected = 100e-6 / (1.0 - 0.6);
            let error = report.mean_response_s / expected - 1.0;
            assert!(error.abs() < 0.05, "{dist:?}: {error}");
        }
    }
}
