//! Several runs laid over each other: one time axis, one colour a run, and the figures that tell them apart.
//!
//! The head is legend and table in one: a row a run, its colour before its name. In the panels each line carries its
//! run's name at its right end, with a number before it where names are too long for that. Runs of equal age limit share one dashed line for it; otherwise each has its own, in a
//! tint of its colour.

mod head;

use self::head::Head;
use super::axis::Axis;
use super::canvas::{Canvas, Ink, Rect};
use super::drawing::Drawing;
use super::panel::{LABEL_GAP, Label, Layer, Panel, TimeFrame};
use super::panels::{end, largest};
use super::shape::{each_second, medians, seconds};
use super::theme::{
    AXIS_HEIGHT, BLUE, GAP, GREEN, INDIGO, LEFT, MUTED, OLIVE, ORANGE, PAPER, PURPLE, RIGHT, SKY, SLATE, TEXT,
    TITLE_HEIGHT, VERMILION, WIDTH,
};
use super::{drawing, frame, panels};
use crate::files::ReportError;
use crate::numbers::bytes;
use innosim_core::metrics::{RunOutput, SecondSample};
use plotters::prelude::DrawingBackend;
use std::path::Path;

/// Colours of the runs, in their order. They keep apart for colour-blind eyes, and the names stand at the lines.
const INKS: [Ink; 10] = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, TEXT, OLIVE, INDIGO, SLATE];
/// Up to this many runs, each second is drawn too, pale behind the medians.
const FEW: usize = 3;
/// Heights of the plots, px; more where more names have to find room.
const HEIGHTS: [f64; 5] = [190.0, 200.0, 120.0, 110.0, 110.0];

/// One of the runs.
#[derive(Debug, Clone)]
pub struct OverlayRun<'a> {
    /// Its name, short.
    pub label: String,
    /// What sets it apart: model, settings.
    pub about: String,
    /// Its figures, one for each of [`Overlay::heads`].
    pub figures: Vec<String>,
    /// Its series.
    pub output: &'a RunOutput,
    /// Whether it was recorded. Then what is 0 throughout is not known of it, and its panel leaves it out.
    pub recorded: bool,
}

/// Several runs laid over each other.
#[derive(Debug, Clone)]
pub struct Overlay<'a> {
    /// Title of the picture.
    pub title: String,
    /// What all runs share, on one line.
    pub subtitle: String,
    /// Seed and version.
    pub origin: String,
    /// Heads of the columns of figures.
    pub heads: Vec<&'static str>,
    /// The runs; the first ten are drawn.
    pub runs: Vec<OverlayRun<'a>>,
    /// Seconds that the figures leave out.
    pub warmup_s: f64,
    /// How the figures are to be read, on one line.
    pub remark: String,
    /// Whether latencies are known of all runs, and drawn.
    pub latency: bool,
}

