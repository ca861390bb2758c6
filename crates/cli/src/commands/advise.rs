//! `innosim advise`: all files of a server in a folder, to the settings to try.
//!
//! What is measured and searched is in `innosim_experiments::advise`. Here: what lies in the folder, what is missing and
//! what brings it (`folder`), the answer for people (`blocks`, shown as text or as a `page`) and scripts (`json`).

mod blocks;
mod folder;
mod json;
mod page;

use super::calibrate::device_named;
use super::recommend::Staged;
use crate::args::{AdviseArgs, Format};
use crate::exit::{Done, Failure};
use crate::interrupt;
use crate::out_dir::{OutDir, fill};
use crate::output::{note, print_json};
use crate::runner::pool;
use crate::show::show;
use folder::{Evidence, Folder, Lack};
use innosim_core::server::RunError;
use innosim_experiments::advise::{Advice, AdviseError, Request, advise};
use innosim_experiments::calibrate::Device;
use innosim_experiments::fio::complete;
use innosim_experiments::recommend::RecommendError;
use innosim_recordings::{Recording, SAMPLES};
use innosim_report::{ReportError, write_file, write_json};
use innosim_scenario::{FioEvidence, profile_names};
use std::path::Path;

/// What is left last.
const LAST: &str = "advice.json";

/// Reads, measures, searches, answers.
pub(crate) fn run(args: &AdviseArgs) -> Done {
    super::explain::refuse_option_file(&args.folder)?;
    let folder = Folder::read(&args.folder, args.servers.model.as_deref())?;
    let Some(recording) = &folder.recording else { return too_little(args, &folder, Vec::new()) };
    if !args.common.quiet {
        recording.remarks.iter().for_each(|remark| note(&format!("{}: {remark}", recording.name)));
    }
    let out = args.out.as_deref().map(OutDir::prepare).transpose()?;
    let (devices, evidence) = devices(recording, args.device.as_deref())?;
    if let Some(said) = evidence.said().filter(|_| !args.common.quiet) {
        note(&format!("{}: {said}", recording.name));
    }
    interrupt::listen();
    let staged = Staged::new(args.common.quiet, args.time_limit).in_tier(args.tier);
    let request = Request {
        recording,
        devices,
        goal: args.goal.goal(),
        redo: args.redo,
        load: args.load,
        seed: args.common.seed,
        set: args.set.clone(),
        duration: args.duration.clone(),
        replications: args.replications,
        anyway: args.anyway,
        courses: out.is_some(),
    };
    let advice = pool(args.common.jobs)?.install(|| advise(&request, &staged));
    staged.finish();
    let advice = match advice {
        Ok(advice) => advice,
        Err(AdviseError::Missing(missing)) => {
            return too_little(args, &folder, missing.iter().map(|missing| folder.lack(missing)).collect());
        }
        Err(error) => return Err(failure(error)),
    };
    let missing = folder.wanted(&advice, &evidence);
    let document = json::document(&folder, &missing, &advice, args);
    let blocks = blocks::blocks(&folder, &missing, &advice, args);
    let text = blocks::as_text(&blocks);
    show(args.form.format, &document, &text)?;
    if let Some(out) = &out {
        fill(out.path(), LAST, |dir| {
            if let Some(test) = &advice.backtest {
                page::write(&dir.join("report.html"), &recording.name, &advice, test, blocks)?;
                write_file(&dir.join("backtest.csv"), super::validate::csv(&test.validation.trajectories).as_bytes())?;
            }
            write(dir, &advice, &document, &text)
        })?;
        let files = match &advice.backtest {
            Some(_) => {
                "report.html, advice.txt, advice.json, the scenario that was searched and the back-test's series"
            }
            None => "advice.txt, advice.json and the scenario that would be searched",
        };
        out.tell(args.common.quiet, files);
    }
    match &advice.refused {
        Some(why) => Err(Failure::Check(format!("nothing is advised: {why}"))),
        None => Ok(()),
    }
}

/// Why there is no advice, where it is not that something was not recorded.
fn failure(error: AdviseError) -> Failure {
    match error {
        AdviseError::Search(error @ RecommendError::OutOfTime) => error.into(),
        AdviseError::Search(RecommendError::Scenario(errors)) => Failure::Scenario(errors),
        AdviseError::Search(RecommendError::Run { error: RunError::Stopped { .. }, .. }) => Failure::Interrupted,
        _ if interrupt::asked() => Failure::Interrupted,
        AdviseError::NoLoad(why) if !why.contains("= help:") => {
            let help =
                "are the samples whole, in order, and of one server? They should be of a time in which it writes";
            Failure::Input(format!("{why}\n  = help: {help}: {SAMPLES}"))
        }
        error => Failure::Input(error.to_string()),
    }
}

