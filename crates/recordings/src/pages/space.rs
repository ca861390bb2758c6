//! What the first page of a tablespace says of all its pages: their size, and what is done to them.
//!
//! Flags of MySQL, and of MariaDB up to 10.4: bits 1 to 4 the size of compressed pages, 6 to 9 that of pages (both as
//! powers of two, 512 bytes shifted left; 0 is none, and 16 KiB), 13 encryption of MySQL, 16 compression of MariaDB. From
//! 10.5 on MariaDB marks its own flags by bit 4: 0 to 3 the page size, 5 to 7 the compression.

use super::header::{array_at, number_at};
use super::walk::Role;

/// Bytes of a file that tell.
pub(super) const HEAD_BYTES: usize = 128;
/// Where the tablespace's own header begins: after the page header.
const SPACE_HEADER: usize = 38;
/// Where its flags are.
const FLAGS: usize = SPACE_HEADER + 16;
/// Type of a tablespace's first page.
const FIRST_PAGE: u16 = 8;
/// Pages without flags.
const USUAL_PAGE_BYTES: u64 = 16 << 10;

/// How the pages of a tablespace are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpaceKind {
    /// As they are.
    Plain,
    /// `ROW_FORMAT=COMPRESSED`: smaller pages.
    CompressedRows,
    /// Compressed as they are written (`COMPRESSION=...`, `PAGE_COMPRESSED=1`): holes in the file.
    CompressedPages,
    /// Encrypted.
    Encrypted,
}

impl SpaceKind {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            SpaceKind::Plain => "plain",
            SpaceKind::CompressedRows => "compressed rows",
            SpaceKind::CompressedPages => "compressed pages",
            SpaceKind::Encrypted => "encrypted",
        }
    }
}

/// A tablespace's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Space {
    pub(super) kind: SpaceKind,
    pub(super) page_bytes: u64,
    pub(super) is_mariadb: bool,
    /// Number of the file's first page: the system tablespace may go over several files.
    pub(super) first_page: u64,
}

/// How far the files of the system tablespace were read, and what the first of them said.
#[derive(Debug, Default)]
pub(super) struct SystemPages {
    before: Option<Space>,
}

impl SystemPages {
    /// A file of the system tablespace was read up to page `next`.
    pub(super) fn goes_on(&mut self, role: Role, space: &Space, next: u64) {
        if role == Role::System {
            self.before = Some(Space { first_page: next, ..*space });
        }
    }
}

impl Space {
    /// What the first bytes of a file say; the error is a sentence.
    pub(super) fn of(head: &[u8], role: Role, system: &SystemPages) -> Result<Space, String> {
        if let (Role::System, Some(before)) = (role, system.before) {
            return Ok(before);
        }
        if head.len() < FLAGS + 4 {
            return Err("is too short to be a tablespace".to_owned());
        }
        if head.iter().all(|byte| *byte == 0) {
            return Err("begins with zeros: it was made and never written, or is not whole".to_owned());
        }
        let kind = u16::from_be_bytes(array_at(head, 24));
        if kind != FIRST_PAGE || number_at(head, 4) != 0 {
            return Err(format!("does not begin with a tablespace's first page (its type is {kind})"));
        }
        if number_at(head, 34) != number_at(head, SPACE_HEADER) {
            return Err("names two different tablespaces in its first page".to_owned());
        }
        let flags = number_at(head, FLAGS) as u32;
        Self::of_flags(flags).ok_or_else(|| format!("has flags {flags:#x}, of which no page size follows"))
    }

    fn of_flags(flags: u32) -> Option<Space> {
        let bits = |from: u32, count: u32| (flags >> from) & ((1 << count) - 1);
        if bits(4, 1) == 1 {
            let kind = if bits(5, 3) > 0 { SpaceKind::CompressedPages } else { SpaceKind::Plain };
            let page_bytes = page_bytes(bits(0, 4)).filter(|bytes| *bytes >= 4 << 10)?;
            return Some(Space { kind, page_bytes, is_mariadb: true, first_page: 0 });
        }
        let whole = match bits(6, 4) {
            0 => USUAL_PAGE_BYTES,
            shift => page_bytes(shift).filter(|bytes| *bytes >= 4 << 10)?,
        };
        let compressed = match bits(1, 4) {
            0 => None,
            shift => Some(page_bytes(shift).filter(|bytes| *bytes <= whole)?),
        };
        let kind = match compressed {
            _ if bits(13, 1) == 1 => SpaceKind::Encrypted,
            Some(_) => SpaceKind::CompressedRows,
            None if bits(16, 1) == 1 => SpaceKind::CompressedPages,
            None => SpaceKind::Plain,
        };
        Some(Space { kind, page_bytes: compressed.unwrap_or(whole), is_mariadb: bits(16, 1) == 1, first_page: 0 })
    }
}

/// 512 bytes shifted left: 1 KiB to 64 KiB.
fn page_bytes(shift: u32) -> Option<u64> {
    (1..=7).contains(&shift).then(|| 512 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_tell_size_and_kind() {
        let of = |flags| Space::of_flags(flags).map(|space| (space.page_bytes, space.kind, space.is_mariadb));
        let kib = |n: u64| n << 10;
        assert_eq!(of(0), Some((kib(16), SpaceKind::Plain, false)));
        assert_eq!(of(0x21), Some((kib(16), SpaceKind::Plain, false)), "ROW_FORMAT=DYNAMIC");
        assert_eq!(of(0x4021), Some((kib(16), SpaceKind::Plain, false)), "with the dictionary of 8.0");
        assert_eq!(of(0x29), Some((kib(8), SpaceKind::CompressedRows, false)), "KEY_BLOCK_SIZE=8");
        assert_eq!(of(0x2021), Some((kib(16), SpaceKind::Encrypted, false)));
        assert_eq!(of(0x21 | 3 << 6), Some((kib(4), SpaceKind::Plain, false)), "innodb_page_size=4k");
        assert_eq!(of(0x21 | 7 << 6), Some((kib(64), SpaceKind::Plain, false)), "innodb_page_size=64k");
        assert_eq!(of(0x15), Some((kib(16), SpaceKind::Plain, true)), "MariaDB with full checksums");
        assert_eq!(of(0x35), Some((kib(16), SpaceKind::CompressedPages, true)), "and compression by zlib");
        for broken in [0x3c1, 0x21 | 15 << 6, 0x10, 0x1f, 0x21 | 1 << 6] {
            assert_eq!(of(broken), None, "{broken:#x}");
        }
    }
}
