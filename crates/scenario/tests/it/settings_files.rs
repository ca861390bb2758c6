//! `my_cnf` and `show_variables`: what is understood, who wins, and what is said about mistakes.

#![allow(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use innosim_flush_models::registry::{ModelId, Value};
use innosim_scenario::{Overrides, Scenario, SettingStatus, SettingsFileKind, Source, load, read_settings_files};
use std::fs;
use std::path::Path;

const REST: &str = r#"
[device]
profile = "nvme"

[workload]
kind = "sysbench-oltp-update-non-index"
table_size = 100000

[drive]
kind = "closed"
clients = 8
"#;

/// A scenario in `folder` with this `[server]` table.
fn scenario(folder: &Path, server: &str, overrides: &Overrides) -> Result<Scenario, String> {
    let path = folder.join("s.toml");
    let text = format!("model = \"mysql-8.0.30\"\nduration = \"10s\"\n\n[server]\n{server}\n{REST}");
    fs::write(&path, text).unwrap();
    load(Source::File(&path), overrides).map_err(|errors| clean(folder, &errors.to_string()))
}

/// A text without the name of the folder that the test runs in.
fn clean(folder: &Path, text: &str) -> String {
    let canonical = folder.canonicalize().unwrap();
    text.replace(canonical.to_str().unwrap(), "DIR").replace(folder.to_str().unwrap(), "DIR")
}

fn set(arguments: &[&str]) -> Overrides {
    Overrides { set: arguments.iter().map(|text| (*text).to_owned()).collect(), ..Overrides::default() }
}

/// From MySQL 8.0 a server writes a binary log unless it is told not to, and 5.7 writes none unless it is told to.
#[test]
fn an_option_file_that_is_silent_about_the_binary_log_leaves_the_servers_default() {
    let folder = tempfile::tempdir().unwrap();
    let written = |text: &str, server: &str, overrides: &Overrides| {
        fs::write(folder.path().join("my.cnf"), format!("[mysqld]\ninnodb_io_capacity = 200\n{text}")).unwrap();
        let scenario = scenario(folder.path(), &format!("my_cnf = \"my.cnf\"\n{server}"), overrides).unwrap();
        let said = scenario.notes.iter().any(|note| note.to_string().contains("does not mention log_bin"));
        (scenario.settings.get("log_bin").unwrap() == Value::Switch(true), said)
    };
    let as_is = Overrides::default();
    assert_eq!(written("", "", &as_is), (true, true));
    assert_eq!(written("skip-log-bin\n", "", &as_is), (false, false));
    assert_eq!(written("log-bin = names\n", "", &as_is), (true, false));
    assert_eq!(written("", "log_bin = \"OFF\"", &as_is), (false, false));
    // What the command line sets is laid over all later, so the remark comes all the same.
    assert_eq!(written("", "", &set(&["log_bin=OFF"])), (false, true));
    let older = Overrides { model: Some("mysql-5.7".to_owned()), ..Overrides::default() };
    assert_eq!(written("", "", &older), (false, false));
}

/// `skip-NAME = 0` switches on, as the servers have it; any other value changes nothing. Both are said.
#[test]
fn a_prefix_with_a_value() {
    let folder = tempfile::tempdir().unwrap();
    let stands = |line: &str| {
        fs::write(folder.path().join("my.cnf"), format!("[mysqld]\nskip-log-bin\n{line}\n")).unwrap();
        let scenario = scenario(folder.path(), "my_cnf = \"my.cnf\"", &Overrides::default()).unwrap();
        let said = scenario.notes.iter().any(|note| note.to_string().contains("the server takes this for"));
        (scenario.settings.get("innodb_adaptive_flushing").unwrap() == Value::Switch(true), said)
    };
    assert_eq!(stands("skip-innodb-adaptive-flushing = 0"), (true, true));
    assert_eq!(stands("skip-innodb-adaptive-flushing = 1"), (false, true));
    assert_eq!(stands("skip-innodb-adaptive-flushing"), (false, false));
    assert_eq!(stands("enable_innodb_adaptive_flushing = 0"), (false, true));
    assert_eq!(stands("disable-innodb-adaptive-flushing=0"), (true, true));
}

