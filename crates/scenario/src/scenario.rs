//! A resolved scenario: every field valid, every default filled in, ready to run.

use crate::Source;
use crate::device::{lay_profile, read_device, says_it_rotates};
use crate::diagnostic::{Diagnostic, Diagnostics, Problem, Report};
use crate::drive::{no_drive, read_drive};
use crate::file_system::read_file_system;
use crate::host::{ReadHost, read_host};
use crate::layered::Layered;
use crate::layers::collect;
use crate::node::{Data, Table};
use crate::overrides::Overrides;
use crate::published::{Published, read_published};
use crate::resolved::{Resolved, quoted};
use crate::rule::{ChosenRule, read_rule};
use crate::section::Section;
use crate::server::{Context, read_server, refuse_what_never_fits, resolved_settings};
use crate::server_files::SettingsFile;
use crate::source::SourceMap;
use crate::start::read_start;
use crate::units::{format_duration, in_one_line};
use crate::workloads::{ReadWorkload, ServerSide, read_workload};
use innosim_core::config::{AdaptiveHashCost, BinaryLogConfig, PAGE_BYTES, PurgeConfig, ReadView};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::run_spec::RunSpec;
use innosim_core::seam::ServerModel;
use innosim_core::storage::StorageSpec;
use innosim_core::workload::{DriveSpec, StopSpec};
use innosim_flush_models::registry::{
    Host, ModelId, Settings, StandIn, binary_log, build, change_buffer, purge_config, threads_beyond_model,
};
use innosim_rules::Rule;
use std::cmp::Ordering;

/// Nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// Time at the start of a run that its figures leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warmup {
    /// Detected from the run.
    Auto,
    /// Given.
    Fixed(SimDuration),
}

impl Warmup {
    /// The whole seconds that figures leave out; `None` if they are detected.
    pub const fn fixed_seconds(self) -> Option<u64> {
        match self {
            Warmup::Auto => None,
            Warmup::Fixed(length) => Some(length.seconds_rounded_up()),
        }
    }
}

/// A scenario, checked and resolved.
///
/// Two scenarios are equal if they run the same: notes, and what the server would remark at its start, don't count.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Name in results: the shipped name, or the name of the file.
    pub name: String,
    /// Title for headings.
    pub title: String,
    /// The story that it tells: the comment that opens its file.
    pub story: String,
    /// Server model.
    pub model: ModelId,
    /// Settings of the server, every one with a value.
    pub settings: Settings,
    /// Flushing rule in place of the server's own.
    pub rule: Option<ChosenRule>,
    /// The run: time, devices, workload, seed; replication 0.
    pub run: RunSpec,
    /// What figures leave out.
    pub warmup: Warmup,
    /// Number of replications.
    pub replications: u32,
    /// What was measured on a real server, for comparison; no part of the simulation.
    pub published: Option<Published>,
    /// What is worth knowing before it runs; all of them warnings.
    pub notes: Vec<Diagnostic>,
    /// Files of a real server's settings that were read.
    pub settings_files: Vec<SettingsFile>,
    resolved: Resolved,
}

impl PartialEq for Scenario {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.title == other.title
            && self.story == other.story
            && self.published == other.published
            && self.runs_like(other)
    }
}

impl Scenario {
    /// Whether the runs of both, and what their figures leave out, are the same: their names, titles, stories and published
    /// figures may differ.
    pub fn runs_like(&self, other: &Self) -> bool {
        self.model == other.model
            && self.settings.values == other.settings.values
            && self.rule == other.rule
            && self.run == other.run
            && self.warmup == other.warmup
            && self.replications == other.replications
    }

    /// Whether its clients are more than those up to which the server's throughput follows from the model: up to how many it
    /// does, and what limits it above that.
    pub fn threads_beyond_model(&self) -> Option<(u32, &'static str)> {
        threads_beyond(self.model, &self.run)
    }

    /// A fresh server model with the scenario's settings.
    pub fn build_model(&self) -> Box<dyn ServerModel> {
        let built = match &self.rule {
            None => build(&self.settings),
            Some(chosen) => chosen.rule.server(&chosen.values, &self.settings),
        };
        built.expect("settings are resolved, which includes building the model once")
    }

