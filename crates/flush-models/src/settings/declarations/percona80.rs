//! Settings that only Percona Server 8.0 and 8.4 have, or have otherwise (`percona` section 4).

use super::super::{Kind, Servers, Value};
use super::{Declaration, everywhere, span, whole};

const PERCONA: &[Servers] = &[Servers::PERCONA.from(8, 0, 0)];
const PERCONA_80: &[Servers] = &[Servers::PERCONA.from(8, 0, 0).until(8, 4, 0)];
const PERCONA_84: &[Servers] = &[Servers::PERCONA.from(8, 4, 0)];

/// Settings of Percona Server 8.0 and 8.4.
pub(super) const DECLARATIONS: &[Declaration] = &[
    everywhere(
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
    everywhere(
        "innodb_doublewrite_files",
        "",
        &[whole(PERCONA_80, 0, 256, 0, "0"), whole(PERCONA_84, 0, 256, 2, "2")],
        "Doublewrite files; 0 stands for 2 x innodb_buffer_pool_instances, one for each instance and kind of flushing.",
        "A file of its own holds one batch: the next begins when the data files of the last are synced.",
    ),
    everywhere(
        "innodb_empty_free_list_algorithm",
        "",
        &[span(PERCONA, Kind::Choice(&["legacy", "backoff"]), Value::Choice("legacy"), "legacy")],
        "What a user thread does that finds no free page: legacy searches the LRU tail, waits for an LRU batch under way or flushes \
         a page itself; backoff pauses and looks again, longer each time.",
        "",
    ),
];
