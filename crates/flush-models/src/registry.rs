//! The roof: the list of models, and what is asked of a model by its name.
//!
//! ```text
//!   ModelId::parse("8.0")                 which server
//!   Settings::resolve(model, &explicit)   -> Settings     every setting has a value; what the server would adjust
//!   build(&settings)                      -> ServerModel
//! ```
//!
//! Everything that depends on the server is asked of its [`Model`]. A new one is a file or a folder, and a line of
//! `MODELS`.

mod server_version;
mod unknown_model;

#[cfg(test)]
mod tests;

pub use crate::model::Model;
pub use crate::settings::{
    Adjustment, Host, Kind, ModelId, Note, Product, Resolver, Servers, Setting, Settings, SettingsError, UnknownReason,
    UnknownSetting, Value, ValueError, Version, adjusted_value, lookup, normal_name, parse_value, removed_value,
    settings, without_effect,
};
pub use server_version::{ServerVersion, StandIn, version_in};
pub use unknown_model::UnknownModel;

use crate::mariadb::Mariadb;
use crate::mariadb::mistakes::Mistake;
use crate::replay::{Publishing, ReplayRule};
use innosim_core::config::{BinaryLogConfig, ChangeBufferConfig, PAGE_BYTES, PurgeConfig, UndoSegments};
use innosim_core::seam::{AdaptiveFlushing, ServerModel};
use std::collections::BTreeMap;

/// All models: those of InnoDB, oldest first, then the one of another design.
const MODELS: &[Model] = &[
    crate::mysql55::model::MYSQL_55,
    crate::percona55::model::PERCONA_55,
    crate::mysql56::model::MYSQL_56,
    crate::mysql57::model::MYSQL_57,
    crate::percona57::PERCONA_57,
    crate::mysql80::mysql8016::MYSQL_8016,
    crate::mysql80::mysql8021::MYSQL_8021,
    crate::mysql80::mysql8027::MYSQL_8027,
    crate::mysql80::mysql8030::MYSQL_8030,
    crate::percona80::model::PERCONA_80,
    crate::mysql84::MYSQL_84,
    crate::percona84::PERCONA_84,
    crate::mysql97::MYSQL_97,
    crate::mariadb106::MARIADB_106,
    crate::mariadb::model::MARIADB_1011,
    crate::mariadb114::MARIADB_114,
    crate::mariadb123::MARIADB_123,
    crate::tnt::model::TNT,
];

/// The names of [`MODELS`].
const NAMES: [ModelId; MODELS.len()] = {
    let mut names = [MODELS[0].id; MODELS.len()];
    let mut i = 0;
    while i < MODELS.len() {
        names[i] = MODELS[i].id;
        i += 1;
    }
    names
};

impl ModelId {
    /// All models: those of InnoDB, oldest first, then the one of another design.
    pub const ALL: &'static [ModelId] = &NAMES;

    /// The models of InnoDB, oldest first.
    pub const INNODB: &'static [ModelId] = match Self::ALL.split_last() {
        Some((last, innodb)) if !last.is_innodb() => innodb,
        _ => panic!("the model of another design is the last"),
    };

    /// What the server says of itself.
    pub fn model(self) -> &'static Model {
        let found = MODELS.iter().find(|model| model.id == self);
        found.unwrap_or_else(|| panic!("{self} is missing in the list of models"))
    }

    /// The name for headings.
    pub fn title(self) -> &'static str {
        self.model().title
    }

    /// What it stands for, in a sentence or two.
    pub fn about(self) -> &'static str {
        self.model().about
    }

    /// CPU time of a record that purge removes, us.
    pub fn purge_removal_us(self) -> u64 {
        self.model().purge_removal_us
    }

    /// How the counters of its server relate to its passes.
    pub fn publishing(self) -> Publishing {
        self.model().publishing
    }

    /// The model that people mean by `text`: see [`ModelId::named`].
    pub fn parse(text: &str) -> Result<Self, UnknownModel> {
        ModelId::named(text).map(|found| found.model)
    }

    /// The model that people mean by `text`, its name, a version such as `8.0`, `8.0.36`, `mysql-8.0`, `MySQL 8.4`, or what a
    /// server says of itself, such as `5.7.44-rds.20240408-log`; and what may differ, where none was made of that version.
    ///
    /// # Errors
    /// [`UnknownModel`] for what is no version, and for a server that does not flush pages as InnoDB does.
    pub fn named(text: &str) -> Result<StandIn, UnknownModel> {
        let given = text.trim().to_ascii_lowercase();
        if let Some(&model) = ModelId::ALL.iter().find(|model| model.name() == given) {
            return Ok(StandIn { model, differs: None });
        }
        let version = ServerVersion::typed(&given).or_else(|| ServerVersion::reported(&given));
        match version.map(|version| version.model()) {
            Some(Ok(found)) => Ok(found),
            Some(Err(why)) => Err(UnknownModel::refused(text, &why)),
            None => Err(UnknownModel::like(text, &given)),
        }
    }
}

impl Settings {
    /// Resolves `explicit` settings on the default [`Host`]; see [`Settings::resolve_on`].
    pub fn resolve(model: ModelId, explicit: &BTreeMap<&'static str, Value>) -> Result<Self, SettingsError> {
        Self::resolve_on(model, explicit, Host::default())
    }

