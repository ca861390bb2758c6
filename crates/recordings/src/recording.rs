//! A recording: which server ran with which settings under which load, and what its counters did.

use crate::disk::DiskReports;
use crate::{LoadPhase, Quantity, Series};
use innosim_flush_models::registry::{ModelId, Value, lookup, parse_value};
use innosim_scenario::redo_sizes_out_of_force;
use innosim_spectrum::PageAges;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The server of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// What the recorder called it.
    pub product: String,
    /// `SELECT VERSION()`.
    pub version: String,
    /// The model that stands for it, if one does.
    pub model: Option<ModelId>,
}

impl Server {
    pub(crate) fn new(product: &str, version: &str) -> Self {
        let model = candidates(product, version).iter().find_map(|name| ModelId::parse(name).ok());
        Server { product: product.to_owned(), version: version.to_owned(), model }
    }

    /// Why no model stands for it, with the nearest one if there is one.
    fn no_model(&self) -> String {
        let names = candidates(&self.product, &self.version);
        let nearest = names.first().and_then(|name| ModelId::parse(name).err()).map(|unknown| unknown.suggestion);
        nearest.unwrap_or_else(|| "its storage engine is not InnoDB as in MySQL, Percona Server or MariaDB".to_owned())
    }
}

/// Names to try, best first: `10.11.19-MariaDB-0+deb12u1` is `mariadb-10.11.19`. None for Aurora, whose pages are
/// flushed by its storage.
fn candidates(product: &str, version: &str) -> Vec<String> {
    let text = format!("{product} {version}").to_ascii_lowercase();
    let numbers: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let numbers: Vec<&str> = numbers.trim_end_matches('.').split('.').take(3).collect();
    let numbers = numbers.join(".");
    if text.contains("aurora") {
        Vec::new()
    } else if text.contains("mariadb") {
        vec![format!("mariadb-{numbers}")]
    } else if text.contains("percona") {
        vec![format!("percona-{numbers}"), format!("mysql-{numbers}")]
    } else {
        vec![format!("mysql-{numbers}")]
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

/// Longest time before the first sample for which a load is followed, seconds: what a server did before that decides
/// little of what it does now.
const LONGEST_LEAD_S: f64 = 3600.0;

/// A recording of a real server.
#[derive(Debug, Clone, PartialEq)]
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
    /// Output of fio on its device.
    pub fio: Vec<PathBuf>,
}

impl Recording {
    /// The model that stands for the server; the error is a sentence with what helps.
    pub fn model(&self) -> Result<ModelId, String> {
        let Recording { name, server, .. } = self;
        server.model.ok_or_else(|| match server.version.as_str() {
            "" => format!(
                "{name}: no version of the server, which tells its model\n  = help: put SHOW GLOBAL VARIABLES beside it, \
                 or name the model: --model NAME"
            ),
            version => format!(
                "{name}: no model stands for {} {version}\n  = help: {}; --model NAME takes it for another",
                server.product,
                server.no_model()
            ),
        })
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
            within && tps[i] == 0.0 && lsn[i] == lsn[i - 1] && pages[i] == pages[i - 1]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_become_models() {
        assert_eq!(Server::new("mysql97", "9.7.4-2").model, Some(ModelId::Mysql97));
        assert_eq!(Server::new("mysql", "8.0.36").model, Some(ModelId::Mysql8030));
        assert_eq!(Server::new("Percona Server", "8.0.36-28").model, Some(ModelId::Percona80));
        assert_eq!(Server::new("mysql", "8.0.28-0ubuntu4").model, Some(ModelId::Mysql8027));
        assert_eq!(Server::new("postgres", "17.2").model, None);
    }

    #[test]
    fn a_version_without_a_model_is_not_taken_for_its_series() {
        for (product, version, hint) in [
            ("mysql", "8.0.19", "nearest is mysql-8.0.21"),
            ("mariadb", "10.6.18-MariaDB-log", "nearest is mariadb-10.11"),
            ("mysql", "8.0.mysql_aurora.3.04.0", "not InnoDB as in MySQL"),
        ] {
            let server = Server::new(product, version);
            assert_eq!(server.model, None, "{version}");
            assert!(server.no_model().contains(hint), "{version}: {}", server.no_model());
        }
    }

    #[test]
    fn a_mariadb_is_not_taken_for_a_mysql() {
        let names = candidates("mariadb", "10.11.19-MariaDB-0+deb12u1");
        assert_eq!(names, ["mariadb-10.11.19"]);
    }
}
