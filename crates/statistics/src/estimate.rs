//! A mean with its confidence interval.

use super::student::student_t_quantile;
use serde::Serialize;

/// Level of all intervals that people are shown.
pub(super) const LEVEL: f64 = 0.95;

/// Mean of independent values, and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Number of values.
    pub count: usize,
    /// Their mean; 0 of none.
    pub mean: f64,
    /// Their standard deviation; 0 for fewer than two.
    pub deviation: f64,
    /// Half-width of the 95 % confidence interval by Student's t; `None` for fewer than two values, which say nothing
    /// about their spread.
    pub half_width: Option<f64>,
}

impl Estimate {
    /// From independent `values`, near normal: means of whole runs are.
    pub fn of(values: &[f64]) -> Estimate {
        Estimate::at_level(values, LEVEL)
    }

    /// The same with an interval of another `level`, 0..1.
    pub fn at_level(values: &[f64], level: f64) -> Estimate {
        let count = values.len();
        if count == 0 {
            return Estimate { count, mean: 0.0, deviation: 0.0, half_width: None };
        }
        let n = count as f64;
        let mean = values.iter().sum::<f64>() / n;
        if count == 1 {
            return Estimate { count, mean, deviation: 0.0, half_width: None };
        }
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let deviation = (squares / (n - 1.0)).sqrt();
        // Equal values have no spread, whatever rounding made of their mean.
        let deviation = if values.iter().all(|v| *v == values[0]) { 0.0 } else { deviation };
        let half_width = Some(student_t_quantile(level, count - 1) * deviation / n.sqrt());
        Estimate { count, mean, deviation, half_width }
    }

    /// Lower end of the interval; the mean itself without one.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width.unwrap_or(0.0)
    }

    /// Upper end of the interval; the mean itself without one.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width.unwrap_or(0.0)
    }

    /// Half-width as a share of the mean; `None` without an interval, and infinite about a mean of 0 with some spread.
    pub fn relative_half_width(&self) -> Option<f64> {
        let half = self.half_width?;
        Some(if half == 0.0 { 0.0 } else { half / self.mean.abs() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // 98, 100, 102: standard deviation 2, standard error 2 / sqrt(3), t with 2 degrees 4.3027.
        let e = Estimate::of(&[98.0, 100.0, 102.0]);
        assert_eq!((e.count, e.mean, e.deviation), (3, 100.0, 2.0));
        assert!((e.half_width.unwrap() - 4.968_33).abs() < 1e-4);
        assert!((e.low() - 95.031_67).abs() < 1e-4 && (e.high() - 104.968_33).abs() < 1e-4);
        assert!((e.relative_half_width().unwrap() - 0.049_683).abs() < 1e-5);
    }

    #[test]
    fn few_and_equal_values() {
        assert_eq!(Estimate::of(&[]), Estimate { count: 0, mean: 0.0, deviation: 0.0, half_width: None });
        assert_eq!(Estimate::of(&[7.0]).half_width, None);
        assert_eq!(Estimate::of(&[0.1; 7]).half_width, Some(0.0));
        assert_eq!(Estimate::of(&[0.0; 3]).relative_half_width(), Some(0.0));
        assert_eq!(Estimate::of(&[-1.0, 1.0]).relative_half_width(), Some(f64::INFINITY));
    }
}
