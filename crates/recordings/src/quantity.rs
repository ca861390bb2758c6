//! What a purpose needs, and the names that servers and recorders have for it.

/// A quantity with the columns that may hold it, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Log sequence number, bytes, at the instant of SHOW ENGINE INNODB STATUS where there is one.
    Lsn,
    /// LSN of the last checkpoint, bytes, at the same instant.
    CheckpointLsn,
    /// LSN at the instant of INNODB_METRICS, bytes.
    MetricsLsn,
    /// Oldest modification of a dirty page, as adaptive flushing sees it, LSN; 0 if nothing is dirty.
    OldestModification,
    /// Dirty pages.
    DirtyPages,
    /// Pages on the LRU lists.
    LruPages,
    /// Pages on the free lists.
    FreePages,
    /// Pages written to data files since the server's start.
    PagesWritten,
    /// Pages of adaptive flushing since the server's start.
    AdaptivePages,
    /// Batches of adaptive flushing that ended since the server's start.
    AdaptiveBatches,
    /// Writes of flush-list batches that are in flight.
    PendingListWrites,
    /// Pages of sync flushing since the server's start.
    SyncPages,
    /// `buffer_flush_n_to_flush_requested`, pages.
    NToFlushRequested,
    /// `buffer_flush_n_to_flush_by_age`, pages.
    NToFlushByAge,
    /// `buffer_flush_pct_for_dirty`, percent.
    PctForDirty,
    /// `buffer_flush_pct_for_lsn`, percent.
    PctForLsn,
    /// `buffer_flush_avg_page_rate`, pages a second.
    AvgPageRate,
    /// `buffer_flush_lsn_avg_rate`, bytes a second.
    LsnAvgRate,
    /// Transactions a second in the second that ends at the sample, as the load generator reports.
    Tps,
    /// Page reads that missed the buffer pool since the server's start.
    BufferPoolReads,
}

impl Quantity {
    /// In words.
    pub const fn what(self) -> &'static str {
        match self {
            Quantity::Lsn | Quantity::MetricsLsn => "log sequence number",
            Quantity::CheckpointLsn => "LSN of the last checkpoint",
            Quantity::OldestModification => "oldest modification of a dirty page",
            Quantity::DirtyPages => "number of dirty pages",
            Quantity::LruPages => "length of the LRU lists",
            Quantity::FreePages => "length of the free lists",
            Quantity::PagesWritten => "counter of pages written",
            Quantity::AdaptivePages => "counter of pages of adaptive flushing",
            Quantity::AdaptiveBatches => "counter of batches of adaptive flushing",
            Quantity::PendingListWrites => "number of pending writes of flush-list batches",
            Quantity::SyncPages => "counter of pages of sync flushing",
            Quantity::NToFlushRequested => "buffer_flush_n_to_flush_requested",
            Quantity::NToFlushByAge => "buffer_flush_n_to_flush_by_age",
            Quantity::PctForDirty => "buffer_flush_pct_for_dirty",
            Quantity::PctForLsn => "buffer_flush_pct_for_lsn",
            Quantity::AvgPageRate => "buffer_flush_avg_page_rate",
            Quantity::LsnAvgRate => "buffer_flush_lsn_avg_rate",
            Quantity::Tps => "throughput, transactions a second",
            Quantity::BufferPoolReads => "counter of buffer pool reads",
        }
    }

    /// Columns that may hold it, best first.
    pub const fn columns(self) -> &'static [&'static str] {
        match self {
            Quantity::Lsn => &[
                "log.log_sequence_number",
                "Innodb_lsn_current",
                "Innodb_redo_log_current_lsn",
                "m.log_lsn_current",
                "derived.lsn",
            ],
            Quantity::CheckpointLsn => &[
                "log.last_checkpoint_at",
                "Innodb_lsn_last_checkpoint",
                "Innodb_redo_log_checkpoint_lsn",
                "m.log_lsn_last_checkpoint",
                "derived.checkpoint_lsn",
            ],
            Quantity::MetricsLsn => &["m.log_lsn_current", "log.log_sequence_number", "Innodb_lsn_current"],
            Quantity::OldestModification => {
                &["m.log_lsn_buf_pool_oldest_approx", "m.log_lsn_buf_pool_oldest", "log.pages_flushed_up_to"]
            }
            Quantity::DirtyPages => {
                &["Innodb_buffer_pool_pages_dirty", "m.buffer_pool_pages_dirty", "bp.modified_db_pages"]
            }
            Quantity::LruPages => &["Innodb_buffer_pool_pages_data", "m.buffer_pool_pages_data", "bp.database_pages"],
            Quantity::FreePages => &["Innodb_buffer_pool_pages_free", "m.buffer_pool_pages_free", "bp.free_buffers"],
            Quantity::PagesWritten => &[
                "Innodb_pages_written",
                "m.buffer_pages_written",
                "bp.pages_written",
                "Innodb_buffer_pool_pages_flushed",
            ],
            Quantity::AdaptivePages => &["m.buffer_flush_adaptive_total_pages"],
            Quantity::AdaptiveBatches => &["m.buffer_flush_adaptive"],
            Quantity::PendingListWrites => &["bp.pend_flush_list"],
            Quantity::SyncPages => &["m.buffer_flush_sync_total_pages"],
            Quantity::NToFlushRequested => &["m.buffer_flush_n_to_flush_requested"],
            Quantity::NToFlushByAge => &["m.buffer_flush_n_to_flush_by_age"],
            Quantity::PctForDirty => &["m.buffer_flush_pct_for_dirty"],
            Quantity::PctForLsn => &["m.buffer_flush_pct_for_lsn"],
            Quantity::AvgPageRate => &["m.buffer_flush_avg_page_rate"],
            Quantity::LsnAvgRate => &["m.buffer_flush_lsn_avg_rate"],
            Quantity::Tps => &["sb.tps", "derived.tps"],
            Quantity::BufferPoolReads => {
                &["Innodb_buffer_pool_reads", "m.buffer_pool_reads", "bp.pages_read", "m.buffer_pages_read"]
            }
        }
    }

    /// Where people find it.
    pub fn where_to_find(self) -> String {
        let spoken = |column: &&str| match column.split_once('.') {
            None => format!("{column} of SHOW GLOBAL STATUS"),
            Some(("m", counter)) => format!("{counter} of INNODB_METRICS"),
            Some(("log" | "bp", line)) => format!("\"{}\" in SHOW ENGINE INNODB STATUS", line.replace('_', " ")),
            Some(("sb", _)) => "interval lines of sysbench (--report-interval=1)".to_owned(),
            Some(_) => String::new(),
        };
        let places: Vec<String> = self.columns().iter().map(spoken).filter(|place| !place.is_empty()).collect();
        format!("record each second {}", places.join(", or "))
    }
}
