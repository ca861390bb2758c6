//! What TNT makes of its settings at start.

use crate::settings::{Resolver, SettingsError, spell_bytes};

/// All rules.
pub(super) fn run(r: &mut Resolver<'_>) -> Result<(), SettingsError> {
    let interval = r.s.integer("tnt_purge_interval")?;
    if interval > 3 && !interval.is_multiple_of(3) {
        let text = format!("the purge thread looks each 3 s: a pass begins each {} s", interval.next_multiple_of(3));
        r.note("tnt_purge_interval", text);
    }
    let redo = r.s.integer("ntse_log_file_size")?.saturating_mul(r.s.integer("ntse_log_file_cnt_hwm")?);
    let buffer = r.s.integer("ntse_log_buf_size")?;
    if buffer > redo / 2 && !r.s.switch("ntse_log_overflow")? {
        return Err(SettingsError {
            setting: "ntse_log_buf_size".to_owned(),
            problem: format!(
                "the log buffer ({}) is larger than half of the redo log ({})",
                spell_bytes(buffer),
                spell_bytes(redo)
            ),
            help: "lower it, or raise ntse_log_file_size".to_owned(),
        });
    }
    Ok(())
}
