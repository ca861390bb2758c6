//! How many tablespaces a load's pages lie in, from the syncs of data files.
//!
//! From 8.0.20 on the thread that ends a doublewrite batch syncs every file that has unsynced writes (`innodb-8.0.21` section 6.1). Of `n`
//! files that pages are drawn from alike, a batch of `k` pages meets `n (1 - (1 - 1/n)^k)`. Threads that end batches at the same time
//! sync for each other, so fewer are synced: 0.83 to 0.91 of them in our recordings of four and eight tables, 0.89 simulated. Counters have both: data-file
//! syncs, less those of redo, a batch, and pages a batch. The number that follows is one of files that are as busy as each other.
//! It is 4 of MySQL 9.7 with four tables and batches of 4 pages, 11 with eight, 19 with twenty and batches of 128.
//!
//! Only behind a cap, where syncs of data files are what redo waits for. Elsewhere they cost little, and simulated too much: with as many
//! files as were synced a recorded Percona Server with 16 clients and an NVMe drive has a 95 % latency of 4.8 ms for 3.5, without 3.3.
//!
//! A page that a client writes alone takes a sync of its own, which is taken off. Not told where these are half of all, and where the
//! doublewrite files are synced too (`innodb_flush_method` other than `O_DIRECT`).

use super::Parameter;
use super::costs::REDO_SYNCS;
use super::counters::Load;
use super::device::is_capped;
use innosim_recordings::Recording;

/// Most tablespaces of a scenario.
const MOST: f64 = 1000.0;
/// Files that are synced, as a share of those with pages in the batches: others' threads sync the rest.
const SYNCED: f64 = 0.87;
/// Reads a page written up to which no client has to make room for one by writing another.
const FEW_READS: f64 = 0.01;

/// Tablespaces of an unknown load; `None` if the recording does not tell.
pub(super) fn tablespaces(load: &Load, recording: &Recording) -> Option<Parameter> {
    let is = |name: &str, value: &str| recording.variables.get(name).is_some_and(|set| set == value);
    // `innodb_doublewrite_files` is of those servers alone.
    let counts = recording.variables.contains_key("innodb_doublewrite_files") && is("innodb_flush_method", "O_DIRECT");
    if !counts || !is_capped(&recording.cap) {
        return None;
    }
    let grown = |names: &[&str]| load.column(recording, names)?.growth();
    let batches = grown(&["Innodb_dblwr_writes", "m.innodb_dblwr_writes"]).filter(|batches| *batches > 0.0)?;
    let pages = grown(&["Innodb_dblwr_pages_written", "m.innodb_dblwr_pages_written"])?;
    let syncs = grown(&["Innodb_data_fsyncs", "m.os_data_fsyncs"])? - grown(&REDO_SYNCS)?;
    let in_memory = || grown(&["Innodb_buffer_pool_reads"]).filter(|reads| *reads < FEW_READS * pages);
    let one_by_one = grown(&["m.dblwr_sync_requests"]).or_else(|| in_memory().map(|_| 0.0))?;
    if one_by_one > syncs / 2.0 {
        return None;
    }
    let (a_batch, met) = (pages / batches, (syncs - one_by_one) / batches);
    Some(Parameter {
        name: "tablespaces",
        value: drawn_from(a_batch, met / SYNCED)?.round(),
        uncertainty: None,
        unit: "",
        method: format!("behind a batch of {a_batch:.1} pages {met:.2} files are synced"),
    })
}

/// Number of files of which a batch of so many pages meets so many; `None` if each page has its own.
fn drawn_from(pages: f64, met: f64) -> Option<f64> {
    let meets = |files: f64| files * (1.0 - (1.0 - 1.0 / files).powf(pages));
    if met >= meets(MOST) {
        return None;
    }
    let (mut low, mut high) = (1.0, MOST);
    while high - low > 0.01 {
        let middle = f64::midpoint(low, high);
        if meets(middle) < met { low = middle } else { high = middle }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::recorded;

    #[test]
    fn files_are_as_many_as_batches_meet() {
        assert_eq!(drawn_from(4.0, 1.0), Some(1.0));
        let of_four = 4.0 * (1.0 - 0.75f64.powf(4.0));
        assert!((drawn_from(4.0, of_four).unwrap() - 4.0).abs() < 0.02);
        assert!((drawn_from(123.0, 16.3).unwrap() - 16.3).abs() < 0.2);
        assert_eq!(drawn_from(4.0, 4.0), None, "each page in a file of its own");
    }

    /// Eight, whose pages are in batches of four.
    #[test]
    fn a_recording_tells_its_tables() {
        let mut recording = recorded("mysql97/uni4k-256-io2000");
        let load = Load::of(&recording).unwrap();
        assert_eq!(tablespaces(&load, &recording), None, "no cap");
        recording.cap.write_iops = 3000.0;
        let told = tablespaces(&load, &recording).unwrap();
        assert!((8.0..=12.0).contains(&told.value), "{told:?}");
        recording.variables.insert("innodb_flush_method".to_owned(), "fsync".to_owned());
        assert_eq!(tablespaces(&load, &recording), None);
    }
}
