//! What somebody at the page wishes to see: a story and some knobs, as names and values of settings.
//!
//! A knob has one name in the page, and each server its own names for it: the size of the redo log is one number here, and
//! a capacity, two files or one file there.

use innosim_core::workload::{DrawSpec, DriveSpec};
use innosim_flush_models::registry::{ModelId, Setting, Settings, lookup};
use innosim_scenario::{Diagnostics, Overrides, Scenario, Source, load};
use serde::{Deserialize, Serialize};

/// A story with what is changed in it; what is left out is as the story has it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wish {
    /// Name of a shipped scenario.
    pub story: String,
    /// Name of a server model.
    pub model: Option<String>,
    /// Simulated time, s.
    pub seconds: Option<u32>,
    /// Seed.
    pub seed: Option<u64>,
    /// `innodb_io_capacity`, pages/s.
    pub io_capacity: Option<u64>,
    /// `innodb_io_capacity_max`, pages/s.
    pub io_capacity_max: Option<u64>,
    /// Size of the redo log, MiB.
    pub redo_mib: Option<u64>,
    /// `off`, `on`, or pages of a batch.
    pub doublewrite: Option<String>,
    /// Clients of a closed loop, transactions a second of an open one.
    pub load: Option<u64>,
    /// Name of a device profile.
    pub device: Option<String>,
    /// Which rows are changed: sysbench's `--rand-type`.
    pub rows: Option<String>,
}

/// Values of the knobs in a resolved scenario; `None` where the server has no such setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Controls {
    /// Name of the model.
    pub model: &'static str,
    /// Simulated time, s.
    pub seconds: u64,
    /// Seed.
    pub seed: u64,
    /// `innodb_io_capacity`, pages/s.
    pub io_capacity: Option<u64>,
    /// `innodb_io_capacity_max`, pages/s.
    pub io_capacity_max: Option<u64>,
    /// Size of the redo log, MiB.
    pub redo_mib: u64,
    /// `off`, `on`, or pages of a batch.
    pub doublewrite: String,
    /// Whether the server has batches of a chosen size.
    pub doublewrite_batches: bool,
    /// Clients, or transactions a second.
    pub load: u64,
    /// Whether arrivals come at a rate of their own.
    pub open: bool,
    /// Which rows are changed: sysbench's `--rand-type`.
    pub rows: Option<&'static str>,
}

const CAPACITY: &str = "innodb_redo_log_capacity";
const FILE_SIZE: &str = "innodb_log_file_size";
const FILES: &str = "innodb_log_files_in_group";
const BATCH: &str = "innodb_doublewrite_pages";

impl Wish {
    /// The scenario of the wish.
    ///
    /// # Errors
    /// What the scenario's reader says about it.
    pub fn scenario(&self) -> Result<Scenario, Diagnostics> {
        let own = Overrides { model: self.model.clone(), ..Overrides::default() };
        let plain = load(Source::Shipped(&self.story), &own)?;
        load(Source::Shipped(&self.story), &Overrides { set: self.changes(&plain), ..self.overrides() })
    }

    /// The command that makes the same run with the program.
    ///
    /// # Errors
    /// What the scenario's reader says about it.
    pub fn command(&self) -> Result<String, Diagnostics> {
        let own = Overrides { model: self.model.clone(), ..Overrides::default() };
        let plain = load(Source::Shipped(&self.story), &own)?;
        let mut command = format!("innosim run {}", self.story);
        let options = self.overrides();
        command.extend(options.model.iter().map(|model| format!(" --model {model}")));
        command.extend(options.duration.iter().map(|duration| format!(" --duration {duration}")));
        command.extend(options.seed.iter().map(|seed| format!(" --seed {seed}")));
        command.extend(self.changes(&plain).iter().map(|change| format!(" --set {change}")));
        Ok(command)
    }

    fn overrides(&self) -> Overrides {
        Overrides {
            model: self.model.clone(),
            duration: self.seconds.map(|seconds| format!("{seconds}s")),
            seed: self.seed,
            ..Overrides::default()
        }
    }

