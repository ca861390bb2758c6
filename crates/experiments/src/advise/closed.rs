//! CPU time of a load whose throughput is the server's to make.
//!
//! Of a closed loop the recorded throughput is itself a measurement: the CPU time of a unit of work (client and network
//! included) is what makes the simulated server, with the present settings on this device, come to it. It is found by a few
//! runs; each moves it by the difference of the time that a client takes for a unit. As long as that is far off, two minutes
//! tell it; runs as long as the recording, in which the age may come and go, are made where it is near. They end when they are at rest
//! ([`rest`](crate::rest)).

use super::demand::Demand;
use super::measured::Measured;
use super::text::{Drive, Wanted, usual_state};
use crate::calibrate::{Device, Others};
use crate::recommend::TrialRunner;
use crate::rest::{Ended, STILL, may_end_early, until_known};
use crate::runner::Job;
use innosim_recordings::Recording;
use innosim_scenario::{Overrides, Source, load};

/// Runs.
const ROUNDS: usize = 8;
/// Error of the throughput that is good enough, and that from which on longer runs are made.
pub(super) const CLOSE: f64 = 0.01;
const NEAR: f64 = 0.04;
/// Length of the first ones, and of the longest, seconds.
const FIRST_S: f64 = 120.0;
const LONGEST_S: f64 = 600.0;
/// Least CPU time, µs.
const LEAST_US: f64 = 5.0;
/// Least distance from the ends of a bracket, as a share of it.
const INSIDE: f64 = 0.1;
/// Longest step upwards, as a factor.
const FURTHEST: f64 = 20.0;

/// Sets the CPU time of `measured` so that `clients` come to the recorded throughput, or as near as runs
/// come to it, which is then said; and says whether it takes less than `least_us`, which is not tried. The error is a sentence.
pub(super) fn take_throughput(
    measured: &mut Measured,
    recording: &Recording,
    demand: &Demand,
    clients: u32,
    device: &Device,
    least_us: f64,
    runner: &dyn TrialRunner,
) -> Result<bool, String> {
    let (start, end) = recording.load_window();
    let longest = (end - start).clamp(60.0, LONGEST_S);
    let aim = Aim { rate: demand.settled, clients, cores: f64::from(recording.cpus.unwrap_or(16)), longest, least_us };
    let first = measured.calibration.get("cpu").unwrap_or(LEAST_US);
    let Found { nearest, needs_less } = search(&aim, first, |cpu, length| {
        measured.guess_cpu(cpu);
        let wanted = Wanted {
            target: recording,
            load: measured,
            demand,
            drive: Drive::Closed(clients),
            device,
            length: (length, "0s"),
            others: Others::AsRecorded,
            start: usual_state(recording),
        };
        let text = wanted.toml()?;
        let scenario = load(Source::Text { name: &recording.name, text: &text }, &Overrides::default())
            .map_err(|problems| problems.to_string())?;
        runner.stage("throughput", 1, length as u64);
        let job = Job { scenario: &scenario, replication: 0 };
        let is_rest = |why| why == Ended::AtRest;
        let (output, early) = until_known(job.seconds(), 0, may_end_early(&scenario), STILL, is_rest, |is_enough| {
            runner.execute_until(job, is_enough)
        })
        .map_err(|error| error.to_string())?;
        let seconds = output.series.len();
        let half = &output.series[early.map_or(seconds / 2, |early| seconds - early.counted_s as usize)..];
        let rate = half.iter().map(|second| second.transactions as f64).sum::<f64>() / half.len().max(1) as f64;
        Ok((rate, early.is_some()))
    })?;
    let off = nearest.rate / aim.rate - 1.0;
    if nearest.is_close(&aim) {
        take_found(measured, clients, nearest.cpu);
    } else {
        let method = format!(
            "the nearest that was tried: {clients} clients are {:+.0} % off the recorded throughput",
            100.0 * off
        );
        measured.set_cpu(nearest.cpu, method);
    }
    measured.throughput_is_off = (!nearest.is_close(&aim)).then(|| {
        format!(
            "no CPU time that was tried brings {clients} clients to the recorded {:.0} a second: the nearest, {:.0} us a unit of \
             work, gives {:.0} ({:+.0} %). Predictions of throughput are off by as much; look at what else clients wait for, \
             the device above all",
            aim.rate,
            nearest.cpu,
            nearest.rate,
            100.0 * off
        )
    });
    Ok(needs_less)
}

