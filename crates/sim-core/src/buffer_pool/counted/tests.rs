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
