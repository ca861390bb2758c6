//! `advise`: from whatever was recorded of a server to the settings to try.
//!
//! ```text
//!   recording --as_unknown_load--> work, redo, ages                 what is missing is said, with what brings it
//!      counters --shortage, outside--> refused at once where they rule an answer out
//!      first half  --measured--> spectrum, redo, CPU   --backtest--> second half predicted; refused if badly
//!      all of it   --measured--> load --text--> scenario --recommend--> settings
//!                                  |-- what the spectrum or the device leaves open: searched again --> interval
//! ```
//!
//! Of a closed loop the search begins beside the back-test, as if that were to confirm the load, and counts if it does.
//!
//! Nothing is assumed about tables and statements: pages are those of the write spectrum (`innosim_spectrum`), the demand is
//! the recorded one. Calibration, comparison and search are those of `calibrate`, `validate` and `recommend`.
//!
//! Simplifications: a recording longer than two hours is measured whole and back-tested on its two busiest hours. Settings are
//! searched under an even load: the mean, or the busiest minute of a load that moves (which errs towards more flushing).

mod alike;
mod backtest;
mod closed;
mod conclusion;
mod courses;
mod demand;
mod disk;
mod evidence;
mod measured;
mod neighbors;
mod outside;
mod sentences;
mod shortage;
mod subject;
mod text;
mod unknown;

pub use backtest::{Backtest, Reproduced};
pub use courses::Course;
pub use disk::DiskSeen;
pub(crate) use disk::ruled_out;
pub use neighbors::WithoutNeighbors;
pub use sentences::{not_known, why};
pub use unknown::{Prepared, dirty_pages_told, prepare};

use crate::calibrate::{Device, NO_CPU_DEMAND, file_system_is_assumed};
use crate::recommend::{
    Answer, Goal, Point, Question, RecommendError, Setting, TrialRunner, best_setting, recommend_and_show,
};
use backtest::Next;
use demand::Demand;
use innosim_recordings::{Missing, Recording, UnknownLoad, understood_settings};
use innosim_scenario::{Overrides, Source};
use innosim_spectrum::AgesUsed;
use innosim_statistics::mean;
use measured::Measured;
use std::sync::{Mutex, PoisonError};
use subject::{Findings, Subject};

/// Length of runs where the checkpoint age stands at its limit and falls from it.
const OUTLAST_WAVES: &str = "600s";
/// Spread of what the evidence leaves open from which on it is searched at both ends.
const OPEN: f64 = 0.10;
/// Devices that are searched besides the one that fits best, where none was measured.
const OTHER_DEVICES: usize = 2;
/// So many times as large a mean age as in the first half is one that was still growing.
const GROWN: f64 = 1.5;

/// What is asked.
#[derive(Debug)]
pub struct Request<'a> {
    /// All that was recorded.
    pub recording: &'a Recording,
    /// The device that was measured or named, or else those that are plausible, with their names.
    pub devices: Vec<(String, Device)>,
    /// What "best" means.
    pub goal: Goal,
    /// Whether the redo log may change.
    pub redo: bool,
    /// The load to advise for, as a multiple of the recorded one.
    pub load: f64,
    /// Seed of all runs, if not the default.
    pub seed: Option<u64>,
    /// Settings that the search takes besides those that were recorded; the back-test does not.
    pub set: Vec<String>,
    /// Simulated time of the search's runs, if not by the redo log.
    pub duration: Option<String>,
    /// Runs of each setting that could be the answer.
    pub replications: u32,
    /// Whether to advise although the back-test failed.
    pub anyway: bool,
    /// Whether the present and the advised setting are to be run once more for their series.
    pub courses: bool,
}

/// What the load was found to be.
#[derive(Debug, Clone)]
pub struct LoadFound {
    /// What a unit of work is.
    pub unit: String,
    /// Units a second, and clients if throughput is the server's to make.
    pub rate: f64,
    /// See `rate`.
    pub clients: Option<u32>,
    /// Redo of a unit, bytes.
    pub redo_bytes: f64,
    /// CPU time of a unit, µs, and whether it was measured.
    pub cpu_us: (f64, bool),
    /// Share of the processors that was busy, where CPU time was recorded.
    pub busy_share: Option<f64>,
    /// Bins: modifications of a page a unit of work, pages.
    pub bins: Vec<(f64, f64)>,
    /// Pages that are freed before their turn: dirty, and never written.
    pub freed_pages: f64,
    /// Largest age that was seen, bytes of redo.
    pub largest_age: f64,
    /// Dirty pages at that age, and at twice of it, each with the least and the most that the evidence allows.
    pub dirty: [(f64, f64, f64); 2],
    /// Whether ages moved enough to tell more than one point.
    pub shape_is_told: bool,
    /// Whether the log sequence number or the checkpoint was derived because it was not recorded.
    pub age_is_derived: bool,
    /// What was derived because it was not recorded, and what is doubtful.
    pub remarks: Vec<String>,
}

