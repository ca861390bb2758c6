//! sysbench-tpcc: the pages that its transactions touch, from its schema.
//!
//! Source: the public Lua scripts of sysbench-tpcc (tables, keys, statement lists, transaction mix), and a real MySQL
//! 8.0.28 with its tables, where rows a page and redo an operation were counted (`docs/validation/sysbench-tpcc.md`, "sysbench-tpcc
//! beside a real server"). Two numbers are parameters: mean redo a transaction and CPU time a statement.
//!
//! What the scripts do, and what follows:
//! * Mix: of 23 transactions 10 new-order, 10 payment, 1 order-status, 1 delivery, 1 stock-level. `tables` copies of
//!   the schema, each with `scale` warehouses; every transaction picks a copy and a warehouse uniformly. Remote
//!   warehouses are never drawn (the script's loop ends at the home warehouse).
//! * NURand's constant C is drawn by each client thread for itself, so the hot keys of the threads differ: together
//!   they are drawn far more evenly than TPC-C's.
//! * Items: NURand(8191, 1, 100000), 5 to 15 a new order. An item's stock row and its entry in the index on
//!   (supplying warehouse, item) of `order_line` are modified; the index entry is an insert at a random place.
//! * Customers: NURand(1023, 1, 3000) when drawn by number. By last name (60 % of payments) the middle one of the
//!   customers of that name is taken; names that are drawn more often also have more customers, so this is nearly
//!   uniform and is modelled as uniform. A delivery's customer is that of an old order: uniform.
//! * Orders, order lines and queue entries are inserted at the end of their district's range; a delivery takes the
//!   oldest order of each of ten districts. Once the loaded ones are delivered, it finds those of the run, in memory
//!   since their insert. An order line grows by its date then, and its page, full in key order, splits (716 of 774).
//! * The index of order lines on items was filled in random order, so its pages are half full to full, and split as they
//!   fill up.
//! * A stock-level reads the stock rows of the last 20 orders of its district: those of orders inserted in this run are
//!   in memory since their insert, those of loaded orders lie anywhere in the warehouse (the loader draws items
//!   uniformly), at the same places for every stock-level of the district. The same holds for the order lines that name
//!   them.
//! * An order-status gives the district's number for the order's: of order lines it reads those of one of the first ten
//!   orders.
//! * History rows go to the end of their table and into two indexes. The loader fills these in key order, so that their
//!   pages have no room left: changes cannot wait in the change buffer, and each page of the one on customers splits at
//!   its first insertion.
//! * Before a statement runs, the server's optimizer looks how many rows each index that it might use holds in the range
//!   of keys: it reads the first and the last leaf page of the range and up to ten from the first on. So an update of a
//!   customer by its key reads the pages of its district in the index on names, one of a stock row a page of the index
//!   on items, a delivery's update of an order those of the district in the index on customers, and who looks for
//!   customers by name, or for their orders, the first pages of the district in the table itself. Counted on a real
//!   server: see `docs/validation/sysbench-tpcc.md`.
//!
//! Simplifications: the ends of districts, in full pages too, do not split at the first insertion (errs towards less redo
//! in the first minute, some 16 KB a district), nor do pages of the index on the customers of `orders`; a split page of
//! order lines is taken from the first visit on; row locks and rollbacks (1 % of new orders) are left out; tables' upper
//! B-tree levels, some 0.2 % of the pages, are part of the leaf counts; current undo pages and rollback segment headers
//! are a fixed hot set.
//!
//! What is left to purge: only a delivery deletes rows, ten of `new_orders`, which has no secondary index; no
//! transaction updates an indexed column. So purge removes ten records in one transaction of 23, a page each; all other
//! undo logs of MySQL it only reads and frees. A removal writes some 30 bytes of redo, which are part of
//! `redo_bytes_per_transaction`: what is calibrated is the sum of both. Undo records are some 45 bytes for the columns
//! of a row of `stock`, `customer`, `district` or `warehouse` that change, 35 for `orders` and `order_line`, 30 for a
//! deletion, 25 for an insertion, and `c_data` of a tenth of the customers paying.

