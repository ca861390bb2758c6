//! From a name to one tree: finds the text, the texts that it extends, and the command line on top.

use crate::Source;
use crate::device::expand_iops;
use crate::diagnostic::{Diagnostics, Problem, Report};
use crate::fio::anchor;
use crate::layered::Layered;
use crate::node::{Data, Table, parse};
use crate::not_a_scenario::not_a_scenario;
use crate::overrides::{Overrides, layer};
use crate::rule::prepare_rule;
use crate::server::normalize;
use crate::server_files::{Models, SettingsFile, lay_files};
use crate::shipped::{self, NotShipped, story_of};
use crate::source::{SourceMap, Span};
use crate::suggest::join_or;
use crate::text_file::{read_text, stem};
use crate::workloads::spectrum;
use innosim_flush_models::registry::ModelId;
use innosim_rules::Rule;
use std::path::{Path, PathBuf};

/// Longest chain of scenarios that extend each other.
const MAX_CHAIN: usize = 32;

/// Letters from which on a part of a name tells something of it.
const SHORTEST_PART: usize = 3;

/// A layer and the folder that paths in it are relative to.
type Layer = (Table, Option<PathBuf>);

/// Where a text was found.
#[derive(Debug, Clone, PartialEq)]
enum Origin {
    File(PathBuf),
    Shipped(&'static str),
    Text,
}

/// A text that was found.
struct Found {
    origin: Origin,
    /// For messages.
    label: String,
    name: String,
    text: String,
}

/// Reads the scenario and what it extends, and lays the command line over it.
pub(crate) fn collect(
    source: &Source<'_>,
    overrides: &Overrides,
    hosted: Option<&Rule>,
    sources: &mut SourceMap,
    report: &Report,
) -> Result<Layered, Diagnostics> {
    let found = find(source)?;
    let (name, story) = (found.name.clone(), story_of(&found.text));
    let mut layers = chain(found, sources)?;
    let own_model = layers.iter().find_map(|(table, _)| table.get("model")).and_then(crate::node::Node::scalar_text);
    let models = models(own_model.as_deref(), overrides);
    let mut settings_files = Vec::new();
    let mut tree: Option<Table> = None;
    while let Some((mut next, folder)) = layers.pop() {
        settings_files.extend(prepare(&mut next, folder.as_deref(), (models, hosted), sources, report));
        match &mut tree {
            None => tree = Some(next),
            Some(tree) => {
                tree.remove("name");
                tree.remove("published");
                tree.lay(next);
            }
        }
    }
    let mut tree = tree.unwrap_or_else(|| Table::empty(Span { source: 0, start: 0, end: 0 }));
    if overrides.server_files.any() {
        tree.remove("server");
    }
    if overrides.device.is_some() {
        tree.remove("device");
    }
    if let Some(mut top) = layer(overrides, hosted, sources, report) {
        settings_files.extend(prepare(&mut top, None, (models, hosted), sources, report));
        let at = tree.at;
        tree.lay(top);
        tree.at = at;
    }
    Ok(Layered { tree, name, story, own_model, settings_files, hosted: hosted.cloned() })
}

/// The model that is to run and the one that the scenario names; nothing if there is none, which is reported later.
fn models(own: Option<&str>, overrides: &Overrides) -> Option<Models> {
    let own = own.and_then(|own| ModelId::parse(own).ok());
    let asked = match &overrides.model {
        Some(asked) => ModelId::parse(asked).ok(),
        None => {
            let set = overrides.set.iter().rev().filter_map(|argument| argument.split_once('='));
            match set.into_iter().find(|(key, _)| key.trim() == "model") {
                Some((_, value)) => ModelId::parse(value.trim().trim_matches('"')).ok(),
                None => own,
            }
        }
    };
    asked.map(|model| Models { model, written_for: own.filter(|own| *own != model) })
}

/// The layers of a scenario, its own first, the lowest base last.
fn chain(found: Found, sources: &mut SourceMap) -> Result<Vec<Layer>, Diagnostics> {
    let mut layers = Vec::new();
    let mut labels: Vec<(Origin, String)> = Vec::new();
    let mut next = Some(found);
    while let Some(found) = next.take() {
        if found.text.trim().is_empty() && found.origin != Origin::Text {
            let help = "a scenario states model, duration, [device], [workload] and [drive], or `extends` another one, such as \
                        extends = \"redo-too-small\"";
            return Err(Diagnostics::single(format!("{}: is empty", found.label), Some(help.to_owned())));
        }
        if let Origin::File(_) = found.origin
            && let Some(error) = not_a_scenario(&found.label, &found.text)
        {
            return Err(error);
        }
        let source = sources.add_file(&found.label, &found.text);
        labels.push((found.origin.clone(), found.label.clone()));
        let mut table = parse(source, &found.text).map_err(|problems| {
            let syntax = Report::default();
            problems.into_iter().for_each(|problem| syntax.add(problem));
            syntax.finish(sources).err().unwrap_or_else(|| Diagnostics::single("not TOML", None))
        })?;
        if let Some(extends) = table.remove("extends") {
            let base = base_of(&found.origin, &extends.node).map_err(|problem| problem.into_diagnostics(sources))?;
            if labels.len() >= MAX_CHAIN {
                let problem = Problem::new(format!("a chain of more than {MAX_CHAIN} scenarios extend each other"));
                let help = "let some of them stand on their own: at most so many are read";
                return Err(problem.at(extends.node.at).help(help).into_diagnostics(sources));
            }
            if labels.iter().any(|(origin, _)| *origin == base.origin) {
                labels.push((base.origin, base.label));
                let names: Vec<&str> = labels.iter().map(|(_, label)| label.as_str()).collect();
                let problem = Problem::new(format!("scenarios extend each other in a circle: {}", names.join(" -> ")));
                let help = "take `extends` out of one of them";
                return Err(problem.at(extends.node.at).help(help).into_diagnostics(sources));
            }
            next = Some(base);
        }
        let folder = match &found.origin {
            Origin::File(_) => Path::new(&found.label).parent().map(Path::to_path_buf),
            Origin::Shipped(_) | Origin::Text => None,
        };
        layers.push((table, folder));
    }
    Ok(layers)
}

/// Brings the names of a layer into the one form in which layers meet, and reads the files that it takes settings from.
fn prepare(
    table: &mut Table,
    folder: Option<&Path>,
    (models, hosted): (Option<Models>, Option<&Rule>),
    sources: &mut SourceMap,
    report: &Report,
) -> Vec<SettingsFile> {
    let mut files = Vec::new();
    prepare_rule(table, folder, hosted, sources, report);
    if let Some(server) = table.table_mut("server") {
        normalize(server, report);
        files = lay_files(server, folder, models, sources, report);
    }
    for key in ["device", "redo_device"] {
        if let Some(device) = table.table_mut(key) {
            expand_iops(device);
            anchor(device, folder);
        }
    }
    if let Some(workload) = table.table_mut("workload") {
        spectrum::anchor(workload, folder);
    }
    files
}

fn find(source: &Source<'_>) -> Result<Found, Diagnostics> {
    match source {
        Source::File(path) => read_file(path),
        Source::Text { name, text } => Ok(Found {
            origin: Origin::Text,
            label: (*name).to_owned(),
            name: stem(Path::new(name)),
            text: (*text).to_owned(),
        }),
        Source::Shipped(name) => from_shipped(name),
        Source::Named(name) => named(name),
    }
}

/// A file, or else a shipped scenario. A folder of the same name hides none.
fn named(name: &str) -> Result<Found, Diagnostics> {
    let path = Path::new(name);
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() => read_file(path),
        Ok(meta) if meta.is_dir() => from_shipped(name).or_else(|_| read_file(path)),
        Ok(_) => {
            let help =
                "it can be read only once, a scenario is read for each variant: put it into a file and name that";
            Err(Diagnostics::single(format!("{name}: is a pipe or a device, not a file"), Some(help.to_owned())))
        }
        Err(_) => from_shipped(name),
    }
}

