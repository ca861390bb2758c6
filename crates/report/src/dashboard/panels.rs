//! What the panels of a run show.

use super::axis::Axis;
use super::canvas::Ink;
use super::panel::{Label, Layer, Panel};
use super::shape::{each_second, medians, stacked};
use super::theme::{BLUE, GREEN, ORANGE, PURPLE, SKY, SLATE, TEXT, VERMILION, YELLOW};
use crate::Report;
use crate::numbers::{bytes, milliseconds, percent, rate};
use innosim_core::metrics::SecondSample;

/// Heights of the plots, in the order of [`of_run`], px.
pub(super) const HEIGHTS: [f64; 8] = [190.0, 92.0, 210.0, 160.0, 76.0, 76.0, 66.0, 66.0];

/// A largest value that is this many times the median makes the axis of latencies logarithmic.
const LOGARITHMIC_FROM: f64 = 20.0;

/// The panels of a run, from top to bottom.
pub(super) fn of_run(report: &Report<'_>) -> Vec<Panel> {
    vec![
        throughput(report),
        latency(report),
        checkpoint_age(report),
        flushing(report),
        dirty_pages(report),
        redo(report),
        utilization(report),
        queue(report),
    ]
}

fn throughput(report: &Report<'_>) -> Panel {
    let points = each_second(&report.output.series, |s| s.transactions as f64);
    let axis = Axis::linear(largest(&points), 4, "");
    Panel { title: "Transactions per Second", ..second_and_median(points, axis, HEIGHTS[0], BLUE) }
}

fn latency(report: &Report<'_>) -> Panel {
    let points = latencies(&report.output.series);
    let axis = latency_axis(points.iter().map(|p| p.1).collect(), 3);
    let labels = vec![Label {
        value: medians(&points).last().map_or(0.0, |p| p.1),
        text: format!("overall {}", milliseconds(report.summary.latency_ms_p95)),
        ink: PURPLE,
    }];
    let title = "Transaction Latency, 95th Percentile";
    Panel { title, labels, ..second_and_median(points, axis, HEIGHTS[1], PURPLE) }
}

/// Latencies of the seconds in which a transaction ended: one in which none did has none, and not the best. All of them if
/// none ever did.
pub(super) fn latencies(series: &[SecondSample]) -> Vec<(f64, f64)> {
    let points = each_second(series, |s| s.latency_ms_p95);
    let ended = || points.iter().zip(series).filter(|(_, s)| s.transactions > 0).map(|(point, _)| *point);
    if ended().next().is_some() { ended().collect() } else { points }
}

/// An axis for these latencies: linear with about `wanted` ticks, logarithmic where the largest would press all others
/// to the bottom.
pub(super) fn latency_axis(mut values: Vec<f64>, wanted: usize) -> Axis {
    values.retain(|v| *v > 0.0);
    values.sort_by(f64::total_cmp);
    let typical = values.get(values.len() / 2).copied().unwrap_or(0.0);
    let largest = values.last().copied().unwrap_or(0.0);
    if largest > LOGARITHMIC_FROM * typical && typical > 0.0 {
        Axis::logarithmic(&values, "ms (log)")
    } else {
        Axis::linear(largest, wanted, "ms")
    }
}

fn checkpoint_age(report: &Report<'_>) -> Panel {
    let series = &report.output.series;
    let age = each_second(series, |s| s.checkpoint_age_bytes as f64);
    let limits = [
        ("async", ORANGE, each_second(series, |s| s.age_async_bytes as f64)),
        ("sync", VERMILION, each_second(series, |s| s.age_sync_bytes as f64)),
    ];
    let stop = report.output.age_limits.stop_bytes as f64;
    let top = limits.iter().map(|(.., points)| largest(points)).fold(largest(&age).max(stop), f64::max);
    let mut layers = vec![
        Layer::Area { upper: age.clone(), lower: None, ink: BLUE.alpha(0.17) },
        Layer::Line { points: age.clone(), ink: BLUE, width: 2.0 },
    ];
    let mut labels = vec![end_label(&age, format!("age {}", bytes(end(&age))), BLUE)];
    for (name, ink, points) in limits {
        if largest(&points) > 0.0 {
            labels.push(end_label(&points, format!("{name} {}", bytes(end(&points))), ink));
            layers.push(Layer::Line { points, ink, width: 1.6 });
        }
    }
    if stop > 0.0 {
        labels.push(Label { value: stop, text: format!("stop {}", bytes(stop)), ink: TEXT });
        layers.push(Layer::Limit { value: stop, ink: TEXT });
    }
    Panel { title: "InnoDB Checkpoint Age", height: HEIGHTS[2], axis: Axis::bytes(top, 4, false), layers, labels }
}

