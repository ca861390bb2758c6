//! The commands that list and describe, and the help.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use crate::common::{innosim, json, refused, stdout};

#[test]
fn help_stays_as_it_is() {
    insta::assert_snapshot!("help", stdout(&["--help"]));
    insta::assert_snapshot!("help_run", stdout(&["run", "-h"]));
    insta::assert_snapshot!("help_compare", stdout(&["compare", "-h"]));
    insta::assert_snapshot!("help_reproduce", stdout(&["reproduce", "-h"]));
    assert_eq!(stdout(&["help", "models"]), stdout(&["models", "--help"]));
}

#[test]
fn version_is_the_package_version() {
    assert_eq!(stdout(&["--version"]), format!("innosim {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn colour_is_there_where_it_is_wanted() {
    const RED: &str = "\u{1b}[1;31merror:";
    let error = |color: &[&str]| refused(&[&["settings", "innodb_io_capcity"], color].concat(), 2);
    assert!(error(&["--color", "always"]).starts_with(RED));
    for color in [&[][..], &["--color=never"], &["--color", "auto"]] {
        assert!(error(color).starts_with("error:"), "{color:?}");
    }
    let help = |color| stdout(&["--color", color, "run", "--help"]);
    assert!(help("always").contains('\u{1b}') && !help("never").contains('\u{1b}'));
    assert!(refused(&["--color=sometimes", "models"], 2).contains("auto, always, never"));
}

#[test]
fn models_in_both_forms() {
    let names: Vec<String> =
        json(&["models", "--format", "json"]).as_array().unwrap().iter().map(|m| m["name"].to_string()).collect();
    assert!(names.contains(&"\"mysql-8.0.21\"".to_owned()), "{names:?}");
    let text = stdout(&["models"]);
    assert!(names.iter().all(|name| text.contains(name.trim_matches('"'))), "{text}");
}

#[test]
fn settings_list_and_explain() {
    let all = json(&["settings", "--model", "8.4", "--format", "json"]);
    assert_eq!(all["model"], "mysql-8.4");
    assert!(all["settings"].as_array().unwrap().len() > 20);
    for setting in all["settings"].as_array().unwrap() {
        for key in ["name", "kind", "default_text", "allowed", "unit", "help"] {
            assert!(setting[key].is_string(), "{setting}");
        }
    }
    let one = json(&["settings", "innodb-io-capacity", "--format", "json", "--seed", "3", "--jobs", "2", "--quiet"]);
    assert_eq!(one["settings"][0]["name"], "innodb_io_capacity");
    insta::assert_snapshot!("setting", stdout(&["settings", "innodb_io_capacity"]));
}

#[test]
fn defaults_by_model_are_those_of_each_model() {
    let text = stdout(&["settings", "sync_binlog"]);
    for (model, default) in [("mysql-5.6", "0"), ("mysql-5.7", "1"), ("mysql-9.7", "1"), ("mariadb-10.11", "0")] {
        assert!(text.contains(&format!("    {model:<14} {default}\n")), "{text}");
    }
    let one = json(&["settings", "sync_binlog", "--format", "json"]);
    assert_eq!((&one["settings"][0]["default"], &one["settings"][0]["default_text"]), (&1.into(), &"1".into()));
}

#[test]
fn unknown_names_are_answered_with_the_right_one() {
    let error = refused(&["settings", "innodb_io_capcity"], 2);
    assert!(error.contains("did you mean innodb_io_capacity?"), "{error}");
    let error = refused(&["settings", "--model", "8.0.mysql_aurora.3.04.0"], 2);
    assert!(error.contains("flushes no page"), "{error}");
    let error = refused(&["man", "walk"], 2);
    assert!(error.contains("reproduce"), "{error}");
}

#[test]
fn scenarios_in_both_forms() {
    let all = json(&["scenarios", "--format", "json"]);
    let published = all.as_array().unwrap().iter().filter(|one| one["published"] == true).count();
    assert_eq!(published, 9);
    assert!(all.as_array().unwrap().iter().all(|one| one["story"].as_str().unwrap().contains("Look at: ")));
    assert!(stdout(&["scenarios"]).contains("redo-too-small"));
}

#[test]
fn schema_completions_and_manual() {
    assert!(json(&["schema"])["properties"]["published"].is_object());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(stdout(&["completions", shell]).contains("reproduce"), "{shell}");
    }
    assert!(stdout(&["man"]).contains(".TH innosim"));
    assert!(stdout(&["man", "run"]).contains("replications"));
    // As every command, they take the options that scripts give to all.
    let common = ["--format", "json", "--seed", "1", "--jobs", "1", "--quiet"];
    let with = |command: &[&str]| json(&[command, &common].concat());
    assert_eq!(with(&["schema"]), json(&["schema"]));
    let script = with(&["completions", "bash"]);
    assert_eq!((&script["shell"], &script["script"]), (&"bash".into(), &stdout(&["completions", "bash"]).into()));
    let page = with(&["man", "run"]);
    assert_eq!((&page["command"], &page["page"]), (&"run".into(), &stdout(&["man", "run"]).into()));
}

#[test]
fn bad_usage_is_code_2() {
    for arguments in [&["walk"][..], &["run"], &["run", "x", "--jobs", "0"], &["models", "--format", "yaml"], &[]] {
        innosim(arguments).code(2);
    }
}

#[test]
fn settings_of_a_real_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.cnf");
    let name = path.to_str().unwrap();
    let good = "[mysqld]\nskip-name-resolve\ninnodb_buffer_pool_size = 1000M\ninnodb_io_capacity=300\ninnodb_io_capacity=400\n";
    std::fs::write(&path, good).unwrap();
    let table = stdout(&["settings", "--my-cnf", name, "--model", "8.0"]).replace(name, "my.cnf");
    insta::assert_snapshot!("settings_of_a_my_cnf", table);
    let document = json(&["settings", "--my-cnf", name, "--format", "json"]);
    assert_eq!(document["understood"].as_array().unwrap().len(), 2);
    assert_eq!(document["superseded"][0]["line"], 4);
    assert_eq!(document["settings"]["innodb_io_capacity"], "400");
    std::fs::write(&path, format!("{good}innodb_io_capcity = 5\n")).unwrap();
    let assert = innosim(&["settings", "--my-cnf", name]).code(2);
    let said = crate::common::text(&assert.get_output().stderr);
    assert!(said.contains("my.cnf:6:1") && said.contains("did you mean innodb_io_capacity?"), "{said}");
    assert!(crate::common::text(&assert.get_output().stdout).contains("Wrong (1)"));
    let said = refused(&["settings", "--my-cnf", "no/such/file"], 2);
    assert!(said.contains("no/such/file"), "{said}");
}

