//! What the pictures of a sweep share: header, the axis of a setting, dots and bands.

use super::{Band, SweepAxis, SweepView};
use crate::dashboard::canvas::{Align, Canvas, Ink, Lettering, Rect};
use crate::dashboard::fonts::{Weight, width};
use crate::dashboard::frame;
use crate::dashboard::theme::{BLUE, GREEN, MUTED, ORANGE, PAPER, PURPLE, SLATE, SMALL, TEXT, VERMILION, WIDTH};
use plotters::prelude::DrawingBackend;

/// Height of the header, px.
pub(super) const HEADER: f64 = 104.0;
/// Colours of curves, in their order.
pub(super) const INKS: [Ink; super::MOST_CURVES] = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SLATE];
/// Room at both ends of a setting's axis, as a share of it.
pub(super) const PADDING: f64 = 0.035;

/// Title, what all points share, seed and version.
pub(super) fn header<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, view: &SweepView, height: f64) {
    canvas.rectangle(Rect::new(0.0, 0.0, WIDTH, height), PAPER);
    frame::title(canvas, &view.title, 28.0, &view.origin);
    frame::subtitle(canvas, &view.subtitle);
}

/// Places of a setting's values, 0 to 1 over the width of a plot: where they are numbers in order, in proportion to them
/// or to their logarithms, whichever keeps the closest two further apart; otherwise at equal distances.
pub(crate) fn places(axis: &SweepAxis) -> Vec<f64> {
    let count = axis.labels.len();
    let even = || (0..count).map(|i| (i as f64 + 0.5) / count as f64).collect();
    let Some(numbers) = axis.numbers.as_ref().filter(|n| n.len() > 1 && n.is_sorted_by(|a, b| a < b)) else {
        return even();
    };
    let (low, high) = (numbers[0], numbers[count - 1]);
    let closest = |shares: &[f64]| shares.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::min);
    let mut shares: Vec<f64> = numbers.iter().map(|value| (value - low) / (high - low)).collect();
    if low > 0.0 {
        let by_factors: Vec<f64> = numbers.iter().map(|value| (value / low).log10() / (high / low).log10()).collect();
        // Of two values the places are the same but for rounding.
        if closest(&by_factors) > closest(&shares) + 1e-9 {
            shares = by_factors;
        }
    }
    shares.into_iter().map(|share| PADDING + share * (1.0 - 2.0 * PADDING)).collect()
}

/// Texts of the values under a plot, as many as find room, and the setting's name.
pub(super) fn setting_axis<B: DrawingBackend>(
    canvas: &mut Canvas<'_, B>,
    axis: &SweepAxis,
    places: &[f64],
    plot: Rect,
) {
    let lettering = Lettering::regular(SMALL, MUTED).align(Align::Middle);
    let mut free_from = f64::MIN;
    for (label, place) in axis.labels.iter().zip(places) {
        let x = plot.left + place * (plot.right - plot.left);
        let half = width(label, SMALL, Weight::Regular) / 2.0;
        if x - half >= free_from {
            canvas.line(&[(x, plot.bottom), (x, plot.bottom + 5.0)], MUTED.tint(0.6), 1.0);
            canvas.text(label, (x, plot.bottom + 21.0), lettering);
            free_from = x + half + 12.0;
        }
    }
    let name = Lettering::bold(SMALL, TEXT).align(Align::Middle);
    canvas.text(&axis.name, ((plot.left + plot.right) / 2.0, plot.bottom + 43.0), name);
}

/// A filled disc.
pub(super) fn dot<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, (x, y): (f64, f64), radius: f64, ink: Ink) {
    // Cosines of 0, 30, 60, ... degrees.
    const COS: [f64; 12] =
        [1.0, 0.866_025_4, 0.5, 0.0, -0.5, -0.866_025_4, -1.0, -0.866_025_4, -0.5, 0.0, 0.5, 0.866_025_4];
    let corners: Vec<(f64, f64)> = (0..12).map(|i| (x + radius * COS[i], y + radius * COS[(i + 9) % 12])).collect();
    canvas.polygon(&corners, ink);
}

