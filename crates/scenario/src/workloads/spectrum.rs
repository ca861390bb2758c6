//! `kind = "spectrum"`: a load by the rates at which its pages are modified, whatever its tables and statements are.
//!
//! A bin is so many pages, each of them modified `rate` times a transaction. It becomes a page set whose pages are drawn
//! uniformly, so pages of one bin are exchangeable. Bins are written out (`[[workload.bin]]`), as `innosim advise` does,
//! or fitted to a histogram of page ages that `innosim page-ages` left (`histogram`), where `redo_bytes_per_transaction`
//! turns ages into transactions.
//!
//! Reads of pages that are modified are part of modifying them. What is read besides and misses the buffer pool is a
//! mean number of reads, spread evenly over so many pages (`reads`, `read_pages`).
//!
//! Where the data are larger than the pool, pages that are touched often are there at the start and others are not: a bin may say which share of
//! its pages is (`resident_share`). The workload's share is that of all others.
//!
//! Pages of a bin with `freed = true` are dirty like others and leave the flush list unwritten. MariaDB frees undo segments whose
//! logs are all purged; their pages stay dirty, and the flush that comes to one that is free drops it.
//!
//! A table has pages of all rates, and behind a batch of page writes each file is synced that has some. With `tablespaces` all bins are
//! spread over so many, evenly; without it each bin is a file of its own.
//!
//! Simplifications: a transaction modifies `rate x pages` pages of a bin on average, by the two whole numbers next to it,
//! and independently of the other bins: that they belong to one row matters for latency alone. Redo is the same for
//! every modification. Pages don't split, and data don't grow; what did in a recording is in its slowest bins, whose pages
//! stand for as many new ones (which errs towards reads where the data outgrow the pool). There is no purge of its own:
//! its modifications and redo are in the bins.

use super::{Access, Builder, modifies, reads};
use crate::diagnostic::Problem;
use crate::node::{Data, Table};
use crate::resolved::{Resolved, number};
use crate::section::Section;
use crate::text_file::read_text;
use innosim_core::kernel::sampler::DurationDist;
use innosim_core::workload::{DrawSpec, TouchSpec};
use innosim_spectrum::{Bin, Evidence, PageAges, Spectrum, fit};
use std::path::Path;

/// Most bins that a histogram becomes: each costs a transaction a draw or two.
const BINS_OF_HISTOGRAM: usize = 8;
/// Most modifications of a transaction in one bin.
const MOST_TOUCHES: f64 = 100_000.0;
/// Share of the redo that belongs to the transaction and not to its modifications.
const BASE_SHARE: f64 = 0.25;
/// The first tablespace.
const FIRST_SPACE: u32 = 1;

/// Reads the workload.
pub(super) fn read(section: &mut Section<'_>) -> Access {
    let redo = section.real("redo_bytes_per_transaction");
    let cpu = section.distribution("cpu");
    let (read_rate, read_pages) = (section.real("reads"), section.integer("read_pages"));
    let tablespaces = section.optional_integer("tablespaces").map(|spaces| spaces as u32);
    let mut resident = Resident::new();
    let spectrum = match (section.has("bin"), section.has("histogram")) {
        (true, true) => {
            let problem = Problem::new("a spectrum has both bins and a histogram").at(section.at_key("histogram"));
            section.report.add(problem.help("keep one of the two"));
            Spectrum::default()
        }
        (true, false) => bins(section, &mut resident),
        (false, true) => of_histogram(section, redo).unwrap_or_default(),
        (false, false) => {
            let help = "add tables [[workload.bin]] with rate and pages, or histogram = \"FILE\" as `innosim page-ages -o FILE` \
                        leaves it";
            section.report.add(Problem::new("a spectrum has neither bins nor a histogram").at(section.at()).help(help));
            Spectrum::default()
        }
    };
    // In whole pages, so that what is written out is what runs.
    let whole = |bin: &Bin| Bin { pages: bin.pages.round().max(1.0), ..*bin };
    let freed: Vec<Bin> = spectrum.freed.iter().map(whole).collect();
    let spectrum = Spectrum::new(spectrum.bins.iter().map(whole).collect()).with_freed(&freed);
    note(section, &spectrum, &resident);
    build(&spectrum, redo, cpu, (read_rate, read_pages), (tablespaces, &resident))
}

