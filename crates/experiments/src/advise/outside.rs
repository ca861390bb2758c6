//! Loads and servers that the model was not compared with, told from what was recorded.
//!
//! | seen | told by | so |
//! |---|---|---|
//! | pages leave the pool before their turn on the flush list | pages of flush list or LRU batches, or pages read and the age | nothing is advised |
//! | clients wait for row locks | `Innodb_row_lock_time` and `Threads_running`, or waits a unit of work | nothing is advised, or it is said |
//! | more threads run than in any comparison | `Threads_running` | nothing is advised |
//! | data is loaded or an index is built | pages created, rows inserted a statement, `Com_alter_table`, ... | nothing is advised, or it is said |
//! | compressed pages | `compress_pages_compressed`, `Innodb_num_pages_page_compressed` | nothing is advised, or it is said |
//! | a replica applies | `read_only`, rows changed without statements | it is said |
//! | commits wait for other servers | settings of Galera, group and semisynchronous replication | it is said |
//! | temporary tables on disk | `Created_tmp_disk_tables` | it is said |
//!
//! Nothing is advised where `innodb_io_capacity_max` decides little, or where pages are written by rules that the model lacks. Where
//! only throughput and latency are others', that is said beside the answer. Bounds are the largest values of the recordings and
//! series that the model was compared with, rounded up.
//!
//! Simplifications: a kind that leaves no counter (a hot row without waits, a trigger's writes) is not seen, and the back-test alone
//! stands against it.

use innosim_recordings::{Quantity, Recording};

/// Threads that run at once, the most of any comparison (eleven servers with 512 clients).
const MOST_RUNNING: f64 = 600.0;
/// Share of the running threads that wait for row locks from which on these decide; from which on they are named.
const LOCKS_DECIDE: f64 = 0.5;
const LOCKS_NAMED: f64 = 0.1;
/// The same in waits a unit of work, where running threads were not recorded.
const WAITS_DECIDE: f64 = 0.5;
const WAITS_NAMED: f64 = 0.1;
/// Pages created for each page written from which on data is being loaded, if rows come in such large statements.
const LOADED_PAGES: f64 = 0.3;
const LOADED_ROWS: f64 = 100.0;
/// Share of the pages written that are compressed from which on these decide.
const COMPRESSED: f64 = 0.1;
/// Share of the pages written that the flush list's batches did not write from which on these decide little: the largest that was compared
/// is 58 % (docs/validation/regret.md).
const LEAVE_EARLY: f64 = 0.6;
/// Rows changed a second without a statement that changes rows.
const APPLIED_ROWS: f64 = 10.0;
/// Temporary tables on disk for each unit of work.
const TEMPORARY: f64 = 0.1;

/// What lies outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outside {
    /// Whether it rules an answer out; else it is said beside the answer.
    pub(super) decides: bool,
    /// A sentence without its full stop: what was seen, and what the model lacks.
    pub(super) what: String,
}

/// Everything of a recording, its work counted (`as_unknown_load`), that the model was not compared with.
pub(super) fn outside(recording: &Recording) -> Vec<Outside> {
    let rules = [early, locks, threads, bulk, compressed, replica, others, temporary];
    rules.iter().filter_map(|rule| rule(&Seen(recording))).collect()
}

/// The sentences that are said beside an answer.
pub(super) fn said(found: &[Outside]) -> Vec<String> {
    found.iter().filter(|outside| !outside.decides).map(|outside| outside.what.clone()).collect()
}

/// Why nothing is advised, if so.
pub(super) fn refusal(found: &[Outside]) -> Option<String> {
    let deciding: Vec<&str> =
        found.iter().filter(|outside| outside.decides).map(|outside| outside.what.as_str()).collect();
    (!deciding.is_empty()).then(|| format!("{}. --anyway searches all the same", deciding.join(". Besides, ")))
}

/// The recording as it is asked here.
struct Seen<'a>(&'a Recording);

