//! Shipped scenarios load, round trips, layers, overrides, and no text ever panics.

use innosim_core::kernel::sampler::DurationDist;
use innosim_core::kernel::time::SimDuration;
use innosim_core::run_spec::DirtyStart;
use innosim_core::seam::WorkBefore;
use innosim_core::workload::DriveSpec;
use innosim_scenario::{Overrides, Scenario, Severity, Source, Warmup, json_schema, load, shipped};
use proptest::prelude::*;

fn load_shipped(name: &str, overrides: &Overrides) -> Scenario {
    load(Source::Named(name), overrides).unwrap_or_else(|errors| panic!("{name}:\n{errors}"))
}

fn set(arguments: &[&str]) -> Overrides {
    Overrides { set: arguments.iter().map(|argument| (*argument).to_owned()).collect(), ..Overrides::default() }
}

fn round_trip(scenario: &Scenario) -> Scenario {
    let text = scenario.to_resolved_toml("0.0.0");
    let again = load(Source::Text { name: "scenario.resolved.toml", text: &text }, &Overrides::default());
    let again = again.unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    assert_eq!(&again, scenario, "{text}");
    assert_eq!(again.to_resolved_toml("0.0.0"), text);
    again
}

#[test]
fn every_shipped_scenario_tells_a_story_and_survives_being_written_out() {
    assert_eq!(shipped().len(), 84);
    for one in shipped() {
        assert!(one.story.contains("Look at: "), "{}: the story says what to look at", one.name);
        assert_ne!(one.title, one.name);
        let scenario = load_shipped(one.name, &Overrides::default());
        assert_eq!((scenario.name.as_str(), &scenario.title, &scenario.story), (one.name, &one.title, &one.story));
        // Nothing is wrong in it; more threads than a model's contention allows are the museum's.
        let faults: Vec<_> = scenario.notes.iter().filter(|note| !note.message.ends_with("is not modelled")).collect();
        assert!(faults.is_empty(), "{}: {faults:?}", one.name);
        let _ = scenario.build_model();
        round_trip(&scenario);
    }
}

#[test]
fn every_scenario_file_is_shipped() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut files = Vec::new();
    for folder in std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        if folder.ends_with("sweeps") || folder.ends_with("series") {
            // Files of their own kinds.
            continue;
        }
        for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = format!("{}/{}", folder.file_name().unwrap().display(), file.file_stem().unwrap().display());
            files.push(name);
        }
    }
    files.retain(|name| !name.ends_with("/base"));
    files.sort();
    let mut names: Vec<_> = shipped().iter().map(|one| one.name.to_owned()).collect();
    names.sort();
    assert_eq!(files, names);
}

#[test]
fn the_published_runs_have_their_settings() {
    let scenario = load_shipped("redo40g-4500-bpi32", &Overrides::default());
    let setting = |name: &str| scenario.settings.line(name).unwrap();
    assert_eq!(setting("innodb_buffer_pool_size"), "innodb_buffer_pool_size = 140G");
    assert_eq!(setting("innodb_log_file_size"), "innodb_log_file_size = 20G");
    assert_eq!(setting("innodb_io_capacity_max"), "innodb_io_capacity_max = 4500");
    assert_eq!(setting("innodb_doublewrite_pages"), "innodb_doublewrite_pages = 128");
    assert_eq!(setting("innodb_page_cleaners"), "innodb_page_cleaners = 8");
    assert_eq!(scenario.run.workload.cores, 80);
    assert_eq!(scenario.run.duration, SimDuration::from_secs(5000));
    assert_eq!(scenario.warmup, Warmup::Fixed(SimDuration::from_secs(3000)));
    let pages: u64 = scenario.run.workload.page_sets.iter().map(|set| set.pages).sum();
    assert!((5_000_000..8_000_000).contains(&pages), "about 100 GB: {pages} pages");
    assert!(scenario.run.workload.page_sets.iter().all(|set| set.resident_share == 0.0));
}