    /// The resolved value of a key by its dotted path (`workload.kind`), as text.
    pub fn written(&self, path: &str) -> Option<String> {
        self.resolved.at(path)
    }

    /// The scenario as TOML with every value written out and the program's version in a comment. Loaded again, it gives
    /// an equal scenario.
    pub fn to_resolved_toml(&self, version: &str) -> String {
        let mut out = String::new();
        for line in self.story.lines() {
            out.push_str(format!("# {line}").trim_end());
            out.push('\n');
        }
        if !self.story.is_empty() {
            out.push('\n');
        }
        let version: String = version.chars().filter(|c| !c.is_control()).collect();
        out.push_str(&format!("name = {}\n", quoted(&self.name)));
        out.push_str(&format!(
            "# Resolved by innosim {version}: every value is written out; it runs to the same bytes.\n"
        ));
        self.resolved.write("", &mut out);
        out
    }
}

/// Loads a scenario: finds its text, lays the changes of the command line over it, checks and resolves it.
///
/// All independent mistakes are reported at once.
pub fn load(source: Source<'_>, overrides: &Overrides) -> Result<Scenario, Diagnostics> {
    load_hosted(source, overrides, None)
}

/// Loads a scenario with a rule of the program itself ([`Rule::hosted`]) in place of any that the scenario names.
pub fn load_hosted(source: Source<'_>, overrides: &Overrides, hosted: Option<&Rule>) -> Result<Scenario, Diagnostics> {
    let mut sources = SourceMap::default();
    let report = Report::default();
    let mut layered = collect(&source, overrides, hosted, &mut sources, &report)?;
    for key in ["device", "redo_device"] {
        if let Some(device) = layered.tree.table_mut(key) {
            lay_profile(device, key, &mut sources, &report);
        }
    }
    let scenario = resolve(&layered, &sources, &report);
    let notes = report.finish(&sources)?;
    match scenario {
        Some(scenario) => Ok(Scenario { notes, ..scenario }),
        None => Err(Diagnostics::single("the scenario can't be resolved", None)),
    }
}

/// Everything at the root but the tables.
struct Head {
    name: String,
    title: String,
    duration: SimDuration,
    warmup: Warmup,
    server_up: SimDuration,
    engine_status_every: Option<SimDuration>,
    seed: u64,
    replications: u32,
}

fn resolve(layered: &Layered, sources: &SourceMap, report: &Report) -> Option<Scenario> {
    let mut root = Section::open(&layered.tree, "scenario", "", report);
    let model = read_model(&mut root);
    let head = read_head(&mut root, model, &layered.name, sources);
    let ReadHost { cores, memory_bytes, cpu, slowdown, other_programs, resolved: host } = read_host(&root);
    let machine = Host { logical_cpus: cores, memory_bytes };
    let settings = model.and_then(|model| settings_of(&root, model, machine, layered, sources));
    let mut tables = Resolved::default();
    tables.table("host", host);
    let storage = read_storage(&root, &mut tables);
    let purge = settings.as_ref().and_then(|s| purge_config(s).ok());
    let server_side = server_side(settings.as_ref(), purge);
    let workload = root.table("workload").and_then(|table| read_workload(table, &server_side, report));
    let (drive, stops) = read_drive_for(&root, workload.as_ref(), server_side.pool_pages.unwrap_or(0), &mut tables);
    let published = published_figures(&root, &mut tables);
    if report.has_errors() {
        return None;
    }
    let (settings, storage, workload) = (settings?, storage?, workload?);
    let binary_log = read_binary_log(&root, &settings, &mut tables);
    let adaptive_hash = read_adaptive_hash(&root, &settings, &mut tables);
    let read_views = read_read_view(&root, &mut tables);
    let rule = read_rule(layered, &settings, sources, report);
    let file_system = read_file_system(&root, &settings, &storage, &mut tables);
    let dirty_start = read_start(&root, &settings, &workload.access.page_sets, &mut tables);
    let driven = workload.access.driven(drive, stops, cores);
    refuse_what_never_fits(&root, &settings, &driven);
    if report.has_errors() {
        return None;
    }
    let run = RunSpec {
        seed: head.seed,
        replication: 0,
        duration: head.duration,
        server_up: head.server_up,
        engine_status_every: head.engine_status_every,
        storage,
        file_system,
        workload: driven,
        cpu,
        cpu_slowdown: slowdown,
        other_programs,
        binary_log,
        change_buffer: change_buffer(&settings).ok().flatten(),
        adaptive_hash,
        purge,
        read_views,
        dirty_start,
        check: false,
    };
    warn_of(&root, settings.model, &run);
    let mut resolved = root.resolved;
    let (rule, resolved_rule) = rule.unzip();
    resolved_rule.into_iter().for_each(|rule| resolved.table("rule", rule));
    resolved.table("server", resolved_settings(&settings, machine));
    resolved.append(tables, workload.resolved);
    Some(Scenario {
        name: head.name,
        title: head.title,
        story: layered.story.clone(),
        model: settings.model,
        settings,
        rule,
        run,
        warmup: head.warmup,
        replications: head.replications,
        published,
        notes: Vec::new(),
        settings_files: layered.settings_files.clone(),
        resolved,
    })
}

