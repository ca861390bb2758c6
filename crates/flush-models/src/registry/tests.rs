//! What people type, and what they are told.

mod mariadb;
mod tnt;

use super::*;

fn setting(model: ModelId, name: &str) -> Setting {
    lookup(model, name).unwrap()
}

fn parsed(model: ModelId, name: &str, text: &str) -> Result<Value, ValueError> {
    parse_value(&setting(model, name), text)
}

fn resolved(model: ModelId, lines: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    Settings::resolve(model, &explicit(model, lines))
}

fn explicit(model: ModelId, lines: &[(&str, &str)]) -> BTreeMap<&'static str, Value> {
    lines.iter().map(|(name, text)| (setting(model, name).name, parsed(model, name, text).unwrap())).collect()
}

#[test]
fn models_are_found_by_the_names_that_people_use() {
    for &model in ModelId::ALL {
        assert_eq!(ModelId::parse(model.name()), Ok(model));
        assert_eq!(ModelId::parse(model.title()), Ok(model));
    }
    for (text, model) in [
        ("8.0", ModelId::Mysql8030),
        ("percona-8.0", ModelId::Percona80),
        ("Percona Server 8.0.36-28", ModelId::Percona80),
        ("percona-server-8.4.9-9", ModelId::Percona84),
        ("11.4.10-MariaDB-ubu2404-log", ModelId::Mariadb114),
        ("mariadb-11.8.6", ModelId::Mariadb114),
        ("12.1.2-MariaDB", ModelId::Mariadb114),
        ("mysql-8.0", ModelId::Mysql8030),
        ("MySQL8.0", ModelId::Mysql8030),
        ("8.0.20", ModelId::Mysql8021),
        ("8.0.22", ModelId::Mysql8021),
        ("8.0.23", ModelId::Mysql8027),
        ("8.0.29", ModelId::Mysql8027),
        ("8.0.41", ModelId::Mysql8030),
        ("8.4", ModelId::Mysql84),
        (" mysql 8.4.3 ", ModelId::Mysql84),
        ("9.7", ModelId::Mysql97),
    ] {
        assert_eq!(ModelId::parse(text), Ok(model), "{text}");
    }
}

#[test]
fn an_unknown_model_is_answered_with_a_likely_one() {
    let suggestion = |text| ModelId::parse(text).unwrap_err().suggestion;
    assert_eq!(suggestion("mysql-8.0.2l"), "did you mean mysql-8.0.21?");
    assert!(suggestion("postgres").contains("mysql-8.4"));
    let near = |text| ModelId::parse(text).unwrap_err().near;
    assert_eq!(near("mysql-8.0.2l"), Some(ModelId::Mysql8021));
    assert_eq!(near("postgres"), None);
}

/// What servers and packages call themselves, with the model and whether it was made of that version.
#[test]
fn versions_as_servers_report_them_are_understood() {
    for (text, model, exact) in [
        ("8.0.36-0ubuntu0.22.04.1", ModelId::Mysql8030, true),
        ("8.0.31-google", ModelId::Mysql8030, true),
        ("5.7.40-google-log", ModelId::Mysql57, true),
        ("5.7.44-rds.20240408-log", ModelId::Mysql57, true),
        ("5.7.44-enterprise-commercial-advanced-log", ModelId::Mysql57, true),
        ("8.4.0-u1-cloud", ModelId::Mysql84, true),
        ("9.7.0-er", ModelId::Mysql97, true),
        ("8.0.16-debug", ModelId::Mysql8016, true),
        ("8.0.19", ModelId::Mysql8016, false),
        ("5.5.62-0+deb8u1", ModelId::Mysql55, true),
        ("5.5.5-10.6.14-MariaDB-log", ModelId::Mariadb106, true),
        ("10.3.39-MariaDB-1:10.3.39+maria~ubu2004", ModelId::Mysql57, false),
        ("10.11.6-MariaDB-0+deb12u1", ModelId::Mariadb1011, true),
        ("11.8.3-MariaDB-log", ModelId::Mariadb114, true),
        ("mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), Release 28)", ModelId::Percona80, true),
        ("mariadbd  Ver 12.3.2-MariaDB for debian-linux-gnu on x86_64", ModelId::Mariadb123, true),
        ("percona-5.6", ModelId::Mysql56, false),
        ("9.12.1", ModelId::Mysql97, false),
        ("15.1.2-MariaDB", ModelId::Mariadb123, false),
    ] {
        let found = ModelId::named(text).unwrap_or_else(|unknown| panic!("{text}: {unknown}"));
        assert_eq!((found.model, found.differs.is_none()), (model, exact), "{text}: {:?}", found.differs);
        assert_eq!(ModelId::parse(text), Ok(model));
    }
    let later = ModelId::named("9.12.1").unwrap().differs.unwrap();
    assert!(later.contains("mysql-9.7") && later.contains("may have changed"), "{later}");
    for aurora in ["5.7.mysql_aurora.2.11.1", "8.0.mysql_aurora.3.04.0", "aurora"] {
        let refused = ModelId::parse(aurora).unwrap_err().to_string();
        assert!(refused.contains("flushes no page"), "{refused}");
    }
    assert!(ModelId::parse("8.0.2l").is_err());
}