fn read_file(path: &Path) -> Result<Found, Diagnostics> {
    let label = path.display().to_string();
    let help = "give the path of a TOML file, or the name of a shipped scenario (`innosim scenarios` lists them)";
    let text = read_text(path, help).map_err(|problem| problem.into_diagnostics(&SourceMap::default()))?;
    let origin = Origin::File(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
    Ok(Found { origin, name: stem(path), label, text })
}

fn from_shipped(name: &str) -> Result<Found, Diagnostics> {
    shipped_text(name).map(found_shipped)
}

/// Name and text of a shipped scenario, with or without its folder.
pub fn shipped_text(name: &str) -> Result<(&'static str, &'static str), Diagnostics> {
    shipped::find(name).map_err(|error| match error {
        NotShipped::Ambiguous(names) => {
            let help = format!("write {}", join_or(&names));
            Diagnostics::single(format!("`{name}` is the name of {} shipped scenarios", names.len()), Some(help))
        }
        NotShipped::Unknown(near) => match shipped::in_folder(name) {
            Some(first) => {
                let help = format!("name one of them, such as {first}; `innosim scenarios` lists all");
                Diagnostics::single(format!("`{name}` is a folder of shipped scenarios"), Some(help))
            }
            None => {
                let help = match near.as_slice() {
                    _ if name.ends_with(".toml") && !near.iter().any(|near| shipped::is_close(name, near)) => {
                        format!(
                            "`innosim new-scenario --my-cnf my.cnf --device nvme -o {name}` writes one to fill in; \
                             `innosim scenarios` lists the shipped ones"
                        )
                    }
                    _ if name == "-" => "standard input is not read: save the scenario as a file".to_owned(),
                    near if near.is_empty() || name.len() < SHORTEST_PART => {
                        "`innosim scenarios` lists the shipped scenarios".to_owned()
                    }
                    near => format!("did you mean {}?", join_or(near)),
                };
                Diagnostics::single(format!("there is no file and no shipped scenario `{name}`"), Some(help))
            }
        },
    })
}

fn found_shipped((name, text): (&'static str, &'static str)) -> Found {
    Found {
        origin: Origin::Shipped(name),
        label: format!("scenarios/{name}.toml"),
        name: name.to_owned(),
        text: text.to_owned(),
    }
}

/// The scenario that `extends` names: beside the file that says so, or shipped.
fn base_of(origin: &Origin, extends: &crate::node::Node) -> Result<Found, Problem> {
    let Data::Text(wanted) = &extends.data else {
        let problem = Problem::new(format!("`extends` is {}", extends.describe())).at(extends.at);
        return Err(problem.allowed("a string: a relative path, or the name of a shipped scenario"));
    };
    let beside = match origin {
        Origin::File(path) => path.parent().map(|folder| folder.join(wanted)),
        Origin::Text => Some(PathBuf::from(wanted)),
        Origin::Shipped(_) => None,
    };
    if let Some(path) = beside.filter(|path| path.is_file()) {
        return read_file(&path).map_err(|errors| Problem::new(errors.first_message()).at(extends.at));
    }
    if let Origin::Shipped(name) = origin
        && let Some((folder, _)) = name.rsplit_once('/')
        && let Some(found) = shipped::find_exactly(&format!("{folder}/{wanted}"))
    {
        return Ok(found_shipped(found));
    }
    shipped::find(wanted).map(found_shipped).map_err(|error| {
        let near = match error {
            NotShipped::Ambiguous(names) | NotShipped::Unknown(names) => names,
        };
        let problem = Problem::new(format!("there is no base scenario `{wanted}`")).at(extends.at);
        let help = "give a path relative to this file, or the name of a shipped scenario";
        if near.is_empty() { problem.help(help) } else { problem.help(format!("did you mean {}?", join_or(&near))) }
    })
}
