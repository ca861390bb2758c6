//! Tables for terminals, mails and tickets: columns two blanks apart, numbers to the right, no colours, no box characters.
//!
//! No table of texts is wider than the terminal, or than [`WIDEST`] columns: on a terminal long fields are cut, elsewhere
//! they go on in the next line. Columns of numbers that have no room go on below, after the first column again. `COLUMNS` in the
//! environment asks for another width.

use std::io::IsTerminal;

/// Columns of the widest table that nobody asked for.
const WIDEST: usize = 120;
/// No column is made narrower.
const NARROWEST: usize = 10;
/// A longer word may be broken.
const LONG_WORD: usize = 30;

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
        let blocks: Vec<String> =
            blocks(&widths, most).iter().map(|columns| self.block(&heads, &widths, columns, long)).collect();
        blocks.join("\n")
    }

    /// Some of the columns.
    fn block(&self, heads: &[String], widths: &[usize], columns: &[usize], long: Long) -> String {
        let of = |row: &[String]| -> Vec<String> {
            columns.iter().map(|i| row.get(*i).cloned().unwrap_or_default()).collect()
        };
        let (heads, widths): (Vec<String>, Vec<usize>) = (of(heads), columns.iter().map(|i| widths[*i]).collect());
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| of(row)).collect();
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let mut text = String::new();
        for row in [&heads, &rule].into_iter().chain(&rows) {
            let cells: Vec<Vec<String>> =
                row.iter().zip(&widths).map(|(field, width)| lines(field, *width, long)).collect();
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let field = |(i, cell): (usize, &Vec<String>)| {
                    self.pad(columns[i], cell.get(line).map_or("", String::as_str), widths[i])
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
        let least: Vec<usize> = (0..widths.len()).map(|column| self.least(column)).collect();
        loop {
            let total = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
            let narrowed = (0..widths.len()).filter(is_text).filter(|i| widths[*i] > least[*i]);
            match narrowed.max_by_key(|i| widths[*i]).filter(|_| total > most) {
                Some(i) => widths[i] -= 1,
                None => return,
            }
        }
    }

    /// The least width of a column of texts: the first one, which says what a row is about, and short words stay whole.
    fn least(&self, column: usize) -> usize {
        let fields = || self.rows.iter().filter_map(|row| row.get(column));
        let words = fields().flat_map(|field| field.split([' ', ','])).map(|word| word.chars().count());
        let whole = if column == 0 { fields().map(|field| field.chars().count()).max() } else { words.max() };
        whole.unwrap_or(0).clamp(NARROWEST, LONG_WORD)
    }

    fn pad(&self, column: usize, field: &str, width: usize) -> String {
        if self.heads[column].starts_with('>') { format!("{field:>width$}") } else { format!("{field:<width$}") }
    }
}

/// Columns of the table that stand beside each other: all, or as many as fit, each time after the first one.
fn blocks(widths: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for column in 1..widths.len() {
        let wanted = widths[column] + 2;
        match blocks.last_mut().filter(|_| wanted <= room) {
            Some(block) => block.push(column),
            None => {
                blocks.push(vec![0, column]);
                room = most.saturating_sub(widths[0]).max(wanted);
            }
        }
        room -= wanted;
    }
    if blocks.is_empty() { vec![(0..widths.len()).collect()] } else { blocks }
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
    fn columns_without_room_go_on_below() {
        let mut table = TextTable::new(&["variant", ">tps", ">pages/s", "regime"]);
        table.row(vec!["mysql-8.0.30".into(), "38,264 ±81.7".into(), "2,793 ±16.1".into(), "steady".into()]);
        let text = table.within(40, Long::Cut);
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert_eq!(text.matches("mysql-8.0.30").count(), 2, "{text}");
        assert!(text.contains("steady") && text.contains("2,793 ±16.1"), "{text}");
        assert_eq!(table.within(60, Long::Cut).lines().count(), 3);
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
