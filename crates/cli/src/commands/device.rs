//! `innosim device`: a device fitted to fio's jobs, and each job simulated on it beside what fio measured.

use crate::args::{DeviceArgs, Format};
use crate::exit::{Done, Failure};
use crate::output::{note, print, print_json};
use crate::text_table::TextTable;
use innosim_experiments::fio::{JobComparison, compare};
use innosim_report::write_file;
use innosim_scenario::{FioJob, JobKind, device_of, read_fio_jobs};
use serde_json::json;

/// Seed if none is given.
const SEED: u64 = 1;

/// Fits, compares, prints.
pub(crate) fn run(args: &DeviceArgs) -> Done {
    let jobs = read_fio_jobs(&args.fio)?;
    let others = read_fio_jobs(&args.against)?;
    let uncapped = device_of(&jobs, None)?;
    let device = device_of(&jobs, args.cap.as_deref())?;
    let seed = args.common.seed.unwrap_or(SEED);
    // The fit is judged without the cap, which fio did not meet when it measured.
    let fitted: Vec<JobComparison> = pages(&jobs).map(|job| compare(job, &uncapped.spec, seed)).collect();
    let against: Vec<JobComparison> = pages(&others).map(|job| compare(job, &device.spec, seed)).collect();
    if let Some(path) = &args.output {
        write_file(path, device.section().as_bytes())?;
    }
    match args.form.format {
        Format::Json => print_json(&json!({
            "innosim_version": env!("CARGO_PKG_VERSION"),
            "seed": seed,
            "device": device.spec,
            "fitted": rows(&fitted),
            "against": rows(&against),
        }))?,
        Format::Human => {
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
