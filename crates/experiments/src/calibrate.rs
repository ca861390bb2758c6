//! `calibrate`: from a recording to a workload that behaves like it.
//!
//! What is known without a fit is not fitted: settings come from the server's variables, the statements and the tables
//! from sysbench's command line, pages from the table statistics, the device from its own measurement. From the
//! counters come only the numbers that they determine directly, each a ratio of two counters with an uncertainty from
//! blocks of ten seconds (batch means: half-width of the 95 % interval of the ratio over the blocks):
//!
//! | parameter | method |
//! |---|---|
//! | `redo_bytes_per_transaction` | growth of the log sequence number / transactions; in MariaDB less that of new undo segments |
//! | `cpu` | CPU time of server and client (or of the machine), less what syncs, page writes, purge, dispatching at a rate and spinning take, / transactions |
//! | `device.sync_operations` | writes of the disk beyond pages, doublewrite and redo / syncs; matters behind a cap |
//! | `rows_per_page`, `index_entries_per_page` | rows of the tables / pages of their statistics, or in memory |
//! | `index_changes_a_page`, `index_split_bytes` | from `index_page_splits`, where splits take much of the redo |
//!
//! The write working set (distinct pages dirtied in a window of redo) is not fitted either: it follows from tables,
//! access and redo. Where the load began on a clean pool it is measured at several windows, from the growth of dirty
//! pages before anything was flushed, and printed beside what the workload says, as a check. Commit cost is the
//! device's and the server's; the recording gives transactions a redo sync for comparison.

mod benchmark;
mod benchmark_figures;
mod benchmark_machine;
mod costs;
mod counters;
mod cpu_demand;
mod cpu_taken;
mod device;
mod dispatch;
mod log_threads;
mod others;
mod page_splits;
mod purge_cpu;
mod scenario;
mod spinning;
mod tablespaces;
mod undo_segments;
mod working_set;

pub use benchmark::{Benchmark, BenchmarkFit, BenchmarkRun, BenchmarkTask};
pub use benchmark_figures::Figures;
pub use cpu_taken::CpuTaken;
pub use device::Device;
pub(crate) use device::{file_system_is_assumed, file_system_toml};
pub(crate) use others::Others;
pub use scenario::scenario_toml;
pub(crate) use scenario::{
    CPU_SCATTER, before_toml, machine_toml, parameters_toml, start_on_a_clean_pool, work_before,
};
pub use working_set::WorkingSet;

use costs::Work;
use counters::Load;
pub(crate) use counters::TICK_S;
use cpu_demand::{CpuDemand, cpu_demand};
use dispatch::Dispatch;
use innosim_recordings::{LoadPhase, Purpose, Quantity, Recording, Script};
use page_splits::{PageSplits, Told};

/// What is said where nothing tells the CPU time of a transaction.
pub(crate) const NO_CPU_DEMAND: &str = "CPU demand: record cpu.user and cpu.system, or the CPU time of server and client, \
     under a load that keeps the processors busy for a third of the time or more; the workload's default is used";

/// Processors of a machine that does not say.
pub(crate) const UNKNOWN_CPUS: u32 = 16;
/// `--rand-type`s that a workload has.
const RAND_TYPES: [&str; 4] = ["uniform", "pareto", "zipfian", "special"];
/// Pages read under load, as a share of those in the buffer pool before, below which all tables were in memory: the
/// first transactions read rollback segments.
const NEGLIGIBLE_MISSES: f64 = 0.005;

/// A number of the workload, with how well it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Key in the scenario, or what it is.
    pub name: &'static str,
    /// Value.
    pub value: f64,
    /// Half-width of its 95 % interval; `None` where it is exact or not known.
    pub uncertainty: Option<f64>,
    /// Unit.
    pub unit: &'static str,
    /// Where it comes from.
    pub method: String,
}