/// A kind of flushing: its name, colour, and pages in a second.
type Kind = (&'static str, Ink, fn(&SecondSample) -> u64);

/// The kinds, in the order in which they are stacked. LRU batches of a sync pass are its flushing. Neighbours are what the others leave of the total, so that the
/// stack always adds up to it.
const KINDS: [Kind; 6] = [
    ("adaptive", BLUE, |s| s.adaptive_pages),
    ("background", SKY, |s| s.background_pages),
    ("LRU", YELLOW, |s| s.lru_pages - s.lru_sync_pages),
    ("single page", PURPLE, |s| s.single_pages),
    ("neighbours", SLATE, |s| s.pages_flushed.saturating_sub(by_kind(s))),
    ("sync", VERMILION, |s| s.sync_pages),
];

fn by_kind(s: &SecondSample) -> u64 {
    s.adaptive_pages + s.background_pages + s.lru_pages - s.lru_sync_pages + s.single_pages + s.sync_pages
}

fn flushing(report: &Report<'_>) -> Panel {
    let series = &report.output.series;
    let present: Vec<Kind> = KINDS.into_iter().filter(|(.., pages)| series.iter().any(|s| pages(s) > 0)).collect();
    let layers: Vec<Vec<(f64, f64)>> =
        present.iter().map(|(.., pages)| each_second(series, |s| pages(s) as f64)).collect();
    let sums = stacked(&layers);
    // As in the footer: without the warm-up.
    let counted = |pages: fn(&SecondSample) -> u64| -> f64 {
        series.iter().filter(|s| s.second as f64 > report.identity.warmup_s).map(|s| pages(s) as f64).sum()
    };
    let total: f64 = present.iter().map(|(.., pages)| counted(*pages)).sum();
    let top = sums.last().map_or(0.0, |sum| largest(sum));
    let mut panel = Panel {
        title: "InnoDB Flushing by Type",
        height: HEIGHTS[3],
        axis: Axis::linear(top, 4, "pages/s"),
        layers: Vec::new(),
        labels: Vec::new(),
    };
    for (i, (name, ink, pages)) in present.into_iter().enumerate() {
        let lower = i.checked_sub(1).map(|below| sums[below].clone());
        let middle = (end(&sums[i]) + lower.as_deref().map_or(0.0, end)) / 2.0;
        let share = counted(pages) / total.max(1.0);
        // Yellow letters on white are hard to read.
        let letters = if ink == YELLOW { ORANGE } else { ink };
        panel.labels.push(Label { value: middle, text: format!("{name} {}", percent(share)), ink: letters });
        panel.layers.push(Layer::Area { upper: sums[i].clone(), lower, ink: ink.alpha(0.85) });
    }
    panel
}

fn dirty_pages(report: &Report<'_>) -> Panel {
    let points = each_second(&report.output.series, |s| s.dirty_pages as f64);
    let recovery = each_second(&report.output.series, |s| s.recovery_pages as f64);
    let axis = Axis::linear(largest(&points).max(largest(&recovery)), 2, "pages");
    let text = format!("dirty {}", rate(end(&points)));
    let mut panel = Panel { title: "Dirty Pages", ..filled(points, axis, HEIGHTS[4], GREEN, text) };
    if largest(&recovery) > 0.0 {
        // As long as a label can be beside eight digits.
        let read = format!("recovery {}", rate(end(&recovery)));
        panel.labels.push(end_label(&recovery, read, SLATE));
        panel.layers.push(Layer::Line { points: recovery, ink: SLATE, width: 1.2 });
    }
    panel
}

fn redo(report: &Report<'_>) -> Panel {
    let points = each_second(&report.output.series, |s| s.redo_generated_bytes as f64);
    let axis = Axis::bytes(largest(&points), 2, true);
    let mean = format!("mean {}/s", bytes(report.summary.redo_bytes_per_s));
    let panel = second_and_median(points, axis, HEIGHTS[5], BLUE);
    let labels = panel.labels.into_iter().take(1).map(|label| Label { text: mean.clone(), ..label }).collect();
    Panel { title: "Redo Generation Rate", labels, ..panel }
}

fn utilization(report: &Report<'_>) -> Panel {
    let points = each_second(&report.output.series, |s| s.device_utilization * 100.0);
    let axis = Axis::share_of(106.0, &[0.0, 50.0, 100.0], "%");
    let text = format!("mean {}", percent(report.summary.device_utilization));
    Panel { title: "Device Utilization", ..filled(points, axis, HEIGHTS[6], SLATE, text) }
}

fn queue(report: &Report<'_>) -> Panel {
    let points = each_second(&report.output.series, |s| s.device_queue_mean);
    let axis = Axis::linear(largest(&points), 2, "operations");
    let text = format!("mean {}", rate(report.summary.device_queue_mean));
    Panel { title: "Device Queue", ..filled(points, axis, HEIGHTS[7], SLATE, text) }
}

/// Each second thin and pale, the 10 s medians bold above it.
fn second_and_median(points: Vec<(f64, f64)>, axis: Axis, height: f64, ink: Ink) -> Panel {
    let bold = medians(&points);
    let pale = ink.tint(0.42);
    let value = end(&bold);
    let mut labels = vec![Label { value, text: "10 s median".to_owned(), ink }];
    labels.push(Label { value: value * 0.999, text: "each second".to_owned(), ink: ink.tint(0.6) });
    let layers = vec![Layer::Line { points, ink: pale, width: 1.0 }, Layer::Line { points: bold, ink, width: 2.4 }];
    Panel { title: "", height, axis, layers, labels }
}

/// A line with the area under it, named by `text`.
fn filled(points: Vec<(f64, f64)>, axis: Axis, height: f64, ink: Ink, text: String) -> Panel {
    let labels = vec![end_label(&points, text, ink)];
    let layers = vec![
        Layer::Area { upper: points.clone(), lower: None, ink: ink.alpha(0.17) },
        Layer::Line { points, ink, width: 1.4 },
    ];
    Panel { title: "", height, axis, layers, labels }
}

fn end_label(points: &[(f64, f64)], text: String, ink: Ink) -> Label {
    Label { value: end(points), text, ink }
}

/// The last value.
pub(super) fn end(points: &[(f64, f64)]) -> f64 {
    points.last().map_or(0.0, |p| p.1)
}

/// The largest value, at least 0.
pub(super) fn largest(points: &[(f64, f64)]) -> f64 {
    points.iter().map(|p| p.1).fold(0.0, f64::max)
}
