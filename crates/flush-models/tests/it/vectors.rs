//! Every formula against the vectors in `tests/vectors/`: each file there must be read by a test here.
//!
//! Vectors are plain JSON (`innodb-flush-vectors/1`): pure functions as pairs of inputs and outputs, functions with
//! state as sequences of steps that carry the state before and after.

use crate::support::legacy::MYSQL55_SHARED;
use crate::support::mariadb::MARIADB;
use crate::support::mysql55::MYSQL55;
use crate::support::mysql56::MYSQL56;
use crate::support::mysql57::MYSQL57;
use crate::support::percona::PERCONA;
use crate::support::{self, Case, Test, VectorFile, file_names};

/// Which test reads which file, a list a server.
const SUITES: &[&[(&str, Test)]] = &[MARIADB, MYSQL55_SHARED, MYSQL55, PERCONA, MYSQL56, MYSQL57, MYSQL80];

/// MySQL 8.0 and later.
const MYSQL80: &[(&str, Test)] = &[
    ("8.0.18-page_cleaner_flush_pages_recommendation.json", support::recommendation::form_8018),
    ("8.0.18-set_average.json", support::recommendation::set_average_8018),
    ("8.0.20-doublewrite_layout.json", support::pure::doublewrite_layout),
    ("8.0.21-available_for_checkpoint_lsn.json", support::redo::available_for_checkpoint_lsn),
    ("8.0.21-buf_pool_get.json", support::pure::buf_pool_get_8021),
    ("8.0.21-consider_sync_flush.json", support::redo::consider_sync_flush),
    ("8.0.21-coordinator_loop.json", support::pure::coordinator_loop),
    ("8.0.21-dict_persist_margin.json", support::redo::dict_persist_margin),
    ("8.0.21-free_check_limits.json", support::redo::free_check_limits_8021),
    ("8.0.21-get_pct_for_dirty.json", support::recommendation::get_pct_for_dirty),
    ("8.0.21-get_pct_for_lsn.json", support::recommendation::get_pct_for_lsn_8021),
    ("8.0.21-log_calc_max_ages.json", support::redo::log_calc_max_ages),
    ("8.0.21-log_free_check.json", support::redo::log_free_check),
    ("8.0.21-log_increase_concurrency_margin.json", support::redo::log_increase_concurrency_margin),
    ("8.0.21-log_should_checkpoint.json", support::redo::log_should_checkpoint_8021),
    ("8.0.21-lsn_to_sn.json", support::pure::lsn_to_sn),
    ("8.0.21-set_average.json", support::recommendation::set_average_8021),
    ("8.0.21-wait_for_backoff.json", support::pure::wait_for_backoff),
    ("8.0.22-log_checkpointer_pass.json", support::redo::log_checkpointer_pass),
    ("8.0.27-page_recommendation.json", support::recommendation::form_8027),
    ("8.0.30-buf_pool_get.json", support::pure::buf_pool_get_8030),
    ("8.0.30-free_check_limits.json", support::redo::free_check_limits_8030),
    ("8.0.30-get_pct_for_dirty.json", support::recommendation::get_pct_for_dirty),
    ("8.0.30-get_pct_for_lsn.json", support::recommendation::get_pct_for_lsn_8030),
    ("8.0.30-log_files_capacity.json", support::redo::log_files_capacity),
    ("8.0.30-log_should_checkpoint.json", support::redo::log_should_checkpoint_8030),
    ("8.0.30-log_sync_flush_lsn.json", support::redo::log_sync_flush_lsn),
    ("8.0.30-page_recommendation.json", support::recommendation::form_8030),
    ("8.0.30-set_average.json", support::recommendation::set_average_8030),
];

fn tests() -> impl Iterator<Item = &'static (&'static str, Test)> {
    SUITES.iter().copied().flatten()
}

#[test]
fn every_vector_file_is_covered_and_passes() {
    let files = file_names();
    let uncovered: Vec<_> = files.iter().filter(|f| tests().all(|(name, _)| *name != f.as_str())).collect();
    assert!(uncovered.is_empty(), "no test reads {uncovered:?}");
    for (name, test) in tests() {
        assert!(files.iter().any(|f| f == name), "{name} is missing");
        test(&VectorFile::load(name));
    }
}

#[test]
fn a_case_is_never_empty() {
    for name in file_names() {
        let cases = VectorFile::load(&name).pure_or_steps();
        assert!(!cases.is_empty(), "{name} holds no cases");
        assert!(cases.iter().all(Case::has_output), "{name}: a case without output");
    }
}
