//! sysbench-tpcc: TPC-C's schema and transactions as the Percona-Lab scripts run them, in `tables` sets of tables with
//! `scale` warehouses each.
//!
//! Pages follow from the schema: rows a page from the record sizes, pages a warehouse from the rows that TPC-C demands.
//! Places of inserts (orders, order lines, new orders, history) are runs that grow at one end for each district.
//!
//! First version: stock and customers are drawn uniformly, secondary indexes of orders and customers are left out.

use super::{Access, Builder, RESIDENT_SHARE, UNDO_PAGES, cpu_key, modifies, reads, redo_key};
use crate::key::{Key, whole};
use crate::section::Section;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::workload::DrawSpec;

/// Parameters of sysbench-tpcc.
#[derive(Debug, Clone, PartialEq)]
pub struct TpccParams {
    /// `--tables`: sets of the nine tables.
    pub tables: u32,
    /// `--scale`: warehouses in each set.
    pub scale: u32,
    /// Hot undo pages.
    pub undo_pages: u64,
    /// Redo of a transaction of the mix, bytes of the log sequence number.
    pub redo_bytes_per_transaction: f64,
    /// CPU demand of a transaction.
    pub cpu: DurationDist,
}

/// Keys of sysbench-tpcc.
///
/// Redo, estimated from a published run: the checkpoint age passed 16.6 GiB after 5.65 million transactions. CPU,
/// estimated from the same run: 56 clients reached 11 400 transactions a second.
pub(crate) const KEYS: &[Key] = &[
    Key::default("tables", whole(1, 1000), "1", "--tables: sets of the nine tables."),
    Key::default("scale", whole(1, 100_000), "100", "--scale: warehouses in each set."),
    UNDO_PAGES,
    redo_key("3300.0"),
    cpu_key("{ kind = \"lognormal\", mean_us = 4400.0, cv = 0.7 }"),
    RESIDENT_SHARE,
];

impl TpccParams {
    /// Reads the parameters.
    pub(crate) fn read(section: &mut Section<'_>) -> TpccParams {
        TpccParams {
            tables: section.count("tables"),
            scale: section.count("scale"),
            undo_pages: section.integer("undo_pages"),
            redo_bytes_per_transaction: section.real("redo_bytes_per_transaction"),
            cpu: section.distribution("cpu"),
        }
    }
}

/// A table: name, rows a warehouse, rows a page.
const TABLES: [(&str, u64, u64); 9] = [
    ("warehouse", 1, 130),
    ("district", 10, 130),
    ("customer", 30_000, 25),
    ("stock", 100_000, 46),
    ("item", 0, 165),
    ("orders", 30_000, 300),
    ("new_orders", 9_000, 500),
    ("order_line", 300_000, 200),
    ("history", 30_000, 190),
];
/// Rows of the table of items, whatever the scale.
const ITEMS: u64 = 100_000;
/// Districts of a warehouse.
const DISTRICTS: u32 = 10;

/// Page sets, classes and the five transactions.
pub fn tpcc(params: &TpccParams) -> Access {
    let mut builder = Builder::default();
    let mut classes = Vec::new();
    for (table, (name, rows_per_warehouse, rows_per_page)) in TABLES.into_iter().enumerate() {
        let rows = if name == "item" { ITEMS } else { rows_per_warehouse * u64::from(params.scale) };
        let sets = (1..=params.tables)
            .map(|set| {
                let space = (set - 1) * TABLES.len() as u32 + table as u32 + 1;
                builder.page_set(format!("{name}{set}"), space, rows.div_ceil(rows_per_page))
            })
            .collect();
        let draw = match name {
            "orders" | "new_orders" | "order_line" | "history" => DrawSpec::Append {
                points: if name == "history" { 1 } else { params.scale * DISTRICTS },
                rows_per_page: rows_per_page as u32,
            },
            _ => DrawSpec::Uniform,
        };
        classes.push(builder.class(name, sets, draw));
    }
    let undo = builder.page_set("undo".to_owned(), 0, params.undo_pages);
    let undo = builder.class("undo", vec![undo], DrawSpec::Uniform);
    transactions(&mut builder, &classes, undo, &params.cpu);
    builder.scale_redo(params.redo_bytes_per_transaction);
    builder.access
}

/// The mix of the scripts, 10 : 10 : 1 : 1 : 1, with redo in rough shares of bytes.
fn transactions(builder: &mut Builder, classes: &[u32], undo: u32, cpu: &DurationDist) {
    let class = |name: &str| TABLES.iter().position(|(table, ..)| *table == name).map_or(0, |index| classes[index]);
    let (warehouse, district, customer, stock, item) =
        (class("warehouse"), class("district"), class("customer"), class("stock"), class("item"));
    let (orders, new_orders, order_line, history) =
        (class("orders"), class("new_orders"), class("order_line"), class("history"));
    let new_order = vec![
        reads(warehouse, 1, 1),
        reads(customer, 1, 1),
        modifies(district, 1, 1, 80.0),
        modifies(orders, 1, 1, 100.0),
        modifies(new_orders, 1, 1, 80.0),
        reads(item, 5, 15),
        modifies(stock, 5, 15, 120.0),
        modifies(order_line, 1, 1, 1200.0),
        modifies(undo, 2, 2, 1000.0),
    ];
    builder.transaction("new_order", 10.0, cpu.clone(), new_order, 150.0);
    let payment = vec![
        modifies(warehouse, 1, 1, 80.0),
        modifies(district, 1, 1, 80.0),
        reads(customer, 1, 2),
        modifies(customer, 1, 1, 200.0),
        modifies(history, 1, 1, 120.0),
        modifies(undo, 2, 2, 250.0),
    ];
    builder.transaction("payment", 10.0, cpu.clone(), payment, 150.0);
    let order_status = vec![reads(customer, 1, 2), reads(orders, 1, 1), reads(order_line, 1, 1)];
    builder.transaction("order_status", 1.0, cpu.clone(), order_status, 0.0);
    let delivery = vec![
        modifies(new_orders, 10, 10, 80.0),
        modifies(orders, 10, 10, 80.0),
        modifies(order_line, 10, 10, 600.0),
        modifies(customer, 10, 10, 120.0),
        modifies(undo, 2, 2, 4000.0),
    ];
    builder.transaction("delivery", 1.0, cpu.clone(), delivery, 150.0);
    let stock_level = vec![reads(district, 1, 1), reads(order_line, 2, 2), reads(stock, 150, 200)];
    builder.transaction("stock_level", 1.0, cpu.clone(), stock_level, 0.0);
}
