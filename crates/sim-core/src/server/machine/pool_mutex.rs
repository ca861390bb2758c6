//! Mutexes of a buffer pool instance on which all threads wait at once, in 5.5: while a flush batch searches its list, and while the
//! pages of a list are counted.
//!
//! Source: `innodb-5.5` section 5.5. A batch searches the flush list under the one mutex of the instance. After each page it begins again
//! at the tail, and steps over all pages that are under write. Each access to a page takes the same mutex to look the page up. So
//! clients and purge spin or sleep for each page that a batch takes, and are woken together, which is why they wait for longer than the
//! search takes. Percona Server 5.5 has a latch of its own for the page hash, as 5.6 and later have: there nobody waits for a search.
//!
//! A thread gets on until its next access. The more threads stand at a processor, the longer it finds one that needs no page yet. So of
//! each wait a processor loses what is left when each of its threads has computed for as long as lies between two accesses.
//!
//! The thread that flushes has a processor to itself for the search alone. For the rest of its work it gets its share among threads that
//! spin.
//!
//! Percona Server's `estimate` goes through whole flush lists under their mutexes (`percona` section 2.1). Who makes a clean page dirty
//! waits for that with the mutex that orders the lists in hand, the next one with that of the redo log, and then all who write redo.
//!
//! Simplifications: a batch takes the time of all its pages at once, and who comes to the processors meanwhile loses nothing, but those
//! who are there lose the more. With several instances the time of a search is divided by their number (errs towards too little, as a
//! thread needs pages of more than one). LRU batches hold the mutex too, and threads that complete writes take it: they hold nobody up
//! here. Threads that only read wait for a count as well (errs towards too long waits by the time in which a thread writes no redo).

use crate::config::RedoPipeline;
use crate::kernel::time::SimDuration;
use crate::server::machine::processors::Cpu;

impl Cpu<'_> {
    /// A batch has taken `pages` pages from the flush list of an instance.
    pub(in crate::server) fn accesses_wait_for_search(&mut self, pages: u64) {
        let spec = self.processors.spec();
        if !self.config.buffer_pool.accesses_take_mutex || spec.pool_mutex_wait.0 == 0 {
            return;
        }
        let (threads, cores) = (self.processors.threads(self.now), self.processors.cores());
        let lost = lost_by_a_processor(spec.pool_mutex_wait, spec.page_access_gap, threads, cores);
        let instances = u64::from(self.config.buffer_pool.instances);
        self.threads_lose(SimDuration(lost.0 * pages / instances));
    }

    /// The pages of flush lists are counted for `time`.
    pub(in crate::server) fn redo_waits_for_count(&mut self, time: SimDuration) {
        if time.0 > 0 && self.config.redo.pipeline == RedoPipeline::LogMutex {
            self.threads_lose(time);
        }
    }
}

/// What a processor loses of a wait: nothing where no thread computes or waits for a processor.
fn lost_by_a_processor(wait: SimDuration, gap: SimDuration, threads: u32, cores: u32) -> SimDuration {
    if threads == 0 {
        return SimDuration::ZERO;
    }
    let gets_on = gap.0 * u64::from(threads.max(cores)) / u64::from(cores);
    SimDuration(wait.0.saturating_sub(gets_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 12 processors, a wait of 150 us, 15 us between accesses.
    #[test]
    fn a_processor_gets_on_while_one_of_its_threads_needs_no_page() {
        let lost = |threads| lost_by_a_processor(SimDuration(150_000), SimDuration(15_000), threads, 12).0;
        assert_eq!([0, 1, 12, 24, 60, 120, 240].map(lost), [0, 135_000, 135_000, 120_000, 75_000, 0, 0]);
    }
}
