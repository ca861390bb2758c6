//! The free check: what a thread does that may not write redo yet.
//!
//! Source: `innodb-8.0.21` section 2.3; `innodb-5.6` section 2.3 and `mariadb-10.11` section 2 for threads that flush or take a
//! checkpoint themselves. The version says what comes next ([`crate::seam::ServerModel::free_check`]).

use super::Server;
use super::events::Event;
use super::ids::Requester;
use super::wake_ups::Thread;
use crate::seam::{FreeCheck, FreeCheckWait};

impl Server {
    /// Asks the version whether a thread that stands at `wait` may write redo: `None` if it may, otherwise where it stands
    /// now, and it goes on by itself.
    pub(super) fn ask_for_room(&mut self, actor: Requester, wait: Option<FreeCheckWait>) -> Option<FreeCheckWait> {
        let mut wait = wait.unwrap_or_default();
        let answer = self.machine.ask(|model, view| model.free_check(view, &mut wait));
        let goes_on = actor.goes_on(Event::BatchesOver);
        match answer {
            FreeCheck::Proceed => return None,
            FreeCheck::Sleep { duration, wake_checkpointer } => {
                self.machine.calendar.schedule(self.machine.now + duration, goes_on);
                if wake_checkpointer {
                    self.machine.set_event(Thread::Checkpointer);
                }
            }
            FreeCheck::Flush(request) => self.start_pass(actor, request),
            FreeCheck::WaitForBatches => self.wait_for_batches(actor),
            FreeCheck::WakeCleaner { sleep } => {
                self.machine.set_flush_event();
                self.machine.calendar.schedule(self.machine.now + sleep, goes_on);
            }
            FreeCheck::WaitForCleaner => {
                self.machine.watchers.push(goes_on);
                self.machine.set_flush_event();
            }
            FreeCheck::Checkpoint { wait } => self.request_checkpoint(actor, wait),
        }
        Some(wait)
    }
}
