//! The device of a scenario that comes from a recording: a shipped profile or a device that was fitted to measurements,
//! behind the cap that was laid on it during the recording.

use super::Parameter;
use super::costs::{REDO_SYNCS, SYNC_OPERATIONS, UNTIL_THE_NEXT, sync_cpu_us};
use innosim_flush_models::registry::ModelId;
use innosim_recordings::{Cap, Recording};
use innosim_scenario::profile_device;
use std::path::PathBuf;

/// Profile of the machine that the shipped recordings were made on.
const LAB_PROFILE: &str = "lab-virtual-disk";
/// Length of a slice of a control group's budget, for disks that call themselves rotating, as virtual ones do.
const SLICE: &str = "100ms";
/// Largest piece of a file that is allocated but not written, in the maps of ext4: 32767 blocks.
const LARGEST_PIECE_BYTES: f64 = 32_767.0 * 4096.0;
/// Pieces of a map that an inode has room for.
const PIECES_IN_INODE: f64 = 4.0;
/// Redo files of 8.0.30 and later.
const REDO_FILES: f64 = 32.0;

/// Seconds in which redo was synced fastest: more than the instants of two samples are off.
const FASTEST_S: f64 = 2.0;
/// Redo syncs a second below which the disk may have had nothing to do.
const FEWEST_SYNCS: f64 = 100.0;
/// Most of the time from one redo sync to the next that is taken for CPU time.
const MOST_CPU: f64 = 0.25;

/// The device that a prediction is made with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Device {
    /// Fitted to the output of fio beside the recording, or else that of the shipped recordings.
    #[default]
    Measured,
    /// A shipped profile.
    Profile(String),
    /// The keys of `[device]`, as `innosim device -o` writes them.
    Keys(String),
}

impl Device {
    /// A device written out as TOML: keys alone, or under `[device]`; the error is a sentence.
    pub fn from_toml(text: &str) -> Result<Device, String> {
        let mut keys = String::new();
        for line in text.lines() {
            match line.trim() {
                "[device]" => {}
                "[[at_depth]]" | "[[device.at_depth]]" => keys.push_str("[[device.at_depth]]\n"),
                header if header.starts_with('[') => {
                    return Err(format!("it holds {header}, a device is the keys of [device] alone"));
                }
                _ => keys.push_str(&format!("{line}\n")),
            }
        }
        if keys.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#')) {
            return Err("it holds no keys".to_owned());
        }
        Ok(Device::Keys(keys))
    }

    /// The shipped profile that it is or begins with.
    fn profile(&self, recording: &Recording) -> Option<&str> {
        match self {
            Device::Measured => recording.fio.is_empty().then_some(LAB_PROFILE),
            Device::Profile(name) => Some(name),
            Device::Keys(keys) => value_of(keys, "profile")?.split('"').nth(1),
        }
    }

    /// Time of a redo sync, the write before it included, in the mean, µs; 0 where no profile says.
    pub(super) fn redo_sync_us(&self, recording: &Recording) -> f64 {
        let device = self.profile(recording).and_then(profile_device);
        device.map_or(0.0, |device| device.sequential_write.mean_us() + device.sync.mean_us())
    }

    /// Whether it is known when the file system writes an inode with a sync; then that need not be taken from a
    /// recording.
    fn writes_inodes(&self, recording: &Recording) -> bool {
        let keys_say = matches!(self, Device::Keys(keys) if value_of(keys, "inode_tick").is_some());
        keys_say || self.profile(recording) == Some(LAB_PROFILE)
    }

    /// `[device]`, with the cap that was laid on it during `recording` and, unless the device says when syncs write
    /// inodes, the operations of it that a sync takes.
    pub(super) fn toml(&self, recording: &Recording, sync_operations: Option<&Parameter>) -> String {
        let cap = &recording.cap;
        let capped = is_capped(cap);
        let mut text = String::from("[device]\n");
        match self {
            Device::Measured if !recording.fio.is_empty() => {
                let absolute = |file: &PathBuf| std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
                let files: Vec<String> =
                    recording.fio.iter().map(|file| format!("    {:?},\n", absolute(file))).collect();
                text.push_str(&format!("fio = [\n{}]\n", files.concat()));
            }
            Device::Measured => text.push_str(&format!("profile = {LAB_PROFILE:?}\n")),
            Device::Profile(name) => text.push_str(&format!("profile = {name:?}\n")),
            Device::Keys(_) => {}
        }
        if capped {
            text.push_str(&cap_toml(cap));
            if !self.writes_inodes(recording) {
                text.push_str(&sync_operations_toml(sync_operations));
            }
        }
        if let Some(NewRedo { bytes, map_block }) = new_redo(recording) {
            text.push_str(&format!("unwritten_redo_bytes = {bytes}   # the redo files were new\n"));
            if map_block {
                text.push_str("redo_map_block = true   # and lie in more than four pieces\n");
            }
        }
        text.extend(redo_sync_at_most(recording).map(|us| {
            format!("redo_sync_at_most = \"{us:.1}us\"   # as fast as redo was synced in {FASTEST_S:.0} s of the recording\n")
        }));
        if let Some(rotates) = recording.rotational {
            text.push_str(&format!("rotational = {rotates}   # as its disk says\n"));
        }
        if let Device::Keys(keys) = self {
            let stays = |line: &&str| {
                let key = line.split('=').next().unwrap_or_default().trim();
                let said = key == "rotational" && recording.rotational.is_some();
                !said && (!capped || key != "cap" && (key != "sync_operations" || self.writes_inodes(recording)))
            };
            keys.lines().filter(stays).for_each(|line| text.push_str(&format!("{line}\n")));
        }
        text
    }
}

