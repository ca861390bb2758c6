//! The pinned hashes hold: one run after the other, and all at once.

// A failed step fails the test that took it.
#![allow(clippy::unwrap_used)]

use innosim_flush_models::registry::ModelId;
use innosim_same_bytes::{CASES, Case};
use std::path::Path;
use std::thread;

fn hash(case: &Case) -> u64 {
    case.hash().unwrap_or_else(|error| panic!("{} {error}", case.name()))
}

#[test]
fn every_model_has_a_run() {
    let models: Vec<ModelId> = CASES.iter().map(|case| case.load().unwrap().model).collect();
    let without: Vec<&ModelId> = ModelId::ALL.iter().filter(|model| !models.contains(model)).collect();
    assert!(without.is_empty(), "no run of {without:?}");
}

#[test]
fn every_run_has_its_pinned_hash() {
    let mut lines = String::new();
    let mut changed = Vec::new();
    for case in &CASES {
        let hash = hash(case);
        lines.push_str(&format!("{} {hash:016x}\n", case.name()));
        if case.pinned() != Some(hash) {
            changed.push(format!("  {}", case.name()));
        }
    }
    if std::env::var_os("UPDATE_HASHES").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("hashes.txt"), lines).unwrap();
        return;
    }
    assert!(
        changed.is_empty(),
        "these runs give other bytes than before:\n{}\nIf that is meant, say in the changelog what became different, and renew the \
         hashes: UPDATE_HASHES=1 cargo test -p innosim-same-bytes",
        changed.join("\n")
    );
}

/// Runs of every kind at the same time, on a thread each, with a second one of the same beside it.
#[test]
fn runs_beside_each_other_change_nothing() {
    let short: Vec<&Case> = CASES.iter().filter(|case| case.seconds <= 2).collect();
    let beside: Vec<u64> = thread::scope(|scope| {
        let threads: Vec<_> =
            short.iter().flat_map(|case| [case, case]).map(|case| scope.spawn(|| hash(case))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (pair, case) in beside.chunks_exact(2).zip(short) {
        assert_eq!([hash(case); 2], pair, "{}", case.name());
    }
}
