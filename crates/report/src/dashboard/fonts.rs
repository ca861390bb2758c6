//! The bundled typeface: Inter, regular and semi-bold (see `fonts/README.md`).

use ab_glyph::{Font, FontRef, PxScale, ScaleFont};
use std::sync::OnceLock;

/// Families for SVG: ours where it is installed, else what the system has.
pub(super) const FAMILY: &str = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// How heavy the letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

impl Weight {
    /// The typeface of this weight. `None` only if the bundled file were damaged, which a test rules out.
    pub(super) fn font(self) -> Option<&'static FontRef<'static>> {
        static REGULAR: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
        static BOLD: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
        let (cell, bytes): (_, &'static [u8]) = match self {
            Weight::Regular => (&REGULAR, include_bytes!("../../fonts/Inter-Regular.otf")),
            Weight::Bold => (&BOLD, include_bytes!("../../fonts/Inter-SemiBold.otf")),
        };
        cell.get_or_init(|| FontRef::try_from_slice(bytes).ok()).as_ref()
    }
}

/// ab_glyph's scale (line height) for letters of `size` px to the em.
pub(super) fn scale(font: &FontRef<'_>, size: f64) -> PxScale {
    let units = font.units_per_em().unwrap_or(1000.0);
    PxScale::from(size as f32 * font.height_unscaled() / units)
}

/// Width of `text` at `size` px to the em, px.
pub(super) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let Some(font) = weight.font() else { return 0.0 };
    let scaled = font.as_scaled(scale(font, size));
    f64::from(text.chars().map(|c| scaled.h_advance(scaled.glyph_id(c))).sum::<f32>())
}

/// `text`, or as much of it as fits into `room` px with an ellipsis at the end.
pub(super) fn truncated(text: &str, size: f64, weight: Weight, room: f64) -> String {
    if width(text, size, weight) <= room {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while short.pop().is_some() {
        let candidate = format!("{}\u{2026}", short.trim_end());
        if width(&candidate, size, weight) <= room {
            return candidate;
        }
    }
    String::new()
}

/// `text` broken at spaces into at most `most` lines of `room` px; what is left over truncates the last one.
pub(super) fn wrapped(text: &str, size: f64, weight: Weight, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let full = lines.len() >= most;
        match lines.last_mut() {
            Some(line) if full || width(&format!("{line} {word}"), size, weight) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| truncated(line, size, weight, room)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_weights_have_every_letter_that_is_used() {
        for weight in [Weight::Regular, Weight::Bold] {
            let font = weight.font().expect("the bundled font is whole");
            let used = ('!'..='~').chain("\u{b7}\u{b1}\u{d7}\u{2013}\u{2026}\u{b5}".chars());
            for c in used {
                assert_ne!(font.glyph_id(c).0, 0, "no glyph for {c}");
            }
        }
    }

    #[test]
    fn text_that_is_too_long_ends_in_an_ellipsis() {
        let long = "innodb_io_capacity_max=4000 ".repeat(40);
        let lines = wrapped(&long, 15.0, Weight::Regular, 600.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|l| width(l, 15.0, Weight::Regular) <= 600.0));
        assert!(lines[1].ends_with('\u{2026}'));
        assert_eq!(truncated("short", 15.0, Weight::Bold, 600.0), "short");
        assert!(wrapped("", 15.0, Weight::Regular, 600.0, 2).is_empty());
    }
}