impl Seen<'_> {
    /// Growth of a counter, a second.
    fn rate(&self, name: &str) -> Option<f64> {
        self.0.series.growth_per_s(name)
    }

    /// Of all those that were recorded, together; 0 if none was.
    fn rates(&self, names: &[&str]) -> f64 {
        names.iter().filter_map(|name| self.rate(name)).sum()
    }

    /// Of the first that was recorded.
    fn any_rate(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| self.rate(name))
    }

    fn rate_of(&self, quantity: Quantity) -> Option<f64> {
        self.0.get(quantity)?.growth_per_s(&self.0.series.seconds)
    }

    fn mean_of(&self, quantity: Quantity) -> Option<f64> {
        self.0.get(quantity)?.mean()
    }

    fn mean(&self, name: &str) -> Option<f64> {
        self.0.series.column(name)?.mean()
    }

    /// Units of work a second.
    fn work(&self) -> Option<f64> {
        self.rate(innosim_recordings::WORK).filter(|rate| *rate > 0.0)
    }

    fn is_on(&self, names: &[&str]) -> bool {
        let on = |value: &String| ["on", "1", "yes"].contains(&value.to_ascii_lowercase().as_str());
        names.iter().any(|name| self.0.variables.get(*name).is_some_and(on))
    }

    fn is_set(&self, name: &str) -> bool {
        self.0.variables.get(name).is_some_and(|value| !value.is_empty() && value != "0")
    }
}

/// Dirty pages that leave the pool by the LRU list before the checkpoint age comes to them.
fn early(seen: &Seen<'_>) -> Option<Outside> {
    let written = seen.rate_of(Quantity::PagesWritten).filter(|rate| *rate > 0.0)?;
    let lacks = "innodb_io_capacity_max sets the pace of the flush list alone. A larger buffer pool decides more, and no server that \
                 writes so many was compared";
    let not_by_list = seen.rate("m.buffer_flush_batch_total_pages").map(|by_list| 1.0 - by_list / written);
    let by_lru = ["m.buffer_LRU_batch_flush_total_pages", "Innodb_buffer_pool_pages_LRU_flushed"];
    if let Some(share) = not_by_list.or_else(|| Some(seen.any_rate(&by_lru)? / written)) {
        return (share >= LEAVE_EARLY).then(|| Outside {
            decides: true,
            what: format!(
                "{:.0} % of all pages are written to make room in the buffer pool, not from the flush list: the data is much \
                 larger than the pool, and {lacks}",
                100.0 * share
            ),
        });
    }
    let read =
        seen.any_rate(&["Innodb_pages_read", "m.buffer_pages_read"]).or(seen.rate_of(Quantity::BufferPoolReads))?;
    let stays_s = seen.mean_of(Quantity::LruPages)? / read.max(1e-9);
    let turn_s = seen.0.checkpoint_age()?.mean()? / seen.rate_of(Quantity::Lsn).filter(|rate| *rate > 0.0)?;
    (stays_s < turn_s).then(|| Outside {
        decides: true,
        what: format!(
            "a page stays in the buffer pool for {stays_s:.0} s ({read:.0} pages are read a second), and the checkpoint age \
             stands for {turn_s:.0} s: most pages are written to make room, and {lacks}"
        ),
    })
}

/// Row locks that clients wait for.
fn locks(seen: &Seen<'_>) -> Option<Outside> {
    let waiting = seen.rate("Innodb_row_lock_time").map(|ms| ms / 1000.0);
    let running = seen.mean("Threads_running");
    let (share, bounds, told) = match (waiting, running) {
        (Some(waiting), Some(running)) if running >= 1.0 => {
            let told = format!("{waiting:.1} of {running:.1} running threads wait for row locks in the mean");
            (waiting / running, [LOCKS_DECIDE, LOCKS_NAMED], told)
        }
        _ => {
            let waits = seen.any_rate(&["Innodb_row_lock_waits", "m.lock_row_lock_waits"])? / seen.work()?;
            (waits, [WAITS_DECIDE, WAITS_NAMED], format!("clients wait for a row lock {waits:.2} times a unit of work"))
        }
    };
    let [decide, named] = bounds;
    let lacks = "row locks are not modelled";
    (share >= named).then(|| Outside {
        decides: share >= decide,
        what: if share >= decide {
            format!("{told}: these decide throughput and latency, not flushing, and {lacks}")
        } else {
            format!(
                "{told}. As {lacks}, throughput and latency are the real server's only as far as flushing decides them"
            )
        },
    })
}

