//! CPU time of a load whose throughput is the server's to make.
//!
//! Of a closed loop the recorded throughput is itself a measurement: the CPU time of a unit of work (client and network
//! included) is what makes the simulated server, with the present settings on this device, come to it. It is found by a few
//! runs; each moves it by the difference of the time that a client takes for a unit. As long as that is far off, two minutes
//! tell it; runs as long as the recording, in which the age may come and go, are made where it is near.

use super::demand::Demand;
use super::measured::Measured;
use super::text::{Drive, Wanted};
use crate::calibrate::Device;
use crate::recommend::TrialRunner;
use crate::runner::Job;
use innosim_recordings::Recording;
use innosim_scenario::{Overrides, Source, load};

/// Runs.
const ROUNDS: usize = 6;
/// Error of the throughput that is good enough, and that from which on longer runs are made.
const CLOSE: f64 = 0.01;
const NEAR: f64 = 0.04;
/// Length of the first ones, and of the longest, seconds.
const FIRST_S: f64 = 120.0;
const LONGEST_S: f64 = 600.0;
/// Least CPU time, µs.
const LEAST_US: f64 = 5.0;

/// Sets the CPU time of `measured` so that `clients` come to the recorded throughput; the error is a sentence.
pub(super) fn take_throughput(
    measured: &mut Measured,
    recording: &Recording,
    demand: &Demand,
    clients: u32,
    device: &Device,
    runner: &dyn TrialRunner,
) -> Result<(), String> {
    let (start, end) = recording.load_window();
    let longest = (end - start).clamp(60.0, LONGEST_S);
    let mut length = FIRST_S.min(longest);
    let cores = f64::from(recording.cpus.unwrap_or(16));
    let wanted_rate = demand.settled;
    let (mut least, mut most) = (LEAST_US, f64::INFINITY);
    for _ in 0..ROUNDS {
        let cpu = measured.calibration.get("cpu").unwrap_or(LEAST_US);
        let wanted = Wanted {
            target: recording,
            load: measured,
            demand,
            drive: Drive::Closed(clients),
            device,
            length: (length, "0s"),
            start: super::usual_state(recording),
        };
        let text = wanted.toml()?;
        let scenario = load(Source::Text { name: &recording.name, text: &text }, &Overrides::default())
            .map_err(|problems| problems.to_string())?;
        runner.stage("throughput", 1, length as u64);
        let output = runner.execute(Job { scenario: &scenario, replication: 0 }).map_err(|error| error.to_string())?;
        let half = &output.series[output.series.len() / 2..];
        let rate = half.iter().map(|second| second.transactions as f64).sum::<f64>() / half.len().max(1) as f64;
        let off = (rate / wanted_rate - 1.0).abs();
        if off < CLOSE && length >= longest {
            break;
        }
        if off < NEAR && length < longest {
            // What short runs were above or below, longer ones may not be.
            (length, least, most) = (longest, LEAST_US, f64::INFINITY);
        }
        if rate > wanted_rate {
            least = least.max(cpu)
        } else {
            most = most.min(cpu)
        }
        // Time of a unit beyond what it should take; with all processors busy their number counts, not the clients'.
        let served = f64::from(clients).min(cores.max(rate * cpu * 1e-6));
        let moved = cpu + (served / wanted_rate - served / rate.max(1e-9)) * 1e6;
        let next = if moved > least && moved < most {
            moved
        } else if most.is_finite() {
            (least + most) / 2.0
        } else {
            2.0 * cpu
        };
        if (next / cpu - 1.0).abs() < 1e-3 {
            break;
        }
        if let Some(parameter) = measured.calibration.parameters.iter_mut().find(|p| p.name == "cpu") {
            parameter.value = next;
            parameter.uncertainty = None;
            parameter.method = format!("what brings {clients} clients to the recorded throughput");
        }
    }
    Ok(())
}
