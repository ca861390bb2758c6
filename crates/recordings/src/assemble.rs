//! Files of one server made into one [`Recording`].
//!
//! Files of the same samples that follow each other are put together. The file with most samples gives the time axis;
//! values of others go to the nearest of its samples, if that is no further than three quarters of a step, and leave
//! gaps elsewhere. Zero is where the first load began, as far as it is known. Computed from recorded values and named
//! so: `derived.checkpoint_lsn` (log sequence number - checkpoint age) and `derived.tps` (growth of the statement that
//! the script commits with), each only where the original is missing.

use crate::align::{intervals_at, links, offset, pt_stalk_prefix};
use crate::disk::DiskReports;
use crate::formats::{Clock, Interval, Link, LoadLog, Part, Program, SlowLoop};
use crate::idle::{cut_after_load, cut_before_load};
use crate::load::CommandError;
use crate::place::{place_log, place_reports, place_throughput};
use crate::restart::{cut_loads, keep_longest_stretch};
use crate::whole_seconds::even_out;
use crate::{Cap, Data, LoadPhase, Quantity, Recording, RecordingError, Script, Series, Server};
use innosim_flush_models::registry::{ServerVersion, version_in};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How far a value may be moved, in steps of the axis.
const NEAR: f64 = 0.75;
/// Dirty pages up to which a pool counts as clean.
const CLEAN_PAGES: f64 = 40.0;
/// Bytes of a page, where the server's setting is not known.
const PAGE_BYTES: u64 = 16 << 10;

/// A figure of an interval.
type Figure = fn(&Interval) -> f64;
/// What sysbench's intervals give, by column.
const SYSBENCH: [(&str, Figure); 3] =
    [("sb.tps", |i| i.tps), ("sb.lat_ms", |i| i.latency_ms), ("sb.queue", |i| i.queue)];

/// Makes a recording of files that belong together.
pub(crate) fn assemble(name: String, path: &Path, parts: Vec<Part>) -> Result<Recording, RecordingError> {
    let mut remarks: Vec<String> =
        parts.iter().flat_map(|part| part.remarks.iter().map(|r| format!("{}: {r}", part.label()))).collect();
    let parts = crate::formats::logs_of_one_time(join_consecutive(parts, &mut remarks), &mut remarks);
    let links = links(&parts);
    let Some(base) = base_of(&parts) else {
        return Err(RecordingError::new(path, "holds no samples", crate::formats::READABLE));
    };
    let mut loads = placed_loads(base, &parts, &links, &mut remarks);
    let (clock, axis) = match base.seconds.is_empty() {
        false => (base.clock, base.seconds.clone()),
        // Only logs of sysbench: the longest one's own seconds.
        true => (Clock::Own, loads.iter().map(ends).max_by_key(Vec::len).unwrap_or_default()),
    };
    let slow_loops: Vec<SlowLoop> = parts.iter().flat_map(|part| part.slow_loops.iter().copied()).collect();
    if axis.is_empty() && slow_loops.is_empty() {
        return Err(RecordingError::new(path, "holds no samples", crate::formats::READABLE));
    }
    let mut series = Series { seconds: axis, columns: base.columns.clone(), zero: BTreeSet::new() };
    if series.columns.is_empty() {
        // What reports of the machine are placed by.
        lay_throughput(&mut series, &loads);
    }
    let others = parts.iter().filter(|part| !std::ptr::eq(*part, base) && !part.seconds.is_empty());
    lay_others(&mut series, (base, clock), others, (&links, &loads), &mut remarks);
    let cpus = cpus_of(&parts, &series);
    count_processors(&mut series, &parts, cpus, &mut remarks);
    let restart = keep_longest_stretch(&mut series);
    even_out(&mut series);
    command_lines(&parts, &mut loads);
    let variables = variables(&parts);
    let mut recording = Recording {
        name,
        path: path.to_owned(),
        server: server(&variables),
        data: data(&parts, &variables),
        cap: parts
            .iter()
            .find_map(|part| part.cap.clone())
            .unwrap_or_else(|| Cap { name: "raw".to_owned(), ..Cap::default() }),
        tps_is_of_steps: true,
        cpus,
        rotational: parts.iter().find_map(|part| part.rotational),
        file_system: parts.iter().find_map(|part| part.file_system.clone()),
        page_ages: parts.iter().find_map(|part| part.page_ages.clone()),
        disk: parts.iter().find_map(|part| part.disk.clone()),
        clean_start: None,
        new_redo: false,
        notes: Vec::new(),
        remarks: Vec::new(),
        slow_loops,
        fio: parts.iter().filter(|part| part.fio).map(|part| part.path.clone()).collect::<Vec<PathBuf>>(),
        phases: Vec::new(),
        variables,
        series,
    };
    lay_loads(&mut recording, &loads);
    if loads.is_empty() {
        lay_commands(&mut recording, &parts);
    }
    if recording.phases.is_empty() {
        remarks.extend(cut_before_load(&mut recording.series));
        remarks.extend(cut_after_load(&mut recording.series));
    }
    if let Some(remark) = restart {
        cut_loads(&mut recording.phases, &recording.series);
        remarks.push(remark);
    }
    derive_checkpoint(&mut recording.series);
    start_at_load(&mut recording);
    recording.remarks = remarks;
    Ok(recording)
}

