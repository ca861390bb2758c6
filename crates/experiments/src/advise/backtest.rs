//! The back-test: what the first half of a recording tells of the load must predict the second half.
//!
//! The load is measured on the first half alone. The whole recording is simulated under its recorded demand, and the second
//! half compared, so that the state in the middle is the simulation's own. A closed loop is driven by its clients, with the CPU
//! time that brings them to the throughput of the first half: throughput and latency of the second are predicted then.

use super::closed;
use super::demand::Demand;
use super::disk::{DiskSeen, ceilings_as_seen, ruled_out};
use super::measured::Measured;
use super::text::{Drive, Wanted};
use crate::calibrate::{Device, Others};
use crate::recommend::TrialRunner;
use crate::runner::{Job, in_parallel};
use crate::validate::{Metric, Task, Validation, compare};
use innosim_core::metrics::RunOutput;
use innosim_recordings::{DiskReports, Recording};
use innosim_scenario::{Overrides, Scenario, Source, load};

/// Errors that a prediction may have, with what makes a figure too small to be judged.
const JUDGED: [(&str, f64, f64); 3] =
    [("checkpoint_age_mean", 0.20, 2e6), ("pages_flushed_per_s_mean", 0.20, 10.0), ("dirty_pages_mean", 0.20, 500.0)];
/// The error that the throughput of a closed loop may have; an open load's is given.
const THROUGHPUT: (&str, f64) = ("tps_mean", 0.20);

/// The rows of what is told where it is reproduced, and errors up to which it is.
pub(super) const LATENCY: &str = "latency_ms_p95_mean";
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

/// What back-tests came to.
#[derive(Debug, Default)]
pub(super) struct Tested {
    /// A test on each device that it can be.
    pub(super) tests: Vec<Backtest>,
    /// Devices that it can't be, with why.
    pub(super) not_it: Vec<(String, String)>,
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

