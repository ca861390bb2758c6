use super::*;

const BUILT: IndexLayout = filled(IndexFill::InOneGo { changes_a_page: 0.0 });

const fn filled(filled: IndexFill) -> IndexLayout {
    IndexLayout { entries_a_page: 777, filled, dirties_latched: false }
}

#[test]
fn cumulative_chances_are_those_of_poisson() {
    let cumulative = cumulative_poisson(2.0);
    let expected = [0.135_335, 0.406_006, 0.676_676];
    assert!(expected.iter().zip(&cumulative).all(|(a, b)| (a - b).abs() < 1e-6), "{cumulative:?}");
    let large = cumulative_poisson(MOST_ENTRIES);
    assert_eq!(large.partition_point(|up_to| *up_to <= 0.5), 600);
    assert!(large.last().is_some_and(|last| *last > 1.0 - 1e-9));
}

fn index(changes: f64, rng: &mut Rng) -> IndexPages {
    let mut pages = IndexPages::default();
    let runs = [PageRun { first: 64, pages: 4_000 }, PageRun { first: 8_192, pages: 4_000 }];
    pages.place(&runs, filled(IndexFill::InOneGo { changes_a_page: changes }), rng);
    pages
}

/// Share of the ranges that have so many entries beyond a full page.
fn share(pages: &IndexPages, surplus: i16) -> f64 {
    pages.ranges.iter().filter(|range| range.surplus == surplus).count() as f64 / pages.ranges.len() as f64
}

/// Inserts an entry beside a random one.
fn insert(pages: &mut IndexPages, rng: &mut Rng) -> FoundEntry {
    let range = rng.below(pages.ranges.len() as u32);
    pages.find(range, rng.below(2) == 1, true)
}

/// An entry is removed: the page into which its range merges.
fn merged(pages: &mut IndexPages, page: u32) -> Option<u32> {
    pages.removed(page).and_then(|removal| removal.merge).map(|merge| merge.into)
}

#[test]
fn a_full_page_splits_and_merges_with_every_change() {
    let mut rng = Rng::stream(3, 0, "index pages");
    let mut pages = index(0.0, &mut rng);
    for _ in 0..100 {
        let drawn = insert(&mut pages, &mut rng);
        assert!(drawn.split.is_some_and(|page| page != drawn.page), "{drawn:?}");
        assert_eq!(merged(&mut pages, drawn.page), Some(drawn.page));
    }
    // The page that a merge frees is taken by the next split.
    let used = pages.indexes.iter().map(|index| index.users.iter().filter(|user| **user > 0).count()).sum::<usize>();
    assert!(used <= 2, "{used} pages for halves");
}

/// A full page has no room, nor have the halves that its next entry makes of it; those of a range that has outgrown a page have.
#[test]
fn a_full_page_has_no_room_until_it_has_split() {
    let mut pages = index(0.0, &mut Rng::stream(3, 0, "index pages"));
    assert_eq!([64, 63, 100].map(|page| pages.room_on(page)), [Some(0), None, Some(0)]);
    let half = pages.find(0, false, true).split.expect("the page is full");
    assert_eq!([64, half].map(|page| pages.room_on(page)), [Some(0), Some(0)]);
    pages.find(0, false, true);
    assert_eq!([64, half].map(|page| pages.room_on(page)), [Some(u32::MAX), Some(u32::MAX)]);
    (0..5).for_each(|_| assert!(pages.entry_gone(64)));
    assert_eq!(pages.room_on(64), Some(3), "entries that are gone leave places");
}

#[test]
fn a_page_with_one_place_splits_with_every_second_change() {
    let mut rng = Rng::stream(3, 0, "index pages");
    let mut pages = IndexPages::default();
    pages.place(&[PageRun { first: 0, pages: 2 }], BUILT, &mut rng);
    assert_eq!(merged(&mut pages, 0), None);
    let splits: Vec<bool> = (0..6)
        .map(|_| {
            let split = insert(&mut pages, &mut rng).split.is_some();
            assert_eq!(merged(&mut pages, 0).is_some(), split);
            split
        })
        .collect();
    assert_eq!(splits, [true, false, true, false, true, false]);
    // With two places free, one of them at the end, a change takes the other.
    assert_eq!(merged(&mut pages, 0), None);
    assert!(insert(&mut pages, &mut rng).split.is_some(), "both were left by removed entries");
    assert_eq!(merged(&mut pages, 0), Some(0));
    assert!((0..10).all(|_| insert(&mut pages, &mut rng).split.is_none() && merged(&mut pages, 0).is_none()));
}

