//! A benchmark of which only throughput and the device are known: no clock, no log sequence number, no counters of InnoDB.
//! Several runs of one server (a ladder of threads) are fitted together.
//!
//! Two numbers of the workload are fitted by simulation, each to the mean over all runs of the logarithm of simulated by
//! measured: the CPU time of a transaction to throughput, the redo of a transaction to bytes written by the device for each
//! transaction (of TPC-C alone: sysbench's other scripts write what our lab measured). What is left of each run, and writes, flushes
//! and operations in flight, which nothing was fitted to, are its residuals.
//!
//! First the machine is chosen ([`super::benchmark_machine`]). These runs are short: they end where the redo log has filled in
//! part, when flushing has begun.
//!
//! The first round runs to rest. The others begin from the state in which the round before was at rest, and take a third of it.
//!
//! Simplifications: a run whose device writes as much in its first fifth as in its last is taken to be at rest from its
//! beginning, and is compared with a run at rest; another one is taken to begin on a clean pool. The CPU time holds all that
//! takes a client's time and is not modelled, syncs, page writes, network and row locks included.

use super::benchmark_figures::Figures;
use super::benchmark_machine::Machine;
use super::scenario::TPCC;
use super::{Calibration, Device, Parameter, UNKNOWN_CPUS, load_of, scenario_toml};
use crate::advise::ruled_out;
use crate::rest::{self, dirty_start};
use crate::runner::{IsEnough, Job, run_until};
use crate::warm_start::shared_s;
use innosim_core::kernel::time::SimDuration;
use innosim_core::metrics::{RunOutput, Summary};
use innosim_core::server::{Observer, RunError};
use innosim_recordings::{Purpose, Recording};
use innosim_scenario::{Overrides, Scenario, Source, load};

/// Most rounds of runs.
const MOST_ROUNDS: usize = 6;
/// A mean residual that needs no other round.
const CLOSE: f64 = 0.01;
/// Residual from which on a parameter is called not determined.
const OFF: f64 = 0.1;
/// How far the redo of a transaction may go from what its script writes.
const REDO_FACTOR: f64 = 2.0;
/// Share of a client's time that is CPU time, to begin with.
const FIRST_CPU_SHARE: f64 = 0.8;
/// Share of the device's last writes from which its first count as rest.
const AT_REST: f64 = 0.7;
/// Times the redo log wraps in a run that comes to rest, at most, and seconds.
const WRAPS: f64 = 2.0;
const LONGEST_S: f64 = 900.0;
/// Seconds of a run that begins at rest, at most.
const AGAIN_S: u64 = 300;
/// Seconds of a run that only tells how a device is used, at least and at most.
const TRIAL_S: (u64, u64) = (60, 240);
/// CPU time of syncs, page writes and purge, of that on our machines: throughput does not tell it from that of a transaction, and
/// what a sync takes on our virtual disks is more than all of it on a benchmark's machine.
const SYNCS_AND_WRITES: f64 = 0.0;
/// How much longer the same work takes when each core runs a thread: by read-only runs of eleven servers of 2026 from 1 to 64
/// threads (`machine-2026`). Throughput does not tell it from the CPU time of a transaction: log threads that spin come in between.
const TYPICAL_CROWDING: f64 = 0.6;

/// One run, measured and simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkRun {
    /// Name of its recording.
    pub name: String,
    /// Clients.
    pub threads: u32,
    /// What was measured.
    pub measured: Figures,
    /// What comes out with the fitted numbers.
    pub simulated: Figures,
}

/// What a benchmark told.
#[derive(Debug, Clone, PartialEq)]
pub struct Benchmark {
    /// The numbers of the workload.
    pub calibration: Calibration,
    /// Its runs.
    pub runs: Vec<BenchmarkRun>,
    /// The device, in words.
    pub device: String,
    /// The scenario of the run with most throughput.
    pub scenario: String,
}

/// A run that a fit asks for.
#[derive(Debug)]
pub struct BenchmarkTask {
    /// What to run.
    pub scenario: Scenario,
    /// Whether it is compared at rest, not second by second from its start.
    to_rest: bool,
}

