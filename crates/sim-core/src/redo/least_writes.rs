//! A bound that no flushing rule can pass: the fewest page writes that the modifications of a run allow.
//!
//! A page may stay dirty while the redo since its oldest modification fits the redo log. So each modification at LSN x
//! must be covered by a write of its page before the log has advanced by the `span` beyond x. For one page these are
//! intervals (x, x + span] that are to be hit by as few writes as possible; hitting each at its end as soon as it is not
//! hit yet is the known optimum, and it takes one pass over the modifications. It asks nothing of the device: writes of
//! any number at any instant, a rule that knows the future. Pages that leave the buffer pool for want of frames are
//! written more often than that, so the bound is far off where the data outgrows the pool.

/// Counts the writes that are forced.
#[derive(Debug, Clone)]
pub struct LeastWrites {
    /// Redo within which a modified page must be written, bytes.
    span: u64,
    /// Up to which LSN the modifications of each page are covered by a write that is counted; 0 before its first.
    covered: Vec<u64>,
    counted: u64,
}

impl LeastWrites {
    /// For a redo log that lets a page stay dirty for `span` bytes.
    pub fn new(span: u64) -> LeastWrites {
        LeastWrites { span, covered: Vec::new(), counted: 0 }
    }

    /// `pages` were modified by redo that ends at `lsn`.
    pub fn modified(&mut self, pages: &[u32], lsn: u64) {
        for &page in pages {
            let page = page as usize;
            if page >= self.covered.len() {
                self.covered.resize(page + 1, 0);
            }
            if self.covered[page] <= lsn {
                self.covered[page] = lsn + self.span;
                self.counted += 1;
            }
        }
    }

    /// Writes that were forced by the time the log reached `lsn`: those that can still wait are left out.
    pub fn forced_by(&self, lsn: u64) -> u64 {
        self.counted - self.covered.iter().filter(|until| **until > lsn).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fewest writes by trial of all sets of instants.
    fn by_trial(at: &[u64], span: u64, end: u64) -> u32 {
        let must: Vec<u64> = at.iter().copied().filter(|x| x + span <= end).collect();
        let instants = end as u32;
        (0..1_u32 << instants)
            .filter(|set| must.iter().all(|x| (x + 1..=x + span).any(|t| set >> (t - 1) & 1 == 1)))
            .map(u32::count_ones)
            .min()
            .unwrap()
    }

    #[test]
    fn it_is_the_fewest_of_all_ways() {
        let mut random = 12345_u64;
        for _ in 0..200 {
            let mut least = LeastWrites::new(3);
            let mut at = Vec::new();
            for lsn in 1..=12_u64 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if random >> 62 == 0 {
                    least.modified(&[0], lsn);
                    at.push(lsn);
                }
            }
            assert_eq!(least.forced_by(12), u64::from(by_trial(&at, 3, 12)), "{at:?}");
        }
    }

    #[test]
    fn a_hot_page_is_written_once_a_span_and_a_cold_one_each_time() {
        let mut least = LeastWrites::new(100);
        for lsn in 1..=1000 {
            least.modified(&[7], lsn);
            if lsn % 200 == 0 {
                least.modified(&[9], lsn);
            }
        }
        // The hot one: begun at 1, 101, ..., 901; the last is not due. The cold one: 200 to 800 are, 1000 is not.
        assert_eq!(least.forced_by(1000), 9 + 4);
    }

    #[test]
    fn a_log_may_begin_at_nothing() {
        let mut least = LeastWrites::new(3);
        least.modified(&[2], 0);
        assert_eq!([2, 3].map(|lsn| least.forced_by(lsn)), [0, 1]);
    }
}
