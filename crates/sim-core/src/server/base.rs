//! The machine, data files and the logs: what a checkpoint or a flush needs.

use crate::seam::ServerModel;
use crate::server::log::Log;
use crate::server::log::binlog::BinaryLog;
use crate::server::machine::Machine;
use crate::server::storage::DataFiles;

/// See the module.
pub(super) struct Base {
    pub(super) machine: Machine,
    pub(super) storage: DataFiles,
    pub(super) log: Log,
    pub(super) binary_log: Option<BinaryLog>,
}

impl Base {
    /// A copy whose machine has another model.
    pub(super) fn with_model(&self, model: Box<dyn ServerModel>) -> Self {
        Base {
            machine: self.machine.with_model(model),
            storage: self.storage.clone(),
            log: self.log.clone(),
            binary_log: self.binary_log.clone(),
        }
    }
}
