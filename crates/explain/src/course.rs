//! What the rules look at: series of a run or a recording, with limits and settings.

use crate::event::LimitName;
use innosim_core::metrics::SecondSample;
use innosim_core::seam::AgeLimits;
use std::collections::BTreeMap;

/// A series of a [`Course`]. Amounts are a second, gauges at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Track {
    /// Transactions a second.
    Tps,
    /// Log sequence number since the first step, bytes.
    Lsn,
    /// Checkpoint age, bytes.
    CheckpointAge,
    /// Age of the oldest dirty page, bytes.
    OldestAge,
    /// Dirty pages.
    Dirty,
    /// Pages flushed a second, all kinds.
    Flushed,
    /// Of these, by sync flushing.
    SyncPages,
    /// Of these, by LRU batches.
    LruPages,
    /// Of these, by user threads that found no free page.
    SinglePages,
    /// Pages on the free lists.
    FreePages,
    /// Pages that user threads look at in search of a free one, a second.
    FreePageSearch,
    /// Pages that the last pass of adaptive flushing asked for.
    Requested,
    /// Waits of user threads for a checkpoint, a second.
    CheckpointWaits,
    /// Waits for a free page, a second.
    FreePageWaits,
    /// Waits for space in the log buffer, a second.
    LogWaits,
    /// Pages to the doublewrite files a second.
    DoublewritePages,
    /// Batches to the doublewrite files a second.
    DoublewriteWrites,
    /// Busy share of the data device's busiest part, 0..=1: at 1 it can do no more.
    DeviceBusy,
    /// Share of the time in which the device had any request, 0..=1: at 1 it may still do more.
    DeviceActive,
    /// Busy share of the processors, 0..=1.
    CpuBusy,
    /// Transactions waiting for a client or thread, of an open drive.
    Waiting,
    /// Transactions a second that an open drive asks for.
    Offered,
    /// 1 in a step into which a stop of the drive reached, else 0.
    Stopped,
}

/// Where a course comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A simulated run.
    Simulated,
    /// A recording of a real server.
    Recorded,
}

/// Age limits, bytes; 0 where the server has none or it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// `log_max_modified_age_async`.
    pub async_bytes: f64,
    /// `log_max_modified_age_sync`.
    pub sync_bytes: f64,
    /// Age at which user threads stop.
    pub stop_bytes: f64,
    /// Age of the oldest page at which sync flushing starts.
    pub sync_flush_start_bytes: f64,
}

impl Limits {
    /// The limits that are known. Some servers have one under two names: it counts once.
    pub(crate) fn named(&self) -> Vec<(LimitName, f64)> {
        let Limits { async_bytes, sync_bytes, stop_bytes, .. } = *self;
        let all = [(LimitName::Async, async_bytes), (LimitName::Sync, sync_bytes), (LimitName::Stop, stop_bytes)];
        let is_new = |i: usize| all[..i].iter().all(|(_, other)| *other != all[i].1);
        (0..all.len()).filter(|&i| all[i].1 > 0.0 && is_new(i)).map(|i| all[i]).collect()
    }
}

impl From<AgeLimits> for Limits {
    fn from(limits: AgeLimits) -> Limits {
        Limits {
            async_bytes: limits.async_bytes as f64,
            sync_bytes: limits.sync_bytes as f64,
            stop_bytes: limits.stop_bytes as f64,
            sync_flush_start_bytes: limits.sync_flush_start_bytes as f64,
        }
    }
}

/// A run or a recording, as the rules see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Whether it was simulated or recorded.
    pub origin: Origin,
    /// End of each step, seconds since the load began; rising.
    pub seconds: Vec<f64>,
    /// Length of each step, seconds.
    pub steps: Vec<f64>,
    /// Series, a value a step; NaN where a value is missing. A series that is not known is absent.
    pub tracks: BTreeMap<Track, Vec<f64>>,
    /// Age limits.
    pub limits: Limits,
    /// Numeric server settings by name, those alone that the model of the server has.
    pub settings: BTreeMap<String, f64>,
    /// Clients or threads of the load, if known.
    pub clients: Option<u32>,
    /// Dirty pages when the load began, if known.
    pub dirty_at_start: Option<f64>,
    /// Second from which on figures count: the end of the warm-up.
    pub counted_from_s: f64,
    /// Whether somebody gave that second; else it was detected. `None` where there is no warm-up to speak of.
    pub warmup_given: Option<bool>,
    /// Busy share of the processors over the whole, where there is no series of it.
    pub cpu_busy_mean: Option<f64>,
    /// What throughput counts: transactions, or what the server counts where no load generator told.
    pub unit: &'static str,
    /// Whether throughput is what the server makes of it: no arrival rate was given. `None` if that is not known.
    pub closed_loop: Option<bool>,
}

