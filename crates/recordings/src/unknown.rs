//! A recording whose load is not known: work is counted by the server's own counters.
//!
//! | work, best first | where |
//! |---|---|
//! | transactions that change something | `trx_rw_commits` of INNODB_METRICS, where it is switched on |
//! | transactions | `Com_commit` |
//! | statements that change rows, each a transaction | `Com_insert`, `Com_update`, `Com_delete`, `Com_replace`, ... |
//! | rows changed | `Innodb_rows_inserted`, `_updated`, `_deleted` |
//! | KiB of redo | growth of the log sequence number |
//!
//! `trx_rw_commits` counts what commits by itself too. `Com_commit` doesn't, and counts where there are enough of them for the
//! statements. What a server does not publish follows from what it
//! does where that is exact or nearly so: the growth of the log sequence number of 5.5 to 5.7 is `Innodb_os_log_written`
//! less 512 bytes for each of `Innodb_log_writes`, as each write begins with the block that the last one left unfinished
//! (in twelve recordings of 5.5 and 5.6 to 0.1 %); that of MariaDB is `Innodb_os_log_written`. The checkpoint is taken to be
//! the oldest dirty page, and this to follow from the order in which pages became dirty and were flushed
//! ([`innosim_spectrum::oldest_by_order`]; within 2 % in sixteen recordings, but not where whole extents are flushed, and
//! there the checkpoint must be recorded). Such columns are named `derived.`, and it is said.
//!
//! Simplifications: without `trx_rw_commits` a load of commits beside many statements that commit by themselves is counted by its
//! commits.
//! Reads count for nothing in the unit of work. Redo derived from `Innodb_os_log_written` begins at 0.

use crate::idle::cut_after_load;
use crate::latency::LATENCY;
use crate::{Column, LoadPhase, Missing, Quantity, Recording, Script};
use innosim_flush_models::registry::ModelId;
use innosim_spectrum::oldest_by_order;

/// Transactions that changed something, of whatever kind.
const WRITING: &str = "m.trx_rw_commits";
/// Statements that change rows.
const STATEMENTS: [&str; 8] = [
    "Com_insert",
    "Com_update",
    "Com_delete",
    "Com_replace",
    "Com_insert_select",
    "Com_update_multi",
    "Com_delete_multi",
    "Com_load",
];
/// Rows changed.
const ROWS: [&str; 3] = ["Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted"];
/// Commits for each statement from which on the commits are the transactions.
const COMMITS_A_STATEMENT: f64 = 0.01;
/// Share of the samples that must have a counter for it to count work.
const NEARLY_ALL: f64 = 0.8;
/// Fewest samples, and shortest time that they cover, seconds.
const FEWEST_SAMPLES: usize = 20;
const SHORTEST_S: f64 = 60.0;
/// How far work and transactions of the load generator may be apart to be the same.
const SAME_WORK: f64 = 0.05;
/// Time between the beginnings (and between the ends) of load generators up to which they ran side by side, seconds.
const BESIDE_S: f64 = 5.0;
/// Bytes of a block of redo.
const REDO_BLOCK: f64 = 512.0;
/// Column of the work done so far.
pub const WORK: &str = "derived.work";
/// Column of the units of work that came at the load generator's rate and wait.
const QUEUE: &str = "derived.queue";
/// The statement that brings samples.
pub const SAMPLES: &str = "while sleep 1; do date +'TS %s.%N'; mysql -e 'SHOW GLOBAL STATUS'; done > status.txt";
/// The statement that brings settings.
pub const VARIABLES: &str = "mysql -e 'SHOW GLOBAL VARIABLES' > variables.txt";
/// The statement that brings log sequence numbers where the status has none.
pub const INNODB_STATUS: &str =
    "while sleep 1; do date +'TS %s.%N'; mysql -e 'SHOW ENGINE INNODB STATUS\\G'; done > innodb-status.txt";

/// A recording of which the load is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownLoad {
    /// The recording, with work as its transactions and one load all the time.
    pub recording: Recording,
    /// What a unit of work is, in words.
    pub unit: String,
    /// Whether the redo written is the server's own log sequence number.
    pub lsn_is_recorded: bool,
    /// Whether the checkpoint is.
    pub checkpoint_is_recorded: bool,
}

