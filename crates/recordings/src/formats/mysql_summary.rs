//! pt-mysql-summary's report: settings and, where its status counters are there, what grew in ten seconds.
//!
//! ```text
//! # Status Counters (Wait 10 Seconds) ##########################
//! Variable                                Per day  Per second     10 secs
//! Innodb_pages_written                   82000000         950        1250
//! # InnoDB #####################################################
//!         Buffer Pool Size | 64.0G
//!            Log File Size | 2 * 512.0M = 1.0G
//! # Configuration File #########################################
//! [mysqld]
//! innodb_io_capacity = 2000
//! ```
//!
//! The last column of the counters is a rate, rounded by the program to two or three figures; the last ten seconds become
//! two samples of those counters that only grow. Sizes in the report are rounded as well, so what the option file at its
//! end says of a setting comes first.

use super::Part;
use std::collections::BTreeMap;

/// Seconds between the two samples.
const SAMPLED_S: f64 = 10.0;
const PAGE_BYTES: f64 = 16_384.0;
/// Counters that only grow and that somebody asks for.
const COUNTERS: [&str; 18] = [
    "Com_commit",
    "Com_delete",
    "Com_insert",
    "Com_update",
    "Innodb_buffer_pool_reads",
    "Innodb_buffer_pool_wait_free",
    "Innodb_data_fsyncs",
    "Innodb_data_writes",
    "Innodb_data_written",
    "Innodb_dblwr_pages_written",
    "Innodb_log_waits",
    "Innodb_lsn_current",
    "Innodb_os_log_fsyncs",
    "Innodb_os_log_written",
    "Innodb_pages_written",
    "Innodb_rows_updated",
    "Queries",
    "Questions",
];
/// Lines of the report that are one setting.
const SETTINGS: [(&str, &str); 9] = [
    ("Buffer Pool Size", "innodb_buffer_pool_size"),
    ("Log Buffer Size", "innodb_log_buffer_size"),
    ("Flush Method", "innodb_flush_method"),
    ("Flush Log At Commit", "innodb_flush_log_at_trx_commit"),
    ("Doublewrite", "innodb_doublewrite"),
    ("I/O Capacity", "innodb_io_capacity"),
    ("Thread Concurrency", "innodb_thread_concurrency"),
    ("Adaptive Flushing", "innodb_adaptive_flushing"),
    ("sync_binlog", "sync_binlog"),
];

/// Whether a text is such a report.
pub(super) fn is_one(text: &str) -> bool {
    text.contains("\n# Report On Port ") && text.lines().any(|line| line.starts_with("# InnoDB ####"))
}

/// Reads the report.
pub(super) fn parse(text: &str) -> Part {
    let mut part = Part::default();
    let mut facts: BTreeMap<&str, &str> = BTreeMap::new();
    let mut rates: BTreeMap<&str, f64> = BTreeMap::new();
    let mut section = "";
    let mut in_server = false;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ").filter(|title| title.ends_with("##")) {
            section = title.trim_end_matches(['#', ' ']);
        } else if section.starts_with("Status Counters") {
            let words: Vec<&str> = line.split_whitespace().collect();
            // Name, a day, a second, now: a rate of nothing is left out, and then fewer columns stand in their place.
            let known = line.len() > 59 && words.len() > 1 && COUNTERS.contains(&words[0]);
            let now = line.get(59..).and_then(|rest| rest.trim().parse::<f64>().ok());
            rates.extend(now.filter(|rate| known && rate.is_finite() && *rate >= 0.0).map(|rate| (words[0], rate)));
        } else if section == "Configuration File" {
            in_server = if line.starts_with('[') { line.trim() == "[mysqld]" } else { in_server };
            if let Some((name, value)) = line.split_once('=').filter(|_| in_server) {
                let name = name.trim().replace('-', "_");
                if name.starts_with("innodb_") || name == "sync_binlog" {
                    part.variables.insert(name, value.trim().to_owned());
                }
            }
        } else if let Some((key, value)) = line.split_once(" | ") {
            // The first of its name: the server's version stands before InnoDB's.
            facts.entry(key.trim()).or_insert(value.trim());
        }
    }
    settings(&facts, &mut part.variables);
    samples(&facts, &rates, &mut part);
    part.remarks.push("pt-mysql-summary rounds sizes and rates to two or three figures".to_owned());
    part
}