/// An answer in one of the worlds that the evidence allows.
#[derive(Debug, Clone)]
pub struct World {
    /// What is different there.
    pub name: String,
    /// The best setting there; `None` if there is none.
    pub best: Option<Point>,
}

/// What is advised.
#[derive(Debug, Clone)]
pub struct Advice {
    /// The load.
    pub load: LoadFound,
    /// Name of the device that the answer is for; `None` if none was tried.
    pub device: Option<String>,
    /// Devices that its disk can't be, with why.
    pub not_the_device: Vec<(String, String)>,
    /// Whether the file system of the data was taken for ext4 because none was recorded.
    pub file_system_is_assumed: bool,
    /// The back-test on it; `None` if counters ruled an answer out before.
    pub backtest: Option<Backtest>,
    /// The answer; `None` if the back-test was too bad.
    pub answer: Option<Answer>,
    /// What single pages bring where the checkpoint age stands at its limit and neighbours are flushed.
    pub neighbors: Option<WithoutNeighbors>,
    /// Answers where the evidence leaves something open.
    pub worlds: Vec<World>,
    /// What of this load or server the model was not compared with, a sentence each without its full stop.
    pub outside: Vec<String>,
    /// Why nothing is advised.
    pub refused: Option<String>,
    /// Worlds that were not searched because the time was over.
    pub worlds_left_out: Vec<String>,
    /// What would turn the answer, and should be measured first.
    pub caution: Option<String>,
    /// The scenario that was searched.
    pub scenario: String,
    /// The present and the best setting second by second, if asked for.
    pub courses: Vec<Course>,
}

impl Advice {
    /// Whether the latency came out as it was recorded, so that it is told.
    pub fn latency_is_predicted(&self) -> bool {
        self.backtest.as_ref().is_some_and(|test| test.latency() == Reproduced::Yes)
    }
}

/// Why there is no advice.
#[derive(Debug, thiserror::Error)]
pub enum AdviseError {
    /// Too little was recorded.
    #[error("too little is there to advise on")]
    Missing(Vec<Missing>),
    /// What was recorded makes no load.
    #[error("{0}")]
    NoLoad(String),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] RecommendError),
}

/// Measures, back-tests, searches.
///
/// # Errors
/// [`AdviseError`] if too little was recorded, or a run fails.
pub fn advise(request: &Request<'_>, runner: &dyn TrialRunner) -> Result<Advice, AdviseError> {
    let subject = Subject::new(request, runner)?;
    let outside = outside::outside(&subject.unknown.recording);
    let ruled_out = shortage::free_pages_are_short(request.recording).or_else(|| outside::refusal(&outside));
    let ahead = Ahead::default();
    let begin = |device: &Device, us: f64, runner: &dyn TrialRunner| ahead.search(&subject, device, us, runner);
    let (findings, ruled_out) = found(&subject, ruled_out, &begin)?;
    let Findings { best, others, not_it, device, measured } = findings;
    let model = request.recording.model().map_err(AdviseError::NoLoad)?;
    let not_understood = understood_settings(request.recording, model).1;
    // The waves of an age that stands at its limit outlast the usual runs: one long run of each setting.
    let long = best.as_ref().is_some_and(|best| best.falls_from_limit);
    let mut advice = Advice {
        load: load_found(&subject.unknown, &measured, &subject.demand, not_understood),
        device: best.as_ref().map(|best| best.device.clone()),
        not_the_device: not_it,
        file_system_is_assumed: file_system_is_assumed(&subject.unknown.recording, &device),
        refused: ruled_out.or_else(|| refusal(best.as_ref()?, &subject.unknown.recording)),
        outside: outside::said(&outside),
        caution: None,
        backtest: best,
        answer: None,
        neighbors: None,
        worlds: Vec::new(),
        worlds_left_out: Vec::new(),
        scenario: subject.scenario(&measured, &device)?,
        courses: Vec::new(),
    };
    if advice.refused.is_some() && !request.anyway {
        return Ok(advice);
    }
    let ahead = ahead.take(&advice.scenario).filter(|_| !long);
    let searched = ahead.map_or_else(|| Searched::new(request, &advice.scenario, long, runner), Ok);
    let Searched { answer, is_alike, courses } = match searched {
        Err(AdviseError::Search(RecommendError::OutOfTime)) => {
            advice.refused = Some(out_of_time("before the present setting was run"));
            return Ok(advice);
        }
        answered => answered?,
    };
    if is_alike {
        advice.neighbors = neighbors::without(request, &advice.scenario, &answer, runner)?;
    }
    // Where no setting is better than another, none is in a world beside it.
    let open = if is_alike { Vec::new() } else { worlds(&subject, &measured, &device, &others)? };
    search_worlds(
        &mut advice,
        open,
        |text| best_setting(&question(request, text, request.redo, 1, long), runner),
        runner,
    )?;
    (advice.refused, advice.caution) = conclusion::conclude(&answer, &advice.worlds_left_out);
    advice.courses = courses;
    advice.answer = Some(answer);
    Ok(advice)
}

