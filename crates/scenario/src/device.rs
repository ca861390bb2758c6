//! `[device]` and `[redo_device]`: a profile with changes of single fields, or a device written out in full.
//!
//! Profiles live in `profiles/*.toml`, one device each, every number with its origin. A profile is laid under the table
//! that names it, as a base scenario is laid under the one that extends it.

use crate::diagnostic::{Problem, Report};
use crate::distribution::pairs;
use crate::fio::lay_fio;
use crate::key::{Key, Kind, MAX_RATE, MAX_THREADS, real, whole};
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

/// Keys of the burst table.
pub(crate) const BURST_KEYS: &[Key] = &[
    Key::required("baseline_iops", real(1.0, MAX_RATE), "Operations a second that are always there; fills the bucket."),
    Key::required("burst_iops", real(1.0, MAX_RATE), "Operations a second while credits last."),
    Key::required("bucket_ops", real(1.0, 1e12), "Size of the bucket, operations."),
    Key::required("initial_ops", real(0.0, 1e12), "Credits at the start, operations."),
];

/// Keys of the caps in front of a device.
pub(crate) const CAP_KEYS: &[Key] = &[
    Key::default("read_iops", Kind::Ceiling, "\"none\"", "Reads a second."),
    Key::default("write_iops", Kind::Ceiling, "\"none\"", "Writes a second; syncs count among them."),
    Key::default("read_bytes_per_s", Kind::Bandwidth, "\"none\"", "Bytes read a second."),
    Key::default("write_bytes_per_s", Kind::Bandwidth, "\"none\"", "Bytes written a second."),
    Key::default("slice", Kind::Duration, "\"100ms\"", "Length of the slices in which the budgets are handed out."),
];

/// Keys of an array of disks.
pub(crate) const ARRAY_KEYS: &[Key] = &[
    Key::required(
        "cache_bytes",
        whole(4 << 20, 1 << 40),
        "Writes that the controller keeps until the disks have done them.",
    ),
    Key::required(
        "strip_bytes",
        whole(1 << 14, 1 << 30),
        "Adjacent bytes on one disk, before the next has the following ones.",
    ),
    Key::required("head_bytes_per_s", Kind::Bandwidth, "Rate at which bytes pass under the head of one disk."),
];

/// Kinds of operations in `at_depth`.
const TIMED_OPS: &[&str] = &["random_read", "random_write", "sequential_write"];

/// Keys of measured times.
pub(crate) const DEPTH_KEYS: &[Key] = &[
    Key::required("op", Kind::OneOf(TIMED_OPS), "Kind of operation."),
    Key::default("bytes", whole(1, 1 << 30), "16384", "Size of an operation."),
    Key::required("depth", real(1.0, 1e6), "Operations in flight, this one included."),
    Key::required("quantiles", Kind::Pairs, "Pairs of probability and µs, as in a distribution."),
];

