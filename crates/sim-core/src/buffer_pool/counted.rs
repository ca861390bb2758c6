//! Pages of one rate, counted instead of kept one by one.
//!
//! A bin ([`Bin`]) holds pages that every class draws equally often: which of them is dirty makes no difference, so their
//! states are five counts. A touch of a page that is dirty and not under write changes nothing but redo; only touches that
//! meet something else are drawn. The share of such pages, weighted by how often they are drawn, is kept up to date for each
//! way of drawing ([`BinClass`]), and a uniform number says after how many draws the next comes ([`Clock`]): what is left of
//! the chance to have met none is multiplied with each draw, however the share moves meanwhile. So the chain of counts has
//! the law that single pages would give it; nothing is approximated but the rates of the pages of a bin
//! (`crate::workload::bins`).
//!
//! A page lies in one instance of the buffer pool for good, so the clean and the missing pages of a bin are counted by instance
//! too: where more of them are dirty, fewer become so.
//!
//! A page gets a handle when its state begins to matter to somebody: as it becomes dirty (for the flush list), or is read. A
//! handle names the bin and the instance; its other bits are a number that tells pages in flight apart, and say where in the
//! instance the page lies (file, extent). Simplifications: each time it is another extent; how long ago a page under write was
//! last modified is drawn by its rate, for the write-ahead rule.

use crate::kernel::random::Rng;
use crate::kernel::sampler::StandardExponential;

/// Bit of all handles of counted pages.
const COUNTED: u32 = 1 << 31;
/// Bits of a handle below that of the bin: the instance, then a number.
const INSTANCE_BITS: u32 = 6;
const SERIAL_BITS: u32 = 14;
const SERIAL_MASK: u32 = (1 << SERIAL_BITS) - 1;
const BIN_SHIFT: u32 = SERIAL_BITS + INSTANCE_BITS;
/// Weight of a draw: the sum over all pages of a class.
const WHOLE: f64 = (1u64 << 62) as f64;
/// Parts of a class whose weights are summed up together, and sums that are.
const BLOCK: usize = 16;
/// Most instances, as a handle has room for.
pub(crate) const MOST_INSTANCES: u32 = 1 << INSTANCE_BITS;

/// Whether a page handle stands for a counted page.
#[inline]
pub(crate) fn is_counted(page: u32) -> bool {
    page & COUNTED != 0
}

/// The bin of a counted page.
#[inline]
pub(crate) fn bin_of(page: u32) -> u16 {
    ((page & !COUNTED) >> BIN_SHIFT) as u16
}

/// The instance of a counted page.
#[inline]
pub(super) fn instance_of(page: u32) -> usize {
    (page >> SERIAL_BITS & (MOST_INSTANCES - 1)) as usize
}

/// Where a counted page lies in its instance: 32 bits that are as good as random, each handle's own (the finalizer of MurmurHash3, public
/// domain).
#[inline]
pub(super) fn place_of(page: u32) -> u32 {
    let mut place = page ^ page >> 16;
    place = place.wrapping_mul(0x85eb_ca6b);
    place ^= place >> 13;
    place = place.wrapping_mul(0xc2b2_ae35);
    place ^ place >> 16
}

/// Pages that are drawn equally often.
#[derive(Debug, Clone)]
pub struct Bin {
    /// How many.
    pub pages: u64,
    /// How many are in the buffer pool at the start.
    pub resident: u64,
    /// Their tablespaces.
    pub spaces: Vec<u32>,
    /// Redo between two modifications of one of them, bytes; infinite if none is modified.
    pub bytes_between_modifications: f64,
}

/// A part of a class: a bin, and how often one of its pages is drawn.
#[derive(Debug, Clone, Copy)]
struct Part {
    bin: u16,
    weight: u64,
}

/// When the next draw meets something.
#[derive(Debug, Clone, Copy)]
struct Clock {
    /// Chance to have met nothing in all draws since the last that did.
    left: f64,
    /// It has fallen below this when a draw meets something.
    limit: f64,
}

