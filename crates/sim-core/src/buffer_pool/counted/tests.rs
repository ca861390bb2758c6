use super::*;
use std::collections::VecDeque;

fn bin(pages: u64, resident: u64) -> Bin {
    Bin { pages, resident, spaces: vec![0], bytes_between_modifications: 1000.0, freed: false }
}

fn pages(bins: &[Bin], classes: &[&[(u16, f64)]]) -> CountedPages {
    let classes = classes.iter().map(|list| BinClass::new(list, 1.0, None, bins)).collect();
    CountedPages::new(bins, classes, 3, &|_, _| 1, Rng::stream(11, 0, "counted"))
}

/// Makes a modification: the handle of the page that became dirty, if one did.
fn modify(pages: &mut CountedPages) -> Option<u32> {
    if pages.pass(0, true, 1, 1.0) == 1 {
        return None;
    }
    match pages.meet(0, true, 0) {
        MetPage::Clean { bin, nth, .. } => Some(pages.becomes_hot(bin, nth, File::Any)),
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
    let MetPage::Missing(page) = counted.meet(0, false, 0) else { panic!("nothing else is there") };
    assert_eq!(counted.meet(0, true, 0), MetPage::Missing(page), "the same page, by another client");
    assert!(counted.is_reading(page));
    counted.arrived(page);
    assert!(!counted.is_reading(page) && counted.is_resident(0));
    assert_eq!(
        (counted.pass(0, false, 5, 1.0), counted.meet(0, true, 0)),
        (5, MetPage::Clean { bin: 0, nth: 0, file: File::Any })
    );
    let dirty = counted.this_becomes_hot(page).unwrap();
    assert_eq!((counted.this_becomes_hot(page), counted.pass(0, true, 9, 1.0)), (None, 9));
    counted.begin_write(dirty);
    assert_eq!(counted.meet(0, true, 0), MetPage::UnderWrite { bin: 0, nth: 0 });
    counted.written(dirty);
    assert_eq!(counted.meet(0, true, 0), MetPage::Clean { bin: 0, nth: 0, file: File::Any });
    counted.check().unwrap();
}

/// All that a transaction draws at its home lies in the file of that home, what it reads and what becomes dirty, also after it has
/// waited for it; other draws come to all files.
#[test]
fn pages_drawn_at_home_lie_in_one_file() {
    let bins = [Bin { spaces: vec![4, 5, 6, 7], ..bin(4_000, 2_000) }];
    let class = |same_extent| BinClass::new(&[(0, 1.0 / 4_000.0)], 1.0, None, &bins).drawn_at_home(same_extent);
    let mut counted =
        CountedPages::new(&bins, vec![class(Some(0.1)), class(None)], 2, &|_, _| 1, Rng::stream(11, 0, "files"));
    let mut met = [[0; 4]; 2];
    for draw in 0..1_200u64 {
        let (number, home) = (draw % 2, (draw / 2 % 4) << 62 | draw);
        let page = match counted.meet(number as u16, true, home) {
            MetPage::Clean { bin, nth, file } => counted.becomes_hot(bin, nth, file),
            MetPage::Missing(page) => {
                counted.arrived(page);
                let hot = counted.this_becomes_hot(page).unwrap();
                assert_eq!(file_of(hot, 4), file_of(page, 4), "it is the page that was read");
                hot
            }
            MetPage::UnderWrite { .. } => panic!("nothing is written"),
        };
        met[number as usize][file_of(page, 4)] += 1;
        assert!(number == 1 || file_of(page, 4) as u64 == draw / 2 % 4, "a page of another file");
        assert!(number == 1 || file_of(counted.somewhere_in(0, home), 4) as u64 == draw / 2 % 4);
    }
    assert!(met.iter().flatten().all(|times| (110..190).contains(times)), "{met:?}");
    counted.check().unwrap();
}

/// Of a transaction's pages one in two lies in the extent, and so in the instance, of one before it, where half of those of its home
/// do; pages of other homes, or classes, lie in any instance.
#[test]
fn pages_of_one_home_may_lie_in_one_extent() {
    let bins = [bin(40_000, 40_000)];
    let class = || BinClass::new(&[(0, 1.0 / 40_000.0)], 1.0, None, &bins).drawn_at_home(Some(0.5));
    let mut counted = CountedPages::new(&bins, vec![class(), class()], 8, &|_, _| 1, Rng::stream(11, 0, "extents"));
    let mut together = |again: [(u16, u64); 2]| {
        let pairs = (0..2_000u64).filter(|&pair| {
            let instances = again.map(|(class, home)| match counted.meet(class, true, home + (pair << 8)) {
                MetPage::Clean { bin, nth, file } => instance_of(counted.becomes_hot(bin, nth, file)),
                met => panic!("{met:?}, where all pages are clean or hot"),
            });
            instances[0] == instances[1]
        });
        pairs.count() as f64 / 2_000.0
    };
    // Half of them, and an eighth of the others.
    assert!((together([(0, 5), (0, 5)]) - (0.5 + 0.5 / 8.0)).abs() < 0.045);
    assert!((together([(0, 5), (0, 6)]) - 1.0 / 8.0).abs() < 0.03);
    assert!((together([(0, 5), (1, 5)]) - 1.0 / 8.0).abs() < 0.03);
    counted.check().unwrap();
}

/// An instance that has no clean page of the bin left gives none.
#[test]
fn who_finds_no_clean_page_near_the_last_takes_another() {
    let bins = [bin(8, 8)];
    let class = BinClass::new(&[(0, 1.0 / 8.0)], 1.0, None, &bins).drawn_at_home(Some(1.0));
    let mut counted = CountedPages::new(&bins, vec![class], 4, &|_, _| 1, Rng::stream(11, 0, "near"));
    let instances: Vec<usize> = (0..8)
        .map(|_| match counted.meet(0, true, 5) {
            MetPage::Clean { bin, nth, file } => instance_of(counted.becomes_hot(bin, nth, file)),
            met => panic!("{met:?}, where hot pages are passed over"),
        })
        .collect();
    assert!(instances.chunks(2).all(|pair| pair[0] == pair[1]), "{instances:?}");
    counted.check().unwrap();
}

#[test]
fn a_home_reads_its_pages_once() {
    let bins = [bin(40, 0)];
    let class = BinClass::new(&[(0, 1.0 / 40.0)], 1.0, Some(Homes::new(4, 10)), &bins);
    let mut counted = CountedPages::new(&bins, vec![class], 1, &|_, _| 1, Rng::stream(11, 0, "homes"));
    let at = |home: u64| home << 62;
    assert_eq!(counted.read_at_home(0, at(1), 6), (6, 1.0));
    assert_eq!(counted.read_at_home(0, at(1), 6), (0, 1.0));
    assert_eq!(counted.read_at_home(0, at(1), 10), (4, 40.0 / 34.0));
    assert_eq!(counted.read_at_home(0, at(3), 12), (10, 40.0 / 30.0));
    assert_eq!(counted.read_at_home(0, at(1), 3), (0, 1.0), "fewer than were read");
    assert_eq!([at(0), at(2) - 1, at(2)].map(|home| counted.read_at_home(0, home, 1).0), [1, 0, 1], "four quarters");
    assert_eq!(counted.bytes(), 32 + 56 + 8 + 4 * 2, "one part, one bin, in one instance, four homes");
}

/// A class without homes, and one whose homes have a page, or none, which is taken for one.
#[test]
fn the_smallest_home_is_a_page() {
    assert_eq!(pages(&[bin(9, 0)], &[&[(0, 0.1)]]).read_at_home(0, 5, 6), (6, 1.0));
    for size in [0, 1] {
        let mut homes = Homes::new(4, size);
        assert_eq!([homes.read_at(5, 3), homes.read_at(5, 3)], [(1, 1.0), (0, 1.0)]);
    }
}

#[test]
fn redo_that_a_batch_waits_for_follows_from_the_rate_of_its_pages() {
    let mut counted = pages(&[bin(100, 100)], &[&[(0, 0.01)]]);
    let hot = [counted.becomes_hot(0, 0, File::Any)];
    let waits = (0..20_000).filter(|_| counted.newest_above(&hot, 5_000, 5_500) > 0).count() as f64 / 20_000.0;
    // 500 bytes of redo, one modification each 1000.
    assert!((waits - (1.0 - libm::exp(-0.5))).abs() < 0.012, "{waits}");
    assert_eq!(counted.newest_above(&hot, 5_000, 5_000), 0, "all redo is durable");
    assert_eq!(counted.newest_above(&[7], 0, 5_000), 0, "a page that is not counted");
    let often = Bin { bytes_between_modifications: 1.0, ..bin(100, 100) };
    let mut counted = pages(&[often], &[&[(0, 0.01)]]);
    let hot = [counted.becomes_hot(0, 0, File::Any)];
    let waits = (0..20_000).filter(|_| counted.newest_above(&hot, 5_000, 5_001) > 0).count() as f64 / 20_000.0;
    assert!((waits - (1.0 - libm::exp(-1.0))).abs() < 0.015, "{waits} for a byte of redo");
}

/// The page that is left over when a bin is spread over the instances lies in another one for each bin.
#[test]
fn bins_are_spread_evenly_over_the_instances() {
    let counted = pages(&[bin(10, 4), bin(11, 11)], &[&[(0, 0.02), (1, 0.03)]]);
    assert_eq!([0, 1, 2].map(|instance| counted.pages_in(instance)), [3 + 4, 3 + 3, 4 + 4]);
    assert_eq!([0, 1, 2].map(|instance| counted.resident_in(instance)), [1 + 4, 1 + 3, 2 + 4]);
    assert_eq!((counted.pages(), counted.clean(), counted.is_empty()), (21, 15, false));
    assert_eq!(
        [0, 3, 4, 14, 15].map(|nth| counted.nth_clean(nth)),
        [Some((0, 0)), Some((0, 3)), Some((1, 0)), Some((1, 10)), None]
    );
    assert!(pages(&[], &[]).is_empty());
    counted.check().unwrap();
}

/// Pages of a bin are numbered instance by instance, the clean ones and the missing ones.
#[test]
fn a_page_of_a_number_lies_in_its_instance() {
    let mut counted = pages(&[bin(9, 0), bin(10, 7)], &[&[(0, 0.02), (1, 0.03)]]);
    // Clean pages of the second bin: 2, 3 and 2.
    let of = |page: u32| (bin_of(page), instance_of(page));
    let hot = [6, 4, 3, 1, 0].map(|nth| of(counted.becomes_hot(1, nth, File::Any)));
    assert_eq!(hot, [(1, 2), (1, 1), (1, 1), (1, 0), (1, 0)]);
    // Missing ones of the first: three each.
    let read = [0, 2, 6, 5].map(|nth| counted.begin_reading(0, nth, File::Any));
    assert_eq!(read.map(of), [(0, 0), (0, 1), (0, 2), (0, 2)]);
    read.iter().for_each(|&page| counted.arrived(page));
    assert_eq!(counted.counts_by_bin().collect::<Vec<_>>(), [(4, 0), (7, 5)]);
    counted.check().unwrap();
}

/// After one write of each page, as many clean pages have been touched as the law says: two stages of 1000 bytes each.
#[test]
fn clean_pages_that_redo_has_touched() {
    let mut counted = pages(&[bin(1_000, 1_000)], &[&[(0, 0.001)]]);
    assert_eq!(counted.clean_but_touched(1_000_000), 0, "nothing was written yet");
    for writes in 1..=1_000 {
        let page = counted.becomes_hot(0, 0, File::Any);
        counted.begin_write(page);
        counted.written(page);
        if writes == 100 {
            assert_eq!(counted.clean_but_touched(1_000), 100, "no more than were written");
        }
    }
    // 1 - 2 / e, 1 - 3 / e^2.
    assert_eq!([0, 1_000, 2_000].map(|window| counted.clean_but_touched(window)), [0, 264, 593]);
}

/// The newest of a page's modifications lies 1000 bytes back in the mean; of two pages, half as far.
#[test]
fn the_newest_modification_lies_as_far_back_as_the_rate_says() {
    let mut counted = pages(&[bin(100, 100)], &[&[(0, 0.01)]]);
    let hot = [counted.becomes_hot(0, 0, File::Any), counted.becomes_hot(0, 0, File::Any)];
    let mut back = |pages: &[u32]| {
        let newest = (0..20_000).map(|_| counted.newest_above(pages, 100_000, 200_000));
        newest.map(|lsn| 200_000.0 - lsn as f64).sum::<f64>() / 20_000.0
    };
    let means = [back(&hot[..1]), back(&hot)];
    assert!((means[0] - 1_000.0).abs() < 30.0 && (means[1] - 500.0).abs() < 15.0, "{means:?}");
}

#[test]
fn counts_that_disagree_are_found_out() {
    let made = || pages(&[bin(10, 4), bin(11, 11)], &[&[(0, 0.02), (1, 0.03)]]);
    let broken: [fn(&mut CountedPages); 6] = [
        |p| p.counts[0].reading += 1,
        |p| p.counts[1].clean -= 1,
        |p| p.clean[4] += 1,
        |p| p.missing[0] += 1,
        |p| p.classes[0].cold.add(0, 1),
        |p| p.classes[0].missing.all += 1,
    ];
    assert_eq!(made().check(), Ok(()));
    for breaks in broken {
        let mut counted = made();
        breaks(&mut counted);
        assert!(counted.check().is_err());
    }
}

/// Some page of the class, of one of its bins.
#[test]
fn a_handle_that_stands_for_a_class_has_one_of_its_bins() {
    let bins = [bin(10, 10), bin(10, 10), bin(10, 10)];
    let mut counted = pages(&bins, &[&[(1, 0.05), (2, 0.05)]]);
    let met: Vec<(u16, usize)> =
        (0..600).map(|_| counted.somewhere_in(0, 0)).map(|p| (bin_of(p), instance_of(p))).collect();
    for bin in [1, 2] {
        for instance in 0..3 {
            assert_eq!(met.iter().filter(|&&at| at == (bin, instance)).count(), 100);
        }
    }
    assert_eq!(met[..4], [(1, 0), (2, 1), (1, 2), (2, 0)], "one after the other");
    // A class of one bin, and one of none.
    let mut counted = pages(&bins, &[&[(2, 0.1)], &[]]);
    assert_eq!([0, 0, 1, 1].map(|class| bin_of(counted.somewhere_in(class, 0))), [2, 2, 0, 0]);
}

#[test]
fn something_happens_as_often_as_its_share_says() {
    let mut counted = pages(&[bin(10, 10)], &[&[(0, 0.1)]]);
    let times = (0..20_000).filter(|_| counted.happens(0.2)).count();
    assert!(times.abs_diff(4_000) < 4 * 57, "{times}");
}

/// Twelve pages of one bin, of which two have been written and one was never touched: who comes back to a page finds it clean once
/// in six times, and never as long as none is written.
#[test]
fn who_comes_back_meets_what_was_written_meanwhile() {
    let mut counted = pages(&[bin(12, 12)], &[&[(0, 1.0 / 12.0)]]);
    let mut dirty: Vec<u32> = (0..11).map(|_| counted.becomes_hot(0, 0, File::Any)).collect();
    let comes_back = |counted: &mut CountedPages, written: f64| {
        let met = (0..12_000).map(|_| counted.meet_again(0, written));
        met.fold((0, 0), |(clean, under_write), met| match met {
            MetAgain::Clean { bin, .. } => (clean + i32::from(bin == 0), under_write),
            MetAgain::UnderWrite => (clean, under_write + 1),
            MetAgain::Hot => (clean, under_write),
        })
    };
    assert_eq!(comes_back(&mut counted, 0.0), (0, 0));
    for page in dirty.drain(..3) {
        counted.begin_write(page);
        if counted.writes() < 2 {
            counted.written(page);
        }
        if counted.writes() == 1 && counted.count_dirty().1 == 0 {
            let (clean, _) = comes_back(&mut counted, 1.0);
            assert!((900..1_100).contains(&clean), "{clean} of 12 000 after one write");
        }
    }
    let (clean, under_write) = comes_back(&mut counted, 2.0);
    assert!((1_850..2_150).contains(&clean), "{clean} of 12 000");
    assert!((900..1_100).contains(&under_write), "{under_write} of 12 000");
}

/// Pages that are missing, or being read, are others than the one that somebody comes back to.
#[test]
fn nobody_comes_back_to_a_page_that_is_missing() {
    let mut counted = pages(&[bin(12, 8)], &[&[(0, 1.0 / 12.0)]]);
    counted.begin_reading(0, 0, File::Any);
    let hot: Vec<u32> = (0..3).map(|_| counted.becomes_hot(0, 0, File::Any)).collect();
    hot.iter().for_each(|&page| counted.begin_write(page));
    let met: Vec<MetAgain> = (0..12_000).map(|_| counted.meet_again(0, 0.0)).collect();
    let under_write = met.iter().filter(|&&met| met == MetAgain::UnderWrite).count();
    assert!((2_800..3_200).contains(&under_write), "{under_write} of 12 000: three pages of twelve");
}

/// What a single page of the twin is; with its handle, if it has one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Single {
    Missing,
    Reading(u32),
    Clean,
    Hot(u32),
    UnderWrite(u32),
}

