//! Which server a text is of, and the model that stands for it: the one place where product and whole version decide.
//!
//! A server says what it is in `version` and `version_comment`, in ways of its own: `8.0.32-24` is Percona's where the
//! comment says so, `5.5.5-10.6.12-MariaDB` is a MariaDB that old replicas should not trip over, `8.0.11-TiDB-v7.5.0` is
//! no MySQL at all. Where no model stands for a version, the nearest one is taken, with one sentence on what may differ; a
//! server that does not flush pages as InnoDB does is refused with the reason.

use super::model_id::ModelId;

/// A server by what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerVersion {
    product: Product,
    numbers: [u32; 3],
    title: String,
}

/// The model for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandIn {
    /// The model.
    pub model: ModelId,
    /// What may differ, where the model was made of another version; `None` if it stands for this one.
    pub differs: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Product {
    Mysql,
    Percona,
    Mariadb,
    /// Built on another's server, named.
    Fork(&'static str),
    /// Speaks MySQL's protocol and flushes otherwise, with the reason.
    Foreign(&'static str, &'static str),
}

/// Products whose pages are not flushed as InnoDB flushes them: a word that gives them away, their name, why not.
const FOREIGN: [(&str, &str, &str); 11] = [
    (
        "aurora",
        "Amazon Aurora",
        "its storage applies the redo log, so the server flushes no page and has no checkpoint age",
    ),
    ("tidb", "TiDB", "it keeps its data in TiKV, not in InnoDB"),
    ("oceanbase", "OceanBase", "its storage engine merges sorted runs; it is not InnoDB"),
    ("singlestore", "SingleStore", "its storage engine is not InnoDB"),
    ("memsql", "SingleStore", "its storage engine is not InnoDB"),
    ("starrocks", "StarRocks", "its storage engine is not InnoDB"),
    ("doris", "Apache Doris", "its storage engine is not InnoDB"),
    ("clickhouse", "ClickHouse", "its storage engine is not InnoDB"),
    ("dolt", "Dolt", "its storage engine is not InnoDB"),
    ("postgres", "PostgreSQL", "its storage engine is not InnoDB"),
    ("cockroach", "CockroachDB", "its storage engine is not InnoDB"),
];

/// Forks that flush much as the server that they are built on.
const FORKS: [(&str, &str); 9] = [
    ("greatsql", "GreatSQL"),
    ("polardb", "PolarDB"),
    ("alisql", "AliSQL"),
    ("tdsql", "TDSQL"),
    ("txsql", "TXSQL"),
    ("vitess", "Vitess"),
    ("webscalesql", "WebScaleSQL"),
    ("facebook", "Facebook's MySQL"),
    ("fb-mysql", "Facebook's MySQL"),
];

/// Stands for the last release of a series.
const LAST: u32 = u32::MAX;

impl ServerVersion {
    /// By `version` and `version_comment`, either of which may be empty.
    pub fn new(version: &str, comment: &str) -> Self {
        ServerVersion::of_product("", version, comment)
    }

    /// By SHOW GLOBAL VARIABLES; `None` if they don't hold a version.
    pub fn of_variables<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let version = variable("version").filter(|version| !version.trim().is_empty())?;
        let comment = variable("version_comment").unwrap_or_default();
        // These variables tell what the version may not.
        let hint = [("aurora_version", "aurora"), ("innodb_cleaner_lsn_age_factor", "percona")];
        let hint = hint.into_iter().find(|(name, _)| variable(name).is_some()).map_or("", |(_, hint)| hint);
        Some(ServerVersion::of_product(hint, version, comment))
    }

    /// With what a recorder called the product.
    pub fn of_product(called: &str, version: &str, comment: &str) -> Self {
        let all = format!("{called} {version} {comment}").to_ascii_lowercase();
        let product = if let Some((_, name, why)) = FOREIGN.into_iter().find(|(word, _, _)| all.contains(word)) {
            Product::Foreign(name, why)
        } else if all.contains("mariadb") {
            Product::Mariadb
        } else if let Some((_, name)) = FORKS.into_iter().find(|(word, _)| all.contains(word)) {
            Product::Fork(name)
        } else if all.contains("percona") || all.contains("xtradb") {
            Product::Percona
        } else {
            Product::Mysql
        };
        let plain = version.trim();
        // What MariaDB tells old replicas.
        let plain = plain.strip_prefix("5.5.5-").filter(|_| product == Product::Mariadb).unwrap_or(plain);
        let is_number = |c: char| c.is_ascii_digit();
        let text = &plain[plain.find(is_number).unwrap_or(plain.len())..];
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let mut numbers = [0; 3];
        for (number, part) in numbers.iter_mut().zip(text[..end].split('.')) {
            *number = part.parse().unwrap_or(0);
        }
        // 10.11 is a MariaDB, whatever it is called; 8.x and 9.x are none.
        let product =
            if product == Product::Mysql && (10..100).contains(&numbers[0]) { Product::Mariadb } else { product };
        let name = match product {
            Product::Mysql => "MySQL",
            Product::Percona => "Percona Server",
            Product::Mariadb => "MariaDB",
            Product::Fork(name) | Product::Foreign(name, _) => name,
        };
        ServerVersion { product, numbers, title: format!("{name} {plain}").trim_end().to_owned() }
    }

    /// What a person types: `8.0`, `mysql-8.0.36`, `Percona Server 5.5`, `mariadb`, `10.11.19-MariaDB-0+deb12u1`. A number
    /// that is left out is the last of its series. `None` if it is no version.
    pub(super) fn typed(text: &str) -> Option<Self> {
        let separators = [' ', '-', '_'];
        let product = ["percona", "mariadb", "mysql"].into_iter().find(|product| text.starts_with(product));
        let rest = text[product.map_or(0, str::len)..].trim_start_matches(separators);
        let rest = rest.strip_prefix("server").unwrap_or(rest).trim_start_matches(separators);
        let (version, suffix) = rest.split_once('-').unwrap_or((rest, ""));
        let is_mariadb = product == Some("mariadb") || suffix.starts_with("mariadb");
        if !suffix.is_empty() && !is_mariadb && product != Some("percona") {
            return None;
        }
        let given = version.split('.').filter(|part| !part.is_empty()).map(|part| part.parse().ok());
        let given: Vec<u32> = given.collect::<Option<_>>()?;
        let (product, last) = match (product, given.first()) {
            _ if is_mariadb => (Product::Mariadb, [10, 11, LAST]),
            (Some("percona"), _) => (Product::Percona, [8, 0, LAST]),
            (None, Some(10..=99)) => (Product::Mariadb, [10, 11, LAST]),
            (_, Some(5)) => (Product::Mysql, [5, 7, LAST]),
            (_, Some(9)) => (Product::Mysql, [9, 7, LAST]),
            (_, Some(8)) => (Product::Mysql, [8, 0, LAST]),
            _ => return None,
        };
        let mut numbers = last;
        for (number, given) in numbers.iter_mut().zip(&given) {
            *number = *given;
        }
        Some(ServerVersion { product, numbers, title: text.to_owned() })
    }

    /// Product and version, for messages.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The model that stands for it, or the nearest.
    ///
    /// # Errors
    /// A sentence that says why none does.
    pub fn model(&self) -> Result<StandIn, String> {
        let [major, minor, patch] = self.numbers;
        let found = match self.product {
            Product::Foreign(_, why) => return Err(format!("no model fits {}: {why}", self.title)),
            _ if major == 0 => return Err(format!("no model stands for `{}`, which holds no version", self.title)),
            Product::Mariadb => mariadb(major, minor),
            Product::Percona => percona(major, minor, patch),
            Product::Mysql => mysql(major, minor, patch),
            Product::Fork(name) => fork(name, (major, minor, patch)),
        };
        let Some((model, differs)) = found else {
            return Err(format!("no model stands for {}: it is of no series that is known", self.title));
        };
        let sentence = |differs: &str| {
            let title = &self.title;
            format!("no model stands for {title}; the nearest, {model}, is taken: {differs}")
        };
        Ok(StandIn { model, differs: (!differs.is_empty()).then(|| sentence(differs)) })
    }
}