fn threads(seen: &Seen<'_>) -> Option<Outside> {
    let running = seen.mean("Threads_running")?;
    (running > MOST_RUNNING).then(|| Outside {
        decides: true,
        what: format!(
            "{running:.0} threads run at once, and no server with more than 512 clients was compared: latches and the \
             scheduler, which are not modelled, decide there. A thread pool or fewer connections come before any flushing"
        ),
    })
}

/// Data that is loaded, indexes that are built.
fn bulk(seen: &Seen<'_>) -> Option<Outside> {
    let schema = ["Com_alter_table", "Com_create_index", "Com_optimize", "Com_drop_index", "Com_truncate"];
    let statements = ["Com_load", "Com_insert_select", "Com_insert", "Com_replace"];
    let created = seen.any_rate(&["Innodb_pages_created", "m.buffer_pages_created"])?;
    let share = created / seen.rate_of(Quantity::PagesWritten).filter(|rate| *rate > 0.0)?;
    let rows = seen.rates(&["Innodb_rows_inserted"]) / seen.rates(&statements).max(1e-9);
    let changes = schema.iter().filter_map(|name| seen.0.series.column(name)?.growth()).sum::<f64>();
    let is_loaded = share >= LOADED_PAGES && (rows >= LOADED_ROWS || changes > 0.0);
    if is_loaded {
        let what = format!(
            "data is loaded or an index is built: {created:.0} pages are created a second, {:.0} for each 100 written. That \
             ends, and the server's usual load is another; pages of an index build are written by rules of their own. Record \
             the usual load",
            100.0 * share
        );
        return Some(Outside { decides: true, what });
    }
    (changes > 0.0).then(|| Outside {
        decides: false,
        what: format!(
            "{changes:.0} statements changed tables or indexes meanwhile: what they wrote counts as the load's"
        ),
    })
}

fn compressed(seen: &Seen<'_>) -> Option<Outside> {
    let names = ["m.compress_pages_compressed", "Innodb_num_pages_page_compressed"];
    let pages = seen.any_rate(&names).filter(|rate| *rate > 0.0)?;
    let share = pages / seen.rate_of(Quantity::PagesWritten).filter(|rate| *rate > 0.0)?;
    let lacks = "what a compressed page costs to write, and how large it is, is not modelled";
    Some(Outside {
        decides: share >= COMPRESSED,
        what: format!("{pages:.0} pages a second are compressed, {:.0} for each 100 written: {lacks}", 100.0 * share),
    })
}

fn replica(seen: &Seen<'_>) -> Option<Outside> {
    let rows = seen.rates(&["Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted"]);
    let statements = ["Com_insert", "Com_update", "Com_delete", "Com_replace", "Com_load", "Com_update_multi"];
    let has_none = seen.rate("Com_update").is_some() && seen.rates(&statements) == 0.0;
    let is_read_only = seen.is_on(&["read_only", "super_read_only"]) && rows > 0.0;
    (is_read_only || has_none && rows >= APPLIED_ROWS).then(|| Outside {
        decides: false,
        what: "A replica applies this load: it comes at the source's pace, a few appliers commit in order, and that order is not \
               modelled. So whether the replica lags is not told, nor how long a commit takes"
            .to_owned(),
    })
}

