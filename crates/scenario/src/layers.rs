//! From a name to one tree: finds the text, the texts that it extends, and the command line on top.

use crate::Source;
use crate::device::expand_iops;
use crate::diagnostic::{Diagnostics, Problem, Report};
use crate::node::{Data, Table, parse};
use crate::overrides::{Overrides, layer};
use crate::server::normalize;
use crate::shipped::{self, NotShipped};
use crate::source::{SourceMap, Span};
use crate::suggest::join_or;
use std::path::{Path, PathBuf};

/// Longest chain of scenarios that extend each other.
const MAX_CHAIN: usize = 32;

/// All layers in one.
#[derive(Debug)]
pub(crate) struct Layered {
    pub(crate) tree: Table,
    /// Name of the scenario, from where it was found.
    pub(crate) name: String,
    /// Opening comment of the scenario's own text.
    pub(crate) story: String,
    /// The model that the scenario itself names, whatever the command line says.
    pub(crate) own_model: Option<String>,
}

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
    sources: &mut SourceMap,
    report: &Report,
) -> Result<Layered, Diagnostics> {
    let found = find(source)?;
    let (name, story) = (found.name.clone(), story_of(&found.text));
    let mut layers = chain(found, sources, report)?;
    let mut tree = match layers.pop() {
        Some(lowest) => lowest,
        None => Table::empty(Span { source: 0, start: 0, end: 0 }),
    };
    while let Some(next) = layers.pop() {
        tree.remove("name");
        tree.remove("published");
        tree.lay(next);
    }
    let own_model = tree.get("model").and_then(crate::node::Node::scalar_text);
    if let Some(mut top) = layer(overrides, sources, report) {
        prepare(&mut top, report);
        let at = tree.at;
        tree.lay(top);
        tree.at = at;
    }
    Ok(Layered { tree, name, story, own_model })
}

/// The layers of a scenario, its own first, the lowest base last.
fn chain(found: Found, sources: &mut SourceMap, report: &Report) -> Result<Vec<Table>, Diagnostics> {
    let mut layers = Vec::new();
    let mut labels: Vec<(Origin, String)> = Vec::new();
    let mut next = Some(found);
    while let Some(found) = next.take() {
        let source = sources.add_file(&found.label, &found.text);
        labels.push((found.origin.clone(), found.label.clone()));
        let mut table = parse(source, &found.text).map_err(|problems| {
            let syntax = Report::default();
            problems.into_iter().for_each(|problem| syntax.add(problem));
            syntax.finish(sources).err().unwrap_or_else(|| Diagnostics::single("not TOML", None))
        })?;
        if let Some(extends) = table.remove("extends") {
            let base = base_of(&found.origin, &extends.node).map_err(|problem| problem.into_diagnostics(sources))?;
            if labels.iter().any(|(origin, _)| *origin == base.origin) || labels.len() >= MAX_CHAIN {
                labels.push((base.origin, base.label));
                let names: Vec<&str> = labels.iter().map(|(_, label)| label.as_str()).collect();
                let problem = Problem::new(format!("scenarios extend each other in a circle: {}", names.join(" -> ")));
                let help = "take `extends` out of one of them";
                return Err(problem.at(extends.node.at).help(help).into_diagnostics(sources));
            }
            next = Some(base);
        }
        prepare(&mut table, report);
        layers.push(table);
    }
    Ok(layers)
}

/// Brings the names of a layer into the one form in which layers meet.
fn prepare(table: &mut Table, report: &Report) {
    if let Some(server) = table.table_mut("server") {
        normalize(server, report);
    }
    for key in ["device", "redo_device"] {
        if let Some(device) = table.table_mut(key) {
            expand_iops(device);
        }
    }
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
        Source::Named(name) if Path::new(name).is_file() => read_file(Path::new(name)),
        Source::Named(name) => from_shipped(name),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
}

fn read_file(path: &Path) -> Result<Found, Diagnostics> {
    let label = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| {
        let help = "give the path of a TOML file, or the name of a shipped scenario (`innosim scenarios` lists them)";
        Diagnostics::single(format!("{label}: can't be read: {error}"), Some(help.to_owned()))
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        let help = "save the file as UTF-8";
        Diagnostics::single(format!("{label}:{line}: not UTF-8 (byte {good})"), Some(help.to_owned()))
    })?;
    let text = text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned);
    let origin = Origin::File(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
    Ok(Found { origin, name: stem(path), label, text })
}

fn from_shipped(name: &str) -> Result<Found, Diagnostics> {
    shipped::find(name).map(found_shipped).map_err(|error| match error {
        NotShipped::Ambiguous(names) => {
            let help = format!("write {}", join_or(&names));
            Diagnostics::single(format!("`{name}` is the name of {} shipped scenarios", names.len()), Some(help))
        }
        NotShipped::Unknown(near) => {
            let help = match near.as_slice() {
                [] => "`innosim scenarios` lists the shipped scenarios".to_owned(),
                near => format!("did you mean {}?", join_or(near)),
            };
            Diagnostics::single(format!("there is no file and no shipped scenario `{name}`"), Some(help))
        }
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
        && let Ok(found) = shipped::find_exactly(&format!("{folder}/{wanted}"))
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

/// The comment that opens a text, without its marks.
pub(crate) fn story_of(text: &str) -> String {
    let comment = text.lines().skip_while(|line| line.trim().is_empty()).map_while(|line| line.strip_prefix('#'));
    let lines: Vec<&str> = comment.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
