//! Sweeps: nothing is run twice, failures cost nothing but themselves, and parts make the whole.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_core::kernel::time::SimTime;
use innosim_core::metrics::RunOutput;
use innosim_core::seam::LiveSettings;
use innosim_core::server::{RunError, Silent, Warm};
use innosim_experiments::runner::{IsEnough, Job, run_one, run_until};
use innosim_experiments::sweep::{
    Advice, AdviceKind, Made, Prepared, Record, Request, Results, RunId, Shard, Store, SweepError, SweepRunner, run,
};
use innosim_experiments::warm_start::WarmStart;
use innosim_scenario::Overrides;
use innosim_statistics::Precision;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs as the program does, counts, and can fail or stop.
#[derive(Default)]
struct Counting {
    executed: AtomicUsize,
    /// This replication breaks an invariant.
    breaks: Option<u32>,
    /// After so many runs no more are wanted.
    stop_after: Option<usize>,
    /// Runs are made whole, whoever asks.
    whole: bool,
}

impl SweepRunner for Counting {
    fn execute(&self, job: Job<'_>) -> Result<RunOutput, RunError> {
        self.executed.fetch_add(1, Ordering::Relaxed);
        if self.breaks == Some(job.replication) {
            return Err(RunError::Invariant { at: SimTime(7), what: "made up".to_owned() });
        }
        run_one(job, false, &mut Silent)
    }

    fn execute_until(&self, job: Job<'_>, is_enough: &mut IsEnough<'_>) -> Result<RunOutput, RunError> {
        if self.whole {
            return self.execute(job);
        }
        self.executed.fetch_add(1, Ordering::Relaxed);
        run_until(job, false, &mut Silent, is_enough)
    }

    fn warm_up(&self, job: Job<'_>) -> Result<Option<WarmStart>, RunError> {
        WarmStart::until_warm(job, false, &mut Silent).map(Some)
    }

    fn go_on(
        &self,
        from: Warm,
        _: Job<'_>,
        others: &[LiveSettings],
        is_enough: &mut IsEnough<'_>,
    ) -> Result<(RunOutput, Vec<bool>), RunError> {
        self.executed.fetch_add(1, Ordering::Relaxed);
        from.run_beside(others, &mut Silent, is_enough)
    }

    fn stop(&self) -> bool {
        self.stop_after.is_some_and(|most| self.executed.load(Ordering::Relaxed) >= most)
    }
}

fn prepared(replications: u32, precision: Option<Precision>) -> Prepared {
    Request {
        scenario: "teaching/redo-too-small".to_owned(),
        overrides: Overrides {
            set: vec!["workload.tables=1".to_owned(), "workload.table_size=100000".to_owned()],
            duration: Some("3s".to_owned()),
            replications: Some(replications),
            ..Overrides::default()
        },
        vary: vec!["innodb_io_capacity_max=4000,8000".to_owned(), "drive.clients=4,8".to_owned()],
        precision,
        ..Request::default()
    }
    .prepare()
    .unwrap()
}

/// One session in the folder `dir`.
fn session(
    dir: &Path,
    sweep: &Prepared,
    shard: Shard,
    execute: &Counting,
) -> (Result<Made, SweepError>, BTreeMap<RunId, Record>) {
    let (store, mut opened) = Store::open(dir).unwrap();
    let made = run(sweep, shard, &store, &mut opened.runs, execute);
    (made, opened.runs)
}

#[test]
fn a_sweep_that_was_stopped_goes_on_and_repeats_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let sweep = prepared(2, None);
    let stopping = Counting { stop_after: Some(3), ..Counting::default() };
    let (made, runs) = session(dir.path(), &sweep, Shard::ALL, &stopping);
    let first = made.unwrap();
    assert!(first.stopped && first.runs == runs.len() && (3..8).contains(&first.runs), "{first:?}");
    let rest = Counting::default();
    let (made, runs) = session(dir.path(), &sweep, Shard::ALL, &rest);
    assert_eq!(made.unwrap().runs, 8 - first.runs);
    assert_eq!(rest.executed.load(Ordering::Relaxed), 8 - first.runs);
    assert!(Results::of(&sweep.plan, &runs).missing.is_empty());
    let nothing = Counting::default();
    session(dir.path(), &sweep, Shard::ALL, &nothing).0.unwrap();
    assert_eq!(nothing.executed.load(Ordering::Relaxed), 0);
}

#[test]
fn more_replications_keep_those_that_are_there() {
    let dir = tempfile::tempdir().unwrap();
    session(dir.path(), &prepared(1, None), Shard::ALL, &Counting::default()).0.unwrap();
    let more = Counting::default();
    let sweep = prepared(3, None);
    let (_, runs) = session(dir.path(), &sweep, Shard::ALL, &more);
    assert_eq!(more.executed.load(Ordering::Relaxed), 8);
    let results = Results::of(&sweep.plan, &runs);
    assert_eq!(results.count(), 12);
    assert!(results.points.iter().all(|p| p.estimate(|s| s.tps_mean).half_width.unwrap() > 0.0));
}