/// Settings that the report tells in lines of its own.
fn settings(facts: &BTreeMap<&str, &str>, variables: &mut BTreeMap<String, String>) {
    let mut tell = |name: &str, value: String| {
        if !value.is_empty() {
            variables.entry(name.to_owned()).or_insert(value);
        }
    };
    if let Some(version) = facts.get("Version") {
        let (number, comment) = version.split_once(' ').unwrap_or((version, ""));
        tell("version", number.to_owned());
        tell("version_comment", comment.to_owned());
    }
    for (key, name) in SETTINGS {
        let Some(value) = facts.get(key) else { continue };
        let is_size = name.ends_with("_size");
        tell(
            name,
            if is_size {
                bytes(value).map_or_else(String::new, |bytes| format!("{bytes:.0}"))
            } else {
                (*value).to_owned()
            },
        );
    }
    // `2 * 512.0M = 1.0G`
    if let Some((files, size)) = facts.get("Log File Size").and_then(|text| text.split('=').next()?.split_once('*')) {
        tell("innodb_log_files_in_group", files.trim().to_owned());
        tell("innodb_log_file_size", bytes(size.trim()).map_or_else(String::new, |bytes| format!("{bytes:.0}")));
    }
    if facts.contains_key("Binlogs") {
        tell("log_bin", "ON".to_owned());
    }
}

/// Two samples: the beginning of the ten seconds, and their end.
fn samples(facts: &BTreeMap<&str, &str>, rates: &BTreeMap<&str, f64>, part: &mut Part) {
    let percent = |key: &str| facts.get(key)?.strip_suffix('%')?.parse::<f64>().ok();
    let pool = part.variables.get("innodb_buffer_pool_size").and_then(|size| bytes(size));
    let dirty = pool.zip(percent("Buffer Pool Dirty")).map(|(pool, dirty)| (pool / PAGE_BYTES * dirty / 100.0).round());
    let age = facts.get("Checkpoint Age").and_then(|age| bytes(age));
    let gauges = [("Innodb_buffer_pool_pages_dirty", dirty), ("Innodb_checkpoint_age", age)];
    if rates.is_empty() && gauges.iter().all(|(_, value)| value.is_none()) {
        return;
    }
    part.seconds = vec![0.0, SAMPLED_S];
    for (name, value) in gauges {
        part.columns.extend(value.map(|value| (name.to_owned(), vec![value; 2])));
    }
    let base = age.unwrap_or(0.0);
    for (name, rate) in rates {
        let from = if *name == "Innodb_lsn_current" { base } else { 0.0 };
        part.columns.insert((*name).to_owned(), vec![from, from + SAMPLED_S * rate]);
    }
    // The age alone needs a log sequence number beside it.
    if age.is_some() {
        part.columns.entry("Innodb_lsn_current".to_owned()).or_insert_with(|| vec![base; 2]);
    }
}

/// `16.0M`, `69k`, `64G` or plain bytes.
fn bytes(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let power = match text[end..].chars().next().map(|c| c.to_ascii_uppercase()) {
        None => 0,
        Some('K') => 1,
        Some('M') => 2,
        Some('G') => 3,
        Some('T') => 4,
        Some(_) => return None,
    };
    Some(number * 1024f64.powi(power)).filter(|bytes| bytes.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
# Percona Toolkit MySQL Summary Report #######################
# Report On Port 3306 ########################################
                     User | root@localhost
                  Version | 8.0.36 MySQL Community Server - GPL
# Status Counters (Wait 10 Seconds) ##########################
Variable                                Per day  Per second     10 secs
Com_commit                             90000000        1000        1250
Innodb_pages_written                   80000000         900         950
Innodb_buffer_pool_pages_flushed       80000000         900
# InnoDB #####################################################
                  Version | 8.0.36
         Buffer Pool Size | 8.0G
        Buffer Pool Dirty | 25%
            Log File Size | 2 * 512.0M = 1.0G
          Log Buffer Size | 16M
             I/O Capacity | 200
           Checkpoint Age | 300M
# Binary Logging #############################################
                  Binlogs | 3
              sync_binlog | 1
# Configuration File #########################################
[mysqld]
innodb_buffer_pool_size             = 8G
innodb-io-capacity                  = 2000
# The End ####################################################
";

    #[test]
    fn settings_and_ten_seconds_come_out_of_a_report() {
        assert!(is_one(REPORT));
        let part = parse(REPORT);
        let told = |name: &str| part.variables.get(name).map(String::as_str);
        assert_eq!(told("version"), Some("8.0.36"));
        assert_eq!(told("innodb_io_capacity"), Some("2000"), "the option file first");
        assert_eq!((told("innodb_log_file_size"), told("innodb_log_files_in_group")), (Some("536870912"), Some("2")));
        assert_eq!((told("log_bin"), told("innodb_log_buffer_size")), (Some("ON"), Some("16777216")));
        assert_eq!(part.columns["Innodb_pages_written"], [0.0, 9500.0]);
        assert_eq!(part.columns["Innodb_buffer_pool_pages_dirty"], [131_072.0; 2]);
        assert_eq!(part.columns["Innodb_checkpoint_age"], [314_572_800.0; 2]);
    }
}