/// Time of a redo sync on the disk, the write before it included, at most, µs: one thread after another syncs redo, so it took no longer than
/// from one sync to the next where these came fastest, less the CPU time between them. `None` where syncs are not counted.
fn redo_sync_at_most(recording: &Recording) -> Option<f64> {
    let syncs = REDO_SYNCS.iter().find_map(|name| recording.series.column(name))?;
    let counted: Vec<(f64, f64)> = syncs.timed(&recording.series.seconds).collect();
    least_between_us(&counted, UNTIL_THE_NEXT * sync_cpu_us(recording))
}

/// The least time from one sync to the next, in the mean of some seconds, less the CPU time between them, µs; of times and counts.
fn least_between_us(counted: &[(f64, f64)], cpu_us: f64) -> Option<f64> {
    let fastest = counted.iter().enumerate().filter_map(|(from, (start, first))| {
        let (end, last) = counted[from..].iter().find(|(second, _)| second - start >= FASTEST_S)?;
        Some((last - first) / (end - start))
    });
    let a_second = fastest.fold(0.0, f64::max);
    let every_us = 1e6 / a_second;
    (a_second >= FEWEST_SYNCS).then_some(every_us - cpu_us.min(MOST_CPU * every_us))
}

/// What follows a key in the first line of TOML that begins with it.
fn value_of<'a>(keys: &'a str, key: &str) -> Option<&'a str> {
    keys.lines().filter_map(|line| line.split_once('=')).find_map(|(name, value)| (name.trim() == key).then_some(value))
}

/// Whether there is a cap.
pub(super) fn is_capped(cap: &Cap) -> bool {
    *cap != Cap { name: cap.name.clone(), ..Cap::default() }
}

/// The journaling file system of a server whose data lie on `device`, by its name in a scenario, and whether it is assumed: ext4, where none
/// was recorded. `None` where the device's own numbers have what a file system writes with a sync, or for one that is not modelled. Behind a cap
/// a recording tells the operations of a sync (`sync_operations`), the journal's among them: an `fsync` would commit it once more.
fn file_system(recording: &Recording, device: &Device) -> Option<(&'static str, bool)> {
    if is_capped(&recording.cap) && !syncs_by_fdatasync(recording) || device.writes_inodes(recording) {
        return None;
    }
    match recording.file_system.as_deref() {
        Some("ext4") => Some(("ext4-ordered", false)),
        Some("xfs") => Some(("xfs", false)),
        Some(_) => None,
        None => Some(("ext4-ordered", true)),
    }
}

/// Whether redo and data files are synced by `fdatasync`, which leaves the journal alone as long as they keep their size.
fn syncs_by_fdatasync(recording: &Recording) -> bool {
    let is_on = |value: &String| ["ON", "1"].contains(&value.as_str());
    recording.server.model.is_some_and(ModelId::is_mariadb)
        || recording.variables.get("innodb_use_fdatasync").is_some_and(is_on)
}

/// Whether the file system is assumed.
pub(crate) fn file_system_is_assumed(recording: &Recording, device: &Device) -> bool {
    file_system(recording, device).is_some_and(|(_, is_assumed)| is_assumed)
}

/// `[file_system]`.
pub(crate) fn file_system_toml(recording: &Recording, device: &Device) -> String {
    file_system(recording, device).map_or_else(String::new, |(kind, is_assumed)| {
        let how = if is_assumed { "assumed, as none was recorded" } else { "as recorded" };
        format!("\n[file_system]\nkind = {kind:?}   # {how}\n")
    })
}

/// Redo files that are allocated, but not written.
#[derive(Debug, PartialEq, Eq)]
struct NewRedo {
    bytes: u64,
    map_block: bool,
}

/// Redo of this server that goes to files never written before; `None` if there are none. From 8.0.30 on it is the
/// capacity less what there is of the files as the load begins, in files of a 32nd of the capacity; in MariaDB it is
/// the file, if that is new. Before that servers write their files when they make them.
fn new_redo(recording: &Recording) -> Option<NewRedo> {
    if let Some(capacity) = recording.number("innodb_redo_log_capacity") {
        let present = recording.series.column("Innodb_redo_log_physical_size")?;
        let start = recording.sample_at_start().unwrap_or(0);
        let present = present.at(start)?;
        let bytes = (capacity - present) as u64;
        let map_block = pieces(capacity / REDO_FILES) > PIECES_IN_INODE;
        return (present < capacity).then_some(NewRedo { bytes, map_block });
    }
    let mariadb = recording.server.model.is_some_and(ModelId::is_mariadb);
    let bytes = recording.number("innodb_log_file_size").filter(|_| mariadb && recording.new_redo)?;
    Some(NewRedo { bytes: bytes as u64, map_block: pieces(bytes) > PIECES_IN_INODE })
}