use super::{
    Access, Builder, PAYLOAD_SHARE, ServerSide, inserts, marks, modifies, modifies_index, reads, reads_recent, rows,
};
use crate::section::Section;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::workload::{DrawSpec, HomePages, IndexFill, RecentRows, TouchSpec, UndoSpec};

/// Warehouses hold this many districts, districts this many customers and loaded orders, warehouses this many items.
const DISTRICTS: u32 = 10;
const CUSTOMERS: u32 = 3000;
const ITEMS: u32 = 100_000;
/// Share of the loaded orders that is not delivered.
const UNDELIVERED: f64 = 0.3;
/// Orders that a stock-level looks at.
const RECENT_ORDERS: u8 = 20;
/// Leaf pages that the optimizer reads at most from the first of a range on.
const LOOK_AHEAD: u32 = 10;
/// Mean order lines of an order.
const LINES: f64 = 10.0;
/// Bytes of a leaf page that hold rows: 16 KiB less headers, trailer, directory.
const PAGE_ROW_BYTES: f64 = 16_384.0 - 128.0 - 90.0;
/// Fill of a page loaded or grown in key order (InnoDB leaves 1/16 free), and of an index filled in random order.
const ORDERED_FILL: f64 = 15.0 / 16.0;
const RANDOM_FILL: f64 = 0.69;
/// First tablespace number; below lie the system and undo tablespaces.
const FIRST_SPACE: u32 = 20;
/// Tablespaces of a copy of the schema: one a table.
const TABLES_A_COPY: u32 = 9;
/// Two undo tablespaces, numbered from here.
const UNDO_SPACE: u32 = 2;

/// Bytes of a leaf page that a record takes: as counted on loaded tables of MySQL 8.0.28, at the fill above. That is 5 of
/// header, 13 of transaction id and roll pointer in a clustered index, null bits, lengths and columns, within 2 %; a page
/// of long rows also has an end that the next one does not fit into.
mod record {
    pub(super) const STOCK: f64 = 321.0;
    pub(super) const STOCK_ITEM_INDEX: f64 = 12.3;
    pub(super) const CUSTOMER: f64 = 599.0;
    pub(super) const CUSTOMER_NAME_INDEX: f64 = 40.5;
    pub(super) const ORDERS: f64 = 38.5;
    pub(super) const ORDERS_CUSTOMER_INDEX: f64 = 17.9;
    pub(super) const NEW_ORDERS: f64 = 29.7;
    pub(super) const ORDER_LINE: f64 = 65.2;
    pub(super) const ORDER_LINE_ITEM_INDEX: f64 = 20.8;
    pub(super) const HISTORY: f64 = 62.4;
    pub(super) const HISTORY_CUSTOMER_INDEX: f64 = 18.7;
    pub(super) const HISTORY_DISTRICT_INDEX: f64 = 14.8;
    pub(super) const DISTRICT: f64 = 100.0;
    pub(super) const WAREHOUSE: f64 = 98.0;
    pub(super) const ITEM: f64 = 92.3;
}

/// Statements of a transaction, the measure of its CPU time, by type.
mod statements {
    pub(super) const NEW_ORDER: f64 = 47.0;
    pub(super) const PAYMENT: f64 = 9.5;
    pub(super) const ORDER_STATUS: f64 = 6.0;
    pub(super) const DELIVERY: f64 = 100.0;
    pub(super) const STOCK_LEVEL: f64 = 195.0;
}

/// Shares of the transaction types.
mod weight {
    pub(super) const NEW_ORDER: f64 = 10.0;
    pub(super) const PAYMENT: f64 = 10.0;
    pub(super) const ORDER_STATUS: f64 = 1.0;
    pub(super) const DELIVERY: f64 = 1.0;
    pub(super) const STOCK_LEVEL: f64 = 1.0;
}

