//! Page headers of a data directory or a backup, read into a histogram of page ages.
//!
//! Every page of InnoDB carries in its header the log sequence number of its newest modification. In the files of a
//! server that was shut down, of a snapshot or of a physical backup, the pages younger than `LSN now - L` are those that
//! the last `L` bytes of redo modified: the write working set at all `L` at once, with no load on a server.
//!
//! ```text
//!   folder --walk--> files --space--> size and kind of pages --header--> newest modification, what it holds --> PageAges
//!      |--lsn--> LSN now: told, of a backup, of the redo log, or that of the newest page
//!      |--running--> refused while a server has it open, unless asked
//! ```
//!
//! Only page headers are looked at; nothing is written, and no name or row is in the result. MySQL and MariaDB have the
//! same header (bytes of a page, big-endian): number at 4, newest modification at 16, type at 24, tablespace at 34; the
//! flags of the tablespace are at 54 of its first page. Compressed and encrypted pages have this header in plain.
//!
//! Simplifications: eight bytes are kept of each page until all are read (0.5 GB for a data directory of 1 TB). Pages that
//! MariaDB compressed don't say what they hold; they are taken for index pages.

mod header;
mod lsn;
mod running;
mod space;
mod walk;

pub use space::SpaceKind;

use crate::RecordingError;
use header::{HEADER_BYTES, PageHeader};
use innosim_spectrum::{PageAges, PageClass};
use space::{Space, SystemPages};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use walk::{DataFile, Role};

/// Bytes read at a time: a multiple of every page size.
const CHUNK_BYTES: usize = 1 << 20;

/// Where the doublewrite buffer lies in the system tablespace: two extents among the first few.
const DOUBLEWRITE: std::ops::Range<u64> = 64..64 * 8;

/// How a data directory is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadPages {
    /// Log sequence number that ages are counted back from; found out if not told.
    pub lsn: Option<u64>,
    /// Read it although a server has it open: pages that are dirty in its memory are then too old, or missing.
    pub running: bool,
}

/// A data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceFile {
    /// Its path.
    pub path: PathBuf,
    /// How its pages are stored; `None` if it could not be read as a tablespace, which `remark` explains.
    pub kind: Option<SpaceKind>,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Pages whose headers were read.
    pub pages: u64,
    /// What is wrong with it, or left out.
    pub remark: Option<String>,
}

/// What the page headers of a folder say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages {
    /// Ages of the pages.
    pub ages: PageAges,
    /// The data files.
    pub files: Vec<SpaceFile>,
    /// Where the log sequence number comes from.
    pub lsn_from: String,
    /// What was passed over, or makes the ages doubtful.
    pub remarks: Vec<String>,
}

/// Pages as they are read, until the log sequence number is known.
#[derive(Debug, Default)]
struct Found {
    /// Newest modification, and the class in the lowest two bits.
    pages: Vec<u64>,
    bytes: Vec<(usize, u64)>,
    misplaced: u64,
    /// Copies of other pages in the doublewrite buffer, which lies in the system tablespace up to 8.0.19 and in MariaDB.
    copies: u64,
    unreadable: u64,
    newest: u64,
}

/// Reads the page headers of the data directory or backup in `folder`.
///
/// # Errors
/// [`RecordingError`] if there is none, a server runs on it, or no page can be read.
pub fn read_pages(folder: &Path, how: ReadPages) -> Result<Pages, RecordingError> {
    let unreadable = |error: std::io::Error| {
        RecordingError::new(folder, format!("can't be read: {error}"), "name a data directory or a physical backup")
    };
    let root = std::fs::canonicalize(folder).map_err(unreadable)?;
    if !root.is_dir() {
        let help = "name the folder that holds ibdata1 and the folders of the databases";
        return Err(RecordingError::new(folder, "is a file, not a data directory", help));
    }
    let mut remarks = Vec::new();
    if let Some(who) = running::who_runs_on(&root) {
        if !how.running {
            let help = "read a backup, a snapshot, or a replica that was shut down; --running reads it all the same, and \
                        misses what is dirty in memory";
            return Err(RecordingError::new(folder, format!("a server has it open ({who})"), help));
        }
        remarks.push(format!(
            "a server has it open ({who}): pages that are dirty in its memory look too old, or are missing"
        ));
    }
    let walked = walk::data_files(&root)?;
    remarks.extend(walked.remarks);
    if walked.files.is_empty() {
        let problem = "there is no data file of InnoDB here (ibdata1, *.ibd, undo_001)";
        let help = match walked.packed {
            true => "the backup is packed: unpack it first (xbstream -x, xtrabackup --decompress, mbstream -x)",
            false => "name the folder that `SELECT @@datadir` says, or a physical backup of it",
        };
        return Err(RecordingError::new(folder, problem, help));
    }
    let mut found = Found::default();
    let mut system = SystemPages::default();
    let files: Vec<SpaceFile> = walked.files.iter().map(|file| found.read(&root, file, &mut system)).collect();
    if found.pages.is_empty() {
        let why: Vec<String> = files.iter().filter_map(|file| file.remark.clone()).take(3).collect();
        let help = "are these files whole, and of MySQL 5.5 or later or MariaDB?";
        return Err(RecordingError::new(folder, format!("no page could be read: {}", why.join("; ")), help));
    }
    let now = lsn::now(&root, how.lsn, found.newest);
    remarks.extend(now.remarks);
    Ok(Pages { ages: found.into_ages(now.lsn, now.known), files, lsn_from: now.from, remarks })
}

