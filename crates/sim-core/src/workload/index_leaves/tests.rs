use super::*;

const ENTRIES: u32 = 1203;
/// Pages of an index of 5 million entries when it was built.
const BUILT: u32 = 4157;

fn indexes(age: IndexAge, runs: &[PageRun], rng: &mut Rng) -> IndexLeaves {
    let mut leaves = IndexLeaves::default();
    leaves.place(runs, &age, true, rng);
    leaves
}

fn age(prepared: KeyLaw, changes_a_page: f64, changes_by_load: f64) -> IndexAge {
    IndexAge { entries_a_page: ENTRIES, prepared, changes_a_page, changes_by_load }
}

/// One index of the tables of sysbench with 5 million rows.
fn one(prepared: KeyLaw, changes_a_page: f64, changes_by_load: f64, rng: &mut Rng) -> IndexLeaves {
    indexes(age(prepared, changes_a_page, changes_by_load), &[PageRun { first: 64, pages: 2 * BUILT }], rng)
}

/// Splits and merges a transaction of oltp_read_write, and entries that a merge moves in the mean.
fn rates(leaves: &mut IndexLeaves, transactions: u32, rng: &mut Rng) -> [f64; 3] {
    let (mut splits, mut merges, mut moved) = (0.0, 0.0, 0.0);
    for _ in 0..transactions {
        for what in [LeafDraw::Entries, LeafDraw::NewKeys] {
            let place = leaves.draw(what, rng);
            let found = leaves.find(place, true);
            splits += f64::from(u8::from(found.split.is_some()));
            let removed = match what {
                LeafDraw::Entries => found,
                LeafDraw::NewKeys => {
                    let other = leaves.draw(LeafDraw::Entries, rng);
                    leaves.find(other, false)
                }
            };
            if let Some(merge) = leaves.removed(removed.page).merge {
                merges += 1.0;
                moved += f64::from(merge.moved);
            }
        }
    }
    let all = f64::from(transactions);
    [splits / all, merges / all, moved / f64::max(merges, 1.0)]
}

fn entries(index: &Index) -> u32 {
    index.leaves.iter().map(|leaf| u32::from(leaf.entries)).sum()
}

/// What holds whatever happens.
fn check(leaves: &IndexLeaves) {
    for index in &leaves.indexes {
        assert!(index.leaves.is_sorted_by_key(|leaf| leaf.low));
        assert!(index.leaves.iter().all(|leaf| leaf.entries <= leaf.heap && leaf.heap <= leaves.limits.most));
        let middles =
            index.leaves.iter().enumerate().map(|(at, leaf)| (leaf.low, leaf.middle, index.end_of(at, leaves.span)));
        assert!(middles.into_iter().all(|(low, middle, end)| low <= middle && middle <= end));
        let mut pages: Vec<u32> = index.leaves.iter().map(|leaf| leaf.page).chain(index.spare.unused()).collect();
        pages.sort_unstable();
        assert!(pages.into_iter().eq(0..index.run.pages), "each page is used once or spare");
    }
}

#[test]
fn what_a_page_holds_is_what_innodb_allows() {
    // 1203 entries of 13 bytes, half a byte of directory for each; below 8192 bytes of entries pages merge.
    assert_eq!(Limits::of(1203), Limits { most: 1203, merge_at: 630, tidy_up: 38 });
    assert_eq!(Limits::of(0).most, 2);
}

#[test]
fn insertions_alone_split_each_full_page_once() {
    let mut rng = Rng::stream(7, 0, "index leaves");
    // Of n full pages those that m insertions anywhere hit: n (1 - exp(-m/n)).
    for m in [400, 4_000, 16_000] {
        let mut leaves = one(KeyLaw::Uniform, 0.0, 0.0, &mut rng);
        let splits = (0..m).filter(|_| {
            let place = leaves.draw(LeafDraw::NewKeys, &mut rng);
            leaves.find(place, true).split.is_some()
        });
        let splits = splits.count() as f64;
        let expected = f64::from(BUILT) * (1.0 - libm::exp(-f64::from(m) / f64::from(BUILT)));
        assert!((splits - expected).abs() < 4.0 * expected.sqrt(), "{m}: {splits}, expected {expected:.0}");
        check(&leaves);
    }
}

