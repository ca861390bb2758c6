//! A run that somebody looks into between two seconds: a page that draws it, a tutor that steps through it.
//!
//! It handles the same events in the same order as [`Server::run`], so that its output and hash are the same. What is
//! looked at is read and never changes the run. No source: nothing here is of a server.
//!
//! Pages under write have left the flush lists, so that they are missing in the counts by age, and holes of pages that
//! left a list early are counted until they reach its tail.

use crate::kernel::random::Rng;
use crate::metrics::{RunOutput, SecondSample};
use crate::run_spec::RunSpec;
use crate::seam::{AgeLimits, ServerModel};
use crate::server::{DirtyCohorts, RunError, Server, Silent, middle};
use crate::workload::{PageClass, RATE_BANDS, RateBands};

/// Where the redo log stands. LSNs and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedoRing {
    /// End of all redo.
    pub current_lsn: u64,
    /// End of the redo that would survive a crash.
    pub durable_lsn: u64,
    /// Where recovery would begin.
    pub checkpoint_lsn: u64,
    /// Ages at which the server acts.
    pub limits: AgeLimits,
}

/// Pages that are modified about equally often.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateBand {
    /// Those in the buffer pool.
    pub pages: u64,
    /// Those of them that are dirty, under write or not.
    pub dirty: u64,
}

/// A run, second by second.
#[derive(Debug)]
pub struct Stepping {
    server: Server,
    bands: RateBands,
    over: bool,
}

impl Stepping {
    /// A server of the given version at the beginning of `spec`.
    pub fn new(model: Box<dyn ServerModel>, spec: &RunSpec) -> Self {
        let mut server = Server::new(model, spec);
        server.start();
        Stepping { server, bands: RateBands::default(), over: false }
    }

    /// The same, which tells [`Stepping::dirty_by_rate`]; `spec` as before.
    pub fn with_rate_bands(self, spec: &RunSpec) -> Self {
        Stepping { bands: RateBands::of(&spec.workload, &self.server.innodb.engine.program), ..self }
    }

    /// A server in the middle of its work: `spec` says how old its checkpoint is and what went on before, `cohorts` how many pages
    /// of each of `classes`, as they were at the beginning, are dirty.
    pub fn in_the_middle(
        model: Box<dyn ServerModel>,
        spec: &RunSpec,
        classes: &[PageClass],
        cohorts: &DirtyCohorts,
    ) -> Self {
        let mut server = Server::new(model, spec);
        let mut rng = Rng::stream(spec.seed, spec.replication, "middle");
        let engine = &mut server.innodb.engine;
        engine.program.age(&spec.workload, cohorts.transactions, &mut rng);
        middle::make_dirty(engine, classes, cohorts, &mut rng);
        server.start();
        Stepping { server, bands: RateBands::default(), over: false }
    }

    /// Simulates a second; `None` once the run is over.
    ///
    /// # Errors
    /// [`RunError::Invariant`] if an invariant breaks, with `check`.
    pub fn second(&mut self) -> Result<Option<&SecondSample>, RunError> {
        self.over = self.over || !self.server.next_second(&mut Silent)?;
        Ok((!self.over).then(|| self.server.machine().recorder.last()))
    }

    /// Forgets the seconds that are over, which then are not in the output: for runs of weeks, whose rows would take the
    /// memory.
    pub fn forget(&mut self) {
        self.server.machine_mut().recorder.forget();
    }

    /// Where the redo log stands now.
    pub fn redo_ring(&self) -> RedoRing {
        let position = self.server.machine().redo.position();
        RedoRing {
            current_lsn: position.current_lsn,
            durable_lsn: position.durable_lsn,
            checkpoint_lsn: self.server.machine().last_checkpoint_lsn,
            limits: self.server.machine().model.age_limits(),
        }
    }

    /// Pages in the flush lists by age of their oldest modification: entry `i` counts those with an age of
    /// `i * step .. (i + 1) * step` bytes, the last entry older ones too.
    pub fn dirty_by_age(&self, step: u64, entries: usize) -> Vec<u64> {
        let current = self.server.machine().redo.position().current_lsn;
        let older =
            |age: u64| current.checked_sub(age).map_or(0, |lsn| self.server.machine().pool.dirty.listed_up_to(lsn));
        let bounds = (0..entries as u64).map(|entry| older(entry.saturating_mul(step)));
        let at_least: Vec<u64> = bounds.chain([0]).collect();
        at_least.windows(2).map(|pair| pair[0] - pair[1]).collect()
    }

    /// Pages by how often they are modified: band `i` has those with [`FIRST_BAND_BYTES`](crate::workload::FIRST_BAND_BYTES)
    /// ` * 2^i` to twice as many bytes of redo between two modifications, the last those with more too. Pages that the workload
    /// does not name (allocated since the start, of the change buffer, and others of the server's own) are in no band.
    pub fn dirty_by_rate(&self) -> [RateBand; RATE_BANDS] {
        let pool = &self.server.machine().pool;
        let kept = self.bands.runs.iter().map(|run| (run.band, pool.pages.count_in(run.first, run.end)));
        let mut bands = [RateBand::default(); RATE_BANDS];
        for (band, (pages, dirty)) in kept {
            bands[band].pages += pages;
            bands[band].dirty += dirty;
        }
        bands
    }

    /// All pages that the workload modifies, in classes of equal rate.
    pub fn page_classes(&self, spec: &RunSpec) -> Vec<PageClass> {
        PageClass::all_of(&spec.workload, &self.server.innodb.engine.program)
    }

    /// Hash of everything that happened so far; at the end that of [`RunOutput::event_hash`].
    pub fn event_hash(&self) -> u64 {
        self.server.hash
    }

    /// What the run leaves.
    pub fn into_output(self) -> RunOutput {
        self.server.into_output()
    }
}
