//! The scenario of a measured load, as text.

use super::demand::Demand;
use super::measured::Measured;
use crate::calibrate::{Device, machine_toml, parameters_toml, work_before};
use innosim_recordings::{Quantity, Recording};

/// Dirty pages up to which a pool counts as clean.
const CLEAN_PAGES: f64 = 40.0;
/// Longest time that a load is simulated before the recording begins, seconds.
const LONGEST_LEAD_S: f64 = 900.0;
/// Turns of the age at the first sample that are simulated before it.
const LEAD_TURNS: f64 = 1.5;
/// Most of a spectrum's pages that can be dirty at the start.
const MOST_DIRTY: f64 = 0.95;
/// Seconds whose mean demand stands for the time before the recording.
const FIRST_S: f64 = 60.0;
/// Data beyond the buffer pool, where misses tell that there are some.
const DATA_BY_POOL: f64 = 3.0;

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
}

/// Seconds for which a load is simulated before the first sample of a recording that begins with dirty pages, so that the
/// pages that are dirty are those of the load.
pub(super) fn lead_s(recording: &Recording) -> f64 {
    let first = |quantity| first_of(recording, quantity);
    let (Some(dirty), Some(lsn), Some(checkpoint)) =
        (first(Quantity::DirtyPages), first(Quantity::Lsn), first(Quantity::CheckpointLsn))
    else {
        return 0.0;
    };
    let redo = work_before(recording, 0).map_or(0.0, |(redo, _)| redo);
    if dirty <= CLEAN_PAGES || lsn <= checkpoint || redo <= 0.0 {
        return 0.0;
    }
    (LEAD_TURNS * (lsn - checkpoint) / redo).min(LONGEST_LEAD_S).ceil()
}

impl Wanted<'_> {
    /// As TOML; the error is a sentence.
    pub(super) fn toml(&self) -> Result<String, String> {
        let mut text = machine_toml(self.target, &self.load.calibration, self.device, self.length)?;
        text.push_str(&format!("\n[workload]   # {} a unit of work\n", self.load.calibration.recording));
        text.push_str("kind = \"spectrum\"\n");
        text.push_str(&parameters_toml(&self.load.calibration));
        if self.load.misses > 0.0 {
            // Of reads spread over so many pages, those beyond the pool's share miss.
            let reads = self.load.misses / (1.0 - 1.0 / DATA_BY_POOL);
            let pages = (DATA_BY_POOL * self.load.pool_pages).round();
            text.push_str(&format!(
                "reads = {reads:.4}   # of which the recorded misses miss\nread_pages = {pages:.0}\n"
            ));
        }
        for bin in &self.load.spectrum.bins {
            let pages = bin.pages.round().max(1.0);
            text.push_str(&format!(
                "\n[[workload.bin]]\nrate = {:?}\npages = {pages:.0}\n",
                bin.rate * bin.pages / pages
            ));
        }
        text.push_str(&self.drive_toml());
        text.extend(self.start_toml());
        Ok(text)
    }

    fn drive_toml(&self) -> String {
        let open = |clients: u32| format!("\n[drive]\nkind = \"open\"\nclients = {clients}\npoisson = false\n");
        match self.drive {
            Drive::Closed(clients) => format!("\n[drive]\nkind = \"closed\"\nclients = {clients}\n"),
            Drive::Even(rate) => format!("{}rate = {rate:.3}\n", open(self.demand.clients)),
            Drive::Recorded(factor) => {
                let begun = self.target.load_start();
                let mut text = open(self.demand.clients);
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

    /// `[start]` where pages are dirty in the first sample: as many of the spectrum's.
    fn start_toml(&self) -> Option<String> {
        let at = |quantity| first_of(self.target, quantity);
        let dirty = at(Quantity::DirtyPages).filter(|dirty| *dirty > CLEAN_PAGES)?;
        let age = at(Quantity::Lsn)? - at(Quantity::CheckpointLsn)?;
        let (redo, flushed) = work_before(self.target, 0).unwrap_or_default();
        let pages: f64 = self.load.spectrum.bins.iter().map(|bin| bin.pages.round().max(1.0)).sum();
        let share = (dirty / pages).min(MOST_DIRTY);
        (age >= 1.0).then(|| {
            format!(
                "\n[start]   # {dirty:.0} dirty pages in the first sample\ndirty_share = {share:.4}\n\
                 checkpoint_age_bytes = {age:.0}\nredo_bytes_per_s = {:.0}\npages_flushed_per_s = {:.0}\n",
                redo.max(0.0),
                flushed.max(0.0)
            )
        })
    }
}

/// The first value of a quantity.
fn first_of(recording: &Recording, quantity: Quantity) -> Option<f64> {
    recording.get(quantity)?.into_iter().find(|value| value.is_finite())
}
