//! All tests of scenarios from outside the crate, as one program: linking one is faster than linking many.

mod bad_input;
mod fio;
mod good_input;
mod little;
mod mutations;
mod settings_files;
