//! The back-test: what the first half of a recording tells of the load must predict the second half.
//!
//! The load is measured on the first half alone. The whole recording is simulated under its recorded demand, and the second
//! half compared, so that the state in the middle is the simulation's own. A closed loop is driven by its clients, with the CPU
//! time that brings them to the throughput of the first half: throughput and latency of the second are predicted then. What follows if they
//! are right goes on beside that.

use super::closed;
use super::demand::Demand;
use super::disk::{DiskSeen, ceilings_as_seen, ruled_out};
use super::measured::Measured;
use super::text::{Drive, Wanted};
use crate::calibrate::{Device, Others};
use crate::recommend::{TrialRunner, with_beside};
use crate::rest::{Ended, LEAST_WINDOW_S, STILL, ended, go_on, has_turned, may_end_early, until_known};
use crate::runner::{Job, in_parallel};
use crate::validate::{Metric, Task, Validation, compare, latency_metric, latency_of};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::seam::AgeLimits;
use innosim_core::server::RunError;
use innosim_recordings::{DiskReports, Percentile, Recording};
use innosim_scenario::{Overrides, Scenario, Source, load};

/// Errors that a prediction may have, with what makes a figure too small to be judged.
const JUDGED: [(&str, f64, f64); 3] =
    [("checkpoint_age_mean", 0.20, 2e6), ("pages_flushed_per_s_mean", 0.20, 10.0), ("dirty_pages_mean", 0.20, 500.0)];
/// The error that the throughput of a closed loop may have; an open load's is given.
const THROUGHPUT: (&str, f64) = ("tps_mean", 0.20);

/// The rows of what is told where it is reproduced, and errors up to which it is.
pub(super) const WRITTEN: &str = "device_write_bytes_per_s";
const REPRODUCED: f64 = 0.20;

/// Whether the back-test came to a figure that the answer tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reproduced {
    /// It did.
    Yes,
    /// There was nothing to compare it with.
    NotRecorded,
    /// It was off: observed and predicted.
    Off(f64, f64),
}

/// Share of the async limit of the checkpoint age from which on the age stands at it.
const AT_LIMIT: f64 = 0.95;

/// Seconds of the recorded load that may wait for a device: the real server did all of it as it came.
const MOST_BEHIND_S: f64 = 5.0;

/// So many times the longest recorded latency is too long for the same disk, in the mean of so many seconds. That transactions of the recorded
/// demand arrive at random makes them wait for each other, but not so much.
const TOO_LONG: f64 = 10.0;
const TOO_LONG_OVER_S: usize = 60;

/// A device that leaves clients less than this share of the recorded CPU time of a unit of work is not the disk.
const LEAST_CPU: f64 = 0.5;

/// Share of the redo or of the pages written that may stay behind in a closed loop at rest, whose age is compared.
const AGE_STILL: f64 = 0.01;

/// A back-test on one device.
#[derive(Debug, Clone)]
pub struct Backtest {
    /// Name of the device.
    pub device: String,
    /// Clients whose waiting for the server makes the load; `None` if it was driven by the recorded demand.
    pub clients: Option<u32>,
    /// CPU time of a unit of work that they came to the recorded throughput of the first half with, µs; `None` if no CPU time did it.
    pub(super) cpu_us: Option<f64>,
    /// Measured and predicted figures of the second half.
    pub validation: Validation,
    /// The run.
    pub output: RunOutput,
    /// What its disk was seen to do, and is predicted to.
    pub disk: Option<DiskSeen>,
    /// Whether the recorded and the simulated age both come to their limit where neighbours are flushed. Whole extents go
    /// then, and the age falls to a fraction at a moment that hangs on little: figures of one half say when, not how well.
    pub falls_from_limit: bool,
}

/// Names of devices that are not the disk, each with why.
type NotIt = Vec<(String, String)>;

/// What back-tests came to.
#[derive(Debug, Default)]
pub(super) struct Tested {
    /// A test on each device that it can be.
    pub(super) tests: Vec<Backtest>,
    /// Devices that it can't be.
    pub(super) not_it: NotIt,
    /// A device that was tested besides: one that was ruled out, with its ceilings as high as what was seen.
    pub(super) lifted: Option<(String, Device)>,
}

