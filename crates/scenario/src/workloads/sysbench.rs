//! sysbench's `oltp_*` scripts.
//!
//! # Pages from the schema
//!
//! A row of `sbtest` is `id INT`, `k INT`, `c CHAR(120)`, `pad CHAR(60)`. Its record in the clustered index has a
//! header of 5 bytes, `id` 4, the transaction id 6, the roll pointer 7, `k` 4, `c` 120, `pad` 60 bytes: 206, with its
//! share of the page directory 206.4. Of a page of 16384 bytes, 128 are headers and trailer and 1/16 is left free by
//! inserts in order: 15232 / 206.4 = 73 rows. Measured by us: 9.6 million rows on 131 968 pages, 72.7 a page with the
//! inner pages.
//!
//! An entry of the index `k_1` has a header of 5 bytes, `k` 4, `id` 4: 13.4 bytes with the directory, 1130 on a freshly
//! built page. Inserts at random places split pages to about two thirds full. Measured by us after such ageing: 9.6
//! million entries on 12 572 pages, 760 a page, which is the default.
//!
//! # What the transactions touch
//!
//! | script | rows (clustered) | index `k_1` | undo |
//! |---|---|---|---|
//! | update_non_index | 1 modified | | 2 |
//! | update_index | 1 modified | 1 modified | 2 |
//! | write_only | 3 modified | 3 modified | 2 |
//! | read_write | the same, and 10 point and 4 range reads of 100 rows | 3 modified | 2 |
//! | insert | 1 at the end of its table | 1 modified | 1 |
//!
//! An index update is `k = k + 1`: the old entry is marked and the new one inserted right behind it, on the same page
//! but for one in some hundred. A deletion with the insertion of the same id (write_only, read_write) changes one
//! clustered page and, as the new row has another `k`, two pages of the index. Inner pages of the trees are always in
//! memory and hardly ever changed, so they are left out. With `index_changes_a_page` the pages of `k_1` split and merge
//! as those of a real index do ([`innosim_core::workload::IndexPages`]); `index_entries_per_page` is then what fits on a
//! page, 1203. With `prepare_rand_type` the index is laid out by the keys that sysbench prepared it with, and simulated leaf
//! by leaf ([`innosim_core::workload::IndexLeaves`]): the load's new keys lie elsewhere, so most pages drain and merge, and the
//! others fill and split.
//!
//! # Undo
//!
//! Transactions take rollback segments in turn, and a small one changes two pages of its segment: the header, where the
//! commit enters it into the history, and the log page, which is reused until three quarters of it are full. So these
//! pages, a small set, are all dirtied within a few hundred transactions, cost redo and hardly any flushing; but they
//! are the oldest of all, and lie in few extents, so in few buffer pool instances. Simplified: of two undo tablespaces
//! one is picked at random instead of the other one each time; headers and log pages begin extents of their own (where
//! a grown tablespace has its log pages is not known).
//!
//! What stays in the undo logs until purge comes is the old values: per record some 30 bytes of header, key,
//! transaction number and roll pointer; `c` 120, `pad` 60, `k` 4 bytes; an index update also keeps the columns of the
//! index. Purge removes one entry of `k_1` for each index update and each deletion, after a look at the row. Measured
//! by us, a write_only transaction leaves one deletion and one update of an indexed column to purge, which is what the
//! table gives.
//!
//! A removal writes some 30 bytes of redo. They are part of `redo_bytes_per_transaction`, as it was measured: the log
//! sequence number counts them whoever writes them.
//!
//! # Redo
//!
//! Bytes of the log sequence number a transaction, by the server that writes them, as measured by us; a scenario that says
//! nothing else takes those of its model.
//!
//! | script | 5.5 | 5.6 | 5.7 | 8.0 and later | MariaDB |
//! |---|---|---|---|---|---|
//! | update_non_index | 491 | 483 | 524 | 543 | 426 |
//! | write_only | 1510 | 1590 | 1690 | 1740 | 1420 |
//! | insert | 348 | 348 | 348 | 400 | 348 |
//! | update_index | 750 | 750 | 750 | 750 | 750 |
//!
//! update_non_index is that of the shipped recordings (`recordings/`), MariaDB's without the undo segments that its purge frees,
//! which the model adds. write_only was measured in 5.5, 5.6, 9.7 (1700 to 1780) and MariaDB, on indexes that had aged; 5.7's is between
//! its neighbours' as in update_non_index. read_write writes the same: reads write no redo. insert was measured in 5.7 (340 to 356) and
//! 8.0 (380 to 420); older servers and MariaDB are taken for 5.7 (errs towards too much redo there). update_index was measured in 5.7 alone:
//! 1530 bytes with 0.08 page splits a transaction, 5900 with 0.38, which is some 370 bytes and 15 KB a split; on well-aged indexes there are
//! 0.025 (`docs/validation/sysbench-tpcc.md`).
//!
//! # Randomness
//!
//! `--rand-type`: `uniform` and `pareto` as sysbench draws them, rows in the order of the pages. `zipfian` is drawn
//! over pages instead of rows, the hot pages scattered. `special` is drawn as its hot part (75 % of accesses to 1 % of
//! the rows) with the rest uniform. Places in the index are uniform: `k` was drawn independently of `id`.

