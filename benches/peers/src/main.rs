//! The closed model in three simulators for Rust, and the comparison with the one for Python.
//!
//! ```text
//! peers run PARAMETERS.toml ROUNDS           JSON lines: the answers of the three, timed in rounds side by side
//! peers one PARAMETERS.toml KIND SECONDS     runs one of them alone, for a profiler: prints its transactions
//! peers compare PARAMETERS.toml ANSWERS...   tables; exit code 1 if answers differ or a mark is missed
//! ```

mod answer;
mod bare;
mod compare;
mod kernel;
mod library;
mod parameters;

use answer::{Counts, Kind, Peer, Replication, Round};
use cpu_time::ProcessTime;
use parameters::{Model, Parameters};
use std::path::Path;
use std::process::ExitCode;

const KINDS: [Kind; 3] = [Kind::Nexosim, Kind::Bare, Kind::Innosim];

/// Counts at the end of warm-up and at the end of the run; times in ns.
fn simulate(kind: Kind, model: &Model, seed: u64, pauses: [u64; 2]) -> [Counts; 2] {
    match kind {
        Kind::Nexosim => {
            let mut run = library::Library::new(model, seed);
            pauses.map(|until| run.run(until))
        }
        Kind::Bare => {
            let mut run = bare::Bare::new(model, seed);
            pauses.map(|until| run.run(until))
        }
        Kind::Innosim | Kind::Simpy => {
            let mut run = kernel::Kernel::new(model, seed);
            pauses.map(|until| run.run(until))
        }
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Simpy => "SimPy",
        Kind::Nexosim => "NeXosim 1.0, one thread",
        Kind::Bare => "loop around a BinaryHeap",
        Kind::Innosim => "innosim's kernel",
    }
}

/// Length of a replication after warm-up, simulated seconds.
fn seconds(kind: Kind, parameters: &Parameters) -> f64 {
    let seconds = &parameters.runs.seconds;
    match kind {
        Kind::Nexosim => seconds.nexosim,
        Kind::Bare => seconds.bare,
        Kind::Innosim | Kind::Simpy => seconds.innosim,
    }
}

/// All replications of a peer, timed.
fn round(kind: Kind, parameters: &Parameters, number: u32) -> (Vec<Replication>, Round) {
    let (runs, model) = (&parameters.runs, &parameters.model);
    let length = seconds(kind, parameters);
    let pauses = [runs.warmup_s, runs.warmup_s + length].map(|s| (s * 1e9) as u64);
    let began = ProcessTime::now();
    let mut transactions = 0;
    let row = |replication: u32| {
        let seed = u64::from(number * runs.replications + replication);
        let [before, after] = simulate(kind, model, seed, pauses);
        transactions += after.transactions;
        Replication::between(before, after, length, model)
    };
    let rows = (0..runs.replications).map(row).collect();
    let simulated_s = (runs.warmup_s + length) * f64::from(runs.replications);
    (rows, Round { transactions, simulated_s, cpu_s: began.elapsed().as_secs_f64() })
}

/// The three, in turns, so that what else the machine does meets all alike.
fn run(parameters: &Parameters, rounds: u32) -> Result<(), String> {
    let mut peers: Vec<Peer> = KINDS
        .map(|kind| Peer { name: name(kind).to_owned(), kind, replications: Vec::new(), rounds: Vec::new() })
        .into();
    for number in 0..rounds {
        for peer in &mut peers {
            let (rows, timed) = round(peer.kind, parameters, number);
            peer.replications.extend(rows);
            peer.rounds.push(timed);
        }
    }
    for peer in &peers {
        println!("{}", serde_json::to_string(peer).map_err(|error| error.to_string())?);
    }
    Ok(())
}

fn one(parameters: &Parameters, kind: &str, seconds: &str) -> Result<(), String> {
    let kind: Kind = serde_json::from_value(kind.into()).map_err(|error| error.to_string())?;
    let seconds: f64 = seconds.parse().map_err(|_| format!("{seconds} is no number of seconds"))?;
    let [_, after] = simulate(kind, &parameters.model, 0, [1, (seconds * 1e9) as u64]);
    println!("{}", after.transactions);
    Ok(())
}

/// Prints the tables; whether everything is as it should be.
fn compare(parameters: &Parameters, files: &[String]) -> Result<bool, String> {
    let mut peers: Vec<Peer> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        for line in text.lines() {
            peers.push(serde_json::from_str(line).map_err(|error| format!("{file}: {error}"))?);
        }
    }
    if peers.len() < 2 {
        return Err("fewer than two peers answered: there is nothing to compare".to_owned());
    }
    let (answers, apart) = compare::answers(&peers, &parameters.check);
    let (speeds, slow) = compare::speeds(&peers, &parameters.check);
    println!("{answers}\n{speeds}");
    apart.iter().for_each(|miss| println!("answers differ: {miss}"));
    slow.iter().for_each(|miss| println!("mark missed: {miss}"));
    Ok(apart.is_empty() && slow.is_empty())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let read = |path: &str| Parameters::read(Path::new(path));
    let done = match words.as_slice() {
        ["run", file, rounds] => {
            let rounds = rounds.parse().map_err(|_| format!("{rounds} is no number of rounds"));
            rounds.and_then(|rounds| run(&read(file)?, rounds)).map(|()| true)
        }
        ["one", file, kind, seconds] => read(file).and_then(|read| one(&read, kind, seconds)).map(|()| true),
        ["compare", file, _, ..] => read(file).and_then(|read| compare(&read, &arguments[2..])),
        _ => Err("usage: peers run|one|compare PARAMETERS.toml ...".to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
