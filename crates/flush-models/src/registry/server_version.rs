//! Which server a text is of, and the model that stands for it: the one place where product and whole version decide.
//!
//! A server says what it is in `version` and `version_comment`, in ways of its own: `8.0.32-24` is Percona's where the
//! comment says so, `5.5.5-10.6.12-MariaDB` is a MariaDB that old replicas should not trip over, `8.0.11-TiDB-v7.5.0` is
//! no MySQL at all. Where no model stands for a version, the nearest one is taken, with one sentence on what may differ; a
//! server that does not flush pages as InnoDB does is refused with the reason.

use super::MODELS;
use crate::settings::{ModelId, Product, Servers, Version};

/// A server by what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerVersion {
    maker: Maker,
    numbers: [u16; 3],
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
enum Maker {
    Known(Product),
    /// Built on MySQL, named.
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

/// No server counts its versions this far.
const NO_SERIES: u16 = 100;

/// Stands for the last release of a series.
const LAST: u16 = u16::MAX;

/// What variables hold as the server's version. `SHOW VARIABLES LIKE 'innodb%'` has `innodb_version` alone: the same number, but
/// in MySQL 5.5 (1.1.8) and in MariaDB before 10.3, which has that of the MySQL from which its InnoDB comes.
pub fn version_in<'a>(variable: &impl Fn(&str) -> Option<&'a str>) -> Option<&'a str> {
    let told = |name: &str| variable(name).map(str::trim).filter(|version| !version.is_empty());
    let of_innodb = || {
        let version = told("innodb_version").filter(|version| !version.starts_with("1."))?;
        let is_old_mariadb = version.starts_with("5.") && variable("innodb_encrypt_log").is_some();
        (!is_old_mariadb).then_some(version)
    };
    told("version").or_else(of_innodb)
}

impl ServerVersion {
    /// By `version` and `version_comment`, either of which may be empty.
    pub fn new(version: &str, comment: &str) -> Self {
        ServerVersion::of_product("", version, comment)
    }

