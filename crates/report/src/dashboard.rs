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
use crate::files::{ReportError, write_file};
use canvas::{Canvas, SUBPIXELS};
use panel::TimeFrame;
use plotters::backend::SVGBackend;
use plotters::prelude::DrawingBackend;
use raster::Raster;
use std::path::Path;
use theme::{GAP, HEADER_HEIGHT, LEFT, RIGHT, TITLE_HEIGHT, WIDTH};

/// Draws the picture of a run.
#[derive(Debug, Clone, Copy)]
pub struct Dashboard;

impl Dashboard {
    /// The picture as SVG. Text stays text, in the bundled typeface's family with common ones to fall back on.
    pub fn draw_svg(report: &Report<'_>) -> Result<String, ReportError> {
        let (width, height) = Self::size();
        let mut svg = String::new();
        {
            let mut backend = SVGBackend::with_string(&mut svg, (width * SUBPIXELS, height * SUBPIXELS));
            draw(&mut backend, report)?;
            backend.present().map_err(|e| ReportError::Drawing(e.to_string()))?;
        }
        Ok(with_size_and_title(&svg, (width, height), &report.title))
    }

    /// The picture as PNG.
    pub fn draw_png(report: &Report<'_>) -> Result<Vec<u8>, ReportError> {
        let mut raster = Raster::new(Self::size());
        draw(&mut raster, report)?;
        raster.into_png()
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
    write_file(&dir.join("dashboard.svg"), Dashboard::draw_svg(report)?.as_bytes())?;
    write_file(&dir.join("dashboard.png"), &Dashboard::draw_png(report)?)
}

/// Draws everything, from top to bottom.
fn draw<B: DrawingBackend>(backend: &mut B, report: &Report<'_>) -> Result<(), ReportError> {
    let (width, height) = Dashboard::size();
    let mut canvas = Canvas::new(backend);
    canvas.rectangle(canvas::Rect::new(0.0, 0.0, f64::from(width), f64::from(height)), theme::PAPER);
    frame::header(&mut canvas, report);
    let seconds = report.output.series.last().map_or(1, |s| s.second).max(1) as f64;
    let time = TimeFrame {
        seconds,
        left: LEFT,
        right: WIDTH - RIGHT,
        warmup_s: report.identity.warmup_s,
        sync_spans: shape::sync_spans(&report.output.series, seconds / (WIDTH - LEFT - RIGHT)),
    };
    let mut top = HEADER_HEIGHT;
    for (i, panel) in panels::of_run(report).iter().enumerate() {
        panel.draw(&mut canvas, &time, top);
        if i == 0 {
            time.draw_legend(&mut canvas, top);
        }
        top += TITLE_HEIGHT + panel.height + GAP;
    }
    time.draw_axis(&mut canvas, top - GAP);
    frame::footer(&mut canvas, report, f64::from(height) - theme::FOOTER_HEIGHT);
    canvas.finish()
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
