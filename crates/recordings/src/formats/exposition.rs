//! An exporter's own text (`curl HOST:9104/metrics`), one scrape or several below each other.
//!
//! A scrape begins where a series comes again. Its time is the one behind the values, if the exporter prints it, a line
//! `TS` and seconds since 1970 before it, or else the server's age.

use super::prometheus::{Target, target};
use super::{Clock, Part, samples};
use crate::RecordingError;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Beginnings of lines of which one is in every such text that is read.
const KNOWN: [&str; 3] = ["mysql_global_status_", "mysql_info_schema_innodb_metrics_", "mysql_global_variables_"];

/// One scrape.
#[derive(Debug, Default)]
struct Scrape {
    unix: Option<f64>,
    seen: BTreeSet<String>,
    values: BTreeMap<String, f64>,
}

/// Whether a text is one of mysqld_exporter's.
pub(super) fn is_one(text: &str) -> bool {
    text.lines().any(|line| KNOWN.iter().any(|known| line.starts_with(known)))
}

/// Reads the scrapes.
pub(super) fn parse(path: &Path, text: &str) -> Result<Part, RecordingError> {
    let mut part = Part::default();
    let mut scrapes: Vec<Scrape> = Vec::new();
    let mut scrape = Scrape::default();
    for line in text.lines().map(str::trim) {
        let stamp = line.trim_start_matches(['#', ' ']).strip_prefix("TS ").and_then(|stamp| stamp.parse::<f64>().ok());
        if stamp.is_some() {
            finish(&mut scrapes, std::mem::take(&mut scrape));
            scrape.unix = stamp.filter(|unix| (1e8..1e11).contains(unix));
        }
        let Some((series, value, time)) = series_of(line) else { continue };
        if scrape.seen.contains(series) {
            finish(&mut scrapes, std::mem::take(&mut scrape));
        }
        scrape.seen.insert(series.to_owned());
        scrape.unix = scrape.unix.or(time);
        take(&mut part, &mut scrape, series, value);
    }
    finish(&mut scrapes, scrape);
    lay(path, part, &scrapes)
}

fn finish(scrapes: &mut Vec<Scrape>, scrape: Scrape) {
    if !scrape.values.is_empty() {
        scrapes.push(scrape);
    }
}

/// `name{label="value"} 5 1777487564014`: the series, its value, and its time in seconds.
fn series_of(line: &str) -> Option<(&str, f64, Option<f64>)> {
    if line.starts_with('#') {
        return None;
    }
    let end = line.find('}').map_or_else(|| line.find(' '), |end| Some(end + 1))?;
    let (series, rest) = line.split_at_checked(end)?;
    let mut fields = rest.split_whitespace();
    let value: f64 = fields.next()?.parse().ok()?;
    let time = fields.next().and_then(|ms| ms.parse::<f64>().ok()).map(|ms| ms / 1000.0);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let name = series.split('{').next()?;
    let known = !name.is_empty() && name.chars().all(plain) && value.is_finite();
    known.then_some((series, value, time.filter(|unix| (1e8..1e11).contains(unix))))
}

/// The value of a label in `name{label="value",...}`.
fn label_in<'a>(series: &'a str, wanted: &str) -> Option<&'a str> {
    let labels = series.split_once('{')?.1.trim_end_matches('}');
    let beginning = format!("{wanted}=\"");
    let is_whole = |at: &usize| *at == 0 || labels[..*at].ends_with(',');
    let at = labels.match_indices(&beginning).map(|(at, _)| at).find(is_whole)?;
    labels[at + beginning.len()..].split('"').next()
}

fn take(part: &mut Part, scrape: &mut Scrape, series: &str, value: f64) {
    let name = series.split('{').next().unwrap_or(series);
    match target(name, &|wanted| label_in(series, wanted)) {
        Target::Column(column) => {
            scrape.values.insert(column, value);
        }
        Target::Ticks(column) => *scrape.values.entry(column).or_insert(0.0) += 100.0 * value,
        Target::Variable(variable) => {
            part.variables.insert(variable, value.to_string());
        }
        Target::Version => {
            for variable in ["version", "version_comment"] {
                part.variables.extend(label_in(series, variable).map(|text| (variable.to_owned(), text.to_owned())));
            }
        }
        Target::Unknown => {}
    }
}

/// Puts the scrapes on a clock.
fn lay(path: &Path, mut part: Part, scrapes: &[Scrape]) -> Result<Part, RecordingError> {
    part.columns = samples::columns_of(scrapes.iter().map(|scrape| &scrape.values).collect());
    let times: Option<Vec<f64>> = scrapes.iter().map(|scrape| scrape.unix).collect();
    let help = "keep mysql_global_status_uptime in what you filter, or print `TS` and the seconds since 1970 before each \
                scrape (date +'TS %s.%N')";
    samples::lay(path, part, times.map(|times| (Clock::Unix, times)), scrapes.len(), ("scrapes", help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrape(uptime: u32, stamp: &str) -> String {
        format!(
            "# TYPE mysql_global_status_uptime untyped\nmysql_global_status_innodb_buffer_pool_pages{{state=\"data\"}} 81730{stamp}\n\
             mysql_global_status_buffer_pool_dirty_pages {uptime}{stamp}\nmysql_global_status_uptime {uptime}{stamp}\n\
             mysql_global_status_commands_total{{command=\"commit\"}} 9e+04{stamp}\n\
             mysql_version_info{{innodb_version=\"8.0.35\",version=\"8.0.36\",version_comment=\"x\"}} 1{stamp}\n"
        )
    }

    #[test]
    fn scrapes_below_each_other_are_samples() {
        let text = [scrape(3600, ""), scrape(3610, ""), scrape(3620, "")].concat();
        assert!(is_one(&text));
        let part = parse(Path::new("metrics.txt"), &text).unwrap();
        assert_eq!((part.clock, part.seconds.as_slice()), (Clock::Uptime, &[3600.0, 3610.0, 3620.0][..]));
        assert_eq!(part.columns["Innodb_buffer_pool_pages_dirty"], part.seconds);
        assert_eq!(part.columns["Innodb_buffer_pool_pages_data"][0], 81_730.0);
        assert_eq!((part.columns["Com_commit"][0], part.variables["version"].as_str()), (90_000.0, "8.0.36"));
        let stamped = [scrape(3600, " 1777487564014"), scrape(3610, " 1777487574014")].concat();
        let part = parse(Path::new("metrics.txt"), &stamped).unwrap();
        assert_eq!((part.clock, part.seconds[1]), (Clock::Unix, 1_777_487_574.014));
        let timeless = text.replace("uptime", "age");
        assert!(parse(Path::new("x"), &timeless).unwrap_err().to_string().contains("3 scrapes without any time"));
    }
}