/// Each release that was ever generally available has a model, or the nearest with the reason.
#[test]
fn every_release_since_55_has_a_model_or_a_reason() {
    let mysql: [((u16, u16), std::ops::RangeInclusive<u16>); 13] = [
        ((5, 5), 8..=62),
        ((5, 6), 10..=51),
        ((5, 7), 9..=44),
        ((8, 0), 11..=46),
        ((8, 1), 0..=0),
        ((8, 2), 0..=0),
        ((8, 3), 0..=0),
        ((8, 4), 0..=10),
        ((9, 0), 0..=1),
        ((9, 1), 0..=0),
        ((9, 2), 0..=0),
        ((9, 6), 0..=0),
        ((9, 7), 0..=4),
    ];
    for ((major, minor), patch) in mysql.into_iter().flat_map(|(series, patches)| patches.map(move |p| (series, p))) {
        let version = format!("{major}.{minor}.{patch}");
        ServerVersion::new(&version, "").model().unwrap_or_else(|why| panic!("{why}"));
        ServerVersion::new(&version, "Percona Server (GPL)").model().unwrap_or_else(|why| panic!("{why}"));
    }
    let mariadb = (0..=11).map(|minor| (10, minor)).chain((0..=8).map(|minor| (11, minor)));
    for (major, minor) in mariadb.chain([(5, 5), (12, 0), (12, 1), (12, 2), (12, 3), (13, 0)]) {
        let version = format!("{major}.{minor}.3-MariaDB");
        ServerVersion::new(&version, "").model().unwrap_or_else(|why| panic!("{why}"));
    }
}

/// No version is claimed by two models.
#[test]
fn models_share_no_version() {
    for product in [Product::Mysql, Product::Percona, Product::Mariadb] {
        for major in 5..15 {
            for (minor, patch) in (0..13).flat_map(|minor| (0..64).map(move |patch| (minor, patch))) {
                let version = Version::new(major, minor, patch);
                let claims = |model: &&Model| model.stands_for.iter().any(|s| s.servers.contain(product, version));
                let names: Vec<_> = MODELS.iter().filter(claims).map(|model| model.id.name()).collect();
                assert!(names.len() <= 1, "{product:?} {version:?}: {names:?}");
            }
        }
    }
}

