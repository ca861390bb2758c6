//! The settings that only Percona Server 8.0 has, with their types.

use crate::registry::{ModelId, Settings, SettingsError};

/// Typed settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PerconaOptions {
    /// `innodb_cleaner_lsn_age_factor = high_checkpoint`.
    pub(crate) high_checkpoint: bool,
    /// `innodb_empty_free_list_algorithm = backoff`.
    pub(crate) backoff: bool,
}

impl PerconaOptions {
    /// Reads resolved settings; `None` for another server.
    pub(crate) fn new(s: &Settings) -> Result<Option<Self>, SettingsError> {
        if s.model != ModelId::Percona80 {
            return Ok(None);
        }
        Ok(Some(PerconaOptions {
            high_checkpoint: s.choice("innodb_cleaner_lsn_age_factor")? == "high_checkpoint",
            backoff: s.choice("innodb_empty_free_list_algorithm")? == "backoff",
        }))
    }
}
