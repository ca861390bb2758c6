//! A load as counters measure it: spectrum, redo and CPU time of a unit of work, demand.

use super::demand::Demand;
use super::evidence::evidence_of;
use crate::calibrate::{CPU_SCATTER, Calibration, Parameter, TICK_S, UNKNOWN_CPUS, calibrate_unknown};
use innosim_core::config::PAGE_BYTES;
use innosim_recordings::{Percentile, Quantity, Recording};
use innosim_spectrum::{AgesUsed, Bin, Evidence, Fit, Outgrown, Pool, Range, Spectrum, fit_agreeing};
use innosim_statistics::{mean, median};

/// Bins of a scenario: each costs a transaction a draw or two.
const MOST_BINS: usize = 8;
/// Share of the pages in the buffer pool that a spectrum may have at most.
const OF_POOL: f64 = 0.95;
/// Share of a bin's pages that can be dirty at the largest age.
const MOST_DIRTY: f64 = 0.9;
/// Share of a thread's time at work that is CPU time, where nothing tells.
const CPU_OF_RUNNING: f64 = 0.5;
/// CPU time of a unit of work where not even threads are recorded, µs.
const UNKNOWN_CPU_US: f64 = 200.0;
/// Share of the processors that an estimate of the CPU time may keep busy.
const MOST_BUSY: f64 = 0.5;
/// Share of the buffer pool that is free where the data fit; the free lists of a full one have less, or what page cleaners keep free.
const SPARE: f64 = 0.03;
/// What page cleaners keep free, by `innodb_lru_scan_depth` of all instances, at most.
const KEPT_FREE: f64 = 1.1;
/// The 95th percentile of the normal distribution, in standard deviations.
const Z95: f64 = 1.645;
/// The 99th.
const Z99: f64 = 2.326;
/// Data by buffer pool, where misses tell that they are larger and nothing tells by how much.
const DATA_BY_POOL: f64 = 3.0;
/// `innodb_old_blocks_pct` of a server that does not tell.
const OLD_BLOCKS_PCT: f64 = 37.0;
/// Misses a unit of work below which all data are taken to be in memory.
const NEGLIGIBLE_MISSES: f64 = 0.01;

/// A measured load.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    /// What a unit of work takes, as far as counters tell.
    pub(super) calibration: Calibration,
    /// The spectrum, a unit of work.
    pub(super) fit: Fit,
    /// The spectrum that goes into scenarios.
    pub(super) spectrum: Spectrum,
    /// Of the page ages, those that agree with the counters.
    pub(super) ages_used: AgesUsed,
    /// Demand.
    pub(super) demand: Demand,
    /// Page reads that filled it, a unit of work: pages that were read for the first time.
    pub(super) first_reads: f64,
    /// Pages of the buffer pool.
    pub(super) pool_pages: f64,
    /// Most pages that the spectrum may have.
    most_pages: f64,
    /// Data that outgrow the pool, if they do, with their misses.
    pub(super) outgrown: Option<Outgrown>,
    /// Whether the CPU time was measured.
    pub(super) cpu_is_measured: bool,
    /// That no CPU time brings the recorded throughput of a closed loop, as a sentence.
    pub(super) throughput_is_off: Option<String>,
}