#[test]
fn the_command_line_changes_what_it_names_and_nothing_else() {
    let plain = load_shipped("redo-too-small", &Overrides::default());
    let changes = [
        "innodb-io-capacity=3000",
        "INNODB_IO_CAPACITY_MAX=6000",
        "device.iops=20000",
        "drive.clients=7",
        "drive.think={ kind = \"exponential\", mean_us = 500 }",
        "workload.redo_bytes_per_transaction=1e3",
        "innodb_redo_log_capacity=1G",
    ];
    let overrides =
        Overrides { seed: Some(9), replications: Some(3), duration: Some("2m".to_owned()), ..set(&changes) };
    let changed = load_shipped("redo-too-small", &overrides);
    assert_eq!(changed.settings.line("innodb_io_capacity").unwrap(), "innodb_io_capacity = 3000");
    assert_eq!(changed.settings.line("innodb_io_capacity_max").unwrap(), "innodb_io_capacity_max = 6000");
    assert_eq!(changed.settings.line("innodb_redo_log_capacity").unwrap(), "innodb_redo_log_capacity = 1G");
    assert_eq!((changed.run.storage.data.read_iops, changed.run.storage.data.write_iops), (Some(2e4), Some(2e4)));
    assert_eq!((changed.run.seed, changed.replications), (9, 3));
    assert_eq!(changed.run.duration, SimDuration::from_secs(120));
    let think = DurationDist::Exponential { mean_us: 500.0 };
    assert_eq!(changed.run.workload.drive, DriveSpec::Closed { clients: 7, think });
    assert_eq!(changed.run.workload.page_sets, plain.run.workload.page_sets);
    assert_eq!(changed.run.storage.data.sync, plain.run.storage.data.sync);
    round_trip(&changed);
}

/// A limit below what a sync and its write take shortens the sync, once: written out and read again it is the same.
#[test]
fn redo_syncs_are_shortened_to_a_limit() {
    let redo_sync_us = |scenario: &Scenario| {
        let data = &scenario.run.storage.data;
        data.sequential_write.mean_us() + data.sync.mean_us()
    };
    let plain = load_shipped("7000-bpi32", &Overrides::default());
    let limit_us = 0.5 * redo_sync_us(&plain);
    let limited = load_shipped("7000-bpi32", &set(&[&format!("device.redo_sync_at_most={limit_us}us")]));
    assert!((redo_sync_us(&limited) / limit_us - 1.0).abs() < 1e-3, "{}", redo_sync_us(&limited));
    assert_eq!(redo_sync_us(&round_trip(&limited)), redo_sync_us(&limited));
    let loose = load_shipped("7000-bpi32", &set(&["device.redo_sync_at_most=1s"]));
    assert_eq!(redo_sync_us(&loose), redo_sync_us(&plain));
}

#[test]
fn another_kind_or_profile_starts_afresh() {
    let changed = load_shipped(
        "redo-too-small",
        &set(&["drive.rate=2000", "drive.kind=open", "drive.clients=8", "device.profile=disk"]),
    );
    assert_eq!(changed.run.storage.data.name, "disk");
    let DriveSpec::Open { clients: 8, rate, poisson: true } = &changed.run.workload.drive else {
        panic!("{:?}", changed.run.workload.drive)
    };
    assert_eq!((rate.len(), rate[0].from_per_s), (1, 2000.0));
    round_trip(&changed);
    let split = load_shipped("redo-too-small", &set(&["redo_device.profile=cloud-volume-burst"]));
    assert!(split.run.storage.redo.as_ref().is_some_and(|device| device.burst.is_some()));
    round_trip(&split);
}

