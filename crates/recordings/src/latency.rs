//! Latencies of the units of work, at the percentile that the load generator was asked for.

use crate::{Column, Recording};

/// The column that holds them, ms.
pub(crate) const LATENCY: &str = "derived.latency_ms";

/// The percentile of latencies in a table of counters, without a load generator's log.
const OF_TABLES: f64 = 95.0;

/// A percentile that is recorded and simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Percentile {
    /// The 95th, sysbench's default.
    #[default]
    P95,
    /// The 99th.
    P99,
}

impl Percentile {
    fn of(percent: f64) -> Option<Self> {
        match percent {
            95.0 => Some(Percentile::P95),
            99.0 => Some(Percentile::P99),
            _ => None,
        }
    }

    /// As a sentence has it.
    pub fn ordinal(self) -> &'static str {
        match self {
            Percentile::P95 => "95th",
            Percentile::P99 => "99th",
        }
    }
}

impl Recording {
    /// Latencies of an interval of the load generator's reports, ms, where a unit of work is one of its transactions; `None` if there are
    /// none, or of a percentile that the simulator does not tell.
    pub fn latency(&self) -> Option<(Percentile, Column)> {
        Some((Percentile::of(self.percent()?)?, self.series.column(LATENCY)?))
    }

    /// The percentile of all reports, percent.
    pub(crate) fn percent(&self) -> Option<f64> {
        let Some(first) = self.phases.first() else { return Some(OF_TABLES) };
        first.percentile.filter(|_| self.phases.iter().all(|phase| phase.percentile == first.percentile))
    }

    /// Why latencies that were recorded are not compared.
    pub(crate) fn other_percentile(&self) -> Option<String> {
        (self.series.column(LATENCY).is_some() && self.latency().is_none()).then(|| {
            "its latencies are not of the 95th or of the 99th percentile, which the simulator tells, and are not compared: \
             run sysbench with --percentile=99"
                .to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadPhase, Script, Series};

    #[test]
    fn a_latency_is_compared_at_its_own_percentile() {
        let of = |percentiles: &[Option<f64>]| {
            let mut series = Series { seconds: vec![0.0, 1.0], ..Series::default() };
            series.put(LATENCY, &[5.0, 6.0].into_iter().map(Some).collect());
            let phase = |&percentile: &Option<f64>| LoadPhase { percentile, ..LoadPhase::of(Script::Unknown) };
            let recording =
                Recording { series, phases: percentiles.iter().map(phase).collect(), ..Recording::default() };
            (recording.latency().map(|(percentile, _)| percentile), recording.other_percentile().is_some())
        };
        assert_eq!(of(&[Some(95.0)]), (Some(Percentile::P95), false));
        assert_eq!(of(&[Some(99.0), Some(99.0)]), (Some(Percentile::P99), false));
        assert_eq!(of(&[Some(95.0), Some(99.0)]), (None, true));
        assert_eq!((of(&[Some(50.0)]), of(&[None])), ((None, true), (None, true)));
        assert_eq!(of(&[]), (Some(Percentile::P95), false), "a table has a column of this name");
    }
}
