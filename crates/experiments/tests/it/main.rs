//! All tests of experiments from outside the crate, as one program: linking one is faster than linking many.

mod fio;
mod machines;
mod replay;
mod sweep;
mod tiers;
mod validate;