/// Warns of what is in the file and has no effect, or is not modelled.
fn warn_of(root: &Section<'_>, model: ModelId, run: &RunSpec) {
    warn_of_what_never_begins(root, run);
    warn_of_contention(root, model, run);
}

/// The settings of the server, of a model that may be another than the scenario was written for.
fn settings_of(
    root: &Section<'_>,
    model: ModelId,
    host: Host,
    layered: &Layered,
    sources: &SourceMap,
) -> Option<Settings> {
    let own = layered.own_model.as_deref().and_then(|own| ModelId::parse(own).ok());
    let written_for = own.filter(|own| *own != model);
    let rotational = root.table("device").and_then(says_it_rotates);
    let context = Context { model, written_for, host, rotational, sources, report: root.report };
    read_server(root.table("server"), layered.tree.at, &context)
}

/// Figures of a real run, if there are any.
fn published_figures(root: &Section<'_>, tables: &mut Resolved) -> Option<Published> {
    let (published, resolved) = read_published(root.section("published")?);
    tables.table("published", resolved);
    Some(published)
}

/// What a workload must know of the server.
fn server_side(settings: Option<&Settings>, purge: Option<PurgeConfig>) -> ServerSide {
    let pool_bytes =
        |s: &Settings| s.integer("innodb_buffer_pool_size").or_else(|_| s.integer("ntse_page_buf_size")).ok();
    let pool_pages = settings.and_then(pool_bytes).map(|b| b / PAGE_BYTES);
    let framed = settings.and_then(|s| build(s).ok()).is_none_or(|model| model.config().redo.framed);
    let undo_spaces = purge.map_or_else(|| vec![0], |purge| purge.undo.spaces().collect());
    ServerSide { model: settings.map(|s| s.model), pool_pages, framed, undo_spaces }
}

fn read_model(root: &mut Section<'_>) -> Option<ModelId> {
    let (text, at) = root.loose_text("model")?;
    match ModelId::named(&text) {
        Ok(StandIn { model, differs }) => {
            if let Some(differs) = differs {
                root.report.add(Problem::new(differs).at(at).into_warning());
            }
            root.resolved.value("model", quoted(model.name()));
            Some(model)
        }
        Err(unknown) => {
            let names: Vec<&str> = ModelId::ALL.iter().map(|model| model.name()).collect();
            let problem = Problem::new(unknown.to_string()).at(at).allowed(names.join(", "));
            // Where nothing is near, the suggestion is the same list.
            root.report.add(if unknown.near.is_some() { problem.help(unknown.suggestion) } else { problem });
            None
        }
    }
}

fn read_head(root: &mut Section<'_>, model: Option<ModelId>, found_as: &str, sources: &SourceMap) -> Head {
    let model_line = std::mem::take(&mut root.resolved);
    let name = if root.has("name") { root.text("name") } else { None }.unwrap_or_else(|| in_one_line(found_as));
    let title = if root.has("title") { root.text("title") } else { None }.unwrap_or_else(|| name.clone());
    root.resolved = Resolved::default();
    root.resolved.value("title", quoted(&title));
    root.resolved.append(model_line, Resolved::default());
    let duration = root.duration("duration");
    if duration == 0 && root.has("duration") && !root.report.has_errors() {
        root.refuse_no_time("duration", "give a length above 0, such as \"600s\"");
    }
    let warmup = read_warmup(root, duration, sources);
    let server_up = SimDuration(root.duration("server_up"));
    let engine_status_every = read_engine_status(root, model);
    let seed = root.integer("seed");
    let replications = root.count("replications");
    let duration = SimDuration(duration);
    Head { name, title, duration, warmup, server_up, engine_status_every, seed, replications }
}

