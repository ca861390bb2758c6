//! The free check of 5.5: user threads flush by themselves when the log runs full (`innodb-5.5` sections 2.1 to 2.3).
//!
//! `log_check_margins` as a sequence of steps that one thread goes through: a look at the ages, a flush of its own up
//! to an LSN (beyond the sync limit followed by a wait for everybody's batches, and by another look if others were in
//! its way), then a checkpoint. The flag that sends threads here is global: the first thread takes it down, the next
//! append beyond the limits raises it again.
//!
//! Simplification: the flag is raised where a row is about to be changed, not at each append within one. Errs towards
//! fewer threads between the async and the sync limit.

use crate::legacy::log_margin::{MARGIN_55, MarginCheckpoint, Preflush, log_checkpoint_margin, log_close_flag};
use crate::legacy::margin_steps::lsns;
use crate::legacy::redo_geometry::LogAges;
use innosim_core::seam::{FlushKind, FlushRequest, FreeCheckWait, View};

/// What a thread in the check does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MarginStep {
    /// Flushes by itself.
    Flush(FlushRequest),
    /// Waits until no flush-list batch is under way.
    WaitForBatches,
    /// Takes a checkpoint.
    Checkpoint {
        /// And waits for it.
        wait: bool,
    },
}

/// Where a thread stands in the check; kept in [`FreeCheckWait::step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Not in the check.
    Outside,
    /// Its flush is over; beyond the sync limit it waits for all batches next.
    Flushed { sync: bool, checkpoint: MarginCheckpoint },
    /// All batches are over. `undisturbed`: no other thread's batch was in its way.
    Waited { undisturbed: bool, checkpoint: MarginCheckpoint },
    /// Its checkpoint is taken, or on its way.
    CheckpointTaken,
}

impl Place {
    fn code(self) -> u32 {
        let with = |place, flag, checkpoint| place + 4 * u32::from(flag) + 8 * checkpoint as u32;
        match self {
            Place::Outside => 0,
            Place::Flushed { sync, checkpoint } => with(1, sync, checkpoint),
            Place::Waited { undisturbed, checkpoint } => with(2, undisturbed, checkpoint),
            Place::CheckpointTaken => 3,
        }
    }

    fn of(code: u32) -> Self {
        let flag = code / 4 % 2 == 1;
        let checkpoint = CHECKPOINTS[code as usize / 8];
        match code % 4 {
            0 => Place::Outside,
            1 => Place::Flushed { sync: flag, checkpoint },
            2 => Place::Waited { undisturbed: flag, checkpoint },
            _ => Place::CheckpointTaken,
        }
    }
}

/// By code.
const CHECKPOINTS: [MarginCheckpoint; 3] = [MarginCheckpoint::None, MarginCheckpoint::Async, MarginCheckpoint::Sync];

/// The flag and the limits.
#[derive(Debug)]
pub(crate) struct LogMargin {
    ages: LogAges,
    instances: usize,
    /// `check_flush_or_checkpoint`.
    flag: bool,
}

impl LogMargin {
    pub(crate) fn new(ages: LogAges, instances: usize) -> Self {
        LogMargin { ages, instances, flag: true }
    }

    pub(crate) fn ages(&self) -> &LogAges {
        &self.ages
    }

    /// `log_free_check`: the next step of a thread; `None` if it may go on.
    pub(crate) fn next(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> Option<MarginStep> {
        let step = self.step(view, wait);
        if step.is_none() {
            wait.step = Place::Outside.code();
        }
        step
    }

    fn step(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> Option<MarginStep> {
        match Place::of(wait.step) {
            Place::Outside => {
                self.flag |= log_close_flag(&lsns(view), &self.ages, self.ages.max_modified_age_async);
                self.look(view, wait)
            }
            Place::Flushed { sync: true, checkpoint } => {
                let undisturbed = wait.report.busy_instances == 0;
                wait.step = Place::Waited { undisturbed, checkpoint }.code();
                Some(MarginStep::WaitForBatches)
            }
            Place::Waited { undisturbed: false, .. } => {
                self.flag = true;
                self.look(view, wait)
            }
            Place::Flushed { sync: false, checkpoint } | Place::Waited { undisturbed: true, checkpoint } => {
                self.checkpoint(view, wait, checkpoint)
            }
            Place::CheckpointTaken => self.look(view, wait),
        }
    }

    /// The top of `log_checkpoint_margin`.
    fn look(&mut self, view: &View<'_>, wait: &mut FreeCheckWait) -> Option<MarginStep> {
        if !self.flag {
            return None;
        }
        let margin = log_checkpoint_margin(&lsns(view), &self.ages, MARGIN_55);
        self.flag = margin.flag_stays;
        let Some(lsn_limit) = margin.new_oldest else { return self.checkpoint(view, wait, margin.checkpoint) };
        let sync = margin.preflush == Preflush::Sync;
        wait.step = Place::Flushed { sync, checkpoint: margin.checkpoint }.code();
        Some(MarginStep::Flush(FlushRequest {
            lsn_limit,
            limit_on_tail_only: true,
            ..FlushRequest::list(FlushKind::Sync, vec![u64::MAX; self.instances])
        }))
    }

    /// The end of `log_checkpoint_margin`; `log_check_margins` looks again while the flag is up.
    fn checkpoint(
        &mut self,
        view: &View<'_>,
        wait: &mut FreeCheckWait,
        checkpoint: MarginCheckpoint,
    ) -> Option<MarginStep> {
        if checkpoint == MarginCheckpoint::None {
            return self.look(view, wait);
        }
        wait.step = Place::CheckpointTaken.code();
        Some(MarginStep::Checkpoint { wait: checkpoint == MarginCheckpoint::Sync })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_remembered() {
        let both = [false, true].into_iter().flat_map(|flag| CHECKPOINTS.map(|checkpoint| (flag, checkpoint)));
        let places = both.flat_map(|(flag, checkpoint)| {
            [Place::Flushed { sync: flag, checkpoint }, Place::Waited { undisturbed: flag, checkpoint }]
        });
        for place in places.chain([Place::Outside, Place::CheckpointTaken]) {
            assert_eq!(Place::of(place.code()), place);
        }
        assert_eq!(Place::of(FreeCheckWait::default().step), Place::Outside);
    }
}