impl Backtest {
    /// Figures that are judged and off by too much.
    pub fn failures(&self) -> Vec<&Metric> {
        self.judged()
            .filter(|(metric, most)| metric.error().is_none_or(|error| error.abs() > *most))
            .map(|j| j.0)
            .collect()
    }

    /// Sum of the errors that are judged, and of that of the disk, where it was seen.
    pub(super) fn distance(&self) -> f64 {
        let of_metrics: f64 = self.judged().map(|(metric, _)| metric.error().map_or(1.0, f64::abs)).sum();
        of_metrics + self.disk.as_ref().map_or(0.0, DiskSeen::distance)
    }

    /// Whether the throughput is off by no more than a share.
    pub(super) fn throughput_is_within(&self, share: f64) -> bool {
        let throughput = self.validation.metrics.iter().find(|metric| metric.name == THROUGHPUT.0);
        throughput.and_then(Metric::error).is_some_and(|error| error.abs() <= share)
    }

    /// Whether a closed loop is as the search takes it: its CPU time is that of the whole recording too, and its figures are judged.
    fn confirms_loop(&self) -> bool {
        self.throughput_is_within(closed::CLOSE) && !self.falls_from_limit && self.failures().is_empty()
    }

    /// Whether the latency came out as it was recorded.
    pub fn latency(&self) -> Reproduced {
        self.reproduced(latency_metric(self.percentile()))
    }

    /// The percentile at which it is compared.
    pub(super) fn percentile(&self) -> Percentile {
        let is_99th = |metric: &Metric| metric.name == latency_metric(Percentile::P99);
        if self.validation.metrics.iter().any(is_99th) { Percentile::P99 } else { Percentile::P95 }
    }

    /// Whether the bytes written to the device did.
    pub fn written(&self) -> Reproduced {
        self.reproduced(WRITTEN)
    }

    fn reproduced(&self, name: &str) -> Reproduced {
        let Some(metric) = self.validation.metrics.iter().find(|metric| metric.name == name) else {
            return Reproduced::NotRecorded;
        };
        match metric.error() {
            Some(error) if error.abs() <= REPRODUCED => Reproduced::Yes,
            _ => Reproduced::Off(metric.observed, metric.predicted),
        }
    }

    /// Whether anything is large enough to be judged.
    pub fn tells(&self) -> bool {
        self.falls_from_limit || self.judged().next().is_some()
    }

    fn judged(&self) -> impl Iterator<Item = (&Metric, f64)> {
        self.validation.metrics.iter().filter_map(|metric| {
            if self.clients.is_some() && metric.name == THROUGHPUT.0 {
                return Some((metric, THROUGHPUT.1));
            }
            let (_, most, least) = JUDGED.iter().find(|(name, ..)| *name == metric.name)?;
            let is_large = metric.observed.max(metric.predicted) >= *least && !self.falls_from_limit;
            is_large.then_some((metric, *most))
        })
    }
}

/// A recording whose load is to be predicted by another's, or by its own first half.
pub(super) struct Prediction {
    /// What is compared.
    pub(super) compared: Recording,
    /// What is run.
    pub(super) scenario: Scenario,
}

/// Puts together the run of `recording` under its own demand with `measured`, compared from `from_s` on.
pub(super) fn predict(
    recording: &Recording,
    measured: &Measured,
    device: &Device,
    from_s: f64,
    overrides: &Overrides,
) -> Result<Prediction, String> {
    predict_driven(Drive::Recorded(1.0), recording, measured, device, from_s, overrides)
}

fn predict_driven(
    drive: Drive,
    recording: &Recording,
    measured: &Measured,
    device: &Device,
    from_s: f64,
    overrides: &Overrides,
) -> Result<Prediction, String> {
    let target = recording.begun_before(0.0);
    let demand = Demand::of(&target).ok_or("work was counted only once")?;
    let (begun, (_, end)) = (target.load_start(), target.load_window());
    let wanted = Wanted {
        target: &target,
        load: measured,
        demand: &demand,
        drive,
        device,
        length: (end - begun, "0s"),
        others: Others::AsRecorded,
        start: 0,
    };
    let text = wanted.toml()?;
    let scenario = load(Source::Text { name: &recording.name, text: &text }, overrides)
        .map_err(|problems| format!("{}: {problems}", recording.name))?;
    Ok(Prediction { compared: target.between(from_s, end), scenario })
}

