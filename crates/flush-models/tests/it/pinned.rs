//! What happened in the random worlds of each model, pinned: a hash of all their events, and the kinds of them.
//!
//! A line a model in `worlds/pinned.txt`. A change of the code's structure moves none of them; one of what a server does
//! moves those of the servers that it is about, and `UPDATE_HASHES=1` renews them.

use innosim_core::metrics::RunOutput;
use innosim_core::server::EVENT_KINDS;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

/// The runs of a test so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pin {
    hash: u64,
    kinds: u64,
}

/// Tests run at once, and renew one file.
static FILE: Mutex<()> = Mutex::new(());

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/worlds/pinned.txt")
}

fn pinned() -> BTreeMap<String, Pin> {
    let number = |hex: &str| u64::from_str_radix(hex, 16).expect("hexadecimal");
    let line = |line: &str| {
        let (name, rest) = line.split_once(": ").expect("NAME: HASH KINDS");
        let (hash, kinds) = rest.split_once(' ').expect("NAME: HASH KINDS");
        (name.to_owned(), Pin { hash: number(hash), kinds: number(kinds) })
    };
    fs::read_to_string(path()).unwrap_or_default().lines().map(line).collect()
}

impl Pin {
    /// One more run.
    pub(crate) fn with(self, out: &RunOutput) -> Pin {
        let hash = (self.hash ^ out.event_hash).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        Pin { hash, kinds: self.kinds | out.event_kinds }
    }

    /// The runs are those that are pinned by this name.
    pub(crate) fn check(self, name: &str) {
        let _alone = FILE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut all = pinned();
        let before = all.insert(name.to_owned(), self);
        if std::env::var_os("UPDATE_HASHES").is_some() {
            let lines = all.iter().map(|(name, pin)| format!("{name}: {:016x} {:016x}\n", pin.hash, pin.kinds));
            return fs::write(path(), lines.collect::<String>()).expect("the file is written");
        }
        assert_eq!(Some(self), before, "other things happen in the random worlds of {name} than before");
    }
}

/// Kinds of events that no random world has: the end of a merge that the page cleaner waits for, a round of the governor of the
/// redo files, and a look of the checkpointer that waits for a spinning writer. Tests of sim-core have them
/// (`machine_change_buffer`, `machine_redo`, `machine_log_threads`).
const ELSEWHERE: &[u32] = &[45, 48, 52];

/// A change that loses or reorders an event of any kind moves a hash.
#[test]
fn every_kind_of_event_happens_in_some_world() {
    let seen = pinned().values().fold(0, |all, pin| all | pin.kinds);
    let missing: Vec<u32> = (0..64).filter(|kind| (EVENT_KINDS & !seen) >> kind & 1 == 1).collect();
    assert_eq!(missing, ELSEWHERE, "kinds of events, as `Event::kind` counts them");
}
