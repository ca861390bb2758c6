//! Whether the peers say the same, and how fast each says it.
//!
//! Replications of different peers are independent, so two means are compared by Welch's test; the p-values of all pairs
//! and figures are adjusted for their number (Holm). An agreement is worth nothing where the intervals are wide:
//! therefore the interval of each difference must be narrower than a stated resolution.

use crate::answer::{Kind, Peer};
use crate::parameters::Check;
use innosim_statistics::{Estimate, holm, student_t_quantile, student_t_two_sided_p};

/// The difference of two peers in one figure.
struct Difference {
    what: String,
    /// Share of the first peer's mean.
    relative: f64,
    /// Half-width of its 95 % interval, as a share.
    half_width: f64,
    p_value: f64,
}

/// Welch's test.
fn difference(what: String, a: &[f64], b: &[f64]) -> Difference {
    let (one, other) = (Estimate::of(a), Estimate::of(b));
    let variance = |e: &Estimate| e.deviation * e.deviation / e.count as f64;
    let (va, vb) = (variance(&one), variance(&other));
    let error = (va + vb).sqrt();
    let freedom = |v: f64, e: &Estimate| v * v / (e.count.max(2) - 1) as f64;
    let degrees = ((va + vb) * (va + vb) / (freedom(va, &one) + freedom(vb, &other))) as usize;
    let mean = other.mean - one.mean;
    Difference {
        what,
        relative: mean / one.mean,
        half_width: student_t_quantile(0.95, degrees) * error / one.mean,
        p_value: student_t_two_sided_p(mean / error, degrees),
    }
}

/// The figures of all peers, and what does not agree.
pub(crate) fn answers(peers: &[Peer], check: &Check) -> (String, Vec<String>) {
    let columns: Vec<Vec<[(&str, f64); 5]>> =
        peers.iter().map(|peer| peer.replications.iter().map(|row| row.figures()).collect()).collect();
    let values = |peer: usize, figure: usize| -> Vec<f64> { columns[peer].iter().map(|row| row[figure].1).collect() };
    let mut text = format!("{:32}", "mean, 95 % interval");
    let names = columns[0][0].map(|(name, _)| name);
    names.iter().for_each(|name| text += &format!("{name:>20}"));
    text.push('\n');
    for (number, peer) in peers.iter().enumerate() {
        text += &format!("{:32}", peer.name);
        for figure in 0..names.len() {
            let estimate = Estimate::of(&values(number, figure));
            text +=
                &format!("{:>20}", format!("{:.3} ± {:.3}", estimate.mean, estimate.half_width.unwrap_or(f64::NAN)));
        }
        text.push('\n');
    }
    let mut differences = Vec::new();
    for a in 0..peers.len() {
        for b in a + 1..peers.len() {
            for (figure, name) in names.iter().enumerate() {
                let what = format!("{name}: {} and {}", peers[a].name, peers[b].name);
                differences.push(difference(what, &values(a, figure), &values(b, figure)));
            }
        }
    }
    let adjusted = holm(&differences.iter().map(|one| one.p_value).collect::<Vec<f64>>());
    let mut misses = Vec::new();
    for (one, p) in differences.iter().zip(&adjusted) {
        if *p < check.level {
            misses.push(format!("{}: {:+.2} % apart, adjusted p = {p:.4}", one.what, one.relative * 100.0));
        }
        // Written so that an interval that is no number is a miss.
        let fine = one.half_width < check.resolution;
        if !fine {
            misses.push(format!("{}: the interval of the difference is ± {:.2} %", one.what, one.half_width * 100.0));
        }
    }
    let widest = differences.iter().map(|one| one.half_width).fold(0.0, f64::max);
    let largest = differences.iter().map(|one| one.relative.abs()).fold(0.0, f64::max);
    text += &format!(
        "{} comparisons: largest difference {:.2} %, widest interval of a difference ± {:.2} %, smallest adjusted p {:.2}\n",
        differences.len(),
        largest * 100.0,
        widest * 100.0,
        adjusted.iter().copied().fold(1.0, f64::min),
    );
    (text, misses)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Speed of `fast` as a multiple of that of `slow`: the median over rounds that ran side by side, or of the medians
/// where one of the two ran by itself.
fn ratio(fast: &Peer, slow: &Peer) -> f64 {
    let speeds = |peer: &Peer| peer.rounds.iter().map(|round| round.speed()).collect::<Vec<f64>>();
    if fast.rounds.len() == slow.rounds.len() {
        return median(speeds(fast).iter().zip(&speeds(slow)).map(|(f, s)| f / s).collect());
    }
    median(speeds(fast)) / median(speeds(slow))
}

/// How fast each peer is, and which marks innosim misses.
pub(crate) fn speeds(peers: &[Peer], check: &Check) -> (String, Vec<String>) {
    let mut misses = Vec::new();
    let Some(innosim) = peers.iter().find(|peer| peer.kind == Kind::Innosim) else {
        return (String::new(), vec!["innosim itself is missing".to_owned()]);
    };
    let mut text = format!(
        "{:32}{:>20}{:>20}{:>16}{:>18}{:>12}\n",
        "one core, CPU time", "transactions/s", "simulated s/s", "ns/transaction", "innosim is", "mark"
    );
    for peer in peers {
        let median_of = |f: &dyn Fn(&crate::answer::Round) -> f64| median(peer.rounds.iter().map(f).collect());
        let speed = median_of(&|round| round.speed());
        let simulated = median_of(&|round| round.simulated_s / round.cpu_s);
        let times = ratio(innosim, peer);
        let mark = match peer.kind {
            Kind::Simpy => Some(check.times_simpy),
            Kind::Nexosim => Some(check.times_library),
            Kind::Bare => Some(check.share_of_bare),
            Kind::Innosim => None,
        };
        let shown = mark.map_or(String::new(), |mark| format!("{mark} x"));
        text += &format!(
            "{:32}{speed:>20.0}{simulated:>20.1}{:>16.1}{:>18}{shown:>12}\n",
            peer.name,
            1e9 / speed,
            format!("{times:.2} x as fast")
        );
        if let Some(mark) = mark.filter(|mark| times < *mark) {
            misses.push(format!("innosim is {times:.2} times as fast as {}; the mark is {mark}", peer.name));
        }
    }
    (text, misses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_by_hand() {
        // Means 100 and 103, variances 4 and 1 of three each: t = 3 / sqrt(5/3) = 2.324 with 2.94, so 2, degrees.
        let d = difference("x".into(), &[98.0, 100.0, 102.0], &[102.0, 103.0, 104.0]);
        assert!((d.relative - 0.03).abs() < 1e-12);
        assert!((d.p_value - student_t_two_sided_p(3.0 / (5.0f64 / 3.0).sqrt(), 2)).abs() < 1e-12);
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