/// A model, and what may differ; nothing of a version that it stands for.
type Nearest = Option<(ModelId, &'static str)>;

fn mysql(major: u32, minor: u32, patch: u32) -> Nearest {
    Some(match (major, minor, patch) {
        (5, 5, _) => (ModelId::Mysql55, ""),
        (5, 0..=4, _) => {
            (ModelId::Mysql55, "before 5.5 one mutex guards the whole buffer pool, and adaptive flushing is older")
        }
        (5, 6, 0..=13) => (ModelId::Mysql56, "it is of 5.6.14 and later, and adaptive flushing changed until then"),
        (5, 6, _) => (ModelId::Mysql56, ""),
        (5, 7, 0..=21) => (ModelId::Mysql57, "it is of 5.7.22 and later, and sync flushing changed until then"),
        (5, 7, _) => (ModelId::Mysql57, ""),
        (8, 0, 0..=19) => (
            ModelId::Mysql8021,
            "until 8.0.19 pages go through one doublewrite buffer of 120 pages, and sync flushing is as in 5.7",
        ),
        (8, 0, 20..=22) => (ModelId::Mysql8021, ""),
        (8, 0, 23..=29) => (ModelId::Mysql8027, ""),
        (8, 0, _) => (ModelId::Mysql8030, ""),
        (8, 1..=3, _) => (ModelId::Mysql8030, "the machinery is taken to be that of 8.0.30; defaults may differ"),
        (8, 4, _) => (ModelId::Mysql84, ""),
        (9, 7, _) => (ModelId::Mysql97, ""),
        (9, _, _) => (ModelId::Mysql97, "the machinery is taken to be that of 9.7; defaults may differ"),
        _ => return None,
    })
}

fn percona(major: u32, minor: u32, patch: u32) -> Nearest {
    Some(match (major, minor, patch) {
        (5, 5, _) => (ModelId::Percona55, ""),
        (5, 0..=4, _) => (ModelId::Percona55, "XtraDB before 5.5 has other ways to flush adaptively"),
        (5, 6, _) => (
            ModelId::Mysql56,
            "it lacks the LRU manager thread, innodb_cleaner_lsn_age_factor (high_checkpoint lets the age stand higher and \
             flushes more steeply near the limit) and innodb_foreground_preflush (exponential_backoff)",
        ),
        (5, 7, _) => (
            ModelId::Mysql57,
            "it lacks the LRU manager threads, the parallel doublewrite buffer and innodb_cleaner_lsn_age_factor \
             (high_checkpoint lets the age stand higher and flushes more steeply near the limit)",
        ),
        (8, 0, 0..=29) => {
            let (model, _) = mysql(major, minor, patch)?;
            (model, "it lacks the LRU manager threads and innodb_cleaner_lsn_age_factor")
        }
        (8, 0, _) => (ModelId::Percona80, ""),
        (8, 3 | 4, _) => (ModelId::Percona84, ""),
        (8 | 9, _, _) => (ModelId::Percona84, "defaults may differ, and so may LRU manager threads"),
        _ => return None,
    })
}

fn mariadb(major: u32, minor: u32) -> Nearest {
    Some(match (major, minor) {
        (10, 11) => (ModelId::Mariadb1011, ""),
        (5, _) => {
            (ModelId::Percona55, "its InnoDB is XtraDB of Percona Server 5.5, with settings of MariaDB beside it")
        }
        (10, 0 | 1) => (ModelId::Mysql56, "its InnoDB descends from that of MySQL 5.6, by way of XtraDB"),
        (10, 2..=4) => (ModelId::Mysql57, "its InnoDB descends from that of MySQL 5.7"),
        (10, 5..=7) => (
            ModelId::Mariadb1011,
            "its redo log is written in blocks of 512 bytes under one mutex, and its page cleaner may start earlier",
        ),
        (10, _) => (ModelId::Mariadb1011, "the page cleaner changed until 10.11.19, and may start earlier here"),
        (11 | 12, _) => (ModelId::Mariadb114, ""),
        (13.., _) => (
            ModelId::Mariadb114,
            "the binary log may be kept in InnoDB, which saves a sync of each commit, and the redo log may be archived",
        ),
        _ => return None,
    })
}

fn fork(name: &str, (major, minor, patch): (u32, u32, u32)) -> Nearest {
    if name == "GreatSQL" && (major, minor) == (8, 0) && patch >= 30 {
        return Some((ModelId::Percona80, "GreatSQL is built on Percona Server 8.0, and may differ from it"));
    }
    let (model, _) = mysql(major, minor, patch)?;
    let differs = match name {
        "Facebook's MySQL" => "tables of MyRocks are not in InnoDB, and nothing is said of them",
        "PolarDB" => "its pages go to shared storage, and its replicas read them",
        "Vitess" => "the version is what its proxy says; that of the servers behind it decides",
        _ => "the fork may flush otherwise than the MySQL that it is built on",
    };
    Some((model, differs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_kind_have_their_model() {
        for (version, comment, model, exact) in [
            ("5.1.73-log", "Source distribution", ModelId::Mysql55, false),
            ("5.5.16", "", ModelId::Mysql55, true),
            ("5.5.23-rel25.3-log", "Percona Server with XtraDB (GPL), Release rel25.3", ModelId::Percona55, true),
            ("5.5.68-MariaDB", "MariaDB Server", ModelId::Percona55, false),
            ("5.6.10", "MySQL Community Server (GPL)", ModelId::Mysql56, false),
            ("5.6.23-72.1-log", "Percona Server (GPL), Release 72.1", ModelId::Mysql56, false),
            ("5.7.30-log", "", ModelId::Mysql57, true),
            ("5.7.44-48", "Percona Server (GPL), Release 48", ModelId::Mysql57, false),
            ("8.0.16", "", ModelId::Mysql8021, false),
            ("8.0.21", "MySQL Community Server - GPL", ModelId::Mysql8021, true),
            ("8.0.28-0ubuntu4", "(Ubuntu)", ModelId::Mysql8027, true),
            ("8.0.32-24", "Percona Server (GPL), Release 24", ModelId::Percona80, true),
            ("8.0.36-28.1", "Percona XtraDB Cluster (GPL), Release rel28", ModelId::Percona80, true),
            ("8.0.26-16", "Percona Server (GPL), Release 16", ModelId::Mysql8027, false),
            ("8.0.32-25", "GreatSQL (GPL), Release 25", ModelId::Percona80, false),
            ("8.0.31-google", "(Google)", ModelId::Mysql8030, true),
            ("8.4.9-9", "Percona Server (GPL), Release 9", ModelId::Percona84, true),
            ("8.4.8", "MySQL Community Server - GPL", ModelId::Mysql84, true),
            ("9.6.0", "", ModelId::Mysql97, false),
            ("9.7.0-er2", "", ModelId::Mysql97, true),
            ("10.1.48-MariaDB", "", ModelId::Mysql56, false),
            ("10.4.12-MariaDB-log", "", ModelId::Mysql57, false),
            ("5.5.5-10.6.12-MariaDB", "", ModelId::Mariadb1011, false),
            ("10.11.19-MariaDB-0+deb12u1", "", ModelId::Mariadb1011, true),
            ("11.4.10-MariaDB-ubu2404-log", "mariadb.org binary distribution", ModelId::Mariadb114, true),
            ("12.1.2-MariaDB", "", ModelId::Mariadb114, true),
        ] {
            let found = ServerVersion::new(version, comment).model().unwrap_or_else(|why| panic!("{version}: {why}"));
            assert_eq!((found.model, found.differs.is_none()), (model, exact), "{version} {comment}");
        }
    }

    #[test]
    fn servers_without_innodbs_flushing_are_refused_with_the_reason() {
        for (version, comment, reason) in [
            ("8.0.mysql_aurora.3.04.0", "", "flushes no page"),
            ("8.0.11-TiDB-v7.5.0", "TiDB Server", "TiKV"),
            ("5.7.25-OceanBase-v4.2", "", "not InnoDB"),
            ("", "", "holds no version"),
            ("100.1", "", "no series that is known"),
        ] {
            let why = ServerVersion::new(version, comment).model().unwrap_err();
            assert!(why.contains(reason), "{version}: {why}");
        }
        let variables = [("version", "5.7.12"), ("aurora_version", "2.11.1")];
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        assert!(ServerVersion::of_variables(find).unwrap().model().is_err());
        assert_eq!(ServerVersion::of_variables(|_| None), None);
    }

    #[test]
    fn a_setting_of_perconas_tells_its_server() {
        let find = |name: &str| match name {
            "version" => Some("8.0.36-28"),
            "innodb_cleaner_lsn_age_factor" => Some("legacy"),
            _ => None,
        };
        let server = ServerVersion::of_variables(find).unwrap();
        assert_eq!((server.title(), server.model().unwrap().model), ("Percona Server 8.0.36-28", ModelId::Percona80));
    }
}
