//! The text of SHOW ENGINE INNODB STATUS: the lines that hold counters, whatever the version.
//!
//! Lines are `words number`; the words are the name. Servers before 5.5 print a log sequence number as two numbers of
//! 32 bits. Sections `INDIVIDUAL BUFFER POOL INFO` repeat those of the whole pool and are passed over.

/// Where in the text a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Section {
    Log,
    BufferPool,
    Transactions,
    Semaphores,
    Files,
    Rows,
    #[default]
    Other,
}

/// Numbers that stand before their words: beginning of the words, column.
type Before = (&'static str, &'static str);

const OF_LOG: [Before; 5] = [
    ("pending log flushes", "log.pending_flushes"),
    ("pending log writes", "log.pending_writes"),
    ("pending chkp writes", "log.pending_checkpoint_writes"),
    ("log i/o's done", "log.ios"),
    ("log i/o's/second", "log.ios_per_s"),
];
const OF_POOL: [Before; 3] =
    [("reads/s", "bp.reads_per_s"), ("creates/s", "bp.creates_per_s"), ("writes/s", "bp.writes_per_s")];
const OF_FILES: [Before; 5] = [
    ("reads/s", "io.reads_per_s"),
    ("writes/s", "io.writes_per_s"),
    ("fsyncs/s", "io.fsyncs_per_s"),
    ("pending preads", "io.pending_reads"),
    ("pending pwrites", "io.pending_writes"),
];
const OF_ROWS: [Before; 6] = [
    ("inserts/s", "row.inserts_per_s"),
    ("updates/s", "row.updates_per_s"),
    ("deletes/s", "row.deletes_per_s"),
    ("reads/s", "row.reads_per_s"),
    ("queries inside InnoDB", "row.queries_inside"),
    ("queries in queue", "row.queries_in_queue"),
];

impl Section {
    /// The section that a line opens.
    fn opened_by(line: &str) -> Option<Self> {
        match line {
            "LOG" => Some(Section::Log),
            "BUFFER POOL AND MEMORY" => Some(Section::BufferPool),
            "TRANSACTIONS" => Some(Section::Transactions),
            "SEMAPHORES" => Some(Section::Semaphores),
            "FILE I/O" => Some(Section::Files),
            "ROW OPERATIONS" => Some(Section::Rows),
            "INDIVIDUAL BUFFER POOL INFO"
            | "BACKGROUND THREAD"
            | "LATEST DETECTED DEADLOCK"
            | "LATEST FOREIGN KEY ERROR"
            | "INSERT BUFFER AND ADAPTIVE HASH INDEX" => Some(Section::Other),
            _ => None,
        }
    }

    /// Reads a line: moves to the section that it opens, or hands its counters to `found`.
    pub(super) fn line(&mut self, line: &str, mut found: impl FnMut(String, f64)) {
        let line = line.trim();
        if let Some(section) = Section::opened_by(line) {
            *self = section;
            return;
        }
        let mut take = |name: &str, value: f64| found(name.to_owned(), value);
        match self {
            Section::Log => match words_and_number(line, 2) {
                Some((name, value)) => take(&format!("log.{name}"), value),
                None => numbers_before(line, &OF_LOG, take),
            },
            Section::BufferPool => of_pool(line, take),
            Section::Transactions => {
                if let Some(length) = line.strip_prefix("History list length ").and_then(|n| n.trim().parse().ok()) {
                    take("trx.history_list_length", length);
                }
            }
            Section::Semaphores => {
                if let Some((what, seconds)) = semaphore_wait(line) {
                    take(what, seconds);
                }
            }
            Section::Files => {
                if let Some(rest) = line.strip_prefix("Pending flushes (fsync)") {
                    for (key, column) in [("log:", "io.pending_log_syncs"), ("buffer pool:", "io.pending_data_syncs")] {
                        number_after(rest, key).into_iter().for_each(|value| take(column, value));
                    }
                    rest.strip_prefix(':')
                        .and_then(|n| n.trim().parse().ok())
                        .into_iter()
                        .for_each(|v| take("io.pending_syncs", v));
                } else {
                    numbers_before(line, &OF_FILES, take);
                }
            }
            Section::Rows => numbers_before(line, &OF_ROWS, take),
            Section::Other => {
                let averages = line.strip_prefix("Per second averages calculated from the last ");
                let seconds = averages.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
                seconds.into_iter().for_each(|seconds| take("status.averages_of_s", seconds));
            }
        }
    }
}

fn of_pool(line: &str, mut take: impl FnMut(&str, f64)) {
    if let Some(rest) = line.strip_prefix("Pages read ") {
        let numbers: Vec<f64> =
            rest.split(',').filter_map(|part| part.split_whitespace().last()?.parse().ok()).collect();
        if let [read, created, written] = numbers[..] {
            take("bp.pages_read", read);
            take("bp.pages_created", created);
            take("bp.pages_written", written);
        }
    } else if let Some(rest) = line.strip_prefix("Pending writes:") {
        for (key, column) in [
            ("LRU", "bp.pending_lru"),
            ("flush list", "bp.pending_flush_list"),
            ("single page", "bp.pending_single_page"),
        ] {
            number_after(rest, key).into_iter().for_each(|value| take(column, value));
        }
    } else if let Some((name, value)) = words_and_number(line, 1) {
        take(&format!("bp.{name}"), value);
    } else {
        numbers_before(line, &OF_POOL, take);
    }
}

