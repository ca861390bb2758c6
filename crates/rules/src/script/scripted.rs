//! A script at work: one call a pass, its memory between passes, and the end of it when something is wrong.

use super::answer::{Answer, Bounds};
use super::engine::{engine, fault_of, number};
use super::see::{self, Capacity, See};
use super::{Functions, Script};
use crate::measured::Measured;
use crate::{Fault, Values};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{AdaptiveFlushing, FlushGauges, Recommendation, RuleInput, View, WorkBefore};
use innosim_flush_models::registry::Settings;
use rhai::{AST, CallFnOptions, Dynamic, Engine, FuncArgs, Map, Scope};

/// Seconds of redo within which pages are due, as the servers have it.
const SECONDS_AHEAD: f64 = 3.0;
/// Times `innodb_io_capacity_max` up to which pages due are counted, over all instances.
const COUNTED: f64 = 12.0;
/// Most stretches that a rule looks ahead in a pass.
const MOST_STRETCHES: usize = 8;

/// The values of the parameters, as a script sees them.
#[derive(Debug, Clone, Copy)]
struct Set;

/// A script in a run.
pub(crate) struct ScriptedRule {
    name: String,
    engine: Engine,
    ast: AST,
    functions: Functions,
    scope: Scope<'static>,
    memory: Dynamic,
    capacity: Capacity,
    measured: Measured,
    sleep: Option<SimDuration>,
    n_pages: u64,
    failure: Option<String>,
}

impl std::fmt::Debug for ScriptedRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptedRule").field("name", &self.name).field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl ScriptedRule {
    pub(super) fn new(script: &Script, name: &str, values: &Values, settings: &Settings) -> ScriptedRule {
        let mut engine = engine();
        see::register(&mut engine);
        engine.register_type_with_name::<Set>("set");
        for parameter in &script.parameters {
            let value = values.of(parameter);
            engine.register_get(parameter.name.as_str(), move |_: &mut Set| value);
        }
        let setting = |name| settings.integer(name).map_or(0.0, |value| value as f64);
        let io_capacity = setting("innodb_io_capacity");
        let mut rule = ScriptedRule {
            name: name.to_owned(),
            engine,
            ast: script.ast.clone(),
            functions: script.functions,
            scope: Scope::new(),
            memory: Dynamic::from_map(Map::new()),
            capacity: Capacity {
                io_capacity,
                io_capacity_max: settings.integer("innodb_io_capacity_max").map_or(io_capacity, |value| value as f64),
                max_dirty_pages_pct: settings.real("innodb_max_dirty_pages_pct").unwrap_or(100.0),
            },
            measured: Measured::new(settings.integer_or("innodb_flushing_avg_loops", 30).unwrap_or(30).max(1)),
            sleep: None,
            n_pages: 0,
            failure: None,
        };
        if rule.functions.start {
            match rule.call("start", (), false) {
                Ok(memory) => rule.memory = memory,
                Err(fault) => rule.fail(&fault, "at its start"),
            }
        }
        rule
    }

    /// Calls a function of the script, with its memory as `this` if `bound`.
    fn call(&mut self, function: &str, arguments: impl FuncArgs, bound: bool) -> Result<Dynamic, Fault> {
        let options = CallFnOptions::new().eval_ast(false).rewind_scope(true);
        let options = if bound { options.bind_this_ptr(&mut self.memory) } else { options };
        let called = self.engine.call_fn_with_options(options, &mut self.scope, &self.ast, function, arguments);
        called.map_err(|error| {
            let fault = fault_of(&error);
            // The language does not always say where a budget ran out.
            let line = self.functions.line_of(function);
            if fault.line == 0 { fault.at(line, 0) } else { fault }
        })
    }

    fn fail(&mut self, fault: &Fault, seen: &str) {
        let place = fault.in_file(&self.name);
        let help = if fault.help.is_empty() { String::new() } else { format!("\n  = help: {}", fault.help) };
        self.failure = Some(format!("rule {place}\n  it saw: {seen}{help}"));
    }

    /// How far the rule looks ahead of the oldest page, bytes of redo.
    fn stretches(&mut self, see: &See) -> Result<Vec<f64>, Fault> {
        if !self.functions.look_ahead {
            return Ok(vec![if see.sync_pass { see.sync_reach } else { SECONDS_AHEAD * see.redo_rate }]);
        }
        let answer = self.call("look_ahead", (see.clone(), Set), true)?;
        let bytes = match answer.as_array_ref() {
            Ok(list) => list.iter().map(number).collect::<Option<Vec<f64>>>(),
            Err(_) => number(&answer).map(|bytes| vec![bytes]),
        };
        let good = |bytes: &Vec<f64>| {
            (1..=MOST_STRETCHES).contains(&bytes.len()) && bytes.iter().all(|b| *b >= 0.0 && b.is_finite())
        };
        bytes.filter(good).ok_or_else(|| {
            let message = format!("`look_ahead` gives {answer}");
            let help = "give bytes of redo beyond the oldest page, from 0: a number, or an array of up to 8";
            Fault::new(message).at(self.functions.look_ahead_line, 0).help(help)
        })
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
        if self.functions.counts_due {
            self.count_due(see, view)?;
        }
        if self.functions.asks_mean_age && view.dirty_pages > 0 {
            let sum: u128 = (0..view.lists.instances()).map(|instance| view.lists.sum_of_oldest(instance)).sum();
            let listed: u64 = (0..view.lists.instances()).map(|instance| view.lists.listed(instance)).sum();
            see.mean_age = (view.current_lsn as f64 - sum as f64 / listed.max(1) as f64).max(0.0);
        }
        let bounds = Bounds { pages: view.lru_pages + view.free_pages, instances: see.instances as usize };
        let answer = self.call("pass", (see.clone(), Set), true)?;
        Answer::of(answer, bounds).map_err(|fault| fault.at(self.functions.pass_line, 0))
    }
}

impl AdaptiveFlushing for ScriptedRule {
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
