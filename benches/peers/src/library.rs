//! The model with NeXosim, a general discrete-event library: models that send each other messages through ports.
//!
//! A model each for the clients, the cores, the device and the log, on one thread. (A model for each client would cost
//! more: every answer of a station would then have to be offered to all of them.)

use crate::answer::Counts;
use crate::parameters::Model as Parameters;
use nexosim::Message;
use nexosim::model::{Context, Model, schedulable};
use nexosim::ports::{Output, QuerySource};
use nexosim::simulation::{Mailbox, QueryId, SimInit, Simulation};
use nexosim::time::MonotonicTime;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Exp1};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::time::Duration;

/// What a station does for somebody.
#[derive(Debug, Clone, Copy, Message, Serialize, Deserialize)]
enum Operation {
    Compute(u32),
    Read(u32),
    Sync,
}

/// A station: servers and a queue. The cores are one, the device is another.
#[derive(Serialize, Deserialize)]
struct Station {
    done: Output<Operation>,
    parameters: Parameters,
    rng: Xoshiro256PlusPlus,
    free: u32,
    queue: VecDeque<Operation>,
    given_ns: u64,
}

#[Model]
impl Station {
    fn new(parameters: &Parameters, servers: u32, seed: u64) -> Self {
        Station {
            done: Output::default(),
            parameters: parameters.clone(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            free: servers,
            queue: VecDeque::new(),
            given_ns: 0,
        }
    }

    /// Input: an operation arrives.
    fn submit(&mut self, operation: Operation, cx: &Context<Self>) {
        if self.free > 0 {
            self.free -= 1;
            self.serve(operation, cx);
        } else {
            self.queue.push_back(operation);
        }
    }

    fn serve(&mut self, operation: Operation, cx: &Context<Self>) {
        let mean = match operation {
            Operation::Compute(_) => self.parameters.cpu_us,
            Operation::Read(_) => self.parameters.read_us,
            Operation::Sync => self.parameters.sync_us,
        };
        let standard: f64 = Exp1.sample(&mut self.rng);
        // The library takes no event at the present moment.
        let service = ((standard * mean * 1e3) as u64).max(1);
        self.given_ns += service;
        let scheduled = cx.schedule_event(Duration::from_nanos(service), schedulable!(Self::complete), operation);
        scheduled.expect("an event in the future is accepted");
    }

    #[nexosim(schedulable)]
    async fn complete(&mut self, operation: Operation, cx: &Context<Self>) {
        match self.queue.pop_front() {
            Some(next) => self.serve(next, cx),
            None => self.free += 1,
        }
        self.done.send(operation).await;
    }

    /// Replier: service given so far, ns.
    async fn given(&mut self) -> u64 {
        self.given_ns
    }
}

/// The clients.
#[derive(Serialize, Deserialize)]
struct Clients {
    cores: Output<Operation>,
    device: Output<Operation>,
    log: Output<u32>,
    rng: Xoshiro256PlusPlus,
    read_share: f64,
    began: Vec<u64>,
    transactions: u64,
    response_ns: u64,
}

#[Model]
impl Clients {
    fn new(parameters: &Parameters, seed: u64) -> Self {
        Clients {
            cores: Output::default(),
            device: Output::default(),
            log: Output::default(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            read_share: parameters.read_share,
            began: vec![0; parameters.clients as usize],
            transactions: 0,
            response_ns: 0,
        }
    }

    #[nexosim(init)]
    async fn init(&mut self) {
        for client in 0..self.began.len() as u32 {
            self.cores.send(Operation::Compute(client)).await;
        }
    }

    /// Input: a station is through with something.
    async fn done(&mut self, operation: Operation) {
        match operation {
            Operation::Compute(client) if self.rng.random::<f64>() < self.read_share => {
                self.device.send(Operation::Read(client)).await;
            }
            Operation::Compute(client) | Operation::Read(client) => self.log.send(client).await,
            Operation::Sync => {}
        }
    }

    /// Input: a commit is durable.
    async fn durable(&mut self, client: u32, cx: &Context<Self>) {
        let now = nanoseconds(cx.time());
        self.transactions += 1;
        self.response_ns += now - self.began[client as usize];
        self.began[client as usize] = now;
        self.cores.send(Operation::Compute(client)).await;
    }

    /// Replier: transactions and the sum of their response times, ns.
    async fn totals(&mut self) -> (u64, u64) {
        (self.transactions, self.response_ns)
    }
}

/// The log: commits that share syncs.
#[derive(Serialize, Deserialize, Default)]
struct Log {
    device: Output<Operation>,
    durable: Output<u32>,
    waiting: Vec<u32>,
    group: Vec<u32>,
    busy: bool,
    syncs: u64,
}

#[Model]
impl Log {
    /// Input: a client commits.
    async fn commit(&mut self, client: u32) {
        self.waiting.push(client);
        if !self.busy {
            self.sync().await;
        }
    }

