//! How scripts read what they see.

use crate::see::{See, over_instances};
use rhai::{Array, Dynamic, Engine, FLOAT};

/// Registers a getter for each number.
macro_rules! numbers {
    ($engine:ident, $($name:ident),* $(,)?) => {
        $($engine.register_get(stringify!($name), |see: &mut See| see.$name);)*
    };
}

/// Lets scripts read what they see.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<See>("see");
    numbers!(
        engine,
        now,
        elapsed,
        age,
        checkpoint_age,
        age_limit,
        stop_age,
        redo,
        redo_rate,
        flush_rate,
        last_pages,
        dirty_pages,
        pool_pages,
        free_pages,
        pending_writes,
        page_reads,
        page_writes,
        instances,
        sync_pass,
        sync_reach,
    );
    engine.register_get("io_capacity", |see: &mut See| see.capacity.io_capacity);
    engine.register_get("io_capacity_max", |see: &mut See| see.capacity.io_capacity_max);
    engine.register_get("max_dirty_pages_pct", |see: &mut See| see.capacity.max_dirty_pages_pct);
    engine.register_get("mean_age", |see: &mut See| see.mean_age);
    engine.register_get("pages_due", |see: &mut See| see.due.first().map_or(0.0, |due| over_instances(due)));
    engine.register_get("due", |see: &mut See| -> Array {
        see.due.iter().map(|due| over_instances(due)).map(Dynamic::from).collect()
    });
    engine.register_get("due_by_instance", |see: &mut See| -> Array {
        see.due.iter().flatten().take(see.instances as usize).map(|&pages| Dynamic::from(pages as FLOAT)).collect()
    });
}
