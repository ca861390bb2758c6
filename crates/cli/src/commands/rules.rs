//! `innosim rules`: the flushing rules that the program knows by name, or the text of one.

use crate::args::{Format, RulesArgs};
use crate::exit::{Done, Failure};
use crate::output::{hanging, print, print_json, wrapped};
use crate::show::show;
use innosim_rules::Rule;
use innosim_scenario::did_you_mean;
use serde_json::{Value, json};

/// Lists the rules, or prints one.
pub(crate) fn run(args: &RulesArgs) -> Done {
    let names = [Rule::names(), Rule::museum()].concat();
    let Some(name) = &args.name else {
        let all: Vec<Rule> = names.iter().filter_map(|name| Rule::named(name)).collect();
        return show(args.format, &Value::Array(all.iter().map(as_json).collect()), &list(&all));
    };
    let Some(rule) = Rule::named(name) else {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let help = did_you_mean(name, &names).unwrap_or_else(|| "`innosim rules` lists them".to_owned());
        return Err(Failure::Input(format!("there is no rule `{name}`\n  = help: {help}")));
    };
    match (args.format, rule.text()) {
        (Format::Json, _) => print_json(&as_json(&rule)),
        (Format::Human, Some(text)) => print(text),
        (Format::Human, None) => print(&format!("{}\n", rule.story())),
    }
}

fn list(rules: &[Rule]) -> String {
    let width = rules.iter().map(|rule| rule.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in rules {
        let about = rule.story().lines().next().unwrap_or_default();
        text.push_str(&hanging(about, &format!("{:<width$}  ", rule.name())));
        for parameter in rule.parameters() {
            let value = format!("rule.{} = {}", parameter.name, parameter.default);
            let range = format!("{} to {}: {}", parameter.min, parameter.max, parameter.help);
            text.push_str(&hanging(&range, &format!("{:width$}    {value:<24} ", "")));
        }
    }
    text.push('\n');
    text.push_str(&wrapped(
        "`innosim rules NAME` prints a rule: the beginning of one of your own. `innosim run SCENARIO --rule NAME|FILE` runs with it, \
         `innosim bench-rules --rule FILE` shows where it stands; docs/rules.md tells more.",
        0,
    ));
    text
}

fn as_json(rule: &Rule) -> Value {
    let parameters: Vec<Value> = rule
        .parameters()
        .iter()
        .map(|p| json!({ "name": p.name, "default": p.default, "min": p.min, "max": p.max, "help": p.help }))
        .collect();
    json!({ "name": rule.name(), "story": rule.story(), "parameters": parameters, "text": rule.text() })
}