/// What RDS switches on: the redo log follows from the processors, the pool from the memory, where they are not set.
#[test]
fn a_dedicated_server_derives_its_two_sizes() {
    const GIB: u64 = 1 << 30;
    let sizes = |lines: &[(&str, &str)], logical_cpus, memory_gib: Option<u64>| {
        let host = Host { logical_cpus, memory_bytes: memory_gib.map(|gib| gib * GIB) };
        let lines = [&[("innodb_dedicated_server", "ON")], lines].concat();
        let settings = Settings::resolve_on(ModelId::Mysql84, &explicit(ModelId::Mysql84, &lines), host).unwrap();
        let size = |name| settings.integer(name).unwrap();
        (size("innodb_redo_log_capacity") / GIB, size("innodb_buffer_pool_size"), settings.notes.len())
    };
    assert_eq!(sizes(&[], 8, Some(64)), (4, 48 * GIB, 0));
    assert_eq!(sizes(&[], 64, Some(4)), (16, 2 * GIB, 0));
    assert_eq!(sizes(&[("innodb_redo_log_capacity", "2G")], 8, Some(64)).0, 2);
    assert_eq!(sizes(&[("innodb_buffer_pool_size", "8G")], 1, None), (1, 8 * GIB, 0));
    let (_, pool, notes) = sizes(&[], 8, None);
    assert_eq!((pool, notes), (128 << 20, 1), "the memory is not known, and a note says so");
    let why = without_effect(ModelId::Mysql8030, "innodb_dedicated_server").unwrap();
    assert!(why.contains("the model has none to measure"), "{why}");
}

#[test]
fn every_setting_is_fully_declared() {
    for &model in ModelId::ALL {
        for s in settings(model) {
            assert!(!s.help.is_empty() && !s.default_text.is_empty(), "{}", s.name);
            assert_eq!(lookup(model, s.name).as_ref(), Ok(&s));
            if let Some(default) = s.default {
                assert_eq!(s.check(default), Ok(default), "{} of {model}", s.name);
                assert_eq!(s.spell(default), s.default_text, "{} of {model}", s.name);
                assert_eq!(parse_value(&s, s.default_text), Ok(default), "{} of {model}", s.name);
            }
            assert_eq!(without_effect(model, s.name), None, "{} is both", s.name);
        }
        let plain = Settings::resolve(model, &BTreeMap::new()).unwrap();
        assert_eq!(plain.values.len(), settings(model).len(), "a value for every setting of {model}");
    }
}

#[test]
fn names_are_read_as_a_my_cnf_has_them() {
    for name in ["innodb-io-capacity", "INNODB_IO_CAPACITY", "innodb_io-capacity"] {
        assert_eq!(setting(ModelId::Mysql8021, name).name, "innodb_io_capacity");
    }
}

#[test]
fn defaults_that_differ_by_model_are_those_of_the_model() {
    for (model, sync_binlog, on) in [
        (ModelId::Percona55, 0, true),
        (ModelId::Mysql56, 0, true),
        (ModelId::Mysql57, 1, true),
        (ModelId::Mysql8030, 1, true),
        (ModelId::Mysql84, 1, false),
        (ModelId::Mariadb1011, 0, false),
    ] {
        let plain = Settings::resolve(model, &BTreeMap::new()).unwrap();
        for (name, value) in [
            ("sync_binlog", Value::Integer(sync_binlog)),
            ("innodb_adaptive_hash_index", Value::Switch(on)),
            ("innodb_change_buffering", Value::Choice(if on { "all" } else { "none" })),
        ] {
            let setting = setting(model, name);
            assert_eq!((setting.default, plain.get(name)), (Some(value), Some(value)), "{name} of {model}");
            assert_eq!(setting.default_text, setting.spell(value));
        }
    }
}

