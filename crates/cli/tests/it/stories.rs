//! What the stories under `scenarios/stories/` claim, held against what they do: each test runs the story and the settings
//! that its opening comment names.

use crate::simulated::{number, set, shorter, simulated, summary as story};
use innosim_scenario::Overrides;
use serde_json::Value;

/// Summary of a story on another model under these settings.
fn on_model(name: &str, model: &str, settings: &[&str]) -> &'static Value {
    &simulated(name, &Overrides { model: Some(model.to_owned()), ..set(settings) }).summary
}

/// Transactions a second of a story under each of some values of a setting.
fn throughput(name: &str, setting: &str, values: &[&str]) -> Vec<f64> {
    values.iter().map(|value| number(story(name, &[&format!("{setting}={value}")]), "tps_mean")).collect()
}

#[test]
fn a_commit_that_waits_for_no_sync_is_faster() {
    let tps = throughput("commit-modes", "innodb_flush_log_at_trx_commit", &["0", "1", "2"]);
    assert!(tps[0] >= tps[2] && tps[2] > 3.0 * tps[1], "{tps:?}");
}

#[test]
fn group_commit_grows_with_the_clients_at_the_same_number_of_syncs() {
    let runs: Vec<_> =
        ["1", "16", "256", "1024"].map(|n| story("group-commit", &[&format!("drive.clients={n}")])).into();
    let tps: Vec<f64> = runs.iter().map(|run| number(run, "tps_mean")).collect();
    let syncs: Vec<f64> = runs.iter().map(|run| number(run, "redo_fsyncs")).collect();
    assert!(tps[0] < 260.0, "one client is bound by its own syncs: {tps:?}");
    assert!(tps[1] > 7.0 * tps[0] && tps[2] > 12.0 * tps[1] && tps[3] > 3.0 * tps[2], "{tps:?}");
    assert!(syncs.iter().all(|&n| n < 1.25 * syncs[0]), "{syncs:?}");
}

#[test]
fn a_synced_binary_log_costs_more_than_an_unsynced_one() {
    let tps = throughput("binary-log-sync", "sync_binlog", &["0", "1", "10"]);
    let off = number(story("binary-log-sync", &["log_bin=OFF"]), "tps_mean");
    // Unsynced, the leader of a group still waits for the redo of all, and the next group for it.
    assert!(
        tps[0] > 0.65 * off && tps[0] < 0.9 * off && tps[1] < 0.5 * off && tps[2] > tps[1] && tps[2] < tps[0],
        "{tps:?}, off {off}"
    );
    let alone = number(on_model("binary-log-sync", "mysql-5.5", &[]), "tps_mean");
    assert!(alone < 0.2 * tps[1], "one transaction at a time: {alone}, in groups {}", tps[1]);
}

#[test]
fn a_larger_redo_log_writes_fewer_pages_a_transaction() {
    let runs: Vec<_> = ["100M", "1G", "4G", "64G"]
        .map(|size| {
            let size = format!("innodb_redo_log_capacity={size}");
            shorter("redo-capacity", "160s", &["warmup=80s", &size])
        })
        .into();
    let falls = |name: &str| runs.windows(2).all(|pair| number(pair[0], name) > number(pair[1], name));
    let rises = |name: &str| runs.windows(2).all(|pair| number(pair[0], name) < number(pair[1], name));
    assert!(falls("flushes_per_trx") && rises("dirty_pages_mean") && rises("tps_mean"), "{runs:#?}");
    assert!(number(runs[0], "pages_flushed_sync") > 0.0 && number(runs[1], "pages_flushed_sync") == 0.0);
}

#[test]
fn a_burst_longer_than_a_redo_file_waits_for_a_file() {
    let p99 = |settings: &[&str]| number(story("redo-files", settings), "latency_ms_p99");
    let longer = p99(&[]);
    let shorter = p99(&["innodb_redo_log_capacity=256M"]);
    let small = p99(&["workload.redo_bytes_per_transaction=40000.0", "drive.rate=1000"]);
    assert!(longer > 100.0, "the writer's wait of 100 ms: {longer} ms");
    assert!(shorter < 30.0 && small < 30.0, "{shorter} ms with larger files, {small} ms with small transactions");
    // Servers before 8.0.30 have fixed files, and none to wait for.
    let fixed = on_model("redo-files", "mysql-8.0.27", &["innodb_log_file_size=50M"]);
    assert!(number(fixed, "latency_ms_p99") < 30.0, "{fixed}");
}