/// Rates of bins with the share of their pages that is in the pool at the start, where they say it.
type Resident = Vec<(f64, f64)>;

/// Share of a bin's pages that is in the pool at the start, if it says so.
fn resident_share(resident: &[(f64, f64)], bin: &Bin) -> Option<f64> {
    resident.iter().find(|(rate, _)| *rate == bin.rate).map(|(_, share)| *share)
}

/// The bins that are written out.
fn bins(section: &mut Section<'_>, resident: &mut Resident) -> Spectrum {
    let (mut bins, mut freed) = (Vec::new(), Vec::new());
    for mut one in section.sections("bin") {
        let (rate, pages) = (one.real("rate"), one.integer("pages") as f64);
        if rate * pages > MOST_TOUCHES {
            let message = format!("`{}` makes {:.0} modifications a transaction", one.path(), rate * pages);
            let problem = Problem::new(message).at(one.at());
            section.report.add(problem.allowed(format!("rate x pages up to {MOST_TOUCHES}")));
        }
        resident.extend(one.optional_real("resident_share").map(|share| (rate, share)));
        if one.switch("freed") { &mut freed } else { &mut bins }.push(Bin { rate, pages });
    }
    Spectrum::new(bins).with_freed(&freed)
}

/// Bins that are fitted to page ages.
fn of_histogram(section: &Section<'_>, redo: f64) -> Option<Spectrum> {
    let node = section.raw("histogram")?;
    let Data::Text(file) = &node.data else {
        return section.refuse_type("histogram", &node, "put it in quotes");
    };
    let wanted = "give the file that `innosim page-ages DIR -o FILE` leaves";
    let refuse = |problem: Problem| {
        section.report.add(problem.at(node.at));
        None
    };
    let text = match read_text(Path::new(file), wanted) {
        Ok(text) => text,
        Err(problem) => return refuse(problem),
    };
    let ages = match PageAges::from_json(&text) {
        Ok(ages) => ages,
        Err(why) => return refuse(Problem::new(format!("{file}: no histogram of page ages: {why}")).help(wanted)),
    };
    let younger = ages.younger().into_iter().map(|(age, pages)| (age as f64 / redo, pages as f64)).collect();
    match fit(&Evidence { younger, ..Evidence::default() }) {
        Ok(fit) => Some(fit.spectrum.in_bins(BINS_OF_HISTOGRAM)),
        Err(why) => refuse(Problem::new(format!("{file}: {why}")).help(wanted)),
    }
}

/// Notes the bins as resolved, wherever they come from.
fn note(section: &mut Section<'_>, spectrum: &Spectrum, resident: &[(f64, f64)]) {
    let one = |bin: &Bin, freed: bool| {
        let mut resolved = Resolved::default();
        resolved.value("rate", number(bin.rate));
        resolved.value("pages", format!("{:.0}", bin.pages));
        if let Some(share) = resident_share(resident, bin) {
            resolved.value("resident_share", number(share));
        }
        if freed {
            resolved.value("freed", "true".to_owned());
        }
        resolved
    };
    let written = spectrum.bins.iter().map(|bin| one(bin, false));
    section.resolved.tables("bin", written.chain(spectrum.freed.iter().map(|bin| one(bin, true))).collect());
}