/// What follows if a closed loop on a device, with a CPU time of a unit of work in microseconds, is confirmed.
pub(super) type Next<'a> = dyn Fn(&Device, f64, &dyn TrialRunner) + Sync + 'a;

/// Back-tests a recording on each of the devices that can be its `disk`, the best one first; the error is a sentence.
pub(super) fn backtest(
    recording: &Recording,
    devices: &[(String, Device)],
    seed: Option<u64>,
    disk: Option<&DiskReports>,
    runner: &dyn TrialRunner,
    next: &Next<'_>,
) -> Result<Tested, String> {
    let (start, end) = recording.load_window();
    let middle = (start + end) / 2.0;
    let first = recording.between(start, middle);
    let measured = Measured::of(&first)?;
    let overrides = Overrides { seed, ..Overrides::default() };
    let longest = recording.latency().map(|(percentile, ms)| (percentile, ms.present().fold(0.0, f64::max)));
    let longest_ms = longest.filter(|(_, ms)| devices.len() > 1 && *ms > 0.0);
    let halves = Halves { recording, first, measured, middle, overrides, disk, longest_ms, runner, next };
    let demand = Demand::of(recording).ok_or("work was counted only once")?;
    match demand.closed {
        None => halves.under_demand(devices, &demand),
        Some(clients) => halves.under_clients(clients, devices, &demand),
    }
}

/// A recording whose first half predicts the second.
struct Halves<'a> {
    recording: &'a Recording,
    first: Recording,
    /// The load of the first half.
    measured: Measured,
    /// Where the second half begins, seconds.
    middle: f64,
    overrides: Overrides,
    disk: Option<&'a DiskReports>,
    /// The longest recorded latency at its percentile, ms, where there are several devices to choose from.
    longest_ms: Option<(Percentile, f64)>,
    runner: &'a dyn TrialRunner,
    next: &'a Next<'a>,
}

/// Devices that can be the disk.
struct Sorted {
    /// Tests of those that do the recorded demand as it comes.
    tests: Vec<Backtest>,
    candidates: Vec<(String, Device)>,
    /// The others.
    not_it: NotIt,
    /// Candidates that fall behind.
    too_slow: NotIt,
    /// Where all do: one of the others, with its ceilings as high as what was seen.
    lifted: Option<(String, Device)>,
}

/// A closed loop to be back-tested.
struct LoopOn {
    prediction: Prediction,
    /// See [`Backtest`].
    cpu_us: Option<f64>,
}

/// A prediction on a device, by its name.
type Named = (String, Prediction);