/// Redo of row operations, bytes, undo included: measured on MySQL 8.0.28, statement by statement, without page splits.
/// A mean transaction comes to some 2550; all are scaled to the one wanted, of which the rest is mostly splits.
mod redo {
    /// 100 to 127 in the tables other than customers.
    pub(super) const UPDATE: f64 = 115.0;
    /// 150, and for one in ten 900 more of new data.
    pub(super) const PAYING_CUSTOMER: f64 = 240.0;
    /// 81 to 112.
    pub(super) const INSERT: f64 = 105.0;
    pub(super) const INDEX_INSERT: f64 = 60.0;
    pub(super) const BEGIN_COMMIT: f64 = 225.0;
    /// A page that splits, its records alike but for their last bytes.
    pub(super) const SPLIT_OF_ALIKE: f64 = 2_400.0;
    /// A page of the index on items that splits: half of its records.
    pub(super) const SPLIT_OF_ITEMS: f64 = 6_000.0;
    /// Splitting a page of order lines, by each order of ten lines on it.
    pub(super) const SPLIT_OF_LINES: f64 = 800.0;
}

/// What a sysbench-tpcc run is told.
#[derive(Debug, Clone, PartialEq)]
pub struct TpccParams {
    /// `--tables`: copies of the schema.
    pub tables: u32,
    /// `--scale`: warehouses in each.
    pub scale: u32,
    /// `--threads`: each draws run-time constants of its own for NURand.
    pub threads: u32,
    /// Hot undo pages.
    pub undo_pages: u64,
    /// Redo of a transaction of the mix, bytes of the log sequence number.
    pub redo_bytes_per_transaction: f64,
    /// CPU time of a statement, round trip included, µs.
    pub cpu_us_per_statement: f64,
}

impl TpccParams {
    /// Reads the parameters.
    pub(crate) fn read(section: &mut Section<'_>, server: &ServerSide) -> TpccParams {
        TpccParams {
            tables: section.count("tables"),
            scale: section.count("scale"),
            threads: section.count("threads"),
            undo_pages: server.undo_pages(section),
            redo_bytes_per_transaction: section.real("redo_bytes_per_transaction"),
            cpu_us_per_statement: section.real("cpu_us_per_statement"),
        }
    }
}

/// Builds page sets, classes and transactions.
struct Schema<'a> {
    params: &'a TpccParams,
    builder: Builder,
}

/// The page sets of one index, one a copy of the schema.
type Index = Vec<u32>;

impl Schema<'_> {
    /// Adds the page sets of one index: `rows` a copy, `bytes` a record, `fill` of a page. `table` numbers the table
    /// within a copy: its indexes share a file.
    fn index(&mut self, table: u32, name: &str, rows: f64, bytes: f64, fill: f64) -> Index {
        let pages = (rows * bytes / (PAGE_ROW_BYTES * fill)).ceil() as u64;
        (0..self.params.tables)
            .map(|copy| {
                let space = FIRST_SPACE + copy * TABLES_A_COPY + table;
                self.builder.page_set(format!("{name}{}", copy + 1), space, pages)
            })
            .collect()
    }

    /// Entries of an index, `bytes` a record, whose pages split: half of its page sets is for the halves. Neighbours that are latched
    /// with them, 0.013 pages a transaction, are left out.
    fn splitting(bytes: f64, filled: IndexFill, keys: Option<DrawSpec>, split: f64) -> DrawSpec {
        DrawSpec::Index {
            entries_a_page: (PAGE_ROW_BYTES / bytes) as u32,
            filled,
            dirties_latched: false,
            keys: keys.map(Box::new),
            split_redo_bytes: split * PAYLOAD_SHARE,
        }
    }

    fn class(&mut self, name: &str, index: &Index, draw: DrawSpec) -> u32 {
        self.builder.class(name, index.clone(), draw)
    }

    /// Points that grow or move: one a district of every copy.
    fn districts(&self) -> u32 {
        self.warehouses() * DISTRICTS
    }

    /// Warehouses of all copies.
    fn warehouses(&self) -> u32 {
        self.params.tables * self.params.scale
    }

    /// The first pages of a district, or of a warehouse, in an index whose keys begin with it.
    fn first_of(homes: u32) -> DrawSpec {
        DrawSpec::OfHome { homes, pages: HomePages::InOrder }
    }

    /// NURand(1023, 1, 3000) within `groups` groups.
    fn nurand_customer(&self, groups: u32) -> DrawSpec {
        DrawSpec::NuRand { a: 1023, range: CUSTOMERS, groups, constants: self.params.threads, at_home: true }
    }

    /// NURand(8191, 1, 100000) within `groups` groups.
    fn nurand_item(&self, groups: u32) -> DrawSpec {
        DrawSpec::NuRand { a: 8191, range: ITEMS, groups, constants: self.params.threads, at_home: true }
    }

    /// Adds a transaction; its CPU time is counted in statements.
    fn transaction(&mut self, name: &str, weight: f64, statements: f64, touches: Vec<TouchSpec>) {
        let writes = touches.iter().any(|t| t.modify);
        let cpu = DurationDist::Lognormal { mean_us: statements * self.params.cpu_us_per_statement, cv: 0.2 };
        let base = if writes { redo::BEGIN_COMMIT } else { 0.0 };
        self.builder.transaction(name, weight, cpu, touches, base);
    }
}

