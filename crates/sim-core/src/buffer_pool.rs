//! The buffer pool: which pages are resident, dirty, under write; flush lists by instance; the LRU when it is needed.
//!
//! Source: `innodb-8.0.21` sections 4, 5, 8.
//!
//! Two shapes, one interface. While every page of the data set fits, a page is three bits (resident, dirty and idle, under
//! write; `page_states` says what they mean): no page is ever evicted, so no order among them matters. When the data
//! set outgrows the pool, an LRU list by instance with old and young parts is kept besides (`LruLists`).
//!
//! Simplifications: a page is latched exactly while it is under write; readers never wait. The free list is a count.

mod bits;
mod dirty_pages;
mod flush_list;
mod flush_lists;
mod frames;
mod linked;
mod lru;
mod neighbors;
mod page_space;
mod page_states;
mod pool;

pub(crate) use bits::BitSet;
pub use flush_list::{Entry, FlushList};
pub use lru::{LruConfig, LruLists};
pub use neighbors::flush_area_range;
pub use page_space::{EXTENT_PAGES, PageHasher, PageRun, PageSpace};
pub use pool::BufferPool;
pub(crate) use pool::Modification;
#[cfg(test)]
pub(crate) use pool::tests::with_64_pages;