/// Bins whose pages are counted and, beside them, each page: bin, instance, state.
struct Twin {
    counted: CountedPages,
    /// By bin, and by instance within it.
    singles: Vec<(u16, usize, Single)>,
    writes: u64,
}

impl Twin {
    /// Three bins in three instances; two ways of drawing, one of them without the second bin.
    fn new() -> Self {
        let bins = [bin(10, 4), bin(11, 11), bin(8, 2)];
        let counted = pages(&bins, &[&[(0, 0.03), (1, 0.05), (2, 0.01)], &[(2, 0.07), (0, 0.02)]]);
        let mut singles = Vec::new();
        for number in 0..bins.len() {
            for instance in 0..3 {
                let place = number * 3 + instance;
                let (clean, missing) = (counted.clean[place] as usize, counted.missing[place] as usize);
                for (state, pages) in [(Single::Clean, clean), (Single::Missing, missing)] {
                    singles.extend(std::iter::repeat_n((number as u16, instance, state), pages));
                }
            }
        }
        Twin { counted, singles, writes: 0 }
    }

    /// The places of the pages of a bin of which something holds.
    fn places(&self, bin: u16, holds: impl Fn(Single) -> bool) -> Vec<usize> {
        let holds = |&place: &usize| self.singles[place].0 == bin && holds(self.singles[place].2);
        (0..self.singles.len()).filter(holds).collect()
    }

