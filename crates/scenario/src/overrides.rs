//! What the command line changes: the topmost layer.

use crate::device::profile_names;
use crate::diagnostic::{Problem, Report};
use crate::fio::anchor;
use crate::node::{Data, Entry, Node, Table, parse, parse_argument_value};
use crate::scenario_keys::is_root;
use crate::source::{SourceMap, Span};
use crate::text_file::read_text;
use innosim_flush_models::registry::normal_name;
use innosim_rules::Rule;
use std::path::{Path, PathBuf};

/// Changes to a scenario that the command line asks for.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Another server model.
    pub model: Option<String>,
    /// `SETTING=VALUE` with a setting's real name, or `dotted.path=value` for a scenario key.
    pub set: Vec<String>,
    /// Simulated time with its unit, such as `600s`.
    pub duration: Option<String>,
    /// Seed.
    pub seed: Option<u64>,
    /// Number of replications.
    pub replications: Option<u32>,
    /// A flushing rule: its file, or its name.
    pub rule: Option<String>,
    /// A real server's settings in place of the scenario's `[server]`.
    pub server_files: ServerFiles,
    /// A device in place of the scenario's: a profile, or a file with the keys of `[device]`.
    pub device: Option<String>,
}

/// Files with the settings of a real server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerFiles {
    /// Option file.
    pub my_cnf: Option<PathBuf>,
    /// Text of SHOW GLOBAL VARIABLES; lies over the option file.
    pub show_variables: Option<PathBuf>,
}

impl ServerFiles {
    /// Whether a file is named.
    pub fn any(&self) -> bool {
        self.my_cnf.is_some() || self.show_variables.is_some()
    }
}

impl Overrides {
    /// Whether an option of its own, not `--set`, gives this key; it wins over any other layer.
    pub fn has_option_for(&self, key: &str) -> bool {
        match key {
            "model" => self.model.is_some(),
            "duration" => self.duration.is_some(),
            "seed" => self.seed.is_some(),
            "rule" => self.rule.is_some(),
            "replications" => self.replications.is_some(),
            _ => false,
        }
    }
}

/// Tables that people take for a single value, each with a key that they may mean.
const TABLES: &[(&str, &str)] = &[
    ("device", "profile=nvme"),
    ("redo_device", "profile=nvme"),
    ("workload", "table_size=1000000"),
    ("drive", "clients=32"),
    ("file_system", "kind=ext4-ordered"),
    ("host", "cores=16"),
    ("server", "innodb_io_capacity=2000"),
];

/// The topmost layer.
pub(crate) fn layer(
    overrides: &Overrides,
    hosted: Option<&Rule>,
    sources: &mut SourceMap,
    report: &Report,
) -> Option<Table> {
    let mut tree: Option<Table> = None;
    // First, so that values of its parameters lie over it.
    if let Some(text) = hosted.map(Rule::name).or(overrides.rule.as_deref()) {
        let source = sources.add_argument("--rule", text);
        put(&mut tree, as_rule(scalar(source, "rule", Data::Text(text.to_owned()), text.len())));
    }
    let files = &overrides.server_files;
    for (option, key, path) in
        [("--my-cnf", "my_cnf", &files.my_cnf), ("--show-variables", "show_variables", &files.show_variables)]
    {
        if let Some(path) = path {
            let text = path.display().to_string();
            let source = sources.add_argument(option, &text);
            let file = scalar(source, key, Data::Text(text.clone()), text.len());
            put(&mut tree, within("server", file));
        }
    }
    if let Some(named) = &overrides.device {
        match device(named, sources) {
            Ok(entry) => put(&mut tree, entry),
            Err(problem) => report.add(problem),
        }
    }
    for argument in &overrides.set {
        let source = sources.add_argument("--set", argument);
        match entry(source, argument) {
            Ok(entry) => put(&mut tree, as_rule(entry)),
            Err(problem) => report.add(problem),
        }
    }
    let numbers = [
        ("--seed", "seed", overrides.seed.map(|seed| seed.to_string())),
        ("--replications", "replications", overrides.replications.map(|count| count.to_string())),
    ];
    for (option, key, text) in numbers {
        if let Some(text) = text {
            let source = sources.add_argument(option, &text);
            put(&mut tree, scalar(source, key, Data::Integer(text.clone()), text.len()));
        }
    }
    let texts = [("--model", "model", &overrides.model), ("--duration", "duration", &overrides.duration)];
    for (option, key, text) in texts {
        if let Some(text) = text {
            let source = sources.add_argument(option, text);
            put(&mut tree, scalar(source, key, Data::Text(text.clone()), text.len()));
        }
    }
    tree
}

