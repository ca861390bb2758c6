//! A rule, wherever it comes from.

use crate::context::RuleContext;
use crate::embedded::{HostedRule, RuleOfServer};
use crate::guarded::Guarded;
use crate::native::{self, NativeRule};
#[cfg(not(feature = "scripts"))]
use crate::no_scripts::Script;
#[cfg(feature = "scripts")]
use crate::script::Script;
use crate::shipped::shipped;
use crate::{Fault, Parameter, Values};
use innosim_core::seam::{AdaptiveFlushing, ServerModel};
use innosim_flush_models::mariadb::mistakes::Mistake;
use innosim_flush_models::registry::{Settings, SettingsError, build, build_with_mistake, build_with_rule};
use std::sync::Arc;

/// Longest text of a rule, bytes.
pub const LONGEST_TEXT: usize = 256 << 10;

/// A checked rule.
#[derive(Debug, Clone)]
pub struct Rule {
    name: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Script(Arc<Script>),
    Native(Arc<NativeRule>),
    Hosted(Arc<HostedRule>),
    Mistake(Mistake),
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.kind, &other.kind) {
            (Kind::Hosted(one), Kind::Hosted(other)) => Arc::ptr_eq(one, other),
            (Kind::Hosted(_), _) | (_, Kind::Hosted(_)) => false,
            _ => self.text() == other.text(),
        };
        self.name == other.name && same
    }
}

impl Rule {
    /// The rule that a text describes; `name` is the file's, for messages and results.
    ///
    /// # Errors
    /// [`Fault`] with its line if the text is no rule.
    pub fn from_script(name: &str, text: &str) -> Result<Rule, Fault> {
        if text.len() > LONGEST_TEXT {
            return Err(Fault::new(format!("the rule is longer than {} KiB", LONGEST_TEXT >> 10)));
        }
        let script = Script::compile(name, &text.replace("\r\n", "\n"))?;
        Ok(Rule { name: name.to_owned(), kind: Kind::Script(Arc::new(script)) })
    }

    /// A rule of the program that innosim is part of, under a name for messages and results.
    ///
    /// # Errors
    /// [`Fault`] if a parameter is wrong.
    pub fn hosted(name: &str, rule: HostedRule) -> Result<Rule, Fault> {
        for (i, parameter) in rule.parameters.iter().enumerate() {
            parameter.clone().checked(&rule.parameters[..i])?;
        }
        Ok(Rule { name: name.to_owned(), kind: Kind::Hosted(Arc::new(rule)) })
    }

    /// The shipped or registered rule of this name.
    pub fn named(name: &str) -> Option<Rule> {
        if let Some(native) = native::registered(name) {
            return Some(Rule { name: name.to_owned(), kind: Kind::Native(Arc::new(native)) });
        }
        if let Some(mistake) = Mistake::parse(name) {
            return Some(Rule { name: name.to_owned(), kind: Kind::Mistake(mistake) });
        }
        let shipped = shipped().iter().find(|shipped| shipped.name == name)?;
        // Each of them is compiled in a test.
        Rule::from_script(name, shipped.text).ok()
    }

    /// Names of the museum: servers as they were before a fix, which [`Rule::named`] knows too.
    pub fn museum() -> Vec<String> {
        Mistake::all().map(|mistake| mistake.name().to_owned()).collect()
    }

    /// Names of all shipped and registered rules.
    pub fn names() -> Vec<String> {
        shipped().iter().map(|shipped| shipped.name.to_owned()).chain(native::names()).collect()
    }

    /// Name: of its file, or that it is shipped or registered under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does: the comment that opens its text, or what its author says in a line.
    pub fn story(&self) -> &str {
        match &self.kind {
            Kind::Script(script) => &script.story,
            Kind::Native(native) => &native.about,
            Kind::Hosted(hosted) => &hosted.about,
            Kind::Mistake(mistake) => mistake.about(),
        }
    }

    /// Its text, if it is a script.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Script(script) => Some(&script.text),
            Kind::Native(_) | Kind::Hosted(_) | Kind::Mistake(_) => None,
        }
    }

    /// What it leaves open.
    pub fn parameters(&self) -> &[Parameter] {
        match &self.kind {
            Kind::Script(script) => &script.parameters,
            Kind::Native(native) => &native.parameters,
            Kind::Hosted(hosted) => &hosted.parameters,
            Kind::Mistake(_) => &[],
        }
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters().iter().find(|parameter| parameter.name == name)
    }

    /// A fresh rule for one run; `None` for what is not a rule alone but a whole server (the museum).
    pub fn build(&self, values: &Values, settings: &Settings) -> Option<Box<dyn AdaptiveFlushing>> {
        match &self.kind {
            Kind::Script(script) => Some(script.start(&self.name, values, settings)),
            Kind::Native(native) => {
                let context = RuleContext::new(settings, &native.parameters, values);
                Some(Box::new(Guarded::build(&self.name, || (native.build)(&context))))
            }
            Kind::Hosted(hosted) => {
                let rule = (hosted.start)(&RuleContext::new(settings, &hosted.parameters, values));
                Some(Box::new(RuleOfServer::new(&self.name, rule, settings)))
            }
            Kind::Mistake(_) => None,
        }
    }

    /// A server of these settings with the rule in place of its own adaptive flushing.
    ///
    /// # Errors
    /// [`SettingsError`] if the model takes no rule, or not this one.
    pub fn server(&self, values: &Values, settings: &Settings) -> Result<Box<dyn ServerModel>, SettingsError> {
        match (&self.kind, self.build(values, settings)) {
            (Kind::Mistake(mistake), _) => build_with_mistake(settings, *mistake),
            (_, Some(rule)) => build_with_rule(settings, rule),
            (_, None) => build(settings),
        }
    }
}
