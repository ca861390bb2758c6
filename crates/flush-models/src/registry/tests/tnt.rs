//! Settings of TNT, and names that it refuses.

use super::*;

const MODEL: ModelId = ModelId::Tnt;

#[test]
fn names_of_innodb_are_refused_with_what_has_the_same_role() {
    for &other in ModelId::INNODB {
        for setting in settings(other).iter().filter(|setting| setting.name.starts_with("innodb_")) {
            let error = lookup(MODEL, setting.name).unwrap_err();
            assert_eq!(error.reason, UnknownReason::OtherVersion, "{error}");
            assert_eq!(error.why, "not a setting of tnt; it belongs to InnoDB");
        }
    }
    let help = |name| lookup(MODEL, name).unwrap_err().help;
    assert_eq!(help("innodb_io_capacity_max"), "use ntse_system_io_capacity");
    assert_eq!(help("innodb_flush_neighbors"), "leave it out");
    let suggestion = lookup(MODEL, "innodb-log-file-size").unwrap_err().suggestion;
    assert_eq!(suggestion, Some("ntse_log_file_size"));
}

#[test]
fn names_of_tnt_are_refused_elsewhere() {
    for &other in ModelId::INNODB {
        for setting in settings(MODEL).iter().filter(|s| s.name.starts_with("tnt_") || s.name.starts_with("ntse_")) {
            let error = lookup(other, setting.name).unwrap_err();
            assert!(error.why.contains("it exists only in TNT"), "{error}");
        }
    }
}

#[test]
fn a_log_buffer_that_the_redo_log_can_not_hold_is_refused() {
    let refused = resolved(MODEL, &[("ntse_log_file_size", "8M"), ("ntse_log_file_cnt_hwm", "2")]).unwrap_err();
    assert_eq!((refused.setting.as_str(), refused.help.contains("raise")), ("ntse_log_buf_size", true), "{refused}");
    let small = [("ntse_log_file_size", "8M"), ("ntse_log_file_cnt_hwm", "2"), ("ntse_log_buf_size", "4M")];
    assert!(resolved(MODEL, &small).is_ok());
}

#[test]
fn an_interval_that_the_purge_thread_rounds_up_is_told() {
    let notes = |text| resolved(MODEL, &[("tnt_purge_interval", text)]).unwrap().notes;
    assert!(notes("10")[0].text.contains("each 12 s"));
    assert!(notes("1").is_empty() && notes("3").is_empty() && notes("60").is_empty());
}
