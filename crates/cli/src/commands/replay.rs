//! `innosim replay`: a model's flushing rule on recorded inputs, beside the server's own counters.

use crate::args::ReplayArgs;
use crate::exit::{Done, Failure};
use crate::out_dir::{OutDir, fill};
use crate::output::note;
use crate::show::show;
use crate::text_table::TextTable;
use innosim_experiments::replay::{COUNTERS, CounterReport, PassRow, ReplayReport, replay};

use innosim_recordings::{Recording, find, understood_settings};
use innosim_report::{ReportError, write_file};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Replays recordings.
pub(crate) fn run(args: &ReplayArgs) -> Done {
    let recordings = recordings_in(&args.recordings, args.servers.model.as_deref(), args.quiet)?;
    let mut reports = Vec::new();
    let mut refused = Vec::new();
    for recording in &recordings {
        match replay(recording) {
            Ok(report) => reports.push(report),
            Err(why) => refused.push(why),
        }
    }
    if reports.is_empty() {
        return Err(Failure::Input(refused.join("\n")));
    }
    if !args.quiet {
        refused.iter().for_each(|why| note(&format!("left out: {why}")));
        for report in &reports {
            report.remarks.iter().for_each(|remark| note(&format!("{}: {remark}", report.recording)));
        }
    }
    if let Some(folder) = &args.out {
        let out = OutDir::prepare(folder)?;
        fill(out.path(), "", |dir| reports.iter().try_for_each(|report| write_csv(dir, report)))?;
    }
    show(args.form.format, &document(&reports, &refused), &tables(&reports))
}

/// The recordings at all of the paths, of servers that `--model` stands for; says what reading them remarked.
pub(crate) fn recordings_in(
    paths: &[std::path::PathBuf],
    model: Option<&str>,
    quiet: bool,
) -> Result<Vec<Recording>, Failure> {
    let model = model.map(super::models::named).transpose()?;
    let mut recordings = Vec::new();
    for path in paths {
        recordings.extend(find(path).map_err(|error| Failure::Input(error.to_string()))?);
    }
    each_once(&mut recordings);
    for recording in &mut recordings {
        recording.take_model(model);
    }
    for recording in recordings.iter().filter(|_| !quiet) {
        recording.remarks.iter().for_each(|remark| note(&format!("{}: {remark}", recording.name)));
    }
    Ok(recordings)
}

/// Leaves a recording that several paths lead to once, and tells others of the same name apart by their whole path.
fn each_once(recordings: &mut Vec<Recording>) {
    let mut seen = BTreeSet::new();
    recordings.retain(|recording| {
        seen.insert(std::fs::canonicalize(&recording.path).unwrap_or_else(|_| recording.path.clone()))
    });
    let names: Vec<String> = recordings.iter().map(|recording| recording.name.clone()).collect();
    for recording in recordings {
        if names.iter().filter(|name| **name == recording.name).count() > 1 {
            recording.name = recording.path.display().to_string();
        }
    }
}

/// Says which recorded settings the models don't take; they have their defaults.
pub(crate) fn remark_settings(recordings: &[Recording], quiet: bool) {
    for recording in recordings.iter().filter(|_| !quiet) {
        let Ok(model) = recording.model() else { continue };
        let (_, remarks) = understood_settings(recording, model);
        remarks.iter().for_each(|remark| note(&format!("{}: {remark}", recording.name)));
    }
}

/// `folder/mysql97-uni4k-256-io2000.csv`: a row a pass.
fn write_csv(folder: &Path, report: &ReplayReport) -> Result<(), ReportError> {
    let mut text = String::from("second,instant,age_bytes");
    for counter in COUNTERS {
        text.push_str(&format!(",{counter},{counter}_replayed,{counter}_matches"));
    }
    text.push('\n');
    for pass in &report.passes {
        text.push_str(&csv_row(pass));
    }
    let file = folder.join(format!("{}.csv", report.recording.replace(['/', '\\'], "-")));
    write_file(&file, text.as_bytes())
}

fn csv_row(pass: &PassRow) -> String {
    let mut row = format!("{},{},{}", pass.second, pass.instant, pass.age_bytes);
    for c in 0..COUNTERS.len() {
        let recorded = pass.recorded[c].map_or_else(String::new, |value| value.to_string());
        let matches = pass.matches[c].map_or_else(String::new, |matches| u8::from(matches).to_string());
        row.push_str(&format!(",{recorded},{},{matches}", pass.replayed[c]));
    }
    row.push('\n');
    row
}

