//! The load as a spectrum: pages of one rate, counted together.
//!
//! Pages that are drawn equally often, by every class that draws them, are exchangeable: nothing that is simulated depends
//! on which of them is dirty, only on how many. So the page sets whose classes draw keys (not places that move on) are cut
//! into *bins*, and [`crate::buffer_pool`] keeps counts for each. Pages that uniform draws, hot spots and homes touch fall
//! into bins of exactly one rate. Those of NURand, Zipf and Pareto have rates of their own, and a bin holds those whose
//! rates, in each class, differ by less than [`WIDTH`]; it takes their mean. With `W(L) = sum n (1 - exp(-r L))` distinct
//! pages in L bytes of redo that moves W by less than `WIDTH² / 12`, a part in 5000.
//!
//! A home (a warehouse of tpcc) is uniform and independent of what is dirty, so a draw at home meets a clean page as often as
//! a draw anywhere; but a transaction comes to a page of its home twice more often than to any other. Draws that come to a page
//! which the same transaction has drawn before meet nothing new, so a class is drawn with less than certainty. And where a
//! home has the same pages each time, who comes there again finds them in memory ([`Homes`]).
//!
//! Simplifications: the draws of a transaction are independent (pages of one home that are dirty together are met one by one:
//! the same in the mean, less uneven from transaction to transaction); a bin of `OfHome` pages is drawn with repetition;
//! pages that homes have scattered over them are drawn in layers ([`LAYERS`]), of which the last are drawn by those touches
//! only that draw many.

use super::access::AccessClass;
use super::spec::WorkloadSpec;
use crate::buffer_pool::{Bin, BinClass, Homes};
use std::collections::BTreeMap;

/// Width of a bin: the natural logarithm of the ratio of its largest to its smallest rate.
const WIDTH: f64 = 0.05;
/// Pages of a set that are looked at; of longer ones a sample, evenly spaced.
const SAMPLE: u32 = 1 << 15;
/// Constants of clients that are looked at for how often a transaction comes to a page twice.
const CONSTANTS: usize = 64;
/// Share of the pages of a set that are not told apart by how many homes have them.
const RARE: f64 = 3e-3;
/// Most bins, as a handle of a page has room for; wider bins are made if there would be more.
const MOST_BINS: usize = 2047;

/// Most shares of the pages of a set that are told apart by their homes.
const MOST_SHARES: usize = 128;
/// Layers of the scattered pages of a home: a touch that draws fewer of them than others draws the first.
pub(super) const LAYERS: u32 = 4;

/// How often a class draws the pages of one of its sets, relative to their mean.
#[derive(Debug, Clone)]
pub(super) enum PageLaw {
    /// All equally often.
    Flat,
    /// By their place in the set.
    ByPlace(Vec<Stretch>),
    /// By their place in each of equal parts of the set, whose pages are to begin at `part x len / parts`.
    InParts {
        /// Number of parts.
        parts: u32,
        /// Pages drawn in each, from its first on.
        first: u32,
    },
    /// By the keys that lie on them.
    ByKey(KeyLaw),
    /// Wherever they lie: shares of the pages with their rates, in this way of drawing and in those that follow as layers of
    /// the same.
    Scattered(Vec<(f64, Vec<f64>)>),
    /// As the law of the first layer says.
    LaterLayer,
}

/// Neighbouring pages of a set with the same rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    /// Place behind the last of them.
    pub(super) end: u32,
    /// Their rate, relative to the mean of the set.
    pub(super) rate: f64,
}

/// Keys in groups, laid in order over the pages of a set.
#[derive(Debug, Clone)]
pub(super) struct KeyLaw {
    /// Probabilities of the keys of a group up to each, from 0 to 1, for a constant of 0.
    pub(super) cumulative: Vec<f64>,
    /// Constants by which clients turn the keys.
    pub(super) constants: Vec<u32>,
    /// The same, as the mean over the clients.
    pub(super) mean_cumulative: Vec<f64>,
    /// Groups.
    pub(super) groups: u32,
    /// Pages a key, times 2^32.
    pub(super) pages_per_key_fixed: u64,
    /// Draws of a transaction from one group, its home; none if each draw picks its group.
    pub(super) at_home: Option<(u32, u32)>,
}

