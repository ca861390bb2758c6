//! Names of the shipped models.

use super::server_version::{ServerVersion, StandIn};
use std::fmt;

/// A shipped server model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelId {
    /// MySQL 5.5.
    Mysql55,
    /// Percona Server 5.5.
    Percona55,
    /// MySQL 5.6.
    Mysql56,
    /// MySQL 5.7.
    Mysql57,
    /// MySQL 8.0.21 (stands for 8.0.20 .. 8.0.22).
    Mysql8021,
    /// MySQL 8.0.27 (stands for 8.0.23 .. 8.0.29).
    Mysql8027,
    /// MySQL 8.0.30 and later 8.0.
    Mysql8030,
    /// Percona Server 8.0.30 and later 8.0.
    Percona80,
    /// MySQL 8.4.
    Mysql84,
    /// Percona Server 8.4 without LRU manager threads.
    Percona84,
    /// MySQL 9.7.
    Mysql97,
    /// MariaDB 10.11.
    Mariadb1011,
    /// MariaDB 11.0 and later.
    Mariadb114,
    /// TNT, as of 2013.
    Tnt,
}

/// The code that a model runs. Models of one machinery differ in settings, defaults and what those switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machinery {
    /// The master thread of 5.5.
    Mysql55,
    /// One page cleaner thread, no redo threads.
    Mysql56,
    /// A page cleaner coordinator with workers, no redo threads.
    Mysql57,
    /// Redo threads, fixed redo files, a checkpointer that looks every 10 ms.
    Mysql8021,
    /// The same with checkpoints every 7 s.
    Mysql8027,
    /// A redo log of a capacity.
    Mysql8030,
    /// One page cleaner thread that takes checkpoints, committing threads that write redo.
    Mariadb,
    /// Records in memory, merged into pages later.
    Tnt,
}

/// A name that is no model's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no model `{given}`")]
pub struct UnknownModel {
    /// What was asked for.
    pub given: String,
    /// The model that is probably meant, or the nearest; `None` if nothing is near.
    pub near: Option<ModelId>,
    /// A sentence about that one, or the list of names.
    pub suggestion: String,
}

