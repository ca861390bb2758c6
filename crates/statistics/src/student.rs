//! Student's t distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The point that Student's t with `degrees` of freedom exceeds in size with probability `1 - level`: 2.2622 for
/// `level` 0.95 and 9 degrees. Infinite without a degree of freedom.
pub fn student_t_quantile(level: f64, degrees: usize) -> f64 {
    let level = level.clamp(0.0, 1.0 - 1e-12);
    distribution(degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(0.5 + level / 2.0))
}

/// Probability that Student's t with `degrees` of freedom is as far from 0 as `t`, on either side. Without a degree of
/// freedom nothing is unlikely: 1.
pub fn student_t_two_sided_p(t: f64, degrees: usize) -> f64 {
    distribution(degrees).map_or(1.0, |student| (2.0 * student.sf(t.abs())).clamp(0.0, 1.0))
}

fn distribution(degrees: usize) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, degrees as f64).ok().filter(|_| degrees > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_printed_tables() {
        for (level, degrees, printed) in [
            (0.95, 1, 12.7062),
            (0.95, 2, 4.3027),
            (0.95, 9, 2.2622),
            (0.95, 30, 2.0423),
            (0.95, 100, 1.9840),
            (0.99, 4, 4.6041),
            (0.90, 19, 1.7291),
        ] {
            let t = student_t_quantile(level, degrees);
            assert!((t - printed).abs() < 1e-4, "{level} {degrees}: {t}");
            assert!((student_t_two_sided_p(t, degrees) - (1.0 - level)).abs() < 1e-9);
        }
    }

    #[test]
    fn without_a_degree_of_freedom_nothing_is_claimed() {
        assert_eq!(student_t_quantile(0.95, 0), f64::INFINITY);
        assert_eq!(student_t_two_sided_p(100.0, 0), 1.0);
        assert!(student_t_quantile(1.0, 3).is_finite());
    }
}
