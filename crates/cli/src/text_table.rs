//! Tables for terminals, mails and tickets: columns two blanks apart, numbers to the right, no colours, no box characters.

/// A table in the making.
#[derive(Debug)]
pub(crate) struct TextTable {
    /// Column heads; one that starts with `>` is for numbers, which stand to the right.
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
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
        let heads: Vec<String> = self.heads.iter().map(|head| head.trim_start_matches('>').to_owned()).collect();
        let mut widths = vec![0; heads.len()];
        for row in std::iter::once(&heads).chain(&self.rows) {
            for (width, field) in widths.iter_mut().zip(row) {
                *width = (*width).max(field.chars().count());
            }
        }
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let mut text = String::new();
        for row in [&heads, &rule].into_iter().chain(&self.rows) {
            let fields: Vec<String> = row.iter().enumerate().map(|(i, field)| self.pad(i, field, widths[i])).collect();
            text.push_str(fields.join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    fn pad(&self, column: usize, field: &str, width: usize) -> String {
        if self.heads[column].starts_with('>') { format!("{field:>width$}") } else { format!("{field:<width$}") }
    }
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
        assert_eq!(table.render(), expected);
    }
}
