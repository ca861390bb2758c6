//! The scenario of a measured load, as text.

use super::demand::Demand;
use super::measured::Measured;
use crate::calibrate::{
    Device, Others, before_toml, file_system_toml, machine_toml, parameters_toml, start_on_a_clean_pool, work_before,
};
use innosim_recordings::{Quantity, Recording};
use innosim_spectrum::{Bin, Spectrum};

/// Dirty pages up to which a pool counts as clean.
const CLEAN_PAGES: f64 = 40.0;
/// Most of a start's pages that can be dirty, and the least share that is worth a start.
const MOST_DIRTY: f64 = 0.95;
/// Share of the buffer pool that is filled at the start, and the least share of pages of one rate that is in it.
const FILLED: f64 = 0.95;
const LEAST_HERE: f64 = 1e-4;
/// Pages that are modified so often within the age are dirty again at once, whatever the start says.
const HOT: f64 = 3.0;
/// Dirty pages beyond the spectrum's, as a share, that are pages of something else.
const LEFT_OVER: f64 = 0.05;
/// Modifications a unit of work of pages that are left over: none to speak of.
const HARDLY: f64 = 1e-12;
/// Seconds whose mean demand stands for the time before the recording.
const FIRST_S: f64 = 60.0;
/// Clients for each that was recorded, where the CPU time of a unit of work is guessed.
const UNHINDERED: u32 = 4;

/// What drives a scenario.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Drive {
    /// The recorded demand, multiplied.
    Recorded(f64),
    /// So many units of work a second.
    Even(f64),
    /// So many clients.
    Closed(u32),
}

/// A scenario of `load` on the server of `target`.
pub(super) struct Wanted<'a> {
    /// Whose settings, device and state at the beginning count.
    pub(super) target: &'a Recording,
    /// What runs.
    pub(super) load: &'a Measured,
    /// When it runs.
    pub(super) demand: &'a Demand,
    /// How it is driven.
    pub(super) drive: Drive,
    /// The device.
    pub(super) device: &'a Device,
    /// Length, seconds, and warm-up.
    pub(super) length: (f64, &'static str),
    /// What other programs do: what settles beyond the recording can't go on with its last seconds.
    pub(super) others: Others,
    /// The sample in whose state the server starts.
    pub(super) start: usize,
}

/// The pages that a server starts with.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Start {
    /// Share of all pages that is dirty.
    share: f64,
    /// Pages that were dirty and that the load does not modify: of a load before it.
    left_over: f64,
}

impl Start {
    /// Pages of `spectrum` of which `dirty` are dirty in all at this age, in units of work, with room for so many. Which
    /// pages are dirty is drawn alike from all in the pool, and those that are modified often become so at once; the share counts
    /// them as dirty already. Data that outgrow the pool fill this room.
    fn of(spectrum: &Spectrum, dirty: f64, age: f64, room: f64) -> Start {
        let hot = |bin: &&Bin| bin.rate * age > HOT;
        let sum = |bins: &mut dyn Iterator<Item = &Bin>| bins.map(|bin| bin.pages).sum::<f64>();
        let hot_pages = sum(&mut spectrum.bins.iter().chain(&spectrum.freed).filter(hot));
        let others = sum(&mut spectrum.bins.iter().filter(|bin| !hot(bin))).max(1.0);
        let expected = spectrum.dirty(age);
        let share = |dirty: f64, pages: f64| ((dirty - hot_pages) / pages).clamp(0.0, MOST_DIRTY);
        if spectrum.beyond.is_some() {
            return Start { share: share(dirty, (room - hot_pages).max(1.0)), left_over: 0.0 };
        }
        let beyond = dirty - expected;
        if beyond <= LEFT_OVER * dirty {
            return Start { share: share(dirty, others), left_over: 0.0 };
        }
        let usual = share(expected, others).max(0.2);
        let left_over = (beyond / usual).min((room - spectrum.pages()).max(0.0)).max(beyond / MOST_DIRTY);
        Start { share: share(dirty, others + left_over), left_over }
    }
}

