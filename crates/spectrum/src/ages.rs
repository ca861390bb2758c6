//! A histogram of page ages: how much redo was written since each page was modified last.
//!
//! It is what `innosim page-ages` leaves of a data directory, a few kilobytes without any name or row, made to be mailed. Ages
//! are in bytes of redo, in eight bins a factor of two; pages are counted by what they hold ([`PageClass`]). The number
//! of pages younger than an age `L` is `W(L)`, the distinct pages that the last `L` bytes of redo modified.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the file calls itself.
const FORMAT: &str = "innosim-page-ages";
/// Version of the format.
const VERSION: u32 = 1;
/// Bins a factor of two.
const BINS_A_DOUBLING: u32 = 8;
/// Largest age, as a power of two: more redo than any server writes.
const LARGEST: u32 = 62;

/// What a page holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageClass {
    /// An index.
    Index,
    /// Undo logs.
    Undo,
    /// Anything else: large columns, allocation maps, headers.
    Other,
}

/// Pages younger than an age and not younger than that of the bin before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    by_class: [u64; 3],
}

/// A histogram of page ages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageAges {
    /// Log sequence number that ages are counted back from, bytes.
    pub lsn: u64,
    /// Whether this is known, or taken to be that of the newest page.
    pub lsn_is_known: bool,
    /// Pages by their size in bytes.
    pub pages_of_size: BTreeMap<u64, u64>,
    /// Pages that were never written, or not since the files were made.
    pub unused: u64,
    /// Pages newer than the log sequence number, counted as just modified.
    pub newer: u64,
    /// Pages that were left out, with why.
    pub left_out: BTreeMap<String, u64>,
    /// Bins by their number.
    bins: BTreeMap<u32, Counts>,
}

/// Why a text is no histogram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AgesError(String);

/// The file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: String,
    version: u32,
    lsn: u64,
    lsn_is_known: bool,
    pages_of_size: BTreeMap<u64, u64>,
    unused: u64,
    newer: u64,
    left_out: BTreeMap<String, u64>,
    /// Age up to which a bin reaches, bytes, with its pages of indexes, undo logs and others.
    younger_than: Vec<[u64; 4]>,
}

impl PageAges {
    /// An empty histogram of ages that are counted back from `lsn`, and whether that is known.
    pub fn new(lsn: u64, lsn_is_known: bool) -> Self {
        PageAges { lsn, lsn_is_known, ..PageAges::default() }
    }

    /// Counts a page of `bytes` whose newest modification is at `lsn`; 0 for none.
    pub fn count(&mut self, class: PageClass, bytes: u64, lsn: u64) {
        *self.pages_of_size.entry(bytes).or_default() += 1;
        if lsn == 0 {
            self.unused += 1;
            return;
        }
        if lsn > self.lsn {
            self.newer += 1;
        }
        self.count_age(class, self.lsn.saturating_sub(lsn), 1);
    }

    /// Counts pages of an age.
    pub fn count_age(&mut self, class: PageClass, age: u64, pages: u64) {
        let bin = self.bins.entry(bin_of(age)).or_default();
        let counted = &mut bin.by_class[class as usize];
        *counted = counted.saturating_add(pages);
    }

    /// Counts pages that are left out.
    pub fn leave_out(&mut self, why: &str, pages: u64) {
        *self.left_out.entry(why.to_owned()).or_default() += pages;
    }

    /// All pages that have an age.
    pub fn pages(&self) -> u64 {
        self.bins.values().flat_map(|counts| counts.by_class).sum()
    }

    /// Pages of a class that have an age.
    pub fn pages_of(&self, class: PageClass) -> u64 {
        self.bins.values().map(|counts| counts.by_class[class as usize]).sum()
    }

    /// Ages, bytes, each with the pages that are younger: of all bins that hold pages, by rising age.
    pub fn younger(&self) -> Vec<(u64, u64)> {
        let mut sum = 0_u64;
        let upto = |(bin, counts): (&u32, &Counts)| {
            sum = counts.by_class.iter().fold(sum, |sum, pages| sum.saturating_add(*pages));
            (upper(*bin), sum)
        };
        self.bins.iter().map(upto).collect()
    }

