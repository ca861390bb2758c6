//! Where a user thread stands in the steps of `log_checkpoint_margin`, kept in its [`FreeCheckWait`].

use super::log_margin::{LogLsns, MarginCheckpoint};
use innosim_core::seam::{FreeCheckWait, View};

/// The step that a user thread has behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// None: it is about to look at the flag.
    Begin,
    /// It flushed by itself.
    Flushed,
    /// It waited for pages to be flushed.
    Waited,
    /// It took or asked for a checkpoint.
    Checkpointed,
}

const STAGES: [Stage; 4] = [Stage::Begin, Stage::Flushed, Stage::Waited, Stage::Checkpointed];
const CHECKPOINTS: [MarginCheckpoint; 3] = [MarginCheckpoint::None, MarginCheckpoint::Async, MarginCheckpoint::Sync];

/// Stage and the checkpoint that was decided on before it.
pub(crate) fn place(wait: &FreeCheckWait) -> (Stage, MarginCheckpoint) {
    let step = wait.step as usize;
    (STAGES[step % STAGES.len()], CHECKPOINTS[step / STAGES.len()])
}

/// Remembers them.
pub(crate) fn set_place(wait: &mut FreeCheckWait, stage: Stage, checkpoint: MarginCheckpoint) {
    wait.step = checkpoint as u32 * STAGES.len() as u32 + stage as u32;
}

/// The LSNs of a view.
pub(crate) fn lsns(view: &View<'_>) -> LogLsns {
    LogLsns {
        lsn: view.current_lsn,
        oldest_modification: view.oldest_modification_lsn,
        last_checkpoint_lsn: view.last_checkpoint_lsn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_remembered() {
        for place_before in STAGES.into_iter().flat_map(|stage| CHECKPOINTS.map(|checkpoint| (stage, checkpoint))) {
            let mut wait = FreeCheckWait::default();
            set_place(&mut wait, place_before.0, place_before.1);
            assert_eq!(place(&wait), place_before);
        }
        assert_eq!(place(&FreeCheckWait::default()), (Stage::Begin, MarginCheckpoint::None));
    }
}