#[test]
fn doublewrite_is_free_in_memory_and_dear_when_the_device_is_the_limit() {
    let share = |name| {
        let of = |on: &str| number(shorter(name, "50s", &[&format!("innodb_doublewrite={on}")]), "tps_mean");
        of("ON") / of("OFF")
    };
    let (in_memory, io_bound) = (share("doublewrite-in-memory"), share("doublewrite-io-bound"));
    assert!(in_memory > 0.98, "in memory {in_memory} of the throughput without");
    assert!(io_bound < 0.9, "I/O-bound {io_bound} of the throughput without");
}

#[test]
fn a_fast_redo_log_fills_before_a_slow_disk_keeps_up() {
    let small = story("slow-device-fast-redo", &[]);
    let large = story("slow-device-fast-redo", &["innodb_redo_log_capacity=4G"]);
    assert!(number(small, "stall_seconds") > 30.0 && small["regime"] != "steady", "{small}");
    assert!(number(large, "tps_mean") > 3.0 * number(small, "tps_mean"), "a larger log moves the collapse");
}

#[test]
fn inserts_fall_off_when_the_index_outgrows_the_pool() {
    let tps = throughput("insert-outgrows-pool", "innodb_buffer_pool_size", &["128G", "64G", "32G", "16G"]);
    assert!(tps[1] > 0.9 * tps[0] && tps[2] > 0.8 * tps[0] && tps[3] < 0.4 * tps[2], "{tps:?}");
}

#[test]
fn neighbours_are_extra_writes_on_an_ssd() {
    extra_writes_of_neighbours(&["seed=1"]);
}

fn extra_writes_of_neighbours(seeds: &[&str]) {
    for seed in seeds {
        let runs =
            ["0", "1", "2"].map(|n| story("flush-neighbors-on-ssd", &[&format!("innodb_flush_neighbors={n}"), seed]));
        let written = runs.each_ref().map(|run| number(run, "flushes_per_trx"));
        assert!(number(runs[0], "pages_flushed_neighbor") == 0.0 && number(runs[1], "pages_flushed_neighbor") > 0.0);
        assert!(written[1] > 1.01 * written[0] && written[2] > 1.01 * written[0], "{seed}: {written:?}");
        // Where no pass went over its number (the story says how that comes), more neighbours are more writes.
        let stalls = runs.each_ref().map(|run| number(run, "stall_seconds"));
        assert!(written[2] > written[1] || stalls[1] > 0.0, "{seed}: {written:?}, {stalls:?}");
        assert_eq!(stalls[0], 0.0, "{seed}: without neighbours nothing thins the tail of the flush lists out");
    }
}

#[test]
fn neighbours_save_seeks_on_a_disk() {
    let with = |n: &str| shorter("flush-neighbors-on-disk", "200s", &[&format!("innodb_flush_neighbors={n}")]);
    let runs = ["0", "1", "2"].map(with);
    let tps = runs.each_ref().map(|run| number(run, "tps_mean"));
    let written = runs.each_ref().map(|run| number(run, "pages_flushed_per_s_mean"));
    assert!(number(runs[0], "pages_flushed_neighbor") == 0.0 && number(runs[1], "pages_flushed_neighbor") > 0.0);
    assert!(tps[1] > 2.0 * tps[0] && tps[2] > 2.0 * tps[0], "transactions a second: {tps:?}");
    assert!(written[1] > 2.0 * written[0], "pages a second: {written:?}");
}