/// A way of drawing from bins.
#[derive(Debug, Clone)]
pub struct BinClass {
    parts: Vec<Part>,
    /// Weight of the pages that are not hot, and of those that are missing, in all and by block.
    cold: Weights,
    missing: Weights,
    /// For modifications, which meet what is not hot, and for reads, which meet what is missing.
    clocks: [Clock; 2],
    homes: Option<Homes>,
}

/// How many of its pages each home has had read, of a class that reads the same pages whenever it is at the same home. They
/// are in memory since; so all that are missing are those of other homes, and are met the more often there.
#[derive(Debug, Clone)]
pub struct Homes {
    /// By home.
    read: Vec<u16>,
    /// Pages of a home, and how many have been read, of all homes.
    pages: u32,
    all_read: u64,
}

impl Homes {
    /// None has been read yet, of `homes` homes with `pages` pages each.
    pub fn new(homes: u32, pages: u32) -> Self {
        Homes { read: vec![0; homes as usize], pages: pages.clamp(1, u32::from(u16::MAX)), all_read: 0 }
    }
}

/// Weights of the parts of a class summed up: all, in blocks, and in blocks of blocks.
#[derive(Debug, Clone)]
struct Weights {
    all: u64,
    blocks: Vec<u64>,
    upper: Vec<u64>,
}

impl Weights {
    fn none(parts: usize) -> Self {
        let blocks = parts.div_ceil(BLOCK);
        Weights { all: 0, blocks: vec![0; blocks], upper: vec![0; blocks.div_ceil(BLOCK)] }
    }

    #[inline]
    fn add(&mut self, part: u32, weight: u64) {
        self.all += weight;
        self.blocks[part as usize / BLOCK] += weight;
        self.upper[part as usize / BLOCK / BLOCK] += weight;
    }

    #[inline]
    fn remove(&mut self, part: u32, weight: u64) {
        self.all -= weight;
        self.blocks[part as usize / BLOCK] -= weight;
        self.upper[part as usize / BLOCK / BLOCK] -= weight;
    }

    /// The first part of the block in which a place below `all` lies, and the place within the block.
    #[inline]
    fn block_of(&self, mut at: u64) -> (usize, u64) {
        let mut passed = |sums: &[u64]| {
            let mut number = 0;
            while at >= sums[number] {
                at -= sums[number];
                number += 1;
            }
            number
        };
        let upper = passed(&self.upper);
        let block = upper * BLOCK + passed(&self.blocks[upper * BLOCK..]);
        (block * BLOCK, at)
    }
}

impl BinClass {
    /// A class that draws one of the pages of each bin in the list with the given probability; they are made to sum up to
    /// `all`, from 0 to 1. A draw that comes to none of them meets nothing.
    pub fn new(list: &[(u16, f64)], all: f64, homes: Option<Homes>, bins: &[Bin]) -> Self {
        let listed: f64 = list.iter().map(|&(bin, probability)| bins[bin as usize].pages as f64 * probability).sum();
        let scale = all / listed * WHOLE;
        let part = |&(bin, probability): &(u16, f64)| Part { bin, weight: (probability * scale) as u64 };
        let parts: Vec<Part> = list.iter().map(part).filter(|part| part.weight > 0).collect();
        let none = Weights::none(parts.len());
        let clock = Clock { left: 1.0, limit: 0.0 };
        BinClass { parts, cold: none.clone(), missing: none, clocks: [clock; 2], homes }
    }

    /// Probability that a draw comes to one of the pages of a bin.
    pub fn probability_of(&self, bin: u16) -> f64 {
        self.parts.iter().filter(|part| part.bin == bin).map(|part| part.weight as f64 / WHOLE).sum()
    }
}

/// A bin's place in a class.
#[derive(Debug, Clone, Copy)]
struct Use {
    class: u16,
    part: u32,
    weight: u64,
}

/// Pages of a bin by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    missing: u64,
    /// Somebody is about to read it, or waits for it.
    reading: u64,
    clean: u64,
    hot: u64,
    under_write: u64,
    /// Writes of its pages so far.
    writes: u64,
}

