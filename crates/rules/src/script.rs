//! A rule as a script: its text, checked once and run many times.
//!
//! The language is Rhai, cut down to what decides pages: numbers, switches, arrays, maps, functions, loops. A rule is
//!
//! ```text
//!   // What it does, and where the idea comes from.          the comment that opens the text: its story
//!   param("gain", 2.0, 0.0, 20.0, "what it does, its unit"); at the top level: the parameters, and nothing else
//!   fn start() { #{ integral: 0.0 } }                        optional: what the rule remembers, `this` in `pass`
//!   fn look_ahead(see, set) { 3.0 * see.redo_rate }          optional: bytes of redo within which pages are due
//!   fn pass(see, set) { ... }                                pages of this pass, or #{ pages, slots, sleep }
//! ```
//!
//! What it may not do, and what keeps it from it, is in `engine`; what it sees, in `see`; how a pass runs, in `scripted`.

mod answer;
mod engine;
mod scripted;
mod see;

use crate::{Fault, Parameter, Values};
use engine::{declaring_engine, fault_of, fault_of_parse};
use innosim_core::seam::AdaptiveFlushing;
use innosim_flush_models::registry::Settings;
use rhai::AST;
use scripted::ScriptedRule;

/// A script that is a rule.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) text: String,
    pub(crate) story: String,
    pub(crate) parameters: Vec<Parameter>,
    ast: AST,
    functions: Functions,
}

/// Which of its functions a rule has, and where `pass` stands.
#[derive(Debug, Clone, Copy, Default)]
struct Functions {
    start: bool,
    look_ahead: bool,
    /// Line of `fn pass`.
    pass_line: usize,
    /// Lines of `fn look_ahead` and `fn start`, 0 without.
    look_ahead_line: usize,
    start_line: usize,
    /// Whether the text speaks of pages that are due, which are counted only then.
    counts_due: bool,
    /// Whether it speaks of the mean age, which is summed up only then.
    asks_mean_age: bool,
}

impl Functions {
    fn line_of(&self, function: &str) -> usize {
        match function {
            "pass" => self.pass_line,
            "look_ahead" => self.look_ahead_line,
            _ => self.start_line,
        }
    }
}

impl Script {
    /// Checks a text and reads the declarations of its parameters.
    pub(crate) fn compile(name: &str, text: &str) -> Result<Script, Fault> {
        if text.trim().is_empty() {
            return Err(Fault::new(format!("{name} is empty")).help(RULE));
        }
        let (engine, declared) = declaring_engine();
        let mut ast = engine.compile(text).map_err(|error| fault_of_parse(&error))?;
        ast.set_source(name);
        let functions = functions(&ast, text)?;
        engine.run_ast(&ast).map_err(|error| fault_of(&error))?;
        let parameters = declared.lock().map(|declared| declared.clone()).unwrap_or_default();
        // What is declared is known; from here on only the functions matter.
        ast.clear_statements();
        Ok(Script { text: text.to_owned(), story: story_of(text), parameters, ast, functions })
    }

    /// The rule at the start of a run.
    pub(crate) fn start(&self, name: &str, values: &Values, settings: &Settings) -> Box<dyn AdaptiveFlushing> {
        Box::new(ScriptedRule::rule_of_server(self, name, values, settings))
    }
}

/// What a rule is, for those who wrote something else.
const RULE: &str = "a rule is a script with a function `fn pass(see, set) { ... }` that gives the pages of a pass; \
                    `innosim rules fixed-rate` prints a small one";

/// Checks that the functions of a rule are there with the right number of arguments.
fn functions(ast: &AST, text: &str) -> Result<Functions, Fault> {
    let line_of = |name: &str| {
        let begins = |line: &str| {
            let rest = line.trim_start().trim_start_matches("private ").strip_prefix("fn ");
            rest.and_then(|rest| rest.trim_start().strip_prefix(name)).is_some_and(|r| r.trim_start().starts_with('('))
        };
        text.lines().position(begins).map_or(0, |at| at + 1)
    };
    let mut found = Functions {
        pass_line: line_of("pass"),
        look_ahead_line: line_of("look_ahead"),
        start_line: line_of("start"),
        counts_due: text.contains("due"),
        asks_mean_age: text.contains("mean_age"),
        ..Functions::default()
    };
    let mut pass = false;
    for function in ast.iter_functions() {
        let wanted = match function.name {
            "pass" | "look_ahead" => 2,
            "start" => 0,
            _ => continue,
        };
        if function.params.len() != wanted {
            let usage = if wanted == 2 { "(see, set)" } else { "()" };
            let message = format!("`{}` takes {} arguments", function.name, function.params.len());
            let help = format!("write fn {}{usage} {{ ... }}", function.name);
            return Err(Fault::new(message).at(line_of(function.name), 0).help(help));
        }
        match function.name {
            "pass" => pass = true,
            "look_ahead" => found.look_ahead = true,
            _ => found.start = true,
        }
    }
    if pass { Ok(found) } else { Err(Fault::new("it has no function `pass`").help(RULE)) }
}

/// The comment that opens a text, without its marks.
fn story_of(text: &str) -> String {
    let comment = text.lines().skip_while(|line| line.trim().is_empty()).map_while(|line| line.strip_prefix("//"));
    let lines: Vec<&str> = comment.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
