//! The search, the what-if and the verdict on made-up servers, whose best setting is known.

use super::*;
use crate::runner::{IsEnough, Job};
use innosim_core::metrics::{RunOutput, SecondSample};
use innosim_core::seam::AgeLimits;
use innosim_core::server::RunError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that runs in waves below an edge and wastes the device above it.
struct MadeUp {
    /// Pages a second below which it runs in waves.
    edge: f64,
    /// The edge moves with this power of the working set.
    power: f64,
    /// Until then its checkpoint age rises.
    settles_s: u64,
    /// From here on more pages a second cost nothing: the device does no more.
    device_limit: f64,
    /// Below the edge it depends on sync flushing instead of waves.
    syncs: Option<Syncs>,
    /// In all replications but the first, the edge lies this many times as high.
    luck: f64,
    /// Pages a second below which its age stands at the limit.
    full_below: f64,
    /// Pages a second below which it stalls when it is stressed, and for how many seconds.
    stumbles: (f64, u64),
    /// The setting that is a tenth faster with a smaller working set.
    faster_with_less: u64,
    runs: AtomicUsize,
}

/// How a server does that depends on sync flushing.
#[derive(Clone, Copy)]
struct Syncs {
    /// Its throughput, a share of what it has at the edge.
    share: f64,
    /// Whether its users feel no stall when it is stressed.
    survives: bool,
    /// Whether the age is at its limit above the edge too.
    is_full: bool,
    /// Whether it is at its limit below the edge.
    is_full_below: bool,
}

impl MadeUp {
    fn new(edge: f64, power: f64) -> MadeUp {
        MadeUp {
            edge,
            power,
            settles_s: 0,
            device_limit: f64::INFINITY,
            syncs: None,
            luck: 1.0,
            full_below: 0.0,
            stumbles: (0.0, 0),
            faster_with_less: 0,
            runs: AtomicUsize::new(0),
        }
    }
}

fn pages(scenario: &Scenario) -> f64 {
    scenario.run.workload.page_sets.iter().map(|set| set.pages).sum::<u64>() as f64
}

fn published(name: &'static str) -> Source<'static> {
    Source::Shipped(name)
}

impl TrialRunner for MadeUp {
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let nominal = pages(&innosim_scenario::load(Source::Shipped("7000-bpi32"), &Overrides::default()).unwrap());
        let max = job.scenario.settings.integer("innodb_io_capacity_max").unwrap() as f64;
        let redo = job.scenario.settings.integer("innodb_log_file_size").unwrap() as f64 / (10u64 << 30) as f64;
        let edge = self.edge * (pages(job.scenario) / nominal).powf(self.power) / redo.sqrt()
            * if job.replication > 0 { self.luck } else { 1.0 };
        let below = max < edge;
        let stressed = job.scenario.run.dirty_start.is_some();
        let waves = below && self.syncs.is_none_or(|syncs| stressed && !syncs.survives);
        let stumbles = |second: u64| stressed && max < self.stumbles.0 && second <= self.stumbles.1;
        let share = self.syncs.filter(|_| below).map_or(1.0, |syncs| syncs.share);
        let level = 9000.0 * redo.powf(0.25) - (max.min(self.device_limit) - edge).max(0.0) * 0.3
            + 5.0 * f64::from(job.replication % 2);
        let is_faster = max as u64 == self.faster_with_less && pages(job.scenario) < nominal;
        let level = share * level * if is_faster { 1.1 } else { 1.0 };
        let second = |second: u64| {
            let dips = if stressed { (second / 5).is_multiple_of(3) } else { (second / 60).is_multiple_of(2) };
            let tps = if waves && dips || stumbles(second) { level / 3.0 } else { level };
            SecondSample {
                second,
                transactions: tps as u64,
                sync_flushing: below,
                redo_generated_bytes: 28_000_000,
                checkpoint_age_bytes: 1000 + 4_000_000 * second.min(self.settles_s),
                pages_flushed: max as u64,
                device_write_bytes: max as u64 * 32_768,
                ..SecondSample::default()
            }
        };
        let limit = (17.9 * redo * (1u64 << 30) as f64) as u64;
        // So far away that no age meets it.
        let is_full =
            self.syncs.is_some_and(|syncs| syncs.is_full || below && syncs.is_full_below) || max < self.full_below;
        let async_bytes = if is_full { 1 } else { 10 * limit };
        let age_limits = AgeLimits { async_bytes, stop_bytes: limit, ..AgeLimits::default() };
        Ok(RunOutput {
            series: (1..=job.scenario.run.duration.0 / 1_000_000_000).map(second).collect(),
            age_limits,
            ..RunOutput::default()
        })
    }
}