impl Halves<'_> {
    fn predicted(&self, measured: &Measured, devices: &[(String, Device)]) -> Result<Vec<Named>, String> {
        let on = |device: &Device| predict(self.recording, measured, device, self.middle, &self.overrides);
        devices.iter().map(|(name, device)| Ok((name.clone(), on(device)?))).collect()
    }

    /// A test on the device that is taken, driven by clients that are always busy, with what follows beside it.
    fn closed(
        &self,
        clients: u32,
        device: &(String, Device),
        runner: &dyn TrialRunner,
    ) -> Result<Vec<Backtest>, String> {
        let Some(LoopOn { prediction, cpu_us }) = self.loop_on(clients, &device.1, 0.0, runner)? else {
            return Ok(Vec::new());
        };
        let test = || self.test_of(clients, &device.0, prediction, cpu_us, runner);
        let tested = match cpu_us {
            None => test()?,
            Some(us) => {
                let is_confirmed = |test: &Result<Backtest, String>| test.as_ref().is_ok_and(Backtest::confirms_loop);
                with_beside(runner, test, is_confirmed, |beside| (self.next)(&device.1, us, beside)).0?
            }
        };
        Ok(vec![tested])
    }

    /// A test driven by clients that are always busy; none if they come to the recorded throughput only with less CPU time than `least_us`.
    fn closed_with(
        &self,
        clients: u32,
        (name, device): &(String, Device),
        least_us: f64,
    ) -> Result<Option<Backtest>, String> {
        let found = self.loop_on(clients, device, least_us, self.runner)?;
        found
            .map(|LoopOn { prediction, cpu_us }| self.test_of(clients, name, prediction, cpu_us, self.runner))
            .transpose()
    }

    /// The loop on a device with the CPU time that brings its clients to the recorded throughput, if that is not less than `least_us`.
    fn loop_on(
        &self,
        clients: u32,
        device: &Device,
        least_us: f64,
        runner: &dyn TrialRunner,
    ) -> Result<Option<LoopOn>, String> {
        let mut measured = self.measured.clone();
        let demand = Demand::of(&self.first).ok_or("work was counted only once")?;
        if closed::take_throughput(&mut measured, &self.first, &demand, clients, device, least_us, runner)? {
            return Ok(None);
        }
        let drive = Drive::Closed(clients);
        let prediction = predict_driven(drive, self.recording, &measured, device, self.middle, &self.overrides)?;
        let cpu_us = measured.calibration.get("cpu").filter(|_| measured.throughput_is_off.is_none());
        Ok(Some(LoopOn { prediction, cpu_us }))
    }

    fn test_of(
        &self,
        clients: u32,
        name: &str,
        prediction: Prediction,
        cpu_us: Option<f64>,
        runner: &dyn TrialRunner,
    ) -> Result<Backtest, String> {
        runner.stage("back-test", 1, prediction.scenario.run.duration.whole_seconds());
        let output = until_rest(&prediction.scenario, runner).map_err(|error| error.to_string())?;
        Ok(Backtest { clients: Some(clients), cpu_us, ..self.seen((name.to_owned(), prediction), output)? })
    }

    /// Tests driven by the recorded demand, the best one first.
    fn under_demand(&self, devices: &[(String, Device)], demand: &Demand) -> Result<Tested, String> {
        let Sorted { mut tests, mut candidates, mut not_it, mut too_slow, lifted } =
            self.sort(&self.measured, devices, demand)?;
        if tests.is_empty()
            && let Some(lifted) = &lifted
        {
            let (holds, behind) =
                self.that_keep_up(self.predicted(&self.measured, std::slice::from_ref(lifted))?, demand)?;
            tests = holds;
            too_slow.extend(behind);
            candidates.push(lifted.clone());
        }
        let freed = self.measured.with_unknown_cpu();
        if tests.is_empty() && self.measured.cpu_is_measured {
            // The server met this demand. If as many clients can't on any device, the time of a unit of work is wrong, and not
            // what is flushed: more clients stand for each, as where that time is not known.
            (tests, too_slow) = self.that_keep_up(self.predicted(&freed, &candidates)?, demand)?;
        }
        if tests.is_empty() {
            // It is not for the device.
            (tests, too_slow) = (self.whole(self.predicted(&freed, &candidates)?)?, Vec::new());
        }
        tests.sort_by(|a, b| a.distance().total_cmp(&b.distance()));
        not_it.extend(too_slow);
        Ok(Tested { tests, not_it, lifted })
    }

    /// The same, the best one driven by clients that are always busy. Which device it is, the recorded demand tells; how its clients do
    /// there, the loop alone. That their time is CPU time must not hold the demand up meanwhile.
    fn under_clients(&self, clients: u32, devices: &[(String, Device)], demand: &Demand) -> Result<Tested, String> {
        if let [only] = devices {
            return Ok(Tested { tests: self.closed(clients, only, self.runner)?, ..Tested::default() });
        }
        let freed = self.measured.with_unknown_cpu();
        let Sorted { mut tests, candidates, mut not_it, too_slow, mut lifted } = self.sort(&freed, devices, demand)?;
        let by_distance = |a: &Backtest, b: &Backtest| a.distance().total_cmp(&b.distance());
        tests.sort_by(by_distance);
        if let Some(device) = lifted.take().filter(|_| tests.is_empty()) {
            // The loop is made beside the run that tells whether the device is the one.
            let (holds, tests) = with_beside(
                self.runner,
                || self.holds(&freed, &device, demand),
                |holds| matches!(holds, Ok(true)),
                |beside| self.closed(clients, &device, beside),
            );
            if holds? {
                not_it.extend(too_slow);
                return Ok(Tested { tests: tests?, not_it, lifted: Some(device) });
            }
        }
        let is_best = |(name, _): &&(String, Device)| tests.first().is_some_and(|best| best.device == *name);
        if let Some(device) = candidates.iter().find(is_best) {
            not_it.extend(too_slow);
            tests.splice(..1, self.closed(clients, device, self.runner)?);
            return Ok(Tested { tests, not_it, lifted: None });
        }
        // It is not for the device that all fall behind: the loops themselves tell.
        let cpu_us = self.measured.calibration.get("cpu").filter(|_| self.measured.cpu_is_measured).unwrap_or(0.0);
        let loops = |least_us| -> Result<Vec<Option<Backtest>>, String> {
            in_parallel(&candidates, |device| self.closed_with(clients, device, least_us)).into_iter().collect()
        };
        let mut tried = loops(LEAST_CPU * cpu_us)?;
        if tried.iter().all(Option::is_none) {
            tried = loops(0.0)?;
        }
        let without = candidates.iter().zip(&tried).filter(|(_, test)| test.is_none());
        not_it.extend(without.map(|((name, _), _)| {
            let most = 100.0 * LEAST_CPU;
            (name.clone(), format!("{clients} clients that wait for it come to the recorded throughput only with less than {most:.0} % of the recorded CPU time"))
        }));
        let best = tried.into_iter().flatten().min_by(by_distance);
        Ok(Tested { tests: best.into_iter().collect(), not_it, lifted })
    }

    /// Tells which devices can be the disk and do the recorded demand.
    fn sort(&self, measured: &Measured, devices: &[(String, Device)], demand: &Demand) -> Result<Sorted, String> {
        let all = self.predicted(measured, devices)?;
        let mut not_it: NotIt = all.iter().filter_map(|named| self.ruled_out(named)).collect();
        if not_it.len() == all.len() {
            // The only one, or none of them: better than no answer.
            not_it.clear();
        }
        let (cannot, can): (Vec<Named>, Vec<Named>) =
            all.into_iter().partition(|(name, _)| not_it.iter().any(|(other, _)| other == name));
        let candidates =
            devices.iter().filter(|(name, _)| can.iter().any(|(other, _)| other == name)).cloned().collect();
        let (tests, too_slow) = self.that_keep_up(can, demand)?;
        let lifted = self.disk.filter(|_| tests.is_empty()).and_then(|disk| nearest_below(&cannot, devices, disk));
        Ok(Sorted { tests, candidates, not_it, too_slow, lifted })
    }

    /// Why a device can't be the disk, with its name.
    fn ruled_out(&self, (name, prediction): &Named) -> Option<(String, String)> {
        Some((name.clone(), ruled_out(&prediction.scenario.run.storage.data, self.disk?)?))
    }

    /// Makes runs, each until `is_enough`.
    fn run_all(
        &self,
        named: &[Named],
        is_enough: impl Fn(&[SecondSample], &AgeLimits) -> bool + Sync,
    ) -> Result<Vec<RunOutput>, String> {
        let seconds: u64 = named.iter().map(|(_, p)| p.scenario.run.duration.whole_seconds()).sum();
        self.runner.stage("back-test", named.len(), seconds);
        let run = |(_, prediction): &Named| {
            let job = Job { scenario: &prediction.scenario, replication: 0 };
            self.runner.execute_until(job, &mut |series, limits| is_enough(series, limits))
        };
        in_parallel(named, run).into_iter().map(|output| output.map_err(|error| error.to_string())).collect()
    }

    fn whole(&self, named: Vec<Named>) -> Result<Vec<Backtest>, String> {
        let outputs = self.run_all(&named, |_, _| false)?;
        named.into_iter().zip(outputs).map(|(named, output)| self.seen(named, output)).collect()
    }

    /// Whether a device does the recorded demand as it comes, by a run that ends once that is clear.
    fn holds(&self, measured: &Measured, device: &(String, Device), demand: &Demand) -> Result<bool, String> {
        let named = self.predicted(measured, std::slice::from_ref(device))?;
        let outputs = self.run_all(&named, |series, limits| {
            is_behind(series, demand.mean) || ended(series, limits, STILL).is_some()
        })?;
        Ok(outputs.iter().all(|output| behind(output, demand.mean).is_none()))
    }

    /// The tests that do the recorded demand as it comes; and the devices that don't, with why. Their runs end there.
    fn that_keep_up(&self, named: Vec<Named>, demand: &Demand) -> Result<(Vec<Backtest>, NotIt), String> {
        let is_enough =
            |series: &[SecondSample]| is_behind(series, demand.mean) || self.waits_too_long(series).is_some();
        let outputs = self.run_all(&named, |series, _| is_enough(series))?;
        let (mut tests, mut too_slow) = (Vec::new(), Vec::new());
        for (named, output) in named.into_iter().zip(outputs) {
            match behind(&output, demand.mean).or_else(|| self.waits_too_long(&output.series)) {
                Some(why) => too_slow.push((named.0, why)),
                None => tests.push(self.seen(named, output)?),
            }
        }
        Ok((tests, too_slow))
    }

    /// Why the transactions of the last seconds took too long for the device to be the disk, as a sentence.
    fn waits_too_long(&self, series: &[SecondSample]) -> Option<String> {
        let last = &series[series.len().checked_sub(TOO_LONG_OVER_S)?..];
        let (percentile, longest_ms) = self.longest_ms?;
        let mean_ms = last.iter().map(latency_of(percentile)).sum::<f64>() / TOO_LONG_OVER_S as f64;
        (mean_ms > TOO_LONG * longest_ms).then(|| format!(
            "with the recorded settings the {} percentile of latency comes to {mean_ms:.0} ms after {} s, where no more than {longest_ms:.1} ms \
             were recorded",
            percentile.ordinal(),
            series.len()
        ))
    }

    /// A run beside the recording.
    fn seen(&self, (device, prediction): Named, output: RunOutput) -> Result<Backtest, String> {
        let mut validation = compared(&prediction, &output, &self.recording.name)?;
        let disk = self.disk.map(|disk| DiskSeen::of(disk, &output));
        validation.metrics.extend(disk.as_ref().map(|seen| Metric {
            name: WRITTEN,
            observed: seen.disk.mean(|report| report.write_bytes),
            predicted: seen.write_bytes,
        }));
        let falls_from_limit = falls_from_limit(self.recording, &output);
        Ok(Backtest { device, clients: None, cpu_us: None, validation, output, disk, falls_from_limit })
    }
}