#[test]
fn settings_of_percona_and_later_ones_of_mysql_are_known_without_effect() {
    let reason = |model, name| lookup(model, name).unwrap_err().reason;
    for model in [ModelId::Mysql8021, ModelId::Mysql8027, ModelId::Mysql8030, ModelId::Percona80, ModelId::Mysql97] {
        assert_eq!(reason(model, "innodb_fsync_threshold"), UnknownReason::WithoutEffect, "{model}");
    }
    for model in [ModelId::Percona55, ModelId::Mysql57, ModelId::Mariadb1011] {
        assert_eq!(reason(model, "innodb_fsync_threshold"), UnknownReason::OtherVersion, "{model}");
    }
    let of_80 = [
        "innodb_print_lock_wait_timeout_info",
        "innodb_compressed_columns_threshold",
        "innodb_compressed_columns_zip_level",
        "innodb_track_changed_pages",
        "innodb_show_locks_held",
        "innodb_sys_tablespace_encrypt",
        "innodb_records_in_range",
        "innodb_corrupt_table_action",
        "innodb_encrypt_tables",
        "innodb_numa_interleave",
    ];
    let of_55 = [
        "innodb_ibuf_max_size",
        "innodb_ibuf_accel_rate",
        "innodb_lazy_drop_table",
        "innodb_fast_checksum",
        "innodb_checkpoint_age_target",
        "innodb_dict_size_limit",
        "innodb_read_ahead",
        "innodb_log_block_size",
        "innodb_buffer_pool_populate",
        "innodb_thread_concurrency_timer_based",
        "innodb_corrupt_table_action",
    ];
    for (model, names) in [(ModelId::Percona80, &of_80[..]), (ModelId::Percona55, &of_55[..])] {
        for name in names {
            assert_eq!(reason(model, name), UnknownReason::WithoutEffect, "{name} of {model}");
            assert!(without_effect(model, name).is_some_and(|why| !why.is_empty()));
        }
    }
    let elsewhere = lookup(ModelId::Mysql8030, "innodb_show_locks_held").unwrap_err();
    assert!(elsewhere.why.ends_with("it is a setting of Percona Server"), "{}", elsewhere.why);
    assert_eq!(elsewhere.reason, UnknownReason::OtherVersion);
}

#[test]
fn names_of_other_versions_say_which_and_what_to_use() {
    let error = lookup(ModelId::Mysql8021, "innodb_redo_log_capacity").unwrap_err();
    assert_eq!(error.reason, UnknownReason::OtherVersion);
    assert_eq!(error.suggestion, Some("innodb_log_file_size"));
    assert_eq!(
        error.to_string(),
        "innodb_redo_log_capacity: not a setting of mysql-8.0.21; it exists from MySQL 8.0.30"
    );
    let error = lookup(ModelId::Mysql8021, "innodb-log-writer-threads").unwrap_err();
    assert!(error.why.contains("8.0.22"));
    let error = lookup(ModelId::Mysql8030, "innodb_adaptive_flushing_method").unwrap_err();
    assert!(error.why.contains("Percona") && error.suggestion == Some("innodb_adaptive_flushing"));
    let error = lookup(ModelId::Mysql84, "innodb_locks_unsafe_for_binlog").unwrap_err();
    assert!(error.why.contains("until MySQL 5.7") && error.suggestion.is_none());
}

#[test]
fn names_that_a_version_removed_are_told_from_those_of_later_ones() {
    let reason = |model, name| lookup(model, name).unwrap_err().reason;
    for (model, name) in [
        (ModelId::Mysql8030, "query_cache_size"),
        (ModelId::Mysql8030, "query_cache_limit"),
        (ModelId::Mysql84, "innodb_file_format"),
        (ModelId::Mysql84, "expire_logs_days"),
        (ModelId::Percona84, "default_authentication_plugin"),
        (ModelId::Percona80, "innodb_lazy_drop_table"),
    ] {
        assert_eq!(reason(model, name), UnknownReason::Removed, "{name} of {model}");
    }
    for (model, name) in [
        (ModelId::Mysql57, "innodb_redo_log_capacity"),
        (ModelId::Mysql57, "innodb_doublewrite_pages"),
        (ModelId::Mysql55, "innodb_page_cleaners"),
        (ModelId::Mysql8030, "innodb_lru_flush_size"),
        (ModelId::Mariadb1011, "innodb_redo_log_capacity"),
    ] {
        assert_eq!(reason(model, name), UnknownReason::OtherVersion, "{name} of {model}");
    }
    for (model, name) in [(ModelId::Mysql57, "query_cache_limit"), (ModelId::Mysql8030, "expire_logs_days")] {
        assert!(!matches!(reason(model, name), UnknownReason::Removed), "{name} of {model}");
    }
}

