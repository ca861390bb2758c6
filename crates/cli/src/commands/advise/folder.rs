//! What lies in the folder, what is missing there, and the statement that brings it.

use crate::exit::Failure;
use innosim_experiments::advise::Advice;
use innosim_experiments::fio::Completed;
use innosim_recordings::{
    BUFFER_PAGE_QUERY, FileKind, FoundFile, INNODB_STATUS, Missing, Recording, SAMPLES, VARIABLES, find, inventory,
};
use innosim_scenario::{
    Diagnostic, Diagnostics, FioEvidence, JobKind, JobToRun, SettingStatus, SettingsFileKind, read_settings_files,
};
use std::path::Path;

/// Measures a device.
const FIO: &str = "fio --name=w --filename=/DATADIR/fio.tmp --size=10g --direct=1 --ioengine=libaio --rw=randwrite --bs=16k \
     --iodepth=16 --runtime=120 --time_based --output-format=json --output=randwrite-qd16.json, also with --iodepth=1 and 64, \
     --rw=randread, and --name=sync --rw=write --bs=4k --direct=0 --fdatasync=1 (docs/devices.md); needs 10 GB and loads the \
     device";
/// Its file system.
const FILE_SYSTEM: &str = "findmnt --noheadings --output FSTYPE --target /DATADIR > filesystem";
/// Samples of CPU time.
const PROC_STAT: &str =
    "lscpu > lscpu.txt; while sleep 1; do date +'TS %s.%N'; grep '^cpu ' /proc/stat; done > procstat.txt";
/// Page ages.
const PAGES: &str = "innosim page-ages BACKUP_DIR -o page-ages.json, or on a replica: ";
/// Processors of a host for which a my.cnf is read, where no lscpu says.
const CORES: u32 = 16;

/// Something that is missing.
#[derive(Debug, Clone)]
pub(crate) struct Lack {
    /// What.
    pub(crate) what: String,
    /// What it would be for.
    pub(crate) purpose: String,
    /// What brings it.
    pub(crate) statement: String,
}

impl Lack {
    fn new(what: &str, purpose: &str, statement: &str) -> Lack {
        Lack { what: what.to_owned(), purpose: purpose.to_owned(), statement: statement.to_owned() }
    }
}

/// What is known of the device.
#[derive(Debug)]
pub(super) enum Evidence {
    /// It was named or measured.
    Known,
    /// fio measured a part of it.
    Partial {
        /// What is left out, and what is taken from a profile.
        said: String,
        /// What brings the rest.
        statement: String,
    },
    /// fio's output does not determine it, in words.
    Unusable(String),
    /// Nothing.
    None,
}

impl Evidence {
    /// What `completed` took of what fio left.
    pub(super) fn partial(found: &FioEvidence, completed: &Completed) -> Evidence {
        let mut said = found.left_out.join("; ");
        if let Some(profile) = &completed.profile {
            let taken = list(&completed.taken);
            let before = if said.is_empty() { "" } else { "; " };
            said.push_str(&format!("{before}fio did not measure {taken}: those are {taken} of the profile {profile}"));
        }
        let mut statement: Vec<String> = completed.taken.iter().map(command).collect();
        if statement.is_empty() {
            statement.push("nothing: the other jobs determine the device".to_owned());
        }
        Evidence::Partial { said, statement: statement.join("; ") }
    }

    /// Why fio's output is of no use.
    pub(super) fn unusable(found: &FioEvidence, problems: &Diagnostics) -> Evidence {
        let one = |problem: &Diagnostic| match &problem.help {
            Some(help) => format!("{}: {help}", problem.message),
            None => problem.message.clone(),
        };
        let all = found.left_out.iter().cloned().chain(problems.iter().map(one));
        Evidence::Unusable(all.collect::<Vec<String>>().join("; "))
    }

    /// What a person must know of it.
    pub(super) fn said(&self) -> Option<String> {
        match self {
            Evidence::Known | Evidence::None => None,
            Evidence::Partial { said, .. } => Some(said.clone()),
            Evidence::Unusable(why) => Some(format!("{why}; the shipped profiles are tried instead")),
        }
    }
}

