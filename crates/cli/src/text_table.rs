//! Tables for terminals, mails and tickets: columns two blanks apart, numbers to the right, no colours, no box characters.
//!
//! No table of texts is wider than the terminal, or than [`WIDEST`] columns: on a terminal long fields are cut, elsewhere
//! they go on in the next line. `COLUMNS` in the environment asks for another width.

use std::io::IsTerminal;

/// Columns of the widest table that nobody asked for.
const WIDEST: usize = 120;
/// No column is made narrower.
const NARROWEST: usize = 10;

/// A table in the making.
#[derive(Debug)]
pub(crate) struct TextTable {
    /// Column heads; one that starts with `>` is for numbers, which stand to the right.
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// What becomes of a field that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Long {
    Cut,
    Wrapped,
}

impl TextTable {
    /// A table with these columns.
    pub(crate) fn new(heads: &[impl AsRef<str>]) -> TextTable {
        TextTable { heads: heads.iter().map(|head| head.as_ref().to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row, a field a column.
    pub(crate) fn row(&mut self, fields: Vec<String>) {
        self.rows.push(fields);
    }

    /// The table as text.
    pub(crate) fn render(&self) -> String {
        let on_terminal = std::io::stdout().is_terminal();
        self.within(known_width().unwrap_or(WIDEST), if on_terminal { Long::Cut } else { Long::Wrapped })
    }

    fn within(&self, most: usize, long: Long) -> String {
        let heads: Vec<String> = self.heads.iter().map(|head| head.trim_start_matches('>').to_owned()).collect();
        let mut widths = vec![0; heads.len()];
        for row in std::iter::once(&heads).chain(&self.rows) {
            for (width, field) in widths.iter_mut().zip(row) {
                *width = (*width).max(field.chars().count());
            }
        }
        self.narrow(&mut widths, most);
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let mut text = String::new();
        for row in [&heads, &rule].into_iter().chain(&self.rows) {
            let cells: Vec<Vec<String>> =
                row.iter().zip(&widths).map(|(field, width)| lines(field, *width, long)).collect();
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let field = |(i, cell): (usize, &Vec<String>)| {
                    self.pad(i, cell.get(line).map_or("", String::as_str), widths[i])
                };
                let fields: Vec<String> = cells.iter().enumerate().map(field).collect();
                text.push_str(fields.join("  ").trim_end());
                text.push('\n');
            }
        }
        text
    }

    /// Takes from the widest columns of texts until the table fits, as far as it can.
    fn narrow(&self, widths: &mut [usize], most: usize) {
        let is_text = |i: &usize| !self.heads[*i].starts_with('>');
        loop {
            let total = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
            let widest = (0..widths.len()).filter(is_text).max_by_key(|i| widths[*i]);
            match widest.filter(|i| total > most && widths[*i] > NARROWEST) {
                Some(i) => widths[i] -= 1,
                None => return,
            }
        }
    }

    fn pad(&self, column: usize, field: &str, width: usize) -> String {
        if self.heads[column].starts_with('>') { format!("{field:>width$}") } else { format!("{field:<width$}") }
    }
}

/// Columns that `COLUMNS` asks for, or those of the terminal, up to [`WIDEST`]; `None` where neither is known.
pub(crate) fn known_width() -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).min(WIDEST));
    asked.or_else(|| terminal().filter(|_| std::io::stdout().is_terminal()))
}

/// The lines of a field in a column: one that is cut, or as many as it takes, broken at blanks and commas where there are
/// some.
fn lines(field: &str, width: usize, long: Long) -> Vec<String> {
    let characters: Vec<char> = field.chars().collect();
    if characters.len() <= width || width == 0 {
        return vec![field.to_owned()];
    }
    if long == Long::Cut {
        return vec![characters[..width - 1].iter().chain(&['\u{2026}']).collect()];
    }
    let mut lines = Vec::new();
    let mut rest = &characters[..];
    while rest.len() > width {
        let breaks_after = |i: &usize| rest[*i] == ',' || rest[*i] == ' ';
        let end = (width / 2..width).rev().find(breaks_after).map_or(width, |i| i + 1);
        lines.push(rest[..end].iter().collect::<String>().trim_end().to_owned());
        rest = &rest[end..];
    }
    lines.push(rest.iter().collect());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let mut table = TextTable::new(&["run", ">tps", "regime"]);
        table.row(vec!["a".into(), "8,041".into(), "steady".into()]);
        table.row(vec!["long name".into(), "7".into(), String::new()]);
        let expected =
            "run          tps  regime\n---------  -----  ------\na          8,041  steady\nlong name      7\n";
        assert_eq!(table.within(120, Long::Wrapped), expected);
    }

    #[test]
    fn long_fields_fit_the_terminal() {
        let mut table = TextTable::new(&["setting", "value", ">at"]);
        table.row(vec!["optimizer_switch".into(), "index_merge=on,".repeat(30), "9".into()]);
        table.row(vec!["version".into(), "11.4".into(), "10".into()]);
        for (long, rows) in [(Long::Cut, 4), (Long::Wrapped, 10)] {
            let text = table.within(80, long);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(text.lines().count() == 4 || text.lines().count() >= rows, "{text}");
        }
        assert!(table.within(80, Long::Cut).contains('\u{2026}'));
        let wrapped: String =
            table.within(80, Long::Wrapped).lines().skip(2).map(|line| line.get(18..).unwrap_or_default()).collect();
        assert_eq!(wrapped.matches("index_merge=on,").count(), 30, "nothing is lost: {wrapped}");
    }
}