impl KeyLaw {
    /// Probability that a draw comes to a page, for the first time in its transaction.
    fn of_page(&self, page: u32) -> f64 {
        let range = self.cumulative.len() as u64 - 1;
        let first_key = |page: u64| (page << 32).div_ceil(self.pages_per_key_fixed.max(1));
        let keys = range * u64::from(self.groups);
        let (mut from, to) = (first_key(u64::from(page)).min(keys), first_key(u64::from(page) + 1).min(keys));
        let mut probability = 0.0;
        while from < to {
            let end = to.min((from / range + 1) * range);
            let first = (from % range) as usize;
            probability += self.of_keys(first, first + (end - from) as usize);
            from = end;
        }
        probability / f64::from(self.groups)
    }

    /// The same for keys of one group.
    fn of_keys(&self, from: usize, to: usize) -> f64 {
        let mean = self.mean_cumulative[to] - self.mean_cumulative[from];
        let Some((fewest, most)) = self.at_home.filter(|&(_, most)| most > 1) else { return mean };
        let range = self.cumulative.len() - 1;
        let up_to = |key: usize| (key / range) as f64 + self.cumulative[key % range];
        let (mut all, mut first_times) = (0.0, 0.0);
        for &constant in self.constants.iter().take(CONSTANTS) {
            let turned = range - constant as usize % range;
            let each = up_to(to + turned) - up_to(from + turned);
            all += each;
            first_times += first_draws(each, fewest, most);
        }
        if all > 0.0 { mean * first_times / all } else { mean }
    }
}

/// Of the draws of a page that is drawn with a probability, `fewest` to `most` times a transaction, those that are the
/// transaction's first, as a probability of each draw.
fn first_draws(probability: f64, fewest: u32, most: u32) -> f64 {
    let (mut never, mut visits) = (1.0, 0.0);
    for draws in 1..=most {
        never *= 1.0 - probability;
        if draws >= fewest {
            visits += 1.0 - never;
        }
    }
    visits / f64::from(most - fewest + 1) / (f64::from(fewest + most) / 2.0)
}

impl PageLaw {
    /// The rate of a page, relative to the mean of its set; 1 where the place says nothing.
    pub(super) fn at(&self, page: u32, pages: u32) -> f64 {
        match self {
            PageLaw::Flat | PageLaw::Scattered(_) | PageLaw::LaterLayer => 1.0,
            PageLaw::ByPlace(stretches) => {
                let stretch = stretches.partition_point(|stretch| stretch.end <= page);
                stretches.get(stretch).map_or(0.0, |stretch| stretch.rate)
            }
            PageLaw::InParts { parts, first } => {
                let start = |part: u64| part * u64::from(pages) / u64::from(*parts);
                let mut part = u64::from(page) * u64::from(*parts) / u64::from(pages);
                while start(part + 1) <= u64::from(page) {
                    part += 1;
                }
                let own = (start(part + 1) - start(part)).max(1);
                let drawn = u64::from(*first).min(own);
                let place = u64::from(page) - start(part);
                // Who draws more pages than there are goes round: it comes to none for the first time then.
                if place < drawn { f64::from(pages) / f64::from(*parts) / f64::from((*first).max(1)) } else { 0.0 }
            }
            PageLaw::ByKey(keys) => keys.of_page(page) * f64::from(pages),
        }
    }
}

/// A way of drawing: a class, and for the pages of a home which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Draws {
    /// Index of the access class.
    pub(super) class: u32,
    /// Fewest and most draws of a transaction, where the pages depend on them; 0 otherwise.
    pub(super) fewest: u32,
    /// See `fewest`.
    pub(super) most: u32,
    /// Which layer of the pages of a home, and of how many.
    pub(super) layer: u32,
    /// See `layer`.
    pub(super) layers: u32,
}