/// The device that was put together, in words.
pub(super) fn name_of(completed: &Completed) -> String {
    match &completed.profile {
        Some(profile) => format!("fitted to fio's good jobs, with {} of {profile}", list(&completed.taken)),
        None => "fitted to fio's good jobs".to_owned(),
    }
}

fn list(jobs: &[JobToRun]) -> String {
    jobs.iter().map(ToString::to_string).collect::<Vec<String>>().join(", ")
}

/// The command line of a job.
fn command(job: &JobToRun) -> String {
    let (mode, engine) = match job.kind {
        _ if job.synced => ("write", "--ioengine=psync --fdatasync=1"),
        JobKind::RandomRead => ("randread", "--ioengine=libaio --direct=1"),
        JobKind::RandomWrite => ("randwrite", "--ioengine=libaio --direct=1"),
        JobKind::SequentialRead => ("read", "--ioengine=libaio --direct=1"),
        JobKind::SequentialWrite => ("write", "--ioengine=libaio --direct=1"),
    };
    let size = if job.bytes >= 1 << 20 { format!("{}M", job.bytes >> 20) } else { format!("{}k", job.bytes >> 10) };
    format!(
        "fio --name={mode}-{size}-{depth} --filename=/DATADIR/fio.tmp --size=8G {engine} --rw={mode} --bs={size} \
         --iodepth={depth} --runtime=30 --time_based --output-format=json --output={mode}-{size}-{depth}.json",
        depth = job.depth
    )
}

/// A folder of a server's files.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Its files.
    pub(crate) files: Vec<FoundFile>,
    /// What they are together; `None` if none of them holds samples.
    pub(crate) recording: Option<Recording>,
}

impl Folder {
    /// What no file holds of all without which there is no advice, where none holds samples.
    pub(super) fn all_missing(&self) -> Vec<Lack> {
        let mut missing = vec![Lack::new("samples of the server's counters", "any advice", SAMPLES)];
        if !self.files.iter().any(|file| file.holds.contains("variables")) {
            missing.push(Lack::new("settings and version of the server", "any advice", VARIABLES));
        }
        missing
    }

    /// Reads a folder, or a file of samples alone.
    pub(super) fn read(path: &Path, model: Option<&str>) -> Result<Folder, Failure> {
        let broken = |error: innosim_recordings::RecordingError| Failure::Input(error.to_string());
        if !path.is_dir() {
            let recordings = find(path).map_err(broken)?;
            return Ok(Folder { files: Vec::new(), recording: one(path, recordings, model)? });
        }
        let files = inventory(path).map_err(broken)?;
        if files.is_empty() {
            let help = format!("put samples and settings there: {SAMPLES}; {VARIABLES}");
            return Err(Failure::Input(format!("{}: is empty\n  = help: {help}", path.display())));
        }
        let has_samples = files.iter().any(|file| matches!(file.kind, FileKind::Samples | FileKind::Broken));
        let recording = match find(path) {
            Ok(recordings) => one(path, recordings, model)?,
            Err(error) if has_samples => return Err(broken(error)),
            Err(_) => None,
        };
        let mut folder = Folder { files, recording };
        folder.take_option_files(path);
        Ok(folder)
    }

    /// Settings of option files, where those in force were not recorded and the model is known.
    fn take_option_files(&mut self, root: &Path) {
        let Some(recording) = &mut self.recording else { return };
        let Some(model) = recording.server.model else { return };
        if recording.variables.keys().any(|name| name.starts_with("innodb_")) {
            return;
        }
        for file in self.files.iter().filter(|file| file.kind == FileKind::Options) {
            let path = root.join(&file.path);
            let cores = recording.cpus.unwrap_or(CORES);
            let reading = read_settings_files(model, &[(SettingsFileKind::MyCnf, &path)], cores);
            let rows = reading.files.into_iter().flat_map(|file| file.rows);
            for row in rows.filter(|row| row.status == SettingStatus::Understood) {
                recording.variables.insert(row.name, row.value);
            }
        }
    }

