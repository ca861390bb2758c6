//! What the tests play the machine with: what the server sees, and what it answers, step by step.

use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{
    AdaptiveFlushing, CheckpointerNext, CleanerAction, CleanerInput, FlushGauges, FlushKind, FlushLists, FlushRequest,
    PassReport, Recommendation, RuleInput, ServerModel, View,
};
use innosim_flush_models::registry::{ModelId, Settings, build, build_with_rule, lookup, parse_value};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// LSN of the checkpoint and of the oldest page.
pub(crate) const START: u64 = 10_000_000_000;

/// Settings that a model does not have are left out.
pub(crate) fn settings(model: ModelId, lines: &[(&str, &str)]) -> Settings {
    let known = lines.iter().filter_map(|(name, text)| {
        let setting = lookup(model, name).ok()?;
        Some((setting.name, parse_value(&setting, text).unwrap()))
    });
    Settings::resolve(model, &known.collect::<BTreeMap<_, _>>()).unwrap()
}

pub(crate) fn server(model: ModelId, lines: &[(&str, &str)]) -> Box<dyn ServerModel> {
    build(&settings(model, lines)).unwrap()
}

/// Lists with so many pages each, all of them due at any LSN.
pub(crate) struct Lists {
    pub(crate) instances: u32,
    pub(crate) pages: u64,
}

impl FlushLists for Lists {
    fn instances(&self) -> u32 {
        self.instances
    }

    fn listed(&self, _: u32) -> u64 {
        self.pages
    }

    fn sum_of_oldest(&self, _: u32) -> u128 {
        u128::from(self.pages) * u128::from(START)
    }

    fn pages_up_to(&self, _: u32, lsn: u64, cap: u64) -> u64 {
        if lsn < START { 0 } else { self.pages.min(cap) }
    }
}

pub(crate) const ONE: Lists = Lists { instances: 1, pages: 900 };

/// A pool of 9999 pages in frames and free, a page dirty at the checkpoint, nothing else.
pub(crate) fn view(ms: u64) -> View<'static> {
    View {
        now: SimTime::ZERO + SimDuration::from_millis(ms),
        current_lsn: START,
        written_lsn: START,
        durable_lsn: START,
        last_checkpoint_lsn: START,
        oldest_modification_lsn: START,
        dirty_pages: 1,
        lru_pages: 5_000,
        free_pages: 4_999,
        ..View::at_rest(&ONE)
    }
}

/// A busy server with 4 GiB of pool: redo up to `age` beyond the checkpoint and the oldest page.
pub(crate) fn busy_view(ms: u64, age: u64, activity: u64, lists: &dyn FlushLists) -> View<'_> {
    View {
        current_lsn: START + age,
        dirty_pages: 5_000,
        lru_pages: 200_000,
        free_pages: 60_000,
        activity,
        lists,
        ..view(ms)
    }
}

pub(crate) fn done(list_pages: u64, lru_pages: u64) -> CleanerInput {
    CleanerInput::Done(PassReport { list_pages, lru_pages, ..PassReport::default() })
}

pub(crate) fn flush(action: CleanerAction) -> FlushRequest {
    match action {
        CleanerAction::Flush(request) => request,
        other => panic!("{other:?}"),
    }
}

/// When a sleep ends.
pub(crate) fn until_ms(action: CleanerAction) -> u64 {
    match action {
        CleanerAction::Wait { until, .. } | CleanerAction::WaitForWork { until, .. } => until.whole_millis(),
        other => panic!("{other:?}"),
    }
}

/// When a sleep ends, and whether an event can end it early.
pub(crate) fn sleep_ms(action: &CleanerAction) -> (u64, bool) {
    match action {
        CleanerAction::Wait { until, wake_on_event } => (until.whole_millis(), *wake_on_event),
        other => panic!("{other:?}"),
    }
}

/// A rule that always recommends the same, and writes down what it is told of the pages flushed since it was asked last.
pub(crate) struct Probe {
    pub(crate) told: Arc<Mutex<Vec<u64>>>,
    pub(crate) recommends: Recommendation,
}

impl AdaptiveFlushing for Probe {
    fn recommend(&mut self, _: &View<'_>, input: RuleInput) -> Recommendation {
        self.told.lock().unwrap().push(input.last_pages);
        self.recommends.clone()
    }

    fn gauges(&self) -> FlushGauges {
        FlushGauges::default()
    }
}

/// A server that flushes by a probe, and what the probe is told.
pub(crate) fn probed(
    model: ModelId,
    lines: &[(&str, &str)],
    n_pages: u64,
    slots: &[u64],
) -> (Box<dyn ServerModel>, Arc<Mutex<Vec<u64>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let rule = Probe { told: told.clone(), recommends: Recommendation { n_pages, slots: slots.to_vec() } };
    (build_with_rule(&settings(model, lines), Box::new(rule)).unwrap(), told)
}

/// What the cleaner does from `input` on until it sleeps; its batches flush so many pages of the flush list and of the LRU
/// list, and leave what `after` shows.
pub(crate) fn pass(
    server: &mut dyn ServerModel,
    before: &View<'_>,
    mut input: CleanerInput,
    (list, lru): (u64, u64),
    after: &View<'_>,
) -> Vec<CleanerAction> {
    let (mut actions, mut v) = (Vec::new(), before);
    loop {
        let action = server.cleaner(v, input);
        input = match &action {
            CleanerAction::Flush(request) => {
                v = after;
                if request.kind == FlushKind::LruOnly { done(0, lru) } else { done(list, 0) }
            }
            CleanerAction::WaitForBatches => CleanerInput::BatchesOver,
            CleanerAction::Checkpoint { .. } => CleanerInput::CheckpointTaken,
            CleanerAction::SyncRedo => CleanerInput::RedoSynced,
            _ => CleanerInput::Start,
        };
        actions.push(action);
        if input == CleanerInput::Start {
            return actions;
        }
    }
}

pub(crate) fn requests(actions: &[CleanerAction]) -> Vec<&FlushRequest> {
    actions.iter().filter_map(|a| if let CleanerAction::Flush(request) = a { Some(request) } else { None }).collect()
}

pub(crate) fn kinds(actions: &[CleanerAction]) -> Vec<FlushKind> {
    requests(actions).iter().map(|request| request.kind).collect()
}

pub(crate) const LOG_OF_1_GIB: [(&str, &str); 3] =
    [("innodb_redo_log_capacity", "1G"), ("innodb_log_file_size", "512M"), ("innodb_buffer_pool_instances", "1")];

pub(crate) fn wait_ms(next: CheckpointerNext) -> (u64, bool) {
    match next {
        CheckpointerNext::Wait { timeout, on_cleaner_tick } => (timeout.0 / 1_000_000, on_cleaner_tick),
        other => panic!("{other:?}"),
    }
}