fn others(seen: &Seen<'_>) -> Option<Outside> {
    let semisync =
        ["rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled", "rpl_semi_sync_replication_enabled"];
    let what = if seen.is_on(&["wsrep_on"]) && seen.is_set("wsrep_cluster_address") {
        "Galera certifies each transaction"
    } else if seen.is_set("group_replication_group_name") {
        "group replication certifies each transaction"
    } else if seen.is_on(&semisync) {
        "a replica acknowledges each transaction (semisynchronous replication)"
    } else {
        return None;
    };
    Some(Outside {
        decides: false,
        what: format!(
            "Commits wait for other servers: {what}. Those waits are not modelled, so latency is too short and throughput, if \
             clients are always busy, too high"
        ),
    })
}

fn temporary(seen: &Seen<'_>) -> Option<Outside> {
    let each = seen.rate("Created_tmp_disk_tables")? / seen.work()?;
    (each >= TEMPORARY).then(|| Outside {
        decides: false,
        what: format!(
            "{each:.1} temporary tables a unit of work are made on disk: InnoDB's own are dirty pages without redo, and those are \
             not modelled; pages written and bytes are too low by theirs"
        ),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// An hour of a quiet server, second by second, as SHOW GLOBAL STATUS in a CSV: 1000 units of work and 1 MB of redo a second,
    /// 100 pages written, an age of 300 MB. Counters of `changed` grow by the figure each second; those of `stands` have it.
    pub(in super::super) fn recording(changed: &[(&str, f64)], stands: &[(&str, f64)], settings: &str) -> Recording {
        let folder = tempfile::tempdir().unwrap();
        let mut grow = vec![
            ("Com_commit", 1_000.0),
            ("Com_update", 1_000.0),
            ("Innodb_rows_updated", 1_000.0),
            ("Innodb_rows_inserted", 0.0),
            ("Innodb_redo_log_current_lsn", 1e6),
            ("Innodb_redo_log_checkpoint_lsn", 1e6),
            ("Innodb_pages_written", 100.0),
            ("Innodb_pages_created", 1.0),
            ("Innodb_pages_read", 10.0),
            ("Innodb_row_lock_time", 5.0),
        ];
        grow.retain(|(name, _)| changed.iter().all(|(other, _)| other != name));
        grow.extend(changed);
        let mut still = vec![
            ("Innodb_buffer_pool_pages_dirty", 9_000.0),
            ("Innodb_buffer_pool_pages_data", 60_000.0),
            ("Threads_running", 12.0),
        ];
        still.retain(|(name, _)| stands.iter().all(|(other, _)| other != name));
        still.extend(stands);
        let names = grow.iter().chain(&still).map(|(name, _)| *name).collect::<Vec<_>>().join(",");
        let mut text = format!("timestamp,{names}\n");
        for second in 0..120u32 {
            let first = |name: &str| if name == "Innodb_redo_log_current_lsn" { 1e9 + 3e8 } else { 1e9 };
            let grown = grow.iter().map(|(name, rate)| first(name) + rate * f64::from(second));
            let values = grown.chain(still.iter().map(|(_, value)| *value)).map(|value| format!("{value:.0}"));
            writeln!(text, "{},{}", 1_777_489_071 + second, values.collect::<Vec<_>>().join(",")).unwrap();
        }
        std::fs::write(folder.path().join("status.csv"), text).unwrap();
        std::fs::write(
            folder.path().join("variables.txt"),
            format!("Variable_name\tValue\nversion\t8.0.45\ninnodb_io_capacity\t2000\n{settings}"),
        )
        .unwrap();
        innosim_recordings::find(folder.path()).unwrap().remove(0)
    }

    /// What of such an hour lies outside.
    fn recorded(changed: &[(&str, f64)], stands: &[(&str, f64)], settings: &str) -> Vec<Outside> {
        outside(&recording(changed, stands, settings).as_unknown_load().unwrap().recording)
    }

    fn decides(found: &[Outside], words: &str) {
        let why = refusal(found).unwrap_or_default();
        assert!(why.contains(words), "{why:?} for {words:?}");
    }

    fn is_said(found: &[Outside], words: &str) {
        assert_eq!(refusal(found), None);
        let [said] = &said(found)[..] else { panic!("{found:?}") };
        assert!(said.contains(words), "{said:?} for {words:?}");
    }

    #[test]
    fn a_usual_load_is_not_outside() {
        assert_eq!(recorded(&[], &[], ""), []);
    }

    #[test]
    fn data_much_larger_than_the_pool_decides_by_how_long_pages_stay_or_by_what_the_flush_list_writes() {
        let read = recorded(&[("Innodb_pages_read", 1_000.0)], &[], "");
        decides(
            &read,
            "stays in the buffer pool for 60 s (1000 pages are read a second), and the checkpoint age stands for 300 s",
        );
        let by_list = |pages| recorded(&[("buffer_flush_batch_total_pages", pages)], &[], "");
        decides(&by_list(30.0), "70 % of all pages are written to make room");
        assert_eq!(by_list(80.0), []);
        decides(
            &recorded(&[("buffer_LRU_batch_flush_total_pages", 65.0)], &[], ""),
            "65 % of all pages are written to make room",
        );
    }

    #[test]
    fn a_hot_row_decides_where_most_running_threads_wait_for_it() {
        decides(
            &recorded(&[("Innodb_row_lock_time", 9_000.0)], &[], ""),
            "9.0 of 12.0 running threads wait for row locks",
        );
        is_said(&recorded(&[("Innodb_row_lock_time", 2_000.0)], &[], ""), "2.0 of 12.0 running threads");
        let by_waits = recorded(&[("Innodb_row_lock_waits", 800.0)], &[("Threads_running", 0.0)], "");
        decides(&by_waits, "wait for a row lock 0.80 times a unit of work");
    }

    #[test]
    fn five_thousand_threads_are_too_many() {
        decides(&recorded(&[], &[("Threads_running", 5_000.0)], ""), "5000 threads run at once");
    }

    #[test]
    fn a_load_of_data_and_the_build_of_an_index_are_no_usual_load() {
        let load = [("Innodb_rows_inserted", 50_000.0), ("Com_load", 0.5), ("Innodb_pages_created", 80.0)];
        decides(&recorded(&load, &[], ""), "80 pages are created a second, 80 for each 100 written");
        let index = [("Com_alter_table", 0.01), ("Innodb_pages_created", 60.0)];
        decides(&recorded(&index, &[], ""), "an index is built");
        is_said(&recorded(&[("Com_alter_table", 0.01)], &[], ""), "1 statements changed tables");
    }

    #[test]
    fn compressed_pages_decide_where_many_are_written() {
        let mysql = [("compress_pages_compressed", 40.0)];
        decides(&recorded(&mysql, &[], ""), "40 pages a second are compressed, 40 for each 100 written");
        let mariadb = [("Innodb_num_pages_page_compressed", 2.0)];
        is_said(&recorded(&mariadb, &[], ""), "2 pages a second are compressed");
    }

    #[test]
    fn what_other_servers_decide_is_said() {
        let applier = [("Com_update", 0.0), ("Com_commit", 0.0)];
        is_said(&recorded(&applier, &[], ""), "A replica applies this load");
        is_said(&recorded(&[], &[], "read_only\tON\n"), "A replica applies this load");
        is_said(&recorded(&[], &[], "wsrep_on\tON\nwsrep_cluster_address\tgcomm://a\n"), "Galera certifies");
        is_said(&recorded(&[], &[], "group_replication_group_name\taaaa-bbbb\n"), "group replication certifies");
        is_said(&recorded(&[], &[], "rpl_semi_sync_source_enabled\tON\n"), "semisynchronous");
    }

    #[test]
    fn temporary_tables_on_disk_are_said() {
        is_said(&recorded(&[("Created_tmp_disk_tables", 300.0)], &[], ""), "0.3 temporary tables a unit of work");
    }
}