/// A wait that a line tells of, by where the thread waits: in the log, in the buffer pool, or elsewhere.
fn semaphore_wait(line: &str) -> Option<(&'static str, f64)> {
    let (_, rest) = line.strip_prefix("--Thread ")?.split_once("has waited at ")?;
    let place = rest.split_whitespace().next()?;
    let seconds: f64 = rest.split_once(" for ")?.1.split_whitespace().next()?.parse().ok()?;
    let what = match place {
        place if place.starts_with("log0") => "wait.log_s",
        place if place.starts_with("buf0") => "wait.buffer_pool_s",
        _ => "wait.other_s",
    };
    seconds.is_finite().then_some((what, seconds))
}

/// The number right behind a word.
fn number_after(text: &str, word: &str) -> Option<f64> {
    let rest = text.split_once(word)?.1.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Numbers before their words, separated by commas: `0.00 reads/s, 0.52 creates/s`.
fn numbers_before(line: &str, known: &[Before], mut take: impl FnMut(&str, f64)) {
    for part in line.split(',').map(str::trim) {
        let Some((number, words)) = part.split_once(' ') else { continue };
        let column = known.iter().find(|(beginning, _)| words.starts_with(beginning));
        if let (Some((_, column)), Ok(value)) = (column, number.parse::<f64>())
            && value.is_finite()
        {
            take(column, value);
        }
    }
}

/// `Log sequence number 42` as `log_sequence_number` and 42, with up to `most` numbers at the end.
fn words_and_number(line: &str, most: usize) -> Option<(String, f64)> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let mut numbers = Vec::new();
    while let Some(number) = words.last().and_then(|word| word.parse::<u64>().ok()) {
        numbers.push(number);
        words.pop();
    }
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic() || ",/()&:".contains(c));
    if words.is_empty() || numbers.is_empty() || numbers.len() > most || !words.iter().all(plain) {
        return None;
    }
    // Last number first.
    let value = numbers.iter().rev().fold(0.0, |sum, number| sum * 4_294_967_296.0 + *number as f64);
    Some((words.join("_").to_ascii_lowercase().replace([',', ':'], ""), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, f64)> {
        let (mut section, mut found) = (Section::default(), Vec::new());
        text.lines().for_each(|line| section.line(line, |name, value| found.push((name, value))));
        found
    }

    #[test]
    fn counters_of_several_versions() {
        let text = "LOG\n---\nLog sequence number          3579\nAdded dirty pages up to      3570\n\
                    Max checkpoint age    80826164\n0 pending log flushes, 0 pending chkp writes\n\
                    BUFFER POOL AND MEMORY\nModified db pages  993\nPending writes: LRU 0, flush list 0\n\
                    Pages read 165, created 985, written 7\n0.00 reads/s, 1.00 creates/s, 2.00 writes/s\n\
                    INDIVIDUAL BUFFER POOL INFO\nModified db pages  1\n";
        let found = read(text);
        let names: Vec<(&str, f64)> = found.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(
            names,
            [
                ("log.log_sequence_number", 3579.0),
                ("log.added_dirty_pages_up_to", 3570.0),
                ("log.max_checkpoint_age", 80_826_164.0),
                ("log.pending_flushes", 0.0),
                ("log.pending_checkpoint_writes", 0.0),
                ("bp.modified_db_pages", 993.0),
                ("bp.pending_lru", 0.0),
                ("bp.pending_flush_list", 0.0),
                ("bp.pages_read", 165.0),
                ("bp.pages_created", 985.0),
                ("bp.pages_written", 7.0),
                ("bp.reads_per_s", 0.0),
                ("bp.creates_per_s", 1.0),
                ("bp.writes_per_s", 2.0),
            ]
        );
    }

    #[test]
    fn what_waits_and_what_runs_a_second() {
        let text = "Per second averages calculated from the last 30 seconds\nSEMAPHORES\n\
                    --Thread 140 has waited at log0log.cc line 844 for 12.00 seconds the semaphore:\n\
                    --Thread 141 has waited at buf0flu.cc line 9 for 3.5 seconds the semaphore:\n\
                    FILE I/O\nPending flushes (fsync) log: 1; buffer pool: 2\n\
                    0.00 reads/s, 0 avg bytes/read, 1183.51 writes/s, 324.99 fsyncs/s\n\
                    LOG\n8065612 log i/o's done, 214.28 log i/o's/second\n\
                    ROW OPERATIONS\n3 queries inside InnoDB, 4 queries in queue\n568.01 inserts/s, 1135.93 updates/s\n";
        let found = read(text);
        let value = |name: &str| found.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
        for (name, expected) in [
            ("status.averages_of_s", 30.0),
            ("wait.log_s", 12.0),
            ("wait.buffer_pool_s", 3.5),
            ("io.pending_log_syncs", 1.0),
            ("io.pending_data_syncs", 2.0),
            ("io.writes_per_s", 1183.51),
            ("io.fsyncs_per_s", 324.99),
            ("log.ios_per_s", 214.28),
            ("row.queries_inside", 3.0),
            ("row.updates_per_s", 1135.93),
        ] {
            assert_eq!(value(name), Some(expected), "{name}");
        }
        assert_eq!(read("FILE I/O\nPending flushes (fsync): 7\n"), [("io.pending_syncs".to_owned(), 7.0)]);
    }

    #[test]
    fn numbers_in_two_halves() {
        assert_eq!(read("LOG\nLog sequence number 2 7\n"), [("log.log_sequence_number".to_owned(), 8_589_934_599.0)]);
    }
}