/// The file whose samples are the axis: that with most. Reports of the disk and of a load generator go to the server's samples,
/// however many there are; where nothing counts over time, a log goes before what the machine did under it.
fn base_of(parts: &[Part]) -> Option<&Part> {
    let goes_to_samples = |part: &Part| part.is_of_the_machine() || part.is_of_a_load_generator();
    let rank = |part: &Part| if goes_to_samples(part) { 0 } else { part.seconds.len() };
    let by_rank = |(i, part): &(usize, &Part)| (rank(part), !part.is_of_the_machine(), usize::MAX - i);
    parts.iter().enumerate().max_by_key(by_rank).map(|(_, part)| part)
}

/// Lays what other files hold beside the samples of `base`, whose clock is given.
fn lay_others<'a>(
    series: &mut Series,
    (base, clock): (&Part, Clock),
    others: impl Iterator<Item = &'a Part>,
    (links, loads): (&[Link], &[LoadLog]),
    remarks: &mut Vec<String>,
) {
    let has_axis = !series.is_empty();
    for part in others.filter(|_| has_axis) {
        let near = Some((part.seconds[0], series.seconds[0]));
        let by_clock = offset(links, part.clock, clock, near);
        match by_clock.or_else(|| placed_reports(part, series, loads, remarks)) {
            Some(offset) => lay(series, part, offset),
            None => remarks.push(format!(
                "{}: left out of the time axis, as its times can't be compared with those of {}",
                part.label(),
                base.label()
            )),
        }
    }
}

/// How two files of the same samples lie in time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Follows {
    /// Whether the second comes after the first, not before it.
    later: bool,
    /// Whether the later one begins before the earlier one ends.
    overlapping: bool,
}

/// Files of the same samples that follow each other in time (a log that was rotated) as one file. Where two overlap
/// (a loop that was started again before the old one ended), the earlier one counts.
fn join_consecutive(parts: Vec<Part>, remarks: &mut Vec<String>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match joined.iter_mut().find_map(|other| follows(other, &part).map(|how| (other, how))) {
            Some((other, how)) => {
                let (first, mut second) = if how.later { (other.clone(), part) } else { (part, other.clone()) };
                let (before, after) = (first.label(), second.label());
                if how.overlapping {
                    remarks.push(format!("{after}: used from where {before} ends, as the two overlap"));
                    leave_out_until(&mut second, first.seconds.last().copied());
                } else if pt_stalk_prefix(&before).is_none() {
                    // pt-stalk takes the same twice.
                    remarks.push(format!("{after}: goes on where {before} ends"));
                }
                *other = chain(first, second);
            }
            None => joined.push(part),
        }
    }
    joined
}