/// What is found out before the search, and why there is none: counters ruled it out, or the time was over.
fn found(
    subject: &Subject<'_>,
    ruled_out: Option<String>,
    next: &Next<'_>,
) -> Result<(Findings, Option<String>), AdviseError> {
    if ruled_out.is_some() && !subject.request.anyway {
        return Ok((subject.unsearched()?, ruled_out));
    }
    match subject.findings(next) {
        Err(AdviseError::Search(RecommendError::OutOfTime)) => {
            Ok((subject.unsearched()?, Some(out_of_time("in the back-test"))))
        }
        findings => Ok((findings?, ruled_out)),
    }
}

fn out_of_time(when: &str) -> String {
    format!("The time limit was over {when}. A longer --time-limit would tell")
}

/// A search that was made before the load was confirmed: the scenario, and what came of it.
#[derive(Default)]
struct Ahead(Mutex<Option<(String, Searched)>>);

impl Ahead {
    /// Searches, as if the CPU time of a closed loop were that of the whole recording, and its age did not fall from its limit.
    fn search(&self, subject: &Subject<'_>, device: &Device, us: f64, runner: &dyn TrialRunner) {
        let scenario = subject.confirmed(us).ok().and_then(|measured| subject.scenario(&measured, device).ok());
        let made = scenario.and_then(|text| {
            let searched = Searched::new(subject.request, &text, false, runner).ok()?;
            Some((text, searched))
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = made;
    }

    /// What came of the search of a scenario, if it was that one.
    fn take(self, scenario: &str) -> Option<Searched> {
        let made = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.filter(|(text, _)| text == scenario).map(|(_, searched)| searched)
    }
}

/// What comes of a search.
struct Searched {
    answer: Answer,
    /// Whether every setting does alike.
    is_alike: bool,
    courses: Vec<Course>,
}

impl Searched {
    fn new(
        request: &Request<'_>,
        scenario: &str,
        falls_from_limit: bool,
        runner: &dyn TrialRunner,
    ) -> Result<Searched, AdviseError> {
        let replications = if falls_from_limit { 1 } else { request.replications };
        let course = |setting: &Setting, runner: &dyn TrialRunner| courses::course(request, scenario, setting, runner);
        let ask = |redo| {
            let question = question(request, scenario, redo, replications, falls_from_limit);
            recommend_and_show(&question, runner, &course)
        };
        let (mut answer, mut courses) = ask(request.redo)?;
        let is_alike = alike::keep_if_alike(&mut answer, falls_from_limit);
        if answer.refused().is_some() && !answer.best.is_answer && !request.redo && !runner.time_is_up() {
            // No I/O capacity will do with this redo log: perhaps one will with a larger one.
            let larger = ask(true)?;
            (answer, courses) = if larger.0.best.is_answer { larger } else { (answer, courses) };
        }
        courses.retain(|course| [answer.current.point, answer.best.point].contains(&course.point));
        Ok(Searched { answer, is_alike, courses })
    }
}

/// Searches each world beside the measured one, until the time is up.
fn search_worlds(
    advice: &mut Advice,
    worlds: Vec<(String, String)>,
    best_setting: impl Fn(&str) -> Result<Option<Point>, RecommendError>,
    runner: &dyn TrialRunner,
) -> Result<(), AdviseError> {
    for (name, text) in worlds {
        match best_setting(&text) {
            Ok(best) if !runner.time_is_up() => advice.worlds.push(World { name, best }),
            Ok(_) | Err(RecommendError::OutOfTime) => advice.worlds_left_out.push(name),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn question<'a>(request: &'a Request<'_>, text: &'a str, redo: bool, replications: u32, long: bool) -> Question<'a> {
    Question {
        source: Source::Text { name: &request.recording.name, text },
        common: Overrides {
            seed: request.seed,
            set: request.set.clone(),
            duration: request.duration.clone().or_else(|| long.then(|| OUTLAST_WAVES.to_owned())),
            ..Overrides::default()
        },
        goal: request.goal,
        redo,
        replications,
        far: long,
    }
}

/// Scenarios of what the evidence leaves open.
fn worlds(
    subject: &Subject<'_>,
    measured: &Measured,
    device: &Device,
    others: &[Backtest],
) -> Result<Vec<(String, String)>, AdviseError> {
    let mut worlds = Vec::new();
    let fit = &measured.fit;
    let at = fit.ages.high;
    let is_open = |age: f64| {
        let (value, range) = measured.dirty(age);
        range.high - range.low > 2.0 * OPEN * value
    };
    if is_open(at) || is_open(2.0 * at) {
        let [least, most] = fit.extremes();
        for (name, spectrum) in [("fewest rarely written pages", least), ("most rarely written pages", most)] {
            worlds.push((name.to_owned(), subject.scenario(&measured.with_spectrum(spectrum), device)?));
        }
    }
    for test in others.iter().filter(|test| test.failures().is_empty()).take(OTHER_DEVICES) {
        let other = subject.request.devices.iter().find(|(name, _)| *name == test.device);
        if let Some((name, other)) = other {
            worlds.push((format!("device {name}"), subject.scenario(measured, other)?));
        }
    }
    Ok(worlds)
}

/// Why a back-test that came out like this lets nothing be advised.
fn refusal(test: &Backtest, recording: &Recording) -> Option<String> {
    let failures = test.failures();
    if failures.is_empty() {
        return None;
    }
    let one = |metric: &&crate::validate::Metric| match metric.error() {
        Some(error) => format!("{} by {:+.0} %", metric.name, 100.0 * error),
        None => format!("{}, of which nothing was recorded", metric.name),
    };
    let list: Vec<String> = failures.iter().map(one).collect();
    let why = match grown_age(recording) {
        Some([first, second]) => format!(
            "The checkpoint age was still growing, from {first:.0} MiB in the mean of the first half to {second:.0} MiB in that of the second: how \
             many pages are dirty at such an age could not be seen before. Record once it is at rest"
        ),
        None => {
            "Did the load or a setting change in the middle, or does the data outgrow the buffer pool? Record longer"
                .to_owned()
        }
    };
    let list = list.join(", ");
    Some(format!(
        "what the first half of the recording tells predicts its second half badly: {list}. {why}, or give --anyway"
    ))
}

/// Mean checkpoint age of the two halves of a recording, MiB, if the second is much larger.
fn grown_age(recording: &Recording) -> Option<[f64; 2]> {
    let (start, end) = recording.load_window();
    let middle = (start + end) / 2.0;
    let mib = |from, to| {
        let ages: Vec<f64> = recording.between(from, to).checkpoint_age()?.present().collect();
        Some(mean(&ages)? / 1_048_576.0)
    };
    let (first, second) = (mib(start, middle)?, mib(middle, end)?);
    (second > GROWN * first).then_some([first, second])
}

/// What was derived because it was not recorded, and what is doubtful.
fn remarks(unknown: &UnknownLoad, measured: &Measured, refused: Vec<String>) -> Vec<String> {
    // Settings that the model refuses.
    let mut remarks = refused;
    remarks.extend(unknown.recording.flushes_neighbors().err());
    if !unknown.lsn_is_recorded {
        remarks.push(
            "the log sequence number was not recorded; redo is Innodb_os_log_written less the blocks written twice"
                .to_owned(),
        );
    }
    if !unknown.checkpoint_is_recorded {
        remarks.push(
            "the checkpoint was not recorded; its age follows from the order in which pages became dirty and were flushed"
                .to_owned(),
        );
    }
    if !measured.fit.shape_is_told {
        remarks.push(
            "the checkpoint age hardly moved while it was recorded, so counters tell dirty pages at this age alone: what \
             larger or smaller ages bring is a range. Cheapest next: page ages (innosim page-ages on a backup), or samples while \
             innodb_io_capacity is halved for as long as the redo log takes to turn"
                .to_owned(),
        );
    }
    remarks.extend(measured.outgrown.map(|outgrown| {
        let known = if unknown.recording.data.pages() == Some(outgrown.data_pages) {
            "by the sizes of tables"
        } else {
            "three times the pool, as no sizes of tables were recorded"
        };
        format!(
            "{:.2} pages a unit of work miss the buffer pool. The data are taken to have {:.0} pages ({known}), and those that leave the pool \
             early to be touched so rarely that as many miss",
            outgrown.misses, outgrown.data_pages
        )
    }));
    match measured.ages_used {
        AgesUsed::All => {}
        AgesUsed::Recorded => remarks.push(
            "page ages beyond the recorded redo are left out: by the dirty pages that were recorded they come from \
             another load"
                .to_owned(),
        ),
        AgesUsed::None => remarks.push(
            "page ages are left out: the dirty pages that were recorded contradict them. Are they of the same server and \
             load, and counted back from its log sequence number?"
                .to_owned(),
        ),
    }
    if measured.first_reads > 0.0 {
        remarks.push(format!(
            "{:.2} pages a unit of work were read into free frames of the buffer pool: it was filling, and that is left \
             out of what is simulated",
            measured.first_reads
        ));
    }
    let cpu = measured.calibration.parameters.iter().find(|parameter| parameter.name == "cpu");
    if let Some(cpu) = cpu.filter(|_| !measured.cpu_is_measured) {
        remarks.push(format!("CPU time of a unit of work: {}", cpu.method));
    }
    remarks.extend(measured.throughput_is_off.clone());
    // Here it is not the workload's default that stands for it.
    remarks.extend(measured.calibration.undetermined.iter().filter(|remark| *remark != NO_CPU_DEMAND).cloned());
    remarks
}

fn load_found(unknown: &UnknownLoad, measured: &Measured, demand: &Demand, refused: Vec<String>) -> LoadFound {
    let fit = &measured.fit;
    let dirty = [1.0, 2.0].map(|turns| {
        let (value, range) = measured.dirty(turns * fit.ages.high);
        (value, range.low, range.high)
    });
    LoadFound {
        unit: unknown.unit.clone(),
        rate: demand.closed.map_or_else(|| demand.level(), |_| demand.settled),
        clients: demand.closed,
        redo_bytes: measured.redo(),
        busy_share: measured::busy_share(&unknown.recording),
        cpu_us: (measured.calibration.get("cpu").unwrap_or(0.0), measured.cpu_is_measured),
        bins: measured.spectrum.bins.iter().map(|bin| (bin.rate, bin.pages)).collect(),
        freed_pages: measured.spectrum.freed.map_or(0.0, |bin| bin.pages),
        largest_age: fit.ages.high * measured.redo(),
        dirty,
        shape_is_told: fit.shape_is_told,
        age_is_derived: !unknown.lsn_is_recorded || !unknown.checkpoint_is_recorded,
        remarks: remarks(unknown, measured, refused),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::Job;
    use crate::testing::{recorded, run_of};
    use innosim_core::metrics::{RunOutput, SecondSample};
    use innosim_core::server::RunError;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts the runs that it is asked for, and makes none.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl TrialRunner for Counting {
        fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(run_of(job, |second| SecondSample { second, ..SecondSample::default() }))
        }
    }

    /// A request with one known device and no wishes.
    pub(super) fn plain(recording: &Recording) -> Request<'_> {
        Request {
            recording,
            devices: vec![("nvme".to_owned(), Device::Profile("nvme".to_owned()))],
            goal: Goal::Throughput,
            redo: false,
            load: 1.0,
            seed: None,
            set: Vec::new(),
            duration: None,
            replications: 1,
            anyway: false,
            courses: false,
        }
    }

    /// A refused back-test says so, rather than that the load changed.
    #[test]
    fn an_age_that_still_grows_is_told_from_one_at_rest() {
        let grown = |name: &str| grown_age(&recorded(name).as_unknown_load().unwrap().recording);
        let [first, second] = grown("mysql97/uni4k-256-io500").unwrap();
        assert!((first - 62.1).abs() < 0.1 && (second - 171.6).abs() < 0.1, "{first} {second}");
        assert_eq!(grown("mysql97/wo-closed-256-ssdsmall"), None);
    }

    /// The counters alone refuse: no back-test is made, and no search.
    #[test]
    fn counters_that_rule_an_answer_out_cost_no_run() {
        let recording = outside::tests::recording(&[("buffer_flush_batch_total_pages", 40.0)], &[], "");
        let request = |anyway| Request { anyway, ..plain(&recording) };
        let runner = Counting::default();
        let advice = advise(&request(false), &runner).unwrap();
        assert!(advice.refused.unwrap().contains("60 % of all pages are written to make room"));
        assert!(advice.backtest.is_none() && advice.answer.is_none() && advice.scenario.contains("profile = \"nvme\""));
        assert_eq!(runner.0.load(Ordering::Relaxed), 0);
        let _ = advise(&request(true), &runner);
        assert!(runner.0.load(Ordering::Relaxed) > 0, "--anyway");
    }
}