#[test]
fn every_kind_of_workload_survives_being_written_out() {
    for kind in ["tpcc", "oltp-update-index", "oltp-write-only", "oltp-read-write", "oltp-insert"] {
        let scenario =
            load_shipped("redo-too-small", &set(&[&format!("workload.kind=sysbench-{kind}"), "workload.tables=2"]));
        round_trip(&scenario);
    }
    for rand_type in ["pareto", "zipfian", "special"] {
        let scenario = load_shipped("redo-too-small", &set(&[&format!("workload.rand_type={rand_type}")]));
        round_trip(&scenario);
    }
    let idle = load_shipped("redo-too-small", &set(&["workload.kind=idle"]));
    assert_eq!(idle.notes.len(), 1, "a drive has no meaning for an idle workload");
    round_trip(&idle);
    let custom = r#"
        model = "8.4"
        duration = "1h30m"
        server.innodb_buffer_pool_size = "4G"
        device.profile = "nvme"
        drive = { kind = "open", clients = 4, poisson = false, rate = 10, step = [{ at = "10s", rate = 90, ramp = "5s" }] }
        [workload]
        kind = "custom"
        page_set = [{ name = "a", pages = 10 }, { name = "b", pages = 20, space = 1, resident_share = 0.25 }]
        access_class = [
            { name = "u", page_sets = ["a", "b"], draw = "uniform" },
            { name = "n", page_sets = ["a"], draw = { kind = "nu-rand", a = 255, range = 3000 } },
            { name = "z", page_sets = ["a"], draw = { kind = "zipf", theta = 0.1 } },
            { name = "p", page_sets = ["b"], draw = { kind = "pareto", h = 0.2 } },
            { name = "h", page_sets = ["b"], draw = { kind = "hot-spot", hot_pages = 0.1, hot_accesses = 0.9 } },
            { name = "g", page_sets = ["b"], draw = { kind = "append", points = 3, rows_per_page = 70 } },
        ]
        [[workload.transaction]]
        name = "one"
        weight = 0.1
        cpu = { kind = "empirical", quantiles = [[0, 1], [0.5, 10.5], [1, 1e3]] }
        base_redo_bytes = 33.3
        touch = [{ class = "n" }, { class = "g", count = 3, modify = true, redo_bytes = 100.1, probability = 0.3 }]
        [[workload.transaction]]
        name = "two"
        cpu = "5us"
    "#;
    let scenario = load(Source::Text { name: "custom.toml", text: custom }, &Overrides::default());
    let scenario = scenario.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(scenario.run.workload.access_classes.len(), 6);
    round_trip(&scenario);
}

#[test]
fn a_start_with_dirty_pages_survives_being_written_out() {
    let start =
        set(&["start.dirty_share=0.25", "start.checkpoint_age_bytes=40_000_000", "start.redo_bytes_per_s=7000"]);
    let scenario = round_trip(&load_shipped("teaching/redo-too-small", &start));
    let before = WorkBefore { redo_bytes_per_s: 7_000, pages_flushed_per_s: 0, ..WorkBefore::default() };
    let start = DirtyStart { share: 0.25, checkpoint_age_bytes: 40_000_000, before };
    assert_eq!(scenario.run.dirty_start, Some(start));
    assert_eq!(load_shipped("teaching/redo-too-small", &Overrides::default()).run.dirty_start, None);
}

#[test]
fn a_start_on_a_clean_pool_remembers_what_was_before() {
    let mut start = set(&["start.dirty_share=0", "start.checkpoint_age_bytes=0", "start.pages_flushed_per_s=90"]);
    start.set.push("start.activity_unseen=true".to_owned());
    start.model = Some("mariadb-10.11".to_owned());
    let scenario = round_trip(&load_shipped("teaching/redo-too-small", &start));
    let before = WorkBefore { redo_bytes_per_s: 0, pages_flushed_per_s: 90, activity_unseen: true };
    assert_eq!(scenario.run.dirty_start, Some(DirtyStart { share: 0.0, checkpoint_age_bytes: 0, before }));
}

#[test]
fn a_scenario_runs_with_another_model() {
    let overrides = |model: &str| Overrides { model: Some(model.to_owned()), ..Overrides::default() };
    let older = load_shipped("redo-too-small", &overrides("mysql-8.0.21"));
    assert_eq!(older.settings.line("innodb_log_file_size").unwrap(), "innodb_log_file_size = 96M");
    assert!(older.notes.iter().all(|note| note.severity == Severity::Warning) && !older.notes.is_empty());
    round_trip(&older);
    round_trip(&load_shipped("7000-bpi32", &overrides("9.7")));
    let tiny = load_shipped("redo-too-small", &set(&["innodb_redo_log_capacity=12M"]));
    round_trip(&tiny);
    let shorter = Overrides { duration: Some("600s".to_owned()), ..Overrides::default() };
    let shorter = load_shipped("7000-bpi32", &shorter);
    assert_eq!((shorter.warmup, shorter.notes.len()), (Warmup::Auto, 1));
}

