//! `innosim page-ages`: ages of the pages of a data directory, as a histogram that can be mailed.

use crate::args::PagesArgs;
use crate::exit::{Done, Failure};
use crate::output::note;
use crate::show::show;
use crate::text_table::TextTable;
use innosim_recordings::RecordingError;
use innosim_recordings::pages::{Pages, ReadPages, SpaceFile, SpaceKind, read_pages};
use innosim_report::numbers::{bytes, count};
use innosim_report::write_file;
use innosim_spectrum::PageClass;
use serde_json::json;
use std::collections::BTreeMap;

/// Redo that people think in, bytes.
const WINDOWS: [u64; 9] = [1 << 24, 1 << 26, 1 << 28, 1 << 29, 1 << 30, 1 << 31, 1 << 32, 1 << 34, 1 << 36];
/// Classes with their names.
const CLASSES: [(PageClass, &str); 3] =
    [(PageClass::Index, "index"), (PageClass::Undo, "undo log"), (PageClass::Other, "other")];
/// Most files whose remarks are told one by one.
const REMARKED: usize = 10;

/// Reads, writes, prints.
pub(crate) fn run(args: &PagesArgs) -> Done {
    let pages = read_pages(&args.folder, ReadPages { lsn: args.lsn, running: args.running })
        .map_err(|error: RecordingError| Failure::Input(error.to_string()))?;
    if !args.quiet {
        pages.remarks.iter().for_each(|remark| note(&format!("{}: {remark}", args.folder.display())));
        let mut remarks = pages.files.iter().filter_map(|file| file.remark.as_ref());
        remarks.by_ref().take(REMARKED).for_each(|remark| note(remark));
        let more = remarks.count();
        if more > 0 {
            note(&format!("and {more} more files with remarks"));
        }
    }
    if let Some(path) = &args.output {
        write_file(path, pages.ages.to_json().as_bytes())?;
        if !args.quiet {
            note(&format!("The histogram is in {}: numbers alone, no names and no rows", path.display()));
        }
    }
    show(args.form.format, &document(&pages), &table(&pages))
}

/// Files and pages by how they are stored.
fn by_kind(files: &[SpaceFile]) -> BTreeMap<(SpaceKind, u64), (u64, u64)> {
    let mut kinds: BTreeMap<(SpaceKind, u64), (u64, u64)> = BTreeMap::new();
    for file in files {
        let Some(kind) = file.kind else { continue };
        let of_kind = kinds.entry((kind, file.page_bytes)).or_default();
        *of_kind = (of_kind.0 + 1, of_kind.1 + file.pages);
    }
    kinds
}

/// Distinct pages that the last redo modified, for lengths of redo up to the oldest page's.
fn windows(pages: &Pages) -> Vec<(u64, u64)> {
    let younger = pages.ages.younger();
    let oldest = younger.last().map_or(0, |(age, _)| *age);
    let within = |window: u64| {
        let below = younger.iter().rev().find(|(age, _)| *age <= window);
        below.map_or(0, |(_, pages)| *pages)
    };
    let asked = WINDOWS.iter().copied().filter(|window| *window <= oldest);
    asked.map(|window| (window, within(window))).collect()
}

fn table(pages: &Pages) -> String {
    let ages = &pages.ages;
    let unread = pages.files.iter().filter(|file| file.kind.is_none()).count();
    let mut text = format!(
        "{} pages in {} files; log sequence number {} ({})\n\n",
        count(ages.pages_of_size.values().sum::<u64>() as f64),
        count(pages.files.len() as f64),
        ages.lsn,
        pages.lsn_from
    );
    let mut kinds = TextTable::new(&["stored", ">page size", ">files", ">pages"]);
    for ((kind, size), (files, of_kind)) in by_kind(&pages.files) {
        kinds.row(vec![kind.name().into(), bytes(size as f64), count(files as f64), count(of_kind as f64)]);
    }
    if unread > 0 {
        kinds.row(vec!["not read".into(), String::new(), count(unread as f64), String::new()]);
    }
    text.push_str(&kinds.render());
    let mut classes = TextTable::new(&["pages of", ">pages"]);
    for (class, name) in CLASSES {
        classes.row(vec![name.into(), count(ages.pages_of(class) as f64)]);
    }
    classes.row(vec!["nothing yet".into(), count(ages.unused as f64)]);
    for (why, left_out) in &ages.left_out {
        classes.row(vec![format!("left out: {why}"), count(*left_out as f64)]);
    }
    text.push_str(&format!("\n{}", classes.render()));
    let mut working_set = TextTable::new(&[">the last redo", ">modified pages", ">a page for"]);
    for (window, modified) in windows(pages) {
        let each = if modified > 0 { bytes(window as f64 / modified as f64) } else { "-".to_owned() };
        working_set.row(vec![bytes(window as f64), count(modified as f64), each]);
    }
    text.push_str(&format!("\n{}", working_set.render()));
    text
}

fn document(pages: &Pages) -> serde_json::Value {
    let ages = &pages.ages;
    let kinds = by_kind(&pages.files).into_iter().map(|((kind, size), (files, of_kind))| {
        json!({ "stored": kind.name(), "page_bytes": size, "files": files, "pages": of_kind })
    });
    let classes: serde_json::Map<String, serde_json::Value> =
        CLASSES.iter().map(|(class, name)| ((*name).to_owned(), json!(ages.pages_of(*class)))).collect();
    json!({
        "innosim_version": env!("CARGO_PKG_VERSION"),
        "lsn": ages.lsn,
        "lsn_from": pages.lsn_from,
        "lsn_is_known": ages.lsn_is_known,
        "files": pages.files.len(),
        "stored": kinds.collect::<Vec<_>>(),
        "pages_by_content": classes,
        "unused_pages": ages.unused,
        "left_out": ages.left_out,
        "younger_than": ages.younger(),
        "remarks": pages.remarks,
        "file_remarks": pages.files.iter().filter_map(|file| file.remark.as_ref()).collect::<Vec<_>>(),
    })
}
