//! Bad input: each mistake gets a message that names file, line, setting, what was found, what is allowed and the fix.
//!
//! Each case is an edit of one good scenario; all messages stand in one snapshot, which reads like a catalogue.
//! `INSTA_UPDATE=always cargo test -p innosim-scenario` renews it.

use innosim_scenario::{Overrides, Source, load};

const GOOD: &str = r#"# A small scenario.

title = "Small"
model = "mysql-8.0.30"
duration = "600s"
warmup = "60s"
seed = 1

[server]
innodb_buffer_pool_size = "2G"
innodb_redo_log_capacity = "512M"
innodb_io_capacity = 2000
innodb_io_capacity_max = 4000

[host]
cores = 8

[device]
profile = "nvme"
write_iops = 30000

[workload]
kind = "sysbench-oltp-write-only"
tables = 4
table_size = 100000

[drive]
kind = "closed"
clients = 16
"#;

const CUSTOM: &str = r#"[workload]
kind = "custom"

[[workload.page_set]]
name = "rows"
pages = 1000

[[workload.access_class]]
name = "rows"
page_sets = ["rows"]
draw = { kind = "zipf", theta = 0.9 }

[[workload.transaction]]
name = "update"
cpu = "100us"
touch = [{ class = "rows", modify = true, redo_bytes = 200 }]
"#;

const OLTP: &str = "[workload]\nkind = \"sysbench-oltp-write-only\"\ntables = 4\ntable_size = 100000\n";
const CLOSED: &str = "[drive]\nkind = \"closed\"\nclients = 16\n";