#[test]
fn a_redo_log_keeps_its_size_under_every_model() {
    let bytes = |shipped: &'static str, model: &str, set: &[&str]| {
        let overrides = Overrides {
            model: Some(model.to_owned()),
            set: set.iter().map(|text| (*text).to_owned()).collect(),
            ..Overrides::default()
        };
        let settings = load(Source::Shipped(shipped), &overrides).unwrap().settings;
        let files = || {
            settings.integer("innodb_log_file_size").unwrap()
                * settings.integer_or("innodb_log_files_in_group", 1).unwrap()
        };
        settings.integer("innodb_redo_log_capacity").unwrap_or_else(|_| files()) >> 20
    };
    for model in ["mysql-5.5", "mysql-5.7", "mysql-8.0.21", "mysql-8.4", "mariadb-10.11"] {
        assert_eq!(bytes("teaching/redo-too-small", model, &[]), 192, "{model}, from bytes");
        assert_eq!(bytes("stories/line-of-56-swings-of-55", model, &[]), 1024, "{model}, from two files");
    }
    assert_eq!(bytes("stories/line-of-56-swings-of-55", "mariadb-10.11", &["innodb_log_file_size=700M"]), 700);
}

#[test]
fn what_runs_but_not_as_its_author_thinks_is_said() {
    let notes = |arguments: &[&str]| -> String {
        let scenario = load_shipped("doublewrite-batch-too-small", &set(arguments));
        assert!(scenario.notes.iter().all(|note| note.severity == Severity::Warning && note.place.is_some()));
        scenario.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n")
    };
    insta::assert_snapshot!(notes(&["innodb_log_file_size=4M", "innodb_thread_concurrency=1000"]));
    insta::assert_snapshot!(notes(&["innodb_adaptive_hash_index=ON", "innodb_buffer_pool_size=3000M"]));
    insta::assert_snapshot!(notes(&["innodb_io_capacity=30000", "workload.kind=idle"]));
    insta::assert_snapshot!(notes(&["adaptive_hash_index.cpu_share=0.1", "innodb_adaptive_hash_index=OFF"]));
    insta::assert_snapshot!(notes(&["read_view.from=1000h", "read_view.length=10s"]));
}

#[test]
fn the_schema_file_is_up_to_date() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/scenario.schema.json");
    let text = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "run the tests with UPDATE_SCHEMA=1");
}

#[test]
fn the_pages_of_documentation_name_every_key() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = |name: &str| std::fs::read_to_string(docs.join(name)).unwrap();
    let pages = page("scenario-format.md") + page("scenario-workloads.md").as_str();
    let mut missing = Vec::new();
    names(&json_schema(), &mut |name| {
        // Settings of a server are listed by `innosim settings`.
        let setting = ["innodb_", "tnt_", "ntse_"].iter().any(|prefix| name.starts_with(prefix));
        if !setting && !pages.contains(&format!("`{name}`")) {
            missing.push(name.to_owned());
        }
    });
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every property name of a schema.
fn names(schema: &serde_json::Value, visit: &mut impl FnMut(&str)) {
    match schema {
        serde_json::Value::Object(object) => {
            if let Some(serde_json::Value::Object(properties)) = object.get("properties") {
                properties.keys().for_each(|name| visit(name));
            }
            object.values().for_each(|value| names(value, visit));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| names(item, visit)),
        _ => {}
    }
}

