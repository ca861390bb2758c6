//! Log-linear histogram of lengths of time.

/// Counts of lengths of time in log-linear buckets.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    buckets: Vec<u32>,
}

impl Histogram {
    /// Number of recorded values.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|&c| u64::from(c)).sum()
    }
}
