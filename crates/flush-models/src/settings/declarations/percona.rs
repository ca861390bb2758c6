//! Settings that only Percona Server 5.7, 8.0 and 8.4 have, or have otherwise (`percona` sections 3 and 4).

use super::super::{Kind, Servers, Value};
use super::{Declaration, derived, everywhere, explained, integer, span, whole};

const PERCONA: &[Servers] = &[Servers::PERCONA.from(5, 7, 0)];
const PERCONA_57: &[Servers] = &[Servers::PERCONA.from(5, 7, 0).until(8, 0, 0)];
const FROM_80: &[Servers] = &[Servers::PERCONA.from(8, 0, 0)];
const PERCONA_80: &[Servers] = &[Servers::PERCONA.from(8, 0, 0).until(8, 4, 0)];
const PERCONA_84: &[Servers] = &[Servers::PERCONA.from(8, 4, 0)];

/// Settings of Percona Server from 5.7 on.
pub(super) const DECLARATIONS: &[Declaration] = &[
    explained(
        "innodb_cleaner_lsn_age_factor",
        "",
        &[span(
            PERCONA,
            Kind::Choice(&["legacy", "high_checkpoint"]),
            Value::Choice("high_checkpoint"),
            "high_checkpoint",
        )],
        "How the age of the oldest page sets the pace of flushing: legacy as in MySQL, high_checkpoint less below 93 % of the \
         limit and more above.",
        "high_checkpoint lets the checkpoint age stand higher, so that pages collect more changes.",
    ),
    explained(
        "innodb_doublewrite",
        "",
        &[span(PERCONA_57, Kind::Choice(&["OFF", "ON"]), Value::Choice("ON"), "ON")],
        "Whether pages are written to the parallel doublewrite file before the data files.",
        "Each instance has a batch of up to 120 pages for its flush list and one for its LRU list: one write, then the pages and \
         a sync of their files, for which the thread that flushes waits.",
    ),
    explained(
        "innodb_doublewrite_files",
        "",
        &[derived(PERCONA_80, integer(0, 256), "2 x innodb_buffer_pool_instances"), whole(PERCONA_84, 0, 256, 2, "2")],
        "Doublewrite files; 0 stands for 2 x innodb_buffer_pool_instances, one for each instance and kind of flushing.",
        "A file of its own holds one batch: the next begins when the data files of the last are synced.",
    ),
    Declaration {
        name: "innodb_lru_threads",
        unit: "",
        help: "Whether an LRU manager thread for each instance flushes and frees pages at the LRU tail, in place of the page cleaner.",
        long_help: "It exists in releases of 8.4 from August 2026 on; before 8.3 the threads are always there.",
        history: "it exists only in late Percona Server 8.4",
        instead: "leave it out",
        spans: &[span(PERCONA_84, Kind::Switch, Value::Switch(false), "OFF")],
    },
    everywhere(
        "innodb_empty_free_list_algorithm",
        "",
        &[
            span(PERCONA_57, Kind::Choice(&["legacy", "backoff"]), Value::Choice("backoff"), "backoff"),
            span(FROM_80, Kind::Choice(&["legacy", "backoff"]), Value::Choice("legacy"), "legacy"),
        ],
        "What a user thread does that finds no free page: legacy searches the LRU tail, waits for an LRU batch under way or flushes \
         a page itself; backoff pauses and looks again, longer each time.",
    ),
];