/// Pieces in which a file of ext4 is mapped that is written from its beginning: those of the rest, one more where the
/// free space is in two parts (files of 256 MiB have three or four on our volume), and what is written.
fn pieces(bytes: f64) -> f64 {
    (bytes / LARGEST_PIECE_BYTES).ceil() + 2.0
}

/// How many operations of a cap a sync takes.
fn sync_operations_toml(parameter: Option<&Parameter>) -> String {
    let (operations, method) = match parameter {
        Some(parameter) => (parameter.value, parameter.method.as_str()),
        None => (SYNC_OPERATIONS, "not determined: typical"),
    };
    format!("sync_operations = {operations:.3}   # {method}\n")
}

/// The cap.
fn cap_toml(cap: &Cap) -> String {
    let caps: Vec<String> = [
        ("write_iops", cap.write_iops),
        ("read_iops", cap.read_iops),
        ("write_bytes_per_s", cap.write_bytes_per_s),
        ("read_bytes_per_s", cap.read_bytes_per_s),
    ]
    .into_iter()
    .filter(|(_, value)| *value > 0.0)
    .map(|(key, value)| format!("{key} = {value}"))
    .collect();
    format!("# The control group's cap ({}).\ncap = {{ {}, slice = \"{SLICE}\" }}\n", cap.name, caps.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::recorded;

    #[test]
    fn the_map_of_a_large_new_file_needs_a_block() {
        let mib = 1_048_576.0;
        assert!(pieces(8.0 * mib) <= PIECES_IN_INODE, "a redo file of 8.0.30");
        assert!(pieces(256.0 * mib) > PIECES_IN_INODE, "that of MariaDB");
    }

    /// What the file system writes is counted once: in the numbers of a device that has it, or as a journal of its own.
    #[test]
    fn a_journal_is_that_of_the_recorded_file_system() {
        let mut recording = recorded("mysql97/uni4k-256-io2000");
        recording.cap = Cap::default();
        let on = |recording: &Recording, profile: &str| file_system(recording, &Device::Profile(profile.to_owned()));
        assert_eq!(on(&recording, "nvme"), Some(("ext4-ordered", true)));
        assert_eq!(on(&recording, LAB_PROFILE), None);
        let lifted = Device::Keys(format!("profile = {LAB_PROFILE:?}   # raised\nwrite_iops = 9000\n"));
        assert_eq!(file_system(&recording, &lifted), None);
        recording.file_system = Some("xfs".to_owned());
        assert_eq!(on(&recording, "nvme"), Some(("xfs", false)));
        recording.file_system = Some("zfs".to_owned());
        assert_eq!(on(&recording, "nvme"), None);
        recording.file_system = Some("ext4".to_owned());
        recording.cap.write_iops = 3000.0;
        let mut says = |fdatasync: &str| {
            recording.variables.insert("innodb_use_fdatasync".to_owned(), fdatasync.to_owned());
            on(&recording, "nvme")
        };
        assert_eq!(says("OFF"), None, "sync_operations has it");
        assert_eq!(says("ON"), Some(("ext4-ordered", false)), "no sync commits the journal");
    }

    /// Two seconds of 500 syncs each among slower ones.
    #[test]
    fn redo_was_synced_as_fast_as_in_the_fastest_seconds() {
        let least = |counts: &[f64]| {
            let counted: Vec<(f64, f64)> = (0..).map(f64::from).zip(counts.iter().copied()).collect();
            least_between_us(&counted, 150.0)
        };
        assert_eq!(least(&[0.0, 200.0, 700.0, 1200.0, 1300.0]), Some(1850.0));
        assert_eq!(least(&[0.0, 20_000.0, 40_000.0]), Some(37.5), "no more than a quarter is CPU time");
        assert_eq!(least(&[0.0, 20.0, 40.0]), None, "a server that has nothing to do");
    }

    #[test]
    fn a_device_file_is_keys_with_or_without_their_header() {
        let keys = Device::from_toml("# fitted\n[device]\nname = \"fio\"\n").unwrap();
        assert_eq!(keys, Device::Keys("# fitted\nname = \"fio\"\n".to_owned()));
        assert!(Device::from_toml("[device]\na = 1\n[drive]\n").unwrap_err().contains("[drive]"));
        let depths = Device::from_toml("a = 1\n[[at_depth]]\nbytes = 1\n").unwrap();
        assert_eq!(depths, Device::Keys("a = 1\n[[device.at_depth]]\nbytes = 1\n".to_owned()));
        assert!(Device::from_toml("# nothing\n").unwrap_err().contains("no keys"));
    }
}
