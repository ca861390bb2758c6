//! Ratios of counters over the load, with their uncertainty.

use super::Parameter;
use super::costs::{Work, own_cpu_us};
use super::undo_segments::redo_a_transaction;
use innosim_recordings::{Missing, Quantity, Recording};
use innosim_statistics::Estimate;

/// Seconds of a block.
const BLOCK_S: f64 = 10.0;
/// Seconds after the start and before the end of the load that are left out.
const EDGE_S: f64 = 2.0;
/// Share of the processors that must be busy for the CPU demand to be known: a machine that idles takes up to twice as
/// much for the same transaction (5 to 9 % busy: 341 us for 161 of MariaDB, 550 for 307 of 9.7, with syncs that explain
/// a third of it).
const BUSY: f64 = 0.15;
/// Length of a tick of the CPU counters, seconds.
pub(super) const TICK_S: f64 = 0.01;
/// CPU time of server and load generator, ticks.
pub(super) const OWN_TICKS: [&str; 3] = ["proc.mysqld_utime", "proc.mysqld_stime", "proc.sysbench_cpu"];

/// The samples under load.
pub(super) struct Load {
    seconds: Vec<f64>,
    /// Places of these samples in the recording.
    at: Vec<usize>,
    /// Transactions since the first of them.
    transactions: Vec<f64>,
    lsn: Vec<f64>,
    /// Samples of the recording since whose predecessor the machine stood still.
    frozen: Vec<bool>,
}

impl Load {
    pub(super) fn of(recording: &Recording) -> Result<Self, Missing> {
        let purpose = "calibrate";
        let (start, end) = recording.load_window();
        let all = &recording.series.seconds;
        let at: Vec<usize> = (0..all.len()).filter(|&i| all[i] >= start + EDGE_S && all[i] <= end - EDGE_S).collect();
        let tps = recording.quantity(Quantity::Tps, purpose)?;
        let lsn = recording.quantity(Quantity::Lsn, purpose)?;
        // SHOW ENGINE INNODB STATUS may have been sampled less often than the rest.
        let at: Vec<usize> = at.into_iter().filter(|&i| lsn[i].is_finite()).collect();
        if at.len() < 2 {
            return Err(Missing {
                recording: recording.name.clone(),
                what: "samples under load".to_owned(),
                purpose: purpose.to_owned(),
                help: "record a minute of load or more".to_owned(),
            });
        }
        let mut transactions = vec![0.0];
        for pair in at.windows(2) {
            let rate = if tps[pair[1]].is_finite() { tps[pair[1]] } else { tps[pair[0]] };
            let before = transactions[transactions.len() - 1];
            transactions.push(before + rate.max(0.0) * (all[pair[1]] - all[pair[0]]));
        }
        Ok(Load {
            seconds: at.iter().map(|&i| all[i]).collect(),
            lsn: at.iter().map(|&i| lsn[i]).collect(),
            at,
            transactions,
            frozen: recording.frozen(),
        })
    }

    pub(super) fn redo_per_transaction(&self, recording: &Recording) -> Parameter {
        let (all, uncertainty) = self.ratio(&self.lsn);
        let last = self.seconds.len() - 1;
        let rate = self.transactions[last] / (self.seconds[last] - self.seconds[0]);
        let of_purge = redo_a_transaction(recording, rate);
        let less = if of_purge > 0.0 { ", less that of new undo segments" } else { "" };
        Parameter {
            name: "redo_bytes_per_transaction",
            value: all - of_purge,
            uncertainty,
            unit: "bytes",
            method: format!("growth of the log sequence number / transactions{less}"),
        }
    }

    /// CPU time of server and client if both are recorded, else of the machine, without what syncs and page writes take
    /// and purge, which takes `purge_us` a transaction; `None` if neither is, or if the machine was too idle.
    pub(super) fn cpu_per_transaction(&self, recording: &Recording, purge_us: f64) -> Option<Parameter> {
        let (ticks, method) = match self.sum(recording, &OWN_TICKS) {
            Some(ticks) => (ticks, "CPU time of server and client / transactions"),
            None => (self.sum(recording, &["cpu.user", "cpu.system"])?, "CPU time of the machine / transactions"),
        };
        let seconds = self.seconds[self.seconds.len() - 1] - self.seconds[0];
        let busy = (ticks[ticks.len() - 1] - ticks[0]) * TICK_S / seconds / f64::from(recording.cpus.unwrap_or(1));
        if busy < BUSY {
            return None;
        }
        let all: Vec<f64> = ticks.iter().map(|ticks| ticks * TICK_S * 1e6).collect();
        let (own, less) = match Work::of(self, recording) {
            Some(work) => {
                let with_purge = |(us, done): (f64, &f64)| us + purge_us * done;
                let others: Vec<f64> = work.cpu_us().into_iter().zip(&self.transactions).map(with_purge).collect();
                (own_cpu_us(&all, &others), ", less that of syncs, page writes and purge")
            }
            None => (all, ""),
        };
        let (value, uncertainty) = self.ratio(&own);
        Some(Parameter { name: "cpu", value, uncertainty, unit: "us", method: format!("{method}{less}") })
    }