/// The device that is named or was measured, or else every shipped profile; and what is known of it.
fn devices(recording: &Recording, named: Option<&str>) -> Result<(Vec<(String, Device)>, Evidence), Failure> {
    if let Some(name) = named {
        return Ok((vec![(name.to_owned(), device_named(Some(name))?)], Evidence::Known));
    }
    let evidence = if recording.fio.is_empty() {
        Evidence::None
    } else {
        let found = FioEvidence::read(&recording.fio);
        match complete(&found, None, None) {
            Ok(whole) if whole.taken.is_empty() && found.left_out.is_empty() => {
                return Ok((vec![("fitted to fio's output".to_owned(), Device::Measured)], Evidence::Known));
            }
            Ok(completed) => {
                let device = Device::from_toml(&completed.device.section()).map_err(Failure::Input)?;
                let evidence = Evidence::partial(&found, &completed);
                return Ok((vec![(folder::name_of(&completed), device)], evidence));
            }
            Err(problems) => Evidence::unusable(&found, &problems),
        }
    };
    let profiles = profile_names().into_iter();
    Ok((profiles.map(|name| (name.to_owned(), Device::Profile(name.to_owned()))).collect(), evidence))
}

/// Says what is there, what is missing, and what brings it.
fn too_little(args: &AdviseArgs, folder: &Folder, mut missing: Vec<Lack>) -> Done {
    if missing.is_empty() {
        missing = folder.all_missing();
    }
    if args.form.format == Format::Json {
        print_json(&json::too_little(folder, &missing))?;
    }
    let mut text = format!("{}: too little is there to advise on\n", args.folder.display());
    for file in &folder.files {
        text.push_str(&format!("  found: {}: {}\n", file.path.display(), file.holds));
    }
    for lack in &missing {
        text.push_str(&format!("  missing: {}, for {}\n  = help: {}\n", lack.what, lack.purpose, lack.statement));
    }
    Err(Failure::Input(text.trim_end().to_owned()))
}

fn write(dir: &Path, advice: &Advice, document: &serde_json::Value, text: &str) -> Result<(), ReportError> {
    write_file(&dir.join("scenario.toml"), advice.scenario.as_bytes())?;
    write_file(&dir.join("advice.txt"), text.as_bytes())?;
    write_json(&dir.join(LAST), document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use innosim_recordings::find;
    use std::path::PathBuf;

    fn fio(file: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings/fio").join(file)
    }

    const SIX: [&str; 6] = [
        "raw-randread16k_qd1.json",
        "raw-randread16k_qd16.json",
        "raw-randwrite16k_qd1.json",
        "raw-randwrite16k_qd16.json",
        "raw-seqwrite1m_qd4.json",
        "raw-redo4k_buffered_fdatasync.json",
    ];

    fn recording() -> Recording {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings");
        find(&shipped.join("mysql97/uni4k-256-io2000")).unwrap().remove(0)
    }

    /// A job with too few operations for percentiles does not take the other five with it.
    #[test]
    fn a_job_that_is_too_short_leaves_the_others_standing() {
        let dir = tempfile::tempdir().unwrap();
        let text = std::fs::read_to_string(fio(SIX[4])).unwrap();
        let short = dir.path().join("sw.json");
        std::fs::write(&short, text.replace("\"runtime\": 12001", "\"runtime\": 900")).unwrap();
        let mut recording = recording();
        recording.fio = SIX.iter().filter(|file| **file != SIX[4]).map(|file| fio(file)).chain([short]).collect();
        let (tried, evidence) = devices(&recording, None).unwrap();
        let Evidence::Partial { said, statement } = &evidence else { panic!("{evidence:?}") };
        assert!(said.contains("sw: ") && said.contains("too few for percentiles"), "{said}");
        assert!(said.contains("large sequential writes of the profile"), "{said}");
        assert!(statement.contains("--rw=write --bs=1M") && !statement.contains("randread"), "{statement}");
        let [(name, Device::Keys(keys))] = &tried[..] else { panic!("{tried:?}") };
        assert!(name.contains("fio") && name.contains("large sequential writes"), "{name}");
        // What was measured is as with all six.
        recording.fio = SIX.iter().map(|file| fio(file)).collect();
        assert!(matches!(devices(&recording, None).unwrap().1, Evidence::Known));
        let whole =
            innosim_scenario::device_of(&innosim_scenario::read_fio_jobs(&recording.fio).unwrap(), None).unwrap();
        let line = |text: &str, key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
        for key in ["random_read = ", "random_write = ", "sync = ", "sequential_write = "] {
            assert_eq!(line(keys, key), line(&whole.toml, key));
        }
    }

    /// Of one job alone the rest is a profile's, and all of it is named.
    #[test]
    fn what_fio_did_not_measure_is_a_profiles() {
        let mut recording = recording();
        recording.fio = vec![fio(SIX[3])];
        let (tried, evidence) = devices(&recording, None).unwrap();
        let Evidence::Partial { said, statement } = &evidence else { panic!("{evidence:?}") };
        assert!(said.contains("random writes at depth 1, random reads at depth 1, random reads at depth 16"), "{said}");
        assert!(statement.contains("--rw=randread") && statement.contains("--fdatasync=1"), "{statement}");
        assert!(tried.len() == 1 && tried[0].0.contains("lab-virtual-disk"), "the nearest: {}", tried[0].0);
        recording.fio = vec![fio("missing.json")];
        let (tried, evidence) = devices(&recording, None).unwrap();
        assert!(matches!(evidence, Evidence::Unusable(_)) && tried.len() == profile_names().len());
        recording.fio.clear();
        assert!(matches!(devices(&recording, None).unwrap().1, Evidence::None));
        let (named, evidence) = devices(&recording, Some("sata-ssd-s4510")).unwrap();
        assert!(named.len() == 1 && matches!(evidence, Evidence::Known), "{named:?}");
    }
}
