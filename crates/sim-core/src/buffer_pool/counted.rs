//! Pages of one rate, counted instead of kept one by one.
//!
//! A bin ([`Bin`]) holds pages that every class draws equally often: which of them is dirty makes no difference, so their
//! states are five counts. A touch of a page that is dirty and not under write changes nothing but redo; only touches that
//! meet something else are drawn. The share of such pages, weighted by how often they are drawn, is kept up to date for each
//! way of drawing ([`BinClass`]), and a clock says after how many draws the next comes, however the share moves meanwhile. So
//! the chain of counts has the law that single pages would give it; nothing is approximated but the rates of the pages of a
//! bin (`crate::workload::bins`).
//!
//! A page lies in one instance of the buffer pool for good, so the clean and the missing pages of a bin are counted by instance
//! too: where more of them are dirty, fewer become so.
//!
//! A page gets a handle when its state begins to matter to somebody: as it becomes dirty (for the flush list), or is read. A
//! handle names the bin and the instance; its other bits are a number that tells pages in flight apart, and say where in the
//! instance the page lies (file, extent). What a transaction draws at its home lies in the file of that home, for it draws from
//! one copy of the tables ([`File`]): batches of such pages have fewer files to sync. Simplifications: each time it is another
//! extent of the file; two pages of a transaction that lie in one share the instance, and not the I/O thread (errs towards
//! batches that concern more threads, where most pages are clean); how long ago a page under write was last modified is drawn
//! by its rate, for the write-ahead rule.

mod class;
mod figures;
mod handles;
mod homes;
mod meeting;
#[cfg(test)]
mod tests;
mod waits;
mod weights;

pub use class::BinClass;
#[cfg(test)]
pub(super) use handles::handle;
pub(crate) use handles::{MOST_INSTANCES, bin_of, is_counted};
pub(super) use handles::{file_of, instance_of, place_of};
pub use homes::Homes;
pub(crate) use meeting::{MetAgain, MetPage};

use crate::kernel::random::Rng;
use crate::kernel::sampler::StandardExponential;
use class::Part;
use waits::Waits;

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
    /// Whether they are freed by the time that a flush comes to them.
    pub freed: bool,
}

/// A bin's place in a class.
#[derive(Debug, Clone, Copy)]
struct Use {
    class: u16,
    part: u32,
    weight: u64,
}

/// The file of a page, of those of its bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum File {
    /// Any.
    Any,
    /// That of the home, a fraction of 2^64, of who comes to the page: its transaction draws from one copy of the tables.
    OfHome(u64),
    /// That of another page.
    SameAs(u32),
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

impl Counts {
    /// The resident pages are clean.
    fn at_start(bin: &Bin) -> Self {
        Counts { missing: bin.pages - bin.resident, clean: bin.resident, ..Counts::default() }
    }
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
    freed: Vec<bool>,
    /// Files of each bin.
    files: Vec<usize>,
    /// Handles of pages that are being read.
    reading: Vec<u32>,
    waits: Waits,
    /// Writes of pages so far.
    writes: u64,
    serial: u32,
    /// The class and the home of the last page that was drawn at a home, and its instance.
    last_at_home: Option<(u16, u64, usize)>,
    rng: Rng,
    exponential: StandardExponential,
}