/// What a draw meets that is not just a dirty page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetPage {
    /// A clean page of a bin, by its place among those that are clean.
    Clean {
        /// The bin.
        bin: u16,
        /// Which of them, from 0.
        nth: u64,
    },
    /// A page that is missing; somebody is reading it, or is about to from now on.
    Missing(u32),
    /// A page under write, one of so many of its bin.
    UnderWrite {
        /// The bin.
        bin: u16,
        /// Which of those that are under write, from 0.
        nth: u64,
    },
}

/// All bins.
#[derive(Debug, Clone)]
pub(crate) struct CountedPages {
    counts: Vec<Counts>,
    instances: usize,
    /// Clean and missing pages by bin and instance.
    clean: Vec<u32>,
    missing: Vec<u32>,
    classes: Vec<BinClass>,
    uses: Vec<Vec<Use>>,
    bytes_between: Vec<f64>,
    /// Handles of pages that are being read.
    reading: Vec<u32>,
    serial: u32,
    rng: Rng,
    exponential: StandardExponential,
}

impl CountedPages {
    /// Bins whose resident pages are clean, spread evenly over `instances` instances; `rng` draws what is met.
    pub(crate) fn new(bins: &[Bin], classes: Vec<BinClass>, instances: u32, rng: Rng) -> Self {
        // The page that is left over lies elsewhere for each bin.
        let by_instance = |pages: fn(&Bin) -> u64| {
            let share = move |(number, bin): (usize, &Bin)| {
                let (first, of, pages) = (number as u64, u64::from(instances), pages(bin));
                (0..of).map(move |i| share_of(pages, (i + first) % of, of) as u32)
            };
            bins.iter().enumerate().flat_map(share).collect::<Vec<u32>>()
        };
        let clean = by_instance(|bin| bin.resident);
        let missing = by_instance(|bin| bin.pages).iter().zip(&clean).map(|(all, clean)| all - clean).collect();
        let mut pages = CountedPages {
            instances: instances as usize,
            clean,
            missing,
            counts: bins.iter().map(|bin| Counts { missing: bin.pages, ..Counts::default() }).collect(),
            uses: vec![Vec::new(); bins.len()],
            bytes_between: bins.iter().map(|bin| bin.bytes_between_modifications).collect(),
            classes,
            reading: Vec::new(),
            serial: 0,
            rng,
            exponential: StandardExponential::new(),
        };
        for (class, of_class) in pages.classes.iter_mut().enumerate() {
            for (number, part) in of_class.parts.iter().enumerate() {
                let (all, part_number) = (part.weight * bins[usize::from(part.bin)].pages, number as u32);
                of_class.cold.add(part_number, all);
                of_class.missing.add(part_number, all);
                pages.uses[usize::from(part.bin)].push(Use {
                    class: class as u16,
                    part: part_number,
                    weight: part.weight,
                });
            }
            of_class.clocks.iter_mut().for_each(|clock| clock.limit = limit(&mut pages.rng));
        }
        for (bin, made) in bins.iter().enumerate() {
            pages.counts[bin].missing -= made.resident;
            pages.counts[bin].clean += made.resident;
            for of_bin in &pages.uses[bin] {
                pages.classes[usize::from(of_bin.class)].missing.remove(of_bin.part, of_bin.weight * made.resident);
            }
        }
        pages
    }

    /// Whether there is none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Pages in all bins, in the buffer pool or not.
    pub(crate) fn pages(&self) -> u64 {
        self.counts.iter().map(|c| c.missing + c.reading + c.clean + c.hot + c.under_write).sum()
    }

    /// Pages that are clean.
    pub(crate) fn clean(&self) -> u64 {
        self.counts.iter().map(|c| c.clean).sum()
    }

    /// Frames that the pages of an instance take.
    pub(crate) fn resident_in(&self, instance: usize) -> u64 {
        self.clean.iter().skip(instance).step_by(self.instances).map(|&pages| u64::from(pages)).sum()
    }