    /// Whether the latency came out as it was recorded.
    pub fn latency(&self) -> Reproduced {
        self.reproduced(LATENCY)
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

/// Back-tests a recording on each of the devices that can be its `disk`, the best one first; the error is a sentence.
pub(super) fn backtest(
    recording: &Recording,
    devices: &[(String, Device)],
    seed: Option<u64>,
    disk: Option<&DiskReports>,
    runner: &dyn TrialRunner,
) -> Result<Tested, String> {
    let (start, end) = recording.load_window();
    let middle = (start + end) / 2.0;
    let first = recording.between(start, middle);
    let measured = Measured::of(&first)?;
    let overrides = Overrides { seed, ..Overrides::default() };
    let halves = Halves { recording, first, measured, middle, overrides, disk, runner };
    let demand = Demand::of(recording).ok_or("work was counted only once")?;
    match (demand.closed, devices) {
        (None, _) => halves.on_devices(&halves.measured, devices, demand.mean),
        (Some(clients), [only]) => {
            let tests = vec![halves.closed(clients, only)?];
            Ok(Tested { tests, ..Tested::default() })
        }
        (Some(clients), _) => {
            // Which device it is, the recorded demand tells; how its clients do there, the loop alone. That their time is CPU
            // time must not hold the demand up meanwhile.
            let mut tested = halves.on_devices(&halves.measured.with_unknown_cpu(), devices, demand.mean)?;
            let best = devices.iter().chain(&tested.lifted).find(|(name, _)| *name == tested.tests[0].device);
            if let Some(best) = best {
                tested.tests[0] = halves.closed(clients, best)?;
            }
            Ok(tested)
        }
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
    runner: &'a dyn TrialRunner,
}

/// A prediction on a device, by its name.
type Named = (String, Prediction);

impl Halves<'_> {
    fn predicted(&self, measured: &Measured, (name, device): &(String, Device)) -> Result<Named, String> {
        Ok((name.clone(), predict(self.recording, measured, device, self.middle, &self.overrides)?))
    }

    /// A test driven by clients that are always busy.
    fn closed(&self, clients: u32, (name, device): &(String, Device)) -> Result<Backtest, String> {
        let mut measured = self.measured.clone();
        let demand = Demand::of(&self.first).ok_or("work was counted only once")?;
        closed::take_throughput(&mut measured, &self.first, &demand, clients, device, self.runner)?;
        let drive = Drive::Closed(clients);
        let prediction = predict_driven(drive, self.recording, &measured, device, self.middle, &self.overrides)?;
        let test = self.run_all(vec![(name.clone(), prediction)])?.pop().ok_or("no run was made")?;
        let cpu_us = measured.calibration.get("cpu").filter(|_| measured.throughput_is_off.is_none());
        Ok(Backtest { clients: Some(clients), cpu_us, ..test })
    }

    /// Tests driven by the recorded demand, the best one first.
    fn on_devices(&self, measured: &Measured, devices: &[(String, Device)], mean: f64) -> Result<Tested, String> {
        let all =
            devices.iter().map(|device| self.predicted(measured, device)).collect::<Result<Vec<Named>, String>>()?;
        let mut left_out: Vec<(String, String)> = all.iter().filter_map(|named| self.ruled_out(named)).collect();
        if left_out.len() == all.len() {
            // The only one, or none of them: better than no answer.
            left_out.clear();
        }
        let can_be = |name: &str| left_out.iter().all(|(other, _)| other != name);
        let (can, cannot): (Vec<Named>, Vec<Named>) = all.into_iter().partition(|(name, _)| can_be(name));
        let too_slow = |test: &Backtest| Some((test.device.clone(), behind(&test.output, mean)?));
        let mut tests = self.run_all(can)?;
        let mut lifted = None;
        if tests.iter().all(|test| too_slow(test).is_some())
            && let Some(higher) = self.disk.and_then(|disk| nearest_below(&cannot, devices, disk))
        {
            tests.extend(self.run_all(vec![self.predicted(measured, &higher)?])?);
            lifted = Some(higher);
        }
        if measured.cpu_is_measured && tests.iter().all(|test| too_slow(test).is_some()) {
            // The server met this demand. If as many clients can't on any device, the time of a unit of work is wrong, and not
            // what is flushed: more clients stand for each, as where that time is not known (there these runs were just made).
            let freed = measured.with_unknown_cpu();
            let of_test = |test: &Backtest| {
                let device = devices.iter().chain(&lifted).find(|(name, _)| *name == test.device)?;
                Some(self.predicted(&freed, device))
            };
            tests = self.run_all(tests.iter().filter_map(of_test).collect::<Result<Vec<Named>, String>>()?)?;
        }
        let (mut tests, out) = without_too_slow(tests, too_slow);
        tests.sort_by(|a, b| a.distance().total_cmp(&b.distance()));
        left_out.extend(out);
        Ok(Tested { tests, not_it: left_out, lifted })
    }

    /// Why a device can't be the disk, with its name.
    fn ruled_out(&self, (name, prediction): &Named) -> Option<(String, String)> {
        Some((name.clone(), ruled_out(&prediction.scenario.run.storage.data, self.disk?)?))
    }

    fn run_all(&self, named: Vec<Named>) -> Result<Vec<Backtest>, String> {
        let seconds: u64 = named.iter().map(|(_, p)| p.scenario.run.duration.whole_seconds()).sum();
        self.runner.stage("back-test", named.len(), seconds);
        let runs = in_parallel(&named, |(_, prediction)| {
            self.runner.execute(Job { scenario: &prediction.scenario, replication: 0 })
        });
        let one = |((device, prediction), output): (Named, Result<RunOutput, _>)| {
            let output = output.map_err(|error: innosim_core::server::RunError| error.to_string())?;
            let mut validation = compared(&prediction, &output, &self.recording.name)?;
            let disk = self.disk.map(|disk| DiskSeen::of(disk, &output));
            validation.metrics.extend(disk.as_ref().map(|seen| Metric {
                name: WRITTEN,
                observed: seen.disk.mean(|report| report.write_bytes),
                predicted: seen.write_bytes,
            }));
            let falls_from_limit = falls_from_limit(self.recording, &output);
            Ok(Backtest { device, clients: None, cpu_us: None, validation, output, disk, falls_from_limit })
        };
        named.into_iter().zip(runs).map(one).collect()
    }
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

/// Leaves out the tests that are told to be `too_slow`, by name and reason, as long as one is left: where all are, it is
/// not for the device.
fn without_too_slow<T>(
    tests: Vec<T>,
    too_slow: impl Fn(&T) -> Option<(String, String)>,
) -> (Vec<T>, Vec<(String, String)>) {
    let said: Vec<(String, String)> = tests.iter().filter_map(&too_slow).collect();
    if said.len() == tests.len() {
        return (tests, Vec::new());
    }
    (tests.into_iter().filter(|test| too_slow(test).is_none()).collect(), said)
}

/// By how much of the load a run falls behind at worst, as a sentence; `None` if by no more than it may.
fn behind(output: &RunOutput, load_a_second: f64) -> Option<String> {
    let most = output.series.iter().map(|second| second.arrivals_waiting).max()? as f64;
    let seconds = most / load_a_second.max(f64::MIN_POSITIVE);
    (seconds > MOST_BEHIND_S).then(|| {
        format!(
            "with the recorded settings it falls {seconds:.0} s of the recorded load behind ({most:.0} units of work), which \
             the server did as it came"
        )
    })
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
    use innosim_core::metrics::SecondSample;
    use innosim_core::server::RunError;
    use innosim_core::workload::DriveSpec;
    use innosim_recordings::find;
    use std::path::Path;
    use std::sync::Mutex;

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
            let second = |second| SecondSample { second, transactions: 40, ..SecondSample::default() };
            Ok(RunOutput { series: (1..=job.seconds()).map(second).collect(), ..RunOutput::default() })
        }
    }

    /// Its throughput is predicted, and judged. Which of several devices it is, the recorded demand tells.
    #[test]
    fn a_closed_loop_is_driven_by_its_clients() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings/mysql97/wo-closed-256-ssdsmall");
        let mut recording = find(&path).unwrap().remove(0).as_unknown_load().unwrap().recording;
        recording.phases.iter_mut().for_each(|phase| phase.rate = None);
        let clients = Demand::of(&recording).unwrap().closed;
        assert!(clients.is_some());
        let on = |profiles: &[&str]| {
            let device = |name: &&str| ((*name).to_owned(), Device::Profile((*name).to_owned()));
            let devices: Vec<(String, Device)> = profiles.iter().map(device).collect();
            let runner = Slow::default();
            let tested = backtest(&recording, &devices, None, None, &runner).unwrap();
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

    /// A spike that the server held rules out a device on which it queues, although the queue is gone in the end.
    #[test]
    fn a_device_that_falls_behind_the_recorded_load_is_not_the_one() {
        let second = |arrivals_waiting| SecondSample { arrivals_waiting, ..SecondSample::default() };
        let run = |waiting| RunOutput { series: vec![second(0), second(waiting), second(0)], ..RunOutput::default() };
        let too_slow = |waiting: &u64| Some((format!("device {waiting}"), behind(&run(*waiting), 1000.0)?));
        let (left, out) = without_too_slow(vec![9000, 4000], too_slow);
        assert_eq!((left, out.len()), (vec![4000], 1));
        assert!(out[0].0 == "device 9000" && out[0].1.contains("9 s of the recorded load behind"), "{out:?}");
        let (left, out) = without_too_slow(vec![9000, 90_000], too_slow);
        assert!(left.len() == 2 && out.is_empty(), "what all devices fall behind with is not for the device");
    }
}