    /// Something without which there is no advice.
    pub(super) fn lack(&self, missing: &Missing) -> Lack {
        let lack = Lack::new(&missing.what, "any advice", &missing.help);
        let has_model = self.recording.as_ref().is_some_and(|recording| recording.server.model.is_some());
        let options = self.files.iter().find(|file| file.kind == FileKind::Options);
        match options.filter(|_| missing.help == VARIABLES && !has_model) {
            Some(file) => Lack {
                statement: format!(
                    "{VARIABLES}; or, to take the settings of {}, which does not tell the version: --model NAME, of those that \
                     `innosim models` lists",
                    file.path.display()
                ),
                ..lack
            },
            None => lack,
        }
    }

    /// What would make the advice better.
    pub(super) fn wanted(&self, advice: &Advice, device: &Evidence) -> Vec<Lack> {
        let mut wanted = Vec::new();
        let Some(recording) = &self.recording else { return wanted };
        let purpose = "what the device can do; profiles were tried";
        match device {
            Evidence::Known => {}
            Evidence::Partial { said, statement } => {
                let purpose = format!("what the device can do ({said})");
                wanted.push(Lack::new("some of fio's jobs", &purpose, statement));
            }
            Evidence::Unusable(why) => wanted.push(Lack::new("a measured device", purpose, why)),
            Evidence::None => wanted.push(Lack::new("a measured device", purpose, FIO)),
        }
        if advice.file_system_is_assumed {
            wanted.push(Lack::new("file system of the data", "what its journal writes; ext4 was assumed", FILE_SYSTEM));
        }
        if advice.load.age_is_derived {
            wanted.push(Lack::new("log sequence number and checkpoint", "the checkpoint age itself", INNODB_STATUS));
        }
        if !advice.load.cpu_us.1 {
            wanted.push(lack_of_cpu_time(advice.load.busy_share));
        } else if recording.cpus.is_none() {
            wanted.push(Lack::new("number of processors", "throughput of a busy machine", "lscpu > lscpu.txt"));
        }
        if !advice.load.shape_is_told && recording.page_ages.is_none() {
            let statement = format!("{PAGES}{BUFFER_PAGE_QUERY}");
            wanted.push(Lack::new("ages of the pages", "dirty pages at other ages than the recorded one", &statement));
        }
        wanted
    }
}

/// CPU time, or, where that is there, the load under which it tells what a transaction takes.
fn lack_of_cpu_time(busy_share: Option<f64>) -> Lack {
    let purpose = "throughput of a busy machine";
    let Some(share) = busy_share else { return Lack::new("CPU time", purpose, PROC_STAT) };
    let statement = format!(
        "record while the processors are busy for a third of the time or more. They were busy for {:.0} %, and a machine that \
         idles takes up to twice as much for the same work: the CPU time that was recorded is taken as the most it can be",
        100.0 * share
    );
    Lack::new("CPU time of a busier machine", purpose, &statement)
}

/// The recording that a path must hold, with its model.
fn one(path: &Path, mut recordings: Vec<Recording>, model: Option<&str>) -> Result<Option<Recording>, Failure> {
    if recordings.len() > 1 {
        let names: Vec<&str> = recordings.iter().map(|recording| recording.name.as_str()).take(5).collect();
        let help = format!("name one of them: {}", names.join(", "));
        return Err(Failure::Input(format!("{}: holds more than one recording\n  = help: {help}", path.display())));
    }
    let Some(mut recording) = recordings.pop() else { return Ok(None) };
    let asked = model.map(crate::commands::models::named).transpose()?;
    recording.take_model(asked);
    if let Some(model) = asked.filter(|_| recording.server.version.is_empty()) {
        recording.server.version = model.name().to_owned();
    }
    Ok(Some(recording))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_recorded_is_not_called_missing() {
        let lack = lack_of_cpu_time(Some(0.14));
        assert!(lack.what != "CPU time" && lack.statement.contains("busy for 14 %"), "{lack:?}");
        assert!(!lack.statement.contains("/proc/stat"), "{lack:?}");
        assert_eq!(lack_of_cpu_time(None).statement, PROC_STAT);
    }
}
