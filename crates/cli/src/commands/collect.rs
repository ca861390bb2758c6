//! `innosim collect`: the shell script that gathers what the other commands need of a real server.
//!
//! The script is `collect/collect.sh`, for any POSIX shell, with two defaults to be filled in. What it leaves is what
//! the crate `innosim_recordings` reads: samples below lines `TS`, a table of variables, page ages in their own form.

use crate::args::{CollectArgs, Format};
use crate::exit::{Done, Failure};
use crate::output::{print, print_json};
use serde_json::json;

/// The script, with places for its defaults.
const SCRIPT: &str = include_str!("collect/collect.sh");

/// Prints the script.
pub(crate) fn run(args: &CollectArgs) -> Done {
    if args.interval > args.duration {
        let (interval, duration) = (args.interval, args.duration);
        return Err(Failure::Input(format!(
            "--interval {interval}s is longer than --duration {duration}s\n  = help: two samples are the least"
        )));
    }
    let script = script(args.duration, args.interval);
    match args.format {
        Format::Json => {
            print_json(&json!({ "duration_s": args.duration, "interval_s": args.interval, "script": script }))
        }
        Format::Human => print(&script),
    }
}

fn script(duration_s: u32, interval_s: u32) -> String {
    SCRIPT.replace("@DURATION@", &duration_s.to_string()).replace("@INTERVAL@", &interval_s.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_filled_in() {
        let script = script(900, 3);
        assert!(script.contains("\nduration=900\ninterval=3\n"), "{script}");
        assert!(!script.contains("@DURATION@") && !script.contains("@INTERVAL@"));
    }
}
