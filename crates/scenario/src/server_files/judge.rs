//! What a statement of a real server means to a model: understood, without effect, or wrong.
//!
//! An option file can be wrong: a name that its server would refuse, a value out of range. What SHOW GLOBAL VARIABLES
//! says is what a server runs with, so a name that the model lacks has no effect there, whatever it is.

use super::table::{SettingRow, SettingStatus, removed_lines};
use super::{Models, SettingsFileKind, Statement};
use crate::diagnostic::{Problem, Report};
use crate::node::{Data, Entry, Node};
use crate::server::allowed;
use crate::source::{SourceMap, Span};
use innosim_flush_models::registry::{
    Kind, ServerVersion, Setting, StandIn, UnknownReason, UnknownSetting, adjusted_value, lookup, normal_name,
    parse_value, removed_value, without_effect,
};

/// Prefixes that say how a switch stands.
const SWITCH_PREFIXES: [(&str, &str); 3] = [("skip_", "OFF"), ("disable_", "OFF"), ("enable_", "ON")];
/// Variables that say what the server is.
const IDENTITY: [&str; 3] = ["innodb_version", "version", "version_comment"];
/// An option that names the binary log's files, where the variable of the same name only says whether there is one.
pub(super) const BINARY_LOG: &str = "log_bin";
const REDO_CAPACITY: &str = "innodb_redo_log_capacity";
const REDO_FILES: [&str; 2] = ["innodb_log_file_size", "innodb_log_files_in_group"];

/// Judges the statements of one file.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    pub(super) kind: SettingsFileKind,
    pub(super) models: Models,
    pub(super) sources: &'a SourceMap,
    pub(super) report: &'a Report,
}

/// What a statement comes to.
enum Verdict {
    /// A setting with this value.
    Takes(String, String),
    NoEffect(String),
    /// The server does not start with it, as it was removed: why.
    Removed(String),
    Wrong(Problem),
}