impl Measured {
    /// Measures a recording of an unknown load; the error is a sentence.
    pub(super) fn of(recording: &Recording) -> Result<Measured, String> {
        let mut calibration = calibrate_unknown(recording)?;
        let redo = calibration.get("redo_bytes_per_transaction").filter(|redo| *redo > 0.0);
        let redo = redo.ok_or("no redo was written")?;
        let demand = Demand::of(recording).ok_or("work was counted only once")?;
        let pool_pages = pool_pages(recording);
        let reads = misses(recording, &demand);
        // As long as frames are free, nothing is read a second time.
        let (misses, first_reads) = if has_free_frames(recording, pool_pages) { (0.0, reads) } else { (reads, 0.0) };
        let outgrown = (misses > 0.0).then(|| outgrown(recording, pool_pages, misses));
        let most_pages =
            outgrown.map_or_else(|| OF_POOL * pages_there(recording, pool_pages), |outgrown| outgrown.data_pages);
        let evidence = evidence_of(recording, redo, most_pages, outgrown)
            .ok_or("dirty pages, pages written and ages have no samples in common")?;
        let (fit, ages_used) = fit_agreeing(&evidence).map_err(|why| why.to_string())?;
        let cpu_is_measured = calibration.get("cpu").is_some();
        if !cpu_is_measured {
            let cores = f64::from(recording.cpus.unwrap_or(UNKNOWN_CPUS));
            let own =
                calibration.cpu_taken.map(|taken| (taken.own_us(), "CPU time / work, less syncs and page writes"));
            let seen = own.or_else(|| cpus_seen(recording).map(|(cpus, method)| (cpus / demand.mean * 1e6, method)));
            let cpu = estimated_cpu(cores, seen, &demand);
            calibration.cost_scale = calibration.cpu_taken.map_or(1.0, |taken| taken.cost_scale(cpu.value));
            calibration.parameters.push(cpu);
        }
        calibration.parameters.extend(cpu_scatter(recording, &demand));
        let spectrum = in_scenarios(&fit.spectrum, most_pages, fit.ages.high);
        Ok(Measured {
            calibration,
            fit,
            spectrum,
            ages_used,
            demand,
            first_reads,
            pool_pages,
            most_pages,
            outgrown,
            cpu_is_measured,
            throughput_is_off: None,
        })
    }

    /// The evidence of another recording of this load.
    pub(super) fn evidence_of(&self, other: &Recording) -> Option<Evidence> {
        evidence_of(other, self.redo(), self.most_pages, self.outgrown)
    }

    /// Redo of a unit of work, bytes.
    pub(super) fn redo(&self) -> f64 {
        self.calibration.get("redo_bytes_per_transaction").unwrap_or(0.0)
    }

    /// The same load with another spectrum.
    pub(super) fn with_spectrum(&self, spectrum: &Spectrum) -> Measured {
        Measured { spectrum: in_scenarios(spectrum, self.most_pages, self.fit.ages.high), ..self.clone() }
    }

    /// Takes a CPU time of a unit of work that is to be found out.
    pub(super) fn guess_cpu(&mut self, us: f64) {
        self.set_cpu(us, String::new());
    }

    /// Takes a CPU time of a unit of work, and how it was found; syncs and page writes get what the recorded time leaves.
    pub(super) fn set_cpu(&mut self, us: f64, method: String) {
        if let Some(parameter) = self.calibration.parameters.iter_mut().find(|p| p.name == "cpu") {
            (parameter.value, parameter.uncertainty, parameter.method) = (us, None, method);
        }
        if let Some(taken) = self.calibration.cpu_taken {
            self.calibration.cost_scale = taken.cost_scale(us);
        }
    }

    /// The same load with a CPU time that may be wrong, and scatters as any.
    pub(super) fn with_unknown_cpu(&self) -> Measured {
        let mut freed = Measured { cpu_is_measured: false, ..self.clone() };
        freed.calibration.parameters.retain(|parameter| parameter.name != CPU_SCATTER);
        freed
    }

    /// Dirty pages at an age, with the least and the most that the evidence and the number of pages allow.
    pub(super) fn dirty(&self, age: f64) -> (f64, Range) {
        let figure = |spectrum: &Spectrum| within(spectrum, self.most_pages, self.fit.ages.high).dirty(age);
        let range = self.fit.range(figure);
        let value = figure(&self.fit.spectrum);
        (value, Range { high: range.high.min(self.most_pages.max(value)), ..range })
    }
}

/// CPU time of a unit of work by the threads at work: half of their time, and no more than half of the processors. Threads at work
/// may be waiting for the device, or for processors that other programs have, so the CPU time that was `seen`, us a unit, is the bound.
fn estimated_cpu(cores: f64, seen: Option<(f64, &str)>, demand: &Demand) -> Parameter {
    let rate = demand.mean.max(1e-9);
    let (guess, method) = match demand.running {
        Some(running) if running > 0.0 => {
            (CPU_OF_RUNNING * running.max(0.1) / rate * 1e6, "not measured: half of the time of Threads_running")
        }
        _ => (UNKNOWN_CPU_US, "not measured: typical"),
    };
    let guess = guess.min(MOST_BUSY * cores / rate * 1e6);
    let (value, method) = match seen {
        Some((most, method)) if most < guess => (most, method),
        _ => (guess, method),
    };
    Parameter { name: "cpu", value: value.max(1.0), uncertainty: None, unit: "us", method: method.to_owned() }
}

