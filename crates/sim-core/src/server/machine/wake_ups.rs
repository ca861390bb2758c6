//! Wake-ups: the events that the page cleaner and the checkpointer sleep on, and the queue of those who wait for either.
//!
//! As the servers' `os_event_t`: a thread sets it wherever it stands, and it stays set until the one thread that sleeps on it
//! takes notice.

use crate::kernel::time::SimTime;
use crate::server::machine::Machine;
use crate::server::machine::events::Event;

/// Limits that are never reached.
pub(in crate::server) const NO_WORK: (u64, u64) = (u64::MAX, u64::MAX);

/// A thread that sleeps on an event or until a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Thread {
    PageCleaner,
    Checkpointer,
}

/// An event that one thread sleeps on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::server) struct OsEvent {
    pub(in crate::server) is_set: bool,
    /// Whether the thread sleeps until it is set.
    pub(in crate::server) is_waited_for: bool,
    /// Number of the thread's current timer; older timers are stale.
    pub(in crate::server) timer: u32,
}

impl OsEvent {
    /// Sets it; whether that wakes the thread.
    fn set(&mut self) -> bool {
        !std::mem::replace(&mut self.is_set, true) && self.is_waited_for
    }

    /// Forgets that it was set.
    pub(in crate::server) fn reset(&mut self) {
        self.is_set = false;
    }

    fn next_timer(&mut self) -> u32 {
        self.timer = self.timer.wrapping_add(1);
        self.timer
    }
}

impl Machine {
    fn event_of(&mut self, thread: Thread) -> &mut OsEvent {
        match thread {
            Thread::PageCleaner => &mut self.cleaner_event,
            Thread::Checkpointer => &mut self.checkpointer_event,
        }
    }

    /// Sets the event of a thread, which wakes it if it sleeps on it.
    pub(in crate::server) fn set_event(&mut self, thread: Thread) {
        if self.event_of(thread).set() {
            self.arm_timer(thread, self.now);
        }
    }

    /// The thread sleeps until `at`.
    pub(in crate::server) fn arm_timer(&mut self, thread: Thread, at: SimTime) {
        let timer = self.event_of(thread).next_timer();
        if at < SimTime::NEVER {
            let event = match thread {
                Thread::PageCleaner => Event::CleanerTimer(timer),
                Thread::Checkpointer => Event::CheckpointerTimer(timer),
            };
            self.calendar.schedule(at, event);
        }
    }

    /// Sets the page cleaner's event.
    pub(in crate::server) fn set_flush_event(&mut self) {
        self.set_event(Thread::PageCleaner);
        self.cleaner_works_at = NO_WORK;
    }

    /// Redo was appended and pages became dirty: sets the flush event if the page cleaner waits for that.
    #[inline]
    pub(in crate::server) fn set_flush_event_if_due(&mut self) {
        let (pages, lsn) = self.cleaner_works_at;
        if self.pool.dirty.count() >= pages || self.redo.current_lsn() >= lsn {
            self.set_flush_event();
        }
    }

    /// Lets those go on that wait for the page cleaner.
    pub(in crate::server) fn wake_watchers(&mut self) {
        for goes_on in std::mem::take(&mut self.watchers) {
            self.calendar.schedule(self.now, goes_on);
        }
    }

    /// Clients that wait for the end of a pass or a checkpoint.
    pub(in crate::server) fn watching_clients(&self) -> usize {
        self.watchers.iter().filter(|event| event.client().is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_wakes_once_and_only_who_sleeps_on_it() {
        let mut event = OsEvent::default();
        assert!(!event.set(), "nobody sleeps on it");
        event.is_waited_for = true;
        assert!(!event.set(), "it was set before");
        event.is_set = false;
        assert!(event.set());
        assert!(!event.set(), "set twice, it wakes once");
    }

    #[test]
    fn a_new_timer_makes_the_old_one_stale() {
        let mut event = OsEvent { timer: u32::MAX, ..OsEvent::default() };
        assert_eq!((event.next_timer(), event.timer), (0, 0));
    }
}
