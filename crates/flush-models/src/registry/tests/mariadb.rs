//! What people type for MariaDB, and what they are told.

use super::*;

const MODEL: ModelId = ModelId::Mariadb1011;

#[test]
fn mariadb_is_found_by_the_names_that_people_use() {
    for text in
        ["mariadb", "MariaDB 10.11", "mariadb-10.11.19", "10.11", "10.11.19-MariaDB", "10.11.19-MariaDB-0+deb12u1"]
    {
        assert_eq!(ModelId::parse(text), Ok(MODEL), "{text}");
    }
    for text in ["mariadb-11.4", "11.8.6-MariaDB-log", "12.1"] {
        assert_eq!(ModelId::parse(text), Ok(ModelId::Mariadb114), "{text}");
    }
    let nearest = [("mariadb-10.8", MODEL), ("10.5.9-MariaDB", ModelId::Mariadb106)];
    for (text, model) in nearest {
        let found = ModelId::named(text).unwrap();
        assert!(found.model == model && found.differs.is_some(), "{text}: {found:?}");
    }
    assert_eq!(ModelId::parse("10.6"), Ok(ModelId::Mariadb106));
    assert!(ModelId::parse("mariadb-ten").is_err());
}

#[test]
fn what_mariadb_ignores_does_nothing_and_says_why() {
    for name in
        ["innodb_buffer_pool_instances", "innodb-page-cleaners", "innodb_log_files_in_group", "innodb_lru_flush_size"]
    {
        let error = lookup(MODEL, name).unwrap_err();
        assert_eq!(error.reason, UnknownReason::WithoutEffect, "{name}: {error}");
        assert!(without_effect(MODEL, name).is_some());
    }
}

#[test]
fn names_of_mysql_say_what_to_use_instead() {
    let error = lookup(MODEL, "innodb_redo_log_capacity").unwrap_err();
    assert_eq!((error.reason, error.suggestion), (UnknownReason::OtherVersion, Some("innodb_log_file_size")));
    let error = lookup(MODEL, "innodb_doublewrite_pages").unwrap_err();
    assert!(error.why.contains("only in MySQL") && error.help.contains("128 pages"), "{error}");
}

/// Every name that another model knows and MariaDB doesn't is answered in full.
#[test]
fn no_name_of_another_model_is_left_without_an_answer() {
    for &other in ModelId::ALL {
        for setting in settings(other) {
            if let Err(error) = lookup(MODEL, setting.name) {
                assert!(!error.why.ends_with("; ") && !error.help.is_empty(), "{error}");
                assert!(!matches!(error.reason, UnknownReason::Misspelt | UnknownReason::Unknown), "{error}");
            }
        }
    }
}

#[test]
fn defaults_and_adjustments_of_mariadb() {
    let get = |lines: &[(&str, &str)], name| resolved(MODEL, lines).unwrap().get(name).unwrap();
    let max = "innodb_io_capacity_max";
    assert_eq!(get(&[], max), Value::Integer(2000));
    assert_eq!(get(&[("innodb_io_capacity", "2000")], max), Value::Integer(4000));
    assert_eq!(get(&[], "innodb_max_dirty_pages_pct_lwm"), Value::Real(0.0));
    assert_eq!(get(&[], "innodb_flush_method"), Value::Choice("O_DIRECT"));
    let s = resolved(MODEL, &[("innodb_io_capacity", "3000"), (max, "2000")]).unwrap();
    assert_eq!(s.get("innodb_io_capacity"), Some(Value::Integer(2000)));
    let s = resolved(MODEL, &[("innodb_max_dirty_pages_pct_lwm", "0")]).unwrap();
    assert!(s.notes.iter().any(|note| note.text.contains("7/8 of its maximum")));
    let error = resolved(MODEL, &[("innodb_log_write_ahead_size", "1536")]).unwrap_err();
    assert!(error.help.contains("1024 or 2048"), "{}", error.help);
    assert_eq!(parsed(MODEL, "innodb_adaptive_flushing_lwm", "12.5"), Ok(Value::Real(12.5)));
    assert_eq!(parsed(MODEL, "innodb_flush_log_at_trx_commit", "3"), Ok(Value::Integer(3)));
}
