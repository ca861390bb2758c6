//! MySQL 5.6 and 5.7: names, defaults, ranges, what they adjust and refuse.

use super::*;
use crate::registry::{ModelId, Settings, UnknownReason, ValueError, build_with_rule, lookup, parse_value};
use innosim_core::seam::AdaptiveFlushing;
use std::collections::BTreeMap;

const M56: ModelId = ModelId::Mysql56;
const M57: ModelId = ModelId::Mysql57;

fn parsed(model: ModelId, name: &str, text: &str) -> Result<Value, ValueError> {
    parse_value(&lookup(model, name).unwrap(), text)
}

fn resolved(model: ModelId, lines: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let value = |(name, text): &(&str, &str)| (lookup(model, name).unwrap().name, parsed(model, name, text).unwrap());
    Settings::resolve(model, &lines.iter().map(value).collect())
}

#[test]
fn versions_of_56_and_57_are_found() {
    for (text, model) in [
        ("5.6", M56),
        ("5.6.24", M56),
        ("mysql-5.6", M56),
        ("5.7", M57),
        ("MySQL 5.7.30", M57),
        ("mysql5.7.44", M57),
        ("5", M57),
    ] {
        assert_eq!(ModelId::parse(text), Ok(model), "{text}");
    }
}

#[test]
fn defaults_are_those_of_the_version() {
    let whole = |model, name| Settings::resolve(model, &BTreeMap::new()).unwrap().integer(name).unwrap();
    for (name, of_56, of_57) in [
        ("innodb_flush_neighbors", 1, 1),
        ("innodb_io_capacity_max", 2000, 2000),
        ("innodb_log_buffer_size", 8 << 20, 16 << 20),
        ("innodb_log_file_size", 48 << 20, 48 << 20),
        ("innodb_buffer_pool_instances", 1, 1),
        ("sync_binlog", 0, 1),
    ] {
        assert_eq!((whole(M56, name), whole(M57, name)), (of_56, of_57), "{name}");
    }
    let large = |model| resolved(model, &[("innodb_buffer_pool_size", "4G")]).unwrap();
    assert_eq!(large(M56).integer("innodb_buffer_pool_instances"), Ok(8));
    assert_eq!(large(M57).integer("innodb_page_cleaners"), Ok(4));
    assert_eq!(large(M57).real("innodb_max_dirty_pages_pct"), Ok(75.0));
}

#[test]
fn what_came_with_57_is_refused_by_56_with_a_reason() {
    for name in
        ["innodb_page_cleaners", "innodb_flush_sync", "innodb_log_write_ahead_size", "innodb_buffer_pool_chunk_size"]
    {
        let error = lookup(M56, name).unwrap_err();
        assert_eq!(error.reason, UnknownReason::OtherVersion, "{name}");
        assert!(error.why.contains("from MySQL 5.7") && error.help.starts_with("leave it out"), "{error}");
        assert!(lookup(M57, name).is_ok(), "{name}");
    }
    for model in [M56, M57] {
        let error = lookup(model, "innodb_redo_log_capacity").unwrap_err();
        assert_eq!(error.suggestion, Some("innodb_log_file_size"), "{model}");
        assert!(lookup(model, "innodb_idle_flush_pct").unwrap_err().why.contains("8.0"), "{model}");
        assert!(lookup(model, "innodb_doublewrite_pages").unwrap_err().why.contains("8.0"), "{model}");
        assert_eq!(lookup(model, "query_cache_size").unwrap_err().reason, UnknownReason::WithoutEffect, "{model}");
    }
}

#[test]
fn dirty_percentages_are_whole_in_56() {
    assert!(parsed(M56, "innodb_max_dirty_pages_pct", "75.5").is_err());
    assert_eq!(parsed(M57, "innodb_max_dirty_pages_pct", "75.5"), Ok(Value::Real(75.5)));
    let s = resolved(M56, &[("innodb_max_dirty_pages_pct", "20"), ("innodb_max_dirty_pages_pct_lwm", "30")]).unwrap();
    assert_eq!(s.integer("innodb_max_dirty_pages_pct_lwm"), Ok(20));
    assert_eq!(s.adjustments.len(), 1);
}

#[test]
fn io_capacity_is_lowered_to_its_maximum() {
    for model in [M56, M57] {
        let s = resolved(model, &[("innodb_io_capacity", "5000"), ("innodb_io_capacity_max", "3000")]).unwrap();
        assert_eq!(s.integer("innodb_io_capacity"), Ok(3000));
        assert_eq!(s.adjustments[0].setting, "innodb_io_capacity");
        let s = resolved(model, &[("innodb_io_capacity", "2000"), ("innodb_io_capacity_max", "3000")]).unwrap();
        assert!(s.notes.iter().any(|note| note.text.contains("3000 / 2000 counts as 1")), "{:?}", s.notes);
    }
}

#[test]
fn instances_follow_the_pool() {
    let instances = |lines: &[(&str, &str)]| resolved(M56, lines).unwrap().integer("innodb_buffer_pool_instances");
    assert_eq!(instances(&[("innodb_buffer_pool_instances", "0"), ("innodb_buffer_pool_size", "2G")]), Ok(8));
    assert_eq!(instances(&[("innodb_buffer_pool_instances", "4"), ("innodb_buffer_pool_size", "512M")]), Ok(1));
    let s = resolved(M57, &[("innodb_buffer_pool_size", "4200M"), ("innodb_buffer_pool_instances", "8")]).unwrap();
    assert_eq!(s.integer("innodb_buffer_pool_size"), Ok(5 << 30), "a multiple of 1G");
}

#[test]
fn a_redo_log_that_would_not_start_is_refused() {
    let error = resolved(M56, &[("innodb_log_file_size", "256G")]).unwrap_err();
    assert!(error.problem.contains("smaller than 512G"), "{error}");
    let error = resolved(M56, &[("innodb_log_file_size", "5M"), ("innodb_thread_concurrency", "100")]).unwrap_err();
    assert!(error.problem.contains("would not start") && error.help.contains("innodb_thread_concurrency"), "{error}");
}

#[test]
fn servers_of_5_5_take_no_rule_of_another_kind() {
    struct Nothing;
    impl AdaptiveFlushing for Nothing {
        fn recommend(
            &mut self,
            _: &innosim_core::seam::View<'_>,
            _: innosim_core::seam::RuleInput,
        ) -> innosim_core::seam::Recommendation {
            innosim_core::seam::Recommendation::default()
        }
        fn gauges(&self) -> innosim_core::seam::FlushGauges {
            innosim_core::seam::FlushGauges::default()
        }
    }
    for model in [M56, M57] {
        let settings = Settings::resolve(model, &BTreeMap::new()).unwrap();
        assert!(build_with_rule(&settings, Box::new(Nothing)).is_ok());
    }
    let settings = Settings::resolve(crate::registry::ModelId::Mysql55, &BTreeMap::new()).unwrap();
    let error = build_with_rule(&settings, Box::new(Nothing)).err().unwrap();
    assert!(error.help.contains("5.6"), "{error}");
}