impl CountedPages {
    /// Bins whose resident pages are clean. Of each bin the pages lie in `instances` instances as these have a `weight` for it, and
    /// of those in each the same share is resident; `rng` draws what is met.
    pub(crate) fn new(
        bins: &[Bin],
        classes: Vec<BinClass>,
        instances: u32,
        weight: &dyn Fn(usize, usize) -> u64,
        rng: Rng,
    ) -> Self {
        let (mut clean, mut missing) = (Vec::new(), Vec::new());
        for (number, bin) in bins.iter().enumerate() {
            let weights: Vec<u64> = (0..instances as usize).map(|instance| weight(number, instance)).collect();
            let all = dealt(bin.pages, &weights, number);
            let resident = dealt(bin.resident, &all, number);
            missing.extend(all.iter().zip(&resident).map(|(all, resident)| (all - resident) as u32));
            clean.extend(resident.into_iter().map(|pages| pages as u32));
        }
        let mut pages = CountedPages {
            instances: instances as usize,
            clean,
            missing,
            counts: bins.iter().map(Counts::at_start).collect(),
            uses: vec![Vec::new(); bins.len()],
            bytes_between: bins.iter().map(|bin| bin.bytes_between_modifications).collect(),
            freed: bins.iter().map(|bin| bin.freed).collect(),
            files: bins.iter().map(|bin| bin.spaces.len()).collect(),
            classes,
            reading: Vec::new(),
            waits: Waits::default(),
            writes: 0,
            serial: 0,
            last_at_home: None,
            rng,
            exponential: StandardExponential::new(),
        };
        for (class, of_class) in pages.classes.iter_mut().enumerate() {
            for (number, part) in of_class.parts.iter().enumerate() {
                let (bin, part_number) = (&bins[usize::from(part.bin)], number as u32);
                of_class.cold.add(part_number, part.weight * bin.pages);
                of_class.missing.add(part_number, part.weight * (bin.pages - bin.resident));
                pages.uses[usize::from(part.bin)].push(Use {
                    class: class as u16,
                    part: part_number,
                    weight: part.weight,
                });
            }
            of_class.clocks.iter_mut().for_each(|clock| clock.wind_up(limit(&mut pages.rng)));
        }
        pages
    }

    /// Whether there is none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Number of bins.
    pub(super) fn bins(&self) -> usize {
        self.counts.len()
    }

    /// Whether a page is freed by the time that a flush comes to it.
    #[inline]
    pub(crate) fn is_freed(&self, page: u32) -> bool {
        self.freed[usize::from(bin_of(page))]
    }

    /// Pages in all bins, in the buffer pool or not.
    pub(crate) fn pages(&self) -> u64 {
        self.counts.iter().map(|c| c.missing + c.reading + c.clean + c.hot + c.under_write).sum()
    }

    /// Pages that are clean.
    pub(crate) fn clean(&self) -> u64 {
        self.counts.iter().map(|c| c.clean).sum()
    }

    /// Writes of pages so far.
    pub(crate) fn writes(&self) -> u64 {
        self.writes
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
        let homes = &mut self.classes[usize::from(class)].homes;
        homes.as_mut().map_or((draws, 1.0), |homes| homes.read_at(home, draws))
    }