    /// Page `nth` of a bin among those in a state goes to the next.
    fn step(&mut self, bin: u16, state: usize, nth: usize) {
        let is = |single: Single| match single {
            Single::Missing => state == 0,
            Single::Reading(_) => state == 1,
            Single::Clean => state == 2,
            Single::Hot(_) => state == 3,
            Single::UnderWrite(_) => state == 4,
        };
        let places = self.places(bin, is);
        if places.is_empty() {
            return;
        }
        let nth = nth % places.len();
        let (_, instance, single) = self.singles[places[nth]];
        let next = match single {
            Single::Missing => Single::Reading(self.counted.begin_reading(bin, nth as u64, File::Any)),
            Single::Reading(page) => (self.counted.arrived(page), Single::Clean).1,
            Single::Clean => Single::Hot(self.counted.becomes_hot(bin, nth as u64, File::Any)),
            Single::Hot(page) => (self.counted.begin_write(page), Single::UnderWrite(page)).1,
            Single::UnderWrite(page) => (self.counted.written(page), Single::Clean).1,
        };
        if let Single::Reading(page) | Single::Hot(page) = next {
            assert_eq!((bin_of(page), instance_of(page)), (bin, instance));
        }
        self.writes += u64::from(state == 4);
        self.singles[places[nth]].2 = next;
        // A page that was waited for becomes dirty, if one like it is clean.
        if let Single::UnderWrite(page) = single
            && nth.is_multiple_of(2)
        {
            let clean = |&place: &usize| self.singles[place].1 == instance;
            let place = self.places(bin, |single| single == Single::Clean).into_iter().find(clean);
            let hot = self.counted.this_becomes_hot(page);
            self.singles[place.unwrap()].2 = Single::Hot(hot.unwrap());
        }
    }

