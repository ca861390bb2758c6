//! Settings that several servers read alike, from names and numbers to the machine's types.

use crate::settings::{Settings, SettingsError};
use innosim_core::config::{CommitDurability, DataSync, FlushNeighbors, RedoIo};

/// `innodb_flush_method`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlushMethod {
    /// `fsync`, in old servers `fdatasync`; `littlesync`, a variant for tests of the servers, is taken as the same.
    Fsync,
    /// `O_DSYNC`.
    ODsync,
    /// `nosync`.
    Nosync,
    /// `O_DIRECT`.
    ODirect,
    /// `O_DIRECT_NO_FSYNC`.
    ODirectNoFsync,
}

impl FlushMethod {
    /// How redo reaches the device.
    pub(crate) fn redo_io(self) -> RedoIo {
        match self {
            FlushMethod::Nosync => RedoIo::NoSync,
            FlushMethod::Fsync | FlushMethod::ODsync | FlushMethod::ODirect | FlushMethod::ODirectNoFsync => {
                RedoIo::Buffered
            }
        }
    }

    /// When data files are synced, by a server that syncs them after each batch if at all.
    pub(crate) fn data_sync(self) -> DataSync {
        match self {
            FlushMethod::Nosync | FlushMethod::ODirectNoFsync => DataSync::Never,
            FlushMethod::Fsync | FlushMethod::ODsync | FlushMethod::ODirect => DataSync::EveryBatch,
        }
    }
}

impl Settings {
    /// A whole number that the machine keeps in 32 bits; larger ones mean "without limit" there.
    pub(crate) fn small(&self, name: &'static str) -> Result<u32, SettingsError> {
        Ok(u32::try_from(self.integer(name)?).unwrap_or(u32::MAX))
    }

    /// `innodb_flush_log_at_trx_commit`; MariaDB's 3 waits as 1 does.
    pub(crate) fn commit_durability(&self) -> Result<CommitDurability, SettingsError> {
        Ok(match self.integer("innodb_flush_log_at_trx_commit")? {
            0 => CommitDurability::Lazy,
            2 => CommitDurability::Write,
            _ => CommitDurability::Sync,
        })
    }

    /// `innodb_flush_neighbors`.
    pub(crate) fn flush_neighbors(&self) -> Result<FlushNeighbors, SettingsError> {
        Ok(match self.integer("innodb_flush_neighbors")? {
            0 => FlushNeighbors::None,
            1 => FlushNeighbors::Contiguous,
            _ => FlushNeighbors::Area,
        })
    }

    /// `innodb_flush_method`.
    pub(crate) fn flush_method(&self) -> Result<FlushMethod, SettingsError> {
        Ok(match self.choice("innodb_flush_method")? {
            "O_DSYNC" => FlushMethod::ODsync,
            "nosync" => FlushMethod::Nosync,
            "O_DIRECT" => FlushMethod::ODirect,
            "O_DIRECT_NO_FSYNC" => FlushMethod::ODirectNoFsync,
            _ => FlushMethod::Fsync,
        })
    }
}
