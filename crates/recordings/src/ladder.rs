//! A benchmark's folder: runs of one server one after the other, such as a ladder of threads. Without clocks and without the
//! server's counters each log of a load generator is a run of its own. What the machine did belongs to the run whose name it
//! has (`run64.sysbench.txt` and `run64.iostat.txt`), or at least its number; settings belong to all.

use crate::formats::Part;

/// Words of file names that say which program wrote them.
const PROGRAMS: [&str; 15] = [
    "sysbench", "hammerdb", "iostat", "vmstat", "mpstat", "sar", "log", "txt", "out", "csv", "json", "res", "gz",
    "result", "output",
];

/// The files of each run, with its name; `None` if the folder is no ladder.
pub(crate) fn runs(parts: &[Part]) -> Option<Vec<(String, Vec<Part>)>> {
    let counts = parts.iter().any(|part| !part.seconds.is_empty() && !part.is_of_the_machine());
    let is_log = |part: &&Part| part.loads.iter().any(|log| !log.intervals.is_empty());
    let logs: Vec<&Part> = parts.iter().filter(is_log).collect();
    let has_clock = logs.iter().flat_map(|part| &part.loads).any(|log| log.start.is_some());
    let number: usize = logs.iter().map(|part| part.loads.len()).sum();
    if counts || has_clock || number < 2 {
        return None;
    }
    let mut runs: Vec<(String, Vec<Part>)> = Vec::new();
    for part in &logs {
        let several = part.loads.iter().filter(|log| !log.intervals.is_empty()).count() > 1;
        for (i, log) in part.loads.iter().enumerate().filter(|(_, log)| !log.intervals.is_empty()) {
            let key = key_of(part);
            let name = match log.threads {
                Some(threads) if several => format!("{key}-{threads}"),
                _ if several => format!("{key}-{}", i + 1),
                _ => key,
            };
            runs.push((name, vec![Part { loads: vec![log.clone()], ..(*part).clone() }]));
        }
    }
    let cpus = parts.iter().find_map(|part| part.cpus);
    for part in parts.iter().filter(|part| !is_log(part)) {
        if !part.is_of_the_machine() {
            runs.iter_mut().for_each(|(_, own)| own.push(part.clone()));
            continue;
        }
        let (key, digits) = (key_of(part), digits_of(part));
        let of_name = runs.iter().position(|(name, _)| *name == key);
        let by =
            of_name.or_else(|| runs.iter().position(|(_, own)| !digits.is_empty() && digits_of(&own[0]) == digits));
        match by {
            Some(run) => runs[run].1.push(part.clone()),
            None => runs[0].1[0].remarks.push(format!(
                "{} is left out, as no log of the load has its name: call those of one run alike (run64.sysbench.txt, \
                 run64.iostat.txt)",
                part.label()
            )),
        }
    }
    let logs = runs.len();
    for (_, own) in &mut runs {
        own[0].cpus = own[0].cpus.or(cpus);
    }
    runs[0].1[0].remarks.push(format!("{logs} logs without times are taken for {logs} runs, one after the other"));
    Some(runs)
}

/// Name of the run that a file is of.
fn key_of(part: &Part) -> String {
    let label = part.label().to_ascii_lowercase();
    let words = label.split(|c: char| !c.is_ascii_alphanumeric());
    let own: Vec<&str> = words.filter(|word| !word.is_empty() && !PROGRAMS.contains(word)).collect();
    if own.is_empty() { "run".to_owned() } else { own.join("-") }
}

fn digits_of(part: &Part) -> String {
    part.label().chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Interval, LoadLog};
    use std::path::PathBuf;

    fn log(name: &str, threads: &[u32]) -> Part {
        let interval = Interval { end: 1.0, length: 1.0, tps: 5.0, latency_ms: 1.0, queue: f64::NAN };
        let of = |threads: &u32| LoadLog { threads: Some(*threads), intervals: vec![interval], ..LoadLog::default() };
        Part { path: PathBuf::from(name), loads: threads.iter().map(of).collect(), ..Part::default() }
    }

    fn machine(name: &str) -> Part {
        Part { path: PathBuf::from(name), shares_of_processors: Some("vmstat"), ..Part::default() }
    }

    #[test]
    fn what_has_the_name_of_a_run_belongs_to_it() {
        let settings = Part { path: PathBuf::from("vars.txt"), cpus: Some(8), ..Part::default() };
        let parts = [
            log("run16.sysbench.txt", &[16]),
            log("run64.sysbench.txt", &[64]),
            machine("run64.vmstat.txt"),
            machine("vmstat-16.log"),
            machine("all.vmstat"),
            settings,
        ];
        let runs = runs(&parts).unwrap();
        let names: Vec<(&str, usize)> = runs.iter().map(|(name, own)| (name.as_str(), own.len())).collect();
        assert_eq!(names, [("run16", 3), ("run64", 3)]);
        assert!(runs[0].1[0].remarks[0].starts_with("all.vmstat is left out"), "{:?}", runs[0].1[0].remarks);
    }

    #[test]
    fn one_log_may_hold_all_runs() {
        let names: Vec<String> = runs(&[log("ladder.log", &[1, 4])]).unwrap().into_iter().map(|run| run.0).collect();
        assert_eq!(names, ["ladder-1", "ladder-4"]);
        assert!(runs(&[log("one.log", &[1])]).is_none());
    }
}