/// Edits of the good scenario: name, what is replaced, by what.
const EDITS: &[(&str, &str, &str)] = &[
    (
        "start that is older than user threads let it become",
        "[host]",
        "[start]\ndirty_share = 0.5\ncheckpoint_age_bytes = 900_000_000_000\n\n[host]",
    ),
    ("start without its age", "[host]", "[start]\ndirty_share = 0.5\n\n[host]"),
    ("start without a dirty page", "[host]", "[start]\ndirty_share = 0.0\ncheckpoint_age_bytes = 1000\n\n[host]"),
    ("start with pages of no age", "[host]", "[start]\ndirty_share = 0.5\ncheckpoint_age_bytes = 0\n\n[host]"),
    (
        "start with activity that this server does not look for",
        "[host]",
        "[start]\ndirty_share = 0.0\ncheckpoint_age_bytes = 0\nactivity_unseen = true\n\n[host]",
    ),
    (
        "start with an empty buffer pool",
        "table_size = 100000",
        "table_size = 100000\nresident_share = 0.0\n\n[start]\ndirty_share = 0.5\ncheckpoint_age_bytes = 1000",
    ),
    ("misspelt setting", "innodb_io_capacity =", "innodb_io_capcity ="),
    ("setting of another version", "innodb_io_capacity =", "innodb_adaptive_flushing_method ="),
    ("retired setting", "innodb_io_capacity =", "innodb_support_xa ="),
    ("setting that nobody knows", "innodb_io_capacity =", "flux_capacitor ="),
    ("setting at the root", "seed = 1", "innodb_page_cleaners = 4"),
    ("setting out of range", "innodb_io_capacity = 2000", "innodb_io_capacity = 50"),
    ("setting far too large", "innodb_io_capacity = 2000", "innodb_io_capacity = 99999999999999999999999"),
    ("setting with a wrong unit", "\"2G\"", "\"10X\""),
    ("setting that is a list", "innodb_io_capacity = 2000", "innodb_io_capacity = [2000]"),
    ("setting that is a negative number", "innodb_io_capacity = 2000", "innodb_io_capacity = -5"),
    ("setting that is not a number", "innodb_io_capacity = 2000", "innodb_max_dirty_pages_pct = nan"),
    ("choice that does not exist", "innodb_io_capacity = 2000", "innodb_flush_method = \"O_DIRCT\""),
    (
        "setting twice in two spellings",
        "innodb_io_capacity = 2000",
        "innodb_io_capacity = 2000\ninnodb-io-capacity = 3000",
    ),
    ("setting twice", "innodb_io_capacity = 2000", "innodb_io_capacity = 2000\ninnodb_io_capacity = 3000"),
    ("scenario key among the settings", "innodb_io_capacity = 2000", "clients = 2000"),
    ("pool smaller than allowed", "\"2G\"", "\"1M\""),
    ("unknown model", "mysql-8.0.30", "mysql-8.0.3O"),
    ("model between the models", "mysql-8.0.30", "8.0.25"),
    ("model missing", "model = \"mysql-8.0.30\"\n", ""),
    ("misspelt root key", "duration =", "durations ="),
    ("duration missing", "duration = \"600s\"\n", ""),
    ("duration without a unit", "\"600s\"", "600"),
    ("duration in quotes without a unit", "\"600s\"", "\"600\""),
    ("duration with an unknown unit", "\"600s\"", "\"600 sec\""),
    ("duration of nothing", "\"600s\"", "\"0s\""),
    ("engine status at no distance", "duration = \"600s\"", "duration = \"600s\"\nengine_status_every = \"0s\""),
    ("duration of centuries", "\"600s\"", "\"99999999d\""),
    ("warm-up as long as the run", "warmup = \"60s\"", "warmup = \"10m\""),
    ("warm-up whose last second is the last of the run", "warmup = \"60s\"", "warmup = \"599.5s\""),
    ("warm-up and less than a second", "duration = \"600s\"", "duration = \"60500ms\""),
    ("warm-up misspelt", "warmup = \"60s\"", "warmup = \"automatic\""),
    ("seed negative", "seed = 1", "seed = -1"),
    ("seed with a fraction", "seed = 1", "seed = 1.5"),
    ("replications zero", "seed = 1", "replications = 0"),
    ("title that is a date", "\"Small\"", "2020-08-27"),
    ("cores zero", "cores = 8", "cores = 0"),
    ("more for other programs than there is", "cores = 8", "cores = 8\n\n[[host.other]]\nat = \"10s\"\ncpus = 8.5"),
    (
        "other programs out of order",
        "cores = 8",
        "cores = 8\n\n[[host.other]]\nat = \"10s\"\ncpus = 1.5\n\n[[host.other]]\nat = \"5s\"\ncpus = 0.5",
    ),
    ("device missing", "[device]\nprofile = \"nvme\"\nwrite_iops = 30000\n", ""),
    ("device that is a string", "[device]\nprofile = \"nvme\"\nwrite_iops = 30000\n", ""),
    ("unknown profile", "\"nvme\"", "\"nmve\""),
    ("profile missing", "profile = \"nvme\"\n", ""),
    ("misspelt device field", "write_iops", "writes_iops"),
    ("ceiling of zero", "write_iops = 30000", "write_iops = 0"),
    ("ceiling infinite", "write_iops = 30000", "write_iops = inf"),
    ("bandwidth in a wrong unit", "write_iops = 30000", "write_bytes_per_s = \"12 parsecs\""),
    ("queue shorter than channels", "write_iops = 30000", "queue_depth = 4"),
    ("service time negative", "write_iops = 30000", "random_read = { kind = \"exponential\", mean_us = -1 }"),
    ("distribution of an unknown kind", "write_iops = 30000", "random_read = { kind = \"gamma\", mean_us = 1 }"),
    (
        "quantiles that fall",
        "write_iops = 30000",
        "sync = { kind = \"empirical\", quantiles = [[0, 50], [0.5, 40], [1, 60]] }",
    ),
    (
        "quantiles that do not reach 1",
        "write_iops = 30000",
        "sync = { kind = \"empirical\", quantiles = [[0, 50], [0.5, 60]] }",
    ),
    (
        "burst below its baseline",
        "write_iops = 30000",
        "burst = { baseline_iops = 300, burst_iops = 100, bucket_ops = 10, initial_ops = 20 }",
    ),
    ("unknown workload", "sysbench-oltp-write-only", "sysbench-oltp-writeonly"),
    ("workload without a kind", "kind = \"sysbench-oltp-write-only\"\n", ""),
    ("workload key of another kind", "tables = 4", "scale = 4"),
    ("table_size zero", "table_size = 100000", "table_size = 0"),
    ("data set beyond page numbers", "table_size = 100000", "table_size = 1000000000000"),
    ("gaussian", "tables = 4", "rand_type = \"gaussian\""),
    ("pareto h out of range", "tables = 4", "rand_pareto_h = 1.5"),
    ("more resident than the pool", "tables = 4\ntable_size = 100000", "table_size = 100000000\nresident_share = 1.0"),
    ("clients zero", "clients = 16", "clients = 0"),
    ("clients in quotes", "clients = 16", "clients = \"16\""),
    ("clients missing", "clients = 16\n", ""),
    ("think time without a unit", "clients = 16", "clients = 16\nthink = 5"),
    ("drive missing", CLOSED, ""),
    ("open drive without a rate", "kind = \"closed\"", "kind = \"open\""),
    ("negative rate", "kind = \"closed\"", "kind = \"open\"\nrate = -5"),
    (
        "steps out of order",
        "kind = \"closed\"",
        "kind = \"open\"\nrate = 5\nstep = [{ at = \"20s\", rate = 9 }, { at = \"10s\", rate = 7 }]",
    ),
    (
        "spikes into each other",
        "kind = \"closed\"",
        "kind = \"open\"\nrate = 5\nspike = [{ at = \"20s\", length = \"9s\", rate = 9 }, { at = \"25s\", length = \"0s\", rate = 7 }]",
    ),
    (
        "stops that never end",
        "clients = 16",
        "clients = 16\nstop = [{ at = \"1s\", length = \"2s\", every = \"2s\" }, { at = \"9s\", length = \"0s\" }, \
         { at = \"9s\", every = \"60s\", length_per_gib = \"9m\" }]",
    ),
    (
        "stops that can't be read",
        "clients = 16",
        "clients = 16\nstop = [{ at = \"1s\", length = \"2 fortnights\" }, { at = \"9s\", every = \"a minute\" }, \
         { at = \"20s\", lenght = \"2s\" }]",
    ),
    ("several mistakes at once", "cores = 8", "cores = 0\nram = 5\n[tuning]\nfast = true"),
];