/// Leaves out what a file says of the time up to `end`.
fn leave_out_until(part: &mut Part, end: Option<f64>) {
    let keep: Vec<bool> = part.seconds.iter().map(|t| end.is_none_or(|end| *t > end)).collect();
    if let Some(disk) = part.disk.as_mut().filter(|disk| disk.reports.len() == keep.len()) {
        let mut kept = keep.iter();
        disk.reports.retain(|_| kept.next() == Some(&true));
    }
    part.retain(&keep);
}

/// Whether `part` comes after `other` (or before it) on the same clock and has the same columns, but for a few. One that
/// lies within the other's time does neither.
fn follows(other: &Part, part: &Part) -> Option<Follows> {
    let ends = |part: &Part| Some((*part.seconds.first()?, *part.seconds.last()?));
    let ((a, b), (c, d)) = (ends(other)?, ends(part)?);
    let shared = part.columns.keys().filter(|name| other.columns.contains_key(*name)).count();
    let alike = 2 * shared > part.columns.len().max(other.columns.len());
    let comparable = other.clock == part.clock && part.clock != Clock::Own;
    if !(alike && comparable) {
        None
    } else if c >= a && d > b {
        Some(Follows { later: true, overlapping: c <= b })
    } else {
        (c < a && d <= b).then_some(Follows { later: false, overlapping: d >= a })
    }
}

/// Two files of one kind in a row, under the name of the first.
fn chain(first: Part, second: Part) -> Part {
    let gap = |part: &Part| vec![f64::NAN; part.seconds.len()];
    let (gap_first, gap_second) = (gap(&first), gap(&second));
    let disk = match (first.disk, second.disk) {
        (Some(disk), Some(later)) => Some(DiskReports { reports: [disk.reports, later.reports].concat(), ..disk }),
        (disk, later) => disk.or(later),
    };
    let (mut columns, mut later) = (first.columns, second.columns);
    let names: BTreeSet<String> = columns.keys().chain(later.keys()).cloned().collect();
    for name in names {
        let later = later.remove(&name).unwrap_or_else(|| gap_second.clone());
        columns.entry(name).or_insert_with(|| gap_first.clone()).extend(later);
    }
    Part {
        path: first.path,
        clock: first.clock,
        seconds: [first.seconds, second.seconds].concat(),
        columns,
        links: [first.links, second.links].concat(),
        variables: first.variables.into_iter().chain(second.variables).collect(),
        loads: [first.loads, second.loads].concat(),
        commands: [first.commands, second.commands].concat(),
        table_bytes: first.table_bytes.or(second.table_bytes),
        cpus: first.cpus.or(second.cpus),
        rotational: first.rotational.or(second.rotational),
        file_system: first.file_system.or(second.file_system),
        cap: first.cap.or(second.cap),
        page_ages: first.page_ages.or(second.page_ages),
        disk,
        shares_of_processors: first.shares_of_processors.or(second.shares_of_processors),
        slow_loops: [first.slow_loops, second.slow_loops].concat(),
        fio: first.fio || second.fio,
        remarks: [first.remarks, second.remarks].concat(),
    }
}

/// The logs of sysbench with their start on the axis of `base`; those that can't be placed are left out with a remark.
fn placed_loads(base: &Part, parts: &[Part], links: &[Link], remarks: &mut Vec<String>) -> Vec<LoadLog> {
    let mut placed = Vec::new();
    for part in parts {
        for log in part.loads.iter().filter(|log| !log.intervals.is_empty()) {
            let near = log.start.zip(base.seconds.first().copied());
            let by_clock = log.start.and_then(|start| Some(start + offset(links, part.clock, base.clock, near)?));
            let start = match base.seconds.is_empty() {
                true => Some(log.start.unwrap_or(0.0)),
                false => by_clock.or_else(|| {
                    let start = place_log(log, base)?;
                    let (label, base) = (part.label(), base.label());
                    let why = match log.start {
                        Some(_) => {
                            format!("its times can't be compared with those of {base}, which has no times of day")
                        }
                        None => "has no times".to_owned(),
                    };
                    remarks.push(format!("{label}: {why}; placed where its throughput follows the counters of {base}"));
                    Some(start)
                }),
            };
            match start {
                Some(start) => placed.push(LoadLog { start: Some(start), ..log.clone() }),
                None if log.start.is_some() => remarks.push(format!(
                    "{}: left out, as its times can't be compared with those of {}, which has no times of day: print \
                     `TS` and the seconds since 1970 before each of its samples (date +'TS %s.%N')",
                    part.label(),
                    base.label()
                )),
                None => remarks.push(format!(
                    "{}: left out, as it is not known when it began: print the time before each line (sysbench ... | ts %.s)",
                    part.label()
                )),
            }
        }
    }
    placed
}