impl Recording {
    /// This recording without what it says of a load generator.
    ///
    /// # Errors
    /// All that is missing, if there is too little to tell a load by.
    pub fn as_unknown_load(&self) -> Result<UnknownLoad, Vec<Missing>> {
        let mut recording = self.clone();
        recording.remarks.extend(cut_after_load(&mut recording.series));
        recording.phases.clear();
        recording.series.columns.retain(|name, _| !name.starts_with("sb.") && !name.starts_with("derived.tps"));
        recording.series.zero.retain(|name| !name.starts_with("sb."));
        let mut missing = recording.missing_of_any_load();
        let lsn_is_recorded = recording.get(Quantity::Lsn).is_some();
        if !lsn_is_recorded {
            match recording.derived_lsn() {
                Some(lsn) => recording.series.put("derived.lsn", &lsn),
                None => missing.push(recording.lacks(Quantity::Lsn.what(), INNODB_STATUS)),
            }
        }
        let Some((unit, work)) = recording.work() else {
            missing.push(recording.lacks("counter of work (Com_commit, Com_update, Innodb_rows_updated)", SAMPLES));
            return Err(missing);
        };
        if missing.is_empty() && (work.len() < 2 || grown(&work) <= 0.0) {
            let help = "record while the server works: nothing was committed and nothing was written";
            missing.push(recording.lacks("work in all of the samples", help));
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        let checkpoint_is_recorded = recording.get(Quantity::CheckpointLsn).is_some();
        if !checkpoint_is_recorded && recording.flushes_extents() {
            return Err(vec![recording.lacks(Quantity::CheckpointLsn.what(), INNODB_STATUS)]);
        }
        if !checkpoint_is_recorded {
            recording.derive_checkpoint(&work);
        }
        let tps = work.rates(&recording.series.seconds);
        recording.series.put("derived.tps", &tps);
        recording.series.put(WORK, &work);
        let load = recording.one_load(&work, self.closed_clients(&tps));
        recording.phases = vec![LoadPhase { percentile: self.percent(), ..load }];
        if let Some(latency) = self.reported_of_work("sb.lat_ms", &tps) {
            recording.series.put(LATENCY, &latency);
            recording.remarks.extend(recording.other_percentile());
        }
        if let Some(queue) = self.reported_of_work("sb.queue", &tps) {
            recording.series.put(QUEUE, &queue);
        }
        Ok(UnknownLoad { recording, unit, lsn_is_recorded, checkpoint_is_recorded })
    }

    /// What a load generator reported, where its transactions are the units of work.
    fn reported_of_work(&self, name: &str, work_per_s: &Column) -> Option<Column> {
        self.did_the_work(work_per_s).then(|| self.series.column(name)).flatten()
    }

    /// Whether the transactions that load generators reported are the units of work.
    fn did_the_work(&self, work_per_s: &Column) -> bool {
        let Some(reported) = self.series.column("sb.tps") else { return false };
        let beyond: f64 = reported.with(work_per_s, |reported, work| work - reported).present().sum();
        let sum: f64 = reported.with(work_per_s, |reported, _| reported).present().sum();
        sum > 0.0 && beyond.abs() <= SAME_WORK * sum
    }

    /// Clients that are always busy, where logs of load generators say so: none had a rate (at a rate sysbench reports its queue,
    /// whatever its head says), all ran side by side, and what they did is the work.
    fn closed_clients(&self, work_per_s: &Column) -> Option<u32> {
        let (start, end) = self.load_window();
        let throughout = |phase: &LoadPhase| phase.start_s - start <= BESIDE_S && end - phase.end_s <= BESIDE_S;
        let closed = self.closed_loop() && self.series.column("sb.queue").is_none();
        (closed && self.phases.iter().all(throughout) && self.did_the_work(work_per_s)).then(|| self.load_threads())
    }

    /// Whether an unknown load came at a load generator's rate, as it then reports a queue, and the server kept up with it: less than a second's
    /// work waited in the end.
    pub fn kept_up_with_a_rate(&self) -> bool {
        let last = |name| self.series.column(name).and_then(|column| column.present().next_back());
        let a_second = self.series.column(WORK).and_then(|work| work.growth_per_s(&self.series.seconds));
        last(QUEUE).zip(a_second).is_some_and(|(left, a_second)| left < a_second)
    }

    /// The samples from `from` to `to` seconds; the load is known to have begun before.
    pub fn between(&self, from: f64, to: f64) -> Recording {
        let mut recording = self.clone();
        let keep: Vec<bool> = self.series.seconds.iter().map(|second| *second >= from && *second <= to).collect();
        let kept = |values: &[f64]| values.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(v, _)| *v).collect();
        recording.series.seconds = kept(&self.series.seconds);
        recording.series.columns = self.series.columns.iter().map(|(name, v)| (name.clone(), kept(v))).collect();
        let last = recording.series.seconds.last().copied().unwrap_or(to);
        recording.phases.iter_mut().for_each(|phase| phase.end_s = phase.end_s.min(last));
        recording
    }