const MY_CNF: &str = "\u{feff}# The shop.\r
[client]\r
port = 3306\r
innodb_io_capacity = 1\r
\r
[mysqld]\r
innodb_buffer_pool_size = 10G   # most of memory\r
innodb-redo-log-capacity=\"4G\"\r
innodb_io_capacity = 2000\r
INNODB_IO_CAPACITY = '4000'\r
; skip-innodb-adaptive-flushing\r
skip-innodb-doublewrite\r
disable_innodb_flush_sync\r
enable-innodb-adaptive-flushing\r
loose-innodb-magic = 5\r
loose_innodb_lru_scan_depth = 2k\r
innodb_log_writer_threads\r
max_connections = 500\r
skip-name-resolve\r
io_capacity_max = 5\r
innodb_ft_min_token_size=2\r
!include more.cnf\r
innodb_max_dirty_pages_pct = 80\r
[mysqld-8.0]\r
innodb_flush_neighbors = 1\r
[mysqld-8.4]\r
innodb_flush_neighbors = 2\r
[mariadb]\r
innodb_flush_neighbors = 2\r
";

#[test]
fn an_option_file_is_read_as_the_server_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my.cnf"), MY_CNF).unwrap();
    fs::write(folder.path().join("more.cnf"), "[mysqld]\ninnodb_page_cleaners = 2\n!includedir conf.d\n").unwrap();
    fs::create_dir(folder.path().join("conf.d")).unwrap();
    fs::write(folder.path().join("conf.d/a.cnf"), "[mysqld]\ninnodb_page_cleaners = 4\n").unwrap();
    fs::write(folder.path().join("conf.d/b.cnf"), "[server]\ninnodb_page_cleaners = 3\n").unwrap();
    fs::write(folder.path().join("conf.d/c.txt"), "[mysqld]\ninnodb_page_cleaners = 5\n").unwrap();
    let scenario = scenario(folder.path(), "my_cnf = \"my.cnf\"", &Overrides::default()).unwrap();
    let settings = &scenario.settings;
    for (name, expected) in [
        ("innodb_buffer_pool_size", Value::Integer(10 << 30)),
        ("innodb_redo_log_capacity", Value::Integer(4 << 30)),
        ("innodb_io_capacity", Value::Integer(4000)),
        ("innodb_doublewrite", Value::Choice("OFF")),
        ("innodb_flush_sync", Value::Switch(false)),
        ("innodb_adaptive_flushing", Value::Switch(true)),
        ("innodb_lru_scan_depth", Value::Integer(2048)),
        ("innodb_page_cleaners", Value::Integer(3)),
        ("innodb_max_dirty_pages_pct", Value::Real(80.0)),
        ("innodb_flush_neighbors", Value::Choice("1")),
        ("innodb_log_writer_threads", Value::Switch(true)),
    ] {
        let found = settings.get(name).unwrap();
        let same = found == expected || found.to_string() == expected.to_string();
        assert!(same, "{name}: {found} instead of {expected}");
    }
    let file = &scenario.settings_files[0];
    assert_eq!(file.kind, SettingsFileKind::MyCnf);
    assert_eq!((file.count(SettingStatus::Understood), file.count(SettingStatus::Superseded)), (11, 3));
    assert_eq!((file.count(SettingStatus::NoEffect), file.count(SettingStatus::Wrong)), (5, 0));
    let of = |name: &str| file.rows.iter().rfind(|row| row.name == name).unwrap();
    assert!(of("io_capacity_max").remark.contains("did you mean innodb_io_capacity_max?"));
    let cleaners = of("innodb_page_cleaners");
    assert!(cleaners.file.ends_with("b.cnf") && cleaners.line == 2, "{cleaners:?}");
    assert!(file.in_a_line().ends_with("my.cnf: 11 settings understood, 5 without effect in the model"));
}

