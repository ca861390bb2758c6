//! Run queues: a processor each, shared equally by the jobs of its queue and by nobody else; or one for all processors.
//!
//! Linux keeps a run queue for each processor, and a thread that wakes goes back to the one where it ran last. A
//! processor may so have nothing to do while several threads wait for the other.
//!
//! Traced (`sched_switch`, `sched_waking`) under three servers with 16 clients in a closed loop on two processors, 50
//! 000 wake-ups a second: 97 to 99 % of the threads woken went to the processor where they had run last, also when it
//! was busy and the other was not; a processor idled 7 to 15 % of the time, nearly all of it (99 %) with threads
//! waiting for the other. The scheduler moved 1000 to 4000 threads a second.
//!
//! Simplification: nobody who has work is ever moved to another queue (errs towards idle processors). The other limit is one
//! queue for all processors ([`RunQueues::balanced`]): whoever waits is moved to an idle processor at once and at no cost.

use super::shared_station::SharedStation;
use super::station::StationReport;
use super::time::{SimDuration, SimTime};

/// A queue for each processor.
#[derive(Debug, Clone)]
pub struct RunQueues<J> {
    queues: Vec<SharedStation<J>>,
    /// Jobs in all of them.
    inside: u32,
    /// When the next job leaves each of them: only those that somebody comes to or leaves are asked again.
    next: Earliest,
}

impl<J> RunQueues<J> {
    /// Nobody inside, at least one processor, each with a queue.
    pub fn new(name: &str, processors: u32) -> Self {
        Self::from_queues((0..processors.max(1)).map(|_| SharedStation::new(name, 1)).collect())
    }

    /// The same with one queue for all of them.
    pub fn balanced(name: &str, processors: u32) -> Self {
        Self::from_queues(vec![SharedStation::new(name, processors)])
    }

    fn from_queues(queues: Vec<SharedStation<J>>) -> Self {
        RunQueues { next: Earliest::of(queues.len()), queues, inside: 0 }
    }

    /// A job arrives at the processor of this number, counted round and round, that needs `service`.
    pub fn submit(&mut self, now: SimTime, processor: usize, service: SimDuration, job: J) {
        let queue = processor % self.queues.len();
        self.inside += 1;
        self.queues[queue].submit(now, service, job);
        self.next.set(queue, self.queues[queue].next_completion());
    }

    /// All jobs lose what they get done in `time`.
    pub fn set_back(&mut self, now: SimTime, time: SimDuration) {
        for (number, queue) in self.queues.iter_mut().enumerate() {
            queue.set_back(now, time);
            self.next.set(number, queue.next_completion());
        }
    }

    /// The processor with the fewest jobs.
    pub fn shortest(&self) -> usize {
        let idle = self.queues.iter().position(|queue| queue.inside() == 0);
        let fewest = || self.queues.iter().enumerate().min_by_key(|(_, queue)| queue.inside());
        idle.or_else(|| fewest().map(|(processor, _)| processor)).unwrap_or(0)
    }

    /// What is to be done for the jobs inside.
    pub fn jobs(&self) -> impl Iterator<Item = &J> {
        self.queues.iter().flat_map(SharedStation::jobs)
    }

    /// Jobs in all queues.
    pub fn inside(&self) -> u32 {
        self.inside
    }

    /// When the next job leaves if nobody comes before.
    pub fn next_completion(&self) -> Option<SimTime> {
        self.next.time()
    }

    /// Lets the next job go that has had its service by `now`; of several processors, from the first.
    pub fn pop_completed(&mut self, now: SimTime) -> Option<J> {
        let queue = self.next.first_by(now)?;
        let job = self.queues[queue].pop_completed(now);
        self.inside -= u32::from(job.is_some());
        self.next.set(queue, self.queues[queue].next_completion());
        job
    }