    /// The same samples of a load that began so long before the first of them, seconds.
    pub fn begun_before(&self, lead_s: f64) -> Recording {
        let mut recording = self.clone();
        let first = recording.series.seconds.first().copied().unwrap_or(0.0);
        recording.phases.iter_mut().for_each(|phase| phase.start_s = first - lead_s);
        recording
    }

    fn lacks(&self, what: &str, help: &str) -> Missing {
        Missing {
            recording: self.name.clone(),
            what: what.to_owned(),
            purpose: "advise".to_owned(),
            help: help.to_owned(),
        }
    }

    /// What no load can be told without.
    fn missing_of_any_load(&self) -> Vec<Missing> {
        let mut missing = Vec::new();
        if self.server.version.is_empty() || !self.variables.keys().any(|name| name.starts_with("innodb_")) {
            missing.push(self.lacks("settings and version of the server", VARIABLES));
        }
        for quantity in [Quantity::DirtyPages, Quantity::PagesWritten] {
            if self.get(quantity).is_none() {
                missing.push(self.lacks(quantity.what(), SAMPLES));
            }
        }
        if let Some(dirty) = self.get(Quantity::DirtyPages) {
            if dirty.present().any(|pages| pages < 0.0) {
                missing.push(self.lacks("number of dirty pages (one of those recorded is below 0)", SAMPLES));
            } else if !dirty.present().any(|pages| pages > 0.0) {
                let help = "record while the server writes: no page was dirty in all of the samples";
                missing.push(self.lacks("dirty pages", help));
            }
        }
        // Other files may have more samples: those count that have what a load is told by.
        let or_zeros = |quantity| self.get(quantity).unwrap_or_else(|| Column::zeros(self.series.len()));
        let both = or_zeros(Quantity::DirtyPages).with(&or_zeros(Quantity::PagesWritten), |dirty, _| dirty);
        let seconds: Vec<f64> = both.timed(&self.series.seconds).map(|(second, _)| second).collect();
        let covered = seconds.last().copied().unwrap_or(0.0) - seconds.first().copied().unwrap_or(0.0);
        if seconds.len() < FEWEST_SAMPLES || covered < SHORTEST_S {
            let what = format!(
                "{FEWEST_SAMPLES} samples over {SHORTEST_S} s or more (there are {} over {covered:.0} s)",
                seconds.len()
            );
            missing.push(self.lacks(&what, &format!("for ten minutes or more: {SAMPLES}")));
        }
        missing
    }

    /// What a unit of work is, and how much was done up to each sample.
    fn work(&self) -> Option<(String, Column)> {
        let told = |transactions: &Column| grown(transactions) > 0.0 && nearly_always(transactions);
        if let Some(transactions) = self.series.column(WRITING).filter(told) {
            return Some(("transaction that changes something (trx_rw_commits)".to_owned(), transactions));
        }
        let commits = self.series.column("Com_commit").filter(|commits| grown(commits) > 0.0);
        let statements = self.sum_of(&STATEMENTS).filter(|statements| grown(statements) > 0.0);
        let of_statements = statements.as_ref().map_or(0.0, grown);
        if let Some(commits) = commits
            && grown(&commits) >= COMMITS_A_STATEMENT * of_statements
        {
            return Some(("transaction (Com_commit)".to_owned(), commits));
        }
        if let Some(statements) = statements {
            return Some((
                "statement that changes rows (Com_insert, Com_update, Com_delete, ...)".to_owned(),
                statements,
            ));
        }
        if let Some(rows) = self.sum_of(&ROWS).filter(|rows| grown(rows) > 0.0) {
            return Some(("row changed (Innodb_rows_inserted, _updated, _deleted)".to_owned(), rows));
        }
        let lsn = self.get(Quantity::Lsn)?;
        Some(("KiB of redo".to_owned(), lsn.map(|lsn| lsn / 1024.0)))
    }

    /// The sum of those of the counters that were recorded.
    fn sum_of(&self, names: &[&str]) -> Option<Column> {
        Column::sum(&names.iter().filter_map(|name| self.series.column(name)).collect::<Vec<Column>>())
    }

    /// Redo written, where the server does not publish its log sequence number.
    fn derived_lsn(&self) -> Option<Column> {
        let written = self.series.column("Innodb_os_log_written")?;
        match self.server.model? {
            ModelId::Mysql55 | ModelId::Percona55 | ModelId::Mysql56 | ModelId::Mysql57 => {
                let writes = self.series.column("Innodb_log_writes")?;
                Some(written.with(&writes, |written, writes| written - REDO_BLOCK * writes))
            }
            model if model.is_mariadb() => Some(written),
            _ => None,
        }
    }

