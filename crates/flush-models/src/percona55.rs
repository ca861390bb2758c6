//! Percona Server 5.5: MySQL 5.5 with adaptive flushing of its own (`percona` sections 1 and 2).

pub mod methods;
pub(crate) mod model;