/// Rows that fill a page in key order.
fn rows_per_page(bytes: f64) -> u32 {
    (PAGE_ROW_BYTES * ORDERED_FILL / bytes) as u32
}

/// Leaf pages that the optimizer reads to learn how many keys a district has in an index.
fn looked_at(bytes: f64, fill: f64) -> u32 {
    let pages = (f64::from(CUSTOMERS) * bytes / (PAGE_ROW_BYTES * fill)).ceil() as u32;
    pages.min(LOOK_AHEAD + 1)
}

fn sometimes(probability: f64, touch: TouchSpec) -> TouchSpec {
    TouchSpec { probability, ..touch }
}

/// The page sets, access classes and transactions of sysbench-tpcc.
pub fn tpcc(params: &TpccParams) -> Access {
    let mut schema = Schema { params, builder: Builder::default() };
    let customers = customer_tables(&mut schema);
    let orders = order_tables(&mut schema);
    let small = small_tables(&mut schema);
    new_order(&mut schema, &customers, &orders, &small);
    payment(&mut schema, &customers, &small);
    order_status(&mut schema, &customers, &orders);
    delivery(&mut schema, &customers, &orders, &small);
    stock_level(&mut schema, &orders, &small);
    schema.builder.scale_redo(params.redo_bytes_per_transaction);
    schema.builder.access
}

struct CustomerClasses {
    by_number: u32,
    by_name: u32,
    first_of_district: u32,
    name_index: u32,
    names_of_district: u32,
    names_of_warehouse: u32,
    history_end: u32,
    history_customer_index: u32,
    history_district_index: u32,
}

fn customer_tables(b: &mut Schema<'_>) -> CustomerClasses {
    let rows = f64::from(b.params.scale * DISTRICTS * CUSTOMERS);
    let groups = b.params.scale * DISTRICTS;
    let by_customer = b.nurand_customer(groups);
    let (districts, warehouses) = (b.districts(), b.warehouses());
    let customer = b.index(0, "customer", rows, record::CUSTOMER, ORDERED_FILL);
    let names = b.index(0, "customer.idx_customer", rows, record::CUSTOMER_NAME_INDEX, RANDOM_FILL);
    let history = b.index(1, "history", rows, record::HISTORY, ORDERED_FILL);
    // As many pages again for the halves of those that split.
    let by_customer_index =
        b.index(1, "history.fkey_history_1", 2.0 * rows, record::HISTORY_CUSTOMER_INDEX, ORDERED_FILL);
    let filled = IndexFill::InOneGo { changes_a_page: 0.0 };
    let full_pages = Schema::splitting(record::HISTORY_CUSTOMER_INDEX, filled, None, redo::SPLIT_OF_ALIKE);
    let by_district_index = b.index(1, "history.fkey_history_2", rows, record::HISTORY_DISTRICT_INDEX, ORDERED_FILL);
    let ends =
        DrawSpec::Append { points: b.params.tables, rows_per_page: rows_per_page(record::HISTORY), home_points: 1 };
    let district_ends = DrawSpec::Append {
        points: b.districts(),
        rows_per_page: rows_per_page(record::HISTORY_DISTRICT_INDEX),
        home_points: 1,
    };
    CustomerClasses {
        by_number: b.class("customer by number", &customer, by_customer),
        by_name: b.class("customer by name or old order", &customer, DrawSpec::Uniform),
        first_of_district: b.class("first customers of a district", &customer, Schema::first_of(districts)),
        name_index: b.class("customer name index", &names, DrawSpec::Uniform),
        names_of_district: b.class("customer names of a district", &names, Schema::first_of(districts)),
        names_of_warehouse: b.class("customer names of a warehouse", &names, Schema::first_of(warehouses)),
        history_end: b.class("end of history", &history, ends),
        history_customer_index: b.class("history customer index", &by_customer_index, full_pages),
        history_district_index: b.class("history district index", &by_district_index, district_ends),
    }
}