use super::{
    Access, Builder, PAYLOAD_SHARE, ServerSide, inserts, keyed_rows, marks, modifies, modifies_index, reads, rows,
};
use crate::diagnostic::Problem;
use crate::resolved::number;
use crate::section::Section;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::workload::{DrawSpec, IndexAge, IndexFill, KeyLaw, LeafDraw, TouchSpec, UndoSpec};
use innosim_flush_models::registry::ModelId;

/// The scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oltp {
    /// `oltp_update_non_index`.
    UpdateNonIndex,
    /// `oltp_update_index`.
    UpdateIndex,
    /// `oltp_write_only`.
    WriteOnly,
    /// `oltp_read_write`.
    ReadWrite,
    /// `oltp_insert`.
    Insert,
}

/// Parameters of an `oltp_*` script.
#[derive(Debug, Clone, PartialEq)]
pub struct OltpParams {
    /// The script.
    pub script: Oltp,
    /// `--tables`.
    pub tables: u32,
    /// `--table-size`, rows.
    pub table_size: u64,
    /// How rows are drawn.
    pub draw: DrawSpec,
    /// Rows on a clustered leaf page.
    pub rows_per_page: u32,
    /// Entries on a leaf page of the secondary index.
    pub index_entries_per_page: u32,
    /// Insertions and deletions a page that the index has had since it was built in one go; none if its pages no longer
    /// split.
    pub index_changes_a_page: Option<f64>,
    /// Where the keys of the index lay when the tables were prepared, and insertions and deletions a page by this load before the
    /// run; none if they lie where the load's do.
    pub index_prepared: Option<(KeyLaw, f64)>,
    /// Redo of a page of the index that splits, and of two that merge, bytes of the log sequence number.
    pub index_split_bytes: f64,
    /// Redo of a merge that moves half a page of entries, where the index is simulated leaf by leaf.
    pub index_merge_bytes: f64,
    /// Whether pages of the index that were latched with one that splits or may merge become dirty without being changed.
    pub dirties_latched: bool,
    /// Hot undo pages, over all tablespaces.
    pub undo_pages: u64,
    /// Tablespaces with undo logs.
    pub undo_spaces: Vec<u32>,
    /// Redo of a transaction, bytes of the log sequence number.
    pub redo_bytes_per_transaction: f64,
    /// CPU demand of a transaction.
    pub cpu: DurationDist,
}

