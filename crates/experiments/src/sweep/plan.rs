//! What a sweep is to run: points in order, each resolved and known by its hash.

use super::SweepError;
use super::argument::as_typed;
use super::dimension::Dimension;
use super::references::FlowGroups;
use super::shipped::shipped;
use super::tier::SweepTier;
use crate::warm_start::{is_taken, why_cold};
use innosim_core::kernel::time::SimDuration;
use innosim_flush_models::registry::normal_name;
use innosim_rules::Rule;
use innosim_scenario::{Diagnostic, Overrides, Scenario, Source, did_you_mean, load_hosted};
use innosim_statistics::Precision;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Hash of the sources that a run's result depends on (`build.rs`), part of every run's identity: two builds of a
/// version that would give other numbers don't take each other's runs for their own.
const BUILD: &str = env!("INNOSIM_BUILD");
/// Most points of a sweep.
const MOST_POINTS: usize = 10_000;
/// Layout of `sweep.json`.
const FORMAT: u32 = 1;

/// What somebody asks for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A TOML file, the name of a shipped scenario, or the text of one (several lines).
    pub scenario: String,
    /// Title of the sweep; the scenario's if empty.
    pub title: String,
    /// What all points share; `replications` are the runs of each, the scenario's number if not said.
    pub overrides: Overrides,
    /// In place of any other flushing rule: one of the program itself.
    pub hosted: Option<Rule>,
    /// What varies: see [`Dimension`].
    pub vary: Vec<String>,
    /// Instead of a fixed number: until throughput is known this well.
    pub precision: Option<Precision>,
    /// Verify the invariants at every event.
    pub check: bool,
    /// If runs that are at rest end before their length: the share of the redo that may still stay in the age.
    pub until_rest: Option<f64>,
    /// Whether points that differ in settings that a server at work takes go on from copies of one warm server; with
    /// `until_rest` only.
    pub warm_copies: bool,
    /// How finely runs are simulated.
    pub tier: SweepTier,
}

/// What a sweep is to run, and all that tells its results from another's; `sweep.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    format: u32,
    /// Version of the program.
    pub innosim_version: String,
    /// Hash of the sources of the program; empty in the folder of a version without it.
    #[serde(default)]
    pub build: String,
    /// Name of the scenario.
    pub scenario: String,
    /// The scenario as it was asked for: a file or a shipped name; empty in the folder of a version without it.
    #[serde(default)]
    source: String,
    /// Title for headings.
    pub title: String,
    /// Seed.
    pub seed: u64,
    /// Whether the invariants are verified.
    pub check: bool,
    /// If runs that are at rest end before their length: the share of the redo that may still stay in the age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_rest: Option<f64>,
    /// Whether points that differ in settings that a server at work takes go on from copies of one warm server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warm_copies: bool,
    /// How finely runs are simulated.
    #[serde(default, skip_serializing_if = "SweepTier::is_exact")]
    pub tier: SweepTier,
    /// Runs of each point, if their number is fixed.
    pub replications: u32,
    /// Instead: until throughput is known this well.
    pub precision: Option<Precision>,
    /// What varies.
    pub dimensions: Vec<Dimension>,
    /// Names of the settings that vary, in the order of the dimensions.
    pub columns: Vec<String>,
    /// All combinations, the first dimension the outermost loop.
    pub points: Vec<Point>,
    /// What all points share, as it was asked for: arguments of the command line.
    #[serde(default)]
    shared: Vec<String>,
}

/// A combination of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Place in the values of each dimension.
    pub at: Vec<usize>,
    /// Value of each of the plan's columns, as resolved: sizes in bytes.
    pub values: Vec<String>,
    /// Server model.
    pub model: String,
    /// Seed.
    pub seed: u64,
    /// Simulated time, seconds.
    pub simulated_s: f64,
    /// Hash of the resolved scenario.
    pub hash: String,
    /// If its runs go on from copies of a warm server: hash of the resolved scenario of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_from: Option<String>,
    /// If its runs are in the coarse tier: hash of the references whose windows they share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<String>,
}

/// Identity of a run: equal for equal inputs and equal sources of the program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId(pub String);

