//! What is known of the tails of the LRU lists: whether a search for a free page there is worth it.

/// State of the search for free pages, by instance.
#[derive(Debug, Clone)]
pub(in crate::server) struct FreePages {
    /// False once a search of the tail found nothing, until a batch of the instance ends (from 5.6 on).
    pub(in crate::server) try_scan: Vec<bool>,
    /// Pages that LRU batches wrote and that no search has freed: `LRU_flush_ended` (5.5).
    pub(in crate::server) lru_written: Vec<u64>,
}

impl FreePages {
    pub(in crate::server) fn new(instances: u32) -> Self {
        let instances = instances as usize;
        FreePages { try_scan: vec![true; instances], lru_written: vec![0; instances] }
    }

    /// A page of an LRU batch was written and is at the tail of its list.
    pub(in crate::server) fn page_at_tail(&mut self, instance: usize) {
        self.lru_written[instance] += 1;
    }

    /// Whether a client found no free page since the last batch of some instance ended.
    pub(in crate::server) fn wanted(&self) -> bool {
        self.try_scan.iter().any(|&scan| !scan)
    }

    /// The batch of a slot is posted to its end: the tail is worth searching again.
    pub(in crate::server) fn batch_ended(&mut self, instance: usize) {
        self.try_scan[instance] = true;
    }
}
