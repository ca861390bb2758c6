//! What every server begins with.
//!
//! Sources: `innodb-5.5` to `innodb-8.0.30`, `mariadb-10.11`, `percona`, and TNT's published source.

use super::steps::{START, server, settings, view};
use innosim_core::kernel::time::SimDuration;
use innosim_core::seam::{
    AdaptiveFlushing, CheckpointerAction, CheckpointerInput, CheckpointerNext, FlushGauges, Recommendation, RuleInput,
    View, WorkBefore,
};
use innosim_flush_models::legacy;
use innosim_flush_models::mysql80::instance::{buf_pool_get_8021, buf_pool_get_8030};
use innosim_flush_models::registry::{ModelId, Servers, build_with_rule};

#[test]
fn a_server_begins_with_nothing_behind_it() {
    for &model in ModelId::ALL {
        let mut server = server(model, &[]);
        assert_eq!((server.gauges(), server.failure()), (FlushGauges::default(), None), "{model:?}");
        server.starts_after(WorkBefore { redo_bytes_per_s: 8_000, pages_flushed_per_s: 40, ..WorkBefore::default() });
        // 5.5 remembers the redo of its last seconds, and pages of LRU batches alone.
        let pages = if matches!(model, ModelId::Mysql55 | ModelId::Percona55) { 0 } else { 40 };
        assert_eq!((server.gauges().lsn_avg_rate, server.gauges().avg_page_rate), (8_000, pages), "{model:?}");
    }
}

/// Extents of 64 pages go round, space by space; from 8.0.30 on the sum is mixed.
#[test]
fn pages_lie_in_the_instance_that_the_version_hashes_them_to() {
    let hash_of = |model: ModelId| match model {
        model if model.is_mariadb() || !model.is_innodb() => |_, _, _| 0,
        model if model.is_of(Servers::MYSQL.until(8, 0, 0)) => legacy::instance::buf_pool_get,
        model if model.has_files_in_group() => buf_pool_get_8021,
        _ => buf_pool_get_8030,
    };
    let round = [("innodb_buffer_pool_size", "8G"), ("innodb_buffer_pool_instances", "8")];
    for &model in ModelId::ALL {
        let (server, hash): (_, fn(u32, u32, u32) -> u32) = (server(model, &round), hash_of(model));
        for (space, page) in (0..9).flat_map(|space| [0, 63, 64, 200, 640, 9_999].map(|page| (space, page))) {
            assert_eq!(server.instance_of(space, page), hash(space, page, 8), "{model:?}: {page} of {space}");
        }
    }
}

/// User threads look at the ages beyond the async limit in 5.5, the sync limit in 5.6 and 5.7, the maximum in MariaDB: from the
/// last checkpoint on, at the start and after each.
#[test]
fn user_threads_look_beyond_a_limit_from_the_last_checkpoint_on() {
    for model in [ModelId::Mysql55, ModelId::Mysql56, ModelId::Mysql57, ModelId::Mariadb1011] {
        let mut server = server(model, &[]);
        let limits = server.age_limits();
        let limit = match model {
            ModelId::Mysql55 => limits.async_bytes,
            ModelId::Mariadb1011 => limits.stop_bytes,
            _ => limits.sync_bytes,
        };
        assert!(limit > 0);
        assert_eq!(server.free_check_limit_lsn(), server.config().redo.start_lsn + limit, "{model:?}");
        server.checkpoint_published(&view(0));
        assert_eq!(server.free_check_limit_lsn(), START + limit, "{model:?}");
    }
    assert_eq!(server(ModelId::Tnt, &[]).free_check_limit_lsn(), u64::MAX, "the machine looks");
}

/// A rule that gives up.
struct GivesUp;

impl AdaptiveFlushing for GivesUp {
    fn recommend(&mut self, _: &View<'_>, _: RuleInput) -> Recommendation {
        Recommendation::default()
    }

    fn gauges(&self) -> FlushGauges {
        FlushGauges::default()
    }

    fn failure(&self) -> Option<&str> {
        Some("no idea")
    }
}

#[test]
fn a_server_tells_that_its_rule_gave_up() {
    for model in [ModelId::Mysql56, ModelId::Mysql57, ModelId::Mysql8021, ModelId::Mysql8030, ModelId::Mariadb1011] {
        let server = build_with_rule(&settings(model, &[]), Box::new(GivesUp)).unwrap();
        assert_eq!(server.failure(), Some("no idea"), "{model:?}");
    }
}

/// 5.5 and MariaDB have no checkpointer, and none that somebody else's passes would wake.
#[test]
fn a_server_without_a_checkpointer_sleeps_on() {
    for model in [ModelId::Mysql55, ModelId::Mariadb1011] {
        for input in [CheckpointerInput::Start, CheckpointerInput::Timeout, CheckpointerInput::CleanerTick] {
            let action = server(model, &[]).checkpointer(&view(1_000), input);
            let CheckpointerAction {
                wake_cleaner: false,
                next: CheckpointerNext::Wait { timeout, on_cleaner_tick: false },
            } = action
            else {
                panic!("{model:?}: {action:?}")
            };
            assert!(timeout > SimDuration::from_secs(600), "{model:?}: {timeout:?}");
        }
    }
}

/// 5.6 and 5.7 overwrite redo that is still needed; adaptive flushing of 5.5 and TNT begins at no age.
#[test]
fn limits_that_servers_do_not_have() {
    for model in [ModelId::Mysql56, ModelId::Mysql57] {
        let limits = server(model, &[]).writer_limits();
        assert!(limits.hard_bytes.min(limits.soft_bytes) > 1 << 60, "{model:?}");
    }
    for model in [ModelId::Mysql55, ModelId::Percona55, ModelId::Tnt] {
        assert_eq!(server(model, &[]).age_limits().adaptive_low_water_bytes, 0, "{model:?}");
    }
}
