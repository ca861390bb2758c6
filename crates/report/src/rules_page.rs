//! The page of `bench-rules`: tables with bars and colours, one file that needs no network and no script.

use crate::files::{ReportError, write_file};
use crate::page::OWN_STYLE;
use innosim_html_assets::{LOOK, escaped};
use std::path::Path;

/// A table.
#[derive(Debug, Clone, Default)]
pub struct RulesTable {
    /// Heading.
    pub title: String,
    /// Column heads; one that starts with `>` is for numbers.
    pub heads: Vec<String>,
    /// Rows, a field a column.
    pub rows: Vec<Vec<String>>,
    /// Remarks below it.
    pub notes: Vec<String>,
}

/// All that the page shows.
#[derive(Debug, Clone, Default)]
pub struct RulesPage {
    /// Heading.
    pub title: String,
    /// What the columns mean.
    pub legend: String,
    /// The command that makes it.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// The leaderboard first.
    pub tables: Vec<RulesTable>,
}

/// Change in percent at which a colour is full.
const FULL: f64 = 20.0;

/// Writes the page.
///
/// # Errors
/// As writing fails.
pub fn write_rules_page(path: &Path, page: &RulesPage) -> Result<(), ReportError> {
    write_file(path, html(page).as_bytes())
}

fn html(page: &RulesPage) -> String {
    let tables: String = page.tables.iter().map(table).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{LOOK}\n{OWN_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p class=\"muted\">{legend}</p>\n{tables}\
         <h2>How to get it again</h2>\n<pre>{command}</pre>\n<p class=\"muted\">innosim {version}</p>\n</body>\n</html>\n",
        title = escaped(&page.title),
        legend = escaped(page.legend.trim()),
        command = escaped(&page.command),
        version = escaped(&page.version),
    )
}

fn table(table: &RulesTable) -> String {
    let heads: String =
        table.heads.iter().map(|h| format!("<th>{}</th>", escaped(h.trim_start_matches('>')))).collect();
    let row = |fields: &Vec<String>| {
        let cells: String = fields.iter().zip(&table.heads).map(|(field, head)| cell(field, head)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = table.rows.iter().map(row).collect();
    let notes: String = table.notes.iter().map(|note| format!("<pre>{}</pre>\n", escaped(note))).collect();
    format!(
        "<h2>{}</h2>\n<div class=\"wide\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n{notes}",
        escaped(&table.title)
    )
}

/// A field; a change in percent of something that should be high, or low, is coloured by how good it is.
fn cell(field: &str, head: &str) -> String {
    let better = match head.trim_start_matches('>') {
        "throughput" | "worst case" | "to own rule" => 1.0,
        "p99 latency" | "page writes" => -1.0,
        _ => 0.0,
    };
    let change = field.split_once(" %").and_then(|(number, _)| number.trim().parse::<f64>().ok());
    let style = match change.map(|change| change * better).filter(|good| good.abs() >= 0.1) {
        Some(good) => {
            let strength = 0.08 + 0.32 * (good.abs() / FULL).min(1.0);
            let colour = if good > 0.0 { "0,114,178" } else { "213,94,0" };
            format!(" style=\"background:rgba({colour},{strength:.2})\"")
        }
        None => String::new(),
    };
    format!("<td{style}>{}</td>", escaped(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_and_bad_are_told_apart_and_text_stays_text() {
        let rows = vec![vec!["<b>".to_owned(), "+5.0 %".to_owned(), "+5.0 %".to_owned(), "0.0 %".to_owned()]];
        let heads = ["rule", ">throughput", ">page writes", ">p99 latency"].map(str::to_owned).to_vec();
        let page =
            RulesPage { tables: vec![RulesTable { heads, rows, ..RulesTable::default() }], ..RulesPage::default() };
        let html = html(&page);
        assert!(html.contains("<td>&lt;b&gt;</td><td style=\"background:rgba(0,114,178,0.16)\">+5.0 %</td>"), "{html}");
        assert!(html.contains("<td style=\"background:rgba(213,94,0,0.16)\">+5.0 %</td><td>0.0 %</td>"), "{html}");
        assert!(!html.contains("http"));
    }
}
