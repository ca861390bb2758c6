//! What a loss of power may do to the device of a server.

use super::World;
use crate::power_failures::DeviceCache;
use innosim_flush_models::registry::{ModelId, Servers, build};

/// Whether a server reads the oldest modification, at which it takes its checkpoint, after it has synced its files, as those
/// before 8.0 and MariaDB do. A page whose write ends in between is neither synced nor does it hold the checkpoint back, and
/// a device that loses what was not synced may lose it.
pub(crate) fn reads_oldest_after_syncing(model: ModelId) -> bool {
    model.is_of(Servers::MYSQL.until(8, 0, 0)) || model.is_mariadb()
}

/// The worst device that a server is made for: one that loses what was not synced, if it syncs its files before a
/// checkpoint; otherwise one that keeps what it has answered.
pub(crate) fn worst_device(world: &World) -> DeviceCache {
    let server = build(&world.resolved()).unwrap_or_else(|error| panic!("{error}"));
    if server.config().data_sync.precedes_checkpoints() { DeviceCache::Volatile } else { DeviceCache::Protected }
}
