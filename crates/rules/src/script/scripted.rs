//! A script at work: one call a pass, and its memory between passes.

use super::answer::decision_of;
use super::engine::{engine, fault_of, number};
use super::{Functions, Script, see};
use crate::decision::FlushDecision;
use crate::embedded::{Counted, EmbeddedRule, LOOK_AHEAD, RuleOfServer, can_look_ahead};
use crate::see::See;
use crate::{Fault, Values};
use innosim_flush_models::registry::Settings;
use rhai::{AST, CallFnOptions, Dynamic, Engine, FuncArgs, Map, Scope};

/// The values of the parameters, as a script sees them.
#[derive(Debug, Clone, Copy)]
struct Set;

/// A script in a run.
pub(super) struct ScriptedRule {
    engine: Engine,
    ast: AST,
    functions: Functions,
    scope: Scope<'static>,
    memory: Dynamic,
}

impl ScriptedRule {
    /// A script as the rule of a server.
    pub(super) fn rule_of_server(script: &Script, name: &str, values: &Values, settings: &Settings) -> RuleOfServer {
        let mut engine = engine();
        see::register(&mut engine);
        engine.register_type_with_name::<Set>("set");
        for parameter in &script.parameters {
            let value = values.of(parameter);
            engine.register_get(parameter.name.as_str(), move |_: &mut Set| value);
        }
        let mut rule = ScriptedRule {
            engine,
            ast: script.ast.clone(),
            functions: script.functions,
            scope: Scope::new(),
            memory: Dynamic::from_map(Map::new()),
        };
        let started = match rule.functions.start {
            true => rule.call("start", (), false).map(|memory| rule.memory = memory),
            false => Ok(()),
        };
        let mut rule_of_server = RuleOfServer::new(name, Box::new(rule), settings);
        if let Err(fault) = started {
            rule_of_server.fail(&fault, "at its start");
        }
        rule_of_server
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
}

impl EmbeddedRule for ScriptedRule {
    fn counted(&self) -> Counted {
        Counted { due: self.functions.counts_due, mean_age: self.functions.asks_mean_age }
    }

    fn look_ahead(&mut self, see: &See) -> Result<Option<Vec<f64>>, Fault> {
        if !self.functions.look_ahead {
            return Ok(None);
        }
        let answer = self.call("look_ahead", (see.clone(), Set), true)?;
        let bytes = match answer.as_array_ref() {
            Ok(list) => list.iter().map(number).collect::<Option<Vec<f64>>>(),
            Err(_) => number(&answer).map(|bytes| vec![bytes]),
        };
        let bytes = bytes.filter(|bytes| can_look_ahead(bytes)).ok_or_else(|| {
            let message = format!("`look_ahead` gives {answer}");
            Fault::new(message).at(self.functions.look_ahead_line, 0).help(LOOK_AHEAD)
        });
        bytes.map(Some)
    }

    fn pass(&mut self, see: &See) -> Result<FlushDecision, Fault> {
        let answer = self.call("pass", (see.clone(), Set), true)?;
        decision_of(answer).map_err(|fault| self.at_pass(fault))
    }

    fn at_pass(&self, fault: Fault) -> Fault {
        fault.at(self.functions.pass_line, 0)
    }
}