#[test]
fn low_water_marks_say_when_flushing_begins() {
    let age = "innodb_adaptive_flushing_lwm";
    let runs = ["10", "40", "70"].map(|lwm| story("low-water-marks", &[&format!("{age}={lwm}")]));
    let written = runs.each_ref().map(|run| number(run, "flushes_per_trx"));
    let ages = runs.each_ref().map(|run| number(run, "checkpoint_age_mean"));
    assert!(written[0] > 1.2 * written[1] && written[1] > 1.2 * written[2], "{written:?}");
    assert!(ages[0] < ages[1] && ages[1] < ages[2], "{ages:?}");
    let by_pages = story("low-water-marks", &[&format!("{age}=70"), "innodb_max_dirty_pages_pct_lwm=5"]);
    assert!(number(by_pages, "flushes_per_trx") > 1.2 * written[2], "{by_pages}");
}

#[test]
fn five_six_holds_a_line_where_five_five_swings() {
    let of = |model: &str| shorter("line-of-56-swings-of-55", "400s", &[&format!("model={model}")]);
    let [old, new] = ["mysql-5.5", "mysql-5.6"].map(of);
    assert!(number(old, "tps_cv") > 3.0 * number(new, "tps_cv"), "{old} {new}");
    assert!(number(old, "pages_flushed_sync") > 100_000.0 && number(new, "pages_flushed_sync") == 0.0);
    assert_eq!((&old["regime"], &new["regime"]), (&"waves".into(), &"steady".into()));
}

#[test]
fn five_six_rides_a_spike_out() {
    let [old, new] = ["mysql-5.5", "mysql-5.6"].map(|model| on_model("spike-on-56-and-55", model, &[]));
    assert!(number(old, "pages_flushed_sync") > 0.0 && number(new, "pages_flushed_sync") == 0.0, "{old} {new}");
    assert!(number(old, "latency_ms_max") > 20.0 * number(new, "latency_ms_max"), "{old} {new}");
}

#[test]
fn five_five_flushes_furiously_at_seven_eighths() {
    let off = story("furious-flushing-of-55", &[]);
    let on = story("furious-flushing-of-55", &["innodb_adaptive_flushing=ON"]);
    let peak = number(off, "checkpoint_age_max") / number(off, "age_async_limit");
    assert!((1.0..1.15).contains(&peak), "the age turns at {peak} of 7/8 of its limit");
    assert!(number(off, "pages_flushed_sync") > 10.0 * number(on, "pages_flushed_sync"), "{off} {on}");
    assert!(number(off, "tps_cv") > 5.0 * number(on, "tps_cv") && number(off, "latency_ms_max") > 1000.0);
}

/// Recorded on a real 5.7.22 with tables just built: 9060 bytes in the first 100 s, 2950 after a hundred changes a page.
#[test]
fn an_index_just_built_writes_redo_by_splitting() {
    let redo_a_transaction = |changes: &str| {
        let run = story("index-just-built", &[&format!("workload.index_changes_a_page={changes}")]);
        number(run, "redo_bytes_per_s") / number(run, "tps_mean")
    };
    let [built, young, aged] = ["0", "10", "1000"].map(redo_a_transaction);
    assert!((7_500.0..11_000.0).contains(&built), "{built} bytes a transaction");
    assert!(built > 1.3 * young && young > 2.0 * aged, "{built}, {young}, {aged}");
    assert!((1_370.0..2_200.0).contains(&aged), "{aged} bytes a transaction");
}

#[test]
fn one_purge_thread_falls_behind_and_the_throttle_makes_it_keep_up() {
    let threads = |n| story("purge-lag", &[&format!("innodb_purge_threads={n}")]);
    let (one, four) = (threads(1), threads(4));
    let history = |run| number(run, "history_list_end");
    assert!(history(one) > 50_000.0 && history(four) < 5_000.0, "{one} {four}");
    let lag = "innodb_max_purge_lag=20000";
    let alone = story("purge-lag", &[lag]);
    assert_eq!(number(alone, "purge_dml_delay_usec_mean"), 0.0, "the longest delay is 0 unless it is set");
    let throttled = story("purge-lag", &[lag, "innodb_max_purge_lag_delay=1000000"]);
    assert!(number(throttled, "purge_dml_delay_usec_mean") > 1_000.0, "{throttled}");
    assert!(number(throttled, "tps_mean") < 0.8 * number(one, "tps_mean"), "{throttled} {one}");
    assert!(history(throttled) < 0.6 * history(one), "{throttled} {one}");
}