    /// Transactions a redo sync.
    pub(super) fn commits_per_sync(&self, recording: &Recording) -> Option<Parameter> {
        let syncs = self.sum(recording, &["Innodb_os_log_fsyncs"])?;
        let (per_transaction, _) = self.ratio(&syncs);
        (per_transaction > 0.0).then(|| Parameter {
            name: "transactions a redo sync",
            value: 1.0 / per_transaction,
            uncertainty: None,
            unit: "",
            method: "transactions / growth of Innodb_os_log_fsyncs".to_owned(),
        })
    }

    /// Operations of a cap that a sync takes.
    pub(super) fn sync_operations(&self, recording: &Recording) -> Option<Parameter> {
        Work::of(self, recording)?.sync_operations(self, recording)
    }

    /// The first of these columns that was recorded, at the samples under load.
    pub(super) fn column(&self, recording: &Recording, names: &[&str]) -> Option<Vec<f64>> {
        names.iter().find_map(|name| self.sum(recording, &[name]))
    }

    /// A quantity at the samples under load.
    pub(super) fn of_quantity(&self, recording: &Recording, quantity: Quantity) -> Option<Vec<f64>> {
        let values = recording.get(quantity)?;
        Some(self.at.iter().map(|&i| values[i]).collect())
    }

    /// The sum of cumulative columns at the samples under load, less what they grew while the machine stood still.
    fn sum(&self, recording: &Recording, names: &[&str]) -> Option<Vec<f64>> {
        let columns: Option<Vec<Vec<f64>>> = names.iter().map(|name| recording.series.column(name)).collect();
        let columns = columns?;
        let sum = |i: usize| columns.iter().map(|column| column[i]).sum::<f64>();
        let mut frozen = vec![0.0; self.frozen.len()];
        for i in 1..frozen.len() {
            frozen[i] = frozen[i - 1] + if self.frozen[i] { sum(i) - sum(i - 1) } else { 0.0 };
        }
        Some(self.at.iter().map(|&i| sum(i) - frozen[i]).collect())
    }

    /// Growth of a counter a transaction over the whole load, and the half-width of its 95 % interval over blocks.
    fn ratio(&self, counter: &[f64]) -> (f64, Option<f64>) {
        let (_, uncertainty) = self.ratio_where(counter, &self.transactions, |_, _| true).unwrap_or((0.0, None));
        let last = self.seconds.len() - 1;
        ((counter[last] - counter[0]) / self.transactions[last].max(1.0), uncertainty)
    }

    /// Growth of one counter by that of another over the blocks (their first and last sample) that `tells` lets count,
    /// and the half-width of the 95 % interval over them; `None` if there is none.
    pub(super) fn ratio_where(
        &self,
        counter: &[f64],
        by: &[f64],
        tells: impl Fn(usize, usize) -> bool,
    ) -> Option<(f64, Option<f64>)> {
        let mut ratios = Vec::new();
        let mut begin = 0;
        let (mut sum, mut sum_by) = (0.0, 0.0);
        for i in 1..self.seconds.len() {
            if self.seconds[i] - self.seconds[begin] >= BLOCK_S {
                let (grown, grown_by) = (counter[i] - counter[begin], by[i] - by[begin]);
                if grown_by > 0.0 && grown.is_finite() && tells(begin, i) {
                    ratios.push(grown / grown_by);
                    (sum, sum_by) = (sum + grown, sum_by + grown_by);
                }
                begin = i;
            }
        }
        (sum_by > 0.0).then(|| (sum / sum_by, half_width(&ratios)))
    }
}

/// Half-width of the 95 % interval of a mean of some ten or twenty blocks.
fn half_width(values: &[f64]) -> Option<f64> {
    let told = values.len() >= 4 && values.iter().all(|value| value.is_finite());
    if told { Estimate::of(values).half_width } else { None }
}