    /// Pages of an instance, in the buffer pool or not.
    pub(crate) fn pages_in(&self, instance: usize) -> u64 {
        let missing = self.missing.iter().skip(instance).step_by(self.instances);
        self.resident_in(instance) + missing.map(|&pages| u64::from(pages)).sum::<u64>()
    }

    /// The clean page of a number, counted through all bins.
    pub(crate) fn nth_clean(&self, mut nth: u64) -> Option<(u16, u64)> {
        for (bin, counts) in self.counts.iter().enumerate() {
            if nth < counts.clean {
                return Some((bin as u16, nth));
            }
            nth -= counts.clean;
        }
        None
    }

    /// Whether reads of a class meet nothing but pages in the buffer pool.
    #[inline]
    pub(crate) fn is_resident(&self, class: u16) -> bool {
        self.classes[usize::from(class)].missing.all == 0
    }

    /// The first `draws` pages of a home are read: how many of them are read for the first time, and how many times as often as
    /// any page of the class those are missing. The home is a fraction of 2^64.
    #[inline]
    pub(crate) fn read_at_home(&mut self, class: u16, home: u64, draws: u32) -> (u32, f64) {
        let Some(homes) = &mut self.classes[usize::from(class)].homes else { return (draws, 1.0) };
        let number = (u128::from(home) * homes.read.len() as u128) >> 64;
        let read = &mut homes.read[number as usize];
        let draws = draws.min(homes.pages);
        let new = draws.saturating_sub(u32::from(*read));
        if new == 0 {
            return (0, 1.0);
        }
        *read = draws as u16;
        let all = u64::from(homes.pages) * homes.read.len() as u64;
        let left = (all - homes.all_read) as f64;
        homes.all_read += u64::from(new);
        (new, all as f64 / left)
    }

    /// How many of `draws` pass before one meets something other than a hot page (`modify`), or a page in the pool (reads);
    /// all of them, if none does. It meets one `times` as often as any draw of the class.
    #[inline]
    pub(crate) fn pass(&mut self, class: u16, modify: bool, draws: u32, times: f64) -> u32 {
        let class = &mut self.classes[usize::from(class)];
        let weight = if modify { class.cold.all } else { class.missing.all };
        if weight == 0 {
            return draws;
        }
        let clock = &mut class.clocks[usize::from(!modify)];
        let stays = (1.0 - weight as f64 / WHOLE * times).max(0.0);
        let left = clock.left * power(stays, draws);
        if left > clock.limit {
            clock.left = left;
            return draws;
        }
        // One of them meets something: the first after which the chance has fallen far enough, at the latest the last.
        for passed in 0..draws - 1 {
            clock.left *= stays;
            if clock.left <= clock.limit {
                return passed;
            }
        }
        draws - 1
    }

    /// What the draw meets at which [`CountedPages::pass`] stopped.
    pub(crate) fn meet(&mut self, class: u16, modify: bool) -> MetPage {
        let number = usize::from(class);
        let limit = limit(&mut self.rng);
        self.classes[number].clocks[usize::from(!modify)] = Clock { left: 1.0, limit };
        let all = self.weights(number, modify).all;
        let at = self.rng.below_u64(all);
        let (bin, nth) = self.find(number, modify, at);
        self.met(bin, nth)
    }

    fn weights(&self, class: usize, modify: bool) -> &Weights {
        let class = &self.classes[class];
        if modify { &class.cold } else { &class.missing }
    }

    /// The bin at a place among the weights of a class, and the number of the page there among those that count.
    fn find(&self, class: usize, modify: bool, at: u64) -> (u16, u64) {
        let (first, mut at) = self.weights(class, modify).block_of(at);
        for part in &self.classes[class].parts[first..] {
            let counts = &self.counts[usize::from(part.bin)];
            let absent = counts.missing + counts.reading;
            let weight = part.weight * if modify { absent + counts.clean + counts.under_write } else { absent };
            if at < weight {
                return (part.bin, at / part.weight);
            }
            at -= weight;
        }
        unreachable!("the weights of the blocks are those of their parts")
    }

