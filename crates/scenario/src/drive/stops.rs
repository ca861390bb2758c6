//! `[[drive.stop]]`: times at which something outside the model lets no transaction start.

use super::seconds;
use crate::diagnostic::Problem;
use crate::key::{Key, Kind};
use crate::section::Section;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::workload::StopSpec;

const STOP_KEYS: &[Key] = &[
    Key::required("at", Kind::Duration, "When it first begins."),
    Key::required("length", Kind::Duration, "How long no transaction starts."),
    Key::default("every", Kind::Duration, "\"0s\"", "From one beginning to the next; \"0s\": it comes once."),
    Key::default(
        "whole_server",
        Kind::Switch,
        "false",
        "Transactions under way, page cleaners, checkpoints and purge stand still too; otherwise they go on.",
    ),
];

/// The list of stops, of any drive.
pub(super) const STOPS: Key = Key::optional(
    "stop",
    Kind::Tables(STOP_KEYS),
    "no stops",
    "Times at which something outside the model lets no transaction start: a monitor that holds latches, a backup's lock.",
);

/// Reads them, noting them as resolved.
pub(super) fn read_stops(section: &mut Section<'_>) -> Vec<StopSpec> {
    let mut stops = Vec::new();
    let mut resolved = Vec::new();
    for (index, table) in section.tables("stop").into_iter().enumerate() {
        let mut one = Section::open(table, STOP_KEYS, format!("drive.stop[{}]", index + 1), section.report);
        let (first, length, every) = (one.duration("at"), one.duration("length"), one.duration("every"));
        let whole_server = one.switch("whole_server");
        check(&one, length, every);
        resolved.push(one.resolved);
        let (first, length, every) = (SimTime(first), SimDuration(length), SimDuration(every));
        stops.push(StopSpec { first, length, every, whole_server });
    }
    section.resolved.tables("stop", resolved);
    stops
}

fn check(stop: &Section<'_>, length: u64, every: u64) {
    if length == 0 {
        let problem = Problem::new(format!("`{}` is no time at all", stop.path_of("length")));
        stop.report.add(problem.at(stop.at_key("length")).help("give it a length above 0, such as \"2s\""));
    } else if every > 0 && every <= length {
        let (every_s, length_s) = (seconds(every), seconds(length));
        let problem =
            Problem::new(format!("`{}` is {every_s} s, and each stop lasts {length_s} s", stop.path_of("every")));
        let allowed = format!("above {length_s} s, or \"0s\" for a single stop");
        stop.report.add(problem.at(stop.at_key("every")).allowed(allowed).help("else no transaction would ever start"));
    }
}
