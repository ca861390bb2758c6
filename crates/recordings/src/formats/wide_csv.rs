//! Tables with a row a sample and a column a counter, as laboratories and spreadsheets write INNODB_METRICS and SHOW GLOBAL
//! STATUS:
//!
//! ```text
//! timestamp,buffer_flush_pct_for_lsn,LOG_LSN_CURRENT,...
//! 1777487564.014,80,72336565328,...
//! ```
//!
//! The first column is the time, whatever it is called: seconds, milliseconds, micro- or nanoseconds since 1970, a date, or
//! seconds since anything else. Fields are separated by commas, semicolons or tabs. Names may be in either case.
//! A field that holds no number is a gap. Remarks and `sep=;` before the head are passed over. A table may begin with its newest
//! row; rows of zeros alone and a last row that is cut off are left out. Besides counters, `tps` and `latency_ms_p95` of a load generator are known.

use super::{Clock, Part, parse_date_time};
use crate::RecordingError;
use innosim_flush_models::registry::{ModelId, lookup};
use std::borrow::Cow;
use std::path::Path;

/// Beginnings of the names of INNODB_METRICS in small letters; none of SHOW GLOBAL STATUS begins so.
const METRICS: [&str; 16] = [
    "buffer_",
    "log_",
    "os_",
    "trx_",
    "dml_",
    "purge_",
    "index_",
    "ibuf_",
    "dblwr_",
    "adaptive_hash_",
    "lock_",
    "icp_",
    "cpu_n",
    "cpu_stime_",
    "cpu_utime_",
    "compress_",
];
/// Beginnings of the names of SHOW GLOBAL STATUS in small letters. `innodb_` begins some metrics too.
const STATUS: [&str; 11] = [
    "innodb_",
    "com_",
    "handler_",
    "threads_",
    "uptime",
    "questions",
    "queries",
    "bytes_",
    "binlog_",
    "connections",
    "created_tmp_",
];
/// What load generators report each second, and what recordings call it.
const LOAD: [(&str, &str); 2] = [("tps", "sb.tps"), ("latency_ms_p95", "sb.lat_ms")];
/// A column of the series that `run --out` leaves, which counts each second anew.
const OF_A_RUN: &str = "pages_flushed";
/// A first column of this name is the server's age.
const UPTIME: &str = "uptime";
/// Known counters that make a table one of this kind.
const MIN_COUNTERS: usize = 2;

/// Reads such a table; none if the text is of another kind.
pub(super) fn parse(path: &Path, text: &str) -> Result<Option<Part>, RecordingError> {
    let text = behind_comments(text);
    let Some((separator, names)) = text.lines().next().and_then(head) else { return Ok(None) };
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    let mut part = Part::default();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    let mut clocks: Vec<Clock> = Vec::new();
    let (mut broken, mut first) = (0, None);
    let rows: Vec<_> = reader.records().collect();
    for (i, row) in rows.iter().enumerate() {
        // A table that is still being written, or was copied meanwhile, ends in the middle of a row.
        let is_cut = |row: &csv::StringRecord| i > 0 && i + 1 == rows.len() && row.len() <= names.len();
        if row.as_ref().is_ok_and(is_cut) {
            part.remarks.push("the last row is cut off and left out".to_owned());
            continue;
        }
        first = first.or_else(|| row.as_ref().ok()?.get(0));
        let time = row.as_ref().ok().and_then(|row| time_of(row.get(0)?));
        let (Ok(row), Some((clock, time))) = (row, time) else {
            broken += 1;
            continue;
        };
        clocks.push(clock);
        part.seconds.push(time);
        for (i, column) in columns.iter_mut().enumerate() {
            column.push(row.get(i + 1).and_then(number).unwrap_or(f64::NAN));
        }
    }
    let Some(&clock) = clocks.first() else {
        let help = "the first column holds the time of each row: seconds or milliseconds since 1970, or a date such as \
                    2026-04-29 18:32:44";
        let found = first.map_or_else(String::new, |first| format!(": the first holds `{first}`"));
        return Err(RecordingError::new(
            path,
            format!("is a table of counters without any row that has a time{found}"),
            help,
        ));
    };
    if clocks.iter().any(|other| *other != clock) {
        let help = "write all times of the first column in the same form";
        return Err(RecordingError::new(path, "has times of several kinds in its first column", help));
    }
    if broken > 0 {
        part.remarks.push(format!("{broken} rows without a time are left out"));
    }
    let is_age = text.get(..UPTIME.len()).is_some_and(|first| first.eq_ignore_ascii_case(UPTIME));
    part.clock = if clock == Clock::Own && is_age { Clock::Uptime } else { clock };
    for (name, column) in names.into_iter().zip(columns) {
        if let Some(name) = name.filter(|_| column.iter().any(|value| value.is_finite())) {
            part.columns.entry(name).or_insert(column);
        }
    }
    leave_out_failed(&mut part);
    newest_last(&mut part);
    super::samples::forward_only(&mut part);
    Ok(Some(part))
}