    /// The page of a number among those of a bin that are not hot.
    fn met(&mut self, bin: u16, nth: u64) -> MetPage {
        let counts = self.counts[usize::from(bin)];
        let mut nth = nth;
        if nth < counts.missing {
            return MetPage::Missing(self.begin_reading(bin, nth));
        }
        nth -= counts.missing;
        if nth < counts.reading {
            let read = self.reading.iter().filter(|&&page| bin_of(page) == bin).nth(nth as usize);
            return MetPage::Missing(*read.expect("as many pages are being read as are counted"));
        }
        nth -= counts.reading;
        if nth < counts.clean {
            MetPage::Clean { bin, nth }
        } else {
            MetPage::UnderWrite { bin, nth: nth - counts.clean }
        }
    }

    /// A handle for a page of a bin in an instance.
    #[inline]
    fn handle(&mut self, bin: u16, instance: usize) -> u32 {
        self.serial = self.serial.wrapping_add(1);
        COUNTED | u32::from(bin) << BIN_SHIFT | (instance as u32) << SERIAL_BITS | (self.serial & SERIAL_MASK)
    }

    /// Of pages of a bin, counted by instance, the instance of the one of a number.
    #[inline]
    fn instance_at(by_instance: &[u32], mut nth: u64) -> usize {
        for (instance, &pages) in by_instance.iter().enumerate() {
            if nth < u64::from(pages) {
                return instance;
            }
            nth -= u64::from(pages);
        }
        unreachable!("the pages of the instances are those of the bin")
    }

    /// Places of a bin among the counts by instance.
    #[inline]
    fn places(&self, bin: u16) -> std::ops::Range<usize> {
        let first = usize::from(bin) * self.instances;
        first..first + self.instances
    }

    /// True with a probability of `share`.
    pub(crate) fn happens(&mut self, share: f64) -> bool {
        self.rng.uniform_f64() < share
    }

    /// A handle that stands for some page of a class.
    pub(crate) fn somewhere_in(&mut self, class: u16) -> u32 {
        let parts = &self.classes[usize::from(class)].parts;
        let serial = self.serial as usize;
        let bin = parts.get(serial % parts.len().max(1)).map_or(0, |part| part.bin);
        self.handle(bin, serial % self.instances)
    }

    fn begin_reading(&mut self, bin: u16, nth: u64) -> u32 {
        let places = self.places(bin);
        let instance = Self::instance_at(&self.missing[places.clone()], nth);
        self.missing[places.start + instance] -= 1;
        let page = self.handle(bin, instance);
        let counts = &mut self.counts[usize::from(bin)];
        (counts.missing, counts.reading) = (counts.missing - 1, counts.reading + 1);
        self.reading.push(page);
        page
    }

    /// Whether a page is still being read, or waits for that.
    pub(crate) fn is_reading(&self, page: u32) -> bool {
        self.reading.contains(&page)
    }

    /// A page that was being read is in the buffer pool.
    pub(crate) fn arrived(&mut self, page: u32) {
        let Some(place) = self.reading.iter().position(|&read| read == page) else { return };
        self.reading.swap_remove(place);
        let bin = usize::from(bin_of(page));
        let counts = &mut self.counts[bin];
        (counts.reading, counts.clean) = (counts.reading - 1, counts.clean + 1);
        self.clean[bin * self.instances + instance_of(page)] += 1;
        for of_bin in &self.uses[bin] {
            self.classes[usize::from(of_bin.class)].missing.remove(of_bin.part, of_bin.weight);
        }
    }

    /// The clean page of a number of its bin becomes hot: its handle.
    #[inline]
    pub(crate) fn becomes_hot(&mut self, bin: u16, nth: u64) -> u32 {
        let places = self.places(bin);
        let instance = Self::instance_at(&self.clean[places], nth);
        self.becomes_hot_in(bin, instance)
    }

    /// A page that was read, or written, becomes hot: its handle, or `None` if no page of its bin and instance is clean.
    pub(crate) fn this_becomes_hot(&mut self, page: u32) -> Option<u32> {
        let (bin, instance) = (bin_of(page), instance_of(page));
        let place = self.places(bin).start + instance;
        (self.clean[place] > 0).then(|| self.becomes_hot_in(bin, instance))
    }

