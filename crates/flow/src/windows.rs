//! Exact windows: the machine itself, page by page, for some seconds from the state of a flow.
//!
//! Where the cleaner follows its rule, another takes the rule's place, which goes up in steps of pages a second: one window tells
//! throughput at each. Where it flushes as fast as it can, the version goes on as it is.

use crate::refused::{FlowError, Refused};
use crate::state::{Mode, Point, State};
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::SecondSample;
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::{AdaptiveFlushing, FlushGauges, Recommendation, RuleInput, ServerModel, View};
use innosim_core::workload::PageClass;

/// Pages a second in the steps of a window, as shares of `innodb_io_capacity_max`.
const STEPS: [f64; 6] = [0.0, 0.25, 0.5, 0.7, 0.85, 1.0];
/// Seconds of a step; throughput settles within the first.
const STEP_S: u64 = 5;
/// Seconds until the cleaner is at work.
const BEGIN_S: u64 = 2;
/// Seconds of a window in sync flushing.
const SYNC_S: u64 = 8;

/// Builds the server of a run.
pub trait Servers {
    /// As it is at its start.
    fn server(&self) -> Box<dyn ServerModel>;

    /// The same with a rule in place of its adaptive flushing; none where a version takes no rule.
    fn with_rule(&self, rule: Box<dyn AdaptiveFlushing>) -> Option<Box<dyn ServerModel>>;
}

/// Makes windows.
pub(crate) struct Windows<'a> {
    servers: &'a dyn Servers,
    spec: RunSpec,
    classes: Vec<PageClass>,
    /// Most pages a second that the rule of the run asks for.
    pub(crate) most_pages: f64,
    instances: u32,
    /// Simulated seconds so far.
    pub(crate) seconds: u64,
}

/// What a window tells.
pub(crate) struct Measured {
    pub(crate) points: Vec<Point>,
    /// Redo of a transaction, bytes.
    pub(crate) redo_bytes: f64,
}

impl<'a> Windows<'a> {
    /// `spec` is the run of which they are parts, `classes` its pages at the beginning.
    pub(crate) fn new(servers: &'a dyn Servers, spec: &RunSpec, classes: Vec<PageClass>) -> Self {
        let longest = SimDuration::from_secs(BEGIN_S + STEPS.len() as u64 * STEP_S + 1);
        let spec = RunSpec { duration: longest, check: false, ..spec.clone() };
        let server = servers.server();
        let most_pages = server.live_settings().map_or(2_000, |settings| settings.io_capacity_max) as f64;
        let instances = server.config().buffer_pool.instances;
        Windows { servers, spec, classes, most_pages, instances, seconds: 0 }
    }

    /// A window from here.
    pub(crate) fn measure(&mut self, mode: Mode, at: &State<'_>) -> Result<Measured, FlowError> {
        let (server, seconds) = match mode {
            Mode::Adaptive => (self.with_steps().ok_or(Refused::Cleaner)?, BEGIN_S + STEPS.len() as u64 * STEP_S),
            Mode::Sync => (self.servers.server(), SYNC_S),
        };
        let mut window = at.to_middle(&self.classes).go_on(server, &self.spec);
        let mut measured = Measured { points: Vec::new(), redo_bytes: 0.0 };
        let (mut redo, mut transactions, mut dirty) = (0, 0, at.cohorts.total());
        for second in 0..seconds {
            let Some(row) = window.second()? else { break };
            let newly = row.dirty_pages as f64 - dirty + row.pages_flushed as f64;
            dirty = row.dirty_pages as f64;
            redo += row.redo_generated_bytes;
            transactions += row.transactions;
            let settled = match mode {
                Mode::Adaptive => second > BEGIN_S && !(second - BEGIN_S).is_multiple_of(STEP_S) && row.sync_pages == 0,
                Mode::Sync => second >= BEGIN_S && row.sync_pages * 2 > row.pages_flushed,
            };
            if settled && row.transactions > 0 {
                let instances = f64::from(self.instances);
                measured.points.push(Point { up_to: self.most_pages, ..point(row, mode, newly, instances) });
            }
        }
        self.seconds += seconds;
        measured.redo_bytes = redo as f64 / transactions.max(1) as f64;
        Ok(measured)
    }

    /// The classes of pages of the run, as they are at its beginning.
    pub(crate) fn classes(&self) -> &[PageClass] {
        &self.classes
    }

    /// The server with the rule that goes up in steps.
    fn with_steps(&self) -> Option<Box<dyn ServerModel>> {
        let pages = STEPS.map(|share| (share * self.most_pages) as u64);
        let rule = Steps { pages, instances: self.instances as usize, passes: 0 };
        self.servers.with_rule(Box::new(rule))
    }
}

/// What a second tells. Shares of instances are cut off to whole pages: a cleaner that flushes a page less of each is not busy.
fn point(row: &SecondSample, mode: Mode, newly: f64, instances: f64) -> Point {
    let wanted = row.n_to_flush_requested as f64;
    let flushed = row.pages_flushed as f64;
    Point {
        flushed,
        tps: row.transactions as f64,
        busy: mode == Mode::Sync || wanted - flushed > (0.05 * wanted).max(instances),
        stopped: row.free_check_waits > 0,
        ln_newly: libm::log(newly.max(1.0) / row.transactions as f64),
        ln_density: 0.0,
        up_to: 0.0,
    }
}

/// A rule that asks for more and more.
#[derive(Debug)]
struct Steps {
    pages: [u64; STEPS.len()],
    instances: usize,
    passes: u64,
}

impl AdaptiveFlushing for Steps {
    fn recommend(&mut self, _: &View<'_>, _: RuleInput) -> Recommendation {
        let step = (self.passes / STEP_S) as usize;
        self.passes += 1;
        let n_pages = self.pages[step.min(self.pages.len() - 1)];
        Recommendation { n_pages, slots: vec![n_pages / self.instances as u64; self.instances] }
    }

    fn gauges(&self) -> FlushGauges {
        FlushGauges {
            n_to_flush_requested: self.pages[((self.passes.max(1) - 1) / STEP_S).min(STEPS.len() as u64 - 1) as usize],
            ..FlushGauges::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pages_cut_off_to_whole_ones_make_no_busy_cleaner() {
        let busy = |wanted: u64, flushed: u64| {
            let row = SecondSample {
                n_to_flush_requested: wanted,
                pages_flushed: flushed,
                transactions: 700,
                ..SecondSample::default()
            };
            point(&row, Mode::Adaptive, 100.0, 8.0).busy
        };
        assert!(!busy(55, 48) && !busy(7_000, 6_976) && !busy(0, 0));
        assert!(busy(7_000, 6_000) && busy(200, 100));
    }
}
