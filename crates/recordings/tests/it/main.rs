//! All tests of recordings from outside the crate, as one program: linking one is faster than linking many.

mod formats;
mod lab;
mod mutations;
mod one_axis;
mod pages;
