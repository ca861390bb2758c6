//! `kind = "custom"`: page sets, access classes and transactions written out, for researchers. Everything refers to
//! everything else by name, and every name is checked.

use super::Access;
use crate::diagnostic::{Problem, Report};
use crate::node::Data;
use crate::resolved::{Resolved, number, quoted};
use crate::section::Section;
use crate::source::Span;
use crate::suggest::{did_you_mean, join_or};
use innosim_core::workload::{AccessClassSpec, DrawSpec, Leaves, PageSetSpec, TouchSpec, TransactionSpec, UndoSpec};

const U32: u64 = u32::MAX as u64;

/// Reads a custom workload.
pub(crate) fn read(section: &mut Section<'_>) -> Access {
    let mut access = Access::default();
    let mut written = Vec::new();
    for (mut one, number) in section.sections("page_set").zip(1..) {
        let set = page_set(&mut one, number);
        check_new(&set.name, access.page_sets.iter().map(|s| s.name.as_str()), "page set", &one);
        access.page_sets.push(set);
        written.push(one.resolved);
    }
    section.resolved.tables("page_set", std::mem::take(&mut written));
    for mut one in section.sections("access_class") {
        let class = access_class(&mut one, &access.page_sets);
        check_new(&class.name, access.access_classes.iter().map(|c| c.name.as_str()), "access class", &one);
        access.access_classes.push(class);
        written.push(one.resolved);
    }
    section.resolved.tables("access_class", std::mem::take(&mut written));
    for mut one in section.sections("transaction") {
        access.transactions.push(transaction(&mut one, &access.access_classes));
        written.push(one.resolved);
    }
    section.resolved.tables("transaction", written);
    let weights: f64 = access.transactions.iter().map(|transaction| transaction.weight).sum();
    if !access.transactions.is_empty() && weights <= 0.0 {
        let problem = Problem::new("the weights of all transactions are 0").at(section.at_key("transaction"));
        section.report.add(problem.help("give at least one transaction a weight above 0"));
    }
    access
}

fn check_new<'n>(name: &str, mut earlier: impl Iterator<Item = &'n str>, what: &str, section: &Section<'_>) {
    if earlier.any(|other| other == name) {
        let problem = Problem::new(format!("there are two of the {what} {name:?}")).at(section.at_key("name"));
        section.report.add(problem.help("names must differ"));
    }
}

/// The index of a name, or a problem that lists the names there are.
fn find<'n>(wanted: &str, at: Span, what: &str, names: impl Iterator<Item = &'n str>, report: &Report) -> Option<u32> {
    let names: Vec<&str> = names.collect();
    if let Some(index) = names.iter().position(|name| *name == wanted) {
        return u32::try_from(index).ok();
    }
    let problem = Problem::new(format!("there is no {what} {wanted:?}")).at(at);
    let help = did_you_mean(wanted, &names).unwrap_or_default();
    report.add(problem.allowed(join_or(&names)).help(help));
    None
}

fn page_set(section: &mut Section<'_>, number: u64) -> PageSetSpec {
    let name = section.text("name").unwrap_or_default();
    let pages = section.integer("pages");
    let space = section.optional_integer("space").unwrap_or(number);
    section.resolved.value("space", space.to_string());
    let resident_share = section.real("resident_share");
    let space_id = u32::try_from(space).unwrap_or(u32::MAX);
    PageSetSpec { name, space_id, pages, resident_share, freed: false }
}

fn access_class(section: &mut Section<'_>, page_sets: &[PageSetSpec]) -> AccessClassSpec {
    let report = section.report;
    let name = section.text("name").unwrap_or_default();
    let sets = section.names("page_sets");
    let page_sets = sets
        .iter()
        .filter_map(|(set, at)| find(set, *at, "page set", page_sets.iter().map(|s| s.name.as_str()), report))
        .collect();
    let draw = draw(section).unwrap_or(DrawSpec::Uniform);
    AccessClassSpec { name, page_sets, draw }
}

/// A draw is a table, or the bare name of a kind that needs no further keys.
fn draw(section: &mut Section<'_>) -> Option<DrawSpec> {
    let path = section.path_of("draw");
    if let Some(Data::Text(kind)) = section.raw("draw").as_deref().map(|node| &node.data)
        && kind == "uniform"
    {
        section.resolved.value("draw", "{ kind = \"uniform\" }".to_owned());
        return Some(DrawSpec::Uniform);
    }
    let table = section.table("draw")?;
    let (kind, mut one) = Section::open_variant(table, "draw", path, section.report)?;
    let draw = match kind {
        "uniform" => DrawSpec::Uniform,
        "nu-rand" => DrawSpec::NuRand {
            a: one.count("a"),
            range: one.count("range"),
            groups: one.count("groups"),
            constants: one.count("constants"),
            at_home: one.switch("at_home"),
        },
        "zipf" => DrawSpec::Zipf { theta: one.real("theta") },
        "pareto" => DrawSpec::Pareto { h: one.real("h") },
        "hot-spot" => DrawSpec::HotSpot { hot_pages: one.real("hot_pages"), hot_accesses: one.real("hot_accesses") },
        "walk" => DrawSpec::Walk {
            points: one.count("points"),
            rows_per_page: one.count("rows_per_page"),
            home_points: one.count("home_points"),
            stretch: one.real("stretch"),
        },
        _ => DrawSpec::Append {
            points: one.count("points"),
            rows_per_page: one.count("rows_per_page"),
            home_points: one.count("home_points"),
        },
    };
    if let DrawSpec::NuRand { a, range, groups, .. } = draw {
        let bounds = [1000, groups, a.saturating_add(1), range];
        if bounds.iter().try_fold(1u64, |product, &b| product.checked_mul(u64::from(b))).is_none() {
            let problem =
                Problem::new(format!("{groups} groups of {range} keys with a = {a} are too many to draw from"));
            section.report.add(problem.at(one.at()).allowed("groups x (a + 1) x range up to 1.8e16".to_owned()));
            return None;
        }
    }
    section.resolved.value("draw", one.resolved.inline());
    Some(draw)
}

