//! What Percona Server 8.0 changed in flushing (`percona` section 4), as formulas. The doublewrite layout is
//! [`DoublewriteLayout::percona`](crate::mysql80::doublewrite_layout::DoublewriteLayout::percona).

pub mod age_factor;
pub mod free_list;
pub mod lru_manager;