/// The table without what stands before its head: remarks, and the line in which a spreadsheet names its separator.
fn behind_comments(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, below)) = rest.split_once('\n') {
        let is_remark =
            line.trim().is_empty() || line.starts_with('#') || line.to_ascii_lowercase().starts_with("sep=");
        if !is_remark || head(line.trim_end()).is_some() {
            break;
        }
        rest = below;
    }
    rest
}

/// Leaves out the rows of a loop whose query failed, and which wrote zeros.
fn leave_out_failed(part: &mut Part) {
    if part.columns.len() < MIN_COUNTERS || part.is_of_a_load_generator() {
        return;
    }
    let is_zero = |i: usize| part.columns.values().all(|values| values[i] == 0.0);
    let keep: Vec<bool> = (0..part.seconds.len()).map(|i| !is_zero(i)).collect();
    let failed = keep.iter().filter(|keep| !**keep).count();
    if failed > 0 && failed < keep.len() {
        part.remarks.push(format!("rows of zeros alone are left out: {failed}"));
        part.retain(&keep);
    }
}

/// Turns a table around that begins with the newest row.
fn newest_last(part: &mut Part) {
    if part.seconds.len() > 1 && part.seconds.windows(2).all(|pair| pair[1] < pair[0]) {
        part.seconds.reverse();
        part.columns.values_mut().for_each(|values| values.reverse());
        part.remarks.push("begins with the newest row: turned around".to_owned());
    }
}

/// The separator and the counters of a head, by the names that recordings have for them; a column that is no counter
/// has none.
fn head(line: &str) -> Option<(u8, Vec<Option<String>>)> {
    [b',', b';', b'\t'].into_iter().find_map(|separator| {
        let mut fields = line.trim_start_matches('#').split(char::from(separator)).map(|field| {
            let plain = field.trim().trim_matches(['"', '\'']).trim();
            // Exports write the table before the name.
            plain.rsplit(['.', '/']).next().unwrap_or(plain)
        });
        let first = fields.next()?;
        let fields: Vec<&str> = fields.collect();
        let has_metrics = fields.iter().any(|name| begins(name, &METRICS));
        let names: Vec<Option<String>> = fields.iter().map(|name| counter(name, has_metrics)).collect();
        let known = names.iter().flatten().count();
        let enough = known >= MIN_COUNTERS || fields.contains(&LOAD[0].0);
        let is_time = first.eq_ignore_ascii_case(UPTIME) || counter(first, has_metrics).is_none();
        (enough && is_time && !fields.contains(&OF_A_RUN)).then_some((separator, names))
    })
}

fn begins(name: &str, beginnings: &[&str]) -> bool {
    let lower = name.to_ascii_lowercase();
    beginnings.iter().any(|beginning| lower.starts_with(beginning))
}

