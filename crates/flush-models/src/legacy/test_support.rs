//! What the tests of the machineries of 5.6 and 5.7 share.

use crate::registry::{ModelId, Settings, Value};
use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{CleanerAction, CleanerInput, FlushLists, FlushRequest, PassReport, View};
use std::collections::BTreeMap;

pub(crate) const GIB: u64 = 1 << 30;
/// LSN of the checkpoint and of the oldest page.
pub(crate) const START: u64 = 1_000_000_000;

/// Settings of a server with 4 GiB of pool and two redo files of 512 MiB, and these.
pub(crate) fn settings(model: ModelId, lines: &[(&'static str, Value)]) -> Settings {
    let mut all: BTreeMap<&'static str, Value> =
        [("innodb_buffer_pool_size", Value::Integer(4 * GIB)), ("innodb_log_file_size", Value::Integer(GIB / 2))]
            .into();
    all.extend(lines.iter().copied());
    Settings::resolve(model, &all).unwrap()
}

/// A view at `ms`, with redo up to `START` + `age` and the oldest page at `START`.
pub(crate) fn view(lists: &dyn FlushLists, ms: u64, age: u64, activity: u64) -> View<'_> {
    View {
        now: SimTime::ZERO + SimDuration::from_millis(ms),
        current_lsn: START + age,
        last_checkpoint_lsn: START,
        oldest_modification_lsn: START,
        dirty_pages: 5_000,
        lru_pages: 200_000,
        free_pages: 60_000,
        activity,
        ..View::at_rest(lists)
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

/// When a sleep ends that an event can end early, or cannot.
pub(crate) fn until_ms(action: &CleanerAction, by_event: bool) -> u64 {
    match action {
        CleanerAction::Wait { until, wake_on_event } if *wake_on_event == by_event => until.whole_millis(),
        other => panic!("{other:?}"),
    }
}
