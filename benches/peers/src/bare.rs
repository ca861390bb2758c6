//! The floor: a loop by hand around a binary heap, with nothing that this model does not need.
//!
//! A waiting client is in the queue of its station, so that the heap holds only services under way. Random numbers and
//! exponential times are those of well-known crates.

use crate::answer::Counts;
use crate::parameters::Model;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Exp1};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Computed(u32),
    Read(u32),
    Synced,
}

/// A station: servers and a queue.
#[derive(Debug)]
struct Station<J> {
    free: u32,
    queue: VecDeque<J>,
    given_ns: u64,
}

impl<J> Station<J> {
    fn new(servers: u32) -> Self {
        Station { free: servers, queue: VecDeque::new(), given_ns: 0 }
    }
}

/// The model in the middle of a run.
#[derive(Debug)]
pub(crate) struct Bare {
    model: Model,
    rng: Xoshiro256PlusPlus,
    heap: BinaryHeap<Reverse<(u64, u64, Event)>>,
    sequence: u64,
    now: u64,
    cores: Station<u32>,
    device: Station<Option<u32>>,
    began: Vec<u64>,
    waiting: Vec<u32>,
    group: Vec<u32>,
    syncing: bool,
    transactions: u64,
    response_ns: u64,
    syncs: u64,
}

impl Bare {
    /// All clients begin to compute.
    pub(crate) fn new(model: &Model, seed: u64) -> Self {
        let mut bare = Bare {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            heap: BinaryHeap::new(),
            sequence: 0,
            now: 0,
            cores: Station::new(model.cores),
            device: Station::new(model.channels),
            began: vec![0; model.clients as usize],
            waiting: Vec::new(),
            group: Vec::new(),
            syncing: false,
            transactions: 0,
            response_ns: 0,
            syncs: 0,
            model: model.clone(),
        };
        (0..model.clients).for_each(|client| bare.compute(client));
        bare
    }

    /// Goes on until `until`, ns.
    pub(crate) fn run(&mut self, until: u64) -> Counts {
        while let Some(&Reverse((at, _, event))) = self.heap.peek() {
            if at > until {
                break;
            }
            self.heap.pop();
            self.now = at;
            match event {
                Event::Computed(client) => self.computed(client),
                Event::Read(client) => {
                    self.channel_free();
                    self.commit(client);
                }
                Event::Synced => self.synced(),
            }
        }
        Counts {
            transactions: self.transactions,
            response_ns: self.response_ns,
            cpu_ns: self.cores.given_ns,
            device_ns: self.device.given_ns,
            syncs: self.syncs,
        }
    }

    fn draw(&mut self, mean_us: f64) -> u64 {
        let standard: f64 = Exp1.sample(&mut self.rng);
        (standard * mean_us * 1e3) as u64
    }

    fn schedule(&mut self, delay: u64, event: Event) {
        self.sequence += 1;
        self.heap.push(Reverse((self.now + delay, self.sequence, event)));
    }

    fn compute(&mut self, client: u32) {
        self.began[client as usize] = self.now;
        if self.cores.free > 0 {
            self.cores.free -= 1;
            self.start_computing(client);
        } else {
            self.cores.queue.push_back(client);
        }
    }

    fn start_computing(&mut self, client: u32) {
        let service = self.draw(self.model.cpu_us);
        self.cores.given_ns += service;
        self.schedule(service, Event::Computed(client));
    }

    fn computed(&mut self, client: u32) {
        match self.cores.queue.pop_front() {
            Some(next) => self.start_computing(next),
            None => self.cores.free += 1,
        }
        if self.rng.random::<f64>() < self.model.read_share {
            self.submit(Some(client));
        } else {
            self.commit(client);
        }
    }

    /// A read of a client, or a sync.
    fn submit(&mut self, operation: Option<u32>) {
        if self.device.free > 0 {
            self.device.free -= 1;
            self.serve(operation);
        } else {
            self.device.queue.push_back(operation);
        }
    }

    fn serve(&mut self, operation: Option<u32>) {
        let (mean, event) = match operation {
            Some(client) => (self.model.read_us, Event::Read(client)),
            None => (self.model.sync_us, Event::Synced),
        };
        let service = self.draw(mean);
        self.device.given_ns += service;
        self.schedule(service, event);
    }

    fn channel_free(&mut self) {
        match self.device.queue.pop_front() {
            Some(next) => self.serve(next),
            None => self.device.free += 1,
        }
    }

    fn commit(&mut self, client: u32) {
        self.waiting.push(client);
        if !self.syncing {
            self.sync();
        }
    }

    fn sync(&mut self) {
        std::mem::swap(&mut self.waiting, &mut self.group);
        self.syncing = true;
        self.submit(None);
    }

    fn synced(&mut self) {
        self.channel_free();
        self.syncs += 1;
        self.syncing = false;
        let mut group = std::mem::take(&mut self.group);
        if !self.waiting.is_empty() {
            self.sync();
        }
        for client in group.drain(..) {
            self.transactions += 1;
            self.response_ns += self.now - self.began[client as usize];
            self.compute(client);
        }
        if self.waiting.capacity() == 0 {
            self.waiting = group;
        }
    }
}
