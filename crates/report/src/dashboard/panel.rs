//! One panel, drawn from a description, and what all panels share: the time axis, sync spans, the end of the warm-up.

use super::axis::{Axis, time_ticks};
use super::canvas::{Align, Canvas, Ink, Lettering, Rect};
use super::fonts::{Weight, truncated, width};
use super::shape;
use super::theme::{GAP, GRID, MUTED, RIGHT, RULE, SMALL, TEXT, TITLE_HEIGHT, VERMILION};
use plotters::prelude::DrawingBackend;

/// Least distance between the base lines of labels, px.
pub(super) const LABEL_GAP: f64 = 17.0;
/// Room for a label, px.
pub(super) const LABEL_ROOM: f64 = RIGHT - 28.0;
/// Least width at which a sync span is drawn, px.
const THINNEST_SPAN: f64 = 1.5;

/// Something drawn in a panel, from bottom to top. Points are (seconds, value).
#[derive(Debug, Clone)]
pub(super) enum Layer {
    /// A line, as wide as said, px.
    Line { points: Vec<(f64, f64)>, ink: Ink, width: f64 },
    /// The area under a series, down to another or to the bottom.
    Area { upper: Vec<(f64, f64)>, lower: Option<Vec<(f64, f64)>>, ink: Ink },
    /// A dashed line at one value.
    Limit { value: f64, ink: Ink },
}

/// A name at the right end of what it names.
#[derive(Debug, Clone)]
pub(super) struct Label {
    /// Where its thing ends, as a value.
    pub(super) value: f64,
    pub(super) text: String,
    pub(super) ink: Ink,
}

/// One panel.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    pub(super) title: &'static str,
    /// Height of the plot, px.
    pub(super) height: f64,
    pub(super) axis: Axis,
    pub(super) layers: Vec<Layer>,
    pub(super) labels: Vec<Label>,
}

/// What all panels share.
#[derive(Debug, Clone)]
pub(super) struct TimeFrame {
    /// End of the time axis.
    pub(super) seconds: f64,
    /// Left edge of the plots, px.
    pub(super) left: f64,
    /// Right edge of the plots, px.
    pub(super) right: f64,
    /// End of the warm-up, seconds; 0 if there was none.
    pub(super) warmup_s: f64,
    /// Spans with sync flushing, seconds.
    pub(super) sync_spans: Vec<(f64, f64)>,
}

impl TimeFrame {
    fn x(&self, second: f64) -> f64 {
        self.left + (second / self.seconds).clamp(0.0, 1.0) * (self.right - self.left)
    }

    fn columns(&self) -> usize {
        (self.right - self.left) as usize
    }

    fn warmup_x(&self) -> Option<f64> {
        (self.warmup_s > 0.0 && self.warmup_s < self.seconds).then(|| self.x(self.warmup_s))
    }

    /// Draws the panels below each other from `top` on, the legend beside the title of the first, the time below the last.
    pub(super) fn draw_panels<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, panels: &[Panel], mut top: f64) {
        for (i, panel) in panels.iter().enumerate() {
            panel.draw(canvas, self, top);
            if i == 0 {
                self.draw_legend(canvas, top);
            }
            top += TITLE_HEIGHT + panel.height + GAP;
        }
        self.draw_axis(canvas, top - GAP);
    }

    /// The one legend entry, in the title row of the panel whose row begins at `top`.
    fn draw_legend<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, top: f64) {
        if self.sync_spans.is_empty() {
            return;
        }
        let text = "sync flushing ran";
        let baseline = top + TITLE_HEIGHT - 12.0;
        let start = self.right - width(text, SMALL, Weight::Regular);
        canvas.text(text, (start, baseline), Lettering::regular(SMALL, MUTED));
        let swatch = Rect::new(start - 30.0, baseline - 10.5, start - 8.0, baseline + 1.5);
        canvas.rectangle(swatch, VERMILION.tint(0.2));
    }

    /// The time axis under the last panel, whose plot ends at `bottom`.
    fn draw_axis<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, bottom: f64) {
        let (ticks, unit) = time_ticks(self.seconds);
        let lettering = Lettering::regular(SMALL, MUTED).align(Align::Middle);
        for (second, text) in &ticks {
            canvas.text(text, (self.x(*second), bottom + 19.0), lettering);
        }
        let last =
            ticks.last().map_or(0.0, |(second, text)| self.x(*second) + width(text, SMALL, Weight::Regular) / 2.0);
        canvas.text(unit, (last.max(self.right) + 9.0, bottom + 19.0), Lettering::regular(SMALL, MUTED));
        if let Some(x) = self.warmup_x() {
            canvas.line(&[(x, bottom), (x, bottom + 5.0)], MUTED, 1.0);
            canvas.text("warm-up ends", (x.max(self.left + 40.0), bottom + 37.0), lettering);
        }
    }
}