/// Edits of a custom workload.
const CUSTOM_EDITS: &[(&str, &str, &str)] = &[
    ("unknown page set", "page_sets = [\"rows\"]", "page_sets = [\"row\"]"),
    ("no page sets", "page_sets = [\"rows\"]", "page_sets = []"),
    ("unknown access class", "class = \"rows\"", "class = \"index\""),
    ("unknown draw", "kind = \"zipf\"", "kind = \"zipfian\""),
    ("theta missing", ", theta = 0.9", ""),
    ("draw without its keys", "{ kind = \"zipf\", theta = 0.9 }", "\"zipf\""),
    ("weights all zero", "name = \"update\"", "name = \"update\"\nweight = 0"),
    ("redo of a read", "modify = true", "modify = false"),
    ("max below min", "modify = true", "modify = true, min = 5, max = 2"),
    ("count beside min", "modify = true", "modify = true, min = 5, count = 2"),
    (
        "two page sets of a name",
        "[[workload.access_class]]",
        "[[workload.page_set]]\nname = \"rows\"\npages = 5\n[[workload.access_class]]",
    ),
    ("pages zero", "pages = 1000", "pages = 0"),
    ("no transactions", "[[workload.transaction]]", "[[workload.transactions]]"),
];

/// Arguments of `--set`.
const ARGUMENTS: &[&str] = &[
    "innodb_io_capacity",
    "innodb_io_capacity=",
    "=5",
    "innodb_io_capcity=5",
    "innodb_io_capacity=fast",
    "device.iops=many",
    "device.write_iop=5",
    "drive.clients=0",
    "drive..clients=5",
    "workload.resident_share=.5",
    "drive=5",
    "clients=5",
    "workload.kind=sysbench-oltp-read-writ",
    "extends=teaching/redo-too-small",
    "nothing.here=1",
    "duration=5",
];

