//! A coarse tier: flushing without single pages, with throughput measured where it is needed.
//!
//! Which page is dirty does not matter for flushing: how many of each rate, and how old, does. A flow steps over cohorts of pages
//! by rate and age ([`cohorts`](self)), read off the laws of the workload, never fitted. The server's own page cleaner, checkpointer
//! and free check decide, asked through the same seam as over single pages: no formula of a server stands here. What queues
//! decide, throughput by flushing and the speed of a busy cleaner, is measured: the exact machine runs for some seconds from the
//! state of the flow, wherever that comes to something not known yet.
//!
//! The first [`EXACT_S`] seconds are simulated exactly, and so is what a flow refuses ([`Refused`]). No latencies: they stay the exact
//! tier's. How far it is off is measured, `docs/flow.md`.

mod clock;
mod closure;
mod cohorts;
mod lists;
mod refused;
mod state;
mod windows;

pub use closure::EVEN;
pub use refused::{EXACT_S, FlowError, Refused};
pub use state::Middle;
pub use windows::Servers;

use clock::{Begin, Flow};
use closure::{Closure, Known};
use cohorts::Cohorts;
use innosim_core::kernel::time::SimTime;
use innosim_core::metrics::SecondSample;
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::{AgeLimits, WorkBefore};
use innosim_core::server::Stepping;
use innosim_core::workload::PageClass;
use state::LATE_S;
use windows::Windows;

/// Parts of an exact second that its cohorts are made in.
const PARTS: u32 = 10;

/// A run as a flow.
#[derive(Debug, Clone)]
pub struct FlowOutput {
    /// A row a second; the first [`EXACT_S`] are exact.
    pub seconds: Vec<SecondSample>,
    /// Ages at which something happens.
    pub age_limits: AgeLimits,
    /// After which seconds a window was made.
    pub windows_at_s: Vec<u64>,
    /// Simulated seconds of all windows.
    pub window_seconds: u64,
    /// The state at its end.
    pub end: Middle,
}

/// Whether a run may be a flow, as far as that is known before it begins.
///
/// # Errors
/// [`Refused`]: why not.
pub fn accepts(servers: &dyn Servers, spec: &RunSpec) -> Result<(), Refused> {
    refused::by_spec(spec, servers.server().config())
}

/// Runs `spec` as a flow, unless `stop` says so after one of its seconds. Throughput is off by `factor` wherever it is read: 1, but where
/// a check of this tier is to see an error.
///
/// # Errors
/// [`FlowError`]: a scenario that this tier refuses, or an exact part that fails.
pub fn run(
    factor: f64,
    servers: &dyn Servers,
    spec: &RunSpec,
    stop: &dyn Fn() -> bool,
) -> Result<FlowOutput, FlowError> {
    Basis::new(servers, spec)?.run(factor, servers, spec, stop)
}

/// What runs of one load on one machine have in common, whatever their settings of flushing and the size of their redo log: the first
/// [`EXACT_S`] seconds, in which hardly a page is flushed, and what windows have told of throughput.
#[derive(Debug, Clone)]
pub struct Basis {
    classes: Vec<PageClass>,
    begin: Begin,
    known: Known,
    /// Whether only runs at rest matter.
    for_rest: bool,
}

impl Basis {
    /// The exact part of `spec`.
    ///
    /// # Errors
    /// As [`run`].
    pub fn new(servers: &dyn Servers, spec: &RunSpec) -> Result<Basis, FlowError> {
        accepts(servers, spec)?;
        let mut exact = Stepping::new(servers.server(), spec);
        let classes = exact.page_classes(spec);
        let mut cohorts = Cohorts::new(classes.clone(), exact.redo_ring().current_lsn as f64);
        let mut seconds: Vec<SecondSample> = Vec::new();
        while seconds.len() < EXACT_S as usize {
            let Some(row) = exact.second()? else { break };
            follow(&mut cohorts, row);
            seconds.push(row.clone());
        }
        let checkpoint_lsn = exact.redo_ring().checkpoint_lsn as f64;
        let last = &seconds[seconds.len().saturating_sub(LATE_S)..];
        let sum = |of: fn(&SecondSample) -> u64| last.iter().map(of).sum::<u64>();
        let redo = sum(|row| row.redo_generated_bytes);
        let redo_bytes = redo as f64 / sum(|row| row.transactions).max(1) as f64;
        let each = last.len().max(1) as u64;
        let before = WorkBefore {
            redo_bytes_per_s: redo / each,
            pages_flushed_per_s: sum(|row| row.pages_flushed) / each,
            activity_unseen: false,
        };
        let transactions = seconds.iter().map(|row| row.transactions as f64).sum();
        let begin = Begin { cohorts, transactions, checkpoint_lsn, before, seconds };
        Ok(Basis { classes, begin, known: Known::new(redo_bytes), for_rest: false })
    }

