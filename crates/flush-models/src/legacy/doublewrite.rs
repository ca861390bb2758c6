//! The doublewrite buffer of the system tablespace: its sizes (`innodb-5.5` to `innodb-5.7`, section 6).

/// Pages of one doublewrite block: the longest single write.
pub const BLOCK_PAGES: u64 = 64;

/// Pages that 5.5 collects.
pub const CAPACITY_55: u64 = 128;
/// Pages that 5.6 and 5.7 collect; their other 8 places are for single-page flushes.
pub const CAPACITY_56: u64 = 120;
