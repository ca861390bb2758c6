//! Lists of servers, as the tables of this folder write them.

use super::{ModelId, Servers};
use serde::Deserialize;

/// Some servers: `mysql 5.6..8.0, mariadb`, each as [`Servers::parse`] reads it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ServerList(pub(super) Vec<Servers>);

impl ServerList {
    /// Every server of InnoDB.
    pub(super) fn innodb() -> Self {
        ServerList(vec![Servers::INNODB])
    }

    pub(super) fn include(&self, model: ModelId) -> bool {
        self.0.iter().any(|servers| model.is_of(*servers))
    }
}

impl TryFrom<String> for ServerList {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let all: Option<_> = text.split(", ").map(Servers::parse).collect();
        all.map(ServerList).ok_or_else(|| format!("`{text}` names no servers"))
    }
}
