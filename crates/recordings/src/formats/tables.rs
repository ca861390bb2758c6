//! Rows of names and values in the layouts that clients print.
//!
//! | layout | a row |
//! |---|---|
//! | bordered, or of `mysqladmin` | `\| Uptime \| 12 \|` |
//! | batch | `Uptime<tab>12` |
//! | vertical (`\G`) | `Variable_name: Uptime`, and below it `Value: 12` |
//! | comma-separated, below a head of its own | `"Uptime","12"` |
//! | all columns of INNODB_METRICS, bordered or batch | the columns `NAME` and `COUNT` of its head |

use innosim_scenario::show_pair;

/// Heads of the names' column, in capitals.
const NAMES: [&str; 3] = ["VARIABLE_NAME", "NAME", "COLUMN"];
/// Heads of the values' column, in capitals.
const VALUES: [&str; 3] = ["VARIABLE_VALUE", "VALUE", "COUNT"];

/// Places of name and count in rows of so many columns.
#[derive(Debug, Clone, Copy)]
struct Wide {
    name: usize,
    count: usize,
    columns: usize,
}

/// What the lines so far say about the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    /// Head and name of a vertical row whose value comes next.
    vertical: Option<String>,
    comma_separated: bool,
    wide: Option<Wide>,
}

impl Tables {
    /// Name and value of a line; a head is a row of its own.
    pub(super) fn pair(&mut self, line: &str) -> Option<(String, String)> {
        self.wide_row(line).or_else(|| self.comma_row(line)).or_else(|| {
            let (name, value) = show_pair(line)?;
            // `mysqladmin -E` puts a number between the two.
            let value = value.rsplit('|').next().unwrap_or(value).trim();
            Some((name.to_owned(), value.to_owned()))
        })
    }

    /// The row that a line `key: value` ends, in vertical output.
    pub(super) fn vertical(&mut self, key: &str, value: &str) -> Option<(String, String)> {
        let head = key.trim().to_ascii_uppercase();
        // A table has a `Name` too; heads of INNODB_METRICS are in capitals.
        if head == NAMES[0] || key.trim() == "NAME" {
            self.vertical = Some(value.to_owned());
            return Some((key.trim().to_owned(), if head == NAMES[0] { "VALUE" } else { "COUNT" }.to_owned()));
        }
        let name = if VALUES.contains(&head.as_str()) { self.vertical.take()? } else { return None };
        Some((name, value.to_owned()))
    }

    fn wide_row(&mut self, line: &str) -> Option<(String, String)> {
        let inner = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
        let cells: Vec<&str> = match inner {
            Some(inner) => inner.split('|').map(str::trim).collect(),
            None => line.split('\t').map(str::trim).collect(),
        };
        if cells.len() < 3 {
            return None;
        }
        let place = |head: &str| cells.iter().position(|cell| cell.eq_ignore_ascii_case(head));
        if let (Some(name), Some(count)) = (place("NAME"), place("COUNT")) {
            self.wide = Some(Wide { name, count, columns: cells.len() });
            return Some(("NAME".to_owned(), "COUNT".to_owned()));
        }
        let wide = self.wide.filter(|wide| wide.columns == cells.len())?;
        Some((cells[wide.name].to_owned(), cells[wide.count].to_owned()))
    }

    fn comma_row(&mut self, line: &str) -> Option<(String, String)> {
        let (name, value) = line.split_once(',')?;
        let [name, value] = [name, value].map(|cell| cell.trim().trim_matches('"'));
        let head = |heads: &[&str], text: &str| heads.iter().any(|head| head.eq_ignore_ascii_case(text));
        self.comma_separated |= head(&NAMES, name) && head(&VALUES, value);
        self.comma_separated.then(|| (name.to_owned(), value.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(String, String)> {
        let mut tables = Tables::default();
        let row = |line: &str| {
            tables.pair(line.trim()).or_else(|| line.split_once(':').and_then(|(k, v)| tables.vertical(k, v.trim())))
        };
        text.lines().filter_map(row).collect()
    }

    #[test]
    fn every_layout_has_the_same_rows() {
        let expected = [("Variable_name", "VALUE"), ("Uptime", "12"), ("version", "8.0.36")];
        for text in [
            "+--+--+\n| Variable_name | VALUE |\n| Uptime | 12 |\n| version | 8.0.36 |\n",
            "Variable_name\tVALUE\nUptime\t12\nversion\t8.0.36\n",
            "\"Variable_name\",\"VALUE\"\n\"Uptime\",\"12\"\n\"version\",\"8.0.36\"\n",
            "Variable_name,VALUE\nUptime,12\nversion,8.0.36\n",
        ] {
            let found = rows(text);
            assert!(found.iter().map(|(name, value)| (name.as_str(), value.as_str())).eq(expected), "{found:?}");
        }
        let vertical = "*** 1. row ***\nVariable_name: Uptime\n        Value: 12\n*** 2. row ***\nName: sbtest1\n";
        let head = ("Variable_name".to_owned(), "VALUE".to_owned());
        assert_eq!(rows(vertical), [head, ("Uptime".to_owned(), "12".to_owned())]);
    }

    #[test]
    fn all_columns_of_the_metrics_are_name_and_count() {
        for text in [
            "NAME\tSUBSYSTEM\tCOUNT\tMAX_COUNT\nlog_lsn_current\tlog\t77\tNULL\n",
            "| NAME | SUBSYSTEM | COUNT | MAX_COUNT |\n| log_lsn_current | log | 77 | NULL |\n",
        ] {
            assert_eq!(rows(text)[1], ("log_lsn_current".to_owned(), "77".to_owned()));
        }
    }

    #[test]
    fn commas_in_other_texts_are_no_rows() {
        assert_eq!(rows("Queries, 5\nTrx id counter 5, purge done\n"), []);
    }
}
