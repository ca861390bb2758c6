//! Round ticks for values, bytes and time.

use crate::numbers::{ByteUnit, tick};

/// How values are mapped to heights, and which of them get a tick.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Values with a tick, and their text.
    pub(super) ticks: Vec<(f64, String)>,
    /// Unit, to stand above the ticks; empty if the title says it.
    pub(super) unit: &'static str,
}

impl Axis {
    /// From 0 to just above `max`, with about `wanted` ticks.
    pub(super) fn linear(max: f64, wanted: usize, unit: &'static str) -> Axis {
        Axis::from_zero(max, wanted, 1.0, unit)
    }

    /// The same for bytes, in the binary unit that suits `max`; `per_second` makes it a rate.
    pub(super) fn bytes(max: f64, wanted: usize, per_second: bool) -> Axis {
        let unit = ByteUnit::for_size(max);
        let name = match (unit.name, per_second) {
            ("TiB", true) => "TiB/s",
            ("GiB", true) => "GiB/s",
            ("MiB", true) => "MiB/s",
            ("KiB", true) => "KiB/s",
            (_, true) => "bytes/s",
            ("B", false) => "bytes",
            (name, false) => name,
        };
        Axis::from_zero(max, wanted, unit.bytes as f64, name)
    }

    /// From 0 to `max` exactly.
    pub(super) fn share_of(max: f64, ticks: &[f64], unit: &'static str) -> Axis {
        let ticks = ticks.iter().map(|&t| (t, tick(t))).collect();
        Axis { low: 0.0, high: max, logarithmic: false, ticks, unit }
    }

    /// About all `values`: from 0 if they come down to half of their largest, otherwise from just below the smallest,
    /// so that the shape of a curve can be seen.
    pub(super) fn about(values: &[f64], wanted: usize, unit: &'static str) -> Axis {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        let from_zero = Axis::linear(high, wanted, unit);
        if !low.is_finite() || low <= high / 2.0 || high - low < high * 1e-9 {
            return from_zero;
        }
        let margin = (high - low) * 0.12;
        let (low, high) = (low - margin, high + margin);
        let step = round_step((high - low) / wanted.max(1) as f64);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        let ticks = (first..=last).map(|i| i as f64 * step).map(|v| (v, tick(v))).collect();
        Axis { low, high, ticks, ..from_zero }
    }

    /// Powers of ten about all `values` above 0.
    pub(super) fn logarithmic(values: &[f64], unit: &'static str) -> Axis {
        let positive = || values.iter().copied().filter(|v| *v > 0.0);
        let low = positive().fold(f64::MAX, f64::min).log10().floor();
        let high = positive().fold(f64::MIN_POSITIVE, f64::max).log10().ceil().max(low + 1.0);
        let decades = high as i32 - low as i32;
        let every = (decades / 5 + 1) as usize;
        let ticks = (low as i32..=high as i32).step_by(every).map(|d| (10f64.powi(d), tick(10f64.powi(d)))).collect();
        Axis { low: 10f64.powi(low as i32), high: 10f64.powi(high as i32), logarithmic: true, ticks, unit }
    }

    fn from_zero(max: f64, wanted: usize, unit_size: f64, unit: &'static str) -> Axis {
        let max = if max > 0.0 && max.is_finite() { max / unit_size } else { 1.0 };
        let high = max * 1.06;
        let step = round_step(high / wanted as f64);
        let count = (high / step).floor() as usize;
        let ticks = (0..=count).map(|i| i as f64 * step).map(|v| (v * unit_size, tick(v))).collect();
        Axis { low: 0.0, high: high * unit_size, logarithmic: false, ticks, unit }
    }

    /// Height of `value` as a share of the axis, 0 at the bottom; values beyond the ends stay at them.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value.max(self.low) / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        share.clamp(0.0, 1.0)
    }
}

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powi(least.log10().floor() as i32);
    [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= least * (1.0 - 1e-9)).unwrap_or(least)
}

/// Ticks of a time axis: seconds since the start and their text, and the unit's name.
pub(super) fn time_ticks(seconds: f64) -> (Vec<(f64, String)>, &'static str) {
    let (unit, name) = match seconds {
        s if s <= 10_000.0 => (1.0, "seconds"),
        s if s <= 600_000.0 => (3600.0, "hours"),
        _ => (86_400.0, "days"),
    };
    let span = seconds / unit;
    let step = match unit as u64 {
        1 => [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 100.0, 200.0, 500.0, 1000.0]
            .into_iter()
            .find(|s| span / s <= 12.0)
            .unwrap_or(1000.0),
        3600 => [0.5, 1.0, 2.0, 4.0, 6.0, 12.0, 24.0].into_iter().find(|s| span / s <= 12.0).unwrap_or(24.0),
        _ => round_step(span / 12.0),
    };
    let count = (span / step + 1e-9).floor() as usize;
    ((0..=count).map(|i| i as f64 * step).map(|v| (v * unit, tick(v))).collect(), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &[(f64, String)]) -> Vec<&str> {
        ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(&Axis::linear(11_400.0, 4, "").ticks), ["0", "5,000", "10,000"]);
        assert_eq!(texts(&Axis::linear(0.0, 2, "").ticks), ["0", "1"]);
        let age = Axis::bytes(17.9 * 1024f64.powi(3), 4, false);
        assert_eq!((texts(&age.ticks), age.unit), (vec!["0", "5", "10", "15"], "GiB"));
        assert_eq!(Axis::bytes(0.0, 2, true).unit, "bytes/s");
    }

    #[test]
    fn a_curve_fills_its_panel() {
        let axis = Axis::about(&[7600.0, 8400.0], 4, "tps");
        assert_eq!(texts(&axis.ticks), ["7,750", "8,000", "8,250"]);
        assert!(axis.share(7600.0) > 0.05 && axis.share(8400.0) < 0.95);
        assert_eq!(Axis::about(&[10.0, 8400.0], 4, "").share(0.0), 0.0);
        assert_eq!(texts(&Axis::about(&[], 4, "").ticks)[0], "0");
        assert_eq!(texts(&Axis::about(&[5.0, 5.0], 4, "").ticks)[0], "0");
    }

    #[test]
    fn shares_stay_in_the_panel() {
        for axis in [Axis::linear(100.0, 3, ""), Axis::logarithmic(&[0.0, 3.0, 4000.0], "ms")] {
            for value in [-5.0, 0.0, 3.0, 100.0, 1e12] {
                assert!((0.0..=1.0).contains(&axis.share(value)), "{axis:?} {value}");
            }
        }
        assert_eq!(Axis::share_of(100.0, &[0.0, 100.0], "%").share(25.0), 0.25);
    }

    #[test]
    fn logarithms_by_hand() {
        let axis = Axis::logarithmic(&[0.0, 3.0, 4000.0], "ms");
        assert_eq!(texts(&axis.ticks), ["1", "10", "100", "1,000", "10,000"]);
        assert!((axis.share(100.0) - 0.5).abs() < 1e-12);
        assert!(Axis::logarithmic(&[5.0], "ms").share(5.0) > 0.0);
    }

    #[test]
    fn time_in_units_of_its_length() {
        assert_eq!(texts(&time_ticks(600.0).0).len(), 11);
        assert_eq!(texts(&time_ticks(5000.0).0)[..3], ["0", "500", "1,000"]);
        assert_eq!(time_ticks(36_000.0), ((0..=10).map(|h| (f64::from(h) * 3600.0, h.to_string())).collect(), "hours"));
        assert_eq!(texts(&time_ticks(1.0).0), ["0", "1"]);
    }
}
