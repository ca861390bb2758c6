//! Runs whose every byte is pinned.
//!
//! A run is a function of its scenario, its seed and the program's version: the same bytes on any machine, in any build profile,
//! beside any number of other runs. Short runs of shipped scenarios stand for all, at least one of every model; the hash of each
//! is in `hashes.txt`. Whoever changes one of them changes what the program says, which wants a line in the changelog:
//!
//! ```text
//! UPDATE_HASHES=1 cargo test -p innosim-same-bytes
//! ```
//!
//! `.ci/run bytes` compares what the program leaves of them in `release`. That WebAssembly gives the same is a test of the page that
//! teaches, in a browser.

use innosim_core::metrics::{RunOutput, Summary, detect_warmup};
use innosim_core::server::{Server, Silent};
use innosim_scenario::{Overrides, Scenario, Source, load};

/// The pinned hashes: a line for each, name and hash.
const HASHES: &str = include_str!("../hashes.txt");

/// A run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// Shipped scenario.
    pub scenario: &'static str,
    /// The server, if not the scenario's own.
    pub model: Option<&'static str>,
    /// Simulated seconds.
    pub seconds: u32,
}

const fn own(scenario: &'static str, seconds: u32) -> Case {
    Case { scenario, model: None, seconds }
}

const fn with(scenario: &'static str, model: &'static str, seconds: u32) -> Case {
    Case { scenario, model: Some(model), seconds }
}

const fn spike(model: &'static str) -> Case {
    with("teaching/activity-spike", model, 2)
}

/// All of them.
pub const CASES: [Case; 22] = [
    own("stories/furious-flushing-of-55", 6),
    with("stories/furious-flushing-of-55", "percona-5.5", 4),
    own("stories/line-of-56-swings-of-55", 6),
    own("stories/undo-truncation", 4),
    own("stories/purge-lag", 4),
    own("teaching/doublewrite-batch-too-small", 4),
    with("teaching/redo-too-small", "mysql-8.0.27", 4),
    own("teaching/redo-too-small", 6),
    own("stories/insert-outgrows-pool", 4),
    own("stories/flush-neighbors-on-disk", 4),
    own("stories/binary-log-sync", 2),
    with("stories/group-commit", "mysql-8.4", 2),
    with("stories/tnt-beside-innodb", "tnt", 4),
    spike("mariadb-10.11"),
    spike("mysql-9.7"),
    spike("percona-8.0"),
    spike("percona-8.4"),
    spike("mariadb-11.4"),
    spike("percona-5.7"),
    spike("mysql-8.0.16"),
    spike("mariadb-10.6"),
    spike("mariadb-12.3"),
];

impl Case {
    /// Its name in `hashes.txt`.
    pub fn name(&self) -> String {
        let of = self.model.map(|model| format!(" of {model}")).unwrap_or_default();
        format!("{}{of} for {} s:", self.scenario, self.seconds)
    }

    /// What is run.
    ///
    /// # Errors
    /// If the scenario does not load.
    pub fn load(&self) -> Result<Scenario, String> {
        let overrides = Overrides {
            model: self.model.map(str::to_owned),
            duration: Some(format!("{}s", self.seconds)),
            ..Overrides::default()
        };
        load(Source::Shipped(self.scenario), &overrides).map_err(|error| format!("{} {error}", self.name()))
    }

    /// The hash of all that the run leaves: its events, every second, its summary.
    ///
    /// # Errors
    /// If the scenario does not load or the run does not end.
    pub fn hash(&self) -> Result<u64, String> {
        let scenario = self.load()?;
        let server = Server::new(scenario.build_model(), &scenario.run);
        let output = server.run(&mut Silent).map_err(|error| error.to_string())?;
        hash_of(&output).map_err(|error| error.to_string())
    }

    /// The pinned hash; `None` if there is none.
    pub fn pinned(&self) -> Option<u64> {
        let name = self.name();
        let hash = HASHES.lines().find_map(|line| line.strip_prefix(&name))?;
        u64::from_str_radix(hash.trim(), 16).ok()
    }
}

/// The hash of all that a run left.
///
/// # Errors
/// If it can't be written as JSON.
pub fn hash_of(output: &RunOutput) -> serde_json::Result<u64> {
    let summary = Summary::of(output, detect_warmup(&output.series).seconds);
    let mut hash = Fnv::new();
    hash.add(&output.event_hash.to_le_bytes());
    for row in &output.series {
        hash.add(&serde_json::to_vec(row)?);
    }
    hash.add(&serde_json::to_vec(&summary)?);
    Ok(hash.0)
}

/// FNV-1a over 64 bits: small, and the same everywhere.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
