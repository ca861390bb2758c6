//! Four figures over one setting, a line for each value of the other settings.

use super::notes::{Note, draw_notes};
use super::plot::{HEADER, INKS, PADDING, band_outlines, best_mark, dot, header, places, setting_axis};
use super::{Band, SweepCurve, SweepFigures, SweepView};
use crate::dashboard::axis::Axis;
use crate::dashboard::canvas::{Align, Canvas, Ink, Lettering, Rect};
use crate::dashboard::drawing::Drawing;
use crate::dashboard::fonts::{Weight, truncated, width};
use crate::dashboard::theme::{GRID, LEFT, MARGIN, MUTED, RULE, SMALL, TEXT, VERMILION, WIDTH};
use crate::numbers::{rate, tick};
use plotters::prelude::DrawingBackend;

/// Height of a panel's title row, px.
const TITLE: f64 = 32.0;
/// Between panels, px.
const GAP: f64 = 16.0;
/// Under the last panel, px.
const FOOT: f64 = 92.0;
/// Height of the names above the panels, px: of the first row, and of each other.
const LEGEND: (f64, f64) = (34.0, 22.0);
/// Most room for the name of a line, and for the names of the settings before them, px.
const NAMES: (f64, f64) = (560.0, 420.0);
/// From one bar of a plateau to the next, px.
const BAR: f64 = 7.0;
/// Room at the right of the plots, px.
const RIGHT: f64 = 60.0;

/// The picture.
pub(super) struct Curves<'a>(pub(super) &'a SweepView);

/// A panel: title, height and what it shows. A second figure is drawn thinner.
struct Panel {
    title: &'static str,
    height: f64,
    unit: &'static str,
    figure: fn(&SweepFigures) -> Band,
    thin: Option<fn(&SweepFigures) -> Band>,
    /// Factor from figure to what the axis counts.
    scale: f64,
    /// A dashed line.
    limit: Option<f64>,
    /// Bars at the bottom mark the plateau.
    bars: bool,
}

const PANELS: [Panel; 4] = [
    Panel {
        title: "Throughput",
        height: 300.0,
        unit: "tps",
        figure: |f| f.tps,
        thin: None,
        scale: 1.0,
        limit: None,
        bars: true,
    },
    Panel {
        title: "Stalled seconds (under half the median)",
        height: 120.0,
        unit: "s",
        figure: |f| f.stall_seconds,
        thin: None,
        scale: 1.0,
        limit: None,
        bars: false,
    },
    Panel {
        title: "Checkpoint age of its limit: mean, and the largest (thin)",
        height: 190.0,
        unit: "%",
        figure: |f| f.age_mean,
        thin: Some(|f| f.age_max),
        scale: 100.0,
        limit: Some(100.0),
        bars: false,
    },
    Panel {
        title: "Page writes a transaction",
        height: 170.0,
        unit: "pages",
        figure: |f| f.writes,
        thin: None,
        scale: 1.0,
        limit: None,
        bars: false,
    },
];

impl Drawing for Curves<'_> {
    fn size(&self) -> (u32, u32) {
        let panels: f64 = PANELS.iter().map(|p| TITLE + p.height + GAP).sum();
        (WIDTH as u32, (HEADER + Legend::of(self.0).height() + panels + FOOT) as u32)
    }

    fn title(&self) -> &str {
        &self.0.title
    }

    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) {
        let view = self.0;
        header(canvas, view, f64::from(self.size().1));
        let legend = Legend::of(view);
        legend.draw(canvas);
        let places = places(&view.axes[view.along]);
        let mut top = HEADER + legend.height();
        for panel in &PANELS {
            let plot = Rect::new(LEFT, top + TITLE, WIDTH - RIGHT, top + TITLE + panel.height);
            panel.draw(canvas, view, &places, plot);
            top += TITLE + panel.height + GAP;
        }
        let last = Rect::new(LEFT, 0.0, WIDTH - RIGHT, top - GAP);
        setting_axis(canvas, &view.axes[view.along], &places, last);
        let words = "Ringed: highest throughput of its line without waves, stalls and sync flushing, or at all if there is none. \
                     Bars: settings that can't be told from it. Pale bands: 95 % intervals.";
        canvas.text(words, (MARGIN, f64::from(self.size().1) - 16.0), Lettering::regular(SMALL, MUTED));
    }
}

/// Names of the lines, with what is best on each, in as many rows as they take.
struct Legend {
    /// The settings that the names are values of.
    settings: String,
    names: Vec<Name>,
}

