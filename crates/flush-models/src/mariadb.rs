//! MariaDB 10.11: formulas.

pub mod adaptive;
pub mod log_targets;
pub mod page_cleaner;
pub mod redo_geometry;
