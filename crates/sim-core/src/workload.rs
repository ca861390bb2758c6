//! Workloads: what transactions do and what makes them start.
//!
//! A workload is a set of page sets, access classes that draw pages from them, kinds of transactions that touch pages
//! through those classes, and a drive: a closed loop of clients, or arrivals at a rate.
//! [`access`] says how pages are drawn, [`homes`] what the classes of a transaction have in common, [`arrivals`] how an
//! open drive arrives.
//!
//! Simplifications: a transaction first does its CPU work in one piece, then touches its pages one after the other,
//! then commits; statements, round trips and row locks are part of its CPU demand.

pub mod access;
pub mod arrivals;
pub mod homes;
mod index_leaves;
mod index_page;
mod index_pages;
mod nurand_pages;
mod page_classes;
mod page_law;
mod points;
pub mod program;
mod rates;
pub mod records;
mod segment_pages;
mod spec;

pub use index_leaves::IndexLeaves;
pub use index_page::{Merge, Removal};
pub use index_pages::IndexPages;
pub use page_classes::{PageClass, Splits};
pub(crate) use rates::RateBands;
pub use rates::{FIRST_BAND_BYTES, RATE_BANDS};
pub use spec::{
    AccessClassSpec, DrawSpec, DriveSpec, HomePages, IndexAge, IndexFill, KeyLaw, LeafDraw, Leaves, PageSetSpec,
    RateSegment, RecentRows, StopSpec, TouchSpec, TransactionSpec, UndoSpec, WorkloadSpec,
};