#[test]
fn numbers_out_of_range_are_taken_as_the_server_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[mysqld]\ninnodb_io_capacity = 50\ninnodb_redo_log_capacity = 1P\ninnodb_buffer_pool_instances = 100\n\
                innodb_buffer_pool_size = 9E\ninnodb_max_dirty_pages_pct = 100\ninnodb = FORCE\n";
    fs::write(folder.path().join("my.cnf"), text).unwrap();
    let scenario = scenario(folder.path(), "my_cnf = \"my.cnf\"", &Overrides::default()).unwrap();
    for (name, expected) in [
        ("innodb_io_capacity", 100),
        ("innodb_redo_log_capacity", 512 << 30),
        ("innodb_buffer_pool_instances", 64),
        ("innodb_buffer_pool_size", 16 << 40),
    ] {
        assert_eq!(scenario.settings.integer(name).unwrap(), expected, "{name}");
    }
    assert_eq!(scenario.settings.real("innodb_max_dirty_pages_pct").unwrap(), 99.999);
    let warnings: Vec<&str> = scenario.notes.iter().map(|warning| warning.message.as_str()).collect();
    assert!(warnings.contains(&"innodb_io_capacity = 50: out of range"), "{warnings:?}");
    assert_eq!(scenario.settings_files[0].count(SettingStatus::Wrong), 0);
}

#[test]
fn a_server_that_sizes_itself_is_remarked() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my.cnf"), "[mysqld]\ninnodb_dedicated_server = ON\n").unwrap();
    let scenario = scenario(folder.path(), "my_cnf = \"my.cnf\"", &Overrides::default()).unwrap();
    let remarked = scenario.notes.iter().any(|note| note.message.contains("the server chooses buffer pool"));
    assert!(remarked, "{:?}", scenario.notes);
}

#[test]
fn the_binary_log_of_an_option_file_is_on_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for (lines, on, warnings) in [
        ("log-bin=mysql-bin", true, 0),
        ("log_bin = /var/lib/mysql/binlog", true, 0),
        ("log-bin", true, 0),
        ("log_bin =", true, 0),
        ("loose_log_bin = binlog", true, 0),
        ("log_bin = ON", true, 0),
        ("log_bin = OFF", true, 1),
        ("log_bin = 0", true, 1),
        ("skip-log-bin", false, 0),
        ("disable_log_bin", false, 0),
        ("log_bin = binlog\nskip-log-bin", false, 0),
        ("skip-log-bin\nlog_bin = binlog", true, 0),
    ] {
        fs::write(folder.path().join("my.cnf"), format!("[mysqld]\n{lines}\n")).unwrap();
        let scenario = scenario(folder.path(), "my_cnf = \"my.cnf\"", &Overrides::default()).unwrap();
        assert_eq!(scenario.settings.switch("log_bin").unwrap(), on, "{lines}");
        let said: Vec<String> = scenario.notes.iter().map(|note| note.message.clone()).collect();
        assert_eq!(said.iter().filter(|message| message.contains("leaves the binary log on")).count(), warnings);
        assert_eq!(scenario.settings_files[0].count(SettingStatus::NoEffect), 0, "{lines}");
    }
    // The variable says whether there is a binary log.
    fs::write(folder.path().join("vars"), "log_bin\tOFF\nlog_bin_basename\t/var/lib/mysql/binlog\n").unwrap();
    let scenario = scenario(folder.path(), "show_variables = \"vars\"", &Overrides::default()).unwrap();
    assert!(!scenario.settings.switch("log_bin").unwrap());
}

