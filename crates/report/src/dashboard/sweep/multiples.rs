//! Small multiples: throughput and checkpoint age over time, a small panel a point, all on the same scales.

use super::plot::{HEADER, header};
use super::{SweepFigures, SweepView};
use crate::dashboard::axis::{Axis, time_ticks};
use crate::dashboard::canvas::{Align, Canvas, Lettering, Rect};
use crate::dashboard::drawing::Drawing;
use crate::dashboard::fonts::{Weight, truncated, width};
use crate::dashboard::theme::{BLUE, GRID, MARGIN, MUTED, RULE, SLATE, TEXT, VERMILION, WIDTH, regime_ink};
use plotters::prelude::DrawingBackend;

/// Most panels; of more points an even choice is shown.
const MOST: usize = 48;
/// Least width of a panel, px.
const LEAST_WIDTH: f64 = 240.0;
/// Left of each row, for ticks, px.
const TICKS: f64 = 52.0;
/// Between panels, px.
const GAP: f64 = 16.0;
/// Title row of a panel, px.
const TITLE: f64 = 26.0;
/// Heights of throughput and age, px.
const HEIGHTS: (f64, f64) = (78.0, 46.0);
/// Under a row of panels, px.
const BELOW: f64 = 34.0;
/// At the foot of the picture, px.
const FOOT: f64 = 40.0;
/// Size of the letters, px.
const LETTERS: f64 = 12.0;

/// The picture.
pub(super) struct Multiples<'a> {
    view: &'a SweepView,
    /// Points to show.
    shown: Vec<usize>,
    /// Of so many points.
    of: usize,
    columns: usize,
}

impl<'a> Multiples<'a> {
    /// Of `view`: line by line along its axis.
    pub(super) fn of(view: &'a SweepView) -> Multiples<'a> {
        let all: Vec<usize> = view.curves.iter().flat_map(|curve| curve.points.iter().copied()).collect();
        let with_runs: Vec<usize> = all.into_iter().filter(|&p| view.points[p].figures.is_some()).collect();
        let of = with_runs.len();
        let shown: Vec<usize> =
            if of <= MOST { with_runs } else { (0..MOST).map(|i| with_runs[i * (of - 1) / (MOST - 1)]).collect() };
        Multiples { columns: columns(view, shown.len()), view, shown, of }
    }

    fn rows(&self) -> usize {
        self.shown.len().div_ceil(self.columns).max(1)
    }

    fn row_height() -> f64 {
        TITLE + HEIGHTS.0 + 6.0 + HEIGHTS.1 + BELOW
    }

    fn figures(&self) -> impl Iterator<Item = &SweepFigures> {
        self.shown.iter().filter_map(|&p| self.view.points[p].figures.as_ref())
    }
}

/// How many panels stand in a row. The same value of a setting stands below itself, if that leaves panels wide enough.
fn columns(view: &SweepView, panels: usize) -> usize {
    let most = ((WIDTH - 2.0 * MARGIN - TICKS + GAP) / (LEAST_WIDTH + GAP)) as usize;
    let along = view.axes.get(view.along).map_or(1, |axis| axis.labels.len());
    let even = (3..=most).rev().find(|columns| columns.is_multiple_of(along) || along.is_multiple_of(*columns));
    match even {
        Some(columns) if panels > most && panels == view.points.len() => columns,
        _ => panels.clamp(1, most),
    }
}

/// The scales that all panels share.
struct Scales {
    tps: Axis,
    age: Axis,
    seconds: f64,
}

impl Drawing for Multiples<'_> {
    fn size(&self) -> (u32, u32) {
        (WIDTH as u32, (HEADER + self.rows() as f64 * Multiples::row_height() + FOOT) as u32)
    }