/// How often somebody asks for the engine's status, which matters to one family of servers.
fn read_engine_status(root: &mut Section<'_>, model: Option<ModelId>) -> Option<SimDuration> {
    let every = root.optional_duration("engine_status_every").map(SimDuration)?;
    let at = root.at_key("engine_status_every");
    if every == SimDuration::ZERO {
        root.refuse_no_time("engine_status_every", "give a length above 0, such as \"1s\", or leave the line out");
    }
    if let Some(model) = model.filter(|model| !model.is_mariadb()) {
        let text =
            format!("`engine_status_every` has no effect on {}: a purge starts by it in MariaDB alone", model.name());
        root.report.add(Problem::new(text).at(at).into_warning());
    }
    Some(every)
}

fn read_warmup(root: &mut Section<'_>, duration: u64, sources: &SourceMap) -> Warmup {
    let auto = quoted("auto");
    let node = root.raw("warmup");
    if let Some(Data::Text(text)) = node.as_deref().map(|node| &node.data)
        && text == "auto"
    {
        root.resolved.value("warmup", auto);
        return Warmup::Auto;
    }
    let Some(ns) = root.optional_duration("warmup") else { return Warmup::Auto };
    // Figures are taken over whole seconds: it ends with one, and at least one must follow.
    let whole = ns.div_ceil(SECOND).saturating_mul(SECOND);
    if duration > 0 && (ns >= duration || ns > 0 && whole.saturating_add(SECOND) > duration) {
        let at = root.at_key("warmup");
        let (warmup, length) = (format_duration(ns), format_duration(duration));
        let message = match ns.cmp(&whole) {
            _ if ns >= duration => format!("`warmup` ({warmup}) is not shorter than `duration` ({length})"),
            Ordering::Equal => format!("`warmup` ({warmup}) leaves no whole second of `duration` ({length})"),
            _ => {
                let whole = format_duration(whole);
                format!("`warmup` ({warmup}, {whole} in whole seconds) leaves no whole second of `duration` ({length})")
            }
        };
        let problem = Problem::new(message).at(at);
        if sources.on_command_line(root.at_key("duration")) && !sources.on_command_line(at) {
            root.report.add(problem.help("it is detected instead, as if it were \"auto\"").into_warning());
            root.resolved.value("warmup", auto);
            return Warmup::Auto;
        }
        root.report.add(problem.help("shorten it, lengthen `duration`, or write warmup = \"auto\""));
    }
    Warmup::Fixed(SimDuration(ns))
}

fn read_binary_log(root: &Section<'_>, settings: &Settings, tables: &mut Resolved) -> Option<BinaryLogConfig> {
    let empty = Table::empty(root.at());
    let table = root.table("binary_log");
    let mut section = Section::open(table.unwrap_or(&empty), "binary-log", "binary_log", root.report);
    let bytes = section.real("bytes_per_transaction");
    let config = binary_log(settings, bytes).ok().flatten();
    if table.is_some() && config.is_none() {
        let problem = Problem::new("[binary_log] is left out of account: no binary log is written");
        root.report.add(problem.at(root.at_key("binary_log")).help("set log_bin = \"ON\" in [server]").into_warning());
    }
    if config.is_some() {
        tables.table("binary_log", section.resolved);
    }
    config
}

