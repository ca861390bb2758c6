//! All tests of reports from outside the crate, as one program: linking one is faster than linking many.

mod dashboard;
mod hints;
mod sweep;
mod synthetic;
mod text;
