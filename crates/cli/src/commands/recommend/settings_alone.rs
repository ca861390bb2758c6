//! `innosim recommend --my-cnf my.cnf`: what a server's settings tell without a load, and what to record for more.
//!
//! Limits and contradictions are facts of the settings. How many pages must be flushed depends on the load; for a family of loads
//! it follows from a formula: a page that is modified `rate` times a second, and flushed when its oldest modification is `age`
//! seconds old, is written `rate / (1 + rate * age)` times a second. Simplified: the age stays where it is, modifications come
//! independently, and reads, purge and neighbours cost nothing. The family is wide so that most servers lie inside; the answer is
//! an interval and never a statement to type.

use super::super::settings_files::{model_of_file, read};
use crate::args::RecommendArgs;
use crate::exit::{Done, Failure};
use crate::out_dir::OutDir;
use crate::outcome::redo_bytes;
use crate::output::{note_warnings, shell_line, wrapped};
use crate::show::show;
use crate::text_table::TextTable;
use innosim_core::config::PAGE_BYTES;
use innosim_core::seam::AgeLimits;
use innosim_flush_models::registry::{ModelId, Settings, build};
use innosim_report::numbers::{bytes, count, percent};
use innosim_scenario::{Diagnostic, SettingsFile};
use innosim_spectrum::{Bin, Spectrum};
use serde_json::{Value, json};

/// Times in which the loads of the family fill the redo log, minutes.
const FILL_MINUTES: [f64; 3] = [10.0, 30.0, 100.0];
/// Redo of busy servers, bytes a second.
const BUSY_BYTES_PER_S: [f64; 2] = [10e6, 1e6];
/// A redo log that busy servers do not fill in minutes.
const ENOUGH_REDO: f64 = 4.0 * 1024.0 * 1024.0 * 1024.0;
/// Redo of one modification of a page, bytes: a small row's change with its undo record.
const REDO_OF_A_CHANGE: f64 = 250.0;
/// Share of the pool whose pages are modified.
const MODIFIED_SHARE: f64 = 0.5;
/// Share of the async limit at which the age is held: a tenth stays in reserve.
const HELD_AT: f64 = 0.9;
/// Shares of the modifications and of the modified pages: even, and a few pages that take most of it.
const EVEN: &[(f64, f64)] = &[(1.0, 1.0)];
const SKEWED: &[(f64, f64)] = &[(0.6, 0.01), (0.3, 0.09), (0.1, 0.9)];

/// A load of the family, and what it asks of flushing.
struct Load {
    fill_minutes: f64,
    skewed: bool,
    redo_bytes_per_s: f64,
    pages_per_s: f64,
}

/// What the settings tell.
struct Answer {
    settings: Settings,
    limits: AgeLimits,
    redo_bytes: f64,
    loads: Vec<Load>,
    contradictions: Vec<String>,
}

/// Answers what can be answered; the setting itself is refused.
pub(super) fn run(args: &RecommendArgs) -> Done {
    let files = args.server.changes.files();
    let (reading, model) = read(&files, args.server.model.as_deref())?;
    let settings = match (reading.settings, reading.diagnostics) {
        (Some(settings), Ok(warnings)) => {
            refuse_nothing(&reading.files, &warnings)?;
            note_warnings(&warnings, args.common.quiet);
            settings
        }
        (_, Err(errors)) => return Err(Failure::Scenario(errors)),
        (None, Ok(_)) => return Err(Failure::Input("the settings can't be resolved".to_owned())),
    };
    let written: Vec<String> = reading.files.iter().flat_map(|file| &file.rows).map(|row| row.name.clone()).collect();
    let answer = Answer::of(settings, &written)?;
    let next = next_commands(args);
    let assumed = args.server.model.is_none() && model_of_file(files.show_variables.as_deref())?.is_none();
    let (document, text) = (document(&answer, &next), text(&answer, model, assumed, &next));
    show(args.form.format, &document, &text)?;
    if let Some(out) = args.out.as_deref().map(OutDir::prepare).transpose()? {
        super::leave(args, &out, &document, &text, None)?;
    }
    Err(Failure::Check("settings alone don't tell which value is best; record the load, or describe it".to_owned()))
}