/// Redo of a transaction of `script` in the server of `model`, bytes of the log sequence number.
fn measured_redo(script: Oltp, model: Option<ModelId>) -> f64 {
    // As 8.0 does all that is not older and no MariaDB.
    let server = match model.and_then(ModelId::mysql_release) {
        Some(..56) => 0,
        Some(56) => 1,
        Some(57) => 2,
        None if model.is_some_and(ModelId::is_mariadb) => 4,
        _ => 3,
    };
    let by_server = match script {
        Oltp::UpdateNonIndex => [491.0, 483.0, 524.0, 543.0, 426.0],
        Oltp::UpdateIndex => [750.0; 5],
        Oltp::WriteOnly | Oltp::ReadWrite => [1510.0, 1590.0, 1690.0, 1740.0, 1420.0],
        Oltp::Insert => [348.0, 348.0, 348.0, 400.0, 348.0],
    };
    by_server[server]
}

/// Reads the parameters of `script` and makes the accesses of them.
pub(crate) fn read(section: &mut Section<'_>, script: Oltp, server: &ServerSide) -> Access {
    let tables = section.count("tables");
    let table_size = section.integer("table_size");
    let rand_type = section.choice("rand_type");
    let h = section.real("rand_pareto_h");
    let theta = section.real("rand_zipfian_exp");
    let draw = match rand_type {
        "pareto" => DrawSpec::Pareto { h },
        "zipfian" => DrawSpec::Zipf { theta },
        "special" => DrawSpec::HotSpot { hot_pages: 0.01, hot_accesses: 0.75 },
        _ => DrawSpec::Uniform,
    };
    let mut params = OltpParams {
        script,
        tables,
        table_size,
        draw,
        rows_per_page: section.count("rows_per_page"),
        index_entries_per_page: section.count("index_entries_per_page"),
        index_changes_a_page: section.optional_real("index_changes_a_page"),
        index_prepared: index_prepared(section, rand_type),
        index_split_bytes: section.real("index_split_bytes"),
        index_merge_bytes: 0.0,
        dirties_latched: server.dirties_latched(),
        undo_pages: server.undo_pages(section),
        undo_spaces: server.undo_spaces.clone(),
        redo_bytes_per_transaction: redo_bytes(section, script, server),
        cpu: section.distribution("cpu"),
    };
    params.index_merge_bytes = section.optional_real("index_merge_bytes").unwrap_or(params.index_split_bytes);
    oltp(&params)
}

/// Where the keys of the index lay at first, and how much of this load it has seen. Refuses keys that say nothing without
/// `prepare_rand_type`, and a load that it doesn't go with.
fn index_prepared(section: &mut Section<'_>, rand_type: &str) -> Option<(KeyLaw, f64)> {
    let changes_by_load = section.optional_real("index_changes_by_load").unwrap_or(0.0);
    let prepared = section.has("prepare_rand_type").then(|| section.choice("prepare_rand_type"));
    let refuse = |key: &str, what: String, allowed: &str, help: &str| {
        section.report.add(Problem::new(what).at(section.at_key(key)).allowed(allowed).help(help));
    };
    if prepared.is_some() && rand_type != "uniform" {
        let what = format!("`prepare_rand_type` does not go with rand_type = \"{rand_type}\"");
        refuse("prepare_rand_type", what, "rand_type = \"uniform\"", "leave prepare_rand_type out");
    }
    for key in ["index_changes_by_load", "index_merge_bytes"] {
        if prepared.is_none() && section.has(key) {
            let what = format!("`{key}` has no effect without `prepare_rand_type`");
            refuse(key, what, "both, or neither", "add prepare_rand_type = \"special\", sysbench's default at prepare");
        }
    }
    prepared.map(|law| (if law == "special" { KeyLaw::Special } else { KeyLaw::Uniform }, changes_by_load))
}

/// What the scenario says, or else what was measured.
fn redo_bytes(section: &mut Section<'_>, script: Oltp, server: &ServerSide) -> f64 {
    let given = section.optional_real("redo_bytes_per_transaction");
    given.unwrap_or_else(|| {
        let measured = measured_redo(script, server.model);
        section.resolved.value("redo_bytes_per_transaction", number(measured));
        measured
    })
}

