//! `[device]` and `[redo_device]`: a profile with changes of single fields, or a device written out in full.
//!
//! Profiles live in `profiles/*.toml`, one device each, every number with its origin. A profile is laid under the table
//! that names it, as a base scenario is laid under the one that extends it.

use crate::diagnostic::{Problem, Report};
use crate::distribution::pairs;
use crate::fio::lay_fio;
use crate::node::{Data, Entry, Node, Table, parse};
use crate::resolved::{Resolved, quoted};
use crate::section::Section;
use crate::source::SourceMap;
use crate::suggest::{did_you_mean, join_or};
use innosim_core::storage::{ArraySpec, BurstSpec, CapSpec, DepthTimes, DeviceSpec, TimedOp};

/// The shipped profiles: name and text.
const PROFILES: &[(&str, &str)] = &[
    ("sata-ssd-s4510", include_str!("../profiles/sata-ssd-s4510.toml")),
    ("nvme", include_str!("../profiles/nvme.toml")),
    ("cloud-volume", include_str!("../profiles/cloud-volume.toml")),
    ("cloud-volume-burst", include_str!("../profiles/cloud-volume-burst.toml")),
    ("disk", include_str!("../profiles/disk.toml")),
    ("lab-virtual-disk", include_str!("../profiles/lab-virtual-disk.toml")),
];

/// What is left of a sync at least, where syncs are shortened.
const SHORTEST_SYNC: f64 = 0.01;

/// Names of the shipped profiles.
pub fn profile_names() -> Vec<&'static str> {
    PROFILES.iter().map(|(name, _)| *name).collect()
}

/// The device of a shipped profile; `None` if there is none of that name.
pub fn profile_device(name: &str) -> Option<DeviceSpec> {
    let name = profile_names().into_iter().find(|profile| *profile == name)?;
    let (mut sources, report) = (SourceMap::default(), Report::default());
    let table = below(name, 0, &mut sources);
    Some(read_device(&table, "device", &report).0)
}

/// Writes `iops` of a layer out as the two ceilings that it stands for.
pub(crate) fn expand_iops(device: &mut Table) {
    let Some(iops) = device.entry("iops").cloned() else { return };
    if !matches!(iops.node.data, Data::Integer(_) | Data::Float(_)) {
        return;
    }
    device.remove("iops");
    for key in ["read_iops", "write_iops"] {
        if device.get(key).is_none() {
            device.entries.push(Entry { key: key.to_owned(), ..iops.clone() });
        }
    }
}

/// Lays the profile that the table names under it.
pub(crate) fn lay_profile(device: &mut Table, path: &str, sources: &mut SourceMap, report: &Report) {
    let names = profile_names();
    if device.get("fio").is_some() {
        if !lay_fio(device, path, sources, report) {
            // Some device, so that reading goes on and other mistakes are found.
            *device = below(PROFILES[0].0, device.at.source, sources);
        }
        return;
    }
    let Some(node) = device.get("profile") else {
        if device.get("channels").is_none() {
            let problem = Problem::new(format!("`{path}` has no profile")).at(device.at);
            report.add(problem.allowed(join_or(&names)).help(format!("add profile = \"{}\"", names[1])));
            *device = below(names[1], device.at.source, sources);
        }
        return;
    };
    let wanted = node.scalar_text().unwrap_or_default();
    if !names.contains(&wanted.as_str()) {
        let problem = Problem::new(format!("`{path}.profile` is {}", node.describe())).at(node.at);
        let help = did_you_mean(&wanted, &names).unwrap_or_default();
        report.add(problem.allowed(join_or(&names)).help(help));
        *device = below(names[1], device.at.source, sources);
        return;
    }
    let mut laid = below(&wanted, device.at.source, sources);
    laid.lay(std::mem::replace(device, Table::empty(device.at)));
    *device = laid;
}

/// The table of a profile, its name included.
fn below(name: &str, source: usize, sources: &mut SourceMap) -> Table {
    let text = PROFILES.iter().find(|(profile, _)| *profile == name).map_or("", |(_, text)| text);
    let profile = sources.add_file(&format!("profile {name}"), text);
    let mut table = match parse(profile, text) {
        Ok(table) => table,
        Err(problems) => unreachable!("the profile {name} is not TOML: {problems:?}"),
    };
    let at = crate::source::Span { source, start: 0, end: 0 };
    let node = Node { data: Data::Text(name.to_owned()), at };
    table.entries.push(Entry { key: "name".to_owned(), key_at: at, node });
    table
}

/// Whether the disk of a device says that it rotates; `None` if nobody knows.
pub(crate) fn says_it_rotates(device: &Table) -> Option<bool> {
    match device.get("rotational")?.data {
        Data::Switch(rotates) => Some(rotates),
        _ => None,
    }
}

