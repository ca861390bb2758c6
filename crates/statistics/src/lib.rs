//! How far a number from simulation can be trusted.
//!
//! | question | answer |
//! |---|---|
//! | mean of independent replications | [`Estimate::of`]: Student's interval |
//! | is A better than B, same seeds | [`Paired::of`]: interval and p-value of the differences |
//! | the same, asked many times | [`holm`]: p-values adjusted for the number of questions |
//! | mean of one long run | [`batch_means`]: its seconds are not independent, means of long batches nearly are |
//! | whether two orders agree | [`rank_correlation`]: Spearman's |
//! | middle of some numbers | [`mean`], [`median`]; none have none |
//! | how many replications | [`Precision`]: until the interval is narrow enough, or a limit |
//!
//! Where the warm-up of a run ends is found elsewhere, by MSER-5 in the metrics of the simulator.
//!
//! Everything is a function of its arguments, in their order: the same values give the same bytes.

mod batch_means;
mod estimate;
mod holm;
mod middle;
mod paired;
mod precision;
mod rank_correlation;
mod student;

pub use batch_means::{BatchMeans, batch_means};
pub use estimate::Estimate;
pub use holm::holm;
pub use middle::{mean, median};
pub use paired::Paired;
pub use precision::Precision;
pub use rank_correlation::rank_correlation;
pub use student::{student_t_quantile, student_t_two_sided_p};