/// A plan with what it takes to run it.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// The scenario without anything varied.
    pub base: Scenario,
    /// The scenario of each point.
    pub scenarios: Vec<Scenario>,
    /// Scenarios of servers that runs go on from, when they are warm; and for each point its place among them, if it has one.
    pub bases: Vec<Scenario>,
    /// See [`Prepared::bases`].
    pub base_of: Vec<Option<usize>>,
    /// Which runs in the coarse tier share what windows tell; empty if all are exact.
    pub(super) flow_groups: FlowGroups,
    /// What is worth knowing before it runs, about any point.
    pub notes: Vec<Diagnostic>,
}

impl Prepared {
    /// Pairs of points that are the same run, by their labels.
    pub fn twins(&self) -> Vec<(String, String)> {
        let mut firsts = HashMap::new();
        let twin = |(i, point): (usize, &'_ Point)| {
            let first = *firsts.entry(point.hash.clone()).or_insert(i);
            (first != i).then(|| (self.plan.label(first), self.plan.label(i)))
        };
        self.plan.points.iter().enumerate().filter_map(twin).collect()
    }
}

impl Request {
    /// Reads what varies, and loads and checks the scenario of every point.
    ///
    /// # Errors
    /// [`SweepError`] for anything wrong with any point: a sweep starts whole or not at all.
    pub fn prepare(&self) -> Result<Prepared, SweepError> {
        self.prepare_while(&mut || true)
    }

    /// The same, as long as `go_on` says so, which is asked before each point.
    ///
    /// # Errors
    /// [`SweepError`] as above, and [`SweepError::Stopped`].
    pub fn prepare_while(&self, go_on: &mut dyn FnMut() -> bool) -> Result<Prepared, SweepError> {
        if self.vary.is_empty() {
            return Err(self.nothing_varies());
        }
        let dimensions = self.dimensions()?;
        let base = self.load_base()?;
        let columns: Vec<String> =
            dimensions.iter().flat_map(|d| &d.settings).map(|name| column_of(&base, name)).collect();
        let mut points = Vec::new();
        let mut scenarios = Vec::new();
        for at in combinations(&dimensions) {
            if !go_on() {
                return Err(SweepError::Stopped);
            }
            let scenario = self.load_point(dimensions.iter().zip(&at))?;
            if scenario.run.duration < SimDuration::from_secs(1) {
                let message = format!("{}: a run is at least a second long", scenario.name);
                return Err(SweepError::usage(message, "give a `duration` of 1s or more"));
            }
            points.push(point(&scenario, &dimensions, &columns, at));
            scenarios.push(scenario);
        }
        let (bases, base_of) = self.bases(&dimensions, &mut points, &scenarios)?;
        let flow_groups = self.flow_groups(&dimensions, &mut points);
        let plan = Plan {
            format: FORMAT,
            innosim_version: VERSION.to_owned(),
            build: BUILD.to_owned(),
            scenario: base.name.clone(),
            source: self.scenario.clone(),
            title: if self.title.is_empty() { base.title.clone() } else { self.title.clone() },
            seed: base.run.seed,
            check: self.check,
            until_rest: self.until_rest,
            warm_copies: self.warm_copies,
            tier: self.tier,
            replications: self.overrides.replications.unwrap_or(base.replications).max(1),
            precision: self.precision,
            dimensions,
            columns,
            points,
            shared: self.shared(),
        };
        let notes = notes_of(&base, &scenarios);
        Ok(Prepared { plan, base, scenarios, bases, base_of, flow_groups, notes })
    }

    /// What runs of the points go on from, when it is warm, and which of the points from which of these. All but the settings
    /// that a server at work takes is as the point has it, so that it does not depend on which values these have in the sweep.
    fn bases(
        &self,
        dimensions: &[Dimension],
        points: &mut [Point],
        scenarios: &[Scenario],
    ) -> Result<(Vec<Scenario>, Vec<Option<usize>>), SweepError> {
        let taken = |dimension: &Dimension| dimension.settings.iter().all(|name| is_taken(&normal_name(name)));
        let any = dimensions.iter().any(taken);
        if !self.warm_copies || self.until_rest.is_none() || !any {
            return Ok((Vec::new(), vec![None; points.len()]));
        }
        let (mut bases, mut base_of, mut places) = (Vec::new(), Vec::new(), HashMap::new());
        for (point, scenario) in points.iter_mut().zip(scenarios) {
            let others = dimensions.iter().zip(&point.at).filter(|(dimension, _)| !taken(dimension));
            let base = self.load_point(others)?;
            if why_cold(scenario).is_some() || why_cold(&base).is_some() {
                base_of.push(None);
                continue;
            }
            let hash = hash_of(&base);
            point.warm_from = Some(hash.clone());
            base_of.push(Some(*places.entry(hash).or_insert_with(|| {
                bases.push(base);
                bases.len() - 1
            })));
        }
        Ok((bases, base_of))
    }