impl Judge<'_> {
    /// What an option file says by its silence: from MySQL 8.0 a server writes a binary log unless it is told not to. `at`
    /// is where that is said.
    pub(super) fn silence(&self, entries: &[Entry], at: Option<Span>) -> Option<Entry> {
        let writes = self.models.model.mysql_release().is_some_and(|release| release >= 80);
        if self.kind != SettingsFileKind::MyCnf || !writes || entries.iter().any(|entry| entry.key == BINARY_LOG) {
            return None;
        }
        let at = at?;
        let message = format!("the option file does not mention {BINARY_LOG}, so the server writes a binary log");
        let help = format!("if that is not so, write {BINARY_LOG} = \"OFF\" in [server]");
        self.report.add(Problem::new(message).at(at).help(help).into_warning());
        Some(Entry { key: BINARY_LOG.to_owned(), key_at: at, node: Node { data: Data::Text("ON".to_owned()), at } })
    }

    /// A row for each statement, and the entries that settings are read from: of statements about the same setting, the
    /// last.
    pub(super) fn all(&self, statements: Vec<Statement>) -> (Vec<SettingRow>, Vec<Entry>) {
        let mut rows: Vec<SettingRow> = Vec::new();
        let mut entries: Vec<(usize, Entry)> = Vec::new();
        let redo = Redo::of(self, &statements);
        self.compare_identity(&statements);
        let mut removed_at = None;
        for statement in statements {
            let verdict = match redo.leaves_out(&statement) {
                Some(why) => Verdict::NoEffect(why),
                None => self.judge(&statement),
            };
            let mut row = self.row(&statement, &verdict);
            if matches!(verdict, Verdict::Removed(_)) {
                removed_at.get_or_insert(statement.name_at);
            }
            match verdict {
                Verdict::Takes(name, value) => {
                    row.name.clone_from(&name);
                    let at = statement.value.as_ref().map_or(statement.name_at, |(_, at)| *at);
                    let node = Node { data: Data::Text(value), at };
                    let entry = Entry { key: name, key_at: statement.name_at, node };
                    if let Some(place) = entries.iter().position(|(_, old)| old.key == entry.key) {
                        let (before, _) = entries.remove(place);
                        rows[before].status = SettingStatus::Superseded;
                        rows[before].remark = if rows[before].file == row.file {
                            format!("set again in line {}", row.line)
                        } else {
                            format!("set again at {}:{}", row.file, row.line)
                        };
                    }
                    entries.push((rows.len(), entry));
                }
                Verdict::NoEffect(_) | Verdict::Removed(_) => {}
                Verdict::Wrong(problem) => self.report.add(problem),
            }
            rows.push(row);
        }
        if let (Some(at), Some(lines)) = (removed_at, removed_lines(self.models.model, &rows)) {
            let help = "if the file is an older server's, name its version, such as --model 5.7";
            self.report.add(Problem::new(lines).at(at).help(help).into_warning());
        }
        (rows, entries.into_iter().map(|(_, entry)| entry).collect())
    }

    fn row(&self, statement: &Statement, verdict: &Verdict) -> SettingRow {
        let place = self.sources.place(statement.name_at);
        let (status, remark) = match verdict {
            Verdict::Takes(..) => (SettingStatus::Understood, String::new()),
            Verdict::NoEffect(why) => (SettingStatus::NoEffect, why.clone()),
            Verdict::Removed(why) => (SettingStatus::Removed, why.clone()),
            Verdict::Wrong(problem) => {
                let help = problem.help.as_deref().or(problem.allowed.as_deref()).unwrap_or_default();
                let gap = if help.is_empty() { "" } else { "; " };
                (SettingStatus::Wrong, format!("{}{gap}{help}", problem.message))
            }
        };
        SettingRow {
            name: normal_name(&statement.name),
            value: match (verdict, &statement.value) {
                (Verdict::Takes(_, value), _) => value.clone(),
                (_, Some((value, _))) => value.clone(),
                (_, None) => String::new(),
            },
            file: place.as_ref().map(|place| place.file.clone()).unwrap_or_default(),
            line: place.map_or(0, |place| place.line),
            status,
            remark,
        }
    }

    fn judge(&self, statement: &Statement) -> Verdict {
        let written = statement.name.as_str();
        if written.starts_with("--") {
            let problem = Problem::new(format!("{written}: names in an option file have no dashes before them"));
            return Verdict::Wrong(problem.at(statement.name_at).help(format!("write {}", written.trim_matches('-'))));
        }
        let mut name = normal_name(written);
        let loose = name.strip_prefix("loose_").map(str::to_owned);
        if let Some(rest) = &loose {
            name.clone_from(rest);
        }
        if IDENTITY.contains(&name.as_str()) {
            return Verdict::NoEffect("it says what the server is".to_owned());
        }
        if let Some(verdict) = self.switched(&name, statement) {
            return verdict;
        }
        if let Some(removed) = self.removed(&name, loose.is_some(), statement) {
            return removed;
        }
        match self.known(&name) {
            Ok(setting) => self.value(&setting, statement),
            Err(unknown) => self.unknown(&name, loose.is_some(), unknown, statement),
        }
    }

    /// The setting, as the model that is to run knows it, or else the one that the scenario is written for: its value may be out
    /// of the range of that one where the server that runs does nothing with it.
    fn known(&self, name: &str) -> Result<Setting, UnknownSetting> {
        lookup(self.models.model, name).or_else(|unknown| match self.models.written_for {
            Some(own) if unknown.reason != UnknownReason::WithoutEffect => lookup(own, name).map_err(|_| unknown),
            _ => Err(unknown),
        })
    }

    /// A line of an option file that earlier versions start with and this one does not. A MariaDB passes over the options that it
    /// removed, as any server does after `loose_`.
    fn removed(&self, name: &str, loose: bool, statement: &Statement) -> Option<Verdict> {
        let model = self.models.model;
        let value = statement.value.as_ref().map_or("", |(value, _)| value.as_str());
        let base = SWITCH_PREFIXES.iter().find_map(|(prefix, _)| name.strip_prefix(prefix));
        let unknown = [Some(name), base].into_iter().flatten().filter_map(|name| lookup(model, name).err());
        let why = match unknown.into_iter().find(|unknown| unknown.reason == UnknownReason::Removed) {
            Some(unknown) => {
                let history = unknown.why.split_once("; ").map_or(unknown.why.as_str(), |(_, history)| history);
                // That it is left out is said of all of them.
                let instead = unknown.help.trim_start_matches("leave it out").trim_start_matches([';', ':', ' ']);
                if instead.is_empty() { history.to_owned() } else { format!("{history}; {instead}") }
            }
            None => removed_value(model, name, value)?.to_owned(),
        };
        let starts = loose || model.is_mariadb() || self.kind == SettingsFileKind::ShowVariables;
        Some(if starts { Verdict::NoEffect(why) } else { Verdict::Removed(why) })
    }

    /// `skip-NAME`, `disable-NAME`, `enable-NAME`, where the whole is no name of its own.
    fn switched(&self, name: &str, statement: &Statement) -> Option<Verdict> {
        let model = self.models.model;
        if lookup(model, name).is_ok() || without_effect(model, name).is_some() {
            return None;
        }
        let (base, value) =
            SWITCH_PREFIXES.iter().find_map(|(prefix, value)| Some((name.strip_prefix(prefix)?, value)))?;
        let at = statement.name_at;
        match self.known(base) {
            Ok(setting) if !takes_switch(&setting) => {
                let problem = Problem::new(format!("{}: {base} is not a switch", statement.name)).at(at);
                Some(Verdict::Wrong(problem.help(format!("write {base} = VALUE"))))
            }
            Ok(_) => Some(Verdict::Takes(base.to_owned(), self.prefixed_switch(base, value, statement).to_owned())),
            Err(unknown) if unknown.reason == UnknownReason::WithoutEffect => Some(Verdict::NoEffect(unknown.why)),
            Err(_) => None,
        }
    }

    /// How a switch stands after `skip-NAME = VALUE` and the like. Servers take a 0 for the opposite of the prefix, so that
    /// `skip-NAME = 0` switches on, and every other value for the prefix alone.
    fn prefixed_switch(&self, base: &str, value: &'static str, statement: &Statement) -> &'static str {
        let Some((written, at)) = &statement.value else { return value };
        let opposite = if value == "ON" { "OFF" } else { "ON" };
        let stands = if written.trim() == "0" { opposite } else { value };
        let message = format!("{} = {}: the server takes this for {base} = {stands}", statement.name, written.trim());
        self.report.add(Problem::new(message).at(*at).help(format!("write {base} = {stands}")).into_warning());
        stands
    }

    fn value(&self, setting: &Setting, statement: &Statement) -> Verdict {
        let at = statement.value.as_ref().map_or(statement.name_at, |(_, at)| *at);
        let written = statement.value.as_ref().map(|(value, _)| value.trim());
        let value = match written {
            None if takes_switch(setting) => "ON",
            Some(base) if self.kind == SettingsFileKind::MyCnf && setting.name == BINARY_LOG => {
                return self.binary_log(base, at);
            }
            None | Some("") if self.kind == SettingsFileKind::MyCnf => {
                let problem = Problem::new(format!("{}: it has no value", setting.name)).at(at);
                return Verdict::Wrong(problem.allowed(allowed(setting)));
            }
            None | Some("") => return Verdict::NoEffect("it has no value, so the default holds".to_owned()),
            Some(value) => value,
        };
        match parse_value(setting, value) {
            Ok(_) => Verdict::Takes(setting.name.to_owned(), value.to_owned()),
            Err(error) => {
                let problem = Problem::new(format!("{} = {value}: {}", setting.name, error.problem)).at(at);
                let hint =
                    error.help.split("allowed: ").next().unwrap_or_default().trim_end_matches([' ', ',']).to_owned();
                if let Some(adjusted) = adjusted_value(setting, value).filter(|_| self.kind == SettingsFileKind::MyCnf)
                {
                    let taken = setting.spell(adjusted);
                    let taken_instead = format!("the server takes {taken} instead, and warns");
                    let help = if hint.is_empty() { taken_instead } else { format!("{hint}; {taken_instead}") };
                    self.report.add(problem.allowed(allowed(setting)).help(help).into_warning());
                    return Verdict::Takes(setting.name.to_owned(), taken);
                }
                // RDS computes it from the instance's memory.
                let formula = value.starts_with('{').then(|| {
                    "it is a formula of RDS: write what it comes to, as SHOW GLOBAL VARIABLES shows it".to_owned()
                });
                Verdict::Wrong(problem.allowed(allowed(setting)).help(formula.unwrap_or(hint)))
            }
        }
    }

    /// `log_bin = NAME` of an option file. Servers take every value for the base name of the files, OFF and 0 too: only
    /// the forms `skip-log-bin` and `disable-log-bin` switch the log off.
    fn binary_log(&self, base: &str, at: Span) -> Verdict {
        if ["off", "0", "false"].contains(&base.to_ascii_lowercase().as_str()) {
            let message = format!("{BINARY_LOG} = {base} leaves the binary log on, in files named {base}");
            let help = "an option file switches it off with skip-log-bin";
            self.report.add(Problem::new(message).at(at).help(help).into_warning());
        }
        Verdict::Takes(BINARY_LOG.to_owned(), "ON".to_owned())
    }

    /// A server that sizes itself: what it chose is not in the file.
    fn remark_on_dedicated_server(&self, name: &str, statement: &Statement) {
        let on = statement
            .value
            .as_ref()
            .is_none_or(|(value, _)| !["off", "0", "false"].contains(&value.trim().to_ascii_lowercase().as_str()));
        if name == "innodb_dedicated_server" && on {
            let message =
                "innodb_dedicated_server: the server chooses buffer pool, redo log and flush method itself".to_owned();
            let help = "give the text of SHOW GLOBAL VARIABLES instead, or state the sizes that it chose; here their defaults hold";
            self.report.add(Problem::new(message).at(statement.name_at).help(help).into_warning());
        }
    }

    fn unknown(&self, name: &str, loose: bool, unknown: UnknownSetting, statement: &Statement) -> Verdict {
        let of_innodb = name.starts_with("innodb_");
        let model = self.models.model;
        self.remark_on_dedicated_server(name, statement);
        match unknown.reason {
            UnknownReason::WithoutEffect => {
                // "no effect in MODEL: " is what the table's head says.
                let why = unknown.why.split_once(": ").map_or(unknown.why.as_str(), |(_, why)| why);
                Verdict::NoEffect(why.to_owned())
            }
            _ if self.kind == SettingsFileKind::ShowVariables => Verdict::NoEffect(match unknown.reason {
                UnknownReason::OtherVersion | UnknownReason::Removed => unknown.why,
                _ if of_innodb => format!("{model} has no such setting"),
                _ => "not one of InnoDB's settings".to_owned(),
            }),
            _ if loose => {
                Verdict::NoEffect(format!("{model} has no such setting, and loose_ lets the server ignore it"))
            }
            UnknownReason::OtherVersion | UnknownReason::Removed => {
                let problem = Problem::new(format!("{name}: {}", unknown.why)).at(statement.name_at);
                Verdict::Wrong(problem.help(unknown.help))
            }
            _ if of_innodb => {
                let problem = Problem::new(format!("{name}: {}", unknown.why)).at(statement.name_at);
                Verdict::Wrong(problem.help(unknown.help))
            }
            UnknownReason::Misspelt | UnknownReason::Unknown => {
                let full = format!("innodb_{name}");
                let meant = lookup(model, &full).map_or_else(|_| String::new(), |_| format!("; did you mean {full}?"));
                Verdict::NoEffect(format!("not one of InnoDB's settings{meant}"))
            }
        }
    }

    /// A remark if the product and the whole version are not what the model stands for.
    fn compare_identity(&self, statements: &[Statement]) {
        let variable = |name: &str| {
            let statement = statements.iter().rev().find(|statement| normal_name(&statement.name) == name)?;
            statement.value.as_ref()
        };
        let said = ServerVersion::of_variables(|name| variable(name).map(|(value, _)| value.as_str()));
        let (Some(said), Some((_, at))) = (said, variable("version").or_else(|| variable("innodb_version"))) else {
            return;
        };
        let model = self.models.model;
        let (message, help) = match said.model() {
            Ok(StandIn { model: own, differs: None }) if own == model => return,
            Ok(StandIn { model: own, differs: Some(differs) }) if own == model => (differs, None),
            Ok(StandIn { model: own, differs }) => {
                let stands = if differs.is_some() { "is the nearest to it" } else { "stands for it" };
                let help = format!("{own} {stands}: --model {own}, or model = \"{own}\" in a scenario");
                (format!("the variables are of {}, the model is {model}", said.title()), Some(help))
            }
            Err(why) => (format!("the variables are of {}, the model is {model}: {why}", said.title()), None),
        };
        let problem = Problem::new(message).at(*at);
        self.report.add(help.map_or(problem.clone(), |help| problem.help(help)).into_warning());
    }
}

