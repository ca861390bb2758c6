//! What advice is for: one server's load, its back-test, and the scenario that is searched.

use super::backtest::{Backtest, Next, Tested, backtest};
use super::closed;
use super::demand::Demand;
use super::measured::Measured;
use super::text::{Drive, Wanted, usual_state};
use super::{AdviseError, Request};
use crate::calibrate::{Device, Others};
use crate::recommend::{RecommendError, TrialRunner};
use innosim_recordings::{Recording, UnknownLoad};

/// Longest stretch that is simulated, seconds.
const LONGEST_S: f64 = 7200.0;
/// Length of the search's scenario: runs take two and a half turns of the redo log of it.
const SEARCH_S: f64 = 6000.0;

/// What advice is for.
pub(super) struct Subject<'a> {
    pub(super) request: &'a Request<'a>,
    runner: &'a dyn TrialRunner,
    /// All of the recording, as that of an unknown load.
    pub(super) unknown: UnknownLoad,
    /// The part that is simulated.
    telling: Recording,
    pub(super) demand: Demand,
}

/// The load and the device that it was found to run on, or the first of those that it could be.
pub(super) struct Findings {
    /// The back-test there, if one was made.
    pub(super) best: Option<Backtest>,
    /// Those of other devices, the better first.
    pub(super) others: Vec<Backtest>,
    /// Devices that its disk can't be, with why.
    pub(super) not_it: Vec<(String, String)>,
    pub(super) device: Device,
    pub(super) measured: Measured,
}

impl<'a> Subject<'a> {
    /// The load that was recorded.
    pub(super) fn new(request: &'a Request<'a>, runner: &'a dyn TrialRunner) -> Result<Self, AdviseError> {
        let unknown = request.recording.as_unknown_load().map_err(AdviseError::Missing)?;
        let telling = busiest(&unknown.recording);
        let demand =
            Demand::of(&telling).ok_or_else(|| no_load(request, runner, "work was counted only once".to_owned()))?;
        Ok(Subject { request, runner, unknown, telling, demand })
    }

    /// Measures it as far as that takes no run.
    pub(super) fn unsearched(&self) -> Result<Findings, AdviseError> {
        let device = self.request.devices.first().map(|(_, device)| device.clone()).unwrap_or_default();
        let measured = Measured::of(&self.unknown.recording).map_err(|why| no_load(self.request, self.runner, why))?;
        Ok(Findings { best: None, others: Vec::new(), not_it: Vec::new(), device, measured })
    }

    /// Back-tests and measures it. What is `next` is begun beside the back-test of a closed loop, for the case that it is confirmed.
    pub(super) fn findings(&self, next: &Next<'_>) -> Result<Findings, AdviseError> {
        let request = self.request;
        let disk = self.telling.disk_use();
        let no_load = |why| no_load(request, self.runner, why);
        let Tested { tests: mut others, not_it, lifted } =
            backtest(&self.telling, &request.devices, request.seed, disk.as_ref(), self.runner, next)
                .map_err(no_load)?;
        let best = others.remove(0);
        let device = request.devices.iter().chain(&lifted).find(|(name, _)| *name == best.device);
        let device = device.map(|(_, device)| device.clone()).unwrap_or_default();
        let measured = self.measured(&device, &best).map_err(no_load)?;
        Ok(Findings { best: Some(best), others, not_it, device, measured })
    }

    /// The load on a device. The CPU time of a closed loop is that of the back-test, if the whole recording comes out with it, or is found
    /// out from there.
    fn measured(&self, device: &Device, test: &Backtest) -> Result<Measured, String> {
        if let Some(us) = test.cpu_us.filter(|_| test.throughput_is_within(closed::CLOSE)) {
            return self.confirmed(us);
        }
        let mut measured = Measured::of(&self.unknown.recording)?;
        let Some(clients) = self.demand.closed else { return Ok(measured) };
        if let Some(us) = test.cpu_us {
            measured.guess_cpu(us);
        }
        closed::take_throughput(&mut measured, &self.telling, &self.demand, clients, device, 0.0, self.runner)?;
        Ok(measured)
    }

    /// The load of a closed loop, if the CPU time of a unit of work is that of the whole recording.
    pub(super) fn confirmed(&self, us: f64) -> Result<Measured, String> {
        let mut measured = Measured::of(&self.unknown.recording)?;
        if let Some(clients) = self.demand.closed {
            measured.guess_cpu(us);
            closed::take_found(&mut measured, clients, us);
        }
        Ok(measured)
    }

