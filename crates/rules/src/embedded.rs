//! A rule in another language that runs inside the page cleaner: a script, or a function of the program that innosim is part of.
//!
//! All of them see the same, are held to the same bounds and end in the same words. What a rule does wrong is a [`Fault`]; it
//! ends its run, and no other.

use crate::decision::{Answer, Bounds, FlushDecision};
use crate::measured::Measured;
use crate::see::{Capacity, See};
use crate::{Fault, Parameter, RuleContext};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{AdaptiveFlushing, FlushGauges, Recommendation, RuleInput, View, WorkBefore};
use innosim_flush_models::registry::Settings;
use std::fmt;

/// Seconds of redo within which pages are due, as the servers have it.
const SECONDS_AHEAD: f64 = 3.0;
/// Times `innodb_io_capacity_max` up to which pages due are counted, over all instances.
const COUNTED: f64 = 12.0;
/// Most stretches that a rule looks ahead in a pass.
const MOST_STRETCHES: usize = 8;

/// What must be counted for an embedded rule; what it does not look at is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Pages that are due.
    pub due: bool,
    /// The mean age of the dirty pages.
    pub mean_age: bool,
}

/// A rule in another language, in one run.
pub trait EmbeddedRule: Send {
    /// What it looks at of what takes time to count.
    fn counted(&self) -> Counted;

    /// Within how many bytes of redo beyond the oldest page pages count as due, up to 8 stretches; `None` for the servers' 3
    /// seconds. Asked before [`EmbeddedRule::pass`], where pages that are due are counted.
    ///
    /// # Errors
    /// [`Fault`] for whatever the rule does wrong.
    fn look_ahead(&mut self, see: &See) -> Result<Option<Vec<f64>>, Fault>;

    /// The decision for this pass.
    ///
    /// # Errors
    /// [`Fault`] for whatever the rule does wrong.
    fn pass(&mut self, see: &See) -> Result<FlushDecision, Fault>;

    /// Gives a fault its place: a decision that can't be followed has none.
    fn at_pass(&self, fault: Fault) -> Fault {
        fault
    }
}

/// A rule of the program that innosim is part of: a function of another language, for one.
pub struct HostedRule {
    /// What it does, in a line.
    pub about: String,
    /// What it leaves open.
    pub parameters: Vec<Parameter>,
    /// Makes a fresh one for a run. It is called when a scenario is checked too, so what takes time or has effects waits for
    /// the first pass.
    pub start: StartEmbedded,
}

/// See [`HostedRule::start`].
pub type StartEmbedded = Box<dyn Fn(&RuleContext<'_>) -> Box<dyn EmbeddedRule> + Send + Sync>;

impl fmt::Debug for HostedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedRule").field("about", &self.about).finish_non_exhaustive()
    }
}

/// Whether a rule may look so far ahead.
pub(crate) fn can_look_ahead(bytes: &[f64]) -> bool {
    (1..=MOST_STRETCHES).contains(&bytes.len()) && bytes.iter().all(|bytes| *bytes >= 0.0 && bytes.is_finite())
}

/// How far a rule may look ahead, for those that look elsewhere.
pub(crate) const LOOK_AHEAD: &str =
    "give bytes of redo beyond the oldest page, from 0: a number, or an array of up to 8";

/// An embedded rule as the rule of a server.
pub(crate) struct RuleOfServer {
    name: String,
    rule: Box<dyn EmbeddedRule>,
    capacity: Capacity,
    measured: Measured,
    sleep: Option<SimDuration>,
    n_pages: u64,
    failure: Option<String>,
}

impl fmt::Debug for RuleOfServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleOfServer").field("name", &self.name).field("failure", &self.failure).finish_non_exhaustive()
    }
}

impl RuleOfServer {
    /// An embedded rule at the start of a run.
    pub(crate) fn new(name: &str, rule: Box<dyn EmbeddedRule>, settings: &Settings) -> RuleOfServer {
        RuleOfServer {
            name: name.to_owned(),
            rule,
            capacity: Capacity::of(settings),
            measured: Measured::new(settings.integer_or("innodb_flushing_avg_loops", 30).unwrap_or(30).max(1)),
            sleep: None,
            n_pages: 0,
            failure: None,
        }
    }

    /// Ends the run, with what the rule saw.
    pub(crate) fn fail(&mut self, fault: &Fault, seen: &str) {
        let place = fault.in_file(&self.name);
        let help = if fault.help.is_empty() { String::new() } else { format!("\n  = help: {}", fault.help) };
        self.failure = Some(format!("rule {place}\n  it saw: {seen}{help}"));
    }

    /// How far the rule looks ahead of the oldest page, bytes of redo.
    fn stretches(&mut self, see: &See) -> Result<Vec<f64>, Fault> {
        match self.rule.look_ahead(see)? {
            None => Ok(vec![if see.sync_pass { see.sync_reach } else { SECONDS_AHEAD * see.redo_rate }]),
            Some(bytes) if can_look_ahead(&bytes) => Ok(bytes),
            Some(bytes) => Err(Fault::new(format!("`look_ahead` gives {bytes:?}")).help(LOOK_AHEAD)),
        }
    }

    /// Counts the pages that are due within what the rule looks ahead, as far as a server counts.
    fn count_due(&mut self, see: &mut See, view: &View<'_>) -> Result<(), Fault> {
        let stretches = self.stretches(see)?;
        let oldest = view.oldest_or_current_lsn();
        let instances = view.lists.instances();
        let cap = ((COUNTED * see.capacity.io_capacity_max.max(1.0) / f64::from(instances)) as u64).max(1);
        let due = |ahead: f64| -> Vec<u64> {
            let up_to = oldest.saturating_add(ahead as u64);
            (0..instances).map(|instance| view.lists.pages_up_to(instance, up_to, cap)).collect()
        };
        see.due = stretches.into_iter().map(due).collect();
        Ok(())
    }

    fn answer(&mut self, see: &mut See, view: &View<'_>) -> Result<Answer, Fault> {
        let counted = self.rule.counted();
        if counted.due {
            self.count_due(see, view)?;
        }
        if counted.mean_age && view.dirty_pages > 0 {
            let sum: u128 = (0..view.lists.instances()).map(|instance| view.lists.sum_of_oldest(instance)).sum();
            let listed: u64 = (0..view.lists.instances()).map(|instance| view.lists.listed(instance)).sum();
            see.mean_age = (view.current_lsn as f64 - sum as f64 / listed.max(1) as f64).max(0.0);
        }
        let bounds = Bounds { pages: view.lru_pages + view.free_pages, instances: see.instances as usize };
        self.rule.pass(see)?.checked(bounds).map_err(|fault| self.rule.at_pass(fault))
    }
}

impl AdaptiveFlushing for RuleOfServer {
    fn starts_after(&mut self, before: WorkBefore) {
        self.measured.starts_after(before);
    }

    fn recommend(&mut self, view: &View<'_>, input: RuleInput) -> Recommendation {
        self.measured.pass(view, input);
        if self.failure.is_some() {
            return Recommendation::default();
        }
        let mut see = See::of(view, input, &self.measured, self.capacity);
        match self.answer(&mut see, view) {
            Ok(answer) => {
                self.n_pages = answer.recommendation.n_pages;
                self.sleep = answer.sleep;
                answer.recommendation
            }
            Err(fault) => {
                self.fail(&fault, &see.in_a_line());
                Recommendation::default()
            }
        }
    }

    fn gauges(&self) -> FlushGauges {
        self.measured.gauges(self.n_pages)
    }

    fn next_pass_in(&self) -> Option<SimDuration> {
        self.sleep
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}
