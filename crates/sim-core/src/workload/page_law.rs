//! How often the pages of a set are drawn, by their place in it.
//!
//! A transaction that draws at home comes to a page twice more often than to any other; draws that come to a page which the same
//! transaction has drawn before meet nothing new, so only the first of them counts.

/// Constants of clients that are looked at for how often a transaction comes to a page twice.
const CONSTANTS: usize = 64;

/// How often a class draws the pages of one of its sets, relative to their mean.
#[derive(Debug, Clone)]
pub(super) enum PageLaw {
    /// All equally often, or wherever they lie.
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
            PageLaw::Flat => 1.0,
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