    async fn sync(&mut self) {
        std::mem::swap(&mut self.waiting, &mut self.group);
        self.busy = true;
        self.device.send(Operation::Sync).await;
    }

    /// Input: the device is through with something.
    async fn done(&mut self, operation: Operation) {
        if !matches!(operation, Operation::Sync) {
            return;
        }
        self.syncs += 1;
        self.busy = false;
        let group = std::mem::take(&mut self.group);
        if !self.waiting.is_empty() {
            self.sync().await;
        }
        for client in group {
            self.durable.send(client).await;
        }
    }

    /// Replier: syncs so far.
    async fn synced(&mut self) -> u64 {
        self.syncs
    }
}

fn nanoseconds(time: MonotonicTime) -> u64 {
    time.duration_since(MonotonicTime::EPOCH).as_nanos() as u64
}

/// The model in the middle of a run.
pub(crate) struct Library {
    simulation: Simulation,
    cores: QueryId<(), u64>,
    device: QueryId<(), u64>,
    clients: QueryId<(), (u64, u64)>,
    log: QueryId<(), u64>,
}

impl Library {
    /// All clients begin to compute.
    pub(crate) fn new(parameters: &Parameters, seed: u64) -> Self {
        // Apart from the seeds of the loop by hand, which has the same generator.
        let first = 1_000_000 + 3 * seed;
        let mut cores = Station::new(parameters, parameters.cores, first);
        let mut device = Station::new(parameters, parameters.channels, first + 1);
        let mut clients = Clients::new(parameters, first + 2);
        let mut log = Log::default();
        let boxes = (Mailbox::new(), Mailbox::new(), Mailbox::new(), Mailbox::new());
        let (cores_box, device_box, clients_box, log_box) = boxes;
        clients.cores.connect(Station::submit, &cores_box);
        clients.device.connect(Station::submit, &device_box);
        clients.log.connect(Log::commit, &log_box);
        cores.done.connect(Clients::done, &clients_box);
        device.done.connect(Clients::done, &clients_box);
        device.done.connect(Log::done, &log_box);
        log.device.connect(Station::submit, &device_box);
        log.durable.connect(Clients::durable, &clients_box);
        let mut bench = SimInit::with_num_threads(1);
        let cores_given = QuerySource::new().connect(Station::given, &cores_box).register(&mut bench);
        let device_given = QuerySource::new().connect(Station::given, &device_box).register(&mut bench);
        let totals = QuerySource::new().connect(Clients::totals, &clients_box).register(&mut bench);
        let synced = QuerySource::new().connect(Log::synced, &log_box).register(&mut bench);
        let bench = bench
            .add_model(cores, cores_box, "cores")
            .add_model(device, device_box, "device")
            .add_model(clients, clients_box, "clients")
            .add_model(log, log_box, "log");
        let simulation = bench.init(MonotonicTime::EPOCH).expect("the models are connected as they need");
        Library { simulation, cores: cores_given, device: device_given, clients: totals, log: synced }
    }

    /// Goes on until `until`, ns.
    pub(crate) fn run(&mut self, until: u64) -> Counts {
        let simulation = &mut self.simulation;
        simulation.step_until(MonotonicTime::EPOCH + Duration::from_nanos(until)).expect("no model fails");
        let mut number = |query| simulation.process_query(query, ()).expect("no model fails");
        let (cpu_ns, device_ns, syncs) = (number(&self.cores), number(&self.device), number(&self.log));
        let (transactions, response_ns) = simulation.process_query(&self.clients, ()).expect("no model fails");
        Counts { transactions, response_ns, cpu_ns, device_ns, syncs }
    }
}