#[test]
fn a_run_that_fails_costs_no_other_run() {
    let dir = tempfile::tempdir().unwrap();
    let sweep = prepared(3, None);
    let failing = Counting { breaks: Some(1), ..Counting::default() };
    let (made, runs) = session(dir.path(), &sweep, Shard::ALL, &failing);
    let made = made.unwrap();
    assert_eq!((made.runs, made.failures.len(), made.stopped), (8, 4, false));
    assert!(made.failures.iter().all(|f| f.replication == 1 && f.error.to_string().contains("made up")));
    let results = Results::of(&sweep.plan, &runs);
    assert_eq!((results.count(), results.missing.len()), (8, 4));
    let mended = Counting::default();
    session(dir.path(), &sweep, Shard::ALL, &mended).0.unwrap();
    assert_eq!(mended.executed.load(Ordering::Relaxed), 4);
}

#[test]
fn shards_make_the_whole() {
    let sweep = prepared(2, None);
    let whole = tempfile::tempdir().unwrap();
    let (_, all) = session(whole.path(), &sweep, Shard::ALL, &Counting::default());
    let mut joined = BTreeMap::new();
    for k in 1..=3 {
        let dir = tempfile::tempdir().unwrap();
        let (_, runs) = session(dir.path(), &sweep, Shard::parse(&format!("{k}/3")).unwrap(), &Counting::default());
        assert!((2..=3).contains(&runs.len()));
        joined.extend(runs);
    }
    assert_eq!(joined, all);
}

#[test]
fn replications_are_added_until_the_mean_is_known() {
    let loose = Precision { relative: 0.4, first: 2, limit: 6 };
    let dir = tempfile::tempdir().unwrap();
    let sweep = prepared(1, Some(loose));
    let (_, runs) = session(dir.path(), &sweep, Shard::ALL, &Counting::default());
    let results = Results::of(&sweep.plan, &runs);
    assert!(results.missing.is_empty());
    for point in &results.points {
        let throughput = point.values(|s| s.tps_mean);
        assert!(loose.reached(&throughput) || throughput.len() == 6, "{throughput:?}");
    }
    let strict = prepared(1, Some(Precision { relative: 1e-9, first: 2, limit: 3 }));
    let (_, runs) = session(dir.path(), &strict, Shard::ALL, &Counting::default());
    assert!(Results::of(&strict.plan, &runs).points.iter().all(|p| p.runs.len() == 3));
}

#[test]
fn short_single_runs_are_warned_of() {
    let dir = tempfile::tempdir().unwrap();
    let sweep = prepared(1, None);
    let (_, runs) = session(dir.path(), &sweep, Shard::ALL, &Counting::default());
    let results = Results::of(&sweep.plan, &runs);
    let kinds: Vec<AdviceKind> = Advice::of(&results).iter().map(|advice| advice.kind).collect();
    assert!(kinds.contains(&AdviceKind::SingleRun) && kinds.contains(&AdviceKind::ShortRun), "{kinds:?}");
    let verdict = results.verdict(&[0, 1, 2, 3]).unwrap();
    assert!(verdict.plateau.contains(&verdict.best));
}

/// A light load on a redo log that turns in minutes.
fn light(until_rest: Option<f64>) -> Prepared {
    light_with(400, until_rest, false, &["innodb_io_capacity_max=4000,8000", "innodb_redo_log_capacity=192M,384M"], 1)
}

fn light_with(rate: u32, until_rest: Option<f64>, warm_copies: bool, vary: &[&str], replications: u32) -> Prepared {
    let rate = format!("drive.rate={rate}");
    let load = ["workload.tables=1", "workload.table_size=100000", "workload.resident_share=1"];
    let set = [&load[..], &["drive.kind=open", &rate, "drive.clients=32"]].concat();
    Request {
        scenario: "teaching/redo-too-small".to_owned(),
        overrides: Overrides {
            set: set.into_iter().map(str::to_owned).collect(),
            duration: Some("600s".to_owned()),
            replications: Some(replications),
            ..Overrides::default()
        },
        vary: vary.iter().map(|text| (*text).to_owned()).collect(),
        until_rest,
        warm_copies,
        ..Request::default()
    }
    .prepare()
    .unwrap()
}

