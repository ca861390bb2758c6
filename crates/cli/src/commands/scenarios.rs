//! `innosim scenarios`: the scenarios that come with the program.

use crate::args::{Format, ScenariosArgs};
use crate::exit::{Done, Failure};
use crate::output::{hanging, print, print_json, wrapped};
use crate::show::show;
use innosim_scenario::{Overrides, Scenario, ShippedScenario, Source, load, shipped, shipped_text};
use serde_json::{Value, json};

/// Lists the shipped scenarios, or prints the text of one.
pub(crate) fn run(args: &ScenariosArgs) -> Done {
    if let Some(name) = &args.name {
        let (name, text) = shipped_text(name)?;
        return show(args.form.format, &json!({ "name": name, "text": text }), text);
    }
    match args.form.format {
        Format::Human => print(&human()?),
        Format::Json => {
            let all: Result<Vec<Value>, Failure> = shipped().iter().map(as_json).collect();
            print_json(&Value::Array(all?))
        }
    }
}

fn loaded(one: &ShippedScenario) -> Result<Scenario, Failure> {
    Ok(load(Source::Shipped(one.name), &Overrides::default())?)
}

fn as_json(one: &ShippedScenario) -> Result<Value, Failure> {
    let scenario = loaded(one)?;
    Ok(json!({
        "name": one.name,
        "title": one.title,
        "story": one.story,
        "model": scenario.model.name(),
        "duration_s": scenario.run.duration.0 as f64 / 1e9,
        "published": scenario.published.is_some(),
    }))
}

fn human() -> Result<String, Failure> {
    let mut text = String::new();
    let mut folder = "";
    let width = shipped().iter().map(|one| last(one.name).len()).max().unwrap_or(0);
    for one in shipped() {
        let own = one.name.split('/').next().unwrap_or_default();
        if own != folder {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}{own}\n"));
            folder = own;
        }
        let scenario = loaded(one)?;
        let length = scenario.run.duration.whole_seconds();
        let lead = format!("  {:<width$}  {:<12} {length:>5} s  ", last(one.name), scenario.model.name());
        text.push_str(&hanging(&one.title, &lead));
    }
    text.push('\n');
    text.push_str(&wrapped(
        "`innosim run NAME` runs one; `innosim scenarios NAME` prints its text; `innosim reproduce FOLDER` runs all of a folder that \
         have published figures. `innosim sweep --list` lists the sweeps.",
        0,
    ));
    Ok(text)
}

fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