    fn title(&self) -> &str {
        &self.view.title
    }

    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) {
        let height = f64::from(self.size().1);
        header(canvas, self.view, height);
        let largest = |values: &dyn Fn(&SweepFigures) -> &Vec<f64>| {
            self.figures().flat_map(|f| values(f).iter().copied()).fold(0.0, f64::max)
        };
        let scales = Scales {
            tps: Axis::linear(largest(&|f| &f.course.tps), 2, "tps"),
            age: Axis::share_of(largest(&|f| &f.course.age).max(1.0) * 1.05, &[0.0, 0.5, 1.0], ""),
            seconds: self.figures().map(|f| f.course.seconds).fold(1.0, f64::max),
        };
        let cell = (WIDTH - 2.0 * MARGIN - TICKS + GAP) / self.columns as f64;
        for (i, &point) in self.shown.iter().enumerate() {
            let left = MARGIN + TICKS + (i % self.columns) as f64 * cell;
            let top = HEADER + (i / self.columns) as f64 * Multiples::row_height() + TITLE;
            let plot = Rect::new(left, top, left + cell - GAP, top + HEIGHTS.0);
            self.draw_panel(canvas, &scales, point, plot, i % self.columns == 0);
        }
        let names: Vec<&str> = self.view.axes.iter().map(|axis| axis.name.as_str()).collect();
        let warmup = self.figures().any(|f| f.course.warmup_s > 0.0);
        let some = if self.shown.len() < self.of {
            format!("{} of {} points. ", self.shown.len(), self.of)
        } else {
            String::new()
        };
        let words = format!(
            "{some}Each panel: {}. Above: transactions a second; below: checkpoint age as a share of its limit (dashed). First \
             run of each point{}.",
            names.join(" \u{b7} "),
            if warmup { "; the vertical line ends the warm-up" } else { "" }
        );
        let words = truncated(&words, LETTERS, Weight::Regular, WIDTH - 2.0 * MARGIN);
        canvas.text(&words, (MARGIN, height - 16.0), Lettering::regular(LETTERS, MUTED));
    }
}

impl Multiples<'_> {
    fn draw_panel<B: DrawingBackend>(
        &self,
        canvas: &mut Canvas<'_, B>,
        scales: &Scales,
        point: usize,
        upper: Rect,
        first: bool,
    ) {
        let Some(figures) = self.view.points[point].figures.as_ref() else { return };
        let regime = figures.regime.name();
        let end = Lettering::regular(LETTERS, regime_ink(figures.regime)).align(Align::End);
        canvas.text(regime, (upper.right, upper.top - 9.0), end);
        let room = upper.right - upper.left - width(regime, LETTERS, Weight::Regular) - 30.0;
        let mark = if self.view.curves.iter().any(|c| c.best == Some(point)) { " \u{2022} best" } else { "" };
        let title = truncated(&format!("{}{mark}", self.view.label(point)), 14.0, Weight::Bold, room);
        canvas.text(&title, (upper.left, upper.top - 9.0), Lettering::bold(14.0, TEXT));
        let lower = Rect::new(upper.left, upper.bottom + 6.0, upper.right, upper.bottom + 6.0 + HEIGHTS.1);
        let x = |second: f64| upper.left + second / scales.seconds * (upper.right - upper.left);
        let (ticks, _) = time_ticks(scales.seconds);
        for plot in [upper, lower] {
            for (second, _) in ticks.iter().step_by(2) {
                canvas.line(&[(x(*second), plot.top), (x(*second), plot.bottom)], GRID, 1.0);
            }
        }
        draw_scale(canvas, &scales.tps, upper, first);
        draw_scale(canvas, &scales.age, lower, first);
        let course = &figures.course;
        let points = |values: &[f64], axis: &Axis, plot: Rect| -> Vec<(f64, f64)> {
            let y = |value: f64| plot.bottom - axis.share(value) * (plot.bottom - plot.top);
            let middle = |i: usize| ((i as f64 + 0.5) * course.step_s).min(course.seconds);
            values.iter().enumerate().map(|(i, value)| (x(middle(i)), y(*value))).collect()
        };
        canvas.line(&points(&course.tps, &scales.tps, upper), BLUE, 1.5);
        let limit = lower.bottom - scales.age.share(1.0) * (lower.bottom - lower.top);
        canvas.dashes((lower.left, lower.right), limit, VERMILION, 1.0);
        canvas.line(&points(&course.age, &scales.age, lower), SLATE, 1.5);
        if course.warmup_s > 0.0 && course.warmup_s < scales.seconds {
            let x = x(course.warmup_s);
            canvas.line(&[(x, upper.top), (x, lower.bottom)], MUTED.tint(0.5), 1.0);
        }
        canvas.line(&[(lower.left, lower.bottom), (lower.right, lower.bottom)], RULE, 1.0);
        let small = Lettering::regular(LETTERS, MUTED);
        canvas.text("0", (lower.left, lower.bottom + 15.0), small);
        if let Some((second, text)) = ticks.last() {
            let text = format!("{text} s");
            canvas.text(&text, (x(*second).min(lower.right), lower.bottom + 15.0), small.align(Align::End));
        }
    }
}

fn draw_scale<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, axis: &Axis, plot: Rect, with_texts: bool) {
    for (value, text) in &axis.ticks {
        let y = plot.bottom - axis.share(*value) * (plot.bottom - plot.top);
        canvas.line(&[(plot.left, y), (plot.right, y)], GRID, 1.0);
        if with_texts {
            canvas.text(text, (plot.left - 7.0, y + 4.2), Lettering::regular(LETTERS, MUTED).align(Align::End));
        }
    }
}