#[test]
fn a_run_says_in_a_line_what_it_took_from_a_my_cnf() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.cnf");
    std::fs::write(&path, "[mysqld]\ninnodb_io_capacity=300\nport=3306\n").unwrap();
    let set = format!("my_cnf={}", path.display());
    let run = ["run", crate::common::SMALL, "--duration", "2s", "--format", "json", "--set", &set];
    let assert = innosim(&run).success();
    let said = crate::common::text(&assert.get_output().stderr);
    assert!(said.contains("my.cnf: 1 setting understood, 1 without effect in the model"), "{said}");
}

const MY_CNF: &str = "[client]\nuser=x\n[mysqld]\ninnodb_buffer_pool_size=4G\ninnodb_redo_log_capacity=8G\ninnodb_io_capacity=5000\n\
     innodb_io_capacity_max=8000\nlog_bin=OFF\n";

/// A my.cnf in a folder of its own.
fn my_cnf() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.cnf");
    std::fs::write(&path, MY_CNF).unwrap();
    let name = path.display().to_string();
    (folder, name)
}

#[test]
fn an_option_file_in_place_of_a_scenario_is_told_what_to_type() {
    let (_folder, name) = my_cnf();
    for command in ["run", "recommend", "explain", "advise", "compare"] {
        let arguments: &[&str] = if command == "compare" {
            &[command, &name, "--model", "8.0", "--model", "8.4"]
        } else {
            &[command, &name]
        };
        let said = refused(arguments, 2);
        assert_eq!(said.matches("error").count(), 1, "{said}");
        assert!(
            said.contains("is an option file of a server") && said.contains("innosim recommend --my-cnf"),
            "{said}"
        );
    }
}

#[test]
fn settings_alone_get_an_interval_and_no_statement() {
    let (_folder, name) = my_cnf();
    let assert = innosim(&["recommend", "--my-cnf", &name, "--format", "json"]).code(1);
    let out = crate::common::text(&assert.get_output().stdout);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["status"], "refused");
    assert!(answer["recommended"].is_null() && !out.contains("SET GLOBAL"), "{out}");
    let interval = &answer["interval"]["pages_per_s"];
    assert!(interval[0].as_f64().unwrap() < interval[1].as_f64().unwrap(), "{out}");
    assert!(answer["redo_log"]["async_bytes"].as_f64().unwrap() < answer["redo_log"]["bytes"].as_f64().unwrap());
    let found = answer["contradictions"].to_string();
    assert!(found.contains("8,000 / 5,000") && found.contains("larger than the buffer pool"), "{found}");
    let table = crate::common::text(&innosim(&["recommend", "--my-cnf", &name]).code(1).get_output().stdout);
    assert!(
        table.contains("innosim collect")
            && table.lines().all(|line| line.chars().count() <= 110 || line.contains("my.cnf")),
        "{table}"
    );
}