/// Sets the CPU time that was found to bring `clients` to the recorded throughput.
pub(super) fn take_found(measured: &mut Measured, clients: u32, us: f64) {
    let scale = measured.calibration.cpu_taken.map_or(1.0, |taken| taken.cost_scale(us));
    let within = if scale < 1.0 {
        format!(
            ", with syncs and page writes at {:.0} % of what they take on our machines, so that all take what was recorded",
            100.0 * scale
        )
    } else {
        String::new()
    };
    measured.set_cpu(us, format!("what brings {clients} clients to the recorded throughput{within}"));
}

/// What a closed loop must come to.
struct Aim {
    /// Work a second.
    rate: f64,
    clients: u32,
    cores: f64,
    /// Longest run, seconds.
    longest: f64,
    /// Least CPU time that is tried, µs.
    least_us: f64,
}

/// A CPU time with the throughput that a run of some length showed for it.
#[derive(Debug, Clone, Copy)]
struct Tried {
    cpu: f64,
    rate: f64,
    length: f64,
}

impl Tried {
    fn off(&self, aim: &Aim) -> f64 {
        (self.rate / aim.rate - 1.0).abs()
    }

    fn is_close(&self, aim: &Aim) -> bool {
        self.off(aim) < CLOSE && self.length >= aim.longest
    }
}

/// What a search came to.
#[derive(Debug)]
struct Found {
    nearest: Tried,
    /// Whether the next to be tried was less than the least.
    needs_less: bool,
}

/// The CPU time that comes nearest to the aim, by the longest runs made; it was tried, whether it is close or not. `rate_of` takes a CPU time
/// and a length, and says whether the run was at rest: a longer one would show the same.
fn search(
    aim: &Aim,
    first: f64,
    mut rate_of: impl FnMut(f64, f64) -> Result<(f64, bool), String>,
) -> Result<Found, String> {
    let mut bracket = Bracket::default();
    let mut before: Option<Tried> = None;
    let mut length = FIRST_S.min(aim.longest);
    let mut cpu = first;
    let mut nearest: Option<Tried> = None;
    let mut needs_less = false;
    for _ in 0..ROUNDS {
        let (rate, is_at_rest) = rate_of(cpu, length)?;
        let tried = Tried { cpu, rate, length: if is_at_rest { aim.longest } else { length } };
        let off = tried.off(aim);
        let is_nearer = |best: &Tried| tried.length > best.length || off < best.off(aim);
        if nearest.as_ref().is_none_or(is_nearer) {
            nearest = Some(tried);
        }
        if tried.is_close(aim) {
            break;
        }
        if off < NEAR && tried.length < aim.longest {
            // What short runs were above or below, longer ones may not be.
            (length, bracket) = (aim.longest, Bracket::default());
        } else if tried.rate > aim.rate {
            bracket.too_little = Some(tried);
        } else {
            bracket.too_much = Some(tried);
        }
        let next = bracket.between(aim).unwrap_or_else(|| aim.moved(tried, before));
        needs_less = next < aim.least_us;
        // The same once more is worth a run only if that is longer.
        if needs_less || ((next / cpu - 1.0).abs() < 1e-3 && tried.length >= length) {
            break;
        }
        (cpu, before) = (next, Some(tried));
    }
    Ok(Found { nearest: nearest.ok_or("no run was made")?, needs_less })
}

/// CPU times between which the right one lies.
#[derive(Debug, Clone, Copy, Default)]
struct Bracket {
    too_little: Option<Tried>,
    too_much: Option<Tried>,
}

impl Bracket {
    /// The CPU time on the line between both ends, a little away from them.
    fn between(&self, aim: &Aim) -> Option<f64> {
        let (low, high) = (self.too_little?, self.too_much?);
        let share = (low.rate - aim.rate) / (low.rate - high.rate).max(1e-9);
        Some(low.cpu + (high.cpu - low.cpu) * share.clamp(INSIDE, 1.0 - INSIDE))
    }
}

