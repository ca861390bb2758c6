//! A bitmap backend for plotters with exact antialiasing.
//!
//! The bitmap backend that comes with plotters draws on whole pixels and sets letters on them. This one takes the
//! canvas's tenths of a pixel and computes for each pixel the area that a shape covers (the accumulation method of
//! font-rs, from `ab_glyph`'s rasterizer), so that slopes are smooth and letters stand where they belong.
//!
//! A stroke is the union of its segments, each a rectangle, and of a disc at each joint, all turned the same way: the
//! accumulated area then counts how often a pixel is covered, and anything above once is once.

use super::canvas::{BASELINE_EM, FONT_SIZE_OVER_EM, SUBPIXELS};
use super::fonts::{self, Weight};
use crate::files::ReportError;
use ab_glyph::{Font, Point, ScaleFont, point};
use ab_glyph_rasterizer::Rasterizer;
use plotters::style::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};
use std::convert::Infallible;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// Joints of strokes thinner than this need no disc, px.
const ROUND_FROM: f32 = 1.6;

/// An opaque picture, 8 bits each of red, green and blue.
#[derive(Debug)]
pub(super) struct Raster {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Raster {
    /// A white picture of `width` x `height` pixels.
    pub(super) fn new((width, height): (u32, u32)) -> Raster {
        let (width, height) = (width as usize, height as usize);
        Raster { width, height, rgb: vec![255; width * height * 3] }
    }

    /// The picture as a PNG file.
    pub(super) fn into_png(self) -> Result<Vec<u8>, ReportError> {
        let failed = |e: png::EncodingError| ReportError::Drawing(e.to_string());
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Default);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.rgb).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }

    /// Mixes `color` into one pixel, of which the share `coverage` is covered.
    fn blend(&mut self, x: i64, y: i64, coverage: f32, color: BackendColor) {
        let inside = (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
        let alpha = coverage.clamp(0.0, 1.0) * color.alpha as f32;
        if !inside || alpha <= 0.0 {
            return;
        }
        let at = (y as usize * self.width + x as usize) * 3;
        for (pixel, ink) in self.rgb[at..at + 3].iter_mut().zip([color.rgb.0, color.rgb.1, color.rgb.2]) {
            let mixed = f32::from(*pixel) * (1.0 - alpha) + f32::from(ink) * alpha;
            *pixel = (mixed + 0.5) as u8;
        }
    }

    /// Fills closed outlines, px.
    fn fill(&mut self, outlines: &[Vec<Point>], color: BackendColor) {
        let points = || outlines.iter().flatten();
        let edge =
            |pick: fn(&Point) -> f32, worst: f32, better: fn(f32, f32) -> f32| points().map(pick).fold(worst, better);
        let left = edge(|p| p.x, f32::MAX, f32::min).floor().max(-1.0);
        let top = edge(|p| p.y, f32::MAX, f32::min).floor().max(-1.0);
        let right = edge(|p| p.x, f32::MIN, f32::max).ceil().min(self.width as f32 + 1.0);
        let bottom = edge(|p| p.y, f32::MIN, f32::max).ceil().min(self.height as f32 + 1.0);
        if right <= left || bottom <= top {
            return;
        }
        // Corners outside are pulled to the edge: no shape of the dashboard leaves the picture, and none may break it.
        let shift = |p: Point| point(p.x.clamp(left, right) - left, p.y.clamp(top, bottom) - top);
        let mut rasterizer = Rasterizer::new((right - left) as usize + 2, (bottom - top) as usize + 2);
        for outline in outlines {
            for (i, &from) in outline.iter().enumerate() {
                rasterizer.draw_line(shift(from), shift(outline[(i + 1) % outline.len()]));
            }
        }
        rasterizer.for_each_pixel_2d(|x, y, coverage| {
            self.blend(left as i64 + i64::from(x), top as i64 + i64::from(y), coverage, color);
        });
    }
}

/// From the canvas's units to pixels.
fn px((x, y): BackendCoord) -> Point {
    point(x as f32 / SUBPIXELS as f32, y as f32 / SUBPIXELS as f32)
}

/// The rectangle about a segment, turned as [`disc`] is.
fn segment(from: Point, to: Point, half: f32) -> Option<Vec<Point>> {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = (dx * dx + dy * dy).sqrt();
    if length <= 0.0 {
        return None;
    }
    let (nx, ny) = (-dy / length * half, dx / length * half);
    Some(vec![
        point(from.x - nx, from.y - ny),
        point(to.x - nx, to.y - ny),
        point(to.x + nx, to.y + ny),
        point(from.x + nx, from.y + ny),
    ])
}