/// The same server, whose runs end early.
struct Early<'a>(&'a MadeUp);

impl TrialRunner for Early<'_> {
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
        self.0.execute(job)
    }

    fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        let mut output = self.0.execute(job)?;
        let so_far = |seconds: &usize| is_enough(&output.series[..*seconds], &output.age_limits);
        let seconds = (1..output.series.len()).find(so_far).unwrap_or(output.series.len());
        output.series.truncate(seconds);
        Ok(output)
    }
}

/// The present and the best setting are shown, in runs as long as those of the search come to be, whatever the number of threads.
#[test]
fn what_is_shown_is_what_the_search_came_to() {
    let question = |name| Question {
        source: published(name),
        common: Overrides::default(),
        goal: Goal::Throughput,
        redo: false,
        replications: 2,
        far: false,
    };
    let show = |setting: &Setting, _: &dyn TrialRunner| Ok(Some((setting.point, setting.plan.clone())));
    let shown = |threads: usize, name, server: &MadeUp| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (answer, shown) = pool.install(|| recommend_and_show(&question(name), server, &show)).unwrap();
        assert_eq!(shown[0], (answer.current.point, answer.plan.clone()));
        assert!(shown.iter().all(|(_, plan)| *plan == answer.plan));
        let others: Vec<Point> = shown[1..].iter().map(|(point, _)| *point).collect();
        assert_eq!(others, Vec::from_iter((answer.best.point != answer.current.point).then_some(answer.best.point)));
        others.len()
    };
    for threads in [1, 3] {
        assert_eq!(shown(threads, "8000-bpi32", &MadeUp::new(4300.0, 0.0)), 1);
        assert_eq!(shown(threads, "wave-2000-4000", &MadeUp { settles_s: 3000, ..MadeUp::new(6300.0, 0.0) }), 1);
        // Whichever looks best at first, none is an answer.
        assert_eq!(shown(threads, "8000-bpi32", &MadeUp::new(1e9, 0.0)), 0);
    }
}

#[test]
fn runs_that_end_early_give_the_same_answer() {
    for (start, edge) in [("7000-bpi32", 6300.0), ("8000-bpi32", 4300.0), ("wave-2000-4000", 6300.0)] {
        let server = MadeUp::new(edge, 0.0);
        let question = Question {
            source: published(start),
            common: Overrides::default(),
            goal: Goal::Throughput,
            redo: false,
            replications: 3,
            far: false,
        };
        let early = recommend(&question, &Early(&server)).unwrap();
        let whole = recommend(&question, &server).unwrap();
        assert_eq!((early.best.point, early.refused()), (whole.best.point, whole.refused()), "{start}");
        assert_eq!((early.runs, whole.ended_early), (whole.runs, EndedEarly::default()));
        let saved = early.ended_early.saved_s as f64;
        assert!(early.ended_early.at_rest > 0 && early.ended_early.no_answer > 0 && saved > 0.5 * whole.simulated_s);
        assert_eq!(early.simulated_s + saved, whole.simulated_s);
        // Seconds are of the planned window in both.
        let sync = |answer: &Answer| answer.candidates[0].mean("sync_flush_seconds");
        assert!((sync(&early) - sync(&whole)).abs() < 1e-6, "{} {}", sync(&early), sync(&whole));
    }
}

fn ask(server: &MadeUp, name: &'static str, goal: Goal, redo: bool) -> Answer {
    let question =
        Question { source: published(name), common: Overrides::default(), goal, redo, replications: 3, far: false };
    recommend(&question, server).unwrap()
}

