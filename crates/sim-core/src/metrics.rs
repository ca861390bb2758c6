//! What a run leaves: the series it writes second by second, and the summary of it.

mod recovery;
mod series;
pub mod summary;

pub use recovery::RecoverySpeed;
pub use series::{DiskSecond, RunOutput, SecondSample, SlowLoop};
pub use summary::regime::{BLOCK_S, Regime, RegimeInput, block_medians};
pub use summary::warmup::{WarmupEstimate, detect_warmup};
pub use summary::{Summary, SummaryValue};
