//! The model on innosim's kernel: its calendar, stations and random streams, used as the simulator uses them.
//!
//! A station tells the completion when an operation is submitted, so a waiting client is an event in the calendar.

use crate::answer::Counts;
use crate::parameters::Model;
use innosim_core::kernel::calendar::Calendar;
use innosim_core::kernel::random::Rng;
use innosim_core::kernel::sampler::{DurationDist, DurationSampler};
use innosim_core::kernel::station::Station;
use innosim_core::kernel::time::SimTime;

#[derive(Debug, Clone, Copy)]
enum Event {
    Computed(u32),
    Read(u32),
    Synced,
    /// The time to look at the counts.
    Pause,
}

/// A service: its law and its own stream of random numbers.
#[derive(Debug)]
struct Service {
    law: DurationSampler,
    rng: Rng,
}

impl Service {
    fn new(mean_us: f64, seed: u64, name: &str) -> Self {
        let law = DurationSampler::new(&DurationDist::Exponential { mean_us });
        Service { law, rng: Rng::stream(seed, 0, name) }
    }
}

/// The model in the middle of a run.
#[derive(Debug)]
pub(crate) struct Kernel {
    calendar: Calendar<Event>,
    now: SimTime,
    cores: Station,
    device: Station,
    computing: Service,
    reading: Service,
    syncing: Service,
    choice: Rng,
    read_threshold: u64,
    began: Vec<SimTime>,
    waiting: Vec<u32>,
    group: Vec<u32>,
    under_way: bool,
    counts: Counts,
}

impl Kernel {
    /// All clients begin to compute.
    pub(crate) fn new(model: &Model, seed: u64) -> Self {
        let mut kernel = Kernel {
            calendar: Calendar::new(),
            now: SimTime::ZERO,
            cores: Station::new("cores", model.cores),
            device: Station::new("device", model.channels),
            computing: Service::new(model.cpu_us, seed, "computing"),
            reading: Service::new(model.read_us, seed, "reads"),
            syncing: Service::new(model.sync_us, seed, "syncs"),
            choice: Rng::stream(seed, 0, "choice"),
            read_threshold: Rng::threshold_of(model.read_share),
            began: vec![SimTime::ZERO; model.clients as usize],
            waiting: Vec::new(),
            group: Vec::new(),
            under_way: false,
            counts: Counts::default(),
        };
        (0..model.clients).for_each(|client| kernel.compute(client));
        kernel
    }

    /// Goes on until `until`, ns.
    pub(crate) fn run(&mut self, until: u64) -> Counts {
        self.calendar.schedule(SimTime(until), Event::Pause);
        while let Some((at, event)) = self.calendar.pop() {
            self.now = at;
            match event {
                Event::Computed(client) => self.computed(client),
                Event::Read(client) => self.commit(client),
                Event::Synced => self.synced(),
                Event::Pause => break,
            }
        }
        self.counts.cpu_ns += self.cores.take_interval(self.now).busy_ns;
        self.counts.device_ns += self.device.take_interval(self.now).busy_ns;
        self.counts
    }

    fn compute(&mut self, client: u32) {
        self.began[client as usize] = self.now;
        let Service { law, rng } = &mut self.computing;
        let done = self.cores.submit(self.now, law.sample(rng));
        self.calendar.schedule(done, Event::Computed(client));
    }

    fn computed(&mut self, client: u32) {
        if self.choice.bernoulli(self.read_threshold) {
            let Service { law, rng } = &mut self.reading;
            let done = self.device.submit(self.now, law.sample(rng));
            self.calendar.schedule(done, Event::Read(client));
        } else {
            self.commit(client);
        }
    }

    fn commit(&mut self, client: u32) {
        self.waiting.push(client);
        if !self.under_way {
            self.sync();
        }
    }

    fn sync(&mut self) {
        std::mem::swap(&mut self.waiting, &mut self.group);
        self.under_way = true;
        let Service { law, rng } = &mut self.syncing;
        let done = self.device.submit(self.now, law.sample(rng));
        self.calendar.schedule(done, Event::Synced);
    }

    fn synced(&mut self) {
        self.counts.syncs += 1;
        self.under_way = false;
        let mut group = std::mem::take(&mut self.group);
        if !self.waiting.is_empty() {
            self.sync();
        }
        for client in group.drain(..) {
            self.counts.transactions += 1;
            self.counts.response_ns += self.now.since(self.began[client as usize]).0;
            self.compute(client);
        }
        if self.waiting.capacity() == 0 {
            self.waiting = group;
        }
    }
}
