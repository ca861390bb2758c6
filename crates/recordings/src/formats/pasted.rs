//! Texts of SHOW ENGINE INNODB STATUS that lost their shape on the way: run into one line by a browser or a chat, or cut down to
//! the section that somebody asked about.

use serde_json::Value;

/// Beginnings of lines that hold counters.
const LINES: [&str; 17] = [
    "Per second averages",
    "--Thread ",
    "History list length",
    "Pending flushes (fsync)",
    "Log sequence number",
    "Log flushed up to",
    "Pages flushed up to",
    "Last checkpoint at",
    "Max checkpoint age",
    "Checkpoint age target",
    "Modified age",
    "Buffer pool size ",
    "Free buffers",
    "Database pages",
    "Modified db pages",
    "Pending writes:",
    "Pages read ",
];
const TITLES: [&str; 10] = [
    "BACKGROUND THREAD",
    "SEMAPHORES",
    "LATEST DETECTED DEADLOCK",
    "LATEST FOREIGN KEY ERROR",
    "TRANSACTIONS",
    "FILE I/O",
    "INSERT BUFFER AND ADAPTIVE HASH INDEX",
    "LOG",
    "BUFFER POOL AND MEMORY",
    "INDIVIDUAL BUFFER POOL INFO",
];
/// Numbers of a line stand before these words.
const AFTER_A_NUMBER: [&str; 4] = ["pending log flushes", "OS file reads", "reads/s, ", "log i/o's done"];
const HEAD: &str = "INNODB MONITOR OUTPUT";
/// A line of a server's own text is shorter.
const LONG: usize = 1500;

/// The text with its lines, if it ran into one.
pub(super) fn unfolded(text: &str) -> Option<String> {
    let long = text.lines().find(|line| line.contains(HEAD) && line.len() > LONG && !line.contains("\\n"))?;
    let mut out: String = long.split_whitespace().collect::<Vec<&str>>().join(" ");
    for title in TITLES {
        out = out.replace(&format!("- {title} -"), &format!("-\n{title}\n-"));
    }
    out = out.replace("- ROW OPERATIONS -", "-\nROW OPERATIONS\n-").replace(HEAD, &format!("{HEAD}\n"));
    for line in LINES {
        out = out.replace(&format!(" {line}"), &format!("\n{line}"));
    }
    for words in AFTER_A_NUMBER {
        out = before_its_number(&out, words);
    }
    Some(out.lines().map(|line| without_what_follows(line) + "\n").collect())
}

/// A line's end before each number that stands before `words`.
fn before_its_number(text: &str, words: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(words) {
        let number = rest[..at].trim_end().rfind([' ', '\n']).map_or(0, |blank| blank + 1);
        out.push_str(rest[..number].trim_end_matches(' '));
        out.push('\n');
        out.push_str(&rest[number..at + words.len()]);
        rest = &rest[at + words.len()..];
    }
    out + rest
}

/// `Log sequence number 42 Log buffer ...` without what comes after its number, which belongs to another line.
fn without_what_follows(line: &str) -> String {
    let is_counter =
        LINES[3..16].iter().any(|known| line.starts_with(known) && !known.ends_with(')') && !known.ends_with(':'));
    if !is_counter {
        return line.to_owned();
    }
    let words: Vec<&str> = line.split(' ').collect();
    let is_number = |word: &&str| word.chars().all(|c| c.is_ascii_digit());
    let first = words.iter().position(is_number).unwrap_or(words.len());
    let numbers = words[first..].iter().take_while(|word| is_number(word)).count();
    words[..first + numbers].join(" ")
}

/// The text inside JSON, as `mysqlsh --result-format=json` and other clients print the statement's one row.
pub(super) fn in_json(text: &str) -> Option<String> {
    if !text.trim_start().starts_with(['{', '[']) || !text.contains(HEAD) {
        return None;
    }
    text_with_head(&serde_json::from_str(text).ok()?).map(str::to_owned)
}

fn text_with_head(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text.as_str()).filter(|text| text.contains(HEAD)),
        Value::Array(all) => all.iter().find_map(text_with_head),
        Value::Object(fields) => fields.values().find_map(text_with_head),
        _ => None,
    }
}

/// The section LOG alone, as people quote it, with the head that it lacks.
pub(super) fn with_head(text: &str) -> Option<String> {
    let has = |beginning: &str| text.lines().any(|line| line.trim_start().starts_with(beginning));
    let is_excerpt = !text.contains(HEAD) && has("Log sequence number ") && has("Last checkpoint at ");
    is_excerpt.then(|| format!("{HEAD}\nLOG\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_one_line_gets_its_lines_back() {
        let status = format!(
            "====== 2026-05-16 18:31:04 0x8810 {HEAD} ====== Per second averages calculated from the last 38 seconds ------ \
             SEMAPHORES ------ OS WAIT ARRAY INFO: reservation count 4965 {}--- LOG --- Log sequence number 3579 Log flushed up to \
             3579 Last checkpoint at 3570 0 pending log flushes, 0 pending chkp writes 212 log i/o's done, 1.50 log i/o's/second \
             ------ BUFFER POOL AND MEMORY ------ Modified db pages 993 Pending reads 0 Pending writes: LRU 0, flush list 4",
            "x ".repeat(LONG / 2)
        );
        let text = unfolded(&status).unwrap();
        for line in [
            "LOG",
            "Log sequence number 3579",
            "Last checkpoint at 3570",
            "0 pending log flushes, 0 pending chkp writes",
            "212 log i/o's done, 1.50 log i/o's/second ------",
            "Modified db pages 993",
        ] {
            assert!(text.lines().any(|other| other.trim() == line), "{line}\n{text}");
        }
        assert_eq!(unfolded("a short line\n"), None);
    }
}