/// Reads a device under which its profile is already laid.
pub(crate) fn read_device(table: &Table, path: &str, report: &Report) -> (DeviceSpec, Resolved) {
    let mut section = Section::open(table, "device", path, report);
    section.optional_real("iops");
    let name = section.text("name").unwrap_or_else(|| "custom".to_owned());
    section.resolved = Resolved::default();
    section.resolved.value("name", quoted(&name));
    if section.has("rotational") {
        section.switch("rotational");
    }
    let mut spec = DeviceSpec {
        name,
        channels: section.count("channels"),
        queue_depth: section.count("queue_depth"),
        random_read: section.distribution("random_read"),
        random_write: section.distribution("random_write"),
        sequential_write: section.distribution("sequential_write"),
        sync: section.distribution("sync"),
        sync_is_barrier: section.switch("sync_is_barrier"),
        sync_goes_first: section.switch("sync_goes_first"),
        merges_writes: section.switch("merges_writes"),
        drain_ns: (section.optional_real("drain_us").unwrap_or(0.0) * 1e3 + 0.5) as u64,
        rewrite_ns: (section.optional_real("rewrite_us").unwrap_or(0.0) * 1e3 + 0.5) as u64,
        program_ns: (section.optional_real("program_us").unwrap_or(0.0) * 1e3 + 0.5) as u64,
        read_iops: section.ceiling("read_iops"),
        write_iops: section.ceiling("write_iops"),
        reads_a_page_written: section.real("reads_a_page_written"),
        read_bytes_per_s: section.ceiling("read_bytes_per_s"),
        write_bytes_per_s: section.ceiling("write_bytes_per_s"),
        write_overhead_bytes: section.optional_integer("write_overhead_bytes").unwrap_or(0),
        link_bytes_per_s: section.ceiling("link_bytes_per_s"),
        read_write_interference: section.real("read_write_interference"),
        sync_counts_as_write: section.switch("sync_counts_as_write"),
        burst: read_burst(&mut section),
        cap: read_cap(&mut section),
        sync_operations: section.real("sync_operations"),
        inode_tick_ns: section.duration("inode_tick"),
        unwritten_redo_bytes: section.integer("unwritten_redo_bytes"),
        redo_map_block: section.switch("redo_map_block"),
        seek_free_bytes: section.integer("seek_free_bytes"),
        array: read_array(&mut section),
        at_depth: read_depths(&mut section),
    };
    if let Some(at_most_ns) = section.optional_duration("redo_sync_at_most") {
        shorten_syncs(&mut spec, at_most_ns as f64 / 1e3);
    }
    if spec.queue_depth < spec.channels {
        let problem = Problem::new(format!("`{path}.queue_depth` is {}, less than channels", spec.queue_depth));
        let allowed = format!("at least channels, which is {}", spec.channels);
        report.add(problem.at(section.at_key("queue_depth")).allowed(allowed));
    }
    if let (false, Err(why)) = (report.has_errors(), spec.validate()) {
        report.add(Problem::new(format!("`{path}`: {why}")).at(table.at));
    }
    (spec, section.resolved)
}

/// Makes a sync and the write before it take so long at most, in the mean, µs.
fn shorten_syncs(spec: &mut DeviceSpec, at_most_us: f64) {
    let (write_us, sync_us) = (spec.sequential_write.mean_us(), spec.sync.mean_us());
    let left_us = (at_most_us - write_us).max(SHORTEST_SYNC * sync_us);
    if left_us < sync_us {
        spec.sync.speed_up(sync_us / left_us);
    }
}

fn read_cap(section: &mut Section<'_>) -> Option<CapSpec> {
    let mut cap = section.section("cap")?;
    let spec = CapSpec {
        read_iops: cap.ceiling("read_iops"),
        write_iops: cap.ceiling("write_iops"),
        read_bytes_per_s: cap.ceiling("read_bytes_per_s"),
        write_bytes_per_s: cap.ceiling("write_bytes_per_s"),
        slice_ns: cap.duration("slice"),
    };
    if let (false, Err(why)) = (section.report.has_errors(), spec.validate()) {
        section.report.add(Problem::new(format!("`{}`: {why}", section.path_of("cap"))).at(cap.at_key("slice")));
    }
    section.resolved.table("cap", cap.resolved);
    Some(spec)
}

fn read_array(section: &mut Section<'_>) -> Option<ArraySpec> {
    let mut array = section.section("array")?;
    let spec = ArraySpec {
        cache_bytes: array.integer("cache_bytes"),
        strip_bytes: array.integer("strip_bytes"),
        head_bytes_per_s: array.ceiling("head_bytes_per_s").unwrap_or(0.0),
    };
    section.resolved.table("array", array.resolved);
    Some(spec)
}

fn read_depths(section: &mut Section<'_>) -> Vec<DepthTimes> {
    let mut points = Vec::new();
    let mut resolved = Vec::new();
    for mut point in section.sections("at_depth") {
        let op = match point.choice("op") {
            "random_read" => TimedOp::RandomRead,
            "random_write" => TimedOp::RandomWrite,
            _ => TimedOp::SequentialWrite,
        };
        let (bytes, depth) = (point.integer("bytes"), point.real("depth"));
        if let Some(quantiles) = point.quantiles("quantiles") {
            point.resolved.value("quantiles", pairs(&quantiles));
            points.push(DepthTimes { op, bytes, depth, quantiles });
        }
        resolved.push(point.resolved);
    }
    section.resolved.tables("at_depth", resolved);
    points
}

fn read_burst(section: &mut Section<'_>) -> Option<BurstSpec> {
    let mut burst = section.section("burst")?;
    let spec = BurstSpec {
        baseline_iops: burst.real("baseline_iops"),
        burst_iops: burst.real("burst_iops"),
        bucket_ops: burst.real("bucket_ops"),
        initial_ops: burst.real("initial_ops"),
    };
    for (name, value, limit_name, ok) in [
        ("burst_iops", spec.burst_iops, "baseline_iops", spec.burst_iops >= spec.baseline_iops),
        ("initial_ops", spec.initial_ops, "bucket_ops", spec.initial_ops <= spec.bucket_ops),
    ] {
        if !ok {
            let side = if name == "burst_iops" { "at least" } else { "at most" };
            let problem = Problem::new(format!("`{}` is {value}", burst.path_of(name))).at(burst.at_key(name));
            section.report.add(problem.allowed(format!("{side} {limit_name}")));
        }
    }
    section.resolved.table("burst", burst.resolved);
    Some(spec)
}
