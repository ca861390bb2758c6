//! The device of a scenario that comes from a recording.

use innosim_recordings::{Cap, Recording};
use std::path::PathBuf;

/// Profile of the machine that the shipped recordings were made on.
const LAB_PROFILE: &str = "lab-virtual-disk";

/// The device that a prediction is made with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Device {
    /// Name of a shipped profile; without one the output of fio beside the recording, or else the device of the shipped
    /// recordings.
    pub profile: Option<String>,
}

impl Device {
    /// `[device]`, with the ceilings that were laid on it during `recording`.
    pub(super) fn toml(&self, recording: &Recording) -> String {
        let mut text = match &self.profile {
            None if !recording.fio.is_empty() => {
                let absolute = |file: &PathBuf| std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
                let files: Vec<String> =
                    recording.fio.iter().map(|file| format!("    {:?},\n", absolute(file))).collect();
                format!("[device]\nfio = [\n{}]\n", files.concat())
            }
            profile => format!("[device]\nprofile = {:?}\n", profile.as_deref().unwrap_or(LAB_PROFILE)),
        };
        let cap = &recording.cap;
        if *cap == (Cap { name: cap.name.clone(), ..Cap::default() }) {
            return text;
        }
        text.push_str(&format!("# Ceilings of the control group ({}).\n", cap.name));
        for (key, value) in [
            ("write_iops", cap.write_iops),
            ("read_iops", cap.read_iops),
            ("write_bytes_per_s", cap.write_bytes_per_s),
            ("read_bytes_per_s", cap.read_bytes_per_s),
        ] {
            if value > 0.0 {
                text.push_str(&format!("{key} = {value}\n"));
            }
        }
        if cap.write_iops > 0.0 {
            text.push_str("sync_counts_as_write = true   # a cache flush is an operation of the budget\n");
        }
        text
    }
}