struct OrderClasses {
    stock: u32,
    loaded_stock: u32,
    stock_items: u32,
    lines_end: u32,
    lines_oldest: u32,
    lines_split: u32,
    lines_loaded: u32,
    line_item_index: u32,
    orders_end: u32,
    orders_oldest: u32,
    orders_any: u32,
    orders_of_district: u32,
    order_customer_index: u32,
    order_customers_of_district: u32,
    order_customers_of_warehouse: u32,
    queue_end: u32,
    queue_oldest: u32,
}

fn order_tables(b: &mut Schema<'_>) -> OrderClasses {
    let warehouses = f64::from(b.params.scale);
    let orders = f64::from(b.params.scale * DISTRICTS * CUSTOMERS);
    let groups = b.params.scale;
    let items = b.nurand_item(groups);
    let copy_items = b.nurand_item(1);
    let items_of_district =
        DrawSpec::OfHome { homes: b.districts(), pages: HomePages::Scattered { groups: b.warehouses() } };
    let of_customer = b.nurand_customer(groups * DISTRICTS);
    let points = b.districts();
    let append = |rows: u32| DrawSpec::Append { points, rows_per_page: rows.max(1), home_points: 1 };
    let walk =
        |rows: u32, stretch| DrawSpec::Walk { points, rows_per_page: rows.max(1), home_points: DISTRICTS, stretch };
    // A page a district, which no number of visits leaves.
    let one_page = DrawSpec::Walk { points, rows_per_page: u32::MAX, home_points: 1, stretch: 1.0 };
    let orders_a_line_page = (f64::from(rows_per_page(record::ORDER_LINE)) / LINES) as u32;
    let halves_of_lines = DrawSpec::Append { points, rows_per_page: orders_a_line_page.max(1), home_points: DISTRICTS };
    let order_rows = rows_per_page(record::ORDERS);
    let queue_rows = rows_per_page(record::NEW_ORDERS);
    let stock = b.index(2, "stock", warehouses * f64::from(ITEMS), record::STOCK, ORDERED_FILL);
    let stock_items =
        b.index(2, "stock.fkey_stock_2", warehouses * f64::from(ITEMS), record::STOCK_ITEM_INDEX, RANDOM_FILL);
    let lines = b.index(3, "order_line", orders * LINES, record::ORDER_LINE, ORDERED_FILL);
    // As many pages again for the halves of those that split.
    let line_items =
        b.index(3, "order_line.fkey_order_line_2", 2.0 * orders * LINES, record::ORDER_LINE_ITEM_INDEX, RANDOM_FILL);
    let (bytes, filled) = (record::ORDER_LINE_ITEM_INDEX, IndexFill::InRandomOrder);
    let item_entries = Schema::splitting(bytes, filled, Some(items.clone()), redo::SPLIT_OF_ITEMS);
    let order = b.index(4, "orders", orders, record::ORDERS, ORDERED_FILL);
    let order_customers = b.index(4, "orders.idx_orders", orders, record::ORDERS_CUSTOMER_INDEX, RANDOM_FILL);
    let queue = b.index(5, "new_orders", orders * UNDELIVERED, record::NEW_ORDERS, ORDERED_FILL);
    OrderClasses {
        stock: b.class("stock", &stock, items),
        loaded_stock: b.class("stock of loaded orders", &stock, items_of_district),
        stock_items: b.class("stock item index", &stock_items, copy_items),
        lines_end: b.class("end of order lines", &lines, append(orders_a_line_page)),
        lines_oldest: b.class("oldest undelivered order lines", &lines, walk(orders_a_line_page, UNDELIVERED)),
        lines_split: b.class("order lines of split pages", &lines, halves_of_lines),
        lines_loaded: b.class("loaded order lines of a district", &lines, one_page),
        line_item_index: b.class("order line item index", &line_items, item_entries),
        orders_end: b.class("end of orders", &order, append(order_rows)),
        orders_oldest: b.class("oldest undelivered orders", &order, walk(order_rows, UNDELIVERED)),
        orders_any: b.class("any order", &order, DrawSpec::Uniform),
        orders_of_district: b.class("first orders of a district", &order, Schema::first_of(points)),
        order_customer_index: b.class("order customer index", &order_customers, of_customer),
        order_customers_of_district: b.class(
            "order customers of a district",
            &order_customers,
            Schema::first_of(points),
        ),
        order_customers_of_warehouse: b.class(
            "order customers of a warehouse",
            &order_customers,
            Schema::first_of(b.warehouses()),
        ),
        queue_end: b.class("end of new-orders", &queue, append(queue_rows)),
        queue_oldest: b.class("head of new-orders", &queue, walk(queue_rows, 1.0)),
    }
}