#[test]
fn the_order_of_precedence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my.cnf"), "[mysqld]\ninnodb_io_capacity = 300\ninnodb_lru_scan_depth=300\n").unwrap();
    fs::write(folder.path().join("vars.txt"), "innodb_lru_scan_depth\t400\ninnodb_log_buffer_size\t4194304\n").unwrap();
    fs::write(folder.path().join("other.cnf"), "[mysqld]\ninnodb_io_capacity = 900\n").unwrap();
    let get = |server: &str, overrides: &Overrides, name: &'static str| {
        scenario(folder.path(), server, overrides).unwrap().settings.integer(name).unwrap()
    };
    let none = Overrides::default();
    let both = "my_cnf = \"my.cnf\"\nshow_variables = \"vars.txt\"";
    assert_eq!(get("", &none, "innodb_io_capacity"), 200);
    assert_eq!(get(both, &none, "innodb_io_capacity"), 300);
    assert_eq!(get(both, &none, "innodb_lru_scan_depth"), 400);
    assert_eq!(get(both, &none, "innodb_log_buffer_size"), 4 << 20);
    let own = format!("innodb_io_capacity = 500\n{both}");
    assert_eq!(get(&own, &none, "innodb_io_capacity"), 500);
    assert_eq!(get(&own, &set(&["innodb_io_capacity=600"]), "innodb_io_capacity"), 600);
    // A file that the command line names is the command line's.
    let other = format!("my_cnf={}", folder.path().join("other.cnf").display());
    assert_eq!(get(&own, &set(&[&other]), "innodb_io_capacity"), 900);
    assert_eq!(get(&own, &set(&[&other, "innodb_io_capacity=700"]), "innodb_io_capacity"), 700);
}

#[test]
fn a_resolved_scenario_needs_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my.cnf"), "[mysqld]\ninnodb_io_capacity = 300\n").unwrap();
    let scenario = scenario(folder.path(), "my_cnf = \"my.cnf\"", &Overrides::default()).unwrap();
    let text = scenario.to_resolved_toml("test");
    assert!(text.contains("innodb_io_capacity = 300") && !text.contains("my_cnf"), "{text}");
    let again = load(Source::Text { name: "again.toml", text: &text }, &Overrides::default()).unwrap();
    assert_eq!(again, scenario);
    assert_eq!(again.to_resolved_toml("test"), text);
}

#[test]
fn variables_in_every_form_that_people_keep() {
    let folder = tempfile::tempdir().unwrap();
    let forms = [
        "Variable_name\tValue\ninnodb_io_capacity\t1234\ninnodb_flush_method\tO_DIRECT\nversion\t8.0.36\n",
        "TS 1755.2 2026-11-01 10:00:00\ninnodb_io_capacity\t1234\ninnodb_flush_method\tO_DIRECT\n",
        "+-----+\n| Variable_name | Value |\n+-----+\n| innodb_io_capacity | 1234 |\n| innodb_flush_method | O_DIRECT |\n+--+\n2 rows in set (0.01 sec)\n",
        "*** 1. row ***\nVariable_name: innodb_io_capacity\n        Value: 1234\n*** 2. row ***\nVariable_name: innodb_flush_method\n        Value: O_DIRECT\n",
        "{\"innodb_io_capacity\": 1234, \"innodb_flush_method\": \"O_DIRECT\"}",
        "[\n{\"Variable_name\":\"innodb_io_capacity\",\"Value\":\"1234\"},\n{\"VARIABLE_NAME\":\"innodb_flush_method\",\"VARIABLE_VALUE\":\"O_DIRECT\"}]",
        "{\n \"hasData\": true,\n \"rows\": [\n  {\n   \"Variable_name\": \"innodb_io_capacity\",\n   \"Value\": \"1234\"\n  },\n  \
         {\"Variable_name\": \"innodb_flush_method\", \"Value\": \"O_DIRECT\"}\n ],\n \"warningsCount\": 0\n}",
        "{\n \"server\": \"x\",\n \"variables\": {\n  \"innodb_io_capacity\": \"1234\",\n  \"innodb_flush_method\": \"O_DIRECT\"\n }\n}",
    ];
    for form in forms {
        fs::write(folder.path().join("vars"), form).unwrap();
        let scenario = scenario(folder.path(), "show_variables = \"vars\"", &Overrides::default()).unwrap();
        assert_eq!(scenario.settings.integer("innodb_io_capacity").unwrap(), 1234, "{form}");
        assert_eq!(scenario.settings.choice("innodb_flush_method").unwrap(), "O_DIRECT", "{form}");
        let row = &scenario.settings_files[0].rows[0];
        let line = form.lines().position(|line| line.contains("innodb_io_capacity")).unwrap() + 1;
        assert_eq!((row.name.as_str(), row.line), ("innodb_io_capacity", line), "{form}");
    }
}

