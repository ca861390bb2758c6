//! The free check: what a thread does that may not write redo yet.
//!
//! Source: `innodb-8.0.21` section 2.3; `innodb-5.6` section 2.3 and `mariadb-10.11` section 2 for threads that flush or take a
//! checkpoint themselves. The version says what comes next ([`crate::seam::ServerModel::free_check`]).

use crate::seam::{FreeCheck, FreeCheckWait};
use crate::server::engine::Engine;
use crate::server::machine::events::Event;
use crate::server::machine::owners::Requester;
use crate::server::machine::wake_ups::Thread;

impl Engine {
    /// Asks the version whether a thread that stands at `wait` may write redo: `None` if it may, otherwise where it stands
    /// now, and it goes on by itself.
    pub(in crate::server) fn ask_for_room(
        &mut self,
        actor: Requester,
        wait: Option<FreeCheckWait>,
    ) -> Option<FreeCheckWait> {
        let mut wait = wait.unwrap_or_default();
        let answer = self.base.machine.ask(|model, view| model.free_check(view, &mut wait));
        let goes_on = actor.goes_on(Event::BatchesOver);
        match answer {
            FreeCheck::Proceed => return None,
            FreeCheck::Sleep { duration, wake_checkpointer } => {
                self.base.machine.calendar.schedule(self.base.machine.now + duration, goes_on);
                if wake_checkpointer {
                    self.base.machine.set_event(Thread::Checkpointer);
                }
            }
            FreeCheck::Flush(request) => self.flush.start_pass(actor, request, &mut self.base.machine),
            FreeCheck::WaitForBatches => self.flush.wait_for_batches(actor, &mut self.base.machine),
            FreeCheck::WakeCleaner { sleep } => {
                self.base.machine.set_flush_event();
                self.base.machine.calendar.schedule(self.base.machine.now + sleep, goes_on);
            }
            FreeCheck::WaitForCleaner => {
                self.base.machine.watchers.push(goes_on);
                self.base.machine.set_flush_event();
            }
            FreeCheck::Checkpoint { wait } => self.checkpointer.request_checkpoint(actor, wait, &mut self.base),
        }
        Some(wait)
    }
}
