//! Settings of TNT and of NTSE, the page store below it: names, defaults and ranges of the published source, but for
//! three that say otherwise.

use super::super::{Kind, Servers, Value};
use super::{Declaration, GIB, KIB, MIB, Span, TIB, U32_MAX, bytes, explained, size, span, whole};

const TNT: &[Servers] = &[Servers::TNT];
/// The engine gives memory out in pages of its own.
const PAGE: u64 = 8 * KIB;

/// A setting that no other server has.
const fn own(
    name: &'static str,
    unit: &'static str,
    spans: &'static [Span],
    help: &'static str,
    long_help: &'static str,
) -> Declaration {
    Declaration {
        history: "it exists only in TNT",
        instead: "leave it out",
        ..explained(name, unit, spans, help, long_help)
    }
}

/// Settings of TNT.
pub(super) const DECLARATIONS: &[Declaration] = &[
    own(
        "tnt_buf_size",
        "bytes",
        &[size(TNT, bytes(64 * PAGE, 16 * TIB, PAGE), 1024 * PAGE, "8M")],
        "Memory for changed records that are not yet merged into pages.",
        "Who changes a record while it is full waits until purge has freed some. The engine borrows from the page buffer \
         first, and fails the statement at last.",
    ),
    own(
        "tnt_purge_interval",
        "s",
        &[whole(TNT, 1, U32_MAX, 3, "3")],
        "From the start of one pass of purge to the next; a pass merges all changed records into pages.",
        "The purge thread looks each 3 s at most, so longer intervals are rounded up to a multiple of that.",
    ),
    own(
        "tnt_purge_threshold",
        "%",
        &[whole(TNT, 1, 99, 80, "80")],
        "Share of tnt_buf_size in use from which a pass of purge begins before its time.",
        "In the published source it is a constant of this value; the talk has it as a setting.",
    ),
    own(
        "tnt_dump_interval",
        "passes",
        &[whole(TNT, 1, U32_MAX, 1, "1")],
        "Passes of purge after the last of which redo up to its start can be used again, as far as the pages allow it.",
        "The engine takes 0 too, and then never uses redo again.",
    ),
    own(
        "tnt_trx_flush_mode",
        "",
        &[whole(TNT, 0, 2, 1, "1")],
        "What a commit waits for: 0 nothing, 1 its redo synced, 2 its redo written.",
        "",
    ),
    own(
        "ntse_page_buf_size",
        "bytes",
        &[size(TNT, bytes(512 * KIB, 16 * TIB, PAGE), 8 * MIB, "8M")],
        "Memory for pages of the page store; a page of 16K is kept in each 16K of it.",
        "The engine's pages have 8K.",
    ),
    own(
        "ntse_rec_buf_size",
        "bytes",
        &[size(TNT, bytes(0, 16 * TIB, PAGE), 8 * MIB, "8M")],
        "Memory of the row cache: hot records of pages that are not in the page buffer; 0 for none.",
        "A record that is there is changed without its page; changed ones are written back each ntse_checkpoint_interval. The \
         engine's smallest is 512K, and it has a switch for each table.",
    ),
    own(
        "ntse_log_file_size",
        "bytes",
        &[size(TNT, bytes(4 * MIB, 512 * GIB, MIB), 64 * MIB, "64M")],
        "Size of one redo file; the redo log is this x ntse_log_file_cnt_hwm.",
        "Redo can be used again when both are done with it: purge, which merges its records into pages, and the checkpoint, \
         which writes the pages.",
    ),
    own("ntse_log_file_cnt_hwm", "", &[whole(TNT, 2, 10_000, 3, "3")], "Number of redo files.", ""),
    own(
        "ntse_log_overflow",
        "",
        &[span(TNT, Kind::Switch, Value::Switch(false), "OFF")],
        "Whether the redo log grows when it is full; otherwise transactions wait for room.",
        "A setting of the model: the published source adds files beyond ntse_log_file_cnt_hwm, the talk speaks of a redo log \
         that fills up and of the point from which it can be used again.",
    ),
    own(
        "ntse_log_buf_size",
        "bytes",
        &[size(TNT, bytes(MIB, 4 * GIB, MIB), 32 * MIB, "32M")],
        "Memory for redo that is not written yet; transactions wait while it is full.",
        "",
    ),
    own(
        "ntse_system_io_capacity",
        "pages/s",
        &[whole(TNT, 10, U32_MAX, 256, "256")],
        "Most pages a second that the checkpoint writes; it writes a tenth of this at least.",
        "In between it follows what it wrote before and how the number of dirty pages grows.",
    ),
    own(
        "ntse_checkpoint_interval",
        "s",
        &[whole(TNT, 1, 3600, 5, "5")],
        "From the end of one pass of the checkpoint over the dirty pages to the start of the next.",
        "In the published source it is a constant of this value, in older ones a setting.",
    ),
    own(
        "ntse_scavenger_pages",
        "pages",
        &[whole(TNT, 50, 1_000_000, 200, "200")],
        "Pages at the tail of the LRU list that the scavenger frees or writes each second, or when somebody finds none.",
        "",
    ),
];