/// A file without a word for the server is the wrong one, or another server's.
fn refuse_nothing(files: &[SettingsFile], warnings: &[Diagnostic]) -> Done {
    let said_so = warnings.iter().find(|_| files.iter().all(|file| file.rows.is_empty()));
    said_so.map_or(Ok(()), |warning| {
        let text = warning.to_string();
        Err(Failure::Input(text.strip_prefix("warning: ").unwrap_or(&text).to_owned()))
    })
}

impl Answer {
    /// Of settings, some of which were `written` in a file.
    fn of(settings: Settings, written: &[String]) -> Result<Answer, Failure> {
        let server = build(&settings).map_err(|error| Failure::Input(error.to_string()))?;
        let limits = server.age_limits();
        let redo_bytes = redo_bytes(&settings).unwrap_or(limits.stop_bytes) as f64;
        let pool = settings.integer("innodb_buffer_pool_size").unwrap_or(0) as f64;
        let loads = fill_minutes(redo_bytes)
            .into_iter()
            .flat_map(|minutes| [false, true].map(|skewed| load(minutes, skewed, redo_bytes, limits, pool)))
            .collect();
        let contradictions = contradictions(&settings, limits, written);
        Ok(Answer { settings, limits, redo_bytes, loads, contradictions })
    }

    /// Where a busy server fills the redo log in minutes: what a larger one would save.
    fn small_log(&self) -> Option<String> {
        let small = self.loads.first().filter(|load| load.fill_minutes < FILL_MINUTES[0])?;
        let larger = ENOUGH_REDO.max(8.0 * self.redo_bytes);
        let limits = AgeLimits {
            async_bytes: (self.limits.async_bytes as f64 * larger / self.redo_bytes) as u64,
            ..self.limits
        };
        let pool = self.settings.integer("innodb_buffer_pool_size").unwrap_or(0) as f64;
        let minutes = small.fill_minutes * larger / self.redo_bytes;
        let then = load(minutes, small.skewed, larger, limits, pool).pages_per_s;
        Some(format!(
            "The redo log is small: a busy load of {} of redo per second fills it in {}. With {} the same load would need {} \
             instead of {} pages per second: choose the size of the redo log first.",
            bytes(small.redo_bytes_per_s),
            time(small.fill_minutes),
            bytes(larger),
            count(then),
            count(small.pages_per_s)
        ))
    }

    /// Fewest and most pages a second that the family asks for.
    fn interval(&self) -> (f64, f64) {
        let pages = || self.loads.iter().map(|load| load.pages_per_s);
        (pages().fold(f64::INFINITY, f64::min), pages().fold(0.0, f64::max))
    }

    fn cap(&self) -> Option<(&'static str, u64)> {
        ["innodb_io_capacity_max", "innodb_io_capacity"]
            .into_iter()
            .find_map(|name| Some((name, self.settings.integer(name).ok()?)))
    }
}

/// Minutes in which the loads of the family fill a redo log of that size, the busiest first: a small log is filled sooner.
fn fill_minutes(redo_bytes: f64) -> Vec<f64> {
    let busy = BUSY_BYTES_PER_S.map(|rate| redo_bytes / rate / 60.0);
    busy.into_iter().filter(|minutes| *minutes < FILL_MINUTES[0] / 2.0).chain(FILL_MINUTES).collect()
}

/// A time of minutes in its unit.
fn time(minutes: f64) -> String {
    if minutes < 2.0 { format!("{} s", count(minutes * 60.0)) } else { format!("{} min", count(minutes)) }
}

fn load(fill_minutes: f64, skewed: bool, redo_bytes: f64, limits: AgeLimits, pool: f64) -> Load {
    let redo_bytes_per_s = redo_bytes / (fill_minutes * 60.0);
    let changes_per_s = redo_bytes_per_s / REDO_OF_A_CHANGE;
    let pages = (pool * MODIFIED_SHARE / PAGE_BYTES as f64).max(1.0);
    let shares = if skewed { SKEWED } else { EVEN };
    let bins = shares.iter().map(|(of_changes, of_pages)| Bin {
        rate: changes_per_s * of_changes / (pages * of_pages),
        pages: pages * of_pages,
    });
    let age_s = limits.async_bytes as f64 * HELD_AT / redo_bytes_per_s;
    Load { fill_minutes, skewed, redo_bytes_per_s, pages_per_s: Spectrum::new(bins.collect()).flushed(age_s) }
}

