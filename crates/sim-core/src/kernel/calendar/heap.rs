//! A heap of events: what the calendar keeps of the far future, or everything where very much is pending.
//!
//! An implicit four-ary heap of (key, event), where a key is time and sequence number in one 128-bit number, so that a
//! comparison is one comparison. Four children make the heap half as deep as a binary one and lie next to each other in
//! memory. An event that was popped leaves its place at the top to the next one that comes, as most events schedule
//! another: one way through the heap instead of two.

/// Children of a node of the heap.
const ARITY: usize = 4;

/// An event and its key.
#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    key: u128,
    event: E,
}

/// Events by key, the smallest first.
#[derive(Debug, Clone)]
pub(super) struct Heap<E: Copy> {
    entries: Vec<Entry<E>>,
    /// The first entry is that of the event popped last.
    vacant: bool,
}

impl<E: Copy> Heap<E> {
    /// Empty.
    pub(super) fn new() -> Self {
        Heap { entries: Vec::new(), vacant: false }
    }

    /// All events with their keys, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u128, E)> + '_ {
        self.entries.iter().skip(usize::from(self.vacant)).map(|entry| (entry.key, entry.event))
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.vacant = false;
    }

    /// Number of events.
    pub(super) fn len(&self) -> usize {
        self.entries.len() - usize::from(self.vacant)
    }

    /// Adds `event`.
    #[inline(never)]
    pub(super) fn push(&mut self, key: u128, event: E) {
        let entry = Entry { key, event };
        if std::mem::take(&mut self.vacant) {
            return self.sift_down(entry);
        }
        self.entries.push(entry);
        let last = self.entries.len() - 1;
        Self::sift_up(&mut self.entries, last);
    }

    /// The smallest key.
    #[inline]
    pub(super) fn first(&mut self) -> Option<u128> {
        if self.vacant {
            self.close_vacancy();
        }
        Some(self.entries.first()?.key)
    }

    /// Takes the event with the smallest key.
    #[inline(never)]
    pub(super) fn pop(&mut self) -> Option<(u128, E)> {
        if self.vacant {
            self.close_vacancy();
        }
        let first = *self.entries.first()?;
        self.vacant = true;
        Some((first.key, first.event))
    }

    /// Nobody took the place of the event popped last.
    fn close_vacancy(&mut self) {
        self.vacant = false;
        if let Some(last) = self.entries.pop()
            && !self.entries.is_empty()
        {
            self.sift_down(last);
        }
    }

    /// Puts `entry` into the hole at the root: the hole moves down along the smallest children to the bottom, then up
    /// to where `entry` belongs. It comes from the bottom and mostly belongs there, so comparing on the way down is
    /// wasted.
    #[inline]
    fn sift_down(&mut self, entry: Entry<E>) {
        let heap = self.entries.as_mut_slice();
        let mut hole = 0;
        loop {
            let first = hole * ARITY + 1;
            let smallest = match heap.get(first..first + ARITY) {
                Some([a, b, c, d]) => {
                    // By arithmetic, not by branches: which child is the smallest is a coin toss.
                    let (ab, cd) = (usize::from(b.key < a.key), usize::from(d.key < c.key));
                    let right = usize::from(c.key.min(d.key) < a.key.min(b.key));
                    first + ab + right * (2 + cd - ab)
                }
                _ => match smallest_of(heap.get(first..).unwrap_or_default()) {
                    Some(child) => first + child,
                    None => break,
                },
            };
            heap[hole] = heap[smallest];
            hole = smallest;
        }
        heap[hole] = entry;
        Self::sift_up(heap, hole);
    }

    /// Moves the entry at `hole` up to where it belongs.
    #[inline]
    fn sift_up(heap: &mut [Entry<E>], mut hole: usize) {
        let entry = heap[hole];
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if heap[parent].key <= entry.key {
                break;
            }
            heap[hole] = heap[parent];
            hole = parent;
        }
        heap[hole] = entry;
    }
}

/// Position of the smallest of the last few children.
#[inline]
fn smallest_of<E>(children: &[Entry<E>]) -> Option<usize> {
    (0..children.len()).min_by_key(|&i| children[i].key)
}