impl Wanted<'_> {
    /// As TOML; the error is a sentence.
    pub(super) fn toml(&self) -> Result<String, String> {
        let mut text = machine_toml(self.target, &self.load.calibration, self.device, self.length, self.others())?;
        text.push_str(&file_system_toml(self.target, self.device));
        text.push_str(&format!("\n[workload]   # {} a unit of work\n", self.load.calibration.recording));
        text.push_str("kind = \"spectrum\"\n");
        text.push_str(&parameters_toml(&self.load.calibration));
        text.push_str(&bins_toml(&self.load.spectrum));
        let start = self.start();
        if let Some((Start { left_over, .. }, _)) = start.filter(|(start, _)| start.left_over >= 1.0) {
            text.push_str(&format!(
                "\n[[workload.bin]]   # dirty pages that the load does not modify\nrate = {HARDLY:?}\npages = {left_over:.0}\n"
            ));
        }
        text.push_str(&self.drive_toml());
        match start {
            Some((start, age)) => text.push_str(&self.start_toml(start, age)),
            None => text.extend(start_on_a_clean_pool(self.target, self.start)),
        }
        Ok(text)
    }

    /// What other programs do. A closed loop's clients may be all that is known of them, and their time is in the units'.
    fn others(&self) -> Others {
        let are_clients = self.load.calibration.cpu_taken.is_some_and(|taken| taken.clients_are_the_others);
        if are_clients && matches!(self.drive, Drive::Closed(_)) { Others::AreClients } else { self.others }
    }

    fn drive_toml(&self) -> String {
        let open = |clients: u32| format!("\n[drive]\nkind = \"open\"\nclients = {clients}\npoisson = false\n");
        match self.drive {
            Drive::Closed(clients) => format!("\n[drive]\nkind = \"closed\"\nclients = {clients}\n"),
            Drive::Even(rate) => format!("{}rate = {rate:.3}\n", open(self.demand.clients)),
            Drive::Recorded(factor) => {
                let begun = self.target.load_start();
                // The demand was met. Where the CPU time is guessed, it must not be what holds it up.
                let clients = self.demand.clients * if self.load.cpu_is_measured { 1 } else { UNHINDERED };
                let mut text = open(clients);
                let mut add = |at: f64, rate: f64| {
                    text.push_str(&format!(
                        "\n[[drive.segment]]\nstart_s = {at:.3}\nfrom_per_s = {rate:.3}\nto_per_s = {rate:.3}\n"
                    ));
                };
                if let Some(&(first, _)) = self.demand.pieces.first()
                    && first > begun
                {
                    add(0.0, factor * self.first_rate(first));
                }
                self.demand.pieces.iter().for_each(|(at, rate)| add((at - begun).max(0.0), factor * rate));
                text
            }
        }
    }

    /// Demand at the beginning of the recording.
    fn first_rate(&self, first: f64) -> f64 {
        let inside = self.demand.pieces.iter().take_while(|(at, _)| *at < first + FIRST_S);
        let (sum, count) = inside.fold((0.0, 0.0), |(sum, count), (_, rate)| (sum + rate, count + 1.0));
        if count > 0.0 { sum / count } else { self.demand.mean }
    }

    /// What is dirty in the sample that the server starts with, and the checkpoint age there; `None` of a clean pool.
    fn start(&self) -> Option<(Start, f64)> {
        let (age, dirty) = (self.target.checkpoint_age()?, self.target.get(Quantity::DirtyPages)?);
        // A state is that of one sample: the first from there on that has all of it.
        let both = |i: usize| Some((dirty.at(i)?, age.at(i)?));
        let (dirty, age) = (self.start..dirty.len()).find_map(both).filter(|(dirty, _)| *dirty > CLEAN_PAGES)?;
        let in_work = age / self.load.redo().max(f64::MIN_POSITIVE);
        let start = Start::of(&self.load.spectrum, dirty, in_work, FILLED * self.load.pool_pages);
        (age >= 1.0 && start.share > 0.0).then_some((start, age))
    }

    fn start_toml(&self, start: Start, age: f64) -> String {
        format!(
            "\n[start]   # as it was recorded\ndirty_share = {:.6}\ncheckpoint_age_bytes = {age:.0}\n{}",
            start.share,
            before_toml(self.target, self.start, work_before(self.target, self.start))
        )
    }
}