fn message(text: &str, overrides: &Overrides) -> String {
    match load(Source::Text { name: "small.toml", text }, overrides) {
        Ok(_) => "LOADED".to_owned(),
        Err(errors) => {
            for error in errors.iter() {
                let place = error.place.as_ref().expect("every mistake in a text has a place");
                assert!(place.line >= 1 && place.column >= 1 && !place.file.is_empty(), "{error}");
            }
            errors.to_string()
        }
    }
}

fn section(out: &mut String, name: &str, message: &str) {
    assert!(message != "LOADED", "{name} is accepted");
    out.push_str(&format!("## {name}\n\n{message}\n\n"));
}

fn edited(text: &str, name: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{name}: nothing to edit");
    text.replacen(from, to, 1)
}

#[test]
fn the_good_scenarios_load_without_remarks() {
    for text in [GOOD.to_owned(), edited(GOOD, "custom", OLTP, CUSTOM)] {
        let scenario = load(Source::Text { name: "small.toml", text: &text }, &Overrides::default()).unwrap();
        assert!(scenario.notes.is_empty(), "{:?}", scenario.notes);
    }
}

#[test]
fn mistakes_in_a_text() {
    let mut out = String::new();
    for (name, from, to) in EDITS {
        let mut text = edited(GOOD, name, from, to);
        if *name == "device that is a string" {
            text = format!("device = \"nvme\"\n{text}");
        }
        section(&mut out, name, &message(&text, &Overrides::default()));
    }
    let custom = edited(GOOD, "custom", OLTP, CUSTOM);
    for (name, from, to) in CUSTOM_EDITS {
        section(&mut out, name, &message(&edited(&custom, name, from, to), &Overrides::default()));
    }
    insta::assert_snapshot!("mistakes_in_a_text", out);
}

#[test]
fn mistakes_on_the_command_line() {
    let mut out = String::new();
    for argument in ARGUMENTS {
        let overrides = Overrides { set: vec![(*argument).to_owned()], ..Overrides::default() };
        section(&mut out, &format!("--set {argument}"), &message(GOOD, &overrides));
    }
    let model = Overrides { model: Some("oracle-23".to_owned()), ..Overrides::default() };
    section(&mut out, "--model oracle-23", &message(GOOD, &model));
    let duration = Overrides { duration: Some("ten minutes".to_owned()), ..Overrides::default() };
    section(&mut out, "--duration 'ten minutes'", &message(GOOD, &duration));
    let none = Overrides { replications: Some(0), ..Overrides::default() };
    section(&mut out, "--replications 0", &message(GOOD, &none));
    insta::assert_snapshot!("mistakes_on_the_command_line", out);
}

