//! Which pages of a home have been read, for classes that read the same ones whenever they are at the same home. No
//! simplification.

/// How many of its pages each home has had read, of a class that reads the same pages whenever it is at the same home. They
/// are in memory since; so all that are missing are those of other homes, and are met the more often there.
#[derive(Debug, Clone)]
pub struct Homes {
    /// By home.
    read: Vec<u16>,
    /// Pages of a home, and how many have been read, of all homes.
    pages: u32,
    all_read: u64,
}

impl Homes {
    /// None has been read yet, of `homes` homes with `pages` pages each.
    pub fn new(homes: u32, pages: u32) -> Self {
        Homes { read: vec![0; homes as usize], pages: pages.clamp(1, u32::from(u16::MAX)), all_read: 0 }
    }

    /// The first `draws` pages of a home are read: how many of them are read for the first time, and how many times as often as
    /// any page of the class those are missing. The home is a fraction of 2^64.
    #[inline]
    pub(super) fn read_at(&mut self, home: u64, draws: u32) -> (u32, f64) {
        let number = (u128::from(home) * self.read.len() as u128) >> 64;
        let read = &mut self.read[number as usize];
        let draws = draws.min(self.pages);
        let new = draws.saturating_sub(u32::from(*read));
        if new == 0 {
            return (0, 1.0);
        }
        *read = draws as u16;
        let all = u64::from(self.pages) * self.read.len() as u64;
        let left = (all - self.all_read) as f64;
        self.all_read += u64::from(new);
        (new, all as f64 / left)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.read.len() as u64 * 2
    }
}
