//! Insert and visit points: places where rows are inserted, or pages visited, one after the other.
//!
//! Points of different classes that have the same number are used together (the ends of orders, order lines and queue
//! of one district), so they lie side by side, four in half a cache line. No simplification.

use crate::buffer_pool::PageRun;
use crate::kernel::random::Rng;
use prefetch_index::prefetch_index;

/// A place where rows are inserted or visited one after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Point {
    /// Page that takes the rows.
    pub(super) page: u32,
    /// Rows that it has taken.
    pub(super) rows: u32,
}

/// What points are for: those for the same purpose lie side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PointUse {
    /// Inserts.
    Append,
    /// Visits.
    Walk,
}

/// Points of one number.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
struct Row([Point; COLUMNS]);

const COLUMNS: usize = 4;

#[derive(Debug, Clone)]
struct Table {
    purpose: PointUse,
    columns: usize,
    rows: Vec<Row>,
}

/// The points of one class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    table: u32,
    column: u32,
    /// Number of points.
    pub(super) len: u32,
}

/// The points of all classes.
#[derive(Debug, Clone, Default)]
pub(super) struct Points {
    tables: Vec<Table>,
}

impl Points {
    /// Spreads `count` points evenly over the pages of the runs, each with its page filled to a random degree.
    pub(super) fn place(
        &mut self,
        purpose: PointUse,
        runs: &[PageRun],
        count: u32,
        rows_per_page: u32,
        rng: &mut Rng,
    ) -> Column {
        let len = count as usize;
        let fits = |t: &Table| t.purpose == purpose && t.rows.len() == len && t.columns < COLUMNS;
        let table = self.tables.iter().position(fits).unwrap_or_else(|| {
            self.tables.push(Table { purpose, columns: 0, rows: vec![Row::default(); len] });
            self.tables.len() - 1
        });
        let Table { columns, rows, .. } = &mut self.tables[table];
        let column = *columns;
        *columns += 1;
        for (i, row) in rows.iter_mut().enumerate() {
            let (_, own) = own_pages(i, len, runs);
            row.0[column] = Point { page: own.first, rows: rng.below(rows_per_page.max(1)) };
        }
        Column { table: table as u32, column: column as u32, len: count }
    }

    /// Asks the processor for the memory of a point.
    #[inline]
    pub(super) fn prefetch(&self, column: Column, number: u32) {
        prefetch_index(&self.tables[column.table as usize].rows, number as usize);
    }

    /// The pages at the points of a class.
    pub(super) fn pages(&self, column: Column) -> impl Iterator<Item = u32> + use<'_> {
        self.tables[column.table as usize].rows.iter().map(move |row| row.0[column.column as usize].page)
    }

    /// The point of a class with a number.
    #[inline]
    pub(super) fn get(&mut self, column: Column, number: u32) -> &mut Point {
        &mut self.tables[column.table as usize].rows[number as usize].0[column.column as usize]
    }
}

/// Page set of a point, and the pages of it that are the point's own: points are dealt out to the sets in blocks, in
/// order, and spread evenly over the pages of their set. Where pages are fewer than points, some share one.
pub(super) fn own_pages(point: usize, points: usize, runs: &[PageRun]) -> (usize, PageRun) {
    let set = point * runs.len() / points;
    let (first, next) = ((set * points).div_ceil(runs.len()), ((set + 1) * points).div_ceil(runs.len()));
    let run = runs[set];
    let start = |i: usize| (i - first) as u64 * u64::from(run.pages) / (next - first) as u64;
    let (from, to) = (start(point) as u32, start(point + 1) as u32);
    (set, PageRun { first: run.first + from, pages: to.saturating_sub(from).max(1) })
}