impl Draws {
    /// Most draws of the layer.
    fn of_layer(&self) -> u32 {
        self.most.div_ceil(self.layers)
    }
}

/// Some pages of one rate while bins are being made.
#[derive(Debug, Clone, Default)]
struct Cell {
    pages: f64,
    resident: f64,
    by_instance: Vec<f64>,
    spaces: Vec<u32>,
    /// Whether its pages are freed before their turn.
    freed: bool,
    /// Sums over the pages of the probability that a draw comes to it, by way of drawing.
    probabilities: Vec<f64>,
}

impl Cell {
    /// A share of the pages of a set belongs to it, the same in each instance.
    fn add_by_instance(&mut self, share: f64, of_set: &[u64]) {
        self.by_instance.resize(self.by_instance.len().max(of_set.len()), 0.0);
        self.by_instance.iter_mut().zip(of_set).for_each(|(own, &pages)| *own += share * pages as f64);
    }
}

/// Cells by their rates: for each way of drawing the logarithm of the probability, in widths; then whether its pages are freed
/// before their turn.
type Cells = BTreeMap<Vec<i32>, Cell>;

/// Pages of one rate each, and how they are drawn.
#[derive(Debug, Clone, Default)]
pub struct Bins {
    /// The bins.
    pub bins: Vec<Bin>,
    /// The ways of drawing from them.
    pub classes: Vec<BinClass>,
    /// How the pages of each bin lie in the instances of the buffer pool: shares of 2^32.
    pub by_instance: Vec<Vec<u64>>,
}

/// All pages of a bin, in [`Bins::by_instance`].
const WHOLE: f64 = (1u64 << 32) as f64;

/// Cuts the page sets that `counted` has, by instance, into bins, for all `ways` of drawing from them.
pub(super) fn cut(spec: &WorkloadSpec, classes: &[AccessClass], counted: &[Option<Vec<u64>>], ways: &[Draws]) -> Bins {
    let mut width = WIDTH;
    let mut cells = cells(spec, classes, counted, ways, width);
    while cells.len() > MOST_BINS {
        width *= 1.5;
        cells = self::cells(spec, classes, counted, ways, width);
    }
    let mut bins = Bins::default();
    let mut lists: Vec<Vec<(u16, f64)>> = vec![Vec::new(); ways.len()];
    let mut all = vec![0.0; ways.len()];
    // What rounding leaves out or adds goes to the next bin.
    let (mut carry, mut resident_carry) = (0.0, 0.0);
    for cell in cells.into_values() {
        all.iter_mut().zip(&cell.probabilities).for_each(|(all, sum)| *all += sum);
        let pages = (cell.pages + carry).round();
        carry += cell.pages - pages;
        if pages < 1.0 {
            continue;
        }
        let number = bins.bins.len() as u16;
        for (list, sum) in lists.iter_mut().zip(&cell.probabilities).filter(|(_, sum)| **sum > 0.0) {
            list.push((number, sum / cell.pages));
        }
        let wanted = cell.resident / cell.pages * pages + resident_carry;
        let resident = wanted.round().clamp(0.0, pages);
        resident_carry = wanted - resident;
        let resident = resident as u64;
        bins.by_instance.push(cell.by_instance.iter().map(|pages| (pages / cell.pages * WHOLE) as u64).collect());
        bins.bins.push(Bin {
            pages: pages as u64,
            resident,
            spaces: cell.spaces,
            bytes_between_modifications: 0.0,
            freed: cell.freed,
        });
    }
    for (way, (list, all)) in ways.iter().zip(lists.iter().zip(all)) {
        let homes = classes[way.class as usize].homes().map(|homes| Homes::new(homes, way.of_layer()));
        let class = BinClass::new(list, all.min(1.0), homes, &bins.bins);
        bins.classes.push(class.drawn_at_home(classes[way.class as usize].same_extent_at_home()));
    }
    bins
}

