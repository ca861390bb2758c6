//! Non-negative least squares: the `x >= 0` that minimises `|A x - b|`, by the active-set method of Lawson and Hanson
//! ("Solving Least Squares Problems", 1974, chapter 23).
//!
//! It works on the normal equations, `A'A` and `A'b`: here `A` is tall and has some thirty columns, so these are small,
//! and data can be added row by row. Columns are scaled to length 1 first. What the squared condition number costs is no
//! loss: columns that can't be told apart by it can't be told apart by noisy counters either, and the one that gains
//! nothing stays out.
//!
//! Why by hand: the crate `nnls` 0.5 works on `A` by orthogonal steps, which is better where nothing is noisy (there it leaves
//! less by up to 6 millionths of `|b|`, and takes 4 to 12 times as long). Where counters are off by a thousandth or more, what is left
//! differs by less than a millionth, as a test here sees. But it takes all rows at once, so that the jackknife would solve tall
//! problems again and again; and by `ndarray-stats` it depends on a generator of random numbers that asks the system for its seed,
//! which does not build for the page (WebAssembly without a system). Solvers of quadratic programs (`clarabel`, `osqp`) give no
//! zeros, only small numbers, and a bin of a scenario is a page set. So it is a dependency of the tests alone.

/// Rows of a least-squares problem, added up.
#[derive(Debug, Clone, PartialEq)]
pub struct Normal {
    columns: usize,
    /// `A'A`, row by row.
    gram: Vec<f64>,
    /// `A'b`.
    right: Vec<f64>,
    /// `b'b`.
    square: f64,
}

/// A column whose gradient is below this share of its own length gains nothing.
const GAINS_NOTHING: f64 = 1e-10;
/// Smallest pivot of a scaled system.
const SMALLEST_PIVOT: f64 = 1e-12;

impl Normal {
    /// A problem of `columns` unknowns and no rows yet.
    pub fn new(columns: usize) -> Self {
        Normal { columns, gram: vec![0.0; columns * columns], right: vec![0.0; columns], square: 0.0 }
    }

    /// Adds a row: `row x` should be `value`, with a weight that both are multiplied by. A row that is not finite is left
    /// out.
    pub fn add(&mut self, row: &[f64], value: f64, weight: f64) {
        let finite = row.iter().all(|entry| entry.is_finite());
        if !finite || !value.is_finite() || !weight.is_finite() || row.len() != self.columns {
            return;
        }
        let squared = weight * weight;
        for (i, a) in row.iter().enumerate() {
            for (j, b) in row.iter().enumerate() {
                self.gram[i * self.columns + j] += squared * a * b;
            }
            self.right[i] += squared * a * value;
        }
        self.square += squared * value * value;
    }

    /// Takes the rows of another problem away, which were added before.
    pub fn without(&self, other: &Normal) -> Normal {
        let less = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        Normal {
            columns: self.columns,
            gram: less(&self.gram, &other.gram),
            right: less(&self.right, &other.right),
            square: self.square - other.square,
        }
    }

    /// Adds the rows of another problem.
    pub fn join(&mut self, other: &Normal) {
        self.gram.iter_mut().zip(&other.gram).for_each(|(a, b)| *a += b);
        self.right.iter_mut().zip(&other.right).for_each(|(a, b)| *a += b);
        self.square += other.square;
    }

    /// The same with a price on each unknown: the solution minimises `|A x - b|²/2 + price sum(x)`.
    pub fn priced(&self, price: f64) -> Normal {
        Normal { right: self.right.iter().map(|right| right - price).collect(), ..self.clone() }
    }

    /// The price from which on the solution is nothing at all.
    pub fn steepest(&self) -> f64 {
        self.right.iter().copied().fold(0.0, f64::max)
    }

