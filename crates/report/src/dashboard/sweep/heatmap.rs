//! Four figures over two settings, as coloured cells with their numbers in them.

use super::plot::{HEADER, header};
use super::{SweepFigures, SweepView};
use crate::dashboard::canvas::{Align, Canvas, Ink, Lettering, Rect};
use crate::dashboard::drawing::Drawing;
use crate::dashboard::fonts::{Weight, truncated, width};
use crate::dashboard::theme::{BLUE, GREEN, MARGIN, MUTED, ORANGE, PAPER, SMALL, TEXT, VERMILION, WIDTH};
use crate::numbers::{count, rate};
use plotters::prelude::DrawingBackend;

/// Room at the left of a map for its rows' texts, px.
const ROW_TEXTS: f64 = 88.0;
/// Between the two columns of maps, px.
const BETWEEN: f64 = 44.0;
/// Above a map: its title and the name of the setting that runs up, px.
const TITLE: f64 = 66.0;
/// Below a map: texts of its columns and the name of the setting, px.
const BELOW: f64 = 62.0;
/// Least and most height of a cell, px.
const CELL: (f64, f64) = (20.0, 46.0);
/// Height of all cells of a map, px, if that gives each enough.
const CELLS: f64 = 330.0;
/// At the foot of the picture, px.
const FOOT: f64 = 44.0;
/// Lightness of a cell below which white numbers are read better than dark ones.
const WHITE_BELOW: f64 = 0.3;

/// The picture.
pub(super) struct HeatMaps<'a>(pub(super) &'a SweepView);

/// One map.
struct Map {
    title: &'static str,
    ink: Ink,
    figure: fn(&SweepFigures) -> f64,
    text: fn(f64) -> String,
    /// The colour scale begins at 0 instead of the smallest value.
    from_zero: bool,
}

const MAPS: [Map; 4] = [
    Map { title: "Throughput, tps", ink: BLUE, figure: |f| f.tps.mean, text: count, from_zero: false },
    Map { title: "Stalled seconds", ink: VERMILION, figure: |f| f.stall_seconds.mean, text: rate, from_zero: true },
    Map {
        title: "Age headroom: % of the limit left at the largest age",
        ink: GREEN,
        figure: |f| (100.0 * (1.0 - f.age_max.mean)).max(0.0),
        text: count,
        from_zero: true,
    },
    Map { title: "Page writes a transaction", ink: ORANGE, figure: |f| f.writes.mean, text: rate, from_zero: false },
];

impl HeatMaps<'_> {
    /// Which axis runs across: the longer one. The other runs up.
    fn across(&self) -> usize {
        usize::from(self.0.axes[1].labels.len() > self.0.axes[0].labels.len())
    }

    fn rows(&self) -> usize {
        self.0.axes[1 - self.across()].labels.len()
    }

    fn cell_height(&self) -> f64 {
        (CELLS / self.rows() as f64).clamp(CELL.0, CELL.1)
    }

    fn map_height(&self) -> f64 {
        TITLE + self.cell_height() * self.rows() as f64 + BELOW
    }
}

impl Drawing for HeatMaps<'_> {
    fn size(&self) -> (u32, u32) {
        (WIDTH as u32, (HEADER + 2.0 * self.map_height() + FOOT) as u32)
    }

    fn title(&self) -> &str {
        &self.0.title
    }

    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) {
        let height = f64::from(self.size().1);
        header(canvas, self.0, height);
        let map_width = (WIDTH - 2.0 * MARGIN - BETWEEN) / 2.0;
        for (i, map) in MAPS.iter().enumerate() {
            let left = MARGIN + (i % 2) as f64 * (map_width + BETWEEN);
            let top = HEADER + (i / 2) as f64 * self.map_height();
            let plot = Rect::new(left + ROW_TEXTS, top + TITLE, left + map_width, top + self.map_height() - BELOW);
            self.draw_map(canvas, map, plot);
        }
        let words = "Framed: highest throughput without waves, stalls and sync flushing, or at all if there is none. Dots: settings \
                     whose throughput can't be told from it.";
        canvas.text(words, (MARGIN, height - 16.0), Lettering::regular(SMALL, MUTED));
    }
}