#[test]
fn a_new_scenario_has_the_settings_of_the_file_and_runs() {
    let (folder, name) = my_cnf();
    let file = folder.path().join("my-server.toml");
    let file = file.to_str().unwrap();
    innosim(&["new-scenario", "--my-cnf", &name, "--device", "nvme", "-o", file]).success();
    let set = ["--set", "workload.table_size=10000", "--duration", "2s", "--quiet"];
    let out = stdout(&[&["run", file], &set[..]].concat());
    assert!(out.contains("innodb_io_capacity_max=8000, redo 8.00 GiB"), "{out}");
    assert!(out.contains("load: sysbench-oltp-read-write, 16 tables of 10,000 rows, 64 clients\n"), "{out}");
    assert!(out.contains("device: nvme (data sheets") && out.contains("Too short to tell"), "{out}");
    assert!(refused(&["new-scenario", "--my-cnf", &name, "-o", file], 2).contains("is there already"));
}

#[test]
fn a_my_cnf_and_a_device_take_the_place_of_the_scenarios_own() {
    let (_folder, name) = my_cnf();
    let out =
        stdout(&["run", crate::common::SMALL, "--duration", "2s", "--quiet", "--my-cnf", &name, "--device", "nvme"]);
    // innodb_doublewrite_pages = 128 of the scenario is not the file's.
    assert!(
        out.contains("innodb_io_capacity=5000") && out.contains("device: nvme") && out.contains("not yours"),
        "{out}"
    );
    let error = refused(&["run", crate::common::SMALL, "--device", "nvmee"], 2);
    assert!(error.contains("did you mean nvme?"), "{error}");
}

#[test]
fn scenarios_prints_one_and_old_names_go_on_with_a_hint() {
    assert!(stdout(&["scenarios", crate::common::SMALL]).starts_with("# The redo log is too small"));
    assert!(refused(&["scenarios", "redo-to-small"], 2).contains("did you mean teaching/redo-too-small?"));
    let said = crate::common::text(&innosim(&["pages", "no/such/folder"]).code(2).get_output().stderr);
    assert!(said.contains("is now called `innosim page-ages`"), "{said}");
    for (version, nearest) in [("8.1", "mysql-8.0.30"), ("5.1", "mysql-5.5")] {
        let said = innosim(&["settings", "--model", version]).success().get_output().clone();
        let said = crate::common::text(&said.stderr);
        assert!(said.contains(&format!("the nearest, {nearest}, is taken")), "{said}");
    }
    assert!(refused(&["run", "my-server.toml"], 2).contains("innosim new-scenario"));
}

#[test]
fn the_complete_example_of_a_large_server_loads() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/my-server.toml");
    let out = stdout(&["run", file, "--duration", "1s", "--quiet", "--set", "workload.table_size=10000"]);
    assert!(out.contains("innodb_io_capacity_max=8000, redo 8.00 GiB, pool 64.0 GiB"), "{out}");
}

const FIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recordings/fio");