impl Course {
    /// A simulated run, by its rows; the rest is the caller's to fill in.
    pub fn of_samples(samples: &[SecondSample], limits: AgeLimits) -> Course {
        let mut tracks = BTreeMap::new();
        let mut put = |track: Track, value: &dyn Fn(&SecondSample) -> f64| {
            tracks.insert(track, samples.iter().map(value).collect::<Vec<f64>>());
        };
        put(Track::Tps, &|s| s.transactions as f64);
        put(Track::CheckpointAge, &|s| s.checkpoint_age_bytes as f64);
        put(Track::OldestAge, &|s| s.oldest_page_age_bytes as f64);
        put(Track::Dirty, &|s| s.dirty_pages as f64);
        put(Track::Flushed, &|s| s.pages_flushed as f64);
        put(Track::SyncPages, &|s| s.sync_pages as f64);
        put(Track::LruPages, &|s| s.lru_pages as f64);
        put(Track::SinglePages, &|s| s.single_pages as f64);
        put(Track::FreePages, &|s| s.free_pages as f64);
        put(Track::Requested, &|s| s.n_to_flush_requested as f64);
        put(Track::CheckpointWaits, &|s| s.free_check_waits as f64);
        put(Track::FreePageWaits, &|s| s.wait_free as f64);
        put(Track::LogWaits, &|s| s.log_waits as f64);
        put(Track::DoublewritePages, &|s| s.dblwr_pages as f64);
        put(Track::DoublewriteWrites, &|s| s.dblwr_writes as f64);
        put(Track::DeviceBusy, &|s| s.device_utilization);
        put(Track::Waiting, &|s| s.arrivals_waiting as f64);
        put(Track::Stopped, &|s| f64::from(u8::from(s.stopped)));
        let mut lsn = 0.0;
        let grown = samples.iter().map(|s| {
            lsn += s.redo_generated_bytes as f64;
            lsn
        });
        tracks.insert(Track::Lsn, grown.collect());
        Course {
            origin: Origin::Simulated,
            seconds: samples.iter().map(|s| s.second as f64).collect(),
            steps: vec![1.0; samples.len()],
            tracks,
            limits: limits.into(),
            settings: BTreeMap::new(),
            clients: None,
            dirty_at_start: None,
            counted_from_s: 0.0,
            warmup_given: None,
            cpu_busy_mean: None,
            unit: "transactions",
            closed_loop: None,
        }
    }

    /// A series; `None` if it is not known, or has no value at all.
    pub fn track(&self, track: Track) -> Option<&[f64]> {
        self.tracks.get(&track).filter(|values| values.iter().any(|v| v.is_finite())).map(Vec::as_slice)
    }

    /// A setting of the server.
    pub fn setting(&self, name: &str) -> Option<f64> {
        self.settings.get(name).copied()
    }

    /// Seconds from the load's beginning to the last step.
    pub(crate) fn end_s(&self) -> f64 {
        self.seconds.last().copied().unwrap_or(0.0)
    }

    /// Numbers of the steps that end after `from_s` and not after `to_s`.
    pub(crate) fn within(&self, from_s: f64, to_s: f64) -> std::ops::Range<usize> {
        let from = self.seconds.partition_point(|s| *s <= from_s);
        let to = self.seconds.partition_point(|s| *s <= to_s);
        from..to.max(from)
    }

    /// Mean of a series over steps, each as long as it is; `None` if nothing is known there.
    pub(crate) fn mean(&self, track: Track, at: std::ops::Range<usize>) -> Option<f64> {
        let values = self.track(track)?;
        let known = at.filter(|&i| values[i].is_finite());
        let (sum, time) =
            known.fold((0.0, 0.0), |(sum, time), i| (sum + values[i] * self.steps[i], time + self.steps[i]));
        (time > 0.0).then(|| sum / time)
    }

    /// Amount over steps of a series that is a second.
    pub(crate) fn amount(&self, track: Track, at: std::ops::Range<usize>) -> Option<f64> {
        let values = self.track(track)?;
        Some(at.filter(|&i| values[i].is_finite()).map(|i| values[i] * self.steps[i]).sum())
    }
}