impl ModelId {
    /// All models: those of InnoDB, oldest first, then the one of another design.
    pub const ALL: &'static [ModelId] = &[
        ModelId::Mysql55,
        ModelId::Percona55,
        ModelId::Mysql56,
        ModelId::Mysql57,
        ModelId::Mysql8021,
        ModelId::Mysql8027,
        ModelId::Mysql8030,
        ModelId::Percona80,
        ModelId::Mysql84,
        ModelId::Percona84,
        ModelId::Mysql97,
        ModelId::Mariadb1011,
        ModelId::Mariadb114,
        ModelId::Tnt,
    ];

    /// The models of InnoDB, oldest first.
    pub const INNODB: &'static [ModelId] = match Self::ALL.split_last() {
        Some((ModelId::Tnt, innodb)) => innodb,
        _ => panic!("the model of another design is the last"),
    };

    /// Whether it is a MariaDB, whose settings have meanings of their own.
    pub const fn is_mariadb(self) -> bool {
        matches!(self.machinery(), Machinery::Mariadb)
    }

    /// The code that it runs.
    pub const fn machinery(self) -> Machinery {
        match self {
            ModelId::Mysql55 | ModelId::Percona55 => Machinery::Mysql55,
            ModelId::Mysql56 => Machinery::Mysql56,
            ModelId::Mysql57 => Machinery::Mysql57,
            ModelId::Mysql8021 => Machinery::Mysql8021,
            ModelId::Mysql8027 => Machinery::Mysql8027,
            ModelId::Mysql8030 | ModelId::Percona80 | ModelId::Mysql84 | ModelId::Percona84 | ModelId::Mysql97 => {
                Machinery::Mysql8030
            }
            ModelId::Mariadb1011 | ModelId::Mariadb114 => Machinery::Mariadb,
            ModelId::Tnt => Machinery::Tnt,
        }
    }

    /// The name by which scenarios and the command line know it.
    pub const fn name(self) -> &'static str {
        match self {
            ModelId::Mysql55 => "mysql-5.5",
            ModelId::Percona55 => "percona-5.5",
            ModelId::Mysql56 => "mysql-5.6",
            ModelId::Mysql57 => "mysql-5.7",
            ModelId::Mysql8021 => "mysql-8.0.21",
            ModelId::Mysql8027 => "mysql-8.0.27",
            ModelId::Mysql8030 => "mysql-8.0.30",
            ModelId::Percona80 => "percona-8.0",
            ModelId::Mysql84 => "mysql-8.4",
            ModelId::Percona84 => "percona-8.4",
            ModelId::Mysql97 => "mysql-9.7",
            ModelId::Mariadb1011 => "mariadb-10.11",
            ModelId::Mariadb114 => "mariadb-11.4",
            ModelId::Tnt => "tnt",
        }
    }

    /// The name for headings.
    pub const fn title(self) -> &'static str {
        match self {
            ModelId::Mysql55 => "MySQL 5.5",
            ModelId::Percona55 => "Percona Server 5.5",
            ModelId::Mysql56 => "MySQL 5.6",
            ModelId::Mysql57 => "MySQL 5.7",
            ModelId::Mysql8021 => "MySQL 8.0.21",
            ModelId::Mysql8027 => "MySQL 8.0.27",
            ModelId::Mysql8030 => "MySQL 8.0.30",
            ModelId::Percona80 => "Percona Server 8.0",
            ModelId::Mysql84 => "MySQL 8.4",
            ModelId::Percona84 => "Percona Server 8.4",
            ModelId::Mysql97 => "MySQL 9.7",
            ModelId::Mariadb1011 => "MariaDB 10.11",
            ModelId::Mariadb114 => "MariaDB 11.4",
            ModelId::Tnt => "TNT",
        }
    }

    /// Whether commits go through the binary log in groups.
    pub const fn groups_binary_log(self) -> bool {
        !matches!(self.machinery(), Machinery::Mysql55 | Machinery::Tnt)
    }

    /// Whether its page cleaners ask for the highest priority.
    pub fn cleaners_ask_for_priority(self) -> bool {
        self.mysql_release().is_some_and(|release| release >= 57)
    }

    /// What it stands for, in a sentence or two.
    pub const fn about(self) -> &'static str {
        match self {
            ModelId::Mysql55 => {
                "A master thread that flushes once a second, at most innodb_io_capacity pages, always with neighbours; \
                 user threads flush without limit when the redo log, of less than 4G, runs full."
            }
            ModelId::Percona55 => {
                "MySQL 5.5 with innodb_adaptive_flushing_method (estimate by default), neighbours by choice and redo logs \
                 up to 512G."
            }
            ModelId::Mysql56 => {
                "Stands for 5.6.14 and later: one page cleaner thread with adaptive flushing up to an LSN limit, user \
                 threads that flush by themselves at the sync limit, checkpoints every 7 s, one doublewrite buffer of 120 \
                 pages, redo files of up to 512G."
            }
            ModelId::Mysql57 => {
                "Stands for 5.7.22 and later: a coordinator and page cleaner workers with a share for each buffer pool \
                 instance, sync flushing by the cleaners that may be put off, user threads that poll, checkpoints every 7 s, \
                 the doublewrite buffer of 5.6."
            }
            ModelId::Mysql8021 => {
                "Stands for 8.0.20 to 8.0.22: fixed redo files, separate doublewrite files, a checkpointer that looks \
                 every 10 ms and a free-check margin that grows when the log writer runs out of space."
            }
            ModelId::Mysql8027 => {
                "Stands for 8.0.23 to 8.0.29: the redo files and margins of mysql-8.0.21, with checkpoints every 7 s on a busy \
                 server, a page cleaner that decides itself when to flush synchronously, and averages of what was really \
                 flushed."
            }
            ModelId::Mysql8030 => {
                "Stands for 8.0.30 and later: innodb_redo_log_capacity, checkpoints every 7 s on a busy server, and all \
                 user threads stopped while the log writer is inside its extra margin."
            }
            ModelId::Percona80 => {
                "Stands for Percona Server 8.0.30 and later 8.0: mysql-8.0.30 with an LRU manager thread for each instance, a \
                 doublewrite file for each instance and kind of flushing, and an age factor that lets the age stand higher \
                 and rises more steeply near its limit."
            }
            ModelId::Mysql84 => "The machinery of mysql-8.0.30 with the defaults of 8.4.",
            ModelId::Percona84 => {
                "Stands for Percona Server 8.3 and 8.4 until LRU manager threads came back in 2026: mysql-8.4 with the age \
                 factor of percona-8.0, user threads that wait for an LRU batch under way, and LRU batches by the page \
                 cleaner."
            }
            ModelId::Mysql97 => {
                "The machinery of mysql-8.0.30 with the defaults of 8.4, but for innodb_log_writer_threads: no other \
                 difference is known that this model has."
            }
            ModelId::Mariadb1011 => {
                "Stands for 10.11.19 and its neighbours: one flush list, one page cleaner that sleeps until a limit of the \
                 age or of dirty pages unless innodb_max_dirty_pages_pct_lwm is set, a checkpoint after each of its \
                 passes, committing threads that write the redo log, one doublewrite batch of 128 pages at a time."
            }
            ModelId::Mariadb114 => {
                "Stands for 11.0 to 11.8, and for 12.x with its binary log in files: mariadb-10.11 without a change buffer, with \
                 innodb_doublewrite = fast, and with three undo tablespaces by default."
            }
            ModelId::Tnt => {
                "Not an InnoDB: NetEase's engine of 2013. Records are changed in a multi-version buffer in memory; purge merges \
                 them into a page store from time to time, and a checkpoint writes its pages at a pace of its own. Much of \
                 it is assumed: see docs/fidelity.md."
            }
        }
    }

    /// Whether its redo log is a number of files of fixed size, and not a capacity (8.0 before 8.0.30).
    pub const fn has_fixed_redo_files(self) -> bool {
        matches!(self, ModelId::Mysql8021 | ModelId::Mysql8027)
    }

    /// The release of MySQL that it is or that it is built on, times ten: 55 for 5.5; `None` for MariaDB
    /// and TNT.
    pub const fn mysql_release(self) -> Option<u32> {
        match self {
            ModelId::Mysql55 | ModelId::Percona55 => Some(55),
            ModelId::Mysql56 => Some(56),
            ModelId::Mysql57 => Some(57),
            ModelId::Mysql8021 | ModelId::Mysql8027 | ModelId::Mysql8030 | ModelId::Percona80 => Some(80),
            ModelId::Mysql84 | ModelId::Percona84 => Some(84),
            ModelId::Mysql97 => Some(97),
            ModelId::Mariadb1011 | ModelId::Mariadb114 | ModelId::Tnt => None,
        }
    }

    /// The model that people mean by `text`: its name, or a version such as `8.0`, `8.0.36`, `mysql-8.0`, `MySQL 8.4`.
    pub fn parse(text: &str) -> Result<Self, UnknownModel> {
        let given = text.trim().to_ascii_lowercase();
        if let Some(&model) = ModelId::ALL.iter().find(|model| model.name() == given) {
            return Ok(model);
        }
        match ServerVersion::typed(&given).map(|version| version.model()) {
            Some(Ok(StandIn { model, differs: None })) => Ok(model),
            Some(Ok(StandIn { model, .. })) => Err(UnknownModel::near(text, model)),
            Some(Err(_)) | None => Err(UnknownModel::like(text, &given)),
        }
    }
}