#[test]
fn truncating_undo_flushes_everything_in_57_and_nothing_in_80() {
    let on = story("undo-truncation", &[]);
    let off = story("undo-truncation", &["innodb_undo_log_truncate=OFF"]);
    let new = on_model("undo-truncation", "mysql-8.0.30", &[]);
    let figures = |name| [&on, &off, &new].map(|run| number(run, name));
    assert_eq!(figures("undo_truncations"), [2.0, 0.0, 2.0]);
    let flushed = figures("pages_flushed_sync");
    assert!(flushed[0] > 100_000.0 && flushed[1] + flushed[2] == 0.0, "{flushed:?}");
    let written = figures("pages_flushed_per_s_mean");
    assert!(written[0] > 1.5 * written[1].max(written[2]), "{written:?}");
    let history = figures("history_list_mean");
    assert!(history[0] > 1.1 * history[1].max(history[2]), "purge stands still meanwhile: {history:?}");
}

/// In short form: three of the ten minutes.
#[test]
fn tnt_is_steady_where_a_pass_of_its_checkpoint_is_short_beside_its_redo_log_and_stops_where_it_is_not() {
    let of = |model: &str, settings: &[&str]| {
        let [model, duration] = [model, "180s"].map(str::to_owned);
        let overrides = Overrides { model: Some(model), duration: Some(duration), ..set(settings) };
        &simulated("tnt-beside-innodb", &overrides).summary
    };
    let old = number(of("mysql-5.5", &[]), "tps_cv");
    let slow = number(of("tnt", &["ntse_system_io_capacity=8000"]), "tps_cv");
    let grows = number(of("tnt", &["ntse_log_overflow=ON"]), "tps_cv");
    assert!(grows < 0.25 * old && grows < 0.25 * slow, "5.5 {old}, slow passes {slow}, a log that grows {grows}");
    let half_as_fast = ["workload.cpu_us_per_statement=222"];
    let [old, tnt] = ["mysql-5.5", "tnt"].map(|model| of(model, &half_as_fast));
    assert!(number(tnt, "tps_mean") > 1.05 * number(old, "tps_mean"), "{old} {tnt}");
    assert!(number(tnt, "tps_cv") < 0.25 * number(old, "tps_cv") && number(tnt, "stall_seconds") == 0.0, "{old} {tnt}");
}

#[test]
fn a_binary_log_in_the_engine_saves_a_sync() {
    let run = |engine, clients| {
        let set = [format!("binlog_storage_engine={engine}"), format!("drive.clients={clients}")];
        story("binary-log-in-the-engine", &[&set[0], &set[1]])
    };
    let [one_in_files, one_in_engine, in_files, in_engine] =
        [run("files", 1), run("innodb", 1), run("files", 64), run("innodb", 64)];
    let tps = |summary| number(summary, "tps_mean");
    assert!(tps(one_in_engine) > 1.7 * tps(one_in_files), "{one_in_engine} {one_in_files}");
    assert!(tps(in_engine) > 1.3 * tps(in_files), "{in_engine} {in_files}");
}

#[test]
fn a_fast_doublewrite_saves_syncs_and_no_writes() {
    let of = |kind: &str| shorter("doublewrite-fast", "30s", &[&format!("innodb_doublewrite={kind}")]);
    let tps = ["ON", "fast", "OFF"].map(|kind| number(of(kind), "tps_mean"));
    assert!(tps[1] > 1.1 * tps[0] && tps[2] > tps[1], "{tps:?}");
}

/// Eight lists do several times the work of one that all clients wait for, and leave the page cleaner a turn; without the mutex
/// it makes no difference.
#[test]
fn more_instances_help_clients_that_wait_for_the_lru_list() {
    let with = |settings: &[&str]| {
        let run = shorter("buffer-pool-instances", "8s", settings);
        (number(run, "tps_mean"), number(run, "pages_flushed_single"))
    };
    let (one, eight) = (with(&[]), with(&["innodb_buffer_pool_instances=8"]));
    assert!(eight.0 > 3.0 * one.0 && eight.1 < 0.1 * one.1, "{one:?} {eight:?}");
    let fewer = with(&["drive.clients=64"]);
    assert!(fewer.0 > 2.0 * one.0, "64 clients {fewer:?}, 256 {one:?}");
    let free = with(&["host.lru_mutex_hold=0us"]);
    assert!(free.0 > 4.0 * one.0, "{free:?} {one:?}");
}