#[test]
fn an_option_file_given_for_variables_is_recognized() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("vars"), "[client]\nport = 3306\n[mysqld]\ninnodb_io_capacity = 5\n").unwrap();
    let said = scenario(folder.path(), "show_variables = \"vars\"", &Overrides::default()).unwrap_err();
    assert!(said.contains("it looks like an option file: use my_cnf"), "{said}");
}

#[test]
fn of_two_ways_to_size_the_redo_log_the_one_in_force_counts() {
    let folder = tempfile::tempdir().unwrap();
    let capacity = |text: &str| {
        fs::write(folder.path().join("vars"), text).unwrap();
        let scenario = scenario(folder.path(), "show_variables = \"vars\"", &Overrides::default()).unwrap();
        assert!(scenario.notes.iter().all(|note| !note.message.contains("ignored")), "{:?}", scenario.notes);
        scenario.settings.integer("innodb_redo_log_capacity").unwrap()
    };
    let files = "innodb_log_file_size\t1073741824\ninnodb_log_files_in_group\t3\n";
    assert_eq!(capacity(&format!("innodb_redo_log_capacity\t8589934592\n{files}")), 8 << 30);
    assert_eq!(capacity(&format!("innodb_redo_log_capacity\t104857600\n{files}")), 3 << 30);
    assert_eq!(capacity("innodb_redo_log_capacity\t104857600\ninnodb_log_file_size\t50331648\n"), 100 << 20);
    assert_eq!(capacity(files), 3 << 30);
}

#[test]
fn variables_of_another_server_come_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version\t5.6.24-log\ninnodb_io_capacity\t300\ninnodb_file_format\tAntelope\ninnodb_new_thing\t1\n";
    fs::write(folder.path().join("vars"), text).unwrap();
    let scenario = scenario(folder.path(), "show_variables = \"vars\"", &Overrides::default()).unwrap();
    let notes: Vec<String> = scenario.notes.iter().map(|note| note.message.clone()).collect();
    assert_eq!(notes, ["the variables are of MySQL 5.6.24-log, the model is mysql-8.0.30"]);
    assert_eq!(scenario.settings_files[0].count(SettingStatus::NoEffect), 3);
}

/// A server does not start with options that it no longer has; here they are left out, and all of them are told at once.
#[test]
fn options_that_a_version_removed_are_left_out_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "[mysqld]\nquery_cache_size = 64M\ninnodb_io_capacity = 300\ninnodb-file-format = Barracuda\n\
                 loose_innodb_large_prefix = 1\nskip-partition\nsql_mode = STRICT_ALL_TABLES,NO_AUTO_CREATE_USER\nlog_bin\n\
                 query_cache_limit = 1M\n";
    let path = folder.path().join("my.cnf");
    fs::write(&path, lines).unwrap();
    let reading = |model| read_settings_files(model, &[(SettingsFileKind::MyCnf, &path)], 16);
    let of_80 = reading(ModelId::Mysql8030);
    let notes = of_80.diagnostics.unwrap();
    assert_eq!(
        notes[0].message,
        "mysql-8.0.30 does not start with these lines, which are left out here: query_cache_size (line 2), innodb_file_format (line 4), \
         skip_partition (line 6), sql_mode (line 7), query_cache_limit (line 9)"
    );
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(of_80.settings.unwrap().integer("innodb_io_capacity").unwrap(), 300);
    let row = |name: &str| of_80.files[0].rows.iter().find(|row| row.name == name).unwrap();
    assert_eq!(
        row("innodb_file_format").remark,
        "it exists until MySQL 5.7; the row format doesn't matter to the model"
    );
    assert_eq!(
        (row("query_cache_limit").value.as_str(), row("query_cache_limit").remark.as_str()),
        ("1M", "it exists until MySQL 5.7")
    );
    for model in [ModelId::Mysql57, ModelId::Mariadb1011] {
        let reading = reading(model);
        assert_eq!(reading.files[0].count(SettingStatus::Removed), 0, "{model}");
        assert!(reading.diagnostics.is_ok_and(|notes| notes.is_empty()), "{model}");
    }
    // A name that only later versions have is the line of another server, not an old one.
    fs::write(&path, "[mysqld]\ninnodb_redo_log_capacity = 8G\n").unwrap();
    assert!(read_settings_files(ModelId::Mysql57, &[(SettingsFileKind::MyCnf, &path)], 16).diagnostics.is_err());
}