struct SmallClasses {
    warehouse: u32,
    district: u32,
    item: u32,
    undo: u32,
}

fn small_tables(b: &mut Schema<'_>) -> SmallClasses {
    let warehouses = f64::from(b.params.scale);
    let warehouse = b.index(6, "warehouse", warehouses, record::WAREHOUSE, ORDERED_FILL);
    let district = b.index(7, "district", warehouses * f64::from(DISTRICTS), record::DISTRICT, ORDERED_FILL);
    let item = b.index(8, "item", f64::from(ITEMS), record::ITEM, ORDERED_FILL);
    let item_draw = b.nurand_item(1);
    let undo: Index = (0..2)
        .map(|i| b.builder.page_set(format!("undo_{:03}", i + 1), UNDO_SPACE + i, b.params.undo_pages.div_ceil(2)))
        .collect();
    SmallClasses {
        warehouse: b.class("warehouse", &warehouse, DrawSpec::Uniform),
        district: b.class("district", &district, DrawSpec::Uniform),
        item: b.class("item", &item, item_draw),
        undo: b.class("undo", &undo, DrawSpec::Uniform),
    }
}

fn new_order(b: &mut Schema<'_>, c: &CustomerClasses, o: &OrderClasses, s: &SmallClasses) {
    let touches = vec![
        reads(c.by_number, 1, 1),
        rows(modifies(s.district, 1, 1, redo::UPDATE)),
        rows(modifies(o.orders_end, 1, 1, redo::INSERT)),
        modifies_index(o.order_customer_index, 1, 1, redo::INDEX_INSERT),
        rows(modifies(o.queue_end, 1, 1, redo::INSERT)),
        reads(s.item, 5, 15),
        reads(o.stock_items, 5, 15),
        rows(modifies(o.stock, 5, 15, redo::UPDATE)),
        rows(modifies(o.lines_end, 1, 1, LINES * redo::INSERT)),
        inserts(modifies_index(o.line_item_index, 5, 15, redo::INDEX_INSERT)),
        modifies(s.undo, 2, 2, 0.0),
    ];
    b.transaction("new-order", weight::NEW_ORDER, statements::NEW_ORDER, touches);
    b.builder.undo(UndoSpec { bytes: 11.0 * 45.0, insert_bytes: 12.0 * 25.0, changed_rows: 23 });
}

