//! Header and footer: what was run, and what came out.

use super::canvas::{Align, Canvas, Ink, Lettering, Rect};
use super::fonts::{Weight, truncated, width, wrapped};
use super::theme::{GRID, MARGIN, MUTED, SMALL, TEXT, WIDTH, regime_ink};
use crate::Report;
use crate::hints::regime_in_words;
use crate::numbers::{bytes, count, milliseconds, percent, rate};
use plotters::prelude::DrawingBackend;

/// Number with its name above and a remark below.
struct Figure {
    name: &'static str,
    number: String,
    remark: String,
    ink: Ink,
}

/// Title, model, settings, seed, version.
pub(super) fn header<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, report: &Report<'_>) {
    let id = report.identity;
    let origin = format!("seed {} \u{b7} innosim {}", id.seed, id.innosim_version);
    title(canvas, &report.title, 30.0, &origin);
    // A tenth more, for the wider letters of a fallback font.
    let model = width(&id.model, 15.0, Weight::Bold) * 1.1;
    canvas.text(&id.model, (MARGIN, 80.0), Lettering::bold(15.0, TEXT));
    let indent = model + 12.0;
    let lines = wrapped(&report.settings_line, 15.0, Weight::Regular, WIDTH - 2.0 * MARGIN - indent, 2);
    for (i, line) in lines.iter().enumerate() {
        canvas.text(line, (MARGIN + indent, 80.0 + 21.0 * i as f64), Lettering::regular(15.0, MUTED));
    }
}

/// The title of a picture, in letters of a size, and on the right seed and version.
pub(super) fn title<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, title: &str, size: f64, origin: &str) {
    canvas.text(origin, (WIDTH - MARGIN, 50.0), Lettering::regular(14.5, MUTED).align(Align::End));
    let room = WIDTH - 2.0 * MARGIN - width(origin, 14.5, Weight::Regular) - 40.0;
    canvas.text(&truncated(title, size, Weight::Bold, room), (MARGIN, 52.0), Lettering::bold(size, TEXT));
}

/// The line below it.
pub(super) fn subtitle<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, subtitle: &str) {
    let subtitle = truncated(subtitle, 15.0, Weight::Regular, WIDTH - 2.0 * MARGIN);
    canvas.text(&subtitle, (MARGIN, 80.0), Lettering::regular(15.0, MUTED));
}

/// The numbers that people quote, over the time after warm-up.
pub(super) fn footer<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, report: &Report<'_>, top: f64) {
    canvas.rectangle(Rect::new(MARGIN, top + 12.0, WIDTH - MARGIN, top + 13.0), GRID);
    let figures = figures(report);
    let cell = (WIDTH - 2.0 * MARGIN) / figures.len() as f64;
    for (i, figure) in figures.iter().enumerate() {
        let x = MARGIN + cell * i as f64;
        let room = cell - 16.0;
        canvas.text(figure.name, (x, top + 38.0), Lettering::regular(SMALL, MUTED));
        let natural = width(&figure.number, 25.0, Weight::Bold);
        let size = 25.0 * (room / natural.max(1.0)).min(1.0);
        canvas.text(&figure.number, (x, top + 67.0), Lettering::bold(size, figure.ink));
        let remark = truncated(&figure.remark, SMALL, Weight::Regular, room);
        canvas.text(&remark, (x, top + 90.0), Lettering::regular(SMALL, MUTED));
    }
    let span = if report.identity.warmup_s > 0.0 {
        format!("Numbers leave out the first {} s.", count(report.identity.warmup_s))
    } else {
        "Numbers are over the whole run.".to_owned()
    };
    let s = report.summary;
    let words = format!("{}: {}. {span}", capitalized(s.regime.name()), regime_in_words(s.regime));
    canvas.text(&words, (MARGIN, top + 118.0), Lettering::regular(SMALL, MUTED));
    let origin = format!("{} \u{b7} {}", report.identity.scenario, report.identity.model);
    canvas.text(&origin, (WIDTH - MARGIN, top + 118.0), Lettering::regular(SMALL, MUTED).align(Align::End));
}

fn figures(report: &Report<'_>) -> Vec<Figure> {
    let s = report.summary;
    let plain = |name, number, remark| Figure { name, number, remark, ink: TEXT };
    let flushed = s.pages_flushed_per_s_mean * (report.identity.simulated_s - report.identity.warmup_s).max(1.0);
    let sync = s.pages_flushed_sync / flushed.max(1.0);
    let age = if s.checkpoint_age_limit > 0.0 {
        format!("{} of the async limit", percent(s.checkpoint_age_mean / s.checkpoint_age_limit))
    } else {
        String::new()
    };
    vec![
        plain("Throughput", format!("{} tps", rate(s.tps_mean)), format!("worst second {}", rate(s.tps_min))),
        plain(
            "Latency, 95 %",
            milliseconds(s.latency_ms_p95),
            format!("99 % {}, max {}", milliseconds(s.latency_ms_p99), milliseconds(s.latency_ms_max)),
        ),
        plain("Checkpoint age", bytes(s.checkpoint_age_mean), age),
        plain(
            "Flushing",
            format!("{} pages/s", rate(s.pages_flushed_per_s_mean)),
            format!("{} a transaction, {} sync", rate(s.flushes_per_trx), percent(sync)),
        ),
        plain(
            "Device",
            format!("{} busy", percent(s.device_utilization)),
            format!("writes {}/s", bytes(s.device_write_bytes_per_s)),
        ),
        Figure {
            name: "Regime",
            number: s.regime.name().to_owned(),
            remark: format!("10 s medians {} \u{2013} {}", rate(s.tps_10s_median_min), rate(s.tps_10s_median_max)),
            ink: regime_ink(s.regime),
        },
    ]
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
