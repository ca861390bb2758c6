//! A set of page numbers, one bit each: small enough to stay in the processor's cache.

use prefetch_index::prefetch_index;

/// A growable set of small integers.
#[derive(Debug, Clone, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// An empty set with room for `len` members.
    pub(crate) fn with_len(len: usize) -> Self {
        BitSet { words: vec![0; len.div_ceil(64)] }
    }

    /// Makes room for `len` members.
    pub(crate) fn grow(&mut self, len: usize) {
        self.words.resize(len.div_ceil(64).max(self.words.len()), 0);
    }

    /// Whether `i` is a member.
    #[inline]
    pub(crate) fn contains(&self, i: u32) -> bool {
        self.words[(i >> 6) as usize] >> (i & 63) & 1 != 0
    }

    /// Asks the processor for the memory of `i`.
    #[inline]
    pub(crate) fn prefetch(&self, i: u32) {
        prefetch_index(&self.words, (i >> 6) as usize);
    }

    /// The first member from `i` on.
    pub(crate) fn next_from(&self, i: u32) -> Option<u32> {
        let first = (i >> 6) as usize;
        self.words.get(first)?;
        self.next_in_word(i).or_else(|| {
            let mut later = self.words.iter().enumerate().skip(first + 1);
            let (place, _) = later.find(|&(_, &word)| word != 0)?;
            self.next_in_word((place * 64) as u32)
        })
    }

    /// The first member from `i` on in its word, for which there must be room.
    #[inline]
    pub(crate) fn next_in_word(&self, i: u32) -> Option<u32> {
        let word = self.words[(i >> 6) as usize] & u64::MAX << (i & 63);
        (word != 0).then(|| (i & !63) + word.trailing_zeros())
    }

    /// Adds `i`.
    #[inline]
    pub(crate) fn insert(&mut self, i: u32) {
        self.words[(i >> 6) as usize] |= 1 << (i & 63);
    }

    /// Adds all from `first` up to, not including, `end`.
    pub(crate) fn insert_range(&mut self, first: u32, end: u32) {
        for word in first >> 6..end.div_ceil(64) {
            let (from, to) = (first.saturating_sub(word * 64), (end - word * 64).min(64));
            self.words[word as usize] |= u64::MAX << from & u64::MAX >> (64 - to);
        }
    }

    /// Removes `i`.
    #[inline]
    pub(crate) fn remove(&mut self, i: u32) {
        self.words[(i >> 6) as usize] &= !(1 << (i & 63));
    }

    /// Whether `i` and its 63 neighbours in the word are all members.
    #[inline]
    pub(crate) fn word_full(&self, i: u32) -> bool {
        self.words[(i >> 6) as usize] == u64::MAX
    }

    /// Whether neither `i` nor its 63 neighbours in the word are members.
    #[inline]
    pub(crate) fn word_empty(&self, i: u32) -> bool {
        self.words[(i >> 6) as usize] == 0
    }

    /// Whether all of `first..=last` are members.
    pub(crate) fn contains_all(&self, first: u32, last: u32) -> bool {
        let (low, high) = ((first >> 6) as usize, (last >> 6) as usize);
        let from = u64::MAX << (first & 63);
        let to = u64::MAX >> (63 - (last & 63));
        if low == high {
            return self.words[low] & from & to == from & to;
        }
        self.words[low] & from == from
            && self.words[high] & to == to
            && self.words[low + 1..high].iter().all(|&word| word == u64::MAX)
    }

    /// Number of members from `first` up to, not including, `end`.
    pub(crate) fn count_in(&self, first: u32, end: u32) -> u64 {
        if first >= end {
            return 0;
        }
        let (low, high) = ((first >> 6) as usize, ((end - 1) >> 6) as usize);
        let from = u64::MAX << (first & 63);
        let to = u64::MAX >> (63 - ((end - 1) & 63));
        let of_word = |word: usize| {
            let mask = if word == low { from } else { u64::MAX } & if word == high { to } else { u64::MAX };
            u64::from((self.words[word] & mask).count_ones())
        };
        (low..=high).map(of_word).sum()
    }

    /// Number of members; walks the whole set.
    pub(crate) fn count(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;

    #[test]
    fn members_come_and_go() {
        let mut set = BitSet::with_len(100);
        set.insert(0);
        set.insert(63);
        set.insert(64);
        assert!(set.contains(63) && set.contains(64) && !set.contains(65));
        assert_eq!(
            [(0, 100), (0, 64), (1, 63), (63, 65), (64, 64)].map(|(from, to)| set.count_in(from, to)),
            [3, 2, 0, 2, 0]
        );
        set.remove(63);
        assert_eq!(set.count(), 2);
        assert!(set.contains_all(64, 64) && !set.contains_all(63, 64));
        (3..99).for_each(|i| set.insert(i));
        assert!(set.contains_all(3, 98) && !set.contains_all(2, 98) && !set.contains_all(3, 99));
        (3..99).filter(|&i| i != 64).for_each(|i| set.remove(i));
        set.grow(1000);
        set.insert(999);
        assert_eq!(set.count(), 3);
        let next = [
            (0, Some(0)),
            (1, Some(64)),
            (64, Some(64)),
            (65, Some(999)),
            (999, Some(999)),
            (1000, None),
            (5000, None),
        ];
        next.iter().for_each(|&(from, member)| assert_eq!(set.next_from(from), member));
    }

    /// All, none, all but one, every seventh: each question of each pair of ends is answered as by counting members.
    #[test]
    fn it_answers_as_a_list_of_its_members_does() {
        const LEN: u32 = 200;
        let all_but = |missing: u32| (0..LEN).filter(|&i| i != missing).collect::<Vec<u32>>();
        let few = [0, 1, 62, 63, 64, 65, 127, 128, 191, 192, 199].map(all_but);
        let others = [(0..LEN).collect(), Vec::new(), (0..LEN).step_by(7).collect()];
        for members in few.into_iter().chain(others) {
            let mut set = BitSet::with_len(LEN as usize);
            members.iter().for_each(|&i| set.insert(i));
            let below: Vec<u64> = (0..=LEN).map(|end| members.iter().filter(|&&i| i < end).count() as u64).collect();
            assert_eq!(set.count(), members.len() as u64);
            for first in 0..LEN {
                let word = first / 64 * 64;
                let in_word: Vec<u32> = members.iter().copied().filter(|i| i / 64 == first / 64).collect();
                assert_eq!(set.contains(first), members.contains(&first), "{first}");
                assert_eq!(set.word_empty(first), in_word.is_empty(), "{word}");
                assert_eq!(set.word_full(first), in_word.len() == 64, "{word}");
                assert_eq!(set.next_in_word(first), in_word.into_iter().find(|&i| i >= first), "{first}");
                assert_eq!(set.next_from(first), members.iter().copied().find(|&i| i >= first), "{first}");
                for end in first..=LEN {
                    let count = below[end as usize] - below[first as usize];
                    assert_eq!(set.count_in(first, end), count, "{first}..{end}");
                    if end > first {
                        let all = count == u64::from(end - first);
                        assert_eq!(set.contains_all(first, end - 1), all, "{first}..{end}");
                    }
                }
            }
            assert_eq!(set.count_in(9, 3), 0, "nothing lies between");
            for (first, end) in [(0, 1), (0, 64), (63, 65), (5, 5), (64, 64), (1, 199), (100, 200)] {
                let mut longer = set.clone();
                longer.insert_range(first, end);
                let all = (0..LEN).filter(|&i| longer.contains(i)).count();
                let others = members.iter().filter(|i| !(first..end).contains(i)).count();
                assert_eq!(
                    (all, longer.count_in(first, end)),
                    (others + (end - first) as usize, u64::from(end - first))
                );
            }
        }
    }

    /// A word of 8 bytes for 64 members; it never shrinks.
    #[test]
    fn it_has_a_word_for_64_members() {
        let bytes = |len| BitSet::with_len(len).bytes();
        assert_eq!([0, 1, 64, 65, 128, 129].map(bytes), [0, 8, 8, 16, 16, 24]);
        let mut set = BitSet::with_len(65);
        set.insert(64);
        let grown = [1, 128, 129].map(|len| {
            set.grow(len);
            (set.bytes(), set.count())
        });
        assert_eq!(grown, [(16, 1), (16, 1), (24, 1)]);
        assert_eq!(set.next_from(192), None);
    }
}