    /// Which points share what windows tell, if they are run in the coarse tier.
    fn flow_groups(&self, dimensions: &[Dimension], points: &mut [Point]) -> FlowGroups {
        if self.tier.is_exact() {
            return FlowGroups::default();
        }
        let places: Vec<&[usize]> = points.iter().map(|point| point.at.as_slice()).collect();
        let groups = FlowGroups::new(dimensions, &places);
        let hash = |references: &Vec<usize>| {
            let mut hasher = blake3::Hasher::new();
            for &reference in references {
                hasher.update(points[reference].hash.as_bytes());
            }
            hasher.finalize().to_hex().to_string()
        };
        let hashes: Vec<String> = groups.references.iter().map(hash).collect();
        for (point, group) in points.iter_mut().zip(&groups.group_of) {
            point.references = Some(hashes[*group].clone());
        }
        groups
    }

    /// Arguments that all points share.
    fn shared(&self) -> Vec<String> {
        let Overrides { model, set, duration, rule, server_files, device, .. } = &self.overrides;
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let given = [
            ("--model", model.clone()),
            ("--rule", rule.clone()),
            ("--my-cnf", path(&server_files.my_cnf)),
            ("--show-variables", path(&server_files.show_variables)),
            ("--device", device.clone()),
        ];
        let given = given.into_iter().filter_map(|(option, value)| Some((option, value?)));
        let set = set.iter().map(|set| ("--set", set.clone()));
        let given = given.chain(set).chain(duration.iter().map(|time| ("--duration", time.clone())));
        let until_rest = self.until_rest.map(|still| format!("--until-rest={still}"));
        let warm_copies = self.warm_copies.then(|| "--warm-copies".to_owned());
        let tier = (!self.tier.is_exact()).then(|| format!("--tier={}", self.tier.name()));
        let words = given.flat_map(|(option, value)| [option.to_owned(), value]);
        words.chain(until_rest).chain(warm_copies).chain(tier).collect()
    }

    /// Why this is no sweep: a scenario that is to be run as it stands, or a name that is nothing at all.
    fn nothing_varies(&self) -> SweepError {
        let name = &self.scenario;
        if let Err(error) = self.load_base() {
            let sweeps: Vec<&str> = shipped().iter().map(|one| one.name).collect();
            let known = Path::new(name).exists();
            return match did_you_mean(name, &sweeps).filter(|_| !known) {
                Some(help) => SweepError::usage(format!("there is no sweep and no scenario `{name}`"), help),
                None => error,
            };
        }
        let help = format!(
            "add --vary SETTING=FROM..TO:STEP, such as --vary innodb_io_capacity_max=1000..12000:500; `innosim run {name}` \
             runs it as it stands; `innosim sweep --list` lists the shipped sweeps"
        );
        SweepError::usage(format!("`{name}` is a scenario, and nothing varies"), help)
    }