/// Pieces that mutations insert: values that are wrong somewhere, syntax, and keys.
const PIECES: &[&str] = &[
    "",
    "\n",
    "=",
    "[",
    "]",
    "[[",
    "\"",
    "{",
    "}",
    "-1",
    "0",
    "1e400",
    "nan",
    "inf",
    "\"10X\"",
    "true",
    "é",
    "\u{0}",
    "[server]",
    "[drive]",
    "kind = \"open\"",
    "kind = \"custom\"",
    "99999999999999999999",
    "extends = \"base\"",
    "18446744073709551615",
    "\"none\"",
    "[[drive.step]]",
    "profile = \"disk\"",
    "1979-05-27",
    "\"0s\"",
    ".",
    "'",
    "#",
    "4294967295",
    "\"auto\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_mutation_of_a_scenario_panics(
        which in 0..shipped().len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize, 0..PIECES.len()), 1..5),
    ) {
        let mut text: Vec<char> = shipped()[which].text.replace("extends = \"base.toml\"", "extends = \"percona-2020-08/base\"").chars().collect();
        for (place, length, piece) in edits {
            let start = place.index(text.len().max(1)).min(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, PIECES[piece].chars());
        }
        let text: String = text.into_iter().collect();
        match load(Source::Text { name: "mutated.toml", text: &text }, &Overrides::default()) {
            Ok(scenario) => { round_trip(&scenario); }
            Err(errors) => prop_assert!(!errors.to_string().is_empty()),
        }
    }

    #[test]
    fn no_argument_panics(argument in "[a-z_.=0-9\"\\[{-]{0,24}") {
        let _ = load(Source::Named("idle-server"), &Overrides { set: vec![argument], ..Overrides::default() });
    }
}

/// A run says so where its server has more threads than those up to which its throughput follows from the model: 5.7 above 64 if its
/// latch is not in the scenario, all others above 256, MariaDB above 128.
#[test]
fn threads_beyond_the_model_are_warned_of() {
    let said = |name: &str, clients: u32, more: &[&str]| {
        let clients = format!("drive.clients={clients}");
        let scenario = load_shipped(name, &set(&[&[&clients[..]], more].concat()));
        let notes: Vec<_> = scenario.notes.iter().map(|note| note.message.clone()).collect();
        assert_eq!(notes.is_empty(), scenario.threads_beyond_model().is_none(), "{notes:?}");
        notes.concat()
    };
    let without: &[&str] = &["host.statement_latch=0us"];
    for (server, threads, more) in [
        ("mysql-5.7.44", 64, without),
        ("mysql-5.7.44", 256, &[]),
        ("mysql-8.4.8", 256, &[]),
        ("mariadb-11.4.10", 128, &[]),
    ] {
        let name = format!("percona-2026/{server}-32g");
        assert_eq!(said(&name, threads, more), "", "{name}");
        let warning = said(&name, threads + 1, more);
        assert!(warning.contains(&format!("with more than {threads} threads")), "{warning}");
        assert!(warning.ends_with("which is not modelled"), "{warning}");
    }
}

/// A script's redo is that of the server, unless the scenario says otherwise.
#[test]
fn redo_of_a_script_is_that_of_the_models_server() {
    let redo = |model: &str, set: &[&str]| {
        let overrides = Overrides {
            model: Some(model.to_owned()),
            set: set.iter().map(|&line| line.to_owned()).collect(),
            ..Overrides::default()
        };
        let scenario = load(Source::Shipped("teaching/redo-too-small"), &overrides).unwrap();
        scenario.written("workload.redo_bytes_per_transaction").unwrap().parse::<f64>().unwrap()
    };
    let update = "workload.kind=sysbench-oltp-update-non-index";
    let by_model = [
        ("mysql-5.5", 491.0),
        ("mysql-5.6", 483.0),
        ("percona-5.7", 524.0),
        ("mysql-8.4", 543.0),
        ("mariadb-11.4", 426.0),
    ];
    for (model, bytes) in by_model {
        assert_eq!(redo(model, &[update]), bytes, "{model}");
        assert_eq!(redo(model, &[update, "workload.redo_bytes_per_transaction=700"]), 700.0, "{model}");
    }
    assert!(redo("mariadb-10.6", &[]) < redo("mysql-8.0.30", &[]));
}
