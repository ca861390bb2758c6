//! Four figures over one setting, a line for each value of the other settings.

use super::plot::{HEADER, INKS, band_outlines, best_mark, dot, header, places, setting_axis};
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
/// Height of the row of names above the panels, px.
const LEGEND: f64 = 34.0;
/// Room at the right of the plots, px.
const RIGHT: f64 = 60.0;
/// Width and height that the figure of a best point takes, px.
const LABEL: (f64, f64) = (60.0, 13.0);

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
        (WIDTH as u32, (HEADER + LEGEND + panels + FOOT) as u32)
    }

    fn title(&self) -> &str {
        &self.0.title
    }

    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) {
        let view = self.0;
        header(canvas, view, f64::from(self.size().1));
        legend(canvas, view);
        let places = places(&view.axes[view.along]);
        let mut top = HEADER + LEGEND;
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

/// Names of the lines, with what is best on each.
fn legend<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, view: &SweepView) {
    let others: Vec<&str> =
        view.axes.iter().enumerate().filter(|(i, _)| *i != view.along).map(|(_, axis)| axis.name.as_str()).collect();
    let mut x = MARGIN;
    let baseline = HEADER + 12.0;
    if !others.is_empty() {
        let name = format!("{}:", others.join(" \u{b7} "));
        let name = truncated(&name, SMALL, Weight::Regular, 420.0);
        canvas.text(&name, (x, baseline), Lettering::regular(SMALL, MUTED));
        x += width(&name, SMALL, Weight::Regular) + 20.0;
    }
    for (curve, ink) in view.curves.iter().zip(INKS) {
        canvas.line(&[(x, baseline - 4.5), (x + 26.0, baseline - 4.5)], ink, 3.0);
        let text = format!("{}{}", curve.label, best_in_words(view, curve));
        canvas.text(&text, (x + 34.0, baseline), Lettering::bold(SMALL, ink));
        x += 34.0 + width(&text, SMALL, Weight::Bold) + 34.0;
    }
}

fn best_in_words(view: &SweepView, curve: &SweepCurve) -> String {
    let Some(best) = curve.best else { return String::new() };
    let label = &view.axes[view.along].labels[view.points[best].at[view.along]];
    let tps = view.points[best].figures.as_ref().map_or(0.0, |f| f.tps.mean);
    let before = if curve.label.is_empty() { "" } else { ", " };
    format!("{before}best at {label}: {} tps", rate(tps))
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
        Axis::about(&values, (self.height / 55.0) as usize, self.unit)
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
        let mut labels: Vec<(f64, f64)> = Vec::new();
        for (i, (curve, ink)) in view.curves.iter().zip(INKS).enumerate() {
            let line = self.line(view, curve, places, plot, self.figure);
            band_outlines(&line, y).iter().for_each(|outline| canvas.polygon(outline, ink.alpha(0.16)));
            if let Some(thin) = self.thin {
                let thin = self.line(view, curve, places, plot, thin);
                canvas.line(&thin.iter().map(|(x, b)| (*x, y(b.mean))).collect::<Vec<_>>(), ink.tint(0.75), 1.2);
            }
            let drawn: Vec<(f64, f64)> = line.iter().map(|(x, b)| (*x, y(b.mean))).collect();
            canvas.line(&drawn, ink, 2.4);
            drawn.iter().for_each(|at| dot(canvas, *at, 3.4, ink));
            self.mark_best(canvas, view, curve, (places, plot, ink), (i, &y), &mut labels);
        }
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

    /// Ring around the best point; bars at the bottom under its plateau.
    fn mark_best<B: DrawingBackend>(
        &self,
        canvas: &mut Canvas<'_, B>,
        view: &SweepView,
        curve: &SweepCurve,
        (places, plot, ink): (&[f64], Rect, Ink),
        (number, y): (usize, &impl Fn(f64) -> f64),
        labels: &mut Vec<(f64, f64)>,
    ) {
        let place = |point: usize| places[view.points[point].at[view.along]];
        let x = |share: f64| plot.left + share * (plot.right - plot.left);
        let half = 0.35 * places.windows(2).map(|pair| pair[1] - pair[0]).fold(0.1, f64::min);
        let bottom = plot.bottom - 3.0 - 7.0 * number as f64;
        for &point in curve.plateau.iter().filter(|_| self.bars) {
            let (left, right) = (x(place(point) - half).max(plot.left), x(place(point) + half).min(plot.right));
            canvas.rectangle(Rect::new(left, bottom - 4.0, right, bottom), ink.tint(0.6));
        }
        let Some((best, figures)) = curve.best.and_then(|b| Some((b, view.points[b].figures.as_ref()?))) else {
            return;
        };
        let value = (self.figure)(figures).mean * self.scale;
        let at = (x(place(best)), y(value));
        best_mark(canvas, at, ink);
        // One that would be written over another's is left out; the legend has the throughput.
        let near = |(x, y): &(f64, f64)| (x - at.0).abs() < LABEL.0 && (y - at.1).abs() < LABEL.1;
        if !labels.iter().any(near) {
            let text = if value.abs() < 10.0 { rate(value) } else { tick(value.round()) };
            canvas.text(&text, (at.0 + 14.0, at.1 - 9.0), Lettering::bold(SMALL, ink));
            labels.push(at);
        }
    }
}