#[test]
fn lru_manager_threads_shorten_the_longest_waits() {
    let runs: Vec<_> =
        ["OFF", "ON"].map(|on| shorter("lru-manager-threads", "40s", &[&format!("innodb_lru_threads={on}")])).into();
    let of = |name: &str| [number(runs[0], name), number(runs[1], name)];
    let (tps, p99) = (of("tps_mean"), of("latency_ms_p99"));
    assert!(tps[1] > 1.05 * tps[0] && p99[1] < 0.5 * p99[0], "{tps:?} a second, 99 % in {p99:?} ms");
    let single = of("pages_flushed_single");
    assert!(single[1] > single[0] && single[0] > 100.0, "{single:?} single-page flushes");
}

/// One user thread of an instance at a time changes little; no wait at all changes much.
#[test]
fn a_single_page_flush_during_an_lru_batch_helps_little() {
    let run = |more: &str| shorter("single-page-during-lru-batch", "30s", &[more]);
    let (waits, one) = (run("host.single_page_during_lru_batch=false"), run("host.single_page_during_lru_batch=true"));
    let free = run("model=mysql-8.4");
    let of = |name: &str| [number(waits, name), number(one, name), number(free, name)];
    let [tps, p99, single] = ["tps_mean", "latency_ms_p99", "pages_flushed_single"].map(of);
    assert!((0.98..1.05).contains(&(tps[1] / tps[0])) && tps[2] > 1.07 * tps[0], "{tps:?} a second");
    assert!(p99[1] > 0.8 * p99[0] && p99[2] < 0.4 * p99[0], "99 % in {p99:?} ms");
    assert!(single[1] > 2.0 * single[0] && single[2] > 3.0 * single[1], "{single:?} single-page flushes");
}

#[test]
fn a_checkpoint_waits_for_a_log_writer_that_spins() {
    let run = |settings: &[&str]| shorter("checkpoint-standstill", "200s", settings);
    let (stands, goes_on) = (run(&[]), run(&["innodb_log_spin_cpu_abs_lwm=4294967295"]));
    let [oldest, newest] = [&stands, &goes_on].map(|run| number(run, "checkpoint_age_max"));
    assert!(oldest > 2.5 * newest, "{oldest} bytes of redo since the checkpoint, {newest} where it is free");
    let (small, off) = ("innodb_redo_log_capacity=512M", "innodb_log_writer_threads=OFF");
    let (full, free) = (run(&[small]), run(&[small, off]));
    assert!(number(full, "free_check_waits") > 0.0 && number(free, "free_check_waits") == 0.0, "{full}, {free}");
    assert_eq!(number(full, "sync_flush_seconds"), 0.0, "its pages are flushed");
}

/// Loose enough for any right mechanism of the threads: on two processors they gain nothing.
#[test]
fn log_writer_threads_gain_nothing_on_a_small_server() {
    let run = |threads: &str, clients: u32| {
        story(
            "log-writer-threads",
            &[&format!("innodb_log_writer_threads={threads}"), &format!("drive.clients={clients}")],
        )
    };
    let [alone_on, alone_off, on, off] = [run("ON", 1), run("OFF", 1), run("ON", 16), run("OFF", 16)];
    let tps = |summary| number(summary, "tps_mean");
    assert!(tps(alone_off) > 1.05 * tps(alone_on), "{alone_off} {alone_on}");
    assert!(tps(off) > 0.97 * tps(on), "{off} {on}");
    let syncs = [on, off].map(|summary| number(summary, "redo_fsyncs") / tps(summary));
    assert!(syncs[0] > 1.5 * syncs[1], "{syncs:?} syncs a transaction");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run long"]
    fn neighbours_are_extra_writes_with_other_seeds() {
        extra_writes_of_neighbours(&["seed=2", "seed=3"]);
    }
}
