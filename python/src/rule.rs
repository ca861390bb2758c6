//! A flushing rule that is a Python function, or a class whose objects are called so.
//!
//! It takes the place of a script ([`innosim_rules::EmbeddedRule`]): it sees the same, is held to the same bounds, and
//! ends its run in the same words. What it raised is kept beside, to be the cause of the exception that tells of the run.

use crate::error::refused;
use crate::pass::Pass;
use innosim_rules::{Counted, EmbeddedRule, Fault, FlushDecision, HostedRule, Parameter, Rule, RuleContext, See};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyType};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What an answer can be.
const ANSWER: &str = "return the pages of this pass: a number, or a dict such as {\"pages\": 2000, \"sleep\": 0.5}";
/// Most characters of somebody's value in a message.
const SHOWN: usize = 80;

/// What a rule raised.
#[derive(Debug, Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// The rule that a Python object is; what it raises goes to `raised`.
pub(crate) fn rule_of(object: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<Rule> {
    let is_class = object.is_instance_of::<PyType>();
    if !object.is_callable() {
        let kind = object.get_type().name()?;
        return Err(refused(format!(
            "a rule is a function of a pass, a class whose objects are called with one, or the name or file of a rule, not {kind}"
        )));
    }
    let name = object.getattr("__name__").or_else(|_| object.get_type().getattr("__name__"))?.to_string();
    let about =
        object.getattr("__doc__").ok().filter(|doc| !doc.is_none()).map(|doc| doc.to_string()).unwrap_or_default();
    let parameters = if is_class { parameters_of(object)? } else { Vec::new() };
    let names: Vec<String> = parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let asks_mean_age = object.getattr_opt("asks_mean_age")?.is_some_and(|asks| asks.is_truthy().unwrap_or(false));
    let (source, raised) = (Arc::new(object.clone().unbind()), raised.clone());
    let start = move |context: &RuleContext<'_>| -> Box<dyn EmbeddedRule> {
        let value = |name: &String| Some((name.clone(), context.parameter(name)?));
        let arguments = names.iter().filter_map(value).collect();
        let at_work = if is_class { None } else { Some(source.clone()) };
        Box::new(PyRule { source: source.clone(), arguments, at_work, asks_mean_age, raised: raised.clone() })
    };
    let about = about.lines().next().unwrap_or_default().to_owned();
    Rule::hosted(&name, HostedRule { about, parameters, start: Box::new(start) })
        .map_err(|fault| refused(format!("rule {name}: {fault}")))
}

/// `parameters` of a class: default, smallest, largest and help by name.
fn parameters_of(class: &Bound<'_, PyAny>) -> PyResult<Vec<Parameter>> {
    let Some(declared) = class.getattr_opt("parameters")? else { return Ok(Vec::new()) };
    let wrong =
        || refused("`parameters` of a rule is a dict of names to innosim.Parameter(default, smallest, largest, help)");
    let declared = declared.cast::<PyDict>().map_err(|_| wrong())?;
    let one = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let (default, min, max, help): (f64, f64, f64, String) = value.extract().map_err(|_| wrong())?;
        Ok(Parameter { name: name.extract().map_err(|_| wrong())?, default, min, max, help })
    };
    declared.iter().map(one).collect()
}

/// A Python rule in a run.
struct PyRule {
    source: Arc<Py<PyAny>>,
    /// Values of the parameters, for the class.
    arguments: Vec<(String, f64)>,
    /// What is called; a class makes it at the first pass.
    at_work: Option<Arc<Py<PyAny>>>,
    /// Whether the mean age is counted, which takes a walk over all dirty pages.
    asks_mean_age: bool,
    raised: Raised,
}

impl PyRule {
    /// What is called in each pass.
    fn at_work<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(object) = &self.at_work {
            return Ok(object.bind(py).clone());
        }
        let arguments = PyDict::new(py);
        for (name, value) in &self.arguments {
            arguments.set_item(name, value)?;
        }
        let made = self.source.bind(py).call((), Some(&arguments))?;
        self.at_work = Some(Arc::new(made.clone().unbind()));
        Ok(made)
    }

    /// Asks the rule something, and keeps what it raises.
    fn ask<T>(&mut self, asked: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Result<T, Fault>>) -> Result<T, Fault> {
        Python::attach(|py| {
            let answer = self.at_work(py).and_then(|rule| asked(&rule));
            answer.unwrap_or_else(|error| {
                let fault = fault_of(py, &error);
                self.raised.put(error);
                Err(fault)
            })
        })
    }
}

impl EmbeddedRule for PyRule {
    fn counted(&self) -> Counted {
        // Nobody knows what a function will look at: pages that are due are soon counted.
        Counted { due: true, mean_age: self.asks_mean_age }
    }