fn ends(log: &LoadLog) -> Vec<f64> {
    log.intervals.iter().map(|interval| log.start.unwrap_or(0.0) + interval.end).collect()
}

/// Reports without times that are as long as the load, but for this share or these seconds, began with it.
const AS_LONG: f64 = 0.1;
const AS_LONG_S: f64 = 5.0;

/// Where reports without times have their zero on the axis: where they move with the server's counters, or, those of the machine,
/// with the load, if they are about as long as it was.
fn placed_reports(part: &Part, series: &Series, loads: &[LoadLog], remarks: &mut Vec<String>) -> Option<f64> {
    let label = part.label();
    if part.is_of_a_load_generator() {
        let start = place_throughput(part, &series.seconds, &series.columns)?;
        remarks.push(format!("{label}: has no times; placed where its throughput follows the server's counters"));
        return Some(start);
    }
    if !(part.is_of_the_machine() && part.clock == Clock::Own) {
        return None;
    }
    if let Some((start, counter)) = place_reports(part, &series.seconds, &series.columns) {
        let counter = counter.split_once('.').map_or(counter, |(_, name)| name);
        remarks.push(format!("{label}: has no times; placed where the bytes written follow {counter}"));
        return Some(start);
    }
    let length = part.seconds.len() as f64;
    let as_long = |(_, load): &(f64, f64)| (length - load).abs() <= (AS_LONG * load).max(AS_LONG_S);
    let logs = loads.iter().filter_map(|log| Some((log.start?, log.intervals.last()?.end)));
    let (start, load) = logs.into_iter().find(as_long)?;
    remarks.push(format!(
        "{label}: has no times; {length:.0} reports, taken for one a second, are as long as the load of {load:.0} s and are \
         taken to begin with it"
    ));
    Some(start)
}

/// Processors of the machine, as a file says or as INNODB_METRICS counts them.
fn cpus_of(parts: &[Part], series: &Series) -> Option<u32> {
    let counted = || series.largest("m.cpu_n").filter(|n| (1.0..65_536.0).contains(n)).map(|n| n as u32);
    parts.iter().find_map(|part| part.cpus).or_else(counted)
}

/// Ticks of one processor become those of all.
fn count_processors(series: &mut Series, parts: &[Part], cpus: Option<u32>, remarks: &mut Vec<String>) {
    let Some(part) = parts.iter().find(|part| part.shares_of_processors.is_some()) else { return };
    for name in part.columns.keys() {
        match (cpus, series.columns.get_mut(name)) {
            (Some(cpus), Some(values)) => values.iter_mut().for_each(|ticks| *ticks *= f64::from(cpus)),
            _ => {
                series.columns.remove(name);
            }
        }
    }
    if cpus.is_none() {
        let help = "put the output of lscpu beside it";
        remarks.push(format!("{}: left out, as it is not known how many processors there are: {help}", part.label()));
    }
}

/// Lays the columns of a part over the axis; columns that are there already stay.
fn lay(series: &mut Series, part: &Part, offset: f64) {
    let step = series.median_step().unwrap_or(1.0);
    let nearest: Vec<Option<usize>> = series
        .seconds
        .iter()
        .map(|t| {
            let after = part.seconds.partition_point(|s| s + offset < *t);
            let distance = |i: &usize| (part.seconds[*i] + offset - t).abs();
            let candidates = [after.checked_sub(1), Some(after).filter(|i| *i < part.seconds.len())];
            candidates
                .into_iter()
                .flatten()
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))
                .filter(|i| distance(i) <= NEAR * step)
        })
        .collect();
    for (name, values) in &part.columns {
        let laid = || nearest.iter().map(|i| i.map_or(f64::NAN, |i| values[i])).collect();
        series.columns.entry(name.clone()).or_insert_with(laid);
    }
}

