//! Ratios of counters over the load, with their uncertainty.

use super::Parameter;
use super::undo_segments::redo_a_transaction;
use innosim_recordings::{Column, LONG_STEP, Missing, Quantity, Recording};
use innosim_statistics::Estimate;

/// Seconds of a block.
const BLOCK_S: f64 = 10.0;
/// Seconds after the start and before the end of the load that are left out.
const EDGE_S: f64 = 2.0;
/// Length of a tick of the CPU counters, seconds.
pub(crate) const TICK_S: f64 = 0.01;
/// CPU time of server and load generator, ticks.
pub(super) const OWN_TICKS: [&str; 3] = ["proc.mysqld_utime", "proc.mysqld_stime", "proc.sysbench_cpu"];

/// Longest time without a report of the load generator over which its throughput is taken to go on, seconds.
const SHORT_GAP_S: f64 = 3.0;

/// The samples under load.
pub(super) struct Load {
    /// Without the times of which the transactions are not known.
    seconds: Vec<f64>,
    /// Places of these samples in the recording.
    at: Vec<usize>,
    /// Transactions since the first of them.
    transactions: Vec<f64>,
    lsn: Column,
    /// Samples of the recording since whose predecessor the machine stood still.
    frozen: Vec<bool>,
    /// Samples since whose predecessor here it is not known how many transactions there were.
    unknown: Vec<bool>,
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
        let at: Vec<usize> = at.into_iter().filter(|&i| lsn.at(i).is_some()).collect();
        if at.len() < 2 {
            return Err(Missing {
                recording: recording.name.clone(),
                what: "samples under load".to_owned(),
                purpose: purpose.to_owned(),
                help: "record a minute of load or more".to_owned(),
            });
        }
        let interval = recording.tps_interval_s().max(recording.series.median_step().unwrap_or(0.0));
        let between: Vec<Option<f64>> =
            at.windows(2).map(|pair| transactions_between(all, &tps, (pair[0], pair[1]), interval)).collect();
        let unknown: Vec<bool> = std::iter::once(false).chain(between.iter().map(Option::is_none)).collect();
        let grown = between.iter().map(|count| count.unwrap_or(0.0));
        let transactions = std::iter::once(0.0).chain(grown).scan(0.0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        let transactions = transactions.collect();
        let of_samples =
            |sample: &dyn Fn(usize) -> Option<f64>| less_unknown(at.iter().map(|&i| sample(i)).collect(), &unknown);
        Ok(Load {
            seconds: of_samples(&|i| Some(all[i])).present().collect(),
            lsn: of_samples(&|i| lsn.at(i)),
            at,
            transactions,
            frozen: recording.frozen(),
            unknown,
        })
    }

    pub(super) fn redo_per_transaction(&self, recording: &Recording) -> Parameter {
        let (all, uncertainty) = self.ratio(&self.lsn);
        let of_purge = redo_a_transaction(recording, self.transactions_a_second());
        let less = if of_purge > 0.0 { ", less that of new undo segments" } else { "" };
        Parameter {
            name: "redo_bytes_per_transaction",
            value: all - of_purge,
            uncertainty,
            unit: "bytes",
            method: format!("growth of the log sequence number / transactions{less}"),
        }
    }

    /// The same with all that the server writes besides, purge and undo segments included.
    pub(super) fn all_redo_per_transaction(&self) -> Parameter {
        let (value, uncertainty) = self.ratio(&self.lsn);
        let method = "growth of the log sequence number / work".to_owned();
        Parameter { name: "redo_bytes_per_transaction", value, uncertainty, unit: "bytes", method }
    }

    /// Growth of a cumulative column a second, over the load as far as it was recorded; `None` if that is no time.
    pub(super) fn a_second(&self, column: &Column) -> Option<f64> {
        let ((first, from), (last, to)) = ends(column)?;
        let seconds = self.seconds[last] - self.seconds[first];
        (seconds > 0.0).then(|| (to - from) / seconds)
    }

    /// Log sequence numbers.
    pub(super) fn lsn(&self) -> &Column {
        &self.lsn
    }

    /// Transactions since the first sample.
    pub(super) fn transactions(&self) -> &[f64] {
        &self.transactions
    }