/// What a recording says about its workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Name of the recording.
    pub recording: String,
    /// Kind of workload in a scenario.
    pub kind: &'static str,
    /// Parameters that go into the scenario.
    pub parameters: Vec<Parameter>,
    /// Operations of a cap that a sync takes, if the recording tells.
    pub sync_operations: Option<Parameter>,
    /// How much longer work takes on processors that share cores, where that is taken into account.
    pub crowding: Option<Parameter>,
    /// Figures that don't, for comparison.
    pub observed: Vec<Parameter>,
    /// Distinct pages in windows of redo.
    pub working_set: Vec<WorkingSet>,
    /// Whether the CPU demand is known as well as its uncertainty says.
    pub cpu_is_known: bool,
    /// What the CPU time of syncs, page writes and purge is of that measured on our machines; 1 unless it is too much for
    /// this one.
    pub cost_scale: f64,
    /// Time from one redo sync to the next, in the mean, µs; `None` where syncs are not counted.
    pub redo_sync_every_us: Option<f64>,
    /// CPU time of a unit of work with all that, where it is recorded and the units are what clients make.
    pub cpu_taken: Option<CpuTaken>,
    /// CPU time of the load generator to hand out a transaction at a rate, µs.
    pub dispatch_us: f64,
    /// What the recording does not determine, and what to record instead.
    pub undetermined: Vec<String>,
}

impl Calibration {
    /// One that knows no more than these parameters.
    fn of(recording: &Recording, kind: &'static str, parameters: Vec<Parameter>) -> Self {
        Calibration {
            recording: recording.name.clone(),
            kind,
            parameters,
            sync_operations: None,
            crowding: None,
            observed: Vec::new(),
            working_set: Vec::new(),
            cpu_is_known: false,
            cost_scale: 1.0,
            redo_sync_every_us: None,
            cpu_taken: None,
            dispatch_us: 0.0,
            undetermined: Vec::new(),
        }
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.value)
    }

    /// Takes what counters say about the CPU demand; `spinning` is the server's user time if its log writer's threads
    /// spin, processors.
    fn take_cpu(&mut self, demand: Option<CpuDemand>, spinning: Option<f64>) {
        match (&demand, spinning) {
            (Some(CpuDemand { cost_scale, .. }), None) if *cost_scale < 1.0 => self.undetermined.push(format!(
                "the transactions' part of the CPU demand: with what syncs, page writes and purge take on our machines \
                 there would be next to nothing left for it; their CPU time is taken {:.0} % of that, and transactions get \
                 a tenth of all. Record a load with more transactions a redo sync",
                100.0 * cost_scale
            )),
            (Some(CpuDemand { idle_at: Some(share), .. }), None) => self.undetermined.push(format!(
                "the CPU demand of a busy machine: the processors were busy for {:.0} % of the time, and an idle machine \
                 can take twice or half as much for a transaction; what it took is taken, which holds for such a load. To \
                 predict a closed loop, record a load that keeps them busy for a third of the time or more",
                100.0 * share
            )),
            (Some(_), None) => self.cpu_is_known = true,
            (Some(_), Some(processors)) => self.undetermined.push(format!(
                "the transactions' part of the CPU demand: with {processors:.2} processors of user time the log writer's \
                 threads of this server spin (innodb_log_spin_cpu_abs_lwm), and counters don't tell their time from the \
                 transactions'; all of it is taken, which holds for this load. For others record a load that takes less, \
                 or innodb_log_writer_threads = OFF"
            )),
            (None, _) => self.undetermined.push(NO_CPU_DEMAND.to_owned()),
        }
        if let Some(CpuDemand { own, cost_scale, .. }) = demand {
            self.parameters.push(own);
            self.cost_scale = cost_scale;
        }
    }

    /// Takes how index pages split, and takes the redo of that off the transactions'.
    fn take_page_splits(&mut self, told: &Told) {
        let splits = match told {
            Told::Nothing => return,
            Told::Unlike([first, last]) => {
                self.undetermined.push(format!(
                    "how index pages split: {first:.2} a transaction in the first third of the load and {last:.2} in the last \
                     (index_page_splits), which fell faster than the model's do. Were the tables prepared with another \
                     --rand-type than the load's? The mean of the redo is taken, and no page splits; record when the indexes \
                     have aged"
                ));
                return;
            }
            Told::Splits(splits) => splits,
        };
        if let Some(redo) = self.parameters.iter_mut().find(|parameter| parameter.name == "redo_bytes_per_transaction")
        {
            redo.value -= splits.redo_bytes;
            redo.method.push_str(", less that of index pages that split and merge");
        }
        let taken = splits.parameters();
        self.parameters.retain(|parameter| taken.iter().all(|other| other.name != parameter.name));
        self.parameters.extend(taken);
    }
}