#[test]
fn runs_that_are_at_rest_end_with_the_figures_of_whole_ones() {
    let runs = |until_rest: Option<f64>, execute: &Counting| {
        let dir = tempfile::tempdir().unwrap();
        let sweep = light(until_rest);
        let (made, runs) = session(dir.path(), &sweep, Shard::ALL, execute);
        (sweep, made.unwrap(), runs)
    };
    let (sweep, made, early) = runs(Some(0.1), &Counting::default());
    let (planned, made_whole, whole) = runs(None, &Counting::default());
    assert_eq!(made_whole.simulated_s, 2400.0);
    assert!(made.simulated_s < 1200.0, "{}", made.simulated_s);
    let (early, whole) = (Results::of(&sweep.plan, &early), Results::of(&planned.plan, &whole));
    assert_eq!((early.at_rest(), whole.at_rest()), (4, 0));
    for (one, all) in early.points.iter().zip(&whole.points) {
        let tps = |point: &innosim_experiments::sweep::PointResult<'_>| point.estimate(|s| s.tps_mean).mean;
        assert!((tps(one) / tps(all) - 1.0).abs() < 0.02, "{} {}", tps(one), tps(all));
        let (_, record) = one.runs[0];
        let seconds = record.counted_s(&sweep.plan.points[one.point]);
        assert!((60.0..400.0).contains(&seconds) && record.warmup_converged, "{seconds}");
    }
    // Who makes all runs whole has whole runs, and says so.
    let (sweep, made, runs) = runs(Some(0.1), &Counting { whole: true, ..Counting::default() });
    assert_eq!((made.simulated_s, Results::of(&sweep.plan, &runs).at_rest()), (2400.0, 0));
}

#[test]
fn copies_of_a_warm_server_show_what_runs_from_a_cold_start_do_whoever_makes_them() {
    // So few pages are dirty that it does not matter how many may be.
    let vary = ["innodb_redo_log_capacity=192M", "innodb_io_capacity=500,2000", "innodb_max_dirty_pages_pct=75,90"];
    let copied = light_with(1000, Some(0.1), true, &vary, 2);
    let dir = tempfile::tempdir().unwrap();
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (made, all) = two.install(|| session(dir.path(), &copied, Shard::ALL, &Counting::default()));
    let made = made.unwrap();
    let results = Results::of(&copied.plan, &all);
    assert_eq!((made.runs, results.begun_warm(), results.at_rest()), (8, 8, 8));
    let twins: Vec<(usize, u32, usize)> = results.twins().into_iter().map(|((p, r), first)| (p, r, first)).collect();
    assert_eq!(twins, [(1, 0, 0), (1, 1, 0), (3, 0, 2), (3, 1, 2)]);
    assert!((2..=4).contains(&made.twins), "all but those that were being made: {}", made.twins);
    let cold = light_with(1000, None, false, &vary, 1);
    let dir = tempfile::tempdir().unwrap();
    let (made_cold, whole) = session(dir.path(), &cold, Shard::ALL, &Counting::default());
    assert!(made.simulated_s < 2.0 * 0.25 * made_cold.unwrap().simulated_s, "two of each: {}", made.simulated_s);
    for (one, other) in results.points.iter().zip(&Results::of(&cold.plan, &whole).points) {
        let tps = |point: &innosim_experiments::sweep::PointResult<'_>| point.estimate(|s| s.tps_mean).mean;
        assert!((tps(one) / tps(other) - 1.0).abs() < 0.02, "{} {}", tps(one), tps(other));
        let (_, record) = one.runs[0];
        let shared_s = record.begun_warm.as_ref().unwrap().shared_s;
        assert!(shared_s >= 120 && record.warmup_s >= shared_s, "figures are of its own seconds");
    }
    // Each alone, and in parts that make their own warm servers.
    let mut joined = BTreeMap::new();
    for k in 1..=8 {
        let dir = tempfile::tempdir().unwrap();
        let (made, runs) = session(dir.path(), &copied, Shard::parse(&format!("{k}/8")).unwrap(), &Counting::default());
        assert_eq!(made.unwrap().twins, 0);
        joined.extend(runs);
    }
    assert_eq!(joined, all);
}

#[test]
fn a_sweep_of_copies_goes_on_where_it_was_stopped() {
    let vary = ["innodb_redo_log_capacity=192M", "innodb_io_capacity=500,1000,1500,2000"];
    let sweep = light_with(1000, Some(0.1), true, &vary, 1);
    let dir = tempfile::tempdir().unwrap();
    let stopping = Counting { stop_after: Some(1), ..Counting::default() };
    let first = session(dir.path(), &sweep, Shard::ALL, &stopping).0.unwrap();
    assert!(first.stopped && (1..4).contains(&first.runs), "{first:?}");
    let (rest, runs) = session(dir.path(), &sweep, Shard::ALL, &Counting::default());
    assert_eq!(rest.unwrap().runs, 4 - first.runs);
    let undisturbed = tempfile::tempdir().unwrap();
    assert_eq!(session(undisturbed.path(), &sweep, Shard::ALL, &Counting::default()).1, runs);
}

#[test]
fn who_shares_too_little_begins_cold() {
    // The log turns in under two minutes.
    let sweep = light_with(1000, Some(0.1), true, &["innodb_redo_log_capacity=16M", "innodb_io_capacity=500,2000"], 1);
    assert!(sweep.base_of.iter().all(Option::is_some));
    let dir = tempfile::tempdir().unwrap();
    let (made, runs) = session(dir.path(), &sweep, Shard::ALL, &Counting::default());
    assert_eq!(made.unwrap().simulated_s, 120.0 + 2.0 * 600.0);
    assert_eq!(Results::of(&sweep.plan, &runs).begun_warm(), 0);
}