    /// Whether all dirty pages of an extent are flushed with the oldest one, so that the order of pages tells nothing.
    fn flushes_extents(&self) -> bool {
        let says = |name: &str| self.variables.get(name).map(String::as_str);
        match self.server.model {
            Some(ModelId::Mysql55) => true,
            Some(ModelId::Percona55) => !matches!(says("innodb_flush_neighbor_pages"), Some("none" | "0")),
            _ => says("innodb_flush_neighbors") == Some("2"),
        }
    }

    /// `derived.checkpoint_lsn`: where the oldest dirty page became dirty.
    fn derive_checkpoint(&mut self, work: &Column) {
        let needed = [Quantity::Lsn, Quantity::DirtyPages, Quantity::PagesWritten].map(|quantity| self.get(quantity));
        let [Some(lsn), Some(dirty), Some(flushed)] = needed else { return };
        let known: Vec<usize> = (0..lsn.len())
            .filter(|&i| [&lsn, &dirty, &flushed, work].iter().all(|column| column.at(i).is_some()))
            .collect();
        let of = |column: &Column| known.iter().filter_map(|&i| column.at(i)).collect::<Vec<f64>>();
        let oldest = oldest_by_order(&of(&lsn), &of(&dirty), &of(&flushed));
        let mut column = vec![f64::NAN; lsn.len()];
        known.iter().zip(oldest).for_each(|(&i, oldest)| column[i] = oldest);
        self.series.columns.insert("derived.checkpoint_lsn".to_owned(), column);
    }

    /// One load all the time: a closed loop of `clients`, or a rate.
    fn one_load(&self, work: &Column, clients: Option<u32>) -> LoadPhase {
        let seconds = &self.series.seconds;
        let (first, last) = (seconds.first().copied().unwrap_or(0.0), seconds.last().copied().unwrap_or(0.0));
        let rate = grown(work) / (last - first).max(1e-9);
        let script = Script::Other("unknown load".to_owned());
        let open = LoadPhase { start_s: first, end_s: last, rate: Some(rate), ..LoadPhase::of(script) };
        match clients {
            Some(threads) => LoadPhase { threads, rate: None, ..open },
            None => open,
        }
    }
}

/// Whether nearly all samples have a value: counters of INNODB_METRICS may be asked for less often than others.
fn nearly_always(counter: &Column) -> bool {
    counter.present().count() as f64 >= NEARLY_ALL * counter.len() as f64
}

/// From the first value that is there to the last.
fn grown(counter: &Column) -> f64 {
    counter.growth().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of a load generator without a rate is a closed loop, whatever is known of threads at work.
    #[test]
    fn a_load_generators_log_tells_a_closed_loop() {
        let closed = |change: &dyn Fn(&mut Recording)| {
            let mut recording = Recording::default();
            recording.series.seconds = (0..100).map(f64::from).collect();
            recording.series.columns.insert("sb.tps".to_owned(), vec![1000.0; 100]);
            let open = LoadPhase { threads: 32, start_s: 0.0, end_s: 99.0, ..LoadPhase::of(Script::Unknown) };
            recording.phases = vec![open.clone(), open];
            change(&mut recording);
            recording.closed_clients(&Column::from(vec![1010.0; 100]))
        };
        assert_eq!(closed(&|_| {}), Some(64), "two generators side by side");
        assert_eq!(closed(&|recording| recording.phases[0].rate = Some(500.0)), None, "one has a rate");
        let queue = |recording: &mut Recording| {
            recording.series.columns.insert("sb.queue".to_owned(), vec![0.0; 100]);
        };
        assert_eq!(closed(&queue), None, "sysbench reports a queue at a rate alone");
        assert_eq!(closed(&|recording| recording.phases[1].start_s = 50.0), None, "one after the other");
        let half_of_it = |recording: &mut Recording| {
            recording.series.columns.insert("sb.tps".to_owned(), vec![500.0; 100]);
        };
        assert_eq!(closed(&half_of_it), None, "others work too");
        let work = Column::from((0..100).map(|i| 1000.0 * f64::from(i)).collect::<Vec<f64>>());
        let kept_up = |queue: &dyn Fn(u32) -> f64| {
            let mut recording = Recording::default();
            recording.series.seconds = (0..100).map(f64::from).collect();
            recording.series.put(WORK, &work);
            recording.series.columns.insert(QUEUE.to_owned(), (0..100).map(queue).collect());
            recording.kept_up_with_a_rate()
        };
        assert!(kept_up(&|second| f64::from(second % 20)) && !kept_up(&|second| 20.0 * f64::from(second)));
        assert!(!Recording::default().kept_up_with_a_rate());
        let mut recording = Recording::default();
        recording.series.seconds = (0..100).map(f64::from).collect();
        let [closed, open] = [Some(64), None].map(|clients| recording.one_load(&work, clients));
        assert_eq!((closed.threads, closed.rate, open.rate), (64, None, Some(1000.0)));
    }
}