    pub(super) fn transactions_a_second(&self) -> f64 {
        let last = self.seconds.len() - 1;
        (self.transactions[last] - self.transactions[0]) / (self.seconds[last] - self.seconds[0])
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

    /// The first of these columns that was recorded, at the samples under load.
    pub(super) fn column(&self, recording: &Recording, names: &[&str]) -> Option<Column> {
        names.iter().find_map(|name| self.sum(recording, &[name]))
    }

    /// A cumulative quantity at the samples under load.
    pub(super) fn of_quantity(&self, recording: &Recording, quantity: Quantity) -> Option<Column> {
        let values = recording.get(quantity)?;
        Some(less_unknown(self.at.iter().map(|&i| values.at(i)).collect(), &self.unknown))
    }

    /// The sum of cumulative columns at the samples under load, less what they grew while the machine stood still. Between
    /// two readings a counter is taken to have grown evenly; before its first and after its last one there are gaps. `None` if
    /// there are not two readings under load.
    pub(super) fn sum(&self, recording: &Recording, names: &[&str]) -> Option<Column> {
        let seconds = &recording.series.seconds;
        let of = |name: &&str| recording.series.column(name).map(|column| evenly_between(seconds, &column));
        let columns: Option<Vec<Column>> = names.iter().map(of).collect();
        let sum = Column::sum(&columns?)?;
        let mut frozen = vec![0.0; self.frozen.len()];
        for i in 1..frozen.len() {
            let grown = sum.at(i).zip(sum.at(i - 1)).filter(|_| self.frozen[i]).map(|(to, from)| to - from);
            frozen[i] = frozen[i - 1] + grown.unwrap_or(0.0);
        }
        let sums = less_unknown(self.at.iter().map(|&i| Some(sum.at(i)? - frozen[i])).collect(), &self.unknown);
        ends(&sums).is_some_and(|((first, _), (last, _))| first < last).then_some(sums)
    }

    /// Growth of a counter a transaction over the load as far as it was recorded, and the half-width of its 95 % interval
    /// over blocks.
    pub(super) fn ratio(&self, counter: &Column) -> (f64, Option<f64>) {
        let by = Column::from(self.transactions.clone());
        let (_, uncertainty) = self.ratio_where(counter, &by, |_, _| true).unwrap_or((0.0, None));
        let Some(((first, from), (last, to))) = ends(counter) else { return (0.0, uncertainty) };
        let transactions = self.transactions[last] - self.transactions[first];
        ((to - from) / transactions.max(1.0), uncertainty)
    }

    /// Growth of one counter by that of another over the blocks (their first and last sample) that `tells` lets count,
    /// and the half-width of the 95 % interval over them; `None` if there is none.
    pub(super) fn ratio_where(
        &self,
        counter: &Column,
        by: &Column,
        tells: impl Fn(usize, usize) -> bool,
    ) -> Option<(f64, Option<f64>)> {
        let mut ratios = Vec::new();
        let mut begin = 0;
        let (mut sum, mut sum_by) = (0.0, 0.0);
        for i in 1..self.seconds.len() {
            if self.seconds[i] - self.seconds[begin] >= BLOCK_S {
                let grown = |column: &Column| Some(column.at(i)? - column.at(begin)?);
                if let Some((grown, grown_by)) = grown(counter).zip(grown(by))
                    && grown_by > 0.0
                    && tells(begin, i)
                {
                    ratios.push(grown / grown_by);
                    (sum, sum_by) = (sum + grown, sum_by + grown_by);
                }
                begin = i;
            }
        }
        (sum_by > 0.0).then(|| (sum / sum_by, half_width(&ratios)))
    }
}

/// Transactions from one sample of the recording to a later one; `None` if the load generator reported nothing for too
/// long, or if samples are missing for longer than one report of `interval` seconds tells. A report that came a little
/// late leaves the throughput as it was.
fn transactions_between(seconds: &[f64], tps: &Column, (from, to): (usize, usize), interval: f64) -> Option<f64> {
    let (mut sum, mut since_report) = (0.0, 0.0);
    let mut rate = tps.at(from);
    for i in from + 1..=to {
        let step = seconds[i] - seconds[i - 1];
        if step > LONG_STEP * interval && step > SHORT_GAP_S {
            return None;
        }
        since_report = if tps.at(i).is_some() { 0.0 } else { since_report + step };
        if since_report > SHORT_GAP_S.max(LONG_STEP * interval) {
            return None;
        }
        rate = tps.at(i).or(rate);
        sum += rate?.max(0.0) * step;
    }
    Some(sum)
}

/// A sample and its place.
type Placed = (usize, f64);

/// The first and the last sample of a column that is there.
pub(super) fn ends(column: &Column) -> Option<(Placed, Placed)> {
    column.placed().next().zip(column.placed().next_back())
}

/// A cumulative column whose missing values lie on the line between their neighbours; not where it fell.
fn evenly_between(seconds: &[f64], column: &Column) -> Column {
    let there: Vec<(usize, f64)> = column.placed().collect();
    let mut even: Vec<Option<f64>> = column.samples().collect();
    for pair in there.windows(2) {
        let ((from, start), (to, end)) = (pair[0], pair[1]);
        let grown = end - start;
        for i in from + 1..if grown >= 0.0 { to } else { from } {
            even[i] = Some(start + grown * (seconds[i] - seconds[from]) / (seconds[to] - seconds[from]));
        }
    }
    even.into_iter().collect()
}

/// Values of a cumulative counter, less what it grew where transactions are not known.
fn less_unknown(values: Column, unknown: &[bool]) -> Column {
    let (mut less, mut before) = (0.0, values.present().next().unwrap_or(0.0));
    let of_sample = |(value, unknown): (Option<f64>, &bool)| {
        let value = value?;
        let grown = value - before;
        before = value;
        less += if *unknown { grown } else { 0.0 };
        Some(value - less)
    };
    values.samples().zip(unknown).map(of_sample).collect()
}

/// Half-width of the 95 % interval of a mean of some ten or twenty blocks.
fn half_width(values: &[f64]) -> Option<f64> {
    let told = values.len() >= 4 && values.iter().all(|value| value.is_finite());
    if told { Estimate::of(values).half_width } else { None }
}