/// Page sets, classes and the transaction of an `oltp_*` script.
pub fn oltp(params: &OltpParams) -> Access {
    let mut builder = Builder::default();
    let (mut rows, mut index) = (Vec::new(), Vec::new());
    for table in 1..=params.tables {
        let row_pages = params.table_size.div_ceil(u64::from(params.rows_per_page));
        rows.push(builder.page_set(format!("sbtest{table}.PRIMARY"), table, row_pages));
        // As many again for the halves of pages that split.
        let splits = params.index_changes_a_page.is_some() || params.index_prepared.is_some();
        let halves = if splits { 2 } else { 1 };
        let index_pages = params.table_size.div_ceil(u64::from(params.index_entries_per_page)) * halves;
        index.push(builder.page_set(format!("sbtest{table}.k_{table}"), table, index_pages));
    }
    let undo = undo_pages(&mut builder, params);
    let row_draw = match params.script {
        Oltp::Insert => DrawSpec::Append { points: 1, rows_per_page: params.rows_per_page, home_points: 0 },
        _ => params.draw.clone(),
    };
    let row = builder.class("rows", rows, row_draw);
    let entries = builder.class("index", index.clone(), index_draw(params, LeafDraw::Entries));
    let new_entries = match params.index_prepared {
        Some(_) => builder.class("new index entries", index, index_draw(params, LeafDraw::NewKeys)),
        None => entries,
    };
    let (name, touches, base) = touches(params, row, [entries, new_entries], undo);
    builder.transaction(name, 1.0, params.cpu.clone(), touches, base);
    builder.undo(undo_records(params.script));
    builder.scale_redo(params.redo_bytes_per_transaction);
    builder.access
}

/// How pages of the index are drawn.
fn index_draw(params: &OltpParams, what: LeafDraw) -> DrawSpec {
    let split_redo_bytes = params.index_split_bytes * PAYLOAD_SHARE;
    match (params.index_prepared, params.index_changes_a_page) {
        (Some((prepared, changes_by_load)), changes) => DrawSpec::Leaves {
            age: IndexAge {
                entries_a_page: params.index_entries_per_page,
                prepared,
                changes_a_page: changes.unwrap_or(0.0),
                changes_by_load,
            },
            what,
            split_redo_bytes,
            merge_redo_bytes: params.index_merge_bytes * PAYLOAD_SHARE,
            dirties_latched: params.dirties_latched,
        },
        (None, Some(changes_a_page)) => DrawSpec::Index {
            entries_a_page: params.index_entries_per_page,
            filled: IndexFill::InOneGo { changes_a_page },
            dirties_latched: params.dirties_latched,
            keys: None,
            split_redo_bytes,
        },
        (None, None) => DrawSpec::Uniform,
    }
}

/// The class of undo pages: rollback segments are taken in turn, and each has a header and a log page, that are in
/// places of their own. A transaction changes both, those of the next segment of a tablespace.
fn undo_pages(builder: &mut Builder, params: &OltpParams) -> u32 {
    let mut sets = Vec::new();
    let segments = params.undo_pages.div_ceil(2 * params.undo_spaces.len().max(1) as u64);
    for &space in &params.undo_spaces {
        for name in ["rollback segments", "undo logs"] {
            sets.push(builder.page_set(format!("{name} of {space:#x}"), space, segments));
        }
    }
    let in_turn = DrawSpec::Walk { points: sets.len() as u32, rows_per_page: 1, stretch: 1.0, home_points: 2 };
    builder.class("undo", sets, in_turn)
}

