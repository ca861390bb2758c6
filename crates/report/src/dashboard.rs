//! One picture of a run: `dashboard.svg` and `dashboard.png`, the same drawing.
//!
//! Panels stand one above the other on one time axis, under the titles that people know from monitoring, so that the
//! eye can run down a moment: throughput fell *here*, the checkpoint age met its limit *here*, sync flushing ran
//! *here*. Spans with sync flushing are shaded through all panels; a faint line marks the end of the warm-up. Lines
//! carry their names at their right end instead of a legend; the colours keep apart for colour-blind eyes.
//!
//! How it is made, from the ground up:
//! - `fonts`: the bundled typeface and its widths;
//! - `raster`: a bitmap backend for plotters with exact antialiasing;
//! - `canvas`: lines, areas and text in logical pixels on any plotters backend;
//! - `shape`: series made ready to draw: decimation, medians, spans, stacks;
//! - `axis`: round ticks for values, bytes and time;
//! - `panel`: one panel, drawn from a description;
//! - `panels`: what the panels of a run show;
//! - `frame`: header and footer;
//! - `overlay`: several runs laid over each other, on the same panels;
//! - [`sweep`]: pictures of many runs.
//!
//! Both backends take whole numbers for coordinates. The canvas therefore counts in tenths of a pixel, and the SVG's
//! `viewBox` is ten times its size.

mod axis;
mod canvas;
mod drawing;
mod fonts;
mod frame;
mod overlay;
mod panel;
mod panels;
mod raster;
mod shape;
pub mod sweep;
mod theme;

pub use overlay::{Overlay, OverlayRun, write_overlay};

use crate::Report;
use crate::files::ReportError;
use canvas::{Canvas, SUBPIXELS};
use drawing::Drawing;
use panel::TimeFrame;
use plotters::prelude::DrawingBackend;
use std::path::Path;
use theme::{GAP, HEADER_HEIGHT, LEFT, RIGHT, TITLE_HEIGHT, WIDTH};

/// Draws the picture of a run.
#[derive(Debug, Clone, Copy)]
pub struct Dashboard;

impl Dashboard {
    /// The picture as SVG. Text stays text, in the bundled typeface's family with common ones to fall back on.
    pub fn draw_svg(report: &Report<'_>) -> Result<String, ReportError> {
        drawing::svg(report)
    }

    /// The picture as PNG.
    pub fn draw_png(report: &Report<'_>) -> Result<Vec<u8>, ReportError> {
        drawing::png(report)
    }

    /// Width and height, pixels.
    pub fn size() -> (u32, u32) {
        let panels: f64 = panels::HEIGHTS.iter().map(|h| TITLE_HEIGHT + h + GAP).sum();
        let height = HEADER_HEIGHT + panels + theme::AXIS_HEIGHT + theme::FOOTER_HEIGHT;
        (WIDTH as u32, height as u32)
    }
}

/// Writes `dashboard.svg` and `dashboard.png` into the folder `dir`.
pub fn write_dashboards(dir: &Path, report: &Report<'_>) -> Result<(), ReportError> {
    drawing::write(dir, "dashboard", report)
}

impl Drawing for Report<'_> {
    fn size(&self) -> (u32, u32) {
        Dashboard::size()
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) {
        let (width, height) = Dashboard::size();
        canvas.rectangle(canvas::Rect::new(0.0, 0.0, f64::from(width), f64::from(height)), theme::PAPER);
        frame::header(canvas, self);
        let seconds = shape::seconds(&self.output.series);
        let time = TimeFrame {
            seconds,
            left: LEFT,
            right: WIDTH - RIGHT,
            warmup_s: self.identity.warmup_s,
            sync_spans: shape::sync_spans(&self.output.series, seconds / (WIDTH - LEFT - RIGHT)),
        };
        time.draw_panels(canvas, &panels::of_run(self), HEADER_HEIGHT);
        frame::footer(canvas, self, f64::from(height) - theme::FOOTER_HEIGHT);
    }
}

/// Characters that XML can't hold, not even escaped: names and labels may have them.
fn not_for_xml(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Sets the size in pixels (the `viewBox` stays in tenths), round joins for all lines, and a title for readers of
/// screens.
fn with_size_and_title(svg: &str, (width, height): (u32, u32), title: &str) -> String {
    let svg = svg.replace(not_for_xml, "\u{fffd}");
    let Some((head, body)) = svg.split_once('\n') else { return svg };
    let big = format!("width=\"{}\" height=\"{}\"", width * SUBPIXELS, height * SUBPIXELS);
    let small = format!(
        "width=\"{width}\" height=\"{height}\" stroke-linejoin=\"round\" stroke-linecap=\"round\" role=\"img\""
    );
    let title = title.replace(not_for_xml, "\u{fffd}").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("{}\n<title>{title}</title>\n{body}", head.replace(&big, &small))
}
