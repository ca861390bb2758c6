//! The device of a scenario that comes from a recording: a shipped profile or a device that was fitted to measurements,
//! behind the cap that was laid on it during the recording.

use super::Parameter;
use super::costs::SYNC_OPERATIONS;
use innosim_flush_models::registry::ModelId;
use innosim_recordings::{Cap, Recording};
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

    /// Whether it is known when the file system writes an inode with a sync; then that need not be taken from a
    /// recording.
    fn writes_inodes(&self, recording: &Recording) -> bool {
        match self {
            Device::Measured => recording.fio.is_empty(),
            Device::Profile(name) => name == LAB_PROFILE,
            Device::Keys(keys) => {
                keys.lines().any(|line| line.split('=').next().is_some_and(|key| key.trim() == "inode_tick"))
            }
        }
    }

    /// `[device]`, with the cap that was laid on it during `recording` and, unless the device says when syncs write
    /// inodes, the operations of it that a sync takes.
    pub(super) fn toml(&self, recording: &Recording, sync_operations: Option<&Parameter>) -> String {
        let cap = &recording.cap;
        let capped = *cap != (Cap { name: cap.name.clone(), ..Cap::default() });
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
    let number = |name: &str| recording.variables.get(name)?.parse::<f64>().ok();
    if let Some(capacity) = number("innodb_redo_log_capacity") {
        let present = recording.series.column("Innodb_redo_log_physical_size")?;
        let start = recording.sample_at_start().unwrap_or(0);
        let present = present.at(start)?;
        let bytes = (capacity - present) as u64;
        let map_block = pieces(capacity / REDO_FILES) > PIECES_IN_INODE;
        return (present < capacity).then_some(NewRedo { bytes, map_block });
    }
    let mariadb = recording.server.model.is_some_and(ModelId::is_mariadb);
    let bytes = number("innodb_log_file_size").filter(|_| mariadb && recording.new_redo)?;
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

    #[test]
    fn the_map_of_a_large_new_file_needs_a_block() {
        let mib = 1_048_576.0;
        assert!(pieces(8.0 * mib) <= PIECES_IN_INODE, "a redo file of 8.0.30");
        assert!(pieces(256.0 * mib) > PIECES_IN_INODE, "that of MariaDB");
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
