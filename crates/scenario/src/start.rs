//! `[start]`: a server that starts in the middle of its work: with dirty pages and redo since the last checkpoint, or with none but
//! what it remembers.

use crate::diagnostic::Problem;
use crate::resolved::Resolved;
use crate::section::Section;
use innosim_core::run_spec::DirtyStart;
use innosim_core::seam::WorkBefore;
use innosim_core::workload::PageSetSpec;
use innosim_flush_models::registry::{Settings, build};

/// Reads `[start]` for a server with these settings, and the pages that it has in its buffer pool.
pub(crate) fn read_start(
    root: &Section<'_>,
    settings: &Settings,
    page_sets: &[PageSetSpec],
    tables: &mut Resolved,
) -> Option<DirtyStart> {
    let mut section = root.section("start")?;
    let share = section.real("dirty_share");
    let checkpoint_age_bytes = section.integer("checkpoint_age_bytes");
    let before = WorkBefore {
        redo_bytes_per_s: section.integer("redo_bytes_per_s"),
        pages_flushed_per_s: section.integer("pages_flushed_per_s"),
        activity_unseen: section.switch("activity_unseen"),
    };
    if before.activity_unseen && !settings.model.is_mariadb() {
        let message = format!(
            "`start.activity_unseen` is true, but the page cleaner of {} is not woken by dirty pages",
            settings.model
        );
        let problem = Problem::new(message).at(section.at_key("activity_unseen"));
        root.report.add(problem.help("leave it out, or choose a MariaDB"));
    }
    let resident: f64 = page_sets.iter().map(|set| set.pages as f64 * set.resident_share).sum();
    if section.has("dirty_share") && share > 0.0 && resident * share < 1.0 {
        let problem = Problem::new("no page that could be dirty is in the buffer pool at the start");
        let help = "raise `resident_share` in [workload], or set 0; an idle workload has no pages at all";
        root.report.add(problem.at(section.at_key("dirty_share")).help(help));
    }
    if section.has("dirty_share") && section.has("checkpoint_age_bytes") && (share > 0.0) != (checkpoint_age_bytes > 0)
    {
        let (message, allowed) = match share > 0.0 {
            true => ("pages are dirty at the start, but there is no redo since the last checkpoint", "1 byte or more"),
            false => {
                ("there is redo since the last checkpoint, but no page is dirty at the start", "0, of a clean pool")
            }
        };
        let problem = Problem::new(message).at(section.at_key("checkpoint_age_bytes"));
        root.report.add(problem.allowed(allowed).help("a page is as old as the redo since it became dirty"));
    }
    let limit = build(settings).ok()?.age_limits().stop_bytes;
    if checkpoint_age_bytes > limit {
        let message = format!(
            "`start.checkpoint_age_bytes` ({checkpoint_age_bytes}) is above the checkpoint age at which {} stops user threads",
            settings.model
        );
        let problem = Problem::new(message).at(section.at_key("checkpoint_age_bytes"));
        root.report
            .add(problem.allowed(format!("at most {limit} bytes")).help("lower it, or give the server more redo"));
    }
    tables.table("start", section.resolved);
    Some(DirtyStart { share, checkpoint_age_bytes, before })
}
