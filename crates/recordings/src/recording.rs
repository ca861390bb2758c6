//! A recording: which server ran with which settings under which load, and what its counters did.

use crate::disk::DiskReports;
use crate::formats::SlowLoop;
use crate::{Column, LoadPhase, Quantity, Series};
use innosim_flush_models::registry::{ModelId, ServerVersion, Value, lookup, parse_value};
use innosim_scenario::redo_sizes_out_of_force;
use innosim_spectrum::PageAges;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The server of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Server {
    /// What the recorder called it.
    pub product: String,
    /// `SELECT VERSION()`.
    pub version: String,
    /// The model that stands for it, or the nearest, if there is one.
    pub model: Option<ModelId>,
    /// What may differ from that model, or why there is none.
    remark: Option<String>,
    /// Whether a person named the model.
    pub(crate) named: bool,
}

impl Server {
    /// `said`: what it says of itself, if anything.
    pub(crate) fn new(product: &str, version: &str, said: Option<&ServerVersion>) -> Self {
        let (model, remark) = match said.map(ServerVersion::model) {
            Some(Ok(found)) => (Some(found.model), found.differs),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        Server { product: product.to_owned(), version: version.to_owned(), model, remark, named: false }
    }
}

/// Ceilings that were laid on the device during the recording; 0 stands for none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cap {
    /// Name of the profile; `raw` for none.
    pub name: String,
    /// Write operations a second.
    pub write_iops: f64,
    /// Read operations a second.
    pub read_iops: f64,
    /// Bytes a second.
    pub write_bytes_per_s: f64,
    /// Bytes a second.
    pub read_bytes_per_s: f64,
}

/// The data set of a recording, pages of 16 KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Data {
    /// Pages of the clustered indexes, from the table statistics.
    pub clustered_pages: Option<u64>,
    /// Pages of the secondary indexes.
    pub secondary_pages: Option<u64>,
}

impl Data {
    /// Pages of all indexes, as far as they are known.
    pub fn pages(&self) -> Option<f64> {
        Some((self.clustered_pages? + self.secondary_pages.unwrap_or(0)) as f64)
    }
}

/// Longest time before the first sample for which a load is followed, seconds: what a server did before that decides
/// little of what it does now.
const LONGEST_LEAD_S: f64 = 3600.0;

/// A recording of a real server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    /// Name for tables: the last two parts of its path.
    pub name: String,
    /// Where it was read from.
    pub path: PathBuf,
    /// Which server.
    pub server: Server,
    /// SHOW GLOBAL VARIABLES, as far as recorded.
    pub variables: BTreeMap<String, String>,
    /// Counters over time.
    pub series: Series,
    /// Load generators, in order of their start.
    pub phases: Vec<LoadPhase>,
    /// Ceilings of the device.
    pub cap: Cap,
    /// Whether reports of the load generator that are closer than the samples were averaged over their distance.
    pub(crate) tps_is_of_steps: bool,
    /// Data set.
    pub data: Data,
    /// Processors of the machine.
    pub cpus: Option<u32>,
    /// Whether the disk says that it rotates, where that was recorded.
    pub rotational: Option<bool>,
    /// Type of the file system that holds the data, as the kernel calls it.
    pub file_system: Option<String>,
    /// Ages of the pages, if a histogram lies beside it.
    pub page_ages: Option<PageAges>,
    /// What iostat says of the disk, if its reports lie beside it.
    pub(crate) disk: Option<DiskReports>,
    /// Whether hardly any page was dirty when the load began.
    pub clean_start: Option<bool>,
    /// Whether the redo files were made just before.
    pub new_redo: bool,
    /// What its makers remarked.
    pub notes: Vec<String>,
    /// What reading it remarked: what was left out, summed up or placed by its looks.
    pub remarks: Vec<String>,
    /// Loops of the page cleaner that the server's error log calls too slow.
    pub slow_loops: Vec<SlowLoop>,
    /// Output of fio on its device.
    pub fio: Vec<PathBuf>,
}

impl Recording {
    /// The model that stands for the server; the error is a sentence with what helps.
    pub fn model(&self) -> Result<ModelId, String> {
        let Recording { name, server, .. } = self;
        server.model.ok_or_else(|| match &server.remark {
            Some(why) => format!("{name}: {why}\n  = help: --model NAME takes it for the server of that name"),
            None => format!(
                "{name}: no version of the server, which tells its model\n  = help: put SHOW GLOBAL VARIABLES beside it, \
                 or name the model: --model NAME"
            ),
        })
    }

    /// Takes the model that was asked for, or else the one that its version names, and remarks what may differ.
    pub fn take_model(&mut self, asked: Option<ModelId>) {
        let Server { product, version, model, remark, named } = &mut self.server;
        *named = asked.is_some();
        match asked {
            Some(asked) if !version.is_empty() && *model != Some(asked) => {
                self.remarks.push(format!("recorded on {product} {version}, taken for {asked} as --model says"));
            }
            None if model.is_some() => self.remarks.extend(remark.take()),
            _ => {}
        }
        *model = asked.or(*model);
    }