    /// The solution; a column that is all zeros, or that `allowed` says no to, gets 0.
    pub fn solve(&self, allowed: impl Fn(usize) -> bool) -> Vec<f64> {
        let lengths: Vec<f64> = (0..self.columns).map(|i| self.gram[i * self.columns + i].max(0.0).sqrt()).collect();
        let open: Vec<bool> = (0..self.columns).map(|i| lengths[i] > 0.0 && allowed(i)).collect();
        let scaled = |i: usize, j: usize| self.gram[i * self.columns + j] / (lengths[i] * lengths[j]);
        let right = |i: usize| self.right[i] / lengths[i];
        let scale = (0..self.columns).filter(|&i| open[i]).map(|i| right(i).abs()).fold(0.0, f64::max);
        let mut x = vec![0.0; self.columns];
        let mut passive: Vec<usize> = Vec::new();
        // Columns that can't be told from those that are in, or fall at once, until one of these leaves.
        let mut kept_out = vec![false; self.columns];
        // Each round takes a column in; it ends on its own, the bound is for rounding.
        for _ in 0..10 * self.columns.max(1) {
            let gradient = |i: usize| right(i) - passive.iter().map(|&j| scaled(i, j) * x[j]).sum::<f64>();
            let candidates = (0..self.columns).filter(|i| open[*i] && !kept_out[*i] && !passive.contains(i));
            let best = candidates.map(|i| (gradient(i), i)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((_, enters)) = best.filter(|(gradient, _)| *gradient > GAINS_NOTHING * scale) else { break };
            let before = (passive.clone(), x.clone());
            passive.push(enters);
            let is_in = settle(&mut passive, &mut x, &scaled, &right) && passive.contains(&enters);
            if !is_in {
                (passive, x) = before;
                kept_out[enters] = true;
            } else if passive.len() <= before.0.len() {
                kept_out.fill(false);
            }
        }
        (0..self.columns).map(|i| if open[i] { x[i] / lengths[i] } else { 0.0 }).collect()
    }

    /// `|A x - b|²`.
    pub fn residual(&self, x: &[f64]) -> f64 {
        let mut sum = self.square;
        for i in 0..self.columns {
            let row = &self.gram[i * self.columns..(i + 1) * self.columns];
            sum += x[i] * (row.iter().zip(x).map(|(g, x)| g * x).sum::<f64>() - 2.0 * self.right[i]);
        }
        sum.max(0.0)
    }

    /// `|b|²`.
    pub fn square(&self) -> f64 {
        self.square
    }
}

/// Moves `x` to the least-squares solution over the passive columns, and throws those out that would be negative; false
/// if the system is singular.
fn settle(
    passive: &mut Vec<usize>,
    x: &mut [f64],
    gram: &impl Fn(usize, usize) -> f64,
    right: &impl Fn(usize) -> f64,
) -> bool {
    loop {
        let Some(goal) = least_squares(passive, gram, right) else { return false };
        let falls = |(&i, &to): (&usize, &f64)| (to <= 0.0).then(|| x[i] / (x[i] - to));
        let step = passive.iter().zip(&goal).filter_map(falls).fold(f64::INFINITY, f64::min);
        if step.is_infinite() {
            passive.iter().zip(&goal).for_each(|(&i, &to)| x[i] = to);
            return true;
        }
        let step = if step.is_finite() { step.clamp(0.0, 1.0) } else { 0.0 };
        for (&i, &to) in passive.iter().zip(&goal) {
            x[i] += step * (to - x[i]);
            // Those that the step brought to 0, and those that start there and would fall.
            if to <= 0.0 && x[i] <= 1e-14 {
                x[i] = 0.0;
            }
        }
        let before = passive.len();
        let stays: Vec<bool> = passive.iter().zip(&goal).map(|(&i, &to)| to > 0.0 || x[i] > 0.0).collect();
        let mut keep = stays.iter();
        passive.retain(|_| keep.next().copied().unwrap_or(true));
        if passive.len() == before {
            return false;
        }
        if passive.is_empty() {
            return true;
        }
    }
}

/// Cholesky's solution over some columns; `None` if they depend on each other.
fn least_squares(
    columns: &[usize],
    gram: &impl Fn(usize, usize) -> f64,
    right: &impl Fn(usize) -> f64,
) -> Option<Vec<f64>> {
    let n = columns.len();
    let mut lower = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
            let rest = gram(columns[i], columns[j]) - sum;
            if i == j {
                if rest < SMALLEST_PIVOT {
                    return None;
                }
                lower[i * n + i] = rest.sqrt();
            } else {
                lower[i * n + j] = rest / lower[j * n + j];
            }
        }
    }
    let mut solution = vec![0.0; n];
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| lower[i * n + k] * solution[k]).sum();
        solution[i] = (right(columns[i]) - sum) / lower[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| lower[k * n + i] * solution[k]).sum();
        solution[i] = (solution[i] - sum) / lower[i * n + i];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn problem(rows: &[(&[f64], f64)]) -> Normal {
        let mut normal = Normal::new(rows[0].0.len());
        rows.iter().for_each(|(row, value)| normal.add(row, *value, 1.0));
        normal
    }

    #[test]
    fn a_square_system_is_solved() {
        let x = problem(&[(&[2.0, 1.0], 5.0), (&[1.0, 3.0], 10.0)]).solve(|_| true);
        assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 3.0).abs() < 1e-9, "{x:?}");
    }

    #[test]
    fn what_would_be_negative_is_nothing() {
        // Without the bound the solution is (-1, 2).
        let x = problem(&[(&[1.0, 1.0], 1.0), (&[1.0, 2.0], 3.0), (&[1.0, 0.0], -1.0)]).solve(|_| true);
        assert_eq!(x[0], 0.0);
        assert!((x[1] - 1.4).abs() < 1e-9, "(1 + 2 x 3) / (1 + 4): {x:?}");
    }

    #[test]
    fn twins_empty_columns_and_refused_ones() {
        let normal = problem(&[(&[1.0, 1.0, 0.0], 2.0), (&[2.0, 2.0, 0.0], 4.0)]);
        let x = normal.solve(|_| true);
        assert!((x[0] + x[1] - 2.0).abs() < 1e-9 && x[2] == 0.0, "{x:?}");
        assert_eq!(normal.solve(|i| i == 1)[0], 0.0);
        assert!(normal.residual(&x) < 1e-9);
        assert!((normal.residual(&[0.0; 3]) - normal.square()).abs() < 1e-12);
        assert_eq!(Normal::new(0).solve(|_| true), Vec::<f64>::new());
    }

    /// Shares of pages that are dirty by age, with counts that are off: columns that are nearly alike, as in fits.
    fn like_a_fit(cut: usize, noise: f64) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(cut as u64 + 1);
        let mut uniform = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let rates: Vec<f64> = (0..50).map(|i| 1e-7 * libm::pow(10.0, f64::from(i) / 10.0)).collect();
        let pages: Vec<f64> = rates.iter().map(|_| if uniform() < 0.15 { 1e5 * uniform() } else { 0.0 }).collect();
        let row = |i: i32| rates.iter().map(|rate| -libm::expm1(-rate * 2500.0 * f64::from(i))).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = (1..=400).map(row).collect();
        let values = rows.iter().map(|row| {
            let value: f64 = row.iter().zip(&pages).map(|(share, pages)| share * pages).sum();
            value * (1.0 + noise * (2.0 * uniform() - 1.0))
        });
        let values = values.collect();
        (rows, values)
    }

    #[test]
    fn as_good_as_orthogonal_steps_on_what_is_noisy() {
        for cut in 0..30 {
            let (rows, values) = like_a_fit(cut, 0.003);
            let mut normal = Normal::new(rows[0].len());
            rows.iter().zip(&values).for_each(|(row, value)| normal.add(row, *value, 1.0));
            let ours = normal.solve(|_| true);
            let matrix = ndarray::Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j]);
            let (theirs, _) = nnls::nnls(matrix.view(), ndarray::ArrayView1::from(&values));
            let left = |x: &[f64]| {
                let off = |(row, value): (&Vec<f64>, &f64)| {
                    let off = row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() - value;
                    off * off
                };
                rows.iter().zip(&values).map(off).sum::<f64>().sqrt()
            };
            let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
            let more = (left(&ours) - left(&theirs.to_vec())) / length;
            assert!(more < 1e-6, "{cut}: leaves more by {more} of |b|");
        }
    }

    proptest! {
        /// The conditions of Karush, Kuhn and Tucker: no gradient where there is something, none that gains where there is
        /// nothing.
        #[test]
        fn the_solution_is_the_best(
            rows in proptest::collection::vec((proptest::collection::vec(0.0..1.0f64, 6), -1.0..2.0f64), 1..40),
        ) {
            let mut normal = Normal::new(6);
            rows.iter().for_each(|(row, value)| normal.add(row, *value, 1.0));
            let x = normal.solve(|_| true);
            prop_assert!(x.iter().all(|x| x.is_finite() && *x >= 0.0), "{x:?}");
            for i in 0..6 {
                let gradient: f64 = rows
                    .iter()
                    .map(|(row, value)| row[i] * (value - row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>()))
                    .sum();
                prop_assert!(gradient < 1e-5, "column {i} would gain: {gradient}, {x:?}");
                prop_assert!(x[i] == 0.0 || gradient.abs() < 1e-5, "column {i} is not at rest: {gradient}, {x:?}");
            }
        }
    }
}