    /// A handle for a page of a bin in an instance, and in the file of which `file` makes a choice.
    #[inline]
    fn handle(&mut self, bin: u16, instance: usize, file: File) -> u32 {
        self.serial = self.serial.wrapping_add(1);
        let files = self.files[usize::from(bin)];
        let file = match file {
            File::Any => handles::any_file(self.serial, files),
            // The leading digit says which copy of the tables it is.
            File::OfHome(home) => ((u128::from(home) * files as u128) >> 64) as usize,
            File::SameAs(page) => file_of(page, files),
        };
        handles::handle(bin, instance, handles::number(self.serial, file, files))
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

    /// Place of a bin's pages in an instance among the counts by instance.
    #[inline]
    fn place(&self, bin: u16, instance: usize) -> usize {
        usize::from(bin) * self.instances + instance
    }

    /// Places of a bin among the counts by instance.
    #[inline]
    fn places(&self, bin: u16) -> std::ops::Range<usize> {
        self.place(bin, 0)..self.place(bin, self.instances)
    }

    /// True with a probability of `share`.
    fn happens(&mut self, share: f64) -> bool {
        self.rng.uniform_f64() < share
    }

    /// A handle that stands for some page of a class, as who is at a home draws it.
    pub(crate) fn somewhere_in(&mut self, class: u16, home: u64) -> u32 {
        let class = &self.classes[usize::from(class)];
        let (parts, file) = (&class.parts, class.file_at(home));
        let serial = self.serial as usize;
        let bin = parts.get(serial % parts.len().max(1)).map_or(0, |part| part.bin);
        self.handle(bin, serial % self.instances, file)
    }

    fn begin_reading(&mut self, bin: u16, nth: u64, file: File) -> u32 {
        let instance = Self::instance_at(&self.missing[self.places(bin)], nth);
        let place = self.place(bin, instance);
        self.missing[place] -= 1;
        let page = self.handle(bin, instance, file);
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
        let (bin, at) = (usize::from(bin_of(page)), self.place(bin_of(page), instance_of(page)));
        let counts = &mut self.counts[bin];
        (counts.reading, counts.clean) = (counts.reading - 1, counts.clean + 1);
        self.clean[at] += 1;
        for of_bin in &self.uses[bin] {
            self.classes[usize::from(of_bin.class)].missing.remove(of_bin.part, of_bin.weight);
        }
    }

    /// The clean page of a number of its bin becomes hot: its handle.
    #[inline]
    pub(crate) fn becomes_hot(&mut self, bin: u16, nth: u64, file: File) -> u32 {
        let instance = Self::instance_at(&self.clean[self.places(bin)], nth);
        self.becomes_hot_in(bin, instance, file)
    }

    /// A touch waits until a page is read, or written.
    pub(crate) fn wait_for(&mut self, page: u32) {
        self.waits.begin(page);
    }

    /// A touch has waited for a page: whether it is the first of those to `modify` it.
    pub(crate) fn waited_for(&mut self, page: u32, modify: bool) -> bool {
        self.waits.end(page, modify)
    }

    /// A page that was read, or written, becomes hot: its handle, or `None` if no page of its bin and instance is clean.
    pub(crate) fn this_becomes_hot(&mut self, page: u32) -> Option<u32> {
        let (bin, instance) = (bin_of(page), instance_of(page));
        (self.clean[self.place(bin, instance)] > 0).then(|| self.becomes_hot_in(bin, instance, File::SameAs(page)))
    }

    #[inline]
    fn becomes_hot_in(&mut self, bin: u16, instance: usize, file: File) -> u32 {
        let place = self.place(bin, instance);
        self.clean[place] -= 1;
        let counts = &mut self.counts[usize::from(bin)];
        (counts.clean, counts.hot) = (counts.clean - 1, counts.hot + 1);
        for of_bin in &self.uses[usize::from(bin)] {
            self.classes[usize::from(of_bin.class)].cold.remove(of_bin.part, of_bin.weight);
        }
        self.handle(bin, instance, file)
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
        let place = self.place(bin_of(page), instance_of(page));
        let counts = &mut self.counts[usize::from(bin_of(page))];
        (counts.under_write, counts.clean) = (counts.under_write - 1, counts.clean + 1);
        counts.writes += 1;
        self.writes += 1;
        self.clean[place] += 1;
    }
}

/// So many pages dealt out by weights. None gets more than a page beyond its share or less than a page below it, and which of
/// them get more differs from one `number` to the next.
fn dealt(pages: u64, weights: &[u64], number: usize) -> Vec<u64> {
    /// The golden ratio, of 2^32: multiples of it lie evenly between whole numbers.
    const TURN: u32 = 0x9e37_79b9;
    let all: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    let begin = (all * u128::from((number as u32).wrapping_mul(TURN))) >> u32::BITS;
    let (mut sum, mut before) = (begin, 0);
    let mut next = |&weight: &u64| {
        sum += u128::from(weight) * u128::from(pages);
        let up_to = (sum / all.max(1)) as u64;
        up_to - std::mem::replace(&mut before, up_to)
    };
    weights.iter().map(&mut next).collect()
}

/// A uniform number in (0, 1].
fn limit(rng: &mut Rng) -> f64 {
    1.0 - rng.uniform_f64()
}
