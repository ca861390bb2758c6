//! A rule written in Rust, at arm's length: what it does wrong ends its run, and no other.
//!
//! A panic is caught and told with its place; a decision that no server could follow is refused as one of a script would be.
//! What can't be caught here is a rule that never comes back: [`asked`] says which rules are being asked at the moment, so that
//! a program can notice ([`Asked::call`] stands still) and end. A program built with `panic = "abort"` ends at a panic.

use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{AdaptiveFlushing, FlushGauges, Recommendation, RuleInput, View, WorkBefore};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// Shortest and longest time from a pass to the next.
const SLEEP: (SimDuration, SimDuration) = (SimDuration::from_millis(10), SimDuration::from_secs(1));

/// A rule that is being asked at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Its name.
    pub rule: String,
    /// Counts the questions to all rules: as long as it stands still, the rule has not come back.
    pub call: u64,
    /// Simulated time of the pass, milliseconds.
    pub at_ms: u64,
    /// What the rule sees in it, in a line.
    pub saw: String,
}

/// By the address of the guard: which rules are being asked.
static ASKED: Mutex<BTreeMap<usize, Asked>> = Mutex::new(BTreeMap::new());
static CALLS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether this thread is inside a rule.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Place and words of a panic inside a rule.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The rules in Rust that are being asked at the moment, on all threads.
pub fn asked() -> Vec<Asked> {
    ASKED.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
}

/// A rule in Rust with what keeps its faults to itself.
pub(crate) struct Guarded {
    name: String,
    rule: Option<Box<dyn AdaptiveFlushing>>,
    failure: Option<String>,
}

impl std::fmt::Debug for Guarded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guarded").field("name", &self.name).field("failure", &self.failure).finish_non_exhaustive()
    }
}

impl Guarded {
    /// Builds a rule; that it can't be built is told at its first pass.
    pub(crate) fn build(name: &str, build: impl FnOnce() -> Box<dyn AdaptiveFlushing>) -> Guarded {
        keep_panics();
        let mut guarded = Guarded { name: name.to_owned(), rule: None, failure: None };
        match inside(build) {
            Ok(rule) => guarded.rule = Some(rule),
            Err(panic) => guarded.fail(&panic, "nothing yet: it was being built"),
        }
        guarded
    }

    fn fail(&mut self, what: &str, saw: &str) {
        self.failure.get_or_insert_with(|| format!("rule {}: {what}\n  it saw: {saw}", self.name));
    }

    /// Why a decision can't be followed.
    fn refused(decision: &Recommendation, pause: Option<SimDuration>, view: &View<'_>) -> Option<String> {
        let pool = view.lru_pages + view.free_pages;
        let instances = view.lists.instances() as usize;
        let most = decision.slots.iter().copied().chain([decision.n_pages]).max().unwrap_or(0);
        if most > pool {
            return Some(format!("it asks for {most} pages, and the buffer pool has {pool}"));
        }
        if !decision.slots.is_empty() && decision.slots.len() != instances {
            return Some(format!("it gives {} slots, and there are {instances} instances", decision.slots.len()));
        }
        let pause = pause.filter(|pause| !(SLEEP.0..=SLEEP.1).contains(pause))?;
        Some(format!("its next pass is to come in {} s; 0.01 to 1 are possible", pause.0 as f64 / 1e9))
    }
}

/// What a rule sees, in a line.
fn saw(view: &View<'_>, input: RuleInput) -> String {
    let age = view.current_lsn.saturating_sub(view.oldest_or_current_lsn());
    let sync = if input.sync_limit_lsn.is_some() { ", in a sync pass" } else { "" };
    format!("age {age} of {} bytes, {} dirty pages{sync}", input.limit_for_age_bytes, view.dirty_pages)
}

impl AdaptiveFlushing for Guarded {
    fn starts_after(&mut self, before: WorkBefore) {
        let Some(rule) = &mut self.rule else { return };
        if let Err(panic) = inside(|| rule.starts_after(before)) {
            self.fail(&panic, "what went on before the run");
        }
    }

    fn recommend(&mut self, view: &View<'_>, input: RuleInput) -> Recommendation {
        let Some(rule) = self.rule.as_mut().filter(|_| self.failure.is_none()) else {
            return Recommendation::default();
        };
        let saw = saw(view, input);
        let key = std::ptr::from_ref(&self.name) as usize;
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let asked = Asked { rule: self.name.clone(), call, at_ms: view.now.0 / 1_000_000, saw: saw.clone() };
        ASKED.lock().unwrap_or_else(PoisonError::into_inner).insert(key, asked);
        let answer = inside(|| (rule.recommend(view, input), rule.next_pass_in()));
        ASKED.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        let fault = match answer {
            Ok((decision, pause)) => match Self::refused(&decision, pause, view) {
                None => return decision,
                Some(refused) => refused,
            },
            Err(panic) => panic,
        };
        self.fail(&fault, &saw);
        Recommendation::default()
    }

    fn gauges(&self) -> FlushGauges {
        // A second panic would tell nothing new: the figures of a run that fails are not shown.
        let rule = self.rule.as_ref().filter(|_| self.failure.is_none());
        rule.and_then(|rule| inside(|| rule.gauges()).ok()).unwrap_or_default()
    }

    fn next_pass_in(&self) -> Option<SimDuration> {
        let rule = self.rule.as_ref().filter(|_| self.failure.is_none());
        rule.and_then(|rule| inside(|| rule.next_pass_in()).ok().flatten())
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref().or_else(|| self.rule.as_ref()?.failure())
    }
}

/// Does something of a rule's; a panic comes back as text.
fn inside<T>(of_the_rule: impl FnOnce() -> T) -> Result<T, String> {
    INSIDE.set(true);
    let done = catch_unwind(AssertUnwindSafe(of_the_rule));
    INSIDE.set(false);
    done.map_err(|_| PANIC.take().unwrap_or_else(|| "it panicked".to_owned()))
}

/// Keeps the words of panics inside rules for the run's error, instead of printing them in between.
fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !INSIDE.get() {
                return before(info);
            }
            let place = info.location().map(|at| format!("{}:{}:{}: ", at.file(), at.line(), at.column()));
            let payload = info.payload();
            let fixed = payload.downcast_ref::<&str>().copied();
            let words = fixed.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            let words = words.unwrap_or("without a word");
            PANIC.set(Some(format!("{}it panicked: {words}", place.unwrap_or_default())));
        }));
    });
}