fn read_adaptive_hash(root: &Section<'_>, settings: &Settings, tables: &mut Resolved) -> Option<AdaptiveHashCost> {
    let mut section = root.section("adaptive_hash_index")?;
    let cost = AdaptiveHashCost {
        cpu_share: section.real("cpu_share"),
        latch: SimDuration(section.duration("latch")),
        parts: settings.integer("innodb_adaptive_hash_index_parts").map_or(1, |parts| parts as u32),
    };
    tables.table("adaptive_hash_index", section.resolved);
    let on = settings.switch("innodb_adaptive_hash_index").is_ok_and(|on| on);
    if !on {
        let problem = Problem::new("[adaptive_hash_index] is left out of account: there is no such index");
        let help = "set innodb_adaptive_hash_index = \"ON\" in [server]";
        root.report.add(problem.at(root.at_key("adaptive_hash_index")).help(help).into_warning());
    }
    on.then_some(cost)
}

fn read_read_view(root: &Section<'_>, tables: &mut Resolved) -> Vec<ReadView> {
    let Some(mut section) = root.section("read_view") else { return Vec::new() };
    let from = SimTime::ZERO + SimDuration(section.duration("from"));
    let until = from + SimDuration(section.duration("length"));
    if until == from {
        section.refuse_no_time("length", "give it a length above 0, such as \"60s\"");
    }
    tables.table("read_view", section.resolved);
    vec![ReadView { from, until }]
}

/// Says which read views and stops begin when the run is over.
fn warn_of_what_never_begins(root: &Section<'_>, run: &RunSpec) {
    let end = SimTime::ZERO + run.duration;
    let never = |what: &str, table: &str| {
        let problem = Problem::new(format!("{what} begins at or after the end of the run, and never is"));
        root.report
            .add(problem.at(root.at_key(table)).help("let it begin earlier, or lengthen `duration`").into_warning());
    };
    if run.read_views.iter().any(|view| view.from >= end) {
        never("[read_view]", "read_view");
    }
    if run.workload.stops.iter().any(|stop| stop.first >= end) {
        never("a [[drive.stop]]", "drive");
    }
}

/// See [`Scenario::threads_beyond_model`]. Threads that an open drive does not use play no part.
fn threads_beyond(model: ModelId, run: &RunSpec) -> Option<(u32, &'static str)> {
    match run.workload.drive {
        DriveSpec::Closed { clients, .. } => {
            threads_beyond_model(model, clients, run.cpu.statement_latch.hold > SimDuration::ZERO)
        }
        DriveSpec::Open { .. } => None,
    }
}

/// A server that gets slower with many threads for a reason that is not in the model.
fn warn_of_contention(root: &Section<'_>, model: ModelId, run: &RunSpec) {
    let Some((from, why)) = threads_beyond(model, run) else { return };
    let problem = Problem::new(format!("{} with more than {from} threads: {why}, which is not modelled", model.name()));
    let help = format!("up to {from} threads it plays no part; expect less throughput than simulated above that");
    root.report.add(problem.at(root.at_key("drive")).help(help).into_warning());
}

fn read_storage(root: &Section<'_>, tables: &mut Resolved) -> Option<StorageSpec> {
    let (data, resolved) = read_device(root.table("device")?, "device", root.report);
    tables.table("device", resolved);
    let redo = root.table("redo_device").map(|table| {
        let (redo, resolved) = read_device(table, "redo_device", root.report);
        tables.table("redo_device", resolved);
        redo
    });
    Some(StorageSpec { data, redo })
}

/// The drive, which an idle workload does without.
fn read_drive_for(
    root: &Section<'_>,
    workload: Option<&ReadWorkload>,
    pool_pages: u64,
    tables: &mut Resolved,
) -> (DriveSpec, Vec<StopSpec>) {
    let idle = workload.is_some_and(|workload| workload.idle);
    match root.table("drive") {
        Some(_) if idle => {
            let problem = Problem::new("an idle workload has no drive").at(root.at_key("drive"));
            root.report.add(problem.help("[drive] is left out of account").into_warning());
            (no_drive(), Vec::new())
        }
        Some(table) => {
            let drive = read_drive(table, pool_pages, root.report);
            tables.table("drive", drive.resolved);
            (drive.spec, drive.stops)
        }
        None => {
            if !idle && !root.has("drive") {
                let problem = Problem::new("`drive` is missing").at(root.at());
                let help =
                    "add a table [drive] with kind = \"closed\" and clients = 16, or kind = \"open\" and rate = 1000";
                root.report.add(problem.allowed("a table").help(help));
            }
            (no_drive(), Vec::new())
        }
    }
}