fn transaction(section: &mut Section<'_>, classes: &[AccessClassSpec]) -> TransactionSpec {
    let name = section.text("name").unwrap_or_default();
    let weight = section.real("weight");
    let cpu = section.distribution("cpu");
    let base_redo_bytes = section.real("base_redo_bytes");
    let undo = UndoSpec {
        bytes: section.real("undo_bytes"),
        insert_bytes: section.real("insert_undo_bytes"),
        changed_rows: section.count("changed_rows"),
    };
    let mut touches = Vec::new();
    let mut written = Vec::new();
    for one in section.sections("touch") {
        let (touch, resolved) = touch(one, classes);
        touches.push(touch);
        written.push(resolved);
    }
    section.resolved.tables("touch", written);
    TransactionSpec { name, weight, cpu, touches, base_redo_bytes, undo }
}

fn touch(mut section: Section<'_>, classes: &[AccessClassSpec]) -> (TouchSpec, Resolved) {
    let report = section.report;
    let class = section.text("class").unwrap_or_default();
    let at = section.at_key("class");
    let index = find(&class, at, "access class", classes.iter().map(|c| c.name.as_str()), report).unwrap_or(0);
    let count = section.optional_integer("count");
    let min = section.optional_integer("min").or(count).unwrap_or(1);
    let max = section.optional_integer("max").or(count).unwrap_or(min);
    if count.is_some() && (section.has("min") || section.has("max")) {
        let problem = Problem::new(format!("`{}` stands beside min or max", section.path_of("count")));
        report.add(problem.at(section.at_key("count")).help("give count, or min and max"));
    }
    if max < min {
        let problem = Problem::new(format!("`{}` is {max}, less than min", section.path_of("max")));
        report.add(problem.at(section.at_key("max")).allowed(format!("at least min, which is {min}")));
    }
    let probability = section.real("probability");
    let modify = section.switch("modify");
    let bufferable = section.switch("bufferable");
    let redo_bytes = section.real("redo_bytes");
    if redo_bytes > 0.0 && !modify {
        let problem =
            Problem::new(format!("`{}` is {redo_bytes}, but the page is only read", section.path_of("redo_bytes")));
        report.add(problem.at(section.at_key("redo_bytes")).help("add modify = true, or leave redo_bytes out"));
    }
    let (leaves, purge_redo_bytes) = left_to_purge(&mut section, modify, redo_bytes);
    let mut resolved = Resolved::default();
    resolved.value("class", quoted(&class));
    resolved.value("min", min.to_string());
    resolved.value("max", max.to_string());
    resolved.value("probability", number(probability));
    resolved.value("modify", modify.to_string());
    resolved.value("bufferable", bufferable.to_string());
    resolved.value("redo_bytes", number(redo_bytes));
    resolved.value("leaves", quoted(leaves));
    resolved.value("purge_redo_bytes", number(purge_redo_bytes));
    let (min, max) = (min.min(U32) as u32, max.min(U32) as u32);
    let leaves = match leaves {
        "row" => Leaves::Row,
        "keyed-row" => Leaves::KeyedRow,
        "marked" => Leaves::Marked,
        _ => Leaves::Nothing,
    };
    let touch = TouchSpec {
        class: index,
        min,
        max,
        probability,
        modify,
        bufferable,
        redo_bytes,
        inserts: false,
        leaves,
        purge_redo_bytes,
        recent: None,
    };
    (touch, resolved)
}

/// What a touch leaves for purge, and the redo of that; a page that is only read leaves nothing.
fn left_to_purge(section: &mut Section<'_>, modify: bool, redo_bytes: f64) -> (&'static str, f64) {
    let leaves = section.choice("leaves");
    let purge_redo_bytes = section.real("purge_redo_bytes");
    let report = section.report;
    if leaves != "nothing" && !modify {
        let problem = Problem::new(format!("`{}` is {leaves:?}, but the page is only read", section.path_of("leaves")));
        report.add(problem.at(section.at_key("leaves")).help("add modify = true, or leave it out"));
    }
    if purge_redo_bytes > redo_bytes {
        let message = format!("`{}` is {purge_redo_bytes}, more than redo_bytes", section.path_of("purge_redo_bytes"));
        let problem = Problem::new(message).at(section.at_key("purge_redo_bytes"));
        report.add(problem.allowed(format!("at most redo_bytes, which is {redo_bytes}, as it is a part of it")));
    }
    (leaves, purge_redo_bytes)
}