    #[inline]
    fn becomes_hot_in(&mut self, bin: u16, instance: usize) -> u32 {
        self.clean[usize::from(bin) * self.instances + instance] -= 1;
        let counts = &mut self.counts[usize::from(bin)];
        (counts.clean, counts.hot) = (counts.clean - 1, counts.hot + 1);
        for of_bin in &self.uses[usize::from(bin)] {
            self.classes[usize::from(of_bin.class)].cold.remove(of_bin.part, of_bin.weight);
        }
        self.handle(bin, instance)
    }

    /// A hot page is under write.
    #[inline]
    pub(crate) fn begin_write(&mut self, page: u32) {
        let bin = usize::from(bin_of(page));
        let counts = &mut self.counts[bin];
        (counts.hot, counts.under_write) = (counts.hot - 1, counts.under_write + 1);
        for of_bin in &self.uses[bin] {
            self.classes[usize::from(of_bin.class)].cold.add(of_bin.part, of_bin.weight);
        }
    }

    /// The write of a page is done: it is clean.
    #[inline]
    pub(crate) fn written(&mut self, page: u32) {
        let bin = usize::from(bin_of(page));
        let counts = &mut self.counts[bin];
        (counts.under_write, counts.clean) = (counts.under_write - 1, counts.clean + 1);
        counts.writes += 1;
        self.clean[bin * self.instances + instance_of(page)] += 1;
    }

    /// The end of the newest modification of those among `pages` that are counted, as far as it lies above `durable_lsn`, in
    /// a log that ends at `current_lsn`; 0 if there is none.
    pub(crate) fn newest_above(&mut self, pages: &[u32], durable_lsn: u64, current_lsn: u64) -> u64 {
        let window = (current_lsn - durable_lsn) as f64;
        if window == 0.0 {
            return 0;
        }
        let mut newest = 0;
        for &page in pages.iter().filter(|&&page| is_counted(page)) {
            let back = self.exponential.sample(&mut self.rng) * self.bytes_between[usize::from(bin_of(page))];
            if back < window {
                newest = newest.max(current_lsn - back as u64);
            }
        }
        newest
    }

    /// Clean pages that redo of `window_bytes` up to now touches, in the mean: they have been written since.
    ///
    /// Where pages are written as they have been dirty for as long as that redo, a page that is clean was last modified some
    /// time before its write, and has not been since, both exponential: their sum is shorter than the window with the chance
    /// of an Erlang distribution of two stages. There are no more of them than writes were made.
    pub(crate) fn clean_but_touched(&self, window_bytes: u64) -> u64 {
        let of_bin = |(counts, between): (&Counts, &f64)| {
            let modifications = window_bytes as f64 / between;
            let touched = 1.0 - libm::exp(-modifications) * (1.0 + modifications);
            (counts.clean as f64 * touched).min(counts.writes as f64)
        };
        self.counts.iter().zip(&self.bytes_between).map(of_bin).sum::<f64>() as u64
    }

    /// Pages that are hot and pages that are under write.
    pub(crate) fn count_dirty(&self) -> (u64, u64) {
        self.counts.iter().fold((0, 0), |(hot, writing), c| (hot + c.hot, writing + c.under_write))
    }