/// Touches with their redo in rough shares of bytes: a changed row with its new column values some 180, its undo record
/// some 200, an index entry marked or inserted some 60, a whole row inserted some 260, the commit some 120.
fn touches(
    params: &OltpParams,
    row: u32,
    [index, new_entries]: [u32; 2],
    undo: u32,
) -> (&'static str, Vec<TouchSpec>, f64) {
    let writes = |reading: Vec<TouchSpec>| {
        let mut touches = reading;
        touches.push(rows(modifies(row, 1, 1, 180.0)));
        touches.push(keyed_rows(modifies(row, 1, 1, 180.0)));
        touches.push(keyed_rows(modifies(row, 1, 1, 320.0)));
        touches.push(inserts(marks(modifies_index(index, 1, 1, 120.0))));
        touches.push(marks(modifies_index(index, 1, 1, 60.0)));
        touches.push(inserts(modifies_index(new_entries, 1, 1, 60.0)));
        touches.push(modifies(undo, 2, 2, 300.0));
        touches
    };
    match params.script {
        Oltp::UpdateNonIndex => {
            ("update_non_index", vec![rows(modifies(row, 1, 1, 180.0)), modifies(undo, 2, 2, 100.0)], 120.0)
        }
        Oltp::UpdateIndex => (
            "update_index",
            vec![
                keyed_rows(modifies(row, 1, 1, 80.0)),
                inserts(marks(modifies_index(index, 1, 1, 120.0))),
                modifies(undo, 2, 2, 50.0),
            ],
            120.0,
        ),
        Oltp::WriteOnly => ("write_only", writes(Vec::new()), 120.0),
        Oltp::ReadWrite => {
            let pages_per_range = 1.0 + 99.0 / f64::from(params.rows_per_page);
            let range_pages = 4.0 * pages_per_range;
            let ranges = reads(row, range_pages.floor() as u32, range_pages.ceil() as u32);
            ("read_write", writes(vec![reads(row, 10, 10), ranges]), 120.0)
        }
        Oltp::Insert => (
            "insert",
            vec![
                rows(modifies(row, 1, 1, 260.0)),
                inserts(modifies_index(new_entries, 1, 1, 60.0)),
                modifies(undo, 1, 1, 60.0),
            ],
            120.0,
        ),
    }
}

/// Bytes of undo records, as the module page has them, and rows changed.
fn undo_records(script: Oltp) -> UndoSpec {
    let (bytes, insert_bytes, changed_rows) = match script {
        Oltp::UpdateNonIndex => (150.0, 0.0, 1),
        Oltp::UpdateIndex => (55.0, 0.0, 1),
        // Two updates, a deletion, and an insertion over the deleted row, which keeps its old values.
        Oltp::WriteOnly | Oltp::ReadWrite => (150.0 + 55.0 + 45.0 + 215.0, 0.0, 4),
        Oltp::Insert => (0.0, 30.0, 1),
    };
    UndoSpec { bytes, insert_bytes, changed_rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::mean_redo;

    #[test]
    fn the_pages_of_the_measured_tables_come_out() {
        let params = OltpParams {
            script: Oltp::WriteOnly,
            tables: 8,
            table_size: 1_200_000,
            draw: DrawSpec::Uniform,
            rows_per_page: 73,
            index_entries_per_page: 760,
            index_changes_a_page: None,
            index_prepared: None,
            index_split_bytes: 7500.0,
            index_merge_bytes: 7500.0,
            dirties_latched: true,
            undo_pages: 512,
            undo_spaces: vec![0],
            redo_bytes_per_transaction: 1740.0,
            cpu: DurationDist::Fixed { us: 720.0 },
        };
        let access = oltp(&params);
        let pages = |ending: &str| -> u64 {
            access.page_sets.iter().filter(|set| set.name.contains(ending)).map(|set| set.pages).sum()
        };
        // Measured by us: 131 968 and 12 572 pages.
        assert!((pages("PRIMARY") as f64 / 131_968.0 - 1.0).abs() < 0.01);
        assert!((pages(".k_") as f64 / 12_572.0 - 1.0).abs() < 0.01);
        assert!((mean_redo(&access.transactions[0]) - 1740.0 * PAYLOAD_SHARE).abs() < 1e-6);
        // Headers and log pages of the rollback segments.
        assert_eq!((pages("rollback segments of 0x0"), pages("undo logs of 0x0")), (256, 256));
        let two = oltp(&OltpParams { undo_spaces: vec![0xffff_ffef, 0xffff_ffee], ..params });
        let undo: Vec<_> = two.page_sets.iter().filter(|set| !set.name.contains("sbtest")).collect();
        assert_eq!(undo.len(), 4);
        assert!(undo.iter().all(|set| set.pages == 128 && set.space_id > 0xffff_0000), "{undo:?}");
    }
}