/// Kind of workload that stands for a sysbench script.
pub fn workload_kind(script: &Script) -> Option<&'static str> {
    let (Script::Oltp(name) | Script::Other(name)) = script else { return None };
    match name.as_str() {
        "tpcc" => Some("sysbench-tpcc"),
        "oltp_update_non_index" => Some("sysbench-oltp-update-non-index"),
        "oltp_update_index" => Some("sysbench-oltp-update-index"),
        "oltp_write_only" => Some("sysbench-oltp-write-only"),
        "oltp_read_write" => Some("sysbench-oltp-read-write"),
        "oltp_insert" => Some("sysbench-oltp-insert"),
        _ => None,
    }
}

/// The workload of a recording: all its load generators must run the same script on the same tables.
pub fn load_of(recording: &Recording) -> Result<(&'static str, &LoadPhase), String> {
    let refuse = |what: &str, help: &str| Err(format!("{}: {what}\n  = help: {help}", recording.name));
    let Some(first) = recording.phases.first() else {
        return refuse("it is not recorded what load ran", "put sysbench's command line into run.json, `sysbench`");
    };
    let Some(kind) = workload_kind(&first.script) else {
        let help = "oltp_update_non_index, oltp_update_index, oltp_write_only, oltp_read_write, oltp_insert and tpcc are; \
                    --workload \"tpcc --tables=1 --scale=100\" takes it for that one";
        return refuse(&format!("the load {} is not modelled", first.script), help);
    };
    let same = |phase: &LoadPhase| {
        phase.script == first.script && phase.tables == first.tables && phase.table_size == first.table_size
    };
    if !recording.phases.iter().all(same) {
        return refuse("its load generators run different scripts or tables", "record one workload at a time");
    }
    if let Some(option) = recording.phases.iter().find_map(|phase| phase.changed.first()) {
        let help = "record the script with its own transactions; --tables, --table-size and --rand-type are modelled";
        return refuse(&format!("its load ran with {option}, which no workload has"), help);
    }
    if let Some(phase) = recording.phases.iter().find(|phase| !RAND_TYPES.contains(&phase.rand_type.as_str())) {
        let what = format!("its rows are drawn by --rand-type={}, which no workload has", phase.rand_type);
        return refuse(&what, &format!("record one of {}", RAND_TYPES.join(", ")));
    }
    Ok((kind, first))
}

/// Reads the workload out of a recording; the error is a sentence.
pub fn calibrate(recording: &Recording) -> Result<Calibration, String> {
    recording.check(Purpose::Calibrate)?;
    let (kind, phase) = load_of(recording)?;
    if kind == scenario::TPCC {
        // Its tables have pages and rows of their own.
        return Err(format!("{}: a load of tpcc is calibrated by throughput and device alone", recording.name));
    }
    let load = Load::of(recording).map_err(|missing| missing.to_string())?;
    let work = Work::of(&load, recording);
    let dispatch = Dispatch::of(recording, &load, kind);
    let mut calibration = Calibration {
        sync_operations: work.as_ref().and_then(|work| work.sync_operations(&load, recording)),
        working_set: WorkingSet::measure(recording),
        dispatch_us: dispatch.at_a_rate_us,
        redo_sync_every_us: costs::redo_sync_every_us(&load, recording),
        ..Calibration::of(recording, kind, vec![load.redo_per_transaction(recording)])
    };
    let beside_us = purge_cpu::a_transaction_us(recording, kind, phase)?
        + dispatch.recorded_us
        + spinning::a_transaction_us(recording, &load);
    calibration
        .take_cpu(cpu_demand(recording, &load, work.as_ref(), beside_us), log_threads::spinning(recording, &load));
    if calibration.get("cpu").is_none() {
        // The workload's default is all that a transaction takes; and an idle machine tells no better what this takes.
        calibration.dispatch_us = 0.0;
    }
    calibration.parameters.extend(pages(recording, phase));
    calibration.take_page_splits(&PageSplits::told(recording, &load, kind, phase));
    if recording.cpus.is_none() {
        calibration.undetermined.push(format!(
            "number of processors: put the output of lscpu beside the recording; {UNKNOWN_CPUS} are taken"
        ));
    }
    if calibration.sync_operations.is_none() {
        calibration.undetermined.push(format!(
            "operations of a cap that a sync takes: record writes of the disk (disk.wr_ios), Innodb_data_fsyncs and \
             Innodb_pages_written; {} are taken",
            costs::SYNC_OPERATIONS
        ));
    }
    calibration.observed.extend(load.commits_per_sync(recording));
    if calibration.working_set.is_empty() {
        calibration.undetermined.push(
            "write working set: the load must begin on a clean pool, with dirty pages recorded before flushing begins"
                .to_owned(),
        );
    }
    if recording.get(Quantity::BufferPoolReads).is_none() {
        calibration.undetermined.push("misses: record Innodb_buffer_pool_reads".to_owned());
    }
    Ok(calibration)
}