impl BenchmarkTask {
    /// Makes the run, no longer than needed; the seconds that do not count come with it.
    ///
    /// # Errors
    /// As the run ends.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<(RunOutput, u64), RunError> {
        let job = Job { scenario: &self.scenario, replication: 0 };
        let planned = job.seconds();
        let execute = |is_enough: &mut IsEnough<'_>| run_until(job, false, observer, is_enough);
        let may = self.to_rest && rest::may_end_early(&self.scenario);
        let (output, early) = rest::until_known(planned, 0, may, rest::STILL, |_| true, execute)?;
        let at_rest = || if self.to_rest { planned / 2 } else { 0 };
        let warmup = early.map_or_else(at_rest, |early| early.simulated_s - early.counted_s);
        Ok((output, warmup))
    }
}

/// A fit under way: runs are asked for with [`BenchmarkFit::wanted`] and handed back with [`BenchmarkFit::take`].
#[derive(Debug)]
pub struct BenchmarkFit<'a> {
    recordings: &'a [Recording],
    measured: Vec<Figures>,
    kind: &'static str,
    /// The device, where it is not chosen.
    named: Device,
    stage: Stage,
    machine: Machine,
    machine_said: String,
    cpu: Unknown,
    redo: Unknown,
    rounds: usize,
    simulated: Vec<Figures>,
    /// How each run was at rest in the round before.
    at_rest: Vec<Summary>,
    done: bool,
}

/// What a fit is about.
#[derive(Debug)]
enum Stage {
    /// File systems, by counts of the run with the fewest threads.
    FileSystem(Vec<Machine>),
    /// Devices, by the queue of the run with most throughput; with how far the counts were off.
    Device(Vec<(Machine, f64)>),
    /// The numbers.
    Numbers,
}

/// A number that is looked for, in logarithms.
#[derive(Debug, Clone, Copy)]
struct Unknown {
    value: f64,
    bounds: (f64, f64),
    /// How the residual follows the value, and the least and the most that is believed of it.
    slope: f64,
    slopes: (f64, f64),
    last: Option<(f64, f64)>,
    residual: f64,
    is_fitted: bool,
}

impl Unknown {
    fn new(value: f64, factor: f64, slope: f64, slopes: (f64, f64), is_fitted: bool) -> Unknown {
        let (value, factor) = (libm::log(value), libm::log(factor));
        let bounds = (value - factor, value + factor);
        Unknown { value, bounds, slope, slopes, last: None, residual: 0.0, is_fitted }
    }

    fn get(&self) -> f64 {
        libm::exp(self.value)
    }

    /// Goes where the residual should be zero, by the slope between the last two places.
    fn follow(&mut self, residual: f64) {
        self.residual = residual;
        if !self.is_fitted || residual.abs() < CLOSE / 2.0 {
            return;
        }
        if let Some((value, before)) = self.last.filter(|(value, _)| (self.value - value).abs() > 1e-6) {
            self.slope = ((residual - before) / (self.value - value)).clamp(self.slopes.0, self.slopes.1);
        }
        self.last = Some((self.value, residual));
        self.value = (self.value - residual / self.slope).clamp(self.bounds.0, self.bounds.1);
    }

    fn is_off(&self) -> bool {
        self.is_fitted && self.residual.abs() > OFF
    }
}

