//! Workloads.

mod spec;

pub use spec::{
    AccessClassSpec, DrawSpec, DriveSpec, PageSetSpec, RateSegment, TouchSpec, TransactionSpec, WorkloadSpec,
};