/// A page set whose cells are known: its pages, the ways in which it is drawn, each from so many sets, and the cells, as
/// [`rates_of_set`] has them.
struct KnownSet {
    pages: u64,
    drawn: Vec<(usize, usize)>,
    cells: Vec<Vec<(f64, f64)>>,
}

fn cells(
    spec: &WorkloadSpec,
    classes: &[AccessClass],
    counted: &[Option<Vec<u64>>],
    ways: &[Draws],
    width: f64,
) -> Cells {
    let mut all = Cells::new();
    // Copies of a table have the same cells: they are found once.
    let mut known: Vec<KnownSet> = Vec::new();
    for (number, set) in spec.page_sets.iter().enumerate() {
        let Some(by_instance) = &counted[number] else { continue };
        let place_in =
            |way: &Draws| spec.access_classes[way.class as usize].page_sets.iter().position(|&s| s as usize == number);
        let drawing: Vec<usize> = (0..ways.len()).filter(|&way| place_in(&ways[way]).is_some()).collect();
        let sets_of = |way: usize| spec.access_classes[ways[way].class as usize].page_sets.len();
        let kind: Vec<(usize, usize)> = drawing.iter().map(|&way| (way, sets_of(way))).collect();
        let found = known.iter().position(|known| known.pages == set.pages && known.drawn == kind);
        let place = found.unwrap_or_else(|| {
            let pages = set.pages as u32;
            let law = |way: usize| classes[ways[way].class as usize].page_law(&ways[way], pages);
            let laws: Vec<_> = drawing.iter().map(|&way| (law(way), 1.0 / sets_of(way) as f64)).collect();
            known.push(KnownSet { pages: set.pages, drawn: kind, cells: rates_of_set(pages, &laws, width) });
            known.len() - 1
        });
        for rates in &known[place].cells {
            let pages = rates[0].0;
            let mut key = vec![i32::MIN; ways.len()];
            let mut probabilities = vec![0.0; ways.len()];
            for (&way, &(_, probability)) in drawing.iter().zip(&rates[1..]) {
                key[way] = level(probability, width);
                probabilities[way] = probability * pages;
            }
            key.push(i32::from(set.freed));
            let cell = all.entry(key).or_default();
            cell.freed = set.freed;
            if cell.probabilities.is_empty() {
                cell.probabilities = vec![0.0; ways.len()];
            }
            cell.pages += pages;
            cell.resident += pages * set.resident_share.clamp(0.0, 1.0);
            cell.add_by_instance(pages / set.pages.max(1) as f64, by_instance);
            cell.probabilities.iter_mut().zip(&probabilities).for_each(|(sum, p)| *sum += p);
            if !cell.spaces.contains(&set.space_id) {
                cell.spaces.push(set.space_id);
            }
        }
    }
    all
}

/// The cells of one set: in the first place their number of pages, then for each law the probability of one of them.
fn rates_of_set(pages: u32, laws: &[(PageLaw, f64)], width: f64) -> Vec<Vec<(f64, f64)>> {
    let anywhere = |law: &PageLaw| matches!(law, PageLaw::Flat | PageLaw::Scattered(_) | PageLaw::LaterLayer);
    let by_place = laws.iter().any(|(law, _)| !anywhere(law));
    let looked_at = if by_place { pages.min(SAMPLE) } else { 1 };
    let each = f64::from(pages) / f64::from(looked_at);
    let mut found: BTreeMap<Vec<i32>, (f64, Vec<f64>)> = BTreeMap::new();
    for nth in 0..looked_at {
        let page = ((u64::from(nth) * 2 + 1) * u64::from(pages) / (2 * u64::from(looked_at))) as u32;
        let rates: Vec<f64> = laws.iter().map(|(law, share)| law.at(page, pages) * share / f64::from(pages)).collect();
        let key = rates.iter().map(|&rate| level(rate, width)).collect();
        let (number, sums) = found.entry(key).or_insert_with(|| (0.0, vec![0.0; laws.len()]));
        *number += each;
        sums.iter_mut().zip(&rates).for_each(|(sum, rate)| *sum += rate * each);
    }
    let means = found.into_values().map(|(number, sums)| {
        let rates = sums.into_iter().map(|sum| (0.0, sum / number));
        std::iter::once((number, 0.0)).chain(rates).collect::<Vec<_>>()
    });
    laws.iter().enumerate().fold(means.collect(), |cells, (law, (scattered, _))| match scattered {
        PageLaw::Scattered(shares) => split_by_shares(&cells, law, shares),
        _ => cells,
    })
}

