//! `innosim device`: a device fitted to fio's jobs, and each job simulated on it beside what fio measured.

use crate::args::{DeviceArgs, Format};
use crate::exit::{Done, Failure};
use crate::output::{note, print, print_json, wrapped};
use crate::text_table::TextTable;
use innosim_experiments::fio::{Completed, JobComparison, compare, complete};
use innosim_report::write_file;
use innosim_scenario::{Diagnostic, FioEvidence, FioJob, JobKind, device_of, profile_names, read_fio_jobs};
use serde_json::json;

/// Seed if none is given.
const SEED: u64 = 1;

/// Fits, compares, prints.
pub(crate) fn run(args: &DeviceArgs) -> Done {
    let evidence = FioEvidence::from_jobs(read_fio_jobs(&args.fio)?);
    let others = read_fio_jobs(&args.against)?;
    for job in &evidence.left_out {
        note(&format!("left out: {job}"));
    }
    let jobs = &evidence.good;
    let uncapped = fitted(args, &evidence, None)?;
    let device = fitted(args, &evidence, args.cap.as_deref())?;
    let Completed { device, taken, profile, .. } = device;
    let seed = args.common.seed.unwrap_or(SEED);
    // The fit is judged without the cap, which fio did not meet when it measured.
    let fitted: Vec<JobComparison> = pages(jobs).map(|job| compare(job, &uncapped.device.spec, seed)).collect();
    let against: Vec<JobComparison> = pages(&others).map(|job| compare(job, &device.spec, seed)).collect();
    if let Some(path) = &args.output {
        write_file(path, device.section().as_bytes())?;
    }
    match args.form.format {
        Format::Json => print_json(&json!({
            "innosim_version": env!("CARGO_PKG_VERSION"),
            "seed": seed,
            "device": device.spec,
            "left_out": evidence.left_out,
            "profile": profile,
            "from_profile": taken.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "fitted": rows(&fitted),
            "against": rows(&against),
        }))?,
        Format::Human => {
            if let Some(profile) = &profile {
                let taken: Vec<String> = taken.iter().map(ToString::to_string).collect();
                let line = format!("Not measured, and taken from the profile {profile}: {}", taken.join(", "));
                print(&(wrapped(&line, 0) + "\n"))?;
            }
            print(&table("Jobs of the fit", &fitted))?;
            if !against.is_empty() {
                print(&format!("\n{}", table("Other jobs", &against)))?;
            }
        }
    }
    if let Some(path) = args.output.as_ref().filter(|_| !args.common.quiet) {
        note(&format!("\nThe device is in {}", path.display()));
    }
    Ok::<(), Failure>(())
}

/// The device of the jobs, and of the named profile where they leave something open.
fn fitted(args: &DeviceArgs, evidence: &FioEvidence, cap: Option<&str>) -> Result<Completed, Failure> {
    let help = |problem: Diagnostic| {
        let more = "; or --profile NAME takes from a shipped profile what is missing";
        Diagnostic { help: problem.help.map(|help| help + more), ..problem }
    };
    let Some(profile) = &args.profile else {
        let device = device_of(&evidence.good, cap);
        let lacks = !evidence.missing().is_empty();
        let device = device.map_err(|problems| if lacks { problems.map(help) } else { problems })?;
        return Ok(Completed { device, taken: Vec::new(), profile: None });
    };
    let known = profile_names();
    if !known.contains(&profile.as_str()) {
        let known = known.join(", ");
        return Err(Failure::Input(format!("--profile {profile}: there is no such profile\n  = allowed: {known}")));
    }
    Ok(complete(evidence, Some(profile), cap)?)
}

/// The jobs without sequential reads, which neither InnoDB nor the model does.
fn pages(jobs: &[FioJob]) -> impl Iterator<Item = &FioJob> {
    jobs.iter().filter(|job| job.kind != JobKind::SequentialRead)
}

fn rows(jobs: &[JobComparison]) -> Vec<serde_json::Value> {
    let row = |job: &JobComparison| {
        let [iops, mean_us, p50_us, p99_us] = job.errors();
        let error = json!({ "iops": iops, "mean_us": mean_us, "p50_us": p50_us, "p99_us": p99_us });
        json!({ "name": job.name, "measured": job.measured, "simulated": job.simulated, "error": error })
    };
    jobs.iter().map(row).collect()
}

fn table(title: &str, jobs: &[JobComparison]) -> String {
    let heads = [
        "job",
        ">iops",
        ">simulated",
        ">error",
        ">mean us",
        ">simulated",
        ">error",
        ">p50 us",
        ">simulated",
        ">error",
        ">p99 us",
        ">simulated",
        ">error",
    ];
    let mut table = TextTable::new(&heads);
    for job in jobs {
        let (m, s, errors) = (&job.measured, &job.simulated, job.errors());
        let mut fields = vec![job.name.clone()];
        let pairs = [(m.iops, s.iops), (m.mean_us, s.mean_us), (m.p50_us, s.p50_us), (m.p99_us, s.p99_us)];
        for ((measured, simulated), error) in pairs.into_iter().zip(errors) {
            fields.extend([format!("{measured:.0}"), format!("{simulated:.0}"), format!("{:+.1} %", error * 100.0)]);
        }
        table.row(fields);
    }
    format!("{title}; latencies are those of the sync where a job syncs\n\n{}", table.render())
}