    /// The file's text, a line a bin.
    pub fn to_json(&self) -> String {
        let written = Written {
            format: FORMAT.to_owned(),
            version: VERSION,
            lsn: self.lsn,
            lsn_is_known: self.lsn_is_known,
            pages_of_size: self.pages_of_size.clone(),
            unused: self.unused,
            newer: self.newer,
            left_out: self.left_out.clone(),
            younger_than: Vec::new(),
        };
        let head = serde_json::to_string(&written).unwrap_or_default();
        let line = |(bin, counts): (&u32, &Counts)| {
            let [index, undo, other] = counts.by_class;
            format!("  [{}, {index}, {undo}, {other}]", upper(*bin))
        };
        let lines: Vec<String> = self.bins.iter().map(line).collect();
        let body = if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join(",\n")) };
        // The list is the last of the fields.
        format!("{}[{body}]}}\n", head.trim_end_matches("[]}"))
    }

    /// Reads the file's text.
    ///
    /// # Errors
    /// [`AgesError`], a sentence, if it is none.
    pub fn from_json(text: &str) -> Result<PageAges, AgesError> {
        let written: Written =
            serde_json::from_str(text).map_err(|error| AgesError(format!("it is broken: {error}")))?;
        if written.format != FORMAT || written.version != VERSION {
            let Written { format, version, .. } = written;
            return Err(AgesError(format!("it is {format} {version}; {FORMAT} {VERSION} is read")));
        }
        let mut ages = PageAges {
            lsn: written.lsn,
            lsn_is_known: written.lsn_is_known,
            pages_of_size: written.pages_of_size,
            unused: written.unused,
            newer: written.newer,
            left_out: written.left_out,
            bins: BTreeMap::new(),
        };
        let mut sum = 0_u64;
        for [upper, index, undo, other] in written.younger_than {
            for (class, pages) in [(PageClass::Index, index), (PageClass::Undo, undo), (PageClass::Other, other)] {
                sum =
                    sum.checked_add(pages).ok_or_else(|| AgesError("it counts more pages than there can be".into()))?;
                ages.count_age(class, upper.saturating_sub(1), pages);
            }
        }
        Ok(ages)
    }

    /// Whether a text calls itself a histogram of page ages.
    pub fn is_one(text: &str) -> bool {
        let head = text.get(..256).unwrap_or(text).trim_start();
        head.starts_with('{') && head.contains(FORMAT)
    }
}

/// Number of the bin that an age belongs to.
fn bin_of(age: u64) -> u32 {
    let (mut low, mut high) = (0, LARGEST * BINS_A_DOUBLING);
    while low < high {
        let middle = (low + high) / 2;
        if age < upper(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// Age up to which a bin reaches, bytes.
fn upper(bin: u32) -> u64 {
    let power = libm::exp2(f64::from(bin) / f64::from(BINS_A_DOUBLING));
    // Small ones by whole bytes, so that no two are equal.
    power.ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some() -> PageAges {
        let mut ages = PageAges { lsn: 1_000_000, lsn_is_known: true, ..PageAges::default() };
        for lsn in [999_000, 990_000, 500_000, 500_001, 1, 0, 1_000_007] {
            ages.count(PageClass::Index, 16_384, lsn);
        }
        ages.count(PageClass::Undo, 16_384, 999_999);
        ages.leave_out("a page type that is not known", 3);
        ages
    }

    #[test]
    fn pages_are_counted_by_age() {
        let ages = some();
        assert_eq!((ages.pages(), ages.unused, ages.newer), (7, 1, 1));
        let younger = ages.younger();
        let than =
            |age: u64| younger.iter().take_while(|(upper, _)| *upper <= age).last().map_or(0, |(_, pages)| *pages);
        assert_eq!([than(500), than(2000), than(20_000), than(600_000), than(2_000_000)], [2, 3, 4, 6, 7]);
    }

    #[test]
    fn a_file_is_read_again() {
        let ages = some();
        let text = ages.to_json();
        assert_eq!(PageAges::from_json(&text).unwrap(), ages, "{text}");
        assert!(PageAges::is_one(&text) && text.len() < 600, "{text}");
        let empty = PageAges::default();
        assert_eq!(PageAges::from_json(&empty.to_json()).unwrap(), empty);
    }

    #[test]
    fn other_texts_are_refused() {
        let refused = |text: &str| PageAges::from_json(text).unwrap_err().to_string();
        assert!(refused("{}").contains("format"), "{}", refused("{}"));
        let next = some().to_json().replace("\"version\":1", "\"version\":2");
        assert!(refused(&next).contains("innosim-page-ages 2; innosim-page-ages 1 is read"), "{}", refused(&next));
        assert!(!PageAges::is_one("{}") && !PageAges::is_one(""));
    }

    proptest! {
        #[test]
        fn an_age_lies_in_its_bin(age in 0_u64..1 << 60) {
            let bin = bin_of(age);
            prop_assert!(age < upper(bin), "{age} {bin}");
            prop_assert!(bin == 0 || age >= upper(bin - 1), "{age} {bin}");
        }
    }
}
