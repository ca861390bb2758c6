//! What a recorded shortage of free pages rules out: where clients find free pages by themselves, no I/O capacity brings them any.

use crate::explain::events_of_recording;
use innosim_explain::What;
use innosim_recordings::Recording;

/// Share of the recorded load from which on a shortage decides.
const LONG: f64 = 0.25;

/// Why a recorded shortage of free pages lets no `innodb_io_capacity_max` be advised, as a sentence; `None` if there was none, or a
/// short one.
pub(super) fn free_pages_are_short(recording: &Recording) -> Option<String> {
    let (start, end) = recording.load_window();
    let shortage = |what: What| match what {
        What::FreePagesShort { seconds, single_pages_per_s, pages_per_s, .. } => {
            Some((seconds, seconds * single_pages_per_s.unwrap_or(0.0), seconds * pages_per_s))
        }
        _ => None,
    };
    let events = events_of_recording(recording, None).ok()?;
    let (seconds, single, all) = events
        .into_iter()
        .filter_map(|event| shortage(event.what))
        .fold((0.0, 0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2));
    (seconds > 0.0 && seconds >= LONG * (end - start)).then(|| {
        format!(
            "free pages were short for {seconds:.0} of {:.0} s: clients searched for them and wrote {:.0} of {:.0} pages a second one by \
             one. innodb_io_capacity_max brings no free page, and more flushing of the flush list leaves less for the LRU list. A larger \
             buffer pool, more innodb_lru_scan_depth or fewer clients at a time may help; `innosim explain` tells more. --anyway searches \
             all the same",
            end - start,
            single / seconds,
            all / seconds
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of counters of INNODB_METRICS in which the batches write `share` of all pages.
    fn recorded(share: f64) -> Recording {
        let folder = tempfile::tempdir().unwrap();
        let mut text = "timestamp,trx_rw_commits,log_lsn_current,log_lsn_last_checkpoint,buffer_pages_written,\
                        buffer_flush_batch_total_pages,buffer_LRU_batch_flush_total_pages\n"
            .to_owned();
        for second in 0..120u32 {
            let grown = |a_second: f64| (a_second * f64::from(second)) as u64;
            let counters = [1_000.0, 1e6, 1e6, 4_000.0, 3_000.0 * share, 1_000.0 * share].map(grown);
            let counters = counters.map(|counter| (counter + 1_000_000).to_string()).join(",");
            text.push_str(&format!("{},{counters}\n", 1_777_489_071 + second));
        }
        std::fs::write(folder.path().join("innodb_metrics.csv"), text).unwrap();
        innosim_recordings::find(folder.path()).unwrap().remove(0)
    }

    #[test]
    fn pages_that_clients_write_one_by_one_rule_an_io_capacity_out() {
        assert_eq!(free_pages_are_short(&recorded(1.0)), None);
        let why = free_pages_are_short(&recorded(0.3)).unwrap();
        assert!(why.starts_with("free pages were short for") && why.contains("wrote 2800 of 4000 pages"), "{why}");
    }
}