    fn dimensions(&self) -> Result<Vec<Dimension>, SweepError> {
        let (mut dimensions, mut errors) = (Vec::<Dimension>::new(), Vec::new());
        for argument in &self.vary {
            match Dimension::parse(argument) {
                Ok(dimension) => dimensions.push(dimension),
                Err(error) => errors.push(*error),
            }
        }
        if !errors.is_empty() {
            return Err(SweepError::Input(errors));
        }
        let names: Vec<String> = dimensions.iter().flat_map(|d| &d.settings).map(|name| normal_name(name)).collect();
        if let Some((_, twice)) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
            return Err(SweepError::usage(format!("`{twice}` varies twice"), "give all its values in one --vary"));
        }
        if let Some(fixed) = names.iter().find(|name| self.gives(name)) {
            let problem = format!("`{fixed}` varies, and one value is given for all points too");
            return Err(SweepError::usage(
                problem,
                format!("leave out --vary {fixed}=... or the option or --set for it"),
            ));
        }
        let count = dimensions.iter().map(|d| d.values.len()).fold(1_usize, usize::saturating_mul);
        if count > MOST_POINTS {
            let help = format!("at most {MOST_POINTS}: take larger steps, or make several sweeps");
            return Err(SweepError::usage(format!("{count} points are too many"), help));
        }
        Ok(dimensions)
    }

    /// Whether something other than `--vary` gives the setting or key.
    fn gives(&self, name: &str) -> bool {
        let set = |assignment: &String| assignment.split('=').next().is_some_and(|path| normal_name(path) == name);
        self.overrides.has_option_for(name) || self.overrides.set.iter().any(set)
    }

    /// The scenario as it is varied.
    fn load_base(&self) -> Result<Scenario, SweepError> {
        self.load(Vec::new(), false)
    }

    /// The scenario with the values of a point on top, each by its place in its dimension.
    fn load_point<'a>(&self, values: impl Iterator<Item = (&'a Dimension, &'a usize)>) -> Result<Scenario, SweepError> {
        self.load(values.flat_map(|(dimension, &i)| dimension.assignments(i)).collect(), true)
    }

    fn load(&self, assignments: Vec<String>, is_point: bool) -> Result<Scenario, SweepError> {
        let overrides = Overrides {
            set: self.overrides.set.iter().cloned().chain(assignments).collect(),
            // Replications are the sweep's business; a run's identity must not depend on their number.
            replications: is_point.then_some(1),
            ..self.overrides.clone()
        };
        let relabel = |diagnostic| as_typed(diagnostic, &self.vary);
        match load_hosted(Source::typed(&self.scenario), &overrides, self.hosted.as_ref()) {
            Ok(mut scenario) => {
                scenario.notes = scenario.notes.into_iter().map(relabel).collect();
                Ok(scenario)
            }
            Err(errors) => Err(SweepError::Input(errors.into_iter().map(relabel).collect())),
        }
    }
}

/// The notes of the scenario, and those that only some points have. Of notes that differ in their numbers alone the first
/// is told, and how many there are besides.
fn notes_of(base: &Scenario, points: &[Scenario]) -> Vec<Diagnostic> {
    let mut notes: Vec<(Diagnostic, HashSet<&str>)> = Vec::new();
    for note in base.notes.iter().chain(points.iter().flat_map(|point| &point.notes)) {
        match notes.iter_mut().find(|(known, _)| without_numbers(&known.message) == without_numbers(&note.message)) {
            Some((_, alike)) => {
                alike.insert(&note.message);
            }
            None => notes.push((note.clone(), HashSet::from([note.message.as_str()]))),
        }
    }
    let told = |(mut note, alike): (Diagnostic, HashSet<&str>)| {
        if alike.len() > 1 {
            note.message += &format!("; {} more of this kind, with other numbers", alike.len() - 1);
        }
        note
    };
    notes.into_iter().map(told).collect()
}

/// A message with a mark in place of each number.
fn without_numbers(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    for c in message.chars() {
        match c {
            '0'..='9' if kept.ends_with('#') => {}
            '0'..='9' => kept.push('#'),
            _ => kept.push(c),
        }
    }
    kept
}