impl<'a> BenchmarkFit<'a> {
    /// Begins with recordings of one server; the error is a sentence.
    pub fn new(recordings: &'a [Recording], device: &Device) -> Result<BenchmarkFit<'a>, String> {
        let lacks: Vec<String> = recordings.iter().filter_map(|r| r.check(Purpose::Benchmark).err()).collect();
        let Some(first) = recordings.first().filter(|_| lacks.is_empty()) else { return Err(lacks.join("\n")) };
        let (kind, _) = load_of(first)?;
        for other in &recordings[1..] {
            let same = load_of(other)?.0 == kind && other.server == first.server;
            if !same {
                let what = format!("{} and {} are of different servers or loads", first.name, other.name);
                return Err(format!("{what}\n  = help: calibrate on runs of one server that differ in their threads"));
            }
        }
        let measured: Option<Vec<Figures>> = recordings.iter().map(Figures::measured).collect();
        let measured = measured.ok_or("a run has no throughput")?;
        let nothing = Unknown::new(1.0, 1.0, 1.0, (1.0, 1.0), false);
        let mut fit = BenchmarkFit {
            recordings,
            measured,
            kind,
            named: device.clone(),
            stage: Stage::Numbers,
            machine: Machine::default(),
            machine_said: Machine::default().said(None),
            cpu: nothing,
            redo: nothing,
            rounds: 0,
            simulated: Vec::new(),
            at_rest: Vec::new(),
            done: false,
        };
        let first = fit.task(fit.best(), None)?;
        fit.begin_with(&first.scenario);
        let chooses = *device == Device::Measured && recordings.iter().all(|recording| recording.fio.is_empty());
        let possible = fit.possible(chooses)?;
        if Machine::differ_in_file_systems(&possible) {
            fit.stage = Stage::FileSystem(possible);
        } else {
            fit.choose_device(possible.into_iter().map(|machine| (machine, 0.0)).collect());
        }
        Ok(fit)
    }

    /// Machines on which the reports of the disk are possible.
    fn possible(&self, chooses_device: bool) -> Result<Vec<Machine>, String> {
        let [fewest, best] = [self.fewest(), self.best()].map(|run| self.recordings[run].disk_use());
        let machines = Machine::all(chooses_device && fewest.is_some(), fewest.as_ref(), best.as_ref());
        let Some(disk) = self.recordings.iter().find_map(Recording::disk_use).filter(|_| chooses_device) else {
            return Ok(machines);
        };
        let mut possible = Vec::new();
        for machine in machines {
            let task = self.task(self.best(), Some(&machine))?;
            if ruled_out(&task.scenario.run.storage.data, &disk).is_none() {
                possible.push(machine);
            }
        }
        Ok(possible)
    }

    /// First values: of the CPU time by clients and processors, of the redo by the script.
    fn begin_with(&mut self, scenario: &Scenario) {
        let closed = self.recordings.iter().all(Recording::closed_loop);
        let cpus = f64::from(self.recordings[0].cpus.unwrap_or(UNKNOWN_CPUS));
        let of_run = |(recording, measured): (&Recording, &Figures)| {
            libm::log(FIRST_CPU_SHARE * f64::from(threads(recording)).min(cpus) / measured.tps * 1e6)
        };
        let runs = self.recordings.len() as f64;
        let cpu = libm::exp(self.recordings.iter().zip(&self.measured).map(of_run).sum::<f64>() / runs);
        let known = self.measured.iter().all(|measured| measured.write_bytes_per_s.is_some_and(|bytes| bytes > 0.0));
        self.cpu = Unknown::new(cpu, 100.0, -1.0, (-1.5, -0.1), closed);
        self.redo = Unknown::new(redo_of(scenario), REDO_FACTOR, 0.5, (0.1, 1.5), known && self.kind == TPCC);
    }

    /// The run with the fewest threads.
    fn fewest(&self) -> usize {
        (0..self.recordings.len()).min_by_key(|run| threads(&self.recordings[*run])).unwrap_or(0)
    }

    /// The run with most throughput.
    fn best(&self) -> usize {
        let by_tps = |a: &usize, b: &usize| self.measured[*a].tps.total_cmp(&self.measured[*b].tps);
        (0..self.measured.len()).max_by(by_tps).unwrap_or(0)
    }

    fn calibration(&self) -> Calibration {
        let fitted = |name, unknown: &Unknown, unit, method: &str, otherwise: &str| Parameter {
            name,
            value: unknown.get(),
            uncertainty: None,
            unit,
            method: if unknown.is_fitted { method } else { otherwise }.to_owned(),
        };
        let mut parameters = Vec::new();
        if self.cpu.is_fitted {
            let method = "so that throughput agrees; network and row locks included";
            parameters.push(fitted("cpu", &self.cpu, "us", method, ""));
        }
        if self.redo.is_fitted {
            let method = "so that the device's bytes for each transaction agree";
            parameters.push(fitted("redo_bytes_per_transaction", &self.redo, "bytes", method, ""));
        }
        let mut undetermined = Vec::new();
        let off = |what: &str, unknown: &Unknown| {
            let percent = 100.0 * (libm::exp(unknown.residual) - 1.0);
            format!("{what}: {percent:+.0} % are left, and no value that is believed takes them away")
        };
        if self.cpu.is_off() {
            undetermined.push(off("CPU time of a transaction (throughput)", &self.cpu));
        }
        if self.redo.is_off() {
            undetermined.push(off("redo of a transaction (bytes written by the device)", &self.redo));
        }
        if !self.redo.is_fitted && self.kind == TPCC {
            undetermined.push(
                "redo of a transaction: put iostat -dxmt 1 of the run next to it; what its script writes elsewhere is taken"
                    .to_owned(),
            );
        }
        undetermined.push(
            "checkpoint age, dirty pages and flushing: record SHOW GLOBAL STATUS and SHOW ENGINE INNODB STATUS (innosim collect)"
                .to_owned(),
        );
        let recording = &self.recordings[self.best()];
        let method = "typical: as ten servers on one machine of two processors showed".to_owned();
        let crowding = Parameter { name: "crowding", value: TYPICAL_CROWDING, uncertainty: None, unit: "", method };
        Calibration {
            cpu_is_known: true,
            crowding: Some(crowding),
            cost_scale: SYNCS_AND_WRITES,
            undetermined,
            ..Calibration::of(recording, self.kind, parameters)
        }
    }

    fn text(&self, run: usize, machine: &Machine) -> Result<String, String> {
        let text = scenario_toml(&self.recordings[run], &self.calibration(), &machine.device(&self.named))?;
        Ok(format!("{text}{}", machine.file_system_toml()))
    }

    /// A run; a machine that is tried makes it short.
    fn task(&self, run: usize, tried: Option<&Machine>) -> Result<BenchmarkTask, String> {
        let recording = &self.recordings[run];
        let text = self.text(run, tried.unwrap_or(&self.machine))?;
        let source = Source::Text { name: &recording.name, text: &text };
        let mut scenario = load(source, &Overrides::default()).map_err(|problems| problems.to_string())?;
        if !begins_at_rest(recording) {
            return Ok(BenchmarkTask { scenario, to_rest: false });
        }
        let redo_per_s = self.measured[run].tps * redo_of(&scenario);
        let wrap_s = scenario.build_model().age_limits().stop_bytes as f64 / redo_per_s.max(1.0);
        let longest = (WRAPS * wrap_s).clamp(120.0, LONGEST_S) as u64;
        let seconds = match (tried, self.at_rest.get(run)) {
            (Some(_), _) => shared_s(wrap_s).clamp(TRIAL_S.0, TRIAL_S.1),
            (None, Some(at_rest)) => {
                scenario.run.dirty_start = Some(dirty_start(&scenario, at_rest, at_rest.checkpoint_age_mean));
                longest.min(AGAIN_S)
            }
            (None, None) => longest,
        };
        scenario.run.duration = SimDuration::from_secs(seconds);
        Ok(BenchmarkTask { scenario, to_rest: true })
    }

    /// The runs that are wanted next; none if the fit is done. The error is a sentence.
    pub fn wanted(&self) -> Result<Vec<BenchmarkTask>, String> {
        match &self.stage {
            Stage::FileSystem(tried) => tried.iter().map(|one| self.task(self.fewest(), Some(one))).collect(),
            Stage::Device(tried) => tried.iter().map(|(one, _)| self.task(self.best(), Some(one))).collect(),
            Stage::Numbers if self.done => Ok(Vec::new()),
            Stage::Numbers => (0..self.recordings.len()).map(|run| self.task(run, None)).collect(),
        }
    }

    /// Takes what came of the wanted runs, in their order.
    pub fn take(&mut self, outputs: &[(RunOutput, u64)]) {
        let summaries: Vec<Summary> = outputs.iter().map(|(output, warmup)| Summary::of(output, *warmup)).collect();
        let figures =
            |((output, warmup), summary): (&(RunOutput, u64), &Summary)| Figures::simulated(output, *warmup, summary);
        let simulated: Vec<Figures> = outputs.iter().zip(&summaries).map(figures).collect();
        match std::mem::replace(&mut self.stage, Stage::Numbers) {
            Stage::FileSystem(tried) => {
                let nearest = Machine::by_counts(&tried, &simulated, &self.measured[self.fewest()]);
                return self.choose_device(nearest);
            }
            Stage::Device(tried) => {
                let measured = self.measured[self.best()];
                let nearest = Machine::by_queue(&tried, &simulated, &measured);
                if let Some((machine, in_flight)) = nearest {
                    let choice = (tried.len(), in_flight, measured.in_flight.unwrap_or(0.0));
                    self.machine_said = machine.said(Some(choice));
                    self.machine = machine;
                }
                return;
            }
            Stage::Numbers => {}
        }
        let runs = simulated.len().max(1) as f64;
        let mean = |figure: &dyn Fn(&Figures) -> f64| {
            let pairs = simulated.iter().zip(&self.measured);
            pairs.map(|(sim, seen)| libm::log(figure(sim).max(1e-9) / figure(seen).max(1e-9))).sum::<f64>() / runs
        };
        let tps = mean(&|figures| figures.tps);
        let bytes = mean(&|figures| figures.write_bytes_per_s.unwrap_or(1.0) / figures.tps.max(1e-9));
        self.at_rest = summaries;
        self.rounds += 1;
        let close = |unknown: &Unknown, residual: f64| !unknown.is_fitted || residual.abs() < CLOSE;
        let all_close = close(&self.cpu, tps) && close(&self.redo, bytes);
        self.done = self.rounds >= MOST_ROUNDS || all_close;
        self.simulated = simulated;
        if self.done {
            (self.cpu.residual, self.redo.residual) = (tps, bytes);
        } else {
            self.cpu.follow(tps);
            self.redo.follow(bytes);
        }
    }

    /// Goes on with these, each of another device.
    fn choose_device(&mut self, nearest: Vec<(Machine, f64)>) {
        match nearest.as_slice() {
            [] => {}
            [(only, _)] => {
                self.machine_said = only.said(None);
                self.machine = only.clone();
            }
            _ => self.stage = Stage::Device(nearest),
        }
    }

    /// What came of it; the error is a sentence.
    pub fn finish(self) -> Result<Benchmark, String> {
        let runs = self.recordings.iter().zip(&self.measured).zip(&self.simulated);
        let run = |((recording, measured), simulated): ((&Recording, &Figures), &Figures)| BenchmarkRun {
            name: recording.name.clone(),
            threads: threads(recording),
            measured: *measured,
            simulated: *simulated,
        };
        Ok(Benchmark {
            calibration: self.calibration(),
            runs: runs.map(run).collect(),
            scenario: self.text(self.best(), &self.machine)?,
            device: self.machine_said,
        })
    }
}

fn threads(recording: &Recording) -> u32 {
    recording.load_threads().max(1)
}

/// Redo of a transaction in a scenario, bytes.
fn redo_of(scenario: &Scenario) -> f64 {
    let written = scenario.written("workload.redo_bytes_per_transaction").and_then(|value| value.parse().ok());
    written.unwrap_or(1000.0)
}

/// Whether the device wrote as much at the beginning of a run as at its end.
fn begins_at_rest(recording: &Recording) -> bool {
    let Some(disk) = recording.disk_use() else { return true };
    let fifth = (disk.reports.len() / 5).max(1);
    let mean = |reports: &[innosim_recordings::DiskReport]| {
        reports.iter().map(|report| report.write_bytes).sum::<f64>() / reports.len().max(1) as f64
    };
    let (first, last) = (&disk.reports[..fifth.min(disk.reports.len())], &disk.reports[disk.reports.len() - fifth..]);
    mean(first) >= AT_REST * mean(last)
}
