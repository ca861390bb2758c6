//! The machine below a benchmark: its device, as far as iostat tells, and its file system. Both are tried and not fitted.
//!
//! **File system.** With the fewest threads, transactions hardly share syncs: how many writes and cache flushes each of them
//! makes tells whether syncs commit a journal, and which (`docs/devices/journal.md`). **Device.** Of the shipped profiles the
//! one counts under which the most nearly as many operations are in flight for a transaction, in the run
//! with most throughput. A flush takes iostat's median of the run with the fewest threads, in which it hardly waits for others; what
//! it takes more in the run with most throughput is its wait for the commands before it (`drain_us`).
//!
//! Simplifications: a named device, or one that fio measured, stays as it is; iostat before 12.1 counts no flushes, and then no
//! file system is tried.

use super::Device;
use super::benchmark_figures::Figures;
use innosim_recordings::DiskReports;
use innosim_scenario::{profile_device, profile_names};

/// File systems as a scenario names them.
const FILE_SYSTEMS: [&str; 3] = ["none", "ext4-ordered", "xfs"];
/// Operations in flight below which their number tells nothing.
const FEW: f64 = 0.01;

/// What a cache flush takes by iostat, µs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct FlushTimes {
    alone: Option<f64>,
    /// What it waits for the commands before it.
    drain: Option<f64>,
}

impl FlushTimes {
    fn of(fewest: Option<&DiskReports>, best: Option<&DiskReports>) -> FlushTimes {
        let median = |disk: Option<&DiskReports>| disk?.median(|report| report.flush_ms).map(|ms| 1000.0 * ms);
        let alone = median(fewest).filter(|us| *us > 0.0);
        let drain = median(best).zip(alone).map(|(most, least)| (most - least).max(0.0));
        FlushTimes { alone, drain }
    }
}

/// A device and a file system.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Machine {
    /// A shipped profile; `None` for the device that was named or measured.
    profile: Option<&'static str>,
    flush: FlushTimes,
    file_system: Option<&'static str>,
}

impl Machine {
    /// All that can be told apart with these reports: profiles where the device is to be chosen, file systems where flushes
    /// are counted.
    pub(super) fn all(chooses_device: bool, fewest: Option<&DiskReports>, best: Option<&DiskReports>) -> Vec<Machine> {
        let profiles = if chooses_device { profile_names().into_iter().map(Some).collect() } else { vec![None] };
        let counted = fewest.is_some_and(|disk| disk.flushes().is_some_and(|flushes| flushes > 0.0));
        let systems: &[Option<&str>] = if counted { &FILE_SYSTEMS.map(Some) } else { &[None] };
        let flush = FlushTimes::of(fewest, best);
        let with = |profile: Option<&'static str>| {
            // A device whose syncs write inodes themselves has its file system in it.
            let own = profile.and_then(profile_device).is_some_and(|device| device.inode_tick_ns > 0);
            let systems: &[Option<&'static str>] = if own { &[None] } else { systems };
            systems.iter().map(move |file_system| Machine { profile, flush, file_system: *file_system })
        };
        profiles.into_iter().flat_map(with).collect()
    }

    /// Whether two have the same device.
    pub(super) fn differ_in_file_systems(machines: &[Machine]) -> bool {
        machines.windows(2).any(|pair| pair[0].profile == pair[1].profile)
    }

    /// `[device]` of a scenario; `named` is the device that is not chosen here.
    pub(super) fn device(&self, named: &Device) -> Device {
        let Some((profile, spec)) = self.profile.and_then(|profile| Some((profile, profile_device(profile)?))) else {
            return named.clone();
        };
        let mut keys = format!("profile = {profile:?}\n");
        keys.extend(self.flush.alone.map(|us| format!("sync = \"{us:.0}us\"   # by iostat, fewest threads\n")));
        let drain = self.flush.drain.filter(|_| spec.sync_is_barrier);
        keys.extend(drain.map(|us| format!("drain_us = {us:.1}   # what it takes more with most throughput\n")));
        Device::Keys(keys)
    }

    /// `[file_system]` of a scenario.
    pub(super) fn file_system_toml(&self) -> String {
        let kind = self.file_system.filter(|kind| *kind != "none");
        kind.map_or_else(String::new, |kind| format!("\n[file_system]\nkind = {kind:?}\n"))
    }

    /// Of each profile the file system under which a transaction makes most nearly as many writes and flushes, and how far
    /// they are off.
    pub(super) fn by_counts(tried: &[Machine], simulated: &[Figures], measured: &Figures) -> Vec<(Machine, f64)> {
        let off = |figures: &Figures| {
            let per_transaction = |figures: &Figures, count: Option<f64>| count.unwrap_or(0.0) / figures.tps.max(1e-9);
            let off = |count: fn(&Figures) -> Option<f64>| {
                let [simulated, measured] = [figures, measured].map(|figures| per_transaction(figures, count(figures)));
                libm::log(simulated.max(FEW) / measured.max(FEW)).abs()
            };
            off(|figures| figures.flushes_per_s) + off(|figures| figures.writes_per_s)
        };
        let mut best: Vec<(Machine, f64)> = Vec::new();
        for (machine, figures) in tried.iter().zip(simulated) {
            let off = off(figures);
            match best.iter_mut().find(|(other, _)| other.profile == machine.profile) {
                Some((_, least)) if *least <= off => {}
                Some(other) => *other = (machine.clone(), off),
                None => best.push((machine.clone(), off)),
            }
        }
        best
    }