    /// Adds everything up anew and says what is wrong, if anything.
    pub(crate) fn check(&self) -> Result<(), String> {
        let reading: u64 = self.counts.iter().map(|c| c.reading).sum();
        if reading != self.reading.len() as u64 {
            return Err(format!("{reading} counted pages are being read, {} are listed", self.reading.len()));
        }
        for (bin, counts) in self.counts.iter().enumerate() {
            let sum = |pages: &[u32]| pages[self.places(bin as u16)].iter().map(|&pages| u64::from(pages)).sum::<u64>();
            if (sum(&self.clean), sum(&self.missing)) != (counts.clean, counts.missing) {
                return Err(format!("bin {bin}: {counts:?}, but the instances hold others"));
            }
        }
        for (number, class) in self.classes.iter().enumerate() {
            let sum = |of: fn(&Counts) -> u64| -> u64 {
                class.parts.iter().map(|part| part.weight * of(&self.counts[usize::from(part.bin)])).sum()
            };
            let cold = sum(|c| c.missing + c.reading + c.clean + c.under_write);
            let missing = sum(|c| c.missing + c.reading);
            for (what, weights, counted) in [("not hot", &class.cold, cold), ("missing", &class.missing, missing)] {
                if weights.all != counted || weights.blocks.iter().sum::<u64>() != counted {
                    return Err(format!("class {number}: pages that are {what} weigh {counted}, not {}", weights.all));
                }
            }
        }
        Ok(())
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        let parts: usize =
            self.classes.iter().map(|class| class.parts.len() * (size_of::<Part>() + size_of::<Use>())).sum();
        (parts + self.counts.len() * (size_of::<Counts>() + 8 + 8 * self.instances)) as u64
    }
}

/// A number multiplied with itself so many times, by squares; the same bits everywhere.
#[inline]
fn power(number: f64, mut times: u32) -> f64 {
    let (mut product, mut square) = (1.0, number);
    while times > 0 {
        if times & 1 == 1 {
            product *= square;
        }
        square *= square;
        times >>= 1;
    }
    product
}

/// Share of some pages that are spread evenly over all instances.
pub(super) fn share_of(pages: u64, instance: u64, instances: u64) -> u64 {
    pages / instances + u64::from(instance < pages % instances)
}

