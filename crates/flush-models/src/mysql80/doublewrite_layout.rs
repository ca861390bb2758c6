//! Doublewrite files of 8.0.20 and later: how many files, segments and batch pages follow from the settings
//! (spec 8.0.21, section 6.1).
//!
//! Each buffer pool instance has a doublewrite instance for its flush-list writes and one for its LRU writes. A segment
//! is the place of one batch in a file; it stays taken until the data files of the batch are synced, so segments bound
//! the batches between the end of their page writes and the end of their data sync.

/// Places for single-page flushes.
const SINGLE_PAGE_SLOTS: u64 = 512;

/// What `dblwr::open` makes of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoublewriteLayout {
    /// Doublewrite instances of both kinds; the first half serves LRU, the second half flush-list writes.
    pub instances: u64,
    /// Files.
    pub files: u64,
    /// Pages of a batch.
    pub pages_per_batch: u64,
    /// Segments in a file.
    pub segments_per_file: u64,
    /// Segments for flush-list batches, over all files.
    pub flush_list_segments: u64,
    /// Segments for LRU batches, over all files.
    pub lru_segments: u64,
    /// Places for single-page flushes, over all files.
    pub single_page_slots: u64,
    /// Pages of each file.
    pub file_pages: Vec<u64>,
}

impl DoublewriteLayout {
    /// Layout of MySQL for these settings; 0 = not set for `doublewrite_files` and `doublewrite_pages`.
    pub fn new(
        buffer_pool_instances: u64,
        doublewrite_files: u64,
        doublewrite_pages: u64,
        write_io_threads: u64,
    ) -> Self {
        let instances = (2 * buffer_pool_instances).max(4);
        let wanted_files = if doublewrite_files == 0 { 2 } else { doublewrite_files };
        let pages_per_batch = if doublewrite_pages == 0 { write_io_threads } else { doublewrite_pages };
        Self::of_files(instances, wanted_files, instances < wanted_files, pages_per_batch)
    }

    /// The same for Percona Server: a file for each instance and kind by default, never more, and files as many as
    /// doublewrite instances already hold one segment each (`percona` section 4.4).
    pub fn percona(
        buffer_pool_instances: u64,
        doublewrite_files: u64,
        doublewrite_pages: u64,
        write_io_threads: u64,
    ) -> Self {
        let instances = (2 * buffer_pool_instances).max(4);
        let most_files = 2 * buffer_pool_instances;
        let wanted_files = if doublewrite_files == 0 { most_files } else { doublewrite_files.min(most_files) };
        let pages_per_batch = if doublewrite_pages == 0 { write_io_threads } else { doublewrite_pages };
        Self::of_files(instances, wanted_files, instances <= wanted_files, pages_per_batch)
    }

    fn of_files(instances: u64, wanted_files: u64, file_each: bool, pages_per_batch: u64) -> Self {
        let (files, segments_per_file) =
            if file_each { (instances, 1) } else { (wanted_files, instances / wanted_files + 1) };
        let segments = segments_per_file * files;
        let lru_files = files / 2;
        let (lru_segments, slots_per_lru_file) = if files > 1 {
            (segments_per_file * lru_files, SINGLE_PAGE_SLOTS / lru_files)
        } else {
            (segments / 2, SINGLE_PAGE_SLOTS)
        };
        let file_pages = (0..files)
            .map(|f| {
                pages_per_batch * segments_per_file + if f % 2 == 1 || files == 1 { slots_per_lru_file } else { 0 }
            })
            .collect();
        DoublewriteLayout {
            instances,
            files,
            pages_per_batch,
            segments_per_file,
            flush_list_segments: segments - lru_segments,
            lru_segments,
            single_page_slots: slots_per_lru_file * lru_files.max(1),
            file_pages,
        }
    }

    /// Doublewrite instance of `pool`'s LRU writes.
    pub fn lru_instance(&self, pool: u64) -> u64 {
        pool % (self.instances / 2)
    }
}
