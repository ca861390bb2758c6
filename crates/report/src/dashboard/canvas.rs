//! Lines, areas and text in logical pixels, on any backend of plotters.
//!
//! The first error of the backend is kept and told at the end, so that drawing code reads as drawing.

use super::fonts::{FAMILY, Weight};
use crate::files::ReportError;
use plotters::prelude::{DrawingBackend, FontDesc, FontFamily, FontStyle, RGBAColor, ShapeStyle, TextStyle};
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Backend units in a logical pixel.
pub(super) const SUBPIXELS: u32 = 10;
/// Plotters hands a backend this many times the size of the letters' em.
pub(super) const FONT_SIZE_OVER_EM: f64 = 1.24;
/// Plotters' SVG backend puts the base line of text anchored at its top this many em below the anchor.
pub(super) const BASELINE_EM: f64 = 0.76;

/// A colour with its opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ink {
    rgb: (u8, u8, u8),
    alpha: f64,
}

impl Ink {
    /// An opaque colour.
    pub(super) const fn rgb(r: u8, g: u8, b: u8) -> Ink {
        Ink { rgb: (r, g, b), alpha: 1.0 }
    }

    /// The same colour, translucent.
    pub(super) const fn alpha(self, alpha: f64) -> Ink {
        Ink { alpha, ..self }
    }

    /// The opaque colour that this one at `share` looks like on white. Lines use it: a translucent line is darker where
    /// it crosses itself.
    pub(super) fn tint(self, share: f64) -> Ink {
        let mix = |c: u8| (255.0 - (255.0 - f64::from(c)) * share).round() as u8;
        Ink::rgb(mix(self.rgb.0), mix(self.rgb.1), mix(self.rgb.2))
    }

    /// How light it looks, 0 to 1: the weights of the colours for the eye, on squares in place of the screen's exponent.
    pub(super) fn lightness(self) -> f64 {
        let square = |c: u8| (f64::from(c) / 255.0).powi(2);
        0.2126 * square(self.rgb.0) + 0.7152 * square(self.rgb.1) + 0.0722 * square(self.rgb.2)
    }

    fn color(self) -> RGBAColor {
        RGBAColor(self.rgb.0, self.rgb.1, self.rgb.2, self.alpha)
    }
}

/// A rectangle, px, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    /// A rectangle from its edges.
    pub(super) const fn new(left: f64, top: f64, right: f64, bottom: f64) -> Rect {
        Rect { left, top, right, bottom }
    }
}

/// Which end of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lettering {
    /// Size of the em, px.
    pub(super) size: f64,
    pub(super) weight: Weight,
    pub(super) ink: Ink,
    pub(super) align: Align,
}

impl Lettering {
    /// Regular letters that start at their place.
    pub(super) const fn regular(size: f64, ink: Ink) -> Lettering {
        Lettering { size, weight: Weight::Regular, ink, align: Align::Start }
    }

    /// Bold letters that start at their place.
    pub(super) const fn bold(size: f64, ink: Ink) -> Lettering {
        Lettering { size, weight: Weight::Bold, ink, align: Align::Start }
    }

    /// The same, with another end at its place.
    pub(super) const fn align(self, align: Align) -> Lettering {
        Lettering { align, ..self }
    }
}

/// A backend to draw on.
#[derive(Debug)]
pub(super) struct Canvas<'a, B: DrawingBackend> {
    backend: &'a mut B,
    error: Option<String>,
}

impl<'a, B: DrawingBackend> Canvas<'a, B> {
    pub(super) fn new(backend: &'a mut B) -> Self {
        Canvas { backend, error: None }
    }

    /// What went wrong first, if anything.
    pub(super) fn finish(self) -> Result<(), ReportError> {
        self.error.map_or(Ok(()), |message| Err(ReportError::Drawing(message)))
    }

    /// A line through `points`, `width` px wide.
    pub(super) fn line(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        if points.len() >= 2 {
            let style = ShapeStyle { color: ink.color(), filled: false, stroke_width: (units(width) as u32).max(1) };
            let result = self.backend.draw_path(points.iter().map(place), &style);
            self.note(result.map_err(|e| e.to_string()));
        }
    }

    /// A horizontal line with dashes of 5 px and gaps of 4 px.
    pub(super) fn dashes(&mut self, (from, to): (f64, f64), y: f64, ink: Ink, width: f64) {
        let mut x = from;
        while x < to {
            self.line(&[(x, y), ((x + 5.0).min(to), y)], ink, width);
            x += 9.0;
        }
    }

    /// A filled polygon.
    pub(super) fn polygon(&mut self, points: &[(f64, f64)], ink: Ink) {
        if points.len() >= 3 {
            let result = self.backend.fill_polygon(points.iter().map(place), &ink.color());
            self.note(result.map_err(|e| e.to_string()));
        }
    }

    /// A filled rectangle.
    pub(super) fn rectangle(&mut self, r: Rect, ink: Ink) {
        let style = ink.color().filled();
        let result = self.backend.draw_rect(place(&(r.left, r.top)), place(&(r.right, r.bottom)), &style, true);
        self.note(result.map_err(|e| e.to_string()));
    }

    /// `text` with its base line at `y`.
    pub(super) fn text(&mut self, text: &str, (x, y): (f64, f64), lettering: Lettering) {
        if text.is_empty() {
            return;
        }
        let horizontal = match lettering.align {
            Align::Start => HPos::Left,
            Align::Middle => HPos::Center,
            Align::End => HPos::Right,
        };
        let weight = if lettering.weight == Weight::Bold { FontStyle::Bold } else { FontStyle::Normal };
        let size = lettering.size * f64::from(SUBPIXELS) * FONT_SIZE_OVER_EM;
        let font = FontDesc::new(FontFamily::Name(FAMILY), size, weight);
        let anchor = Pos::new(horizontal, VPos::Top);
        let color = lettering.ink.color();
        let style = TextStyle::from(font).color(&color).pos(anchor);
        let result = self.backend.draw_text(text, &style, place(&(x, y - BASELINE_EM * lettering.size)));
        self.note(result.map_err(|e| e.to_string()));
    }

    fn note(&mut self, result: Result<(), String>) {
        if let (Err(message), None) = (result, &self.error) {
            self.error = Some(message);
        }
    }
}

fn units(px: f64) -> i32 {
    (px * f64::from(SUBPIXELS)).round() as i32
}

fn place(&(x, y): &(f64, f64)) -> (i32, i32) {
    (units(x), units(y))
}