/// A disc as a polygon of twelve corners.
fn disc(centre: Point, radius: f32) -> Vec<Point> {
    // Cosines of 0, 30, 60, ... degrees.
    const COS: [f32; 12] =
        [1.0, 0.866_025_4, 0.5, 0.0, -0.5, -0.866_025_4, -1.0, -0.866_025_4, -0.5, 0.0, 0.5, 0.866_025_4];
    (0..12).map(|i| point(centre.x + radius * COS[i], centre.y + radius * COS[(i + 9) % 12])).collect()
}

impl DrawingBackend for Raster {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width as u32 * SUBPIXELS, self.height as u32 * SUBPIXELS)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Drawn {
        let Point { x, y } = px(at);
        self.blend(x as i64, y as i64, 1.0, color);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, style: &S, fill: bool) -> Drawn {
        let corners = [a, (b.0, a.1), b, (a.0, b.1)];
        if fill { self.fill_polygon(corners, style) } else { self.draw_path(corners.into_iter().chain([a]), style) }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let points: Vec<Point> = path.into_iter().map(px).collect();
        let half = style.stroke_width() as f32 / SUBPIXELS as f32 / 2.0;
        let mut outlines: Vec<Vec<Point>> =
            points.windows(2).filter_map(|pair| segment(pair[0], pair[1], half)).collect();
        if half * 2.0 >= ROUND_FROM && points.len() > 2 {
            outlines.extend(points[1..points.len() - 1].iter().map(|&p| disc(p, half)));
        }
        self.fill(&outlines, style.color());
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        self.fill(&[corners.into_iter().map(px).collect()], style.color());
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Drawn {
        let weight = if matches!(style.style(), FontStyle::Bold) { Weight::Bold } else { Weight::Regular };
        let Some(font) = weight.font() else { return Ok(()) };
        let em = style.size() / FONT_SIZE_OVER_EM / f64::from(SUBPIXELS);
        let width = fonts::width(text, em, weight) as f32;
        let start = px(at);
        let mut x = match style.anchor().h_pos {
            HPos::Left => start.x,
            HPos::Center => start.x - width / 2.0,
            HPos::Right => start.x - width,
        };
        // Letters are crispest when they stand on a row of pixels.
        let baseline = (start.y + (em * BASELINE_EM) as f32).round();
        let scaled = font.as_scaled(fonts::scale(font, em));
        for c in text.chars() {
            let id = scaled.glyph_id(c);
            let glyph = id.with_scale_and_position(scaled.scale(), point(x, baseline));
            if let Some(outline) = scaled.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|dx, dy, coverage| {
                    let (x, y) = (corner.x as i64 + i64::from(dx), corner.y as i64 + i64::from(dy));
                    self.blend(x, y, coverage, style.color());
                });
            }
            x += scaled.h_advance(id);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: BackendColor = BackendColor { alpha: 1.0, rgb: (0, 0, 0) };

    fn pixel(raster: &Raster, x: usize, y: usize) -> u8 {
        raster.rgb[(y * raster.width + x) * 3]
    }

    #[test]
    fn coverage_is_area() {
        let mut raster = Raster::new((4, 4));
        // 1.5 px to the right, from a quarter of the way down the second row.
        raster.fill_polygon([(10, 12), (25, 12), (25, 20), (10, 20)], &BLACK).unwrap();
        assert_eq!((pixel(&raster, 1, 1), pixel(&raster, 2, 1)), (51, 153));
        assert_eq!((pixel(&raster, 0, 1), pixel(&raster, 1, 2), pixel(&raster, 3, 1)), (255, 255, 255));
    }

    #[test]
    fn joints_of_a_stroke_are_covered_once() {
        struct Grey;
        impl BackendStyle for Grey {
            fn color(&self) -> BackendColor {
                BackendColor { alpha: 0.5, rgb: (0, 0, 0) }
            }
            fn stroke_width(&self) -> u32 {
                20
            }
        }
        let mut raster = Raster::new((9, 9));
        raster.draw_path([(10, 50), (50, 50), (50, 10), (50, 80)], &Grey).unwrap();
        let darkest = raster.rgb.iter().min();
        assert_eq!(darkest, Some(&128));
    }

    #[test]
    fn what_lies_outside_is_cut_off() {
        let mut raster = Raster::new((3, 3));
        raster.fill_polygon([(-5000, -5000), (90_000, -5000), (90_000, 90_000), (-5000, 90_000)], &BLACK).unwrap();
        assert!(raster.rgb.iter().all(|&c| c == 0));
        raster.draw_path([(-100, -100), (-50, -50)], &BLACK).unwrap();
        raster.draw_pixel((900, 900), BLACK).unwrap();
    }
}
