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
    #[default]
    Other,
}

impl Section {
    /// The section that a line opens.
    fn opened_by(line: &str) -> Option<Self> {
        match line {
            "LOG" => Some(Section::Log),
            "BUFFER POOL AND MEMORY" => Some(Section::BufferPool),
            "TRANSACTIONS" => Some(Section::Transactions),
            "INDIVIDUAL BUFFER POOL INFO"
            | "ROW OPERATIONS"
            | "FILE I/O"
            | "SEMAPHORES"
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
        match self {
            Section::Log => {
                if let Some((name, value)) = words_and_number(line, 2) {
                    found(format!("log.{name}"), value);
                }
            }
            Section::BufferPool => {
                if let Some(rest) = line.strip_prefix("Pages read ") {
                    let numbers: Vec<f64> =
                        rest.split(',').filter_map(|part| part.split_whitespace().last()?.parse().ok()).collect();
                    if let [read, created, written] = numbers[..] {
                        found("bp.pages_read".to_owned(), read);
                        found("bp.pages_created".to_owned(), created);
                        found("bp.pages_written".to_owned(), written);
                    }
                } else if let Some((name, value)) = words_and_number(line, 1) {
                    found(format!("bp.{name}"), value);
                }
            }
            Section::Transactions => {
                if let Some(length) = line.strip_prefix("History list length ").and_then(|n| n.trim().parse().ok()) {
                    found("trx.history_list_length".to_owned(), length);
                }
            }
            Section::Other => {}
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
                ("bp.modified_db_pages", 993.0),
                ("bp.pages_read", 165.0),
                ("bp.pages_created", 985.0),
                ("bp.pages_written", 7.0),
            ]
        );
    }

    #[test]
    fn numbers_in_two_halves() {
        assert_eq!(read("LOG\nLog sequence number 2 7\n"), [("log.log_sequence_number".to_owned(), 8_589_934_599.0)]);
    }
}
