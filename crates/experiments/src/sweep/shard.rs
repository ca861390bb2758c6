//! Part `K` of `N`: what one of several machines does.

use serde::{Deserialize, Serialize};

/// Which part of the list of runs to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// All of it.
    pub const ALL: Shard = Shard { number: 1, of: 1 };
    /// Most parts.
    const MOST: usize = 1_000_000;

    /// Reads `K/N`, with `K` from 1 to `N`.
    ///
    /// # Errors
    /// What is wrong, in one line.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.trim().parse().ok()?, n.trim().parse().ok()?)));
        let Some((number, of)) = numbers else {
            return Err("write K/N, such as 2/5 for the second of five parts".to_owned());
        };
        match (number, of) {
            (_, 0) => Err("there must be at least one part: write 1/1 or more".to_owned()),
            (0, _) => Err(format!("parts count from 1: the first is 1/{of}")),
            (k, n) if k > n => Err(format!("there is no part {k} of {n}: parts go from 1/{n} to {n}/{n}")),
            (_, n) if n > Shard::MOST => Err(format!("at most {} parts", Shard::MOST)),
            _ => Ok(Shard { number, of }),
        }
    }

    /// Whether the item with this place in the list, from 0, belongs to the part: items are dealt out in turn.
    pub fn holds(&self, place: usize) -> bool {
        place % self.of == self.number - 1
    }

    /// Whether it is everything.
    pub fn is_all(&self) -> bool {
        self.of == 1
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole_and_share_nothing() {
        let parts: Vec<Shard> = (1..=5).map(|k| Shard::parse(&format!("{k}/5")).unwrap()).collect();
        for place in 0..23 {
            assert_eq!(parts.iter().filter(|part| part.holds(place)).count(), 1);
        }
        assert!(Shard::ALL.holds(7) && Shard::ALL.is_all());
    }

    #[test]
    fn bad_ones_are_told() {
        for (text, word) in [("3", "K/N"), ("0/5", "from 1"), ("6/5", "no part"), ("1/0", "at least"), ("a/b", "K/N")] {
            let error = Shard::parse(text).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