#[test]
fn the_best_is_found_within_a_step_from_either_side() {
    for (start, edge) in
        [("7000-bpi32", 6300.0), ("8000-bpi32", 4300.0), ("wave-2000-4000", 6300.0), ("7000-bpi32", 13_900.0)]
    {
        let server = MadeUp::new(edge, 0.0);
        let answer = ask(&server, start, Goal::Throughput, false);
        let best = answer.best.point.io_capacity_max as f64;
        assert!((edge..=edge + 1100.0_f64.min(edge / 10.0)).contains(&best), "{start}, {edge}: {best}");
        assert!(answer.best.sound && answer.best.replications == 3);
        assert_eq!(answer.refused(), None, "{start}");
        assert_eq!(answer.runs, server.runs.load(Ordering::Relaxed));
        assert!(answer.runs < 45, "{}", answer.runs);
        assert!(answer.candidates.iter().any(|row| row.replications == 1), "losers are run once");
    }
}

#[test]
fn a_narrow_hill_at_the_edge_is_found_from_a_plateau() {
    // Between 7000 and 14 000 nothing changes; only at 6300 to 6600 is there more to gain.
    let server = MadeUp { device_limit: 6900.0, ..MadeUp::new(6300.0, 0.0) };
    for start in ["7000-bpi32", "8000-bpi32", "redo40g-7000-bpi32"] {
        let answer = ask(&server, start, Goal::Throughput, false);
        let edge = if start.starts_with("redo40g") { 4454.0 } else { 6300.0 };
        let best = answer.best.point.io_capacity_max as f64;
        assert!((edge..=edge + 500.0).contains(&best), "{start}: {best}");
    }
    // All that is sound is as good: the lowest setting has it.
    let flat = MadeUp { device_limit: 0.0, ..MadeUp::new(6300.0, 0.0) };
    let answer = ask(&flat, "8000-bpi32", Goal::Throughput, false);
    assert_eq!(answer.best.point.io_capacity_max, 6500);
    assert!(answer.plateau.len() > 1);
}

/// Below a sound setting without a reserve none has one, and nothing is looked for there.
#[test]
fn the_edge_is_that_of_the_reserve() {
    let server = MadeUp { device_limit: 0.0, full_below: 9000.0, ..MadeUp::new(6300.0, 0.0) };
    let answer = ask(&server, "7000-bpi32", Goal::Throughput, false);
    let tried: Vec<u64> = answer.candidates.iter().map(|row| row.point.io_capacity_max).collect();
    assert!(tried.contains(&8500) && !tried.iter().any(|max| (5001..7000).contains(max)), "{tried:?}");
    let writes = ask(&server, "7000-bpi32", Goal::Writes, false);
    assert_eq!(writes.best.point.io_capacity_max, 6500, "which needs no reserve");
}

/// A reserve is kept unless it costs more than a tenth, and where settings without one fail under stress.
#[test]
fn a_dear_reserve_is_given_up() {
    let server = |edge: f64| MadeUp { full_below: 7500.0, ..MadeUp::new(edge, 1.0) };
    let ask = |server: &MadeUp| {
        let answer = ask(server, "8000-bpi32", Goal::Throughput, false);
        (answer.best.point.io_capacity_max, answer.with_reserve.map(|row| row.point.io_capacity_max))
    };
    // Seven percent less throughput at 7500 than at 5500, and twelve percent less than at 4000.
    assert_eq!(ask(&server(5500.0)), (7500, None), "cheap");
    assert_eq!(ask(&server(3900.0)), (4400, Some(7500)), "dear, and sound with a tenth more pages");
    assert_eq!(
        ask(&MadeUp { stumbles: (5000.0, 30), ..server(3900.0) }),
        (7500, None),
        "dear, and stalls under stress"
    );
}

