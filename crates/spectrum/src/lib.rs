//! The write spectrum of a load: how many pages are modified at which rates.
//!
//! All that flushing depends on is how often pages are modified. A [`Spectrum`] says it in a few bins, each of so many
//! pages that are modified at one rate. Rates belong to work done (transactions, rows; the caller's unit), not to time
//! or bytes of redo, so that a load whose redo a transaction changes keeps its spectrum.
//!
//! ```text
//!   ages of pages (page LSNs)       PageAges    --W(w)------+
//!                                                           +--fit--> Fit: spectrum, intervals, how far it reaches
//!   counters over time              Trajectory  --D, F(t)---+
//! ```
//!
//! In the pages of a bin, `n` of them at rate `r`, each is modified by a Poisson process:
//!
//! - `W(w) = sum n (1 - exp(-r w))` distinct pages are modified in `w` of work ([`Spectrum::distinct`]);
//! - `D(w) = sum n r w / (1 + r w)` are dirty while each is flushed `w` after it became dirty ([`Spectrum::dirty`]);
//! - `D(w) / w` are flushed a unit of work then ([`Spectrum::flushed`]).
//!
//! All three are linear in the numbers of pages, so these are found by non-negative least squares ([`nnls`]) over a
//! fixed grid of rates.
//!
//! This crate is pure numbers: it reads no file, knows no server and simulates nothing. Exponentials are `libm`'s, so
//! that a fit gives the same bytes on every machine.

mod ages;
mod agreeing;
mod bin;
mod columns;
mod fit;
pub mod nnls;
mod outgrown;
mod residence;
mod spectrum;
mod trajectory;

pub use ages::{AgesError, PageAges, PageClass};
pub use agreeing::{AgesUsed, fit_agreeing};
pub use bin::Bin;
pub use fit::{Evidence, Fit, FitError, Range, dirty_is_off, fit};
pub use outgrown::{Beyond, Outgrown};
pub use residence::{Pool, Residence};
pub use spectrum::Spectrum;
pub use trajectory::{Order, Sample, Trajectory, oldest_by_order};
