//! What tests of a server's loop play the machine with: what the server sees, and what it answers, step by step.

// Each test file uses what it needs, and helpers may fail the test as tests may.
#![allow(dead_code, clippy::unwrap_used)]

use innosim_core::kernel::time::{SimDuration, SimTime};
use innosim_core::seam::{CleanerAction, CleanerInput, FlushLists, FlushRequest, PassReport, ServerModel, View};
use innosim_flush_models::registry::{ModelId, Settings, build, lookup, parse_value};
use std::collections::BTreeMap;

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
