//! Adaptive flushing of 5.5: the desired flush rate (`innodb-5.5` sections 3.1 and 3.3).
//!
//! Once a second the error monitor thread notes how much redo was written and how many pages LRU batches posted in that
//! second; sums over the last twenty seconds are kept. The master thread asks for the dirty pages that one second of
//! redo makes due if all of them were to be flushed in one turn of the log, less what LRU flushing does anyway.
//!
//! The average starts at zero and counts empty slots, so the first twenty seconds of a load are under-flushed; the
//! second in progress is added in full, so right before the monitor's tick the rate is up to twice the true one. Both
//! are the server's.

/// `BUF_FLUSH_STAT_N_INTERVAL`: seconds in the averages.
pub const STAT_INTERVALS: usize = 20;

/// `buf_flush_stat_update` and the sums behind `buf_flush_get_desired_flush_rate`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlushStat {
    /// Redo of each of the last seconds, bytes.
    pub redo: [u64; STAT_INTERVALS],
    /// Pages posted by LRU batches in each of the last seconds.
    pub n_flushed: [u64; STAT_INTERVALS],
    /// Slot of the next second.
    pub index: usize,
    /// LSN at the last tick; 0 before the first.
    pub cur_redo: u64,
    /// Pages posted by LRU batches up to the last tick.
    pub cur_n_flushed: u64,
    /// Sum of `redo`, bytes.
    pub sum_redo: u64,
    /// Sum of `n_flushed`.
    pub sum_n_flushed: u64,
}

/// What the desired rate is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DesiredRate {
    /// Redo a second, bytes, with the second in progress in full.
    pub redo_avg: u64,
    /// Pages a second that LRU batches post.
    pub lru_flush_avg: u64,
    /// Pages a second that should be flushed one way or another.
    pub n_flush_req: u64,
    /// Pages that the flush lists should give in this pass.
    pub rate: u64,
}

impl FlushStat {
    /// `buf_flush_stat_update`, once a second. `lru_flush_page_count`: pages posted by LRU batches since the start.
    pub fn update(&mut self, lsn: u64, lru_flush_page_count: u64) {
        if self.cur_redo == 0 {
            self.cur_redo = lsn;
            return;
        }
        let redo = lsn.wrapping_sub(self.cur_redo);
        let n_flushed = lru_flush_page_count.wrapping_sub(self.cur_n_flushed);
        self.sum_redo = self.sum_redo.wrapping_add(redo).wrapping_sub(self.redo[self.index]);
        self.sum_n_flushed = self.sum_n_flushed.wrapping_add(n_flushed).wrapping_sub(self.n_flushed[self.index]);
        (self.redo[self.index], self.n_flushed[self.index]) = (redo, n_flushed);
        self.index = (self.index + 1) % STAT_INTERVALS;
        (self.cur_redo, self.cur_n_flushed) = (lsn, lru_flush_page_count);
    }

    /// So much redo was written in each of the last seconds.
    pub fn fill(&mut self, redo_bytes_per_s: u64) {
        self.redo = [redo_bytes_per_s; STAT_INTERVALS];
        self.sum_redo = self.redo.iter().sum();
    }

    /// `buf_flush_get_desired_flush_rate`; changes nothing. `n_dirty` counts pages under write too.
    pub fn desired(&self, lsn: u64, lru_flush_page_count: u64, n_dirty: u64, log_group_capacity: u64) -> DesiredRate {
        let intervals = STAT_INTERVALS as u64;
        let redo_avg = (self.sum_redo / intervals).wrapping_add(lsn.wrapping_sub(self.cur_redo));
        let lru_now = lru_flush_page_count.wrapping_sub(self.cur_n_flushed);
        let lru_flush_avg = (self.sum_n_flushed / intervals).wrapping_add(lru_now);
        let n_flush_req = n_dirty.wrapping_mul(redo_avg) / log_group_capacity;
        let rate = n_flush_req.wrapping_sub(lru_flush_avg) as i64;
        DesiredRate { redo_avg, lru_flush_avg, n_flush_req, rate: rate.max(0) as u64 }
    }
}
