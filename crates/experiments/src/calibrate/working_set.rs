//! The write working set: how many distinct pages a window of redo dirties, measured where it can be.
//!
//! On a clean pool every page that is dirty was dirtied since the load began, and as long as nothing is flushed none
//! left: the number of dirty pages is the number of distinct pages in the redo written so far.

use innosim_recordings::{Column, Quantity, Recording};

/// Pages written before the flushing counts as begun.
const NOTHING_FLUSHED: f64 = 50.0;
/// Windows that are reported, bytes of redo.
const WINDOWS: [f64; 7] = [1e6, 2e6, 4e6, 8e6, 16e6, 32e6, 64e6];

/// Distinct pages in a window of redo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkingSet {
    /// Length of the window, bytes of redo.
    pub redo_bytes: f64,
    /// Distinct pages that it dirties.
    pub pages: f64,
}

impl WorkingSet {
    /// What a recording that began clean shows; empty for others.
    pub(super) fn measure(recording: &Recording) -> Vec<WorkingSet> {
        let quantities = [Quantity::MetricsLsn, Quantity::DirtyPages, Quantity::PagesWritten].map(|q| recording.get(q));
        let [Some(lsn), Some(dirty), Some(written)] = quantities else { return Vec::new() };
        if recording.clean_start == Some(false) {
            return Vec::new();
        }
        let Some(start) = recording.sample_at_start() else { return Vec::new() };
        let samples = recording.series.len();
        let since = |column: &Column, i: usize| Some(column.at(i)? - column.at(start)?);
        let flushes = |i: &usize| since(&written, *i).is_some_and(|pages| pages > NOTHING_FLUSHED);
        let end = (start..samples).find(flushes).unwrap_or(samples);
        let at = |window: f64| {
            let i = (start + 1..end).find(|&i| since(&lsn, i).is_some_and(|redo| redo >= window))?;
            let (before, after) = (since(&lsn, i - 1)?, since(&lsn, i)?);
            let (dirty_before, dirty_after) = (since(&dirty, i - 1)?, since(&dirty, i)?);
            let share = (window - before) / (after - before);
            Some(WorkingSet { redo_bytes: window, pages: dirty_before + share * (dirty_after - dirty_before) })
        };
        WINDOWS.iter().filter_map(|window| at(*window)).collect()
    }
}