/// A run that ends once it is at rest in the half that is compared, or after the redo log was written around once, if it may, and goes on
/// as in its last turn. A server that has little to flush can seem at rest for minutes before its age begins to grow.
fn until_rest(scenario: &Scenario, runner: &dyn TrialRunner) -> Result<RunOutput, RunError> {
    let (job, may) = (Job { scenario, replication: 0 }, may_end_early(scenario));
    let (mut output, early) = until_known(
        job.seconds(),
        0,
        may,
        AGE_STILL,
        |why| why == Ended::AtRest,
        |is_enough| {
            let in_time = |series: &[SecondSample], limits: &AgeLimits| {
                2 * series.len() as u64 >= job.seconds() || has_turned(series, limits)
            };
            runner.execute_until(job, &mut |series, limits| in_time(series, limits) && is_enough(series, limits))
        },
    )?;
    go_on(&mut output, early.map_or(LEAST_WINDOW_S, |early| early.counted_s), job.seconds());
    Ok(output)
}

/// Of profiles whose ceilings lie below what the disk did, the one that comes nearest, with ceilings as high as that.
fn nearest_below(ruled_out: &[Named], devices: &[(String, Device)], disk: &DiskReports) -> Option<(String, Device)> {
    let raised = ruled_out.iter().filter_map(|(name, prediction)| {
        let (factor, keys) = ceilings_as_seen(&prediction.scenario.run.storage.data, disk)?;
        let profile = devices.iter().find_map(|(other, device)| match device {
            Device::Profile(profile) if other == name => Some(profile),
            _ => None,
        })?;
        let keys = format!("profile = {profile:?}   # its ceilings raised to what the disk did\n{keys}");
        Some((factor, (format!("{name} with ceilings as high as what the disk did"), Device::Keys(keys))))
    });
    raised.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, device)| device)
}