/// One name, its colour, its row and where it begins, px.
struct Name {
    text: String,
    ink: Ink,
    row: usize,
    x: f64,
}

impl Legend {
    fn of(view: &SweepView) -> Legend {
        let others = view.axes.iter().enumerate().filter(|(i, _)| *i != view.along);
        let others: Vec<&str> = others.map(|(_, axis)| axis.name.as_str()).collect();
        let mut settings = String::new();
        let mut begin = MARGIN;
        if !others.is_empty() {
            settings = truncated(&format!("{}:", others.join(" \u{b7} ")), SMALL, Weight::Regular, NAMES.1);
            begin += width(&settings, SMALL, Weight::Regular) + 20.0;
        }
        let (mut row, mut x) = (0, begin);
        let mut names = Vec::new();
        for (curve, ink) in view.curves.iter().zip(INKS) {
            let text = truncated(&name_of(view, curve), SMALL, Weight::Bold, NAMES.0);
            let end = x + 34.0 + width(&text, SMALL, Weight::Bold);
            if end > WIDTH - MARGIN && x > begin {
                (row, x) = (row + 1, begin);
            }
            let next = x + 68.0 + width(&text, SMALL, Weight::Bold);
            names.push(Name { text, ink, row, x });
            x = next;
        }
        Legend { settings, names }
    }

    fn height(&self) -> f64 {
        LEGEND.0 + LEGEND.1 * self.names.last().map_or(0.0, |name| name.row as f64)
    }

    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) {
        canvas.text(&self.settings, (MARGIN, HEADER + 12.0), Lettering::regular(SMALL, MUTED));
        for name in &self.names {
            let baseline = HEADER + 12.0 + LEGEND.1 * name.row as f64;
            canvas.line(&[(name.x, baseline - 4.5), (name.x + 26.0, baseline - 4.5)], name.ink, 3.0);
            canvas.text(&name.text, (name.x + 34.0, baseline), Lettering::bold(SMALL, name.ink));
        }
    }
}

/// A line's values, and its best point.
fn name_of(view: &SweepView, curve: &SweepCurve) -> String {
    let Some(best) = curve.best else { return curve.label.clone() };
    let label = &view.axes[view.along].labels[view.points[best].at[view.along]];
    let tps = view.points[best].figures.as_ref().map_or(0.0, |f| f.tps.mean);
    let before = if curve.label.is_empty() { String::new() } else { format!("{}: ", curve.label) };
    format!("{before}best at {label}, {} tps", rate(tps))
}

impl Panel {
    /// A figure of all points of a curve, scaled, with the places of the points.
    fn line(
        &self,
        view: &SweepView,
        curve: &SweepCurve,
        places: &[f64],
        plot: Rect,
        figure: fn(&SweepFigures) -> Band,
    ) -> Vec<(f64, Band)> {
        let x = |point: usize| plot.left + places[view.points[point].at[view.along]] * (plot.right - plot.left);
        let scaled = |b: Band| Band { mean: b.mean * self.scale, half_width: b.half_width.map(|h| h * self.scale) };
        curve.points.iter().filter_map(|&p| Some((x(p), scaled(figure(view.points[p].figures.as_ref()?))))).collect()
    }

    fn axis(&self, view: &SweepView) -> Axis {
        let figures = || view.points.iter().filter_map(|p| p.figures.as_ref());
        let ends = |b: Band| [b.mean - b.half_width.unwrap_or(0.0), b.mean + b.half_width.unwrap_or(0.0)];
        let mut values: Vec<f64> = figures().flat_map(|f| ends((self.figure)(f))).collect();
        values.extend(self.thin.iter().flat_map(|thin| figures().map(|f| thin(f).mean)));
        values.iter_mut().for_each(|v| *v *= self.scale);
        values.extend(self.limit);
        if self.bars && view.curves.len() > 1 {
            values.extend(self.below_bars(&values, view.curves.len()));
        }
        Axis::about(&values, (self.height / 55.0) as usize, self.unit)
    }