/// Each cell once for each share of the pages that a law scatters over the set.
fn split_by_shares(cells: &[Vec<(f64, f64)>], law: usize, shares: &[(f64, Vec<f64>)]) -> Vec<Vec<(f64, f64)>> {
    let with = |cell: &Vec<(f64, f64)>, (share, rates): &(f64, Vec<f64>)| {
        let mut part = cell.clone();
        part[0].0 *= share;
        part[law + 1..].iter_mut().zip(rates).for_each(|(own, rate)| own.1 *= rate);
        part
    };
    cells.iter().flat_map(|cell| shares.iter().map(move |share| with(cell, share))).collect()
}

/// The bin that a probability falls into.
fn level(probability: f64, width: f64) -> i32 {
    if probability > 0.0 { (libm::log(probability) / width).round() as i32 } else { i32::MIN + 1 }
}

/// Pages by how many homes have them in each layer, if so many homes draw them independently, and in a layer each such a
/// share of the pages: shares of the pages, and for each layer the number of homes relative to the mean.
pub(super) fn shares_by_homes(homes: u32, layers: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let mean = |layer: usize| f64::from(homes) * layers[layer];
    let none = (1.0 - layers.iter().sum::<f64>()).max(0.0);
    // Pages that no home has, then those of one home more for each layer from some layer on, so that each combination comes
    // once.
    let mut combinations = vec![(libm::pow(none, f64::from(homes)), vec![0u32; layers.len()], 0)];
    let (mut shares, mut left, mut drawn) = (Vec::new(), 1.0, vec![0.0; layers.len()]);
    while left > RARE && !combinations.is_empty() && shares.len() < MOST_SHARES {
        let mut next = Vec::new();
        for (share, counts, from) in combinations {
            let had: u32 = counts.iter().sum();
            left -= share;
            drawn.iter_mut().zip(&counts).for_each(|(sum, &count)| *sum += share * f64::from(count));
            for layer in from..if had < homes && none > 0.0 { layers.len() } else { 0 } {
                let mut more = counts.clone();
                more[layer] += 1;
                let times = f64::from(homes - had) / f64::from(more[layer]) * layers[layer] / none;
                next.push((share * times, more, layer));
            }
            shares.push((share, counts.iter().map(|&count| f64::from(count)).collect::<Vec<_>>()));
        }
        combinations = next;
    }
    // The rest of the pages has the rest of the homes.
    if left > 0.0 {
        shares.push((left, (0..layers.len()).map(|layer| (mean(layer) - drawn[layer]).max(0.0) / left).collect()));
    }
    for (_, rates) in &mut shares {
        rates.iter_mut().enumerate().for_each(|(layer, rate)| *rate /= mean(layer).max(f64::MIN_POSITIVE));
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::super::access::Places;
    use super::super::counting::ways_of;
    use super::super::homes::Drawer;
    use super::super::spec::{
        AccessClassSpec, DrawSpec, DriveSpec, HomePages, Leaves, PageSetSpec, TouchSpec, WorkloadSpec,
    };
    use super::*;
    use crate::buffer_pool::PageRun;
    use crate::kernel::random::Rng;
    use crate::kernel::sampler::DurationDist;
    use std::collections::HashSet;

    const SETS: u32 = 2;
    /// Times that pages are drawn one by one.
    const TIMES: u32 = 60;

    fn load(draw: &DrawSpec, pages: u64) -> WorkloadSpec {
        WorkloadSpec {
            page_sets: (0..SETS)
                .map(|set| PageSetSpec {
                    name: format!("set {set}"),
                    space_id: set,
                    pages,
                    resident_share: 0.5,
                    freed: false,
                })
                .collect(),
            access_classes: vec![AccessClassSpec {
                name: "class".to_owned(),
                page_sets: (0..SETS).collect(),
                draw: draw.clone(),
            }],
            transactions: Vec::new(),
            drive: DriveSpec::Closed { clients: 3, think: DurationDist::Fixed { us: 0.0 } },
            stops: Vec::new(),
            cores: 1,
        }
    }

    fn touch(fewest: u32, most: u32) -> TouchSpec {
        TouchSpec {
            class: 0,
            min: fewest,
            max: most,
            probability: 1.0,
            modify: false,
            bufferable: false,
            redo_bytes: 0.0,
            inserts: false,
            leaves: Leaves::Nothing,
            purge_redo_bytes: 0.0,
            recent: None,
        }
    }

    /// Distinct pages that so many transactions draw, one by one, and as the bins say, in the mean.
    fn distinct(draw: &DrawSpec, pages: u64, (fewest, most): (u32, u32), transactions: u32) -> (f64, f64) {
        let spec = load(draw, pages);
        let mut rng = Rng::stream(5, 0, "bins");
        let runs: Vec<PageRun> =
            (0..SETS).map(|set| PageRun { first: set * pages as u32, pages: pages as u32 }).collect();
        let class = AccessClass::new(draw, runs, &mut Places::default(), &mut rng);
        let touch = touch(fewest, most);
        let ways = ways_of(&touch, &class);
        let mut drawn = vec![0; most as usize];
        let mut once = || {
            let mut seen: HashSet<u32> = HashSet::new();
            for number in 0..transactions {
                let who = Drawer { client: number % 3, home: rng.next_u64() };
                let count = rng.range_inclusive(fewest, most) as usize;
                class.fill(who, &mut rng, &mut drawn[..count]);
                seen.extend(&drawn[..count]);
            }
            seen.len() as f64
        };
        let seen = (0..TIMES).map(|_| once()).sum::<f64>() / f64::from(TIMES);
        let bins = cut(&spec, &[class], &vec![Some(vec![1]); SETS as usize], &ways);
        let all: u64 = bins.bins.iter().map(|bin| bin.pages).sum();
        assert_eq!(all, u64::from(SETS) * pages);
        assert_eq!(bins.bins.iter().map(|bin| bin.resident).sum::<u64>(), all / 2);
        // Draws of each layer, of which the first are drawn whole.
        let of_layer = most.div_ceil(ways.len() as u32);
        let draws_of = |layer: u32| {
            let counts = (fewest..=most).map(|count| count.saturating_sub(layer * of_layer).min(of_layer));
            f64::from(transactions) * f64::from(counts.sum::<u32>()) / f64::from(most - fewest + 1)
        };
        let never = |bin: u16| -> f64 {
            let classes = bins.classes.iter().zip(0..);
            classes.map(|(class, layer)| libm::pow(1.0 - class.probability_of(bin), draws_of(layer))).product()
        };
        let said = bins.bins.iter().zip(0..).map(|(bin, number)| bin.pages as f64 * (1.0 - never(number))).sum();
        (seen, said)
    }

    /// Sets of one rate share a bin, whose pages lie as those of both: three quarters and a half of them in the first instance.
    #[test]
    fn pages_of_a_bin_lie_as_those_of_its_sets() {
        let spec = load(&DrawSpec::Uniform, 100);
        let runs: Vec<PageRun> = (0..SETS).map(|set| PageRun { first: set * 100, pages: 100 }).collect();
        let class = AccessClass::new(&DrawSpec::Uniform, runs, &mut Places::default(), &mut Rng::stream(5, 0, "bins"));
        let ways = ways_of(&touch(1, 1), &class);
        let mut counted = vec![Some(vec![50, 50]); SETS as usize];
        counted[0] = Some(vec![75, 0, 25]);
        let bins = cut(&spec, &[class], &counted, &ways);
        let others = f64::from(SETS - 1) * 50.0;
        let expected = [75.0 + others, others, 25.0].map(|pages| pages / (f64::from(SETS) * 100.0));
        let shares: Vec<f64> = bins.by_instance[0].iter().map(|&share| share as f64 / WHOLE).collect();
        assert_eq!((bins.bins.len(), shares.len()), (1, 3));
        assert!(shares.iter().zip(expected).all(|(share, expected)| (share - expected).abs() < 1e-6), "{shares:?}");
    }

    #[test]
    fn distinct_pages_are_those_of_single_draws() {
        let nurand = |at_home| DrawSpec::NuRand { a: 255, range: 1000, groups: 8, constants: 3, at_home };
        let home = |pages| DrawSpec::OfHome { homes: 40, pages };
        let cases = [
            (DrawSpec::Uniform, 5_000, (1, 4), 4_000),
            (DrawSpec::HotSpot { hot_pages: 0.05, hot_accesses: 0.7 }, 5_000, (1, 4), 4_000),
            (DrawSpec::Pareto { h: 0.2 }, 20_000, (3, 3), 8_000),
            (DrawSpec::Zipf { theta: 0.9 }, 20_000, (3, 3), 8_000),
            (nurand(false), 700, (5, 15), 100),
            (nurand(true), 700, (5, 15), 100),
            (nurand(true), 160, (5, 15), 60),
            (home(HomePages::InOrder), 1_000, (7, 7), 30),
            (home(HomePages::Scattered { groups: 8 }), 8_000, (180, 200), 25),
        ];
        for (draw, pages, draws, transactions) in cases {
            let (seen, said) = distinct(&draw, pages, draws, transactions);
            // Four standard errors are under a hundredth in all of these, but for homes, of which few are drawn, each whole.
            let tolerance = if matches!(draw, DrawSpec::OfHome { .. }) { 0.02 } else { 0.008 };
            assert!((said / seen - 1.0).abs() < tolerance, "{draw:?}: {seen} pages, by bins {said}");
        }
    }

    #[test]
    fn a_touch_that_draws_fewer_pages_of_a_home_draws_the_first_layers() {
        let draw = DrawSpec::OfHome { homes: 40, pages: HomePages::Scattered { groups: 8 } };
        let runs = vec![PageRun { first: 0, pages: 8_000 }];
        let class = AccessClass::new(&draw, runs, &mut Places::default(), &mut Rng::stream(5, 0, "layers"));
        let ways = ways_of(&touch(180, 200), &class);
        assert_eq!(ways.iter().map(|way| way.layer).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(ways_of(&touch(1, 1), &class).len(), 1);
    }

    #[test]
    fn shares_of_pages_add_up() {
        for (homes, layers) in
            [(1, vec![0.3]), (10, vec![0.02, 0.03]), (5, vec![0.0]), (40, vec![0.1; 4]), (3, vec![1.0])]
        {
            let shares = shares_by_homes(homes, &layers);
            let pages: f64 = shares.iter().map(|(share, _)| share).sum();
            assert!((pages - 1.0).abs() < 1e-9, "{homes}, {layers:?}: {pages}");
            for layer in (0..layers.len()).filter(|&layer| layers[layer] > 0.0) {
                let draws: f64 = shares.iter().map(|(share, rates)| share * rates[layer]).sum();
                assert!((draws - 1.0).abs() < 1e-9, "{homes}, {layers:?}: {draws}");
            }
        }
        // Two homes of two pages each, out of four: a page is had by none with (1/2)^2.
        let shares = shares_by_homes(2, &[0.5]);
        assert_eq!(shares, [(0.25, vec![0.0]), (0.5, vec![1.0]), (0.25, vec![2.0])]);
    }
}
