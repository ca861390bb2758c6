//! The sandbox: what of the language a rule may use, how much of it, and what errors of it mean.
//!
//! * No `print`, `debug`, `eval`, `import`, no function pointers by name; no packages but arithmetic, logic, arrays, maps
//!   and ranges. There is no way to a file, a clock or a random number.
//! * The operator `**` goes to the platform's `pow`, which differs between machines; it is taken out of the language, and
//!   `pow`, `ln` and `exp` are those of `libm`. All else in IEEE arithmetic is exact everywhere.
//! * A call has a budget of operations; strings, arrays, maps, call depth, variables and functions are bounded.

use crate::{Fault, Parameter};
use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicFnPackage, BasicIteratorPackage, BasicMapPackage, BasicStringPackage,
    LogicPackage, Package,
};
use rhai::{Dynamic, Engine, EvalAltResult, FLOAT, INT, ImmutableString, ParseError, Position};
use std::sync::{Arc, Mutex};

/// Operations of one call.
pub(super) const OPERATIONS: u64 = 200_000;
/// Elements of an array and entries of a map, those inside them counted.
pub(super) const ELEMENTS: usize = 4096;
/// Characters of a string.
const CHARACTERS: usize = 4096;
/// Most parameters of a rule.
const MOST_PARAMETERS: usize = 64;
/// Words that are no part of the language here.
const FORBIDDEN: [&str; 11] =
    ["**", "**=", "eval", "print", "debug", "import", "export", "Fn", "call", "curry", "is_shared"];

/// What a script declares when its top level is run.
pub(super) type Declared = Arc<Mutex<Vec<Parameter>>>;

/// An engine for running rules.
pub(super) fn engine() -> Engine {
    let mut engine = Engine::new_raw();
    ArithmeticPackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicFnPackage::new().register_into_engine(&mut engine);
    BasicIteratorPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    for word in FORBIDDEN {
        engine.disable_symbol(word);
    }
    engine.set_strict_variables(true);
    engine.set_fail_on_invalid_map_property(true);
    engine.set_max_operations(OPERATIONS);
    engine.set_max_array_size(ELEMENTS);
    engine.set_max_map_size(ELEMENTS);
    engine.set_max_string_size(CHARACTERS);
    engine.set_max_call_levels(24);
    engine.set_max_variables(256);
    engine.set_max_functions(128);
    engine.set_max_expr_depths(64, 48);
    mathematics(&mut engine);
    engine
}

/// The same with `param(name, default, smallest, largest, help)`, and where its declarations go.
pub(super) fn declaring_engine() -> (Engine, Declared) {
    let mut engine = engine();
    let declared = Declared::default();
    let into = Arc::clone(&declared);
    type Text = ImmutableString;
    type Ended = Result<(), Box<EvalAltResult>>;
    let param = move |name: Text, default: Dynamic, min: Dynamic, max: Dynamic, help: Text| -> Ended {
        let Ok(mut declared) = into.lock() else { return Ok(()) };
        if declared.len() >= MOST_PARAMETERS {
            return Err(format!("a rule has at most {MOST_PARAMETERS} parameters").into());
        }
        let number = |value: &Dynamic| number(value).unwrap_or(FLOAT::NAN);
        let parameter = Parameter {
            name: name.to_string(),
            default: number(&default),
            min: number(&min),
            max: number(&max),
            help: help.to_string(),
        };
        let checked =
            parameter.checked(&declared).map_err(|fault| -> Box<EvalAltResult> { fault.to_string().into() })?;
        declared.push(checked);
        Ok(())
    };
    engine.register_fn("param", param);
    (engine, declared)
}

/// A number, whole or not.
pub(super) fn number(value: &Dynamic) -> Option<FLOAT> {
    value.as_float().ok().or_else(|| value.as_int().ok().map(|whole| whole as FLOAT))
}

/// Registers a function of one number for whole numbers too.
macro_rules! of_one {
    ($engine:ident, $($name:literal => $function:expr),* $(,)?) => {
        $(
            $engine.register_fn($name, |x: FLOAT| -> FLOAT { $function(x) });
            $engine.register_fn($name, |x: INT| -> FLOAT { $function(x as FLOAT) });
        )*
    };
}

