//! MariaDB with a pool of a third of its data flushes as a real one was seen to (`docs/fidelity.md`).

use crate::simulated::{number, set, simulated};

const SCENARIO: &str = r#"
model = "mariadb-10.11"
duration = "20s"
warmup = "5s"

[server]
innodb_buffer_pool_size = "128M"
innodb_log_file_size = "64M"
innodb_io_capacity = 1000
innodb_io_capacity_max = 2000
innodb_lru_scan_depth = 256

[host]
cores = 2
scheduling = "shared"

[device]
profile = "nvme"

[workload]
kind = "sysbench-oltp-update-non-index"
tables = 4
table_size = 400000

[drive]
kind = "closed"
clients = 16
"#;

/// The page cleaner has its hands full with the LRU list: pages written there stay in it, so that a batch writes
/// `innodb_io_capacity_max` of them and frees no more than `innodb_lru_scan_depth`, and it hardly comes to the flush list.
#[test]
fn lru_batches_leave_no_time_for_the_flush_list() {
    let run = simulated(SCENARIO, &set(&[]));
    let summary = &run.summary;
    let by_list = number(summary, "pages_flushed_adaptive") + number(summary, "pages_flushed_background");
    assert!(number(summary, "pages_flushed_lru") > 20.0 * by_list, "{summary}");
    assert!(number(summary, "checkpoint_age_max") > 30e6, "the age grows, {summary}");

    let free: Vec<u64> = run.output.series.iter().skip(1).map(|second| second.free_pages).collect();
    // A batch goes on to the end of its chunk.
    assert!(free.len() > 10 && free.iter().all(|&pages| pages <= 256 + 128), "{free:?}");
}