/// Settings that work against each other, each in a sentence.
fn contradictions(settings: &Settings, limits: AgeLimits, written: &[String]) -> Vec<String> {
    let number = |name: &'static str| settings.integer(name).ok();
    let mut found: Vec<String> = Vec::new();
    // Defaults that the server fits to each other are no contradiction.
    let is_asked = |name: &str| written.iter().any(|other| other == name);
    for change in settings
        .adjustments
        .iter()
        .filter(|change| is_asked(change.setting) || written.iter().any(|name| change.why.contains(name.as_str())))
    {
        let value = settings.line(change.setting).unwrap_or_else(|| change.to.to_string());
        found.push(format!("{}: the server itself changes it to {value}: {}.", change.setting, change.why));
    }
    if let (Some(lru), Some(instances), Some(cap)) =
        (number("innodb_lru_scan_depth"), number("innodb_buffer_pool_instances"), number("innodb_io_capacity_max"))
        && lru * instances > cap
    {
        found.push(format!(
            "innodb_lru_scan_depth {} x {} instances lets the page cleaner write {} pages per second from the LRU lists, which \
             innodb_io_capacity_max ({}) does not limit.",
            count(lru as f64),
            count(instances as f64),
            count((lru * instances) as f64),
            count(cap as f64)
        ));
    }
    if let (Some(1), Some(0)) = (number("innodb_flush_log_at_trx_commit"), number("sync_binlog")) {
        found.push(
            "innodb_flush_log_at_trx_commit = 1 syncs every commit, sync_binlog = 0 lets a crash lose its binary log: the syncs are \
             paid and the replicas may still differ."
                .to_owned(),
        );
    }
    if let (Some(capacity), Some(cap)) = (number("innodb_io_capacity"), number("innodb_io_capacity_max"))
        && capacity < cap
        && !cap.is_multiple_of(capacity)
    {
        found.push(format!(
            "innodb_io_capacity_max / innodb_io_capacity = {} / {}: MySQL 8.0 takes the whole part of this ratio, so the rest has no \
             effect on how steeply flushing rises with the age.",
            count(cap as f64),
            count(capacity as f64)
        ));
    }
    let pool = number("innodb_buffer_pool_size").unwrap_or(0) as f64;
    if pool > 0.0 && limits.async_bytes as f64 > pool {
        found.push(format!(
            "The redo log's async limit ({}) is larger than the buffer pool ({}): dirty pages fill the pool \
             (innodb_max_dirty_pages_pct) before the age limits flushing under most loads.",
            bytes(limits.async_bytes as f64),
            bytes(pool)
        ));
    }
    let share = |name: &'static str| settings.real(name).ok();
    if let (Some(low), Some(high)) = (share("innodb_max_dirty_pages_pct_lwm"), share("innodb_max_dirty_pages_pct"))
        && low > high
    {
        found.push(format!("innodb_max_dirty_pages_pct_lwm ({low}) is above innodb_max_dirty_pages_pct ({high})."));
    }
    found
}

/// Commands that bring what is missing.
fn next_commands(args: &RecommendArgs) -> Vec<(String, &'static str)> {
    let mut scenario = vec!["innosim".to_owned(), "new-scenario".to_owned()];
    for (option, path) in
        [("--my-cnf", &args.server.changes.my_cnf), ("--show-variables", &args.server.changes.show_variables)]
    {
        if let Some(path) = path {
            scenario.extend([option.to_owned(), path.display().to_string()]);
        }
    }
    scenario.extend(["--device".to_owned(), args.server.changes.device.clone().unwrap_or_else(|| "nvme".to_owned())]);
    scenario.extend(["-o".to_owned(), "my-server.toml".to_owned()]);
    vec![
        ("innosim collect > collect.sh".to_owned(), "a read-only script"),
        (
            "sh collect.sh -o server1 -- --defaults-extra-file=client.cnf".to_owned(),
            "on the server, in a busy hour: 10 minutes",
        ),
        ("innosim advise server1".to_owned(), "the answer for the load that was recorded: 1 to 5 minutes"),
        (shell_line(scenario), "or describe the load yourself, and then:"),
        ("innosim recommend my-server.toml".to_owned(), "the answer for that load"),
    ]
}

