//! Lengths of time (`"85us"`) and their distributions: a length, or a table with a `kind`.

use crate::diagnostic::Problem;
use crate::key::Kind;
use crate::node::{Data, Node};
use crate::resolved::{number, quoted};
use crate::section::Section;
use crate::units::{format_duration, parse_duration};
use innosim_core::kernel::sampler::DurationDist;

/// Longest single service time, µs.
const MAX_SERVICE_US: f64 = 1e9;

impl Section<'_> {
    /// A length of time, ns.
    pub(crate) fn optional_duration(&mut self, name: &str) -> Option<u64> {
        let node = self.raw(name)?;
        let ns = self.duration_of(name, &node)?;
        self.resolved.value(name, quoted(&format_duration(ns)));
        Some(ns)
    }

    /// A length of time, ns.
    pub(crate) fn duration(&mut self, name: &str) -> u64 {
        self.optional_duration(name).unwrap_or_default()
    }

    /// The length of time that `node` holds, ns.
    pub(crate) fn duration_of(&self, name: &str, node: &Node) -> Option<u64> {
        match &node.data {
            Data::Text(text) => parse_duration(text)
                .map_err(|why| {
                    self.report.add(self.refuse(name, node, &why).help(duration_help(text)));
                })
                .ok(),
            Data::Integer(text) | Data::Float(text) => {
                self.report.add(self.refuse(name, node, "it has no unit").help(unit_help(text)));
                None
            }
            _ => self.refuse_type(name, node, ""),
        }
    }

    /// A distribution of lengths of time.
    pub(crate) fn distribution(&mut self, name: &str) -> DurationDist {
        let read = self.raw(name).and_then(|node| self.distribution_of(name, &node));
        let dist = read.unwrap_or(DurationDist::Fixed { us: 0.0 });
        self.resolved.value(name, toml(&dist));
        dist
    }

    fn distribution_of(&self, name: &str, node: &Node) -> Option<DurationDist> {
        let Data::Table(table) = &node.data else {
            let ns = self.duration_of(name, node)?;
            let us = ns as f64 / 1e3;
            if us > MAX_SERVICE_US {
                let problem = Problem::new(format!("`{}` is {}", self.path_of(name), node.describe())).at(node.at);
                self.report.add(problem.allowed("at most \"1000s\""));
            }
            return Some(DurationDist::Fixed { us });
        };
        let (kind, mut section) = Section::open_variant(table, "distribution", self.path_of(name), self.report)?;
        Some(match kind {
            "fixed" => DurationDist::Fixed { us: section.real("us") },
            "exponential" => DurationDist::Exponential { mean_us: section.real("mean_us") },
            "lognormal" => DurationDist::Lognormal { mean_us: section.real("mean_us"), cv: section.real("cv") },
            _ => DurationDist::Empirical { quantiles: section.quantiles("quantiles")? },
        })
    }

    /// Quantiles of an empirical distribution, checked.
    pub(crate) fn quantiles(&mut self, name: &str) -> Option<Vec<(f64, f64)>> {
        let node = self.raw(name)?;
        let wrong = |why: &str| {
            let problem = Problem::new(format!("`{}`: {why}", self.path_of(name))).at(node.at);
            self.report.add(problem.allowed(Kind::Pairs.allowed()));
            None
        };
        let Some(quantiles) = pairs_of(&node) else { return wrong("not a list of pairs of numbers") };
        let covers = quantiles.len() >= 2 && quantiles[0].0 == 0.0 && quantiles[quantiles.len() - 1].0 == 1.0;
        if !covers {
            return wrong("the first probability must be 0 and the last 1");
        }
        if !quantiles.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1) {
            return wrong("probabilities and lengths must rise from pair to pair");
        }
        if !quantiles.iter().all(|(_, us)| (0.0..=MAX_SERVICE_US).contains(us)) {
            return wrong("a length is negative or above 1000 s");
        }
        Some(quantiles)
    }
}

/// A list of pairs of numbers; `None` if it is anything else.
pub(crate) fn pairs_of(node: &Node) -> Option<Vec<(f64, f64)>> {
    let Data::List(items) = &node.data else { return None };
    items.iter().map(pair).collect()
}

fn pair(node: &Node) -> Option<(f64, f64)> {
    let Data::List(items) = &node.data else { return None };
    let [probability, us] = items.as_slice() else { return None };
    Some((probability.number()?, us.number()?))
}

/// A distribution as TOML, exact to the last bit.
pub(crate) fn toml(dist: &DurationDist) -> String {
    match dist {
        DurationDist::Fixed { us } => format!("{{ kind = \"fixed\", us = {} }}", number(*us)),
        DurationDist::Exponential { mean_us } => {
            format!("{{ kind = \"exponential\", mean_us = {} }}", number(*mean_us))
        }
        DurationDist::Lognormal { mean_us, cv } => {
            format!("{{ kind = \"lognormal\", mean_us = {}, cv = {} }}", number(*mean_us), number(*cv))
        }
        DurationDist::Empirical { quantiles } => {
            format!("{{ kind = \"empirical\", quantiles = {} }}", pairs(quantiles))
        }
    }
}

/// Quantiles as a list of pairs.
pub(crate) fn pairs(quantiles: &[(f64, f64)]) -> String {
    let pairs: Vec<String> = quantiles.iter().map(|(p, us)| format!("[{}, {}]", number(*p), number(*us))).collect();
    format!("[{}]", pairs.join(", "))
}

/// What to write instead of a length of time that has no unit, or one in words.
fn duration_help(text: &str) -> String {
    let text = text.trim();
    let words = text.find(char::is_alphabetic).map(|at| (text[..at].trim_end(), text[at..].to_ascii_lowercase()));
    let unit = match words.as_ref().map(|(_, word)| word.trim_end_matches('s')) {
        Some("second" | "sec") => "s",
        Some("minute") => "m",
        Some("hour" | "hr") => "h",
        Some("day") => "d",
        Some("millisecond" | "msec") => "ms",
        _ if parse_duration(&format!("{text}s")).is_ok() => return unit_help(text),
        _ => return String::new(),
    };
    words.map_or_else(String::new, |(number, _)| format!("write \"{number}{unit}\""))
}

fn unit_help(number: &str) -> String {
    format!("write \"{number}s\" for seconds or \"{number}ms\" for milliseconds")
}