/// Registers a function of two numbers for all mixtures of whole ones and others.
macro_rules! of_two {
    ($engine:ident, $($name:literal => $function:expr),* $(,)?) => {
        $(
            $engine.register_fn($name, |x: FLOAT, y: FLOAT| -> FLOAT { $function(x, y) });
            $engine.register_fn($name, |x: INT, y: FLOAT| -> FLOAT { $function(x as FLOAT, y) });
            $engine.register_fn($name, |x: FLOAT, y: INT| -> FLOAT { $function(x, y as FLOAT) });
            $engine.register_fn($name, |x: INT, y: INT| -> FLOAT { $function(x as FLOAT, y as FLOAT) });
        )*
    };
}

fn mathematics(engine: &mut Engine) {
    of_one! { engine,
        "floor" => FLOAT::floor, "ceil" => FLOAT::ceil, "round" => FLOAT::round, "sqrt" => FLOAT::sqrt,
        "ln" => libm::log, "exp" => libm::exp, "float" => FLOAT::from,
        "is_nan" => |x: FLOAT| if x.is_nan() { 1.0 } else { 0.0 },
    }
    of_two! { engine, "min" => FLOAT::min, "max" => FLOAT::max, "pow" => libm::pow }
    // A lower limit above the upper one is the rule's mistake, not a panic.
    let clamp = |x: FLOAT, low: FLOAT, high: FLOAT| x.max(low).min(high);
    engine.register_fn("clamp", clamp);
    let clamp = move |x: Dynamic, low: Dynamic, high: Dynamic| -> Result<FLOAT, Box<EvalAltResult>> {
        match (number(&x), number(&low), number(&high)) {
            (Some(x), Some(low), Some(high)) => Ok(clamp(x, low, high)),
            _ => Err("clamp(value, low, high) takes three numbers".into()),
        }
    };
    engine.register_fn("clamp", clamp);
}

/// What a syntax error means.
pub(super) fn fault_of_parse(error: &ParseError) -> Fault {
    let text = error.err_type().to_string();
    placed(Fault::new(in_a_line(&text)).help(hint(&text)), error.position())
}

/// What an error of a call means: the innermost one, where it happened.
pub(super) fn fault_of(error: &EvalAltResult) -> Fault {
    let inner = innermost(error);
    let text = match inner {
        EvalAltResult::ErrorTooManyOperations(_) => {
            format!("more than {OPERATIONS} operations in one call: an endless loop?")
        }
        EvalAltResult::ErrorDataTooLarge(what, _) => {
            format!("{} of more than {ELEMENTS} elements or characters", what.to_lowercase())
        }
        EvalAltResult::ErrorStackOverflow(_) => "functions call each other too deeply".to_owned(),
        EvalAltResult::ErrorRuntime(value, _) => value.to_string(),
        other => without_place(&other.to_string()).replace(" - a getter is not registered for type", " of"),
    };
    let (text, help) = match text.split_once("\n  = help: ") {
        Some((text, help)) => (text.to_owned(), help.to_owned()),
        None => (text.clone(), hint(&text).to_owned()),
    };
    placed(Fault::new(in_a_line(&text)).help(help), inner.position())
}

fn innermost(error: &EvalAltResult) -> &EvalAltResult {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) | EvalAltResult::ErrorInModule(_, inner, _) => {
            innermost(inner)
        }
        other => other,
    }
}

fn placed(fault: Fault, at: Position) -> Fault {
    fault.at(at.line().unwrap_or(0), at.position().unwrap_or(0))
}

/// The language puts the place behind its messages: it stands before ours.
fn without_place(text: &str) -> String {
    text.rfind(" (line ").map_or(text, |at| &text[..at]).to_owned()
}

fn in_a_line(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    line.join(" ")
}

/// The likely fix of an error of the language.
fn hint(text: &str) -> &'static str {
    const HINTS: [(&str, &str); 9] = [
        ("endless loop", "end the loop, or keep between passes what it works out"),
        ("**", "write pow(x, y): the operator differs between machines"),
        (
            "ndefined variable",
            "a function sees its arguments and `this` only; numbers to be set are declared by param(...)",
        ),
        ("Variable not found", "a function sees its arguments and `this` only"),
        ("roperty not found", "docs/rules.md lists what `see` and `set` have; `this` has what fn start() gives it"),
        ("not found: get", "docs/rules.md lists what `see` and `set` have; `this` has what fn start() gives it"),
        ("Unknown property", "docs/rules.md lists what `see` and `set` have; `this` has what fn start() gives it"),
        ("Unbound", "give the rule a memory: fn start() { #{ ... } }"),
        ("elements or characters", "a rule that remembers without end takes too much: drop what is old"),
    ];
    HINTS.iter().find(|(words, _)| text.contains(words)).map_or("", |(_, help)| help)
}