/// Of equals one is run again, the lowest that holds with more pages to write. Neighbours that are as good as it turn nothing.
#[test]
fn of_equals_one_is_run_again() {
    let flat = MadeUp { device_limit: 0.0, ..MadeUp::new(6300.0, 1.0) };
    let answer = ask(&flat, "8000-bpi32", Goal::Throughput, false);
    assert_eq!((answer.best.point.io_capacity_max, answer.best.replications), (7000, 3));
    let again: Vec<u64> =
        answer.candidates.iter().filter(|row| row.replications > 1).map(|row| row.point.io_capacity_max).collect();
    assert_eq!((again, answer.plateau.len() > 3), (vec![7000, 8000], true));
    assert!(answer.sensitivity.iter().all(|s| s.sound && s.loss == 0.0) && answer.runs <= 28, "{}", answer.runs);
}

/// Where writing fewer pages gains nothing, neither does a larger redo log.
#[test]
fn redo_sizes_that_can_gain_nothing_are_not_tried() {
    let flat = MadeUp { device_limit: 0.0, ..MadeUp::new(6300.0, 0.0) };
    let answer = ask(&flat, "8000-bpi32", Goal::Throughput, true);
    assert!(answer.candidates.iter().all(|row| row.point.redo_bytes == answer.current.point.redo_bytes));
    assert_eq!(answer.best.point.io_capacity_max, 6500);
    assert!(answer.redo_gains_at_most.is_some_and(|gain| gain < 0.001), "{:?}", answer.redo_gains_at_most);
    let writes = ask(&flat, "8000-bpi32", Goal::Writes, true);
    assert!(writes.best.point.redo_bytes > writes.current.point.redo_bytes);
}

#[test]
fn what_held_by_luck_is_no_answer() {
    let server = MadeUp { luck: 1.2, ..MadeUp::new(6300.0, 0.0) };
    let answer = ask(&server, "8000-bpi32", Goal::Throughput, false);
    let best = answer.best.point.io_capacity_max;
    assert!(answer.best.sound && answer.best.replications == 3 && (7560..=8500).contains(&best), "{best}");
    let lucky = answer.candidates.iter().find(|row| row.point.io_capacity_max == 6500).unwrap();
    assert!(!lucky.sound && lucky.replications == 3);
}

#[test]
fn the_plan_follows_the_turns_of_the_redo_log() {
    let answer = ask(&MadeUp::new(6300.0, 0.0), "7000-bpi32", Goal::Throughput, false);
    let turn = 17.9 * (1u64 << 30) as f64 / 28e6 * 1.2;
    assert!((answer.plan.turn_s.unwrap() - turn).abs() < 1.0);
    assert!((answer.plan.duration_s as f64 - 2.5 * turn).abs() < 11.0, "{}", answer.plan.duration_s);
    assert!(answer.plan.warm_start);
}

#[test]
fn runs_whose_age_still_rises_are_made_longer_or_refused() {
    let slow = |settles_s| MadeUp { settles_s, ..MadeUp::new(6300.0, 0.0) };
    let plain = ask(&MadeUp::new(6300.0, 0.0), "7000-bpi32", Goal::Throughput, false).plan.duration_s;
    let answer = ask(&slow(plain - 100), "7000-bpi32", Goal::Throughput, false);
    assert_eq!((answer.best.point.io_capacity_max, answer.refused()), (6500, None));
    let growth = answer.plan.duration_s as f64 / plain as f64;
    assert!((growth - 1.6).abs() < 0.02, "{growth}");
    let never = ask(&slow(u64::MAX), "7000-bpi32", Goal::Throughput, false);
    assert!(never.plan.duration_s > 2 * plain && never.plan.duration_s <= 4 * 5000);
    assert!(never.refused().is_some_and(|why| why.contains("still rising")));
    let common = Overrides { duration: Some("600s".to_owned()), ..Overrides::default() };
    let source = published("7000-bpi32");
    let question = Question { source, common, goal: Goal::Throughput, redo: false, replications: 1, far: false };
    let short = recommend(&question, &slow(1000)).unwrap();
    let why = short.refused().unwrap();
    assert!(why.contains("still rising when its runs of 600 s ended") && why.contains("--duration 2060s"), "{why}");
    assert!(short.measure_first.is_empty() && short.sensitivity.is_empty());
    // So short that nothing can be told, though the age does not rise in it.
    let common = Overrides { duration: Some("40s".to_owned()), ..Overrides::default() };
    let shorter = recommend(&Question { common, ..question }, &MadeUp::new(6300.0, 0.0)).unwrap();
    assert!(shorter.refused().is_some_and(|why| why.contains("to take figures over")));
}

