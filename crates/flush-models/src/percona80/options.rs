//! The settings that only Percona Server 5.7, 8.0 and 8.4 have, with their types, and what differs between them.

use crate::settings::{Servers, Settings, SettingsError};

/// Typed settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PerconaOptions {
    /// `innodb_cleaner_lsn_age_factor = high_checkpoint`.
    pub(crate) high_checkpoint: bool,
    /// `innodb_empty_free_list_algorithm = backoff`.
    pub(crate) backoff: bool,
    /// Whether a thread for each instance does the LRU batches. 8.3 gave them up, a later 8.4 has them by choice.
    pub(crate) lru_managers: bool,
}

impl PerconaOptions {
    /// Reads resolved settings; `None` for another server.
    pub(crate) fn new(s: &Settings) -> Result<Option<Self>, SettingsError> {
        if !s.model.is_of(Servers::PERCONA.from(5, 7, 0)) {
            return Ok(None);
        }
        Ok(Some(PerconaOptions {
            high_checkpoint: s.choice("innodb_cleaner_lsn_age_factor")? == "high_checkpoint",
            backoff: s.choice("innodb_empty_free_list_algorithm")? == "backoff",
            lru_managers: s.model.is_of(Servers::PERCONA.until(8, 3, 0)) || s.switch_or("innodb_lru_threads", false)?,
        }))
    }
}
