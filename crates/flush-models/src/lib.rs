//! The servers of innosim: what each version of InnoDB decides, and the settings that it knows; and beside them TNT.
//!
//! * [`registry`] is where to begin, and the roof: the list of models, [`ServerVersion`](registry::ServerVersion), which
//!   finds the model of a server, and [`registry::build`], which makes a [`ServerModel`](innosim_core::seam::ServerModel)
//!   of resolved settings.
//! * [`settings`] is the ground: every setting with its defaults and ranges by product and version.
//! * The servers stand between them, each with a [`Model`](model::Model), which is what it says of itself to the registry.
//! * [`mysql55`] is the machinery of MySQL 5.5 and Percona Server 5.5.
//! * [`mysql80`] is the machinery of MySQL 8.0 and later. Its formulas are public, pure functions.
//! * [`mariadb`] is MariaDB 10.11: its page cleaner does all there is to do, one thing after the other.
//! * [`tnt`] is an engine of another design: its checkpoint.
//! * [`purge`] is purge of all InnoDBs: one machinery, told by plain data.
//! * [`replay`] runs a server's flushing rule alone, on recorded inputs.
//!
//! Modules name the specification that they follow, such as `innodb-8.0.21` section 2.3: see `docs/fidelity.md`.
//!
//! A version never sees the device or the pages: it reads a [`View`](innosim_core::seam::View) and returns decisions.
//!
//! # A flushing rule of your own
//!
//! A rule decides only how many pages a pass flushes; everything else stays the server's. `examples/my_rule.rs` has one
//! in twenty lines. The smallest is this:
//!
//! ```
//! use innosim_core::seam::{AdaptiveFlushing, FlushGauges, Recommendation, RuleInput, View};
//! use innosim_flush_models::registry::{ModelId, Settings, build_with_rule};
//! use std::collections::BTreeMap;
//!
//! struct Constant;
//!
//! impl AdaptiveFlushing for Constant {
//!     fn recommend(&mut self, _: &View<'_>, _: RuleInput) -> Recommendation {
//!         Recommendation { n_pages: 3000, slots: vec![] }
//!     }
//!     fn gauges(&self) -> FlushGauges {
//!         FlushGauges::default()
//!     }
//! }
//!
//! let settings = Settings::resolve(ModelId::Mysql8030, &BTreeMap::new())?;
//! let server = build_with_rule(&settings, Box::new(Constant))?;
//! assert_eq!(server.config().buffer_pool.instances, 1);
//! # Ok::<(), innosim_flush_models::registry::SettingsError>(())
//! ```

pub mod averages;
pub mod coordinator;
pub mod legacy;
pub mod mariadb;
mod mariadb106;
mod mariadb114;
mod mariadb123;
pub mod model;
pub mod mysql55;
pub mod mysql56;
pub mod mysql57;
pub mod mysql80;
mod mysql84;
mod mysql97;
pub mod percona55;
mod percona57;
pub mod percona80;
mod percona84;
pub mod purge;
pub mod registry;
pub mod replay;
pub mod settings;
pub mod tnt;
