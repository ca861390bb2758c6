//! Pages of one rate.

use serde::{Deserialize, Serialize};

/// Pages that are modified at one rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Modifications of one of the pages a unit of work.
    pub rate: f64,
    /// Pages.
    pub pages: f64,
}