/// What nobody asked to be wide fits 120 columns; texts and their tables fit what is asked for.
#[test]
fn nothing_is_wider_than_a_window() {
    let (_folder, cnf) = my_cnf();
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let (ran, swept) = (path("run"), path("sweep"));
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recordings/mysql80/step-192-io1000");
    let small = crate::common::SMALL;
    let texts: [&[&str]; 6] = [
        &["models"],
        &["rules"],
        &["settings"],
        &["settings", "--my-cnf", &cnf],
        &["recommend", "--my-cnf", &cnf],
        &["new-scenario", "--my-cnf", &cnf],
    ];
    let jobs: Vec<String> = ["randwrite16k_qd16", "randwrite16k_qd64", "redo4k_buffered_fdatasync", "seqwrite1m_qd4"]
        .map(|job| format!("{FIO}/cap-hdd-raid-{job}.json"))
        .into();
    let fio: Vec<&str> = ["device", "--profile", "disk"].into_iter().chain(jobs.iter().map(String::as_str)).collect();
    let tables: [&[&str]; 12] = [
        &["scenarios"],
        &["sweep", "--list"],
        &["reproduce", "--list"],
        &["bench-rules", "--list"],
        &["run", small, "--duration", "20s", "--verbose", "-o", &ran],
        &["explain", &ran],
        &[
            "compare",
            small,
            "--duration",
            "5s",
            "--variant",
            "as it is:",
            "--variant",
            "2 GiB:innodb_redo_log_capacity=2G",
        ],
        &["compare", small, "--duration", "5s", "--model", "8.0", "--model", "8.4", "--as-upgraded"],
        &["sweep", small, "--duration", "2s", "--vary", "innodb_redo_log_capacity=256M,512M", "-o", &swept],
        &["explain", recording],
        &["replay", recording],
        &fio,
    ];
    let mut wide = Vec::new();
    for words in texts.iter().chain(&tables) {
        let assert = innosim(words);
        let all = text_of(&assert);
        assert!(assert.get_output().status.code() != Some(2) && !all.is_empty(), "{words:?} is refused");
        wide.extend(all.lines().filter(|line| line.chars().count() > 120).map(|line| format!("{words:?}: {line}")));
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
    for words in texts[..5].iter().chain(&tables[..7]) {
        let narrow = assert_cmd::cargo::cargo_bin_cmd!("innosim").env("COLUMNS", "80").args(*words).assert();
        let all = text_of(&narrow);
        let fits = |line: &&str| {
            let text = line.trim_start();
            line.chars().count() <= 80 || !text.contains(' ') || text.starts_with("innosim") || text.starts_with("sh ")
        };
        assert!(all.lines().all(|line| fits(&line)), "{words:?}\n{all}");
    }
}

/// Standard output, however the program ended.
fn text_of(assert: &assert_cmd::assert::Assert) -> String {
    crate::common::text(&assert.get_output().stdout)
}

#[test]
fn out_has_a_short_form_everywhere() {
    for command in [
        "advise",
        "calibrate",
        "device",
        "page-ages",
        "new-scenario",
        "recommend",
        "run",
        "compare",
        "sweep",
        "merge",
        "lessons",
        "bench-rules",
        "reproduce",
        "validate",
        "replay",
    ] {
        let help = stdout(&[command, "-h"]);
        assert!(help.contains("-o, --out"), "{command}: {help}");
    }
    // As the README has it.
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("redo");
    let vary = "innodb_redo_log_capacity=256M..512M:*2";
    stdout(&[
        "sweep",
        crate::common::SMALL,
        "--duration",
        "2s",
        "--vary",
        vary,
        "-o",
        path.to_str().unwrap(),
        "--quiet",
    ]);
    assert!(path.join("points.csv").is_file());
}

#[test]
fn a_load_that_nobody_described_is_called_the_examples() {
    let (_folder, cnf) = my_cnf();
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("s.toml");
    let file = path.to_str().unwrap();
    innosim(&["new-scenario", "--my-cnf", &cnf, "-o", file]).success();
    let run = ["run", file, "--duration", "1s", "--quiet", "--set", "device.profile=nvme"];
    assert!(stdout(&run).contains("(the example's load, not yours: change what is marked FILL IN)"));
    let own = stdout(&[&run[..], &["--set", "drive.clients=8"]].concat());
    assert!(!own.contains("the example's load"), "{own}");
}

/// A server with defaults has a redo log that every busy load fills in seconds; a client's file is no server's.
#[test]
fn defaults_and_other_programs_files_are_told_from_a_servers() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    // Lines are wrapped where the words fall.
    let flowing = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let alone = |path: &str| flowing(&text_of(&innosim(&["recommend", "--my-cnf", path]).code(1)));
    let said = alone(&file("defaults.cnf", "[mysqld]\n"));
    assert!(
        said.contains("The redo log is small: ") && said.contains("choose the size of the redo log first"),
        "{said}"
    );
    assert!(!said.contains("innodb_page_cleaners"), "no contradiction of anybody's: {said}");
    let client = refused(&["recommend", "--my-cnf", &file("client.cnf", "[client]\nuser=x\n")], 2);
    assert!(client.contains("has nothing for the server: it has [client]"), "{client}");
    let maria = file("maria.cnf", "[mariadb]\ninnodb_log_file_size=16G\n");
    let other = refused(&["recommend", "--my-cnf", &maria], 2);
    assert!(other.contains("name its version, such as --model 10.11"), "{other}");
    let named = text_of(&innosim(&["recommend", "--my-cnf", &maria, "--model", "10.11"]).code(1));
    assert!(named.contains("Redo log of mariadb-10.11: 16.0 GiB"), "{named}");
    let small = file("small.cnf", "[mysqld]\nlog_bin=OFF\ninnodb_log_file_size=5M\n");
    let assert = innosim(&["settings", "--my-cnf", &small, "--model", "8.0.21"]).success();
    let said = crate::common::text(&assert.get_output().stderr);
    assert!(
        said.contains("innodb_log_buffer_size: 16M is more than the whole redo log (10M)"),
        "a default too: {said}"
    );
    let bytes = file("bytes.cnf", "[mysqld]\nlog_bin=OFF\ninnodb_log_buffer_size=8\n");
    let assert = innosim(&["settings", "--my-cnf", &bytes]).success();
    let said = crate::common::text(&assert.get_output().stderr);
    assert!(said.contains("without a suffix it is 8 bytes: write 8M or 8G; the server takes 256K instead"), "{said}");
}