/// The column of a recording that a counter's name stands for.
fn counter(name: &str, beside_metrics: bool) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.len() > 128 || !name.chars().all(plain) {
        return None;
    }
    if let Some((_, column)) = LOAD.iter().find(|(known, _)| *known == name) {
        return Some((*column).to_owned());
    }
    if is_setting(name) {
        return None;
    }
    // `Innodb_...` as SHOW GLOBAL STATUS spells it.
    let is_spelt = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().any(|c| c.is_ascii_lowercase());
    let lower = name.to_ascii_lowercase();
    let is_status = begins(&lower, &STATUS) && (is_spelt || !(beside_metrics && lower.starts_with("innodb_")));
    if is_status {
        let lower = lower.replace("_lru_", "_LRU_");
        return Some(lower[..1].to_ascii_uppercase() + &lower[1..]);
    }
    let is_metric = begins(&lower, &METRICS) || (beside_metrics && lower.starts_with("innodb_"));
    is_metric.then(|| format!("m.{}", lower.replace("buffer_lru_", "buffer_LRU_")))
}

/// Whether the name is that of a setting: a table of what settings brought is none of counters. SHOW GLOBAL STATUS has the page size too.
fn is_setting(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower != "innodb_page_size" && ModelId::ALL.iter().any(|&model| lookup(model, &lower).is_ok())
}

/// A time and the clock that it is of.
fn time_of(field: &str) -> Option<(Clock, f64)> {
    let field = field.trim().trim_matches(['"', '\'']);
    let Some(value) = number(field) else {
        return parse_date_time(field).map(|(local, zone)| {
            // `Z` is said of no other zone; an offset stays what the clock on the wall showed.
            (if zone.starts_with('Z') { Clock::Unix } else { Clock::Local }, local)
        });
    };
    [(1e8..1e11, 1.0), (1e11..1e14, 1e-3), (1e14..1e17, 1e-6), (1e17..1e20, 1e-9)]
        .into_iter()
        .find(|(range, _)| range.contains(&value))
        .map(|(_, scale)| (Clock::Unix, value * scale))
        .or_else(|| (0.0..1e8).contains(&value).then_some((Clock::Own, value)))
}

