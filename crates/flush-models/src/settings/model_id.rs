//! A shipped model by its name, and what its product and version tell of it.

use super::servers::{Product, Servers, Version};
use std::fmt;

/// A shipped server model. Each server names its own: `ModelId::Mysql84` stands in the file of MySQL 8.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId {
    product: Product,
    /// The first version that it stands for: settings and rules that came with a version go by it.
    version: Version,
    name: &'static str,
}

impl ModelId {
    pub(crate) const fn new(name: &'static str, product: Product, version: Version) -> Self {
        ModelId { product, version, name }
    }

    /// The name by which scenarios and the command line know it.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Who makes it.
    pub const fn product(self) -> Product {
        self.product
    }

    /// The first version that it stands for.
    pub const fn version(self) -> Version {
        self.version
    }

    /// Whether it is one of these.
    pub fn is_of(self, servers: Servers) -> bool {
        servers.contain(self.product, self.version)
    }

    /// Whether it is a MariaDB, whose settings have meanings of their own.
    pub const fn is_mariadb(self) -> bool {
        matches!(self.product, Product::Mariadb)
    }

    /// Whether it is InnoDB.
    pub const fn is_innodb(self) -> bool {
        !matches!(self.product, Product::Tnt)
    }

    /// Whether the size of its redo log is that of two or more files (before 8.0.30), and not one number.
    pub fn has_files_in_group(self) -> bool {
        self.is_of(Servers::MYSQL.until(8, 0, 30))
    }

    /// Whether its page cleaners ask for the highest priority.
    pub fn cleaners_ask_for_priority(self) -> bool {
        self.is_of(Servers::MYSQL.from(5, 7, 0))
    }

    /// The release of MySQL that it is or that it is built on, times ten: 55 for 5.5; `None` for MariaDB
    /// and TNT.
    pub const fn mysql_release(self) -> Option<u32> {
        match self.product {
            Product::Mysql | Product::Percona => Some(self.version.major as u32 * 10 + self.version.minor as u32),
            Product::Mariadb | Product::Tnt => None,
        }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