#[test]
fn near_an_edge_that_moves_a_safer_setting_is_named() {
    let answer = ask(&MadeUp::new(6300.0, 1.0), "7000-bpi32", Goal::Throughput, false);
    assert_eq!((answer.best.point.io_capacity_max, answer.refused()), (6500, None));
    assert_eq!(answer.safer.map(|row| row.point.io_capacity_max), Some(7000));
    assert_eq!(answer.measure_first, [Input::WorkingSet]);
    let larger = answer.sensitivity.iter().find(|s| s.input == Input::WorkingSet && s.change > 0.0).unwrap();
    assert!(!larger.sound);
}

#[test]
fn an_answer_that_the_uncertainty_turns_is_refused() {
    let answer = ask(&MadeUp::new(6300.0, 5.0), "7000-bpi32", Goal::Throughput, false);
    assert!(answer.refused().is_some_and(|why| why.contains("working set 10 % larger")), "{:?}", answer.refused());
    assert_eq!(answer.measure_first, [Input::WorkingSet]);
    let hopeless = ask(&MadeUp::new(1e9, 0.0), "7000-bpi32", Goal::Throughput, false);
    assert!(hopeless.refused().is_some_and(|why| why.contains("no setting that was tried")));
}

/// With an input off a neighbour may be much better, as long as the answer is better than the present setting there too, be that a
/// neighbour or not.
#[test]
fn what_is_better_than_the_present_setting_there_too_is_worth_trying() {
    for start in ["7000-bpi32", "8000-bpi32"] {
        let server = MadeUp { faster_with_less: 6000, ..MadeUp::new(6300.0, 1.0) };
        let answer = ask(&server, start, Goal::Throughput, false);
        let turned = answer.sensitivity.iter().find(|s| s.loss > 0.05).unwrap();
        assert!(turned.beats_present && turned.best_there.io_capacity_max == 6000, "{start}: {turned:?}");
        assert_eq!((answer.best.point.io_capacity_max, answer.refused()), (6500, None), "{start}");
    }
}

/// A lower setting that is faster at its age limit is no answer as the scenario stands, so it turns none with an input off.
#[test]
fn a_setting_without_a_reserve_turns_no_answer() {
    let mut server = MadeUp::new(6300.0, 0.0);
    server.syncs = Some(Syncs { share: 1.12, survives: true, is_full: false, is_full_below: true });
    let answer = ask(&server, "7000-bpi32", Goal::Throughput, false);
    assert_eq!((answer.best.point.io_capacity_max, answer.refused()), (6500, None));
    assert!(answer.sensitivity.iter().all(|s| s.loss == 0.0), "{:?}", answer.sensitivity);
}

#[test]
fn redo_grows_while_doubling_it_pays() {
    let answer = ask(&MadeUp::new(6300.0, 0.0), "7000-bpi32", Goal::Throughput, true);
    assert_eq!(answer.best.point.redo_bytes, 80 << 30, "each doubling gains a sixth");
    assert!(answer.space.statements(answer.best.point).iter().any(|line| line.contains("innodb_log_file_size")));
    let present = ask(&MadeUp::new(6300.0, 0.0), "7000-bpi32", Goal::Throughput, false);
    assert_eq!(present.best.point.redo_bytes, 20 << 30);
}

#[test]
fn redo_grows_until_a_size_is_sound() {
    let ask = |edge: f64| ask(&MadeUp::new(edge, 0.0), "7000-bpi32", Goal::Throughput, true);
    // The edge falls with the root of the size. No more than 2.8 times the present capacity is looked at where none is
    // sound.
    let answer = ask(12_600.0 * 16f64.sqrt());
    assert!(answer.best.sound && answer.best.point.redo_bytes == 160 << 30, "{:?}", answer.best.point);
    let hopeless = ask(1e12);
    let largest = hopeless.candidates.iter().map(|row| row.point.redo_bytes).max().unwrap();
    assert!(!hopeless.best.sound && largest > 80 << 30, "{largest}");
    assert!(hopeless.refused().is_some_and(|why| why.contains("with redo logs of up to")));
}