    /// The scenario that is searched.
    pub(super) fn scenario(&self, measured: &Measured, device: &Device) -> Result<String, AdviseError> {
        let wanted = Wanted {
            target: &self.telling,
            load: measured,
            demand: &self.demand,
            drive: drive_of(&self.demand, self.request.load),
            device,
            length: (SEARCH_S, "auto"),
            others: Others::InTheMean,
            start: usual_state(&self.telling),
        };
        wanted.toml().map_err(|why| no_load(self.request, self.runner, why))
    }
}

fn no_load(request: &Request<'_>, runner: &dyn TrialRunner, why: String) -> AdviseError {
    match runner.time_is_up() {
        true => AdviseError::Search(RecommendError::OutOfTime),
        false => AdviseError::NoLoad(format!("{}: {why}", request.recording.name)),
    }
}

fn drive_of(demand: &Demand, factor: f64) -> Drive {
    match demand.closed {
        Some(clients) => Drive::Closed((f64::from(clients) * factor).round().max(1.0) as u32),
        None => Drive::Even(demand.level() * factor),
    }
}

/// The two busiest hours of a recording, or all of a shorter one.
fn busiest(recording: &Recording) -> Recording {
    let (start, end) = recording.load_window();
    if end - start <= LONGEST_S {
        return recording.clone();
    }
    let Some(demand) = Demand::of(recording) else { return recording.clone() };
    let within = |from: f64| {
        let inside = demand.pieces.iter().filter(|(at, _)| *at >= from && *at < from + LONGEST_S);
        inside.map(|(_, rate)| rate).sum::<f64>()
    };
    let starts = demand.pieces.iter().map(|(at, _)| *at).filter(|at| at + LONGEST_S <= end);
    let from = starts.max_by(|a, b| within(*a).total_cmp(&within(*b)).then(b.total_cmp(a))).unwrap_or(start);
    recording.between(from, from + LONGEST_S).begun_before(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::tests::plain;
    use crate::runner::Job;
    use crate::testing::{recorded, run_of};
    use innosim_core::metrics::{RunOutput, SecondSample};
    use innosim_core::server::RunError;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A server that does so many units of work a second, in runs of half a recording's length and in longer ones, whatever they take. It
    /// counts its runs.
    struct Steady {
        half_s: f64,
        rates: [f64; 2],
        runs: AtomicUsize,
    }

    impl TrialRunner for Steady {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            self.runs.fetch_add(1, Ordering::Relaxed);
            let rate = self.rates[usize::from(job.seconds() as f64 > 1.5 * self.half_s)];
            Ok(run_of(job, |second| SecondSample { second, transactions: rate as u64, ..SecondSample::default() }))
        }
    }

    /// The CPU time with which the back-test comes to the recorded throughput is that of the load: no run looks for it again, and what is
    /// searched beside the back-test is that load.
    #[test]
    fn a_cpu_time_that_the_back_test_confirms_is_not_looked_for_again() {
        let recording = recorded("mysql97/wo-closed-256-ssdsmall");
        let request = plain(&recording);
        let telling = busiest(&recording.as_unknown_load().unwrap().recording);
        let (start, end) = telling.load_window();
        let half_s = (end - start) / 2.0;
        let half = |from: f64| Demand::of(&telling.between(from, from + half_s)).unwrap().settled;
        let rates = [half(start), half(start + half_s)];
        let runs = |off: f64| {
            let runner = Steady { half_s, rates: [rates[0], off * rates[1]], runs: AtomicUsize::new(0) };
            let mut subject = Subject::new(&request, &runner).unwrap();
            subject.telling.phases.iter_mut().for_each(|phase| phase.rate = None);
            subject.demand = Demand::of(&subject.telling).unwrap();
            let begun = Mutex::new(Vec::new());
            let next = |device: &Device, us: f64, _: &dyn TrialRunner| {
                let load = subject.confirmed(us).unwrap();
                begun.lock().unwrap().push(subject.scenario(&load, device).unwrap());
            };
            let Findings { measured, device, .. } = subject.findings(&next).unwrap();
            let mut parameters = measured.calibration.parameters.iter();
            let is_found = parameters.any(|parameter| parameter.method.starts_with("what brings"));
            let is_searched = begun.into_inner().unwrap() == [subject.scenario(&measured, &device).unwrap()];
            (runner.runs.into_inner(), is_found, is_searched)
        };
        assert_eq!(runs(1.0), (2, true, true), "the run that finds it, and the back-test beside the search");
        let (made, _, is_searched) = runs(0.98);
        assert!(made > 2 && !is_searched);
    }
}