impl Aim {
    /// The CPU time to try after `last`, by how throughput fell from the one before, or else by the time that a client takes.
    fn moved(&self, last: Tried, before: Option<Tried>) -> f64 {
        let slope = before.map(|before| (before.rate - last.rate) / (last.cpu - before.cpu));
        let moved = match slope.filter(|slope| slope.is_finite() && *slope > 0.0) {
            Some(slope) => last.cpu + (last.rate - self.rate) / slope,
            None => {
                // Time of a unit beyond what it should take; with all processors busy their number counts, not the clients'.
                let served = f64::from(self.clients).min(self.cores.max(last.rate * last.cpu * 1e-6));
                last.cpu + (served / self.rate - served / last.rate.max(1e-9)) * 1e6
            }
        };
        moved.clamp((LEAST_US + last.cpu) / 2.0, FURTHEST * last.cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AIM: Aim = Aim { rate: 1000.0, clients: 8, cores: 8.0, longest: 300.0, least_us: 0.0 };

    #[test]
    fn a_throughput_that_hangs_on_the_cpu_time_is_found() {
        let found = search(&AIM, 200.0, |cpu, _| Ok((8e6 / (cpu + 5000.0), false))).unwrap().nearest;
        assert!(found.is_close(&AIM) && (found.cpu / 3000.0 - 1.0).abs() < 0.05, "{found:?}");
    }

    /// A throughput that falls fast with the CPU time, as where syncs get what units leave: the first step goes too far.
    #[test]
    fn a_steep_throughput_is_found() {
        let found = search(&AIM, 30.0, |cpu, _| Ok((1000.0 * (1.3 - 0.3 * (cpu / 40.0).powi(2)).max(0.1), false)))
            .unwrap()
            .nearest;
        assert!(found.is_close(&AIM) && (found.cpu / 40.0 - 1.0).abs() < 0.02, "{found:?}");
    }

    /// What short runs find at once is run at full length before it counts.
    #[test]
    fn a_first_guess_that_is_right_is_found_right() {
        let found = search(&AIM, 3000.0, |cpu, _| Ok((8e6 / (cpu + 5000.0), false))).unwrap().nearest;
        assert!(found.is_close(&AIM) && found.length >= AIM.longest && (found.cpu - 3000.0).abs() < 1.0, "{found:?}");
    }

    /// A run at rest counts as one of full length.
    #[test]
    fn what_is_at_rest_is_not_run_again() {
        let mut runs = 0;
        let found = search(&AIM, 3000.0, |cpu, _| {
            runs += 1;
            Ok((8e6 / (cpu + 5000.0), true))
        });
        assert!(found.unwrap().nearest.is_close(&AIM) && runs == 1, "{runs}");
    }

    /// On a device that is too slow no CPU time is little enough: what is left is the best that was run, not the next guess.
    #[test]
    fn a_throughput_out_of_reach_is_said_to_be() {
        let mut tried = Vec::new();
        let found = search(&AIM, 400.0, |cpu, _| {
            tried.push(cpu);
            Ok((700.0 - 0.1 * cpu, false))
        });
        let found = found.unwrap().nearest;
        assert!(!found.is_close(&AIM) && tried.contains(&found.cpu), "{found:?} {tried:?}");
        let best = tried.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!((found.cpu, found.rate), (best, 700.0 - 0.1 * best), "{tried:?}");
    }

    /// Less CPU time than was recorded by far is not tried.
    #[test]
    fn what_is_too_little_is_not_tried() {
        let mut tried = Vec::new();
        let found = search(&Aim { least_us: 200.0, ..AIM }, 400.0, |cpu, _| {
            tried.push(cpu);
            Ok((700.0 - 0.1 * cpu, false))
        });
        assert!(found.unwrap().needs_less && tried.iter().all(|cpu| *cpu >= 200.0), "{tried:?}");
    }

    /// Where the rounds are over before one is close, what is left was run, not what would be tried next.
    #[test]
    fn what_was_not_tried_is_no_answer() {
        let mut tried = Vec::new();
        let found = search(&AIM, 400.0, |cpu, _| {
            tried.push(cpu);
            Ok((if cpu < 1234.0 { 1300.0 } else { 700.0 }, false))
        });
        let found = found.unwrap().nearest;
        assert!(tried.len() == ROUNDS && tried.contains(&found.cpu) && !found.is_close(&AIM), "{found:?} {tried:?}");
    }
}