/// SHOW GLOBAL VARIABLES of 8.0.45 has 4 pages and 2 files, that of Percona Server 16 files with 8 instances.
#[test]
fn sizes_of_the_doublewrite_buffer_are_those_that_servers_show() {
    let shown = |model, lines: &[(&str, &str)], name| resolved(model, lines).unwrap().integer(name).unwrap();
    let (pages, files) = ("innodb_doublewrite_pages", "innodb_doublewrite_files");
    let pool = ("innodb_buffer_pool_size", "8G");
    for (model, of_files) in [(ModelId::Mysql8021, 2), (ModelId::Mysql8030, 2), (ModelId::Percona80, 16)] {
        for zero in [&[pool][..], &[pool, (pages, "0"), (files, "0")]] {
            assert_eq!((shown(model, zero, pages), shown(model, zero, files)), (4, of_files), "{model} {zero:?}");
        }
        assert_eq!(shown(model, &[("innodb_write_io_threads", "16")], pages), 16, "{model}");
        let said = resolved(model, &[(pages, "0")]).unwrap().adjustments;
        assert!(said.iter().any(|change| change.setting == pages), "{said:?}");
    }
    assert_eq!((shown(ModelId::Mysql84, &[], pages), shown(ModelId::Mysql84, &[], files)), (128, 2));
}

#[test]
fn misspelt_names_are_answered_with_the_right_one() {
    for (typo, right) in [
        ("innodb_io_capcity", "innodb_io_capacity"),
        ("innodb_io_capacity_maximum", "innodb_io_capacity_max"),
        ("io_capacity", "innodb_io_capacity"),
        ("innodb_bufer_pool_size", "innodb_buffer_pool_size"),
        ("innodb_flush_log_at_trx_comit", "innodb_flush_log_at_trx_commit"),
    ] {
        let error = lookup(ModelId::Mysql8030, typo).unwrap_err();
        assert_eq!((error.reason, error.suggestion), (UnknownReason::Misspelt, Some(right)), "{typo}");
    }
    let error = lookup(ModelId::Mysql8030, "shared_buffers").unwrap_err();
    assert_eq!((error.reason, error.suggestion), (UnknownReason::Unknown, None));
}

#[test]
fn names_without_effect_say_why() {
    let model = ModelId::Mysql8021;
    for name in ["innodb-sync-spin-loops", "innodb_random_read_ahead", "binlog_format", "innodb_doublewrite_batch_size"]
    {
        let why = without_effect(model, name).unwrap();
        let error = lookup(model, name).unwrap_err();
        assert_eq!(error.reason, UnknownReason::WithoutEffect);
        assert!(error.why.ends_with(why));
    }
    assert_eq!(without_effect(model, "innodb_io_capacity"), None);
}

#[test]
fn sizes_and_numbers_are_read_as_a_my_cnf_has_them() {
    let size = |text| parsed(ModelId::Mysql8030, "innodb_redo_log_capacity", text);
    for text in ["20G", "20g", "20GB", "20GiB", "20480M", "21474836480"] {
        assert_eq!(size(text), Ok(Value::Integer(20 << 30)), "{text}");
    }
    assert_eq!(parsed(ModelId::Mysql8030, "innodb_io_capacity", "2K"), Ok(Value::Integer(2048)));
    assert_eq!(parsed(ModelId::Mysql8030, "innodb_max_dirty_pages_pct", "75.5"), Ok(Value::Real(75.5)));
    for (text, on) in [("ON", true), ("off", false), ("1", true), ("0", false), ("True", true), ("FALSE", false)] {
        assert_eq!(parsed(ModelId::Mysql8030, "innodb_flush_sync", text), Ok(Value::Switch(on)));
    }
    let method = |text| parsed(ModelId::Mysql8021, "innodb_flush_method", text);
    assert_eq!(method("o_direct"), Ok(Value::Choice("O_DIRECT")));
    assert_eq!(method("4"), Ok(Value::Choice("O_DIRECT")));
    let doublewrite = |text| parsed(ModelId::Mysql8030, "innodb_doublewrite", text);
    assert_eq!(doublewrite("detect_only"), Ok(Value::Choice("DETECT_ONLY")));
    assert_eq!(doublewrite("TRUE"), Ok(Value::Choice("ON")));
    assert_eq!(doublewrite("0"), Ok(Value::Choice("OFF")));
}