impl Found {
    /// Reads the headers of a file.
    fn read(&mut self, root: &Path, data: &DataFile, system: &mut SystemPages) -> SpaceFile {
        let name = data.path.strip_prefix(root).unwrap_or(&data.path).to_owned();
        let mut file = SpaceFile { path: name, kind: None, page_bytes: 0, pages: 0, remark: None };
        let opened = File::open(&data.path).map_err(|error| error.to_string());
        let outcome = opened.and_then(|mut opened| self.read_open(&mut opened, data.role, system, &mut file));
        if let Err(why) = outcome {
            file.remark = Some(format!("{}: {why}", file.path.display()));
        }
        file
    }

    fn read_open(
        &mut self,
        opened: &mut File,
        role: Role,
        system: &mut SystemPages,
        file: &mut SpaceFile,
    ) -> Result<(), String> {
        let io = |error: std::io::Error| error.to_string();
        let bytes = opened.metadata().map_err(io)?.len();
        let mut head = [0; space::HEAD_BYTES];
        let read = read_up_to(opened, &mut head).map_err(io)?;
        let space = Space::of(&head[..read], role, system)?;
        (file.kind, file.page_bytes) = (Some(space.kind), space.page_bytes);
        opened.seek(SeekFrom::Start(0)).map_err(io)?;
        let first = space.first_page;
        let mut chunk = vec![0; CHUNK_BYTES];
        let (mut number, mut encrypted, before) = (first, 0_u64, self.misplaced);
        loop {
            let read = match read_up_to(opened, &mut chunk) {
                Ok(read) => read,
                // A bad sector hides what follows it; what was read counts.
                Err(error) => {
                    file.remark = Some(format!("{}: reading stopped at page {number}: {error}", file.path.display()));
                    break;
                }
            };
            for page in chunk[..read].chunks_exact(space.page_bytes as usize) {
                encrypted += u64::from(self.page(&space, role, number, &page[..HEADER_BYTES]));
                number += 1;
            }
            if read < chunk.len() {
                break;
            }
        }
        file.pages = number - first;
        self.bytes.push((file.pages as usize, space.page_bytes));
        system.goes_on(role, &space, number);
        if encrypted > 0 && file.kind != Some(SpaceKind::Encrypted) {
            file.kind = Some(SpaceKind::Encrypted);
        }
        let cut = bytes % space.page_bytes;
        let misplaced = self.misplaced - before;
        if cut > 0 {
            file.remark = Some(format!("{}: cut off within a page, {cut} bytes are left out", file.path.display()));
        } else if misplaced > 0 {
            let name = file.path.display();
            file.remark = Some(format!("{name}: {misplaced} pages that say they are others are left out"));
        }
        Ok(())
    }

    /// Notes a page; true if it is encrypted.
    fn page(&mut self, space: &Space, role: Role, number: u64, header: &[u8]) -> bool {
        let header = PageHeader::parse(header);
        if header.is_empty() {
            self.pages.push(0);
            return false;
        }
        if u64::from(header.number) != number {
            let is_copy = role == Role::System && DOUBLEWRITE.contains(&number);
            *(if is_copy { &mut self.copies } else { &mut self.misplaced }) += 1;
            // A page for every header, so that sizes are counted by place.
            self.pages.push(u64::MAX);
            return false;
        }
        if header.lsn >= 1 << 60 {
            self.unreadable += 1;
            self.pages.push(u64::MAX);
            return false;
        }
        self.newest = self.newest.max(header.lsn);
        self.pages.push(header.lsn << 2 | header.class(space.is_mariadb) as u64);
        header.is_encrypted(space.is_mariadb)
    }

    fn into_ages(self, lsn: u64, known: bool) -> PageAges {
        let mut ages = PageAges::new(lsn, known);
        let mut pages = self.pages.into_iter();
        for (count, bytes) in self.bytes {
            for page in pages.by_ref().take(count).filter(|page| *page != u64::MAX) {
                let class = match page & 3 {
                    0 => PageClass::Index,
                    1 => PageClass::Undo,
                    _ => PageClass::Other,
                };
                ages.count(class, bytes, page >> 2);
            }
        }
        if self.misplaced > 0 {
            ages.leave_out("pages that say they are others", self.misplaced);
        }
        if self.copies > 0 {
            ages.leave_out("copies in the doublewrite buffer", self.copies);
        }
        if self.unreadable > 0 {
            ages.leave_out("log sequence numbers that no server reaches", self.unreadable);
        }
        ages
    }
}

/// Fills the buffer as far as the file goes.
fn read_up_to(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