/// Scatter of the CPU time of a unit of work, as that of the time that a client takes for it, lognormal: a high percentile is recorded, and the mean
/// follows from the throughput of clients that are always busy. `None` where they can't be of one distribution, as when a client's unit is another.
/// Simplification: waits scatter as CPU time does (errs towards more scatter of the CPU time where waits scatter more).
fn cpu_scatter(recording: &Recording, demand: &Demand) -> Option<Parameter> {
    let (percentile, latency) = recording.latency()?;
    let high_ms = mean(&latency.present().collect::<Vec<f64>>())?;
    let mean_ms = f64::from(demand.closed?) / demand.settled * 1e3;
    Some(Parameter {
        name: CPU_SCATTER,
        value: scatter(percentile, high_ms / mean_ms)?,
        uncertainty: None,
        unit: "",
        method: format!("{} percentile of the latency against its mean, clients / throughput", percentile.ordinal()),
    })
}

/// Coefficient of variation of a lognormal time whose percentile is so many times its mean; `None` if no such one has it.
fn scatter(percentile: Percentile, by_mean: f64) -> Option<f64> {
    let z = match percentile {
        Percentile::P95 => Z95,
        Percentile::P99 => Z99,
    };
    let sigma = z - (z * z - 2.0 * by_mean.ln()).sqrt();
    (sigma > 0.0).then(|| sigma.powi(2).exp_m1().sqrt())
}

/// Processors that the server's process kept busy in the mean, or else all of the machine's, and what they did; `None` if
/// neither was recorded.
fn cpus_seen(recording: &Recording) -> Option<(f64, &'static str)> {
    let sum = |names: [&str; 2]| {
        let [user, system] = names.map(|name| recording.series.growth_per_s(name));
        Some((user? + system?) * TICK_S).filter(|cpus| *cpus > 0.0)
    };
    let of_server = sum(["proc.mysqld_utime", "proc.mysqld_stime"]);
    let of_server = of_server.map(|cpus| (cpus, "CPU time of the server / work, which holds its own work too"));
    let of_machine = || sum(["cpu.user", "cpu.system"]);
    of_server.or_else(|| of_machine().map(|cpus| (cpus, "CPU time of the machine / work, with all else that it did")))
}

/// Share of the processors that was busy where CPU time was recorded.
pub(super) fn busy_share(recording: &Recording) -> Option<f64> {
    Some(cpus_seen(recording)?.0 / f64::from(recording.cpus?))
}

/// Pages of the buffer pool.
fn pool_pages(recording: &Recording) -> f64 {
    let total = recording.series.column("Innodb_buffer_pool_pages_total");
    let total = total.and_then(|total| total.present().rfind(|pages| *pages > 0.0));
    let of_setting = || Some(recording.number("innodb_buffer_pool_size")? / PAGE_BYTES as f64);
    total.or_else(of_setting).unwrap_or(8192.0)
}

/// Pages that are in the buffer pool.
fn pages_there(recording: &Recording, pool_pages: f64) -> f64 {
    let there = recording.get(Quantity::LruPages);
    let there = there.and_then(|pages| pages.largest());
    there.filter(|pages| *pages > 0.0).unwrap_or(pool_pages).min(pool_pages)
}

/// A spectrum as it stands in scenarios.
fn in_scenarios(spectrum: &Spectrum, most_pages: f64, age: f64) -> Spectrum {
    within(spectrum, most_pages, age).in_bins(MOST_BINS)
}

/// A spectrum of no more pages than there are: pages that are touched rarely show as `rate x pages` alone, so the slowest
/// bins get fewer pages at a higher rate, by which as many of them are dirty (and flushed) at `age`.
fn within(spectrum: &Spectrum, most: f64, age: f64) -> Spectrum {
    let mut bins = spectrum.bins.clone();
    let mut beyond = spectrum.pages() - most;
    let mut at = 0;
    while beyond > 0.0 && at < bins.len() {
        let Bin { rate, pages } = bins[at];
        let dirty = pages * rate * age / (1.0 + rate * age);
        // A bin keeps so many that not all of them are dirty; the next faster one loses the rest.
        let kept = (pages - beyond).max(dirty / MOST_DIRTY).min(pages);
        let share = dirty / kept;
        bins[at] = Bin { rate: share / (1.0 - share) / age, pages: kept };
        beyond -= pages - kept;
        at += 1;
    }
    Spectrum { bins: Spectrum::new(bins).bins, ..spectrum.clone() }
}