#[test]
fn a_load_without_transactions_has_no_best_setting() {
    for set in ["drive.rate=0", "workload.kind=idle"] {
        let mut set = vec![set.to_owned()];
        set.extend(["drive.kind=open".to_owned(), "drive.clients=8".to_owned(), "drive.rate=0".to_owned()]);
        let common = Overrides { set, ..Overrides::default() };
        let source = published("7000-bpi32");
        let question = Question { source, common, goal: Goal::Throughput, redo: false, replications: 1, far: false };
        match recommend(&question, &MadeUp::new(1.0, 0.0)) {
            Err(RecommendError::Nothing { problem }) => assert!(problem.contains("has no transactions"), "{problem}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn fewest_writes_at_no_loss() {
    // From 8000, every sound setting below is both faster and writes less: the edge is the answer.
    let answer = ask(&MadeUp::new(5800.0, 0.0), "8000-bpi32", Goal::Writes, false);
    assert_eq!(answer.best.point.io_capacity_max, 6000);
    assert!(answer.best.change("write_bytes_per_day").unwrap().relative.unwrap() < -0.2);
}

/// The edge stalls under more load; half of the way to the present setting there is one that does not.
#[test]
fn what_does_not_come_through_makes_way_for_what_does() {
    let server = |below: f64, seconds: u64| MadeUp { stumbles: (below, seconds), ..MadeUp::new(5800.0, 0.0) };
    let answer = ask(&server(6700.0, 10), "8000-bpi32", Goal::Writes, false);
    assert_eq!((&answer.verdict, answer.best.point.io_capacity_max), (&Verdict::Try, 7000));
    let answer = ask(&server(7800.0, 10), "8000-bpi32", Goal::Writes, false);
    let Verdict::Keep(why) = &answer.verdict else { panic!("{:?}", answer.verdict) };
    assert!(why.contains("6000 does not come through what the present setting does"), "{why}");
    // Two slow seconds cost less than the setting gains.
    let answer = ask(&server(7800.0, 2), "8000-bpi32", Goal::Writes, false);
    assert_eq!((&answer.verdict, answer.best.point.io_capacity_max), (&Verdict::Try, 6000));
}

#[test]
fn nothing_to_search() {
    let common = Overrides { set: vec!["innodb_io_capcity=3".to_owned()], ..Overrides::default() };
    let source = published("7000-bpi32");
    let question = Question { source, common, goal: Goal::Throughput, redo: false, replications: 1, far: false };
    assert!(matches!(recommend(&question, &MadeUp::new(1.0, 0.0)), Err(RecommendError::Scenario(_))));
}

#[test]
fn sync_flushing_that_nobody_feels_is_left_alone() {
    let syncs = Some(Syncs { share: 1.0, survives: true, is_full: true, is_full_below: false });
    let answer = ask(&MadeUp { syncs, ..MadeUp::new(9000.0, 0.0) }, "7000-bpi32", Goal::Throughput, false);
    let Verdict::Keep(why) = &answer.verdict else { panic!("{:?}", answer.verdict) };
    assert!(why.contains("depends on sync flushing") && why.contains("no stall"), "{why}");
    assert!(answer.best.point == answer.current.point && answer.statements().is_empty());
    assert!(answer.stressed.len() == 2 && answer.stressed.iter().all(|one| one.comes_through));
    assert!(answer.larger_redo.is_some_and(|row| row.point.redo_bytes == 40 << 30));
}

#[test]
fn sync_flushing_that_stalls_under_stress_is_a_limit_or_ended() {
    // Nothing leaves a reserve: the redo log is the limit.
    let full = Some(Syncs { share: 1.0, survives: false, is_full: true, is_full_below: false });
    let answer = ask(&MadeUp { syncs: full, ..MadeUp::new(9000.0, 0.0) }, "7000-bpi32", Goal::Throughput, false);
    assert_eq!(answer.limit(), Some(Limit::Redo));
    let why = answer.refused().unwrap();
    assert!(why.starts_with("the redo log is the limit, and no innodb_io_capacity_max helps"), "{why}");
    assert!(why.contains("with the load a quarter higher") && answer.statements().is_empty(), "{why}");
    // Above the edge there is a reserve, and more throughput.
    let slow = Some(Syncs { share: 0.9, survives: false, is_full: false, is_full_below: false });
    let answer = ask(&MadeUp { syncs: slow, ..MadeUp::new(9000.0, 0.0) }, "7000-bpi32", Goal::Throughput, false);
    assert_eq!((&answer.verdict, answer.best.point.io_capacity_max), (&Verdict::Try, 9000));
    assert!(answer.stressed.iter().any(|one| !one.comes_through && one.point == answer.current.point));
    // The same throughput for less than its reserve costs is no answer.
    let dear = Some(Syncs { share: 1.02, survives: true, is_full: false, is_full_below: false });
    let answer = ask(&MadeUp { syncs: dear, ..MadeUp::new(9000.0, 0.0) }, "7000-bpi32", Goal::Throughput, false);
    assert!(matches!(answer.verdict, Verdict::Keep(_)), "{:?}", answer.verdict);
}

/// Whoever asked for redo sizes is told that the time was over before they were tried.
#[test]
fn redo_sizes_that_were_not_tried_are_named() {
    let question = Question {
        source: published("8000-bpi32"),
        common: Overrides::default(),
        goal: Goal::Throughput,
        redo: true,
        replications: 1,
        far: false,
    };
    let server = MadeUp::new(4300.0, 0.0);
    let cut = recommend(&question, &InTime(&server, 5)).unwrap();
    assert!(cut.candidates.iter().all(|row| row.point.redo_bytes == cut.current.point.redo_bytes));
    assert!(cut.left_out_in_words().unwrap().contains("what larger redo logs gain"), "{:?}", cut.left_out);
}

/// A server whose search has time for so many runs.
struct InTime<'a>(&'a MadeUp, usize);

impl TrialRunner for InTime<'_> {
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
        if self.time_is_up() {
            return Err(RunError::Stopped { at: innosim_core::kernel::time::SimTime::ZERO });
        }
        self.0.execute(job)
    }

    fn time_is_up(&self) -> bool {
        self.0.runs.load(Ordering::Relaxed) >= self.1
    }
}

