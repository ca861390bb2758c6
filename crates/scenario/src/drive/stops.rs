//! `[[drive.stop]]`: times at which something outside the model lets no transaction start.

use super::seconds;
use crate::diagnostic::Problem;
use crate::section::Section;
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::workload::StopSpec;

/// Reads them, noting them as resolved; `pool_pages` are those of a full buffer pool.
pub(super) fn read_stops(section: &mut Section<'_>, pool_pages: u64) -> Vec<StopSpec> {
    let mut stops = Vec::new();
    let mut resolved = Vec::new();
    let mut errors_before = section.report.errors();
    for mut one in section.sections("stop") {
        let stop = StopSpec {
            first: SimTime(one.duration("at")),
            length: SimDuration(one.duration("length")),
            per_gib: SimDuration(one.duration("length_per_gib")),
            every: SimDuration(one.duration("every")),
            whole_server: one.switch("whole_server"),
        };
        // Of one with a misspelt key or a value that could not be read there is no more to say.
        if section.report.errors() == errors_before {
            check(&one, &stop, pool_pages);
        }
        errors_before = section.report.errors();
        resolved.push(one.resolved);
        stops.push(stop);
    }
    section.resolved.tables("stop", resolved);
    stops
}

fn check(section: &Section<'_>, stop: &StopSpec, pool_pages: u64) {
    let longest = stop.lasts(pool_pages);
    if longest == SimDuration::ZERO {
        section.refuse_no_time(
            "length",
            "give it a length above 0, such as \"2s\", or a `length_per_gib`, such as \"5ms\"",
        );
    } else if stop.every > SimDuration::ZERO && stop.every <= longest {
        let (every_s, longest_s) = (seconds(stop.every.0), seconds(longest.0));
        let lasts = if stop.per_gib > SimDuration::ZERO { "with a full buffer pool each stop" } else { "each stop" };
        let problem =
            Problem::new(format!("`{}` is {every_s} s, and {lasts} lasts {longest_s} s", section.path_of("every")));
        let allowed = format!("above {longest_s} s, or \"0s\" for a single stop");
        section
            .report
            .add(problem.at(section.at_key("every")).allowed(allowed).help("else no transaction would ever start"));
    }
}