impl HeatMaps<'_> {
    fn cell(&self, plot: Rect, point: usize) -> Rect {
        let (across, at) = (self.across(), &self.0.points[point].at);
        let (columns, rows) = (self.0.axes[across].labels.len() as f64, self.rows() as f64);
        let (w, h) = ((plot.right - plot.left) / columns, (plot.bottom - plot.top) / rows);
        let left = plot.left + at[across] as f64 * w;
        let bottom = plot.bottom - at[1 - across] as f64 * h;
        Rect::new(left + 1.0, bottom - h + 1.0, left + w - 1.0, bottom - 1.0)
    }

    fn draw_map<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, map: &Map, plot: Rect) {
        let view = self.0;
        canvas.text(map.title, (plot.left - ROW_TEXTS, plot.top - 36.0), Lettering::bold(16.0, TEXT));
        let values: Vec<Option<f64>> = view.points.iter().map(|p| p.figures.as_ref().map(map.figure)).collect();
        let known = || values.iter().copied().flatten();
        let low = if map.from_zero { 0.0 } else { known().fold(f64::MAX, f64::min) };
        let high = known().fold(f64::MIN, f64::max);
        let share = |value: f64| if high > low { (value - low) / (high - low) } else { 0.0 };
        for (point, value) in values.iter().enumerate() {
            let cell = self.cell(plot, point);
            let Some(value) = value else {
                canvas.rectangle(cell, MUTED.tint(0.12));
                continue;
            };
            let share = share(*value);
            let ground = map.ink.tint(0.06 + 0.86 * share);
            canvas.rectangle(cell, ground);
            let ink = if ground.lightness() < WHITE_BELOW { PAPER } else { TEXT };
            draw_number(canvas, &(map.text)(*value), cell, ink);
            if view.plateau.contains(&point) && view.best != Some(point) {
                super::plot::dot(canvas, (cell.right - 6.0, cell.top + 6.0), 2.6, ink);
            }
        }
        if let Some(best) = view.best {
            frame(canvas, self.cell(plot, best));
        }
        self.draw_texts(canvas, plot);
    }

    fn draw_texts<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, plot: Rect) {
        let (x_axis, y_axis) = (&self.0.axes[self.across()], &self.0.axes[1 - self.across()]);
        let columns = x_axis.labels.len() as f64;
        let middle = Lettering::regular(SMALL, MUTED).align(Align::Middle);
        let mut free_from = f64::MIN;
        for (i, label) in x_axis.labels.iter().enumerate() {
            let x = plot.left + (i as f64 + 0.5) * (plot.right - plot.left) / columns;
            let half = width(label, SMALL, Weight::Regular) / 2.0;
            if x - half >= free_from {
                canvas.text(label, (x, plot.bottom + 18.0), middle);
                free_from = x + half + 9.0;
            }
        }
        let name = truncated(&x_axis.name, SMALL, Weight::Bold, plot.right - plot.left);
        let bold = Lettering::bold(SMALL, TEXT);
        let centre = (plot.left + plot.right) / 2.0;
        canvas.text(&name, (centre, plot.bottom + 40.0), bold.align(Align::Middle));
        let rows = y_axis.labels.len() as f64;
        for (i, label) in y_axis.labels.iter().enumerate() {
            let y = plot.bottom - (i as f64 + 0.5) * (plot.bottom - plot.top) / rows;
            let label = truncated(label, SMALL, Weight::Regular, ROW_TEXTS - 14.0);
            canvas.text(&label, (plot.left - 8.0, y + 4.7), Lettering::regular(SMALL, MUTED).align(Align::End));
        }
        let name = truncated(&y_axis.name, SMALL, Weight::Bold, ROW_TEXTS + plot.right - plot.left);
        canvas.text(&name, (plot.left - ROW_TEXTS, plot.top - 12.0), bold);
    }
}

/// The number of a cell, smaller if the cell is narrow, left out if it would not be legible.
fn draw_number<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, text: &str, cell: Rect, ink: Ink) {
    let room = cell.right - cell.left - 4.0;
    let natural = width(text, SMALL, Weight::Regular);
    let size = SMALL * (room / natural.max(1.0)).min(1.0);
    if size >= 7.5 {
        let middle = ((cell.left + cell.right) / 2.0, (cell.top + cell.bottom) / 2.0 + 0.35 * size);
        canvas.text(text, middle, Lettering::regular(size, ink).align(Align::Middle));
    }
}

fn frame<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, cell: Rect) {
    let corners = [
        (cell.left, cell.top),
        (cell.right, cell.top),
        (cell.right, cell.bottom),
        (cell.left, cell.bottom),
        (cell.left, cell.top - 1.5),
    ];
    canvas.line(&corners, TEXT, 3.0);
}
