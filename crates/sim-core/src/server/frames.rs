//! What each client is at while it looks for a free page.

pub(super) mod free_pages;
pub(super) mod lru_managers;
pub(super) mod reads;
pub(super) mod single_page;

use crate::server::frames::free_pages::FrameSearch;
use crate::server::frames::single_page::SinglePage;

/// Searches and single-page flushes, by client.
#[derive(Debug, Clone)]
pub(super) struct Frames {
    searches: Vec<FrameSearch>,
    /// The next stage of the flush.
    singles: Vec<Option<SinglePage>>,
}

impl Frames {
    pub(super) fn new(clients: u32) -> Self {
        Frames { searches: vec![FrameSearch::default(); clients as usize], singles: vec![None; clients as usize] }
    }

    /// Pages under write because a client flushes them alone.
    pub(super) fn pages_under_write(&self) -> u64 {
        self.singles.iter().flatten().filter(|single| single.page().is_some()).count() as u64
    }
}
