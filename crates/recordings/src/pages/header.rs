//! The header of a page: 38 bytes that MySQL and MariaDB have alike, whatever is done to the rest of the page.

use innosim_spectrum::PageClass;

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 38;

/// Types of pages, as they are stored. The numbers of both servers; 18 means different things to them.
mod types {
    pub(super) const UNDO_LOG: u16 = 2;
    pub(super) const COMPRESSED: u16 = 14;
    pub(super) const ENCRYPTED: u16 = 15;
    pub(super) const COMPRESSED_AND_ENCRYPTED: u16 = 16;
    pub(super) const ENCRYPTED_SPATIAL: u16 = 17;
    /// MariaDB: an index whose table got columns instantly; MySQL: a large piece of its dictionary.
    pub(super) const INSTANT: u16 = 18;
    pub(super) const DICTIONARY_INDEX: u16 = 17_853;
    pub(super) const SPATIAL_INDEX: u16 = 17_854;
    pub(super) const INDEX: u16 = 17_855;
    pub(super) const MARIADB_COMPRESSED: u16 = 34_354;
    pub(super) const MARIADB_COMPRESSED_ENCRYPTED: u16 = 37_401;
    /// MariaDB 10.5 and later: this bit, and below it the compressed length.
    pub(super) const MARIADB_COMPRESSED_BIT: u16 = 1 << 15;
}

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// Number of the page in its tablespace.
    pub(super) number: u32,
    /// Log sequence number of the newest modification.
    pub(super) lsn: u64,
    kind: u16,
    /// What MySQL moves aside where it compresses or encrypts a page.
    original_kind: u16,
    /// Version of the key by which MariaDB encrypted the page, up to 10.4.
    key_version: u32,
    /// Whether all of it is 0: a page that was allocated and never written.
    empty: bool,
}

impl PageHeader {
    /// Reads the first [`HEADER_BYTES`] of a page.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        PageHeader {
            number: number_at(bytes, 4) as u32,
            lsn: u64::from_be_bytes(array_at(bytes, 16)),
            kind: u16::from_be_bytes(array_at(bytes, 24)),
            original_kind: u16::from_be_bytes(array_at(bytes, 28)),
            key_version: number_at(bytes, 26) as u32,
            empty: bytes.iter().all(|byte| *byte == 0),
        }
    }

    /// Whether nothing was ever written there.
    pub(super) fn is_empty(&self) -> bool {
        self.empty
    }

    /// What the page holds.
    pub(super) fn class(&self, is_mariadb: bool) -> PageClass {
        let kind = match self.kind {
            types::COMPRESSED | types::ENCRYPTED | types::COMPRESSED_AND_ENCRYPTED if !is_mariadb => self.original_kind,
            kind => kind,
        };
        match kind {
            types::INDEX | types::SPATIAL_INDEX | types::DICTIONARY_INDEX | types::ENCRYPTED_SPATIAL => {
                PageClass::Index
            }
            types::MARIADB_COMPRESSED | types::MARIADB_COMPRESSED_ENCRYPTED => PageClass::Index,
            types::INSTANT if is_mariadb => PageClass::Index,
            kind if is_mariadb && kind & types::MARIADB_COMPRESSED_BIT != 0 => PageClass::Index,
            types::UNDO_LOG => PageClass::Undo,
            _ => PageClass::Other,
        }
    }

    /// Whether the rest of the page is encrypted, as far as the header tells.
    pub(super) fn is_encrypted(&self, is_mariadb: bool) -> bool {
        match self.kind {
            types::ENCRYPTED | types::COMPRESSED_AND_ENCRYPTED | types::ENCRYPTED_SPATIAL => !is_mariadb,
            types::MARIADB_COMPRESSED_ENCRYPTED => true,
            // Other servers have 0 there, but for the first page of the system tablespace.
            _ => is_mariadb && self.number != 0 && self.key_version != 0,
        }
    }
}

/// A number of four bytes.
pub(super) fn number_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32::from_be_bytes(array_at(bytes, at)))
}

/// Bytes at a place; zeros where there are none.
pub(super) fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    if let Some(there) = bytes.get(at..at + N) {
        array.copy_from_slice(there);
    }
    array
}
