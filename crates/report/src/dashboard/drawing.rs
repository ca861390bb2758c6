//! From a drawing to files: the same picture as SVG and PNG.

use super::canvas::{Canvas, SUBPIXELS};
use super::raster::Raster;
use super::with_size_and_title;
use crate::files::{ReportError, write_file};
use plotters::backend::SVGBackend;
use plotters::prelude::DrawingBackend;
use std::path::Path;

/// Something that can be drawn on any backend.
pub(super) trait Drawing {
    /// Width and height, px.
    fn size(&self) -> (u32, u32);

    /// Title for readers of screens.
    fn title(&self) -> &str;

    /// Draws it.
    fn draw<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>);
}

/// The drawing as SVG.
pub(super) fn svg(drawing: &impl Drawing) -> Result<String, ReportError> {
    let (width, height) = drawing.size();
    let mut svg = String::new();
    {
        let mut backend = SVGBackend::with_string(&mut svg, (width * SUBPIXELS, height * SUBPIXELS));
        let mut canvas = Canvas::new(&mut backend);
        drawing.draw(&mut canvas);
        canvas.finish()?;
        backend.present().map_err(|e| ReportError::Drawing(e.to_string()))?;
    }
    Ok(with_size_and_title(&svg, (width, height), drawing.title()))
}

/// The drawing as PNG.
pub(super) fn png(drawing: &impl Drawing) -> Result<Vec<u8>, ReportError> {
    let mut raster = Raster::new(drawing.size());
    let mut canvas = Canvas::new(&mut raster);
    drawing.draw(&mut canvas);
    canvas.finish()?;
    raster.into_png()
}

/// Writes `NAME.svg` and `NAME.png` into the folder `dir`.
pub(super) fn write(dir: &Path, name: &str, drawing: &impl Drawing) -> Result<(), ReportError> {
    write_file(&dir.join(format!("{name}.svg")), svg(drawing)?.as_bytes())?;
    write_file(&dir.join(format!("{name}.png")), &png(drawing)?)
}