    /// What happened from the start up to `now`, of all queues together.
    pub fn report(&mut self, now: SimTime) -> StationReport {
        let reports: Vec<StationReport> = self.queues.iter_mut().map(|queue| queue.report(now)).collect();
        let completions = reports.iter().map(|one| one.completions).sum::<u64>();
        let responses: f64 = reports.iter().map(|one| one.mean_response_s * one.completions as f64).sum();
        StationReport {
            name: reports[0].name.clone(),
            servers: reports.iter().map(|one| one.servers).sum(),
            arrivals: reports.iter().map(|one| one.arrivals).sum(),
            completions,
            utilization: reports.iter().map(|one| one.utilization).sum::<f64>() / reports.len() as f64,
            mean_number: reports.iter().map(|one| one.mean_number).sum(),
            mean_response_s: if completions > 0 { responses / completions as f64 } else { 0.0 },
            observed_s: reports[0].observed_s,
        }
    }
}

/// The earliest of times that change one by one: a tournament, whose every node holds the earlier of the two below it.
#[derive(Debug, Clone)]
struct Earliest {
    /// The root is the second, the leaves are the last half.
    nodes: Vec<SimTime>,
}

/// No time.
const NEVER: SimTime = SimTime(u64::MAX);

impl Earliest {
    /// So many places, nothing at any.
    fn of(places: usize) -> Self {
        Earliest { nodes: vec![NEVER; 2 * places.next_power_of_two()] }
    }

    fn set(&mut self, place: usize, time: Option<SimTime>) {
        let mut node = self.nodes.len() / 2 + place;
        self.nodes[node] = time.unwrap_or(NEVER);
        while node > 1 {
            let earlier = self.nodes[node].min(self.nodes[node ^ 1]);
            node /= 2;
            if self.nodes[node] == earlier {
                break;
            }
            self.nodes[node] = earlier;
        }
    }

    fn time(&self) -> Option<SimTime> {
        Some(self.nodes[1]).filter(|time| *time != NEVER)
    }

    /// The first place whose time has come by `now`.
    fn first_by(&self, now: SimTime) -> Option<usize> {
        self.time().filter(|time| *time <= now)?;
        let (mut node, leaves) = (1, self.nodes.len() / 2);
        while node < leaves {
            node = 2 * node + usize::from(self.nodes[2 * node] > now);
        }
        Some(node - leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Rng;

    #[test]
    fn the_earliest_is_that_of_a_look_at_all() {
        for places in [1, 2, 3, 80] {
            let mut rng = Rng::stream(1, places as u32, "earliest");
            let (mut earliest, mut all) = (Earliest::of(places), vec![None; places]);
            for _ in 0..2000 {
                let place = (rng.uniform_f64() * places as f64) as usize;
                let time = (rng.uniform_f64() * 50.0) as u64;
                let time = (time > 9).then_some(SimTime(time));
                earliest.set(place, time);
                all[place] = time;
                assert_eq!(earliest.time(), all.iter().flatten().min().copied());
                let now = SimTime((rng.uniform_f64() * 50.0) as u64);
                assert_eq!(earliest.first_by(now), all.iter().position(|time| time.is_some_and(|time| time <= now)));
            }
        }
    }

    #[test]
    fn a_processor_may_idle_while_threads_wait_for_the_other() {
        let mut queues = RunQueues::new("CPU", 2);
        for thread in [0, 2] {
            queues.submit(SimTime(0), thread, SimDuration(100), thread);
        }
        assert_eq!(queues.next_completion(), Some(SimTime(200)));
        assert_eq!(queues.shortest(), 1);
        queues.submit(SimTime(0), 1, SimDuration(100), 1);
        assert_eq!(queues.next_completion(), Some(SimTime(100)));
        assert_eq!(queues.pop_completed(SimTime(100)), Some(1));
        assert_eq!(queues.pop_completed(SimTime(100)), None);
        assert_eq!((queues.jobs().count(), queues.inside()), (2, 2));
        while queues.pop_completed(SimTime(200)).is_some() {}
        let report = queues.report(SimTime(400));
        assert_eq!((report.servers, report.arrivals, report.completions), (2, 3, 3));
        assert!((report.utilization - 0.375).abs() < 1e-12);
        assert!((report.mean_number - 1.25).abs() < 1e-12);
        assert!((report.mean_response_s - 500e-9 / 3.0).abs() < 1e-15);
    }
}