/// See [`Backtest::falls_from_limit`].
fn falls_from_limit(recording: &Recording, output: &RunOutput) -> bool {
    let limit = AT_LIMIT * output.age_limits.async_bytes as f64;
    let reached = recording.checkpoint_age().is_some_and(|ages| ages.present().any(|age| age >= limit));
    let predicted = output.series.iter().any(|second| second.checkpoint_age_bytes as f64 >= limit);
    limit > 0.0 && reached && predicted && recording.flushes_neighbors() != Ok(false)
}

/// Whether more of the load waits in the end than may.
fn is_behind(series: &[SecondSample], load_a_second: f64) -> bool {
    series.last().is_some_and(|second| second.arrivals_waiting as f64 > MOST_BEHIND_S * load_a_second)
}

/// When a run first falls further behind the load than it may, as a sentence; `None` if it never does.
fn behind(output: &RunOutput, load_a_second: f64) -> Option<String> {
    let is_first = |second: &&SecondSample| is_behind(std::slice::from_ref(*second), load_a_second);
    let first = output.series.iter().find(is_first)?;
    Some(format!(
        "with the recorded settings more than {MOST_BEHIND_S:.0} s of the recorded load wait for it after {} s ({} units of work), which the \
         server did as it came",
        first.second, first.arrivals_waiting
    ))
}