    /// The one under which counts, and operations in flight for as many transactions as were measured, are least off; and how
    /// many are in flight.
    pub(super) fn by_queue(
        tried: &[(Machine, f64)],
        simulated: &[Figures],
        measured: &Figures,
    ) -> Option<(Machine, f64)> {
        let seen = measured.in_flight.unwrap_or(0.0).max(FEW);
        let in_flight =
            |figures: &Figures| (figures.in_flight.unwrap_or(0.0) * measured.tps / figures.tps.max(1e-9)).max(FEW);
        let off = |(counts, figures): (f64, &Figures)| counts + libm::log(in_flight(figures) / seen).abs();
        let both = tried.iter().zip(simulated);
        let nearest = both.min_by(|(a, sim_a), (b, sim_b)| off((a.1, sim_a)).total_cmp(&off((b.1, sim_b))));
        nearest.map(|((machine, _), figures)| (machine.clone(), in_flight(figures)))
    }

    /// In words; the number of profiles, and operations in flight simulated and measured, if there was a choice.
    pub(super) fn said(&self, choice: Option<(usize, f64, f64)>) -> String {
        let mut said = match (self.profile, choice) {
            (Some(profile), Some((profiles, simulated, seen))) => format!(
                "profile {profile}, the nearest of {profiles}: {simulated:.1} operations in flight where the disk had {seen:.1}"
            ),
            _ => "as measured, or as it was named".to_owned(),
        };
        if let Some(us) = self.flush.alone.filter(|_| self.profile.is_some()) {
            said.push_str(&format!("; a cache flush takes {us:.0} us, as iostat says"));
        }
        match self.file_system {
            Some("none") => said.push_str("; syncs commit no journal, by the writes and flushes of a transaction"),
            Some(kind) => said.push_str(&format!("; file system {kind}, by the writes and flushes of a transaction")),
            None => {}
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(tps: f64, writes: f64, flushes: f64, queue: f64) -> Figures {
        let [writes_per_s, flushes_per_s, in_flight] = [writes, flushes, queue].map(Some);
        Figures { tps, writes_per_s, flushes_per_s, in_flight, ..Figures::default() }
    }

    fn disk(flushes: Option<f64>) -> DiskReports {
        let report = innosim_recordings::DiskReport { flushes, flush_ms: Some(0.032), ..Default::default() };
        DiskReports { reports: vec![report; 3], ..DiskReports::default() }
    }

    #[test]
    fn what_the_reports_do_not_tell_is_not_tried() {
        let profiles = profile_names().len();
        assert_eq!(Machine::all(true, Some(&disk(None)), None).len(), profiles, "no flushes counted");
        assert_eq!(Machine::all(false, Some(&disk(Some(9.0))), None).len(), 3, "the device is named");
        let all = Machine::all(true, Some(&disk(Some(9.0))), Some(&disk(Some(9.0))));
        let virtual_disk = all.iter().filter(|machine| machine.profile == Some("lab-virtual-disk"));
        assert_eq!(virtual_disk.count(), 1, "its syncs write inodes");
        let sata = all.iter().find(|machine| machine.profile == Some("sata-ssd-s4510")).unwrap();
        let Device::Keys(keys) = sata.device(&Device::Measured) else { panic!("{all:?}") };
        for key in ["sync = \"32us\"", "drain_us = 0.0"] {
            assert!(keys.contains(key), "{key}: {keys}");
        }
    }

    #[test]
    fn counts_choose_the_file_system_and_the_queue_the_device() {
        let [a, b] = ["sata-ssd-s4510", "nvme"];
        let machine = |profile, file_system| Machine {
            profile: Some(profile),
            flush: FlushTimes::default(),
            file_system: Some(file_system),
        };
        let tried = [machine(a, "none"), machine(a, "ext4-ordered"), machine(b, "none"), machine(b, "ext4-ordered")];
        let measured = figures(400.0, 5600.0, 3280.0, 0.8);
        let [two, four] = [figures(500.0, 4500.0, 2100.0, 0.5), figures(380.0, 5300.0, 3000.0, 0.9)];
        let best = Machine::by_counts(&tried, &[two, four, four, two], &measured);
        let machines: Vec<_> = best.iter().map(|(machine, _)| machine.clone()).collect();
        assert_eq!(machines, [machine(a, "ext4-ordered"), machine(b, "none")]);
        let stuck = figures(40.0, 100.0, 100.0, 0.8);
        assert_eq!(
            Machine::by_queue(&best, &[four, stuck], &measured).unwrap().0,
            machines[0],
            "eight in flight for 400 a second"
        );
    }
}