#[test]
fn a_full_page_splits_and_merges_with_every_change() {
    let mut rng = Rng::stream(7, 0, "index leaves");
    let mut leaves = one(KeyLaw::Uniform, 0.0, 0.0, &mut rng);
    for _ in 0..1_000 {
        let place = leaves.draw(LeafDraw::Entries, &mut rng);
        let found = leaves.find(place, true);
        assert!(found.split.is_some_and(|page| page != found.page), "{found:?}");
        let latched = leaves.latched_to_split(place, found.split.unwrap());
        assert!(latched.iter().flatten().all(|page| *page != found.page && Some(*page) != found.split), "{latched:?}");
        // The upper half had the odd entry and perhaps the new one.
        let removal = leaves.removed(found.page);
        assert!(removal.latched.iter().flatten().count() >= 1, "{removal:?}");
        let merge = removal.merge.unwrap();
        assert!((600..=602).contains(&merge.moved) && merge.half == 601, "{merge:?}");
    }
    assert_eq!(leaves.indexes[0].leaves.len(), BUILT as usize);
    check(&leaves);
}

/// Where new keys follow the law of the old ones, the number of entries of what was a page wanders; it splits with each change
/// while it is exactly full and with each second one while one entry is missing: 2 exp(-s) (I0(s) + I1(s)/2) splits a
/// transaction after s insertions and deletions a page, as long as halves merge with each other alone.
#[test]
fn an_index_ages_by_the_root_of_the_changes() {
    let mut rng = Rng::stream(7, 0, "index leaves");
    for (changes, expected) in [(4.0, 2.0 * (0.207_00 + 0.178_75 / 2.0)), (64.0, 2.0 * (0.049_97 + 0.049_58 / 2.0))] {
        let mut leaves = one(KeyLaw::Uniform, changes, 0.0, &mut rng);
        let [splits, merges, _] = rates(&mut leaves, 4_000, &mut rng);
        assert!((splits / expected - 1.0).abs() < 0.15, "{changes}: {splits}, expected {expected}");
        assert!((merges / splits - 1.0).abs() < 0.15, "{changes}: {merges} merges, {splits} splits");
        check(&leaves);
    }
}

/// Prepared by `special`, 182 insertions and deletions a page by the same, then 900 s of each number of clients, uniformly:
/// splits and merges a transaction that `index_page_splits` and `index_page_merge_successful` of a MySQL 9.7.0 counted over 90 s
/// after as many changes a page. Nothing is fitted. Up to 60 changes a page they come within a tenth; later, where some twenty full pages
/// decide, up to 40 % apart (five seeds: +21 to +38 % at 148, -9 to -35 % at 1035).
#[test]
fn an_index_prepared_by_another_law_settles_as_a_real_one() {
    let mut rng = Rng::stream(7, 0, "index leaves");
    let runs: Vec<PageRun> = (0..4).map(|nth| PageRun { first: nth * 10_000, pages: 2 * BUILT }).collect();
    let recorded = [(0.5, 0.1003, 0.1287), (10.0, 0.0838, 0.0970), (60.0, 0.0159, 0.0159), (1035.0, 0.0054, 0.0055)];
    for (changes, splits_recorded, merges_recorded) in recorded {
        let mut leaves = indexes(age(KeyLaw::Special, 182.2, changes), &runs, &mut rng);
        // As many transactions as make two, or twelve, changes a page.
        let long = if changes > 20.0 { 6 } else { 1 };
        let [splits, merges, _] = rates(&mut leaves, long * 4 * BUILT, &mut rng);
        let apart = if changes > 60.0 { 0.5 } else { 0.2 };
        let close = |simulated: f64, recorded: f64| (simulated / recorded - 1.0_f64).abs() < apart;
        assert!(close(splits, splits_recorded), "{changes}: {splits:.4} splits of {splits_recorded}");
        assert!(close(merges, merges_recorded), "{changes}: {merges:.4} merges of {merges_recorded}");
        check(&leaves);
    }
}