/// TNT keeps room in its redo log for a transaction and for merging it: one that needs more would wait for ever.
#[test]
fn a_transaction_that_never_fits_the_redo_log_of_tnt() {
    let text = edited(&edited(GOOD, "custom", OLTP, CUSTOM), "redo", "redo_bytes = 200", "redo_bytes = 4_000_000");
    let on_tnt = |set: &[&str]| {
        let set = set.iter().map(|setting| (*setting).to_owned()).collect();
        message(&text, &Overrides { model: Some("tnt".to_owned()), set, ..Overrides::default() })
    };
    let refused = on_tnt(&["ntse_log_file_size=4M", "ntse_log_buf_size=1M"]);
    for part in ["may take 13M of redo", "more than the redo log has (8M)", "raise ntse_log_file_size"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    assert_eq!(on_tnt(&["ntse_log_file_size=4M", "ntse_log_buf_size=1M", "ntse_log_overflow=ON"]), "LOADED");
    assert_eq!(on_tnt(&["ntse_log_file_size=16M", "ntse_log_buf_size=1M"]), "LOADED");
}

#[test]
fn texts_that_are_not_scenarios() {
    let mut out = String::new();
    for (name, text) in [
        ("empty", ""),
        ("only a comment", "# Nothing here.\n"),
        ("not TOML", "model = mysql-8.0.30\nduration = 600s\n"),
        ("my.cnf", "[mysqld]\ninnodb_buffer_pool_size = 10G\n"),
        ("open bracket", "[server\ninnodb_io_capacity = 1"),
        ("base that is misspelt", "extends = \"teaching/redo-to-small\""),
        ("base that does not exist", "extends = \"no/such/file.toml\"\n"),
        ("base that is a number", "extends = 5"),
    ] {
        section(&mut out, name, &message(text, &Overrides::default()));
    }
    insta::assert_snapshot!("texts_that_are_not_scenarios", out);
}

#[test]
fn names_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("latin1.toml"), b"model = \"mysql-8.0.30\"\ntitle = \"caf\xe9\"\n").unwrap();
    std::fs::write(path("a.toml"), "extends = \"b.toml\"\n").unwrap();
    std::fs::write(path("b.toml"), "\nextends = \"c.toml\"\n").unwrap();
    std::fs::write(path("c.toml"), "extends = \"a.toml\"\n").unwrap();
    std::fs::write(path("wrong-base.toml"), "[server]\ninnodb_io_capcity = 5\n").unwrap();
    std::fs::write(path("child.toml"), format!("extends = \"wrong-base.toml\"\n{GOOD}")).unwrap();
    let mut out = String::new();
    let clean = |text: String| {
        let canonical = folder.path().canonicalize().unwrap();
        text.replace(canonical.to_str().unwrap(), "DIR").replace(folder.path().to_str().unwrap(), "DIR")
    };
    std::fs::write(path("empty.toml"), "\n").unwrap();
    for name in ["latin1.toml", "a.toml", "child.toml", "missing.toml", "empty.toml"] {
        let errors = load(Source::File(&path(name)), &Overrides::default()).unwrap_err();
        section(&mut out, name, &clean(errors.to_string()));
    }
    assert!(load(Source::File(folder.path()), &Overrides::default()).is_err(), "a folder is no scenario");
    for name in ["redo-to-small", "teaching/idle", "base.tml", "xyzzy", "", "teaching", "scenarios/stories/"] {
        let errors = load(Source::Named(name), &Overrides::default()).unwrap_err();
        section(&mut out, &format!("named {name:?}"), &errors.to_string());
    }
    insta::assert_snapshot!("names_and_files", out);
}

/// Scenarios of before may still say how pages are kept; there is one way now.
#[test]
fn a_key_that_is_gone_is_refused_with_the_reason() {
    let text = GOOD.replace("seed = 1", "pages = \"counted\"");
    let errors = load(Source::Text { name: "small.toml", text: &text }, &Overrides::default()).unwrap_err().to_string();
    assert!(errors.contains("no key `pages`") && errors.contains("one by one: leave the key out"), "{errors}");
}

/// Where an index was prepared by another law, the load is uniform; what belongs to such an index says nothing without it.
#[test]
fn keys_of_an_index_prepared_otherwise_are_refused_without_it() {
    let refused = |keys: &str| {
        let text = GOOD.replace("tables = 4", &format!("tables = 4\n{keys}"));
        load(Source::Text { name: "small.toml", text: &text }, &Overrides::default()).unwrap_err().to_string()
    };
    for key in ["index_changes_by_load = 10", "index_merge_bytes = 13000"] {
        let errors = refused(key);
        assert!(errors.contains("has no effect without `prepare_rand_type`"), "{errors}");
        assert!(errors.contains("add prepare_rand_type"), "{errors}");
    }
    let errors = refused("prepare_rand_type = \"special\"\nrand_type = \"pareto\"");
    assert!(errors.contains("does not go with rand_type = \"pareto\""), "{errors}");
    let errors = refused("prepare_rand_type = \"zipfian\"");
    assert!(errors.contains("special") && errors.contains("uniform"), "{errors}");
}