fn takes_switch(setting: &Setting) -> bool {
    match setting.kind {
        Kind::Switch => true,
        Kind::Choice(names) => names.contains(&"ON"),
        _ => false,
    }
}

/// Which of the two ways to size the redo log SHOW GLOBAL VARIABLES does not mean, and why: a server that has both shows
/// both, and only one of them is in force. `has_default` says of a setting whether it has its default; nothing of one
/// that the server does not have.
pub fn redo_sizes_out_of_force(
    has_default: impl Fn(&str) -> Option<bool>,
) -> Option<(&'static [&'static str], &'static str)> {
    let (capacity, size) = (has_default(REDO_CAPACITY)?, has_default(REDO_FILES[0])?);
    let files_are_default = size && has_default(REDO_FILES[1]).unwrap_or(true);
    Some(if capacity && !files_are_default {
        let why = "it has its default, and innodb_log_file_size has not: the files' sizes are in force";
        (&[REDO_CAPACITY][..], why)
    } else {
        (&REDO_FILES[..], "innodb_redo_log_capacity is in force")
    })
}

/// The sizes of the redo log in SHOW GLOBAL VARIABLES that are not in force.
struct Redo {
    left_out: Option<(&'static [&'static str], &'static str)>,
}

impl Redo {
    fn of(judge: &Judge<'_>, statements: &[Statement]) -> Redo {
        if judge.kind != SettingsFileKind::ShowVariables {
            return Redo { left_out: None };
        }
        let has_default = |name: &str| {
            let statement = statements.iter().rev().find(|statement| normal_name(&statement.name) == name)?;
            let setting = judge.known(name).ok()?;
            let value = parse_value(&setting, &statement.value.as_ref()?.0).ok()?;
            Some(setting.default == Some(value))
        };
        Redo { left_out: redo_sizes_out_of_force(has_default) }
    }

    fn leaves_out(&self, statement: &Statement) -> Option<String> {
        let (names, why) = self.left_out?;
        names.contains(&normal_name(&statement.name).as_str()).then(|| why.to_owned())
    }
}