    /// By SHOW GLOBAL VARIABLES; `None` if they don't hold a version.
    pub fn of_variables<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let version = version_in(&variable)?;
        let comment = variable("version_comment").unwrap_or_default();
        // These variables tell what the version may not.
        let hint = [("aurora_version", "aurora"), ("innodb_cleaner_lsn_age_factor", "percona")];
        let hint = hint.into_iter().find(|(name, _)| variable(name).is_some()).map_or("", |(_, hint)| hint);
        Some(ServerVersion::of_product(hint, version, comment))
    }

    /// With what a recorder called the product.
    pub fn of_product(called: &str, version: &str, comment: &str) -> Self {
        let all = format!("{called} {version} {comment}").to_ascii_lowercase();
        let maker = if let Some((_, name, why)) = FOREIGN.into_iter().find(|(word, _, _)| all.contains(word)) {
            Maker::Foreign(name, why)
        } else if all.contains("mariadb") {
            Maker::Known(Product::Mariadb)
        } else if let Some((_, name)) = FORKS.into_iter().find(|(word, _)| all.contains(word)) {
            Maker::Fork(name)
        } else if all.contains("percona") || all.contains("xtradb") {
            Maker::Known(Product::Percona)
        } else {
            Maker::Known(Product::Mysql)
        };
        let plain = version.trim();
        // What MariaDB tells old replicas.
        let plain = plain.strip_prefix("5.5.5-").filter(|_| maker == Maker::Known(Product::Mariadb)).unwrap_or(plain);
        let is_number = |c: char| c.is_ascii_digit();
        let text = &plain[plain.find(is_number).unwrap_or(plain.len())..];
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let mut numbers = [0; 3];
        for (number, part) in numbers.iter_mut().zip(text[..end].split('.')) {
            *number = part.parse().unwrap_or(0);
        }
        // 10.11 is a MariaDB, whatever it is called; 8.x and 9.x are none.
        let maker = match maker {
            Maker::Known(Product::Mysql) if (10..100).contains(&numbers[0]) => Maker::Known(Product::Mariadb),
            maker => maker,
        };
        let name = match maker {
            Maker::Known(product) => product.title(),
            Maker::Fork(name) | Maker::Foreign(name, _) => name,
        };
        ServerVersion { maker, numbers, title: format!("{name} {plain}").trim_end().to_owned() }
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
        let given: Vec<u16> = given.collect::<Option<_>>()?;
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
        Some(ServerVersion { maker: Maker::Known(product), numbers, title: text.to_owned() })
    }

    /// What a server says of itself, `version` or the output of `mysqld --version`: `8.0.36-0ubuntu0.22.04.1`,
    /// `5.7.44-rds.20240408-log`, `5.5.5-10.6.12-MariaDB`, `8.0.mysql_aurora.3.04.0`. `None` if it is nothing of that kind.
    pub(super) fn reported(text: &str) -> Option<Self> {
        // `/usr/sbin/mysqld  Ver 8.0.40 for Linux`: digits of a path are no version.
        let (path, rest) = text.split_once(' ').unwrap_or((text, ""));
        let named = format!("{} {rest}", path.rsplit('/').next().unwrap_or_default());
        let text = if path.contains('/') { named.as_str() } else { text };
        let server = ServerVersion::new(text, "");
        if matches!(server.maker, Maker::Foreign(..)) {
            return Some(server);
        }
        let programs = ["mysqld", "mariadbd"];
        if programs.into_iter().any(|program| text.starts_with(program)) {
            return (server.numbers[0] > 0).then_some(server);
        }
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let is_series = text[..end].split('.').filter(|part| !part.is_empty()).count() >= 2;
        let ends_there = text[end..].starts_with(['-', '+', '~', '_', ' ']);
        (is_series && ends_there).then_some(server)
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
        let version = Version::new(major, minor, patch);
        let found = match self.maker {
            Maker::Foreign(name, why) => {
                return Err(format!("no model fits {}: {why}", if major == 0 { name } else { self.title.as_str() }));
            }
            _ if major == 0 => return Err(format!("no model stands for `{}`, which holds no version", self.title)),
            _ if major >= NO_SERIES => None,
            Maker::Known(product) => nearest(product, version),
            Maker::Fork(name) => fork(name, version),
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

/// A model, and what may differ; nothing of a version that is older than all.
type Nearest = Option<(ModelId, &'static str)>;

/// What is said of a version that is later than any that was known.
const LATER: &str =
    "it is later than all that were looked at, so defaults, limits and the rules of flushing may have changed";

/// The model that says that it is taken for this version; for a later one than any of the product, the one that was taken for
/// the latest.
fn nearest(product: Product, version: Version) -> Nearest {
    let spans = || MODELS.iter().flat_map(|model| model.stands_for.iter().map(|stands| (model.id, stands)));
    let found = spans().find(|(_, stands)| stands.servers.contain(product, version));
    if let Some((model, stands)) = found {
        return Some((model, stands.differs));
    }
    let end = |servers: Servers| servers.end_of(product).filter(|end| *end <= version);
    let (_, model) =
        spans().filter_map(|(model, stands)| Some((end(stands.servers)?, model))).max_by_key(|(end, _)| *end)?;
    Some((model, LATER))
}

fn fork(name: &str, version: Version) -> Nearest {
    if name == "GreatSQL" && Servers::PERCONA.from(8, 0, 30).until(8, 1, 0).contain(Product::Percona, version) {
        return Some((ModelId::Percona80, "GreatSQL is built on Percona Server 8.0, and may differ from it"));
    }
    let (model, _) = nearest(Product::Mysql, version)?;
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
            ("5.7.44-48", "Percona Server (GPL), Release 48", ModelId::Percona57, true),
            ("8.0.16", "", ModelId::Mysql8016, true),
            ("8.0.19", "", ModelId::Mysql8016, false),
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
            ("5.5.5-10.6.12-MariaDB", "", ModelId::Mariadb106, false),
            ("10.6.22-MariaDB-log", "", ModelId::Mariadb106, true),
            ("10.11.19-MariaDB-0+deb12u1", "", ModelId::Mariadb1011, true),
            ("11.4.10-MariaDB-ubu2404-log", "mariadb.org binary distribution", ModelId::Mariadb114, true),
            ("12.1.2-MariaDB", "", ModelId::Mariadb114, true),
            ("12.3.1-MariaDB", "", ModelId::Mariadb123, true),
            ("14.0.1-MariaDB", "", ModelId::Mariadb123, false),
            ("9.9.0", "", ModelId::Mysql97, false),
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

    /// `SHOW GLOBAL VARIABLES LIKE 'innodb%'` is what people save most.
    #[test]
    fn the_version_of_innodb_stands_for_the_servers() {
        for (variables, model) in [
            (&[("innodb_version", "9.7.0")][..], Some(ModelId::Mysql97)),
            (&[("innodb_version", "10.11.19")], Some(ModelId::Mariadb1011)),
            (&[("innodb_version", "5.7.44"), ("version", "8.4.3")], Some(ModelId::Mysql84)),
            (&[("innodb_version", "5.7.44"), ("version", "")], Some(ModelId::Mysql57)),
            (&[("innodb_version", "1.1.8")], None),
            (&[("innodb_version", "5.6.49-89.0"), ("innodb_encrypt_log", "OFF")], None),
        ] {
            let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
            let found = ServerVersion::of_variables(find).map(|server| server.model().unwrap().model);
            assert_eq!(found, model, "{variables:?}");
        }
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