fn text(answer: &Answer, model: ModelId, assumed: bool, next: &[(String, &'static str)]) -> String {
    let (least, most) = answer.interval();
    let mut text = wrapped(
        "No recommendation: a my.cnf is not enough. The answer depends on the load; ten minutes of counters (innosim collect) or a \
         load that you describe bring it. What the settings alone tell:",
        0,
    );
    let how = if assumed { " (assumed; --model NAME for another version)" } else { "" };
    text.push_str(&format!("\nRedo log of {model}{how}: {}\n", bytes(answer.redo_bytes)));
    text.push_str(&limits_table(answer));
    text.push_str("\nSettings that work against each other:\n");
    if answer.contradictions.is_empty() {
        text.push_str("  none found\n");
    }
    for one in &answer.contradictions {
        text.push_str(&format!("- {}", wrapped(one, 2).trim_start()));
    }
    text.push('\n');
    text.push_str(&loads_table(answer));
    text.push('\n');
    text.push_str(&wrapped(&verdict(answer, least, most), 0));
    if let Some(small) = answer.small_log() {
        text.push_str(&wrapped(&small, 0));
    }
    text.push_str("\nNext:\n");
    for (command, why) in next {
        text.push_str(&format!("  {command}\n      {why}\n"));
    }
    text
}

/// What happens at which checkpoint age.
fn limits_table(answer: &Answer) -> String {
    let limits = answer.limits;
    let mut table = TextTable::new(&["at a checkpoint age of", ">bytes", ">of the log", "what happens"]);
    for (name, limit, what) in [
        ("low-water mark", limits.adaptive_low_water_bytes, "adaptive flushing begins to follow the age"),
        ("async limit", limits.async_bytes, "flushing as fast as needed, even beyond innodb_io_capacity_max"),
        ("sync limit", limits.sync_bytes, "user threads may wait for flushing: throughput falls"),
        ("stop", limits.stop_bytes, "user threads wait: throughput is 0"),
    ] {
        if limit > 0 && limit < u64::MAX / 4 {
            let of = percent(limit as f64 / answer.redo_bytes);
            table.row(vec![name.to_owned(), bytes(limit as f64), of, what.to_owned()]);
        }
    }
    table.render()
}

/// What each load of the family needs.
fn loads_table(answer: &Answer) -> String {
    let times: Vec<String> = answer.loads.iter().step_by(2).map(|load| time(load.fill_minutes)).collect();
    let text = wrapped(
        &format!(
            "Pages per second that must be flushed to hold the age at {} of the async limit, for loads that fill the redo log in {} \
             and modify half of the buffer pool's pages, {} of redo per modification (by formula, not simulated):",
            percent(HELD_AT),
            in_a_row(&times),
            bytes(REDO_OF_A_CHANGE)
        ),
        0,
    );
    let mut table = TextTable::new(&[">log full in", ">redo/s", "modified pages", ">pages/s"]);
    for load in &answer.loads {
        table.row(vec![
            time(load.fill_minutes),
            bytes(load.redo_bytes_per_s),
            if load.skewed { "skewed (1 % take 60 %)" } else { "evenly" }.to_owned(),
            count(load.pages_per_s),
        ]);
    }
    text + table.render().as_str()
}

/// `a, b or c`.
fn in_a_row(words: &[String]) -> String {
    words.split_last().map_or(String::new(), |(last, others)| match others {
        [] => last.clone(),
        _ => format!("{} or {last}", others.join(", ")),
    })
}

/// Where the present cap stands in the interval.
fn verdict(answer: &Answer, least: f64, most: f64) -> String {
    let interval = format!("{} to {} pages per second", count(least), count(most));
    let Some((name, cap)) = answer.cap() else { return format!("These loads need {interval}.") };
    let value = cap as f64;
    let where_it_stands = if value < least {
        "too low for every one of them"
    } else if value < most {
        "enough for some and too low for others"
    } else {
        "enough for every one of them"
    };
    format!("These loads need {interval}. {name} = {} is {where_it_stands}.", count(value))
}

fn document(answer: &Answer, next: &[(String, &'static str)]) -> Value {
    let (least, most) = answer.interval();
    let limits = answer.limits;
    json!({
        "status": "refused",
        "why": "settings alone do not tell the load",
        "recommended": null,
        "model": answer.settings.model.name(),
        "redo_log": {
            "bytes": answer.redo_bytes,
            "adaptive_low_water_bytes": limits.adaptive_low_water_bytes,
            "async_bytes": limits.async_bytes,
            "sync_bytes": limits.sync_bytes,
            "stop_bytes": limits.stop_bytes,
        },
        "contradictions": answer.contradictions,
        "small_redo_log": answer.small_log(),
        "interval": { "pages_per_s": [least.round(), most.round()] },
        "loads": answer.loads.iter().map(|load| json!({
            "fill_minutes": load.fill_minutes,
            "skewed": load.skewed,
            "redo_bytes_per_s": load.redo_bytes_per_s.round(),
            "pages_per_s": load.pages_per_s.round(),
        })).collect::<Vec<Value>>(),
        "next": next.iter().map(|(command, _)| command).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_flush_models::registry::parse_value;
    use std::collections::BTreeMap;

    fn answer(of: &[(&'static str, &str)]) -> Answer {
        let model = ModelId::Mysql8030;
        let given: BTreeMap<_, _> = of
            .iter()
            .map(|(name, text)| {
                let setting = innosim_flush_models::registry::lookup(model, name).unwrap();
                (setting.name, parse_value(&setting, text).unwrap())
            })
            .collect();
        let written: Vec<String> = of.iter().map(|(name, _)| (*name).to_owned()).collect();
        Answer::of(Settings::resolve(model, &given).unwrap(), &written).unwrap()
    }

    #[test]
    fn a_larger_redo_log_needs_fewer_pages_at_the_same_redo_rate() {
        let pages = |redo: f64| {
            let limits = AgeLimits { async_bytes: (redo * 0.8) as u64, ..AgeLimits::default() };
            // The same rate of redo: twice the log takes twice the time.
            load(10.0 * redo / 1e9, true, redo, limits, 8e9).pages_per_s
        };
        assert!(pages(2e9) < 0.8 * pages(1e9), "{} {}", pages(2e9), pages(1e9));
    }

    #[test]
    fn settings_that_work_against_each_other_are_named() {
        let found = answer(&[("innodb_io_capacity", "3000"), ("innodb_io_capacity_max", "8000")]).contradictions;
        assert!(found.iter().any(|text| text.contains("8,000 / 3,000")), "{found:?}");
        let found = answer(&[("innodb_io_capacity", "4000"), ("innodb_io_capacity_max", "8000")]).contradictions;
        assert!(!found.iter().any(|text| text.contains("ratio")), "{found:?}");
    }

    #[test]
    fn a_server_with_defaults_is_told_that_its_redo_log_is_small() {
        let defaults = answer(&[]);
        assert!(
            defaults.contradictions.iter().all(|text| !text.contains("innodb_page_cleaners")),
            "{:?}",
            defaults.contradictions
        );
        let said = defaults.small_log().unwrap();
        assert!(said.contains("9.54 MiB of redo per second") && said.contains("fills it in 10 s"), "{said}");
        assert!(defaults.interval().1 > 100.0, "not only loads that nobody has: {:?}", defaults.interval());
        let large = answer(&[("innodb_redo_log_capacity", "8G"), ("innodb_buffer_pool_size", "64G")]);
        assert!(large.small_log().is_none() && large.loads.len() == 6);
    }

    #[test]
    fn even_loads_need_more_than_skewed_ones() {
        for pair in answer(&[("innodb_buffer_pool_size", "8G")]).loads.chunks(2) {
            assert!(pair[0].pages_per_s > pair[1].pages_per_s);
        }
    }
}