impl UnknownModel {
    /// An error for a version between the models.
    fn near(given: &str, model: ModelId) -> Self {
        UnknownModel {
            given: given.trim().to_owned(),
            near: Some(model),
            suggestion: format!("no model stands for that version; the nearest is {}", model.name()),
        }
    }

    /// An error for a name that may be misspelt.
    fn like(given: &str, lowered: &str) -> Self {
        // The letters of a version tell nothing of which was meant.
        let is_version = lowered.starts_with(|first: char| first.is_ascii_digit());
        let close = ModelId::ALL
            .iter()
            .filter(|_| !is_version)
            .map(|model| (strsim::damerau_levenshtein(lowered, model.name()), model.name(), *model))
            .filter(|(distance, _, _)| *distance <= 3)
            .min_by_key(|(distance, name, _)| (*distance, *name));
        let names: Vec<_> = ModelId::ALL.iter().map(|model| model.name()).collect();
        let suggestion = match close {
            Some((_, name, _)) => format!("did you mean {name}?"),
            None if is_version => {
                format!("no model stands for that version; the models are {}", names.join(", "))
            }
            None => format!("the models are {}", names.join(", ")),
        };
        UnknownModel { given: given.trim().to_owned(), near: close.map(|(_, _, model)| model), suggestion }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