fn payment(b: &mut Schema<'_>, c: &CustomerClasses, s: &SmallClasses) {
    let names = looked_at(record::CUSTOMER_NAME_INDEX, RANDOM_FILL);
    let touches = vec![
        rows(modifies(s.warehouse, 1, 1, redo::UPDATE)),
        rows(modifies(s.district, 1, 1, redo::UPDATE)),
        sometimes(0.6, reads(c.first_of_district, LOOK_AHEAD, LOOK_AHEAD)),
        sometimes(0.6, reads(c.name_index, 1, 1)),
        reads(c.names_of_district, names, names),
        sometimes(0.4, rows(modifies(c.by_number, 1, 1, redo::PAYING_CUSTOMER))),
        sometimes(0.6, rows(modifies(c.by_name, 1, 1, redo::PAYING_CUSTOMER))),
        rows(modifies(c.history_end, 1, 1, redo::INSERT)),
        inserts(modifies(c.history_customer_index, 1, 1, redo::INDEX_INSERT)),
        modifies(c.history_district_index, 1, 1, redo::INDEX_INSERT),
        modifies(s.undo, 1, 1, 0.0),
    ];
    b.transaction("payment", weight::PAYMENT, statements::PAYMENT, touches);
    b.builder.undo(UndoSpec { bytes: 3.0 * 45.0 + 50.0, insert_bytes: 25.0, changed_rows: 4 });
}

fn order_status(b: &mut Schema<'_>, c: &CustomerClasses, o: &OrderClasses) {
    let (orders, customers) =
        (looked_at(record::ORDERS, ORDERED_FILL), looked_at(record::ORDERS_CUSTOMER_INDEX, RANDOM_FILL));
    let touches = vec![
        sometimes(0.6, reads(c.first_of_district, LOOK_AHEAD, LOOK_AHEAD)),
        sometimes(0.6, reads(c.name_index, 1, 1)),
        sometimes(0.6, reads(c.by_name, 3, 3)),
        sometimes(0.4, reads(c.by_number, 1, 1)),
        reads(o.orders_of_district, orders, orders),
        reads(o.order_customers_of_district, customers, customers),
        reads(o.order_customer_index, 1, 1),
        reads(o.orders_any, 1, 1),
        reads(o.lines_loaded, 1, 1),
    ];
    b.transaction("order-status", weight::ORDER_STATUS, statements::ORDER_STATUS, touches);
}

fn delivery(b: &mut Schema<'_>, c: &CustomerClasses, o: &OrderClasses, s: &SmallClasses) {
    let names = DISTRICTS * looked_at(record::CUSTOMER_NAME_INDEX, RANDOM_FILL);
    let order_customers = DISTRICTS * looked_at(record::ORDERS_CUSTOMER_INDEX, RANDOM_FILL);
    let touches = vec![
        marks(modifies(o.queue_oldest, DISTRICTS, DISTRICTS, redo::UPDATE)),
        reads(o.order_customers_of_warehouse, order_customers, order_customers),
        rows(modifies(o.orders_oldest, DISTRICTS, DISTRICTS, redo::UPDATE)),
        rows(modifies(o.lines_oldest, DISTRICTS, DISTRICTS, LINES * redo::UPDATE)),
        modifies(o.lines_split, DISTRICTS, DISTRICTS, redo::SPLIT_OF_LINES),
        reads(c.names_of_warehouse, names, names),
        rows(modifies(c.by_name, DISTRICTS, DISTRICTS, redo::UPDATE)),
        modifies(s.undo, 4, 4, 0.0),
    ];
    b.transaction("delivery", weight::DELIVERY, statements::DELIVERY, touches);
    b.builder.undo(UndoSpec {
        bytes: 10.0 * (30.0 + 35.0 + LINES * 35.0 + 45.0),
        insert_bytes: 0.0,
        changed_rows: 130,
    });
}

fn stock_level(b: &mut Schema<'_>, o: &OrderClasses, s: &SmallClasses) {
    let recent = RecentRows { class: o.orders_end, rows: RECENT_ORDERS };
    let touches = vec![
        reads(s.district, 1, 1),
        reads_recent(o.lines_loaded, 1, 1, recent),
        reads_recent(o.loaded_stock, 180, 200, recent),
    ];
    b.transaction("stock-level", weight::STOCK_LEVEL, statements::STOCK_LEVEL, touches);
}
