//! All tests of rules from outside the crate, as one program: linking one is faster than linking many.

mod native;
#[cfg(feature = "scripts")]
mod scripts;