    /// Fills in the defaults of `model`, applies what the server adjusts at start, and refuses what can't run.
    pub fn resolve_on(
        model: ModelId,
        explicit: &BTreeMap<&'static str, Value>,
        host: Host,
    ) -> Result<Self, SettingsError> {
        let mut resolver = Resolver::new(model, explicit, host)?;
        if model.is_innodb() {
            resolver.remark_on_purge()?;
        }
        (model.model().at_start)(&mut resolver)?;
        build(&resolver.s)?;
        Ok(resolver.s)
    }
}

/// The binary log that these settings ask for, with this many bytes of events a transaction.
pub fn binary_log(settings: &Settings, bytes_per_transaction: f64) -> Result<Option<BinaryLogConfig>, SettingsError> {
    let config = BinaryLogConfig {
        sync_every: u32::try_from(settings.integer("sync_binlog")?).unwrap_or(u32::MAX),
        grouped: settings.model.model().groups_binary_log,
        leader_asks_for_redo: settings.model.is_of(Servers::MYSQL.from(8, 0, 0)),
        bytes_per_transaction,
        in_redo: matches!(settings.get("binlog_storage_engine"), Some(Value::Choice("innodb"))),
    };
    Ok(settings.switch("log_bin")?.then_some(config))
}

/// Threads up to which throughput was compared with recordings of the other servers.
const THREADS_COMPARED: u32 = 256;

/// Whether so many threads are beyond what follows from the model: up to how many it does, and what limits the server above
/// that. `None` within it. The latch that the statements of 5.7 pass may be in the run (`statement_latch`).
///
/// Source: `machine-2026` section 4.
pub fn threads_beyond_model(model: ModelId, threads: u32, statement_latch: bool) -> Option<(u32, &'static str)> {
    let (from, why) = match model {
        ModelId::Mysql57 if !statement_latch => {
            (64, "each statement passes one latch, and each waiting thread makes that pass slower")
        }
        model if model.is_mariadb() => {
            (128, "cache flushes of threads that wait for the checkpoint go ahead of page writes, and delay them")
        }
        _ => (THREADS_COMPARED, "latches and the operating system's scheduler take a growing share of the time"),
    };
    (threads > from).then_some((from, why))
}

/// Whether the server syncs its redo and data files by `fdatasync`. MariaDB always does.
pub fn uses_fdatasync(settings: &Settings) -> bool {
    settings.model.is_mariadb() || settings.switch("innodb_use_fdatasync").unwrap_or(false)
}

/// The change buffer that these settings ask for; none of a server that has given it up.
pub fn change_buffer(settings: &Settings) -> Result<Option<ChangeBufferConfig>, SettingsError> {
    if settings.get("innodb_change_buffering").is_none() {
        return Ok(None);
    }
    let pool_pages = settings.integer("innodb_buffer_pool_size")? / PAGE_BYTES;
    let buffering = settings.choice("innodb_change_buffering")?;
    let config = ChangeBufferConfig {
        inserts: matches!(buffering, "all" | "changes" | "inserts"),
        marks: matches!(buffering, "all" | "changes" | "deletes" | "purges"),
        removals: matches!(buffering, "all" | "purges"),
        max_pages: pool_pages * settings.integer("innodb_change_buffer_max_size")? / 100,
        io_capacity: settings.integer("innodb_io_capacity")?,
        merging: settings.model.model().merging,
    };
    Ok(((config.inserts || config.marks) && config.max_pages > 0).then_some(config))
}

/// Purge as these settings have it.
///
/// # Errors
/// TNT, whose purge is of another kind, has none.
pub fn purge_config(settings: &Settings) -> Result<PurgeConfig, SettingsError> {
    let model = settings.model;
    let none = || SettingsError {
        setting: "innodb_purge_threads".to_owned(),
        problem: format!("{model} has no purge of this kind"),
        help: "use a model of InnoDB".to_owned(),
    };
    model.model().purge.ok_or_else(none)?.config(settings)
}

/// Undo segments of a server that frees them when their logs are purged.
pub fn undo_segments(model: ModelId) -> Option<UndoSegments> {
    model.model().purge.and_then(|purge| purge.undo_segments)
}

/// The flushing rule of these settings alone, before its first pass; `None` for a model whose server publishes no counters
/// of its decisions, or whose rule has no such form.
pub fn replay_rule(settings: &Settings) -> Result<Option<ReplayRule>, SettingsError> {
    settings.model.model().replay.map(|rule| rule(settings)).transpose()
}

/// Builds the model's machinery from its settings.
pub fn build(settings: &Settings) -> Result<Box<dyn ServerModel>, SettingsError> {
    (settings.model.model().build)(settings, None)
}

/// Builds the model's machinery with `rule` in place of the server's adaptive flushing.
///
/// # Errors
/// Models of 5.5 take no rule: they flush at several places, by several rules; nor does TNT, which has none.
pub fn build_with_rule(
    settings: &Settings,
    rule: Box<dyn AdaptiveFlushing>,
) -> Result<Box<dyn ServerModel>, SettingsError> {
    (settings.model.model().build)(settings, Some(rule))
}

/// Builds the machinery of MariaDB as it was before a fix.
///
/// # Errors
/// No other model has these mistakes.
pub fn build_with_mistake(settings: &Settings, mistake: Mistake) -> Result<Box<dyn ServerModel>, SettingsError> {
    if settings.model.is_mariadb() {
        return Ok(Box::new(Mariadb::build_with_mistake(settings, mistake)?));
    }
    Err(SettingsError {
        setting: "innodb_adaptive_flushing".to_owned(),
        problem: format!("{} never had the mistake {}", settings.model, mistake.name()),
        help: "it is one of MariaDB's: use the model mariadb-10.11".to_owned(),
    })
}