    /// What is changed in the story, as `--set` takes it.
    fn changes(&self, plain: &Scenario) -> Vec<String> {
        let mut changes = Vec::new();
        let knobs = [("innodb_io_capacity", self.io_capacity), ("innodb_io_capacity_max", self.io_capacity_max)];
        for (name, value) in knobs {
            changes.extend(value.filter(|_| has(plain.model, name)).map(|value| format!("{name}={value}")));
        }
        changes.extend(self.redo_mib.into_iter().flat_map(|mib| redo(plain.model, mib)));
        changes.extend(self.doublewrite.iter().flat_map(|text| doublewrite(plain.model, text)));
        let load = if is_open(plain) { "drive.rate" } else { "drive.clients" };
        changes.extend(self.load.map(|value| format!("{load}={value}")));
        changes.extend(self.device.iter().map(|profile| format!("device.profile={profile}")));
        changes.extend(self.rows.iter().map(|rows| format!("workload.rand_type={rows}")));
        changes
    }
}

impl Controls {
    /// The knobs of a scenario.
    pub fn of(scenario: &Scenario) -> Controls {
        let settings = &scenario.settings;
        let files = settings.integer(FILE_SIZE).unwrap_or(0) * settings.integer_or(FILES, 1).unwrap_or(1);
        let (load, open) = match &scenario.run.workload.drive {
            DriveSpec::Closed { clients, .. } => (u64::from(*clients), false),
            DriveSpec::Open { rate, .. } => (rate.first().map_or(0, |first| first.to_per_s as u64), true),
        };
        Controls {
            model: scenario.model.name(),
            seconds: scenario.run.duration.whole_seconds(),
            seed: scenario.run.seed,
            io_capacity: settings.integer("innodb_io_capacity").ok(),
            io_capacity_max: settings.integer("innodb_io_capacity_max").ok(),
            redo_mib: settings.integer(CAPACITY).unwrap_or(files) >> 20,
            doublewrite: spelt_doublewrite(settings),
            doublewrite_batches: has(scenario.model, BATCH),
            load,
            open,
            rows: rows(scenario),
        }
    }
}

/// How the rows of a load of sysbench are drawn, as it calls that.
fn rows(scenario: &Scenario) -> Option<&'static str> {
    let class = scenario.run.workload.access_classes.iter().find(|class| class.name == "rows")?;
    match class.draw {
        DrawSpec::Uniform => Some("uniform"),
        DrawSpec::Pareto { .. } => Some("pareto"),
        DrawSpec::Zipf { .. } => Some("zipfian"),
        DrawSpec::HotSpot { .. } => Some("special"),
        _ => None,
    }
}

fn has(model: ModelId, name: &str) -> bool {
    lookup(model, name).is_ok()
}

fn is_open(scenario: &Scenario) -> bool {
    matches!(scenario.run.workload.drive, DriveSpec::Open { .. })
}

/// The size of the redo log as the model spells it.
fn redo(model: ModelId, mib: u64) -> Vec<String> {
    match (has(model, CAPACITY), has(model, FILES)) {
        (true, _) => vec![format!("{CAPACITY}={mib}M")],
        (false, true) => vec![format!("{FILE_SIZE}={}M", mib / 2), format!("{FILES}=2")],
        (false, false) => vec![format!("{FILE_SIZE}={mib}M")],
    }
}

fn doublewrite(model: ModelId, text: &str) -> Vec<String> {
    let batch = text.parse::<u32>().ok().filter(|_| has(model, BATCH));
    let switch = if text == "off" { "OFF" } else { "ON" };
    let mut changes = vec![format!("innodb_doublewrite={switch}")];
    changes.extend(batch.map(|pages| format!("{BATCH}={pages}")));
    changes
}

fn spelt_doublewrite(settings: &Settings) -> String {
    let spelt = |setting: Setting| settings.get(setting.name).map(|value| setting.spell(value));
    let switch = lookup(settings.model, "innodb_doublewrite").ok().and_then(spelt).unwrap_or_default();
    match settings.integer(BATCH) {
        _ if switch.eq_ignore_ascii_case("off") => "off".to_owned(),
        // As many as there are threads that write.
        Ok(0) => settings.integer("innodb_write_io_threads").map_or_else(|_| "on".to_owned(), |n| n.to_string()),
        Ok(pages) => pages.to_string(),
        Err(_) => "on".to_owned(),
    }
}
