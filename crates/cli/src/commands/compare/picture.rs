//! The runs of a comparison laid over each other.

use super::Compared;
use crate::outcome::{VERSION, settings_line};
use innosim_experiments::compare::{Variant, VariantFigures};
use innosim_experiments::explain::course_of_run;
use innosim_explain::explain;
use innosim_report::explanation::sentences;
use innosim_report::numbers::{bytes, count, decimal, percent, rate};
use innosim_report::{Explorer, ExplorerRun, Overlay, OverlayRun, Recipe};

/// The picture of a comparison: the first replication of each variant, with the figures of all replications.
pub(super) fn of(compared: &Compared) -> Overlay<'_> {
    let first = compared.first();
    let all = compared.variants.len();
    let left_out = if all > Overlay::MOST {
        format!(" The first {} of {all} variants are drawn.", Overlay::MOST)
    } else {
        String::new()
    };
    let several = compared.replications() > 1;
    let intervals = if several {
        " \u{b1}: half of a 95 % interval; *: unlikely by chance, for all differences together."
    } else {
        ""
    };
    let one_of = if several { " Lines are the first replication." } else { "" };
    let runs = compared.variants.iter().zip(&compared.comparison.variants).zip(&compared.outputs);
    Overlay {
        title: first.scenario.title.clone(),
        subtitle: subtitle(compared),
        origin: format!("seed {} \u{b7} innosim {VERSION}", first.scenario.run.seed),
        heads: vec![
            "tps",
            "difference",
            "95 % latency",
            "stalls",
            "checkpoint age",
            "of limit",
            "flushes a trx",
            "regime",
        ],
        warmup_s: compared.comparison.warmup_s as f64,
        remark: format!(
            "Figures are over the last {} s; thick lines are medians over 10 s.{intervals}{one_of}{left_out}",
            count(compared.simulated_s() - compared.comparison.warmup_s as f64)
        ),
        latency: true,
        runs: runs
            .filter_map(|((variant, figures), outputs)| {
                let about = about(compared, variant);
                Some(OverlayRun {
                    label: variant.label.clone(),
                    about,
                    figures: cells(figures),
                    output: outputs.first()?,
                    recorded: false,
                })
            })
            .collect(),
    }
}

/// What sets a variant apart: its value of every setting that some variant states, or those of the settings that matter
/// most in which some variants differ.
fn about(compared: &Compared, variant: &Variant) -> String {
    let mut names: Vec<&str> = Vec::new();
    for set in compared.variants.iter().flat_map(|other| &other.set) {
        let name = set.split('=').next().unwrap_or_default().trim();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let written = |name: &str| variant.set.iter().rev().find(|set| set.split('=').next().map(str::trim) == Some(name));
    let value = |name: &&str| variant.scenario.settings.line(name).or_else(|| written(name).cloned());
    let mut parts: Vec<String> = names.iter().filter_map(value).map(|text| text.replace(" = ", "=")).collect();
    if parts.is_empty() {
        parts.push(apart(compared, &settings_line(&variant.scenario)));
    }
    let model = variant.scenario.model.name();
    if variant.label != model && compared.variants.iter().any(|other| other.scenario.model.name() != model) {
        parts.insert(0, model.to_owned());
    }
    parts.join(", ")
}

/// The parts of a line of settings that are not the same in all variants; the whole line if all are.
fn apart(compared: &Compared, line: &str) -> String {
    let others: Vec<String> = compared.variants.iter().map(|variant| settings_line(&variant.scenario)).collect();
    let everywhere = |part: &&str| others.iter().all(|other| other.split(", ").any(|known| known == *part));
    let parts: Vec<&str> = line.split(", ").filter(|part| !everywhere(part)).collect();
    if parts.is_empty() { line.to_owned() } else { parts.join(", ") }
}

fn subtitle(compared: &Compared) -> String {
    let first = compared.first();
    let runs = match compared.replications() {
        1 => "a run".to_owned(),
        n => format!("{n} replications"),
    };
    let model = first.scenario.model.name();
    let alike = compared.variants.iter().all(|variant| variant.scenario.model.name() == model);
    format!(
        "{}{}: {} variants, {runs} of {} s each, under the same random numbers",
        first.scenario.name,
        if alike { format!(" on {model}") } else { String::new() },
        compared.variants.len(),
        count(compared.simulated_s())
    )
}

fn cells(figures: &VariantFigures) -> Vec<String> {
    let mean = |metric: &str| figures.estimate(metric).mean;
    let tps = figures.estimate("tps_mean");
    let limit = mean("checkpoint_age_limit");
    let difference = figures.difference("tps_mean").map_or("\u{2013}".to_owned(), |difference| {
        let mark = if difference.significant { " *" } else { "" };
        let relative = difference.relative.unwrap_or(0.0) * 100.0;
        format!("{}{} %{mark}", if relative >= 0.0 { "+" } else { "" }, decimal(relative, 1))
    });
    vec![
        tps.half_width.map_or(rate(tps.mean), |half| format!("{} \u{b1}{}", rate(tps.mean), rate(half))),
        difference,
        format!("{} ms", rate(mean("latency_ms_p95"))),
        format!("{} s", rate(mean("stall_seconds"))),
        bytes(mean("checkpoint_age_mean")),
        if limit > 0.0 { percent(mean("checkpoint_age_mean") / limit) } else { String::new() },
        rate(mean("flushes_per_trx")),
        figures.regime.name().to_owned(),
    ]
}

/// The same runs to explore in a browser, with the command that made them.
pub(super) fn explorer<'a>(compared: &'a Compared, overlay: &Overlay<'a>, command: String) -> Explorer<'a> {
    let runs = compared.variants.iter().zip(&compared.comparison.variants).zip(&compared.outputs);
    Explorer {
        title: overlay.title.clone(),
        subtitle: overlay.subtitle.clone(),
        recipe: Recipe {
            command,
            version: VERSION.to_owned(),
            seed: compared.first().scenario.run.seed,
            scenarios: compared
                .variants
                .iter()
                .map(|v| (v.label.clone(), v.scenario.to_resolved_toml(VERSION)))
                .collect(),
        },
        intro: Vec::new(),
        heads: overlay.heads.clone(),
        warmup_s: overlay.warmup_s,
        remark: overlay.remark.clone(),
        runs: runs
            .filter_map(|((variant, figures), outputs)| {
                let output = outputs.first()?;
                let story = sentences(&explain(&course_of_run(&variant.scenario, output)));
                Some(ExplorerRun { label: variant.label.clone(), figures: cells(figures), story, output })
            })
            .collect(),
    }
}
