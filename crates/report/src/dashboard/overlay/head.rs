//! Legend and table in one: a row a run. Names that don't fit beside the figures take lines of their own.

use super::{INKS, Overlay};
use crate::dashboard::canvas::{Align, Canvas, Lettering, Rect};
use crate::dashboard::fonts::{Weight, width, wrapped};
use crate::dashboard::panel::LABEL_ROOM;
use crate::dashboard::theme::{GRID, MARGIN, MUTED, SMALL, TEXT, WIDTH};
use plotters::prelude::DrawingBackend;

/// Base line of the table's heads, px.
const TOP: f64 = 114.0;
/// Height of a row of the table, px, and of each line that a long name adds to it.
const ROW: (f64, f64) = (24.0, 20.0);
/// Between two columns of the table, px.
const COLUMN_GAP: f64 = 26.0;
/// Length of the colour before a name, px.
const SWATCH: f64 = 26.0;
/// Where names begin, px.
const START: f64 = MARGIN + SWATCH + 10.0;
/// Letters of names and figures, and of what sets a run apart, px.
const SIZES: (f64, f64) = (15.0, 14.0);
/// Room for the wider letters of another font: a page shows the picture in the browser's own.
const WIDER: f64 = 1.1;
/// Most lines of a name, and of what sets its run apart.
const MOST_LINES: (usize, usize) = (3, 2);

/// Where everything in the table goes.
pub(super) struct Head {
    /// Right edge of each column of figures, px.
    columns: Vec<f64>,
    /// Where what sets the runs apart begins, px, if it stands beside the names and not below them.
    beside: Option<f64>,
    rows: Vec<Row>,
}

/// A run.
struct Row {
    /// Base line of the first line, px.
    y: f64,
    name: Vec<String>,
    about: Vec<String>,
}

/// The names of the runs, numbered if a line's end has no room for one: names that are cut may be alike.
pub(super) fn names(overlay: &Overlay<'_>) -> Vec<String> {
    let labels = || overlay.drawn().iter().map(|run| run.label.as_str());
    let fit = labels().all(|label| width(label, SMALL, Weight::Bold) <= LABEL_ROOM);
    labels().enumerate().map(|(i, label)| if fit { label.to_owned() } else { format!("{}: {label}", i + 1) }).collect()
}

impl Head {
    pub(super) fn of(overlay: &Overlay<'_>) -> Head {
        let mut right = WIDTH - MARGIN;
        let mut columns = vec![right; overlay.heads.len()];
        for (i, head) in overlay.heads.iter().enumerate().rev() {
            columns[i] = right;
            let figures = overlay.drawn().iter().filter_map(|run| run.figures.get(i));
            let widest = figures.map(|text| width(text, SIZES.0, Weight::Bold)).fold(0.0, f64::max);
            right -= WIDER * widest.max(width(head, SMALL, Weight::Regular)) + COLUMN_GAP;
        }
        let names = names(overlay);
        let widest = names.iter().map(|name| width(name, SIZES.0, Weight::Bold)).fold(0.0, f64::max);
        let beside = Some(START + widest * WIDER + 14.0).filter(|_| widest <= (right - MARGIN) / 2.0);
        let about_room = right - beside.unwrap_or(START);
        let mut y = TOP + ROW.0;
        let mut rows = Vec::new();
        for (run, name) in overlay.drawn().iter().zip(&names) {
            let name = wrapped(name, SIZES.0, Weight::Bold, right - START, MOST_LINES.0);
            let most = if beside.is_some() { 1 } else { MOST_LINES.1 };
            let about = wrapped(&run.about, SIZES.1, Weight::Regular, about_room, most);
            let lines = if beside.is_some() { 1 } else { name.len() + about.len() };
            rows.push(Row { y, name, about });
            y += ROW.0 + ROW.1 * lines.saturating_sub(1) as f64;
        }
        Head { columns, beside, rows }
    }

    /// Base line of the remark below, px.
    fn end(&self) -> f64 {
        let after = |row: &Row| {
            let lines = if self.beside.is_some() { 1 } else { row.name.len() + row.about.len() };
            row.y + ROW.0 + ROW.1 * lines.saturating_sub(1) as f64
        };
        self.rows.last().map_or(TOP + ROW.0, after)
    }

    /// Where the first panel begins, px.
    pub(super) fn height(&self) -> f64 {
        self.end() + 20.0
    }

    pub(super) fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, overlay: &Overlay<'_>) {
        for (i, (head, right)) in overlay.heads.iter().zip(&self.columns).enumerate() {
            let align = |lettering: Lettering| lettering.align(Align::End);
            canvas.text(head, (*right, TOP), align(Lettering::regular(SMALL, MUTED)));
            for (run, row) in overlay.drawn().iter().zip(&self.rows) {
                if let Some(text) = run.figures.get(i) {
                    canvas.text(text, (*right, row.y), align(Lettering::bold(SIZES.0, TEXT)));
                }
            }
        }
        for (row, ink) in self.rows.iter().zip(INKS) {
            canvas.line(&[(MARGIN, row.y - 5.0), (MARGIN + SWATCH, row.y - 5.0)], ink, 4.0);
            let y = |line: usize| row.y + ROW.1 * line as f64;
            for (i, line) in row.name.iter().enumerate() {
                canvas.text(line, (START, y(i)), Lettering::bold(SIZES.0, ink));
            }
            let (x, first) = self.beside.map_or((START, row.name.len()), |x| (x, 0));
            for (i, line) in row.about.iter().enumerate() {
                canvas.text(line, (x, y(first + i)), Lettering::regular(SIZES.1, MUTED));
            }
        }
        let below = self.end();
        canvas.rectangle(Rect::new(MARGIN, below - 15.0, WIDTH - MARGIN, below - 14.0), GRID);
        let remark = wrapped(&overlay.remark, SMALL, Weight::Regular, WIDTH - 2.0 * MARGIN, 1);
        remark.iter().for_each(|line| canvas.text(line, (MARGIN, below + 5.0), Lettering::regular(SMALL, MUTED)));
    }
}