    fn assert_alike(&self) {
        assert_eq!(self.counted.check(), Ok(()));
        let count = |bin: u16, holds: &dyn Fn(Single) -> bool| self.places(bin, holds).len() as u64;
        let (mut all_dirty, mut by_bin) = ((0, 0), Vec::new());
        for bin in 0..3 {
            let hot = count(bin, &|single| matches!(single, Single::Hot(_)));
            let writing = count(bin, &|single| matches!(single, Single::UnderWrite(_)));
            all_dirty = (all_dirty.0 + hot, all_dirty.1 + writing);
            by_bin.push((count(bin, &|single| single == Single::Clean) + hot + writing, hot + writing));
        }
        assert_eq!(self.counted.counts_by_bin().collect::<Vec<_>>(), by_bin);
        assert_eq!(self.counted.count_dirty(), all_dirty);
        assert_eq!((self.counted.pages(), self.counted.writes()), (29, self.writes));
        let clean = (0..3).map(|bin| count(bin, &|single| single == Single::Clean)).sum();
        assert_eq!(self.counted.clean(), clean);
        for class in 0..2 {
            self.assert_found(class, true);
            self.assert_found(class, false);
        }
        (0..3).for_each(|bin| self.assert_met(bin));
    }

    /// Every page that a draw can meet has its share of the weights, in the order of the parts: its first place and its last.
    fn assert_found(&self, class: usize, modify: bool) {
        let counts = |single: Single| match single {
            Single::Missing | Single::Reading(_) => true,
            Single::Hot(_) => false,
            Single::Clean | Single::UnderWrite(_) => modify,
        };
        let mut at = 0;
        for part in &self.counted.classes[class].parts {
            for nth in 0..self.places(part.bin, counts).len() as u64 {
                let found = [at, at + part.weight - 1].map(|at| self.counted.find(class, modify, at));
                assert_eq!(found, [(part.bin, nth); 2]);
                at += part.weight;
            }
        }
        assert_eq!(self.counted.classes[class].weights(modify).all, at);
    }

