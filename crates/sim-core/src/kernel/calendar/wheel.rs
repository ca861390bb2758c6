//! A wheel of buckets: what the calendar keeps of the near future.
//!
//! Time is cut into ticks, and the next [`BUCKETS`] ticks have a bucket each, a list in no order. An event goes to the
//! front of its tick's list; the next event is the smallest of the first list that is not empty, which a map of bits
//! tells. With about an event in two ticks a list rarely has a second one, so neither way depends on how many events
//! are pending, and there is little in them that a processor has to guess.

/// Ticks that the wheel reaches ahead; a power of two.
pub(super) const BUCKETS: usize = 1024;
/// Words of the map.
const WORDS: usize = BUCKETS / 64;
/// No place in the store.
const NOWHERE: u32 = u32::MAX;

/// An event and its key, in a list.
#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    key: u128,
    /// The next in the same list, or the next free place.
    next: u32,
    event: E,
}

/// Events of the near future.
#[derive(Debug, Clone)]
pub(super) struct Wheel<E: Copy> {
    /// First entry of each bucket.
    heads: Box<[u32; BUCKETS]>,
    /// A bit for each bucket that is not empty, and one for each word of those.
    words: [u64; WORDS],
    summary: u32,
    /// Entries, and the first of those that are free.
    store: Vec<Entry<E>>,
    free: u32,
    len: usize,
    /// A tick is 2 to this power, ns.
    tick_bits: u32,
}

impl<E: Copy> Wheel<E> {
    /// Empty, with ticks of 2^`tick_bits` ns.
    pub(super) fn new(tick_bits: u32) -> Self {
        Wheel {
            heads: Box::new([NOWHERE; BUCKETS]),
            words: [0; WORDS],
            summary: 0,
            store: Vec::new(),
            free: NOWHERE,
            len: 0,
            tick_bits,
        }
    }

    /// Number of events.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// A tick is 2 to this power, ns.
    pub(super) fn tick_bits(&self) -> u32 {
        self.tick_bits
    }

    /// All events with their keys, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u128, E)> + '_ {
        let entry = |place: u32| self.store.get(place as usize);
        let list = move |&head: &u32| std::iter::successors(entry(head), move |one| entry(one.next));
        self.heads.iter().flat_map(list).map(|one| (one.key, one.event))
    }

    /// Whether `at` is near enough at `now`, both ns. What is past is not.
    #[inline(always)]
    pub(super) fn reaches(&self, now: u64, at: u64) -> bool {
        (at >> self.tick_bits).wrapping_sub(now >> self.tick_bits) < BUCKETS as u64
    }

    /// Adds an event at `at`, ns, which the wheel reaches.
    #[inline(always)]
    pub(super) fn push(&mut self, at: u64, key: u128, event: E) {
        let bucket = (at >> self.tick_bits) as usize % BUCKETS;
        let entry = Entry { key, next: self.heads[bucket], event };
        self.heads[bucket] = match self.store.get_mut(self.free as usize) {
            Some(place) => {
                let taken = std::mem::replace(&mut self.free, place.next);
                *place = entry;
                taken
            }
            None => {
                self.store.push(entry);
                self.store.len() as u32 - 1
            }
        };
        self.words[bucket / 64] |= 1 << (bucket % 64);
        self.summary |= 1 << (bucket / 64);
        self.len += 1;
    }

    /// The first bucket that is not empty from that of `now`, ns, on, round to those before it.
    #[inline(always)]
    fn first_bucket(&self, now: u64) -> Option<usize> {
        if self.summary == 0 {
            return None;
        }
        let start = (now >> self.tick_bits) as usize % BUCKETS;
        let word = start / 64;
        let ahead = self.words[word] >> (start % 64);
        if ahead != 0 {
            return Some(start + ahead.trailing_zeros() as usize);
        }
        // The words behind it, and those from the beginning up to it.
        let turned = (self.summary | self.summary << WORDS) >> (word + 1);
        let word = (word + 1 + turned.trailing_zeros() as usize) % WORDS;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }

    /// Takes the event with the smallest key if that is below `limit`, with its time, ns. None is before `now`, ns.
    #[inline(always)]
    pub(super) fn pop_below(&mut self, limit: u128, now: u64) -> Option<(u64, E)> {
        let bucket = self.first_bucket(now)?;
        let head = self.heads[bucket];
        let (mut place, mut before) = (head, NOWHERE);
        let mut last = head;
        let mut key = self.store[head as usize].key;
        loop {
            let next = self.store[last as usize].next;
            if next == NOWHERE {
                break;
            }
            let other = self.store[next as usize].key;
            if other < key {
                (key, place, before) = (other, next, last);
            }
            last = next;
        }
        if limit < key {
            return None;
        }
        let Entry { next, event, .. } = self.store[place as usize];
        if before == NOWHERE {
            self.heads[bucket] = next;
            if next == NOWHERE {
                let word = &mut self.words[bucket / 64];
                *word &= !(1 << (bucket % 64));
                self.summary &= !(u32::from(*word == 0) << (bucket / 64));
            }
        } else {
            self.store[before as usize].next = next;
        }
        self.store[place as usize].next = std::mem::replace(&mut self.free, place);
        self.len -= 1;
        Some(((key >> 64) as u64, event))
    }
}
