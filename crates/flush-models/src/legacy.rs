//! MySQL 5.5, 5.6 and 5.7: what their specifications state alike.
//!
//! Only formulas that `innodb-5.5`, `innodb-5.6` and `innodb-5.7` give in the same words, with the differences that are
//! a matter of one number as a parameter. What a version does its own way is in the module named after it.
//!
//! | module | formulas | spec sections |
//! |---|---|---|
//! | [`io`] | `PCT_IO`, dirty percent (5.5, 5.6: whole; 5.7: real), pages by instance, loop sleep, start-up of `io_capacity_max` (5.6, 5.7) | 3.1, 3.3, 5.1, 8 |
//! | [`redo_geometry`] | `log_calc_max_ages`: capacity and the four age limits | 1 |
//! | [`log_margin`] | the flag of `log_close`, one pass of `log_checkpoint_margin` | 2.1, 2.3 |
//! | [`neighbors`] | read-ahead area, flush area | 5.3 |
//! | [`doublewrite`] | sizes of the doublewrite buffer (128 pages in 5.5, 120 in 5.6 and 5.7) | 6 |
//! | [`instance`] | page to buffer pool instance | 0 |
//! | [`check_flag`] | the flag as a state of the model (5.6, 5.7) | 2.1, 2.2 |
//! | [`master_thread`] | checkpoints by the master thread (5.6, 5.7) | 3.2 |
//! | [`adaptive`] | `af_get_pct_for_lsn` and the settings of adaptive flushing (5.6, 5.7) | 3.4, 3.5 |
//!
//! Each is checked against the vectors of every version that it serves.

pub mod adaptive;
pub mod check_flag;
pub mod doublewrite;
pub mod instance;
pub mod io;
pub mod log_margin;
pub(crate) mod margin_steps;
pub mod master_thread;
pub mod neighbors;
pub mod redo_geometry;