/// The table `[device]` that `--device` names: a profile, or a file of its keys.
fn device(named: &str, sources: &mut SourceMap) -> Result<Entry, Problem> {
    let path = Path::new(named);
    if profile_names().contains(&named) || !path.is_file() {
        let source = sources.add_argument("--device", named);
        return Ok(within("device", scalar(source, "profile", Data::Text(named.to_owned()), named.len())));
    }
    let text = read_text(path, "a file of `innosim device -o`, or the name of a profile")?;
    let source = sources.add_file(named, &text);
    let mut table = parse(source, &text).map_err(|problems| {
        let first = problems.into_iter().next();
        first.unwrap_or_else(|| Problem::new(format!("{named}: is not TOML")))
    })?;
    if let Some(inner) = table.table_mut("device") {
        table = inner.clone();
    }
    anchor(&mut table, path.parent());
    let at = table.at;
    Ok(Entry { key: "device".to_owned(), key_at: at, node: Node { data: Data::Table(table), at } })
}

/// An entry inside a table of its own.
fn within(table: &str, entry: Entry) -> Entry {
    let at = entry.key_at;
    let node = Node { data: Data::Table(Table { entries: vec![entry], at }), at };
    Entry { key: table.to_owned(), key_at: at, node }
}

/// A rule that is named, as a table which takes values too; any other entry as it is.
fn as_rule(entry: Entry) -> Entry {
    if entry.key != "rule" || !matches!(entry.node.data, Data::Text(_)) {
        return entry;
    }
    let at = entry.node.at;
    let file = Entry { key: "file".to_owned(), key_at: at, node: entry.node };
    let node = Node { data: Data::Table(Table { entries: vec![file], at }), at };
    Entry { key: entry.key, key_at: entry.key_at, node }
}

fn put(tree: &mut Option<Table>, entry: Entry) {
    tree.get_or_insert_with(|| Table::empty(entry.key_at)).put(entry);
}

fn scalar(source: usize, key: &str, data: Data, len: usize) -> Entry {
    let at = Span::whole(source, len);
    Entry { key: key.to_owned(), key_at: at, node: Node { data, at } }
}

/// The entry that `path=value` describes, tables and all.
fn entry(source: usize, argument: &str) -> Result<Entry, Problem> {
    let whole = Span::whole(source, argument.len());
    let usage = "write SETTING=VALUE, such as innodb_io_capacity=2000, or a dotted path, such as drive.clients=32";
    let Some((path, value)) = argument.split_once('=') else {
        return Err(Problem::new(format!("`{argument}` has no `=`")).at(whole).help(usage));
    };
    if value.trim().is_empty() {
        return Err(Problem::new(format!("`{argument}` has no value")).at(whole).help(usage));
    }
    let key_at = Span { source, start: 0, end: path.len() };
    let path = path.trim();
    let mut names: Vec<String> = path.split('.').map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        return Err(Problem::new(format!("`{path}` is no name")).at(key_at).help(usage));
    }
    if names[0] == "extends" {
        return Err(Problem::new("`extends` can't be set").at(key_at).help("run the other scenario by its name"));
    }
    if let Some((key, first)) = TABLES.iter().find(|(key, _)| names == [*key])
        && !value.trim_start().starts_with('{')
    {
        let problem = Problem::new(format!("`{key}` is a table of keys, not a single value")).at(whole);
        return Err(problem.help(format!("name the key by its dotted path: --set {key}.{first}")));
    }
    if names.len() == 1 && !is_root(&names[0]) {
        names = vec!["server".to_owned(), normal_name(&names[0])];
    }
    let start = argument.len() - value.len();
    let mut node = parse_argument_value(source, value, start);
    let mut key = String::new();
    for name in names.into_iter().rev() {
        if !key.is_empty() {
            let table = Table { entries: vec![Entry { key, key_at, node }], at: key_at };
            node = Node { data: Data::Table(table), at: key_at };
        }
        key = name;
    }
    Ok(Entry { key, key_at, node })
}
