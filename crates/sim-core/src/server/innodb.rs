//! The engine, and what works on it in the background besides the page cleaner.

use crate::seam::ServerModel;
use crate::server::engine::Engine;
use crate::server::purge::Purge;
use crate::server::records::MvccBuffer;

/// See the module.
pub(super) struct Innodb {
    pub(super) engine: Engine,
    pub(super) purge: Option<Purge>,
    pub(super) records: Option<MvccBuffer>,
}

impl Innodb {
    /// A copy whose machine has another model.
    pub(super) fn with_model(&self, model: Box<dyn ServerModel>) -> Self {
        Innodb { engine: self.engine.with_model(model), purge: self.purge.clone(), records: self.records.clone() }
    }
}