/// The bins. Where the data outgrow the pool, as many of each are in it at the start as usually are.
fn bins_toml(spectrum: &Spectrum) -> String {
    let Spectrum { bins, freed, beyond } = spectrum;
    let here = |rate: f64| beyond.map(|beyond| (FILLED * beyond.residence.resident_share(rate)).max(LEAST_HERE));
    let resident = |rate: f64| here(rate).map_or(String::new(), |share| format!("resident_share = {share:.4}\n"));
    let mut text = String::new();
    if let Some(read) = beyond.map(|beyond| beyond.read) {
        text.push_str(&resident(read.rate));
        if read.pages >= 1.0 {
            let (reads, pages) = (read.rate * read.pages, read.pages.round());
            text.push_str(&format!(
                "reads = {reads:.4}   # so that the recorded misses miss\nread_pages = {pages:.0}\n"
            ));
        }
    }
    let freed = freed.iter().map(|bin| (bin, "freed = true\n"));
    for (bin, more) in bins.iter().map(|bin| (bin, "")).chain(freed) {
        let pages = bin.pages.round().max(1.0);
        let (rate, here) = (bin.rate * bin.pages / pages, resident(bin.rate));
        text.push_str(&format!("\n[[workload.bin]]\nrate = {rate:?}\npages = {pages:.0}\n{here}{more}"));
    }
    text
}

/// The sample whose dirty pages are in the middle of all: a state that the server is usually in.
pub(super) fn usual_state(recording: &Recording) -> usize {
    let Some(dirty) = recording.get(Quantity::DirtyPages) else { return 0 };
    let mut known: Vec<(usize, f64)> = dirty.placed().collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    known.get(known.len() / 2).map_or(0, |(i, _)| *i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_spectrum::{Beyond, Pool, Residence};

    fn spectrum() -> Spectrum {
        Spectrum::new(vec![Bin { rate: 1e-5, pages: 100_000.0 }, Bin { rate: 1e-2, pages: 500.0 }])
    }

    #[test]
    fn a_start_has_the_dirty_pages_that_were_recorded() {
        // At an age of 100 000 units half of the slow pages are dirty, and all of the others.
        let start = Start::of(&spectrum(), 50_500.0, 1e5, 1e6);
        assert_eq!(start.left_over, 0.0);
        assert!((start.share - 0.5).abs() < 1e-6, "{start:?}");
    }

    /// Pages that are touched often are in the pool at the start, most others are not, and what is there fits into it.
    #[test]
    fn data_that_outgrow_the_pool_start_with_the_pages_that_usually_stay() {
        let read = Bin { rate: 3e-6, pages: 50_000.0 };
        let pool = Pool { pages: 40_000.0, old_share: 0.37 };
        let bins = spectrum().bins;
        let residence = Residence::of(&[&bins[..], &[read]].concat(), pool).unwrap();
        let outgrown = Spectrum { beyond: Some(Beyond { residence, read }), ..spectrum() };
        let text = bins_toml(&outgrown);
        let shares = text.lines().filter_map(|line| line.strip_prefix("resident_share = "));
        let shares: Vec<f64> = shares.map(|share| share.parse().unwrap()).collect();
        assert!(shares[0] < shares[1] && shares[1] < 0.5 && shares[2] > 0.94, "{text}");
        let here = shares[0] * read.pages + shares[1] * bins[0].pages + shares[2] * bins[1].pages;
        assert!((here / (FILLED * pool.pages) - 1.0).abs() < 0.01, "{here}");
        // All 500 hot pages are there, and half of the others that are.
        let start = Start::of(&outgrown, 500.0 + (here - 500.0) / 2.0, 1e5, here);
        assert!((start.share - 0.5).abs() < 1e-6, "{start:?}");
        assert!(!bins_toml(&spectrum()).contains("resident_share"));
    }

    #[test]
    fn dirty_pages_of_another_load_are_pages_of_their_own() {
        let start = Start::of(&spectrum(), 80_500.0, 1e5, 1e6);
        assert!((start.left_over - 60_000.0).abs() < 200.0, "{start:?}");
        assert!((start.share * (100_000.0 + start.left_over) + 500.0 - 80_500.0).abs() < 300.0, "{start:?}");
        let crowded = Start::of(&spectrum(), 80_500.0, 1e5, 110_000.0);
        assert!(crowded.left_over <= 31_700.0 && crowded.share <= MOST_DIRTY, "{crowded:?}");
    }
}
