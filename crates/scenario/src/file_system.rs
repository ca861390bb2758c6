//! `[file_system]`: what syncs write besides data.

use crate::diagnostic::Problem;
use crate::resolved::Resolved;
use crate::section::Section;
use innosim_core::kernel::time::SimDuration;
use innosim_core::run_spec::{FileSystemKind, FileSystemSpec};
use innosim_core::storage::StorageSpec;
use innosim_flush_models::registry::{Settings, uses_fdatasync};

/// Reads `[file_system]` for a server with these settings.
pub(crate) fn read_file_system(
    root: &Section<'_>,
    settings: &Settings,
    storage: &StorageSpec,
    tables: &mut Resolved,
) -> FileSystemSpec {
    let Some(mut section) = root.section("file_system") else { return FileSystemSpec::default() };
    let kind = match section.choice("kind") {
        "ext4-ordered" => FileSystemKind::Ext4Ordered,
        "xfs" => FileSystemKind::Xfs,
        _ => FileSystemKind::None,
    };
    let tick = SimDuration(section.duration("timestamp_tick"));
    let ticks = storage.data.inode_tick_ns > 0 || storage.redo.as_ref().is_some_and(|redo| redo.inode_tick_ns > 0);
    if kind != FileSystemKind::None && ticks {
        let problem = Problem::new("the device has an `inode_tick`, which stands for a file system without a journal");
        root.report.add(
            problem.at(section.at_key("kind")).help("set inode_tick = \"0s\" in [device], or kind = \"none\" here"),
        );
    }
    if kind != FileSystemKind::None && tick.0 == 0 {
        let problem =
            Problem::new("`file_system.timestamp_tick` is no time at all").at(section.at_key("timestamp_tick"));
        root.report.add(problem.allowed("a duration above 0").help("4ms is the tick of a kernel built with 250 Hz"));
    }
    tables.table("file_system", section.resolved);
    FileSystemSpec { kind, tick, fdatasync: uses_fdatasync(settings) }
}