    fn look_ahead(&mut self, see: &See) -> Result<Option<Vec<f64>>, Fault> {
        let mean_age = self.asks_mean_age;
        self.ask(|rule| {
            let Some(look_ahead) = rule.getattr_opt("look_ahead")? else { return Ok(Ok(None)) };
            let answer = look_ahead.call1((Pass::of(see, mean_age),))?;
            let bytes = answer.extract::<f64>().map(|bytes| vec![bytes]).or_else(|_| answer.extract::<Vec<f64>>());
            Ok(bytes.map(Some).map_err(|_| {
                let help = "return bytes of redo beyond the oldest page, from 0: a number, or a list of up to 8";
                Fault::new(format!("`look_ahead` returns {}", shown(&answer))).help(help)
            }))
        })
    }

    fn pass(&mut self, see: &See) -> Result<FlushDecision, Fault> {
        let mean_age = self.asks_mean_age;
        self.ask(|rule| {
            if !rule.is_callable() {
                let kind = rule.get_type().name()?;
                let help = "write a method `__call__(self, see)` that returns the pages of a pass";
                return Ok(Err(Fault::new(format!("an object of {kind} can't be called")).help(help)));
            }
            Ok(decision_of(&rule.call1((Pass::of(see, mean_age),))?))
        })
    }
}

/// What an exception of a rule is to the person who wrote it.
fn fault_of(py: Python<'_>, error: &PyErr) -> Fault {
    let value = error.value(py);
    let kind = value.get_type().name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    let words = value.str().map_or_else(|_| String::new(), |text| text.to_string());
    let place = place_of(py, error).map(|place| format!("{place}: ")).unwrap_or_default();
    let colon = if words.is_empty() { "" } else { ": " };
    let fault = Fault::new(format!("{place}it raised {kind}{colon}{words}"));
    match kind.as_str() {
        "AttributeError" if !words.contains("asks_mean_age") => {
            fault.help("docs/rules.md lists what `see` has, and so does help(innosim.Pass)")
        }
        _ => fault,
    }
}

/// File and line of the rule in which an exception came: the innermost of the file that was called.
fn place_of(py: Python<'_>, error: &PyErr) -> Option<String> {
    let traceback = error.traceback(py)?;
    let frames = py.import("traceback").ok()?.call_method1("extract_tb", (traceback,)).ok()?;
    let frames: Vec<(String, usize)> = frames
        .try_iter()
        .ok()?
        .filter_map(|frame| {
            let frame = frame.ok()?;
            Some((frame.getattr("filename").ok()?.extract().ok()?, frame.getattr("lineno").ok()?.extract().ok()?))
        })
        .collect();
    let (file, _) = frames.first()?;
    let (_, line) = frames.iter().rev().find(|(other, _)| other == file)?;
    let short = Path::new(file).file_name().map_or_else(|| file.clone(), |name| name.to_string_lossy().into_owned());
    Some(format!("{short}:{line}"))
}

/// Reads an answer.
fn decision_of(answer: &Bound<'_, PyAny>) -> Result<FlushDecision, Fault> {
    let Ok(map) = answer.cast::<PyDict>() else {
        let number = number(answer).map_err(|_| Fault::new(format!("it returns {}", shown(answer))).help(ANSWER))?;
        return Ok(FlushDecision::pages(number));
    };
    let mut decision = FlushDecision::default();
    for (key, value) in map.iter() {
        let name = key.to_string();
        let wrong = |()| Fault::new(format!("`{name}` is {}", shown(&value))).help("give a number");
        match name.as_str() {
            "pages" => decision.pages = Some(number(&value).map_err(wrong)?),
            "sleep" => decision.sleep = Some(number(&value).map_err(wrong)?),
            "slots" => decision.slots = Some(slots(&value)?),
            _ => {
                return Err(
                    Fault::new(format!("it returns a dict with `{name}`")).help("pages, slots and sleep are known")
                );
            }
        }
    }
    if decision.pages.is_none() && decision.slots.is_none() {
        return Err(Fault::new("it returns a dict without `pages`").help(ANSWER));
    }
    Ok(decision)
}

fn slots(value: &Bound<'_, PyAny>) -> Result<Vec<f64>, Fault> {
    let help = "give a list with the pages of each buffer pool instance, or leave it out";
    value.extract().map_err(|_| Fault::new(format!("`slots` is {}", shown(value))).help(help))
}

/// Whatever Python takes for a number, but no switch.
fn number(value: &Bound<'_, PyAny>) -> Result<f64, ()> {
    if value.is_instance_of::<PyBool>() { Err(()) } else { value.extract().map_err(|_| ()) }
}

/// Kind and looks of a value, cut to a length that a message bears.
fn shown(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".to_owned();
    }
    let kind = value.get_type().name().map_or_else(|_| "something".to_owned(), |name| name.to_string());
    let looks = value.repr().map_or_else(|_| String::new(), |text| text.to_string());
    let cut: String = looks.chars().take(SHOWN).collect();
    let dots = if cut.len() < looks.len() { "..." } else { "" };
    format!("{cut}{dots} ({kind})")
}

/// Whether an exception ends a program rather than a rule.
pub(crate) fn ends_the_program(py: Python<'_>, error: &PyErr) -> bool {
    !error.is_instance_of::<PyException>(py)
}
