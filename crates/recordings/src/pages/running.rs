//! Whether a server runs on a data directory.
//!
//! InnoDB locks `ibdata1` while it runs, and the server's working directory is the data directory. Linux shows both under
//! `/proc`; the file `*.pid` names the process. What can't be seen (another machine on shared storage, another user's
//! process that hides) can't be refused.

use std::fs;
use std::path::Path;

/// Names of the server's program.
const PROGRAMS: [&str; 3] = ["mysqld", "mariadbd", "mysqld-debug"];

/// Who has the data directory open, in words.
pub(super) fn who_runs_on(root: &Path) -> Option<String> {
    who_holds_lock(root).or_else(|| who_works_in(root)).or_else(|| who_is_noted(root))
}

/// The process that has locked the system tablespace.
fn who_holds_lock(root: &Path) -> Option<String> {
    let inode = inode_of(&root.join("ibdata1"))?;
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // `1: POSIX  ADVISORY  WRITE 1234 fd:01:5678 0 EOF`
    let of_file = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, "WRITE", pid, place, ..] = fields[..] else { return None };
        let same = place.rsplit(':').next().and_then(|inode| inode.parse::<u64>().ok()) == Some(inode);
        // Inodes of other file systems may have the same number.
        (same && program_of(pid).is_none_or(|name| is_server(&name))).then(|| described(pid))
    };
    locks.lines().find_map(of_file)
}

#[cfg(unix)]
fn inode_of(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|file| file.ino())
}

/// Other systems have no `/proc` either.
#[cfg(not(unix))]
fn inode_of(_: &Path) -> Option<u64> {
    None
}

/// The server whose working directory it is.
fn who_works_in(root: &Path) -> Option<String> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let of = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_string_lossy().into_owned();
        let name = program_of(&pid).filter(|name| is_server(name))?;
        let works_in = fs::read_link(entry.path().join("cwd")).ok()?;
        (works_in == root).then(|| format!("{name}, process {pid}"))
    };
    processes.into_iter().find_map(of)
}

/// The server that a file `*.pid` names, if that runs.
fn who_is_noted(root: &Path) -> Option<String> {
    let files = fs::read_dir(root).ok()?.flatten().map(|entry| entry.path());
    let mut notes = files.filter(|path| path.extension().is_some_and(|ending| ending == "pid"));
    notes.find_map(|path| {
        let pid = fs::read_to_string(path).ok()?.trim().parse::<u32>().ok()?.to_string();
        program_of(&pid).filter(|name| is_server(name)).map(|_| described(&pid))
    })
}

/// Name of a process's program.
fn program_of(pid: &str) -> Option<String> {
    pid.parse::<u32>().ok()?;
    Some(fs::read_to_string(format!("/proc/{pid}/comm")).ok()?.trim().to_owned())
}

fn is_server(name: &str) -> bool {
    PROGRAMS.contains(&name)
}

fn described(pid: &str) -> String {
    program_of(pid).map_or_else(|| format!("process {pid}"), |name| format!("{name}, process {pid}"))
}