/// A number; a comma is a point in some countries.
fn number(field: &str) -> Option<f64> {
    let field = field.trim();
    let field: Cow<'_, str> = if field.contains('.') { field.into() } else { field.replace(',', ".").into() };
    field.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Part {
        parse(Path::new("counters.csv"), text).unwrap().expect("a table of counters")
    }

    #[test]
    fn times_of_every_kind() {
        for (first, second, clock, at) in [
            ("1777487564.014", "1777487565.093", Clock::Unix, 1_777_487_564.014),
            ("1777487564014", "1777487565093", Clock::Unix, 1_777_487_564.014),
            ("2026-04-29T18:32:44Z", "2026-04-29T18:32:45Z", Clock::Unix, 1_777_487_564.0),
            ("2026-04-29 18:32:44.5", "2026-04-29 18:32:45", Clock::Local, 1_777_487_564.5),
            ("1777487564014000000", "1777487565093000000", Clock::Unix, 1_777_487_564.014),
            ("17", "18.5", Clock::Own, 17.0),
        ] {
            let part =
                read(&format!("when,log_lsn_current,trx_rw_commits\n{first},1000,5\n{second},2000,NULL\ntotal,1,2\n"));
            assert_eq!((part.clock, part.seconds.len()), (clock, 2), "{first}");
            assert!((part.seconds[0] - at).abs() < 1e-6, "{first}: {}", part.seconds[0]);
            assert_eq!(part.columns["m.log_lsn_current"], [1000.0, 2000.0]);
            assert!(part.columns["m.trx_rw_commits"][1].is_nan());
            assert_eq!(part.remarks, ["1 rows without a time are left out"]);
        }
    }

    #[test]
    fn names_in_either_case_are_the_servers() {
        let part =
            read("T;BUFFER_LRU_BATCH_FLUSH_TOTAL_PAGES;Innodb_lsn_current;innodb_activity_count;note\n1;2;3;4;x\n");
        let names: Vec<&str> = part.columns.keys().map(String::as_str).collect();
        assert_eq!(names, ["Innodb_lsn_current", "m.buffer_LRU_batch_flush_total_pages", "m.innodb_activity_count"]);
        assert_eq!(read("Uptime,Queries,Com_commit\n5,2,3\n").clock, Clock::Uptime);
        let part = read("time\tUPTIME\tINNODB_LSN_CURRENT\tcom_commit\n5\t2\t3\t4\n");
        let names: Vec<&str> = part.columns.keys().map(String::as_str).collect();
        assert_eq!(names, ["Com_commit", "Innodb_lsn_current", "Uptime"]);
    }

    #[test]
    fn reports_of_a_load_generator_are_read() {
        let part = read("second,tps,latency_ms_p95,cpu_user_pct\n5,3834.99,29.02,41\n10,3941.21,23.72,42\n");
        assert_eq!((part.clock, &part.seconds[..]), (Clock::Own, &[5.0, 10.0][..]));
        assert_eq!(part.columns["sb.tps"], [3834.99, 3941.21]);
        assert_eq!(part.columns["sb.lat_ms"], [29.02, 23.72]);
        assert!(part.columns.len() == 2 && part.is_of_a_load_generator(), "a share of processors is no counter");
        assert!(!read("second,tps,latency_ms_p95,log_lsn_current\n5,3834.99,29.02,41\n").is_of_a_load_generator());
    }

    #[test]
    fn tables_of_spreadsheets_and_of_loops_that_failed() {
        let rows = ["1777487564,1000,5", "1777487565,0,0", "1777487566,3000,9", "1777487567,4000,11"];
        let expected = ([1_777_487_564.0, 1_777_487_566.0, 1_777_487_567.0], [1000.0, 3000.0, 4000.0]);
        let newest_first: Vec<&str> = rows.iter().rev().copied().collect();
        for (before, rows) in [("", rows.to_vec()), ("# of db1\r\nsep=,\n", rows.to_vec()), ("", newest_first)] {
            let part = read(&format!("{before}when,log_lsn_current,trx_rw_commits\n{}\n", rows.join("\n")));
            assert_eq!((&part.seconds[..], &part.columns["m.log_lsn_current"][..]), (&expected.0[..], &expected.1[..]));
            assert!(
                part.remarks.iter().any(|remark| remark == "rows of zeros alone are left out: 1"),
                "{:?}",
                part.remarks
            );
        }
    }

    /// The file was copied while a row was written: what stands there is no number of the server's.
    #[test]
    fn a_last_row_that_is_cut_off_is_left_out() {
        let part = read("when,log_lsn_current,log_max_modified_age_async\n1,72336565328,3343909888\n2,7233");
        assert_eq!(
            (&part.seconds[..], &part.remarks[..]),
            (&[1.0][..], &["the last row is cut off and left out".to_owned()][..])
        );
    }

    #[test]
    fn other_tables_are_none() {
        let tried = "order,innodb_io_capacity_max,innodb_io_capacity,seconds,tps_mean\n1,500,250,110,7708\n";
        let page_size = "time,Innodb_page_size,Innodb_pages_read\n1,16384,5\n";
        assert_eq!(read(page_size).columns.len(), 2);
        for text in
            ["", "a,b,c\n1,2,3\n", "Variable_name,Value\nUptime,2\n", "log_lsn_current,trx_rw_commits\n1,2\n", tried]
        {
            assert!(parse(Path::new("x"), text).unwrap().is_none(), "{text}");
        }
        let error = parse(Path::new("x"), "t,Uptime,Queries\nnever,1,2\n").unwrap_err().to_string();
        assert!(error.contains("without any row that has a time: the first holds `never`"), "{error}");
    }
}