/// A run beside what it predicts.
pub(super) fn compared(prediction: &Prediction, output: &RunOutput, by: &str) -> Result<Validation, String> {
    let task = Task {
        recording: &prediction.compared,
        calibrated_on: by.to_owned(),
        cpu_is_known: true,
        scenario: prediction.scenario.clone(),
    };
    compare(&task, output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{recorded, run_of};
    use innosim_core::workload::DriveSpec;
    use std::sync::Mutex;

    fn unknown_load() -> Recording {
        recorded("mysql97/wo-closed-256-ssdsmall").as_unknown_load().unwrap().recording
    }

    /// The same as if clients that are always busy had made it.
    fn closed_loop() -> Recording {
        let mut recording = unknown_load();
        recording.phases.iter_mut().for_each(|phase| phase.rate = None);
        recording
    }

    /// Devices of the shipped profiles of these names.
    fn devices(profiles: &[&str]) -> Vec<(String, Device)> {
        let device = |name: &&str| ((*name).to_owned(), Device::Profile((*name).to_owned()));
        profiles.iter().map(device).collect()
    }

    /// A server that does 40 units of work a second, and how it was driven: clients of a closed loop.
    #[derive(Default)]
    struct Slow(Mutex<Vec<Option<u32>>>);

    impl TrialRunner for Slow {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            let clients = match &job.scenario.run.workload.drive {
                DriveSpec::Closed { clients, .. } => Some(*clients),
                DriveSpec::Open { .. } => None,
            };
            self.0.lock().unwrap().push(clients);
            Ok(run_of(job, |second| SecondSample { second, transactions: 40, ..SecondSample::default() }))
        }
    }

    /// Its throughput is predicted, and judged. Which of several devices it is, the recorded demand tells.
    #[test]
    fn a_closed_loop_is_driven_by_its_clients() {
        let recording = closed_loop();
        let clients = Demand::of(&recording).unwrap().closed;
        assert!(clients.is_some());
        let on = |profiles: &[&str]| {
            let runner = Slow::default();
            let tested = backtest(&recording, &devices(profiles), None, None, &runner, &|_, _, _| {}).unwrap();
            let best = &tested.tests[0];
            assert_eq!(best.clients, clients);
            assert!(best.failures().iter().any(|metric| metric.name == "tps_mean"), "{:?}", best.validation.metrics);
            (tested.tests.len(), runner.0.into_inner().unwrap())
        };
        let (tests, drives) = on(&["nvme"]);
        assert!(tests == 1 && drives.iter().all(|drive| *drive == clients), "{drives:?}");
        let (tests, drives) = on(&["nvme", "lab-virtual-disk"]);
        assert_eq!((tests, drives.last()), (2, Some(&clients)));
        assert!(drives.contains(&None), "{drives:?}");
    }

    /// A server that can't do the recorded demand as it comes on any device, and whose clients do `rate` on NVMe, on others half.
    struct Behind {
        rate: f64,
    }

    impl TrialRunner for Behind {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            let run = &job.scenario.run;
            let is_open = matches!(run.workload.drive, DriveSpec::Open { .. });
            let is_fast = run.storage.data.name.contains("nvme");
            let transactions = if is_fast { self.rate } else { 0.5 * self.rate } as u64;
            let arrivals_waiting = if is_open { 100 * self.rate as u64 } else { 0 };
            Ok(run_of(job, |second| SecondSample { second, transactions, arrivals_waiting, ..SecondSample::default() }))
        }
    }

    /// Where all devices fall behind, the disk is none whose waits leave clients far less CPU time than was recorded.
    #[test]
    fn a_device_that_leaves_too_little_cpu_time_is_not_the_one() {
        let recording = closed_loop();
        let (start, end) = recording.load_window();
        let first = Demand::of(&recording.between(start, (start + end) / 2.0)).unwrap();
        let devices = devices(&["lab-virtual-disk", "nvme"]);
        let runner = Behind { rate: first.settled };
        let tested = backtest(&recording, &devices, None, None, &runner, &|_, _, _| {}).unwrap();
        let names: Vec<&str> = tested.tests.iter().map(|test| test.device.as_str()).collect();
        assert_eq!(names, ["nvme"]);
        let (name, why) = tested.not_it.last().unwrap();
        assert!(name == "lab-virtual-disk" && why.contains("less than 50 % of the recorded CPU time"), "{name}: {why}");
    }

    /// Of several devices the disk is none on which clients wait ten times as long as they were seen to. That is clear after a minute.
    #[test]
    fn a_device_on_which_clients_wait_far_too_long_is_not_the_one() {
        let recording = unknown_load();
        let runner = Slow::default();
        let halves = |longest_ms| Halves {
            recording: &recording,
            first: recording.clone(),
            measured: Measured::of(&recording).unwrap(),
            middle: 0.0,
            overrides: Overrides::default(),
            disk: None,
            longest_ms,
            runner: &runner,
            next: &|_, _, _| {},
        };
        let run = |seconds, latency_ms_p95| vec![SecondSample { latency_ms_p95, ..SecondSample::default() }; seconds];
        let waits = |seconds, ms| halves(Some((Percentile::P95, 4.0))).waits_too_long(&run(seconds, ms));
        assert_eq!((waits(60, 39.0), waits(59, 188.0)), (None, None));
        let why = waits(60, 188.0).unwrap();
        assert!(why.contains("comes to 188 ms after 60 s, where no more than 4.0 ms were recorded"), "{why}");
        assert_eq!(halves(None).waits_too_long(&run(60, 188.0)), None, "there is no choice");
    }

    /// A spike that the server held rules out a device on which it queues, although the queue is gone in the end.
    #[test]
    fn a_device_that_falls_behind_the_recorded_load_is_not_the_one() {
        let second = |second, arrivals_waiting| SecondSample { second, arrivals_waiting, ..SecondSample::default() };
        let run = |waiting| RunOutput {
            series: vec![second(1, 0), second(2, waiting), second(3, 0)],
            ..RunOutput::default()
        };
        assert_eq!(behind(&run(4000), 1000.0), None);
        let why = behind(&run(9000), 1000.0).unwrap();
        assert!(why.contains("more than 5 s of the recorded load wait for it after 2 s (9000 units of work)"), "{why}");
    }
}