/// What counters say of a load that is not known: redo and CPU time of a unit of work. Its pages are another matter
/// (`advise`); purge and undo are part of it.
pub(crate) fn calibrate_unknown(recording: &Recording) -> Result<Calibration, String> {
    let load = Load::of(recording).map_err(|missing| missing.to_string())?;
    let work = Work::of(&load, recording);
    let mut calibration = Calibration {
        sync_operations: work.as_ref().and_then(|work| work.sync_operations(&load, recording)),
        cpu_taken: CpuTaken::of(recording, &load, work.as_ref()),
        redo_sync_every_us: costs::redo_sync_every_us(&load, recording),
        // No dispatch: whoever asks a production server does so from elsewhere.
        ..Calibration::of(recording, "spectrum", vec![load.all_redo_per_transaction()])
    };
    calibration.parameters.extend(tablespaces::tablespaces(&load, recording));
    calibration.take_cpu(cpu_demand(recording, &load, work.as_ref(), 0.0), log_threads::spinning(recording, &load));
    calibration.observed.extend(load.commits_per_sync(recording));
    Ok(calibration)
}

/// Rows on the pages of the tables.
fn pages(recording: &Recording, phase: &LoadPhase) -> Vec<Parameter> {
    let rows = f64::from(phase.tables) * phase.table_size as f64;
    let on = |name, pages: Option<u64>, what: &str| {
        let pages = pages.filter(|pages| *pages > 0)?;
        let value = (rows / pages as f64).round().max(1.0);
        let method = format!("{rows:.0} rows on {pages} pages of the {what}");
        Some(Parameter { name, value, uncertainty: None, unit: "", method })
    };
    let clustered = on("rows_per_page", recording.data.clustered_pages, "clustered indexes");
    let of_tables = on("index_entries_per_page", recording.data.secondary_pages, "secondary indexes");
    let in_memory = on("index_entries_per_page", secondary_in_memory(recording), "secondary indexes in memory");
    [clustered, in_memory.or(of_tables)].into_iter().flatten().collect()
}

/// Pages of the secondary indexes where all tables are in memory: those in the buffer pool as the load begins that are
/// not of the clustered indexes. The statistics of the tables count free pages of the extents as well. Pages of the
/// system are counted with them, some hundreds.
fn secondary_in_memory(recording: &Recording) -> Option<u64> {
    let (start, end) = recording.load_window();
    let seconds = &recording.series.seconds;
    let first = seconds.iter().rposition(|second| *second <= start)?;
    let last = seconds.iter().rposition(|second| *second <= end)?;
    let reads = recording.get(Quantity::BufferPoolReads)?;
    let present = recording.get(Quantity::LruPages)?.at(first)?;
    let others = present - recording.data.clustered_pages? as f64;
    let from_tables = recording.data.secondary_pages? as f64;
    let missed = (reads.at(last)? - reads.at(first)?) / present;
    let all_there = missed < NEGLIGIBLE_MISSES && others > 0.0 && others < from_tables;
    all_there.then_some(others as u64)
}