/// Data larger than the pool, with these misses a unit of work: as many pages as the tables have, where that is recorded.
fn outgrown(recording: &Recording, pool_pages: f64, misses: f64) -> Outgrown {
    let of_tables = recording.data.pages().filter(|pages| *pages > pool_pages);
    let old_share = recording.number("innodb_old_blocks_pct").unwrap_or(OLD_BLOCKS_PCT) / 100.0;
    // Page cleaners keep frames free, so fewer pages are there than there may be.
    let usually = recording.get(Quantity::LruPages).and_then(|pages| median(&pages.present().collect::<Vec<f64>>()));
    let pages = usually.filter(|pages| *pages > 0.0).unwrap_or(pool_pages).min(pool_pages);
    let pool = Pool { pages, old_share };
    Outgrown { data_pages: of_tables.unwrap_or(DATA_BY_POOL * pool_pages), pool, misses }
}

/// Whether the buffer pool had frames to spare to the end.
fn has_free_frames(recording: &Recording, pool_pages: f64) -> bool {
    let free = recording.get(Quantity::FreePages).and_then(|free| free.present().next_back());
    let says = |name: &str, usual: f64| recording.number(name).unwrap_or(usual);
    let kept = says("innodb_lru_scan_depth", 0.0) * says("innodb_buffer_pool_instances", 1.0);
    free.is_some_and(|free| free > (SPARE * pool_pages).max(KEPT_FREE * kept))
}