impl Panel {
    /// Draws the panel with its title row at `top`.
    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, time: &TimeFrame, top: f64) {
        let plot = Rect::new(time.left, top + TITLE_HEIGHT, time.right, top + TITLE_HEIGHT + self.height);
        self.draw_title(canvas, plot);
        self.draw_background(canvas, time, plot);
        for layer in &self.layers {
            self.draw_layer(canvas, time, plot, layer);
        }
        if let Some(x) = time.warmup_x() {
            canvas.line(&[(crisp(x), plot.top), (crisp(x), plot.bottom)], MUTED.tint(0.5), 1.0);
        }
        canvas.line(&[(plot.left, crisp(plot.bottom)), (plot.right, crisp(plot.bottom))], RULE, 1.0);
        self.draw_labels(canvas, plot);
    }

    fn y(&self, plot: Rect, value: f64) -> f64 {
        plot.bottom - self.axis.share(value) * (plot.bottom - plot.top)
    }

    fn draw_title<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, plot: Rect) {
        let baseline = plot.top - 12.0;
        canvas.text(self.title, (plot.left, baseline), Lettering::bold(16.0, TEXT));
        let unit = Lettering::regular(SMALL, MUTED).align(Align::End);
        canvas.text(self.axis.unit, (plot.left - 10.0, baseline), unit);
    }

    fn draw_background<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, time: &TimeFrame, plot: Rect) {
        for &(from, to) in &time.sync_spans {
            let (left, right) = (time.x(from), time.x(to));
            let right = right.max(left + THINNEST_SPAN).min(plot.right);
            canvas.rectangle(Rect::new(left, plot.top, right, plot.bottom), VERMILION.tint(0.13));
        }
        for (second, _) in time_ticks(time.seconds).0 {
            let x = crisp(time.x(second));
            canvas.line(&[(x, plot.top), (x, plot.bottom)], GRID, 1.0);
        }
        let lettering = Lettering::regular(SMALL, MUTED).align(Align::End);
        for (value, text) in &self.axis.ticks {
            let y = self.y(plot, *value);
            canvas.line(&[(plot.left, crisp(y)), (plot.right, crisp(y))], GRID, 1.0);
            canvas.text(text, (plot.left - 10.0, y + 4.7), lettering);
        }
    }

    fn draw_layer<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, time: &TimeFrame, plot: Rect, layer: &Layer) {
        let place = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            shape::drawn_out(points, time.seconds).iter().map(|&(s, v)| (time.x(s), self.y(plot, v))).collect()
        };
        match layer {
            Layer::Line { points, ink, width } => {
                let few = shape::decimated(points, time.seconds, time.columns());
                canvas.line(&place(&few), *ink, *width);
            }
            Layer::Area { upper, lower, ink } => {
                let few = |points: &[(f64, f64)]| shape::averaged(points, time.seconds, time.columns());
                let mut outline = place(&few(upper));
                match lower {
                    Some(lower) => outline.extend(place(&few(lower)).into_iter().rev()),
                    None => outline.extend([(plot.right, plot.bottom), (plot.left, plot.bottom)]),
                }
                canvas.polygon(&outline, *ink);
            }
            Layer::Limit { value, ink } => canvas.dashes((plot.left, plot.right), self.y(plot, *value), *ink, 1.4),
        }
    }

    /// Labels at the right, moved apart where they would overlap, each tied to its place by a thin line.
    fn draw_labels<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, plot: Rect) {
        let wanted: Vec<f64> = self.labels.iter().map(|l| self.y(plot, l.value)).collect();
        let placed = spread(&wanted, LABEL_GAP, plot.top - 8.0, plot.bottom);
        for ((label, from), to) in self.labels.iter().zip(wanted).zip(placed) {
            let tie = [(plot.right + 3.0, from), (plot.right + 12.0, to), (plot.right + 17.0, to)];
            canvas.line(&tie, label.ink.tint(0.6), 1.0);
            let text = truncated(&label.text, SMALL, Weight::Bold, LABEL_ROOM);
            canvas.text(&text, (plot.right + 21.0, to + 4.7), Lettering::bold(SMALL, label.ink));
        }
    }
}

/// The middle of the pixel at `place`: where a line of 1 px covers one pixel and not two halves.
fn crisp(place: f64) -> f64 {
    place.floor() + 0.5
}

/// Moves places apart to at least `gap`, in their order, as little as a pass down and a pass up need, within
/// `low..high` if that has room for all.
fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut sorted: Vec<f64> = order.iter().map(|&i| wanted[i].clamp(low, high)).collect();
    // Up first, so that a crowd at the bottom edge grows upwards and one in the middle about its last.
    let mut ceiling = high;
    for y in sorted.iter_mut().rev() {
        *y = y.min(ceiling);
        ceiling = *y - gap;
    }
    let mut floor = low;
    for y in &mut sorted {
        *y = y.max(floor);
        floor = *y + gap;
    }
    let mut placed = vec![0.0; wanted.len()];
    for (&i, &y) in order.iter().zip(&sorted) {
        placed[i] = y;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_in_order() {
        let placed = spread(&[50.0, 52.0, 10.0, 99.0, 98.0], 17.0, 0.0, 100.0);
        let mut sorted = placed.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|p| p[1] - p[0] >= 17.0), "{placed:?}");
        assert!(placed[2] < placed[0] && placed[0] < placed[1] && placed[1] < placed[4] && placed[4] < placed[3]);
        assert!(sorted[0] >= 0.0 && sorted[4] <= 100.0);
        assert_eq!(spread(&[30.0], 17.0, 0.0, 100.0), [30.0]);
    }
}