/// Option files with something wrong.
const WRONG: &[(&str, &str)] = &[
    ("misspelt name", "[mysqld]\n\n  innodb_io_capcity = 2000 # fast\n"),
    ("name of another server", "[mysqld]\ninnodb_lru_flush_size = 32\n"),
    ("not a number", "[mysqld]\ninnodb_io_capacity = fast\n"),
    ("unknown suffix", "[mysqld]\ninnodb_buffer_pool_size = 10X\n"),
    ("fraction of a unit", "[mysqld]\ninnodb_buffer_pool_size = 1.5G\n"),
    ("no value", "[mysqld]\ninnodb_io_capacity\n"),
    ("empty value", "[mysqld]\ninnodb_io_capacity = # later\n"),
    ("skip of a number", "[mysqld]\nskip-innodb-io-capacity\n"),
    ("dashes", "[mysqld]\n--innodb-io-capacity=2000\n"),
    ("before any group", "innodb_io_capacity = 2000\n[mysqld]\n"),
    ("group that does not end", "[mysqld\ninnodb_io_capacity = 2000\n"),
    ("include that is missing", "[mysqld]\n!include /no/such/extra.cnf\n"),
    ("no directive", "[mysqld]\n!includes x\n"),
    ("circle", "[mysqld]\n!include b.cnf\n"),
    ("several", "[mysqld]\ninnodb_io_capcity = 1\ninnodb_page_cleaners = 0\nport = 1\n"),
];

#[test]
fn mistakes_in_option_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.cnf"), "[mysqld]\n\n!include my.cnf\n").unwrap();
    let mut out = String::new();
    let mut section = |name: &str, message: Result<Scenario, String>| {
        let message = message.map_or_else(|message| message, |_| panic!("{name} is accepted"));
        out.push_str(&format!("## {name}\n\n{message}\n\n"));
    };
    for (name, text) in WRONG {
        fs::write(folder.path().join("my.cnf"), text).unwrap();
        section(name, scenario(folder.path(), "my_cnf = \"my.cnf\"", &Overrides::default()));
    }
    fs::write(folder.path().join("latin1.cnf"), b"[mysqld]\n# caf\xe9\n").unwrap();
    fs::create_dir(folder.path().join("conf")).unwrap();
    for (name, server) in [
        ("file that is missing", "my_cnf = \"mine.cnf\""),
        ("folder", "my_cnf = \"conf\""),
        ("not UTF-8", "my_cnf = \"latin1.cnf\""),
        ("not a string", "my_cnf = 5"),
        ("variables that are missing", "show_variables = \"vars.txt\""),
    ] {
        section(name, scenario(folder.path(), server, &Overrides::default()));
    }
    for (name, text) in [
        ("variables: empty", ""),
        ("variables: an option file", "[mysqld]\ninnodb_io_capacity = 5\n"),
        ("variables: broken JSON", "{\"variables\": {\n \"innodb_io_capacity\": 5,,\n}}"),
        ("variables: empty JSON", "{}"),
        ("variables: out of range", "innodb_io_capacity\t5\n"),
    ] {
        fs::write(folder.path().join("vars.txt"), text).unwrap();
        section(name, scenario(folder.path(), "show_variables = \"vars.txt\"", &Overrides::default()));
    }
    insta::assert_snapshot!("mistakes_in_option_files", out);
}

#[test]
fn an_option_file_without_a_group_for_the_server_is_remarked() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my.cnf"), "[client]\nport = 1\n[mysqld-5.7]\ninnodb_io_capacity = 5000\n").unwrap();
    let scenario = scenario(folder.path(), "my_cnf = \"my.cnf\"", &Overrides::default()).unwrap();
    let note = scenario.notes[0].to_string();
    assert!(note.contains("it has [client], [mysqld-5.7]") && note.contains("[mysqld-8.0]"), "{note}");
}