/// A dot with a ring around it: the best point.
pub(super) fn best_mark<B: DrawingBackend>(canvas: &mut Canvas<'_, B>, at: (f64, f64), ink: Ink) {
    dot(canvas, at, 9.5, ink);
    dot(canvas, at, 7.0, PAPER);
    dot(canvas, at, 4.5, ink);
}

/// Half the width of an interval that stands alone.
const LONE_INTERVAL: f64 = 2.5;

/// The outlines of the intervals around a line of (x, figure): one for each stretch of neighbouring points that have
/// one.
pub(super) fn band_outlines(points: &[(f64, Band)], y: impl Fn(f64) -> f64) -> Vec<Vec<(f64, f64)>> {
    let known = |(x, band): &(f64, Band)| band.half_width.map(|half| (*x, y(band.mean + half), y(band.mean - half)));
    let stretches = points.split(|(_, band)| band.half_width.is_none()).filter(|stretch| !stretch.is_empty());
    let outline = |stretch: &[(f64, Band)]| {
        let mut ends: Vec<_> = stretch.iter().filter_map(known).collect();
        if let [(x, upper, lower)] = ends[..] {
            ends = [x - LONE_INTERVAL, x + LONE_INTERVAL].map(|x| (x, upper, lower)).to_vec();
        }
        let upper = ends.iter().map(|&(x, upper, _)| (x, upper));
        upper.chain(ends.iter().rev().map(|&(x, _, lower)| (x, lower))).collect()
    };
    stretches.map(outline).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(numbers: Option<Vec<f64>>, count: usize) -> SweepAxis {
        SweepAxis { name: "a".to_owned(), labels: vec!["x".to_owned(); count], numbers }
    }

    #[test]
    fn values_stand_where_their_numbers_say() {
        let p = places(&axis(Some(vec![0.0, 1.0, 4.0]), 3));
        assert!((p[1] - p[0]) * 3.0 - (p[2] - p[1]) < 1e-12 && p[0] > 0.0 && p[2] < 1.0);
        let p = places(&axis(Some(vec![4.0, 16.0, 64.0, 256.0]), 4));
        assert!(p.windows(3).all(|w| (w[1] - w[0] - (w[2] - w[1])).abs() < 1e-12), "{p:?}");
        let p = places(&axis(Some((1..=30).map(f64::from).collect()), 30));
        assert!(p.windows(3).all(|w| (w[1] - w[0] - (w[2] - w[1])).abs() < 1e-12), "{p:?}");
        assert_eq!(places(&axis(None, 2)), [0.25, 0.75]);
        assert_eq!(places(&axis(Some(vec![5.0, 1.0]), 2)), [0.25, 0.75]);
        assert_eq!(places(&axis(Some(vec![5.0]), 1)), [0.5]);
    }

    #[test]
    fn bands_leave_out_points_without_an_interval() {
        let band = |mean, half_width| Band { mean, half_width };
        let known = [(0.0, band(5.0, Some(1.0))), (2.0, band(9.0, Some(2.0)))];
        let both = vec![(0.0, 6.0), (2.0, 11.0), (2.0, 7.0), (0.0, 4.0)];
        assert_eq!(band_outlines(&known, |v| v), [both]);
        let gap = [known[0], (1.0, band(7.0, None)), known[1]];
        let alone = |x, low, high| [(x - 2.5, high), (x + 2.5, high), (x + 2.5, low), (x - 2.5, low)].to_vec();
        assert_eq!(band_outlines(&gap, |v| v), [alone(0.0, 4.0, 6.0), alone(2.0, 7.0, 11.0)]);
        assert!(band_outlines(&gap[1..2], |v| v).is_empty());
    }
}