/// Where keys follow each other a page splits next to the last one, with one old entry beside the new one.
#[test]
fn keys_side_by_side_split_a_page_where_they_lie() {
    let mut rng = Rng::stream(7, 0, "index leaves");
    for (falls, small) in [(false, 0), (true, 1)] {
        let mut leaves = one(KeyLaw::Uniform, 0.0, 0.0, &mut rng);
        let (span, limits) = (leaves.span, leaves.limits);
        let index = &mut leaves.indexes[0];
        // A page that has split fills up with entries of one key near its end: even keys rise, odd ones fall.
        let [low, end] = [0, 1].map(|at| index.leaves[at].low);
        assert!(index.insert(low, span, &limits).is_some());
        let key = if falls { low + (end - low) / 200 } else { index.leaves[1].low - (end - low) / 200 };
        let key = key / 2 * 2 + u32::from(falls);
        let old = index.leaves[0].page;
        let begun = (0..ENTRIES).find_map(|_| index.insert(key, span, &limits)).unwrap();
        let parts = [0, 1].map(|at| (index.leaves[at].page, index.leaves[at].entries));
        assert_eq!(parts[0].1 + parts[1].1, limits.most - limits.tidy_up + 2);
        // Downwards it is the lower part that moves to the new page.
        assert_eq!(parts.map(|part| part.0), if falls { [begun, old] } else { [old, begun] });
        assert!((1..30).contains(&parts[1 - small].1), "{parts:?}");
        assert_eq!(index.leaf_of(key), usize::from(falls));
        let latched = leaves.latched_to_split(key, 64 + begun);
        let next = leaves.indexes[0].leaves[2].page;
        assert_eq!(latched, [None, Some(64 + next)]);
        check(&leaves);
    }
}

#[test]
fn entries_are_neither_lost_nor_made() {
    let mut rng = Rng::stream(7, 0, "index leaves");
    let runs = [PageRun { first: 64, pages: 400 }, PageRun { first: 512, pages: 400 }];
    let mut leaves = indexes(age(KeyLaw::Special, 5.0, 900.0), &runs, &mut rng);
    let held = |leaves: &IndexLeaves| leaves.indexes.iter().map(entries).sum::<u32>();
    assert_eq!(held(&leaves), 400 * ENTRIES);
    rates(&mut leaves, 20_000, &mut rng);
    assert_eq!(held(&leaves), 400 * ENTRIES);
    check(&leaves);
    assert!(leaves.indexes[1].leaves.iter().any(|leaf| leaf.page >= 200), "none has split");
    assert!(leaves.used(runs[1]).pages > 200);
    assert_eq!(leaves.removed(0), Removal::default());
    assert_eq!(leaves.removed(5_000), Removal::default());
}

#[test]
fn the_law_of_special_is_sysbenchs() {
    let mut rng = Rng::stream(7, 0, "special");
    for place in [0.3, 0.45, 0.499, 0.503, 0.6] {
        let drawn = 200_000;
        let below = (0..drawn).filter(|_| {
            let rnd = rng.uniform_f64();
            let key = if rnd < 0.25 {
                (0..12).map(|_| rng.uniform_f64()).sum::<f64>() / 12.0
            } else {
                rnd * 0.01 + 0.5 - 0.005
            };
            key < place
        });
        let share = below.count() as f64 / f64::from(drawn);
        let law = KeyLaw::Special.share_below(place);
        assert!((share - law).abs() < 0.005, "{place}: {share}, by the law {law}");
        assert!((KeyLaw::Special.quantile(law) - place).abs() < 1e-6);
    }
}