    /// Those that are not hot: the missing ones, those that are being read, the clean ones, those under write.
    fn assert_met(&self, bin: u16) {
        let count = |holds: fn(Single) -> bool| self.places(bin, holds).len() as u64;
        let missing = count(|single| single == Single::Missing);
        let reading: Vec<u32> = self.counted.reading.iter().copied().filter(|&page| bin_of(page) == bin).collect();
        assert_eq!(reading.len() as u64, count(|single| matches!(single, Single::Reading(_))));
        let clean =
            (0..count(|single| single == Single::Clean)).map(|nth| MetPage::Clean { bin, nth, file: File::Any });
        let under_write = count(|single| matches!(single, Single::UnderWrite(_)));
        let written = (0..under_write).map(|nth| MetPage::UnderWrite { bin, nth });
        for nth in 0..missing {
            let mut counted = self.counted.clone();
            let MetPage::Missing(page) = counted.met(bin, nth, File::Any) else { panic!("page {nth} is missing") };
            assert!(counted.is_reading(page) && bin_of(page) == bin);
        }
        let others = reading.iter().map(|&page| MetPage::Missing(page)).chain(clean).chain(written);
        for (nth, expected) in (missing..).zip(others) {
            assert_eq!(self.counted.clone().met(bin, nth, File::Any), expected);
        }
    }
}