    /// A value so far below the others that the bars of so many curves don't hide the lowest line.
    fn below_bars(&self, values: &[f64], curves: usize) -> Option<f64> {
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        let share = BAR * (curves + 1) as f64 / self.height;
        Some((low - (high - low) * share / (1.0 - share)).max(0.0))
    }

    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>, view: &SweepView, places: &[f64], plot: Rect) {
        let axis = self.axis(view);
        let y = |value: f64| plot.bottom - axis.share(value) * (plot.bottom - plot.top);
        self.draw_background(canvas, &axis, plot, y);
        for place in places {
            let x = plot.left + place * (plot.right - plot.left);
            canvas.line(&[(x, plot.top), (x, plot.bottom)], GRID.tint(0.55), 1.0);
        }
        if let Some(limit) = self.limit {
            canvas.dashes((plot.left, plot.right), y(limit), VERMILION, 1.4);
        }
        let mut lines: Vec<Vec<(f64, f64)>> = Vec::new();
        for (i, (curve, ink)) in view.curves.iter().zip(INKS).enumerate() {
            let line = self.line(view, curve, places, plot, self.figure);
            band_outlines(&line, y).iter().for_each(|outline| canvas.polygon(outline, ink.alpha(0.16)));
            let drawn = |line: &[(f64, Band)]| line.iter().map(|(x, b)| (*x, y(b.mean))).collect::<Vec<_>>();
            if let Some(thin) = self.thin {
                let thin = drawn(&self.line(view, curve, places, plot, thin));
                canvas.line(&thin, ink.tint(0.75), 1.2);
                lines.push(thin);
            }
            let drawn = drawn(&line);
            canvas.line(&drawn, ink, 2.4);
            drawn.iter().for_each(|at| dot(canvas, *at, 3.4, ink));
            lines.push(drawn);
            if self.bars {
                draw_bars(canvas, view, curve, (places, plot, ink), i);
            }
        }
        let notes: Vec<Note> =
            view.curves.iter().zip(INKS).filter_map(|(c, ink)| self.note(view, c, places, plot, ink, &y)).collect();
        // Over all lines, so that none hides a mark.
        notes.iter().for_each(|note| best_mark(canvas, note.at, note.ink));
        draw_notes(canvas, &notes, &lines, plot);
        canvas.line(&[(plot.left, plot.bottom), (plot.right, plot.bottom)], RULE, 1.0);
    }

    fn draw_background<B: DrawingBackend>(
        &self,
        canvas: &mut Canvas<'_, B>,
        axis: &Axis,
        plot: Rect,
        y: impl Fn(f64) -> f64,
    ) {
        canvas.text(self.title, (plot.left, plot.top - 13.0), Lettering::bold(16.0, TEXT));
        let end = Lettering::regular(SMALL, MUTED).align(Align::End);
        canvas.text(axis.unit, (plot.left - 10.0, plot.top - 13.0), end);
        for (value, text) in &axis.ticks {
            canvas.line(&[(plot.left, y(*value)), (plot.right, y(*value))], GRID, 1.0);
            canvas.text(text, (plot.left - 10.0, y(*value) + 4.7), end);
        }
    }

    /// Place and figure of a curve's best point.
    fn note(
        &self,
        view: &SweepView,
        curve: &SweepCurve,
        places: &[f64],
        plot: Rect,
        ink: Ink,
        y: &impl Fn(f64) -> f64,
    ) -> Option<Note> {
        let best = curve.best?;
        let value = (self.figure)(view.points[best].figures.as_ref()?).mean * self.scale;
        let x = plot.left + places[view.points[best].at[view.along]] * (plot.right - plot.left);
        let text = if value.abs() < 10.0 { rate(value) } else { tick(value.round()) };
        Some(Note { at: (x, y(value)), text, ink })
    }
}

/// Bars at the bottom of `plot` under a curve's plateau, those of the curves above each other.
fn draw_bars<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    view: &SweepView,
    curve: &SweepCurve,
    (places, plot, ink): (&[f64], Rect, Ink),
    number: usize,
) {
    let x = |share: f64| plot.left + share * (plot.right - plot.left);
    // No wider than what is left at the ends.
    let half = 0.35 * places.windows(2).map(|pair| pair[1] - pair[0]).fold(PADDING / 0.35, f64::min);
    let bottom = plot.bottom - 3.0 - BAR * number as f64;
    for &point in &curve.plateau {
        let place = places[view.points[point].at[view.along]];
        canvas.rectangle(Rect::new(x(place - half), bottom - 4.0, x(place + half), bottom), ink.tint(0.6));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_of_many_curves_lie_below_the_lowest_line() {
        let panel = &PANELS[0];
        for (low, high) in [(6_645.0, 12_933.0), (900.0, 1_000.0), (46_000.0, 46_100.0), (500.0, 1_001.0)] {
            for curves in 2..=6 {
                let mut values = vec![low, high];
                values.extend(panel.below_bars(&values, curves));
                let above = Axis::about(&values, 5, "tps").share(low) * panel.height;
                assert!(above > BAR * curves as f64, "{curves} curves, {low} to {high}: {above}");
            }
        }
    }
}