#[test]
fn wrong_values_say_what_is_allowed() {
    let message = |name, text| {
        let error = parsed(ModelId::Mysql8030, name, text).unwrap_err();
        format!("{error}; {}", error.help)
    };
    assert_eq!(
        message("innodb_buffer_pool_size", "10X"),
        "innodb_buffer_pool_size = 10X: unknown size suffix `X`; use K, M, G, T, P or E"
    );
    for text in ["8000MB", "8000MiB", "8000B"] {
        let told = message("innodb_io_capacity_max", text);
        let words = format!(
            "innodb_io_capacity_max = {text}: a size in bytes, but the setting is no size; write a plain number, allowed: 100 to "
        );
        assert!(told.starts_with(&words), "{told}");
    }
    assert_eq!(
        message("innodb_redo_log_capacity", "4M"),
        "innodb_redo_log_capacity = 4M: out of range; allowed: 8M to 512G in steps of 1M"
    );
    assert_eq!(
        message("innodb_redo_log_capacity", "10000000"),
        "innodb_redo_log_capacity = 10000000: not a multiple of 1M; use 9M or 10M"
    );
    assert!(message("innodb_buffer_pool_size", "1.5G").contains("1536M instead of 1.5G"));
    assert!(message("innodb_io_capacity", "-5").contains("negative"));
    assert!(message("innodb_io_capacity", "50").contains("100 to 4294967295 (pages/s)"));
    assert!(message("innodb_flush_method", "O_DIRCT").contains("did you mean O_DIRECT?"));
    assert!(message("innodb_flush_sync", "maybe").contains("use ON or OFF"));
    assert!(message("innodb_max_dirty_pages_pct", "100").contains("0 to 99.999 (%)"));
    assert!(message("innodb_buffer_pool_size", "99999999999T").contains("out of range"));
    assert!(message("innodb_buffer_pool_size", "").contains("no value"));
    assert!(message("innodb_page_size", "8K").contains("only 16384"));
}

#[test]
fn defaults_follow_from_other_settings() {
    let get = |model, lines: &[(&str, &str)], name| resolved(model, lines).unwrap().get(name).unwrap();
    let max = "innodb_io_capacity_max";
    assert_eq!(get(ModelId::Mysql8021, &[], max), Value::Integer(2000));
    assert_eq!(get(ModelId::Mysql8021, &[("innodb_io_capacity", "5000")], max), Value::Integer(10_000));
    assert_eq!(get(ModelId::Mysql84, &[("innodb_io_capacity", "500")], max), Value::Integer(1000));
    let instances = "innodb_buffer_pool_instances";
    assert_eq!(get(ModelId::Mysql8030, &[], instances), Value::Integer(1));
    assert_eq!(get(ModelId::Mysql8030, &[("innodb_buffer_pool_size", "1G")], instances), Value::Integer(8));
    assert_eq!(get(ModelId::Mysql84, &[("innodb_buffer_pool_size", "1G")], instances), Value::Integer(1));
    assert_eq!(get(ModelId::Mysql84, &[("innodb_buffer_pool_size", "140G")], instances), Value::Integer(4));
    let host = Host { logical_cpus: 80, memory_bytes: None };
    let big = explicit(ModelId::Mysql84, &[("innodb_buffer_pool_size", "140G")]);
    let on_big = Settings::resolve_on(ModelId::Mysql84, &big, host).unwrap();
    assert_eq!(on_big.get(instances), Some(Value::Integer(20)));
    assert_eq!(on_big.get("innodb_page_cleaners"), Some(Value::Integer(20)));
    assert_eq!(on_big.get("innodb_log_writer_threads"), Some(Value::Switch(true)));
    assert_eq!(get(ModelId::Mysql84, &[], "innodb_log_writer_threads"), Value::Switch(false));
    assert_eq!(get(ModelId::Mysql97, &[], "innodb_log_writer_threads"), Value::Switch(true));
    assert_eq!(get(ModelId::Mysql97, &[("log_bin", "ON")], "innodb_log_writer_threads"), Value::Switch(false));
    assert_eq!(get(ModelId::Mysql84, &[], "innodb_flush_method"), Value::Choice("O_DIRECT"));
}