impl Overlay<'_> {
    /// Most runs in one picture.
    pub const MOST: usize = INKS.len();

    /// The picture as SVG.
    pub fn draw_svg(&self) -> Result<String, ReportError> {
        drawing::svg(self)
    }

    /// The picture as PNG.
    pub fn draw_png(&self) -> Result<Vec<u8>, ReportError> {
        drawing::png(self)
    }

    /// Width and height, pixels.
    pub fn size(&self) -> (u32, u32) {
        let panels: f64 = self.heights().iter().map(|h| TITLE_HEIGHT + h + GAP).sum();
        (WIDTH as u32, (Head::of(self).height() + panels + AXIS_HEIGHT) as u32)
    }

    fn drawn(&self) -> &[OverlayRun<'_>] {
        &self.runs[..self.runs.len().min(Self::MOST)]
    }

    fn heights(&self) -> Vec<f64> {
        // One more than the runs: the limit of the age has a name too.
        let names = (self.drawn().len() + 1) as f64 * LABEL_GAP - 8.0;
        let panels = if self.latency { HEIGHTS.len() } else { HEIGHTS.len() - 1 };
        HEIGHTS[..panels].iter().map(|h| h.max(names)).collect()
    }

    fn panels(&self) -> Vec<Panel> {
        let draw = |(panel, height): (usize, f64)| match panel {
            0 => self.throughput(height),
            1 => self.checkpoint_age(height),
            2 => {
                let flushed = self.each_second(|s| s.pages_flushed as f64);
                self.smoothed("Pages Flushed", height, "pages/s", flushed)
            }
            3 => self.plain("Dirty Pages", height, |s| s.dirty_pages as f64),
            _ => self.latency_panel(height),
        };
        self.heights().into_iter().enumerate().map(draw).collect()
    }

    fn throughput(&self, height: f64) -> Panel {
        self.smoothed("Transactions per Second", height, "", self.each_second(|s| s.transactions as f64))
    }

    /// A quantity of each run in each second; nothing of runs of which it is not known.
    fn each_second(&self, value: fn(&SecondSample) -> f64) -> Vec<Vec<(f64, f64)>> {
        let of = |run: &OverlayRun<'_>| {
            let each = each_second(&run.output.series, value);
            if run.recorded && largest(&each) == 0.0 { Vec::new() } else { each }
        };
        self.drawn().iter().map(of).collect()
    }

    /// A panel of medians over 10 s; with each second behind them if the runs are few.
    fn smoothed(&self, title: &'static str, height: f64, unit: &'static str, each: Vec<Vec<(f64, f64)>>) -> Panel {
        let bold: Vec<Vec<(f64, f64)>> = each.iter().map(|points| medians(points)).collect();
        let few = each.len() <= FEW;
        let top = if few { &each } else { &bold }.iter().map(|points| largest(points)).fold(0.0, f64::max);
        let mut panel = self.empty(title, height, Axis::linear(top, ticks(height), unit));
        if few {
            panel.layers.extend(lines(each, |ink| ink.tint(0.3), 1.0));
        }
        panel.labels = self.names(&bold);
        panel.layers.extend(lines(bold, |ink| ink, 2.2));
        panel
    }

    fn plain(&self, title: &'static str, height: f64, value: fn(&SecondSample) -> f64) -> Panel {
        let each = self.each_second(value);
        let top = each.iter().map(|points| largest(points)).fold(0.0, f64::max);
        let mut panel = self.empty(title, height, Axis::linear(top, ticks(height), "pages"));
        panel.labels = self.names(&each);
        panel.layers.extend(lines(each, |ink| ink, 2.0));
        panel
    }

    fn checkpoint_age(&self, height: f64) -> Panel {
        let ages = self.each_second(|s| s.checkpoint_age_bytes as f64);
        let limits = self.each_second(|s| s.age_async_bytes as f64);
        let top = ages.iter().chain(&limits).map(|points| largest(points)).fold(0.0, f64::max);
        let mut panel = self.empty("InnoDB Checkpoint Age", height, Axis::bytes(top, ticks(height), false));
        panel.labels = self.names(&ages);
        let last: Vec<f64> = limits.iter().filter(|points| !points.is_empty()).map(|points| end(points)).collect();
        match last.first() {
            Some(&one) if one > 0.0 && last.iter().all(|other| *other == one) => {
                panel.labels.push(Label { value: one, text: format!("limit {}", bytes(one)), ink: MUTED });
                panel.layers.push(Layer::Limit { value: one, ink: MUTED });
            }
            _ => {
                let own = last.iter().zip(INKS).filter(|(limit, _)| **limit > 0.0);
                panel.layers.extend(own.map(|(&value, ink)| Layer::Limit { value, ink: ink.tint(0.75) }));
            }
        }
        panel.layers.extend(lines(ages, |ink| ink, 2.2));
        panel
    }

    fn latency_panel(&self, height: f64) -> Panel {
        let each = self.drawn().iter().map(|run| panels::latencies(&run.output.series));
        let bold: Vec<Vec<(f64, f64)>> = each.map(|points| medians(&points)).collect();
        let axis = panels::latency_axis(bold.iter().flatten().map(|p| p.1).collect(), ticks(height));
        let mut panel = self.empty("Transaction Latency, 95th Percentile", height, axis);
        panel.labels = self.names(&bold);
        panel.layers.extend(lines(bold, |ink| ink, 2.2));
        panel
    }

    fn empty(&self, title: &'static str, height: f64, axis: Axis) -> Panel {
        Panel { title, height, axis, layers: Vec::new(), labels: Vec::new() }
    }

    /// The runs' names, each where its line ends.
    fn names(&self, series: &[Vec<(f64, f64)>]) -> Vec<Label> {
        let ended = head::names(self).into_iter().zip(series).zip(INKS);
        let known = ended.filter(|((_, points), _)| !points.is_empty());
        known.map(|((text, points), ink)| Label { value: end(points), text, ink }).collect()
    }
}

impl Drawing for Overlay<'_> {
    fn size(&self) -> (u32, u32) {
        self.size()
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) {
        let (width, height) = self.size();
        canvas.rectangle(Rect::new(0.0, 0.0, f64::from(width), f64::from(height)), PAPER);
        frame::title(canvas, &self.title, 30.0, &self.origin);
        frame::subtitle(canvas, &self.subtitle);
        let head = Head::of(self);
        head.draw(canvas, self);
        let time = TimeFrame {
            seconds: self.drawn().iter().map(|run| seconds(&run.output.series)).fold(1.0, f64::max),
            left: LEFT,
            right: WIDTH - RIGHT,
            warmup_s: self.warmup_s,
            sync_spans: Vec::new(),
        };
        time.draw_panels(canvas, &self.panels(), head.height());
    }
}

/// Writes the picture into the folder `dir` as `STEM.svg` and `STEM.png`.
pub fn write_overlay(dir: &Path, stem: &str, overlay: &Overlay<'_>) -> Result<(), ReportError> {
    drawing::write(dir, stem, overlay)
}

/// About a tick each 45 px.
fn ticks(height: f64) -> usize {
    (height / 45.0).max(2.0) as usize
}

/// A line for each series. The first run's is drawn last, so that what all are compared with lies on top.
fn lines(series: Vec<Vec<(f64, f64)>>, tone: fn(Ink) -> Ink, width: f64) -> impl Iterator<Item = Layer> {
    let inked: Vec<_> = series.into_iter().zip(INKS).filter(|(points, _)| !points.is_empty()).collect();
    inked.into_iter().rev().map(move |(points, ink)| Layer::Line { points, ink: tone(ink), width })
}
