//! Reports of other programs that tell a few settings, or nothing that is of use here: these are called by their names, with what to
//! record instead.

use super::Part;

/// Programs' reports of which nothing is used: what they are known by, and what to say.
const OF_NO_USE: [(&str, &str); 3] = [
    (
        "Average number of seconds to run all queries",
        "is mysqlslap's report, which tells totals alone; sysbench --report-interval=1 tells the course",
    ),
    (
        "\"Dstat ",
        "is dstat's table, which counts bytes alone; iostat -dxmt 1 counts reads, writes and flushes, vmstat 1 the processors",
    ),
    ("areq-sz", "is sar's report, which counts reads and writes together; iostat -dxmt 1 tells them apart"),
];

/// Reads a report; `None` if the text is none.
pub(super) fn parse(text: &str) -> Option<Part> {
    if text.contains("MySQLTuner ") && text.contains("[--]") {
        return Some(mysqltuner(text));
    }
    let is_table_of_sar = |line: &str| line.contains(" DEV ") && line.contains(" tps ") && line.contains("areq-sz");
    let (_, remark) = OF_NO_USE.iter().find(|(words, _)| {
        if *words == "areq-sz" { text.lines().any(is_table_of_sar) } else { text.contains(words) }
    })?;
    Some(Part { remarks: vec![(*remark).to_owned()], ..Part::default() })
}

/// MySQLTuner's settings: version, buffer pool, redo log. Its sizes are rounded.
///
/// ```text
/// [OK] Currently running supported MySQL version 8.0.36
/// [!!] InnoDB buffer pool / data size: 8.0G / 41.3G
/// [!!] Ratio InnoDB redo log capacity / InnoDB Buffer pool size (1.22%): 100.0M / 8.0G should be equal to 25%
/// [!!] Ratio InnoDB log file size / InnoDB Buffer pool size (12.5 %): 512.0M * 2 / 8.0G should be equal to 25%
/// ```
fn mysqltuner(text: &str) -> Part {
    let mut part = Part::default();
    let mut tell = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            part.variables.insert(name.to_owned(), value);
        }
    };
    for line in text.lines() {
        let after = |words: &str| line.split_once(words).map(|(_, rest)| rest.trim());
        let sizes = || line.rsplit_once("): ").map_or("", |(_, rest)| rest);
        if let Some(version) =
            after("MySQL version ").filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
        {
            tell("version", version.split_whitespace().next().map(str::to_owned));
        } else if let Some(pool) = after("InnoDB buffer pool / data size:") {
            tell("innodb_buffer_pool_size", size(pool));
        } else if line.contains("Ratio InnoDB redo log capacity") {
            tell("innodb_redo_log_capacity", size(sizes()));
        } else if line.contains("Ratio InnoDB log file size") {
            tell("innodb_log_file_size", size(sizes()));
            let files = sizes().split_once('*').and_then(|(_, rest)| rest.split('/').next());
            tell("innodb_log_files_in_group", files.map(|files| files.trim().to_owned()));
        }
    }
    part.remarks.push("MySQLTuner rounds sizes to a tenth of their unit".to_owned());
    part
}

/// Bytes of `8.0G` at the beginning of a text.
fn size(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let unit = match text[end..].chars().next()? {
        'K' => 1u64 << 10,
        'M' => 1 << 20,
        'G' => 1 << 30,
        'T' => 1 << 40,
        _ => return None,
    };
    let number: f64 = text[..end].parse().ok()?;
    Some(format!("{:.0}", number * unit as f64))
}

/// Whether a text is a server's error log.
pub(super) fn is_error_log(text: &str) -> bool {
    text.lines().any(|line| line.contains("[InnoDB]") || line.contains("] InnoDB: "))
}

/// An error log without a message about slow page cleaning, which may tell of a recovery.
pub(super) fn error_log(text: &str) -> Part {
    let mut remark =
        "is an error log without a message about slow page cleaning (page_cleaner: ... intended loop took, \
                      Page cleaner took)"
            .to_owned();
    let number = |line: &str, words: &str| -> Option<f64> {
        let rest = line.split_once(words)?.1.trim_start_matches([' ', '=']);
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
    };
    let from = text.lines().find_map(|line| number(line, "checkpoint_lsn"));
    let to = text.lines().filter_map(|line| number(line, "scanned up to log sequence number")).next_back();
    if let Some(mib) = from.zip(to).map(|(from, to)| (to - from) / 1_048_576.0).filter(|mib| *mib > 0.0) {
        remark.push_str(&format!("; its crash recovery read {mib:.0} MiB of redo, the checkpoint age at the crash"));
    }
    Part { remarks: vec![remark], ..Part::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mysqltuner_tells_a_few_settings() {
        let text = " >>  MySQLTuner 2.2.12\n[--] Skipped\n[OK] Currently running supported MySQL version 5.7.44-log\n[!!] InnoDB buffer pool \
                    / data size: 8.0G / 41.3G\n[!!] Ratio InnoDB log file size / InnoDB Buffer pool size (12.5 %): 512.0M * 2 / 8.0G should\n";
        let part = parse(text).unwrap();
        let of = |name: &str| part.variables[name].as_str();
        assert_eq!((of("version"), of("innodb_buffer_pool_size")), ("5.7.44-log", "8589934592"));
        assert_eq!((of("innodb_log_file_size"), of("innodb_log_files_in_group")), ("536870912", "2"));
    }

    #[test]
    fn a_recovery_tells_the_age_at_the_crash() {
        let text = "[InnoDB] Starting to parse redo log at lsn = 5, whereas checkpoint_lsn = 1000 and start_lsn = 1\n[InnoDB] Doing recovery: \
                    scanned up to log sequence number 104858600\n";
        assert!(is_error_log(text) && error_log(text).remarks[0].contains("read 100 MiB of redo"));
    }
}