/// Gives logs without a command line the one that stands elsewhere.
pub(crate) fn command_lines(parts: &[Part], loads: &mut [LoadLog]) {
    let commands: Vec<&String> = parts.iter().flat_map(|part| &part.commands).collect();
    let several = commands.len() == loads.len();
    for (i, log) in loads.iter_mut().enumerate().filter(|(_, log)| log.command.is_none()) {
        let command = if several { commands.get(i) } else { commands.first().filter(|_| commands.len() == 1) };
        log.command = command.map(|command| (*command).clone());
    }
}

pub(crate) fn variables(parts: &[Part]) -> BTreeMap<String, String> {
    // Texts of SHOW GLOBAL VARIABLES hold more than what a monitoring system exports.
    let mut tables: Vec<&BTreeMap<String, String>> = parts.iter().map(|part| &part.variables).collect();
    tables.sort_by_key(|table| table.len());
    tables.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn server(variables: &BTreeMap<String, String>) -> Server {
    let text = |name: &str| variables.get(name).map(String::as_str);
    let said = ServerVersion::of_variables(text);
    let (version, comment) = (version_in(&text).unwrap_or_default(), text("version_comment").unwrap_or_default());
    Server::new(product_of(version, comment), version, said.as_ref())
}

/// Whose server it is, by what it says of itself.
pub(crate) fn product_of(version: &str, comment: &str) -> &'static str {
    let both = format!("{version} {comment}").to_ascii_lowercase();
    // No MySQL counts so far.
    let is_mariadb =
        version.split('.').next().and_then(|series| series.parse().ok()).is_some_and(|series: u32| series >= 10);
    if is_mariadb {
        return "mariadb";
    }
    ["mariadb", "percona"].into_iter().find(|product| both.contains(product)).unwrap_or("mysql")
}

fn data(parts: &[Part], variables: &BTreeMap<String, String>) -> Data {
    let page = variables.get("innodb_page_size").and_then(|bytes| bytes.parse().ok()).filter(|bytes| *bytes > 0);
    let pages = |bytes: u64| bytes.div_ceil(page.unwrap_or(PAGE_BYTES));
    match parts.iter().find_map(|part| part.table_bytes) {
        Some((clustered, secondary)) => {
            Data { clustered_pages: Some(pages(clustered)), secondary_pages: Some(pages(secondary)) }
        }
        None => Data::default(),
    }
}

/// The columns and phases of placed logs.
pub(crate) fn lay_loads(recording: &mut Recording, loads: &[LoadLog]) {
    lay_throughput(&mut recording.series, loads);
    recording.phases = loads.iter().filter_map(phase).collect();
    recording.phases.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
}

/// The columns of placed logs.
fn lay_throughput(series: &mut Series, loads: &[LoadLog]) {
    let seconds = &series.seconds;
    let step = |i: usize| if i == 0 { 0.0 } else { seconds[i] - seconds[i - 1] };
    for (name, value) in SYSBENCH {
        let at = |i: usize| {
            let of_log = |log: &LoadLog| mean(intervals_at(log, seconds[i] - log.start?, step(i)), value);
            loads.iter().filter_map(of_log).reduce(|a, b| a + b).unwrap_or(f64::NAN)
        };
        let column: Vec<f64> = (0..seconds.len()).map(at).collect();
        if column.iter().any(|v| v.is_finite()) {
            series.columns.insert(name.to_owned(), column);
        }
    }
}

/// Mean of a figure over time; `None` of no intervals.
fn mean(intervals: &[Interval], figure: Figure) -> Option<f64> {
    let known = intervals.iter().filter(|interval| figure(interval).is_finite());
    let (sum, length) = known.fold((0.0, 0.0), |(sum, length), interval| {
        (sum + figure(interval) * interval.length, length + interval.length)
    });
    (length > 0.0).then(|| sum / length)
}