/// All places, the first dimension the outermost loop.
fn combinations(dimensions: &[Dimension]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for dimension in dimensions {
        let longer = |at: &Vec<usize>| {
            let at = at.clone();
            (0..dimension.values.len()).map(move |i| at.iter().copied().chain([i]).collect::<Vec<usize>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The real name of a server setting; anything else as written.
fn column_of(scenario: &Scenario, name: &str) -> String {
    let normal = normal_name(name);
    if scenario.settings.get(&normal).is_some() || normal.starts_with("innodb_") { normal } else { name.to_owned() }
}

fn point(scenario: &Scenario, dimensions: &[Dimension], columns: &[String], at: Vec<usize>) -> Point {
    let written = dimensions.iter().zip(&at).flat_map(|(d, &i)| d.settings.iter().map(move |_| &d.values[i]));
    let values = columns
        .iter()
        .zip(written)
        .map(|(column, written)| match scenario.settings.get(column) {
            Some(value) => value.to_string(),
            None if column == "model" => scenario.model.name().to_owned(),
            None => written.clone(),
        })
        .collect();
    Point {
        at,
        values,
        model: scenario.model.name().to_owned(),
        seed: scenario.run.seed,
        simulated_s: scenario.run.duration.as_secs_f64(),
        hash: hash_of(scenario),
        warm_from: None,
        references: None,
    }
}

/// Hash of everything that a run depends on. Comments are for people and left out.
fn hash_of(scenario: &Scenario) -> String {
    let resolved = scenario.to_resolved_toml(VERSION);
    let mut hasher = blake3::Hasher::new();
    for line in resolved.lines().filter(|line| !line.starts_with('#')) {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    // Lines of a rule can begin like a comment of a scenario.
    if let Some(text) = scenario.rule.as_ref().and_then(|chosen| chosen.rule.text()) {
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Identity of a run by what it depends on; `how` is whether it is checked, when it may end early, and what it goes on from.
fn id_of(build: &str, hash: &str, seed: u64, replication: u32, how: (bool, Option<f64>, Option<&str>)) -> RunId {
    let mut hasher = blake3::Hasher::new();
    for part in [build, hash, &seed.to_string(), &replication.to_string()] {
        hasher.update(part.as_bytes());
        hasher.update(b"\0");
    }
    let (check, until_rest, warm_from) = how;
    hasher.update(&[u8::from(check)]);
    if let Some(still) = until_rest {
        hasher.update(&still.to_le_bytes());
    }
    if let Some(base) = warm_from {
        hasher.update(base.as_bytes());
    }
    RunId(hasher.finalize().to_hex()[..32].to_owned())
}

impl RunId {
    /// Identity of a whole run of a scenario, from a cold start: that which a plain sweep gives it.
    pub fn of(scenario: &Scenario, replication: u32) -> RunId {
        id_of(BUILD, &hash_of(scenario), scenario.run.seed, replication, (false, None, None))
    }
}

impl Plan {
    /// Identity of a run of this plan.
    pub fn run_id(&self, point: usize, replication: u32) -> RunId {
        let point = &self.points[point];
        let from = point.references.as_deref().or(point.warm_from.as_deref());
        id_of(&self.build, &point.hash, point.seed, replication, (self.check, self.until_rest, from))
    }

    /// Identity of the exact run beside one in the coarse tier, where both are wanted.
    pub(super) fn exact_run_id(&self, point: usize, replication: u32) -> Option<RunId> {
        let point = &self.points[point];
        let id = || id_of(&self.build, &point.hash, point.seed, replication, (self.check, self.until_rest, None));
        (self.tier == SweepTier::Both).then(id)
    }

    /// Identities of all runs of a replication of a point, and whether each is in the coarse tier.
    pub(super) fn run_ids(&self, point: usize, replication: u32) -> impl Iterator<Item = (RunId, bool)> {
        let first = (self.run_id(point, replication), !self.tier.is_exact());
        [first].into_iter().chain(self.exact_run_id(point, replication).map(|id| (id, false)))
    }

    /// Whether this program understands the plan.
    pub(super) fn is_readable(&self) -> bool {
        self.format == FORMAT
    }

    fn asked_for(&self) -> &str {
        if self.source.is_empty() { &self.scenario } else { &self.source }
    }

    /// Arguments that all points share.
    pub(super) fn shared(&self) -> &[String] {
        &self.shared
    }

    /// Whether the two are one sweep, from wherever its scenario was read.
    pub fn is_same(&self, other: &Plan) -> bool {
        Plan { source: other.source.clone(), ..self.clone() } == *other
    }

    /// The words of the command that makes this sweep. A sweep from a file is written out; number of jobs, shards and
    /// the folder's name change nothing and are left out.
    pub fn command(&self) -> Vec<String> {
        let mut words = vec!["innosim".to_owned(), "sweep".to_owned(), self.asked_for().to_owned()];
        for dimension in &self.dimensions {
            words.extend(["--vary".to_owned(), dimension.argument()]);
        }
        words.extend(self.shared.iter().cloned());
        words.extend(["--seed".to_owned(), self.seed.to_string()]);
        match &self.precision {
            None => words.extend(["--replications".to_owned(), self.replications.to_string()]),
            Some(precision) => words.extend([
                "--precision".to_owned(),
                precision.relative.to_string(),
                "--replications".to_owned(),
                precision.first.to_string(),
                "--max-replications".to_owned(),
                precision.limit.to_string(),
            ]),
        }
        if self.check {
            words.push("--check".to_owned());
        }
        words.extend(["--out".to_owned(), "DIR".to_owned()]);
        words
    }

    /// Text of a point: `innodb_io_capacity_max = 4000, innodb_log_file_size = 10G`.
    pub fn label(&self, point: usize) -> String {
        let of = |(d, &i): (&Dimension, &usize)| format!("{} = {}", d.settings.join(" = "), d.values[i]);
        self.dimensions.iter().zip(&self.points[point].at).map(of).collect::<Vec<String>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_is_not_given_too() {
        let refused = |request: Request| match request.prepare() {
            Err(SweepError::Usage { message, .. }) => message,
            other => panic!("{other:?}"),
        };
        let with = |overrides, vary: &[&str]| refused(Request { overrides, ..request(vary) });
        let set = Overrides { set: vec!["innodb-io-capacity=5000".to_owned()], ..Overrides::default() };
        assert!(with(set, &["innodb_io_capacity=2000,3000"]).starts_with("`innodb_io_capacity` varies, and one value"));
        let model = Overrides { model: Some("5.7".to_owned()), ..Overrides::default() };
        assert!(with(model, &["model=8.0,8.4"]).starts_with("`model` varies"));
        let duration = Overrides { duration: Some("5s".to_owned()), ..Overrides::default() };
        assert!(with(duration, &["duration=6s,7s"]).starts_with("`duration` varies"));
    }

    #[test]
    fn planning_can_be_stopped() {
        let (mut asked, vary) = (0, ["innodb_io_capacity_max=2000..9000:1".to_owned()]);
        let request = Request { vary: vary.to_vec(), ..request(&[]) };
        let stopped = request.prepare_while(&mut || {
            asked += 1;
            asked < 3
        });
        assert!(matches!(stopped, Err(SweepError::Stopped)) && asked == 3, "after {asked} points");
    }

    #[test]
    fn the_command_has_all_that_points_share() {
        let overrides = Overrides {
            device: Some("nvme".to_owned()),
            set: vec!["drive.clients=8".to_owned()],
            duration: Some("6s".to_owned()),
            ..Overrides::default()
        };
        let plan = Request { overrides, ..request(&["innodb_io_capacity=2000,3000"]) }.prepare().unwrap().plan;
        let command = plan.command().join(" ");
        assert!(command.contains(" --device nvme --set drive.clients=8 --duration 6s "), "{command}");
    }

    #[test]
    fn notes_of_single_points_and_points_that_are_one_run_are_told() {
        let prepared = request(&["innodb_io_capacity=2000,2K,2048,100000"]).prepare().unwrap();
        let again = ("innodb_io_capacity = 2K".to_owned(), "innodb_io_capacity = 2048".to_owned());
        assert_eq!(prepared.twins(), [again]);
        assert!(prepared.notes.iter().any(|note| note.message.contains("100000")), "{:?}", prepared.notes);
    }

    #[test]
    fn notes_that_differ_in_their_numbers_are_told_once() {
        let notes =
            request(&["innodb_io_capacity_max=5000,7000,9000", "innodb_io_capacity=2000"]).prepare().unwrap().notes;
        let told: Vec<&str> =
            notes.iter().map(|note| note.message.as_str()).filter(|text| text.contains("whole numbers")).collect();
        assert!(
            matches!(told[..], [text] if text.ends_with("5000 / 2000 counts as 2; 2 more of this kind, with other numbers")),
            "{told:?}"
        );
    }

    fn request(vary: &[&str]) -> Request {
        Request {
            scenario: "teaching/redo-too-small".to_owned(),
            vary: vary.iter().map(|text| (*text).to_owned()).collect(),
            ..Request::default()
        }
    }

    #[test]
    fn points_are_nested_loops() {
        let prepared =
            request(&["innodb_io_capacity_max=4000..8000:2000", "innodb_redo_log_capacity=1G,2G"]).prepare().unwrap();
        let plan = &prepared.plan;
        assert_eq!(plan.columns, ["innodb_io_capacity_max", "innodb_redo_log_capacity"]);
        let values: Vec<String> = plan.points.iter().map(|p| p.values.join(" ")).collect();
        assert_eq!(values[..3], ["4000 1073741824", "4000 2147483648", "6000 1073741824"]);
        assert_eq!(plan.label(1), "innodb_io_capacity_max = 4000, innodb_redo_log_capacity = 2G");
        assert_eq!((plan.points.len(), prepared.scenarios.len(), plan.replications), (6, 6, 1));
    }

    #[test]
    fn identity_is_of_the_input() {
        let one = request(&["innodb_io_capacity_max=4000..8000:2000"]).prepare().unwrap().plan;
        let seven = Overrides { replications: Some(7), ..Overrides::default() };
        let more = Request { overrides: seven, ..request(&["innodb-io-capacity-max=8000,4000,9000"]) };
        let more = more.prepare().unwrap().plan;
        assert_eq!(one.run_id(2, 3), more.run_id(0, 3));
        assert_ne!(one.run_id(2, 3), one.run_id(2, 4));
        assert_ne!(one.run_id(2, 3), one.run_id(1, 3));
        let checked = Plan { check: true, ..one.clone() };
        assert_ne!(one.run_id(2, 3), checked.run_id(2, 3));
        let until_rest = |still| Plan { until_rest: Some(still), ..one.clone() }.run_id(2, 3);
        assert_ne!(one.run_id(2, 3), until_rest(0.1));
        assert_ne!(until_rest(0.05), until_rest(0.1));
        let warm = |set: &[&str], vary: &[&str]| {
            let set = set.iter().map(|one| (*one).to_owned()).collect();
            let overrides = Overrides { set, ..Overrides::default() };
            let asked = Request { overrides, until_rest: Some(0.1), warm_copies: true, ..request(vary) };
            asked.prepare().unwrap()
        };
        let (full, vary) = ("workload.resident_share=1", "innodb_io_capacity_max=4000..8000:2000");
        let copies = warm(&[full], &[vary, "innodb_redo_log_capacity=1G,2G"]);
        assert_eq!((copies.bases.len(), &copies.base_of[..4]), (2, &[0, 1, 0, 1].map(Some)[..]), "by redo");
        let again = warm(&[full], &["innodb_redo_log_capacity=2G", "innodb_io_capacity_max=6000"]);
        assert_eq!(copies.plan.run_id(3, 0), again.plan.run_id(0, 0), "whatever else varies");
        let other = warm(&[full, "innodb_io_capacity=300"], &[vary, "innodb_redo_log_capacity=1G,2G"]);
        assert_ne!(copies.plan.run_id(3, 0), other.plan.run_id(3, 0));
        assert_eq!(warm(&["workload.resident_share=0.5"], &[vary]).base_of, [None; 3], "it reads its pages first");
        let other_build = Plan { build: "other".to_owned(), ..one.clone() };
        assert_ne!(one.run_id(2, 3), other_build.run_id(2, 3));
        let nine = Overrides { seed: Some(9), ..Overrides::default() };
        let seed = Request { overrides: nine, ..request(&["innodb_io_capacity_max=8000"]) };
        assert_ne!(one.run_id(2, 3), seed.prepare().unwrap().plan.run_id(0, 3));
    }

    #[test]
    fn models_and_scenario_keys_vary_too() {
        let plan = request(&["model=8.0.30,8.4", "drive.clients=8,16"]).prepare().unwrap().plan;
        assert_eq!(plan.points[3].values, ["mysql-8.4", "16"]);
        assert_eq!(plan.points[3].model, "mysql-8.4");
    }

    #[test]
    fn mistakes_say_what_is_wrong_and_that_it_was_varied() {
        for (vary, words) in [
            (&["innodb_io_capcity_max=1000..3000:1000"][..], "did you mean innodb_io_capacity_max?"),
            (&["innodb_io_capacity=50"], "out of range"),
            (&["innodb_flush_method=FAST"], "--vary"),
            (&["drive.cleints=8"], "clients"),
            (&["model=8.0.mysql_aurora.3.04.0"], "Aurora"),
            (&["extends=base"], "can't be set"),
            (&["innodb_io_capacity=200,300", "innodb-io-capacity=400"], "varies twice"),
            (&["innodb_io_capacity=1000..9000:1", "innodb_lru_scan_depth=100,200"], "16002 points are too many"),
            (&[], "`teaching/redo-too-small` is a scenario, and nothing varies"),
        ] {
            let error = request(vary).prepare().map_or_else(|error| error.to_string(), |_| String::new());
            assert!(error.contains(words), "{vary:?}: {error}");
        }
    }
}
