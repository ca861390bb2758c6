//! Series made ready to draw: points, medians, stacks, spans, and fewer points than pixels need.

use innosim_core::metrics::{BLOCK_S, SecondSample, block_medians};

/// How long a series is; a second at least.
pub(super) fn seconds(series: &[SecondSample]) -> f64 {
    series.last().map_or(1, |s| s.second).max(1) as f64
}

/// A series as points (seconds, value). A second stands at its middle.
pub(super) fn each_second(series: &[SecondSample], value: impl Fn(&SecondSample) -> f64) -> Vec<(f64, f64)> {
    series.iter().map(|s| (s.second as f64 - 0.5, value(s))).collect()
}

/// Medians over 10 seconds of a series by [`each_second`], each in the middle of its block.
pub(super) fn medians(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let values: Vec<f64> = points.iter().map(|p| p.1).collect();
    let middles = points.chunks(BLOCK_S).map(|block| (block[0].0 + block[block.len() - 1].0) / 2.0);
    middles.zip(block_medians(&values)).collect()
}

/// The same points with the first and last value drawn out to the ends of the time axis.
pub(super) fn drawn_out(points: &[(f64, f64)], end: f64) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let mut out = Vec::with_capacity(points.len() + 2);
    out.push((0.0, first.1));
    out.extend_from_slice(points);
    out.push((end, last.1));
    out
}

/// The least and the greatest point of each of `columns` columns, in their order: what a line drawn through all the
/// points would cover.
pub(super) fn decimated(points: &[(f64, f64)], end: f64, columns: usize) -> Vec<(f64, f64)> {
    if points.len() <= 2 * columns {
        return points.to_vec();
    }
    let mut out = Vec::with_capacity(2 * columns + 2);
    for group in points.chunk_by(|a, b| column(a.0, end, columns) == column(b.0, end, columns)) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(&low), Some(&high)) = (group.iter().min_by(by_value), group.iter().max_by(by_value)) else {
            continue;
        };
        out.push(if low.0 <= high.0 { low } else { high });
        if low != high {
            out.push(if low.0 <= high.0 { high } else { low });
        }
    }
    out
}

/// The mean point of each of `columns` columns: for stacks, where extremes of different layers don't add up.
pub(super) fn averaged(points: &[(f64, f64)], end: f64, columns: usize) -> Vec<(f64, f64)> {
    if points.len() <= 2 * columns {
        return points.to_vec();
    }
    let mean = |group: &[(f64, f64)]| {
        let n = group.len() as f64;
        (group.iter().map(|p| p.0).sum::<f64>() / n, group.iter().map(|p| p.1).sum::<f64>() / n)
    };
    points.chunk_by(|a, b| column(a.0, end, columns) == column(b.0, end, columns)).map(mean).collect()
}

fn column(second: f64, end: f64, columns: usize) -> usize {
    (second / end * columns as f64) as usize
}

/// Layers put on top of each other: entry `i` is the sum of the layers up to `i`.
pub(super) fn stacked(layers: &[Vec<(f64, f64)>]) -> Vec<Vec<(f64, f64)>> {
    let mut sums: Vec<Vec<(f64, f64)>> = Vec::new();
    for layer in layers {
        let below = sums.last();
        let sum = layer.iter().enumerate().map(|(i, p)| (p.0, p.1 + below.map_or(0.0, |b| b[i].1))).collect();
        sums.push(sum);
    }
    sums
}

/// Spans (from, to) in seconds in which sync flushing ran. Gaps below `resolution` seconds are closed.
pub(super) fn sync_spans(series: &[SecondSample], resolution: f64) -> Vec<(f64, f64)> {
    let mut spans: Vec<(f64, f64)> = Vec::new();
    for s in series.iter().filter(|s| s.sync_flushing) {
        let (from, to) = (s.second as f64 - 1.0, s.second as f64);
        match spans.last_mut() {
            Some(last) if from - last.1 <= resolution => last.1 = to,
            _ => spans.push((from, to)),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimation_keeps_extremes_and_order() {
        let points: Vec<(f64, f64)> =
            (0..10_000).map(|i| (f64::from(i) + 0.5, if i == 4321 { 99.0 } else { f64::from(i % 7) })).collect();
        let few = decimated(&points, 10_000.0, 100);
        assert!(few.len() <= 202);
        assert!(few.contains(&(4321.5, 99.0)));
        assert!(few.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(decimated(&points[..100], 10_000.0, 100), points[..100]);
        let means = averaged(&points, 10_000.0, 100);
        assert_eq!(means.len(), 100);
        assert!(means.iter().all(|p| p.1 < 4.0));
    }

    #[test]
    fn stacks_add_up() {
        let stack = stacked(&[vec![(0.5, 1.0), (1.5, 2.0)], vec![(0.5, 10.0), (1.5, 20.0)]]);
        assert_eq!(stack[1], [(0.5, 11.0), (1.5, 22.0)]);
    }

    #[test]
    fn spans_join_where_the_eye_sees_no_gap() {
        let series: Vec<SecondSample> = (1..=100)
            .map(|second| SecondSample {
                second,
                sync_flushing: matches!(second, 3..=5 | 7 | 50),
                ..Default::default()
            })
            .collect();
        assert_eq!(sync_spans(&series, 0.1), [(2.0, 5.0), (6.0, 7.0), (49.0, 50.0)]);
        assert_eq!(sync_spans(&series, 1.0), [(2.0, 7.0), (49.0, 50.0)]);
    }

    #[test]
    fn short_series_are_drawn_out() {
        assert_eq!(drawn_out(&[(0.5, 7.0)], 1.0), [(0.0, 7.0), (0.5, 7.0), (1.0, 7.0)]);
        assert!(drawn_out(&[], 1.0).is_empty());
        assert_eq!(medians(&[(0.5, 7.0), (1.5, 9.0)]), [(1.0, 8.0)]);
        assert!(medians(&[]).is_empty());
    }
}