#[test]
fn settings_that_only_the_files_own_model_has_are_left_out_for_another() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my.cnf"), "[mysqld]\ninnodb_redo_log_capacity = 4G\n").unwrap();
    let other = Overrides { model: Some("mysql-8.0.21".to_owned()), ..Overrides::default() };
    let scenario = scenario(folder.path(), "my_cnf = \"my.cnf\"", &other).unwrap();
    assert_eq!(scenario.settings.integer("innodb_log_file_size").unwrap(), 2 << 30);
    let mut places = scenario.notes.iter().filter_map(|note| note.place.as_ref());
    assert!(places.any(|place| place.file.ends_with("my.cnf")), "{:?}", scenario.notes);
}

/// A MariaDB shows a chunk size of 0, which no MySQL takes.
#[test]
fn what_the_running_server_does_nothing_with_is_not_judged_by_the_scenarios_own_model() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("vars.txt"), "version\t10.11.6-MariaDB\ninnodb_buffer_pool_chunk_size\t0\n").unwrap();
    let other = Overrides { model: Some("mariadb-10.11".to_owned()), ..Overrides::default() };
    let run = scenario(folder.path(), "show_variables = \"vars.txt\"", &other);
    assert_eq!(run.map(|run| run.model.name().to_owned()), Ok("mariadb-10.11".to_owned()));
}

#[test]
fn files_can_be_read_without_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.cnf");
    fs::write(&path, "[mysqld]\ninnodb_buffer_pool_size = 1000M\ninnodb_io_capcity = 5\n").unwrap();
    let reading = read_settings_files(ModelId::Mysql8030, &[(SettingsFileKind::MyCnf, &path)], 16);
    assert_eq!(reading.files[0].count(SettingStatus::Wrong), 1);
    assert!(reading.settings.is_none() && reading.diagnostics.is_err());
}

/// A MariaDB flushes neighbours on a disk that says that it rotates, whatever its variables show.
#[test]
fn the_disk_decides_whether_a_mariadb_flushes_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let variables = folder.path().join("variables.txt");
    fs::write(&variables, "Variable_name\tValue\nversion\t10.11.19-MariaDB\ninnodb_flush_neighbors\t1\n").unwrap();
    let with = |device: &str, arguments: &[&str], shown: bool| {
        let path = folder.path().join("s.toml");
        let rest = REST.replace("profile = \"nvme\"", device);
        fs::write(&path, format!("model = \"mariadb-10.11\"\nduration = \"10s\"\n{rest}")).unwrap();
        let mut overrides = set(arguments);
        overrides.server_files.show_variables = shown.then(|| variables.clone());
        let scenario = load(Source::File(&path), &overrides).unwrap();
        let again =
            load(Source::Text { name: "s", text: &scenario.to_resolved_toml("0") }, &Overrides::default()).unwrap();
        assert_eq!(again.settings.values, scenario.settings.values, "{device} {arguments:?}");
        let said = scenario.notes.iter().any(|note| note.to_string().contains("neighbo"));
        (scenario.settings.integer("innodb_flush_neighbors").unwrap(), said)
    };
    let (flash, disk, unknown) = ("profile = \"nvme\"", "profile = \"disk\"", "profile = \"lab-virtual-disk\"");
    assert_eq!([false, true].map(|shown| with(flash, &[], shown)), [(0, false); 2]);
    assert_eq!([false, true].map(|shown| with(disk, &[], shown)), [(1, false); 2]);
    assert_eq!(
        [false, true].map(|shown| with(unknown, &[], shown)),
        [(0, false), (1, true)],
        "nobody knows of that disk"
    );
    assert_eq!(with(flash, &["device.rotational=true"], true), (1, false));
    assert_eq!(with(disk, &["device.rotational=false"], true), (0, false));
    assert_eq!(with(flash, &["innodb_flush_neighbors=2"], false), (0, true), "asked for, and of no effect");
    assert_eq!(with(disk, &["innodb_flush_neighbors=0"], false), (0, false));
}