    /// The same for runs of which only those at rest matter, as no other is an answer: redo logs of 100 s are taken too, and a run
    /// makes few windows, one of them of sync flushing (errs in the throughput of a collapse, not in whether there is one).
    pub fn for_rest(self) -> Basis {
        Basis { for_rest: true, ..self }
    }

    /// Goes on from there with the settings of these `servers`; what windows tell is kept for others.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(
        &mut self,
        factor: f64,
        servers: &dyn Servers,
        spec: &RunSpec,
        stop: &dyn Fn() -> bool,
    ) -> Result<FlowOutput, FlowError> {
        self.run_until(factor, servers, spec, stop, &mut |_, _| false)
    }

    /// The same, which ends as soon as `is_enough` says so, asked after each second that follows the exact ones with all seconds so far and
    /// the age limits.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run_until(
        &mut self,
        factor: f64,
        servers: &dyn Servers,
        spec: &RunSpec,
        stop: &dyn Fn() -> bool,
        is_enough: &mut dyn FnMut(&[SecondSample], &AgeLimits) -> bool,
    ) -> Result<FlowOutput, FlowError> {
        accepts(servers, spec)?;
        let server = servers.server();
        let age_limits = server.age_limits();
        let least_redo_s = if self.for_rest { refused::LEAST_REDO_AT_REST_S } else { refused::LEAST_REDO_S };
        refused::by_exact_part(&self.begin.seconds, age_limits.stop_bytes, least_redo_s)?;
        let windows = Windows::new(servers, spec, self.classes.clone());
        let closure = Closure::new(windows, self.known.clone(), factor, self.for_rest);
        let end = SimTime::ZERO + spec.duration;
        let ended = Flow::new(server, self.begin.clone(), end, closure)
            .run(stop, &mut |seconds| is_enough(seconds, &age_limits))?;
        let window_seconds = ended.closure.window_seconds();
        self.known = ended.closure.known;
        Ok(FlowOutput {
            seconds: ended.seconds,
            age_limits,
            window_seconds,
            windows_at_s: ended.closure.made_at_s,
            end: ended.middle,
        })
    }

    /// Share by which throughput differs between few pages flushed and many, up to `rate` a second, as windows told: up to [`EVEN`] it
    /// does not depend on them.
    pub fn spread(&self, rate: f64) -> f64 {
        self.known.spread(rate)
    }

    /// Takes over what is known of another load on this machine, which differs in its pages alone.
    pub fn take_over(&mut self, other: &Basis) {
        self.known = other.known.with_redo_of(&self.known);
    }

    /// The same load on a machine with another device, of which no window has told yet.
    pub fn on_another_device(&self) -> Basis {
        Basis { known: self.known.of_the_load(), ..self.clone() }
    }
}

/// The cohorts as an exact second leaves them.
fn follow(cohorts: &mut Cohorts, row: &SecondSample) {
    let transactions = row.transactions as f64;
    let redo_bytes = row.redo_generated_bytes as f64 / transactions.max(1.0);
    for _ in 0..PARTS {
        cohorts.modify(transactions / f64::from(PARTS), redo_bytes);
        cohorts.flush(row.pages_flushed as f64 / f64::from(PARTS));
    }
    cohorts.split_indexes();
}