fn tables(reports: &[ReplayReport]) -> String {
    let mut text = String::new();
    for report in reports {
        let (matched, judged) = report.joint();
        if judged == 0 {
            text.push_str(&format!(
                "{} on {}: nothing to judge, no adaptive pass under load ({} s without one, {} s with sync flushing)\n\n",
                report.recording, report.model, report.seconds_without_pass, report.sync_seconds
            ));
            continue;
        }
        text.push_str(&format!(
            "{} on {}: {matched} of {judged} passes agree in every counter ({})\n",
            report.recording,
            report.model,
            percent(matched, judged)
        ));
        let mut table = TextTable::new(&["counter", ">passes", ">agree", ">share", ">mean diff.", "largest diff."]);
        for counter in &report.counters {
            table.row(cells(counter));
        }
        text.push_str(&table.render());
        for (seconds, why) in [
            (report.sync_seconds, "with sync flushing, several passes each"),
            (
                report.seconds_without_pass,
                "in which no adaptive pass began, as the one before was still writing or for other work",
            ),
            (report.several_seconds, "with several passes, of which only the last one's counters are left"),
            (report.gap_seconds, "next to a gap"),
        ] {
            if seconds > 0 {
                text.push_str(&format!("  not judged: {seconds} s {why}\n"));
            }
        }
        if report.hidden_passes > 0 {
            text.push_str(&format!(
                "  not seen: {} passes that another one followed before the next sample; their pages are counted\n",
                report.hidden_passes
            ));
        }
        let t = report.tolerance;
        text.push_str(&format!(
            "  agree: within {} percent point, {} pages requested, {} % of an average (and 1)\n\n",
            t.percent,
            t.pages,
            t.average_share * 100.0
        ));
    }
    let (matched, judged) = overall(reports);
    text.push_str(&format!(
        "{} recording{}: {matched} of {judged} passes agree in every counter ({})\n",
        reports.len(),
        if reports.len() == 1 { "" } else { "s" },
        percent(matched, judged)
    ));
    text
}

fn cells(counter: &CounterReport) -> Vec<String> {
    let worst = counter.worst.filter(|(difference, _)| *difference != 0.0);
    vec![
        counter.name.to_owned(),
        counter.judged.to_string(),
        counter.matched.to_string(),
        percent(counter.matched, counter.judged),
        format!("{:.2}", counter.mean_difference),
        worst.map_or_else(|| "none".to_owned(), |(difference, second)| format!("{difference:+} at {second:.0} s")),
    ]
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

fn overall(reports: &[ReplayReport]) -> (u64, u64) {
    reports.iter().map(ReplayReport::joint).fold((0, 0), |sum, joint| (sum.0 + joint.0, sum.1 + joint.1))
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn document(reports: &[ReplayReport], refused: &[String]) -> Value {
    let (matched, judged) = overall(reports);
    json!({
        "innosim_version": env!("CARGO_PKG_VERSION"),
        "recordings": reports.iter().map(of_report).collect::<Vec<_>>(),
        "left_out": refused,
        "overall": { "passes": judged, "matched": matched, "match_rate": share(matched, judged) },
    })
}

fn of_report(report: &ReplayReport) -> Value {
    let (matched, judged) = report.joint();
    let counters: serde_json::Map<String, Value> = report
        .counters
        .iter()
        .map(|counter| {
            let worst = counter.worst;
            let value = json!({
                "judged": counter.judged,
                "matched": counter.matched,
                "match_rate": counter.match_rate(),
                "mean_difference": counter.mean_difference,
                "largest_difference": worst.map(|(difference, _)| difference),
                "largest_difference_at_s": worst.map(|(_, second)| second),
            });
            (counter.name.to_owned(), value)
        })
        .collect();
    json!({
        "name": report.recording,
        "model": report.model.name(),
        "passes": judged,
        "matched": matched,
        "match_rate": share(matched, judged),
        "counters": counters,
        "tolerance": {
            "percent_points": report.tolerance.percent,
            "pages": report.tolerance.pages,
            "average_share": report.tolerance.average_share,
        },
        "seconds_with_sync_flushing": report.sync_seconds,
        "seconds_without_pass": report.seconds_without_pass,
        "seconds_with_several_passes": report.several_seconds,
        "hidden_passes": report.hidden_passes,
        "seconds_next_to_gap": report.gap_seconds,
    })
}
