//! The device of a scenario that comes from a recording.

use innosim_recordings::{Cap, Recording};

/// Profile of the machine that the shipped recordings were made on.
const LAB_PROFILE: &str = "lab-virtual-disk";

/// The device that a prediction is made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Name of a shipped profile.
    pub profile: String,
}

impl Default for Device {
    /// The device of the shipped recordings.
    fn default() -> Self {
        Device { profile: LAB_PROFILE.to_owned() }
    }
}

impl Device {
    /// `[device]`, with the ceilings that were laid on it during `recording`.
    pub(super) fn toml(&self, recording: &Recording) -> String {
        let mut text = format!("[device]\nprofile = {:?}\n", self.profile);
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
