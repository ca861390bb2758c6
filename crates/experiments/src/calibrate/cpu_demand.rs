//! CPU time of a transaction: what counters show, less what is not the transactions' own ([`super::costs`]).

use super::Parameter;
use super::costs::Work;
use super::counters::{Load, OWN_TICKS, TICK_S};
use innosim_recordings::{Column, Recording};

/// Share of the processors that must be busy for the CPU demand to be known: a machine that idles takes up to twice as
/// much for the same transaction (5 to 9 % busy: 341 us for 161 of MariaDB, 550 for 307 of 9.7, with syncs that explain
/// a third of it).
const BUSY: f64 = 0.15;
/// Share from which on it is known as well as its uncertainty says. Below, of two recordings of MariaDB one told half of
/// what a busy machine took, 77 us for 150, and one told twice of it, 275 for 128.
const WELL_BUSY: f64 = 1.0 / 3.0;
/// Share of the CPU time that is left for transactions at least.
pub(super) const LEAST_OWN_SHARE: f64 = 0.1;

/// What counters say about the CPU time of transactions.
pub(super) struct CpuDemand {
    /// Of a transaction.
    pub(super) own: Parameter,
    /// Share of the processors that were busy with it, if that is too little to trust it under another load.
    pub(super) idle_at: Option<f64>,
    /// What the costs of syncs, page writes and purge had to be scaled by, so that they fit into the recorded time.
    pub(super) cost_scale: f64,
}

/// CPU time of server and client if both are recorded, else of the machine, without what syncs and page writes take,
/// and purge, dispatching and spinning, which take `beside_us` a transaction; `None` if neither is, or if the machine was too idle.
pub(super) fn cpu_demand(recording: &Recording, load: &Load, work: Option<&Work>, beside_us: f64) -> Option<CpuDemand> {
    let (ticks, method) = match load.sum(recording, &OWN_TICKS) {
        Some(ticks) => (ticks, "CPU time of server and client / transactions"),
        None => (load.sum(recording, &["cpu.user", "cpu.system"])?, "CPU time of the machine / transactions"),
    };
    let busy_share = load.a_second(&ticks)? * TICK_S / f64::from(recording.cpus.unwrap_or(1));
    if busy_share < BUSY {
        return None;
    }
    let all = ticks.map(|ticks| ticks * TICK_S * 1e6);
    let (own, cost_scale, less) = match work {
        Some(work) => {
            let done = Column::from(load.transactions().to_vec());
            let others = work.cpu_us().with(&done, |us, done| us + beside_us * done);
            let (own, cost_scale) = own_cpu_us(&all, &others);
            (own, cost_scale, ", minus syncs, page writes and background work")
        }
        None => (all, 1.0, ""),
    };
    let (value, uncertainty) = load.ratio(&own);
    let own = Parameter { name: "cpu", value, uncertainty, unit: "us", method: format!("{method}{less}") };
    Some(CpuDemand { own, idle_at: (busy_share < WELL_BUSY).then_some(busy_share), cost_scale })
}

/// CPU time of transactions alone, where `all` is everybody's, µs at each sample, and what the others' was scaled by.
fn own_cpu_us(all: &Column, others: &Column) -> (Column, f64) {
    // Over the time in which both were recorded.
    let growth = |column: Column| column.growth().unwrap_or(0.0);
    let (grown, grown_others) = (growth(all.with(others, |all, _| all)), growth(all.with(others, |_, others| others)));
    let least = LEAST_OWN_SHARE * grown;
    // Costs that are too high for this machine are scaled down rather than taken at face value.
    let scale = ((grown - least) / grown_others.max(1e-9)).clamp(0.0, 1.0);
    (all.with(others, |all, others| all - scale * others), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_keep_a_tenth() {
        let column = |values: [f64; 2]| Column::from(values.to_vec());
        assert_eq!(own_cpu_us(&column([0.0, 100.0]), &column([0.0, 60.0])), (column([0.0, 40.0]), 1.0));
        let (own, scale) = own_cpu_us(&column([0.0, 100.0]), &column([0.0, 400.0]));
        assert!((own.at(1).unwrap() - 10.0).abs() < 1e-9 && (scale - 0.225).abs() < 1e-9, "{own:?} {scale}");
    }
}
