//! Who says that other settings would have led to the same recommendation is right, in both shapes and in sync passes.

use super::super::adaptive::{AdaptiveConfig, AdaptiveRule, FORM_8021, FORM_8030, Form};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{AdaptiveFlushing, FlushLists, LiveSettings, RuleInput, View};

/// So many pages of each instance, at each LSN one.
struct Lists([u64; 2]);

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        2
    }
    fn pages_up_to(&self, instance: u32, lsn: u64, cap: u64) -> u64 {
        self.0[instance as usize].min(lsn / 1000).min(cap)
    }
}

fn live(io_capacity: u64, io_capacity_max: u64, lwm: u64) -> LiveSettings {
    LiveSettings {
        io_capacity,
        io_capacity_max,
        flushing_avg_loops: 2,
        max_dirty_pages_pct: 90.0,
        max_dirty_pages_pct_lwm: 10.0,
        adaptive_flushing: true,
        adaptive_flushing_lwm: lwm,
        flush_sync: true,
        idle_flush_pct: 100,
    }
}

/// Passes of `form`, one a second, each looked at with all `settings` in force and beside each other.
fn passes(form: Form, settings: &[LiveSettings]) -> [usize; 2] {
    let mut seen = [0, 0];
    let mut rule = AdaptiveRule::new(form, AdaptiveConfig::of_live(settings[0]));
    let lists = Lists([40_000, 9000]);
    for second in 1..200_u64 {
        let lsn = 10_000_000 + second * 400_000;
        let view = View {
            now: SimTime::ZERO + SimDuration::from_secs(second),
            current_lsn: lsn,
            oldest_modification_lsn: 9_000_000,
            dirty_pages: 1,
            lru_pages: 100,
            ..View::at_rest(&lists)
        };
        let input = RuleInput {
            sync_limit_lsn: (second % 7 == 0).then_some(lsn / 2),
            last_pages: 500 * (second % 5),
            limit_for_age_bytes: 60_000_000,
            free_check_capacity_bytes: 70_000_000,
        };
        let before = rule.clone();
        let own = rule.recommend(&view, input);
        for other in settings {
            let Some(mut beside) = before.with_live(*other) else { panic!("it can't be copied") };
            let same = beside.recommend(&view, input) == own;
            assert!(same || !rule.same_with(*other), "second {second}: {other:?} does not recommend {own:?}");
            seen[usize::from(rule.same_with(*other))] += 1;
        }
    }
    seen
}

#[test]
fn settings_that_are_said_to_agree_do() {
    let settings: Vec<LiveSettings> = [200, 1000, 4000]
        .iter()
        .flat_map(|&io| [4000, 4200, 20_000].map(|max| (io, max)))
        .flat_map(|(io, max)| [10, 50].map(|lwm| live(io, max, lwm)))
        .collect();
    for form in [FORM_8021, FORM_8030] {
        let [apart, alike] = passes(form, &settings);
        assert!(apart > 500 && alike > 500, "{apart} {alike}");
    }
    let mut rule = AdaptiveRule::new(FORM_8030, AdaptiveConfig::of_live(settings[0]));
    rule.recommend(
        &View::at_rest(&Lists([0, 0])),
        RuleInput { sync_limit_lsn: None, last_pages: 0, limit_for_age_bytes: 1, free_check_capacity_bytes: 1 },
    );
    assert!(!rule.same_with(LiveSettings { flushing_avg_loops: 3, ..settings[0] }), "averages move at another time");
}