/// A uniform number in (0, 1].
fn limit(rng: &mut Rng) -> f64 {
    1.0 - rng.uniform_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn bin(pages: u64, resident: u64) -> Bin {
        Bin { pages, resident, spaces: vec![0], bytes_between_modifications: 1000.0 }
    }

    fn pages(bins: &[Bin], classes: &[&[(u16, f64)]]) -> CountedPages {
        let classes = classes.iter().map(|list| BinClass::new(list, 1.0, None, bins)).collect();
        CountedPages::new(bins, classes, 3, Rng::stream(11, 0, "counted"))
    }

    /// Makes a modification: the handle of the page that became dirty, if one did.
    fn modify(pages: &mut CountedPages) -> Option<u32> {
        if pages.pass(0, true, 1, 1.0) == 1 {
            return None;
        }
        match pages.meet(0, true) {
            MetPage::Clean { bin, nth } => Some(pages.becomes_hot(bin, nth)),
            met => unreachable!("{met:?} where all pages are resident and none is written"),
        }
    }

    /// Each modification draws one of N pages; after it, with probability q, the oldest dirty page is written. The number
    /// of dirty pages is a birth and death chain, whose law is known exactly.
    #[test]
    fn a_tiny_system_has_the_law_of_its_markov_chain() {
        const N: usize = 6;
        const Q: f64 = 0.3;
        let up = |dirty: usize| (N - dirty) as f64 / N as f64;
        // Balance between d and d + 1: up without a write, down by a write without a new dirty page.
        let mut law = [1.0; N + 1];
        for d in 0..N {
            law[d + 1] = law[d] * (up(d) * (1.0 - Q)) / ((1.0 - up(d + 1)) * Q);
        }
        let all: f64 = law.iter().sum();
        let mut counted = pages(&[bin(N as u64, N as u64)], &[&[(0, 1.0 / N as f64)]]);
        let mut rng = Rng::stream(12, 0, "writes");
        let (mut list, mut seen, steps) = (VecDeque::new(), [0u64; N + 1], 400_000);
        for _ in 0..steps {
            list.extend(modify(&mut counted));
            if rng.uniform_f64() < Q
                && let Some(page) = list.pop_front()
            {
                counted.begin_write(page);
                counted.written(page);
            }
            seen[list.len()] += 1;
        }
        for (dirty, &times) in seen.iter().enumerate() {
            let (share, exact) = (times as f64 / f64::from(steps), law[dirty] / all);
            // Neighbouring steps are alike: ten times fewer independent ones.
            let error = (exact * (1.0 - exact) / f64::from(steps) * 10.0).sqrt();
            assert!((share - exact).abs() < 4.0 * error + 1e-6, "{dirty} dirty: {share}, exactly {exact}");
        }
        counted.check().unwrap();
    }

    /// Two bins, of which one is drawn nine times as often: by which a modification makes a page dirty.
    #[test]
    fn pages_are_met_as_often_as_they_are_drawn() {
        let bins = [bin(1_000, 1_000), bin(9_000, 9_000)];
        let mut counted = pages(&bins, &[&[(0, 0.0005), (1, 0.5 / 9_000.0)]]);
        let draws = 4_000;
        let dirty: Vec<u32> = (0..draws).filter_map(|_| modify(&mut counted)).collect();
        for (number, pages, probability) in [(0, 1_000.0, 0.0005), (1, 9_000.0, 0.5 / 9_000.0)] {
            let became = dirty.iter().filter(|&&page| bin_of(page) == number).count() as f64;
            let expected = pages * (1.0 - libm::pow(1.0 - probability, f64::from(draws)));
            assert!((became - expected).abs() < 4.0 * expected.sqrt(), "bin {number}: {became}, expected {expected}");
        }
        counted.check().unwrap();
    }

    #[test]
    fn a_missing_page_is_read_once_and_then_clean() {
        let mut counted = pages(&[bin(1, 0)], &[&[(0, 1.0)]]);
        assert!(!counted.is_resident(0));
        assert_eq!(counted.pass(0, false, 5, 1.0), 0);
        let MetPage::Missing(page) = counted.meet(0, false) else { panic!("nothing else is there") };
        assert_eq!(counted.meet(0, true), MetPage::Missing(page), "the same page, by another client");
        assert!(counted.is_reading(page));
        counted.arrived(page);
        assert!(!counted.is_reading(page) && counted.is_resident(0));
        assert_eq!((counted.pass(0, false, 5, 1.0), counted.meet(0, true)), (5, MetPage::Clean { bin: 0, nth: 0 }));
        let dirty = counted.this_becomes_hot(page).unwrap();
        assert_eq!((counted.this_becomes_hot(page), counted.pass(0, true, 9, 1.0)), (None, 9));
        counted.begin_write(dirty);
        assert_eq!(counted.meet(0, true), MetPage::UnderWrite { bin: 0, nth: 0 });
        counted.written(dirty);
        assert_eq!(counted.meet(0, true), MetPage::Clean { bin: 0, nth: 0 });
        counted.check().unwrap();
    }

    #[test]
    fn a_home_reads_its_pages_once() {
        let bins = [bin(40, 0)];
        let class = BinClass::new(&[(0, 1.0 / 40.0)], 1.0, Some(Homes::new(4, 10)), &bins);
        let mut counted = CountedPages::new(&bins, vec![class], 1, Rng::stream(11, 0, "homes"));
        let at = |home: u64| home << 62;
        assert_eq!(counted.read_at_home(0, at(1), 6), (6, 1.0));
        assert_eq!(counted.read_at_home(0, at(1), 6), (0, 1.0));
        assert_eq!(counted.read_at_home(0, at(1), 10), (4, 40.0 / 34.0));
        assert_eq!(counted.read_at_home(0, at(3), 12), (10, 40.0 / 30.0));
    }

    #[test]
    fn redo_that_a_batch_waits_for_follows_from_the_rate_of_its_pages() {
        let mut counted = pages(&[bin(100, 100)], &[&[(0, 0.01)]]);
        let hot = [counted.becomes_hot(0, 0)];
        let waits = (0..20_000).filter(|_| counted.newest_above(&hot, 5_000, 5_500) > 0).count() as f64 / 20_000.0;
        // 500 bytes of redo, one modification each 1000.
        assert!((waits - (1.0 - libm::exp(-0.5))).abs() < 0.012, "{waits}");
        assert_eq!(counted.newest_above(&hot, 5_000, 5_000), 0, "all redo is durable");
        assert_eq!(counted.newest_above(&[7], 0, 5_000), 0, "a page that is not counted");
    }
}