#[test]
fn what_the_server_adjusts_is_recorded() {
    let lines = [
        ("innodb_buffer_pool_size", "1300M"),
        ("innodb_buffer_pool_instances", "4"),
        ("innodb_page_cleaners", "8"),
        ("innodb_io_capacity", "4000"),
        ("innodb_io_capacity_max", "3000"),
        ("innodb_max_dirty_pages_pct", "5"),
    ];
    let s = resolved(ModelId::Mysql8021, &lines).unwrap();
    let adjusted: Vec<_> = s.adjustments.iter().map(|a| (a.setting, a.from, a.to)).collect();
    assert_eq!(
        adjusted,
        [
            ("innodb_io_capacity", Value::Integer(4000), Value::Integer(3000)),
            ("innodb_max_dirty_pages_pct_lwm", Value::Real(10.0), Value::Real(5.0)),
            ("innodb_buffer_pool_size", Value::Integer(1300 << 20), Value::Integer(1536 << 20)),
            ("innodb_page_cleaners", Value::Integer(8), Value::Integer(4)),
        ]
    );
    let small = [("innodb_buffer_pool_size", "100M"), ("innodb_buffer_pool_instances", "8")];
    let s = resolved(ModelId::Mysql8021, &small).unwrap();
    assert_eq!(s.get("innodb_buffer_pool_instances"), Some(Value::Integer(1)));
    assert_eq!(s.get("innodb_buffer_pool_chunk_size"), Some(Value::Integer(100 << 20)));
    assert_eq!(s.line("innodb-buffer-pool-size").as_deref(), Some("innodb_buffer_pool_size = 100M"));
}

#[test]
fn old_and_new_names_of_the_redo_size_agree() {
    let legacy = [("innodb_log_file_size", "10G"), ("innodb_log_files_in_group", "2")];
    let s = resolved(ModelId::Mysql8030, &legacy).unwrap();
    assert_eq!(s.get("innodb_redo_log_capacity"), Some(Value::Integer(20 << 30)));
    assert!(s.notes.iter().any(|note| note.text.contains("deprecated")));
    let both = [("innodb_log_file_size", "10G"), ("innodb_redo_log_capacity", "1G")];
    let s = resolved(ModelId::Mysql8030, &both).unwrap();
    assert_eq!(s.get("innodb_redo_log_capacity"), Some(Value::Integer(1 << 30)));
    assert!(s.notes.iter().any(|note| note.text.contains("ignored")));
}

#[test]
fn a_log_buffer_larger_than_the_redo_log_is_remarked_on_written_or_not() {
    for model in [ModelId::Mysql56, ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8030, ModelId::Percona80] {
        let buffer = ("innodb_log_buffer_size", "16M");
        for lines in [&[("innodb_log_file_size", "4M"), buffer][..], &[("innodb_log_file_size", "4M")]] {
            let s = resolved(model, lines).unwrap_or_else(|error| panic!("{model}: {error}"));
            let remarked = s.notes.iter().any(|note| note.text.contains("16M is more than the whole redo log (8M)"));
            // 5.6 has a buffer of 8M by default.
            let large = s.integer("innodb_log_buffer_size").unwrap() > 8 << 20;
            assert_eq!(remarked, large, "{model}: {:?}", s.notes);
        }
    }
}

#[test]
fn impossible_combinations_are_refused() {
    let refused = |lines: &[(&str, &str)]| {
        let error = resolved(ModelId::Mysql8021, lines).unwrap_err();
        format!("{error}; {}", error.help)
    };
    assert!(refused(&[("innodb_log_file_size", "300G")]).contains("at most 512G"));
    assert!(refused(&[("innodb_log_write_ahead_size", "1536")]).contains("use 1024 or 2048"));
}

#[test]
fn tight_combinations_are_noted() {
    let lines = [("innodb_log_file_size", "4M"), ("innodb_thread_concurrency", "1000")];
    let s = resolved(ModelId::Mysql8021, &lines).unwrap();
    assert!(s.notes.iter().any(|note| note.text.contains("unsafe")));
    let s =
        resolved(ModelId::Mysql8021, &[("innodb_io_capacity", "5000"), ("innodb_io_capacity_max", "8000")]).unwrap();
    assert!(s.notes.iter().any(|note| note.text.ends_with("8000 / 5000 counts as 1")));
}