    /// Samples since whose predecessor the machine stood still: under the load of a closed loop no transaction ended,
    /// no redo and no page was written. A server that stalls goes on writing; one that waits for a machine does not.
    pub fn frozen(&self) -> Vec<bool> {
        let samples = self.series.seconds.len();
        let columns = [Quantity::Tps, Quantity::Lsn, Quantity::PagesWritten].map(|quantity| self.get(quantity));
        let [Some(tps), Some(lsn), Some(pages)] = columns else { return vec![false; samples] };
        let (start, end) = self.load_window();
        let stands = |i: usize| {
            let within = self.series.seconds[i - 1] > start && self.series.seconds[i] <= end;
            let still = |column: &Column| column.at(i).is_some() && column.at(i) == column.at(i - 1);
            within && tps.at(i) == Some(0.0) && still(&lsn) && still(&pages)
        };
        (0..samples).map(|i| i > 0 && self.closed_loop() && stands(i)).collect()
    }

    /// Seconds (on the axis of the series) during which load was put on the server.
    pub fn load_window(&self) -> (f64, f64) {
        let first = self.series.seconds.first().copied().unwrap_or(0.0);
        let last = self.series.seconds.last().copied().unwrap_or(0.0);
        let start = self.phases.iter().map(|phase| phase.start_s).fold(f64::INFINITY, f64::min);
        let end = self.phases.iter().map(|phase| phase.end_s).fold(f64::NEG_INFINITY, f64::max);
        if start < end { (start.max(first), end.min(last)) } else { (first, last) }
    }

    /// Where on the axis the load began, which may be before the first sample: a recording may leave out a warm-up. Not
    /// more than an hour before it.
    pub fn load_start(&self) -> f64 {
        let (window_start, _) = self.load_window();
        let begun = self.phases.iter().map(|phase| phase.start_s).fold(window_start, f64::min);
        begun.max(window_start - LONGEST_LEAD_S)
    }

    /// Number of the last sample that is not after the load's beginning; `None` if all are.
    pub fn sample_at_start(&self) -> Option<usize> {
        let begun = self.load_start();
        self.series.seconds.iter().rposition(|second| *second <= begun)
    }

    /// Seconds that a value of the throughput stands for, counted back from its sample: an interval of sysbench's
    /// reports, or the time since the sample before, where the server's counters tell.
    pub fn tps_interval_s(&self) -> f64 {
        let step = self.series.median_step().unwrap_or(1.0);
        if self.series.column("sb.tps").is_none() {
            return step;
        }
        let intervals = self.phases.iter().filter_map(|phase| phase.report_interval_s);
        let interval = intervals.fold(0.0, f64::max);
        let interval = if interval > 0.0 { interval } else { 1.0 };
        if self.tps_is_of_steps { interval.max(step) } else { interval }
    }

    /// The most connections that were open at once, as far as recorded.
    pub fn most_connections(&self) -> Option<u32> {
        self.series.largest("Threads_connected").filter(|threads| *threads >= 1.0).map(|threads| threads as u32)
    }

    /// Whether the server flushes the neighbours of a page, as far as that is known: a MariaDB does so only on a disk that
    /// says that it rotates. The error says what is missing.
    pub fn flushes_neighbors(&self) -> Result<bool, String> {
        let setting = self.variables.get("innodb_flush_neighbors").map(|value| value.to_ascii_lowercase());
        let is_set = setting.is_some_and(|value| !["0", "off"].contains(&value.as_str()));
        let is_mariadb = self.server.model.is_some_and(ModelId::is_mariadb);
        match self.rotational {
            _ if !is_set || !is_mariadb => Ok(is_set),
            Some(rotates) => Ok(rotates),
            None => Err("innodb_flush_neighbors is on, and a MariaDB flushes neighbours only on a disk that says it rotates, \
                         which is not recorded: on one that does, whole extents are written at once and the age falls in \
                         steps; else single pages. `cat /sys/block/DISK/queue/rotational` says it, and innosim collect \
                         records it"
                .to_owned()),
        }
    }

    /// A setting of SHOW GLOBAL VARIABLES that is a number.
    pub fn number(&self, setting: &str) -> Option<f64> {
        self.variables.get(setting)?.parse().ok()
    }

    /// Threads of all load generators; 0 if none is known.
    pub fn load_threads(&self) -> u32 {
        self.phases.iter().map(|phase| phase.threads).sum()
    }

    /// Whether throughput is what the server makes of it: no load generator had a rate.
    pub fn closed_loop(&self) -> bool {
        !self.phases.is_empty() && self.phases.iter().all(|phase| phase.rate.is_none())
    }
}

/// The recorded variables that `model` knows and that are in force, with remarks on values that it refuses.
pub fn understood_settings(recording: &Recording, model: ModelId) -> (BTreeMap<&'static str, Value>, Vec<String>) {
    let mut values = BTreeMap::new();
    let mut remarks = Vec::new();
    let has_default = |name: &str| {
        let setting = lookup(model, name).ok()?;
        let value = parse_value(&setting, recording.variables.get(name)?).ok()?;
        Some(setting.default == Some(value))
    };
    let out_of_force = redo_sizes_out_of_force(has_default).map_or(&[][..], |(names, _)| names);
    for (name, text) in &recording.variables {
        let Ok(setting) = lookup(model, name) else { continue };
        if out_of_force.contains(&setting.name) {
            continue;
        }
        match parse_value(&setting, text) {
            Ok(value) => {
                values.insert(setting.name, value);
            }
            Err(error) => remarks.push(format!("{name} = {text}: {}; left at its default", error.problem)),
        }
    }
    (values, remarks)
}