/// Page sets, and a transaction that modifies them.
fn build(
    spectrum: &Spectrum,
    redo: f64,
    cpu: DurationDist,
    (read_rate, read_pages): (f64, u64),
    (tablespaces, resident): (Option<u32>, &[(f64, f64)]),
) -> Access {
    let mut builder = Builder::default();
    let mut touches: Vec<TouchSpec> = Vec::new();
    let mut space = FIRST_SPACE;
    if read_rate > 0.0 {
        let set = builder.page_set("read".to_owned(), space, read_pages);
        let class = builder.class("read", vec![set], DrawSpec::Uniform);
        push(&mut touches, read_rate, |min| reads(class, min, min));
        space += 1;
    }
    let a_modification = (1.0 - BASE_SHARE) / spectrum.modifications().max(f64::MIN_POSITIVE);
    let written = spectrum.bins.iter().map(|bin| (bin, false));
    for (index, (bin, freed)) in written.chain(spectrum.freed.iter().map(|bin| (bin, true))).enumerate() {
        let name = format!("bin {}", index + 1);
        let spaces = match tablespaces {
            Some(spaces) => space..space + spaces.min(bin.pages as u32),
            None => space + index as u32..space + index as u32 + 1,
        };
        let pages = (bin.pages / spaces.len() as f64).round() as u64;
        let sets = spaces.map(|space| builder.page_set(name.clone(), space, pages)).collect::<Vec<_>>();
        for set in &sets {
            let set = &mut builder.access.page_sets[*set as usize];
            (set.freed, set.resident_share) = (freed, resident_share(resident, bin).unwrap_or_default());
        }
        let class = builder.class(&name, sets, DrawSpec::Uniform);
        push(&mut touches, bin.rate * bin.pages, |min| modifies(class, min, min, a_modification));
    }
    builder.transaction("transaction", 1.0, cpu, touches, BASE_SHARE);
    builder.scale_redo(redo);
    builder.access
}

/// Touches that are `mean` draws on average: the whole number below it, and one more as often as it takes.
fn push(touches: &mut Vec<TouchSpec>, mean: f64, touch: impl Fn(u32) -> TouchSpec) {
    let whole = mean.floor().min(MOST_TOUCHES);
    if whole >= 1.0 {
        touches.push(touch(whole as u32));
    }
    if mean > whole {
        touches.push(TouchSpec { probability: (mean - whole).min(1.0), ..touch(1) });
    }
}

/// Writes the path of a layer's histogram relative to its folder.
pub(crate) fn anchor(workload: &mut Table, folder: Option<&Path>) {
    let Some(folder) = folder else { return };
    let Some(mut entry) = workload.remove("histogram") else { return };
    if let Data::Text(path) = &mut entry.node.data {
        *path = folder.join(path.as_str()).display().to_string();
    }
    workload.entries.push(entry);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::{PAYLOAD_SHARE, mean_redo};

    #[test]
    fn bins_become_page_sets_with_their_rates() {
        let spectrum = Spectrum::new(vec![Bin { rate: 1e-5, pages: 130_000.0 }, Bin { rate: 0.004, pages: 100.0 }]);
        let access = build(&spectrum, 500.0, DurationDist::Fixed { us: 100.0 }, (2.5, 1000), (None, &[(0.004, 0.5)]));
        let pages: Vec<u64> = access.page_sets.iter().map(|set| set.pages).collect();
        assert_eq!(pages, [1000, 130_000, 100]);
        assert_eq!(access.page_sets.iter().map(|set| set.resident_share).collect::<Vec<_>>(), [0.0, 0.0, 0.5]);
        let transaction = &access.transactions[0];
        let drawn = |class: u32| -> f64 {
            let of = transaction.touches.iter().filter(|touch| touch.class == class);
            of.map(|touch| f64::from(touch.min + touch.max) / 2.0 * touch.probability).sum()
        };
        for (class, mean) in [(0, 2.5), (1, 1.3), (2, 0.4)] {
            assert!((drawn(class) - mean).abs() < 1e-9, "{class}: {}", drawn(class));
        }
        assert!((mean_redo(transaction) - 500.0 * PAYLOAD_SHARE).abs() < 1e-9);
        assert!(transaction.touches.iter().all(|touch| touch.modify == (touch.class > 0)));
    }

    #[test]
    fn all_bins_lie_in_the_same_tablespaces() {
        let spectrum = Spectrum::new(vec![Bin { rate: 1e-5, pages: 130_001.0 }, Bin { rate: 0.1, pages: 2.0 }]);
        let access = build(&spectrum, 500.0, DurationDist::Fixed { us: 100.0 }, (0.0, 0), (Some(4), &[]));
        let sets: Vec<(u32, u64)> = access.page_sets.iter().map(|set| (set.space_id, set.pages)).collect();
        assert_eq!(sets, [(1, 32_500), (2, 32_500), (3, 32_500), (4, 32_500), (1, 1), (2, 1)]);
        assert_eq!(access.access_classes[0].page_sets, [0, 1, 2, 3]);
        assert_eq!(access.access_classes[1].page_sets, [4, 5]);
    }
}
