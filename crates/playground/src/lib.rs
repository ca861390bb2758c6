//! The simulator behind the page that teaches.
//!
//! `page/` holds the page: its frame, its looks, what it draws, and `lessons.json`. This library is its engine: the same
//! simulator as the program's, stepped second by second, so that a run in the page has the hash that `innosim run` prints
//! for the same scenario and seed. It knows nothing of a screen.
//!
//! ```text
//!   page  --wish (JSON)-->  Wish -> scenario -> Stepping  --frames (numbers)-->  page
//! ```
//!
//! [`web`] is what a browser calls; everything else is plain Rust and is tested on this machine.

mod catalogue;
mod frame;
mod run;
pub mod web;
mod wish;

pub use catalogue::catalogue;
pub use frame::{AGES, FIELDS, RATES};
pub use run::{Finished, Run};
pub use wish::{Controls, Wish};