fn phase(log: &LoadLog) -> Option<LoadPhase> {
    let start = log.start?;
    let end = start + log.intervals.last()?.end;
    let unknown = |script| LoadPhase { start_s: start, end_s: end, ..LoadPhase::of(script) };
    let mut phase = match log.command.as_deref().map(|command| LoadPhase::parse(command, start, end)) {
        Some(Ok(phase)) => phase,
        Some(Err(CommandError::NoNumber(option))) => unknown(Script::Unclear(option)),
        _ if log.program == Program::HammerDb => unknown(Script::Other("HammerDB's TPROC-C".to_owned())),
        _ if log.program != Program::Sysbench => unknown(Script::Other(log.program.name().to_owned())),
        Some(Err(CommandError::NotSysbench)) | None => unknown(Script::Unknown),
    };
    phase.threads = log.threads.unwrap_or(phase.threads);
    phase.rate = log.rate.filter(|rate| *rate > 0.0).or(phase.rate);
    phase.percentile = log.percentile.or(phase.percentile);
    Some(phase)
}

/// A load of which only the command line is known: its transactions are counted by the server.
fn lay_commands(recording: &mut Recording, parts: &[Part]) {
    let commands: Vec<&String> = parts.iter().flat_map(|part| &part.commands).collect();
    let [command] = commands[..] else { return };
    let seconds = &recording.series.seconds;
    let (Some(&first), Some(&last)) = (seconds.first(), seconds.last()) else { return };
    let mut phase = match LoadPhase::parse(command, first, last) {
        Ok(phase) => phase,
        Err(CommandError::NoNumber(option)) => {
            let script = Script::Unclear(option);
            return recording.phases.push(LoadPhase { start_s: first, end_s: last, ..LoadPhase::of(script) });
        }
        Err(CommandError::NotSysbench) => return,
    };
    let Some(counter) = counter_of_transactions(&phase.script) else { return };
    if let Some(counter) = recording.series.column(counter) {
        let tps = counter.rates(seconds);
        let mut busy = tps.placed().filter(|(_, rate)| *rate > 1.0).map(|(i, _)| i);
        if let Some(from) = busy.next() {
            let to = busy.next_back().unwrap_or(from);
            (phase.start_s, phase.end_s) = (seconds[from.saturating_sub(1)], seconds[to]);
            recording.series.put("derived.tps", &tps);
        }
    }
    recording.phases.push(phase);
}

/// The statement that a script commits with.
pub(crate) fn counter_of_transactions(script: &Script) -> Option<&'static str> {
    let Script::Oltp(script) = script else { return None };
    Some(match script.as_str() {
        "oltp_insert" => "Com_insert",
        "oltp_update_index" | "oltp_update_non_index" => "Com_update",
        _ => "Com_commit",
    })
}

/// `derived.checkpoint_lsn`, where only the age is published.
fn derive_checkpoint(series: &mut Series) {
    for (lsn, age) in
        [("Innodb_lsn_current", "Innodb_checkpoint_age"), ("m.log_lsn_current", "m.log_lsn_checkpoint_age")]
    {
        let known = Quantity::CheckpointLsn.columns().iter().any(|name| series.column(name).is_some());
        if let (false, Some(lsn), Some(age)) = (known, series.column(lsn), series.column(age)) {
            series.put("derived.checkpoint_lsn", &lsn.with(&age, |lsn, age| lsn - age));
        }
    }
}

/// Puts zero where the first load began, or at the first sample.
fn start_at_load(recording: &mut Recording) {
    let first = recording.series.seconds.first().copied().unwrap_or(0.0);
    let zero = recording.phases.first().map_or(first, |phase| phase.start_s);
    // A microsecond is finer than any clock here, and keeps sums of large numbers from showing.
    let moved = |t: f64| ((t - zero) * 1e6).round() / 1e6;
    recording.series.seconds.iter_mut().for_each(|t| *t = moved(*t));
    for phase in &mut recording.phases {
        (phase.start_s, phase.end_s) = (moved(phase.start_s), moved(phase.end_s));
    }
    recording.clean_start = recording.get(Quantity::DirtyPages).and_then(|dirty| {
        let before = recording.series.seconds.iter().rposition(|t| *t <= 0.0)?;
        Some(dirty.at(before)? <= CLEAN_PAGES)
    });
}
