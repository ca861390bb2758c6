//! Which servers: by product and version. Declarations of settings, and of what a model stands for, say so in these words.

use std::fmt;

/// Who makes a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Product {
    /// MySQL.
    Mysql,
    /// Percona Server, whose versions are those of the MySQL that it is built on.
    Percona,
    /// MariaDB.
    Mariadb,
    /// TNT.
    Tnt,
}

impl Product {
    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Product::Mysql => "MySQL",
            Product::Percona => "Percona Server",
            Product::Mariadb => "MariaDB",
            Product::Tnt => "TNT",
        }
    }
}

/// A version, which compares as versions do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// First number.
    pub major: u16,
    /// Second number.
    pub minor: u16,
    /// Third number.
    pub patch: u16,
}

impl Version {
    /// The first release of a series.
    pub const fn series(major: u16, minor: u16) -> Self {
        Version::new(major, minor, 0)
    }

    /// By its three numbers.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Version { major, minor, patch }
    }
}

const FIRST: Version = Version::series(0, 0);
const NEVER: Version = Version::series(u16::MAX, u16::MAX);

/// The versions of some products from one on, up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Servers {
    products: &'static [Product],
    /// The first one.
    from: Version,
    /// The first one that is no longer meant.
    until: Version,
}

impl Servers {
    /// Every server.
    pub const ALL: Servers = Servers::of(&[Product::Mysql, Product::Percona, Product::Mariadb, Product::Tnt]);
    /// Every server of InnoDB.
    pub const INNODB: Servers = Servers::of(&[Product::Mysql, Product::Percona, Product::Mariadb]);
    /// MySQL, and Percona Server, which is built on it.
    pub const MYSQL: Servers = Servers::of(&[Product::Mysql, Product::Percona]);
    /// MySQL itself.
    pub const MYSQL_ALONE: Servers = Servers::of(&[Product::Mysql]);
    /// Percona Server.
    pub const PERCONA: Servers = Servers::of(&[Product::Percona]);
    /// MariaDB.
    pub const MARIADB: Servers = Servers::of(&[Product::Mariadb]);
    /// TNT.
    pub const TNT: Servers = Servers::of(&[Product::Tnt]);

    const fn of(products: &'static [Product]) -> Self {
        Servers { products, from: FIRST, until: NEVER }
    }

    /// Those of this version and later.
    pub const fn from(self, major: u16, minor: u16, patch: u16) -> Self {
        Servers { from: Version::new(major, minor, patch), ..self }
    }

    /// Those before this version.
    pub const fn until(self, major: u16, minor: u16, patch: u16) -> Self {
        Servers { until: Version::new(major, minor, patch), ..self }
    }

    /// From `mysql 5.6..8.0`: the name of a constant of this type, the first version, and the first that is no longer meant.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (name, versions) = text.split_once(' ').unwrap_or((text, ".."));
        let (from, until) = versions.split_once("..")?;
        let named = match name {
            "all" => Servers::ALL,
            "innodb" => Servers::INNODB,
            "mysql" => Servers::MYSQL,
            "mysql-alone" => Servers::MYSQL_ALONE,
            "percona" => Servers::PERCONA,
            "mariadb" => Servers::MARIADB,
            "tnt" => Servers::TNT,
            _ => return None,
        };
        Some(Servers { from: version(from, FIRST)?, until: version(until, NEVER)?, ..named })
    }

    /// Whether a server is among them.
    pub fn contain(&self, product: Product, version: Version) -> bool {
        self.products.contains(&product) && (self.from..self.until).contains(&version)
    }

    /// Whether any version of a product before `version` is among them.
    pub(super) fn begin_before(&self, product: Product, version: Version) -> bool {
        self.products.contains(&product) && self.from < version
    }

    /// The first version that is no longer meant, if any of this product is.
    pub fn end_of(&self, product: Product) -> Option<Version> {
        self.products.contains(&product).then_some(self.until)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl fmt::Display for Servers {
    /// `MySQL from 5.6.0, before 5.6.14`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles: Vec<&str> = self.products.iter().map(|product| product.title()).collect();
        write!(f, "{} from {}, before {}", titles.join(" and "), self.from, self.until)
    }
}

/// `8.4` or `8.0.30`; `otherwise` if nothing is written.
fn version(text: &str, otherwise: Version) -> Option<Version> {
    if text.is_empty() {
        return Some(otherwise);
    }
    let numbers: Vec<u16> = text.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    Some(Version::new(*numbers.first()?, *numbers.get(1)?, numbers.get(2).copied().unwrap_or(0)))
}