#[test]
fn a_search_that_runs_out_of_time_shows_what_it_has() {
    let question = Question {
        source: published("8000-bpi32"),
        common: Overrides::default(),
        goal: Goal::Throughput,
        redo: false,
        replications: 3,
        far: false,
    };
    let within = |runs: usize| recommend(&question, &InTime(&MadeUp::new(4300.0, 0.0), runs));
    let all = within(usize::MAX).unwrap();
    assert!(all.left_out.is_empty() && all.left_out_in_words().is_none());
    let some = within(12).unwrap();
    assert!(some.runs <= 12 && !some.left_out.is_empty() && some.candidates.len() >= 3, "{:?}", some.left_out);
    let told = some.left_out_in_words().unwrap();
    assert!(told.contains("More time would tell"), "{told}");
    // The runs that were made are those of the whole search.
    for row in &some.candidates {
        let whole = all.candidates.iter().find(|other| other.point == row.point);
        assert!(row.replications > 1 || whole.is_none_or(|whole| whole.replications >= row.replications), "{row:?}");
    }
    // A setting is only to be tried once it has gone through all that a whole search puts it through, and the present one
    // only stays at the end of the search.
    assert_eq!(all.verdict, Verdict::Try);
    for runs in 2..all.runs {
        let Ok(cut) = within(runs) else { continue };
        let checked = !cut.left_out.iter().any(|stage| !["coarse", "fine"].contains(&stage.as_str()));
        assert_eq!(cut.refused().is_none(), checked, "{runs} runs: {:?} {:?}", cut.verdict, cut.left_out);
        assert!(checked || cut.statements().is_empty() && cut.refused().unwrap().contains("the time was over"));
    }
    assert!(matches!(within(1), Err(RecommendError::OutOfTime)), "not even the present setting was run");
    assert!(matches!(within(0), Err(RecommendError::OutOfTime)));
}