/// The pages of a real 5.7.22 after 440 000 transactions of write_only: 4.7 % of the ranges exactly full, 5.5 % with
/// one place left, and 0.08 splits for a change of an entry.
#[test]
fn an_aged_index_splits_as_often_as_a_real_one() {
    let mut rng = Rng::stream(3, 0, "index pages");
    let mut pages = index(64.0, &mut rng);
    assert!((share(&pages, 0) - 0.05).abs() < 0.01, "{}", share(&pages, 0));
    let halves = pages.ranges.iter().filter(|range| range.contiguous == SPLIT).count();
    assert!((halves as f64 / 4_000.0 - 0.475).abs() < 0.03, "{halves}; recorded 1800 of 3810");
    let changes = 40_000;
    let mut splits = 0;
    for _ in 0..changes {
        let drawn = insert(&mut pages, &mut rng);
        splits += u32::from(drawn.split.is_some());
        pages.removed(drawn.page);
    }
    let share = f64::from(splits) / f64::from(changes);
    assert!((share - 0.08).abs() < 0.015, "{share}");
}

#[test]
fn ranges_wander_as_far_as_the_root_of_the_changes() {
    let mut rng = Rng::stream(3, 0, "index pages");
    for changes in [0.5, 20.0, 99.0, 100.0, 400.0, 5_000.0] {
        let pages = index(changes, &mut rng);
        let surplus = || pages.ranges.iter().map(|range| f64::from(range.surplus));
        let variance = surplus().map(|surplus| surplus * surplus).sum::<f64>() / surplus().count() as f64;
        assert!((variance / changes - 1.0).abs() < 0.08, "{changes}: {variance}");
        assert!(surplus().any(|s| s % 2.0 == 0.0) && surplus().any(|s| s % 2.0 != 0.0));
    }
}

#[test]
fn insertions_alone_split_each_page_once() {
    let mut rng = Rng::stream(3, 0, "index pages");
    let mut pages = index(0.0, &mut rng);
    let splits = (0..40_000).filter(|_| insert(&mut pages, &mut rng).split.is_some()).count();
    assert!((3_990..=4_000).contains(&splits), "{splits}");
}

/// On a real 8.0.28 an index of 777 entries a page that was filled in random order had them 69 % full, and 200 000
/// more insertions, 18 a page, split one page each 670 of them.
#[test]
fn an_index_filled_in_random_order_splits_page_by_page() {
    let mut rng = Rng::stream(3, 0, "index pages");
    let mut pages = IndexPages::default();
    let filled = filled(IndexFill::InRandomOrder);
    pages.place(&[PageRun { first: 64, pages: 22_400 }], filled, &mut rng);
    let held: f64 = pages.ranges.iter().map(|range| f64::from(777 + range.surplus)).sum();
    assert!((held / 11_200.0 / 777.0 - std::f64::consts::LN_2).abs() < 0.005, "{held}");
    let mut splits = 0;
    for _ in 0..200_000 {
        let range = rng.below(11_200);
        let FoundEntry { page, split } = pages.find(range, rng.below(2) == 1, true);
        assert!(page == 64 + range || page >= 64 + 11_200, "{page} for {range}");
        splits += u32::from(split.is_some());
    }
    assert!((230..330).contains(&splits), "{splits}");
}

#[test]
fn removals_from_pages_of_no_index_change_nothing() {
    let mut rng = Rng::stream(3, 0, "index pages");
    let mut pages = index(2.0, &mut rng);
    assert_eq!((pages.removed(0), pages.removed(5_000)), (None, None));
}

/// Five full pages; the one in the middle splits, and merges again.
#[test]
fn neighbours_are_latched_with_a_page_that_splits_or_may_merge() {
    let mut rng = Rng::stream(3, 0, "index pages");
    let latching = IndexLayout { entries_a_page: 1203, dirties_latched: true, ..BUILT };
    for layout in [BUILT, latching] {
        let told = |pages: [u32; 2]| pages.map(|page| Some(page).filter(|_| layout.dirties_latched));
        let mut pages = IndexPages::default();
        pages.place(&[PageRun { first: 100, pages: 10 }], layout, &mut rng);
        assert_eq!(pages.removed(101).unwrap().latched, [None; 2], "far more than half full");
        let half = pages.find(2, false, true).split.unwrap();
        assert_eq!(pages.latched_to_split(2), told([101, 103]));
        assert_eq!(pages.latched_to_split(0), [None, told([101, 0])[0]], "nothing before the first page");
        pages.find(2, false, true);
        assert_eq!(pages.removed(half).unwrap().latched, told([102, 103]));
        assert_eq!(
            pages.removed(102).unwrap(),
            Removal { latched: told([101, half]), merge: Some(Merge { into: 102, moved: 1, half: 1 }) }
        );
        // With up to 57 entries beyond a full page each half has 630 at most.
        (0..61).for_each(|_| _ = pages.find(2, false, true));
        assert_eq!(pages.removed(102).unwrap().latched, [None; 2]);
        (0..2).for_each(|_| _ = pages.removed(102));
        assert_eq!(pages.removed(102).unwrap().latched, told([101, half]));
    }
}