/// Misses a unit of work.
fn misses(recording: &Recording, demand: &Demand) -> f64 {
    let reads = recording.get(Quantity::BufferPoolReads);
    let a_second = reads.and_then(|reads| reads.growth_per_s(&recording.series.seconds)).unwrap_or(0.0);
    let a_unit = a_second / demand.mean.max(1e-9);
    if a_unit > NEGLIGIBLE_MISSES { a_unit } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::recorded;

    #[test]
    fn rarely_touched_pages_are_no_more_than_there_are() {
        let bins = vec![Bin { rate: 1e-8, pages: 800_000.0 }, Bin { rate: 1e-5, pages: 20_000.0 }];
        let spectrum = Spectrum::new(bins);
        let age = 3e6;
        let fewer = within(&spectrum, 150_000.0, age);
        assert!(fewer.pages() <= 150_001.0, "{fewer:?}");
        assert!((fewer.dirty(age) / spectrum.dirty(age) - 1.0).abs() < 1e-9);
        assert!((fewer.flushed(age) / spectrum.flushed(age) - 1.0).abs() < 1e-9);
        assert_eq!(within(&spectrum, 1e6, age), spectrum);
    }

    /// Worlds at the ends of the interval have no more pages than the spectrum itself may have.
    #[test]
    fn all_worlds_keep_to_the_pages_that_are_there() {
        let recording = recorded("mysql97/uni4k-256-io2000");
        let mut measured = Measured::of(&recording.as_unknown_load().unwrap().recording).unwrap();
        let there = pages_there(&recording, measured.pool_pages);
        assert!((measured.most_pages / there - OF_POOL).abs() < 1e-9 && there < measured.pool_pages);
        let many = Spectrum::new(vec![Bin { rate: 1e-9, pages: 10.0 * measured.pool_pages }]);
        let world = measured.with_spectrum(&many);
        assert!(world.spectrum.pages() <= there, "{} of {there}", world.spectrum.pages());
        measured.most_pages /= 100.0;
        let (value, range) = measured.dirty(2.0 * measured.fit.ages.high);
        assert!(range.high <= measured.most_pages.max(value), "{range:?}");
    }

    /// A small pool with what `innodb_lru_scan_depth` keeps free is full: what it reads, it reads again and again.
    #[test]
    fn frames_that_page_cleaners_keep_free_are_not_to_spare() {
        let mut recording = recorded("mysql97/uni4k-256-io2000");
        let set = |recording: &mut Recording, depth: &str, instances: &str| {
            recording.variables.insert("innodb_lru_scan_depth".to_owned(), depth.to_owned());
            recording.variables.insert("innodb_buffer_pool_instances".to_owned(), instances.to_owned());
        };
        let free = recording.get(Quantity::FreePages).and_then(|free| free.present().next_back()).unwrap();
        set(&mut recording, "1", "1");
        assert!(has_free_frames(&recording, 20.0 * free));
        assert!(!has_free_frames(&recording, 40.0 * free), "2.5 % are free");
        set(&mut recording, &format!("{:.0}", free / 8.0), "8");
        assert!(!has_free_frames(&recording, 20.0 * free));
    }

    /// What a pool of 192 MiB misses lies in the pages of the tables, or in three times the pool where these were not recorded.
    #[test]
    fn misses_are_of_pages_beyond_the_pool() {
        let mut recording = recorded("mysql97/iobound-192m-256-ssdmid").as_unknown_load().unwrap().recording;
        let tables = recording.data.pages().unwrap();
        let pages = |recording: &Recording| {
            let measured = Measured::of(recording).unwrap();
            let read = measured.spectrum.beyond.unwrap().read;
            let outgrown = measured.outgrown.unwrap();
            assert!(outgrown.misses > 0.5, "{}", outgrown.misses);
            assert!(outgrown.pool.pages < pages_there(recording, measured.pool_pages), "some frames are usually free");
            (outgrown.data_pages, measured.spectrum.pages() + read.pages)
        };
        let (data, found) = pages(&recording);
        assert!(data == tables && (found / tables - 1.0).abs() < 0.1, "{found} of {tables}");
        recording.data = innosim_recordings::Data::default();
        let (data, found) = pages(&recording);
        assert_eq!(data, DATA_BY_POOL * pool_pages(&recording));
        assert!((found / data - 1.0).abs() < 0.1, "{found} of {data}");
    }

    /// Syncs and page writes get what units leave of the recorded CPU time.
    #[test]
    fn a_unit_that_takes_more_leaves_less_for_syncs() {
        let recording = recorded("mariadb/uni4k-256-io2000");
        let mut measured = Measured::of(&recording.as_unknown_load().unwrap().recording).unwrap();
        let mut scale = |us: f64| {
            measured.guess_cpu(us);
            measured.calibration.cost_scale
        };
        let scales = [1.0, 1e4, 1.0].map(&mut scale);
        assert_eq!(scales, [1.0, 0.1, 1.0]);
        let between: Vec<f64> = (1..=1_000).map(|us| scale(f64::from(us))).collect();
        assert!(between.is_sorted_by(|a, b| a >= b), "{between:?}");
        assert!(between.iter().any(|scale| (0.4..0.6).contains(scale)), "{between:?}");
    }

    #[test]
    fn the_scatter_of_a_lognormal_time_is_found_from_a_high_percentile() {
        for (percentile, z) in [(Percentile::P95, Z95), (Percentile::P99, Z99)] {
            for cv in [0.05f64, 0.5, 1.0] {
                let sigma = (cv * cv).ln_1p().sqrt();
                let found = scatter(percentile, (z * sigma - sigma * sigma / 2.0).exp()).unwrap();
                assert!((found / cv - 1.0).abs() < 1e-9, "{found} for {cv}");
            }
        }
        let none = [0.9, 1.0, 4.0].map(|by_mean| scatter(Percentile::P95, by_mean));
        assert_eq!(none, [None; 3], "no more than the mean, or too much more");
    }

    /// Threads at work that wait for processors of others took no CPU time.
    #[test]
    fn the_recorded_cpu_time_bounds_the_guess_by_threads_at_work() {
        let demand =
            Demand { pieces: Vec::new(), mean: 800.0, settled: 800.0, clients: 16, closed: None, running: Some(2.0) };
        let us = |seen: Option<f64>| estimated_cpu(4.0, seen.map(|us| (us, "seen")), &demand).value;
        assert!((us(None) - 1250.0).abs() < 1e-9, "half of two threads: {}", us(None));
        assert_eq!((us(Some(150.0)), us(Some(3750.0))), (150.0, us(None)));
    }
}