/// Keys of a device.
pub(crate) const DEVICE_KEYS: &[Key] = &[
    Key::optional(
        "profile",
        Kind::Text,
        "every other key is needed",
        "Profile to start from: sata-ssd-s4510, nvme, cloud-volume, cloud-volume-burst, disk or lab-virtual-disk.",
    ),
    Key::optional(
        "fio",
        Kind::Names,
        "a profile, or every other key",
        "Files of fio's JSON output, from which the device is fitted.",
    ),
    Key::optional(
        "iops",
        real(1.0, MAX_RATE),
        "see read_iops, write_iops",
        "Short for read_iops and write_iops, where these are not given beside it.",
    ),
    Key::optional("name", Kind::Text, "the name of the profile", "Name, for people."),
    Key::required("channels", whole(1, MAX_THREADS), "Operations that the device works on at a time."),
    Key::required(
        "queue_depth",
        whole(1, 1_000_000),
        "Operations that fit into the queues of device and operating system; at least `channels`.",
    ),
    Key::required("random_read", Kind::Distribution, "Time of one random read of 16 KiB on the idle device."),
    Key::required("random_write", Kind::Distribution, "Time of one random write of 16 KiB on the idle device."),
    Key::required(
        "sequential_write",
        Kind::Distribution,
        "Fixed time of a sequential write (doublewrite, redo), before its transfer.",
    ),
    Key::required("sync", Kind::Distribution, "Time of a cache flush, once the operations before it are done."),
    Key::required("sync_is_barrier", Kind::Switch, "Whether a cache flush holds everything that comes after it."),
    Key::default(
        "sync_goes_first",
        Kind::Switch,
        "false",
        "Whether such a flush waits only for the commands in the drive (channels), ahead of those in the queue.",
    ),
    Key::optional(
        "drain_us",
        real(0.0, 1e6),
        "0.0",
        "Microseconds that a cache flush that is a barrier takes longer if it had to wait for operations before it.",
    ),
    Key::optional(
        "rewrite_us",
        real(0.0, 1e6),
        "0.0",
        "Microseconds after a write within which the drive does not complete another one that begins in its last block.",
    ),
    Key::required("read_iops", Kind::Ceiling, "Ceiling of reads, operations a second."),
    Key::required("write_iops", Kind::Ceiling, "Ceiling of writes, operations a second."),
    Key::default(
        "reads_a_page_written",
        real(0.0, 1000.0),
        "0.0",
        "Operations of read_iops that 16 KiB of writes take; 0 for none.",
    ),
    Key::required("read_bytes_per_s", Kind::Bandwidth, "Ceiling of reads, bytes a second."),
    Key::required("write_bytes_per_s", Kind::Bandwidth, "Ceiling of writes, bytes a second."),
    Key::optional(
        "write_overhead_bytes",
        whole(0, 1 << 20),
        "0",
        "Bytes that each write counts more under write_bytes_per_s: what a command costs.",
    ),
    Key::required("link_bytes_per_s", Kind::Bandwidth, "Ceiling of reads and writes together, bytes a second."),
    Key::required(
        "read_write_interference",
        real(0.0, 1000.0),
        "Share by which a full queue of writes lengthens a read, and of reads a write; 0 for none.",
    ),
    Key::required("sync_counts_as_write", Kind::Switch, "Whether a sync takes one operation of write_iops."),
    Key::optional("burst", Kind::Table(BURST_KEYS), "no burst credits", "Burst credits of a cloud volume."),
    Key::optional("cap", Kind::Table(CAP_KEYS), "no caps", "Caps of a control group or a cloud, handed out in slices."),
    Key::optional(
        "array",
        Kind::Table(ARRAY_KEYS),
        "one disk, or a device without a write cache that outlives a power failure",
        "Disks behind a controller whose write cache a battery keeps; `channels` of them work at a time.",
    ),
    Key::default(
        "seek_free_bytes",
        whole(0, 1 << 30),
        "0",
        "A page written at most so far behind the last page of its batch needs no seek; 0 for a device that does not seek.",
    ),
    Key::default(
        "inode_tick",
        Kind::Duration,
        "\"0s\"",
        "Tick of the kernel's clock where a sync also writes a file's inode, once a tick at most; 0s where it does not.",
    ),
    Key::default(
        "unwritten_redo_bytes",
        whole(0, 1 << 44),
        "0",
        "Redo from the start on that goes to files which were allocated but never written.",
    ),
    Key::default(
        "redo_map_block",
        Kind::Switch,
        "false",
        "Whether the map of such a file lies in a block of its own, for more than four pieces of it.",
    ),
    Key::optional(
        "rotational",
        Kind::Switch,
        "not known",
        "Whether the disk says that it rotates (/sys/block/DISK/queue/rotational), as virtual disks often do: a MariaDB flushes \
         neighbours on such a disk alone.",
    ),
    Key::default("sync_operations", real(0.0, 100.0), "1.0", "Operations of cap.write_iops that a sync takes."),
    Key::optional(
        "at_depth",
        Kind::Tables(DEPTH_KEYS),
        "times don't depend on what is in flight",
        "Measured times by operations in flight, in place of random_read, random_write or sequential_write.",
    ),
];

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
    let mut section = Section::open(table, DEVICE_KEYS, path, report);
    section.optional_real("iops");
    let name = section.text("name").unwrap_or_else(|| "custom".to_owned());
    section.resolved = Resolved::default();
    section.resolved.value("name", quoted(&name));
    if section.has("rotational") {
        section.switch("rotational");
    }
    let spec = DeviceSpec {
        name,
        channels: section.count("channels"),
        queue_depth: section.count("queue_depth"),
        random_read: section.distribution("random_read"),
        random_write: section.distribution("random_write"),
        sequential_write: section.distribution("sequential_write"),
        sync: section.distribution("sync"),
        sync_is_barrier: section.switch("sync_is_barrier"),
        sync_goes_first: section.switch("sync_goes_first"),
        drain_ns: (section.optional_real("drain_us").unwrap_or(0.0) * 1e3 + 0.5) as u64,
        rewrite_ns: (section.optional_real("rewrite_us").unwrap_or(0.0) * 1e3 + 0.5) as u64,
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

fn read_cap(section: &mut Section<'_>) -> Option<CapSpec> {
    let table = section.table("cap")?;
    let path = section.path_of("cap");
    let mut cap = Section::open(table, CAP_KEYS, path, section.report);
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
    let table = section.table("array")?;
    let path = section.path_of("array");
    let mut array = Section::open(table, ARRAY_KEYS, path, section.report);
    let spec = ArraySpec {
        cache_bytes: array.integer("cache_bytes"),
        strip_bytes: array.integer("strip_bytes"),
        head_bytes_per_s: array.ceiling("head_bytes_per_s").unwrap_or(0.0),
    };
    section.resolved.table("array", array.resolved);
    Some(spec)
}

fn read_depths(section: &mut Section<'_>) -> Vec<DepthTimes> {
    let path = section.path_of("at_depth");
    let mut points = Vec::new();
    let mut resolved = Vec::new();
    for table in section.tables("at_depth") {
        let mut point = Section::open(table, DEPTH_KEYS, path.clone(), section.report);
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
    let table = section.table("burst")?;
    let path = section.path_of("burst");
    let mut burst = Section::open(table, BURST_KEYS, path, section.report);
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