/// Pages are read, modified and written in any order: counts, weights and what is met are those of single pages.
#[test]
fn counts_are_those_of_single_pages() {
    let (mut twin, mut random) = (Twin::new(), Rng::stream(13, 0, "steps"));
    for _ in 0..2_000 {
        twin.assert_alike();
        twin.step(random.below(3) as u16, random.below(5) as usize, random.below(100) as usize);
        if random.below(30) == 0 && twin.counted.is_resident(0) {
            twin = Twin::new();
        }
    }
}

/// Parts of a class and what says where they are used: 16 bytes each. Six counts and a rate a bin, and two numbers of 4 bytes in
/// each instance.
#[test]
fn memory_is_that_of_parts_and_bins() {
    assert_eq!(pages(&[bin(10, 4), bin(11, 11)], &[&[(0, 0.02), (1, 0.03)]]).bytes(), 2 * 32 + 2 * (48 + 8 + 3 * 8));
    assert_eq!(pages(&[bin(10, 4)], &[&[(0, 0.02)], &[(0, 0.1)]]).bytes(), 2 * 32 + 48 + 8 + 3 * 8);
}

/// As many pages as there are, to each its share of them up to a page; with other numbers others have the page left over.
#[test]
fn pages_are_dealt_out_by_weights() {
    assert_eq!(dealt(12, &[1, 2, 3], 5), [2, 4, 6]);
    assert_eq!(dealt(7, &[0, 1, 0], 3), [0, 7, 0]);
    for pages in [0, 1, 2, 10, 1_001] {
        for number in 0..9 {
            let weights = [7, 3, 0, 5];
            let of = dealt(pages, &weights, number);
            assert_eq!(of.iter().sum::<u64>(), pages, "{of:?}");
            for (&own, weight) in of.iter().zip(weights) {
                assert!((own as f64 - pages as f64 * weight as f64 / 15.0).abs() < 1.0, "{of:?} of {pages}");
            }
            let fewer = dealt(pages / 3, &of, number);
            assert!(fewer.iter().zip(&of).all(|(fewer, of)| fewer <= of), "{fewer:?} of {of:?}");
        }
    }
    let left_over: Vec<u64> = (0..300).flat_map(|number| dealt(1, &[1, 1, 1], number)).collect();
    let to = |place: usize| left_over.iter().skip(place).step_by(3).sum::<u64>();
    assert!((0..3).all(|place| (95..=105).contains(&to(place))), "{:?}", [to(0), to(1), to(2)]);
}
